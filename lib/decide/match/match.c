/* SPDX-License-Identifier: Apache-2.0 */
/* Matches requirements to hardware profiles: makes one answer for each offer. */
#include "decide/match/match.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "catalog/name.h"
#include "decide/match/internal.h"
#include "record/money.h"

int ga_capability_meets(const char *have, const char *want)
{
	const char *const texts[] = { have, want };
	size_t i;

	for (i = 0; i < 2; i++)
		if (!texts[i] || strchr(texts[i], '.') != strrchr(texts[i], '.'))
			return -1;
	return ga_version_meets(have, want);
}

/* ---- checks of the type ---- */

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

/* Adds a fact that decides whether the type meets the requirement, and that is not known. */
static void doubt(struct try *t, const char *code, const char *sentence)
{
	t->unsure = true;
	ga_match_say(&t->m->unknown, code, "%s", sentence);
}

static void check_architecture(struct try *t)
{
	const char *have = t->offer->type ? t->offer->type->architecture.name : NULL;

	if (!t->need->architectures.n || !t->need->require_architecture)
		return;
	if (!have)
		doubt(t, "architecture", "the architecture of its accelerators is not known");
	else if (preference_of(t->need, t->offer->type) == t->need->architectures.n)
		ga_match_say(&t->m->reasons, "architecture",
			     "its architecture is %s, and another one is required", have);
}

static void check_capability(struct try *t)
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
		doubt(t, "compute_capability", "its compute capability is not known");
	else if (ga_capability_meets(have, want) != 1)
		ga_match_say(&t->m->reasons, "app_incompatible",
			     "its compute capability is %s, at least %.16s is needed", have, want);
}

static void check_vendor(struct try *t)
{
	const char *have = t->offer->type ? t->offer->type->vendor : NULL;
	const char *runs_on = ga_stack_vendor(t->need->stack);

	if (!have && (t->need->vendor || t->need->stack)) {
		doubt(t, "vendor", "the vendor of its accelerators is not known");
		return;
	}
	if (t->need->vendor && !ga_accel_is_vendor(have, t->need->vendor))
		ga_match_say(&t->m->reasons, "app_incompatible",
			     "its accelerators are of %s", have);
	if (runs_on && !ga_streq(runs_on, have))
		ga_match_say(&t->m->reasons, "app_incompatible",
			     "its accelerators are of %s, which %s does not run on",
			     have, t->need->stack);
}

/* Whether the site ran the model in the required precision on the type. */
static bool has_run(const struct try *t)
{
	size_t i;

	for (i = 0; t->need->model && i < t->tables->n_measured; i++)
		if (t->tables->measured[i].precision && match_is_of(&t->tables->measured[i], t))
			return true;
	return false;
}

/* Without a required precision none is judged: the memory and the figures name theirs. */
static void check_has_precision(struct try *t)
{
	const char *want = t->need->precision;
	int has;

	if (!want || ga_texts_has(&t->need->accept, "precision"))
		return;
	has = t->offer->type ? ga_accel_has_precision(t->offer->type, want) : -1;
	if (has == 1 || has_run(t))
		return;
	if (has < 0) {
		ga_autofree char *sentence =
			ga_xprintf("whether its accelerators have %s is not known", want);

		doubt(t, "precision_missing", sentence);
		return;
	}
	ga_match_say(&t->m->reasons, "precision_missing",
		     "its accelerators have no %s: software would convert it, and the speed of "
		     "that is not known", want);
}

/* Each type of a node with several, each reason once. */
static void check_mixed(const struct try *t, struct ga_app_target *target)
{
	const struct ga_offer_mix *mixed = t->offer->mixed;
	size_t i;

	for (i = 0; i < mixed->types.n + mixed->unknown; i++) {
		ga_autoreasons struct ga_match_reasons found = { 0 };

		ga_app_set_type(target, t->tables->accels,
				i < mixed->types.n ? mixed->types.v[i] : NULL);
		ga_app_blockers(t->tables->app, target, &found);
		ga_match_add_once(&t->m->reasons, &found);
	}
}

/* The manifest, judged as placement will judge it. */
static void check_app(const struct try *t)
{
	const struct ga_match_offer *o = t->offer;
	struct ga_app_target target = { .shape = o->shape, .count = t->m->count,
					.image_name = o->image_name, .image = o->image };

	if (!t->tables->app)
		return;
	if (o->mixed) {
		check_mixed(t, &target);
		return;
	}
	ga_app_set_type(&target, t->tables->accels, o->slug);
	ga_app_blockers(t->tables->app, &target, &t->m->reasons);
}

/* ---- time ---- */

void match_costs(struct ga_match *m)
{
	const bool known = m->count != GA_UNKNOWN && m->count > 0;
	const int64_t price = known ? m->cost_per_hour_micros / m->count : 0;
	const int64_t seconds[] = { m->seconds_low, m->seconds, m->seconds_high };
	int64_t *const costs[] = { &m->cost_low_micros, &m->cost_micros, &m->cost_high_micros };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(costs); i++) {
		__int128 cost = seconds[i] == GA_UNKNOWN || !known ?
					-1 : ga_cost_micros(m->count, seconds[i], price);

		*costs[i] = cost < 0 || cost > MATCH_MOST ? GA_UNKNOWN : (int64_t)cost;
	}
}

/* Names the fact of job or offer that is missing for a time; NULL: none is missing. */
static const char *missing_for_time(const struct try *t, int64_t params, bool dense)
{
	if (!dense)
		return "no time: a model of experts does not use all its parameters at once";
	if (ga_estimate_tokens(t->need) == GA_UNKNOWN || params == GA_UNKNOWN)
		return "no time without both the parameters of the model and the tokens it is "
		       "trained on";
	if (!t->offer->type)
		return "no time: the type of its accelerators is not known";
	if (t->m->count == GA_UNKNOWN)
		return "no time: the number of its GPUs is unknown";
	return NULL;
}

static void find_time(const struct try *t)
{
	const struct ga_accel_type *type = t->offer->type;
	struct ga_requirement need = *t->need; /* borrows every member */
	struct ga_training_time time;
	struct ga_efficiency e;
	const char *precision, *missing;
	bool dense;

	/* A model that does not fit gets no time. */
	if (!ga_estimate_is_training(t->need) || t->too_small)
		return;
	need.params = ga_estimate_params(t->need, t->tables->throughput, &dense);
	missing = missing_for_time(t, need.params, dense);
	if (missing) {
		ga_match_say(&t->m->unknown, "no_basis", "%s", missing);
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
	if (!ga_estimate_time(&need, t->m->count, ga_estimate_peak(type, precision), &e, &time)) {
		free(GA_TAKE(t->m->basis));
		ga_match_say(&t->m->unknown, "no_basis",
			     "no time: it would take more than a hundred years");
		return;
	}
	t->m->confidence = ga_xstrdup(e.confidence);
	t->m->seconds_low = time.low;
	t->m->seconds = time.seconds;
	t->m->seconds_high = time.high;
	match_costs(t->m);
}

/* ---- one count, and the smallest that suffices ---- */

/* A baremetal node is given with all its GPUs. */
static bool is_baremetal(const struct ga_match_offer *o)
{
	return !strcmp(o->shape, "baremetal");
}

/* Whether expected_at is for this count: it is for the smallest count. For baremetal it is not
 * known how many GPUs that node has. */
static bool is_expected(const struct try *t)
{
	const struct ga_match_offer *o = t->offer;
	int64_t least = o->n_counts ? o->counts[0] : 1;
	size_t i;

	if (!o->expected_at)
		return false;
	if (is_baremetal(o))
		return t->need->gpus <= 1;
	for (i = 1; i < o->n_counts; i++)
		least = o->counts[i] < least ? o->counts[i] : least;
	return t->m->count == least;
}

static bool is_given_now(const struct ga_match_offer *o, int64_t count)
{
	if (o->n_counts_now)
		return ga_ints_have(o->counts_now, o->n_counts_now, count);
	return count != GA_UNKNOWN && o->largest >= count;
}

static const char *availability_of(const struct try *t)
{
	const struct ga_match_offer *o = t->offer;

	if (is_given_now(o, t->m->count))
		return "now";
	if (o->largest == GA_UNKNOWN || o->uncertain)
		return "unknown";
	if (!o->expected_at)
		return "none";
	return is_expected(t) ? "later" : "unknown";
}

static void check_given(struct try *t)
{
	const struct ga_match_offer *o = t->offer;
	int64_t count = t->m->count, asked = is_baremetal(o) ? t->need->gpus : count;

	if (o->mixed)
		ga_match_say(&t->m->unknown, "type",
			     "its machines have GPUs of several or unknown types");
	if (count == GA_UNKNOWN) {
		t->unsure |= t->need->gpus != GA_UNKNOWN;
		ga_match_say(&t->m->unknown, "count",
			     "it is unknown how many GPUs its machines have");
	} else if (is_baremetal(o) ? asked > count :
				     o->n_counts && !ga_ints_have(o->counts, o->n_counts, count))
		ga_match_say(&t->m->reasons, "count_not_offered",
			     "it is not offered with %" PRId64 " GPU%s", asked,
			     asked == 1 ? "" : "s");
}

/* An answer; unsure: as in struct try. */
struct tried {
	struct ga_match m;
	bool unsure;
};

static void try_count(const struct match_context *c, const struct ga_match_offer *offer,
		      int64_t count, struct tried *ret)
{
	struct ga_match *m = &ret->m;
	struct try t = { .need = c->need, .tables = c->tables, .offer = offer, .m = m };
	__int128 hour = (__int128)offer->price_micros * count;

	ga_schema_init(&ga_match_schema, m);
	m->count = count;
	if (count != GA_UNKNOWN)
		m->cost_per_hour_micros = hour > MATCH_MOST ? MATCH_MOST : (int64_t)hour;
	m->profile = ga_xstrdup(offer->profile);
	m->shape = ga_xstrdup(offer->shape);
	m->accelerator_type = ga_strdup0(offer->slug);
	m->type_name = ga_strdup0(offer->type_name);
	m->memory_mib = offer->memory_mib;
	m->currency = ga_strdup0(offer->currency);
	m->available_count = offer->available;
	m->largest_available = offer->largest;
	m->pending_count = offer->pending;
	m->expected_available_at = is_expected(&t) ? ga_xstrdup(offer->expected_at) : NULL;
	m->stale_seconds = offer->stale_seconds;
	m->availability = ga_xstrdup(availability_of(&t));
	if (!ga_streq(m->availability, "now") && !offer->largest)
		m->unavailable_code = ga_strdup0(offer->unavailable_code);
	if (!offer->team)
		ga_match_say(&m->reasons, "team", "it is for other teams");
	check_architecture(&t);
	check_vendor(&t);
	check_capability(&t);
	check_has_precision(&t);
	check_app(&t);
	match_memory(&t);
	find_time(&t);
	match_speed(&t);
	match_slos(&t);
	check_given(&t);
	/* A requirement that is not known to be met, also a goal, is no yes. */
	m->fits = m->reasons.n				       ? 0 :
		  t.unsure || ga_streq(m->slo, "unknown") ? GA_UNKNOWN :
							    1;
	ret->unsure = t.unsure;
}

bool match_has_reason(const struct ga_match *m, const char *code)
{
	size_t i;

	for (i = 0; i < m->reasons.n; i++)
		if (!strcmp(m->reasons.v[i].code, code))
			return true;
	return false;
}

/* Orders two answers that do not fit: first the one that would run at all, then the one with fewer
 * reasons, then the one that lacks less. */
static bool is_nearer(const struct ga_match *a, const struct ga_match *b)
{
	bool too_small = match_has_reason(a, "memory_too_small");

	if (too_small != match_has_reason(b, "memory_too_small"))
		return !too_small;
	if (a->reasons.n != b->reasons.n)
		return a->reasons.n < b->reasons.n;
	if (too_small)
		return a->memory_needed_mib < b->memory_needed_mib;
	return match_has_reason(a, "slo_tokens") && match_has_reason(b, "slo_tokens") &&
	       a->tokens_per_second_milli > b->tokens_per_second_milli;
}

int match_fits_rank(const struct ga_match *m)
{
	return m->fits == 1 ? 0 : m->fits == GA_UNKNOWN ? 1 : 2;
}

/* Order: answers that fit; then certain ones; then SLOs known to be met; then counts available now.
 * Of answers that do not fit, the nearest. */
static bool is_better(const struct tried *a, const struct tried *b)
{
	int r = match_fits_rank(&a->m) - match_fits_rank(&b->m);

	if (r)
		return r < 0;
	if (!a->m.fits)
		return is_nearer(&a->m, &b->m);
	if (a->unsure != b->unsure)
		return b->unsure;
	if (ga_streq(a->m.slo, "met") != ga_streq(b->m.slo, "met"))
		return ga_streq(a->m.slo, "met");
	return ga_streq(a->m.availability, "now") && !ga_streq(b->m.availability, "now");
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The counts to try, smallest first; any count: those of the app, else 1, 2, 4, 8. For baremetal:
 * the nodes that are available now, then the others, both largest first. */
static void counts_of(const struct match_context *c, const struct ga_match_offer *o,
		      int64_t *ret, size_t *n)
{
	static const int64_t any[] = { 1, 2, 4, 8 };
	const struct ga_app *app = c->tables->app;
	const int64_t *counts = any;
	size_t i, n_counts = GA_ARRAY_SIZE(any);

	*n = 0;
	if (is_baremetal(o)) {
		if (o->largest > 0)
			ret[(*n)++] = o->largest;
		for (i = o->n_counts_now; i-- && *n < MATCH_COUNTS_MAX;)
			if (!ga_ints_have(ret, *n, o->counts_now[i]))
				ret[(*n)++] = o->counts_now[i];
		for (i = o->n_machines; i-- && *n < MATCH_COUNTS_MAX;)
			if (!ga_ints_have(ret, *n, o->machines[i]))
				ret[(*n)++] = o->machines[i];
		if (!*n)
			ret[(*n)++] = GA_UNKNOWN;
		return;
	}
	if (c->need->gpus != GA_UNKNOWN) {
		ret[(*n)++] = c->need->gpus;
		return;
	}
	if (o->n_counts) {
		counts = o->counts;
		n_counts = o->n_counts;
	} else if (app && app->counts.n) {
		counts = app->counts.v;
		n_counts = app->counts.n;
	}
	for (i = 0; i < n_counts && *n < MATCH_COUNTS_MAX; i++)
		if (counts[i] >= 1)
			ret[(*n)++] = counts[i];
	qsort(ret, *n, sizeof(*ret), by_size);
	if (!*n)
		ret[(*n)++] = 1;
}

/* With fabric partitions a larger count may be available now where a smaller one never is. */
static bool is_enough(const struct ga_match_offer *o, const struct tried *t)
{
	return t->m.fits == 1 &&
	       (ga_streq(t->m.availability, "now") || o->largest <= t->m.count);
}

static void answer(const struct match_context *c, const struct ga_match_offer *offer,
		   struct tried *ret)
{
	int64_t counts[MATCH_COUNTS_MAX];
	struct tried next;
	size_t i, n;

	counts_of(c, offer, counts, &n);
	try_count(c, offer, counts[0], ret);
	for (i = 1; i < n && !is_enough(offer, ret); i++) {
		try_count(c, offer, counts[i], &next);
		if (is_better(&next, ret)) {
			ga_schema_release(&ga_match_schema, &ret->m);
			*ret = next;
		} else {
			ga_schema_release(&ga_match_schema, &next.m);
		}
	}
}

void ga_match(const struct ga_requirement *need, const struct ga_match_tables *tables,
	      const struct ga_match_offer *offers, size_t n, struct ga_matches *ret)
{
	const struct match_context c = { .need = need, .tables = tables };
	size_t i;

	*ret = (struct ga_matches){ .v = ga_xcalloc(n ? n : 1, sizeof(*ret->v)), .n = n,
				    .more = ga_xcalloc(n ? n : 1, sizeof(*ret->more)) };
	for (i = 0; i < n; i++) {
		struct tried a;

		answer(&c, &offers[i], &a);
		ret->v[i] = a.m;
		ret->more[i].unsure = a.unsure;
		ret->more[i].preference = preference_of(need, offers[i].type);
		ret->more[i].offer = i;
	}
}

void ga_matches_release(struct ga_matches *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_schema_release(&ga_match_schema, &list->v[i]);
	free(list->v);
	free(list->more);
	*list = (struct ga_matches){ 0 };
}
