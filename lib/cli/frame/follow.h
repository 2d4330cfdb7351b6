/* SPDX-License-Identifier: Apache-2.0 */
/* The audit and its events as a stream: each row once, in the order of its number. */
#ifndef GA_CLI_FRAME_FOLLOW_H
#define GA_CLI_FRAME_FOLLOW_H

#include "record/state.h"
#include "state/db/row.h"
#include "state/query/list.h"

/*
 * Lists what q selects in the state at path and goes on as rows come, each row once. Ends with 0 at
 * SIGINT, SIGTERM, SIGHUP, q->limit, or when nobody reads standard output any more. A new run with
 * the number of the last row as q->after misses no row and gets none twice. GA_CONFLICT "restored"
 * when the state was replaced meanwhile, or ends before q->after: its numbers then mean other rows.
 */
GA_MUST_CHECK int ga_follow(const char *path, const struct ga_list_query *q, ga_store_each each,
			    void *arg, struct ga_err *err);

#endif
