/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan that was cancelled or expired here while a host had taken it up all the same. Its slots
 * may look free and clean, and may be promised to others: the host's word counts. They are tainted
 * and taken out of sale, and a plan that has not begun on them is cancelled.
 */
#include "base/texts.h"
#include "state/db/audit.h"
#include "state/fold/internal.h"

#define CODE "used_after_plan"

static int cancel_other(struct ga_db *db, const char *other, const char *sentence, const char *at,
			struct ga_err *err)
{
	ga_autoholding struct ga_holding h = { 0 };

	if (ga_store_holding(db, other, &h, err) < 0)
		return -1;
	return ga_store_cancel(db, &h, sentence, at, err);
}

static int take_out(struct ga_db *db, const char *slot, const char *by, const char *sentence,
		    const char *at, struct ga_err *err)
{
	ga_autofree char *state = NULL, *owner = NULL;

	if (ga_store_slot_owner(db, slot, &state, &owner, err) < 0)
		return -1;
	if (!strcmp(state, "reserved") && cancel_other(db, owner, sentence, at, err) < 0)
		return -1;
	if ((!strcmp(state, "reserved") || !strcmp(state, "available")) &&
	    ga_store_quarantine_slot(db, slot, CODE, sentence, at, err) < 0)
		return -1;
	if (ga_store_taint_slot(db, slot, by, err) < 0)
		return -1;
	return ga_audit_add(db, CODE, slot, json_pack("{s:s, s:s}", "allocation", by, "was", state),
			    err);
}

int ga_fold_late(struct ga_db *db, const struct ga_holding *h, const char *at, struct ga_err *err)
{
	ga_autofree char *sentence =
		ga_xprintf("a host used it for allocation %s after that was %s", h->id, h->state);
	ga_autotexts struct ga_texts slots = { 0 };
	size_t i;

	if (ga_store_ever_claimed(db, h->id, &slots, err) < 0)
		return -1;
	for (i = 0; i < slots.n; i++)
		if (take_out(db, slots.v[i], h->id, sentence, at, err) < 0)
			return -1;
	return ga_audit_add(db, CODE, h->id, json_pack("{s:s, s:i}", "state", h->state, "slots",
						       (int)slots.n),
			    err) < 0 ? -1 : 1;
}
