/* SPDX-License-Identifier: Apache-2.0 */
/* The state as metrics: the number of objects in each state, since when, and objects that need a
 * person. */
#include "state/watch/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "exchange/openmetrics.h"
#include "record/state.h"
#include "record/time.h"
#include "state/db/invariant.h"
#include "state/db/row.h"
#include "state/watch/attention.h"
#include "state/watch/report.h"

/* The time in microseconds; 0, which is long ago, when there is none. */
static int64_t when(const char *text)
{
	int64_t micros;

	return ga_time_read(text, &micros) ? micros : 0;
}

/* ---- nodes ---- */

static int nodes(struct ga_db *db, struct ga_str *to, struct ga_err *err)
{
	static const char *const labels[] = { "pool", "region", "mode", "state", NULL };
	ga_autorows struct ga_rows *rows = NULL;

	ga_om_family(to, "gpuaas_nodes", "Nodes by pool, region, mode and state.");
	if (ga_db_query(db, &rows, err,
			"SELECT pool, region, mode, state, count(*) FROM node "
			"GROUP BY pool, region, mode, state ORDER BY pool, region, mode, state",
			"") < 0)
		return -1;
	return ga_metrics_rows(rows, "gpuaas_nodes", labels, to, err);
}

static int node_times(struct ga_db *db, struct ga_str *to, struct ga_err *err)
{
	static const char seen[] = "gpuaas_node_observed_timestamp_seconds";
	static const char agreed[] = "gpuaas_node_reconciled_timestamp_seconds";
	ga_autostr struct ga_str second = GA_STR_INIT;
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	ga_om_family(to, seen, "When the node was last discovered; 0: never.");
	ga_om_family(&second, agreed, "When the node was last reconciled; 0: never.");
	if (ga_db_query(db, &rows, err,
			"SELECT n.id, n.pool, n.state, n.observed_at, r.at FROM node n "
			"LEFT JOIN node_reconciled r ON r.node_id = n.id "
			"WHERE n.state <> 'retired' ORDER BY n.id",
			"") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		const struct ga_label of[] = { { "node", ga_rows_text(rows, 0) },
					       { "pool", ga_rows_text(rows, 1) },
					       { "state", ga_rows_text(rows, 2) },
					       { NULL, NULL } };

		ga_om_micros(to, seen, of, when(ga_rows_text(rows, 3)));
		ga_om_micros(&second, agreed, of, when(ga_rows_text(rows, 4)));
	}
	ga_str_add(to, second.buf);
	return r;
}

/* ---- slots ---- */

/* The slots of one type in one state on a node. */
struct group {
	char *type, *state;
	int64_t n;
};

struct groups {
	struct group *v;
	size_t n;
};

static int by_type(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int r = strcmp(x->type, y->type);

	return r ? r : strcmp(x->state, y->state);
}

static void count_slot(struct groups *list, const char *type, const char *state)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!strcmp(list->v[i].type, type) && !strcmp(list->v[i].state, state))
			break;
	if (i == list->n)
		*ga_list_add(list) = (struct group){ ga_xstrdup(type), ga_xstrdup(state), 0 };
	list->v[i].n++;
}

/* Emits the counts of the node, and clears them. */
static void tell_node(const char *node, const char *pool, struct groups *list, struct ga_str *to)
{
	size_t i;

	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), by_type);
	for (i = 0; i < list->n; i++) {
		struct group *g = &list->v[i];
		const struct ga_label of[] = { { "node", node },
					       { "pool", pool },
					       { "type", g->type },
					       { "state", g->state },
					       { NULL, NULL } };

		ga_om_int(to, "gpuaas_slots", of, g->n);
		free(g->type);
		free(g->state);
	}
	ga_list_release(list);
}

/* The slots of a pool in a state: their number, the time of the oldest, and the time of the oldest
 * wipe order. */
struct age {
	char *pool; /* or NULL */
	char *state;
	char *since, *issued; /* the earliest; issued: NULL when no wipe was ordered */
	int64_t n;
};

struct ages {
	struct age *v;
	size_t n;
};

static void cleanup_ages(struct ages *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].pool);
		free(list->v[i].state);
		free(list->v[i].since);
		free(list->v[i].issued);
	}
	ga_list_release(list);
}

static int by_pool(const void *a, const void *b)
{
	const struct age *x = a, *y = b;
	int r = strcmp(x->pool ? x->pool : "", y->pool ? y->pool : "");

	return r ? r : strcmp(x->state, y->state);
}

/* In records, the order of texts of times is the order of times. */
static void keep_least(char **kept, const char *time)
{
	if (!time || (*kept && strcmp(*kept, time) <= 0))
		return;
	free(*kept);
	*kept = ga_xstrdup(time);
}

static void count_age(struct ages *list, const char *pool, const char *state, const char *since,
		      const char *issued)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!strcmp(list->v[i].state, state) && ga_streq(list->v[i].pool, pool))
			break;
	if (i == list->n)
		*ga_list_add(list) = (struct age){ .pool = ga_strdup0(pool),
						   .state = ga_xstrdup(state) };
	list->v[i].n++;
	keep_least(&list->v[i].since, since);
	keep_least(&list->v[i].issued, issued);
}

/* Emits the oldest slot of each state, and the oldest wipe orders. */
static void tell_ages(const struct ages *list, struct ga_str *to)
{
	static const char since[] = "gpuaas_slots_oldest_timestamp_seconds";
	static const char orders[] = "gpuaas_wipe_orders";
	static const char oldest[] = "gpuaas_wipe_orders_oldest_timestamp_seconds";
	ga_autostr struct ga_str second = GA_STR_INIT, third = GA_STR_INIT;
	size_t i;

	ga_om_family(to, since, "When the slot that is longest in its state entered it.");
	ga_om_family(&second, orders, "Wipes that were ordered and not proven yet.");
	ga_om_family(&third, oldest, "When the oldest of them was ordered.");
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), by_pool);
	for (i = 0; i < list->n; i++) {
		const struct age *a = &list->v[i];
		const struct ga_label of[] = { { "pool", a->pool },
					       { "state", a->state },
					       { NULL, NULL } };
		const struct ga_label pool[] = { of[0], { NULL, NULL } };

		ga_om_micros(to, since, of, when(a->since));
		if (strcmp(a->state, "wiping"))
			continue;
		ga_om_int(&second, orders, pool, a->n);
		ga_om_micros(&third, oldest, pool, when(a->issued ? a->issued : a->since));
	}
	ga_str_add(to, second.buf);
	ga_str_add(to, third.buf);
}

/* Counted here, in one pass over the slots: to group them, SQLite would sort all of them. As in
 * lists, a cordoned slot counts as disabled, not as available; its age is that of its state. */
static int slots(struct ga_db *db, struct ga_str *to, struct ga_err *err)
{
	ga_cleanup(cleanup_ages) struct ages ages = { 0 };
	ga_autofree char *node = NULL, *pool = NULL;
	ga_autorows struct ga_rows *rows = NULL;
	struct groups list = { 0 };
	int r;

	ga_om_family(to, "gpuaas_slots", "Slots, not those retired, by node, type and state.");
	if (ga_db_query(db, &rows, err,
			"SELECT n.id, n.pool, coalesce(s.accelerator_type, 'unknown'), s.state, "
			"s.since, s.wipe_issued_at, iif(s.state = 'available' AND NOT "
			GA_SQL_SLOT_AVAILABLE("s") ", 'disabled', s.state) "
			"FROM node n CROSS JOIN slot s "
			"INDEXED BY slot_place ON s.node_id = n.id WHERE s.state <> 'retired' "
			"ORDER BY n.id",
			"") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		if (!ga_streq(node, ga_rows_text(rows, 0))) {
			tell_node(node, pool, &list, to);
			free(node);
			free(pool);
			node = ga_rows_dup(rows, 0);
			pool = ga_rows_dup(rows, 1);
		}
		count_slot(&list, ga_rows_text(rows, 2), ga_rows_text(rows, 6));
		count_age(&ages, pool, ga_rows_text(rows, 3), ga_rows_text(rows, 4),
			  ga_rows_text(rows, 5));
	}
	tell_node(node, pool, &list, to);
	tell_ages(&ages, to);
	return r;
}

/* ---- allocations and use ---- */

/* Ended allocations are never deleted: they are not counted. */
#define LIVE \
	"state IN ('pending', 'placed', 'provisioning', 'active', 'held', 'preempting', " \
	"'failed', 'releasing', 'release_failed')"

static int allocations(struct ga_db *db, struct ga_str *to, struct ga_err *err)
{
	static const char *const labels[] = { "state", "project", "profile", NULL };
	static const char since[] = "gpuaas_allocations_oldest_timestamp_seconds";
	ga_autorows struct ga_rows *rows = NULL, *times = NULL;
	int r;

	ga_om_family(to, "gpuaas_allocations", "Allocations that have not ended, by state.");
	if (ga_db_query(db, &rows, err,
			"SELECT state, project, profile, count(*) AS n FROM allocation "
			"WHERE " LIVE " GROUP BY state, project, profile "
			"ORDER BY n DESC, state, project, profile",
			"") < 0 ||
	    ga_metrics_bounded_rows(rows, "gpuaas_allocations", labels, to, err) < 0)
		return -1;
	ga_om_family(to, since, "When the allocation that is longest in its state entered it.");
	if (ga_db_query(db, &times, err,
			"SELECT state, min(since) FROM allocation WHERE " LIVE
			" GROUP BY state ORDER BY state", "") < 0)
		return -1;
	while ((r = ga_rows_next(times, err)) > 0) {
		const struct ga_label of[] = { { "state", ga_rows_text(times, 0) },
					       { NULL, NULL } };

		ga_om_micros(to, since, of, when(ga_rows_text(times, 1)));
	}
	return r;
}

/* GPUs whose use is counted, by kind, type and project. */
struct use {
	const char *kind, *type, *project;
	int64_t gpus;
};

static int by_gpus(const void *a, const void *b)
{
	const struct use *x = a, *y = b;
	int r = x->gpus != y->gpus ? (x->gpus < y->gpus ? 1 : -1) : strcmp(x->kind, y->kind);

	r = r ? r : strcmp(x->type, y->type);
	return r ? r : strcmp(x->project ? x->project : "", y->project ? y->project : "");
}

static const char *type_of(const struct ga_cost_group *g)
{
	return g->by[GA_BY_TYPE] ? g->by[GA_BY_TYPE] : "unknown";
}

static void tell_gpus(const struct ga_cost_sums *sums, struct ga_str *to)
{
	struct ga_metrics_bounded b = { .name = "gpuaas_usage_open_gpus", .to = to };
	GA_LIST(struct use) list = { 0 };
	size_t i, k;

	for (i = 0; i < sums->groups.n; i++)
		for (k = 0; k < GA_COST_KIND_N; k++) {
			const struct ga_cost_group *g = &sums->groups.v[i];

			if (g->gpu_seconds[k])
				*ga_list_add(&list) = (struct use){
					ga_cost_kind_words[k], type_of(g), g->by[GA_BY_PROJECT],
					(int64_t)(g->gpu_seconds[k] / 3600) };
		}
	if (list.n)
		qsort(list.v, list.n, sizeof(*list.v), by_gpus);
	ga_om_family(to, b.name, "GPUs whose use is counted; active is billed.");
	for (i = 0; i < list.n; i++) {
		const struct ga_label of[] = { { "kind", list.v[i].kind },
					       { "type", list.v[i].type },
					       { "project", list.v[i].project },
					       { NULL, NULL } };

		ga_metrics_tell(&b, of, list.v[i].gpus);
	}
	ga_metrics_tell_rest(&b, "kind");
	ga_list_release(&list);
}

static void tell_costs(const struct ga_cost_sums *sums, struct ga_str *to)
{
	static const char cost[] = "gpuaas_usage_open_cost_per_hour";
	size_t i;

	ga_om_family(to, cost, "Cost an hour of what is billed now, in the site's currency.");
	for (i = 0; i < sums->groups.n; i++) {
		const struct ga_cost_group *g = &sums->groups.v[i];
		const struct ga_label of[] = { { "type", type_of(g) }, { NULL, NULL } };

		if (g->gpu_seconds[GA_COST_ACTIVE])
			ga_om_micros(to, cost, of, g->cost < INT64_MAX ? (int64_t)g->cost :
									 INT64_MAX);
	}
}

/* Two sums: by type and project, and by type. */
struct open_use {
	struct ga_cost_sums gpus, costs;
};

static int add_open(const struct ga_cost_line *line, const struct ga_report_facts *facts, void *arg,
		    struct ga_err *err)
{
	struct open_use *open = arg;

	(void)facts;
	(void)err;
	ga_cost_sums_add(&open->gpus, line);
	ga_cost_sums_add(&open->costs, line);
	return 0;
}

static int usage(struct ga_db *db, struct ga_str *to, struct ga_err *err)
{
	static const bool by_project[GA_BY_N] = { [GA_BY_TYPE] = true, [GA_BY_PROJECT] = true };
	static const bool by_type_only[GA_BY_N] = { [GA_BY_TYPE] = true };
	struct open_use open;
	int r;

	ga_cost_sums_init(&open.gpus, by_project, -1);
	ga_cost_sums_init(&open.costs, by_type_only, -1);
	r = ga_store_report_open(db, add_open, &open, err);
	if (r == 0) {
		ga_cost_sums_finish(&open.costs);
		tell_gpus(&open.gpus, to);
		tell_costs(&open.costs, to);
	}
	ga_cost_sums_release(&open.gpus);
	ga_cost_sums_release(&open.costs);
	return r;
}

/* ---- demand that was turned away ---- */

/* One column of refusal_total as a family; its rows come from the largest number down. */
static int refused(struct ga_rows *rows, const char *name, const char *help, struct ga_str *to,
		   struct ga_err *err)
{
	static const char *const labels[] = { "code", "type", NULL };

	ga_om_family(to, name, help);
	return ga_metrics_bounded_rows(rows, name, labels, to, err);
}

static int refusals(struct ga_db *db, struct ga_str *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *requests = NULL, *gpus = NULL, *attempts = NULL;

	if (ga_db_query(db, &requests, err, "SELECT code, type, requests FROM refusal_total "
			"ORDER BY requests DESC, code, type", "") < 0 ||
	    ga_db_query(db, &gpus, err, "SELECT code, type, gpus FROM refusal_total "
			"ORDER BY gpus DESC, code, type", "") < 0 ||
	    ga_db_query(db, &attempts, err, "SELECT code, type, attempts FROM refusal_total "
			"ORDER BY attempts DESC, code, type", "") < 0)
		return -1;
	return refused(requests, "gpuaas_refusals", "Requests that placement refused; the same "
		       "one counts once a day. Only grows.", to, err) < 0 ||
			       refused(gpus, "gpuaas_refused_gpus", "GPUs of these requests. Only "
				       "grows.", to, err) < 0 ||
			       refused(attempts, "gpuaas_refusal_attempts", "How often such "
				       "requests were made. Only grows.", to, err) < 0 ?
		       -1 :
		       0;
}

/* ---- faults ---- */

static int drift(struct ga_db *db, struct ga_str *to, struct ga_err *err)
{
	static const char *const labels[] = { "severity", "code", NULL };
	ga_autorows struct ga_rows *rows = NULL;

	ga_om_family(to, "gpuaas_drift", "Drift that the last reconcile of a node found and left.");
	if (ga_db_query(db, &rows, err,
			"SELECT d.severity, d.code, count(*) AS n FROM node_drift d "
			"JOIN node n ON n.id = d.node_id WHERE n.state <> 'retired' "
			"GROUP BY d.severity, d.code ORDER BY n DESC, d.severity, d.code",
			"") < 0)
		return -1;
	return ga_metrics_bounded_rows(rows, "gpuaas_drift", labels, to, err);
}

struct codes {
	struct code {
		char *code; /* NULL: all codes beyond the bound */
		int64_t n, oldest, acknowledged; /* n: without those */
	} *v;
	size_t n;
};

static void cleanup_codes(struct codes *codes)
{
	size_t i;

	for (i = 0; i < codes->n; i++)
		free(codes->v[i].code);
	ga_list_release(codes);
}

static int count_code(const struct ga_schema *schema, const void *obj, void *arg,
		      struct ga_err *err)
{
	const struct ga_attention *a = obj;
	struct codes *codes = arg;
	const char *code = a->code;
	int64_t since = when(a->since);
	size_t i;

	(void)schema;
	(void)err;
	for (i = 0; i < codes->n && !ga_streq(codes->v[i].code, code); i++)
		if (i == GA_METRICS_MAX)
			code = NULL;
	if (i == codes->n)
		*ga_list_add(codes) = (struct code){ ga_strdup0(code), 0, INT64_MAX, 0 };
	if (a->acknowledged) {
		codes->v[i].acknowledged++;
		return 0;
	}
	codes->v[i].n++;
	if (since < codes->v[i].oldest)
		codes->v[i].oldest = since;
	return 0;
}

static int by_code(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	return x->code && y->code ? strcmp(x->code, y->code) : !x->code - !y->code;
}

static int attention(struct ga_db *db, int64_t stale_seconds, struct ga_str *out,
		     struct ga_err *err)
{
	static const char oldest[] = "gpuaas_attention_oldest_timestamp_seconds";
	ga_cleanup(cleanup_codes) struct codes codes = { 0 };
	const struct ga_attend_to to = { .each = count_code, .arg = &codes,
					 .stale_seconds = stale_seconds };
	static const char hidden[] = "gpuaas_attention_acknowledged";
	ga_autostr struct ga_str second = GA_STR_INIT, third = GA_STR_INIT;
	size_t i;

	if (ga_store_list_attention(db, &to, err) < 0)
		return -1;
	if (codes.n)
		qsort(codes.v, codes.n, sizeof(*codes.v), by_code);
	ga_om_family(out, "gpuaas_attention", "Objects that need a person, without those that "
		     "somebody acknowledged: gpuaas-list attention.");
	ga_om_family(&second, oldest, "Since when the oldest of that code needs one.");
	ga_om_family(&third, hidden, "Objects that need a person, and that somebody acknowledged.");
	for (i = 0; i < codes.n; i++) {
		const struct ga_label of[] = { { "code", codes.v[i].code },
					       { NULL, NULL } };

		if (codes.v[i].acknowledged)
			ga_om_int(&third, hidden, of, codes.v[i].acknowledged);
		if (!codes.v[i].n)
			continue;
		ga_om_int(out, "gpuaas_attention", of, codes.v[i].n);
		ga_om_micros(&second, oldest, of, codes.v[i].oldest);
	}
	ga_str_add(out, second.buf);
	ga_str_add(out, third.buf);
	return 0;
}

/* ---- all families ---- */

static void about(struct ga_db *db, int64_t now, struct ga_str *to)
{
	ga_autofree char *schema = ga_xprintf("%lld", (long long)ga_db_schema_version(db));
	const struct ga_label of[] = { { "version", GA_VERSION },
				       { "schema", schema },
				       { "lab", ga_db_is_lab(db) ? "true" : "false" },
				       { NULL, NULL } };

	ga_om_family(to, "gpuaas_build_info", "Version of gpuaas and of the schema of the state.");
	ga_om_int(to, "gpuaas_build_info", of, 1);
	ga_om_family(to, "gpuaas_export_timestamp_seconds", "When these figures were taken.");
	ga_om_micros(to, "gpuaas_export_timestamp_seconds", NULL, now);
	ga_om_family(to, "gpuaas_state_epoch", "Grows with each restore or rebuild of the state.");
	ga_om_int(to, "gpuaas_state_epoch", NULL, ga_db_epoch(db));
}

int ga_store_metrics(struct ga_db *db, const struct ga_metrics_query *q, struct ga_str *to,
		     struct ga_err *err)
{
	about(db, q->now, to);
	if (nodes(db, to, err) < 0 || node_times(db, to, err) < 0 || slots(db, to, err) < 0 ||
	    allocations(db, to, err) < 0 ||
	    usage(db, to, err) < 0 || refusals(db, to, err) < 0 || drift(db, to, err) < 0 ||
	    attention(db, q->stale_seconds, to, err) < 0 ||
	    ga_metrics_work(db, q->now, to, err) < 0)
		return -1;
	return ga_metrics_files(db, q->backups, to, err);
}
