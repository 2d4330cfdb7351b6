/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and time of models: cases computed by hand, compared with published figures. */
#include "decide/match/estimate.h"
#include "t.h"

#include <stdlib.h>

static struct ga_throughput table;
static struct ga_accels *accels;

static struct ga_requirement need(int64_t params, const char *precision, const char *method)
{
	struct ga_requirement r;

	ga_schema_init(&ga_requirement_schema, &r);
	r.params = params;
	r.precision = ga_strdup0(precision);
	r.method = ga_strdup0(method);
	return r;
}

static void memory(void)
{
	static const struct {
		int64_t params;
		const char *precision, *method;
		int64_t gpus, mib;
	} cases[] = {
		{ 7000000000, NULL, NULL, 1, 13352 },	/* 14 GB */
		{ 7000000000, "fp32", NULL, 1, 26703 },
		{ 7000000000, "fp8", NULL, 1, 6676 },
		{ 7000000000, "int4", NULL, 1, 3338 },
		{ 7000000000, "bf16", NULL, 2, 6676 },
		{ 70000000000, "bf16", NULL, 1, 133515 },
		{ 1500000000, NULL, "full", 1, 22889 }, /* 24 GB: no 16 GB card */
		{ 1500000000, "fp32", "full", 1, 22889 },
		{ 1500000000, NULL, "full", 2, 11445 },
		{ 1500000000, NULL, "lora", 1, 2862 },
		{ 1, "int4", NULL, 1, 1 },
		{ INT64_C(1000000000000000), NULL, "full", 64, 238418580 },
		{ GA_UNKNOWN, "bf16", "full", 1, GA_UNKNOWN },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autostr struct ga_str missing = GA_STR_INIT;
		struct ga_requirement r =
			need(cases[i].params, cases[i].precision, cases[i].method);

		t_int(ga_estimate_memory(&r, cases[i].gpus, &missing), cases[i].mib,
		      "%" PRId64 " parameters, %s, %s, %" PRId64 " GPUs", cases[i].params,
		      cases[i].precision ? cases[i].precision : "-",
		      cases[i].method ? cases[i].method : "-", cases[i].gpus);
		t_ok(cases[i].params == GA_UNKNOWN || missing.len, "it says what is not counted");
		ga_schema_release(&ga_requirement_schema, &r);
	}
}

/* Llama 2 7B: 32 layers, 32 heads of 128, 4096 tokens are 2 GiB of cache. */
static void cache(void)
{
	struct ga_requirement r = need(7000000000, "fp8", NULL);
	ga_autostr struct ga_str missing = GA_STR_INIT;

	r.layers = r.kv_heads = 32;
	r.head_size = 128;
	t_ok(ga_estimate_memory(&r, 1, &missing) == 6676, "not without the context");
	t_ok(strstr(missing.buf, "needs 512 KiB for each token") && !ga_estimate_counts_cache(&r),
	     "it says what a token needs: %s", missing.buf);
	ga_str_release(&missing);
	r.context = 4096;
	t_int(ga_estimate_memory(&r, 1, &missing), 6676 + 2048, "the cache of one sequence");
	t_ok(!missing.len && ga_estimate_counts_cache(&r), "then nothing is missing");
	r.batch = 8;
	t_int(ga_estimate_memory(&r, 2, &missing), 3338 + 8192, "eight of them on two GPUs");
	free(r.precision);
	r.precision = ga_xstrdup("fp32");
	r.batch = 1;
	t_int(ga_estimate_memory(&r, 1, &missing), 26703 + 4096, "wide weights, wide cache");
	r.layers = r.kv_heads = r.head_size = 100000;
	r.context = 1000000000;
	r.batch = 1000000;
	t_ok(ga_estimate_memory(&r, 1, &missing) > 1000000000, "the largest of all: no overflow");
	ga_schema_release(&ga_requirement_schema, &r);
}

static void tokens(void)
{
	struct ga_requirement r = need(1, NULL, NULL);

	t_ok(!ga_estimate_is_training(&r), "parameters alone are no training");
	r.samples = 100000;
	t_int(ga_estimate_tokens(&r), GA_UNKNOWN, "samples of no length");
	t_ok(ga_estimate_is_training(&r), "samples are a training");
	r.sequence_tokens = 1024;
	t_int(ga_estimate_tokens(&r), 102400000, "seen once");
	r.epochs = 3;
	t_int(ga_estimate_tokens(&r), 307200000, "seen three times");
	r.samples = INT64_C(1000000000000);
	r.sequence_tokens = 1000000000;
	r.epochs = 1000000;
	t_int(ga_estimate_tokens(&r), GA_UNKNOWN, "more than there is");
	r.train_tokens = 5;
	t_int(ga_estimate_tokens(&r), 5, "as it is given");
	ga_schema_release(&ga_requirement_schema, &r);
}

/* GPT-2 of 1.5e9 parameters, 100,000 samples of 1024 tokens, three times. */
static void times(void)
{
	static const struct {
		const char *type, *confidence;
		int64_t low, seconds, high;
	} cases[] = {
		/* 2.7648e18 / (989.5e12 * 0.4644, 0.4085, 0.2634) + 300, up to a second */
		{ "nvidia-h100-sxm5-80gb", "measured", 6317, 7140, 10908 },
		{ "nvidia-h200-141gb", "similar", 6317, 7140, 10908 },
		{ "nvidia-a100-sxm4-80gb", "measured", 14097, 16059, 22803 },
		{ "nvidia-a100-pcie-80gb", "similar", 14097, 16059, 22803 },
		{ "nvidia-b200-180gb", "weak", 2738, 3056, 3469 },
		{ "nvidia-h100-pcie-80gb", NULL, 0, 0, 0 }, /* Hopper, and slower */
		{ "nvidia-v100-sxm2-32gb", NULL, 0, 0, 0 },
		{ "nvidia-l4-24gb", NULL, 0, 0, 0 },
	};
	struct ga_requirement r = need(1500000000, NULL, "full");
	size_t i;

	r.samples = 100000;
	r.sequence_tokens = 1024;
	r.epochs = 3;
	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		const struct ga_accel_type *type = ga_accels_type(accels, cases[i].type);
		const char *precision = ga_estimate_precision(&r, type);
		struct ga_efficiency e;
		struct ga_training_time t = { 0 };
		bool known = ga_estimate_efficiency(&table, accels, type, precision, &e);

		t_str(known ? e.confidence : NULL, cases[i].confidence, "basis of %s",
		      cases[i].type);
		t_ok(known == (e.basis != NULL), "the basis is shown: %s", e.basis ? e.basis : "-");
		if (known)
			t_ok(ga_estimate_time(&r, 1, ga_estimate_peak(type, precision), &e, &t),
			     "a time of %s", cases[i].type);
		t_int(t.low, cases[i].low, "least of %s", cases[i].type);
		t_int(t.seconds, cases[i].seconds, "time of %s", cases[i].type);
		t_int(t.high, cases[i].high, "most of %s", cases[i].type);
		free(e.basis);
	}
	ga_schema_release(&ga_requirement_schema, &r);
}

/* A basis names all whose runs are in it. */
static void bases(void)
{
	const struct ga_accel_type *type = ga_accels_type(accels, "nvidia-h100-sxm5-80gb");
	struct ga_efficiency e;

	t_ok(ga_estimate_efficiency(&table, accels, type, "fp8", &e), "H100, fp8");
	t_str(e.basis, "measured on the type: MFU 0.143 to 0.417, median 0.363, fp8, 16 runs of "
	      "llm-foundry and megatron-bridge", "of both");
	free(e.basis);
}

/* Given parameters go before those of the table. */
static void params(void)
{
	static const struct {
		const char *model;
		int64_t said, params;
		bool dense;
	} cases[] = {
		{ "Llama2-70B", GA_UNKNOWN, 70000000000, true },
		{ "llama2-70b", 69000000000, 69000000000, true },
		{ "mixtral-8x7b", GA_UNKNOWN, 47000000000, false },
		{ "mixtral-8x7b", 13000000000, 13000000000, false },
		{ "nobody-has-it", GA_UNKNOWN, GA_UNKNOWN, true },
		{ NULL, 7000000000, 7000000000, true },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_requirement r = need(cases[i].said, NULL, NULL);
		bool dense;

		r.model = ga_strdup0(cases[i].model);
		t_int(ga_estimate_params(&r, &table, &dense), cases[i].params, "parameters %zu", i);
		t_ok(dense == cases[i].dense, "parameters %zu: dense or not", i);
		ga_schema_release(&ga_requirement_schema, &r);
	}
}

/* A card of two GPUs has twice the peak of one of them. */
static void peaks(void)
{
	static const struct {
		const char *type, *precision;
		int64_t gflops;
	} cases[] = {
		{ "nvidia-h200-141gb", "bf16", 989500 }, { "amd-mi250x-128gb", "bf16", 191500 },
		{ "amd-mi250x-128gb", "fp16", 191500 },	 { "amd-mi250x-128gb", "fp32", 23950 },
		{ "amd-mi250-128gb", "bf16", 181000 },	 { "amd-mi250x-128gb", "fp8", GA_UNKNOWN },
		{ "amd-mi300x-192gb", "bf16", 1307400 }, { "nvidia-a16-16gb", "fp16", 18430 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++)
		t_int(ga_estimate_peak(ga_accels_type(accels, cases[i].type), cases[i].precision),
		      cases[i].gflops, "%s of a GPU of %s", cases[i].precision, cases[i].type);
}

static void work(void)
{
	struct ga_efficiency e = { .low_ppm = 250000, .ppm = 500000, .high_ppm = 1000000 };
	struct ga_requirement r = need(1000000000, NULL, "full");
	struct ga_training_time t;

	r.train_tokens = 1000000000; /* 6e18 on 1e15 a second: 6000 s */
	t_ok(ga_estimate_time(&r, 1, 1000000, &e, &t), "a time");
	t_int(t.low, 6300, "the whole peak, and loading");
	t_int(t.seconds, 12300, "half of it");
	t_int(t.high, 24300, "a quarter");
	r.checkpoints = 10;
	t_ok(ga_estimate_time(&r, 4, 1000000, &e, &t), "on four");
	t_int(t.low, 1500 + 300 + 600, "a quarter of the work, all of the rest");
	free(r.method);
	r.method = ga_xstrdup("lora");
	t_ok(ga_estimate_time(&r, 1, 1000000, &e, &t), "LoRA");
	t_int(t.low, 4900, "four FLOPs at the best");
	t_int(t.high, 24900, "six at the worst");
	t_ok(!ga_estimate_time(&r, 1, GA_UNKNOWN, &e, &t), "not without a peak");
	r.params = r.train_tokens = INT64_C(1000000000000000);
	t_ok(!ga_estimate_time(&r, 64, 5000000, &e, &t), "not for thousands of years");
	r.params = GA_UNKNOWN;
	t_ok(!ga_estimate_time(&r, 1, 1000000, &e, &t), "not without parameters");
	ga_schema_release(&ga_requirement_schema, &r);
}

/* A drop-in may say anything of what a product of matrices reaches. */
static void absurd(void)
{
	static const struct {
		int64_t reached, peak;
		bool want;
	} cases[] = {
		{ 1, INT64_C(9007199254740991), false }, { 2, 1000000, true },
		{ 1000000, 1000000, true }, { 1000001, 1000000, false },
		{ INT64_C(9007199254740991), 1, false }, { GA_UNKNOWN, 1000, false },
	};
	struct ga_accel_type type = *ga_accels_type(accels, "nvidia-v100-sxm2-16gb");
	char other[] = "other";
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_efficiency e;

		type.slug = type.architecture.name = other;
		type.measured_matmul.bf16_gflops = cases[i].reached;
		type.dense.bf16_gflops = cases[i].peak;
		t_ok(ga_estimate_efficiency(&table, accels, &type, "bf16", &e) == cases[i].want,
		     "case %zu: %lld of %lld", i, (long long)cases[i].reached,
		     (long long)cases[i].peak);
		free(e.basis);
	}
}

static bool is_source(const char *name)
{
	size_t i;

	for (i = 0; i < table.sources.n && !ga_streq(table.sources.v[i].name, name); i++)
		;
	return i < table.sources.n;
}

/* The built-in table has types that exist, each row in order. */
static void builtin(void)
{
	const struct ga_training_rate *fp8;
	size_t i, j, bad = 0;

	for (i = 0; i < table.training.n; i++) {
		const struct ga_training_rate *r = &table.training.v[i];

		bad += !ga_accels_type(accels, r->type) || r->mfu_low_ppm > r->mfu_ppm ||
		       r->mfu_ppm > r->mfu_high_ppm || !r->sources.n;
		for (j = 0; j < r->sources.n; j++)
			bad += !is_source(r->sources.v[j]);
	}
	for (i = 0; i < table.inference.n; i++) {
		const struct ga_inference_rate *r = &table.inference.v[i];

		bad += !ga_accels_type(accels, r->type) || r->gpus_low > r->gpus_high ||
		       r->tokens_per_second_low_milli > r->tokens_per_second_milli ||
		       r->tokens_per_second_milli > r->tokens_per_second_high_milli ||
		       !is_source(r->source);
	}
	t_int((int64_t)bad, 0, "rows of unknown types or out of order");
	for (i = 0; i < table.inference.n; i++)
		bad += !ga_throughput_model(&table, table.inference.v[i].model);
	for (i = 0; i < table.models.n; i++) {
		const struct ga_throughput_model *model = &table.models.v[i];
		bool attention = model->attention_source != NULL;

		bad += !is_source(model->source) ||
		       (attention && !is_source(model->attention_source)) ||
		       (model->layers != GA_UNKNOWN) != attention ||
		       (model->kv_heads != GA_UNKNOWN) != attention ||
		       (model->head_size != GA_UNKNOWN) != attention ||
		       (model->context != GA_UNKNOWN) != attention;
	}
	t_int((int64_t)bad, 0, "models without parameters, or numbers without a source");
	t_ok(table.training.n >= 5 && table.inference.n >= 40 && table.sources.n == 7,
	     "the table is all there");
	t_int(ga_throughput_model(&table, "LLAMA3.1-405B")->params, 405000000000, "as Meta says");
	t_ok(!ga_throughput_model(&table, "llama3.1-70b"), "nobody served that one");
	t_ok(ga_throughput_model(&table, "llama2-70b")->dense &&
	     !ga_throughput_model(&table, "mixtral-8x7b")->dense, "which have experts");
	/* Seven runs of MosaicML, from 0.1438, and nine of NVIDIA, up to 0.4179. */
	fp8 = ga_throughput_training(&table, "nvidia-h100-sxm5-80gb", "fp8");
	t_ok(fp8->sources.n == 2 && fp8->runs == 16 && fp8->mfu_low_ppm == 143800 &&
	     fp8->mfu_high_ppm == 417888, "H100, fp8: the runs of both sources");
	t_int(ga_throughput_inference(&table, "LLAMA2-70B", "nvidia-h200-141gb", "server", NULL)
		      ->tokens_per_second_milli, 4150550, "H200: the median of both accuracies");
	t_ok(!ga_throughput_inference(&table, "llama2-70b", "nvidia-h200-141gb", "server", "fp4"),
	     "nobody measured fp4 there");
}

int main(void)
{
	struct ga_err err = GA_ERR_INIT;

	ga_accels_drop_ins(NULL);
	if (ga_accels_open(NULL, &accels, &err) < 0)
		return 1;
	ga_throughput_read(&table);
	memory();
	cache();
	tokens();
	times();
	bases();
	params();
	peaks();
	work();
	absurd();
	builtin();
	ga_throughput_release(&table);
	ga_accels_close(accels);
	return t_done();
}
