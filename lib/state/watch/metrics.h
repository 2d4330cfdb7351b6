/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state as metrics: grouped queries, so that a fleet of 1,000 nodes and 8,000 slots takes tens
 * of milliseconds. gpuaas-export(1) describes each family; share/alerts has alerts on them.
 *
 * The number of label values is bounded. Names that people gave (projects, profiles) and values
 * that hosts reported (codes, phases) get a sample each only for the GA_METRICS_MAX largest; the
 * others are summed into one sample without those labels.
 */
#ifndef GA_STATE_WATCH_METRICS_H
#define GA_STATE_WATCH_METRICS_H

#include "base/str.h"
#include "base/vec.h"
#include "state/db/db.h"

#define GA_METRICS_MAX 500

struct ga_metrics_query {
	int64_t stale_seconds; /* as of ga_list_query: attention */
	const char *backups;   /* folder of the kept backups; a folder that does not exist has
				  none */
	int64_t now;	       /* microseconds; phases and wipes of the day before it are counted */
};

/* Adds every family, without the final "# EOF" line. The caller has a transaction open. GA_DENIED,
 * GA_SYSTEM when the folder of the backups exists and cannot be read. */
GA_MUST_CHECK int ga_store_metrics(struct ga_db *db, const struct ga_metrics_query *q,
				   struct ga_str *to, struct ga_err *err);

/* ---- parts, private to this folder ---- */

struct ga_rows;
/* The work of the last day: durations of phases and wipes (metrics_work.c). */
GA_MUST_CHECK int ga_metrics_work(struct ga_db *db, int64_t now, struct ga_str *to,
				  struct ga_err *err);
/* The files: the state with its file system, and the backups (metrics_file.c). */
GA_MUST_CHECK int ga_metrics_files(struct ga_db *db, const char *backups, struct ga_str *to,
				   struct ga_err *err);
/* Adds one sample for each row: the first columns are the values of the labels (NULL-terminated, at
 * most 7), the next one is the number. */
GA_MUST_CHECK int ga_metrics_rows(struct ga_rows *rows, const char *name, const char *const *labels,
				  struct ga_str *to, struct ga_err *err);

struct ga_label;
/* Samples of one family, emitted from the largest number down: samples beyond GA_METRICS_MAX are
 * summed by their first label. */
struct ga_metrics_bounded {
	const char *name;
	struct ga_str *to;
	int emitted;
	GA_LIST(struct ga_metrics_rest {
		char *first;
		int64_t n;
	}) rest;
};
/* Emits one sample with the labels, or adds n to the sum of its first label. */
void ga_metrics_tell(struct ga_metrics_bounded *b, const struct ga_label *of, int64_t n);
/* Emits those sums; label: the name of the first label. b is released. */
void ga_metrics_tell_rest(struct ga_metrics_bounded *b, const char *label);
/* As ga_metrics_rows, for rows ordered from the largest number down. */
GA_MUST_CHECK int ga_metrics_bounded_rows(struct ga_rows *rows, const char *name,
					  const char *const *labels, struct ga_str *to,
					  struct ga_err *err);

#endif
