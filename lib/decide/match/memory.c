/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether a requirement fits the memory of a GPU. */
#include <inttypes.h>
#include <stdlib.h>
#include <strings.h>

#include "base/texts.h"
#include "decide/match/internal.h"

static void add_tenths(int64_t tenths, struct ga_str *out)
{
	ga_str_addf(out, "%" PRId64, tenths / 10);
	if (tenths % 10)
		ga_str_addf(out, ".%" PRId64, tenths % 10);
	ga_str_add(out, " GiB");
}

/* Rounds available memory down and needed memory (add_needed) up to a tenth: so a need above the
 * available memory never reads as equal to it. */
static void add_gib(int64_t mib, struct ga_str *out)
{
	add_tenths(mib * 10 / 1024, out);
}

static void add_needed(int64_t mib, struct ga_str *out)
{
	add_tenths((mib * 10 + 1023) / 1024, out);
}

/* Nominal memory is in the maker's GB, which the catalogue stores as 1024 MiB each. */
static void add_nominal(int64_t mib, struct ga_str *out)
{
	if (mib % 1024)
		ga_str_addf(out, "%" PRId64 " MiB", mib);
	else
		ga_str_addf(out, "%" PRId64 " GB", mib / 1024);
}

/* The memory that the vendor's tool reports, or GA_UNKNOWN. */
static int64_t reported(const struct ga_match_offer *o)
{
	return o->type ? o->type->memory.reported_mib : GA_UNKNOWN;
}

/* Computed bytes need real memory, not nominal memory. 1: they fit, 0: they do not fit, -1:
 * unknown, because the reported memory lies between 0.92 and 1.02 of the nominal one. */
static int holds(const struct ga_match_offer *o, int64_t mib)
{
	if (reported(o) != GA_UNKNOWN)
		return mib <= reported(o);
	if (mib * 100 <= o->memory_mib * 92)
		return 1;
	return mib * 100 > o->memory_mib * 102 ? 0 : -1;
}

static void say_too_small(struct try *t, const struct ga_str *wants, int64_t have, bool nominal)
{
	ga_autostr struct ga_str has = GA_STR_INIT;

	t->too_small = true;
	(nominal ? add_nominal : add_gib)(have, &has);
	ga_match_say(&t->m->reasons, "memory_too_small", "%s, and it has %s", wants->buf, has.buf);
}

/* Checks the required memory, which is nominal. Where only the reported memory of a type is known,
 * the nominal one lies between it and it / 0.92. */
static void check_asked(struct try *t)
{
	ga_autostr struct ga_str wants = GA_STR_INIT, has = GA_STR_INIT;
	int64_t asked = t->need->memory_mib, have = t->offer->memory_mib;
	bool printed = !t->offer->type || t->offer->type->memory.gpu_gb != GA_UNKNOWN;

	if (asked == GA_UNKNOWN || asked <= have)
		return;
	add_nominal(asked, &wants);
	ga_str_add(&wants, " are required");
	if (printed || asked * 92 > have * 100) {
		say_too_small(t, &wants, have, printed);
		return;
	}
	t->unsure = true;
	add_gib(have, &has);
	ga_match_say(&t->m->unknown, "memory",
		     "%s; it reports %s, and its nominal memory is not known",
		     wants.buf, has.buf);
}

/* The precision of a run as a record's word; int4, the smallest, when the run names none or uses
 * other words. */
static const char *least_of(const char *precision)
{
	size_t i;

	for (i = 0; precision && ga_precision_words[i]; i++)
		if (!strcasecmp(ga_precision_words[i], precision))
			return ga_precision_words[i];
	return "int4";
}

/* Whether the memory is known to hold the model in the precision of a run, with the required cache.
 * Without parameters: whether it holds the cache. */
static bool holds_run(const struct try *t, int64_t params, const struct ga_measured *run)
{
	ga_autofree char *precision = ga_xstrdup(least_of(run->precision));
	struct ga_requirement need = *t->need; /* borrows every member */
	ga_autostr struct ga_str missing = GA_STR_INIT;

	need.params = params == GA_UNKNOWN ? 1 : params;
	need.precision = precision;
	ga_estimate_attention(&need, t->tables->throughput);
	return holds(t->offer, ga_estimate_memory(&need, t->m->count, &missing)) == 1;
}

/* A run of the named model that the site measured on this many GPUs of the type or fewer, and that
 * proves that the model fits. A run that names its precision wins; the order of the runs does not
 * matter. */
static const struct ga_measured *shown_by(const struct try *t, int64_t params)
{
	const struct ga_measured *best = NULL;
	size_t i;

	if (!t->need->model || ga_estimate_is_training(t->need))
		return NULL;
	for (i = 0; i < t->tables->n_measured; i++) {
		const struct ga_measured *run = &t->tables->measured[i];

		if (run->types.n != 1 || run->count > t->m->count || !match_is_of(run, t) ||
		    !holds_run(t, params, run))
			continue;
		if (!best || (run->precision && (!best->precision ||
						 strcasecmp(run->precision, best->precision) < 0)))
			best = run;
	}
	return best;
}

/* Servers leave a tenth of the memory to activations and buffers by default (vLLM's
 * gpu_memory_utilization, 0.9): weights that need more than the rest leave no room for a cache. */
#define SERVED_PERCENT 90

/* Weights that fit, of a model whose cache is not counted: whether any cache fits beside them. A
 * run of the model there proves it. */
static void check_headroom(struct try *t, int64_t params, int64_t needed)
{
	ga_autostr struct ga_str wants = GA_STR_INIT, has = GA_STR_INIT;
	int64_t have = reported(t->offer);
	bool nominal = have == GA_UNKNOWN;
	/* Of the nominal memory 0.92 to 1.02 is usable. */
	int64_t least = nominal ? t->offer->memory_mib * 92 / 100 : have;
	int64_t most = nominal ? t->offer->memory_mib * 102 / 100 : have;

	if (needed * 100 <= least * SERVED_PERCENT ||
	    ga_texts_has(&t->need->accept, "headroom") || match_run_published(t) ||
	    shown_by(t, params))
		return;
	add_needed(needed, &wants);
	(nominal ? add_nominal : add_gib)(nominal ? t->offer->memory_mib : have, &has);
	ga_str_addf(&wants, " of each GPU (of %" PRId64 ") are needed for the weights in %s, and "
		    "it has %s: less than a tenth", t->m->count, t->weights, has.buf);
	if (needed * 100 > most * SERVED_PERCENT) {
		ga_match_say(&t->m->reasons, "memory_no_headroom",
			     "%s is left for the cache", wants.buf);
		return;
	}
	t->unsure = true;
	ga_match_say(&t->m->unknown, "memory", "%s may be left for the cache", wants.buf);
}

static void check_computed(struct try *t, int64_t params, int64_t needed, bool cached)
{
	ga_autostr struct ga_str wants = GA_STR_INIT, has = GA_STR_INIT;
	const struct ga_inference_rate *ran = match_run_published(t);
	bool trained = ga_estimate_is_training(t->need);
	int64_t have = reported(t->offer);
	bool nominal = have == GA_UNKNOWN;
	int r = holds(t->offer, needed);
	const struct ga_measured *run = r == 1 || t->need->precision ? NULL : shown_by(t, params);

	if (run) {
		/* A run proves that the model fits; the answer must name the run's precision. */
		t->holds = true;
		t->weights = run->precision ? run->precision : "a run without a precision";
		add_needed(needed, &wants);
		ga_match_say(&t->m->unknown, "memory",
			     "%s would be needed of each GPU (of %" PRId64
			     ") in 16 bits; it ran there%s%s",
			     wants.buf, t->m->count,
			     run->precision ? " in " : ", in an unknown precision",
			     run->precision ? run->precision : "");
		return;
	}
	t->weights = t->need->precision ? t->need->precision : "16 bits";
	t->holds = r == 1;
	if (r == 1) {
		if (!trained && !cached)
			check_headroom(t, params, needed);
		return;
	}
	add_needed(needed, &wants);
	ga_str_addf(&wants, " are needed of each GPU (of %" PRId64 "%s%s", t->m->count,
		    trained ? "" : ", weights in ", trained ? "" : t->weights);
	if (ran && !t->need->precision)
		ga_str_addf(&wants, "; it was measured there in %s", ran->precision);
	ga_str_addc(&wants, ')');
	if (!r) {
		say_too_small(t, &wants, nominal ? t->offer->memory_mib : have, nominal);
		return;
	}
	t->unsure = true;
	add_nominal(t->offer->memory_mib, &has);
	ga_match_say(&t->m->unknown, "memory",
		     "%s; its nominal memory is %s, and 0.92 to 1.02 of that may be "
		     "usable", wants.buf,
		     has.buf);
}

/* Without parameters: a model that the site measured there has run there. For published
 * measurements the parameters are known. */
static void say_unknown(struct try *t)
{
	bool of_model = t->need->model || t->need->context != GA_UNKNOWN ||
			ga_estimate_is_training(t->need);

	if (!of_model || t->need->memory_mib != GA_UNKNOWN || shown_by(t, GA_UNKNOWN))
		return;
	t->unsure = true;
	ga_match_say(&t->m->unknown, "memory",
		     "without the parameters of the model the memory it needs is unknown");
}

void match_memory(struct try *t)
{
	struct ga_requirement need = *t->need; /* borrows every member */
	int64_t needed = GA_UNKNOWN, asked = need.memory_mib;
	ga_autostr struct ga_str missing = GA_STR_INIT;

	ga_estimate_attention(&need, t->tables->throughput);
	need.params = ga_estimate_params(t->need, t->tables->throughput, NULL);
	if (need.params == GA_UNKNOWN)
		say_unknown(t);
	else if (t->m->count == GA_UNKNOWN)
		t->unsure = true; /* check_given reports the unknown count */
	else
		needed = ga_estimate_memory(&need, t->m->count, &missing);
	if (missing.len)
		ga_match_say(&t->m->unknown, "memory", "%s", missing.buf);
	t->m->memory_needed_mib = asked != GA_UNKNOWN && asked > needed ? asked : needed;
	if (t->m->memory_needed_mib == GA_UNKNOWN)
		return;
	if (t->offer->memory_mib == GA_UNKNOWN) {
		t->unsure = true;
		ga_match_say(&t->m->unknown, "memory",
			     "the memory of its accelerators is not known");
		return;
	}
	check_asked(t);
	if (needed != GA_UNKNOWN && !t->too_small)
		check_computed(t, need.params, needed, ga_estimate_counts_cache(&need));
}
