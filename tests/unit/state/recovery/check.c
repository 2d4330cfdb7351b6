/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-state check finds damage by a foreign program, with triggers, constraints and unique
 * indexes gone: every rule of state/recovery/check_rules.c, every foreign key of the schema, every
 * column of evidence.
 */
#include "state/recovery/check.h"

#include "base/file.h"
#include "base/str.h"
#include "record/state.h"
#include "state/recovery/check_rules.h"
#include "world.h"

#define MOVE(table, id, set) "UPDATE " table " SET " set " WHERE id = '" id "';"
#define CLAIM(id, a, n, s) \
	"INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, held_by, " \
	"created_at) VALUES ('" id "', '" a "', '" n "', '" s "', 'slot', 1, 'slices', 'x');"
#define NODE_CLAIM(id, a, n) \
	"INSERT INTO claim (id, allocation_id, node_id, claim_kind, live, held_by, created_at) " \
	"VALUES ('" id "', '" a "', '" n "', 'node', 1, '" a "', 'x');"

#define SPAN(a, what, from) \
	"INSERT INTO usage (allocation_id, usage_kind, count, price_micros, started_at) " \
	"VALUES ('" a "', '" what "', 1, 5, " from ")"
#define PROPOSAL(by, humans, confirmed) \
	"INSERT INTO proposal (id, action, slot_id, device_id, proposed_by, proposed_uid, " \
	"proposed_humans, proposed_at, expires_at, confirmed_uid, decided_by, decided_at) VALUES " \
	"('p1', 'retire_unwiped', 's1', 'd1', 'x', " by ", '" humans "', 'x', 'x', " confirmed \
	", 'x', 'x')"

/* object: what the finding is about; "" when it names none. */
static const struct {
	const char *check, *object, *sentence, *sql;
} cases[] = {
	{ "meta", "meta", "exactly one row",
	  "INSERT INTO meta (one, lab, epoch, created_at) VALUES (2, 1, 1, 'x')" },
	{ "epoch", "s2", "has not begun", MOVE("slot", "s2", "epoch_verified = 9") },
	{ "epoch", "n2", "has not begun", MOVE("node", "n2", "epoch_verified = 9") },
	{ "epoch", "s1", "nobody verified it", "UPDATE meta SET epoch = 2;"
	  MOVE("slot", "s1", "state = 'reserved'")
	  MOVE("allocation", "a1", "plan = '{\"epoch\":2}'") },
	{ "sold_once", "s1", "more than one live claim", CLAIM("x", "a1", "n1", "s1") },
	{ "sold_once", "n1", "claimed for baremetal and by another", NODE_CLAIM("x", "a1", "n1") },
	{ "sold_once", "c1", "is not held for it", MOVE("node", "n1", "held_by = NULL") },
	{ "held_for_nothing", "n2", "no live claim holds it",
	  MOVE("node", "n2", "held_by = 'slices'") },
	{ "one_node", "a1", "more than one node", CLAIM("x", "a1", "n2", "s5") },
	{ "claim_slot", "x", "not of its node", CLAIM("x", "a1", "n2", "s1") },
	{ "no_claim", "s2", "no live claim", MOVE("slot", "s2", "state = 'active'") },
	{ "claim_left", "c1", "its slot is not in use", MOVE("slot", "s1", "state = 'disabled'") },
	{ "claim_left", "c1", "its allocation is not",
	  MOVE("allocation", "a1", "state = 'released'") },
	{ "allocation_slots", "a1", "no live claim",
	  MOVE("claim", "c1", "live = 0, held_by = NULL, ended_at = 'x'") },
	{ "allocation_slots", "a1", "a slot of it is not",
	  MOVE("slot", "s1", "state = 'releasing'") },
	{ "whole_node", "n1", "left out",
	  MOVE("allocation", "a1", "shape = 'baremetal'") NODE_CLAIM("x", "a1", "n1") },
	{ "cpuset_taken", "s1", "not of its node",
	  "UPDATE slot_cpu SET node_id = 'n2' WHERE slot_id = 's1'" },
	{ "cpuset_taken", "nobody", "not of its node",
	  "UPDATE slot_cpu SET slot_id = 'nobody' WHERE cpu = 10" },
	{ "cpuset_taken", "s2", "not those it holds",
	  "DELETE FROM slot_cpu WHERE slot_id = 's2' AND cpu = 20" },
	{ "memory_overcommitted", "n1 NUMA 0", "more memory",
	  MOVE("slot", "s2", "memory_mib = 9000") },
	{ "pf_vf_conflict", "s2", "physical one",
	  MOVE("slot", "s2", "fabric_vf_pci_address = '0000:e0:00.0'") },
	{ "duplicate_identity", "s2", "fabric function",
	  MOVE("slot", "s2", "gpu_pci_address = '0000:f0:00.1'") },
	{ "duplicate_identity", "s2", "gateway",
	  "UPDATE node SET network = '{\"gateway\":\"10.0.0.2\"}' WHERE id = 'n1'" },
	{ "wipe_proof", "s2", "as its policy requires",
	  MOVE("slot", "s2", "fabric_vf_pci_address = '0000:f0:00.7'") },
	{ "fractional", "s2", "part of a GPU", MOVE("slot", "s2", "shape = 'gpu_shared'") },
	{ "capacity", "n1", "not as they were counted",
	  "UPDATE node_capacity SET free = 0 WHERE free > 0" },
	{ "capacity", "n1", "not as they were counted",
	  "UPDATE node_capacity SET memory_mib = 7 WHERE node_id = 'n1'" },
	{ "capacity", "n1", "not as they were counted",
	  "DELETE FROM node_capacity WHERE node_id = 'n1'" },
	{ "capacity", "n1", "not as they were counted",
	  "UPDATE node_capacity SET cpus = cpus + 1 WHERE node_id = 'n1'" },
	{ "capacity", "n1", "not as they were counted",
	  "INSERT INTO node_capacity SELECT node_id, 'x', memory_mib, cpus, epoch_verified, 1, 0, "
	  "0, 0, 0, 0 FROM node_capacity WHERE node_id = 'n1' LIMIT 1;"
	  "UPDATE node_capacity SET slots = slots - 1 WHERE node_id = 'n1' AND slots > 1" },
	{ "capacity", "n1", "not as they were counted",
	  "UPDATE node_capacity SET modules = modules + 1 WHERE node_id = 'n1'" },
	{ "capacity", "n1", "not as they were counted",
	  "UPDATE node_capacity SET free_modules = 7 WHERE node_id = 'n1'" },
	{ "row_damaged", "n2", "not a list of reasons", MOVE("node", "n2", "blockers = 'x'") },
	{ "row_damaged", "n2", "not a list of reasons", MOVE("node", "n2", "blockers = '[1]'") },
	{ "row_damaged", "s2", "not a list of reasons", MOVE("slot", "s2", "blockers = '{}'") },
	{ "row_damaged", "s2", "not a list of reasons", MOVE("slot", "s2", "blockers = '[ ]'") },
	{ "row_damaged", "s2", "not a list of reasons",
	  MOVE("slot", "s2", "blockers = '[{\"code\":1}]'") },
	{ "row_damaged", "s2", "not a list of reasons",
	  MOVE("slot", "s2", "blockers = '[{\"code\":\"x\",\"hint\":{}}]'") },
	{ "row_damaged", "n2", "not a record", MOVE("node", "n2", "network = 'x'") },
	{ "row_damaged", "n2", "not a record", MOVE("node", "n2", "partitions = '[]'") },
	{ "row_damaged", "a1", "is not a record", MOVE("allocation", "a1", "request = '{'") },
	{ "row_damaged", "a1", "is not a record", MOVE("allocation", "a1", "plan = '{'") },
	{ "row_damaged", "a1", "is not a record", MOVE("allocation", "a1", "network = '7'") },
	{ "row_damaged", "a1", "is not a record", MOVE("allocation", "a1", "order_text = ''") },
	{ "row_damaged", "a1", "is not a record",
	  MOVE("allocation", "a1", "profile_record = '{'") },
	{ "row_damaged", "a1", "is no name", MOVE("allocation", "a1", "name = 'x y'") },
	{ "row_damaged", "a1", "is no name", MOVE("allocation", "a1", "project = '-x'") },
	{ "row_damaged", "h", "stored of it is not a record",
	  "UPDATE profile SET record = '{' WHERE name = 'h'" },
	{ "row_damaged", "n2", "stored of it is not a record",
	  "INSERT OR REPLACE INTO node_observation (node_id, record) VALUES ('n2', '[]')" },
	{ "row_damaged", "s2", "at its end",
	  MOVE("slot", "s2", "generation = 9223372036854775807") },
	{ "row_damaged", "n2", "at its end", MOVE("node", "n2", "generation = 9007199254740991") },
	{ "row_damaged", "a1", "at its end", MOVE("allocation", "a1", "generation = -1") },
	{ "access_record", "t", "not the record of its name",
	  "INSERT INTO team VALUES ('t', '{\"name\":\"x\"}', 'x', 'x')" },
	{ "access_record", "g", "not the record of its name",
	  "INSERT INTO access_grant VALUES ('g', '{', 'x', 'x')" },
	{ "access_record", "access-settings", "not the record of its name",
	  "INSERT INTO access VALUES (1, '{', 'x', 'x')" },
	{ "same_person", "p1", "who proposed the override confirmed it",
		  PROPOSAL("5", "[5]", "5") },
	{ "same_person", "p1", "who proposed the override confirmed it",
		  PROPOSAL("5", "[5,6]", "6") },
	{ "tainted", "s2", "not known to be wiped", MOVE("device", "d2", "dirty_since = 'x'") },
	{ "tainted", "s2", "not known to be wiped", MOVE("device", "n1/g2", "node_id = 'n2'") },
	{ "wipe_proof", "s2", "as its policy requires", MOVE("device", "d2", "cleared_by = 'e5'") },
	{ "wipe_proof", "s2", "as its policy requires",
	  MOVE("device", "n1/g2", "cleared_by = 'e5'") },
	{ "wipe_proof", "s2", "as its policy requires",
	  MOVE("wipe_evidence", "e2", "outcome = 'failed'") },
	{ "wipe_proof", "s2", "as its policy requires",
	  MOVE("wipe_evidence", "e2", "class = 'clear'") },
	{ "wipe_proof", "s2", "as its policy requires",
	  MOVE("wipe_evidence", "e2", "verify = 'sampled'") },
	{ "wipe_proof", "s2", "as its policy requires",
	  MOVE("wipe_evidence", "e2", "gpu_memory = 'not_proven'") },
	{ "wipe_proof", "s2", "as its policy requires", MOVE("wipe_evidence", "e2", "lab = 0") },
	{ "wipe_proof", "d1", "counts as clean", MOVE("device", "d1", "dirty_since = NULL, "
	  "cleared_by = 'e2'") },
	{ "wipe_proof", "n1/g1", "counts as clean", MOVE("device", "n1/g1", "dirty_since = NULL, "
	  "cleared_by = NULL") },
	{ "incomplete", "s2", "for slices, or a slice has it", MOVE("slot", "s2", "mac = NULL") },
	{ "incomplete", "s2", "for slices, or a slice has it",
	  MOVE("slot", "s2", "fabric_vf_pci_address = NULL") },
	{ "incomplete", "s1", "for slices, or a slice has it",
	  MOVE("node", "n1", "mode = 'baremetal'") MOVE("slot", "s1", "memory_mib = NULL") },
	{ "incomplete", "s2", "on sale and incomplete",
	  MOVE("slot", "s2", "storage_ownership = 'shared'") },
	{ "incomplete", "s5", "on sale and incomplete",
	  MOVE("node", "n2", "mode = 'baremetal'") MOVE("slot", "s5", "wipe_verify = NULL") },
	{ "cpuset_taken", "s5", "not those it holds",
	  MOVE("node", "n2", "mode = 'baremetal'") MOVE("slot", "s5", "cpuset = NULL") },
	{ "not_ready", "s2", "something is wrong", MOVE("slot", "s2", "health_state = 'failed'") },
	{ "not_ready", "s2", "something is wrong",
	  MOVE("slot", "s2", "state = 'reserved', health_state = 'failed'") },
	{ "not_ready", "s2", "something is wrong",
	  MOVE("slot", "s2", "blockers = '[{\"code\":\"x\"}]'") },
	{ "billing", "a1", "not in use", MOVE("allocation", "a1", "state = 'releasing'") },
	{ "billing", "a3", "not being provisioned",
	  SPAN("a3", "provisioning", "'2026-03-02T00:00:00.000000Z'") },
	{ "billing", "a1", "nothing counts its use",
	  "UPDATE usage SET ended_at = 'x' WHERE id = 1" },
	{ "billing", "a3", "share time", SPAN("a3", "cleanup", "'2026-03-01T12:00:00.000000Z'") },
	{ "billing", "a3", "that no report counts",
	  SPAN("a3", "hold", "'2026-03-02T00:00:01.000000Z'") },
	{ "billing", "a3", "a time that is not valid",
		  SPAN("a3", "cleanup", "'2026-03-02T00:00:00Z'") },
	{ "billing", "a3", "a time that is not valid", SPAN("a3", "cleanup", "'yesterday'") },
	{ "billing", "a3", "a time that is not valid",
	  SPAN("a3", "cleanup", "'2026-02-30T00:00:00.000000Z'") },
	{ "billing", "a3", "a time that is not valid",
	  "UPDATE usage SET ended_at = '2026-02-01T00:00:00.000000Z' WHERE id = 2" },
	{ "billing", "a3", "another price", "UPDATE usage SET count = 8 WHERE id = 2" },
	{ "billing", "a3", "another price", "UPDATE usage SET price_micros = 6 WHERE id = 2" },
	{ "billing", "a3", "another price",
	  "UPDATE usage SET accelerator_type = 'amd-mi300x' WHERE id = 2" },
	{ "billing", "a3", "another price", "UPDATE usage SET project = 'q' WHERE id = 2" },
	{ "wipe_proof", "s2", "claimed after its evidence",
	  "INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, created_at, "
	  "ended_at) VALUES ('x', 'a1', 'n1', 's2', 'slot', 0, 'now1', 'now2')" },
	{ "tainted", "s1", "in use", MOVE("device", "d1", "dirty_since = NULL") },
	{ "audit_short", "state", "the making of the state", "DELETE FROM audit" },
	{ "audit_short", "audit", "rows 2 to 2, which were counted",
	  "DELETE FROM audit WHERE seq = 2" },
	{ "audit_short", "a1", "its placement", "" },
	{ "audit_short", "a1", "that it became active", "" },
	{ "audit_short", "s2", "its approval", "" },
	{ "audit_short", "e2", "the evidence", "" },
	{ "audit_chain", "2", "its hash is not valid", "UPDATE audit SET hash = 'sha256:00' "
	  "WHERE seq = 2" },
	{ "evidence_columns", "e5", "other facts", "" },
	/* what is not a rule */
	{ "unknown_state", "s2", "does not have", MOVE("slot", "s2", "state = 'lent'") },
	{ "unknown_state", "a1", "does not have", MOVE("allocation", "a1", "state = 'lent'") },
	{ "unknown_state", "n2", "does not have", MOVE("node", "n2", "state = 'lent'") },
	{ "evidence_digest", "e2", "changed after it was made", "" },
	{ "audit_chain", "1", "changed after", "UPDATE audit SET actor = 'you' WHERE seq = 1" },
	{ "audit_chain", "2", "row before it", "DELETE FROM audit WHERE seq = 1" },
	{ "schema", "slot_place", "missing", "DROP INDEX slot_place" },
	{ "trigger", "", "are missing", "" },
	{ "integrity", "", "CHECK constraint", MOVE("slot", "s2", "retired = 1") },
};

/* "check object sentence" a line */
static struct ga_str findings = GA_STR_INIT;
static char copy[128];

static int add(const struct ga_finding *f, void *arg, struct ga_err *err)
{
	(void)arg;
	(void)err;
	ga_str_addf(&findings, "%s %s: %s\n", f->check, f->object ? f->object : "", f->sentence);
	return 0;
}

/* Copies the state, breaks the copy, checks it. */
static void check(const char *sql)
{
	ga_autostr struct ga_str bytes = GA_STR_INIT;
	ga_autodb struct ga_db *db = NULL;
	struct ga_err err = GA_ERR_INIT;
	sqlite3 *raw = NULL;

	ga_str_clear(&findings);
	if (ga_file_read(w_path, 8 << 20, &bytes, &err) < 0 ||
	    ga_file_replace(copy, bytes.buf, bytes.len, 0600, &err) < 0 ||
	    sqlite3_open(copy, &raw) != SQLITE_OK)
		exit(1);
	w_must(raw, "PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON");
	w_must(raw, sql);
	sqlite3_close(raw);
	if (ga_db_open(copy, GA_DB_STATE, GA_DB_READ, &db, &err) < 0 ||
	    ga_state_check(db, add, NULL, &err) < 0) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
}

static bool finds(const char *check, const char *object, const char *sentence)
{
	ga_autofree char *start = ga_xprintf("%s %s: ", check, object);
	const char *line = findings.buf;

	for (; line && *line; line += strcspn(line, "\n") + 1)
		if (ga_starts(line, start)) {
			ga_autofree char *one = ga_xstrndup(line, strcspn(line, "\n"));

			if (strstr(one, sentence))
				return true;
		}
	return false;
}

static void each_case(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		check(cases[i].sql);
		t_ok(finds(cases[i].check, cases[i].object, cases[i].sentence),
		     "%s of '%s' is found: %s", cases[i].check, cases[i].object,
		     *cases[i].sql ? cases[i].sql : "as it is");
	}
}

/* A rule that no case above breaks would be a rule that nothing tests. */
static void each_rule(void)
{
	const struct ga_check_rule *r;
	size_t i;

	for (r = ga_check_rules; r->check; r++) {
		for (i = 0; i < GA_ARRAY_SIZE(cases); i++)
			if (ga_streq(cases[i].check, r->check) &&
			    strstr(r->sentence, cases[i].sentence))
				break;
		t_ok(i < GA_ARRAY_SIZE(cases), "there is a case for %s: %s", r->check,
		     r->sentence);
	}
}

/* The state as it is has what raw SQL made (no digests), and nothing that a rule finds. */
static void nothing_broken(void)
{
	size_t i;

	check("");
	for (i = 0; i < GA_ARRAY_SIZE(cases); i++)
		if (*cases[i].sql && !ga_starts(cases[i].check, "audit"))
			t_ok(!finds(cases[i].check, cases[i].object, cases[i].sentence),
			     "%s of '%s' is not found in a good state", cases[i].check,
			     cases[i].object);
}

/* A slot of a baremetal node has no share of what a slice needs, and is no finding. */
static void bare(void)
{
	check(MOVE("node", "n2", "mode = 'baremetal'")
	      MOVE("slot", "s5", "mac = NULL, private_ip = NULL, fabric_claim_mode = NULL, "
		   "fabric_pf_pci_address = NULL, cpuset = NULL, memory_mib = NULL")
	      "DELETE FROM slot_cpu WHERE slot_id = 's5'");
	t_ok(!finds("incomplete", "s5", "incomplete"), "a bare slot is not incomplete");
	t_ok(!finds("cpuset_taken", "s5", "CPU"), "and it holds the CPUs that it names");
}

/* Of slot_cpu the rule cpuset_taken asks a slot once. */
static void each_key(sqlite3 *db)
{
	sqlite3_stmt *stmt = NULL;
	int n = 0;

	if (sqlite3_prepare_v2(db,
			       "SELECT t.name, k.\"from\", k.\"table\" FROM sqlite_schema t, "
			       "pragma_foreign_key_list(t.name) k WHERE t.type = 'table' "
			       "AND k.seq = 0 AND t.name <> 'slot_cpu'",
			       -1, &stmt, NULL) != SQLITE_OK)
		exit(1);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *table = (const char *)sqlite3_column_text(stmt, 0);
		const char *column = (const char *)sqlite3_column_text(stmt, 1);
		ga_autofree char *some = ga_xprintf(
			"SELECT %s FROM %s WHERE %s IS NOT NULL LIMIT 1", column, table, column);
		ga_autofree char *sql = ga_xprintf("UPDATE %s SET %s = 'nobody' WHERE %s = (%s)",
						   table, column, column, some);
		ga_autofree char *of = ga_xprintf("of table %s refers to a row of %s that", table,
						  (const char *)sqlite3_column_text(stmt, 2));

		if (!*w_get(db, some))
			continue; /* no row of this state has one */
		check(sql);
		t_ok(finds("integrity", "", of), "%s.%s that refers to nothing is found", table,
		     column);
		n++;
	}
	sqlite3_finalize(stmt);
	t_ok(n >= 13, "%d foreign keys were broken", n);
}

/* Evidence whose columns agree with its record is not found; with any other column it is. */
static void each_column(void)
{
	static const char good[] =
		"UPDATE wipe_evidence SET record = json_object('evidence', id, 'node', node_id, "
		"'object', slot_id, 'attempt', attempt, 'device', json_object('wwid', wwid, "
		"'medium', medium, 'size_bytes', size_bytes), "
		"'gpu_identity', gpu_identity, 'started_at', started_at, 'finished_at', "
		"finished_at, 'class', class, 'outcome', outcome, 'read_back', "
		"json_object('verify', verify, 'bytes_read', bytes_read, 'mismatches', "
		"mismatches), "
		"'gpu_memory', json_object('outcome', gpu_memory), 'gpu_reset', "
		"json_object('outcome', gpu_reset), 'vf_state', json_object('outcome', vf_state), "
		"'markers', json_object('surviving', surviving), 'rules', rules, "
		"'lab', lab) WHERE id = 'e5';";
	static const char *const set[] = {
		"id = 'x'", "node_id = 'n1'", "slot_id = 's6'", "attempt = 'x'", "wwid = 'd6'",
		"gpu_identity = 'x'", "started_at = 'x'", "finished_at = 'x'", "class = 'clear'",
		"outcome = 'failed'", "verify = NULL", "gpu_memory = 'failed'", "lab = 0",
		"rules = NULL", "gpu_reset = 'failed'", "vf_state = NULL", "medium = 'nvme'",
		"size_bytes = 1", "bytes_read = 1", "mismatches = 1", "surviving = 1",
	};
	size_t i;

	check(good);
	t_ok(!finds("evidence_columns", "e5", "other facts"), "columns that agree are not found");
	for (i = 0; i < GA_ARRAY_SIZE(set); i++) {
		ga_autofree char *sql = ga_xprintf(
			"%s UPDATE wipe_evidence SET %s WHERE id = 'e5'", good, set[i]);

		check(sql);
		t_ok(finds("evidence_columns", i ? "e5" : "x", "other facts"),
		     "evidence with %s is found", set[i]);
	}
}

int main(void)
{
	sqlite3 *db = w_open();
	ga_autostr struct ga_str sql = GA_STR_INIT;
	sqlite3_stmt *stmt = NULL;

	w_fill(db);
	sqlite3_prepare_v2(db, "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_schema "
			       "WHERE type = 'trigger'", -1, &stmt, NULL);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		ga_str_add(&sql, (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	w_must(db, sql.buf);
	w_must(db, "DROP INDEX claim_slot_sold_once; PRAGMA journal_mode=DELETE");
	snprintf(copy, sizeof(copy), "%s/copy.db", w_dir);
	nothing_broken();
	bare();
	each_case();
	each_rule();
	each_key(db);
	each_column();
	unlink(copy);
	ga_str_release(&findings);
	w_close(db);
	return t_done();
}
