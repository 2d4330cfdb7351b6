/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The invariants hold after any raw SQL that the triggers accept: random statements, from moves
 * along the edges to nonsense with OR REPLACE, foreign keys on and off, against a state with its
 * triggers. The test checks the invariants with queries of its own, on the state before and after.
 */
#include "base/str.h"
#include "base/texts.h"
#include "base/vec.h"
#include "state/db/fsm.h"
#include "world.h"

#define ROUNDS 200
#define STATEMENTS 40 /* of a round; then the state is as it was */
#define COLUMNS 64

#define EARLY "'2026-02-01T00:00:00.000000Z'"
#define LATE "'2099-01-01T00:00:00.000000Z'"
#define ONE(list) list[t_random(&seed) % GA_ARRAY_SIZE(list)]

static uint64_t seed;
static int names; /* of what is made, x1, x2, … */

static bool chance(unsigned int percent)
{
	return t_random(&seed) % 100 < percent;
}

/* ---- what holds ---- */

#define GONE(table) \
	"SELECT '" table " ' || id FROM was." table " EXCEPT SELECT '" table " ' || id FROM main." \
	table
#define NO_EDGE(table) \
	"SELECT w.id || ': ' || w.state || ' to ' || n.state FROM was." table " w JOIN main." \
	table " n ON n.id = w.id WHERE n.state <> w.state AND NOT EXISTS (SELECT 1 FROM was.edge " \
	"WHERE machine = '" table "' AND a = w.state AND b = n.state)"
#define OTHER(table, columns) \
	"SELECT '" table "', " columns " FROM was." table " EXCEPT SELECT '" table "', " columns \
	" FROM main." table
/* The devices of slot s. */
#define DEVICE(d, s) "device " d " WHERE " d ".id IN (" s ".nvme_wwid, " s ".gpu_id)"

static const struct {
	const char *what, *sql; /* each row is a violation */
} promises[] = {
	{ "no row is gone",
	  GONE("slot") " UNION ALL " GONE("node") " UNION ALL " GONE("device") " UNION ALL "
	  GONE("claim") " UNION ALL " GONE("allocation") " UNION ALL " GONE("usage")
	  " UNION ALL " GONE("wipe_evidence") },
	{ "slots move along edges", NO_EDGE("slot") },
	{ "allocations move along edges", NO_EDGE("allocation") },
	{ "nodes move along edges", NO_EDGE("node") },
	{ "what is born begins at the beginning",
	  "SELECT id FROM main.slot WHERE state <> 'disabled' AND id NOT IN (SELECT id FROM "
	  "was.slot) UNION ALL SELECT id FROM main.allocation WHERE state <> 'pending' AND id NOT "
	  "IN (SELECT id FROM was.allocation)" },
	{ "a retired slot is retired", "SELECT id FROM main.slot WHERE retired <> (state = "
	  "'retired')" },
	/* sold once */
	{ "a slot has one live claim",
	  "SELECT slot_id FROM main.claim WHERE live = 1 GROUP BY slot_id, claim_kind, "
	  "iif(slot_id IS NULL, node_id, '') HAVING count(*) > 1" },
	{ "only what was available is claimed",
	  "SELECT c.id FROM main.claim c JOIN was.slot w ON w.id = c.slot_id WHERE c.live = 1 AND "
	  "w.state <> 'available' AND NOT EXISTS (SELECT 1 FROM was.claim o WHERE o.id = c.id AND "
	  "o.live = 1)" },
	{ "a claim stays on what it holds", OTHER("claim", "id, allocation_id, node_id, slot_id, "
						  "claim_kind") },
	{ "the node of a live claim is held for it",
	  "SELECT c.id FROM main.claim c LEFT JOIN main.node n ON n.id = c.node_id WHERE "
	  "c.live = 1 AND (c.held_by IS NULL OR n.held_by IS NOT c.held_by)" },
	{ "a node is held whole or in slices",
	  "SELECT c.id FROM main.claim c JOIN main.claim o ON o.node_id = c.node_id AND o.live = 1 "
	  "AND o.allocation_id <> c.allocation_id WHERE c.live = 1 AND c.claim_kind = 'node'" },
	{ "what is in use has a live claim",
	  "SELECT id FROM main.slot s WHERE state IN ('reserved', 'provisioning', 'active') "
	  "AND NOT EXISTS (SELECT 1 FROM main.claim WHERE slot_id = s.id AND "
	  "live = 1)" },
	{ "a claim lives while its slot is not free",
	  "SELECT c.id FROM was.claim c JOIN main.claim n ON n.id = c.id JOIN main.slot s ON "
	  "s.id = c.slot_id WHERE c.live = 1 AND n.live = 0 AND s.state NOT IN ('available', "
	  "'disabled', 'retired')" },
	{ "an allocation is on one node",
	  "SELECT allocation_id FROM main.claim WHERE live = 1 GROUP BY 1 HAVING "
	  "count(DISTINCT node_id) > 1" },
	{ "nothing stands in two slots",
	  "SELECT a.id || ' ' || b.id FROM main.slot a JOIN main.slot b ON a.id < b.id WHERE "
	  "a.retired = 0 AND b.retired = 0 AND (a.gpu_id = b.gpu_id OR a.nvme_wwid = b.nvme_wwid "
	  "OR a.mac = b.mac OR (a.node_id = b.node_id AND (a.slot_index = b.slot_index OR "
	  "a.private_ip = b.private_ip OR a.gpu_pci_address = b.gpu_pci_address OR "
	  "a.fabric_vf_pci_address = b.fabric_vf_pci_address)))" },
	{ "no physical function is sold beside its virtual one",
	  "SELECT a.id || ' ' || b.id FROM main.slot a JOIN main.slot b ON a.node_id = b.node_id "
	  "WHERE a.retired = 0 AND b.retired = 0 AND "
	  "a.fabric_vf_pci_address = b.fabric_pf_pci_address" },
	{ "a CPU that a slot on sale names is its own",
	  "SELECT s.id FROM main.slot s, json_each('[\"' || replace(s.cpuset, ',', '\",\"') || "
	  "'\"]') r WHERE s.state IN ('available', 'reserved', 'provisioning', 'active') AND NOT "
	  "EXISTS (SELECT 1 FROM main.slot_cpu c WHERE c.slot_id = s.id AND c.node_id = "
	  "s.node_id AND c.cpu = CAST(r.value AS INTEGER))" },
	{ "the NUMA node has the memory of what is opened",
	  "SELECT s.id FROM main.slot s JOIN was.slot w ON w.id = s.id AND w.state IN ('disabled', "
	  "'wiping') WHERE s.state = 'available' AND (SELECT sum(memory_mib) FROM main.slot o "
	  "WHERE o.node_id = s.node_id AND o.retired = 0 AND o.numa_node = s.numa_node) > (SELECT "
	  "memory_mib - reserve_mib FROM main.node_memory WHERE node_id = s.node_id AND "
	  "numa_node = s.numa_node)" },
	{ "what is sold stays what it is",
	  "SELECT s.id FROM main.slot s JOIN was.slot w ON w.id = s.id WHERE w.state <> 'disabled' "
	  "AND (s.node_id, s.slot_index, s.shape, s.sharing_mechanism, s.gpu_id, s.gpu_identity, "
	  "s.gpu_pci_address, s.nvme_wwid, s.fabric_vf_pci_address, s.cpuset, s.memory_mib, s.mac, "
	  "s.private_ip, s.wipe_minimum_class, s.wipe_verify, s.wipe_gpu_memory) IS NOT "
	  "(w.node_id, w.slot_index, w.shape, w.sharing_mechanism, w.gpu_id, w.gpu_identity, "
	  "w.gpu_pci_address, w.nvme_wwid, w.fabric_vf_pci_address, w.cpuset, w.memory_mib, w.mac, "
	  "w.private_ip, w.wipe_minimum_class, w.wipe_verify, w.wipe_gpu_memory)" },
	{ "no part of a GPU is sold",
	  "SELECT id FROM main.slot WHERE state IN ('available', 'reserved', 'provisioning', "
	  "'active') AND (shape <> 'slice' OR sharing_mechanism <> 'exclusive_device')" },
	{ "what is claimed is of a type that the profile names",
	  "SELECT c.id FROM main.claim c JOIN main.allocation a ON a.id = c.allocation_id JOIN "
	  "main.slot s ON s.id = c.slot_id WHERE c.live = 1 AND a.profile_types IS NOT NULL AND "
	  "instr(a.profile_types, char(10) || coalesce(s.accelerator_type, '?') || char(10)) = 0 "
	  "AND NOT EXISTS (SELECT 1 FROM was.claim o WHERE o.id = c.id AND o.live = 1)" },
	{ "whole machines are handed over whole",
	  "SELECT s.id FROM main.slot s JOIN was.slot w ON w.id = s.id AND w.state <> s.state JOIN "
	  "main.claim c ON c.slot_id = s.id AND c.live = 1 JOIN main.allocation a ON a.id = "
	  "c.allocation_id AND a.shape = 'baremetal' WHERE s.state = 'provisioning' AND EXISTS "
	  "(SELECT 1 FROM main.slot o WHERE o.node_id = s.node_id AND o.retired = 0 AND NOT EXISTS "
	  "(SELECT 1 FROM main.claim n WHERE n.slot_id = o.id AND n.live = 1 AND "
	  "n.allocation_id = a.id))" },
	{ "a node with live claims is not retired",
	  "SELECT id FROM main.node n WHERE state = 'retired' AND EXISTS (SELECT 1 FROM main.claim "
	  "WHERE node_id = n.id AND live = 1)" },
	/* never unwiped */
	{ "what is for sale is clean",
	  "SELECT s.id FROM main.slot s WHERE s.state IN ('available', 'reserved') AND (SELECT "
	  "count(*) FROM main." DEVICE("d", "s") " AND d.dirty_since IS NULL AND d.node_id = "
	  "s.node_id) <> 2" },
	{ "what a tenant may write to is tainted",
	  "SELECT s.id FROM main.slot s WHERE s.state IN ('provisioning', 'active') AND "
	  "(SELECT count(*) FROM main." DEVICE("d", "s") " AND d.dirty_since IS NOT NULL) <> "
	  "2" },
	{ "a device becomes clean by a confirmed wipe since it was dirtied",
	  "SELECT d.id FROM main.device d JOIN was.device w ON w.id = d.id WHERE d.dirty_since IS "
	  "NULL AND w.dirty_since IS NOT NULL AND NOT EXISTS (SELECT 1 FROM main.wipe_evidence e "
	  "WHERE e.outcome = 'confirmed' AND e.started_at > w.dirty_since AND d.id IN (e.wwid, "
	  "e.node_id || '/' || e.gpu_identity))" },
	{ "a device is not born clean",
	  "SELECT id FROM main.device WHERE dirty_since IS NULL AND id NOT IN (SELECT id FROM "
	  "was.device)" },
	{ "a slot leaves wiping for sale by the wipe that was ordered",
	  "SELECT s.id FROM main.slot s JOIN was.slot w ON w.id = s.id AND w.state = 'wiping' "
	  "WHERE s.state = 'available' AND NOT EXISTS (SELECT 1 FROM main.wipe_evidence e WHERE "
	  "e.id = s.wipe_evidence_id AND e.outcome = 'confirmed' AND e.slot_id = s.id AND "
	  "e.attempt = s.wipe_attempt AND e.wwid = s.nvme_wwid AND e.gpu_identity = "
	  "s.gpu_identity AND e.rules = 1 AND e.gpu_reset <> 'failed' AND e.vf_state = "
	  "'confirmed' AND e.bytes_read = 4096 AND e.mismatches + e.surviving = 0 "
	  "AND NOT EXISTS (SELECT 1 FROM was." DEVICE("d", "s")
	  " AND d.dirty_since >= e.started_at))" },
	{ "what was not verified since a restore is not reserved",
	  "SELECT s.id FROM main.slot s JOIN was.slot w ON w.id = s.id AND w.state <> 'reserved' "
	  "WHERE s.state = 'reserved' AND s.epoch_verified < (SELECT epoch FROM main.meta WHERE "
	  "epoch > 1)" },
	/* evidence */
	{ "evidence, audit and what was billed stay",
	  OTHER("wipe_evidence", "id, digest || outcome || started_at") " UNION ALL "
	  OTHER("audit", "seq, hash || previous_hash") " UNION ALL "
	  OTHER("usage", "id, price_micros || started_at || count || project") " UNION ALL "
	  OTHER("meta", "one, lab || created_at") },
	{ "what was promised stays",
	  OTHER("allocation", "id, request || project || created_by") },
	{ "an epoch only grows",
	  "SELECT 1 FROM main.meta n, was.meta w WHERE n.epoch < w.epoch" },
};

/* Tables as they were before a statement. */
static const char *const kept[] = { "slot", "node", "device", "claim", "allocation", "usage",
				    "wipe_evidence", "audit", "meta" };

static sqlite3_stmt *asked[GA_ARRAY_SIZE(promises)], *dropped[GA_ARRAY_SIZE(kept)],
	*taken[GA_ARRAY_SIZE(kept)];

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK) {
		printf("Bail out! %s\n# %s\n", sqlite3_errmsg(db), sql);
		exit(1);
	}
	return stmt;
}

static void begin(sqlite3 *db)
{
	static const char *const machines[] = { "slot", "allocation", "node" };
	size_t i, k;

	w_must(db, "ATTACH ':memory:' AS was; CREATE TABLE was.edge (machine, a, b)");
	for (i = 0; i < GA_ARRAY_SIZE(machines); i++) {
		const struct ga_fsm_state *s = ga_fsm_states((enum ga_machine)i);

		for (; s->name; s++)
			for (k = 0; s->to[k]; k++) {
				ga_autofree char *sql = ga_xprintf(
					"INSERT INTO was.edge VALUES ('%s', '%s', '%s')",
					machines[i], s->name, s->to[k]);

				w_must(db, sql);
			}
	}
	for (i = 0; i < GA_ARRAY_SIZE(kept); i++) {
		ga_autofree char *make = ga_xprintf("CREATE TABLE was.%s AS SELECT * FROM main.%s",
						    kept[i], kept[i]);
		ga_autofree char *drop = ga_xprintf("DELETE FROM was.%s", kept[i]);
		ga_autofree char *take = ga_xprintf("INSERT INTO was.%s SELECT * FROM main.%s",
						    kept[i], kept[i]);

		w_must(db, make);
		dropped[i] = prepare(db, drop);
		taken[i] = prepare(db, take);
	}
	for (i = 0; i < GA_ARRAY_SIZE(promises); i++)
		asked[i] = prepare(db, promises[i].sql);
}

static void end(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(kept); i++) {
		sqlite3_finalize(dropped[i]);
		sqlite3_finalize(taken[i]);
	}
	for (i = 0; i < GA_ARRAY_SIZE(promises); i++)
		sqlite3_finalize(asked[i]);
}

static void step(sqlite3_stmt *stmt)
{
	int rc = sqlite3_step(stmt);

	sqlite3_reset(stmt);
	if (rc != SQLITE_DONE) {
		printf("Bail out! a table cannot be kept\n");
		exit(1);
	}
}

static void keep(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(kept); i++) {
		step(dropped[i]);
		step(taken[i]);
	}
}

/* The promise that does not hold, or NULL; why is its first row. */
static const char *broken(char why[160])
{
	size_t i;
	int rc;

	for (i = 0; i < GA_ARRAY_SIZE(promises); i++) {
		rc = sqlite3_step(asked[i]);
		if (rc == SQLITE_ROW)
			snprintf(why, 160, "%s", (const char *)sqlite3_column_text(asked[i], 0));
		sqlite3_reset(asked[i]);
		if (rc != SQLITE_DONE)
			return promises[i].what;
	}
	return NULL;
}

/* ---- statements ---- */

static const struct {
	const char *name, *key;
} tables[] = {
	{ "slot", "id" },  { "slot", "id" },	   { "slot", "id" },	{ "allocation", "id" },
	{ "node", "id" },  { "device", "id" },	   { "device", "id" },	{ "claim", "id" },
	{ "claim", "id" }, { "wipe_evidence", "id" }, { "slot_cpu", "cpu" }, { "usage", "id" },
	{ "meta", "one" }, { "node_capacity", "node_id" },
};

static const char *const conflicts[] = { "", "", "", "OR REPLACE ", "OR REPLACE ", "OR IGNORE ",
					 "OR FAIL " };

/* The number of rows of the table, and a random one as "LIMIT 1 OFFSET n". */
static char *pick(sqlite3 *db, const char *table)
{
	ga_autofree char *count = ga_xprintf("SELECT count(*) FROM main.%s", table);
	uint64_t n = strtoull(w_get(db, count), NULL, 10);

	return ga_xprintf("LIMIT 1 OFFSET %d", n ? (int)(t_random(&seed) % n) : 0);
}

struct columns {
	char *name[COLUMNS];
	size_t n;
};

static void read_columns(sqlite3 *db, const char *table, struct columns *c)
{
	ga_autofree char *sql = ga_xprintf("SELECT name FROM pragma_table_info('%s')", table);
	sqlite3_stmt *stmt = prepare(db, sql);

	for (c->n = 0; c->n < COLUMNS && sqlite3_step(stmt) == SQLITE_ROW; c->n++)
		c->name[c->n] = ga_xstrdup((const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
}

static void release_columns(struct columns *c)
{
	while (c->n)
		free(c->name[--c->n]);
}

static void add_value(sqlite3 *db, struct ga_str *sql, const char *table, const char *column)
{
	static const char *const words[] = {
		"''", "'x'", "'slices'", "'[]'", "0", "1", "2", "-1", "9", "1000", EARLY, LATE,
		"'confirmed'", "'failed'", "'purge'", "'0-3'", "'n1'", "'n2'", "'s2'", "'h200'",
		"char(10) || 'h200' || char(10)", "'time_sliced'", "'baremetal'",
	};
	static const char *const states[] = {
		"disabled", "available", "reserved", "provisioning", "active", "releasing",
		"wiping", "cleanup_blocked", "quarantined", "retired", "placed", "released",
	};
	ga_autofree char *row = pick(db, table);

	if (!strcmp(column, "state") && chance(60))
		ga_str_addf(sql, "'%s'", ONE(states));
	else if (chance(50))
		ga_str_addf(sql, "(SELECT %s FROM main.%s %s)", column, table, row);
	else if (chance(40))
		ga_str_add(sql, "NULL");
	else
		ga_str_add(sql, ONE(words));
}

/* Some columns of a row, to anything. */
static void add_update(sqlite3 *db, struct ga_str *sql, const char *table, const char *key)
{
	ga_autofree char *row = pick(db, table);
	struct columns c;
	uint64_t n = 1 + t_random(&seed) % 3;
	bool counts = !strcmp(table, "slot") || !strcmp(table, "node") ||
		      !strcmp(table, "allocation");

	read_columns(db, table, &c);
	ga_str_addf(sql, "UPDATE %smain.%s SET ", ONE(conflicts), table);
	while (n--) {
		const char *column = chance(30) && counts ? "state" :
				     c.name[t_random(&seed) % c.n];

		ga_str_addf(sql, "%s = ", column);
		add_value(db, sql, table, column);
		ga_str_add(sql, n ? ", " : "");
	}
	if (counts && chance(95))
		ga_str_add(sql, ", generation = generation + 1");
	ga_str_addf(sql, " WHERE %s = (SELECT %s FROM main.%s %s)", key, key, table, row);
	release_columns(&c);
}

/* A row like another but for some columns. */
static void add_insert(sqlite3 *db, struct ga_str *sql, const char *table, const char *key)
{
	ga_autofree char *row = pick(db, table);
	bool fresh = chance(60);
	struct columns c;
	size_t i;

	read_columns(db, table, &c);
	ga_str_addf(sql, "INSERT %sINTO main.%s (", ONE(conflicts), table);
	for (i = 0; i < c.n; i++)
		ga_str_addf(sql, "%s%s", i ? ", " : "", c.name[i]);
	ga_str_add(sql, ") SELECT ");
	for (i = 0; i < c.n; i++) {
		ga_str_add(sql, i ? ", " : "");
		if (fresh && !strcmp(c.name[i], key))
			ga_str_addf(sql, "'x%d'", ++names);
		else if (fresh && !strcmp(c.name[i], "number"))
			ga_str_add(sql, "NULL"); /* the next one */
		else if (chance(25))
			add_value(db, sql, table, c.name[i]);
		else
			ga_str_add(sql, c.name[i]);
	}
	ga_str_addf(sql, " FROM main.%s %s", table, row);
	release_columns(&c);
}

/* A row of a machine along one of its edges, with what that takes. */
static void add_move(sqlite3 *db, struct ga_str *sql, enum ga_machine m, const char *table)
{
	ga_autofree char *row = pick(db, table);
	ga_autofree char *where = ga_xprintf("(SELECT id FROM main.%s %s)", table, row);
	ga_autofree char *now = ga_xprintf("SELECT state FROM main.%s WHERE id = %s", table, where);
	const struct ga_fsm_state *s = ga_fsm_find(m, w_get(db, now));
	const char *to;
	size_t n = 0;

	while (s && s->to[n])
		n++;
	to = n ? s->to[t_random(&seed) % n] : "disabled";
	ga_str_addf(sql, "UPDATE %smain.%s SET state = '%s', generation = generation + 1",
		    ONE(conflicts), table, to);
	if (m == GA_M_SLOT && chance(95))
		ga_str_addf(sql, ", retired = %d", !strcmp(to, "retired"));
	if (!strcmp(to, "wiping"))
		ga_str_addf(sql, ", wipe_attempt = 'x%d'", ++names);
	if (!strcmp(to, "retired") && chance(50))
		ga_str_add(sql, ", disposal = 'shredded'");
	if (m == GA_M_SLOT && !strcmp(to, "available") && chance(70))
		ga_str_addf(sql, ", wipe_evidence_id = (SELECT id FROM main.wipe_evidence WHERE "
			    "slot_id = %s ORDER BY number DESC LIMIT 1)", where);
	if (m == GA_M_SLOT && chance(10))
		ga_str_add(sql, ", epoch_verified = NULL");
	ga_str_addf(sql, " WHERE id = %s", where);
}

/* Evidence of a slot's wipe, good but for one member at most. */
static void add_evidence(sqlite3 *db, struct ga_str *sql)
{
	static const char *const outcomes[] = { "confirmed", "confirmed", "confirmed", "failed" };
	static const char *const steps[] = { "confirmed", "confirmed", "confirmed", "confirmed",
					     "confirmed", "not_proven", "not_needed", "failed" };
	ga_autofree char *row = pick(db, "slot");
	int n = ++names;

	ga_str_addf(sql,
		    "INSERT INTO main.wipe_evidence (id, slot_id, node_id, attempt, wwid, "
		    "gpu_identity, started_at, finished_at, class, outcome, verify, gpu_memory, "
		    "lab, digest, record, folded_at, " W_PROOF_COLUMNS ") SELECT 'x%d', %s, "
		    "node_id, %s, %s, %s, %s, " LATE ", '%s', '%s', 'full', 'confirmed', 1, "
		    "'digest-%d', '{}', 'now', %s, '%s', '%s', 'file', 4096, %s, %s, %s, %s, '%s' "
		    "FROM main.slot %s",
		    n, chance(90) ? "id" : "'s2'", chance(90) ? "coalesce(wipe_attempt, 'w')" :
		    "'w'", chance(90) ? "nvme_wwid" : "'d2'", chance(90) ? "gpu_identity" : "'g2'",
		    chance(80) ? LATE : EARLY, chance(90) ? "purge" : "clear", ONE(outcomes), n,
		    chance(95) ? "1" : "NULL", ONE(steps), ONE(steps), chance(95) ? "4096" : "0",
		    chance(95) ? "0" : "1", chance(95) ? "0" : "1",
		    chance(95) ? "fabric_vf_pci_address" : "NULL",
		    chance(95) ? "confirmed" : "failed", row);
}

/* The ways to take capacity, a step at a time. */
static void add_claim(sqlite3 *db, struct ga_str *sql)
{
	ga_autofree char *slot = pick(db, "slot"), *allocation = pick(db, "allocation");
	ga_autofree char *node = pick(db, "node");
	int n = ++names;

	switch (t_random(&seed) % 3) {
	case 0:
		ga_str_addf(sql,
			    "INSERT INTO main.allocation (id, request, project, shape, count, "
			    "since, profile, profile_version, profile_record, price_micros, "
			    "created_at, created_by) VALUES ('x%d', '{}', 'p', '%s', 1, 'x', 'h', "
			    "1, '{}', 5, 'x', 'me')", n, chance(70) ? "slice" : "baremetal");
		break;
	case 1:
		ga_str_addf(sql,
			    "UPDATE %smain.node SET held_by = iif(%d, 'slices', (SELECT id FROM "
			    "main.allocation %s)), generation = generation + 1 WHERE id = (SELECT "
			    "id FROM main.node %s)", ONE(conflicts), chance(60), allocation, node);
		break;
	default:
		ga_str_addf(sql,
			    "INSERT %sINTO main.claim (id, allocation_id, node_id, slot_id, "
			    "claim_kind, live, held_by, created_at) SELECT 'x%d', (SELECT id FROM "
			    "main.allocation %s), n.id, iif(%d, s.id, NULL), iif(%d, 'slot', "
			    "'node'), 1, n.held_by, " EARLY " FROM main.slot s JOIN main.node n "
			    "ON n.id = s.node_id WHERE s.id = (SELECT id FROM main.slot %s)",
			    ONE(conflicts), n, allocation, chance(85), chance(85), slot);
	}
}

static void add_statement(sqlite3 *db, struct ga_str *sql)
{
	size_t t = t_random(&seed) % GA_ARRAY_SIZE(tables);
	uint64_t kind = t_random(&seed) % 100;

	if (kind < 25)
		add_move(db, sql, GA_M_SLOT, "slot");
	else if (kind < 32)
		add_move(db, sql, GA_M_ALLOCATION, "allocation");
	else if (kind < 35)
		add_move(db, sql, GA_M_NODE, "node");
	else if (kind < 45)
		add_evidence(db, sql);
	else if (kind < 60)
		add_claim(db, sql);
	else if (kind < 82)
		add_update(db, sql, tables[t].name, tables[t].key);
	else if (kind < 97)
		add_insert(db, sql, tables[t].name, tables[t].key);
	else
		ga_str_addf(sql, "DELETE FROM main.%s", tables[t].name);
}

/* ---- rounds ---- */

struct history {
	struct ga_texts accepted;
};

static void tell(struct history *h)
{
	size_t i;

	for (i = 0; i < h->accepted.n; i++) {
		printf("# %s\n", h->accepted.v[i]);
		free(h->accepted.v[i]);
	}
	ga_list_release(&h->accepted);
}

static void forget(struct history *h)
{
	while (h->accepted.n)
		free(h->accepted.v[--h->accepted.n]);
	ga_list_release(&h->accepted);
}

/* False when a promise is broken. */
static bool round_of(sqlite3 *db, size_t *accepted)
{
	struct history h = { { NULL, 0 } };
	const char *what = NULL;
	char why[160];
	int i;

	w_must(db, "BEGIN");
	for (i = 0; i < STATEMENTS && !what; i++) {
		struct ga_str sql = GA_STR_INIT;

		add_statement(db, &sql);
		keep();
		if (w_run(db, sql.buf) != SQLITE_OK) {
			ga_str_release(&sql);
			continue;
		}
		what = broken(why);
		++*accepted;
		*ga_list_add(&h.accepted) = ga_str_take(&sql);
	}
	w_must(db, "ROLLBACK");
	if (!what) {
		forget(&h);
		return true;
	}
	printf("# broken: %s: %s\n", what, why);
	tell(&h);
	return false;
}

int main(void)
{
	sqlite3 *db = w_open();
	size_t accepted = 0;
	char why[160];
	int i, good = 0;

	seed = t_seed();
	w_fill(db);
	begin(db);
	keep();
	t_str(broken(why), NULL, "the state keeps its promises");
	for (i = 0; i < ROUNDS && good == i; i++) {
		if (i == ROUNDS / 2)
			w_must(db, "PRAGMA foreign_keys=OFF");
		w_must(db, i % 2 ? "PRAGMA recursive_triggers=ON" :
				   "PRAGMA recursive_triggers=OFF");
		good += round_of(db, &accepted);
	}
	t_int(good, ROUNDS, "rounds of raw SQL");
	t_ok(accepted > ROUNDS, "statements let through: %zu of %d", accepted, ROUNDS * STATEMENTS);
	end();
	w_close(db);
	return t_done();
}
