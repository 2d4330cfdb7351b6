/* SPDX-License-Identifier: Apache-2.0 */
/* The moves of slots that an operator makes, each with its reason in the audit. */
#include <inttypes.h>
#include <string.h>

#include "audit.h"
#include "fsm.h"
#include "rec.h"
#include "store_approve.h"
#include "time.h"

/* A move: where it may begin, where it leads (NULL: stays), whether it needs a reason. */
struct verb {
	const char *name;
	const char *from[4];
	const char *to;
	bool needs_reason;
	const char *sql; /* of slot, reason, now, disposal; NULL: done by enable() or repair() */
	const char *types; /* of those that sql names */
};

static const struct verb verbs[] = {
	{ "disable",
	  { "available", "quarantined", "disabled" },
	  "disabled",
	  true,
	  "UPDATE slot SET state = 'disabled', "
	  "since = CASE state WHEN 'disabled' THEN since ELSE ?3 END, cordon_reason = ?2, "
	  "generation = generation + 1 WHERE id = ?1",
	  "sss" },
	{ "quarantine",
	  { "disabled", "available", "cleanup_blocked" },
	  "quarantined",
	  true,
	  "UPDATE slot SET state = 'quarantined', since = ?3, cordon_reason = ?2, "
	  "generation = generation + 1 WHERE id = ?1",
	  "sss" },
	{ "retire",
	  { "disabled" },
	  "retired",
	  true,
	  "UPDATE slot SET state = 'retired', retired = 1, since = ?3, cordon_reason = ?2, "
	  "disposal = ?4, "
	  "generation = generation + 1 WHERE id = ?1",
	  "ssss" },
	{ "cordon",
	  { NULL },
	  NULL,
	  true,
	  "UPDATE slot SET cordon_reason = ?2, generation = generation + 1 WHERE id = ?1",
	  "ss" },
	{ "uncordon",
	  { NULL },
	  NULL,
	  false,
	  "UPDATE slot SET cordon_reason = ?2, generation = generation + 1 WHERE id = ?1",
	  "ss" },
	{ "enable", { "disabled" }, NULL, false, NULL, NULL },
	{ "repair", { "cleanup_blocked", "disabled", "wiping" }, NULL, true, NULL, NULL },
	{ .name = NULL },
};

static const struct verb *find_verb(const char *name)
{
	const struct verb *v;

	for (v = verbs; v->name; v++)
		if (ga_streq(v->name, name))
			return v;
	return NULL;
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
	ga_err_set(err, GA_CONFLICT, "slot '%s' is %s: %s is for slots that are %s", s->slot,
		   s->state, v->name, from.len ? from.buf : "not retired");
	ga_err_reason(err, "wrong_state");
	ga_err_object(err, s->slot);
	if (ga_streq(s->state, "available") && ga_streq(v->name, "retire"))
		return ga_hint(err, "gpuaas-approve disable %s --reason … first", s->slot);
	if (s->allocation && ga_streq(v->name, "disable"))
		return ga_hint(err, "gpuaas-approve cordon %s keeps new work off it; it is held by "
			       "allocation %s", s->slot, s->allocation);
	return state && state->leaves ? ga_hint(err, "gpuaas-show %s", s->slot) : -1;
}

static int check(const struct verb *v, const struct ga_slot *s, const char *reason,
		 int64_t generation, struct ga_err *err)
{
	if (v->needs_reason && (!reason || !*reason))
		return ga_fail(err, GA_USAGE, "%s needs --reason", v->name);
	if (generation != GA_UNKNOWN && generation != s->generation) {
		ga_err_set(err, GA_CONFLICT, "slot '%s' has moved: expected generation %" PRId64
			   ", found %" PRId64, s->slot, generation, s->generation);
		ga_err_object(err, s->slot);
		ga_err_reason(err, "concurrent_update");
		return -1;
	}
	return may_begin(v, s->state) ? 0 : fail_state(v, s, err);
}

/* ---- enable: the predicate again, on the last candidate seen ---- */

static int read_candidate(struct ga_db *db, const struct ga_slot *s, struct ga_candidate *ret,
			  struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT record FROM candidate WHERE node_id = ?1 AND slot_index = ?2", "si",
			s->node, s->slot_index) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r < 0)
		return -1;
	if (!r) {
		ga_err_set(err, GA_CONFLICT, "the host of slot '%s' no longer shows a candidate %"
			   PRId64, s->slot, s->slot_index);
		ga_err_object(err, s->slot);
		return ga_hint(err, "run gpuaas-discover | gpuaas-approve, or retire the slot");
	}
	return ga_rec_parse_text(ga_rows_text(rows, 0), &ga_candidate_shape, ret, err);
}

/* Leave to destroy what is on the disk, where somebody gave it: 1, 0, -1. */
static int has_leave(struct ga_db *db, const char *wwid, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;

	if (ga_db_query(db, &rows, err,
			"SELECT 1 FROM device WHERE id = ?1 AND destroy_data_by IS NOT NULL", "s",
			wwid) < 0)
		return -1;
	return ga_rows_next(rows, err);
}

static int enable(struct ga_db *db, const struct ga_slot *s, struct ga_slot *ret_slot,
		  struct ga_wipe_order *ret_order, bool *has_order, struct ga_err *err)
{
	struct ga_candidate c;
	struct ga_approval a = { .candidate = &c };
	int r;

	if (!s->wipe) {
		(void)ga_fail(err, GA_CONFLICT, "slot '%s' has no wipe policy", s->slot);
		return ga_hint(err,
			       "approve it again: gpuaas-discover | gpuaas-approve --slot %lld",
			       (long long)s->slot_index);
	}
	if (s->cordon_reason &&
	    ga_db_exec(db, err,
		       "UPDATE slot SET cordon_reason = NULL, generation = generation + 1 "
		       "WHERE id = ?1",
		       "s", s->slot) < 0)
		return -1;
	r = has_leave(db, s->nvme_wwid, err);
	if (r < 0 || read_candidate(db, s, &c, err) < 0)
		return -1;
	a.destroy_data = r ? s->nvme_wwid : NULL;
	a.wipe = *s->wipe;
	r = ga_store_approve(db, &a, ret_slot, ret_order, has_order, err);
	ga_shape_release(&ga_candidate_shape, &c);
	return r;
}

/* ---- repair ---- */

/* While an allocation's devices may still be in use on the host, its release comes first. */
static int check_let_go(struct ga_db *db, const struct ga_slot *s, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (!s->allocation)
		return 0;
	if (ga_db_query(db, &rows, err, "SELECT state FROM allocation WHERE id = ?1", "s",
			s->allocation) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r < 0)
		return -1;
	if (r && ga_streq(ga_rows_text(rows, 0), "released"))
		return 0;
	ga_err_set(err, GA_CONFLICT, "slot '%s' still belongs to allocation '%s', which is %s",
		   s->slot, s->allocation, r ? ga_rows_text(rows, 0) : "unknown");
	ga_err_reason(err, "wrong_state");
	ga_err_object(err, s->slot);
	return ga_hint(err, "gpuaas-release %s", s->allocation);
}

static int repair(struct ga_db *db, const struct ga_slot *s, struct ga_err *err)
{
	if (ga_streq(s->state, "disabled"))
		return ga_db_exec(db, err,
				  "UPDATE slot SET health_state = 'unknown', health_detail = NULL, "
				  "generation = generation + 1 WHERE id = ?1",
				  "s", s->slot) < 0 ? -1 : 0;
	/* Its order is in force; whoever lost it on its way gets the same one again. */
	if (ga_streq(s->state, "wiping"))
		return 0;
	if (check_let_go(db, s, err) < 0)
		return -1;
	if (!s->nvme_wwid || !s->wipe)
		return ga_fail(err, GA_CONFLICT, "slot '%s' has no disk or no wipe policy: "
			       "quarantine it, then disable it", s->slot);
	return ga_store_order_wipe(db, s->slot, "repair", err);
}

static int hint_disposal(const struct ga_slot *s, struct ga_err *err)
{
	return s->tainted ? ga_hint(err,
				    "wipe it first (gpuaas-approve enable %s | gpuaas-wipe), or "
				    "record how the disk was destroyed with --disposal TEXT",
				    s->slot)
			  : -1;
}

static int move(struct ga_db *db, const struct verb *v, const struct ga_slot *s,
		const char *reason, const char *disposal, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	if (!v->sql)
		return repair(db, s, err);
	if (ga_streq(v->name, "uncordon"))
		reason = NULL;
	if (ga_db_exec(db, err, v->sql, v->types, s->slot, reason, now, disposal) >= 0)
		return 0;
	return ga_streq(v->name, "retire") ? hint_disposal(s, err) : -1;
}

/* What is so already is not done again. */
static bool is_done(const struct verb *v, const struct ga_slot *s, const char *reason)
{
	if (ga_streq(v->name, "uncordon"))
		return !s->cordon_reason;
	if (v->to && !ga_streq(v->to, s->state))
		return false;
	return (v->to || ga_streq(v->name, "cordon")) && ga_streq(s->cordon_reason, reason);
}

static int act(struct ga_db *db, const struct verb *v, const struct ga_slot *s,
	       const char *reason, const char *disposal, struct ga_slot *ret_slot,
	       struct ga_wipe_order *ret_order, bool *has_order, struct ga_err *err)
{
	if (ga_streq(v->name, "enable"))
		return enable(db, s, ret_slot, ret_order, has_order, err);
	if (!is_done(v, s, reason) && move(db, v, s, reason, disposal, err) < 0)
		return -1;
	if (ga_store_slot(db, s->slot, ret_slot, err) < 0)
		return -1;
	if (!ga_streq(v->name, "repair") || !ga_streq(ret_slot->state, "wiping"))
		return 0;
	*has_order = ga_store_wipe_order(db, s->slot, ret_order, err) == 0;
	if (!*has_order)
		ga_shape_release(&ga_slot_shape, ret_slot);
	return *has_order ? 0 : -1;
}

static void cleanup_slot(struct ga_slot *s)
{
	ga_shape_release(&ga_slot_shape, s);
}

int ga_store_slot_move(struct ga_db *db, const char *id, const char *verb, const char *reason,
		       const char *disposal, int64_t generation, struct ga_slot *ret_slot,
		       struct ga_wipe_order *ret_order, bool *has_order, struct ga_err *err)
{
	const struct verb *v = find_verb(verb);
	ga_cleanup(cleanup_slot) struct ga_slot s = { 0 };

	*has_order = false;
	if (!v)
		return ga_fail(err, GA_USAGE, "unknown move '%.32s' of a slot", verb);
	if (ga_store_slot(db, id, &s, err) < 0 || check(v, &s, reason, generation, err) < 0)
		return -1;
	if (act(db, v, &s, reason, disposal, ret_slot, ret_order, has_order, err) < 0)
		return -1;
	if (ret_slot->generation == s.generation)
		return 0;
	return ga_audit_add(db, verb, s.slot,
			    json_pack("{s:s, s:s, s:s?}", "from", s.state, "to", ret_slot->state,
				      "reason", reason),
			    err);
}
