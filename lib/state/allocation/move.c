/* SPDX-License-Identifier: Apache-2.0 */
/* Moves of slots and allocations over the edges of their state machines. */
#include "state/allocation/move.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/texts.h"
#include "record/fault.h"
#include "record/rec.h"
#include "record/state.h"
#include "record/time.h"
#include "state/db/invariant.h"
#include "state/db/json.h"
#include "state/db/row.h"

void ga_cleanup_allocation_row(struct ga_allocation_row *h)
{
	free(h->id);
	free(h->state);
	free(h->node);
	free(h->attempt);
	free(h->order_kind);
	free(h->shape);
}

int ga_store_allocation_row(struct ga_db *db, const char *allocation, struct ga_allocation_row *ret,
			    struct ga_err *err)
{
	*ret = (struct ga_allocation_row){ 0 };
	return ga_db_one(db, err,
			 "SELECT id, state, node_id, attempt, order_kind, shape, generation, "
			 "attempt_generation FROM allocation WHERE id = ?1",
			 "sSSSSSSII", allocation, &ret->id, &ret->state, &ret->node, &ret->attempt,
			 &ret->order_kind, &ret->shape, &ret->generation,
			 &ret->attempt_generation);
}

char *ga_store_leave(enum ga_machine m, const char *state, const char *shape, const char *id)
{
	const char *exit_command = ga_fsm_exit_command(m, state, ga_streq(shape, "baremetal"));
	const char *hole = exit_command ? strstr(exit_command, "%s") : NULL;

	if (!hole)
		return ga_strdup0(exit_command);
	return ga_xprintf("%.*s%s%s", (int)(hole - exit_command), exit_command, id, hole + 2);
}

static int no_edge(enum ga_machine m, const char *what, const char *id, const char *from,
		   const char *shape, const char *to, struct ga_err *err)
{
	ga_autofree char *command = ga_store_leave(m, from, shape, id);

	return ga_refuse(err, GA_CONFLICT, "wrong_state", id,
			 ("%s '%s' is %s: it cannot become %s", what, id, from, to),
			 ("%s%s", command ? "this changes it: " : "", command ? command : ""));
}

/* ---- times of hosts ---- */

int ga_store_not_ahead(const char *at, char when[GA_TIME_SIZE], struct ga_err *err)
{
	int64_t micros, now = ga_clock_micros();

	if (ga_time_parse(at, &micros, err) < 0)
		return -1;
	ga_time_format(micros < now ? micros : now, when);
	return 0;
}

int ga_store_refuse_ahead(const char *what, const char *node, const char *at, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	if (!ga_time_is_ahead(at))
		return 0;
	return ga_refuse(err, GA_CONFLICT, "observation_ahead", NULL,
			 ("%s of '%s' is from %s, and here it is %s: the clocks of host and state "
			  "differ", what, node, at, now),
			 ("correct the wrong clock ('timedatectl' shows it), then look at the host "
			  "again (gpuaas-discover, gpuaas-reconcile)"));
}

/* The stored time, when it is later than ?2. A time in the future is ignored: an older version took
 * such times from hosts. */
#define SINCE_OF(table) \
	"SELECT since FROM " table " WHERE id = ?1 AND since > ?2 AND since <= ?3 " \
	"AND " GA_SQL_IS_TIME("since")

int ga_store_since(struct ga_db *db, enum ga_machine m, const char *id, const char *at,
		   char when[GA_TIME_SIZE], struct ga_err *err)
{
	ga_autofree char *now = ga_time_now(), *latest = NULL;

	if (ga_store_not_ahead(at, when, err) < 0 ||
	    ga_db_get(db, err, m == GA_M_SLOT ? SINCE_OF("slot") : SINCE_OF("allocation"), "sssS",
		      id, when, now, &latest) < 0)
		return -1;
	if (latest)
		snprintf(when, GA_TIME_SIZE, "%s", latest);
	return 0;
}

/* ---- moves ---- */

int ga_store_move_allocation(struct ga_db *db, struct ga_allocation_row *h, const char *to,
			     const char *at, const char *reason, struct ga_err *err)
{
	char since[GA_TIME_SIZE];

	if (!ga_fsm_is_edge(GA_M_ALLOCATION, h->state, to))
		return no_edge(GA_M_ALLOCATION, "allocation", h->id, h->state, h->shape, to,
			       err);
	if (ga_store_since(db, GA_M_ALLOCATION, h->id, at, since, err) < 0 ||
	    ga_db_change(db, err,
			 "UPDATE allocation SET state = ?2, since = ?3, reason = ?4, "
			 "generation = generation + 1 WHERE id = ?1",
			 "ssss", h->id, to, since, reason) < 0)
		return -1;
	free(h->state);
	h->state = ga_xstrdup(to);
	h->generation++;
	/* The allocation ended: earlier findings about it are settled. */
	if (h->node && !ga_fsm_find(GA_M_ALLOCATION, to)->to[0] &&
	    ga_db_change(db, err, "DELETE FROM node_drift WHERE node_id = ?1 AND object = ?2", "ss",
			 h->node, h->id) < 0)
		return -1;
	return 0;
}

static int slot_state(struct ga_db *db, const char *slot, char **ret, struct ga_err *err)
{
	int r = ga_db_one(db, err, "SELECT state FROM slot WHERE id = ?1", "sS", slot, ret);

	if (r)
		return r < 0 ? -1 : 0;
	return ga_fail_about(err, GA_NOTFOUND, "no_slot", slot, "there is no slot '%s'", slot);
}

int ga_store_move_slot(struct ga_db *db, const char *slot, const char *from, const char *to,
		       const char *at, struct ga_err *err)
{
	ga_autofree char *state = NULL;
	char since[GA_TIME_SIZE];

	if (slot_state(db, slot, &state, err) < 0)
		return -1;
	if (from && strcmp(state, from))
		return 0;
	if (!ga_fsm_is_edge(GA_M_SLOT, state, to))
		return no_edge(GA_M_SLOT, "slot", slot, state, NULL, to, err);
	if (ga_store_since(db, GA_M_SLOT, slot, at, since, err) < 0)
		return -1;
	return ga_db_change(db, err,
			    "UPDATE slot SET state = ?2, since = ?3, generation = generation + 1 "
			    "WHERE id = ?1",
			    "sss", slot, to, since) < 0 ? -1 : 1;
}

int ga_store_claimed(struct ga_db *db, const char *allocation, const char *state,
		     struct ga_texts *ret, struct ga_err *err)
{
	*ret = (struct ga_texts){ 0 };
	return ga_db_texts(db, ret, err,
			   "SELECT s.id FROM claim c JOIN slot s ON s.id = c.slot_id "
			   "WHERE c.allocation_id = ?1 AND c.live = 1 "
			   "AND (?2 IS NULL OR s.state = ?2) ORDER BY s.slot_index, s.id",
			   "ss", allocation, state);
}

int ga_store_move_claimed(struct ga_db *db, const char *allocation, const char *from,
			  const char *to, const char *at, struct ga_err *err)
{
	ga_autotexts struct ga_texts ids = { 0 };
	size_t i;

	if (ga_store_claimed(db, allocation, from, &ids, err) < 0)
		return -1;
	for (i = 0; i < ids.n; i++)
		if (ga_store_move_slot(db, ids.v[i], from, to, at, err) < 0)
			return -1;
	return (int)ids.n;
}

bool ga_store_block_is_answered(const char *code)
{
	static const char *const answered[] = {
		"tainted",	    "provision_failed",	    "release_failed",
		"host_lost",	    "wipe_not_started",	    "wipe_unknown",
		"wipe_failed",	    "wipe_below_policy",    "wipe_too_old",
		"wipe_ahead",	    "wipe_not_proven",	    "wrong_device",
		"gpu_reset_failed", "gpu_reset_not_proven", "gpu_memory_not_proven",
		"vf_not_proven",    "evidence_old",	    "used_after_plan",
		GA_FAULT_UNTRUSTED_HOST,
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(answered); i++)
		if (ga_streq(answered[i], code))
			return true;
	return false;
}

/* Moves the slot and adds a reason in one update, as the triggers of an available slot require.
 * When a wipe fails again for the same reason, its last reason is replaced and no second one is
 * added. */
static int move_for(struct ga_db *db, const char *slot, const char *to, const char *code,
		    const char *sentence, const char *at, struct ga_err *err)
{
	ga_autojson json_t *reason = json_pack("{s:s, s:n, s:s?, s:n}", "code", code, "subject",
					       "evidence", sentence, "hint");
	ga_autostr struct ga_str text = GA_STR_INIT;
	ga_autofree char *state = NULL;
	char since[GA_TIME_SIZE];

	ga_rec_dump(reason, &text);
	if (slot_state(db, slot, &state, err) < 0)
		return -1;
	if (!ga_fsm_is_edge(GA_M_SLOT, state, to))
		return no_edge(GA_M_SLOT, "slot", slot, state, NULL, to, err);
	if (ga_store_since(db, GA_M_SLOT, slot, at, since, err) < 0)
		return -1;
	return ga_db_change(db, err,
			    "UPDATE slot SET state = ?4, since = ?2, "
			    "blockers = json_set(" GA_SQL_REASONS("blockers")
			    ", iif(json_extract(" GA_SQL_REASONS("blockers") ", '$[#-1].code') = "
			    "?5, '$[#-1]', '$[#]'), json(?3)), "
			    "generation = generation + 1 WHERE id = ?1",
			    "sssss", slot, since, text.buf, to, code);
}

int ga_store_block_slot(struct ga_db *db, const char *slot, const char *code,
			const char *sentence, const char *at, struct ga_err *err)
{
	return move_for(db, slot, "cleanup_blocked", code, sentence, at, err);
}

int ga_store_quarantine_slot(struct ga_db *db, const char *slot, const char *code,
			     const char *sentence, const char *at, struct ga_err *err)
{
	return move_for(db, slot, "quarantined", code, sentence, at, err);
}

int ga_store_disable_slot(struct ga_db *db, const char *slot, const char *code,
			  const char *sentence, const char *at, struct ga_err *err)
{
	return move_for(db, slot, "disabled", code, sentence, at, err);
}

int ga_store_taint_slot(struct ga_db *db, const char *slot, const char *by, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	/* The taint never predates the wipe that cleared the device, whatever the clocks of host
	 * and state show. */
	return ga_db_change(db, err,
			    "UPDATE device SET dirty_since = max(?2, coalesce(dirty_since, ''), "
			    "coalesce((SELECT e.finished_at FROM wipe_evidence e "
			    "WHERE e.id = device.cleared_by), '')), dirtied_by = ?3 WHERE id IN "
			    "(SELECT nvme_wwid FROM slot WHERE id = ?1 "
			    "UNION SELECT gpu_id FROM slot WHERE id = ?1)",
			    "sss", slot, now, by);
}

int ga_store_ever_claimed(struct ga_db *db, const char *allocation, struct ga_texts *ret,
			  struct ga_err *err)
{
	*ret = (struct ga_texts){ 0 };
	return ga_db_texts(db, ret, err,
			   "SELECT s.id FROM claim c JOIN slot s ON s.id = c.slot_id "
			   "WHERE c.allocation_id = ?1 ORDER BY s.slot_index, s.id",
			   "s", allocation);
}

int ga_store_slot_owner(struct ga_db *db, const char *slot, char **state, char **owner,
			struct ga_err *err)
{
	*state = *owner = NULL;
	return ga_db_one(db, err,
			 "SELECT s.state, c.allocation_id FROM slot s LEFT JOIN claim c "
			 "ON c.slot_id = s.id AND c.live = 1 AND c.claim_kind = 'slot' "
			 "WHERE s.id = ?1",
			 "sSS", slot, state, owner);
}

int ga_store_block_claimed(struct ga_db *db, const char *allocation, const char *code,
			   const char *sentence, const char *at, struct ga_err *err)
{
	ga_autotexts struct ga_texts ids = { 0 };
	size_t i;

	if (ga_store_claimed(db, allocation, NULL, &ids, err) < 0)
		return -1;
	for (i = 0; i < ids.n; i++) {
		ga_autofree char *state = NULL;

		if (slot_state(db, ids.v[i], &state, err) < 0)
			return -1;
		/* A person has already taken a quarantined slot out of sale: it keeps its state. */
		if (strcmp(state, "cleanup_blocked") && strcmp(state, "quarantined") &&
		    ga_store_block_slot(db, ids.v[i], code, sentence, at, err) < 0)
			return -1;
	}
	return 0;
}

/* The triggers end the claim of a slot that became free; a node claim has no slot of its own. */
int ga_store_end_allocation(struct ga_db *db, const char *allocation, const char *at,
			    struct ga_err *err)
{
	int r = ga_db_one(db, err,
			  "SELECT 1 FROM claim WHERE allocation_id = ?1 AND live = 1 "
			  "AND claim_kind = 'slot'",
			  "s", allocation);

	if (r)
		return r < 0 ? -1 : 0;
	if (ga_db_change(db, err,
			 "UPDATE claim SET live = 0, held_by = NULL, ended_at = ?2 "
			 "WHERE allocation_id = ?1 AND live = 1",
			 "ss", allocation, at) < 0 ||
	    ga_db_change(db, err,
			 "UPDATE node SET held_by = NULL, generation = generation + 1 "
			 "WHERE held_by = ?1",
			 "s", allocation) < 0)
		return -1;
	return ga_store_usage_close(db, allocation, at, err);
}

/* ---- usage, and the timeline ---- */

/* The times of hosts, and of a state whose clock was set back, cannot be trusted: a span never ends
 * before it began. (Older versions let a span begin at an invalid time; it ends all the same.) */
static int close_span(struct ga_db *db, const char *allocation, const char *at, struct ga_err *err)
{
	return ga_db_change(db, err,
			    "UPDATE usage SET ended_at = iif(" GA_SQL_IS_TIME("started_at")
			    ", max(started_at, ?2), ?2) WHERE allocation_id = ?1 "
			    "AND ended_at IS NULL",
			    "ss", allocation, at);
}

int ga_store_usage_close(struct ga_db *db, const char *allocation, const char *at,
			 struct ga_err *err)
{
	char when[GA_TIME_SIZE];

	return ga_store_not_ahead(at, when, err) < 0 ? -1 : close_span(db, allocation, when, err);
}

int ga_store_usage_open(struct ga_db *db, const char *allocation, const char *usage_kind,
			const char *at, struct ga_err *err)
{
	char when[GA_TIME_SIZE];

	if (ga_store_not_ahead(at, when, err) < 0 || close_span(db, allocation, when, err) < 0)
		return -1;
	return ga_db_change(db, err,
			    "INSERT INTO usage (allocation_id, usage_kind, count, "
			    "accelerator_type, price_micros, started_at, number, project, "
			    "profile, node_id) "
			    "SELECT id, ?2, count, accelerator_type, price_micros, "
			    "max(?3, iif(" GA_SQL_IS_TIME("created_at") ", created_at, ''), "
			    "coalesce((SELECT max(u.ended_at) FROM usage u "
			    "WHERE u.allocation_id = ?1 AND "
			    GA_SQL_IS_TIME("u.ended_at") "), '')), "
			    "number, project, profile, node_id "
			    "FROM allocation WHERE id = ?1",
			    "sss", allocation, usage_kind, when);
}

int ga_store_task(struct ga_db *db, const struct ga_task *t, struct ga_err *err)
{
	return ga_db_change(
		db, err,
		"INSERT INTO task (object, node_id, attempt, phase, state, started_at, "
		"finished_at, elapsed_micros, bytes, detail) "
		"VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) "
		"ON CONFLICT (object, attempt, phase) DO UPDATE SET state = excluded.state, "
		"started_at = min(task.started_at, excluded.started_at), "
		"finished_at = excluded.finished_at, "
		"elapsed_micros = coalesce(excluded.elapsed_micros, task.elapsed_micros), "
		"bytes = coalesce(excluded.bytes, task.bytes), "
		/* The text of a failure is no detail of a later run of the phase. */
		"detail = CASE WHEN task.state = 'failed' AND excluded.state <> 'failed' "
		"THEN excluded.detail ELSE coalesce(excluded.detail, task.detail) END "
		"WHERE NOT (excluded.state = 'running' AND task.state IN ('finished', 'failed'))",
		"sssssssiis", t->object, t->node, t->attempt, t->phase, t->state, t->started_at,
		t->finished_at, t->elapsed_micros, t->bytes, t->detail);
}

int ga_store_stale(const char *object, const char *attempt, int64_t generation,
		   const char *attempt_found, int64_t generation_found, struct ga_err *err)
{
	ga_autofree char *found = generation_found == GA_UNKNOWN ?
					  ga_xstrdup("no order is in force") :
					  ga_xprintf("found attempt %s of generation %" PRId64,
						     attempt_found ? attempt_found : "none",
						     generation_found);
	ga_autofree char *expected =
		generation == GA_UNKNOWN ?
			ga_xprintf("attempt %s", attempt ? attempt : "none") :
			ga_xprintf("attempt %s of generation %" PRId64, attempt ? attempt : "none",
				   generation);

	return ga_refuse(err, GA_CONFLICT, "concurrent_update", object,
			 ("'%s' has changed since: the record expected %s, "
			  "%s", object, expected, found),
			 ("look at it with 'gpuaas-show %s'; the record is of an order that is no "
			  "longer in force", object));
}
