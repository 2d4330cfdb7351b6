/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fleet in memory is what the state says: after the placements of another connection, which are
 * taken over from their claims, and after anything else, for which nodes are read again.
 */
#include "audit.h"
#include "state_world.h"
#include "store_place.h"

static char *describe(const struct ga_fleet *f)
{
	struct ga_str s = GA_STR_INIT;
	size_t i, j;

	for (i = 0; i < f->nodes.n; i++) {
		const struct ga_fleet_node *n = &f->nodes.v[i];

		ga_str_addf(&s, "%s %lld %s %d:", n->id, (long long)n->generation,
			    n->why ? n->why : "-", n->clean);
		for (j = 0; j < n->slots.n; j++)
			ga_str_addf(&s, " %s %lld %d %s", n->slots.v[j].id,
				    (long long)n->slots.v[j].generation, n->slots.v[j].free,
				    n->slots.v[j].why ? n->slots.v[j].why : "-");
		ga_str_addc(&s, '\n');
	}
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
	a = describe(known);
	b = describe(&anew);
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
	ga_shape_release(&ga_release_order_shape, &order);
	compare(ours, &f, "a placement and a release");
	t_ok(f.nodes.v[0].slots.v[0].free, "a released slot is free again");
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

int main(void)
{
	struct ga_db *db = sw_open(6), *other = NULL;
	int i;

	sw_must(ga_db_open(sw_path, GA_DB_STATE, GA_DB_WRITE, &other, &sw_err));
	for (i = 1; i <= 6; i++)
		sw_ready(db, i);
	others_place(db, other);
	held_nodes(db);
	ga_db_close(other);
	sw_close(db);
	return t_done();
}
