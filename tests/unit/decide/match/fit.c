/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of gpuaas-match with unknown facts: memory, machines, measurements. */
#include "base/texts.h"
#include "catalog/name.h"
#include "match_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A computed need counts bytes that are there; a requested size is the vendor's word. */
static void memories(void)
{
	static const struct {
		int64_t params, gpus, memory_mib;
		const char *type, *precision;
		int64_t needed;
		const char *reasons;
		bool unsure;
	} rows[] = {
		{ 150000000000, 1, GA_UNKNOWN, "nvidia-b300-288gb", NULL, 286103,
		  "memory_too_small", false },
		{ 144000000000, 1, GA_UNKNOWN, "nvidia-b300-288gb", NULL, 274659,
		  "memory_no_headroom", false },
		/* A B300 reports 275040: nine tenths are 247536. */
		{ 129780200000, 1, GA_UNKNOWN, "nvidia-b300-288gb", NULL, 247537,
		  "memory_no_headroom", false },
		{ 129780000000, 1, GA_UNKNOWN, "nvidia-b300-288gb", NULL, 247536, "", false },
		{ 8500000000, 1, GA_UNKNOWN, "nvidia-t4-16gb", NULL, 16213, "memory_too_small",
		  false },
		{ 8000000000, 1, GA_UNKNOWN, "nvidia-t4-16gb", NULL, 15259, "memory_no_headroom",
		  false },
		{ 8000000000, 1, 16384, "nvidia-t4-16gb", NULL, 16384, "memory_no_headroom",
		  false },
		{ 7000000000, 1, 16384, "nvidia-t4-16gb", NULL, 16384, "", false },
		{ 8000000000, 1, 16385, "nvidia-t4-16gb", NULL, 16385, "memory_too_small", false },
		{ 8500000000, 1, 16385, "nvidia-t4-16gb", NULL, 16385, "memory_too_small", false },
		/* Of an L4 nobody says what is reported: of 24576, 22610 to 25067 may be. */
		{ 10600000000, 1, GA_UNKNOWN, "nvidia-l4-24gb", NULL, 20218, "", false },
		{ 10700000000, 1, GA_UNKNOWN, "nvidia-l4-24gb", NULL, 20409, "", true },
		{ 11800000000, 1, GA_UNKNOWN, "nvidia-l4-24gb", NULL, 22507, "", true },
		{ 11860000000, 1, GA_UNKNOWN, "nvidia-l4-24gb", NULL, 22622, "", true },
		{ 13140000000, 1, GA_UNKNOWN, "nvidia-l4-24gb", NULL, 25063, "", true },
		{ 13150000000, 1, GA_UNKNOWN, "nvidia-l4-24gb", NULL, 25082, "memory_too_small",
		  false },
		{ 13150000000, 2, GA_UNKNOWN, "nvidia-l4-24gb", NULL, 12541, "", false },
		{ 72000000000, 1, GA_UNKNOWN, "amd-mi250x-128gb", "int8", 68665, "memory_too_small",
		  false },
		{ 150000000000, 1, GA_UNKNOWN, NULL, NULL, 286103, "", true },
		{ GA_UNKNOWN, 1, GA_UNKNOWN, NULL, NULL, GA_UNKNOWN, "", false },
		/* Of a GB300 nobody says what is printed: 284208, which it reports, to 308921. */
		{ GA_UNKNOWN, 1, 284208, "nvidia-gb300-288gb", NULL, 284208, "", false },
		{ GA_UNKNOWN, 1, 284209, "nvidia-gb300-288gb", NULL, 284209, "", true },
		{ GA_UNKNOWN, 1, 294912, "nvidia-gb300-288gb", NULL, 294912, "", true },
		{ GA_UNKNOWN, 1, 308921, "nvidia-gb300-288gb", NULL, 308921, "", true },
		{ GA_UNKNOWN, 1, 308922, "nvidia-gb300-288gb", NULL, 308922, "memory_too_small",
		  false },
		{ 150000000000, 1, 294912, "nvidia-gb300-288gb", NULL, 294912, "memory_too_small",
		  true },
	};
	static const int64_t both[] = { 1, 2 };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_match_offer o = offer("p", rows[i].type, 1000000, 2);
		struct ga_requirement r = nothing();
		struct ga_matches m;

		o.counts = both;
		o.n_counts = 2;
		r.params = rows[i].params;
		r.gpus = rows[i].gpus;
		r.memory_mib = rows[i].memory_mib;
		r.precision = ga_strdup0(rows[i].precision);
		run(&r, &o, 1, NULL, 0, &m);
		t_int(m.v[0].memory_needed_mib, rows[i].needed, "memory %zu: needed", i);
		t_str(reasons_of(&m, 0), rows[i].reasons, "memory %zu", i);
		t_ok(m.more[0].unsure == rows[i].unsure, "memory %zu: known or not", i);
		t_ok(!ga_match_best(&m) == (rows[i].unsure || *rows[i].reasons),
		     "memory %zu: what nobody knows is not chosen", i);
		ga_matches_release(&m);
		r.gpus = GA_UNKNOWN;
		run(&r, &o, 1, NULL, 0, &m);
		t_ok(!rows[i].unsure || rows[i].params == GA_UNKNOWN || !rows[i].type ||
		     m.v[0].count == 2,
		     "memory %zu: rather more of them than one that may be too small", i);
		ga_matches_release(&m);
		ga_schema_release(&ga_requirement_schema, &r);
	}
}

/* A need that is a little more than there is reads so. */
static void memory_words(void)
{
	static const struct {
		int64_t params, memory_mib;
		const char *sentence;
	} rows[] = {
		{ 75377500000, GA_UNKNOWN, "140.5 GiB are needed of each GPU (of 1, weights in 16 "
		  "bits), and it has 140.4 GiB" },
		{ 75700000000, GA_UNKNOWN, "141.1 GiB are needed of each GPU (of 1, weights in 16 "
		  "bits), and it has 140.4 GiB" },
		{ GA_UNKNOWN, 144385, "144385 MiB are required, and it has 141 GB" },
		{ GA_UNKNOWN, 145408, "142 GB are required, and it has 141 GB" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_match_offer o = offer("p", "nvidia-h200-141gb", 1000000, 1);
		struct ga_requirement r = nothing();
		struct ga_matches m;

		r.params = rows[i].params;
		r.memory_mib = rows[i].memory_mib;
		run(&r, &o, 1, NULL, 0, &m);
		t_str(m.v[0].reasons.n ? m.v[0].reasons.v[0].sentence : "-", rows[i].sentence,
		      "memory words %zu", i);
		ga_matches_release(&m);
		ga_schema_release(&ga_requirement_schema, &r);
	}
}

static bool says(const struct ga_matches *m, const char *text)
{
	size_t i;

	for (i = 0; i < m->v[0].unknown.n; i++)
		if (strstr(m->v[0].unknown.v[i].sentence, text))
			return true;
	return false;
}

/* Models with a name only. */
static void models(void)
{
	static const struct {
		const char *model, *type, *precision, *scenario;
		int64_t gpus, milli;
		const char *reasons;
		bool unsure, trained;
		int64_t seconds;
	} rows[] = {
		{ "Llama3.1-405B", "nvidia-h200-141gb", NULL, NULL, 1, GA_UNKNOWN,
		  "memory_too_small", false, false, GA_UNKNOWN },
		{ "llama3.1-405b", "nvidia-h200-141gb", NULL, NULL, 8, 295200, "", false, false,
		  GA_UNKNOWN },
		{ "llama3.1-405b", "nvidia-h200-141gb", "fp8", NULL, 4, 147600, "", false, false,
		  GA_UNKNOWN },
		{ "llama3.1-405b", "nvidia-h200-141gb", "bf16", NULL, 8, GA_UNKNOWN, "", false,
		  false, GA_UNKNOWN },
		{ "llama2-70b", "nvidia-h200-141gb", NULL, "interactive", 1, 2549300,
		  "memory_no_headroom", false, false, GA_UNKNOWN },
		{ "llama2-70b", "nvidia-h200-141gb", NULL, "interactive", 2, 5098600, "", false,
		  false, GA_UNKNOWN },
		{ "llama3.1-405b", "nvidia-gb200-186gb", NULL, "interactive", 8, GA_UNKNOWN, "",
		  false, false, GA_UNKNOWN },
		{ "llama3.1-405b", "nvidia-v100-sxm2-16gb", NULL, NULL, 8, GA_UNKNOWN,
		  "memory_too_small", false, false, GA_UNKNOWN },
		{ "nobody-has-it", "nvidia-h200-141gb", NULL, NULL, 8, GA_UNKNOWN, "", true,
		  false, GA_UNKNOWN },
		/* Of a training only the memory: of experts not all work at once. */
		{ "mixtral-8x7b", "nvidia-h200-141gb", NULL, NULL, 4, GA_UNKNOWN,
		  "memory_too_small", false, true, GA_UNKNOWN },
		{ "mixtral-8x7b", "nvidia-h200-141gb", NULL, NULL, 8, GA_UNKNOWN, "", false, true,
		  GA_UNKNOWN },
		/* 6 * 8e9 * 1e9 / (8 * 989.5e12 * 0.4085) + 300 */
		{ "llama3.1-8b", "nvidia-h200-141gb", NULL, NULL, 8, GA_UNKNOWN, "", false, true,
		  15144 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_match_offer o = offer("p", rows[i].type, 1000000, 8);
		struct ga_requirement r = nothing();
		struct ga_matches m;

		o.n_counts = 0;
		r.model = ga_strdup0(rows[i].model);
		r.precision = ga_strdup0(rows[i].precision);
		r.scenario = ga_strdup0(rows[i].scenario);
		r.train_tokens = rows[i].trained ? 1000000000 : GA_UNKNOWN;
		r.gpus = rows[i].gpus;
		run(&r, &o, 1, NULL, 0, &m);
		t_int(m.v[0].tokens_per_second_milli, rows[i].milli, "model %zu: throughput", i);
		t_str(reasons_of(&m, 0), rows[i].reasons, "model %zu", i);
		t_ok(m.more[0].unsure == rows[i].unsure, "model %zu: known or not", i);
		t_int(m.v[0].seconds, rows[i].seconds, "model %zu: time", i);
		t_ok(!rows[i].trained || rows[i].seconds != GA_UNKNOWN || m.v[0].reasons.n ||
		     says(&m, "a model of experts"), "model %zu: why there is none", i);
		ga_matches_release(&m);
		ga_schema_release(&ga_requirement_schema, &r);
	}
}

/* Where no count does, the nearest is shown. */
static void nearest(void)
{
	static const int64_t all[] = { 1, 2, 4, 8 };
	static const struct {
		const char *name, *type;
		int64_t params, tokens, micros, count;
		const char *reasons;
	} rows[] = {
		{ "most memory", "nvidia-a100-sxm4-80gb", 405000000000, GA_UNKNOWN, GA_UNKNOWN, 8,
		  "memory_too_small" },
		{ "fastest", "nvidia-h200-141gb", 70000000000, 40000, GA_UNKNOWN, 8, "slo_tokens" },
		{ "cheapest", "nvidia-h200-141gb", 60000000000, GA_UNKNOWN, 999999, 1,
		  "slo_cost" },
		{ "one that runs", "nvidia-a100-sxm4-80gb", 70000000000, GA_UNKNOWN, 1000000, 2,
		  "slo_cost" },
		{ "enough memory, too slow", "nvidia-h200-141gb", 100000000000, 40000, GA_UNKNOWN,
		  8, "slo_tokens" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_match_offer o = offer("p", rows[i].type, 1000000, 8);
		struct ga_requirement r = nothing();
		struct ga_matches m;

		o.counts = all;
		o.n_counts = GA_ARRAY_SIZE(all);
		r.model = ga_xstrdup("llama2-70b");
		r.params = rows[i].params;
		r.tokens_per_second = rows[i].tokens;
		r.max_cost_per_hour_micros = rows[i].micros;
		run(&r, &o, 1, NULL, 0, &m);
		t_int(m.v[0].count, rows[i].count, "nearest: %s", rows[i].name);
		t_str(reasons_of(&m, 0), rows[i].reasons, "nearest: why not the %s", rows[i].name);
		ga_matches_release(&m);
		ga_schema_release(&ga_requirement_schema, &r);
	}
}

/* Whole machines: what is free, what there is, what nobody knows. */
static void machines(void)
{
	static const struct {
		const char *name;
		int64_t largest, machine, gpus, params, micros;
		int64_t count;
		const char *reasons, *slo, *availability;
	} rows[] = {
		{ "one is busy", 0, 8, GA_UNKNOWN, 70000000000, GA_UNKNOWN, 8, "", NULL, "none" },
		{ "its cost is known", 0, 8, GA_UNKNOWN, GA_UNKNOWN, 3000000, 8, "slo_cost",
		  "missed", "none" },
		{ "it has so many", 0, 8, 8, GA_UNKNOWN, GA_UNKNOWN, 8, "", NULL, "none" },
		{ "none has so many", 0, 8, 16, GA_UNKNOWN, GA_UNKNOWN, 8, "count_not_offered",
		  NULL, "none" },
		{ "a free one does", 4, 8, GA_UNKNOWN, 70000000000, GA_UNKNOWN, 4, "", NULL,
		  "now" },
		{ "a free one is too small", 4, 8, GA_UNKNOWN, 300000000000, GA_UNKNOWN, 8, "",
		  NULL, "none" },
		{ "a free one has too few", 4, 8, 8, GA_UNKNOWN, GA_UNKNOWN, 8, "", NULL,
		  "none" },
		{ "no one does", 4, 8, 16, GA_UNKNOWN, GA_UNKNOWN, 4, "count_not_offered", NULL,
		  "now" },
		{ "nobody knows", 0, GA_UNKNOWN, 16, 70000000000, 3000000, GA_UNKNOWN, "",
		  "unknown", "none" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_match_offer o = offer("p", "nvidia-a100-sxm4-80gb", 1000000, 0);
		struct ga_requirement r = nothing();
		struct ga_matches m;
		int64_t count = rows[i].count, sizes[2] = { rows[i].largest };
		size_t n = rows[i].largest > 0;

		o.shape = "baremetal";
		o.n_counts = 0;
		o.largest = rows[i].largest;
		sizes[n++] = rows[i].machine;
		if (rows[i].machine == GA_UNKNOWN)
			n = 0;
		o.counts_now = &rows[i].largest;
		o.n_counts_now = rows[i].largest > 0;
		o.machines = sizes;
		o.n_machines = n;
		r.gpus = rows[i].gpus;
		r.params = rows[i].params;
		r.max_cost_per_hour_micros = rows[i].micros;
		run(&r, &o, 1, NULL, 0, &m);
		t_int(m.v[0].count, count, "machines: GPUs where %s", rows[i].name);
		t_int(m.v[0].cost_per_hour_micros,
		      count == GA_UNKNOWN ? GA_UNKNOWN : count * 1000000, "machines: cost where %s",
		      rows[i].name);
		t_str(reasons_of(&m, 0), rows[i].reasons, "machines: %s", rows[i].name);
		t_str(m.v[0].slo, rows[i].slo, "machines: wanted, where %s", rows[i].name);
		t_str(m.v[0].availability, rows[i].availability, "machines: to be had, where %s",
		      rows[i].name);
		ga_matches_release(&m);
		ga_schema_release(&ga_requirement_schema, &r);
	}
}

/* ---- what a site measured ---- */

#define RUNS 4

struct run {
	int64_t count, milli, ms; /* count 0: no more; 0: not measured */
};

static size_t make_runs(const struct run *runs, const char *model, struct ga_measured *ret)
{
	size_t i;

	for (i = 0; i < RUNS && runs[i].count; i++) {
		ret[i] = (struct ga_measured){
			.count = runs[i].count, .source = ga_xstrdup("here"),
			.model = ga_strdup0(model),
			.tokens_per_second_milli = runs[i].milli ? runs[i].milli : GA_UNKNOWN,
			.e2e_p99_ms = runs[i].ms ? runs[i].ms : GA_UNKNOWN,
			.ttft_p99_ms = GA_UNKNOWN, .itl_p99_ms = GA_UNKNOWN };
		ga_texts_add(&ret[i].types, "nvidia-h200-141gb");
	}
	return i;
}

static void release_runs(struct ga_measured *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		free(v[i].types.v[0]);
		ga_list_release(&v[i].types);
		free(v[i].model);
		free(v[i].precision);
		free(v[i].source);
	}
}

/* The k-th order of n things. */
static void shuffle(struct ga_measured *v, size_t n, size_t k)
{
	size_t i;

	for (i = n; i > 1; k /= i, i--) {
		struct ga_measured last = v[i - 1];

		v[i - 1] = v[k % i];
		v[k % i] = last;
	}
}

static const char *number(int64_t n)
{
	static char text[4][24];
	static size_t at;

	at = (at + 1) % 4;
	(void)snprintf(text[at], sizeof(text[at]), "%lld", (long long)n);
	return n == GA_UNKNOWN ? "-" : text[at];
}

static const struct measured_row {
	const char *name;
	struct run runs[RUNS];
	const char *model;
	int64_t gpus, params, tokens, p99_ms;
	const char *want; /* lowest, median and highest throughput, ms, SLO, confidence */
	const char *precision, *ran_in; /* asked for; of the runs */
} measured_rows[] = {
	{ "the median of three", { { 1, 300, 5 }, { 1, 100, 6 }, { 1, 200, 7 } }, "m", 1,
	  1000000, GA_UNKNOWN, GA_UNKNOWN, "100 200 300 7 - measured", NULL, NULL },
	{ "one of two that is fast enough", { { 1, 30000, 100 }, { 1, 900000, 4000 } },
	  "m", 1, 1000000, 500, GA_UNKNOWN, "30000 900000 900000 4000 met measured",
	  NULL, NULL },
	{ "one of two that is soon enough", { { 1, 30000, 100 }, { 1, 900000, 4000 } },
	  "m", 1, 1000000, GA_UNKNOWN, 200, "30000 30000 900000 100 met measured",
	  NULL, NULL },
	{ "not both at once", { { 1, 30000, 100 }, { 1, 900000, 4000 } }, "m", 1, 1000000,
	  500, 200, "30000 900000 900000 4000 missed measured", NULL, NULL },
	{ "the median of those that do", { { 1, 1000000, 9 }, { 1, 600000, 9 },
	  { 1, 700000, 9 }, { 1, 100000, 9 } }, "m", 1, 1000000, 500, GA_UNKNOWN,
	  "100000 700000 1000000 9 met measured", NULL, NULL },
	{ "the nearest where none does", { { 1, 100000, 9 }, { 1, 400000, 9 },
	  { 1, 200000, 9 } }, "m", 1, 1000000, 500, GA_UNKNOWN,
	  "100000 400000 400000 9 missed measured", NULL, NULL },
	{ "the soonest where none is soon enough", { { 1, 100000, 9 }, { 1, 400000, 8 },
	  { 1, 200000, 7 } }, "m", 1, 1000000, GA_UNKNOWN, 6,
	  "100000 200000 400000 7 missed measured", NULL, NULL },
	{ "its own count before others", { { 8, 800, 1 }, { 2, 150, 2 }, { 1, 90, 3 } },
	  "m", 2, 1000000, GA_UNKNOWN, GA_UNKNOWN, "150 150 150 2 - measured", NULL, NULL },
	{ "more GPUs before fewer", { { 8, 800, 1 }, { 4, 360, 2 }, { 1, 110, 3 } }, "m",
	  2, 1000000, GA_UNKNOWN, GA_UNKNOWN, "180 180 180 - - similar", NULL, NULL },
	{ "fewer where it may not fit", { { 8, 800, 1 }, { 4, 360, 2 }, { 1, 110, 3 } },
	  "m", 2, GA_UNKNOWN, GA_UNKNOWN, GA_UNKNOWN, "220 220 220 - - similar",
	  NULL, NULL },
	{ "none where it may not fit", { { 8, 800, 1 } }, "m", 2, GA_UNKNOWN, 1,
	  GA_UNKNOWN, "- - - - unknown -", NULL, NULL },
	{ "a latency takes no throughput", { { 8, 0, 100 } }, "llama2-70b", 8,
	  GA_UNKNOWN, 4000, GA_UNKNOWN, "29027200 33204400 34193600 100 met measured",
	  "fp8", NULL },
	{ "both, but not together", { { 8, 0, 100 } }, "llama2-70b", 8, GA_UNKNOWN, 4000,
	  100, "29027200 33204400 34193600 100 unknown measured", "fp8", NULL },
	{ "both, and one is missed", { { 8, 0, 100 } }, "llama2-70b", 8, GA_UNKNOWN, 4000,
	  99, "29027200 33204400 34193600 100 missed measured", "fp8", NULL },
	/* Its memory is judged for 16 bits. */
	{ "published in fp8, which is not asked", { { 8, 0, 100 } }, "llama2-70b", 8,
	  GA_UNKNOWN, 4000, GA_UNKNOWN, "29027200 33204400 34193600 100 unknown measured",
	  NULL, NULL },
	{ "only the latency is wanted", { { 8, 0, 100 } }, "llama2-70b", 8, GA_UNKNOWN,
	  GA_UNKNOWN, 100, "29027200 33204400 34193600 100 met measured", NULL, NULL },
	{ "the latency of fp8 is wanted", { { 8, 0, 100 } }, "m", 8, 1000000, GA_UNKNOWN,
	  100, "- - - 100 unknown measured", NULL, "fp8" },
	{ "measured in fp8, which is not asked", { { 1, 900000, 9 } }, "m", 1, 1000000,
	  500, GA_UNKNOWN, "900000 900000 900000 9 unknown measured", NULL, "fp8" },
	{ "measured in 16 bits", { { 1, 900000, 9 } }, "m", 1, 1000000, 500, 9,
	  "900000 900000 900000 9 met measured", NULL, "bf16" },
	{ "measured in the only one it fits in", { { 1, 900000, 9 } }, "m", 1,
	  100000000000, 500, GA_UNKNOWN, "900000 900000 900000 9 met measured", NULL,
	  "fp8" },
	{ "a throughput and latencies", { { 1, 500000, 0 }, { 1, 0, 50 }, { 1, 0, 70 },
	  { 1, 0, 60 } }, "m", 1, 1000000, 400, 65,
	  "500000 500000 500000 60 unknown measured", NULL, NULL },
	{ "a latency alone", { { 1, 0, 50 } }, "m", 1, 1000000, GA_UNKNOWN, 65,
	  "- - - 50 met measured", NULL, NULL },
	{ "no model asked, none said", { { 1, 300, 5 } }, NULL, 1, GA_UNKNOWN, GA_UNKNOWN,
	  GA_UNKNOWN, "300 300 300 5 - measured", NULL, NULL },
};

static void measured(void)
{
	size_t i, k;

	for (i = 0; i < GA_ARRAY_SIZE(measured_rows); i++) {
		struct ga_match_offer o = offer("p", "nvidia-h200-141gb", 1000000, 8);
		const struct measured_row *row = &measured_rows[i];
		struct ga_requirement r = nothing();

		o.n_counts = 0;
		r.model = ga_strdup0(row->model);
		r.gpus = row->gpus;
		r.params = row->params;
		r.tokens_per_second = row->tokens;
		r.p99_ms = row->p99_ms;
		r.precision = ga_strdup0(row->precision);
		/* All 24 orders of four. */
		for (k = 0; k < 24; k++) {
			struct ga_measured v[RUNS];
			struct ga_matches m;
			size_t j, n = make_runs(row->runs, row->model, v);
			ga_autofree char *got = NULL;

			for (j = 0; j < n; j++)
				v[j].precision = ga_strdup0(row->ran_in);
			shuffle(v, n, k);
			run(&r, &o, 1, v, n, &m);
			got = ga_xprintf("%s %s %s %s %s %s",
					 number(m.v[0].tokens_per_second_low_milli),
					 number(m.v[0].tokens_per_second_milli),
					 number(m.v[0].tokens_per_second_high_milli),
					 number(m.v[0].p99_ms), m.v[0].slo ? m.v[0].slo : "-",
					 m.v[0].confidence ? m.v[0].confidence : "-");
			if (!k || strcmp(got, row->want) != 0)
				t_str(got, row->want, "measured: %s, order %zu", row->name,
				      k);
			ga_matches_release(&m);
			release_runs(v, n);
		}
		ga_schema_release(&ga_requirement_schema, &r);
	}
}

/* A record is of the model that it names, and of the precision. */
static void models_measured(void)
{
	static const struct {
		const char *said, *asked;
		int64_t params;
		const char *ran_in, *precision; /* of the record, and asked for */
		bool taken;
	} cases[] = {
		{ "m", "M", GA_UNKNOWN, NULL, NULL, true },
		{ "m", "n", GA_UNKNOWN, NULL, NULL, false },
		{ NULL, "m", GA_UNKNOWN, NULL, NULL, false },
		{ NULL, NULL, GA_UNKNOWN, NULL, NULL, true },
		{ "m", NULL, GA_UNKNOWN, NULL, NULL, true },
		/* Parameters alone may be those of any model. */
		{ "m", NULL, 1000000, NULL, NULL, false },
		{ NULL, NULL, 1000000, NULL, NULL, true },
		{ "m", "m", 1000000, NULL, NULL, true },
		{ "m", "m", 1000000, NULL, "fp8", true },
		{ "m", "m", 1000000, "FP8", "fp8", true },
		{ "m", "m", 1000000, "fp8", "bf16", false },
		{ "m", "m", 1000000, "fp8", NULL, true },
	};
	const struct run runs[RUNS] = { { 1, 300, 5 } };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_match_offer o = offer("p", "nvidia-h200-141gb", 1000000, 8);
		struct ga_requirement r = nothing();
		struct ga_measured v[RUNS];
		size_t n = make_runs(runs, cases[i].said, v);
		struct ga_matches m;

		v[0].precision = ga_strdup0(cases[i].ran_in);
		r.model = ga_strdup0(cases[i].asked);
		r.params = cases[i].params;
		r.precision = ga_strdup0(cases[i].precision);
		run(&r, &o, 1, v, n, &m);
		t_ok((m.v[0].tokens_per_second_milli == 300) == cases[i].taken,
		     "record %zu: of %s, %s asked", i, cases[i].said ? cases[i].said : "none",
		     cases[i].asked ? cases[i].asked : "none");
		t_ok(m.more[0].unsure == (cases[i].params == GA_UNKNOWN && cases[i].asked &&
					  !cases[i].taken),
		     "record %zu: what was measured there has run there", i);
		ga_matches_release(&m);
		release_runs(v, n);
		ga_schema_release(&ga_requirement_schema, &r);
	}
}

/* A model that ran there fits, where that run can be of the required model. */
static void shown(void)
{
	static const struct {
		const char *name, *type, *asked;
		int64_t params, context;
		const char *ran_in, *precision;
		const char *reasons, *unknown; /* unknown: stands in the words about the memory */
		bool unsure;
	} rows[] = {
		{ "in fewer bits", "nvidia-h200-141gb", "m", 100000000000, 1, NULL, NULL, "",
		  "would be needed of each GPU (of 1) in 16 bits; it ran there, in an "
		  "unknown precision", false },
		{ "in 8 bits", "nvidia-h200-141gb", "m", 100000000000, 1, "fp8", NULL, "",
		  "in 16 bits; it ran there in fp8", false },
		{ "in 16 bits, which cannot be", "nvidia-h200-141gb", "m", 100000000000, 1,
		  "bf16", NULL, "memory_too_small", NULL, false },
		{ "where another precision is required", "nvidia-h200-141gb", "m", 100000000000,
		  1, NULL, "bf16", "memory_too_small", NULL, false },
		{ "where 4 bits are too many", "nvidia-h200-141gb", "m", 405000000000, 1, NULL,
		  NULL, "memory_too_small", NULL, false },
		{ "where the cache alone is too much", "nvidia-h200-141gb", "m", 7000000000,
		  1000000, NULL, NULL, "memory_too_small", NULL, false },
		{ "where nobody knows it of 4 bits", "nvidia-l4-24gb", "m", 47500000000, 1, NULL,
		  NULL, "memory_too_small", NULL, false },
		{ "where 4 bits fit", "nvidia-l4-24gb", "m", 46000000000, 1, NULL, NULL, "",
		  "it ran there", false },
		{ "of another model", "nvidia-h200-141gb", "n", 100000000000, 1, NULL, NULL,
		  "memory_too_small", NULL, false },
		{ "of no model that is named", "nvidia-h200-141gb", NULL, 100000000000, 1, NULL,
		  NULL, "memory_too_small", NULL, false },
		{ "without parameters", "nvidia-h200-141gb", "m", GA_UNKNOWN, 1, NULL, NULL, "",
		  NULL, false },
		{ "without parameters, and too much cache", "nvidia-h200-141gb", "m", GA_UNKNOWN,
		  1000000, NULL, NULL, "", "without the parameters", true },
	};
	const struct run runs[RUNS] = { { 1, 300, 5 } };
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_match_offer o = offer("p", rows[i].type, 1000000, 8);
		struct ga_requirement r = nothing();
		struct ga_measured v[RUNS];
		size_t n = make_runs(runs, rows[i].asked ? "m" : NULL, v);
		const char *said = NULL;
		struct ga_matches m;

		free(v[0].types.v[0]);
		v[0].types.v[0] = ga_xstrdup(rows[i].type);
		v[0].precision = ga_strdup0(rows[i].ran_in);
		r.model = ga_strdup0(rows[i].asked);
		r.params = rows[i].params;
		r.precision = ga_strdup0(rows[i].precision);
		r.layers = r.kv_heads = 32;
		r.head_size = 128;
		r.context = rows[i].context;
		run(&r, &o, 1, v, n, &m);
		t_str(reasons_of(&m, 0), rows[i].reasons, "it ran there %s", rows[i].name);
		t_ok(m.more[0].unsure == rows[i].unsure, "it ran there %s: known or not",
		     rows[i].name);
		for (j = 0; j < m.v[0].unknown.n; j++)
			if (ga_streq(m.v[0].unknown.v[j].code, "memory"))
				said = m.v[0].unknown.v[j].sentence;
		t_ok(rows[i].unknown ? said && strstr(said, rows[i].unknown) : !said,
		     "it ran there %s: %s", rows[i].name, said ? said : "-");
		ga_matches_release(&m);
		release_runs(v, n);
		ga_schema_release(&ga_requirement_schema, &r);
	}
}

static void vendors(void)
{
	static const struct {
		const char *have, *want;
		bool is;
	} cases[] = { { "NVIDIA", "nvidia", true },	 { "Intel Habana", "intel", true },
		      { "Intel Habana", "Intel habana", true }, { "Intel", "Intel Habana", false },
		      { "Intelligent", "intel", false }, { "AMD", "NVIDIA", false } };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++)
		t_ok(ga_accel_is_vendor(cases[i].have, cases[i].want) == cases[i].is, "%s for %s",
		     cases[i].have, cases[i].want);
}

int main(void)
{
	struct ga_err err = GA_ERR_INIT;

	ga_accels_drop_ins(NULL);
	if (ga_accels_open(NULL, &accels, &err) < 0)
		return 1;
	ga_throughput_read(&table);
	memories();
	memory_words();
	models();
	nearest();
	machines();
	measured();
	models_measured();
	shown();
	vendors();
	ga_throughput_release(&table);
	ga_accels_close(accels);
	return t_done();
}
