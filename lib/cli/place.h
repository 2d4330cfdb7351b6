/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as people and streams give them, and their placing with the settings of this machine. */
#ifndef GA_CLI_PLACE_H
#define GA_CLI_PLACE_H

#include "state/transaction/place.h"

#define GA_PROJECT_DEFAULT "default" /* of a request that names none */

/* Places a batch (ga_placer_batch) with the catalogue of this machine, and prints its warnings. */
GA_MUST_CHECK int ga_placer_run(struct ga_placer *p, const struct ga_request *requests, size_t n,
				struct ga_err *err);

/* Fills in what a request leaves out, so that the stored request says all. */
void ga_request_complete(struct ga_request *request);
/* GA_USAGE naming an option of a single request that was given without --profile; the table's
 * variables have their defaults where none was. */
struct ga_opt;
GA_MUST_CHECK int ga_request_needs_profile(const struct ga_opt *opts, struct ga_err *err);
/* Whether every member is of its format: GA_USAGE naming the one that is not. */
GA_MUST_CHECK int ga_request_check(const struct ga_request *request, struct ga_err *err);
/* Adds the public keys of a file, or the key that text is. */
GA_MUST_CHECK int ga_request_add_key(struct ga_request *request, const char *text,
				     struct ga_err *err);
/* Stores user-data 0600 below the state's folder, named by its digest, and notes the digest. */
GA_MUST_CHECK int ga_request_user_data(struct ga_request *request, const char *file,
				       const char *state_path, bool dry_run, struct ga_err *err);

#endif
