/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Placing requests in batches: one transaction for all that wait, decided on a fleet kept in
 * memory. Glue between gpuaas-place and the store.
 */
#ifndef GA_CLI_PLACE_H
#define GA_CLI_PLACE_H

#include "base/texts.h"
#include "base/vec.h"
#include "record/plan.h"
#include "state/access/access.h"
#include "state/allocation/place.h"

#define GA_PLACER_BATCH 64
#define GA_PROJECT_DEFAULT "default" /* of a request that names none */

/* What came of one request: a plan, or a refusal. */
struct ga_placed {
	bool is_plan;
	char *text; /* the plan's line where it is known, or NULL */
	struct ga_plan plan;
	struct ga_refusal refusal;
	struct ga_explanation explanation;
};

struct ga_placer {
	struct ga_db *db;
	struct ga_fleet fleet; /* begin with .version = GA_FLEET_UNREAD */
	bool explain, dry_run;
	bool admitted; /* asked before whether who runs it may: the gate of places is not */
	bool once; /* a single request of a command line: only what can matter to it is read */
	struct ga_accels *accels; /* the catalogue, once it was needed; NULL */
	struct ga_plan_maker maker;
	int64_t stale_seconds;
	struct ga_access_rules rules; /* as of this transaction; empty for root */
	int64_t expired_micros; /* monotonic: when old plans were last freed */
	bool has_expired; /* it freed some: their user-data may go */
	/* Slots were taken out of the fleet because they may not be sold in one shape; in the
	 * other they may: the shape was baremetal, or it was slice. */
	bool left_out, left_out_baremetal;
	struct ga_profile profile; /* of the last request, when has_profile */
	bool has_profile, profile_is_current; /* as of this transaction */
	GA_LIST(struct ga_placed) results;
	struct ga_texts warnings; /* of what was committed, for people */
	struct ga_texts said; /* those that were printed: each is printed once */
};

/* Fills in what a request leaves out, so that the stored request says all. */
void ga_request_complete(struct ga_request *request);
/* Places the requests in order and commits. results has what was committed, also when a later
 * request is an error (-1): the earlier ones stand. Of a dry run nothing is committed. */
GA_MUST_CHECK int ga_placer_run(struct ga_placer *p, const struct ga_request *requests, size_t n,
				struct ga_err *err);
void ga_placer_clear(struct ga_placer *p); /* results */
void ga_placer_release(struct ga_placer *p);

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
