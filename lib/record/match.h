/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input and output of gpuaas-match: the needs of a model or of a training job, and the profiles
 * that meet them, best first.
 */
#ifndef GA_RECORD_MATCH_H
#define GA_RECORD_MATCH_H

#include "base/texts.h"
#include "base/vec.h"
#include "record/schema.h"

/* gpuaas.requirement/1; an absent member requires nothing. */
struct ga_requirement {
	char *model; /* its name in the measurements */
	int64_t params;
	char *precision;
	int64_t layers, kv_heads, head_size; /* of the model, for the size of its KV cache */
	int64_t context, batch;		     /* tokens a sequence, sequences in parallel */
	int64_t memory_mib;		     /* minimum of one GPU, nominal */
	struct ga_texts architectures;	     /* best first; names or families */
	bool require_architecture;
	char *min_compute_capability;
	char *vendor;
	char *stack; /* software platform of its builds */
	char *app;   /* name of a manifest */
	char *method; /* of training: full, lora; NULL and no tokens: no training */
	int64_t train_tokens, samples, sequence_tokens, epochs, checkpoints;
	char *scenario;
	int64_t tokens_per_second, p99_ms;
	char *latency; /* the latency that p99_ms limits */
	int64_t max_cost_per_hour_micros;
	int64_t gpus;
	char *prefer; /* time, cost */
	struct ga_texts accept; /* doubts that are no reason: precision, headroom */
	char *team, *project, *image;
};

struct ga_match_reason {
	char *code, *sentence;
};
struct ga_match_reasons {
	struct ga_match_reason *v;
	size_t n;
};

/* gpuaas.match/1 */
struct ga_match {
	int64_t rank;
	char *profile, *accelerator_type, *type_name;
	char *shape;
	int64_t count;
	int64_t fits; /* tristate; GA_UNKNOWN: nobody knows */
	char *slo; /* met, missed, unknown; NULL: the requirement has none */
	struct ga_match_reasons reasons; /* why it does not fit */
	struct ga_match_reasons unknown; /* values that no source gives, and why */
	int64_t memory_mib, memory_needed_mib; /* of one GPU */
	int64_t tokens_per_second_low_milli, tokens_per_second_milli, tokens_per_second_high_milli;
	int64_t p99_ms;
	int64_t seconds_low, seconds, seconds_high;
	char *basis, *confidence, *estimator;
	int64_t cost_per_hour_micros; /* of all its GPUs */
	int64_t cost_low_micros, cost_micros, cost_high_micros;
	char *currency;
	char *availability; /* now, later, none, unknown */
	char *unavailable_code; /* of the refusal that a request gets now; NULL: none, or unknown */
	int64_t available_count, largest_available, pending_count;
	char *expected_available_at;
	int64_t stale_seconds;
	char *fallback;
};

/* The result of gpuaas-match for a request; the request carries it. */
struct ga_request_match {
	char *accelerator_type;
	int64_t count;
	int64_t tokens_per_second_low_milli, tokens_per_second_milli, tokens_per_second_high_milli;
	int64_t seconds_low, seconds, seconds_high;
	int64_t cost_per_hour_micros, cost_low_micros, cost_micros, cost_high_micros;
	char *basis, *confidence, *estimator, *fallback;
};

/* gpuaas.allocation-match/1 */
struct ga_allocation_match {
	char *allocation;
	struct ga_request_match match;
};

/* Adds a reason with its code and its sentence. */
void ga_match_say(struct ga_match_reasons *list, const char *code, const char *fmt, ...)
	GA_PRINTF(3, 4);
/* Adds copies of the reasons whose sentence the list does not have yet. */
void ga_match_add_once(struct ga_match_reasons *list, const struct ga_match_reasons *more);
void ga_match_reasons_release(struct ga_match_reasons *list);
#define ga_autoreasons ga_cleanup(ga_match_reasons_release)

/* time, cost; precision, headroom */
extern const char *const ga_prefer_words[], *const ga_accept_words[];
extern const char *const ga_precision_words[], *const ga_method_words[], *const ga_latency_words[];
extern const char *const ga_scenario_words[]; /* offline, server, interactive */
extern const struct ga_schema ga_match_reason_schema, ga_requirement_schema, ga_match_schema,
	ga_request_match_schema,
	ga_allocation_match_schema;

#endif
