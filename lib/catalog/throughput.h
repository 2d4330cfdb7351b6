/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measured speeds of accelerator types: share/throughput.json, built in. Each figure was published
 * with its setting. The only computed figures are those that packaging/make-throughput documents.
 */
#ifndef GA_CATALOG_THROUGHPUT_H
#define GA_CATALOG_THROUGHPUT_H

#include "base/texts.h"
#include "base/vec.h"
#include "record/schema.h"

/* The part of a type's dense peak that the training of dense models reached (MFU). */
struct ga_training_rate {
	char *type, *precision;
	int64_t mfu_low_ppm, mfu_ppm, mfu_high_ppm; /* lowest, median, highest of the runs */
	int64_t runs; /* number of runs, all sources together */
	struct ga_texts sources;
};

/* Tokens a second of one GPU, in thousandths, while this many GPUs of one node work together. */
struct ga_inference_rate {
	char *model, *type;
	char *scenario; /* offline, server (with a time limit for answers), interactive (with a
			 * short limit) */
	char *precision;
	int64_t gpus_low, gpus_high;
	int64_t tokens_per_second_low_milli, tokens_per_second_milli, tokens_per_second_high_milli;
	int64_t runs;
	char *source;
};

/* A model that was measured in serving. */
struct ga_throughput_model {
	char *model;
	int64_t params; /* as its maker prints them; all experts included */
	bool dense; /* all parameters work on each token */
	/* For the size of its cache: layers, key-value heads of a layer, numbers in a head, and the
	 * most tokens of a sequence. GA_UNKNOWN: its attention is of another kind. */
	int64_t layers, kv_heads, head_size, context;
	char *source, *attention_source; /* of the parameters; of these numbers, or NULL */
};

struct ga_throughput_source {
	char *name, *what, *where, *trust;
};

struct ga_throughput {
	char *schema;
	GA_LIST(struct ga_throughput_source) sources;
	GA_LIST(struct ga_throughput_model) models;
	GA_LIST(struct ga_training_rate) training;
	GA_LIST(struct ga_inference_rate) inference;
};

/* The built-in table; the build has checked it. The caller releases it. */
void ga_throughput_read(struct ga_throughput *ret);
void ga_throughput_release(struct ga_throughput *t);
#define ga_autothroughput ga_cleanup(ga_throughput_release)

/* The rate that training on the type reached at the precision, or NULL. */
const struct ga_training_rate *ga_throughput_training(const struct ga_throughput *t,
						      const char *type, const char *precision);
/* The measurement of the model on the type. The model's case does not matter. scenario or precision
 * NULL: any, and the measurement with the most runs. NULL: there is no measurement. */
const struct ga_inference_rate *ga_throughput_inference(const struct ga_throughput *t,
							const char *model, const char *type,
							const char *scenario,
							const char *precision);
/* The model (in any case), or NULL: there is no measurement of it. */
const struct ga_throughput_model *ga_throughput_model(const struct ga_throughput *t,
						      const char *model);

#endif
