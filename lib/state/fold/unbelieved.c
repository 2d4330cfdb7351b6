/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a host did and the state did not believe: the record is folded, and what it is about stays
 * blocked. Whoever folds says so, and does not end as if all were well.
 */
#include "record/result.h"
#include "state/allocation/move.h"
#include "state/allocation/wipe.h"
#include "state/db/json.h"
#include "state/db/row.h"
#include "state/fold/fold.h"

/* The slots that are blocked for what the record says; the reason is the last one that was
 * added. */
#define LAST(member) "json_extract(" GA_SQL_REASONS("s.blockers") ", '$[#-1]." member "')"
#define COLUMNS "SELECT s.id, s.state, " LAST("code") ", " LAST("evidence") " FROM slot s "

static int query(struct ga_db *db, const struct ga_shape *shape, const void *obj,
		 struct ga_rows **rows, struct ga_err *err)
{
	const struct ga_wipe_evidence *e = obj;
	const struct ga_allocation *a = obj;
	const struct ga_released *r = obj;

	/* Evidence of a wipe that failed says so itself, with its status. */
	if (shape == &ga_wipe_evidence_shape && e->object && ga_streq(e->outcome, "confirmed"))
		return ga_db_query(db, rows, err,
				   COLUMNS "WHERE s.id = ?1 AND s.wipe_attempt = ?2 "
				   "AND s.state = 'cleanup_blocked'", "ss", e->object, e->attempt);
	if (shape == &ga_released_shape)
		return ga_db_query(db, rows, err,
				   COLUMNS "JOIN claim c ON c.slot_id = s.id AND c.live = 1 "
				   "WHERE c.allocation_id = ?1 AND s.state = 'cleanup_blocked' "
				   "ORDER BY s.slot_index", "s", r->allocation);
	if (shape == &ga_allocation_shape)
		return ga_db_query(db, rows, err,
				   COLUMNS "JOIN claim c ON c.slot_id = s.id "
				   "JOIN allocation a ON a.id = c.allocation_id "
				   "WHERE a.id = ?1 AND a.state IN ('cancelled', 'refused') "
				   "AND s.state = 'quarantined' AND " LAST("code")
				   " = 'used_after_plan' ORDER BY s.slot_index", "s",
				   a->allocation);
	return 0;
}

int ga_fold_unbelieved(struct ga_db *db, const struct ga_shape *shape, const void *obj,
		       struct ga_err *why, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	ga_autofree char *command = NULL, *from = NULL;
	const char *slot, *state, *code, *sentence;
	int r = query(db, shape, obj, &rows, err);

	if (r < 0 || !rows)
		return r < 0 ? -1 : 0;
	r = ga_rows_next(rows, err);
	if (r <= 0)
		return r;
	slot = ga_rows_text(rows, 0);
	state = ga_rows_text(rows, 1);
	code = ga_rows_text(rows, 2);
	sentence = ga_rows_text(rows, 3);
	ga_err_set(why, GA_CONFLICT, "slot '%s' is %s%s%s", slot, state, sentence ? ": " : "",
		   sentence ? sentence : "");
	ga_err_reason(why, code ? code : state);
	ga_err_object(why, slot);
	if (ga_store_wipe_counts_from(db, slot, &from, err) < 0)
		return -1;
	command = ga_store_leave(GA_M_SLOT, state, NULL, slot);
	(void)ga_hint(why, "%s%s%s%s", from ? "a wipe counts from " : "", from ? from : "",
		      from ? " on; then: " : "", command ? command : "gpuaas-show");
	return 1;
}
