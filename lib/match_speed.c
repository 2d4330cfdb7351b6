/* SPDX-License-Identifier: Apache-2.0 */
/* Throughput and latency of an answer, and whether they are what was asked. */
#include <inttypes.h>
#include <stdlib.h>
#include <strings.h>

#include "cost.h"
#include "match_int.h"

/* ---- measured by the site ---- */

static bool is_of(const struct ga_measured *r, const struct try *t)
{
	size_t i;

	if (t->need->model && r->model && strcasecmp(t->need->model, r->model))
		return false;
	for (i = 0; i < r->types.n; i++)
		if (ga_streq(r->types.v[i], t->offer->slug))
			return true;
	return false;
}

/* The measurement that says most: of this count before others, then of the one type alone. */
static const struct ga_measured *measured_of(const struct try *t)
{
	const struct ga_measured *best = NULL;
	size_t i;

	for (i = 0; t->offer->slug && i < t->tables->n_measured; i++) {
		const struct ga_measured *r = &t->tables->measured[i];
		bool same = r->count == t->m->count;

		if (!is_of(r, t))
			continue;
		if (!best || same > (best->count == t->m->count) ||
		    (same == (best->count == t->m->count) && r->types.n < best->types.n))
			best = r;
	}
	return best;
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

static void take_measured(const struct try *t, const struct ga_measured *r)
{
	struct ga_match *m = t->m;
	bool same = r->count == m->count;

	m->tokens_per_second_milli = scale(r->tokens_per_second_milli, m->count, r->count);
	m->tokens_per_second_low_milli = m->tokens_per_second_milli;
	m->tokens_per_second_high_milli = m->tokens_per_second_milli;
	if (same)
		m->p99_ms = latency_of(r, t->need->latency);
	if (same && r->types.n == 1) {
		m->basis = ga_xprintf("measured on it: %s", r->source);
	} else {
		m->basis = ga_xprintf(
			"%s: measured on %" PRId64 " GPU%s%s%s", r->source, r->count,
			r->count == 1 ? "" : "s",
			same ? "" : ", taken as so much a GPU",
			r->types.n == 1 ? "" : ", of which it is not said what type of several");
	}
	m->confidence = ga_xstrdup(same && r->types.n == 1 ? "measured" : "similar");
}

/* ---- published ---- */

static void take_published(const struct try *t, const struct ga_inference_rate *r)
{
	struct ga_match *m = t->m;
	bool same = m->count >= r->gpus_low && m->count <= r->gpus_high;

	m->tokens_per_second_low_milli = scale(r->tokens_per_second_low_milli, m->count, 1);
	m->tokens_per_second_milli = scale(r->tokens_per_second_milli, m->count, 1);
	m->tokens_per_second_high_milli = scale(r->tokens_per_second_high_milli, m->count, 1);
	m->basis = ga_xprintf("%s, %s, %s, %" PRId64 " runs on %" PRId64 " to %" PRId64 " GPUs%s",
			      r->source, r->scenario, r->precision, r->runs, r->gpus_low,
			      r->gpus_high, same ? "" : ", taken as so much a GPU");
	m->confidence = ga_xstrdup(same ? "measured" : "similar");
}

void match_speed(const struct try *t)
{
	const struct ga_requirement *need = t->need;
	const struct ga_inference_rate *published = NULL;
	const struct ga_measured *own;

	if (ga_estimate_is_training(need))
		return;
	own = measured_of(t);
	if (own) {
		take_measured(t, own);
		return;
	}
	if (need->model && t->offer->slug)
		published = ga_throughput_inference(
			t->tables->throughput, need->model, t->offer->slug,
			need->scenario ? need->scenario : "server", need->precision);
	if (published)
		take_published(t, published);
	else if (need->model || need->tokens_per_second != GA_UNKNOWN)
		ga_match_say(&t->m->unknown, "no_basis",
			     "no throughput: %s was measured on the type",
			     need->model ? "no such model" : "which model is not said, and none");
}

/* ---- what was asked ---- */

static void add_rate(int64_t milli, struct ga_str *out)
{
	ga_str_addf(out, "%" PRId64, milli / 1000);
	if (milli / 1000 < 100 && milli % 1000)
		ga_str_addf(out, ".%" PRId64, milli % 1000 / 100);
}

static bool tokens_hold(const struct try *t, bool *unknown)
{
	ga_autostr struct ga_str have = GA_STR_INIT;

	if (t->need->tokens_per_second == GA_UNKNOWN)
		return true;
	if (t->m->tokens_per_second_milli == GA_UNKNOWN) {
		*unknown = true;
		return true;
	}
	if (t->m->tokens_per_second_milli >= t->need->tokens_per_second * 1000)
		return true;
	add_rate(t->m->tokens_per_second_milli, &have);
	ga_match_say(&t->m->reasons, "slo_tokens",
		     "%s tokens/s, and %" PRId64 " are wanted", have.buf,
		     t->need->tokens_per_second);
	return false;
}

static bool latency_holds(const struct try *t, bool *unknown)
{
	if (t->need->p99_ms == GA_UNKNOWN)
		return true;
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

static bool cost_holds(const struct try *t)
{
	ga_autostr struct ga_str have = GA_STR_INIT, want = GA_STR_INIT;

	if (t->need->max_cost_per_hour_micros == GA_UNKNOWN ||
	    t->m->cost_per_hour_micros <= t->need->max_cost_per_hour_micros)
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
	bool unknown = false, holds;

	if (t->need->tokens_per_second == GA_UNKNOWN && t->need->p99_ms == GA_UNKNOWN &&
	    t->need->max_cost_per_hour_micros == GA_UNKNOWN)
		return;
	/* Each says for itself what is wrong. */
	holds = tokens_hold(t, &unknown);
	holds &= latency_holds(t, &unknown);
	holds &= cost_holds(t);
	t->m->slo = ga_xstrdup(!holds ? "missed" : unknown ? "unknown" : "met");
}
