/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting identical nodes once, from the counters that triggers keep, gives the same numbers as
 * reading every slot: random states, changed by raw SQL with only those triggers left.
 */
#include "decide/offer/offer.h"
#include "record/state.h"
#include "state/capacity/fleet.h"
#include "state_world.h"

#define NODES 80
#define SLOTS 8
#define VALUES 10
/* The slot that has the index, or had it last. */
#define LAST \
	"number = (SELECT max(number) FROM slot WHERE node_id = ?1 AND slot_index = ?2)"
#define TABLE "{\"1\":[0,1],\"2\":[2,3],\"3\":[0,1,2,3,4,5,6,7]}"
#define LARGE "{\"0\":[0,1,2,3],\"4\":[4,5,6,7],\"7\":[0],\"8\":[1],\"9\":[4,5],\"10\":[6,7]}"
#define CROSSING "{\"1\":[0,1],\"2\":[1,2],\"3\":[2,3]}"

/* Changes of a row, which is picked by its number; "-" is NULL. */
static const struct {
	const char *sql; /* ?1 the number of a node, ?2 of a slot of it, ?3 the value */
	const char *values[VALUES];
} changes[] = {
	{ "UPDATE slot SET state = ?3, retired = (?3 = 'retired') WHERE " LAST,
	  { "available", "available", "available", "available", "reserved", "active", "wiping",
	    "disabled", "quarantined", "retired" } },
	{ "UPDATE slot SET state = ?3, retired = 0, epoch_verified = 2, memory_mib = 64000, "
	  "blockers = '[]' WHERE " LAST,
	  { "available", "active", "releasing" } },
	{ "UPDATE slot SET cordon = ?3 WHERE node_id = ?1 AND slot_index = ?2",
	  { "-", "-", "noise" } },
	{ "UPDATE slot SET health_state = ?3 WHERE node_id = ?1 AND slot_index = ?2",
	  { "ok", "unknown", "failed" } },
	{ "UPDATE slot SET blockers = ?3 WHERE node_id = ?1 AND slot_index = ?2",
	  { "[]", "[]", "[{\"code\":\"missing_ip\"}]" } },
	{ "UPDATE slot SET accelerator_type = ?3 WHERE node_id = ?1 AND slot_index = ?2",
	  { "h200", "h200", "a100", "-" } },
	{ "UPDATE slot SET memory_mib = ?3 WHERE node_id = ?1 AND slot_index = ?2",
	  { "64000", "64000", "1000", "-" } },
	{ "UPDATE slot SET cpuset = ?3 WHERE node_id = ?1 AND slot_index = ?2",
	  { "0-3", "0-3", "5,7,9-10", "6", "", "-" } },
	{ "UPDATE slot SET epoch_verified = ?3 WHERE node_id = ?1 AND slot_index = ?2",
	  { "1", "2" } },
	{ "UPDATE slot SET state = ?3 WHERE node_id = ?1 AND retired = 0",
	  { "available", "active", "wiping", "available" } },
	{ "INSERT INTO slot (id, node_id, slot_index, since, accelerator_type, memory_mib, "
	  "cpuset, module_id) SELECT 's' || (1000 + count(*)), ?1, ?2, "
	  "'2026-01-02T00:00:00.000000Z', ?3, 64000, '0-3', ?2 FROM slot "
	  "HAVING count(*) < 900 AND NOT EXISTS (SELECT 1 FROM slot WHERE node_id = ?1 AND "
	  "slot_index = ?2 AND retired = 0)",
	  { "h200", "a100", "-" } },
	{ "UPDATE node SET state = ?3 WHERE id = ?1",
	  { "active", "active", "active", "draining", "enrolled", "retired" } },
	{ "UPDATE node SET cordon_reason = ?3 WHERE id = ?1", { "-", "-", "heat" } },
	{ "UPDATE node SET held_by = ?3 WHERE id = ?1", { "-", "slices", "a1" } },
	{ "UPDATE node SET mode = ?3 WHERE id = ?1", { "slice", "slice", "baremetal" } },
	{ "UPDATE node SET region = ?3 WHERE id = ?1", { "west", "west", "east", "-" } },
	{ "UPDATE node SET pool = ?3 WHERE id = ?1", { "prod", "-" } },
	{ "INSERT INTO region (name, open, record) SELECT 'west', ?3 = '1', '{}' "
	  "WHERE true ON CONFLICT (name) DO UPDATE SET open = excluded.open",
	  { "1", "1", "1", "0" } },
	{ "INSERT INTO region (name, open, record) SELECT 'east', ?3 = '1', '{}' "
	  "WHERE true ON CONFLICT (name) DO UPDATE SET open = excluded.open", { "1", "0" } },
	{ "UPDATE node SET observed_at = ?3 WHERE id = ?1",
	  { "2026-06-01T00:00:00.000000Z", "2026-06-01T00:00:00.5Z", "2026-06-02T00:00:00.000000Z",
	    "2026-01-01T00:00:00.000000Z", "-" } },
	{ "UPDATE node SET fabric_mode = ?3 WHERE id = ?1", { "none", "none", "partitions" } },
	{ "UPDATE node SET fabric_mode = ?3 WHERE id >= ?1", { "none", "partitions" } },
	{ "UPDATE node SET fabric_mode = 'partitions', partitions = ?3 WHERE id >= ?1",
	  { LARGE, LARGE, TABLE, CROSSING } },
	{ "UPDATE node SET partitions = ?3 WHERE id = ?1",
	  { TABLE, TABLE, LARGE, LARGE, CROSSING, "{}", "{\"1\":[0,40]}" } },
	{ "UPDATE slot SET module_id = ?3 WHERE node_id = ?1 AND slot_index = ?2",
	  { "0", "1", "4", "40", "-" } },
	{ "UPDATE slot SET module_id = coalesce(?3, slot_index) WHERE node_id >= ?1", { "-" } },
	{ "UPDATE allocation SET fabric_partition = ?3 WHERE node_id = ?1",
	  { "1", "2", "3", "0", "4", "7", "9", "10", "-" } },
	{ "UPDATE allocation SET state = ?3 WHERE node_id = ?1",
	  { "active", "failed", "released", "placed" } },
	{ "UPDATE node SET blockers = ?3 WHERE id = ?1", { "[]", "[]", "[{\"code\":\"iommu\"}]" } },
	{ "INSERT OR REPLACE INTO node_image SELECT ?1, ?3, 'sha256:1', '/x', 'x'",
	  { "tiny", "big" } },
	{ "DELETE FROM node_image WHERE node_id = ?1 AND image = ?3", { "tiny", "big" } },
	{ "UPDATE image SET digest = ?3 WHERE name = 'big'", { "sha256:1", "sha256:2" } },
	{ "INSERT INTO maintenance (id, node_id, from_at, to_at, reason, created_at, created_by) "
	  "SELECT 'm' || count(*), ?1, ?3, '2096-01-01T00:00:00.000000Z', 'fans', 'x', 'me' "
	  "FROM maintenance HAVING count(*) < 400",
	  { "2026-01-01T00:00:00.000000Z", "2095-01-01T00:00:00.000000Z" } },
	{ "INSERT INTO maintenance (id, node_id, from_at, to_at, reason, created_at, created_by) "
	  "SELECT 'o' || (SELECT count(*) FROM maintenance) || id, id, ?3, "
	  "'2096-02-01T00:00:00.000000Z', 'move', 'x', 'me' FROM node "
	  "WHERE (SELECT count(*) FROM maintenance) < 2000",
	  { "2026-01-01T00:00:00.000000Z", "2095-01-01T00:00:00.000000Z" } },
	{ "UPDATE maintenance SET ended_at = ?3", { "2026-02-01T00:00:00.000000Z" } },
	{ "UPDATE maintenance SET ended_at = ?3", { "2026-02-01T00:00:00.000000Z" } },
	/* as most of a fleet is */
	{ "UPDATE node SET state = 'active', epoch_verified = 2, region = 'west', pool = 'prod', "
	  "mode = ?3, cordon_reason = NULL, held_by = NULL, fabric_mode = 'none', "
	  "blockers = '[]', observed_at = '2026-06-01T00:00:00.000000Z' WHERE id >= ?1",
	  { "slice", "slice", "baremetal" } },
	{ "UPDATE slot SET accelerator_type = ?3, memory_mib = 64000, cpuset = '0-3', "
	  "epoch_verified = 1, blockers = '[]', cordon = NULL, "
	  "disabled_reason = NULL, health_state = 'ok' WHERE node_id >= ?1 AND retired = 0",
	  { "h200", "h200", "a100" } },
	{ "UPDATE meta SET epoch = ?3", { "1", "1", "1", "2" } },
	{ "UPDATE node SET epoch_verified = ?3 WHERE id = ?1", { "1", "2", "2" } },
	{ "UPDATE allocation SET expires_at = ?3",
	  { "2026-03-01T00:00:00.000000Z", "2096-03-01T00:00:00.000000Z" } },
	{ "UPDATE allocation SET state = ?3", { "placed", "held", "active" } },
	{ "UPDATE claim SET node_id = s.node_id, slot_id = s.id FROM slot s WHERE "
	  "s.node_id = ?1 AND s.slot_index = ?2 AND s.state = ?3",
	  { "reserved", "active" } },
	/* a plan that nobody took up */
	{ "UPDATE slot SET state = ?3 WHERE retired = 0 AND id = (SELECT slot_id FROM claim)",
	  { "reserved" } },
	{ "UPDATE allocation SET state = 'placed', expires_at = ?3",
	  { "2026-03-01T00:00:00.000000Z" } },
	/* what claims hold counts, whatever the allocation says */
	{ "UPDATE allocation SET node_id = ?3 WHERE id = 'a1'", { "-", "n04" } },
	/* which of the partitions that cross is the best */
	{ "UPDATE slot SET numa_node = ?3 WHERE node_id = ?1 AND slot_index = ?2", { "0", "1" } },
	{ "UPDATE slot SET numa_node = (slot_index + coalesce(?3, 0)) / 2 % 2 WHERE node_id >= ?1",
	  { "0", "1" } },
};

static void change(struct ga_db *db, uint64_t *seed)
{
	size_t i = t_random(seed) % GA_ARRAY_SIZE(changes), n = 0;
	ga_autofree char *node = ga_xprintf("n%02d", (int)(t_random(seed) % NODES));
	const char *value;

	while (n < VALUES && changes[i].values[n])
		n++;
	value = changes[i].values[t_random(seed) % n];
	sw_must(ga_db_exec(db, &sw_err, changes[i].sql, "sis", node,
			   (int64_t)(t_random(seed) % SLOTS),
			   strcmp(value, "-") ? value : NULL));
}

/* ---- profiles ---- */

static char *h200[] = { TXT("h200") }, *both[] = { TXT("a100"), TXT("h200") };
static int64_t some[] = { 1, 2, 4 }, pairs[] = { 2 };

#define ANY .memory_mib_per_gpu = GA_UNKNOWN, .vcpus_per_gpu = GA_UNKNOWN
static struct ga_profile profiles[] = {
	{ ANY, .shape = TXT("slice") },
	{ ANY, .shape = TXT("slice"), .image = TXT("tiny"), .counts = { some, 3 },
	  .types = { h200, 1 } },
	{ .memory_mib_per_gpu = 2000, .vcpus_per_gpu = 4, .shape = TXT("slice"),
	  .counts = { pairs, 1 }, .types = { both, 2 } },
	{ ANY, .shape = TXT("slice"), .region = TXT("west"), .pool = TXT("prod") },
	{ .memory_mib_per_gpu = GA_UNKNOWN, .vcpus_per_gpu = 1, .shape = TXT("slice") },
	{ ANY, .shape = TXT("slice"), .image = TXT("big") },
	{ ANY, .shape = TXT("baremetal") },
	{ ANY, .shape = TXT("baremetal"), .types = { h200, 1 } },
};

/* ---- two ways ---- */

static char *numbers(const struct ga_fleet *f, const struct ga_profile *p)
{
	ga_autooffer struct ga_offer_numbers n;
	struct ga_str s = GA_STR_INIT;
	size_t i;

	ga_offer_count(f, p, &n);
	ga_str_addf(&s, "%lld of %lld, largest %lld, unknown %lld, oldest %lld",
		    (long long)n.available, (long long)n.total, (long long)n.largest,
		    (long long)n.unknown, (long long)n.oldest_micros);
	for (i = 0; i < n.types.n; i++)
		ga_str_addf(&s, "; %s %lld of %lld, %lld %lld",
			    n.types.v[i].type ? n.types.v[i].type : "-",
			    (long long)n.types.v[i].available, (long long)n.types.v[i].total,
			    (long long)n.types.v[i].largest, n.types.v[i].machines.n ?
				    (long long)n.types.v[i].machines.v[0] : 0);
	return ga_str_take(&s);
}

struct soon {
	GA_LIST(struct ga_offer_soon) list;
};

/* Slots that are being wiped, and those that are held, each at a time of its own. */
static void read_soon(struct ga_db *db, int64_t now, struct soon *ret)
{
	ga_autorows struct ga_rows *rows = NULL;

	sw_must(ga_db_query(db, &rows, &sw_err,
			    "SELECT s.id, s.number * 7 % 11 FROM slot s WHERE s.state IN "
			    "('releasing', 'wiping') OR EXISTS (SELECT 1 FROM claim c JOIN "
			    "allocation a ON a.id = c.allocation_id WHERE c.slot_id = s.id AND "
			    "a.state = 'held') ORDER BY 1", ""));
	while (sw_must(ga_rows_next(rows, &sw_err)))
		*ga_list_add(&ret->list) = (struct ga_offer_soon){
			ga_rows_dup(rows, 0), now + ga_rows_int(rows, 1) * GA_SECOND, "wiping" };
}

static char *expected(const struct ga_fleet *f, const struct ga_profile *p,
		      const struct soon *soon)
{
	struct ga_offer_expected e;

	ga_offer_expect(f, p, soon->list.v, soon->list.n, &e);
	return ga_xprintf("%lld %s", (long long)e.at_micros, e.basis ? e.basis : "-");
}

struct seen {
	int grouped, own, whole, available, expected, partitioned;
};

static bool compare(struct ga_db *db, int64_t stale, struct seen *seen)
{
	struct ga_fleet all = { .stale_micros = stale, .now_micros = ga_clock_micros() },
			grouped = all, ending = all;
	struct soon soon = { { NULL, 0 } };
	bool same = true;
	size_t i;

	sw_must(ga_store_fleet_load(db, &all, &sw_err));
	sw_must(ga_store_fleet_expire(db, &all, &sw_err));
	sw_must(ga_store_fleet_load_grouped(db, &grouped, &sw_err));
	sw_must(ga_store_fleet_load_ending(db, &ending, &sw_err));
	read_soon(db, all.now_micros, &soon);
	seen->whole += grouped.whole;
	for (i = 0; i < grouped.nodes.n; i++) {
		seen->grouped += grouped.nodes.v[i].grouped > 1;
		seen->own += !grouped.nodes.v[i].grouped;
		seen->partitioned += grouped.nodes.v[i].grouped > 0 &&
				     grouped.nodes.v[i].partitions.n > 0;
	}
	for (i = 0; i < GA_ARRAY_SIZE(profiles) && same; i++) {
		ga_autofree char *a = numbers(&all, &profiles[i]);
		ga_autofree char *b = numbers(&grouped, &profiles[i]);
		ga_autofree char *c = expected(&all, &profiles[i], &soon);
		ga_autofree char *d = expected(&ending, &profiles[i], &soon);

		seen->available += strncmp(a, "0 ", 2) != 0;
		seen->expected += c[0] != '-';
		same = ga_streq(a, b) && ga_streq(c, d);
		if (!same) {
			t_str(b, a, "profile %zu", i);
			t_str(d, c, "when there is some");
		}
	}
	for (i = 0; i < soon.list.n; i++)
		free(soon.list.v[i].slot);
	ga_list_release(&soon.list);
	ga_fleet_release(&all);
	ga_fleet_release(&grouped);
	ga_fleet_release(&ending);
	return same;
}

/* One at a time, for a statement is one. */
static void drop(struct ga_db *db)
{
	const char *name;

	while (*(name = sw_get(db, "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND "
				   "name NOT LIKE 'slot_counted%' LIMIT 1"))) {
		ga_autofree char *sql = ga_xprintf("DROP TRIGGER %s", name);

		sw_sql(db, sql);
	}
}

static void fill(struct ga_db *db)
{
	int i, k;

	drop(db);
	for (i = 0; i < NODES; i++) {
		ga_autofree char *node = ga_xprintf(
			"INSERT INTO node (id, name, since, state, epoch_verified, region, pool, "
			"network, observed_at, partitions) VALUES ('n%02d', 'm%d', 'x', 'active', "
			"2, 'west', 'prod', '{}', '2026-06-01T00:00:00.000000Z', '" TABLE "')",
			i, i);

		sw_sql(db, node);
		for (k = 0; k < i % 3 * 4; k++) {
			ga_autofree char *slot = ga_xprintf(
				"INSERT INTO slot (id, node_id, slot_index, since, state, "
				"accelerator_type, memory_mib, cpuset, module_id) VALUES "
				"('t%02d%d', 'n%02d', %d, '2026-01-02T00:00:00.000000Z', "
				"'available', 'h200', 64000, '0-3', %d)", i, k, i, k, k);

			sw_sql(db, slot);
		}
	}
	sw_sql(db, "INSERT INTO image VALUES ('tiny', 'sha256:1', '{}', 'x'), "
		   "('big', 'sha256:1', '{}', 'x')");
	sw_sql(db, "INSERT INTO node_image SELECT id, 'tiny', 'sha256:1', '/x', 'x' FROM node");
	sw_sql(db, "INSERT INTO allocation (id, request, project, shape, count, since, node_id, "
		   "profile, profile_version, profile_record, price_micros, created_at, "
		   "created_by, state) VALUES ('a1', '{}', 'p', 'slice', 1, 'x', 'n04', 'lab', 1, "
		   "'{}', 5, 'x', 'me', 'placed')");
	sw_sql(db, "INSERT INTO allocation (id, request, project, shape, count, since, node_id, "
		   "profile, profile_version, profile_record, price_micros, created_at, "
		   "created_by, state, fabric_partition) SELECT 'p' || id, '{}', 'p', 'slice', 1, "
		   "'x', id, 'lab', 1, '{}', 5, 'x', 'me', 'active', 2 FROM node "
		   "WHERE number % 2");
	sw_sql(db, "INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, "
		   "held_by, created_at) SELECT 'c1', 'a1', 'n04', 't040', 'slot', 1, 'slices', "
		   "'x'");
}

/* The finding of check about the counts. */
static const char *wrong(struct ga_db *db)
{
	return sw_get(db, "SELECT node_id FROM (SELECT node_id, sum(slots), sum(free), "
			  "sum(waiting), sum(disabled), sum(modules), sum(free_modules) "
			  "FROM node_capacity GROUP BY 1 UNION SELECT node_id, "
			  "count(*), sum(state = 'available' AND cordon_reason IS NULL AND "
			  "health_state <> 'failed' AND blockers = '[]'), sum(state IN "
			  "('releasing', 'wiping')), sum(state = 'disabled' AND cordon_reason IS "
			  "NULL AND health_state <> 'failed' AND blockers = '[]'), "
			  "sum(iif(module_id < 32, 1 << module_id, 0)), sum(iif(module_id < 32 "
			  "AND state = 'available' AND cordon_reason IS NULL AND "
			  "health_state <> 'failed' AND blockers = '[]', 1 << module_id, 0)) "
			  "FROM slot WHERE retired = 0 GROUP BY 1) "
			  "GROUP BY 1 HAVING count(*) > 1");
}

/* Of nodes the epoch counts with which the state was opened. */
static struct ga_db *in_epoch_2(struct ga_db *db)
{
	struct ga_db *ret = NULL;

	sw_begin(db);
	sw_sql(db, "UPDATE meta SET epoch = 2");
	sw_commit(db);
	ga_db_close(db);
	sw_must(ga_db_open(sw_path, GA_DB_STATE, GA_DB_WRITE, &ret, &sw_err));
	return ret;
}

int main(void)
{
	struct ga_db *db = in_epoch_2(sw_open(0));
	uint64_t seed = t_seed() | 1;
	struct seen seen = { 0 };
	int64_t stale;
	bool good = true;
	int i, k;

	sw_must(ga_time_parse("2026-05-01T00:00:00Z", &stale, &sw_err));
	sw_sql(db, "PRAGMA foreign_keys=OFF"); /* any row beside any other */
	sw_begin(db);
	fill(db);
	for (i = 0; i < 400 && good; i++) {
		for (k = (int)(t_random(&seed) % 12); k >= 0; k--)
			change(db, &seed);
		good = compare(db, i % 2 ? stale : 0, &seen);
	}
	t_ok(good, "%d states, counted in both ways", i);
	t_str(wrong(db), "", "what is counted as slots move is what is there");
	t_ok(seen.grouped > 300 && seen.own > 300 && seen.whole > 2 && seen.available > 300 &&
	     seen.expected > 100 && seen.partitioned > 300,
	     "kinds of nodes %d, of nodes by partitions %d, nodes of their own %d, fleets read "
	     "whole %d; profiles with something free %d, something soon %d",
	     seen.grouped, seen.partitioned, seen.own, seen.whole, seen.available,
	     seen.expected);
	ga_db_rollback(db);
	sw_close(db);
	return t_done();
}
