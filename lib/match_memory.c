/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what is needed fits the memory of a GPU. */
#include <inttypes.h>

#include "match_int.h"

static void add_gib(int64_t mib, struct ga_str *out)
{
	if (mib % 1024)
		ga_str_addf(out, "%" PRId64 ".%" PRId64 " GiB", mib / 1024,
			    mib % 1024 * 10 / 1024);
	else
		ga_str_addf(out, "%" PRId64 " GiB", mib / 1024);
}

/* What the tool of the vendor reports, or GA_UNKNOWN. */
static int64_t reported(const struct ga_match_offer *o)
{
	return o->type ? o->type->memory.reported_mib : GA_UNKNOWN;
}

/* A number of bytes needs memory that is there, not the vendor's word for it: 1 it holds them, 0
 * not, -1 nobody knows, because what is reported lies between 0.92 and 1.02 of what is printed. */
static int holds(const struct ga_match_offer *o, int64_t mib)
{
	if (reported(o) != GA_UNKNOWN)
		return mib <= reported(o);
	if (mib * 100 <= o->memory_mib * 92)
		return 1;
	return mib * 100 > o->memory_mib * 102 ? 0 : -1;
}

static void say_too_small(struct try *t, const struct ga_str *wants, int64_t have)
{
	ga_autostr struct ga_str has = GA_STR_INIT;

	t->too_small = true;
	add_gib(have, &has);
	ga_match_say(&t->m->reasons, "memory_too_small", "%s, and it has %s", wants->buf, has.buf);
}

/* What was asked for in the words of vendors. */
static void check_asked(struct try *t)
{
	ga_autostr struct ga_str wants = GA_STR_INIT;
	int64_t asked = t->need->memory_mib, have = t->offer->memory_mib;

	if (asked == GA_UNKNOWN || asked <= have)
		return;
	add_gib(asked, &wants);
	ga_str_add(&wants, " are asked for");
	say_too_small(t, &wants, have);
}

static void check_computed(struct try *t, int64_t needed)
{
	ga_autostr struct ga_str wants = GA_STR_INIT, has = GA_STR_INIT;
	const char *weights = t->need->precision ? t->need->precision : "16 bits";
	const struct ga_inference_rate *ran = match_run_published(t);
	int64_t have = reported(t->offer);
	int r = holds(t->offer, needed);

	/* What a site measured is in the precision that it serves, which it need not say. */
	if (r != 1 && !t->need->precision && match_has_run(t))
		r = 1;
	t->holds = r == 1;
	if (r == 1)
		return;
	add_gib(needed, &wants);
	ga_str_addf(&wants, " are needed of each GPU (of %" PRId64 "%s%s", t->m->count,
		    ga_estimate_is_training(t->need) ? "" : ", weights in ",
		    ga_estimate_is_training(t->need) ? "" : weights);
	if (ran && !t->need->precision)
		ga_str_addf(&wants, "; it was measured there in %s", ran->precision);
	ga_str_addc(&wants, ')');
	if (have == GA_UNKNOWN)
		have = t->offer->memory_mib;
	if (!r) {
		say_too_small(t, &wants, have);
		return;
	}
	t->unsure = true;
	add_gib(have, &has);
	ga_match_say(&t->m->unknown, "memory",
		     "%s; %s are printed on it, and 0.92 to 1.02 of that may be there", wants.buf,
		     has.buf);
}

/* Those that are asked about, else those that the maker of a measured model prints. They are not
 * what a training takes its time from: of a model of experts not all work at once. */
static int64_t params_of(const struct try *t)
{
	const struct ga_throughput_model *model;

	if (t->need->params != GA_UNKNOWN || !t->need->model)
		return t->need->params;
	model = ga_throughput_model(t->tables->throughput, t->need->model);
	return model ? model->params : GA_UNKNOWN;
}

/* Without parameters: what was measured there has run there. */
static void say_unknown(struct try *t)
{
	bool of_model = t->need->model || t->need->context != GA_UNKNOWN ||
			ga_estimate_is_training(t->need);

	if (!of_model || t->need->memory_mib != GA_UNKNOWN || match_has_run(t) ||
	    match_run_published(t))
		return;
	t->unsure = true;
	ga_match_say(&t->m->unknown, "memory",
		     "without the parameters of the model nobody can say how much memory it needs");
}

void match_memory(struct try *t)
{
	struct ga_requirement need = *t->need; /* borrows every member */
	int64_t needed = GA_UNKNOWN, asked = need.memory_mib;
	const char *missing = NULL;

	need.params = params_of(t);
	if (need.params == GA_UNKNOWN)
		say_unknown(t);
	else if (t->m->count == GA_UNKNOWN)
		t->unsure = true; /* the count says so */
	else
		needed = ga_estimate_memory(&need, t->m->count, &missing);
	if (missing)
		ga_match_say(&t->m->unknown, "memory", "%s", missing);
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
		check_computed(t, needed);
}
