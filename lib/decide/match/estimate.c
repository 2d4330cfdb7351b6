/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates the memory of a model and the time of a training. */
#include "decide/match/estimate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MIB INT64_C(1048576)
#define TOKENS_MAX INT64_C(1000000000000000)
/* Half bytes of one number, in the order of ga_precision_words. */
static const int64_t half_bytes[] = { 8, 8, 4, 4, 2, 2, 1, 1 };

bool ga_estimate_is_training(const struct ga_requirement *need)
{
	return need->method || need->train_tokens != GA_UNKNOWN || need->samples != GA_UNKNOWN;
}

bool ga_estimate_is_lora(const struct ga_requirement *need)
{
	return ga_streq(need->method, "lora");
}

int64_t ga_estimate_tokens(const struct ga_requirement *need)
{
	int64_t epochs = need->epochs == GA_UNKNOWN ? 1 : need->epochs;
	__int128 tokens;

	if (need->train_tokens != GA_UNKNOWN)
		return need->train_tokens;
	if (need->samples == GA_UNKNOWN || need->sequence_tokens == GA_UNKNOWN)
		return GA_UNKNOWN;
	tokens = (__int128)need->samples * need->sequence_tokens;
	tokens = tokens > TOKENS_MAX ? tokens : tokens * epochs;
	return tokens > TOKENS_MAX ? GA_UNKNOWN : (int64_t)tokens;
}

int64_t ga_estimate_params(const struct ga_requirement *need, const struct ga_throughput *table,
			   bool *dense)
{
	const struct ga_throughput_model *model =
		need->model ? ga_throughput_model(table, need->model) : NULL;

	if (dense)
		*dense = !model || model->dense;
	return need->params != GA_UNKNOWN || !model ? need->params : model->params;
}

void ga_estimate_attention(struct ga_requirement *need, const struct ga_throughput *table)
{
	const struct ga_throughput_model *model =
		need->model ? ga_throughput_model(table, need->model) : NULL;

	if (!model || need->layers != GA_UNKNOWN || need->kv_heads != GA_UNKNOWN ||
	    need->head_size != GA_UNKNOWN)
		return;
	need->layers = model->layers;
	need->kv_heads = model->kv_heads;
	need->head_size = model->head_size;
}

/* ---- memory ---- */

static int64_t half_bytes_of(const char *precision)
{
	size_t i;

	for (i = 0; precision && ga_precision_words[i]; i++)
		if (!strcmp(ga_precision_words[i], precision))
			return half_bytes[i];
	return 4;
}

/* Bytes of the attention cache (keys and values) for each token. 0: a number is missing. */
static __int128 token_bytes(const struct ga_requirement *need)
{
	/* The cache has 16 bits unless the weights are wider. */
	int64_t bytes = half_bytes_of(need->precision) == 8 ? 4 : 2;

	if (need->layers == GA_UNKNOWN || need->kv_heads == GA_UNKNOWN ||
	    need->head_size == GA_UNKNOWN)
		return 0;
	return (__int128)2 * need->layers * need->kv_heads * need->head_size * bytes;
}

bool ga_estimate_counts_cache(const struct ga_requirement *need)
{
	return token_bytes(need) && need->context != GA_UNKNOWN;
}

/* The cache of the attention, if it can be counted; else says what is missing for it. */
static __int128 count_cache(const struct ga_requirement *need, struct ga_str *missing)
{
	int64_t batch = need->batch == GA_UNKNOWN ? 1 : need->batch;
	__int128 token = token_bytes(need);

	if (token && need->context != GA_UNKNOWN)
		return token * need->context * batch;
	if (token)
		ga_str_addf(missing, "the cache of the attention is not counted: it needs %" PRId64
			    " KiB for each token of each sequence, and the context is not given",
			    (int64_t)((token + 1023) / 1024));
	else
		ga_str_add(missing, "the cache of the attention is not counted: its numbers "
				    "(layers, kv_heads, head_size, context) are not given");
	return 0;
}

int64_t ga_estimate_memory(const struct ga_requirement *need, int64_t gpus, struct ga_str *missing)
{
	__int128 bytes, cache = 0, each;

	if (need->params == GA_UNKNOWN)
		return GA_UNKNOWN;
	bytes = (__int128)need->params * half_bytes_of(need->precision);
	bytes = (bytes + 1) / 2;
	if (ga_estimate_is_lora(need)) {
		ga_str_add(missing, "adapters and activations are not counted");
	} else if (ga_estimate_is_training(need)) {
		bytes = (__int128)need->params * 16;
		ga_str_add(missing, "activations are not counted");
	} else {
		cache = count_cache(need, missing);
	}
	each = (bytes + cache + gpus - 1) / gpus;
	each = (each + MIB - 1) / MIB;
	return each > TOKENS_MAX ? TOKENS_MAX : (int64_t)each;
}

/* ---- speed ---- */

int64_t ga_estimate_peak(const struct ga_accel_type *type, const char *precision)
{
	const struct ga_accel_dense *d = &type->dense;

	if (ga_streq(precision, "bf16"))
		return ga_accel_of_gpu(type, d->bf16_gflops);
	if (ga_streq(precision, "fp16"))
		return ga_accel_of_gpu(type, d->fp16_gflops);
	if (ga_streq(precision, "fp8"))
		return ga_accel_of_gpu(type, d->fp8_gflops);
	if (ga_streq(precision, "tf32"))
		return ga_accel_of_gpu(type, d->tf32_gflops);
	if (ga_streq(precision, "fp32"))
		return ga_accel_of_gpu(type, d->fp32_gflops);
	return GA_UNKNOWN;
}

const char *ga_estimate_precision(const struct ga_requirement *need,
				  const struct ga_accel_type *type)
{
	if (need->precision || !ga_estimate_is_training(need))
		return need->precision;
	if (type->dense.bf16_gflops == GA_UNKNOWN && type->dense.fp16_gflops != GA_UNKNOWN)
		return "fp16";
	return "bf16";
}

static bool is_similar(const struct ga_accel_type *a, const struct ga_accel_type *b,
		       const char *precision)
{
	int64_t mine = ga_estimate_peak(a, precision), other = ga_estimate_peak(b, precision);

	return a->architecture.name && ga_streq(a->architecture.name, b->architecture.name) &&
	       mine > 0 && other > 0 && (mine > other ? mine - other : other - mine) * 50 <= mine;
}

/* The best measurement of a similar type. */
static const struct ga_training_rate *similar_rate(const struct ga_throughput *table,
						   const struct ga_accels *accels,
						   const struct ga_accel_type *type,
						   const char *precision)
{
	const struct ga_training_rate *best = NULL;
	bool best_memory = false;
	size_t i;

	for (i = 0; i < table->training.n; i++) {
		const struct ga_training_rate *r = &table->training.v[i];
		const struct ga_accel_type *other = ga_accels_type(accels, r->type);
		bool memory = other && other->memory.gpu_gb == type->memory.gpu_gb;

		if (!other || strcmp(r->precision, precision) ||
		    !is_similar(type, other, precision))
			continue;
		if (!best || memory > best_memory ||
		    (memory == best_memory && r->runs > best->runs)) {
			best = r;
			best_memory = memory;
		}
	}
	return best;
}

static bool from_matmul(const struct ga_accel_type *type, const char *precision,
			struct ga_efficiency *ret)
{
	int64_t reached = type->measured_matmul.bf16_gflops, peak = type->dense.bf16_gflops, ppm;

	if (strcmp(precision, "bf16") || reached <= 0 || peak <= 0)
		return false;
	ppm = (int64_t)((__int128)reached * 1000000 / peak);
	if (ppm < 2 || ppm > 1000000)
		return false; /* a drop-in measured something else */
	ret->low_ppm = ppm / 2;
	ret->ppm = ppm * 575 / 1000;
	ret->high_ppm = ppm * 65 / 100;
	ret->confidence = "weak";
	ret->basis = ga_xprintf("no training was measured on it: 0.50 to 0.65 of what its largest "
				"matrix products reach (%" PRId64 ".%03" PRId64 " of the dense "
				"peak, bf16)", ppm / 1000000, ppm / 1000 % 1000);
	return true;
}

bool ga_estimate_efficiency(const struct ga_throughput *table, const struct ga_accels *accels,
			    const struct ga_accel_type *type, const char *precision,
			    struct ga_efficiency *ret)
{
	const struct ga_training_rate *r = ga_throughput_training(table, type->slug, precision);
	ga_autostr struct ga_str sources = GA_STR_INIT;
	ga_autofree char *figures = NULL;
	size_t i;

	*ret = (struct ga_efficiency){ 0 };
	if (r)
		ret->confidence = "measured";
	else if ((r = similar_rate(table, accels, type, precision)))
		ret->confidence = "similar";
	if (!r)
		return from_matmul(type, precision, ret);
	ret->low_ppm = r->mfu_low_ppm;
	ret->ppm = r->mfu_ppm;
	ret->high_ppm = r->mfu_high_ppm;
	for (i = 0; i < r->sources.n; i++)
		ga_str_addf(&sources, "%s%s", i ? " and " : "", r->sources.v[i]);
	figures = ga_xprintf("MFU 0.%03" PRId64 " to 0.%03" PRId64 ", median 0.%03" PRId64
			     ", %s, %" PRId64 " run%s of %s",
			     r->mfu_low_ppm / 1000, r->mfu_high_ppm / 1000, r->mfu_ppm / 1000,
			     precision, r->runs, r->runs == 1 ? "" : "s", sources.buf);
	ret->basis = ga_streq(ret->confidence, "measured") ?
			     ga_xprintf("measured on the type: %s", figures) :
			     ga_xprintf("not measured on the type, but on %s of the same "
					"architecture and peak: %s", r->type, figures);
	return true;
}

/* FLOPs / (gpus * peak * MFU) + fixed, rounded up to a second; -1 above GA_ESTIMATE_SECONDS_MAX. */
static int64_t seconds_of(__int128 flops, int64_t gpus, int64_t peak_gflops, int64_t ppm,
			  int64_t fixed)
{
	/* 10^9 of the peak times 10^-6 of the MFU is 10^3. */
	__int128 speed = (__int128)gpus * peak_gflops * ppm * 1000;
	__int128 seconds = (flops + speed - 1) / speed + fixed;

	return seconds > GA_ESTIMATE_SECONDS_MAX ? -1 : (int64_t)seconds;
}

bool ga_estimate_time(const struct ga_requirement *need, int64_t gpus, int64_t peak_gflops,
		      const struct ga_efficiency *e, struct ga_training_time *ret)
{
	int64_t tokens = ga_estimate_tokens(need), fixed = GA_LOAD_SECONDS;
	bool lora = ga_estimate_is_lora(need);
	__int128 work;

	if (need->params == GA_UNKNOWN || tokens == GA_UNKNOWN || peak_gflops <= 0)
		return false;
	if (need->checkpoints != GA_UNKNOWN)
		fixed += need->checkpoints * GA_CHECKPOINT_SECONDS;
	work = (__int128)need->params * tokens;
	ret->low = seconds_of(work * (lora ? 4 : 6), gpus, peak_gflops, e->high_ppm, fixed);
	ret->seconds = seconds_of(work * (lora ? 5 : 6), gpus, peak_gflops, e->ppm, fixed);
	ret->high = seconds_of(work * 6, gpus, peak_gflops, e->low_ppm, fixed);
	return ret->low >= 0 && ret->seconds >= 0 && ret->high >= 0;
}
