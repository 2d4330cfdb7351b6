/* SPDX-License-Identifier: Apache-2.0 */
/* The fold: every result that may enter the state, and every result that must not. */
#include "state/node/node.h"
#include "state_world.h"

static void first_wipe(void)
{
	struct ga_db *db = sw_open(2);
	struct ga_err err = GA_ERR_INIT;
	struct ga_wipe_evidence e;

	sw_evidence(1, "wf000001", 2, &e);
	t_int(sw_fold(db, &ga_wipe_evidence_schema, &e, &err), 1, "evidence changes the state");
	t_str(sw_slot_is(db, 1), "available", "a confirmed first wipe makes a slot available");
	t_str(sw_get(db, "SELECT count(*) FROM device WHERE dirty_since IS NULL"), "2",
	      "disk and GPU are clean, those of the other slot are not");
	t_int(sw_fold(db, &ga_wipe_evidence_schema, &e, &err), 0, "folding it again changes "
		"nothing");
	t_str(sw_get(db, "SELECT count(*) FROM wipe_evidence"), "1", "one row of evidence");
	t_str(sw_get(db, "SELECT count(*) FROM audit WHERE action = 'wiped'"), "1", "one audit "
		"row");
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	sw_close(db);
}

/* ---- evidence that does not make a slot available ---- */

struct spoiled {
	const char *what, *code;
	size_t offset; /* of a text in the record */
	const char *value;
};

#define AT(m) offsetof(struct ga_wipe_evidence, m)

static const struct spoiled spoiled[] = {
	{ "failed", "wipe_failed", AT(outcome), "failed" },
	{ "unknown", "wipe_unknown", AT(outcome), "unknown" },
	{ "not started", "wipe_not_started", AT(outcome), "not_started" },
	{ "of no class", "wipe_below_policy", AT(class), "none" },
	{ "of another disk", "wrong_device", AT(device.wwid), "d9" },
	{ "beside another GPU", "wrong_device", AT(gpu_identity), "g9" },
	{ "with GPU memory failed", "gpu_memory_not_proven", AT(gpu_memory.outcome), "failed" },
	{ "older than the taint", "wipe_too_old", AT(started_at), "2025-01-01T00:00:00.000000Z" },
	{ "that ends next century", "wipe_ahead", AT(finished_at), "2126-01-01T00:00:00.000000Z" },
	{ "of another time format", NULL, AT(finished_at), "2024-01-01T00:00:00.000000Z" },
};

static void spoil(struct ga_wipe_evidence *e, const struct spoiled *s)
{
	char **text = (char **)(void *)((char *)e + s->offset);

	free(*text);
	*text = ga_xstrdup(s->value);
	ga_wipe_evidence_seal(e);
}

static void blocked(const struct spoiled *s)
{
	struct ga_db *db = sw_open(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_wipe_evidence e;
	int r;

	sw_evidence(1, "wf000001", 2, &e);
	spoil(&e, s);
	r = sw_fold(db, &ga_wipe_evidence_schema, &e, &err);
	if (s->code) {
		t_int(r, 1, "a wipe %s is folded", s->what);
		t_str(sw_slot_is(db, 1), "cleanup_blocked", "and blocks the slot");
		t_str(sw_get(db, "SELECT json_extract(blockers, '$[0].code') FROM slot"), s->code,
		      "with its code");
	} else {
		t_code(r, &err, GA_CONFLICT, NULL, "a wipe %s is refused", s->what);
		t_str(sw_slot_is(db, 1), "wiping", "and moves nothing");
	}
	t_str(sw_get(db, "SELECT count(*) FROM device WHERE dirty_since IS NULL"), "0",
	      "the taint stays");
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	sw_close(db);
}

static void sampled_below_full(void)
{
	struct ga_db *db = sw_open(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_wipe_evidence e;

	sw_evidence(1, "wf000001", 2, &e);
	free(e.read_back->verify);
	e.read_back->verify = ga_xstrdup("sampled");
	ga_wipe_evidence_seal(&e);
	t_int(sw_fold(db, &ga_wipe_evidence_schema, &e, &err), 1, "a sampled read-back is folded");
	t_str(sw_slot_is(db, 1), "cleanup_blocked", "but is below a policy of full");
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	sw_close(db);
}

static void refused_evidence(void)
{
	struct ga_db *db = sw_open(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_wipe_evidence e;

	sw_evidence(1, "wf000009", 2, &e);
	t_code(sw_fold(db, &ga_wipe_evidence_schema, &e, &err), &err, GA_CONFLICT,
	       "has changed since", "evidence of another attempt");
	t_str(err.reason, "concurrent_update", "has its reason");
	e.lab = false;
	t_code(sw_fold(db, &ga_wipe_evidence_schema, &e, &err), &err, GA_CONFLICT, "lab",
	       "evidence of real disks in a lab");
	t_str(err.reason, "lab", "has its reason");
	e.lab = true;
	e.dry_run = true;
	t_code(sw_fold(db, &ga_wipe_evidence_schema, &e, &err), &err, GA_CONFLICT, "dry run",
	       "evidence of a dry run");
	e.dry_run = false;
	free(e.attempt);
	e.attempt = ga_xstrdup("wf000001");
	t_code(sw_fold(db, &ga_wipe_evidence_schema, &e, &err), &err, GA_BADREC, "changed",
	       "evidence that was changed after it was sealed");
	free(e.object);
	e.object = NULL;
	ga_wipe_evidence_seal(&e);
	t_code(sw_fold(db, &ga_wipe_evidence_schema, &e, &err), &err, GA_CONFLICT,
	       "no order of a state", "evidence of a wipe alone");
	t_str(err.reason, "no_slot", "has its reason");
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	t_str(sw_slot_is(db, 1), "wiping", "nothing moved");
	t_str(sw_get(db, "SELECT count(*) FROM folded"), "0", "nothing is taken as folded");
	sw_close(db);
}

static void remaining_blockers(void)
{
	struct ga_db *db = sw_open(2);

	sw_begin(db);
	sw_sql(db,
	       "UPDATE slot SET blockers = "
	       "'[{\"code\":\"tainted\",\"subject\":null,\"evidence\":"
	       "null,\"hint\":null},{\"code\":\"missing_ip\",\"subject\":null,\"evidence\":null,"
	       "\"hint\":null}]', generation = generation + 1 WHERE id = 's0000001'");
	sw_sql(db, "UPDATE slot SET cordon = 'to be retired', generation = generation + 1 "
		   "WHERE id = 's0000002'");
	sw_commit(db);
	sw_ready(db, 1);
	sw_ready(db, 2);
	t_str(sw_slot_is(db, 1), "disabled", "a wiped slot with other blockers is not for sale");
	t_str(sw_get(db, "SELECT group_concat(json_extract(value, '$.code')) FROM slot, "
			 "json_each(blockers) WHERE slot.id = 's0000001'"),
	      "missing_ip", "what the wipe answered is gone");
	t_str(sw_slot_is(db, 2), "disabled", "a cordoned slot is not for sale");
	sw_close(db);
}

/* ---- provisioning ---- */

static struct ga_db *placed_world(int slots)
{
	struct ga_db *db = sw_open(slots);
	int i;

	for (i = 1; i <= slots; i++)
		sw_ready(db, i);
	sw_place(db, 1, 1, slots > 1 ? 2 : 1);
	return db;
}

static void provisioning(void)
{
	struct ga_db *db = placed_world(2);
	struct ga_err err = GA_ERR_INIT;

	t_int(sw_progress(db, 1, "hold", "started", &err), 1, "the hold is folded");
	t_str(sw_allocation_is(db, 1), "placed", "looking moves nothing");
	t_int(sw_progress(db, 1, "clone", "started", &err), 1, "the clone begins");
	t_str(sw_allocation_is(db, 1), "provisioning", "the allocation is provisioning");
	t_str(sw_slot_is(db, 2), "provisioning", "with its slots");
	t_str(sw_get(db, "SELECT count(*) FROM device WHERE dirty_since IS NOT NULL"), "4",
	      "their devices are tainted");
	t_str(sw_get(db, "SELECT usage_kind FROM usage WHERE ended_at IS NULL"), "provisioning",
	      "its time is provisioning");
	t_int(sw_progress(db, 1, "clone", "running", &err), 1, "the clone goes on");
	t_int(sw_progress(db, 1, "clone", "finished", &err), 1, "the clone ends");
	t_int(sw_progress(db, 1, "clone", "running", &err), 1, "a word of it that comes late");
	t_str(sw_get(db, "SELECT count(*) FROM folded WHERE kind = 'gpuaas.progress/1'"), "3",
	      "what is still running is not remembered");
	t_str(sw_get(db, "SELECT state FROM task WHERE phase = 'clone'"), "finished",
	      "one row of the timeline a phase");
	t_int(sw_active(db, 1, &err), 1, "it is active");
	t_str(sw_allocation_is(db, 1), "active", "the state says so");
	t_str(sw_slot_is(db, 1), "active", "of the slots too");
	t_str(sw_get(db, "SELECT group_concat(usage_kind || (ended_at IS NULL)) FROM usage"),
	      "provisioning0,active1", "billing began");
	t_int(sw_active(db, 1, &err), 0, "folding it again changes nothing");
	t_str(sw_get(db, "SELECT count(*) FROM usage"), "2", "and bills nothing twice");
	sw_close(db);
}

static void only_the_result(void)
{
	struct ga_db *db = placed_world(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_allocation a = sw_running(TXT("a0000001"), TXT("pa000009"));

	t_code(sw_fold(db, &ga_allocation_schema, &a, &err), &err, GA_CONFLICT,
	       "expected attempt pa000009 of generation 2, found attempt pa000001 of generation 2",
	       "a result of another attempt");
	t_str(err.reason, "concurrent_update", "has its reason");
	a.attempt = TXT("pa000001");
	a.generation = 3;
	t_code(sw_fold(db, &ga_allocation_schema, &a, &err), &err, GA_CONFLICT, "generation 3",
	       "a result of another generation");
	a.generation = 2;
	a.dry_run = true;
	t_code(sw_fold(db, &ga_allocation_schema, &a, &err), &err, GA_CONFLICT, "dry run",
	       "a result of a dry run");
	a.dry_run = false;
	a.lab = false;
	t_code(sw_fold(db, &ga_allocation_schema, &a, &err), &err, GA_CONFLICT, "lab",
	       "a result of real disks");
	t_str(sw_allocation_is(db, 1), "placed", "none of them moved it");
	t_int(sw_active(db, 1, &err), 1, "a result without progress before it");
	t_str(sw_slot_is(db, 1), "active", "goes all the way");
	t_str(sw_get(db, "SELECT count(*) FROM device WHERE dirty_since IS NOT NULL"), "2",
	      "and taints on it");
	sw_close(db);
}

static void failures(void)
{
	struct ga_db *db = placed_world(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_release_order o;
	bool has_order;

	t_int(sw_failure(db, 1, "gpuaas-provision", "pa000001", 2, "prerequisites", &err), 1,
	      "a failure before the first write");
	t_str(sw_allocation_is(db, 1), "placed", "can be tried again");
	t_str(sw_slot_is(db, 1), "reserved", "nothing was tainted");
	sw_progress(db, 1, "clone", "started", &err);
	t_int(sw_failure(db, 1, "gpuaas-provision", "pa000001", 2, "hold", &err), 1,
	      "a second worker that did not get the hold");
	t_str(sw_allocation_is(db, 1), "provisioning", "does not fail the first");
	t_int(sw_failure(db, 1, "gpuaas-provision", "pa000001", 2, "lease_seen", &err), 1,
	      "a failure after the first write");
	t_str(sw_allocation_is(db, 1), "failed", "is one");
	t_str(sw_slot_is(db, 1), "cleanup_blocked", "and blocks the slot");
	t_str(sw_get(db, "SELECT reason FROM allocation"), "lease_seen: no lease was seen",
	      "phase and reason are kept");
	t_str(sw_get(db, "SELECT count(*) FROM usage WHERE ended_at IS NULL"), "0",
	      "nothing is billed");
	t_code(sw_failure(db, 1, "gpuaas-provision", "pa000007", 2, "clone", &err), &err,
		GA_CONFLICT,
	       "has changed since", "a failure of another attempt");
	t_int(sw_release(db, 1, &o, &has_order, &err), 0, "release leaves failed");
	t_str(sw_slot_is(db, 1), "releasing", "the slot with it");
	t_int(sw_released(db, &o, &err), 1, "the host is free of it");
	t_int(sw_wiped(db, 1, o.bundles.v[0].wipe_attempt, o.bundles.v[0].generation), 1,
	      "it is wiped");
	t_str(sw_slot_is(db, 1), "available", "and available again");
	t_str(sw_get(db, "SELECT blockers FROM slot"), "[]", "what blocked it is answered");
	ga_schema_release(&ga_release_order_schema, &o);
	sw_close(db);
}

/* ---- release ---- */

static void release_and_wipe(void)
{
	struct ga_db *db = placed_world(2);
	struct ga_err err = GA_ERR_INIT;
	struct ga_release_order o, again;
	bool has_order;

	sw_must(sw_active(db, 1, &err));
	t_int(sw_release(db, 1, &o, &has_order, &err), 0, "release");
	t_ok(has_order && o.bundles.n == 2, "an order with both slots");
	t_str(sw_get(db, "SELECT group_concat(usage_kind || (ended_at IS NULL)) FROM usage"),
	      "provisioning0,active0,cleanup1", "billing ended at the request");
	t_int(sw_release(db, 1, &again, &has_order, &err), 0, "asked again");
	t_ok(has_order && ga_streq(o.attempt, again.attempt) && o.generation == again.generation,
	     "it is the same order");
	t_int(sw_wiped(db, 1, o.bundles.v[0].wipe_attempt, o.bundles.v[0].generation), -1,
	      "no wipe counts before the release is observed");
	t_int(sw_released(db, &o, &err), 1, "the host is free of it");
	t_str(sw_allocation_is(db, 1), "released", "it is released");
	t_str(sw_get(db, "SELECT power_observed FROM allocation"), "off", "and off");
	t_str(sw_slot_is(db, 1), "wiping", "its slots are wiping");
	t_int(sw_released(db, &o, &err), 0, "told again, nothing changes");
	t_str(sw_get(db, "SELECT count(*) FROM claim WHERE live = 1"), "2", "the claims live on");
	t_int(sw_wiped(db, 1, o.bundles.v[0].wipe_attempt, o.bundles.v[0].generation + 1), -1,
	      "a wipe of another generation is refused");
	t_int(sw_wiped(db, 1, o.bundles.v[0].wipe_attempt, o.bundles.v[0].generation), 1,
	      "the first slot is wiped");
	t_str(sw_slot_is(db, 1), "available", "and free");
	t_str(sw_get(db, "SELECT count(*) FROM usage WHERE ended_at IS NULL"), "1",
	      "clean-up goes on");
	t_int(sw_wiped(db, 2, o.bundles.v[1].wipe_attempt, o.bundles.v[1].generation), 1,
	      "the second slot is wiped");
	t_str(sw_get(db, "SELECT count(*) FROM claim WHERE live = 1"), "0", "no claim lives");
	t_str(sw_get(db, "SELECT held_by FROM node"), "", "nobody holds the node");
	t_str(sw_get(db, "SELECT count(*) FROM usage WHERE ended_at IS NULL"), "0",
	      "clean-up is over");
	ga_schema_release(&ga_release_order_schema, &o);
	ga_schema_release(&ga_release_order_schema, &again);
	sw_close(db);
}

static void cancel(void)
{
	struct ga_db *db = placed_world(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_release_order o;
	bool has_order;

	t_int(sw_release(db, 1, &o, &has_order, &err), 0, "release of a plan nobody took up");
	t_ok(!has_order, "needs no order");
	t_str(sw_allocation_is(db, 1), "cancelled", "it is cancelled");
	t_str(sw_slot_is(db, 1), "available", "its slot is free");
	t_code(sw_progress(db, 1, "clone", "started", &err), &err, GA_CONFLICT, "its plan is over",
	       "a host that took the plan up after all has to stop");
	t_int(sw_failure(db, 1, "gpuaas-provision", "pa000001", 2, "recheck", &err), 1,
	      "who only looked did no harm");
	t_str(sw_slot_is(db, 1), "available", "and nothing moved");
	t_code(sw_release(db, 1, &o, &has_order, &err), &err, GA_CONFLICT, "nothing to release",
	       "release of what is over");
	sw_close(db);
}

static void release_while_it_is_made(void)
{
	struct ga_db *db = placed_world(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_release_order o;
	bool has_order;

	t_int(sw_progress(db, 1, "clone", "started", &err), 1, "its host makes it");
	t_code(sw_release(db, 1, &o, &has_order, &err), &err, GA_CONFLICT, "its host is making it",
	       "there is something to release, and not yet");
	t_int(sw_release(db, 1, &o, &has_order, &err), -1, "it is refused");
	t_ok(strstr(err.hint, "gpuaas-provision --resume "), "with what ends it: %s", err.hint);
	ga_err_clear(&err);
	sw_close(db);
}

/* The plan was cancelled here, and a host elsewhere had begun it all the same. */
static void used_after_plan(bool promised)
{
	struct ga_db *db = placed_world(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_release_order o;
	bool has_order;

	sw_must(sw_release(db, 1, &o, &has_order, &err));
	if (promised)
		sw_place(db, 2, 1, 1);
	t_int(promised ? sw_active(db, 1, &err) :
			 sw_failure(db, 1, "gpuaas-provision", "pa000001", 2, "clone", &err),
	      1, "what a host did after all is taken in");
	t_str(sw_slot_is(db, 1), "quarantined", "its slot is taken out of sale");
	t_str(sw_get(db, "SELECT count(*) FROM device WHERE dirty_since IS NULL"), "0",
	      "and tainted");
	t_str(sw_allocation_is(db, 1), "cancelled", "the allocation stays what it is");
	if (promised)
		t_str(sw_allocation_is(db, 2), "cancelled", "the plan on the same slot is "
			"cancelled");
	t_str(sw_get(db, "SELECT count(*) FROM claim WHERE live = 1"), "0", "no claim is left");
	sw_close(db);
}

static void release_fails(void)
{
	struct ga_db *db = placed_world(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_release_order o, second;
	bool has_order;

	sw_progress(db, 1, "clone", "started", &err);
	t_code(sw_release(db, 1, &o, &has_order, &err), &err, GA_CONFLICT, "provisioning",
	       "release while it is provisioned");
	sw_must(sw_active(db, 1, &err));
	sw_must(sw_release(db, 1, &o, &has_order, &err));
	t_int(sw_failure(db, 1, "gpuaas-release", o.attempt, o.generation, "stop", &err), 1,
	      "the release fails");
	t_str(sw_allocation_is(db, 1), "release_failed", "the allocation says so");
	t_str(sw_slot_is(db, 1), "cleanup_blocked", "the slot is blocked");
	t_int(sw_release(db, 1, &second, &has_order, &err), 0, "release again");
	t_ok(!ga_streq(o.attempt, second.attempt), "is another order");
	t_code(sw_released(db, &o, &err), &err, GA_CONFLICT, "has changed since",
	       "what the first order did no longer counts");
	sw_must(sw_failure(db, 1, "gpuaas-release", second.attempt, second.generation, "stop",
		&err));
	t_int(sw_released(db, &second, &err), 1, "the order in force came to its end after all");
	t_str(sw_slot_is(db, 1), "wiping", "the slot is wiped next");
	ga_schema_release(&ga_release_order_schema, &o);
	ga_schema_release(&ga_release_order_schema, &second);
	sw_close(db);
}

/* ---- what hosts see ---- */

static void observations(void)
{
	struct ga_db *db = placed_world(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_observation o = { .node = TXT("n1"), .at = TXT("2026-04-01T00:00:00.000000Z"),
				    .boot_id = TXT("boot2"), .agreed = true };
	struct ga_drift d = { .node = TXT("n1"), .object = TXT("a0000001"),
			      .code = TXT("domain_missing"), .severity = TXT("error"),
			      .observation = TXT("bad"), .age_seconds = GA_UNKNOWN,
			      .at = TXT("2026-04-01T00:00:00.000000Z") };

	sw_must(sw_active(db, 1, &err));
	*ga_list_add(&o.allocations) =
		(struct ga_observed_allocation){ TXT("a0000001"), TXT("off") };
	t_int(sw_fold(db, &ga_observation_schema, &o, &err), 1, "an observation");
	t_str(sw_get(db, "SELECT boot_id FROM node"), "boot2", "the boot id is known");
	t_str(sw_get(db, "SELECT power_observed FROM allocation"), "off", "the power is known");
	o.at = TXT("2026-04-01T00:01:00.000000Z");
	t_int(sw_fold(db, &ga_observation_schema, &o, &err), 0, "the same a minute later");
	sw_sql(db, "INSERT INTO node (id, name, since, region, pool, network) VALUES ('n2', 'h8', "
		   "'2026-01-01T00:00:00.000000Z', 'west', 'prod', '{}')");
	o.node = TXT("n2");
	o.allocations.v[0].power = TXT("on");
	sw_fold(db, &ga_observation_schema, &o, &err);
	t_str(sw_get(db, "SELECT power_observed FROM allocation"), "off",
	      "another node says nothing of the allocation's power");
	o.node = TXT("n9");
	t_code(sw_fold(db, &ga_observation_schema, &o, &err), &err, GA_NOTFOUND, "n9",
	       "of a node that is not ours");
	t_int(sw_fold(db, &ga_drift_schema, &d, &err), 1, "a drift is folded");
	d.at = TXT("2026-04-01T00:01:00.000000Z");
	t_int(sw_fold(db, &ga_drift_schema, &d, &err), 0, "a drift that lasts counts once");
	d.code = TXT("domain_foreign");
	t_int(sw_fold(db, &ga_drift_schema, &d, &err), 1, "another one counts");
	d.severity = TXT("warning");
	t_int(sw_fold(db, &ga_drift_schema, &d, &err), 0, "a warning is not kept");
	ga_list_release(&o.allocations);
	sw_close(db);
}

static void lost_node(void)
{
	struct ga_db *db = sw_open(4);
	struct ga_err err = GA_ERR_INIT;
	struct ga_release_order o;
	bool has_order;
	int i;

	for (i = 1; i <= 4; i++)
		sw_ready(db, i);
	for (i = 1; i <= 3; i++)
		sw_place(db, i, i, 1);
	sw_must(sw_active(db, 1, &err));
	sw_must(sw_progress(db, 2, "clone", "started", &err));
	sw_begin(db);
	sw_must(ga_store_node_lost(db, "n1", "the rack burned", &err));
	sw_commit(db);
	t_str(sw_allocation_is(db, 1), "release_failed", "an active one waits for its host");
	t_str(sw_allocation_is(db, 2), "release_failed", "one in provisioning too");
	t_str(sw_allocation_is(db, 3), "cancelled", "a plan is over");
	t_str(sw_slot_is(db, 1), "cleanup_blocked", "the slot in use is blocked");
	t_str(sw_slot_is(db, 2), "cleanup_blocked", "the one being provisioned too");
	t_str(sw_slot_is(db, 4), "available", "an unused one is as it was");
	t_str(sw_get(db, "SELECT count(*) FROM usage WHERE ended_at IS NULL"), "0", "billing "
		"ended");
	t_str(sw_get(db, "SELECT count(*) FROM device WHERE dirty_since IS NOT NULL"), "4",
	      "the taints stay");
	t_str(sw_get(db, "SELECT state FROM node"), "quarantined", "nothing is placed there");
	t_int(sw_release(db, 1, &o, &has_order, &err), 0, "when it is back, it is released");
	t_str(sw_slot_is(db, 1), "releasing", "by the usual road");
	ga_schema_release(&ga_release_order_schema, &o);
	sw_close(db);
}

static void not_results(void)
{
	struct ga_db *db = placed_world(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_finding f = { .check = TXT("x"), .sentence = TXT("y") };
	struct ga_progress p = { .node = TXT("n1"), .object = TXT("zzzzzzzz"),
				 .attempt = TXT("pa000001"), .generation = 2, .phase = TXT("clone"),
				 .state = TXT("started"), .at = TXT("2026-04-01T00:00:00.000000Z"),
				 .elapsed_micros = GA_UNKNOWN, .bytes = GA_UNKNOWN,
				 .total_bytes = GA_UNKNOWN };

	t_code(sw_fold(db, &ga_finding_schema, &f, &err), &err, GA_BADREC, "no result",
	       "a record that is no result");
	t_code(sw_fold(db, &ga_progress_schema, &p, &err), &err, GA_NOTFOUND, "zzzzzzzz",
	       "progress of an unknown object");
	t_str(err.object, "zzzzzzzz", "and the error names it as its object");
	sw_close(db);
}

/* ---- clocks of hosts that are wrong ---- */

/* Slots and the allocation have a since that is neither in the future nor before. */
static void is_now(struct ga_db *db, const char *before, const char *what)
{
	ga_autofree char *now = ga_time_now();
	ga_autofree char *sql = ga_xprintf(
		"SELECT min(since >= '%s' AND since <= '%s') FROM (SELECT since FROM slot "
		"UNION ALL SELECT since FROM allocation)", before, now);

	t_str(sw_get(db, sql), "1", "%s: since when", what);
}

/* The timeline has each step of a release, and no text of a failure in a phase that was done
 * after it. */
static void timeline(void)
{
	struct ga_db *db = placed_world(2);
	struct ga_err err = GA_ERR_INIT;
	struct ga_step steps[] = {
		{ TXT("trusted_host"), TXT("confirmed"), NULL },
		{ TXT("disk"), TXT("not_proven"), TXT("eui.1: in no slot") },
		{ TXT("disk"), TXT("confirmed"), TXT("eui.2: to be wiped") },
		{ TXT("disk"), TXT("failed"), TXT("eui.3: gone") },
		{ TXT("binding"), TXT("not_needed"), NULL },
	};
	struct ga_release_order o;
	struct ga_released r;
	bool has_order;

	t_int(sw_failure(db, 1, "gpuaas-provision", "pa000001", 2, "recheck", &err), 1,
	      "recheck refused: %s", err.msg);
	t_str(sw_get(db, "SELECT detail FROM task WHERE phase = 'recheck'"), "no lease was seen",
	      "the failure is the detail");
	sw_must(sw_progress(db, 1, "recheck", "finished", &err));
	t_str(sw_get(db, "SELECT ifnull(detail, 'none') FROM task WHERE phase = 'recheck'"),
	      "none", "a finished phase has no text of a failure");
	sw_close(db);
	db = placed_world(2);
	sw_must(sw_active(db, 1, &err));
	t_int(sw_release(db, 1, &o, &has_order, &err), 0, "release: %s", err.msg);
	r = (struct ga_released){ .allocation = o.allocation, .node = o.node,
				  .generation = o.generation, .attempt = o.attempt,
				  .at = TXT("2026-03-01T00:05:00.000000Z"), .lab = true,
				  .steps = { steps, GA_ARRAY_SIZE(steps) } };
	t_int(sw_fold(db, &ga_released_schema, &r, &err), 1, "released: %s", err.msg);
	t_str(sw_get(db, "SELECT group_concat(phase || ' ' || state || "
			 "ifnull(' ' || detail, ''), ', ') FROM (SELECT * FROM task ORDER BY id)"),
	      "trusted_host finished, disk finished not_proven: eui.1: in no slot, "
	      "disk_2 finished eui.2: to be wiped, disk_3 failed eui.3: gone, "
	      "binding finished not_needed",
	      "a row for each step");
	ga_schema_release(&ga_release_order_schema, &o);
	sw_close(db);
}

static void wrong_clock(const char *at)
{
	struct ga_db *db = placed_world(2);
	struct ga_err err = GA_ERR_INIT;
	ga_autofree char *placed = ga_xstrdup(sw_get(db, "SELECT max(since) FROM slot"));
	ga_autofree char *asked = NULL;
	struct ga_allocation a = sw_running(TXT("a0000001"), TXT("pa000001"));
	struct ga_release_order o;
	struct ga_released r;
	bool has_order;

	a.since = (char *)(uintptr_t)at;
	t_int(sw_fold(db, &ga_allocation_schema, &a, &err), 1, "active at %s: %s", at, err.msg);
	is_now(db, placed, "active");
	asked = ga_time_now();
	t_int(sw_release(db, 1, &o, &has_order, &err), 0, "release: %s", err.msg);
	r = (struct ga_released){ .allocation = o.allocation, .node = o.node,
				  .generation = o.generation, .attempt = o.attempt,
				  .at = (char *)(uintptr_t)at, .lab = true };
	t_int(sw_fold(db, &ga_released_schema, &r, &err), 1, "released at %s: %s", at, err.msg);
	t_str(sw_slot_is(db, 1), "wiping", "its slots are wiping");
	is_now(db, asked, "released");
	ga_schema_release(&ga_release_order_schema, &o);
	sw_close(db);
}

static void failure_of_wrong_clock(const char *at)
{
	struct ga_db *db = placed_world(1);
	struct ga_err err = GA_ERR_INIT;
	ga_autofree char *placed = ga_xstrdup(sw_get(db, "SELECT max(since) FROM slot"));
	struct ga_failure f = { .node = TXT("n1"), .object = TXT("a0000001"),
				.attempt = TXT("pa000001"), .generation = 2,
				.program = TXT("gpuaas-provision"), .phase = TXT("clone"),
				.code = TXT("no_lease"), .sentence = TXT("none"), .status = 9,
				.at = (char *)(uintptr_t)at };

	t_int(sw_fold(db, &ga_failure_schema, &f, &err), 1, "failed at %s: %s", at, err.msg);
	t_str(sw_slot_is(db, 1), "cleanup_blocked", "its slot is blocked");
	is_now(db, placed, "failed");
	sw_close(db);
}

/* A slot that an older version has dated ahead gets a time of now with its next state. */
static void dated_ahead_before(void)
{
	struct ga_db *db = placed_world(1);
	struct ga_err err = GA_ERR_INIT;

	sw_begin(db);
	sw_sql(db, "UPDATE slot SET since = '2099-01-01T00:00:00.000000Z', "
		   "generation = generation + 1");
	sw_sql(db, "UPDATE allocation SET since = '2099-01-01T00:00:00.000000Z', "
		   "generation = generation + 1");
	sw_commit(db);
	sw_must(sw_progress(db, 1, "clone", "started", &err));
	is_now(db, "2026-03-01", "dated ahead before");
	sw_close(db);
}

int main(void)
{
	static const char *const clocks[] = { "1970-01-01T00:00:00.000000Z",
					      "2099-01-01T00:00:00.000000Z" };
	size_t i;

	first_wipe();
	for (i = 0; i < GA_ARRAY_SIZE(spoiled); i++)
		blocked(&spoiled[i]);
	sampled_below_full();
	refused_evidence();
	remaining_blockers();
	provisioning();
	only_the_result();
	failures();
	release_and_wipe();
	cancel();
	release_while_it_is_made();
	used_after_plan(false);
	used_after_plan(true);
	release_fails();
	observations();
	lost_node();
	not_results();
	for (i = 0; i < GA_ARRAY_SIZE(clocks); i++) {
		wrong_clock(clocks[i]);
		failure_of_wrong_clock(clocks[i]);
	}
	dated_ahead_before();
	timeline();
	return t_done();
}
