/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-match: the requirement of the command line, and the answers to it. */
#ifndef GA_CLI_MATCH_MATCH_H
#define GA_CLI_MATCH_MATCH_H

#include "base/vec.h"
#include "decide/access/access.h"
#include "decide/match/match.h"
#include "record/match.h"

struct ga_match_opts {
	const char *model, *params, *precision, *memory, *min_compute_capability, *vendor, *app;
	int64_t layers, kv_heads, head_size, context, batch;
	GA_LIST(const char *) architectures;
	bool require_architecture;
	const char *method, *train_tokens, *samples;
	int64_t sequence_tokens, epochs, checkpoints;
	const char *scenario, *latency, *max_cost;
	int64_t tokens_per_second, p99_ms, gpus;
	const char *team, *project, *image, *name;
	GA_LIST(const char *) keys;
	GA_LIST(const char *) estimators;
	int64_t estimator_seconds;
	const char *measured;
	bool request;
};

/* The requirement of the operand ("-", a file; NULL: none) with what the options say over it, into
 * ret, which is released by the caller also after an error. GA_BADREC where the record is wrong,
 * GA_USAGE where options are. */
GA_MUST_CHECK int ga_match_need(const struct ga_match_opts *o, const char *operand,
				struct ga_requirement *ret, struct ga_err *err);
/* Whether it asks for anything but who it is for. */
bool ga_match_asks(const struct ga_requirement *need);

/* What the words of a requirement may mean; all borrowed. */
struct ga_match_words {
	const struct ga_match_opts *typed; /* what is not there came with the record */
	const struct ga_accels *accels;
	const struct ga_throughput *throughput;
	const struct ga_measured_list *measured;
	const struct ga_access_rules *rules; /* NULL: not known */
};
/* Where an architecture or a vendor is none of the catalogue, GA_USAGE (of a record GA_BADREC) with
 * those whose names are near. Says on stderr of models and teams that nobody knows, which
 * parameters a model has, and which measurements do not count. */
GA_MUST_CHECK int ga_match_check_words(const struct ga_requirement *need,
				       const struct ga_match_words *words, struct ga_err *err);

/* Reads the offers, ranks them, and writes the answers, or the request of the best one. */
GA_MUST_CHECK int ga_cli_match(const struct ga_match_opts *o, struct ga_err *err);

#endif
