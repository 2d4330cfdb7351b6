/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-match: the requirement from the command line, and the answers to it. */
#ifndef GA_CLI_MATCH_MATCH_H
#define GA_CLI_MATCH_MATCH_H

#include "base/texts.h"
#include "base/vec.h"
#include "decide/access/access.h"
#include "decide/match/match.h"
#include "record/match.h"

struct ga_match_opts {
	const char *model, *params, *precision, *memory, *min_compute_capability, *vendor;
	const char *stack, *app;
	int64_t layers, kv_heads, head_size, context, batch;
	struct ga_borrowed_texts architectures;
	bool require_architecture;
	const char *method, *train_tokens, *samples;
	int64_t sequence_tokens, epochs, checkpoints;
	const char *scenario, *latency, *max_cost, *prefer;
	int64_t tokens_per_second, p99_ms, gpus;
	const char *team, *project, *image, *name;
	struct ga_borrowed_texts keys, estimators, accept;
	int64_t estimator_seconds;
	const char *measured;
	bool request;
};

/* Reads the requirement of the operand ("-" or a file; NULL: none) into ret; options override its
 * members. The caller releases ret, also after an error. GA_BADREC for an error in the record,
 * GA_USAGE for one in the options. */
GA_MUST_CHECK int ga_match_need(const struct ga_match_opts *o, const char *operand,
				struct ga_requirement *ret, struct ga_err *err);
/* Whether the requirement has any member besides team, project and image. */
bool ga_match_asks(const struct ga_requirement *need);

/* The sources that give the words of a requirement their meaning; all borrowed. */
struct ga_match_words {
	const struct ga_match_opts *typed; /* words that are not in here come from the record */
	const struct ga_accels *accels;
	const struct ga_throughput *throughput;
	const struct ga_measured_list *measured;
	const struct ga_access_rules *rules; /* NULL: not known */
};
/* If an architecture or a vendor is not in the catalogue, GA_USAGE (in a record GA_BADREC) with
 * similar names. Reports on stderr unknown models and teams, the parameters of a model, and
 * measurements that do not count. */
GA_MUST_CHECK int ga_match_check_words(const struct ga_requirement *need,
				       const struct ga_match_words *words, struct ga_err *err);

/* Reads the offers, ranks them, and writes the answers, or the request of the best one. */
GA_MUST_CHECK int ga_cli_match(const struct ga_match_opts *o, struct ga_err *err);

#endif
