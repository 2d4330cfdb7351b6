/* SPDX-License-Identifier: Apache-2.0 */
/* Throughput and latency of an answer, and the check of the required ones. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "record/money.h"
#include "decide/match/internal.h"

static bool wants_speed(const struct try *t)
{
	return t->need->tokens_per_second != GA_UNKNOWN;
}

static bool wants_latency(const struct try *t)
{
	return t->need->p99_ms != GA_UNKNOWN;
}

/* Reports an unknown when the measurement has another precision than the memory check: without a
 * given precision, it is not known in which one the model will run. */
static void check_precision(struct try *t, const char *what, const char *precision, bool wanted)
{
	bool half = precision && (!strcasecmp(precision, "fp16") || !strcasecmp(precision, "bf16"));

	if (!precision || !t->weights || !strcasecmp(t->weights, precision) ||
	    (half && ga_streq(t->weights, "16 bits")))
		return;
	t->mixed |= wanted;
	ga_match_say(&t->m->unknown, "no_basis",
		     "the %s is for %s, and the memory for %s: name the precision",
		     what, precision, t->weights);
}

/* ---- measured by the site ---- */

/* A named model needs a record of that model. A record with a model does not count for parameters
 * that are given without a name. */
bool match_is_of(const struct ga_measured *r, const struct try *t)
{
	const struct ga_requirement *need = t->need;
	size_t i;

	if (need->model ? !r->model || strcasecmp(need->model, r->model) :
			  r->model && need->params != GA_UNKNOWN)
		return false;
	if (need->precision && r->precision && strcasecmp(need->precision, r->precision))
		return false;
	for (i = 0; t->offer->slug && i < r->types.n; i++)
		if (!strcmp(r->types.v[i], t->offer->slug))
			return true;
	return false;
}

static int64_t scale(int64_t milli, int64_t count, int64_t by)
{
	__int128 all = milli == GA_UNKNOWN ? -1 : (__int128)milli * count / by;

	return all < 0 || all > MATCH_MOST ? GA_UNKNOWN : (int64_t)all;
}

static int64_t latency_of(const struct ga_measured *r, const char *which)
{
	if (ga_streq(which, "ttft"))
		return r->ttft_p99_ms;
	if (ga_streq(which, "itl"))
		return r->itl_p99_ms;
	return r->e2e_p99_ms;
}

/* The figures of a record for the answer; GA_UNKNOWN: the record has none. */
struct point {
	const struct ga_measured *r;
	int64_t milli, ms;
	int64_t faults;	   /* 3 for each required figure that is missed, 1 for each that was not
			    * measured */
	int64_t key, then; /* larger is better; then decides between equal keys */
};

/* How far a record is from the answer, smaller is nearer: a record with this count; then the
 * next larger count, if the model is known to fit on fewer GPUs (more GPUs are slower each);
 * then the next smaller count. Records that leave the type open come after. -1: the record does
 * not count. */
static int64_t distance_of(const struct try *t, const struct ga_measured *r)
{
	int64_t open = (int64_t)(r->types.n < 64 ? r->types.n : 64);

	if (r->count == t->m->count)
		return open;
	if (r->count > t->m->count)
		return t->holds ? r->count * 100 + open : -1;
	return (4096 - r->count) * 100 + open;
}

static void make_point(const struct try *t, const struct ga_measured *r, struct point *ret)
{
	const struct ga_requirement *n = t->need;
	bool fast = wants_speed(t), soon = wants_latency(t);

	*ret = (struct point){ .r = r, .milli = scale(r->tokens_per_second_milli, t->m->count,
						      r->count),
			       .ms = r->count == t->m->count ? latency_of(r, n->latency) :
							       GA_UNKNOWN };
	if (fast)
		ret->faults = ret->milli == GA_UNKNOWN ? 1 :
			      3 * (ret->milli < n->tokens_per_second * 1000);
	if (soon)
		ret->faults += ret->ms == GA_UNKNOWN ? 1 : 3 * (ret->ms > n->p99_ms);
	ret->key = ret->milli;
	ret->then = ret->ms == GA_UNKNOWN ? GA_UNKNOWN : -ret->ms;
	if (soon && !fast) {
		ret->key = ret->then;
		ret->then = ret->milli;
	}
}

static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Fewer faults first, then the worse figures. The last comparison makes the order independent of
 * qsort. */
static int by_worth(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	int r = order(x->faults, y->faults);

	r = r ? r : order(x->key, y->key);
	r = r ? r : order(x->then, y->then);
	return r ? r : order(x->r < y->r ? -1 : x->r > y->r, 0);
}

struct picked {
	struct point p;		/* p.r NULL: none */
	int64_t low, high;	/* throughput of all records */
	size_t good, all;	/* records with as few faults as p, and all records */
};

/*
 * Picks one of the nearest records: of those that meet most requirements the median; where none
 * meets them, the one that comes closest. fast: takes records with a throughput; otherwise records
 * with this count that have the latency and no throughput.
 */
static void pick(const struct try *t, bool fast, struct picked *ret)
{
	GA_LIST(struct point) points = { 0 };
	int64_t nearest = INT64_MAX, distance;
	size_t i;

	*ret = (struct picked){ .low = INT64_MAX };
	for (i = 0; i < t->tables->n_measured; i++) {
		const struct ga_measured *r = &t->tables->measured[i];
		struct point p;

		if (fast != (r->tokens_per_second_milli != GA_UNKNOWN) || !match_is_of(r, t))
			continue;
		make_point(t, r, &p);
		distance = distance_of(t, r);
		if (distance < 0 || distance > nearest || (!fast && p.ms == GA_UNKNOWN))
			continue;
		if (distance < nearest)
			points.n = 0;
		nearest = distance;
		*ga_list_add(&points) = p;
	}
	if (points.n)
		qsort(points.v, points.n, sizeof(*points.v), by_worth);
	for (i = 0; i < points.n; i++) {
		ret->good += points.v[i].faults == points.v[0].faults;
		ret->low = points.v[i].milli < ret->low ? points.v[i].milli : ret->low;
		ret->high = points.v[i].milli > ret->high ? points.v[i].milli : ret->high;
	}
	ret->all = points.n;
	if (points.n)
		ret->p = points.v[points.v[0].faults > 2 ? ret->good - 1 : (ret->good - 1) / 2];
	ga_list_release(&points);
}

static void add_basis(const struct try *t, const struct picked *k, struct ga_str *out)
{
	const struct ga_measured *r = k->p.r;
	bool same = r->count == t->m->count;

	if (same && r->types.n == 1)
		ga_str_addf(out, "measured on it: %s", r->source);
	else
		ga_str_addf(out, "%s: measured on %" PRId64 " GPU%s%s%s", r->source, r->count,
			    r->count == 1 ? "" : "s", same ? "" : ", scaled by the number of GPUs",
			    r->types.n == 1 ? "" :
					      ", of one of several types, unknown which");
	if (k->all > 1 && (k->p.faults > 2 || k->good == k->all))
		ga_str_addf(out, ", the %s of %zu records", k->p.faults > 2 ? "nearest" : "median",
			    k->all);
	else if (k->all > 1)
		ga_str_addf(out, ", the median of the %zu of %zu records that %s", k->good, k->all,
			    k->p.faults ? "miss nothing" : "meet the requirement");
}

/* ---- published ---- */

static const char *scenario_of(const struct ga_requirement *need)
{
	return need->scenario ? need->scenario : "server";
}

static void say_none(const struct try *t)
{
	const struct ga_requirement *need = t->need;
	const struct ga_inference_rate *other = NULL;
	const char *const scenarios[] = { scenario_of(need), NULL };
	size_t i;

	for (i = 0; need->model && t->offer->slug && !other && i < 2; i++)
		other = ga_throughput_inference(t->tables->throughput, need->model, t->offer->slug,
						scenarios[i], NULL);
	if (other)
		ga_match_say(&t->m->unknown, "no_basis",
			     "no throughput: on the type the model was measured in %s (%s), and "
			     "not in %s (%s)", other->precision, other->scenario,
			     need->precision ? need->precision : other->precision,
			     scenario_of(need));
	else if (need->model || need->tokens_per_second != GA_UNKNOWN)
		ga_match_say(&t->m->unknown, "no_basis",
			     "no throughput: %s was measured on the type",
			     need->model ? "no such model" : "no model is named, and none");
}

/* The published rate for the requirement, if the model is known to fit on this many GPUs. */
static const struct ga_inference_rate *published(const struct try *t)
{
	const struct ga_requirement *need = t->need;
	const struct ga_inference_rate *r = NULL;

	if (need->model && t->offer->slug)
		r = ga_throughput_inference(t->tables->throughput, need->model, t->offer->slug,
					    scenario_of(need), need->precision);
	if (!r) {
		say_none(t);
		return NULL;
	}
	if (t->m->count >= r->gpus_low || t->holds)
		return r;
	ga_match_say(&t->m->unknown, "no_basis",
		     "no throughput: it was measured on %" PRId64 " GPUs, and whether the model "
		     "fits on fewer is not known", r->gpus_low);
	return NULL;
}

static void take_published(struct try *t, const struct ga_inference_rate *r, struct ga_str *basis)
{
	struct ga_match *m = t->m;
	bool same = m->count >= r->gpus_low && m->count <= r->gpus_high;

	m->tokens_per_second_low_milli = scale(r->tokens_per_second_low_milli, m->count, 1);
	m->tokens_per_second_milli = scale(r->tokens_per_second_milli, m->count, 1);
	m->tokens_per_second_high_milli = scale(r->tokens_per_second_high_milli, m->count, 1);
	ga_str_addf(basis, "%s, %s, %s, %" PRId64 " run%s on ", r->source, r->scenario,
		    r->precision, r->runs, r->runs == 1 ? "" : "s");
	if (r->gpus_low != r->gpus_high)
		ga_str_addf(basis, "%" PRId64 " to ", r->gpus_low);
	ga_str_addf(basis, "%" PRId64 " GPU%s%s", r->gpus_high, r->gpus_high == 1 ? "" : "s",
		    same ? "" : ", scaled by the number of GPUs");
	m->confidence = ga_xstrdup(same ? "measured" : "similar");
	check_precision(t, "throughput", r->precision, wants_speed(t));
}

/* ---- both ---- */

const struct ga_inference_rate *match_run_published(const struct try *t)
{
	const struct ga_inference_rate *r = NULL;

	if (t->need->model && t->offer->slug && !ga_estimate_is_training(t->need))
		r = ga_throughput_inference(t->tables->throughput, t->need->model, t->offer->slug,
					    NULL, t->need->precision);
	return r && r->gpus_low <= t->m->count ? r : NULL;
}

static void take_measured(struct try *t, const struct picked *fast, struct ga_str *basis)
{
	const struct ga_measured *r = fast->p.r;
	struct ga_match *m = t->m;

	m->tokens_per_second_low_milli = fast->low;
	m->tokens_per_second_milli = fast->p.milli;
	m->tokens_per_second_high_milli = fast->high;
	m->p99_ms = fast->p.ms;
	add_basis(t, fast, basis);
	m->confidence = ga_xstrdup(r->count == m->count && r->types.n == 1 ? "measured" :
									      "similar");
	check_precision(t, "throughput", r->precision,
			wants_speed(t) || (wants_latency(t) && m->p99_ms != GA_UNKNOWN));
}

/* Takes a latency for this count from a measurement without throughput. */
static void take_latency(struct try *t, struct ga_str *basis)
{
	struct ga_match *m = t->m;
	struct picked soon;

	pick(t, false, &soon);
	if (!soon.p.r)
		return;
	m->p99_ms = soon.p.ms;
	t->apart = basis->len > 0;
	ga_str_add(basis, t->apart ? "; latency: " : "latency: ");
	add_basis(t, &soon, basis);
	if (!m->confidence)
		m->confidence = ga_xstrdup(soon.p.r->types.n == 1 ? "measured" : "similar");
	check_precision(t, "latency", soon.p.r->precision, wants_latency(t));
}

void match_speed(struct try *t)
{
	ga_autostr struct ga_str basis = GA_STR_INIT;
	const struct ga_inference_rate *r;
	struct picked fast;

	/* A model that does not fit has no speed. */
	if (ga_estimate_is_training(t->need) || t->too_small || t->m->count == GA_UNKNOWN)
		return;
	pick(t, true, &fast);
	if (fast.p.r) {
		take_measured(t, &fast, &basis);
	} else {
		r = published(t);
		if (r)
			take_published(t, r, &basis);
	}
	if (t->m->p99_ms == GA_UNKNOWN)
		take_latency(t, &basis);
	if (basis.len)
		t->m->basis = ga_str_take(&basis);
}

/* ---- the required figures ---- */

static bool tokens_hold(const struct try *t, bool *unknown)
{
	ga_autostr struct ga_str have = GA_STR_INIT;
	int64_t milli = t->m->tokens_per_second_milli;

	if (!wants_speed(t))
		return true;
	if (t->too_small)
		return false;
	if (milli == GA_UNKNOWN) {
		*unknown = true;
		return true;
	}
	if (milli >= t->need->tokens_per_second * 1000)
		return true;
	ga_str_addf(&have, "%" PRId64, milli / 1000);
	if (milli / 1000 < 100 && milli % 1000)
		ga_str_addf(&have, ".%" PRId64, milli % 1000 / 100);
	ga_match_say(&t->m->reasons, "slo_tokens",
		     "%s tokens/s, and %" PRId64 " are wanted", have.buf,
		     t->need->tokens_per_second);
	return false;
}

static bool latency_holds(const struct try *t, bool *unknown)
{
	if (!wants_latency(t))
		return true;
	if (t->too_small)
		return false;
	if (t->m->p99_ms == GA_UNKNOWN) {
		ga_match_say(&t->m->unknown, "no_basis",
			     "no latency was measured with this count of the type");
		*unknown = true;
		return true;
	}
	if (t->m->p99_ms <= t->need->p99_ms)
		return true;
	ga_match_say(&t->m->reasons, "slo_latency",
		     "the 99th percentile is %" PRId64 " ms, and at most %" PRId64 " are wanted",
		     t->m->p99_ms, t->need->p99_ms);
	return false;
}

static bool cost_holds(const struct try *t, bool *unknown)
{
	ga_autostr struct ga_str have = GA_STR_INIT, want = GA_STR_INIT;

	if (t->need->max_cost_per_hour_micros == GA_UNKNOWN)
		return true;
	if (t->m->cost_per_hour_micros == GA_UNKNOWN) {
		*unknown = true;
		return true;
	}
	if (t->m->cost_per_hour_micros <= t->need->max_cost_per_hour_micros)
		return true;
	ga_cost_format(t->m->cost_per_hour_micros, &have);
	ga_cost_format(t->need->max_cost_per_hour_micros, &want);
	ga_match_say(&t->m->reasons, "slo_cost",
		     "an hour costs %s%s%s, and at most %s is wanted", have.buf,
		     t->m->currency ? " " : "", t->m->currency ? t->m->currency : "", want.buf);
	return false;
}

void match_slos(const struct try *t)
{
	bool unknown = t->mixed, holds;

	if (!wants_speed(t) && !wants_latency(t) &&
	    t->need->max_cost_per_hour_micros == GA_UNKNOWN)
		return;
	/* Each check adds its own reason, so all three must run. */
	holds = tokens_hold(t, &unknown);
	holds &= latency_holds(t, &unknown);
	holds &= cost_holds(t, &unknown);
	if (holds && t->apart && wants_speed(t) && wants_latency(t)) {
		ga_match_say(&t->m->unknown, "no_basis",
			     "throughput and latency were not measured together");
		unknown = true;
	}
	t->m->slo = ga_xstrdup(!holds ? "missed" : unknown ? "unknown" : "met");
}
