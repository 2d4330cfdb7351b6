/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory a model needs, and how long a training takes: formulas on figures that somebody
 * published. Pure. Where a figure is missing there is no answer; no figure is made up for it.
 *
 *   memory of a GPU = (weights + cache) / GPUs for inference, 16 bytes a parameter / GPUs for full
 *   training in mixed precision with Adam (weights and gradients of 2 bytes, weights and both
 *   moments of 4: EleutherAI, transformer-math), the weights / GPUs for LoRA. The cache is
 *   2 * layers * kv_heads * head_size * bytes * context * batch. Activations come on top, and what
 *   they take is not known, so all of these are lower bounds.
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
#define GA_ESTIMATE_SECONDS_MAX INT64_C(3155760000) /* a hundred years: no time beyond */

/* Whether a training is asked about: a method, tokens or samples. */
bool ga_estimate_is_training(const struct ga_requirement *need);
bool ga_estimate_is_lora(const struct ga_requirement *need);
/* Tokens the training sees: train_tokens, or samples * sequence_tokens * epochs (default 1).
 * GA_UNKNOWN: not said, or beyond 10^15. */
int64_t ga_estimate_tokens(const struct ga_requirement *need);

/* Parameters of the model: as they are said, else as the table has them. GA_UNKNOWN. Of a model of
 * experts the table has all, and dense, if it is not NULL, is false: not all work at once. */
int64_t ga_estimate_params(const struct ga_requirement *need, const struct ga_throughput *table,
			   bool *dense);

/* MiB of each of so many GPUs (1 or more) at least, rounded up; GA_UNKNOWN without parameters.
 * *missing is what is not counted in it, for people. */
int64_t ga_estimate_memory(const struct ga_requirement *need, int64_t gpus, const char **missing);

/* The precision that is asked for; for training without one, what the type has of bf16, fp16. */
const char *ga_estimate_precision(const struct ga_requirement *need,
				  const struct ga_accel_type *type);
/* Dense peak of one GPU at a precision, in 10^9 a second, or GA_UNKNOWN. */
int64_t ga_estimate_peak(const struct ga_accel_type *type, const char *precision);

/* Which part of the peak a training reaches, in millionths, and how that is known. */
struct ga_efficiency {
	int64_t low_ppm, ppm, high_ppm;
	const char *confidence; /* measured, similar, weak */
	char *basis;		/* allocated, for people */
};
/*
 * In this order: measured on the type; measured on a type of the same architecture whose dense peak
 * is within 2 % (memory as large before other, then most runs); 0.5 to 0.65 of what the largest
 * matrix products reach, as MFU has to them on A100 and H100. False: nothing is known, and *ret has
 * no basis.
 */
bool ga_estimate_efficiency(const struct ga_throughput *table, const struct ga_accels *accels,
			    const struct ga_accel_type *type, const char *precision,
			    struct ga_efficiency *ret);

struct ga_training_time {
	int64_t low, seconds, high;
};
/* The time of the training on so many GPUs of the peak; false when parameters or tokens are not
 * said or it would be longer than GA_ESTIMATE_SECONDS_MAX. */
bool ga_estimate_time(const struct ga_requirement *need, int64_t gpus, int64_t peak_gflops,
		      const struct ga_efficiency *e, struct ga_training_time *ret);

#endif
