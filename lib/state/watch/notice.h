/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notices: what needed a person when it was last looked at, and which hook was told of it. One is
 * raised when an attention record comes that was not there before, and cleared when it is no more.
 * A hook is owed "raised" of each open notice that it was not told of, and "cleared" of each that
 * it was told of; nothing else, so that it is told nothing twice, and nothing of what came and went
 * while it failed.
 */
#ifndef GA_STATE_WATCH_NOTICE_H
#define GA_STATE_WATCH_NOTICE_H

#include "record/notice.h"
#include "record/state.h"
#include "state/db/attend.h"
#include "state/db/row.h"

/* Compares what needs a person (stale_seconds and here as in ga_list_query) with the open notices,
 * in a read transaction of its own; none may be open. 1: they differ, and ga_store_notice_write, in
 * the caller's transaction, makes them the same; 0: they do not; -1. Whoever calls it holds the
 * lock of ga_store_notice_lock, so that nobody else writes notices in between. */
struct ga_notice_look;
void ga_store_notice_forget(struct ga_notice_look **look);
#define ga_autolook ga_cleanup(ga_store_notice_forget)
GA_MUST_CHECK int ga_store_notice_look(struct ga_db *db, int64_t stale_seconds, const char *here,
				       struct ga_notice_look **ret, struct ga_err *err);
GA_MUST_CHECK int ga_store_notice_write(struct ga_db *db, const struct ga_notice_look *look,
					struct ga_err *err);

/* A lock beside the state: one run at a time tells. A descriptor that holds it until it is closed;
 * GA_BUSY when another one does. */
GA_MUST_CHECK int ga_store_notice_lock(struct ga_db *db, struct ga_err *err);

struct ga_notices {
	struct ga_notice *v;
	size_t n;
};
void ga_notices_release(struct ga_notices *list);
#define ga_autonotices ga_cleanup(ga_notices_release)
/* Adds what a hook is owed, in the order it was raised; told and failure are unknown. That a hook
 * itself fails is for the others. In the caller's transaction, which may be one that reads. */
GA_MUST_CHECK int ga_store_notice_owed(struct ga_db *db, const char *hook, struct ga_notices *ret,
				       struct ga_err *err);

/* ---- in the caller's transaction ---- */

/* The hook was told: it is not owed that any more, and it does not fail. */
GA_MUST_CHECK int ga_store_notice_told(struct ga_db *db, const struct ga_notice *n,
				       struct ga_err *err);
/* The hook could not be told, or may not be run: that needs a person, until it was told again. The
 * audit has the first time. */
GA_MUST_CHECK int ga_store_notice_failed(struct ga_db *db, const char *hook, const char *sentence,
					 struct ga_err *err);
/* The hook may be run. It does not fail any more when it is owed nothing: what it could not tell is
 * over. */
GA_MUST_CHECK int ga_store_notice_well(struct ga_db *db, const char *hook, struct ga_err *err);
/* Forgets the hooks that are not among those that are there, and notices that are over and of which
 * nobody is owed anything. */
GA_MUST_CHECK int ga_store_notice_tidy(struct ga_db *db, const char *const *hooks,
				       struct ga_err *err);

/* Hooks of notices that fail (notice.h). */
GA_MUST_CHECK int ga_attend_hooks(struct ga_db *db, const struct ga_attend_to *to,
				  struct ga_err *err);

#endif
