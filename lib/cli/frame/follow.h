/* SPDX-License-Identifier: Apache-2.0 */
/* The audit and its events as a stream: each row once, in the order of its number. */
#ifndef GA_CLI_FRAME_FOLLOW_H
#define GA_CLI_FRAME_FOLLOW_H

#include "state/db/row.h"
#include "state/query/list.h"

/*
 * Lists the rows that q selects in the state at path, and goes on with new rows, each row once.
 * Ends with 0 at SIGINT, SIGTERM, SIGHUP, at q->limit, or when the reader of standard output is
 * gone. A new run with the number of the last row as q->after misses no row and repeats none.
 * GA_CONFLICT "restored" when the state was replaced meanwhile, or ends before q->after: its
 * numbers then belong to other rows.
 */
GA_MUST_CHECK int ga_follow(const char *path, const struct ga_list_query *q, ga_store_each each,
			    void *arg, struct ga_err *err);

/* A descriptor of inotify that becomes readable when a file in the folder of path changes; it does
 * not block, and the caller closes it. -1: there is none. */
GA_MUST_CHECK int ga_follow_inotify(const char *path);

#endif
