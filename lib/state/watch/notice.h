/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notices: the objects that needed a person at the last look, and the hooks that were notified of
 * each. A notice is raised when a new attention record appears, and cleared when the record is
 * gone or acknowledged: nobody has to act then. When the acknowledgement is over and the record is
 * still there, a new notice is raised. A hook is owed "raised" for each open notice that it has not
 * got, and "cleared" for each notice that it has got and that is no longer open. So a hook gets
 * nothing twice, and nothing about a notice that came and went while the hook failed.
 */
#ifndef GA_STATE_WATCH_NOTICE_H
#define GA_STATE_WATCH_NOTICE_H

#include "record/notice.h"
#include "state/db/attend.h"
#include "state/db/row.h"

/*
 * Compares the attention records (stale_seconds and here as in ga_list_query) with the open
 * notices, in a read transaction of its own; the caller must have none open. 1: they differ, and
 * ga_store_notice_write, in the caller's transaction, updates the notices; 0: they do not; -1. The
 * caller holds the lock of ga_store_notice_lock, so that nobody else writes notices in between.
 */
struct ga_notice_look;
void ga_store_notice_forget(struct ga_notice_look **look);
#define ga_autolook ga_cleanup(ga_store_notice_forget)
GA_MUST_CHECK int ga_store_notice_look(struct ga_db *db, int64_t stale_seconds, const char *here,
				       struct ga_notice_look **ret, struct ga_err *err);
GA_MUST_CHECK int ga_store_notice_write(struct ga_db *db, const struct ga_notice_look *look,
					struct ga_err *err);

/* A lock beside the state, so that one run at a time notifies. Returns a descriptor that holds the
 * lock until it is closed; GA_BUSY when another run holds it. */
GA_MUST_CHECK int ga_store_notice_lock(struct ga_db *db, struct ga_err *err);

struct ga_notices {
	struct ga_notice *v;
	size_t n;
};
void ga_notices_release(struct ga_notices *list);
#define ga_autonotices ga_cleanup(ga_notices_release)
/* Adds the notices that a hook is owed, in the order they were raised; told and failure are
 * unknown. A hook gets no notice of its own failure; the other hooks do. In the caller's
 * transaction, which may be read-only. */
GA_MUST_CHECK int ga_store_notice_owed(struct ga_db *db, const char *hook, struct ga_notices *ret,
				       struct ga_err *err);

/* ---- in the caller's transaction ---- */

/* Records that the hook got the notice: the hook is no longer owed it, and does not fail
 * any more. */
GA_MUST_CHECK int ga_store_notice_told(struct ga_db *db, const struct ga_notice *n,
				       struct ga_err *err);
/* Records that the hook could not be notified, or may not be run: it needs a person until a later
 * notice succeeds. The audit has the first failure. */
GA_MUST_CHECK int ga_store_notice_failed(struct ga_db *db, const char *hook, const char *sentence,
					 struct ga_err *err);
/* Records that the hook may be run. A hook that is owed nothing does not fail any more: the notices
 * that it missed are over. */
GA_MUST_CHECK int ga_store_notice_well(struct ga_db *db, const char *hook, struct ga_err *err);
/* Removes hooks that no longer exist, and notices that are over and owed to no hook. */
GA_MUST_CHECK int ga_store_notice_tidy(struct ga_db *db, const char *const *hooks,
				       struct ga_err *err);

/* Hooks of notices that fail (notice.h). */
GA_MUST_CHECK int ga_attend_hooks(struct ga_db *db, const struct ga_attend_to *to,
				  struct ga_err *err);

#endif
