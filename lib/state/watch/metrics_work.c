/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of the last day: phases of provisioning, release and rebuild, and wipes, as nearest-rank
 * percentiles. Prometheus cannot compute them from gauges, and node_exporter takes no histogram.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "exchange/openmetrics.h"
#include "record/time.h"
#include "state/watch/metrics.h"

#define DAY_MICROS (86400 * GA_SECOND)
#define PHASES_MAX 100 /* far more than there are */

struct phase {
	char *name;
	int64_t finished, failed;
	struct ga_ints micros; /* durations of those that finished and were timed */
};

struct phases {
	struct phase *v;
	size_t n;
};

static void cleanup_phases(struct phases *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].name);
		ga_list_release(&list->v[i].micros);
	}
	ga_list_release(list);
}

static struct phase *find(struct phases *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!strcmp(list->v[i].name, name))
			return &list->v[i];
	if (list->n == PHASES_MAX)
		return NULL;
	ga_list_add(list)->name = ga_xstrdup(name);
	return &list->v[i];
}

static void note(struct phases *list, const char *name, bool failed, int64_t micros)
{
	struct phase *p = find(list, name);

	if (!p)
		return;
	if (failed) {
		p->failed++;
		return;
	}
	p->finished++;
	if (micros >= 0)
		*ga_list_add(&p->micros) = micros;
}

/* Published ports are left out: their phase has the port number, and they take no time. A phase
 * that an order has several times counts by its name without the number (disk_2). */
static int read_tasks(struct ga_db *db, const char *from, struct phases *list, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT rtrim(rtrim(phase, '0123456789'), '_'), state = 'failed', "
			"elapsed_micros FROM task "
			"WHERE finished_at >= ?1 AND finished_at IS NOT NULL "
			"AND state IN ('finished', 'failed') "
			"AND phase NOT GLOB 'publish_*' AND phase NOT GLOB 'unpublish_*'",
			"s", from) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		note(list, ga_rows_text(rows, 0), ga_rows_bool(rows, 1), ga_rows_int(rows, 2));
	return r;
}

/* By outcome and class; there are few of both. */
struct outcomes {
	struct outcome {
		char *outcome, *class;
		int64_t n;
	} *v;
	size_t n;
};

static void cleanup_outcomes(struct outcomes *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].outcome);
		free(list->v[i].class);
	}
	ga_list_release(list);
}

static void count_outcome(struct outcomes *list, const char *outcome, const char *class)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!strcmp(list->v[i].outcome, outcome) && !strcmp(list->v[i].class, class))
			break;
	if (i == list->n)
		*ga_list_add(list) = (struct outcome){ ga_xstrdup(outcome), ga_xstrdup(class), 0 };
	list->v[i].n++;
}

/* Wipes are the phase "wipe": a confirmed wipe has finished. A wipe that was not started took no
 * time and shows no fault of a drive; only the outcomes count it. */
static int read_wipes(struct ga_db *db, const char *from, struct phases *list,
		      struct outcomes *outcomes, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT outcome, class, started_at, finished_at FROM wipe_evidence "
			"WHERE folded_at >= ?1",
			"s", from) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		const char *outcome = ga_rows_text(rows, 0);
		int64_t start, end;

		count_outcome(outcomes, outcome, ga_rows_text(rows, 1));
		if (!strcmp(outcome, "not_started"))
			continue;
		if (ga_time_parse(ga_rows_text(rows, 2), &start, err) < 0 ||
		    ga_time_parse(ga_rows_text(rows, 3), &end, err) < 0)
			return ga_wrap(err, "the times of stored evidence");
		note(list, "wipe", strcmp(outcome, "confirmed"), end - start);
	}
	return r;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct phase *)a)->name, ((const struct phase *)b)->name);
}

static void tell_phase(const struct phase *p, struct ga_str *times, struct ga_str *runs)
{
	static const struct {
		unsigned int percent;
		const char *name;
	} ranks[] = { { 50, "50" }, { 95, "95" }, { 99, "99" }, { 100, "100" } };
	size_t n = p->micros.n, i;

	for (i = 0; n && i < GA_ARRAY_SIZE(ranks); i++) {
		const struct ga_label of[] = { { "phase", p->name },
					       { "percentile", ranks[i].name },
					       { NULL, NULL } };

		ga_om_micros(times, "gpuaas_phase_duration_seconds", of,
			     p->micros.v[(n * ranks[i].percent + 99) / 100 - 1]);
	}
	for (i = 0; i < 2; i++) {
		const struct ga_label of[] = { { "phase", p->name },
					       { "outcome", i ? "failed" : "finished" },
					       { NULL, NULL } };

		ga_om_int(runs, "gpuaas_phase_runs", of, i ? p->failed : p->finished);
	}
}

static int by_outcome(const void *a, const void *b)
{
	const struct outcome *x = a, *y = b;
	int r = strcmp(x->outcome, y->outcome);

	return r ? r : strcmp(x->class, y->class);
}

static void tell_outcomes(struct outcomes *list, struct ga_str *to)
{
	size_t i;

	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), by_outcome);
	ga_om_family(to, "gpuaas_wipe_evidence", "Wipes reported in the last day, by outcome.");
	for (i = 0; i < list->n; i++) {
		const struct ga_label of[] = { { "outcome", list->v[i].outcome },
					       { "class", list->v[i].class },
					       { NULL, NULL } };

		ga_om_int(to, "gpuaas_wipe_evidence", of, list->v[i].n);
	}
}

int ga_metrics_work(struct ga_db *db, int64_t now, struct ga_str *to, struct ga_err *err)
{
	ga_cleanup(cleanup_outcomes) struct outcomes outcomes = { 0 };
	ga_cleanup(cleanup_phases) struct phases list = { 0 };
	ga_autostr struct ga_str runs = GA_STR_INIT;
	char from[GA_TIME_SIZE];
	size_t i;

	ga_time_format(now - DAY_MICROS, from);
	if (read_tasks(db, from, &list, err) < 0 ||
	    read_wipes(db, from, &list, &outcomes, err) < 0)
		return -1;
	if (list.n)
		qsort(list.v, list.n, sizeof(*list.v), by_name);
	ga_om_family(to, "gpuaas_phase_duration_seconds",
		     "How long phases that finished in the last day took: percentiles.");
	ga_om_family(&runs, "gpuaas_phase_runs", "Phases that ended in the last day.");
	for (i = 0; i < list.n; i++) {
		if (list.v[i].micros.n)
			qsort(list.v[i].micros.v, list.v[i].micros.n, sizeof(int64_t), by_size);
		tell_phase(&list.v[i], to, &runs);
	}
	ga_str_add(to, runs.buf);
	tell_outcomes(&outcomes, to);
	return 0;
}
