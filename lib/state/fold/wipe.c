/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folds wipe evidence. The state judges the content (decide/wipe/judge.h) by the order and the
 * policy in force, not by the conclusion in the record. Only a proven wipe lets a slot leave wiping
 * for available; all other evidence blocks the slot.
 */
#include "decide/wipe/judge.h"
#include "record/digest.h"
#include "record/rec.h"
#include "state/allocation/move.h"
#include "state/allocation/wipe.h"
#include "state/db/audit.h"
#include "state/fold/internal.h"
#include "state/node/health.h"

/* A wipe counts if it is proven, began after the slot was last used, and is not in the future.
 * Later uses of the slot are dated after its wipe, and no wipe counts before that time: evidence
 * dated next year would close the slot until then. */
static void judge(const struct ga_wipe_due *due, const struct ga_wipe_evidence *e, bool lab,
		  struct ga_wipe_verdict *v)
{
	const struct ga_wipe_asked asked = ga_wipe_due_asked(due, lab);

	if (!ga_wipe_proves(&asked, e, v))
		return;
	if (due->dirty_since && strcmp(due->dirty_since, e->started_at) >= 0) {
		v->code = "wipe_too_old";
		v->sentence = ga_xprintf("the wipe began at %s, the slot was last dirtied at %s: "
					 "it proves nothing, or the clocks of host and state "
					 "differ",
					 e->started_at, due->dirty_since);
	} else if (ga_time_is_ahead(e->started_at) || ga_time_is_ahead(e->finished_at)) {
		ga_autofree char *now = ga_time_now();

		v->code = "wipe_ahead";
		v->sentence = ga_xprintf("the wipe began at %s and ended at %s, and here it is %s: "
					 "the clocks of host and state differ",
					 e->started_at, e->finished_at, now);
	}
}

/* The reasons that stay after a confirmed wipe, and the host's reason when the slot is not
 * healthy. */
static json_t *remaining(const struct ga_wipe_due *due)
{
	ga_autojson json_t *old = json_loads(due->blockers, 0, NULL);
	json_t *left = json_array(), *item;
	size_t i;

	json_array_foreach(old, i, item)
		if (!ga_store_block_is_answered(json_string_value(json_object_get(item, "code"))))
			json_array_append(left, item);
	if (strcmp(due->node_blockers, "[]") && !json_array_size(left))
		json_array_append_new(left, json_pack("{s:s, s:s, s:s, s:s}", "code", "not_ready",
						      "subject", due->node, "evidence",
						      "the host has blockers", "hint",
						      "gpuaas-list nodes shows them"));
	return left;
}

static int accept_wipe(struct ga_db *db, const struct ga_wipe_due *due,
		       const struct ga_wipe_evidence *e, struct ga_err *err)
{
	ga_autojson json_t *blockers = remaining(due);
	bool sells = !json_array_size(blockers) && !due->cordon_reason &&
		     strcmp(due->health_state, "failed") &&
		     strcmp(due->node_state, "quarantined") && strcmp(due->node_state, "retired");
	const char *to = sells ? "available" : "disabled";
	ga_autostr struct ga_str text = GA_STR_INIT;
	char since[GA_TIME_SIZE];

	ga_rec_dump(blockers, &text);
	if (ga_store_since(db, GA_M_SLOT, due->slot, e->finished_at, since, err) < 0 ||
	    ga_store_slot_wiped(db, due->slot, to, e->evidence, text.buf, since, err) < 0)
		return -1;
	if (due->allocation &&
	    ga_store_end_allocation(db, due->allocation, e->finished_at, err) < 0)
		return -1;
	return ga_audit_add(db, "wiped", due->slot,
			    json_pack("{s:s, s:s, s:s, s:s, s:s}", "evidence", e->evidence, "class",
				      e->class, "wwid", e->device.wwid, "digest", e->digest, "to",
				      to),
			    err);
}

static int refuse_wipe(struct ga_db *db, const struct ga_wipe_due *due,
		       const struct ga_wipe_evidence *e, const struct ga_wipe_verdict *v,
		       struct ga_err *err)
{
	char at[GA_TIME_SIZE];

	if (ga_store_not_ahead(e->finished_at, at, err) < 0 ||
	    ga_store_block_slot(db, due->slot, v->code, v->sentence, at, err) < 0)
		return -1;
	return ga_audit_add(db, "wipe_not_confirmed", due->slot,
			    json_pack("{s:s, s:s, s:s, s:s}", "evidence", e->evidence, "code",
				      v->code, "sentence", v->sentence, "digest", e->digest),
			    err);
}

/* Whether the record belongs to this slot at all. */
static int check_evidence(const struct ga_wipe_due *due, const struct ga_wipe_evidence *e,
			  struct ga_err *err)
{
	char digest[GA_DIGEST_SIZE] = "";

	if (!ga_streq(due->attempt, e->attempt) || due->generation != e->generation)
		return ga_store_stale(due->slot, e->attempt, e->generation, due->attempt,
				      due->generation, err);
	if (!ga_streq(due->node, e->node))
		return ga_fail_for(err, GA_CONFLICT, "wrong_node",
				   "evidence '%s' is of node '%s', the slot is on '%s'",
				   e->evidence, e->node ? e->node : "unknown", due->node);
	if (strcmp(due->state, "wiping"))
		return ga_refuse(err, GA_CONFLICT, "wrong_state", due->slot,
				 ("slot '%s' is %s, not wiping", due->slot, due->state),
				 ("fold the 'released' record of its allocation first"));
	ga_rec_digest(&ga_wipe_evidence_schema, e, "digest", digest);
	if (strcmp(digest, e->digest))
		return ga_fail_for(err, GA_BADREC, "digest",
				   "evidence '%s' was changed: its digest differs", e->evidence);
	return 0;
}

int ga_fold_evidence(struct ga_db *db, const struct ga_wipe_evidence *e, struct ga_err *err)
{
	ga_autoverdict struct ga_wipe_verdict v = { 0 };
	ga_autowipedue struct ga_wipe_due due = { 0 };
	int r;

	if (ga_fold_check(db, e->evidence, e->dry_run, e->lab, err) < 0)
		return -1;
	if (!e->object)
		return ga_refuse(err, GA_CONFLICT, "no_slot", NULL,
				 ("evidence '%s' names no slot: no order of a state was behind the "
				  "wipe", e->evidence),
				 ("keep the record; only a wipe-order of this state clears a "
				  "slot"));
	r = ga_store_wipe_due(db, e->object, &due, err);
	if (r < 0)
		return -1;
	if (!r)
		return ga_fail_for(err, GA_NOTFOUND, "no_slot", "there is no slot '%s'", e->object);
	if (ga_streq(e->cause, "rebuild"))
		return ga_fold_rebuild_evidence(db, e, &due, err);
	if (check_evidence(&due, e, err) < 0 || ga_store_evidence_add(db, e, err) < 0 ||
	    ga_store_health_wiped(db, e, &due.health_state, err) < 0)
		return -1;
	judge(&due, e, ga_db_is_lab(db), &v);
	r = v.code ? refuse_wipe(db, &due, e, &v, err) : accept_wipe(db, &due, e, err);
	return r < 0 ? -1 : 1;
}
