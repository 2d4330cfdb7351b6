/* SPDX-License-Identifier: Apache-2.0 */
/* Requirements matched to hardware profiles: one answer. */
#include "match.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cost.h"
#include "match_int.h"

int ga_capability_meets(const char *have, const char *want)
{
	const char *const texts[] = { have, want };
	long major[2], minor[2];
	char *end;
	size_t i;

	for (i = 0; i < 2; i++) {
		if (!texts[i] || !isdigit((unsigned char)texts[i][0]))
			return -1;
		major[i] = strtol(texts[i], &end, 10);
		minor[i] = 0;
		if (*end == '.' && isdigit((unsigned char)end[1]))
			minor[i] = strtol(end + 1, &end, 10);
		if (*end)
			return -1;
	}
	return major[0] > major[1] || (major[0] == major[1] && minor[0] >= minor[1]);
}

/* ---- what the type is ---- */

static size_t preference_of(const struct ga_requirement *need, const struct ga_accel_type *type)
{
	size_t i;

	for (i = 0; type && i < need->architectures.n; i++) {
		const char *want = need->architectures.v[i];

		if ((type->architecture.name && !strcasecmp(type->architecture.name, want)) ||
		    (type->architecture.family && !strcasecmp(type->architecture.family, want)))
			return i;
	}
	return need->architectures.n;
}

static void check_architecture(const struct try *t)
{
	const char *have = t->offer->type ? t->offer->type->architecture.name : NULL;

	if (!t->need->architectures.n || !t->need->require_architecture)
		return;
	if (!have)
		ga_match_say(&t->m->unknown, "architecture",
			     "the architecture of its accelerators is not known");
	else if (preference_of(t->need, t->offer->type) == t->need->architectures.n)
		ga_match_say(&t->m->reasons, "architecture",
			     "its architecture is %s, and another one is required", have);
}

static void check_capability(const struct try *t)
{
	const struct ga_accel_type *type = t->offer->type;
	const char *want = t->need->min_compute_capability;
	const char *have = type ? type->architecture.compute_capability : NULL;

	if (!want)
		return;
	if (type && type->vendor && strcmp(type->vendor, "NVIDIA"))
		ga_match_say(&t->m->reasons, "app_incompatible",
			     "accelerators of %s have no CUDA compute capability", type->vendor);
	else if (!have)
		ga_match_say(&t->m->unknown, "compute_capability",
			     "its compute capability is not known");
	else if (ga_capability_meets(have, want) != 1)
		ga_match_say(&t->m->reasons, "app_incompatible",
			     "its compute capability is %s, at least %.16s is needed", have, want);
}

/* Whose accelerators run what was built for a platform; "Intel Habana" makes Gaudi. */
static const char *const app_vendors[][2] = {
	{ "cuda", "NVIDIA" },	{ "rocm", "AMD" },	     { "oneapi", "Intel" },
	{ "neuron", "AWS" },	{ "synapse", "Intel Habana" }, { "xla", "Google" },
};

static void check_vendor(const struct try *t)
{
	const char *have = t->offer->type ? t->offer->type->vendor : NULL;
	size_t i;

	if (!have && (t->need->vendor || t->need->app)) {
		ga_match_say(&t->m->unknown, "vendor",
			     "the vendor of its accelerators is not known");
		return;
	}
	if (t->need->vendor && strcasecmp(have, t->need->vendor))
		ga_match_say(&t->m->reasons, "app_incompatible",
			     "its accelerators are of %s", have);
	for (i = 0; t->need->app && i < GA_ARRAY_SIZE(app_vendors); i++)
		if (!strcmp(app_vendors[i][0], t->need->app) && strcmp(app_vendors[i][1], have))
			ga_match_say(&t->m->reasons, "app_incompatible",
				     "its accelerators are of %s, which %s does not run on",
				     have, t->need->app);
}

/* ---- memory ---- */

static void add_gib(int64_t mib, struct ga_str *out)
{
	if (mib % 1024)
		ga_str_addf(out, "%" PRId64 ".%" PRId64 " GiB", mib / 1024,
			    mib % 1024 * 10 / 1024);
	else
		ga_str_addf(out, "%" PRId64 " GiB", mib / 1024);
}

static void check_memory(struct try *t)
{
	const char *missing;
	int64_t needed = ga_estimate_memory(t->need, t->m->count, &missing);
	int64_t have = t->offer->memory_mib;
	ga_autostr struct ga_str wants = GA_STR_INIT, has = GA_STR_INIT;

	if (t->need->memory_mib != GA_UNKNOWN && t->need->memory_mib > needed)
		needed = t->need->memory_mib;
	if (needed == GA_UNKNOWN) {
		if (ga_estimate_is_training(t->need) || t->need->context != GA_UNKNOWN)
			ga_match_say(&t->m->unknown, "memory",
				     "without the parameters of the model nobody can say how much "
				     "memory it needs");
		return;
	}
	t->m->memory_needed_mib = needed;
	if (missing)
		ga_match_say(&t->m->unknown, "memory", "%s", missing);
	if (have == GA_UNKNOWN) {
		ga_match_say(&t->m->unknown, "memory",
			     "the memory of its accelerators is not known");
		return;
	}
	if (needed <= have)
		return;
	t->too_small = true;
	add_gib(needed, &wants);
	add_gib(have, &has);
	ga_match_say(&t->m->reasons, "memory_too_small",
		     "%s are needed of each GPU (of %" PRId64 "), and it has %s", wants.buf,
		     t->m->count, has.buf);
}

/* ---- time ---- */

void match_costs(struct ga_match *m)
{
	const int64_t price = m->count ? m->cost_per_hour_micros / m->count : 0;
	const int64_t seconds[] = { m->seconds_low, m->seconds, m->seconds_high };
	int64_t *const costs[] = { &m->cost_low_micros, &m->cost_micros, &m->cost_high_micros };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(costs); i++) {
		__int128 cost = seconds[i] == GA_UNKNOWN ?
					-1 : ga_cost_micros(m->count, seconds[i], price);

		*costs[i] = cost < 0 || cost > MATCH_MOST ? GA_UNKNOWN : (int64_t)cost;
	}
}

static void say_no_time(const struct try *t, const char *sentence)
{
	ga_match_say(&t->m->unknown, "no_basis", "%s", sentence);
}

static void find_time(const struct try *t)
{
	const struct ga_accel_type *type = t->offer->type;
	struct ga_training_time time;
	struct ga_efficiency e;
	const char *precision;

	/* What does not fit takes no time. */
	if (!ga_estimate_is_training(t->need) || t->too_small)
		return;
	if (ga_estimate_tokens(t->need) == GA_UNKNOWN || t->need->params == GA_UNKNOWN) {
		say_no_time(t, "no time without both the parameters of the model and the tokens "
			       "it is trained on");
		return;
	}
	if (!type) {
		say_no_time(t, "no time for accelerators of which the type is not known");
		return;
	}
	precision = ga_estimate_precision(t->need, type);
	if (ga_estimate_peak(type, precision) <= 0) {
		ga_match_say(&t->m->unknown, "no_basis",
			     "no time: the dense peak of the type is not known for %s", precision);
		return;
	}
	if (!ga_estimate_efficiency(t->tables->throughput, t->tables->accels, type, precision,
				    &e)) {
		ga_match_say(&t->m->unknown, "no_basis",
			     "no time: nobody measured the training of a model on the type or on "
			     "one like it, nor its matrix products (%s)", precision);
		return;
	}
	t->m->basis = GA_TAKE(e.basis);
	if (!ga_estimate_time(t->need, t->m->count, ga_estimate_peak(type, precision), &e,
			      &time)) {
		free(GA_TAKE(t->m->basis));
		say_no_time(t, "no time: it would take more than a hundred years");
		return;
	}
	t->m->confidence = ga_xstrdup(e.confidence);
	t->m->seconds_low = time.low;
	t->m->seconds = time.seconds;
	t->m->seconds_high = time.high;
	match_costs(t->m);
}

/* ---- one count, and the least that does ---- */

/* A machine is given with all it has. */
static bool is_whole(const struct ga_match_offer *o)
{
	return !strcmp(o->shape, "baremetal");
}

/* Whether what is expected is so much: it is the least that is given, and of a machine nobody knows
 * yet how much that is. */
static bool is_expected(const struct try *t)
{
	const struct ga_match_offer *o = t->offer;
	int64_t least = o->n_counts ? o->counts[0] : 1;
	size_t i;

	if (!o->expected_at)
		return false;
	if (is_whole(o))
		return t->need->gpus <= 1;
	for (i = 1; i < o->n_counts; i++)
		least = o->counts[i] < least ? o->counts[i] : least;
	return t->m->count == least;
}

static void begin(const struct try *t)
{
	const struct ga_match_offer *o = t->offer;
	struct ga_match *m = t->m;

	m->profile = ga_xstrdup(o->profile);
	m->shape = ga_xstrdup(o->shape);
	m->accelerator_type = ga_strdup0(o->slug);
	m->type_name = ga_strdup0(o->type_name);
	m->memory_mib = o->memory_mib;
	m->currency = ga_strdup0(o->currency);
	m->available_count = o->available;
	m->largest_available = o->largest;
	m->pending_count = o->pending;
	m->expected_available_at = is_expected(t) ? ga_xstrdup(o->expected_at) : NULL;
	m->stale_seconds = o->stale_seconds;
}

static const char *availability_of(const struct try *t)
{
	const struct ga_match_offer *o = t->offer;

	if (o->largest != GA_UNKNOWN && o->largest >= t->m->count)
		return "now";
	if (o->largest == GA_UNKNOWN || o->uncertain)
		return "unknown";
	if (!o->expected_at)
		return "none";
	return is_expected(t) ? "later" : "unknown";
}

static void try_count(const struct match_context *c, const struct ga_match_offer *offer,
		      int64_t count, struct ga_match *ret)
{
	struct try t = { .need = c->need, .tables = c->tables, .offer = offer, .m = ret };
	__int128 hour = (__int128)offer->price_micros * count;

	ga_shape_init(&ga_match_shape, ret);
	ret->count = count;
	ret->cost_per_hour_micros = hour > MATCH_MOST ? MATCH_MOST : (int64_t)hour;
	begin(&t);
	ret->availability = ga_xstrdup(availability_of(&t));
	if (!offer->team)
		ga_match_say(&ret->reasons, "team", "it is for other teams");
	check_architecture(&t);
	check_vendor(&t);
	check_capability(&t);
	check_memory(&t);
	find_time(&t);
	match_speed(&t);
	match_slos(&t);
	ret->fits = !ret->reasons.n;
}

/* Fits, then SLOs known to be met, then fewer reasons against it. */
static bool is_better(const struct ga_match *a, const struct ga_match *b)
{
	if (a->fits != b->fits)
		return a->fits;
	if (a->fits && ga_streq(a->slo, "met") != ga_streq(b->slo, "met"))
		return ga_streq(a->slo, "met");
	return a->reasons.n < b->reasons.n;
}

static bool is_count(const struct ga_match_offer *o, int64_t count)
{
	size_t i;

	for (i = 0; i < o->n_counts; i++)
		if (o->counts[i] == count)
			return true;
	return !o->n_counts;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The counts to be tried, least first; any count: 1, 2, 4, 8. */
static void counts_of(const struct match_context *c, const struct ga_match_offer *o,
		      int64_t *ret, size_t *n)
{
	static const int64_t any[] = { 1, 2, 4, 8 };
	size_t i;

	*n = 0;
	if (is_whole(o)) {
		ret[(*n)++] = o->largest > 0 ? o->largest : 1;
		return;
	}
	if (c->need->gpus != GA_UNKNOWN) {
		ret[(*n)++] = c->need->gpus;
		return;
	}
	if (!o->n_counts) {
		memcpy(ret, any, sizeof(any));
		*n = GA_ARRAY_SIZE(any);
		return;
	}
	for (i = 0; i < o->n_counts && *n < MATCH_COUNTS_MAX; i++)
		if (o->counts[i] >= 1)
			ret[(*n)++] = o->counts[i];
	qsort(ret, *n, sizeof(*ret), by_size);
	if (!*n)
		ret[(*n)++] = 1;
}

static void check_given(const struct match_context *c, const struct ga_match_offer *o,
			struct ga_match *m)
{
	if (is_whole(o) && o->largest <= 0)
		ga_match_say(&m->unknown, "count",
			     "how many GPUs a machine of it has is not known while none is free");
	if (is_whole(o) ? o->largest > 0 && c->need->gpus > m->count : !is_count(o, m->count)) {
		ga_match_say(&m->reasons, "count_not_offered",
			     "it is not given with %" PRId64 " GPUs",
			     is_whole(o) ? c->need->gpus : m->count);
		m->fits = false;
	}
}

static void answer(const struct match_context *c, const struct ga_match_offer *offer,
		   struct ga_match *ret)
{
	int64_t counts[MATCH_COUNTS_MAX];
	struct ga_match next;
	size_t i, n;

	counts_of(c, offer, counts, &n);
	try_count(c, offer, counts[0], ret);
	for (i = 1; i < n && !(ret->fits && !ga_streq(ret->slo, "unknown")); i++) {
		try_count(c, offer, counts[i], &next);
		if (is_better(&next, ret)) {
			ga_shape_release(&ga_match_shape, ret);
			*ret = next;
		} else {
			ga_shape_release(&ga_match_shape, &next);
		}
	}
	check_given(c, offer, ret);
}

void ga_match(const struct ga_requirement *need, const struct ga_match_tables *tables,
	      const struct ga_match_offer *offers, size_t n, struct ga_matches *ret)
{
	const struct match_context c = { .need = need, .tables = tables };
	size_t i;

	*ret = (struct ga_matches){ .v = ga_xcalloc(n ? n : 1, sizeof(*ret->v)), .n = n,
				    .more = ga_xcalloc(n ? n : 1, sizeof(*ret->more)) };
	for (i = 0; i < n; i++) {
		answer(&c, &offers[i], &ret->v[i]);
		ret->more[i].preference = preference_of(need, offers[i].type);
		ret->more[i].offer = i;
	}
}

void ga_matches_release(struct ga_matches *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_shape_release(&ga_match_shape, &list->v[i]);
	free(list->v);
	free(list->more);
	*list = (struct ga_matches){ 0 };
}
