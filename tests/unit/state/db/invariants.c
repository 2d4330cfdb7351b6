/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every invariant of gpuaas-state(5) attacked by raw SQL: UPDATE, INSERT, INSERT OR REPLACE,
 * DELETE, each with foreign keys on and off. The trigger meant for an attack must refuse it (the
 * test checks the trigger's word). Its control, the same statement without the fault, must pass.
 */
#include "mutant.h"
#include "world.h"

/* The parts that many attacks share. */
#define GEN ", generation = generation + 1"
#define SLOT(set, id) "UPDATE slot SET " set GEN " WHERE id = '" id "';"
#define NODE(set, id) "UPDATE node SET " set GEN " WHERE id = '" id "';"
#define ALLOC(id, shape) \
	"INSERT INTO allocation (id, request, project, shape, count, since, profile, " \
	"profile_version, profile_record, price_micros, created_at, created_by) VALUES ('" id \
	"', '{}', 'p', '" shape "', 1, 'x', 'h', 1, '{}', 5, 'x', 'me');"
#define ALLOC_WITH(column, value) \
	"INSERT INTO allocation (id, request, project, shape, count, since, profile, " \
	"profile_version, profile_record, price_micros, created_at, created_by, " column \
	") VALUES ('x', '{}', 'p', 'slice', 1, 'x', 'h', 1, '{}', 5, 'x', 'me', " value ")"
#define A1(set) "UPDATE allocation SET " set GEN " WHERE id = 'a1'"
#define PLACED(id, node) \
	"UPDATE allocation SET state = 'placed', node_id = '" node "'" GEN " WHERE id = '" id "';"
#define PROVISIONING(id) \
	"UPDATE allocation SET state = 'provisioning'" GEN " WHERE id = '" id "';"
#define TYPED(id, type) \
	"INSERT INTO allocation (id, request, project, shape, count, since, profile, " \
	"profile_version, profile_record, profile_types, price_micros, created_at, created_by) " \
	"VALUES ('" id "', '{}', 'p', 'slice', 1, 'x', 'h', 1, '{\"types\":[\"" type "\"," \
	"\"b200\"]}', '\n" type "\nb200\n', 5, 'x', 'me');"
#define APP "INSERT INTO app VALUES ('h', 1, '{}', 1);"
#define APP_OLD "INSERT INTO app VALUES ('h', 0, '{}', 0);"
#define APP_I "INSERT INTO app VALUES ('i', 1, '{}', 1);"
#define APP_H "{\"app\":\"h\"}"
#define ALLOC_FOR(id, request, app) \
	"INSERT INTO allocation (id, request, project, shape, count, since, profile, " \
	"profile_version, profile_record, price_micros, created_at, created_by, app, " \
	"app_version) VALUES ('" id "', '" request "', 'p', 'slice', 1, 'x', 'h', 1, '{}', 5, " \
	"'x', 'me', " app ")"
#define CLAIM(id, a, n, s, held) \
	"INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, held_by, " \
	"created_at) VALUES ('" id "', '" a "', '" n "', '" s "', 'slot', 1, '" held "', 'x');"
#define NODE_CLAIM(id, a, n) \
	"INSERT INTO claim (id, allocation_id, node_id, claim_kind, live, held_by, created_at) " \
	"VALUES ('" id "', '" a "', '" n "', 'node', 1, '" a "', 'x');"
#define EVIDENCE(id, slot, members) EVIDENCE_OF(id, slot, members, W_PROOF)
#define EVIDENCE_OF(id, slot, members, proof) \
	"INSERT INTO wipe_evidence (id, slot_id, node_id, attempt, wwid, gpu_identity, " \
	"started_at, " \
	"finished_at, class, outcome, verify, gpu_memory, lab, digest, record, folded_at, " \
	W_PROOF_COLUMNS ") SELECT '" id "', id, node_id, " members ", 'digest-" id "', '{}', " \
	"'now', " proof " FROM slot WHERE id = '" slot "';"
/* The end of an INSERT INTO usage: the values, and whose the span is, as its allocation says. */
#define WHOSE(values, allocation) \
	", number, project, profile, node_id) SELECT " values \
	", number, project, profile, node_id FROM allocation WHERE id = '" allocation "'"
#define LATE "'2099-01-01T00:00:00.000000Z'"
#define GOOD \
	"'w3b', 'd3', 'g3', " LATE ", " LATE ", 'purge', 'confirmed', 'full', 'confirmed', 1"
/* a3 ends, which has s3; and then s3 leaves its wipe. */
#define A3_RELEASED \
	"UPDATE allocation SET state = 'releasing'" GEN " WHERE id = 'a3';" \
	"UPDATE allocation SET state = 'released'" GEN " WHERE id = 'a3';"
#define S3_OFF A3_RELEASED SLOT("state = 'disabled'", "s3")
#define TO_AVAILABLE(e) A3_RELEASED SLOT("state = 'available', wipe_evidence_id = '" e "'", "s3")
/* s1, which a1 has, as a person keeps it out of sale; and the end of a1. */
#define S1_QUARANTINED \
	SLOT("state = 'releasing'", "s1") SLOT("state = 'cleanup_blocked'", "s1") \
	SLOT("state = 'quarantined'", "s1")
#define A1_RELEASED A1("state = 'releasing'") ";" A1("state = 'released'") ";"
/* A second complete slot, disabled: s2 taken out of sale. */
#define S2_OFF SLOT("state = 'disabled'", "s2")
#define S2_ON SLOT("state = 'available'", "s2")
/* n2 sold as baremetal; its slot s5 with this in its row, out of sale; s5 without a fabric
 * function, and wiped so, with this in the evidence. */
#define N2_METAL NODE("mode = 'baremetal'", "n2")
#define S5_OFF(set) SLOT("state = 'disabled'", "s5") SLOT(set, "s5")
#define S5_ON SLOT("state = 'available'", "s5")
#define S5_NO_CPUS "DELETE FROM slot_cpu WHERE slot_id = 's5';"
#define S5_WIPING_WITH(vf_state, vf) \
	S5_OFF("fabric_vf_pci_address = NULL") \
	SLOT("state = 'wiping', wipe_attempt = 'w5b'", "s5") \
	EVIDENCE_OF("x", "s5", "'w5b', 'd5', 'g5', " LATE ", " LATE \
		    ", 'purge', 'confirmed', 'full', 'confirmed', 1", \
		    "1, 'confirmed', '" vf_state "', 'file', 4096, 4096, 0, 0, " vf \
		    ", 'confirmed'")
#define S5_WIPED SLOT("state = 'available', wipe_evidence_id = 'x'", "s5")
/* A slice wants s5, which is on sale for baremetal without what is taken out here; the control:
 * baremetal gets it. */
#define FOR_BOTH ALLOC("x", "slice") ALLOC("y", "baremetal")
#define A_SLICE NODE("held_by = 'slices'", "n2") CLAIM("c5", "x", "n2", "s5", "slices")
#define A_MACHINE \
	NODE("held_by = 'y'", "n2") NODE_CLAIM("cy", "y", "n2") CLAIM("c5", "y", "n2", "s5", "y") \
	SLOT("state = 'reserved'", "s5")
/* n2 with both slots out of sale; a machine that its tenant had before, and its claims. */
#define N2_OFF SLOT("state = 'disabled'", "s5") SLOT("state = 'disabled'", "s6")
#define TAKEN_IN(id, shape, plan) \
	"INSERT INTO allocation (id, request, project, shape, count, since, profile, " \
	"profile_version, profile_record, price_micros, created_at, created_by, plan, taken_in) " \
	"VALUES ('" id "', '{}', 'p', '" shape "', 2, 'x', 'h', 1, '{}', 5, 'x', 'me', " plan \
	", '{}');"
#define TAKEN_CLAIMED \
	N2_OFF TAKEN_IN("y", "baremetal", "NULL") NODE("held_by = 'y'", "n2") \
	NODE_CLAIM("cy", "y", "n2") CLAIM("c5", "y", "n2", "s5", "y") \
	CLAIM("c6", "y", "n2", "s6", "y") PLACED("y", "n2")
#define S2_WIPED \
	EVIDENCE("x", "s2", "'w2b', 'd2', 'g2', " LATE ", " LATE \
			    ", 'purge', 'confirmed', 'full', 'confirmed', 1")

/* s2 used again, and being wiped under a policy with this in it. */
#define S2_WIPING(policy) \
	S2_OFF "UPDATE device SET dirty_since = '2026-03-01T00:00:00.000000Z' " \
	"WHERE id IN ('d2', 'n1/g2');" SLOT(policy, "s2") \
	SLOT("state = 'wiping', wipe_attempt = 'w2b'", "s2")
#define S2_PROOF(memory, reset, read) \
	"INSERT INTO wipe_evidence (id, slot_id, node_id, attempt, wwid, gpu_identity, " \
	"started_at, finished_at, class, outcome, verify, gpu_memory, lab, digest, record, " \
	"folded_at, " W_PROOF_COLUMNS ") VALUES ('x', 's2', 'n1', 'w2b', 'd2', 'g2', " LATE ", " \
	LATE ", 'purge', 'confirmed', " read ", '" memory "', 1, 'digest-x', '{}', 'now', 1, '" \
	reset "', 'confirmed', 'file', 4096, "
#define S2_BACK \
	", 0, 0, (SELECT fabric_vf_pci_address FROM slot WHERE id = 's2'), 'confirmed');" \
	SLOT("state = 'available', wipe_evidence_id = 'x'", "s2")
#define HASH(number) "printf('sha256:%064d', " number ")"
#define AUDIT(seq, previous, hash) \
	"INSERT INTO audit VALUES (" seq ", 'x', 'me', 't', 'a', 'o', '{}', " previous ", " hash ")"

/* A span of an allocation, its values as the allocation has them but for what is given. */
#define SPAN_OF(a, count, type, price, begins, ends) \
	"INSERT INTO usage (allocation_id, usage_kind, count, accelerator_type, price_micros, " \
	"started_at, ended_at" WHOSE("id, 'cleanup', " count ", " type ", " price ", " begins \
				     ", " ends, a)
#define SPAN(a, begins, ends) SPAN_OF(a, "count", "accelerator_type", "price_micros", begins, ends)
#define D2 "'2026-03-02T00:00:00.000000Z'"
#define D3 "'2026-03-03T00:00:00.000000Z'"

/* Temporary triggers of a connection: one ends each update, one what would follow it. */
#define SWALLOW(table) \
	"CREATE TEMP TRIGGER swallow BEFORE UPDATE ON main." table \
	" BEGIN SELECT RAISE(IGNORE); END;"
#define CUT_OFF(table) \
	"CREATE TEMP TRIGGER swallow AFTER UPDATE ON main." table \
	" BEGIN SELECT RAISE(IGNORE); END;"
/* One that changes a row before the statement that it stands in does, which has read it already. */
#define MEANWHILE(table, when, change) \
	"CREATE TEMP TRIGGER meanwhile BEFORE UPDATE ON main." table " WHEN " when \
	" BEGIN UPDATE " table " SET " change "; END;"
/* n2 for a whole machine, whose disk d6 stands in no slot. */
#define N2_WHOLE \
	SLOT("state = 'disabled'", "s6") SLOT("state = 'retired', retired = 1", "s6") \
	ALLOC("x", "baremetal") NODE("held_by = 'x'", "n2") NODE_CLAIM("cx", "x", "n2") \
	CLAIM("c5", "x", "n2", "s5", "x") PLACED("x", "n2")

#define A7 \
	"INSERT INTO allocation (id, request, project, shape, count, since, profile, " \
	"profile_version, profile_record, price_micros, created_at, created_by) VALUES ('a7', " \
	"'{}', 'p', 'slice', 1, 'x', 'h', 1, '{}', 5, '2026-02-28T00:00:00.000000Z', 'me');"

#define TEAM "INSERT INTO team VALUES ('t', '{\"a\":1}', 'x', 'x');"
#define GRANT "INSERT INTO access_grant VALUES ('g', '{\"a\":1}', 'x', 'x');"
#define ACCESS "INSERT INTO access VALUES (1, '{\"a\":1}', 'x', 'x');"
#define PROPOSAL \
	"INSERT INTO proposal (id, action, slot_id, device_id, proposed_by, proposed_uid, " \
	"proposed_humans, proposed_at, expires_at) VALUES ('p1', 'retire_unwiped', 's4', 'd4', " \
	"'x', 5, '[5]', 'x', 'x');"
#define WINDOW \
	"INSERT INTO maintenance VALUES ('m1', 'n1', 'a', 'b', 'fans', 'x', 'me', NULL);"
#define KEY "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define NODE_KEY(values) \
	"INSERT OR REPLACE INTO node_key (number, node_id, key, registered_at, revoked_at, " \
	"reason) VALUES (" values ");"
#define LIVE_KEY NODE_KEY("7, 'n1', '" KEY "=', 'x', NULL, NULL")
#define REVOKED_KEY NODE_KEY("7, 'n1', '" KEY "=', 'x', 'x', 'stolen'")

static const struct {
	const char *name, *word, *before, *attack, *control;
} attacks[] = {
	/* birth, edges, generations, ids, deletion */
	{ "a slot born available", "birth", "",
	  "INSERT INTO slot (id, node_id, slot_index, since, state) VALUES ('x', 'n1', 9, 'x', "
	  "'available')",
	  "INSERT INTO slot (id, node_id, slot_index, since) VALUES ('x', 'n1', 9, 'x')" },
	{ "a slot born with evidence", "birth", "",
	  "INSERT INTO slot (id, node_id, slot_index, since, wipe_evidence_id) "
	  "VALUES ('x', 'n1', 9, 'x', 'e2')", NULL },
	{ "a slot of an unknown node", "foreign_key", "",
	  "INSERT INTO slot (id, node_id, slot_index, since) VALUES ('x', 'n9', 9, 'x')", NULL },
	{ "an allocation born active", "birth", "",
	  "INSERT INTO allocation (id, state, request, project, shape, count, since, profile, "
	  "profile_version, profile_record, price_micros, created_at, created_by) "
	  "VALUES ('x', 'active', '{}', 'p', 'slice', 1, 'x', 'h', 1, '{}', 5, 'x', 'me')",
	  ALLOC("x", "slice") },
	{ "a node born active", "birth", "",
	  "INSERT INTO node (id, since, state) VALUES ('x', 'x', 'active')",
	  "INSERT INTO node (id, since) VALUES ('x', 'x')" },
	{ "a slot born at the end of its generations", "birth", "",
	  "INSERT INTO slot (id, node_id, slot_index, since, generation) VALUES ('x', 'n1', 9, "
	  "'x', 9223372036854775807)",
	  "INSERT INTO slot (id, node_id, slot_index, since, generation) VALUES ('x', 'n1', 9, "
	  "'x', 1)" },
	{ "a node born at the end of its generations", "birth", "",
	  "INSERT INTO node (id, since, generation) VALUES ('x', 'x', 9223372036854775807)",
	  "INSERT INTO node (id, since, generation) VALUES ('x', 'x', 1)" },
	{ "an allocation born at the end of its generations", "birth", "",
	  ALLOC_WITH("generation", "9223372036854775807"), ALLOC_WITH("generation", "77") },
	/* columns of JSON */
	{ "a node born with blockers that are none", "check", "",
	  "INSERT INTO node (id, since, blockers) VALUES ('x', 'x', 'x')",
	  "INSERT INTO node (id, since, blockers) VALUES ('x', 'x', '[{\"code\":\"x\"}]')" },
	{ "a node born with a network that is none", "check", "",
	  "INSERT INTO node (id, since, network) VALUES ('x', 'x', '[]')",
	  "INSERT INTO node (id, since, network) VALUES ('x', 'x', '{\"mtu\":9000}')" },
	{ "a node born with partitions that are none", "check", "",
	  "INSERT INTO node (id, since, partitions) VALUES ('x', 'x', 'x')",
	  "INSERT INTO node (id, since, partitions) VALUES ('x', 'x', '{\"1\":[0,1]}')" },
	{ "blockers of a node that are none", "check", "", NODE("blockers = 'x'", "n2"),
	  NODE("blockers = '[{\"code\":\"x\"}]'", "n2") },
	{ "blockers of a node without a code", "check", "", NODE("blockers = '[{}]'", "n2"), NULL },
	{ "blockers of a node with a code of numbers", "check", "",
	  NODE("blockers = '[{\"code\":1}]'", "n2"), NULL },
	{ "a network of a node that is none", "check", "", NODE("network = 'x'", "n2"),
	  NODE("network = '{}'", "n2") },
	{ "partitions of a node that are none", "check", "", NODE("partitions = '1'", "n2"),
	  NODE("partitions = '{\"1\":[0,1]}'", "n2") },
	{ "a slot born with blockers that are none", "check", "",
	  "INSERT INTO slot (id, node_id, slot_index, since, blockers) VALUES ('x', 'n1', 9, 'x', "
	  "'x')",
	  "INSERT INTO slot (id, node_id, slot_index, since, blockers) VALUES ('x', 'n1', 9, 'x', "
	  "'[{\"code\":\"x\"}]')" },
	{ "blockers of a slot that are none", "check", S2_OFF, SLOT("blockers = 'x'", "s2"),
	  SLOT("blockers = '[{\"code\":\"x\"}]'", "s2") },
	{ "a slot disabled with blockers that are none", "check", "",
	  SLOT("state = 'disabled', blockers = '{}'", "s2"), S2_OFF },
	{ "blockers of a slot that are an empty list in another way", "check", S2_OFF,
	  SLOT("blockers = '[ ]'", "s2"), NULL },
	{ "blockers of a slot that are a list of numbers", "check", S2_OFF,
	  SLOT("blockers = '[1]'", "s2"), NULL },
	{ "blockers of a slot, one of them a number", "check", S2_OFF,
	  SLOT("blockers = '[{\"code\":\"x\"},1,{}]'", "s2"),
	  SLOT("blockers = '[{\"code\":\"x\"},{\"code\":\"y\"}]'", "s2") },
	{ "an allocation born with a request that is none", "check", "",
	  "INSERT INTO allocation (id, request, project, shape, count, since, profile, "
	  "profile_version, profile_record, price_micros, created_at, created_by) VALUES ('x', "
	  "'x', 'p', 'slice', 1, 'x', 'h', 1, '{}', 5, 'x', 'me')", ALLOC("x", "slice") },
	{ "an allocation born with a profile that is none", "check", "",
	  "INSERT INTO allocation (id, request, project, shape, count, since, profile, "
	  "profile_version, profile_record, price_micros, created_at, created_by) VALUES ('x', "
	  "'{}', 'p', 'slice', 1, 'x', 'h', 1, '[]', 5, 'x', 'me')", NULL },
	{ "an allocation born with a plan that is none", "check", "",
	  ALLOC_WITH("plan", "'x'"), ALLOC_WITH("plan", "'{}'") },
	{ "an allocation born with a network that is none", "check", "",
	  ALLOC_WITH("network", "'x'"), ALLOC_WITH("network", "'{}'") },
	{ "an allocation born with an order that is none", "check", "",
	  ALLOC_WITH("order_text", "'x'"), ALLOC_WITH("order_text", "'{}'") },
	{ "a profile of an allocation that is none", "check", ALLOC("x", "slice"),
	  "UPDATE allocation SET profile_record = 1.5" GEN " WHERE id = 'x'", NULL },
	{ "a plan that is none", "check", "", A1("plan = '[]'"), A1("plan = '{\"epoch\":1}'") },
	{ "a network of an allocation that is none", "check", "", A1("network = 'x'"),
	  A1("network = NULL") },
	{ "an order that is none", "check", "", A1("order_text = 'x'"), A1("order_text = '{}'") },
	{ "an app that is no record", "check", "",
	  "INSERT INTO app VALUES ('h', 3, 'x', 0)",
	  "INSERT INTO app VALUES ('h', 3, '{}', 0)" },
	{ "a profile that is no record", "check", "",
	  "INSERT INTO profile VALUES ('h', 3, 'x', 'x', 0)",
	  "INSERT INTO profile VALUES ('h', 3, '{}', 'x', 0)" },
	{ "a node born held", "birth", "",
	  "INSERT INTO node (id, since, held_by) VALUES ('x', 'x', 'slices')", NULL },
	{ "a claim born ended", "birth", ALLOC("x", "slice"),
	  "INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, created_at, "
	  "ended_at) VALUES ('x', 'x', 'n1', 's2', 'slot', 0, 'x', 'x')", NULL },
	{ "a slot over no edge", "wrong_state", "", SLOT("state = 'active'", "s2"),
	  SLOT("state = 'disabled'", "s2") },
	{ "a slot over two edges at once", "wrong_state", "",
	  SLOT("state = 'disabled available>quarantined'", "s2"), NULL },
	{ "an allocation over no edge", "wrong_state", "",
	  A1("state = 'failed'"), A1("state = 'releasing'") },
	{ "released while a slot is in use", "claim_in_use", A1("state = 'releasing'"),
	  A1("state = 'released'"),
	  SLOT("state = 'releasing'", "s1") SLOT("state = 'wiping'", "s1")
	  A1("state = 'released'") },
	{ "a node over no edge", "wrong_state", "", NODE("state = 'enrolled'", "n2"),
	  NODE("state = 'draining'", "n2") },
	{ "a slot changed without its generation", "concurrent_update", "",
	  "UPDATE slot SET cordon = 'x' WHERE id = 's2'", SLOT("cordon = 'x'",
	  "s2") },
	{ "a slot's generation set back", "concurrent_update", "",
	  "UPDATE slot SET generation = generation - 1 WHERE id = 's2'", NULL },
	{ "an allocation changed without its generation", "concurrent_update", "",
	  "UPDATE allocation SET reason = 'x' WHERE id = 'a1'",
	  "UPDATE allocation SET reason = 'x'" GEN " WHERE id = 'a1'" },
	{ "a node's generation jumping", "concurrent_update", "",
	  "UPDATE node SET generation = generation + 2", NULL },
	{ "a slot's id", "fixed", "", SLOT("id = 'x'", "s4"), NULL },
	{ "a slot moved to another node", "fixed", "", SLOT("node_id = 'n2'", "s4"), NULL },
	{ "a node's id", "fixed", "", NODE("id = 'x'", "n2"), NULL },
	{ "an allocation's id", "fixed", "", "UPDATE allocation SET id = 'x'" GEN
	  " WHERE id = 'a3'", NULL },
	{ "a claim's slot", "fixed", "", "UPDATE claim SET slot_id = 's2' WHERE id = 'c1'", NULL },
	{ "a claim's id", "fixed", "", "UPDATE claim SET id = 'x' WHERE id = 'c1'",
	  "UPDATE claim SET use_ended_at = 'x' WHERE id = 'c1'" },
	{ "a live claim's holder", "fixed", "", "UPDATE claim SET held_by = 'a1' WHERE id = 'c1'",
	  NULL },
	{ "a device's id", "fixed", "", "UPDATE device SET id = 'x' WHERE id = 'd1'",
	  "UPDATE device SET facts = '{\"a\":1}' WHERE id = 'd1'" },
	{ "a price after activation", "fixed", "",
	  "UPDATE allocation SET price_micros = 1" GEN " WHERE id = 'a1'", NULL },
	{ "a type of devices after the placement", "fixed", "",
	  "UPDATE allocation SET accelerator_type = 'h200'" GEN " WHERE id = 'a1'",
	  "UPDATE allocation SET reason = 'x'" GEN " WHERE id = 'a1'" },
	{ "the type a claim was made with", "fixed", "",
	  "UPDATE claim SET accelerator_type = 'h200' WHERE id = 'c1'", NULL },
	{ "a claim of another type than its allocation", "wrong_type",
	  SLOT("accelerator_type = 'a100'", "s2") ALLOC("x", "slice")
	  "UPDATE allocation SET accelerator_type = 'h200'" GEN " WHERE id = 'x';",
	  CLAIM("x", "x", "n1", "s2", "slices"), NULL },
	{ "a claim that names another type than its slot", "wrong_type",
	  SLOT("accelerator_type = 'a100'", "s2") ALLOC("x", "slice"),
	  "INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, held_by, "
	  "created_at, accelerator_type) VALUES ('x', 'x', 'n1', 's2', 'slot', 1, 'slices', 'x', "
	  "'h200')",
	  "INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, held_by, "
	  "created_at, accelerator_type) VALUES ('x', 'x', 'n1', 's2', 'slot', 1, 'slices', 'x', "
	  "'a100')" },
	{ "a claim of a type that the profile does not name", "wrong_type",
	  SLOT("accelerator_type = 'a100'", "s2") TYPED("x", "h200") TYPED("y", "a100"),
	  CLAIM("x", "x", "n1", "s2", "slices"), CLAIM("y", "y", "n1", "s2", "slices") },
	{ "a claim of no known type by a profile with types", "wrong_type", TYPED("x", "h200"),
	  CLAIM("x", "x", "n1", "s2", "slices"), NULL },
	{ "a claim of a part of a type's name", "wrong_type",
	  SLOT("accelerator_type = 'a10'", "s2") TYPED("x", "a100"),
	  CLAIM("x", "x", "n1", "s2", "slices"), NULL },
	{ "types of a profile after the allocation", "fixed", TYPED("x", "a100"),
	  "UPDATE allocation SET profile_types = NULL" GEN " WHERE id = 'x'", NULL },
	{ "an allocation without the types of its profile", "wrong_type", "",
	  "INSERT INTO allocation (id, request, project, shape, count, since, profile, "
	  "profile_version, profile_record, price_micros, created_at, created_by) VALUES ('x', "
	  "'{}', 'p', 'slice', 1, 'x', 'h', 1, '{\"types\":[\"h200\"]}', 5, 'x', 'me')",
	  TYPED("x", "a100") },
	{ "an allocation with an app that its request does not name", "wrong_app", APP,
	  ALLOC_FOR("x", "{}", "'h', 1"), ALLOC_FOR("x", APP_H, "'h', 1") },
	{ "an allocation with another app than its request names", "wrong_app", APP APP_I,
	  ALLOC_FOR("x", APP_H, "'i', 1"), NULL },
	{ "an allocation without the app that its request names", "wrong_app", APP,
	  ALLOC_FOR("x", APP_H, "NULL, NULL"), ALLOC_FOR("x", "{}", "NULL, NULL") },
	{ "an allocation with a version of an app that is none", "wrong_app", APP,
	  ALLOC_FOR("x", APP_H, "'h', 2"), NULL },
	{ "an allocation with the version of no app", "wrong_app", APP,
	  ALLOC_FOR("x", "{}", "NULL, 1"), NULL },
	{ "the app of an allocation", "fixed", APP ALLOC_FOR("x", APP_H, "'h', 1") ";",
	  "UPDATE allocation SET app = NULL" GEN " WHERE id = 'x'", NULL },
	{ "the version of the app of an allocation", "fixed",
	  APP ALLOC_FOR("x", APP_H, "'h', 1") ";",
	  "UPDATE allocation SET app_version = NULL" GEN " WHERE id = 'x'", NULL },
	{ "a reason of the type after the placement", "fixed", "",
	  "UPDATE allocation SET type_reason = 'x'" GEN " WHERE id = 'a1'", NULL },
	{ "the type of a slot in use", "in_use", "", SLOT("accelerator_type = 'h200'", "s1"),
	  SLOT("accelerator_type = 'h200'", "s2") },
	{ "the request", "fixed", "",
	  "UPDATE allocation SET project = 'q'" GEN " WHERE id = 'a1'", NULL },
	{ "a team's name", "fixed", TEAM, "UPDATE team SET name = 'x'",
	  "UPDATE team SET record = '{}'" },
	{ "a grant's name", "fixed", GRANT, "UPDATE access_grant SET name = 'x'",
	  "UPDATE access_grant SET record = '{}'" },
	{ "what was proposed", "fixed", PROPOSAL, "UPDATE proposal SET disposal = 'x'", NULL },
	{ "who proposed it", "fixed", PROPOSAL, "UPDATE proposal SET proposed_uid = 9", NULL },
	{ "until when it may be confirmed", "fixed", PROPOSAL,
	  "UPDATE proposal SET expires_at = 'z'",
	  "UPDATE proposal SET confirmed_uid = 9, decided_by = 'x', decided_at = 'x'" },
	{ "a proposal decided twice", "fixed",
	  PROPOSAL "UPDATE proposal SET decided_by = 'x', decided_at = 'x';",
	  "UPDATE proposal SET confirmed_uid = 9", NULL },
	{ "deleting a team", "kept", TEAM, "DELETE FROM team", NULL },
	{ "deleting a grant", "kept", GRANT, "DELETE FROM access_grant", NULL },
	{ "deleting the settings of access", "kept", ACCESS, "DELETE FROM access",
	  "UPDATE access SET record = '{}'" },
	{ "deleting a proposal", "kept", PROPOSAL, "DELETE FROM proposal", NULL },
	{ "a team in the place of another", "duplicate", TEAM,
	  "INSERT OR REPLACE INTO team VALUES ('t', '{}', 'x', 'x')", NULL },
	{ "a grant in the place of another", "duplicate", GRANT,
	  "INSERT OR REPLACE INTO access_grant VALUES ('g', '{}', 'x', 'x')", NULL },
	{ "settings of access in the place of others", "duplicate", ACCESS,
	  "INSERT OR REPLACE INTO access VALUES (1, '{}', 'x', 'x')", NULL },
	{ "a proposal in the place of another", "duplicate", PROPOSAL,
	  "INSERT OR REPLACE INTO proposal (id, action, slot_id, device_id, proposed_by, "
	  "proposed_uid, proposed_humans, proposed_at, expires_at) VALUES ('p1', 'destroy_data', "
	  "'s4', 'd4', 'x', 5, '[5]', 'x', 'x')", NULL },
	{ "a window of maintenance moved", "fixed", WINDOW, "UPDATE maintenance SET to_at = 'c'",
	  "UPDATE maintenance SET ended_at = 'x'" },
	{ "a window of maintenance ended again", "fixed",
	  WINDOW "UPDATE maintenance SET ended_at = 'x';",
	  "UPDATE maintenance SET ended_at = NULL", NULL },
	{ "deleting a window of maintenance", "kept", WINDOW, "DELETE FROM maintenance", NULL },
	{ "a window of maintenance in the place of another", "duplicate", WINDOW,
	  "INSERT OR REPLACE INTO maintenance VALUES ('m1', 'n2', 'a', 'b', 'r', 'x', 'me', NULL)",
	  "INSERT OR REPLACE INTO maintenance VALUES ('m2', 'n2', 'a', 'b', 'r', 'x', 'me', "
	  "NULL)" },
	{ "the key of a node", "fixed", LIVE_KEY, "UPDATE node_key SET key = '" KEY "A'",
	  "UPDATE node_key SET revoked_at = 'x', reason = 'stolen'" },
	{ "a key given to another node", "fixed", LIVE_KEY, "UPDATE node_key SET node_id = 'n2'",
	  NULL },
	{ "a revoked key that counts again", "fixed", REVOKED_KEY,
	  "UPDATE node_key SET revoked_at = NULL, reason = NULL", NULL },
	{ "why a key was revoked", "fixed", REVOKED_KEY, "UPDATE node_key SET reason = 'old'",
	  NULL },
	{ "deleting a key", "kept", REVOKED_KEY, "DELETE FROM node_key", NULL },
	{ "a second key of a node that counts", "duplicate", LIVE_KEY,
	  NODE_KEY("8, 'n1', '" KEY "A', 'x', NULL, NULL"),
	  NODE_KEY("8, 'n2', '" KEY "A', 'x', NULL, NULL") },
	{ "a revoked key for another node", "duplicate", REVOKED_KEY,
	  NODE_KEY("8, 'n2', '" KEY "=', 'x', NULL, NULL"),
	  NODE_KEY("8, 'n1', '" KEY "A', 'x', NULL, NULL") },
	{ "a key in the place of another by its number", "duplicate", REVOKED_KEY,
	  NODE_KEY("7, 'n2', '" KEY "A', 'x', NULL, NULL"), NULL },
	{ "the number of a key", "fixed", LIVE_KEY, "UPDATE OR REPLACE node_key SET rowid = 9",
	  NULL },
	{ "a version of a profile", "fixed", "", "UPDATE profile SET record = '[]'", NULL },
	{ "a version of an app", "fixed", APP, "UPDATE app SET record = '[]'", NULL },
	{ "the lab flag", "fixed", "", "UPDATE meta SET lab = 0", "UPDATE meta SET epoch = 2" },
	{ "the epoch backwards", "fixed", "UPDATE meta SET epoch = 5;", "UPDATE meta SET epoch = 4",
	  NULL },
	{ "the last epoch of all", "fixed", "", "UPDATE meta SET epoch = 9223372036854775807",
	  "UPDATE meta SET epoch = 1000" },
	{ "the last epoch of records", "fixed", "", "UPDATE meta SET epoch = 9007199254740991",
	  NULL },
	{ "an unverified slot reserved", "unverified_since_restore",
	  ALLOC("x", "slice") CLAIM("x", "x", "n1", "s2", "slices") "UPDATE meta SET epoch = 2;",
	  SLOT("state = 'reserved'", "s2"), SLOT("state = 'reserved', epoch_verified = 2", "s2") },
	{ "a slot verified in an epoch to come", "fixed", "UPDATE meta SET epoch = 2;",
	  SLOT("epoch_verified = 3", "s2"), SLOT("epoch_verified = 2", "s2") },
	{ "a slot verified in an earlier epoch", "fixed",
	  "UPDATE meta SET epoch = 3;" SLOT("epoch_verified = 3", "s2"),
	  SLOT("epoch_verified = 2", "s2"), NULL },
	{ "deleting a slot", "kept", "", "DELETE FROM slot WHERE id = 's4'", NULL },
	{ "deleting a claim", "kept", "", "DELETE FROM claim", NULL },
	{ "deleting an allocation", "kept", "", "DELETE FROM allocation", NULL },
	{ "deleting a node", "kept", "", "DELETE FROM node", NULL },
	{ "deleting a device", "kept", "", "DELETE FROM device", NULL },
	{ "deleting evidence", "kept", "", "DELETE FROM wipe_evidence", NULL },
	{ "deleting audit rows", "kept", "", "DELETE FROM audit", NULL },
	{ "deleting usage", "kept", "", "DELETE FROM usage", NULL },
	{ "deleting meta", "kept", "", "DELETE FROM meta", NULL },
	{ "deleting a version of a profile", "kept", "", "DELETE FROM profile", NULL },
	{ "deleting a version of an app", "kept", APP, "DELETE FROM app", NULL },
	{ "changing evidence", "fixed", "", "UPDATE wipe_evidence SET class = 'purge'", NULL },
	{ "changing an audit row", "fixed", "", "UPDATE audit SET actor = 'you'", NULL },
	{ "counting fewer audit rows", "fixed", "", "UPDATE meta SET audit_seq = 1",
	  "UPDATE meta SET audit_seq = 2" },
	{ "counting more audit rows than there are", "fixed", "", "UPDATE meta SET audit_seq = 9",
	  NULL },
	{ "counting no audit row", "fixed", "", "UPDATE meta SET audit_seq = -1", NULL },
	{ "an audit row beside the chain", "audit_chain", "",
	  AUDIT("3", "'other'", HASH("2")), AUDIT("3", HASH("1"), HASH("2")) },
	{ "an audit row with a gap", "audit_chain", "",
	  AUDIT("4", HASH("1"), HASH("2")), NULL },
	{ "an audit row with a short hash", "audit_chain", "",
	  AUDIT("3", HASH("1"), "'sha256:00'"), AUDIT("3", HASH("1"), HASH("2")) },
	{ "an audit row with the hash of nothing", "audit_chain", "",
	  AUDIT("3", HASH("1"), "printf('sha999:%064d', 2)"), NULL },
	{ "an audit row with a hash in capitals", "audit_chain", "",
	  AUDIT("3", HASH("1"), "printf('sha256:%063dA', 2)"), NULL },
	{ "an audit row with the hash of the one before it", "audit_chain", "",
	  AUDIT("3", HASH("1"), HASH("1")), NULL },
	/* REPLACE, which deletes without asking a delete trigger */
	{ "replacing a slot", "duplicate", "",
	  "INSERT OR REPLACE INTO slot (id, node_id, slot_index, since) "
	  "VALUES ('s1', 'n1', 99, 'x')",
	  NULL },
	{ "replacing a slot by its number", "duplicate", "",
	  "INSERT OR REPLACE INTO slot (number, id, node_id, slot_index, since) SELECT number, "
	  "'x', 'n1', 9, 'x' FROM slot WHERE id = 's1'", NULL },
	{ "replacing a slot by its rowid", "duplicate", "",
	  "INSERT OR REPLACE INTO slot (rowid, id, node_id, slot_index, since) SELECT rowid, 'x', "
	  "'n1', 9, 'x' FROM slot WHERE id = 's1'", NULL },
	{ "taking a slot's number by UPDATE OR REPLACE", "fixed", "",
	  "UPDATE OR REPLACE slot SET number = (SELECT number FROM slot WHERE id = 's1')" GEN
	  " WHERE id = 's2'", NULL },
	{ "taking a slot's rowid by UPDATE OR REPLACE", "fixed", "",
	  "UPDATE OR REPLACE slot SET _rowid_ = (SELECT rowid FROM slot WHERE id = 's1')" GEN
	  " WHERE id = 's2'", NULL },
	{ "replacing a claim by its number", "duplicate", ALLOC("x", "slice"),
	  "INSERT OR REPLACE INTO claim (number, id, allocation_id, node_id, slot_id, claim_kind, "
	  "live, held_by, created_at) SELECT number, 'x', 'x', 'n1', 's2', 'slot', 1, 'slices', "
	  "'x' FROM claim WHERE id = 'c1'",
	  CLAIM("x", "x", "n1", "s2", "slices") },
	{ "taking a claim's number by UPDATE OR REPLACE", "fixed", "",
	  "UPDATE OR REPLACE claim SET number = (SELECT number FROM claim WHERE id = 'c1') "
	  "WHERE id = 'c3'", NULL },
	{ "replacing an allocation by its number", "duplicate", "",
	  "INSERT OR REPLACE INTO allocation (number, id, request, project, shape, count, since, "
	  "profile, profile_version, profile_record, price_micros, created_at, created_by) SELECT "
	  "number, 'x', '{}', 'p', 'slice', 1, 'x', 'h', 1, '{}', 5, 'x', 'me' FROM allocation "
	  "WHERE id = 'a1'", ALLOC("x", "slice") },
	{ "taking an allocation's number by UPDATE OR REPLACE", "fixed", "",
	  "UPDATE OR REPLACE allocation SET number = (SELECT number FROM allocation WHERE "
	  "id = 'a1')" GEN " WHERE id = 'a3'", NULL },
	{ "replacing a device by its number", "duplicate", "",
	  "INSERT OR REPLACE INTO device (number, id, device_kind, node_id, dirty_since, "
	  "first_seen_at) SELECT number, 'x', 'disk', 'n1', " LATE ", 'x' FROM device WHERE "
	  "id = 'd1'", NULL },
	{ "taking a device's number by UPDATE OR REPLACE", "fixed", "",
	  "UPDATE OR REPLACE device SET number = (SELECT number FROM device WHERE id = 'd1') "
	  "WHERE id = 'd2'", NULL },
	{ "replacing a node by its number", "duplicate", "",
	  "INSERT OR REPLACE INTO node (number, id, since) SELECT number, 'x', 'x' FROM node "
	  "WHERE id = 'n1'", NULL },
	{ "taking a node's number by UPDATE OR REPLACE", "fixed", "",
	  "UPDATE OR REPLACE node SET number = (SELECT number FROM node WHERE id = 'n1')" GEN
	  " WHERE id = 'n2'", NULL },
	{ "taking usage by its rowid with UPDATE OR REPLACE", "fixed",
	  "INSERT INTO usage (id, allocation_id, usage_kind, count, price_micros, started_at, "
	  "ended_at" WHOSE("70, id, 'hold', 1, 5, " D2 ", " D2, "a3") ";"
	  "INSERT INTO usage (id, allocation_id, usage_kind, count, price_micros, started_at, "
	  "ended_at" WHOSE("71, id, 'hold', 1, 5, " D3 ", " D3, "a3") ";",
	  "UPDATE OR REPLACE usage SET oid = 70 WHERE id = 71", NULL },
	{ "replacing evidence by its number", "duplicate", "",
	  "INSERT OR REPLACE INTO wipe_evidence SELECT number, 'x', slot_id, node_id, 'x', wwid, "
	  "gpu_identity, started_at, finished_at, class, outcome, verify, gpu_memory, lab, 'x', "
	  "folded_at, record, " W_PROOF_COLUMNS " FROM wipe_evidence WHERE id = 'e1'",
	  "INSERT INTO wipe_evidence SELECT NULL, 'x', slot_id, node_id, 'x', wwid, "
	  "gpu_identity, started_at, finished_at, class, outcome, verify, gpu_memory, lab, 'x', "
	  "folded_at, record, " W_PROOF_COLUMNS " FROM wipe_evidence WHERE id = 'e1'" },
	{ "replacing evidence by UPDATE OR REPLACE of its rowid", "fixed", "",
	  "UPDATE OR REPLACE wipe_evidence SET rowid = 2 WHERE number = 1", NULL },
	{ "replacing a node by UPDATE OR REPLACE of its oid", "fixed", "",
	  "UPDATE OR REPLACE node SET oid = 2" GEN " WHERE id = 'n1'", NULL },
	{ "replacing an allocation by its id", "duplicate", "",
	  "INSERT OR REPLACE INTO allocation (id, request, project, shape, count, since, profile, "
	  "profile_version, profile_record, price_micros, created_at, created_by) "
	  "VALUES ('a1', '{}', 'p', 'slice', 1, 'x', 'h', 1, '{}', 5, 'x', 'me')", NULL },
	{ "a row numbered below 1", "CHECK constraint failed", "",
	  "INSERT INTO node (number, id, since) VALUES (-1, 'x', 'x')",
	  "INSERT INTO node (id, since) VALUES ('x', 'x')" },
	{ "a slot out of the keys that is not retired", "CHECK constraint failed", "",
	  SLOT("retired = 1", "s2"), NULL },
	{ "a slot retired and still in the keys", "CHECK constraint failed", S2_OFF,
	  SLOT("state = 'retired'", "s2"),
	  SLOT("state = 'retired', retired = 1", "s2") },
	{ "replacing a slot by its index", "duplicate_identity", "",
	  "INSERT OR REPLACE INTO slot (id, node_id, slot_index, since) VALUES ('x', 'n1', 1, 'x')",
	  NULL },
	{ "replacing a slot by its disk", "duplicate_identity", "",
	  "INSERT OR REPLACE INTO slot (id, node_id, slot_index, since, nvme_wwid) "
	  "VALUES ('x', 'n1', 9, 'x', 'd1')", NULL },
	{ "replacing a slot by its GPU", "duplicate_identity", "",
	  "INSERT OR REPLACE INTO slot (id, node_id, slot_index, since, gpu_id) VALUES ('x', 'n1', "
	  "9, 'x', 'n1/g1')", NULL },
	{ "replacing a slot by its GPU's address", "duplicate_identity", "",
	  "INSERT OR REPLACE INTO slot (id, node_id, slot_index, since, gpu_pci_address) "
	  "VALUES ('x', 'n1', 9, 'x', '0000:11:00.0')", NULL },
	{ "replacing a slot by its MAC", "duplicate_identity", "",
	  "INSERT OR REPLACE INTO slot (id, node_id, slot_index, since, mac) VALUES ('x', 'n2', 9, "
	  "'x', '02:00:00:00:00:01')", NULL },
	{ "replacing a slot by its address", "duplicate_identity", "",
	  "INSERT OR REPLACE INTO slot (id, node_id, slot_index, since, private_ip) VALUES ('x', "
	  "'n1', 9, 'x', '10.0.0.1')",
	  "INSERT INTO slot (id, node_id, slot_index, since, private_ip) "
	  "VALUES ('x', 'n2', 9, 'x', '10.0.0.1')" },
	{ "replacing a slot by its fabric function", "fabric_vf_shared", "",
	  "INSERT OR REPLACE INTO slot (id, node_id, slot_index, since, fabric_vf_pci_address) "
	  "VALUES ('x', 'n1', 9, 'x', '0000:f0:00.1')", NULL },
	{ "taking a MAC by UPDATE OR REPLACE", "duplicate_identity", S2_OFF,
	  "UPDATE OR REPLACE slot SET mac = '02:00:00:00:00:01'" GEN " WHERE id = 's2'",
	  SLOT("mac = '02:00:00:00:00:99'", "s2") },
	{ "taking an index by UPDATE OR REPLACE", "duplicate_identity", S2_OFF,
	  "UPDATE OR REPLACE slot SET slot_index = 1" GEN " WHERE id = 's2'",
	  SLOT("slot_index = 99", "s2") },
	{ "taking a GPU's address by UPDATE OR REPLACE", "duplicate_identity", S2_OFF,
	  "UPDATE OR REPLACE slot SET gpu_pci_address = '0000:11:00.0'" GEN " WHERE id = 's2'",
	  SLOT("gpu_pci_address = '0000:99:00.0'", "s2") },
	{ "taking a fabric function by UPDATE OR REPLACE", "fabric_vf_shared", S2_OFF,
	  "UPDATE OR REPLACE slot SET fabric_vf_pci_address = '0000:f0:00.1'" GEN
	  " WHERE id = 's2'", SLOT("fabric_vf_pci_address = '0000:f0:00.7'", "s2") },
	{ "taking an address by UPDATE OR REPLACE", "duplicate_identity", S2_OFF,
	  "UPDATE OR REPLACE slot SET private_ip = '10.0.0.1'" GEN " WHERE id = 's2'",
	  SLOT("private_ip = '10.0.0.99'", "s2") },
	{ "taking a node's name by UPDATE OR REPLACE", "name_taken", NODE("name = 'one'", "n1"),
	  "UPDATE OR REPLACE node SET name = 'one'" GEN " WHERE id = 'n2'",
	  NODE("name = 'two'", "n2") },
	{ "taking the place of the current version of a profile", "duplicate", "",
	  "UPDATE OR REPLACE profile SET current = 1 WHERE version = 1",
	  "UPDATE profile SET current = 0; UPDATE profile SET current = 1 WHERE version = 1" },
	{ "taking the place of the current version of an app", "duplicate", APP APP_OLD,
	  "UPDATE OR REPLACE app SET current = 1 WHERE version = 0",
	  "UPDATE app SET current = 0; UPDATE app SET current = 1 WHERE version = 0" },
	{ "a second current version of an app", "duplicate", APP,
	  "INSERT OR REPLACE INTO app VALUES ('h', 2, '{}', 1)",
	  "INSERT OR REPLACE INTO app VALUES ('i', 2, '{}', 1)" },
	{ "a version of an app in the place of another", "duplicate", APP,
	  "INSERT OR REPLACE INTO app VALUES ('h', 1, '{}', 0)",
	  "INSERT INTO app VALUES ('h', 2, '{}', 0)" },
	{ "replacing an allocation by its request id", "request_taken",
	  "INSERT INTO allocation (id, request_id, request, project, shape, count, since, "
	  "profile, profile_version, profile_record, price_micros, created_at, created_by) "
	  "VALUES ('y', 'r', '{}', 'p', 'slice', 1, 'x', 'h', 1, '{}', 5, 'x', 'me');",
	  "INSERT OR REPLACE INTO allocation (id, request_id, request, project, shape, count, "
	  "since, profile, profile_version, profile_record, price_micros, created_at, created_by) "
	  "VALUES ('z', 'r', '{}', 'p', 'slice', 1, 'x', 'h', 1, '{}', 5, 'x', 'me')",
	  ALLOC("z", "slice") },
	{ "a new allocation under a name in use", "name_taken",
	  "UPDATE allocation SET name = 'one'" GEN " WHERE id = 'a1';",
	  "INSERT OR REPLACE INTO allocation (id, name, request, project, shape, count, since, "
	  "profile, profile_version, profile_record, price_micros, created_at, created_by) VALUES "
	  "('z', 'one', '{}', 'p', 'slice', 1, 'x', 'h', 1, '{}', 5, 'x', 'me')",
	  ALLOC("z", "slice") },
	{ "taking a disk by UPDATE OR REPLACE", "duplicate_identity", S2_OFF,
	  "UPDATE OR REPLACE slot SET nvme_wwid = 'd1'" GEN " WHERE id = 's2'", NULL },
	{ "taking a GPU by UPDATE", "duplicate_identity", S2_OFF, SLOT("gpu_id = 'n1/g1'", "s2"),
	  NULL },
	{ "taking a CPU by INSERT OR REPLACE", "cpuset_taken", "",
	  "INSERT OR REPLACE INTO slot_cpu VALUES ('n1', 10, 's4')",
	  "INSERT INTO slot_cpu VALUES ('n1', 90, 's4')" },
	{ "taking a CPU by UPDATE OR REPLACE", "fixed", S2_OFF,
	  "UPDATE OR REPLACE slot_cpu SET cpu = 10 WHERE cpu = 20", NULL },
	{ "replacing a claim", "duplicate",
	  ALLOC("x", "slice") NODE("held_by = 'slices'", "n2") CLAIM("x", "x", "n2", "s5",
	  "slices"),
	  "INSERT OR REPLACE INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, "
	  "held_by, created_at) VALUES ('x', 'x', 'n2', 's6', 'slot', 1, 'slices', 'x')",
	  CLAIM("y", "x", "n2", "s6", "slices") },
	{ "replacing a node", "duplicate", "",
	  "INSERT OR REPLACE INTO node (id, since) VALUES ('n1', 'x')", NULL },
	{ "replacing a node by its name", "name_taken", NODE("name = 'one'", "n1"),
	  "INSERT OR REPLACE INTO node (id, name, since) VALUES ('x', 'one', 'x')", NULL },
	{ "replacing an allocation by its name", "name_taken",
	  "UPDATE allocation SET name = 'one'" GEN " WHERE id = 'a1';" ALLOC("x", "slice"),
	  "UPDATE OR REPLACE allocation SET name = 'one'" GEN " WHERE id = 'x'",
	  "UPDATE OR REPLACE allocation SET name = 'two'" GEN " WHERE id = 'x'" },
	{ "replacing a device", "duplicate_identity", "",
	  "INSERT OR REPLACE INTO device (id, device_kind, node_id, dirty_since, first_seen_at) "
	  "VALUES ('d1', 'disk', 'n1', '2026-01-01T00:00:00.000000Z', 'x')", NULL },
	{ "replacing evidence", "duplicate", "",
	  "INSERT OR REPLACE INTO wipe_evidence SELECT * FROM wipe_evidence WHERE id = 'e1'",
	  NULL },
	{ "replacing evidence by its attempt", "duplicate", "",
	  EVIDENCE("x", "s1", "'w1', 'd1', 'g1', " LATE ", " LATE
		   ", 'purge', 'confirmed', 'full', 'confirmed', 1"), NULL },
	{ "replacing an audit row", "audit_chain", "",
	  "INSERT OR REPLACE INTO audit VALUES (1, 'x', 'me', 't', 'a', 'o', '{}', "
	  HASH("1") ", " HASH("2") ")",
	  NULL },
	{ "replacing an open span of usage", "usage_follows", "",
	  "INSERT OR REPLACE INTO usage (allocation_id, usage_kind, count, price_micros, "
	  "started_at" WHOSE("id, 'active', 1, 5, " D2, "a1"),
	  "INSERT INTO usage (allocation_id, usage_kind, count, price_micros, started_at"
	  WHOSE("id, 'cleanup', 1, 5, " D2, "a3") },
	{ "replacing a span of usage", "duplicate", "",
	  "INSERT OR REPLACE INTO usage (id, allocation_id, usage_kind, count, price_micros, "
	  "started_at, ended_at" WHOSE("2, id, 'active', 1, 5, " D2 ", " D3, "a3"), NULL },
	{ "replacing a version of a profile", "duplicate", "",
	  "INSERT OR REPLACE INTO profile VALUES ('h', 1, '{}', 'x', 0)",
	  "INSERT INTO profile VALUES ('h', 3, '{}', 'x', 0)" },
	{ "replacing the current version of a profile", "duplicate", "",
	  "INSERT OR REPLACE INTO profile VALUES ('h', 3, '{}', 'x', 1)", NULL },
	{ "replacing meta", "duplicate", "", "INSERT OR REPLACE INTO meta VALUES (1, 0, 1, "
	  "'x', NULL)",
	  NULL },
	/* what REPLACE puts in place of NULL, after triggers have seen the NULL */
	{ "the state of a slot in use replaced by its default", "check", "",
	  "UPDATE OR REPLACE slot SET state = NULL" GEN " WHERE id = 's1'", NULL },
	{ "a retired slot that revives", "check",
	  SLOT("state = 'retired', retired = 1", "s4"),
	  "UPDATE OR REPLACE slot SET state = NULL, retired = NULL" GEN " WHERE id = 's4'", NULL },
	{ "replacing a slot by one that is retired or not", "check", "",
	  "INSERT OR REPLACE INTO slot (id, node_id, slot_index, since, retired) VALUES "
	  "('z', 'n1', 1, 'x', NULL)", NULL },
	{ "reserving what nobody verified, in no epoch", "check",
	  ALLOC("x", "slice") CLAIM("x", "x", "n1", "s2", "slices"),
	  "UPDATE OR REPLACE slot SET state = 'reserved', epoch_verified = NULL" GEN
	  " WHERE id = 's2'", SLOT("state = 'reserved'", "s2") },
	{ "a cpuset that runs backwards and names too few", "cpuset_taken",
	  S2_OFF "DELETE FROM slot_cpu WHERE slot_id = 's2';"
	  "INSERT INTO slot_cpu VALUES ('n1', 20, 's2'), ('n1', 21, 's2'), ('n1', 22, 's2'), "
	  "('n1', 23, 's2');" SLOT("cpuset = '20-25,9-6,25-24'", "s2"), S2_ON,
	  SLOT("cpuset = '20-23'", "s2") S2_ON },
	/* sold once */
	{ "a second claim on a slot", "sold_once", ALLOC("x", "slice"),
	  CLAIM("x", "x", "n1", "s1", "slices"), CLAIM("x", "x", "n1", "s2", "slices") },
	{ "replacing the claim on a slot not yet reserved", "sold_once",
	  ALLOC("x", "slice") ALLOC("y", "slice") CLAIM("x", "x", "n1", "s2", "slices"),
	  "INSERT OR REPLACE INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, "
	  "held_by, created_at) VALUES ('y', 'y', 'n1', 's2', 'slot', 1, 'slices', 'x')", NULL },
	{ "replacing the claim on a node", "sold_once",
	  ALLOC("x", "baremetal") NODE("held_by = 'x'", "n2") NODE_CLAIM("x", "x", "n2"),
	  "INSERT OR REPLACE INTO claim (id, allocation_id, node_id, claim_kind, live, held_by, "
	  "created_at) VALUES ('y', 'x', 'n2', 'node', 1, 'x', 'x')", NULL },
	{ "a claim on a node nobody holds", "sold_once", ALLOC("x", "slice"),
	  CLAIM("x", "x", "n2", "s5", "slices"), NULL },
	{ "a claim on a retired node", "sold_once",
	  ALLOC("x", "slice") NODE("state = 'draining'", "n2") NODE("state = 'retired'", "n2")
	  NODE("held_by = 'slices'", "n2"), CLAIM("x", "x", "n2", "s5", "slices"), NULL },
	{ "a claim that names another node of the slot", "sold_once",
	  ALLOC("x", "slice") NODE("held_by = 'slices'", "n2"), CLAIM("x", "x", "n2", "s2",
	  "slices"),
	  CLAIM("x", "x", "n2", "s5", "slices") },
	{ "a claim on a disabled slot", "sold_once", ALLOC("x", "slice") S2_OFF,
	  CLAIM("x", "x", "n1", "s2", "slices"), NULL },
	{ "a node claim beside slot claims", "sold_once", ALLOC("x", "baremetal"),
	  NODE_CLAIM("x", "x", "n1"), NULL },
	{ "a node taken while slots are claimed", "sold_once", ALLOC("x", "baremetal"),
	  NODE("held_by = 'x'", "n1"), NODE("held_by = 'x'", "n2") },
	{ "a node given up while slots are claimed", "sold_once", "", NODE("held_by = NULL", "n1"),
	  NULL },
	{ "a node held by nobody known", "sold_once", "", NODE("held_by = 'nobody'", "n2"), NULL },
	{ "slot claims beside a node claim", "sold_once",
	  ALLOC("x", "baremetal") ALLOC("y", "slice") NODE("held_by = 'x'", "n2")
	  NODE_CLAIM("cx", "x", "n2"), CLAIM("cy", "y", "n2", "s5", "slices"),
	  CLAIM("cy", "x", "n2", "s5", "x") },
	{ "two allocations holding one node", "sold_once",
	  ALLOC("x", "baremetal") ALLOC("y", "baremetal") NODE("held_by = 'x'", "n2")
	  NODE_CLAIM("cx", "x", "n2"), NODE_CLAIM("cy", "y", "n2"), NULL },
	{ "baremetal that leaves a slot out", "sold_once",
	  ALLOC("x", "baremetal") NODE("held_by = 'x'", "n2") NODE_CLAIM("cx", "x", "n2")
	  CLAIM("c5", "x", "n2", "s5", "x") SLOT("state = 'reserved'", "s5"),
	  SLOT("state = 'provisioning'", "s5"),
	  CLAIM("c6", "x", "n2", "s6", "x") SLOT("state = 'reserved'", "s6")
	  SLOT("state = 'provisioning'", "s5") },
	{ "a machine handed over with a slot left out", "sold_once",
	  ALLOC("x", "baremetal") NODE("held_by = 'x'", "n2") NODE_CLAIM("cx", "x", "n2")
	  CLAIM("c5", "x", "n2", "s5", "x") PLACED("x", "n2"), PROVISIONING("x"),
	  CLAIM("c6", "x", "n2", "s6", "x") PROVISIONING("x") },
	{ "giving back a slot that its allocation has begun to use", "claim_in_use",
	  ALLOC("x", "slice") CLAIM("x", "x", "n1", "s2", "slices") SLOT("state = 'reserved'", "s2")
	  PLACED("x", "n1"), PROVISIONING("x") S2_ON, S2_ON },
	{ "opening a slot by OR FAIL where counts that are wrong fail", "tainted",
	  "UPDATE node_capacity SET free = slots, waiting = 0, disabled = 0 WHERE node_id = 'n1'",
	  "UPDATE OR FAIL slot SET state = 'available'" GEN " WHERE id = 's3'", NULL },
	{ "claims of one allocation on two nodes", "one_node",
	  ALLOC("x", "slice") CLAIM("x", "x", "n1", "s2", "slices") NODE("held_by = 'slices'",
	  "n2"),
	  CLAIM("y", "x", "n2", "s5", "slices"), NULL },
	{ "a claim for an allocation that runs already", "wrong_state", "",
	  CLAIM("x", "a1", "n1", "s2", "slices"), NULL },
	{ "a claim for an unknown allocation", "wrong_state", "",
	  CLAIM("x", "nobody", "n1", "s2", "slices"), NULL },
	{ "reserving what is not claimed", "no_claim", "", SLOT("state = 'reserved'", "s2"),
	  ALLOC("x", "slice") CLAIM("x", "x", "n1", "s2", "slices") SLOT("state = 'reserved'",
	  "s2") },
	{ "ending the claim of an active slot", "claim_in_use", "",
	  "UPDATE claim SET live = 0, held_by = NULL, ended_at = 'x' WHERE id = 'c1'", NULL },
	{ "ending the claim of a slot in wiping", "claim_in_use", A3_RELEASED,
	  "UPDATE claim SET live = 0, held_by = NULL, ended_at = 'x' WHERE id = 'c3'", NULL },
	{ "disabling a quarantined slot before its allocation is released", "claim_in_use",
	  S1_QUARANTINED, SLOT("state = 'disabled'", "s1"),
	  A1_RELEASED SLOT("state = 'disabled'", "s1") },
	{ "selling a wiped slot before its allocation is released", "claim_in_use",
	  EVIDENCE("x", "s3", GOOD),
	  SLOT("state = 'available', wipe_evidence_id = 'x'", "s3"), TO_AVAILABLE("x") },
	{ "disposing of a slot whose allocation was never released", "has_claims", S1_QUARANTINED,
	  SLOT("state = 'retired', retired = 1, disposal = 'burnt'", "s1"),
	  A1("state = 'releasing'") ";" A1("state = 'release_failed'") ";"
	  SLOT("state = 'retired', retired = 1, disposal = 'burnt'", "s1") },
	{ "ending a node claim while slots are claimed", "claim_in_use",
	  ALLOC("x", "baremetal") NODE("held_by = 'x'", "n2") NODE_CLAIM("cx", "x", "n2")
	  CLAIM("c5", "x", "n2", "s5", "x"),
	  "UPDATE claim SET live = 0, held_by = NULL, ended_at = 'x' WHERE id = 'cx'", NULL },
	{ "reviving a claim", "fixed", S3_OFF,
	  "UPDATE claim SET live = 1, held_by = 'slices', ended_at = NULL WHERE id = 'c3'", NULL },
	{ "retiring a node with claims", "has_claims", NODE("state = 'draining'", "n1"),
	  NODE("state = 'retired'", "n1"),
	  NODE("state = 'draining'", "n2") NODE("state = 'retired'", "n2") },
	{ "memory beyond the NUMA node", "memory_overcommitted", S2_OFF,
	  SLOT("memory_mib = 3000", "s2"), SLOT("memory_mib = 2000", "s2") },
	{ "memory beyond the NUMA node at birth", "memory_overcommitted", "",
	  "INSERT INTO slot (id, node_id, slot_index, since, numa_node, memory_mib) VALUES ('x', "
	  "'n1', 9, 'x', 0, 1001)",
	  "INSERT INTO slot (id, node_id, slot_index, since, numa_node, memory_mib) VALUES ('x', "
	  "'n1', 9, 'x', 0, 1000)" },
	{ "memory of a NUMA node nobody knows", "memory_overcommitted",
	  S2_OFF SLOT("numa_node = 7", "s2"), S2_ON, NULL },
	{ "a physical function beside its virtual one", "pf_vf_conflict", S2_OFF,
	  SLOT("fabric_vf_pci_address = '0000:e0:00.0'", "s2"), NULL },
	{ "the physical function of another slot's virtual one", "pf_vf_conflict", S2_OFF,
	  SLOT("fabric_pf_pci_address = '0000:f0:00.1'", "s2"), NULL },
	{ "a new slot of the physical function of another", "pf_vf_conflict", "",
	  "INSERT INTO slot (id, node_id, slot_index, since, fabric_vf_pci_address) VALUES ('x', "
	  "'n1', 9, 'x', '0000:e0:00.0')",
	  "INSERT INTO slot (id, node_id, slot_index, since, fabric_vf_pci_address) VALUES ('x', "
	  "'n1', 9, 'x', '0000:f0:00.9')" },
	{ "a GPU that is another slot's fabric function", "duplicate_identity", S2_OFF,
	  SLOT("gpu_pci_address = '0000:f0:00.1'", "s2"),
	  SLOT("gpu_pci_address = '0000:f1:00.1'", "s2") },
	{ "a fabric function that is another slot's GPU", "duplicate_identity", S2_OFF,
	  SLOT("fabric_vf_pci_address = '0000:11:00.0'", "s2"),
	  SLOT("fabric_vf_pci_address = '0000:f1:00.0'", "s2") },
	{ "a fabric function that is the slot's own GPU", "duplicate_identity", S2_OFF,
	  SLOT("fabric_vf_pci_address = gpu_pci_address", "s2"), NULL },
	{ "a new slot of another's GPU as fabric function", "duplicate_identity", "",
	  "INSERT INTO slot (id, node_id, slot_index, since, fabric_vf_pci_address) VALUES ('x', "
	  "'n1', 9, 'x', '0000:11:00.0')",
	  "INSERT INTO slot (id, node_id, slot_index, since, fabric_vf_pci_address) VALUES ('x', "
	  "'n1', 9, 'x', '0000:f1:00.9')" },
	{ "CPUs of a slot on sale", "in_use", "", "INSERT INTO slot_cpu VALUES ('n1', 91, 's2')",
	  "INSERT INTO slot_cpu VALUES ('n1', 91, 's4')" },
	{ "removing CPUs of a slot on sale", "in_use", "",
	  "DELETE FROM slot_cpu WHERE slot_id = 's2'",
	  S2_OFF "DELETE FROM slot_cpu WHERE slot_id = 's2'" },
	{ "a part of a GPU available", "fractional", S2_OFF SLOT("shape = 'gpu_partition'", "s2"),
	  S2_ON, NULL },
	{ "a shared GPU available", "fractional",
	  S2_OFF SLOT("sharing_mechanism = 'time_sliced'", "s2"), S2_ON, NULL },
	/* never unwiped */
	{ "a device born clean", "tainted", "",
	  "INSERT INTO device (id, device_kind, node_id, first_seen_at) "
	  "VALUES ('x', 'disk', 'n1', 'x')",
	  "INSERT INTO device (id, device_kind, node_id, dirty_since, first_seen_at) VALUES ('x', "
	  "'disk', 'n1', '2026-01-01T00:00:00.000000Z', 'x')" },
	{ "a device born tainted since no time", "tainted", "",
	  "INSERT INTO device (id, device_kind, node_id, dirty_since, first_seen_at) VALUES ('x', "
	  "'gpu', 'n1', '', 'x')", NULL },
	{ "clearing a device by hand", "tainted", "",
	  "UPDATE device SET dirty_since = NULL WHERE id = 'd1'", NULL },
	{ "clearing a device by its old evidence", "tainted", "",
	  "UPDATE device SET dirty_since = NULL, cleared_by = 'e3' WHERE id = 'd3'", NULL },
	{ "moving a taint to an earlier time", "tainted", "",
	  "UPDATE device SET dirty_since = '2026-01-01T00:00:00.000000Z' WHERE id = 'd1'",
	  "UPDATE device SET dirty_since = " LATE " WHERE id = 'd1'" },
	{ "a new taint before the last wipe", "tainted", S2_OFF,
	  "UPDATE device SET dirty_since = '2026-01-31T00:00:00.000000Z' WHERE id = 'd2'",
	  "UPDATE device SET dirty_since = '2026-02-02T00:00:00.000000Z' WHERE id = 'd2'" },
	{ "tainting a device on sale", "in_use", "",
	  "UPDATE device SET dirty_since = " LATE " WHERE id = 'd2'", NULL },
	{ "other evidence for what cleared a device", "tainted", "",
	  "UPDATE device SET cleared_by = 'e1' WHERE id = 'd2'", NULL },
	{ "other evidence for what cleared a device that is tainted again", "fixed", "",
	  "UPDATE device SET cleared_by = 'e3' WHERE id = 'd1'", NULL },
	{ "a clean disk coming from another node", "tainted", "",
	  "UPDATE device SET node_id = 'n1' WHERE id = 'd5'", NULL },
	{ "a tainted disk into an available slot", "in_use", "", SLOT("nvme_wwid = 'd9'", "s2"),
	  NULL },
	{ "another GPU into an active slot", "in_use", "", SLOT("gpu_id = NULL", "s1"), NULL },
	{ "another policy for a slot in wiping", "in_use", "",
	  SLOT("wipe_minimum_class = 'clear'", "s3"), NULL },
	{ "another disk while leaving wiping", "in_use", "",
	  SLOT("state = 'disabled', nvme_wwid = NULL", "s3"), NULL },
	{ "releasing what nobody was given", "tainted",
	  S2_OFF SLOT("state = 'wiping', wipe_attempt = 'w2b'", "s2")
	  SLOT("state = 'cleanup_blocked'", "s2"), SLOT("state = 'releasing'", "s2"), NULL },
	{ "a slot with a tainted disk into sale", "tainted",
	  "INSERT INTO device (id, device_kind, node_id, dirty_since, first_seen_at) VALUES ('x', "
	  "'disk', 'n1', '2026-01-01T00:00:00.000000Z', 'x');" S2_OFF SLOT("nvme_wwid = 'x'", "s2"),
	  S2_ON, NULL },
	{ "a slot with a tainted GPU into sale", "tainted",
	  "INSERT INTO device (id, device_kind, node_id, dirty_since, first_seen_at) "
	  "VALUES ('n1/x', 'gpu', 'n1', '2026-01-01T00:00:00.000000Z', 'x');"
	  S2_OFF SLOT("gpu_id = 'n1/x', gpu_identity = 'x'", "s2"), S2_ON,
	  SLOT("gpu_id = 'n1/g2', gpu_identity = 'g2'", "s2") S2_ON },
	{ "a GPU cleared by the evidence of another", "tainted",
	  "INSERT INTO device (id, device_kind, node_id, dirty_since, first_seen_at) "
	  "VALUES ('n1/x', 'gpu', 'n1', '2026-01-01T00:00:00.000000Z', 'x');"
	  S2_OFF SLOT("gpu_id = 'n1/x', gpu_identity = 'x'", "s2"),
	  "UPDATE device SET dirty_since = NULL, cleared_by = 'e2' WHERE id = 'n1/x'", NULL },
	{ "a GPU that is not the one the slot says it has", "tainted",
	  "INSERT INTO device (id, device_kind, node_id, dirty_since, first_seen_at) "
	  "VALUES ('n1/x', 'gpu', 'n1', '2026-01-01T00:00:00.000000Z', 'x');"
	  S2_OFF SLOT("gpu_id = 'n1/x'", "s2"),
	  "UPDATE device SET dirty_since = NULL, cleared_by = 'e2' WHERE id = 'n1/x'", NULL },
	{ "the evidence of another slot", "tainted",
	  EVIDENCE_OF("x", "s2", GOOD, W_PROOF_OF("s3")), TO_AVAILABLE("x"),
	  NULL },
	{ "a disk of a slot whose wipe was not decided", "tainted",
	  S2_OFF "UPDATE device SET dirty_since = '2026-03-01T00:00:00.000000Z' WHERE id = 'd2';"
	  SLOT("wipe_minimum_class = NULL", "s2")
	  SLOT("state = 'wiping', wipe_attempt = 'w2b'", "s2") S2_WIPED
	  SLOT("state = 'disabled', wipe_evidence_id = 'x'", "s2"),
	  "UPDATE device SET dirty_since = NULL, cleared_by = 'x' WHERE id = 'd2'", NULL },
	{ "a GPU neither reset nor scrubbed", "tainted",
	  S2_WIPING("wipe_gpu_memory = 'if_supported'"),
	  S2_PROOF("not_proven", "not_proven", "'full'") "4096" S2_BACK,
	  S2_PROOF("not_proven", "confirmed", "'full'") "4096" S2_BACK },
	{ "a GPU of which nothing was needed", "tainted",
	  S2_WIPING("wipe_gpu_memory = 'if_supported'"),
	  S2_PROOF("not_needed", "not_needed", "'full'") "4096" S2_BACK,
	  S2_PROOF("confirmed", "not_proven", "'full'") "4096" S2_BACK },
	{ "a GPU that was scrubbed and did not come back", "tainted",
	  S2_WIPING("wipe_gpu_memory = 'if_supported'"),
	  S2_PROOF("confirmed", "failed", "'full'") "4096" S2_BACK, NULL },
	{ "a GPU that was reset and whose scrub failed", "tainted",
	  S2_WIPING("wipe_gpu_memory = 'if_supported'"),
	  S2_PROOF("failed", "confirmed", "'full'") "4096" S2_BACK, NULL },
	{ "a sample of nothing", "tainted", S2_WIPING("wipe_verify = 'sampled'"),
	  S2_PROOF("confirmed", "confirmed", "'sampled'") "0" S2_BACK,
	  S2_PROOF("confirmed", "confirmed", "'sampled'") "4095" S2_BACK },
	{ "leaving wiping without evidence", "tainted", A3_RELEASED,
	  SLOT("state = 'available'", "s3"),
	NULL },
	{ "leaving wiping with the evidence of before", "tainted", "", TO_AVAILABLE("e3"), NULL },
	{ "evidence of before under a forged order", "tainted", SLOT("wipe_attempt = 'w3'", "s3"),
	  TO_AVAILABLE("e3"), NULL },
	{ "evidence given outside wiping", "evidence", S2_OFF, SLOT("wipe_evidence_id = 'e1'",
	"s2"),
	  NULL },
	{ "evidence that ends before it begins", "evidence", "",
	  EVIDENCE("x", "s3", "'w3b', 'd3', 'g3', " LATE ", '2026-01-01T00:00:00.000000Z', "
	  "'purge', "
		   "'confirmed', 'full', 'confirmed', 1"), EVIDENCE("x", "s3", GOOD) },
	{ "evidence of a slot of another node", "evidence", "",
	  "INSERT INTO wipe_evidence VALUES (99, 'x', 's1', 'n2', 'w', 'd1', 'g1', " LATE ", " LATE
	  ", 'purge', 'confirmed', 'full', 'confirmed', 1, 'dx', 'x', '{}', " W_PROOF_OF("s1") ")",
	  "INSERT INTO wipe_evidence VALUES (99, 'x', 's1', 'n1', 'w', 'd1', 'g1', " LATE ", " LATE
	  ", 'purge', 'confirmed', 'full', 'confirmed', 1, 'dx', 'x', '{}', " W_PROOF_OF("s1")
	  ")" },
	{ "evidence since no time", "evidence", "",
	  EVIDENCE("x", "s3", "'w3b', 'd3', 'g3', 'zzz', 'zzz', 'purge', 'confirmed', 'full', "
		   "'confirmed', 1"), NULL },
	{ "wiping a slot whose disk went to another node", "tainted",
	  S2_OFF "UPDATE device SET dirty_since = '2026-03-01T00:00:00.000000Z', node_id = 'n2' "
	  "WHERE id = 'd2';" SLOT("state = 'wiping', wipe_attempt = 'w2b'", "s2") S2_WIPED,
	  SLOT("state = 'available', wipe_evidence_id = 'x'", "s2"), NULL },
	{ "a slot back from wiping", "tainted",
	  S2_OFF SLOT("state = 'wiping', wipe_attempt = 'w2b'", "s2") S2_WIPED,
	  SLOT("state = 'available'", "s2"),
	  SLOT("state = 'available', wipe_evidence_id = 'x'", "s2") },
	{ "retiring what was not wiped", "tainted", S3_OFF,
	  SLOT("state = 'retired', retired = 1", "s3"),
	  SLOT("state = 'retired', retired = 1, disposal = 'shredded'", "s3") },
	{ "the node of an allocation that is billed", "fixed", "",
	  "UPDATE allocation SET node_id = 'n2'" GEN " WHERE id = 'a1'",
	  "UPDATE allocation SET node_id = 'n1'" GEN " WHERE id = 'a1'" },
	{ "the price of an allocation that is planned and billed", "fixed",
	  A7 SPAN("a7", D2, D3), "UPDATE allocation SET price_micros = 1" GEN " WHERE id = 'a7'",
	  "UPDATE allocation SET price_micros = 5" GEN " WHERE id = 'a7'" },
	/* a temporary trigger that keeps the taint away: refused at once, or at the next step */
	{ "a taint that a temporary trigger swallows", "tainted",
	  SWALLOW("device") ALLOC("x", "slice") CLAIM("x", "x", "n1", "s2", "slices")
	  SLOT("state = 'reserved'", "s2"), SLOT("state = 'provisioning'", "s2"), NULL },
	{ "a taint that never begins", "tainted",
	  CUT_OFF("slot") ALLOC("x", "slice") CLAIM("x", "x", "n1", "s2", "slices")
	  SLOT("state = 'reserved'", "s2") SLOT("state = 'provisioning'", "s2"),
	  SLOT("state = 'cleanup_blocked'", "s2"),
	  "UPDATE device SET dirty_since = " LATE " WHERE id IN ('d2', 'n1/g2');"
	  SLOT("state = 'cleanup_blocked'", "s2") },
	{ "a taint of a spare disk that a temporary trigger swallows", "tainted",
	  N2_WHOLE SWALLOW("device"), PROVISIONING("x"), NULL },
	{ "a taint of a spare disk that never begins", "tainted",
	  N2_WHOLE CUT_OFF("allocation") PROVISIONING("x"),
	  "UPDATE allocation SET state = 'active'" GEN " WHERE id = 'x'",
	  "UPDATE device SET dirty_since = " LATE " WHERE id IN ('d6', 'n2/g6');"
	  "UPDATE allocation SET state = 'active'" GEN " WHERE id = 'x'" },
	{ "slots of a whole machine used, a spare disk of it not tainted", "tainted",
	  N2_WHOLE SLOT("state = 'reserved'", "s5") SLOT("state = 'provisioning'", "s5"),
	  SLOT("state = 'active'", "s5"),
	  "UPDATE device SET dirty_since = " LATE " WHERE id IN ('d6', 'n2/g6');"
	  SLOT("state = 'active'", "s5") },
	{ "a policy that asks more than was wiped", "tainted",
	  S2_WIPING("wipe_minimum_class = 'clear'")
	  EVIDENCE("x", "s2", "'w2b', 'd2', 'g2', " LATE ", " LATE
		   ", 'clear', 'confirmed', 'full', 'confirmed', 1")
	  SLOT("state = 'disabled', wipe_evidence_id = 'x'", "s2")
	  SLOT("wipe_minimum_class = 'purge'", "s2"), S2_ON,
	  SLOT("wipe_minimum_class = 'clear'", "s2") S2_ON },
	{ "a machine with a spare disk that a tenant left unwiped", "tainted",
	  SLOT("state = 'disabled'", "s6") SLOT("state = 'retired', retired = 1", "s6")
	  ALLOC("x", "baremetal") NODE("held_by = 'x'", "n2")
	  "UPDATE device SET dirty_since = " LATE ", dirtied_by = 'a3' WHERE id = 'd6';",
	  NODE_CLAIM("cx", "x", "n2"),
	  "UPDATE node SET observed_at = '2099-01-02T00:00:00.000000Z', generation = generation "
	  "+ 1 WHERE id = 'n2';" NODE_CLAIM("cx", "x", "n2") },
	{ "another fabric function than was wiped", "tainted",
	  S2_OFF SLOT("fabric_vf_pci_address = '0000:f0:00.7'", "s2"), S2_ON,
	  SLOT("fabric_vf_pci_address = '0000:f0:00.2'", "s2") S2_ON },
	/* and on the way back */
	{ "a wipe that nobody proved, what follows the update cut off", "tainted",
	  EVIDENCE("x", "s3", GOOD) CUT_OFF("slot"), SLOT("state = 'available'", "s3"),
	  TO_AVAILABLE("x") },
	{ "a clearing that a temporary trigger swallows", "tainted",
	  EVIDENCE("x", "s3", GOOD) SWALLOW("device"), TO_AVAILABLE("x"),
	  A3_RELEASED SLOT("state = 'disabled', wipe_evidence_id = 'x'", "s3") },
	/* Its devices were clean before, by a wipe of less. */
	{ "a later wipe of clean devices whose clearing is swallowed", "tainted",
	  S2_OFF SLOT("wipe_minimum_class = 'purge'", "s2")
	  SLOT("state = 'wiping', wipe_attempt = 'w2b'", "s2")
	  EVIDENCE("x", "s2", "'w2b', 'd2', 'g2', " LATE ", " LATE
		   ", 'purge', 'confirmed', 'full', 'confirmed', 1")
	  SWALLOW("device"), SLOT("state = 'available', wipe_evidence_id = 'x'", "s2"),
	  SLOT("state = 'disabled', wipe_evidence_id = 'x'", "s2") },
	{ "a slot available by itself while another is cleared", "tainted",
	  S2_WIPING("health_detail = 'x'") EVIDENCE("x", "s3", GOOD)
	  "CREATE TEMP TRIGGER other AFTER UPDATE ON main.device WHEN NEW.id = 'd3' BEGIN "
	  "UPDATE slot SET state = 'available'" GEN " WHERE id = 's2'; END;",
	  TO_AVAILABLE("x"), "DROP TRIGGER temp.other;" TO_AVAILABLE("x") },
	{ "a slot reserved for a claim whose end was cut off", "no_claim",
	  EVIDENCE("x", "s3", GOOD) CUT_OFF("slot") TO_AVAILABLE("x"),
	  SLOT("state = 'reserved'", "s3"), NULL },
	/* a temporary trigger that changes the row meanwhile */
	{ "a slot back on sale over what happened meanwhile", "concurrent_update",
	  MEANWHILE("slot", "NEW.health_detail = 'x'", "state = 'disabled'" GEN
		    " WHERE id = NEW.id"),
	  SLOT("state = 'available', health_detail = 'x'", "s2"),
	  SLOT("state = 'available', health_detail = 'y'", "s2") },
	{ "a taint cleared over one that came meanwhile", "concurrent_update",
	  MEANWHILE("device", "NEW.destroy_data_by = 'x'", "dirty_since = " LATE
		    " WHERE id = NEW.id"),
	  "UPDATE device SET dirty_since = dirty_since, destroy_data_by = 'x' WHERE id = 'd3'",
	  "UPDATE device SET dirty_since = dirty_since, destroy_data_by = 'y' WHERE id = 'd3'" },
	{ "a claim kept over its end", "concurrent_update",
	  ALLOC("x", "slice") CLAIM("x", "x", "n1", "s2", "slices")
	  MEANWHILE("claim", "NEW.use_ended_at = 'x'", "live = 0, held_by = NULL, "
		    "ended_at = 'x' WHERE id = NEW.id"),
	  "UPDATE claim SET live = 1, use_ended_at = 'x' WHERE id = 'x'",
	  "UPDATE claim SET live = 1, use_ended_at = 'y' WHERE id = 'x'" },
	{ "a span ended over its end", "concurrent_update",
	  MEANWHILE("usage", "NEW.ended_at = " D3, "ended_at = " D2 " WHERE id = NEW.id"),
	  "UPDATE usage SET ended_at = " D3 " WHERE id = 1", NULL },
	{ "an epoch set back over another", "concurrent_update",
	  MEANWHILE("meta", "NEW.epoch = 2", "epoch = 3"), "UPDATE meta SET epoch = 2",
	  "UPDATE meta SET epoch = 4" },
	{ "a key that counts again over its end", "concurrent_update",
	  LIVE_KEY MEANWHILE("node_key", "NEW.revoked_at IS NULL",
			     "revoked_at = 'x', reason = 'stolen'"),
	  "UPDATE node_key SET revoked_at = NULL", "UPDATE node_key SET revoked_at = 'x', "
	  "reason = 'stolen'" },
	{ "a window of maintenance that goes on over its end", "concurrent_update",
	  WINDOW MEANWHILE("maintenance", "NEW.ended_at IS NULL", "ended_at = 'x'"),
	  "UPDATE maintenance SET ended_at = NULL", "UPDATE maintenance SET ended_at = 'x'" },
	{ "a proposal decided over its decision", "concurrent_update",
	  PROPOSAL MEANWHILE("proposal", "NEW.decided_at IS NULL",
			     "decided_by = 'x', decided_at = 'x'"),
	  "UPDATE proposal SET decided_at = NULL",
	  "UPDATE proposal SET decided_by = 'x', decided_at = 'x'" },
	/* what available needs */
	{ "no GPU", "missing_gpu", S2_OFF SLOT("gpu_id = NULL", "s2"), S2_ON, NULL },
	{ "a GPU under a wrong identity", "missing_gpu", S2_OFF SLOT("gpu_identity = 'x'", "s2"),
	  S2_ON, NULL },
	{ "no disk", "missing_nvme", S2_OFF SLOT("nvme_wwid = NULL", "s2"), S2_ON, NULL },
	{ "no MAC", "missing_mac", S2_OFF SLOT("mac = NULL", "s2"), S2_ON, NULL },
	{ "no address", "missing_ip", S2_OFF SLOT("private_ip = NULL", "s2"), S2_ON, NULL },
	{ "no fabric mode", "fabric_not_per_slot_vf", S2_OFF SLOT("fabric_claim_mode = NULL", "s2"),
	  S2_ON, NULL },
	{ "no fabric function", "missing_fabric_vf",
	  S2_OFF SLOT("fabric_vf_pci_address = NULL", "s2"), S2_ON, NULL },
	{ "no CPUs", "cpuset_taken", S2_OFF SLOT("cpuset = NULL", "s2"), S2_ON, NULL },
	{ "a CPU that is not its own", "cpuset_taken",
	  S2_OFF "DELETE FROM slot_cpu WHERE cpu = 21;", S2_ON, NULL },
	{ "other CPUs than it names", "cpuset_taken", S2_OFF SLOT("cpuset = '20-22'", "s2"), S2_ON,
	  NULL },
	{ "no memory", "memory_overcommitted", S2_OFF SLOT("memory_mib = 0", "s2"), S2_ON, NULL },
	/* what only slices need: a baremetal node is sold without it */
	{ "no MAC where slices are sold", "missing_mac", S5_OFF("mac = NULL"), S5_ON,
	  N2_METAL S5_ON },
	{ "no address where slices are sold", "missing_ip", S5_OFF("private_ip = NULL"), S5_ON,
	  N2_METAL S5_ON },
	{ "no fabric mode where slices are sold", "fabric_not_per_slot_vf",
	  S5_OFF("fabric_claim_mode = NULL"), S5_ON, N2_METAL S5_ON },
	{ "no fabric function where slices are sold", "missing_fabric_vf",
	  S5_WIPING_WITH("not_needed", "NULL"), S5_WIPED, N2_METAL S5_WIPED },
	{ "no CPUs where slices are sold", "cpuset_taken", S5_OFF("cpuset = NULL") S5_NO_CPUS,
	  S5_ON, N2_METAL S5_ON },
	{ "no memory where slices are sold", "memory_overcommitted", S5_OFF("memory_mib = NULL"),
	  S5_ON, N2_METAL S5_ON },
	{ "a slot that a person disabled", "cordoned", S5_OFF("disabled_reason = 'x'"), S5_ON,
	  SLOT("disabled_reason = NULL", "s5") S5_ON },
	{ "a slot that is disabled and cordoned", "cordoned", S5_OFF("cordon = 'x'"), S5_ON,
	  SLOT("cordon = NULL", "s5") S5_ON },
	{ "a cordon that ends in a move of its slot", "cordoned", SLOT("cordon = 'x'", "s5"),
	  SLOT("state = 'disabled', cordon = NULL", "s5"), SLOT("state = 'disabled'", "s5") },
	{ "a baremetal slot that names CPUs it does not hold", "cpuset_taken",
	  N2_METAL S5_OFF("health_detail = NULL") S5_NO_CPUS, S5_ON,
	  SLOT("cpuset = NULL", "s5") S5_ON },
	{ "a baremetal slot that holds CPUs it does not name", "cpuset_taken",
	  N2_METAL S5_OFF("cpuset = NULL"), S5_ON, S5_NO_CPUS S5_ON },
	{ "a baremetal slot without a GPU", "missing_gpu", N2_METAL S5_OFF("gpu_id = NULL"), S5_ON,
	  NULL },
	{ "a baremetal slot without the function that its wipe reset", "tainted",
	  N2_METAL S5_OFF("fabric_vf_pci_address = NULL"), S5_ON, NULL },
	{ "a baremetal slot without a function, by the reset of one", "tainted",
	  N2_METAL S5_WIPING_WITH("confirmed", "'0000:f0:00.5'"), S5_WIPED, NULL },
	{ "a slice on a node that is sold as baremetal", "node_mode", N2_METAL FOR_BOTH, A_SLICE,
	  A_MACHINE },
	{ "a slice of a slot without a MAC", "incomplete",
	  N2_METAL S5_OFF("mac = NULL") S5_ON FOR_BOTH, A_SLICE, A_MACHINE },
	{ "a slice of a slot without an address", "incomplete",
	  N2_METAL S5_OFF("private_ip = NULL") S5_ON FOR_BOTH, A_SLICE, A_MACHINE },
	{ "a slice of a slot without a fabric mode", "incomplete",
	  N2_METAL S5_OFF("fabric_claim_mode = NULL") S5_ON FOR_BOTH, A_SLICE, A_MACHINE },
	{ "a slice of a slot without a fabric function", "incomplete",
	  N2_METAL S5_WIPING_WITH("not_needed", "NULL") S5_WIPED FOR_BOTH, A_SLICE, A_MACHINE },
	{ "a slice of a slot without CPUs", "incomplete",
	  N2_METAL S5_OFF("cpuset = NULL") S5_NO_CPUS S5_ON FOR_BOTH, A_SLICE, A_MACHINE },
	{ "a slice of a slot without memory", "incomplete",
	  N2_METAL S5_OFF("memory_mib = 0") S5_ON FOR_BOTH, A_SLICE, A_MACHINE },
	/* a machine that its tenant had before */
	{ "a claim on a slot out of sale for a machine that is given anew", "sold_once",
	  N2_OFF ALLOC("x", "baremetal") TAKEN_IN("y", "baremetal", "NULL"),
	  NODE("held_by = 'x'", "n2") CLAIM("c5", "x", "n2", "s5", "x"),
	  NODE("held_by = 'y'", "n2") CLAIM("c5", "y", "n2", "s5", "y") },
	{ "a claim on a quarantined slot for a machine that is taken in", "sold_once",
	  TAKEN_IN("y", "baremetal", "NULL") NODE("held_by = 'y'", "n2")
	  SLOT("state = 'quarantined'", "s5"), CLAIM("c5", "y", "n2", "s5", "y"), NULL },
	{ "a slot out of sale used by nobody", "no_claim", N2_OFF,
	  SLOT("state = 'provisioning'", "s5"), NULL },
	{ "a slot taken in before its machine", "no_claim", TAKEN_CLAIMED,
	  SLOT("state = 'provisioning'", "s5"), PROVISIONING("y")
	  SLOT("state = 'provisioning'", "s5") },
	{ "a machine taken in with a slot left out", "sold_once",
	  N2_OFF TAKEN_IN("y", "baremetal", "NULL") NODE("held_by = 'y'", "n2")
	  NODE_CLAIM("cy", "y", "n2") CLAIM("c5", "y", "n2", "s5", "y") PLACED("y", "n2"),
	  PROVISIONING("y"), CLAIM("c6", "y", "n2", "s6", "y") PROVISIONING("y") },
	{ "a slice taken in", "taken_in", "", TAKEN_IN("y", "slice", "NULL"),
	  TAKEN_IN("y", "baremetal", "NULL") },
	{ "a machine taken in with a plan", "taken_in", "", TAKEN_IN("y", "baremetal", "'{}'"),
	  NULL },
	{ "a plan of a machine that was taken in", "taken_in", TAKEN_IN("y", "baremetal", "NULL"),
	  "UPDATE allocation SET plan = '{}'" GEN " WHERE id = 'y'",
	  "UPDATE allocation SET plan = NULL" GEN " WHERE id = 'y'" },
	{ "a machine said to be taken in afterwards", "fixed", ALLOC("y", "baremetal"),
	  "UPDATE allocation SET taken_in = '{}'" GEN " WHERE id = 'y'", NULL },
	{ "another mode for a node that somebody has", "node_in_use", "",
	  NODE("mode = 'baremetal'", "n1"), N2_METAL },
	{ "slices of slots that were approved for baremetal", "node_in_use",
	  N2_METAL S5_OFF("mac = NULL") S5_ON SLOT("state = 'disabled'", "s6"),
	  NODE("mode = 'slice'", "n2"),
	  SLOT("state = 'quarantined'", "s5") NODE("mode = 'slice'", "n2") },
	{ "a disk that is not ours", "storage_not_owned",
	  S2_OFF SLOT("storage_ownership = NULL", "s2"), S2_ON, NULL },
	{ "no wipe policy", "no_wipe_policy", S2_OFF SLOT("wipe_verify = NULL", "s2"), S2_ON,
	NULL },
	{ "failed health", "health_failed", S2_OFF SLOT("health_state = 'failed'", "s2"), S2_ON,
	  NULL },
	{ "a blocker", "not_ready", S2_OFF SLOT("blockers = '[{\"code\":\"x\"}]'", "s2"), S2_ON,
	  NULL },
	{ "health failing on sale", "in_use", "", SLOT("health_state = 'failed'", "s2"),
	  SLOT("health_state = 'failed', state = 'disabled'", "s2") },
	{ "health failing while a plan has the slot", "in_use",
	  ALLOC("x", "slice") CLAIM("x", "x", "n1", "s2", "slices") SLOT("state = 'reserved'",
	  "s2"), SLOT("health_state = 'failed'", "s2"), SLOT("health_state = 'ok'", "s2") },
	{ "health failing as a plan gives the slot back", "in_use",
	  ALLOC("x", "slice") CLAIM("x", "x", "n1", "s2", "slices") SLOT("state = 'reserved'",
	  "s2"), SLOT("health_state = 'failed', state = 'available'", "s2"),
	  SLOT("health_state = 'ok', state = 'available'", "s2") },
	{ "a blocker that comes while it is reserved", "in_use",
	  ALLOC("x", "slice") CLAIM("x", "x", "n1", "s2", "slices") SLOT("state = 'reserved'",
	  "s2"), SLOT("blockers = '[{\"code\":\"x\"}]'", "s2"), SLOT("blockers = '[]'", "s2") },
	{ "a blocker on sale", "in_use", "", SLOT("blockers = '[{\"code\":\"x\"}]'", "s2"),
	  SLOT("blockers = '[{\"code\":\"x\"}]', state = 'disabled'", "s2") },
	/* usage */
	{ "the beginning of a span", "usage_fixed", "",
	  "UPDATE usage SET started_at = 'x' WHERE id = 1",
	  "UPDATE usage SET ended_at = '2026-04-01T00:00:00.000000Z' WHERE id = 1" },
	{ "the end of a span that ended", "usage_fixed", "",
	  "UPDATE usage SET ended_at = '2026-04-01T00:00:00.000000Z' WHERE id = 2", NULL },
	{ "a span that ends before it began", "usage_time", "",
	  "UPDATE usage SET ended_at = '2025-04-01T00:00:00.000000Z' WHERE id = 1", NULL },
	{ "the price of a span", "usage_fixed", "", "UPDATE usage SET price_micros = 0", NULL },
	{ "a span of usage for another project", "usage_whose", "",
	  "INSERT INTO usage (allocation_id, usage_kind, count, price_micros, started_at, number, "
	  "project, profile, node_id) SELECT id, 'cleanup', 1, 5, " D2
	  ", number, 'other', profile, "
	  "node_id FROM allocation WHERE id = 'a3'",
	  "INSERT INTO usage (allocation_id, usage_kind, count, price_micros, started_at"
	  WHOSE("id, 'cleanup', 1, 5, " D2, "a3") },
	{ "a span of usage on another node", "usage_whose", "",
	  "INSERT INTO usage (allocation_id, usage_kind, count, price_micros, started_at, number, "
	  "project, profile, node_id) SELECT id, 'cleanup', 1, 5, " D2
	  ", number, project, profile, "
	  "'n9' FROM allocation WHERE id = 'a3'", NULL },
	{ "a span of usage of nobody's", "usage_whose", "",
	  "INSERT INTO usage (allocation_id, usage_kind, count, price_micros, started_at) "
	  "VALUES ('a3', 'cleanup', 1, 5, " D2 ")", NULL },
	{ "a span of usage that begins within the one before it", "usage_follows", "",
	  "INSERT INTO usage (allocation_id, usage_kind, count, price_micros, started_at"
	  WHOSE("id, 'cleanup', 1, 5, '2026-03-01T23:59:59.999999Z'", "a3"),
	  "INSERT INTO usage (allocation_id, usage_kind, count, price_micros, started_at"
	  WHOSE("id, 'cleanup', 1, 5, '2026-03-02T00:00:00.000000Z'", "a3") },
	{ "a closed span inside the open one", "usage_follows", "", SPAN("a1", D2, D3), NULL },
	{ "a closed span before the open one", "usage_follows", "",
	  SPAN("a1", "'2026-02-28T00:00:00.000000Z'", "'2026-02-28T00:00:01.000000Z'"), NULL },
	{ "a span that is over before it began", "usage_time", "", SPAN("a3", D3, D2),
	  SPAN("a3", D2, D3) },
	{ "a span of another number of GPUs", "usage_price", "",
	  SPAN_OF("a3", "8", "accelerator_type", "price_micros", D2, D3), SPAN("a3", D2, D3) },
	{ "a span at another price", "usage_price", "",
	  SPAN_OF("a3", "count", "accelerator_type", "1000000000000", D2, "NULL"), NULL },
	{ "a span of another type", "usage_price", "",
	  SPAN_OF("a3", "count", "'amd-mi300x'", "price_micros", D2, "NULL"), NULL },
	{ "a span of an allocation that is released", "usage_life", A3_RELEASED,
	  SPAN("a3", D2, "NULL"), NULL },
	{ "a span before its allocation was made", "usage_life", A7,
	  SPAN("a7", "'2026-02-27T23:59:59.999999Z'", "NULL"),
	  SPAN("a7", "'2026-02-28T00:00:00.000000Z'", "NULL") },
	{ "a span that begins in the future", "usage_life", "", SPAN("a3", LATE, "NULL"), NULL },
	{ "a span that ends in the future", "usage_time", "", SPAN("a3", D2, LATE), NULL },
	{ "an open span that ends in the future", "usage_time", "",
	  "UPDATE usage SET ended_at = " LATE " WHERE id = 1", NULL },
	{ "a span that ends at no time", "usage_time", "",
	  "UPDATE usage SET ended_at = '2026-04-01T00:00:00Z' WHERE id = 1", NULL },
	{ "a span that ends on 30 February", "usage_time", "",
	  "UPDATE usage SET ended_at = '2026-04-31T00:00:00.000000Z' WHERE id = 1", NULL },
	{ "a span that begins without a fraction of a second", "usage_time", "",
	  SPAN("a3", "'2026-03-02T00:00:00Z'", "NULL"), SPAN("a3", D2, "NULL") },
	{ "a span that begins yesterday", "usage_time", "", SPAN("a3", "'yesterday'", "NULL"),
	  NULL },
	{ "a span that begins in the month 13", "usage_time", "",
	  SPAN("a3", "'2026-13-02T00:00:00.000000Z'", "NULL"), NULL },
	{ "a span that moves to another project", "usage_fixed", "",
	  "UPDATE usage SET project = 'other' WHERE id = 1", NULL },
};

/* Evidence that proves nothing: what differs from good evidence. */
#define VF_OF_S3 "(SELECT fabric_vf_pci_address FROM slot WHERE id = 's3')"
#define TAIL ", " VF_OF_S3 ", 'confirmed'"
static const struct {
	const char *name, *members;
	const char *proof;  /* in the place of W_PROOF; NULL: that */
} weak[] = {
	{ "evidence not started", "'w3b', 'd3', 'g3', " LATE ", " LATE
	  ", 'purge', 'not_started', 'full', 'confirmed', 1", NULL },
	{ "evidence with outcome unknown", "'w3b', 'd3', 'g3', " LATE ", " LATE
	  ", 'purge', 'unknown', 'full', 'confirmed', 1", NULL },
	{ "evidence of a failed wipe", "'w3b', 'd3', 'g3', " LATE ", " LATE
	  ", 'purge', 'failed', 'full', 'confirmed', 1", NULL },
	{ "evidence below the policy", "'w3b', 'd3', 'g3', " LATE ", " LATE
	  ", 'clear', 'confirmed', 'full', 'confirmed', 1", NULL },
	{ "evidence of no class", "'w3b', 'd3', 'g3', " LATE ", " LATE
	  ", 'none', 'confirmed', 'full', 'confirmed', 1", NULL },
	{ "sampled where full is required", "'w3b', 'd3', 'g3', " LATE ", " LATE
	  ", 'purge', 'confirmed', 'sampled', 'confirmed', 1", NULL },
	{ "not read back", "'w3b', 'd3', 'g3', " LATE ", " LATE
	  ", 'purge', 'confirmed', NULL, 'confirmed', 1", NULL },
	{ "GPU memory not proven", "'w3b', 'd3', 'g3', " LATE ", " LATE
	  ", 'purge', 'confirmed', 'full', 'not_proven', 1", NULL },
	{ "GPU memory not needed", "'w3b', 'd3', 'g3', " LATE ", " LATE
	  ", 'purge', 'confirmed', 'full', 'not_needed', 1", NULL },
	{ "GPU memory failed", "'w3b', 'd3', 'g3', " LATE ", " LATE
	  ", 'purge', 'confirmed', 'full', 'failed', 1", NULL },
	{ "another disk", "'w3b', 'd2', 'g3', " LATE ", " LATE
	  ", 'purge', 'confirmed', 'full', 'confirmed', 1", NULL },
	{ "another GPU", "'w3b', 'd3', 'g2', " LATE ", " LATE
	  ", 'purge', 'confirmed', 'full', 'confirmed', 1", NULL },
	{ "no GPU", "'w3b', 'd3', NULL, " LATE ", " LATE
	  ", 'purge', 'confirmed', 'full', 'confirmed', 1", NULL },
	{ "another order", "'other', 'd3', 'g3', " LATE ", " LATE
	  ", 'purge', 'confirmed', 'full', 'confirmed', 1", NULL },
	{ "not of a lab", "'w3b', 'd3', 'g3', " LATE ", " LATE
	  ", 'purge', 'confirmed', 'full', 'confirmed', 0", NULL },
	{ "a wipe for a state that is no lab", "'w3b', 'd3', 'g3', " LATE ", " LATE
	  ", 'purge', 'confirmed', 'full', 'confirmed', 0",
	  "1, 'confirmed', 'confirmed', 'nvme', 4096, 4096, 0, 0" TAIL },
	{ "a wipe begun before the use", "'w3b', 'd3', 'g3', '2026-02-02T00:00:00.000000Z', " LATE
	  ", 'purge', 'confirmed', 'full', 'confirmed', 1", NULL },
	{ "a GPU that did not come back", GOOD,
	  "1, 'failed', 'confirmed', 'file', 4096, 4096, 0, 0" TAIL },
	{ "a GPU without a word about it", GOOD,
	  "1, NULL, 'confirmed', 'file', 4096, 4096, 0, 0" TAIL },
	{ "a fabric function that did not come back", GOOD,
	  "1, 'confirmed', 'failed', 'file', 4096, 4096, 0, 0" TAIL },
	{ "a fabric function not proven", GOOD,
	  "1, 'confirmed', 'not_proven', 'file', 4096, 4096, 0, 0" TAIL },
	{ "a fabric function that was forgotten", GOOD,
	  "1, 'confirmed', 'not_needed', 'file', 4096, 4096, 0, 0" TAIL },
	{ "a real disk in a lab", GOOD,
	  "1, 'confirmed', 'confirmed', 'nvme', 4096, 4096, 0, 0" TAIL },
	{ "no medium", GOOD,
	  "1, 'confirmed', 'confirmed', NULL, 4096, 4096, 0, 0" TAIL },
	{ "a disk of another size", GOOD,
	  "1, 'confirmed', 'confirmed', 'file', 8192, 8192, 0, 0" TAIL },
	{ "no byte read back", GOOD,
	  "1, 'confirmed', 'confirmed', 'file', 4096, 0, 0, 0" TAIL },
	{ "less than the disk read back", GOOD,
	  "1, 'confirmed', 'confirmed', 'file', 4096, 4095, 0, 0" TAIL },
	{ "a block that is not zero", GOOD,
	  "1, 'confirmed', 'confirmed', 'file', 4096, 4096, 1, 0" TAIL },
	{ "no count of such blocks", GOOD,
	  "1, 'confirmed', 'confirmed', 'file', 4096, 4096, NULL, 0" TAIL },
	{ "a marker that survives", GOOD,
	  "1, 'confirmed', 'confirmed', 'file', 4096, 4096, 0, 1" TAIL },
	{ "no markers", GOOD,
	  "1, 'confirmed', 'confirmed', 'file', 4096, 4096, 0, NULL" TAIL },
	{ "evidence older than the rules", GOOD,
	  "NULL, 'confirmed', 'confirmed', 'file', 4096, 4096, 0, 0" TAIL },
	{ "evidence by no rules", GOOD,
	  "0, 'confirmed', 'confirmed', 'file', 4096, 4096, 0, 0" TAIL },
	{ "another fabric function", GOOD,
	  W_PROOF_WITH("'0000:f0:00.9'") },
	{ "a fabric function without a word about it", GOOD,
	  W_PROOF_WITH("NULL") },
	{ "a guard that refused", GOOD,
	  "1, 'confirmed', 'confirmed', 'file', 4096, 4096, 0, 0, " VF_OF_S3 ", 'failed'" },
	{ "a guard without a word about it", GOOD,
	  "1, 'confirmed', 'confirmed', 'file', 4096, 4096, 0, 0, " VF_OF_S3 ", NULL" },
};

/* Runs it after the preparation, in a transaction that is rolled back. */
static int try_it(sqlite3 *db, const char *before, const char *sql)
{
	int rc;

	w_must(db, "BEGIN");
	w_must(db, before);
	rc = w_run(db, sql);
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL); /* w_message stays */
	return rc;
}

/* One attack that gets through says all there is to say of a mutant. */
static bool mutant;

static bool is_over(void)
{
	return mutant && t_failed;
}

static void attack_all(sqlite3 *db, const char *keys)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(attacks) && !is_over(); i++) {
		ga_autofree char *start = ga_xprintf("%s: ", attacks[i].word);
		int rc = try_it(db, attacks[i].before, attacks[i].attack);

		t_ok((rc & 0xff) == SQLITE_CONSTRAINT && ga_starts(w_message, start),
		     "%s is refused as %s, foreign keys %s", attacks[i].name, attacks[i].word,
		     keys);
		if (!ga_starts(w_message, start))
			printf("# rc %d: %s\n", rc, w_message);
		if (!attacks[i].control)
			continue;
		rc = try_it(db, attacks[i].before, attacks[i].control);
		t_ok(rc == SQLITE_OK, "the control of '%s' is let through", attacks[i].name);
		if (rc != SQLITE_OK)
			printf("# rc %d: %s\n", rc, w_message);
	}
}

/* Columns that stay, each by itself: what a row is, what a tenant was promised, what is billed. */
static const struct {
	const char *table, *row, *also, *word, *columns;
} still[] = {
	{ "meta", "one = 1", "", "fixed", "one lab created_at" },
	{ "node", "id = 'n1'", GEN, "fixed", "number id rowid" },
	{ "device", "id = 'd1'", "", "fixed", "number id device_kind first_seen_at rowid" },
	{ "slot", "id = 's4'", GEN, "fixed", "number id node_id rowid" },
	{ "slot", "id = 's1'", GEN, "in_use",
	  "slot_index shape sharing_mechanism parent_id gpu_id gpu_identity gpu_pci_address "
	  "module_id nvme_wwid fabric_claim_mode fabric_vf_pci_address fabric_pf_pci_address "
	  "numa_node cpuset memory_mib mac private_ip storage_ownership wipe_minimum_class "
	  "wipe_verify wipe_gpu_memory" },
	{ "slot", "id = 's1'", GEN, "evidence", "wipe_evidence_id" },
	{ "claim", "id = 'c1'", "", "fixed",
	  "number id allocation_id node_id slot_id claim_kind created_at held_by rowid" },
	{ "allocation", "id = 'a1'", GEN, "fixed",
	  "number id request_id request project shape created_at created_by count profile "
	  "profile_version profile_record price_micros rowid" },
	{ "profile", "version = 1", "", "fixed", "name version record created_at" },
	{ "usage", "id = 1", "", "usage_fixed",
	  "allocation_id usage_kind count accelerator_type price_micros started_at" },
	{ "usage", "id = 2", "", "usage_fixed", "ended_at" },
	{ "usage", "id = 2", "", "fixed", "rowid oid" },
	{ "wipe_evidence", "id = 'e1'", "", "fixed",
	  "number id slot_id node_id attempt wwid gpu_identity started_at finished_at class "
	  "outcome verify gpu_memory lab digest folded_at record rules gpu_reset vf_state medium "
	  "size_bytes bytes_read mismatches surviving" },
	{ "audit", "seq = 1", "", "fixed",
	  "seq at actor program action object detail previous_hash hash" },
};

static void stand_still(sqlite3 *db, const char *keys)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(still); i++) {
		ga_autofree char *start = ga_xprintf("%s: ", still[i].word);
		const char *p = still[i].columns;

		while (*p) {
			int n = (int)strcspn(p, " ");
			ga_autofree char *sql = ga_xprintf(
				"UPDATE %s SET %.*s = CASE typeof(%.*s) WHEN 'integer' THEN "
				"%.*s + 70 ELSE '77' END%s WHERE %s",
				still[i].table, n, p, n, p, n, p, still[i].also, still[i].row);
			int rc = try_it(db, "", sql);

			t_ok((rc & 0xff) == SQLITE_CONSTRAINT && ga_starts(w_message, start),
			     "%.*s of %s stays as it is, foreign keys %s", n, p, still[i].table,
			     keys);
			if (!ga_starts(w_message, start))
				printf("# rc %d: %s\n", rc, w_message);
			p += n;
			p += strspn(p, " ");
		}
	}
}

/* Each column with a default, of the tables whose triggers ask for one: REPLACE puts the default
 * in place of NULL, but only when triggers have seen the NULL. */
static void never_null(sqlite3 *db, const char *keys)
{
	static const struct {
		const char *table, *row, *columns, *values;
	} t[] = {
		{ "slot", "id = 's4'", "id, node_id, slot_index, since", "'z', 'n1', 99, 'x'" },
		{ "node", "id = 'n2'", "id, since", "'z', 'x'" },
		{ "allocation", "id = 'a1'",
		  "id, request_id, request, project, shape, count, profile, profile_version, "
		  "profile_record, price_micros, created_at, created_by, since",
		  "'z', 'z', '{}', 'p', 'slice', 1, 'h', 1, '{}', 5, 'x', 'me', 'x'" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(t); i++) {
		ga_autofree char *list = ga_xprintf(
			"SELECT group_concat(name, ' ') FROM pragma_table_info('%s') "
			"WHERE \"notnull\" AND dflt_value IS NOT NULL", t[i].table);
		ga_autofree char *columns = ga_xstrdup(w_get(db, list));
		char *at, *column = strtok_r(columns, " ", &at);

		for (; column; column = strtok_r(NULL, " ", &at)) {
			ga_autofree char *update = ga_xprintf(
				"UPDATE OR REPLACE %s SET %s = NULL%s WHERE %s", t[i].table,
				column, strcmp(column, "generation") ? GEN : "", t[i].row);
			ga_autofree char *insert = ga_xprintf(
				"INSERT OR REPLACE INTO %s (%s, %s) VALUES (%s, NULL)",
				t[i].table, t[i].columns, column, t[i].values);

			t_ok((try_it(db, "", update) & 0xff) == SQLITE_CONSTRAINT &&
			     (try_it(db, "", insert) & 0xff) == SQLITE_CONSTRAINT &&
			     ga_starts(w_message, "check: what has a default"),
			     "%s of %s is never NULL, foreign keys %s: %s", column, t[i].table,
			     keys, w_message);
		}
		free(GA_TAKE(list));
		list = ga_xprintf("INSERT INTO %s (%s) VALUES (%s)", t[i].table, t[i].columns,
				  t[i].values);
		t_ok(try_it(db, "", list) == SQLITE_OK, "one of %s without them is let through",
		     t[i].table);
	}
	t_str(w_get(db, "SELECT group_concat(t.name || '.' || c.name) FROM sqlite_schema t, "
			"pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT IN "
			"('slot', 'node', 'allocation') AND c.\"notnull\" AND "
			"c.dflt_value IS NOT NULL AND EXISTS (SELECT 1 FROM sqlite_schema g WHERE "
			"g.type = 'trigger' AND g.tbl_name = t.name AND "
			"g.sql LIKE '%NEW.' || c.name || '%')"), "",
	      "triggers of other tables ask for no column that has a default");
}

static void weak_evidence(sqlite3 *db, const char *keys)
{
	static const char *const ways[] = {
		TO_AVAILABLE("x"),
		A3_RELEASED SLOT("state = 'disabled', wipe_evidence_id = 'x'", "s3")
		SLOT("state = 'available'", "s3"),
		A3_RELEASED SLOT("state = 'disabled', wipe_evidence_id = 'x'", "s3")
		"UPDATE device SET dirty_since = NULL, cleared_by = 'x' WHERE id = 'd3'",
	};
	size_t i, w;

	for (i = 0; i < GA_ARRAY_SIZE(weak); i++) {
		ga_autofree char *insert = ga_xprintf(
			"INSERT INTO wipe_evidence (id, slot_id, node_id, attempt, wwid, "
			"gpu_identity, "
			"started_at, finished_at, class, outcome, verify, gpu_memory, lab, digest, "
			"record, folded_at, " W_PROOF_COLUMNS ") VALUES ('x', 's3', 'n1', %s, "
			"'dx', '{}', 'now', %s);",
			weak[i].members, weak[i].proof ? weak[i].proof : W_PROOF_OF("s3"));

		for (w = 0; w < GA_ARRAY_SIZE(ways); w++) {
			int rc = try_it(db, insert, ways[w]);

			t_ok((rc & 0xff) == SQLITE_CONSTRAINT && ga_starts(w_message, "tainted: "),
			     "%s clears nothing, way %zu, foreign keys %s", weak[i].name, w, keys);
			if (!ga_starts(w_message, "tainted: "))
				printf("# rc %d: %s\n", rc, w_message);
		}
	}
}

/* How many slots of each node there are, free, waiting and disabled: as counted, as they are. */
static void is_counted(sqlite3 *db, const char *after)
{
	ga_autofree char *is = ga_xstrdup(
		w_get(db, "SELECT group_concat(x, ' ') FROM (SELECT node_id || ':' || count(*) || "
			  "'/' || sum(state = 'available') || '/' || sum(state IN ('releasing', "
			  "'wiping')) || '/' || sum(state = 'disabled') AS x FROM slot WHERE "
			  "retired = 0 GROUP BY node_id)"));

	t_str(w_get(db, "SELECT group_concat(x, ' ') FROM (SELECT node_id || ':' || sum(slots) || "
			"'/' || sum(free) || '/' || sum(waiting) || '/' || sum(disabled) AS x "
			"FROM node_capacity GROUP BY node_id)"), is, "slots counted after %s",
	      after);
}

/* The counts are for lists: what is wrong with them keeps no slot from moving. */
static void wrongly_counted(sqlite3 *db)
{
	static const char *const wrong[] = {
		"UPDATE node_capacity SET free = 0, waiting = 0",
		"UPDATE node_capacity SET free = slots - waiting - disabled",
		"DELETE FROM node_capacity",
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(wrong); i++) {
		ga_autofree char *sql = ga_xprintf("BEGIN;%s;%s", wrong[i],
						   EVIDENCE("x", "s3", GOOD) TO_AVAILABLE("x"));

		w_must(db, sql);
		w_must(db, SLOT("state = 'disabled'", "s2"));
		w_must(db, "ROLLBACK");
	}
}

/* The writes of the triggers themselves on the good way. */
static void good_way(sqlite3 *db)
{
	is_counted(db, "they were made");
	w_must(db, "BEGIN;" EVIDENCE("x", "s3", GOOD) TO_AVAILABLE("x"));
	is_counted(db, "one became available");
	t_str(w_get(db, "SELECT count(*) FROM device WHERE id IN ('d3', 'n1/g3') "
			"AND dirty_since IS NULL AND cleared_by = 'x'"), "2",
	      "good evidence clears disk and GPU");
	t_str(w_get(db, "SELECT live || length(ended_at) FROM claim WHERE id = 'c3'"), "027",
	      "the claim ends with the wipe, at a time of 27 characters");
	t_str(w_get(db, "SELECT held_by FROM node WHERE id = 'n1'"), "slices",
	      "the node stays held for the other claim");
	w_must(db, S1_QUARANTINED A1_RELEASED SLOT("state = 'disabled'", "s1"));
	t_str(w_get(db, "SELECT held_by IS NULL FROM node WHERE id = 'n1'"), "1",
	      "the node is free when its last claim ended");
	t_str(w_get(db, "SELECT dirty_since IS NOT NULL FROM device WHERE id = 'd1'"), "1",
	      "quarantine leaves the taint");
	w_must(db, "UPDATE device SET destroy_data_by = 'me' WHERE id = 'd1'");
	w_must(db, SLOT("state = 'retired', retired = 1, disposal = 'shredded'", "s1"));
	t_str(w_get(db, "SELECT count(*) FROM slot_cpu WHERE slot_id = 's1'"), "0",
	      "a retired slot gives its CPUs back");
	t_str(w_get(db, "SELECT coalesce(destroy_data_by, 'ended') FROM device WHERE id = 'd1'"),
	      "ended", "leave to destroy ends with its slot");
	is_counted(db, "one was retired");
	w_must(db, "INSERT INTO slot (id, node_id, slot_index, since, nvme_wwid, gpu_id) VALUES "
		   "('y', 'n1', 1, 'x', 'd1', 'n1/g1')");
	t_str(w_get(db, "SELECT dirty_since IS NOT NULL FROM device WHERE id = 'd1'"), "1",
	      "a new slot of the same disk finds it tainted");
	is_counted(db, "one was born");
	w_must(db, "ROLLBACK");
	w_must(db, "BEGIN;" ALLOC("x", "baremetal") NODE("held_by = 'x'", "n2")
		       NODE_CLAIM("cx", "x", "n2") CLAIM("c5", "x", "n2", "s5", "x")
			       CLAIM("c6", "x", "n2", "s6", "x") SLOT("state = 'reserved'", "s5")
				       SLOT("state = 'reserved'", "s6")
					       SLOT("state = 'available'", "s5")
						       SLOT("state = 'available'", "s6"));
	t_str(w_get(db, "SELECT count(*) FROM claim WHERE allocation_id = 'x' AND live = 1"), "0",
	      "the node claim ends with the last of its slots");
	t_str(w_get(db, "SELECT held_by IS NULL FROM node WHERE id = 'n2'"), "1",
	      "and the node is free");
	w_must(db, "ROLLBACK");
	w_must(db, "BEGIN;" ALLOC("x", "slice") CLAIM("cx", "x", "n1", "s2", "slices")
		       SLOT("state = 'reserved'", "s2"));
	t_str(w_get(db, "SELECT count(*) FROM device WHERE id IN ('d2', 'n1/g2') AND "
			"dirty_since IS NULL"), "2", "what is reserved is clean");
	w_must(db, SLOT("state = 'provisioning'", "s2"));
	t_str(w_get(db, "SELECT count(*) FROM device WHERE id IN ('d2', 'n1/g2') AND "
			"length(dirty_since) = 27 AND dirtied_by = 'x'"), "2",
	      "disk and GPU are tainted when provisioning begins");
	w_must(db, "ROLLBACK");
	w_must(db, "BEGIN;" S2_OFF SLOT("state = 'wiping', wipe_attempt = 'w2b'", "s2") S2_WIPED
		       SLOT("state = 'available', wipe_evidence_id = 'x'", "s2"));
	t_str(w_get(db, "SELECT count(*) FROM device WHERE id IN ('d2', 'n1/g2') AND "
			"cleared_by = 'x'"), "2", "of a clean slot, too, the newest wipe counts");
	w_must(db, "ROLLBACK");
	/* Devices that a tenant had before are tainted, also those that counted as clean. */
	w_must(db, "BEGIN;" TAKEN_CLAIMED PROVISIONING("y") SLOT("state = 'provisioning'", "s5")
		       SLOT("state = 'provisioning'", "s6") SLOT("state = 'active'", "s5")
			       SLOT("state = 'active'", "s6"));
	t_str(w_get(db, "SELECT count(*) FROM device WHERE node_id = 'n2' AND dirtied_by = 'y'"),
	      "4", "the devices of a machine that is taken in are tainted");
	is_counted(db, "one was taken in");
	w_must(db, "ROLLBACK");
	/* A disk of the node that no slot has, wiped once, is the tenant's too. */
	w_must(db, "BEGIN;" SLOT("state = 'disabled'", "s6")
		       SLOT("state = 'retired', retired = 1", "s6") ALLOC("x", "baremetal")
		       NODE("held_by = 'x'", "n2") NODE_CLAIM("cx", "x", "n2")
		       CLAIM("c5", "x", "n2", "s5", "x") PLACED("x", "n2"));
	t_str(w_get(db, "SELECT dirty_since IS NULL FROM device WHERE id = 'd6'"), "1",
	      "a spare disk is clean");
	w_must(db, PROVISIONING("x"));
	t_str(w_get(db, "SELECT dirtied_by FROM device WHERE id = 'd6'"), "x",
	      "until its node is handed over");
	w_must(db, "ROLLBACK");
}

static void all_attacks(sqlite3 *db, const char *keys)
{
	void (*const groups[])(sqlite3 *db, const char *keys) = {
		attack_all, never_null, weak_evidence, stand_still,
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(groups) && !is_over(); i++)
		groups[i](db, keys);
}

/* Without arguments the test. "--mutants" lists what can be taken out of the triggers, and
 * "--mutant NUMBER" attacks a state without it: tests/mutate-triggers. */
int main(int argc, char **argv)
{
	sqlite3 *db = w_open();

	if (argc == 2 && ga_streq(argv[1], "--mutants")) {
		m_list(db);
		w_close(db);
		return 0;
	}
	w_fill(db);
	mutant = argc == 3 && ga_streq(argv[1], "--mutant");
	if (mutant)
		m_make(db, strtoul(argv[2], NULL, 10));
	good_way(db);
	wrongly_counted(db);
	all_attacks(db, "on");
	w_must(db, "PRAGMA foreign_keys=OFF");
	if (!is_over())
		all_attacks(db, "off");
	w_close(db);
	return t_done();
}
