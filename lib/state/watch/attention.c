/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that need a person: since when, with owner and reason, and the command that helps. Slots
 * first, then allocations, then nodes, each in its own order.
 */
#include <inttypes.h>

#include "base/clock.h"
#include "base/quote.h"
#include "decide/setup/remote.h"
#include "decide/slot/health.h"
#include "record/fault.h"
#include "record/rec.h"
#include "record/release.h"
#include "record/size.h"
#include "record/time.h"
#include "state/access/propose.h"
#include "state/allocation/hold.h"
#include "state/allocation/move.h"
#include "state/db/attend.h"
#include "state/db/fsm.h"
#include "state/db/json.h"
#include "state/db/row.h"
#include "state/node/damaged.h"
#include "state/node/drift.h"
#include "state/node/health.h"
#include "state/node/key.h"
#include "state/node/node.h"
#include "state/slot/facts.h"
#include "state/watch/acknowledge.h"
#include "state/watch/attention.h"
#include "state/watch/expiring.h"
#include "state/watch/notice.h"

/* Seconds beyond the limit of its state; negative: within the limit, or there is none. */
static int64_t overdue(enum ga_machine m, const char *state, const char *since)
{
	const struct ga_fsm_state *s = ga_fsm_find(m, state);
	int64_t micros;

	if (!s || !s->limit_seconds || !ga_time_read(since, &micros))
		return -1;
	return (ga_clock_micros() - micros) / GA_SECOND - s->limit_seconds;
}

/* The time before which a state must have begun, at the least, to be overdue in any state. */
static void overdue_before(enum ga_machine m, char ret[GA_TIME_SIZE])
{
	const struct ga_fsm_state *s;
	int64_t least = INT64_MAX;

	for (s = ga_fsm_states(m); s->name; s++)
		if (s->limit_seconds && s->limit_seconds < least)
			least = s->limit_seconds;
	(void)ga_time_format(ga_time_after(ga_clock_micros(), -least), ret);
}

static char *stuck(const char *state, const char *since)
{
	return ga_xprintf("%s since %s: longer than that should take", state, since);
}

/* ---- slots ---- */

/* The columns of the query below. */
enum { S_ID, S_STATE, S_SINCE, S_NODE, S_PROJECT, S_CODE, S_EVIDENCE, S_HINT, S_ALLOCATION,
       S_ALLOCATION_STATE, S_HEALTH, S_DETAIL, S_HEALTH_SINCE, S_INDEX, S_SHAPE, S_DIRTY_SINCE,
       S_ANSWERED, S_CORDON, S_BLOCKERS, S_WWID, S_CORDONED, S_UNBEGUN, S_BUSY, S_CAUSE,
       S_ONLY_CORDON, S_WIPED, S_NODE_OUT, S_DISABLED };

/* A wipe that nobody has begun after this many seconds: of this machine, or of a node whose wipes
 * the state hears of only when they end, or that is wiping other slots first. */
#define BEGINS_HERE 60
#define BEGINS_ELSEWHERE 3600

/* The first reason that a wipe does not settle, or NULL; changed: whether one of all reasons is
 * changed hardware. */
static char *not_answered(const struct ga_rows *r, bool *changed)
{
	ga_autofree char *first = NULL;
	const char *text = ga_rows_text(r, S_BLOCKERS);
	ga_autojson json_t *blockers = json_loads(text ? text : "[]", 0, NULL);
	json_t *item;
	size_t i;

	json_array_foreach(blockers, i, item) {
		const char *code = json_string_value(json_object_get(item, "code"));

		if (code && !first && !ga_store_block_is_answered(code))
			first = ga_xstrdup(code);
		*changed = *changed || ga_streq(code, "fingerprint_changed");
	}
	return GA_TAKE(first);
}

/* Most blockers are repaired on the host, and only a new discovery shows that; a wipe settles the
 * others. A slot that a person disabled gets no approval until uncordon or enable ends that reason;
 * a cordon has a row of its own until it is ended. */
static char *disabled_command(const struct ga_rows *r)
{
	bool changed = false;
	ga_autofree char *code = not_answered(r, &changed), *first = NULL, *allow = NULL;
	const char *id = ga_rows_text(r, S_ID), *wwid = ga_rows_text(r, S_WWID);
	bool data = ga_streq(code, GA_FAULT_NVME_SIGNATURE) && wwid;

	if (!code)
		return ga_store_leave(GA_M_SLOT, "cleanup_blocked", ga_rows_text(r, S_SHAPE), id);
	if (ga_rows_text(r, S_CORDON) && !data && !changed)
		return ga_command("gpuaas-discover | gpuaas-approve --record-only && "
				  "gpuaas-approve enable %s | gpuaas-wipe", id);
	if (ga_rows_text(r, S_CORDON))
		first = ga_command("gpuaas-approve uncordon %s && ", id);
	if (data)
		allow = ga_command(" --destroy-data %s", wwid);
	return ga_xprintf("%sgpuaas-discover | gpuaas-approve --slot %" PRId64 "%s%s | gpuaas-wipe",
			  first ? first : "", ga_rows_int(r, S_INDEX),
			  changed ? " --accept-change" : "", allow ? allow : "");
}

/* When the guard refused a wipe because of foreign data (the reason of its evidence begins with the
 * code), it refuses again until somebody permits it. */
static char *blocked_command(const struct ga_rows *r)
{
	const char *wwid = ga_rows_text(r, S_WWID);
	ga_autofree char *again = ga_store_leave(GA_M_SLOT, "cleanup_blocked",
						 ga_rows_text(r, S_SHAPE), ga_rows_text(r, S_ID));
	ga_autofree char *look = ga_streq(ga_rows_text(r, S_SHAPE), "baremetal") ?
					 ga_remote_command("gpuaas-discover",
							   ga_rows_text(r, S_NODE)) :
					 ga_xstrdup("gpuaas-discover");
	ga_autofree char *allow = NULL;

	if (!wwid || !ga_streq(ga_rows_text(r, S_CODE), "wipe_not_started") ||
	    !strstr(ga_rows_text(r, S_EVIDENCE), GA_FAULT_NVME_SIGNATURE ": "))
		return GA_TAKE(again);
	allow = ga_command("gpuaas-approve --slot %" PRId64 " --destroy-data %s",
			   ga_rows_int(r, S_INDEX), wwid);
	return ga_xprintf("%s | %s && %s", look, allow, again);
}

/* While an allocation holds the slot, the command that leaves the allocation's state frees it. A
 * slot that waits for its wipe, or was taken out of sale, needs the command for its own state. */
static char *slot_command(const struct ga_rows *r)
{
	const char *owner = ga_rows_text(r, S_ALLOCATION_STATE), *state = ga_rows_text(r, S_STATE);
	const char *id = ga_rows_text(r, S_ID), *allocation = ga_rows_text(r, S_ALLOCATION);
	const char *shape = ga_rows_text(r, S_SHAPE);
	bool ended = owner && !ga_fsm_find(GA_M_ALLOCATION, owner)->to[0];

	if (owner && !ended && (!strcmp(owner, "failed") || !strcmp(owner, "release_failed") ||
				!strcmp(owner, "releasing")))
		return ga_store_leave(GA_M_ALLOCATION, owner, shape, allocation);
	if (owner && !ended && strcmp(state, "wiping") && strcmp(state, "cleanup_blocked"))
		return ga_store_leave(GA_M_ALLOCATION, owner, shape, allocation);
	if (!strcmp(state, "disabled"))
		return disabled_command(r);
	if (!strcmp(state, "cleanup_blocked"))
		return blocked_command(r);
	return ga_store_leave(GA_M_SLOT, state, shape, id);
}

#define NOT_STARTED "outcome is not_started: " /* lib/decide/wipe/judge.c */

/* The command has its own column, so the sentence leaves it out. */
static char *slot_sentence(const struct ga_rows *r)
{
	const char *evidence = ga_rows_text(r, S_EVIDENCE), *hint = ga_rows_text(r, S_HINT);
	const char *code = ga_rows_text(r, S_CODE), *cordon = ga_rows_text(r, S_CORDON);
	const char *state = ga_rows_text(r, S_STATE);
	ga_autofree char *command = slot_command(r), *said = NULL, *why = NULL;
	/* A hint does not know of the person's reason, which the command ends first. */
	const char *then = command && ga_starts(command, "gpuaas-approve uncordon") ?
				   strstr(command, " && ") : NULL;
	const char *at = hint && command ? strstr(hint, then ? then + 4 : command) : NULL;

	if (!code && !strcmp(ga_rows_text(r, S_STATE), "disabled"))
		return ga_xprintf("not proven wiped since its last use%s%s",
				  cordon ? "; disabled: " : "", cordon ? cordon : "");
	if (!code)
		return cordon ? ga_xstrdup(cordon) :
				ga_xprintf("it is %s", ga_rows_text(r, S_STATE));
	/* The code says so. */
	if (evidence && ga_starts(evidence, NOT_STARTED))
		evidence += strlen(NOT_STARTED);
	/* The person's reason, too: it says more than that the slot is out of sale. */
	if (cordon)
		said = ga_xprintf("; %s: %s", strcmp(state, "disabled") && strcmp(state,
				  "quarantined") ? "cordoned" : state, cordon);
	/* A hint that says when to run the command stays whole. */
	why = !at || at == hint ? ga_attend_why(evidence ? evidence : code, at ? NULL : hint) :
	      ga_xprintf("%s: %.*sthe command", evidence ? evidence : code, (int)(at - hint), hint);
	return ga_xprintf("%s%s", why, said ? said : "");
}

/* A slot that is not in use returns to sale by its wipe; a slot in use stays where it is. A repair
 * of the device may also settle other blockers of a disabled slot that the last discovery found. */
static char *health_command(const struct ga_rows *r)
{
	const char *state = ga_rows_text(r, S_STATE), *id = ga_rows_text(r, S_ID);

	if (!strcmp(state, "disabled"))
		return ga_command("gpuaas-approve repair %s --reason TEXT && gpuaas-discover | "
				  "gpuaas-approve --slot %" PRId64 " | gpuaas-wipe",
				  id, ga_rows_int(r, S_INDEX));
	if (!strcmp(state, "wiping"))
		return ga_store_leave(GA_M_SLOT, "wiping", ga_rows_text(r, S_SHAPE), id);
	return ga_command("gpuaas-approve repair %s --reason TEXT", id);
}

/* Whether the slot waits for a wipe that is late to begin. */
static bool waits_for_wipe(const struct ga_rows *r, const struct ga_attend_to *to)
{
	bool here = ga_streq(ga_rows_text(r, S_NODE), to->here) && !ga_rows_bool(r, S_BUSY);
	int64_t since;

	return ga_rows_bool(r, S_UNBEGUN) && ga_time_read(ga_rows_text(r, S_SINCE), &since) &&
	       ga_clock_micros() - since >
		       (here ? BEGINS_HERE : BEGINS_ELSEWHERE) * (int64_t)GA_SECOND;
}

/* A host keeps the orders of its own releases; others are lost with their pipe, and written
 * again. */
static char *unbegun_command(const struct ga_rows *r)
{
	const char *shape = ga_rows_text(r, S_SHAPE);

	if (ga_streq(ga_rows_text(r, S_CAUSE), "release") && !ga_streq(shape, "baremetal"))
		return ga_xstrdup("gpuaas-wipe --pending");
	return ga_store_leave(GA_M_SLOT, "wiping", shape, ga_rows_text(r, S_ID));
}

/* For a slot that waits for a wipe: the time from which a wipe counts, when clocks were set back
 * (state/allocation/wipe.h). */
static char *and_from_when(char *given, const struct ga_rows *r, const char *now)
{
	ga_autofree char *sentence = given;
	const char *dirty = ga_rows_text(r, S_DIRTY_SINCE);

	if (!dirty || strcmp(dirty, now) < 0)
		return GA_TAKE(sentence);
	return ga_xprintf("%s; a wipe counts from %s on", sentence, dirty);
}

/* A lost GPU comes back by a cold start; a GPU without a reset method gets one by another kernel or
 * firmware. Only a new discovery shows that: repair and wipe come after it. */
static void look_first(struct ga_attend *f, const struct ga_rows *r)
{
	const char *since = ga_rows_text(r, S_HEALTH_SINCE), *seen = ga_rows_text(r, S_ANSWERED);
	const char *detail = ga_rows_text(r, S_DETAIL);
	bool no_reset = detail && strstr(detail, GA_SAID_NO_RESET);
	ga_autofree char *sentence = NULL;

	if (!ga_streq(ga_rows_text(r, S_HEALTH), "failed") || f->from_here ||
	    !ga_health_needs_look(detail) ||
	    !ga_starts(f->command, "gpuaas-approve repair ") ||
	    (seen && since && strcmp(seen, since) > 0))
		return;
	sentence = f->sentence;
	f->sentence = ga_xprintf("%s; %s: a repair and a wipe can succeed once a discovery after "
				 "%s sees it answer%s",
				 sentence,
				 no_reset ? "a kernel or firmware that can reset it comes first" :
					    "start the machine cold first (power off, then on)",
				 since ? since : "that",
				 no_reset ? " and finds a way to reset it" : "");
	free(f->command);
	f->command = ga_xstrdup("gpuaas-discover | gpuaas-approve --record-only");
}

/* When a wipe of the slot could not prove something, another wipe cannot either until the cause is
 * repaired. */
static void mend_first(struct ga_attend *f, const struct ga_rows *r)
{
	static const struct {
		const char *code, *once;
	} mends[] = {
		{ "gpu_reset_not_proven",
		  "the GPU is bound to vfio-pci or to no driver (echo ADDRESS > "
		  "/sys/bus/pci/drivers/DRIVER/unbind) or, where the kernel has no reset method "
		  "for it, a scrub executable is installed (gpuaas-wipe(1))" },
		{ "gpu_memory_not_proven",
		  "a scrub executable for the GPU is installed (gpuaas-wipe(1)), or the slot's "
		  "policy does not require it" },
		{ "vf_not_proven",
		  "its fabric function can be reset (gpuaas-show SLOT says why not)" },
		{ "wipe_below_policy",
		  "the drive can do what the slot's policy requires, or the policy requires less" },
	};
	const char *code = ga_rows_text(r, S_CODE);
	ga_autofree char *sentence = NULL;
	size_t i;

	if (!ga_streq(ga_rows_text(r, S_STATE), "cleanup_blocked"))
		return;
	for (i = 0; i < GA_ARRAY_SIZE(mends); i++)
		if (ga_streq(mends[i].code, code)) {
			sentence = f->sentence;
			f->sentence = ga_xprintf("%s; a repair can succeed once %s", sentence,
						 mends[i].once);
			return;
		}
}

/* The row of a cordon, if there is one. f: what the rows of the slot have in common. */
static int emit_cordon(const struct ga_rows *r, struct ga_attend f, const struct ga_attend_to *to,
		       struct ga_err *err)
{
	const char *since = ga_rows_text(r, S_CORDONED), *reason = ga_rows_text(r, S_ONLY_CORDON);

	if (!reason)
		return 0;
	f.code = "cordoned";
	f.since = since ? since : f.since;
	f.sentence = ga_xstrdup(reason);
	f.command = ga_command("gpuaas-approve uncordon %s", f.object);
	f.from_here = true;
	return ga_attention_emit(&f, to, err);
}

/* The rows of a cordon and of a fault; the command of a fault does not end the cordon. */
static int attend_cordoned(const struct ga_rows *r, struct ga_attend *f,
			   const struct ga_attend_to *to, struct ga_err *err)
{
	const char *code = ga_rows_text(r, S_CODE), *evidence = ga_rows_text(r, S_EVIDENCE);
	const char *disable = ga_rows_text(r, S_DISABLED);
	struct ga_attend cordon = *f;

	if (code && !strcmp(f->state, "disabled")) {
		f->sentence = ga_xprintf("%s; it is cordoned%s%s%s too, and sells only when all "
					 "end", evidence ? evidence : code,
					 disable ? ", and disabled (" : "", disable ? disable : "",
					 disable ? ")," : "");
		f->command = ga_xstrdup("gpuaas-discover | gpuaas-approve --record-only");
		if (ga_attention_emit(f, to, err) < 0)
			return -1;
	}
	return emit_cordon(r, cordon, to, err);
}

static int attend_slot(const struct ga_rows *r, const char *now, const struct ga_attend_to *to,
		       struct ga_err *err)
{
	const char *state = ga_rows_text(r, S_STATE), *code = ga_rows_text(r, S_CODE);
	bool failed = ga_streq(ga_rows_text(r, S_HEALTH), "failed");
	struct ga_attend f = {
		.object = ga_rows_text(r, S_ID),
		.object_kind = "slot",
		.state = state,
		.code = code ? code : state,
		.since = ga_rows_text(r, S_SINCE),
		.node = ga_rows_text(r, S_NODE),
		.project = ga_rows_text(r, S_PROJECT),
		.from_here = ga_streq(ga_rows_text(r, S_SHAPE), "baremetal"),
	};

	if (!strcmp(state, "cleanup_blocked") || !strcmp(state, "quarantined")) {
		/* The sentence of a blocked one has the cordon. */
		if (!strcmp(state, "quarantined") && emit_cordon(r, f, to, err) < 0)
			return -1;
		f.sentence = slot_sentence(r);
	} else if (!ga_fsm_find(GA_M_SLOT, state)) {
		f.code = "unknown_state";
		f.sentence = ga_xprintf("it is in a state '%s' that slots do not have, which no "
					"program of gpuaas writes", state);
		return ga_attention_emit(&f, to, err);
	} else if (overdue(GA_M_SLOT, state, f.since) > 0) {
		f.code = "stuck";
		f.sentence = stuck(state, f.since);
	} else if (failed) {
		const char *detail = ga_rows_text(r, S_DETAIL);
		const char *since = ga_rows_text(r, S_HEALTH_SINCE);

		if (emit_cordon(r, f, to, err) < 0)
			return -1;
		f.code = "health_failed";
		f.since = since ? since : f.since;
		f.sentence = ga_xstrdup(detail ? detail : "its health is failed");
		if (!strcmp(state, "disabled") || !strcmp(state, "wiping"))
			f.sentence = and_from_when(f.sentence, r, now);
		f.command = health_command(r);
		look_first(&f, r);
		return ga_attention_emit(&f, to, err);
	} else if (waits_for_wipe(r, to)) {
		f.code = "waiting_for_wipe";
		f.sentence = ga_xprintf("its wipe was ordered at %s, and nobody has begun it",
					f.since);
		f.sentence = and_from_when(f.sentence, r, now);
		f.command = unbegun_command(r);
		return ga_attention_emit(&f, to, err);
	} else if (ga_rows_text(r, S_ONLY_CORDON)) {
		return attend_cordoned(r, &f, to, err);
	} else if (!strcmp(state, "disabled") && (code || ga_rows_text(r, S_DIRTY_SINCE))) {
		f.code = code ? code : "tainted";
		f.sentence = slot_sentence(r);
	} else if (ga_rows_text(r, S_CORDON)) {
		f.code = "cordoned";
		f.sentence = ga_xstrdup(ga_rows_text(r, S_CORDON));
		f.command = ga_command("gpuaas-approve enable %s | gpuaas-wipe", f.object);
		return ga_attention_emit(&f, to, err);
	} else if (!strcmp(state, "disabled") && ga_rows_bool(r, S_WIPED)) {
		/* The node has a row of its own. */
		if (ga_rows_bool(r, S_NODE_OUT))
			return 0;
		f.sentence = ga_xstrdup("its wipe was right, and what kept it from sale then, a "
					"cordon, a fault or its node, has ended");
		f.command = ga_command("gpuaas-approve enable %s | gpuaas-wipe", f.object);
		return ga_attention_emit(&f, to, err);
	} else {
		return 0;
	}
	f.sentence = and_from_when(f.sentence, r, now);
	f.command = slot_command(r);
	mend_first(&f, r);
	look_first(&f, r);
	return ga_attention_emit(&f, to, err);
}

/* No phase of the wipe in force was reported. */
#define UNBEGUN(slot) \
	"(" slot ".state = 'wiping' AND NOT EXISTS (SELECT 1 FROM task u WHERE " \
	"u.object = " slot ".id AND u.attempt = " slot ".wipe_attempt))"

static int attend_slots(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	ga_autorows struct ga_rows *rows = NULL;
	char before[GA_TIME_SIZE], begun[GA_TIME_SIZE];
	int r;

	overdue_before(GA_M_SLOT, before);
	ga_time_format(ga_time_after(ga_clock_micros(), -BEGINS_HERE), begun);
	/* A blocked slot is shown by its last reason, a disabled one by its first. Slots that only
	 * do their work are most of a fleet; an active slot has no time limit. A cordon counts in
	 * every state: the slot takes no work once it is free. */
	if (ga_db_query(db, &rows, err,
			"SELECT s.id, s.state, s.since, s.node_id, a.project, "
			"json_extract(s.told, at || '.code'), "
			"json_extract(s.told, at || '.evidence'), "
			"json_extract(s.told, at || '.hint'), a.id, a.state, s.health_state, "
			"s.health_detail, s.health_since, s.slot_index, a.shape, "
			"(SELECT max(dirty_since) FROM device WHERE id IN (s.nvme_wwid, "
			"s.gpu_id)), iif(s.health_state = 'failed', " GA_SQL_SEEN_WELL("s")
			", NULL), "
			"s.cordon_reason, s.told, s.nvme_wwid, iif(s.cordon_reason IS NOT NULL, "
			"(SELECT max(at) FROM audit WHERE object = s.id AND action = 'cordon'), "
			"NULL), " UNBEGUN("s") ", EXISTS (SELECT 1 FROM slot o JOIN task t ON "
			"t.object = o.id AND t.attempt = o.wipe_attempt WHERE "
			"o.node_id = s.node_id AND o.state = 'wiping'), "
			"s.wipe_cause, s.cordon, s.wipe_evidence_id IS NOT NULL, "
			"s.state = 'disabled' AND EXISTS (SELECT 1 FROM node "
			"WHERE id = s.node_id AND state IN ('quarantined', 'retired')), "
			"s.disabled_reason "
			"FROM (SELECT *, "
			"CASE state WHEN 'cleanup_blocked' THEN '$[#-1]' "
			"ELSE '$[0]' END AS at, " GA_SQL_REASONS("blockers") " AS told "
			"FROM slot INDEXED BY slot_place "
			"WHERE state <> 'retired' AND (health_state = 'failed' OR "
			"cordon_reason IS NOT NULL OR (state <> 'available' AND "
			"state <> 'active' AND (since < ?1 OR state NOT IN "
			"('reserved', 'provisioning', 'releasing', 'wiping') OR "
			"(since < ?2 AND " UNBEGUN("slot") "))))) s "
			"LEFT JOIN claim c ON c.slot_id = s.id AND c.live = 1 "
			"AND c.claim_kind = 'slot' "
			"LEFT JOIN allocation a ON a.id = c.allocation_id "
			"ORDER BY s.node_id, s.slot_index, s.id",
			"ss", before, begun) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		if (attend_slot(rows, now, to, err) < 0)
			return -1;
	return r;
}

/* ---- allocations ---- */

enum { A_ID, A_STATE, A_SINCE, A_NODE, A_PROJECT, A_REASON, A_EXPIRES, A_SHAPE };

static int attend_allocation(const struct ga_rows *r, const char *now,
			     const struct ga_attend_to *to, struct ga_err *err)
{
	const char *state = ga_rows_text(r, A_STATE), *reason = ga_rows_text(r, A_REASON);
	const char *expires = ga_rows_text(r, A_EXPIRES), *id = ga_rows_text(r, A_ID);
	const char *shape = ga_rows_text(r, A_SHAPE);
	struct ga_attend f = {
		.object = id,
		.object_kind = "allocation",
		.state = state,
		.code = state,
		.since = ga_rows_text(r, A_SINCE),
		.node = ga_rows_text(r, A_NODE),
		.project = ga_rows_text(r, A_PROJECT),
		.from_here = ga_streq(shape, "baremetal"),
	};

	if (!strcmp(state, "failed") || !strcmp(state, "release_failed")) {
		f.sentence = ga_xstrdup(reason ? reason : state);
		f.command = ga_store_leave(GA_M_ALLOCATION, state, shape, id);
		return ga_attention_emit(&f, to, err);
	}
	if (!strcmp(state, "active")) {
		f.code = "rebuild_failed";
		f.sentence = ga_xstrdup(reason);
		f.command = ga_command("gpuaas-vm rebuild %s", id);
		return ga_attention_emit(&f, to, err);
	}
	if (!strcmp(state, "placed") && expires && strcmp(expires, now) < 0) {
		f.object_kind = "plan";
		f.code = "plan_expired";
		f.sentence = ga_xprintf("the plan was not begun before %s", expires);
		f.command = ga_command("gpuaas-release %s", id);
		return ga_attention_emit(&f, to, err);
	}
	if (!strcmp(state, "held") && expires) {
		if (strcmp(expires, now) > 0)
			return 0;
		f.code = "hold_over";
		f.since = expires;
		f.sentence = ga_xprintf("its hold ended at %s", expires);
		f.command = ga_xstrdup("gpuaas-release --pending | gpuaas-wipe");
		return ga_attention_emit(&f, to, err);
	}
	if (overdue(GA_M_ALLOCATION, state, f.since) <= 0)
		return 0;
	f.code = "stuck";
	f.sentence = stuck(state, f.since);
	f.command = ga_store_leave(GA_M_ALLOCATION, state, shape, id);
	return ga_attention_emit(&f, to, err);
}

static int attend_allocations(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	ga_autofree char *now = ga_time_now();
	char before[GA_TIME_SIZE];
	int r;

	overdue_before(GA_M_ALLOCATION, before);
	if (ga_db_query(db, &rows, err,
			"SELECT id, state, since, node_id, project, reason, expires_at, shape "
			"FROM allocation WHERE (state IN ('placed', 'provisioning', 'held', "
			"'preempting', 'releasing') AND (expires_at < ?2 OR since < ?1)) "
			"OR state IN ('failed', 'release_failed') "
			"OR (state = 'active' AND reason IS NOT NULL) ORDER BY created_at, id",
			"ss", before, now) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		if (attend_allocation(rows, now, to, err) < 0)
			return -1;
	return r;
}

/* ---- nodes ---- */

enum { N_ID, N_STATE, N_SINCE, N_CORDON, N_CODE, N_EVIDENCE, N_HINT, N_LOST, N_SLOTS,
       N_DISK, N_REVOKED };

static int attend_node(const struct ga_rows *r, const struct ga_attend_to *to, struct ga_err *err)
{
	const char *state = ga_rows_text(r, N_STATE), *id = ga_rows_text(r, N_ID);
	const char *code = ga_rows_text(r, N_CODE), *cordon = ga_rows_text(r, N_CORDON);
	const char *evidence = ga_rows_text(r, N_EVIDENCE), *hint = ga_rows_text(r, N_HINT);
	struct ga_attend f = {
		.object = id,
		.object_kind = "node",
		.state = state,
		.code = code,
		.since = ga_rows_text(r, N_SINCE),
		.node = id,
	};

	if (!strcmp(state, "quarantined")) {
		f.code = "quarantined";
		if (ga_rows_bool(r, N_LOST)) {
			/* Nothing undrains a host that will not come back: its slots are retired,
			 * then the node. */
			f.sentence = ga_xprintf("%s%sthe host is lost: retire its slots, then the "
						"node; undrain it if it is back",
						cordon ? cordon : "", cordon ? "; " : "");
			f.command = ga_rows_bool(r, N_SLOTS) ?
					    ga_command("gpuaas-list slots --where node=%s", id) :
					    ga_command("gpuaas-node retire %s --reason TEXT", id);
		} else {
			f.sentence = ga_xstrdup(cordon ? cordon : "it is quarantined");
			f.command = ga_node_unwiped_disks(cordon) ?
					    ga_command("gpuaas-node undrain %s --reason TEXT", id) :
					    ga_store_leave(GA_M_NODE, state, NULL, id);
		}
	} else if (ga_rows_bool(r, N_DISK)) {
		f.code = "disk_not_wiped";
		f.sentence = ga_xprintf("%s; erase the disk by hand: gpuaas-host(7)",
					cordon ? cordon : "it is draining");
		f.command = ga_command("gpuaas-node undrain %s --reason TEXT", id);
	} else if (code) {
		bool changed = ga_streq(code, "fingerprint_changed");

		f.sentence = ga_attend_why(evidence ? evidence : code, hint);
		f.command = ga_xprintf("gpuaas-discover | gpuaas-approve --all-ready%s",
				       changed ? " --accept-change" : "");
	} else {
		f.code = "unverified_since_restore";
		f.sentence = ga_xprintf("not reconciled since the restore: this makes the host "
					"follow this state%s",
					ga_rows_bool(r, N_REVOKED) ?
						"; if its key was revoked before, it counts again: "
						"gpuaas-node revoke-key revokes it" : "");
		f.command = ga_xstrdup("gpuaas-reconcile --take-over");
	}
	return ga_attention_emit(&f, to, err);
}

/* The fold of a release named a disk in the reason (state/fold/release.c), and nobody returned the
 * node since. */
#define DISK_LEFT "(state = 'draining' AND instr(cordon_reason, ': " GA_DISK_IN_NO_SLOT "') > 0)"

static int attend_nodes(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	/* In the first epoch nothing was restored, so nothing waits to be verified. */
	if (ga_db_query(db, &rows, err,
			"SELECT id, state, since, cordon_reason, "
			"json_extract(told, '$[0].code'), "
			"json_extract(told, '$[0].evidence'), "
			"json_extract(told, '$[0].hint'), state = 'quarantined' AND EXISTS "
			"(SELECT 1 FROM audit a WHERE a.object = n.id AND a.action = 'node_lost' "
			"AND a.at >= n.since), EXISTS (SELECT 1 FROM slot s WHERE "
			"s.node_id = n.id AND s.retired = 0), " DISK_LEFT ", "
			"coalesce((SELECT json_extract(a.detail, '$.revocations') = 'unknown' FROM "
			"audit a WHERE a.object = 'state' AND a.action IN ('state_restored', "
			"'state_rebuilt') ORDER BY a.seq DESC LIMIT 1), 0) "
			"FROM (SELECT *, " GA_SQL_REASONS("blockers") " AS told FROM node) n, meta "
			"WHERE state <> 'retired' AND (state = 'quarantined' "
			"OR blockers <> '[]' OR (epoch > 1 AND epoch_verified < epoch) OR "
			DISK_LEFT ") ORDER BY id",
			"") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		if (attend_node(rows, to, err) < 0)
			return -1;
	return r;
}

/* Hardware that a discovery found and that nobody decided about: no slot has the index, or a
 * retired one had another GPU or disk there. Blockers of a node have a row with that command. */
static int attend_unapproved(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	/* Each by its number: --all-ready would take what nobody looked at, too. */
	if (ga_db_query(db, &rows, err,
			"SELECT n.id, n.state, n.since, count(*), "
			"group_concat(' --slot ' || k.slot_index, '') FROM candidate k "
			"JOIN node n ON n.id = k.node_id "
			"WHERE n.state IN ('enrolled', 'active') AND n.blockers = '[]' "
			"AND (n.held_by IS NULL OR n.held_by = 'slices') "
			"AND NOT EXISTS (SELECT 1 FROM slot s WHERE s.node_id = k.node_id "
			"AND s.slot_index = k.slot_index AND (s.retired = 0 OR (s.gpu_identity IS "
			"json_extract(" GA_SQL_OBJECT("k.record") ", '$.gpu.identity') "
			"AND s.nvme_wwid IS "
			"json_extract(" GA_SQL_OBJECT("k.record") ", '$.nvme.wwid')))) "
			"GROUP BY n.id ORDER BY n.id", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		int64_t n = ga_rows_int(rows, 3);
		struct ga_attend f = {
			.object_kind = "node",
			.object = ga_rows_text(rows, 0),
			.state = ga_rows_text(rows, 1),
			.since = ga_rows_text(rows, 2),
			.node = ga_rows_text(rows, 0),
			.code = "not_approved",
			.sentence = ga_xprintf("%" PRId64 " %s for approval", n, n == 1 ?
					       "candidate of the node waits" :
					       "candidates of the node wait"),
			.command = ga_xprintf("gpuaas-discover | gpuaas-approve%s | gpuaas-wipe",
					      ga_rows_text(rows, 4)),
		};

		if (ga_attention_emit(&f, to, err) < 0)
			return -1;
	}
	return r;
}

/* Free slots that take no placement: their host has not been read since the restore. */
static int attend_unverified(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT s.id, s.state, coalesce((SELECT max(at) FROM audit WHERE "
			"object = 'state' AND action IN ('state_restored', 'state_rebuilt')), "
			"s.since), s.node_id, s.wipe_evidence_id IS NULL "
			"FROM slot s, meta m WHERE m.epoch > 1 "
			"AND s.epoch_verified < m.epoch AND s.state = 'available' "
			"ORDER BY s.node_id, s.slot_index", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		bool wipe = ga_rows_bool(rows, 4); /* its host has no evidence of it either */
		struct ga_attend f = {
			.object_kind = "slot",
			.object = ga_rows_text(rows, 0),
			.state = ga_rows_text(rows, 1),
			.since = ga_rows_text(rows, 2),
			.node = ga_rows_text(rows, 3),
			.code = "unverified_since_restore",
			.sentence = ga_xstrdup(wipe ? "no evidence to adopt since the restore: "
						      "only a wipe puts it on sale" :
						      "not adopted since the restore; adopt --wipe "
						      "wipes what cannot be"),
			.command = ga_xprintf("gpuaas-reconcile --inventory | gpuaas-state adopt "
					      "--reason TEXT%s",
					      wipe ? " --wipe - | gpuaas-wipe" : " -"),
		};

		if (ga_attention_emit(&f, to, err) < 0)
			return -1;
	}
	return r;
}

static int attend_unsellable(const struct ga_rows *rows, const char *left_out,
			     const struct ga_reasons *reasons, void *arg, struct ga_err *err)
{
	const struct ga_reason *why = &reasons->v[0];
	const char *id = ga_rows_text(rows, GA_SF_ID);
	struct ga_attend f = {
		.object_kind = "slot",
		.object = id,
		.state = ga_rows_text(rows, GA_SF_STATE),
		.since = ga_rows_text(rows, GA_SF_SINCE),
		.node = ga_rows_text(rows, GA_SF_NODE),
		.code = "not_for_sale",
		.from_here = true,
	};

	if (reasons->n == 1 && ga_streq(why->code, "health_failed"))
		return 0; /* attend_slots has a row for it */
	f.sentence = ga_xprintf("it is available, and placement %s: %s%s%s", left_out, why->code,
				why->evidence ? ": " : "", why->evidence ? why->evidence : "");
	/* When the generation is at its end, only the check can help. */
	if (ga_rows_int(rows, GA_SF_GENERATION) < GA_INT_MAX_SAFE)
		f.command = ga_command("gpuaas-approve disable %s --reason %s", id, why->code);
	return ga_attention_emit(&f, arg, err);
}

/* ---- all ---- */

static void cleanup_tenants(struct ga_tenants *t)
{
	ga_texts_release(&t->sure);
	ga_texts_release(&t->unsure);
}

/* In the states below a tenant's system may run on the machine; after them the release has proved a
 * trusted one. The machine with the state runs gpuaas, so it has no tenant. */
static int read_tenants(struct ga_db *db, const char *here, struct ga_tenants *ret,
			struct ga_err *err)
{
	return ga_db_texts(db, &ret->sure, err,
			   "SELECT n.id FROM node n JOIN allocation a ON a.id = n.held_by WHERE "
			   "a.state IN ('provisioning', 'active', 'preempting', 'releasing', "
			   "'failed', 'release_failed') AND n.id IS NOT ?1", "s", here) < 0 ||
			       ga_db_texts(db, &ret->unsure, err,
					   "SELECT n.id FROM node n, meta m WHERE m.epoch > 1 AND "
					   "n.epoch_verified < m.epoch AND n.mode = 'baremetal' "
					   "AND n.id IS NOT ?1", "s", here) < 0 ?
		       -1 :
		       0;
}

int ga_store_list_attention(struct ga_db *db, const struct ga_attend_to *given, struct ga_err *err)
{
	ga_cleanup(cleanup_tenants) struct ga_tenants tenants = { 0 };
	ga_cleanup(ga_acknowledgements_release) struct ga_acknowledgements known = { 0 };
	struct ga_attend_to all = *given, *to = &all;

	all.db = db;
	all.tenants = &tenants;
	all.acknowledged = &known;
	if (read_tenants(db, given->here, &tenants, err) < 0 ||
	    ga_store_acknowledgements(db, &known, err) < 0)
		return -1;
	if (attend_slots(db, to, err) < 0 || attend_allocations(db, to, err) < 0 ||
	    attend_nodes(db, to, err) < 0 || attend_unapproved(db, to, err) < 0 ||
	    attend_unverified(db, to, err) < 0 ||
	    ga_attend_holds(db, to, err) < 0 || ga_attend_drift(db, to, err) < 0 ||
	    ga_store_each_unsellable(db, attend_unsellable, to, err) < 0 ||
	    ga_attend_damaged(db, to, err) < 0 ||
	    ga_attend_unproven(db, to, err) < 0 || ga_attend_keys(db, to, err) < 0 ||
	    ga_attend_refused(db, to, err) < 0 ||
	    ga_attend_expiring(db, to, err) < 0 ||
	    ga_attend_proposals(db, to, err) < 0 ||
	    ga_attend_hooks(db, to, err) < 0)
		return -1;
	return ga_attend_disks(db, to, err) < 0 ? -1 : ga_attend_stale(db, to, err);
}
