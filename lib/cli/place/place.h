/* SPDX-License-Identifier: Apache-2.0 */
/* Requests from people and from streams, and their placement with the settings of this machine. */
#ifndef GA_CLI_PLACE_PLACE_H
#define GA_CLI_PLACE_PLACE_H

#include "state/transaction/place.h"

#define GA_PROJECT_DEFAULT "default" /* of a request that names none */

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
/* Adds the public keys of the file that text names, or text itself if it is a key. */
GA_MUST_CHECK int ga_request_add_key(struct ga_request *request, const char *text,
				     struct ga_err *err);
/* Adds types, and keys as ga_request_add_key does. */
GA_MUST_CHECK int ga_request_add_lists(struct ga_request *request,
				       const struct ga_borrowed_texts *types,
				       const struct ga_borrowed_texts *keys, struct ga_err *err);
/* Stores user-data with mode 0600 below the state's folder, under its digest, and puts the digest
 * into the request. */
GA_MUST_CHECK int ga_request_user_data(struct ga_request *request, const char *file,
				       const char *state_path, bool dry_run, struct ga_err *err);

#endif
