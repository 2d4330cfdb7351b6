/* SPDX-License-Identifier: Apache-2.0 */
/* Moves of slots by an operator, each with its reason in the audit. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record/fault.h"
#include "record/person.h"
#include "record/rec.h"
#include "record/time.h"
#include "state/access/propose.h"
#include "state/allocation/move.h"
#include "state/allocation/wipe.h"
#include "state/db/audit.h"
#include "state/db/fsm.h"
#include "state/node/approve.h"
#include "state/node/health.h"
#include "state/node/verbs.h"
#include "state/slot/content.h"
#include "state/slot/facts.h"
#include "state/slot/slot.h"

/* A move: the states it may start in, the state it leads to (NULL: unchanged), whether it needs a
 * reason. */
struct verb {
	const char *name;
	const char *from[4];
	const char *to;
	bool needs_reason;
	const char *sql; /* arguments: slot, reason, now, disposal; NULL: enable() or repair()
			    does it */
	const char *types; /* letters of the arguments that sql names */
};

static const struct verb verbs[] = {
	{ "disable",
	  { "available", "quarantined", "disabled" },
	  "disabled",
	  true,
	  "UPDATE slot SET state = 'disabled', "
	  "since = CASE state WHEN 'disabled' THEN since ELSE ?3 END, disabled_reason = ?2, "
	  "generation = generation + 1 WHERE id = ?1",
	  "sss" },
	{ "quarantine",
	  { "disabled", "available", "cleanup_blocked", "quarantined" },
	  "quarantined",
	  true,
	  "UPDATE slot SET state = 'quarantined', "
	  "since = CASE state WHEN 'quarantined' THEN since ELSE ?3 END, disabled_reason = ?2, "
	  "generation = generation + 1 WHERE id = ?1",
	  "sss" },
	{ "retire",
	  { "disabled" },
	  "retired",
	  true,
	  "UPDATE slot SET state = 'retired', retired = 1, since = ?3, disabled_reason = ?2, "
	  "disposal = ?4, "
	  "generation = generation + 1 WHERE id = ?1",
	  "ssss" },
	{ "cordon",
	  { NULL },
	  NULL,
	  true,
	  "UPDATE slot SET cordon = ?2, generation = generation + 1 WHERE id = ?1",
	  "ss" },
	/* Of a disabled slot that nobody cordoned and that waits for its approval, the reason of
	 * the disable: enable ends that of others. */
	{ "uncordon",
	  { NULL },
	  NULL,
	  false,
	  "UPDATE slot SET disabled_reason = iif(cordon IS NULL AND blockers <> '[]', NULL, "
	  "disabled_reason), "
	  "cordon = NULL, generation = generation + 1 WHERE id = ?1",
	  "s" },
	{ "enable", { "disabled" }, NULL, false, NULL, NULL },
	{ "repair", { "cleanup_blocked", "disabled", "wiping" }, NULL, true, NULL, NULL },
	{ .name = NULL },
};

/* The last one, without a name: there is none. */
static const struct verb *find_verb(const char *name)
{
	const struct verb *v = verbs;

	while (v->name && strcmp(v->name, name))
		v++;
	return v;
}

static bool may_begin(const struct verb *v, const char *state)
{
	size_t i;

	if (!v->from[0])
		return !ga_streq(state, "retired");
	for (i = 0; i < GA_ARRAY_SIZE(v->from) && v->from[i]; i++)
		if (ga_streq(v->from[i], state))
			return true;
	return false;
}

static int fail_state(const struct verb *v, const struct ga_slot *s, struct ga_err *err)
{
	const struct ga_fsm_state *state = ga_fsm_find(GA_M_SLOT, s->state);
	ga_autostr struct ga_str from = GA_STR_INIT;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(v->from) && v->from[i]; i++)
		ga_str_addf(&from, "%s%s", i ? ", " : "", v->from[i]);
	ga_fail_about(err, GA_CONFLICT, "wrong_state", s->slot,
		      "slot '%s' is %s: %s is for slots that are %s", s->slot, s->state, v->name,
		      from.len ? from.buf : "not retired");
	if (ga_streq(v->name, "enable") && ga_streq(s->state, "quarantined"))
		return ga_hint(err, "gpuaas-approve disable %s --reason TEXT first", s->slot);
	if (s->cordon && ga_streq(v->name, "enable") && ga_streq(s->state, "available"))
		return ga_hint(err, "it is cordoned (%s): gpuaas-approve uncordon %s",
			       s->cordon, s->slot);
	if (may_begin(find_verb("disable"), s->state) && ga_streq(v->name, "retire"))
		return ga_hint(err, "gpuaas-approve disable %s --reason TEXT first", s->slot);
	if (s->allocation && ga_streq(v->name, "disable"))
		return ga_hint(err, "gpuaas-approve cordon %s keeps new work off it; it is held by "
			       "allocation %s", s->slot, s->allocation);
	if (ga_streq(v->name, "repair") && ga_streq(s->state, "available"))
		return ga_hint(err, "to have it wiped again: gpuaas-approve disable %s --reason "
			       "TEXT, then run this again", s->slot);
	if (!state)
		return ga_hint(err, "no program of gpuaas writes that state: stop all writers and "
			       "go back to a backup (gpuaas-state restore)");
	return state->exit_command ? ga_hint(err, "gpuaas-show %s", s->slot) : -1;
}

/* ---- slots that an allocation still has ---- */

/* While the host may still use an allocation's devices, the release comes first. destroyed: what to
 * do when there is no host any more, or NULL. */
static int check_let_go(struct ga_db *db, const struct ga_slot *s, const char *destroyed,
			struct ga_err *err)
{
	ga_autofree char *state = NULL;

	if (!s->allocation)
		return 0;
	if (ga_db_get(db, err, "SELECT state FROM allocation WHERE id = ?1", "sS", s->allocation,
		      &state) < 0)
		return -1;
	if (ga_streq(state, "released"))
		return 0;
	return ga_refuse(err, GA_CONFLICT, "wrong_state", s->slot,
			 ("slot '%s' still belongs to allocation '%s', which is %s", s->slot,
			  s->allocation, state ? state : "unknown"),
			 ("gpuaas-release %s%s%s", s->allocation, destroyed ? "; " : "",
			  destroyed ? destroyed : ""));
}

/* A quarantined slot keeps its claim until the allocation was released. The one way around that is
 * the record of its disposal, after a release that failed: its host may never answer again. 1: it
 * may be retired so; 0: its allocation was released; -1. */
static int check_quarantined(struct ga_db *db, const struct ga_slot *s, bool retire,
			     const char *disposal, struct ga_err *err)
{
	ga_autofree char *hint = ga_xprintf(
		"when its host was destroyed: gpuaas-node lost %s --reason TEXT, then "
		"gpuaas-approve retire %s --reason TEXT --disposal TEXT", s->node, s->slot);
	int r = 0;

	if (retire && disposal)
		r = ga_db_one(db, err, "SELECT 1 FROM allocation WHERE id = ?1 AND "
			      "state = 'release_failed'", "s", s->allocation);
	return r ? r : check_let_go(db, s, hint, err);
}

/* ---- enable: the predicate again, on the last candidate ---- */

/* Reads the candidate. The data that a discovery saw on the disk before its last wipe is gone. */
static int read_candidate(struct ga_db *db, const struct ga_slot *s, struct ga_candidate *ret,
			  struct ga_err *err)
{
	ga_autofree char *record = NULL;
	bool wiped;
	int r = ga_db_one(db, err,
			  "SELECT k.record, EXISTS (SELECT 1 FROM device d JOIN wipe_evidence e ON "
			  "e.id = d.cleared_by WHERE d.id = ?3 AND d.dirty_since IS NULL AND "
			  "e.finished_at > k.observed_at AND json_extract(k.record, '$.nvme.wwid') "
			  "= d.id) FROM candidate k WHERE k.node_id = ?1 AND k.slot_index = ?2",
			  "sisSB", s->node, s->slot_index, s->nvme_wwid, &record, &wiped);

	if (r < 0)
		return -1;
	if (!r)
		return ga_refuse(err, GA_CONFLICT, NULL, s->slot,
				 ("the host of slot '%s' no longer shows a candidate %" PRId64,
				  s->slot, s->slot_index),
				 ("run gpuaas-discover | gpuaas-approve, or retire the slot"));
	if (ga_rec_parse_text(record, &ga_candidate_schema, ret, err) < 0)
		return ga_hint(err, "discover again with this version of gpuaas: gpuaas-discover "
				    "| gpuaas-approve --record-only");
	if (ret->nvme && wiped) {
		while (ret->nvme->signatures.n)
			free(ret->nvme->signatures.v[--ret->nvme->signatures.n]);
		free(ret->nvme->content);
		ret->nvme->content = ga_xstrdup("empty");
	}
	return 0;
}

/* Ends the reason of the disable, not that of a cordon. */
static int end_disable(struct ga_db *db, const struct ga_slot *s, struct ga_err *err)
{
	return ga_db_exec(db, err,
			  "UPDATE slot SET disabled_reason = NULL, generation = generation + 1 "
			  "WHERE id = ?1 AND disabled_reason IS NOT NULL", "s", s->slot);
}

/* Refuses a slot on evidence that does not prove its wipe: the proof must hold before it is
 * sold. */
static int doubt(const struct ga_doubted *d, void *arg)
{
	struct ga_err *err = arg;

	return ga_refuse(err, GA_CONFLICT, "evidence_content", d->slot,
			 ("slot '%s': evidence '%s' does not prove that it is wiped: %s", d->slot,
			  d->evidence, d->sentence),
			 ("gpuaas-approve repair %s --reason evidence_content | gpuaas-wipe",
			  d->slot));
}

static int enable(struct ga_db *db, const struct ga_slot *s, struct ga_slot *ret_slot,
		  struct ga_wipe_order *ret_order, bool *has_order, struct ga_err *err)
{
	struct ga_candidate c;
	struct ga_approval a = { .candidate = &c };
	bool gpu, disk;
	int r;

	if (s->cordon)
		return ga_refuse(err, GA_CONFLICT, "cordoned", s->slot,
				 ("slot '%s' is cordoned: %s", s->slot, s->cordon),
				 ("when that reason is settled: gpuaas-approve uncordon %s && "
				  "gpuaas-approve enable %s | gpuaas-wipe", s->slot, s->slot));
	if (!s->wipe)
		return ga_refuse(err, GA_CONFLICT, NULL, NULL,
				 ("slot '%s' has no wipe policy", s->slot),
				 ("approve it again: gpuaas-discover | gpuaas-approve --slot %lld",
				  (long long)s->slot_index));
	if (ga_check_content_of(db, s->slot, doubt, err, err) < 0 || end_disable(db, s, err) < 0)
		return -1;
	r = ga_store_destruction_allowed(db, s->nvme_wwid, err);
	if (r < 0 || read_candidate(db, s, &c, err) < 0)
		return -1;
	a.destroy_data = r ? s->nvme_wwid : NULL;
	a.wipe = *s->wipe;
	/* Only an approval decides which devices a slot has. */
	gpu = s->gpu_identity && c.gpu && !ga_streq(s->gpu_identity, c.gpu->identity);
	disk = s->nvme_wwid && c.nvme && !ga_streq(s->nvme_wwid, c.nvme->wwid);
	if (gpu || disk)
		r = ga_refuse(err, GA_CONFLICT, "duplicate_identity", s->slot,
			      ("the host of slot '%s' shows %s '%s' in its place, not '%s'",
			       s->slot, gpu ? "GPU" : "disk",
			       gpu ? c.gpu->identity : c.nvme->wwid,
			       gpu ? s->gpu_identity : s->nvme_wwid),
			      ("to give that one to the slot: gpuaas-discover | gpuaas-approve "
			       "--slot %lld | gpuaas-wipe", (long long)s->slot_index));
	else
		r = ga_store_approve(db, &a, ret_slot, ret_order, has_order, err);
	ga_schema_release(&ga_candidate_schema, &c);
	return r;
}

/* ---- repair ---- */

/* A slot that waits for its wipe is returned with the order. */
static int read_moved(struct ga_db *db, const struct ga_slot *s, struct ga_slot *ret_slot,
		      struct ga_wipe_order *ret_order, bool *has_order, struct ga_err *err)
{
	if (ga_store_slot(db, s->slot, ret_slot, err) < 0)
		return -1;
	*has_order = ga_store_wipe_order(db, s->slot, ret_order, err) == 0;
	if (!*has_order)
		ga_schema_release(&ga_slot_schema, ret_slot);
	return *has_order ? 0 : -1;
}

/* A disabled slot may be wiped without a new discovery when a tenant of this state dirtied its disk
 * (ours), or when the disk is clean by evidence and no discovery has seen data on it since. In all
 * other cases, and when the row has no disk, the gate of approval decides. 1, 0, -1. */
static int may_wipe_disabled(struct ga_db *db, const struct ga_slot *s, bool *ours,
			     struct ga_err *err)
{
	int r;

	if (!s->nvme_wwid || !s->wipe)
		return 0;
	r = ga_store_disk_is_ours(db, s->nvme_wwid, err);
	*ours = r > 0;
	if (r)
		return r;
	return ga_db_one(db, err,
			 "SELECT 1 FROM device d JOIN wipe_evidence e ON e.id = d.cleared_by "
			 "WHERE d.id = ?1 AND d.node_id = ?2 AND d.dirty_since IS NULL AND "
			 "NOT EXISTS (SELECT 1 FROM candidate k WHERE k.node_id = ?2 AND "
			 "json_extract(" GA_SQL_OBJECT("k.record") ", '$.nvme.wwid') = d.id AND "
			 "k.observed_at > e.finished_at AND "
			 "(json_array_length(" GA_SQL_OBJECT("k.record")
			 ", '$.nvme.signatures') > 0 OR "
			 "json_extract(" GA_SQL_OBJECT("k.record")
			 ", '$.nvme.content') = 'unknown_content'))",
			 "ss", s->nvme_wwid, s->node);
}

static int on_doubt(const struct ga_doubted *d, void *arg)
{
	(void)d;
	*(bool *)arg = true;
	return 0;
}

/* When the last discovery still shows the fault of the failed device, nothing is repaired, and its
 * health stays failed. */
static int refuse_unmended(const struct ga_slot *s, struct ga_slot *now, struct ga_err *err)
{
	static const char *const codes[] = { GA_FAULTS_OF_FAILURES };
	const struct ga_reason *why = now->blockers.n ? &now->blockers.v[0] : NULL;
	int r = 0;

	for (size_t i = 0; !r && why && ga_streq(now->state, "disabled") &&
			   i < GA_ARRAY_SIZE(codes); i++)
		if (ga_streq(codes[i], why->code))
			r = ga_refuse(err, GA_CONFLICT, why->code, s->slot,
				      ("slot '%s' is not repaired: the last discovery of its host "
				       "shows %s%s%s", s->slot, why->code,
				       why->evidence ? ": " : "",
				       why->evidence ? why->evidence : ""),
				      ("repair it, then on the host 'gpuaas-discover | "
				       "gpuaas-approve --record-only', then run this again"));
	if (r < 0)
		ga_schema_release(&ga_slot_schema, now);
	return r;
}

static int repair(struct ga_db *db, const struct ga_slot *s, const char *reason,
		  struct ga_slot *ret_slot, struct ga_wipe_order *ret_order, bool *has_order,
		  struct ga_err *err)
{
	bool failed = ga_streq(s->health_state, "failed"), in_doubt = false, ours = false;
	ga_autohealth struct ga_health_sign sign = {
		.event = GA_HEALTH_REPAIRED,
		.detail = ga_xprintf("repaired: %s", reason),
	};
	ga_autofree char *now = ga_time_now();
	int r;

	if ((ga_streq(s->state, "disabled") || ga_streq(s->state, "quarantined")) &&
	    ga_store_health_may_repair(db, s->slot, err) < 0)
		return -1;
	if (failed && ga_store_health(db, s->slot, &sign, now, err) < 0)
		return -1;
	/* Its order is in force; a caller that lost the order gets the same one again. */
	if (ga_streq(s->state, "wiping"))
		return ga_store_wipe_may_begin(db, s->slot, err) < 0 ?
			       -1 : read_moved(db, s, ret_slot, ret_order, has_order, err);
	if (ga_streq(s->state, "cleanup_blocked")) {
		if (ga_store_wipe_may_begin(db, s->slot, err) < 0 ||
		    check_let_go(db, s, NULL, err) < 0)
			return -1;
		if (!s->nvme_wwid || !s->wipe)
			return ga_fail(err, GA_CONFLICT, "slot '%s' has no disk or no wipe policy: "
				       "quarantine it, then disable it", s->slot);
		r = ga_store_disk_is_ours(db, s->nvme_wwid, err);
		/* When the guard refused a first wipe, the next wipe is a first one, too: "repair"
		 * does not weaken the guard. */
		if (r < 0 || ga_store_order_wipe(db, s->slot, r ? "repair" : "first", err) < 0)
			return -1;
		return read_moved(db, s, ret_slot, ret_order, has_order, err);
	}
	/* A repair of the health does not put a slot back on sale that a person took out. */
	if (!ga_streq(s->state, "disabled") || (failed && (s->cordon_reason || !s->wipe)))
		return ga_store_slot(db, s->slot, ret_slot, err);
	/* A slot that only its health had taken out goes back through the gate of approval, without
	 * a wipe when the proof that it is clean holds. */
	r = failed ? ga_check_content_of(db, s->slot, on_doubt, &in_doubt, err) : 0;
	if (r >= 0)
		r = failed && !in_doubt ? 0 : may_wipe_disabled(db, s, &ours, err);
	if (r <= 0)
		return r < 0 || enable(db, s, ret_slot, ret_order, has_order, err) < 0 ? -1 :
		       failed ? refuse_unmended(s, ret_slot, err) : 0;
	/* A person doubts that the slot is clean: from now on it counts as used until a wipe is
	 * proven. After that wipe it is back on sale, unless another blocker stands. Data on a disk
	 * that was clean is no tenant's: the guard looks, as at a first wipe. */
	if (ga_store_wipe_may_begin(db, s->slot, err) < 0 || check_let_go(db, s, NULL, err) < 0 ||
	    end_disable(db, s, err) < 0 || ga_store_block_unsellable(db, s->slot, err) < 0 ||
	    ga_store_taint_slot(db, s->slot, ours ? s->slot : "doubted", err) < 0 ||
	    ga_store_order_wipe(db, s->slot, ours ? "repair" : "first", err) < 0)
		return -1;
	return read_moved(db, s, ret_slot, ret_order, has_order, err);
}

/* ---- all verbs ---- */

/* Whether the reason of the move stands behind those of earlier moves: that of a second person does
 * not end that of the first. The reason of a retirement stands alone. */
static bool adds_reason(const struct verb *v)
{
	return v->needs_reason && !ga_streq(v->name, "retire") && v->sql;
}

/* The reasons that stand at the slot after the move, allocated. A move to another state happens
 * also where its reason finds no room: the last ones before it go, and the audit has them. */
static int reasons_after(const struct verb *v, const struct ga_slot *s, const char *old,
			 const char *reason, char **ret, struct ga_err *err)
{
	*ret = adds_reason(v) ? ga_person_add_reason(old, reason) : ga_strdup0(reason);
	if (!adds_reason(v) || *ret)
		return 0;
	if (v->to && !ga_streq(v->to, s->state)) {
		*ret = ga_person_put_reason(old, reason);
		return 0;
	}
	return ga_refuse(err, GA_CONFLICT, "wrong_state", s->slot,
			 ("slot '%s' is %s for so many reasons that no other fits", s->slot,
			  v->to ? v->to : "cordoned"),
			 ("it stays so until they are settled: gpuaas-show %s has them", s->slot));
}

/* A move that is done already is not done again. old: the reasons of earlier moves. */
static bool is_done(const struct verb *v, const struct ga_slot *s, const char *old,
		    const char *reason)
{
	if (ga_streq(v->name, "uncordon"))
		return !s->cordon && !(ga_streq(s->state, "disabled") && s->cordon_reason &&
				       s->blockers.n);
	if (v->to && !ga_streq(v->to, s->state))
		return false;
	return ga_person_has_reason(old, reason);
}

/* Adds how to retire a slot that was not wiped: the first command that can wipe it, or the record
 * of its disposal. */
static int hint_unwiped(struct ga_db *db, const struct ga_slot *s, struct ga_err *err)
{
	struct ga_err ignored = GA_ERR_INIT;
	bool blocked = false;
	size_t i;

	for (i = 0; i < s->blockers.n; i++)
		blocked = blocked || !ga_store_block_is_answered(s->blockers.v[i].code);
	if (!blocked)
		return ga_hint(err, "wipe it first (gpuaas-approve enable %s | gpuaas-wipe), or "
				    "record how the disk was destroyed with --disposal TEXT",
			       s->slot);
	if (s->nvme_wwid && ga_store_disk_is_ours(db, s->nvme_wwid, &ignored) > 0)
		return ga_hint(err, "wipe it first (gpuaas-approve repair %s --reason TEXT | "
				    "gpuaas-wipe), or record how the disk was destroyed with "
				    "--disposal TEXT", s->slot);
	ga_err_clear(&ignored);
	return ga_hint(err, "record how the disk was destroyed with --disposal TEXT; a wipe needs "
			    "the fix of its other blockers first ('gpuaas-show %s' shows them)",
		       s->slot);
}

static int read_disable(struct ga_db *db, const char *slot, char **ret, struct ga_err *err)
{
	return ga_db_get(db, err, "SELECT disabled_reason FROM slot WHERE id = ?1", "sS", slot,
			 ret);
}

/* The reasons of people that stood at the slot and stand there no more, allocated; NULL: none. The
 * disables are the reasons of disable and quarantine before and after. */
static char *reasons_ended(const struct ga_slot *before, const char *disable_before,
			   const struct ga_slot *after, const char *disable_after)
{
	bool cordon = before->cordon && !after->cordon, disable = disable_before && !disable_after;

	if (!cordon)
		return disable ? ga_xstrdup(disable_before) : NULL;
	return disable ? ga_xprintf("%s; %s", before->cordon, disable_before) :
			 ga_xstrdup(before->cordon);
}

static void cleanup_slot(struct ga_slot *s)
{
	ga_schema_release(&ga_slot_schema, s);
}

bool ga_store_slot_needs_reason(const char *verb)
{
	return find_verb(verb)->needs_reason;
}

int ga_store_slot_move(struct ga_db *db, const char *id, const char *verb, const char *reason,
		       const char *disposal, int64_t generation, struct ga_slot *ret_slot,
		       struct ga_wipe_order *ret_order, bool *has_order, char **ended,
		       struct ga_err *err)
{
	ga_cleanup(cleanup_slot) struct ga_slot s = { 0 };
	ga_autofree char *now = ga_time_now(), *reasons = NULL, *over = NULL;
	ga_autofree char *disable_before = NULL, *disable_after = NULL;
	const char *old;
	const struct verb *v;
	bool destroyed = false;
	int r = 0;

	*has_order = false;
	v = find_verb(verb);
	if (!v->name)
		return ga_fail(err, GA_USAGE, "unknown command '%.32s'", verb);
	if (ga_store_slot(db, id, &s, err) < 0)
		return -1;
	if (v->needs_reason && (!reason || !*reason))
		return ga_fail(err, GA_USAGE, "%s needs --reason", v->name);
	if (generation != GA_UNKNOWN && generation != s.generation)
		return ga_fail_about(err, GA_CONFLICT, "concurrent_update", s.slot,
				     "slot '%s' has changed: expected generation %" PRId64
				     ", found %" PRId64, s.slot, generation, s.generation);
	if (read_disable(db, s.slot, &disable_before, err) < 0)
		return -1;
	if (ga_streq(s.state, "quarantined") && s.allocation &&
	    (ga_streq(verb, "disable") || ga_streq(verb, "retire"))) {
		r = check_quarantined(db, &s, ga_streq(verb, "retire"), disposal, err);
		if (r < 0)
			return -1;
		destroyed = r > 0;
		r = 0;
	}
	/* A failed health can be repaired in any state; the state decides where the slot
	 * then goes. */
	if (!may_begin(v, s.state) && !destroyed &&
	    !(ga_streq(verb, "repair") && ga_streq(s.health_state, "failed") &&
	      !ga_streq(s.state, "retired")))
		return fail_state(v, &s, err);
	if (ga_streq(verb, "enable")) {
		r = enable(db, &s, ret_slot, ret_order, has_order, err);
	} else if (ga_streq(verb, "repair")) {
		r = repair(db, &s, reason, ret_slot, ret_order, has_order, err);
	} else {
		old = v->to ? disable_before : s.cordon;
		if (!is_done(v, &s, old, reason)) {
			if (reasons_after(v, &s, old, reason, &reasons, err) < 0)
				return -1;
			r = ga_db_change_by(db, err, v->sql, v->types, s.slot,
					    reasons, now, disposal);
			if (r < 0 && ga_streq(verb, "retire") && s.tainted)
				return hint_unwiped(db, &s, err);
			/* Damage in its row stays visible: nothing else names a slot that is not on
			 * sale. */
			if (r == 0 && ga_streq(verb, "disable") && ga_streq(s.state, "available"))
				r = ga_store_block_unsellable(db, s.slot, err);
		}
		if (r == 0)
			r = ga_store_slot(db, s.slot, ret_slot, err);
	}
	if (r < 0)
		return -1;
	if (ret_slot->generation == s.generation)
		return 0;
	if (read_disable(db, s.slot, &disable_after, err) < 0)
		return -1;
	over = reasons_ended(&s, disable_before, ret_slot, disable_after);
	r = ga_audit_add(db, verb, s.slot,
			 json_pack("{s:s, s:s, s:s?, s:s*}", "from", s.state, "to", ret_slot->state,
				   "reason", reason, "ended", over),
			 err);
	if (r == 0 && ended)
		*ended = GA_TAKE(over);
	return r;
}
