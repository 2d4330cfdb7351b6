/* SPDX-License-Identifier: Apache-2.0 */
/* The state as metrics: what there is, in which state, since when, and what needs a person. */
#include "store_metrics.h"

#include <stdlib.h>
#include <string.h>

#include "openmetrics.h"
#include "store.h"
#include "time.h"

#define LABELS_MAX 7

/* A time as micros; 0, which is long ago, where there is none. */
static int64_t when(const char *text)
{
	struct ga_err ignored = GA_ERR_INIT;
	int64_t micros;

	return text && ga_time_parse(text, &micros, &ignored) == 0 ? micros : 0;
}

static void labels_of(const struct ga_rows *rows, const char *const *names,
		      struct ga_label ret[LABELS_MAX + 1])
{
	int n;

	for (n = 0; names[n]; n++)
		ret[n] = (struct ga_label){ names[n], ga_rows_text(rows, n) };
	ret[n] = (struct ga_label){ NULL, NULL };
}

static int count_labels(const char *const *names)
{
	int n = 0;

	while (names[n])
		n++;
	return n;
}

int ga_metrics_rows(struct ga_rows *rows, const char *name, const char *const *labels,
		    struct ga_str *to, struct ga_err *err)
{
	int number = count_labels(labels), r;
	struct ga_label of[LABELS_MAX + 1];

	while ((r = ga_rows_next(rows, err)) > 0) {
		labels_of(rows, labels, of);
		ga_om_int(to, name, of, ga_rows_int(rows, number));
	}
	return r;
}

/* ---- rows beyond those told one by one ---- */

/* Sums by the first label. */
struct rest {
	struct rest_sum {
		char *first;
		int64_t n;
	} *v;
	size_t n;
};

static void rest_add(struct rest *rest, const char *first, int64_t n)
{
	size_t i;

	for (i = 0; i < rest->n && !ga_streq(rest->v[i].first, first); i++)
		;
	if (i == rest->n)
		ga_list_add(rest)->first = ga_strdup0(first);
	rest->v[i].n += n;
}

static void cleanup_rest(struct rest *rest)
{
	size_t i;

	for (i = 0; i < rest->n; i++)
		free(rest->v[i].first);
	ga_list_release(rest);
}

/* As ga_metrics_rows, of rows with the largest number first. */
static int bounded_rows(struct ga_rows *rows, const char *name, const char *const *labels,
			struct ga_str *to, struct ga_err *err)
{
	ga_cleanup(cleanup_rest) struct rest rest = { 0 };
	int number = count_labels(labels), told = 0, r;
	struct ga_label of[LABELS_MAX + 1];
	size_t i;

	while ((r = ga_rows_next(rows, err)) > 0) {
		labels_of(rows, labels, of);
		if (told++ < GA_METRICS_MAX)
			ga_om_int(to, name, of, ga_rows_int(rows, number));
		else
			rest_add(&rest, of[0].value, ga_rows_int(rows, number));
	}
	for (i = 0; i < rest.n; i++) {
		of[0] = (struct ga_label){ labels[0], rest.v[i].first };
		of[1] = (struct ga_label){ NULL, NULL };
		ga_om_int(to, name, of, rest.v[i].n);
	}
	return r;
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

/* What one node has of a type in a state. */
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

/* Gives out what was counted of the node, and begins anew. */
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

/* The slots of a pool in a state: how many, since when the oldest is, and its order of a wipe. */
struct age {
	char *pool; /* or NULL */
	char *state;
	char *since, *issued; /* the least; issued: NULL where no wipe was ordered */
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

/* Times are written so that their text is in their order. */
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

/* The oldest of each state, and the orders of wipes among them. */
static void tell_ages(const struct ages *list, struct ga_str *to)
{
	static const char since[] = "gpuaas_slots_oldest_timestamp_seconds";
	static const char orders[] = "gpuaas_wipe_orders";
	static const char oldest[] = "gpuaas_wipe_orders_oldest_timestamp_seconds";
	ga_autostr struct ga_str second = GA_STR_INIT, third = GA_STR_INIT;
	size_t i;

	ga_om_family(to, since, "Since when the slot is in its state that is in it longest.");
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

/* Counted here, in one look at the slots: to group them, SQLite would sort every one. */
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
			"s.since, s.wipe_issued_at FROM node n CROSS JOIN slot s "
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
		count_slot(&list, ga_rows_text(rows, 2), ga_rows_text(rows, 3));
		count_age(&ages, pool, ga_rows_text(rows, 3), ga_rows_text(rows, 4),
			  ga_rows_text(rows, 5));
	}
	tell_node(node, pool, &list, to);
	tell_ages(&ages, to);
	return r;
}

/* ---- allocations and use ---- */

/* Those that ended are never deleted: they are left alone. */
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
	    bounded_rows(rows, "gpuaas_allocations", labels, to, err) < 0)
		return -1;
	ga_om_family(to, since, "Since when the allocation is in its state that is in it longest.");
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

static int usage(struct ga_db *db, struct ga_str *to, struct ga_err *err)
{
	static const char *const labels[] = { "kind", "type", "project", NULL };
	static const char cost[] = "gpuaas_usage_open_cost_per_hour";
	ga_autorows struct ga_rows *rows = NULL, *costs = NULL;
	int r;

	ga_om_family(to, "gpuaas_usage_open_gpus", "GPUs whose use is counted; active is billed.");
	if (ga_db_query(db, &rows, err,
			"SELECT u.usage_kind, coalesce(u.accelerator_type, 'unknown') AS type, "
			"a.project, sum(u.count) AS n FROM usage u "
			"JOIN allocation a ON a.id = u.allocation_id WHERE u.ended_at IS NULL "
			"GROUP BY u.usage_kind, type, a.project "
			"ORDER BY n DESC, u.usage_kind, type, a.project",
			"") < 0 ||
	    bounded_rows(rows, "gpuaas_usage_open_gpus", labels, to, err) < 0)
		return -1;
	ga_om_family(to, cost, "What is billed now costs so much an hour, in the site's currency.");
	if (ga_db_query(db, &costs, err,
			"SELECT coalesce(accelerator_type, 'unknown') AS type, "
			"sum(count * price_micros) FROM usage WHERE ended_at IS NULL "
			"AND usage_kind = 'active' GROUP BY type ORDER BY type",
			"") < 0)
		return -1;
	while ((r = ga_rows_next(costs, err)) > 0) {
		const struct ga_label of[] = { { "type", ga_rows_text(costs, 0) },
					       { NULL, NULL } };

		ga_om_micros(to, cost, of, ga_rows_int(costs, 1));
	}
	return r;
}

/* ---- what is not as it should be ---- */

static int drift(struct ga_db *db, struct ga_str *to, struct ga_err *err)
{
	static const char *const labels[] = { "severity", "code", NULL };
	ga_autorows struct ga_rows *rows = NULL;

	ga_om_family(to, "gpuaas_drift", "What the last reconcile of a node found and left.");
	if (ga_db_query(db, &rows, err,
			"SELECT d.severity, d.code, count(*) AS n FROM node_drift d "
			"JOIN node n ON n.id = d.node_id WHERE n.state <> 'retired' "
			"GROUP BY d.severity, d.code ORDER BY n DESC, d.severity, d.code",
			"") < 0)
		return -1;
	return bounded_rows(rows, "gpuaas_drift", labels, to, err);
}

struct codes {
	struct code {
		char *code; /* NULL: all that had no place */
		int64_t n, oldest;
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

static int count_code(const struct ga_shape *shape, const void *obj, void *arg,
		      struct ga_err *err)
{
	const struct ga_attention *a = obj;
	struct codes *codes = arg;
	const char *code = a->code;
	int64_t since = when(a->since);
	size_t i;

	(void)shape;
	(void)err;
	for (i = 0; i < codes->n && !ga_streq(codes->v[i].code, code); i++)
		if (i == GA_METRICS_MAX)
			code = NULL;
	if (i == codes->n)
		*ga_list_add(codes) = (struct code){ ga_strdup0(code), 0, since };
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

static int attention(struct ga_db *db, int64_t stale_seconds, struct ga_str *to,
		     struct ga_err *err)
{
	static const char oldest[] = "gpuaas_attention_oldest_timestamp_seconds";
	const struct ga_list_query q = { .kind = "attention", .stale_seconds = stale_seconds };
	ga_cleanup(cleanup_codes) struct codes codes = { 0 };
	ga_autostr struct ga_str second = GA_STR_INIT;
	size_t i;

	if (ga_store_list(db, &q, count_code, &codes, err) < 0)
		return -1;
	if (codes.n)
		qsort(codes.v, codes.n, sizeof(*codes.v), by_code);
	ga_om_family(to, "gpuaas_attention", "What needs a person: gpuaas-list attention.");
	ga_om_family(&second, oldest, "Since when the oldest of that code does.");
	for (i = 0; i < codes.n; i++) {
		const struct ga_label of[] = { { "code", codes.v[i].code },
					       { NULL, NULL } };

		ga_om_int(to, "gpuaas_attention", of, codes.v[i].n);
		ga_om_micros(&second, oldest, of, codes.v[i].oldest);
	}
	ga_str_add(to, second.buf);
	return 0;
}

/* ---- all ---- */

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
	    usage(db, to, err) < 0 || drift(db, to, err) < 0 ||
	    attention(db, q->stale_seconds, to, err) < 0 ||
	    ga_metrics_work(db, q->now, to, err) < 0)
		return -1;
	return ga_metrics_files(db, q->backups, to, err);
}
