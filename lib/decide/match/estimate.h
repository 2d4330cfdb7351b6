/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates the memory of a model and the time of a training: formulas on published figures. Pure.
 * Where a figure is missing there is no answer; the formulas never make up a figure.
 *
 *   memory of a GPU = (weights + cache) / GPUs for inference, 16 bytes a parameter / GPUs for full
 *   training in mixed precision with Adam (weights and gradients of 2 bytes, weights and both
 *   moments of 4: EleutherAI, transformer-math), the weights / GPUs for LoRA. The cache is
 *   2 * layers * kv_heads * head_size * bytes * context * batch. Activations need more, an
 *   unknown amount, so all of these are lower bounds.
 *
 *   seconds = FLOPs / (GPUs * dense peak * MFU) + 300 for loading + 60 a checkpoint
 *   (fm-training-estimator, time.py), FLOPs = 6 * parameters * tokens for a dense model (Kaplan and
 *   others; llm-foundry's README), 4 to 6 * parameters * tokens for LoRA, which spares the
 *   gradients of the weights.
 *
 * All in integers: the largest product, 6 * 10^15 * 10^15, needs 103 bits.
 */
#ifndef GA_DECIDE_MATCH_ESTIMATE_H
#define GA_DECIDE_MATCH_ESTIMATE_H

#include "catalog/accel.h"
#include "catalog/throughput.h"
#include "record/match.h"

#define GA_LOAD_SECONDS 300
#define GA_CHECKPOINT_SECONDS 60
#define GA_ESTIMATE_SECONDS_MAX INT64_C(3155760000) /* a hundred years: longer times count as
						     * unknown */

/* Whether the requirement is a training: it has a method, tokens or samples. */
bool ga_estimate_is_training(const struct ga_requirement *need);
/* Whether the method of the requirement is "lora". */
bool ga_estimate_is_lora(const struct ga_requirement *need);
/* Tokens of the training: train_tokens, or samples * sequence_tokens * epochs (default 1).
 * GA_UNKNOWN: not given, or beyond 10^15. */
int64_t ga_estimate_tokens(const struct ga_requirement *need);

/* Parameters of the model: the given number, or else the table's. GA_UNKNOWN: neither. For a model
 * of experts the table has the number of all experts. If dense is not NULL, *dense becomes false
 * for such a model: not all parameters work at once. */
int64_t ga_estimate_params(const struct ga_requirement *need, const struct ga_throughput *table,
			   bool *dense);

/* Sets the numbers of a built-in model for the size of its cache (layers, kv_heads, head_size)
 * where need, a copy of the requirement, has none of them. */
void ga_estimate_attention(struct ga_requirement *need, const struct ga_throughput *table);

/* Memory in MiB that each of gpus GPUs (1 or more) needs at least, rounded up; GA_UNKNOWN without
 * parameters. missing gets the part that is not counted, for people, or stays empty. */
int64_t ga_estimate_memory(const struct ga_requirement *need, int64_t gpus, struct ga_str *missing);
/* Whether the memory of a served model counts its cache. */
bool ga_estimate_counts_cache(const struct ga_requirement *need);

/* The requested precision; for training without one, bf16 or fp16, as the type has it. */
const char *ga_estimate_precision(const struct ga_requirement *need,
				  const struct ga_accel_type *type);
/* Dense peak of one GPU at a precision, in 10^9 a second, or GA_UNKNOWN. */
int64_t ga_estimate_peak(const struct ga_accel_type *type, const char *precision);

/* The part of the peak that a training reaches, in millionths, and the basis of the figure. */
struct ga_efficiency {
	int64_t low_ppm, ppm, high_ppm;
	const char *confidence; /* measured, similar, weak */
	char *basis;		/* allocated, for people */
};
/*
 * In this order: measured on the type; measured on a type of the same architecture with a dense
 * peak within 2 % (types with as much memory first, then most runs); 0.5 to 0.65 of the speed of
 * the largest matrix products, the ratio that MFU has to them on A100 and H100. Returns false when
 * nothing is known; *ret then has no basis.
 */
bool ga_estimate_efficiency(const struct ga_throughput *table, const struct ga_accels *accels,
			    const struct ga_accel_type *type, const char *precision,
			    struct ga_efficiency *ret);

struct ga_training_time {
	int64_t low, seconds, high;
};
/* The time of the training on this many GPUs with this peak. Returns false without parameters or
 * tokens, or when the time would be above GA_ESTIMATE_SECONDS_MAX. */
bool ga_estimate_time(const struct ga_requirement *need, int64_t gpus, int64_t peak_gflops,
		      const struct ga_efficiency *e, struct ga_training_time *ret);

#endif
