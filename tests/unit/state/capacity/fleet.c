/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fleet in memory always equals the state. It takes over placements of another connection from
 * their claims, and reads nodes again after any other change. Also: the fleet with expired plans
 * counted as freed equals the fleet after freeing them.
 */
#include "state/allocation/place.h"
#include "state/capacity/fleet.h"
#include "state/capacity/region.h"
#include "state/db/audit.h"
#include "state_world.h"

static char *describe(const struct ga_fleet *f, bool generations)
{
	struct ga_str s = GA_STR_INIT;
	size_t i, j;

	for (i = 0; i < f->nodes.n; i++) {
		const struct ga_fleet_node *n = &f->nodes.v[i];

		ga_str_addf(&s, "%s %lld %s %d:", n->id, (long long)n->generation * generations,
			    n->why ? n->why : "-", n->clean);
		for (j = 0; j < n->slots.n; j++)
			ga_str_addf(&s, " %s %lld %d %s", n->slots.v[j].id,
				    (long long)n->slots.v[j].generation * generations,
				    n->slots.v[j].free,
				    n->slots.v[j].why ? n->slots.v[j].why : "-");
		for (j = 0; j < n->partitions.n; j++)
			ga_str_addf(&s, " %lld %lld", (long long)n->partitions.v[j].id,
				    (long long)n->partitions.v[j].active);
		ga_str_addc(&s, '\n');
	}
	for (i = 0; i < f->regions.n; i++)
		ga_str_addf(&s, "%s %d %s\n", f->regions.v[i].name, f->regions.v[i].open,
			    f->regions.v[i].reason ? f->regions.v[i].reason : "-");
	return ga_str_take(&s);
}

/* Brings the known fleet up to date and compares it with one read anew. */
static void compare(struct ga_db *db, struct ga_fleet *known, const char *after)
{
	struct ga_fleet anew = { .version = GA_FLEET_UNREAD };
	ga_autofree char *a = NULL, *b = NULL;

	sw_begin(db);
	sw_must(ga_store_fleet_refresh(db, known, &sw_err));
	sw_must(ga_store_fleet_load(db, &anew, &sw_err));
	sw_commit(db);
	a = describe(known, true);
	b = describe(&anew, true);
	t_str(a, b, "the fleet after %s", after);
	t_ok(known->seq == anew.seq && known->claim == anew.claim, "its marks after %s", after);
	ga_fleet_release(&anew);
}

/* As ga_store_place leaves it: claims, reserved slots, and one row of the audit. */
static void place(struct ga_db *db, int i, int first, int count)
{
	ga_autofree char *id = ga_xprintf("a000000%d", i);

	sw_place(db, i, first, count);
	sw_begin(db);
	sw_must(ga_audit_add(db, "placed", id, json_object(), &sw_err));
	sw_commit(db);
}

static void load(struct ga_db *db, struct ga_fleet *f)
{
	sw_must(ga_db_begin_read(db, &sw_err));
	sw_must(ga_store_fleet_load(db, f, &sw_err));
	sw_must(ga_db_commit(db, &sw_err));
}

static void others_place(struct ga_db *ours, struct ga_db *theirs)
{
	struct ga_fleet f = { .version = GA_FLEET_UNREAD };
	struct ga_release_order order;
	bool has_order;

	load(ours, &f);
	place(theirs, 1, 1, 2);
	compare(ours, &f, "the first claims of a node");
	t_ok(!f.whole, "it was not read whole again");
	t_ok(!f.nodes.v[0].slots.v[1].free && f.nodes.v[0].slots.v[2].free, "two slots are taken");
	place(theirs, 2, 3, 1);
	place(theirs, 3, 4, 1);
	compare(ours, &f, "two placements");
	place(theirs, 4, 5, 1);
	sw_must(sw_release(theirs, 1, &order, &has_order, &sw_err));
	ga_schema_release(&ga_release_order_schema, &order);
	compare(ours, &f, "a placement and a release");
	t_ok(f.nodes.v[0].slots.v[0].free, "a released slot is free again");
	ga_fleet_release(&f);
}

/* A declaration of a region, also of one with the name of a node. */
static void regions(struct ga_db *ours, struct ga_db *theirs)
{
	static const struct {
		struct ga_region region;
		/* want: changed, unchanged, or the reason of the refusal */
		const char *want, *what;
	} rows[] = {
#define REGION .title = TXT("North"), .nodes = 7, .available = GA_UNKNOWN
		{ { REGION, .name = TXT("n1"), .open = true }, "changed", "a new region" },
		{ { REGION, .name = TXT("n1"), .open = true, .slots = 9 }, "unchanged",
		  "the same again, whatever it counts" },
		{ { REGION, .name = TXT("n1"), .open = false }, "no_reason",
		  "not open, and no reason" },
		{ { REGION, .name = TXT("n1"), .open = false, .reason = TXT("floods") }, "changed",
		  "not open any more" },
		{ { REGION, .name = TXT("n1"), .open = false, .reason = TXT("fire") }, "changed",
		  "for another reason" },
		{ { REGION, .name = TXT("x"), .retired = true }, "unchanged",
		  "no more what never was" },
		{ { REGION, .name = TXT("n1"), .retired = true }, "changed", "declared no more" },
	};
	struct ga_fleet f = { .version = GA_FLEET_UNREAD };
	struct ga_err err = GA_ERR_INIT;
	size_t i;
	int r;

	load(ours, &f);
	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		sw_begin(theirs);
		r = ga_store_apply_region(theirs, &rows[i].region, &err);
		sw_commit(theirs);
		t_str(r < 0 ? err.reason : r ? "changed" : "unchanged", rows[i].want, "%s",
		      rows[i].what);
		compare(ours, &f, rows[i].what);
	}
	t_int((long long)f.regions.n, 0, "no region is left");
	ga_fleet_release(&f);
}

static void held_nodes(struct ga_db *db)
{
	struct ga_fleet f = { .version = GA_FLEET_UNREAD };

	sw_must(ga_db_begin_read(db, &sw_err));
	t_int(ga_store_fleet_load_held(db, &f, &sw_err), 1, "the nodes that slices hold are few");
	sw_must(ga_db_commit(db, &sw_err));
	t_ok(f.held_only && f.nodes.n == 1 && f.nodes.v[0].slots.n == 6, "one, with all its slots");
	compare(db, &f, "nothing");
	ga_fleet_release(&f);
}

/* ---- plans that nobody took up ---- */

/* Changes of a slot, a plan or the node before a look, each one time in so many. */
static const struct {
	const char *sql; /* with the number of the slot or of the plan, where it is of one */
	int one_in, of;
} changes[] = {
	{ "UPDATE allocation SET expires_at = '2026-03-01T00:00:00.000000Z', "
	  "generation = generation + 1 WHERE id = 'a000000%d'", 2, 4 },
	{ "UPDATE allocation SET fabric_partition = %d, generation = generation + 1 "
	  "WHERE number = 1", 3, 4 },
	{ "UPDATE slot SET cordon = 'loose', generation = generation + 1 "
	  "WHERE id = 's000000%d'", 5, 6 },
	{ "UPDATE slot SET state = 'quarantined', generation = generation + 1 "
	  "WHERE id = 's000000%d' AND state = 'available'", 6, 6 },
	{ "UPDATE node SET fabric_mode = 'partitions', generation = generation + 1", 2, 1 },
	{ "UPDATE node SET cordon_reason = 'noise', generation = generation + 1", 6, 1 },
	{ "UPDATE node SET state = 'draining', generation = generation + 1", 6, 1 },
	{ "UPDATE meta SET epoch = 2", 8, 1 },
};

static void change_some(struct ga_db *db, uint64_t *seed)
{
	size_t i;
	int k;

	for (i = 0; i < GA_ARRAY_SIZE(changes); i++)
		for (k = 1; k <= changes[i].of; k++) {
			ga_autostr struct ga_str sql = GA_STR_INIT;
			const char *hole = strstr(changes[i].sql, "%d");

			if (t_random(seed) % (uint64_t)changes[i].one_in)
				continue;
			if (hole)
				ga_str_addf(&sql, "%.*s%d", (int)(hole - changes[i].sql),
					    changes[i].sql, k);
			ga_str_add(&sql, hole ? hole + 2 : changes[i].sql);
			sw_sql(db, sql.buf);
		}
}

static char *look(struct ga_db *db, bool expire)
{
	struct ga_fleet f = { .version = GA_FLEET_UNREAD, .now_micros = ga_clock_micros() };
	char *text;

	sw_must(ga_store_fleet_load(db, &f, &sw_err));
	if (expire)
		sw_must(ga_store_fleet_expire(db, &f, &sw_err));
	text = describe(&f, false);
	ga_fleet_release(&f);
	return text;
}

/* Slots shown as free are those that are free once the expired plans have been freed. */
static void expired_plans(struct ga_db *db)
{
	uint64_t seed = t_seed() | 1;
	int i, freed = 0;
	bool good = true;

	for (i = 0; i < 300 && good; i++) {
		ga_autofree char *said = NULL, *is = NULL, *before = NULL;

		sw_begin(db);
		change_some(db, &seed);
		before = look(db, false);
		said = look(db, true);
		sw_must(ga_store_expire_plans(db, &sw_err));
		is = look(db, false);
		ga_db_rollback(db);
		freed += !ga_streq(before, is);
		good = ga_streq(said, is);
		if (!good)
			t_str(said, is, "world %d", i);
	}
	t_ok(good && freed > 50, "%d worlds, %d of them with plans that expired", i, freed);
}

/* Four plans, and a slot that nobody has; the first has a partition, and all slots are one. */
static void test_expired(void)
{
	struct ga_db *db = sw_open(6);
	int i;

	for (i = 1; i <= 6; i++)
		sw_ready(db, i);
	sw_begin(db);
	sw_sql(db, "UPDATE node SET partitions = '{\"1\":[1,2],\"2\":[1,2,3,4,5,6]}', "
		   "generation = generation + 1 WHERE id = 'n1'");
	sw_commit(db);
	sw_place(db, 1, 1, 2);
	for (i = 2; i <= 4; i++)
		sw_place(db, i, i + 1, 1);
	expired_plans(db);
	sw_close(db);
}

int main(void)
{
	struct ga_db *db = sw_open(6), *other = NULL;
	int i;

	sw_must(ga_db_open(sw_path, GA_DB_STATE, GA_DB_WRITE, &other, &sw_err));
	for (i = 1; i <= 6; i++)
		sw_ready(db, i);
	others_place(db, other);
	held_nodes(db);
	regions(db, other);
	ga_db_close(other);
	sw_close(db);
	test_expired();
	return t_done();
}
