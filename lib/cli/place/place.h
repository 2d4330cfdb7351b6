/* SPDX-License-Identifier: Apache-2.0 */
/* Requests from people and from streams, and their placement with the settings of this machine. */
#ifndef GA_CLI_PLACE_PLACE_H
#define GA_CLI_PLACE_PLACE_H

#include "state/transaction/place.h"

/* The options of gpuaas-place; texts are borrowed. */
struct ga_place_opts {
	const char *profile, *project, *name, *region, *pool, *node, *image, *app, *request_id,
		*data, *min_memory;
	struct ga_borrowed_texts types, keys;
	int64_t gpus, priority, expires, run_time; /* GA_UNKNOWN: not given; expires: seconds */
	bool baremetal, preemptible, dry_run, explain, guide;
};

/* Places a batch (ga_placer_batch) with the catalogue of this machine, and prints its warnings. */
GA_MUST_CHECK int ga_placer_run(struct ga_placer *p, const struct ga_request *requests, size_t n,
				struct ga_err *err);
/* Writes the answers of the batch: plans and refusals, with p->explain each with its reasons. */
GA_MUST_CHECK int ga_placer_emit(const struct ga_placer *p, struct ga_err *err);

/* Sets absent members of a request to their defaults, so that the stored request is complete. */
void ga_request_complete(struct ga_request *request);
/* GA_USAGE, naming the option, if an option for a single request was given without --profile. An
 * option counts as given when its variable differs from the default. */
struct ga_opt;
GA_MUST_CHECK int ga_request_needs_profile(const struct ga_opt *opts, struct ga_err *err);
/* Checks the format of every member: GA_USAGE, naming the wrong one. */
GA_MUST_CHECK int ga_request_check(const struct ga_request *request, struct ga_err *err);
/* The complete request of the options, with its keys read and its user-data stored (a dry run only
 * computes the digest). Release ret also after an error. GA_USAGE, naming the wrong member. */
GA_MUST_CHECK int ga_request_of(const struct ga_place_opts *opts, struct ga_request *ret,
				struct ga_err *err);
/* Adds the public keys of the file that text names, or text itself if it is a key. */
GA_MUST_CHECK int ga_request_add_key(struct ga_request *request, const char *text,
				     struct ga_err *err);
#endif
