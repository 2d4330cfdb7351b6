/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places requests in batches: one transaction for all waiting requests, decided on a fleet kept in
 * memory. A request that is refused, or whose slots changed meanwhile, undoes no other request.
 */
#ifndef GA_STATE_TRANSACTION_PLACE_H
#define GA_STATE_TRANSACTION_PLACE_H

#include "base/texts.h"
#include "base/vec.h"
#include "catalog/accel.h"
#include "record/match.h"
#include "record/plan.h"
#include "state/access/access.h"
#include "state/allocation/place.h"

#define GA_PLACER_BATCH 64

/* The answer to one request: a plan, or a refusal. */
struct ga_placed {
	bool is_plan;
	char *text; /* the plan's line if it is known, or NULL */
	struct ga_plan plan;
	struct ga_refusal refusal;
	struct ga_match_reasons reasons; /* of a refusal for an app: each by itself */
	struct ga_explanation explanation;
};

struct ga_placer {
	struct ga_db *db;
	struct ga_fleet fleet; /* begin with .version = GA_FLEET_UNREAD */
	bool explain, dry_run;
	bool admitted; /* the caller has already done the access check */
	/* Refusals of requests go into the state (state/capacity/refusal.h): what a user asked for,
	 * not what a program tries out. */
	bool keeps_refusals;
	bool once; /* a single request of a command line: reads only the data that it needs */
	/* Opens the catalogue of types of this machine; called at the first request with types,
	 * with a least memory or with an app. ga_placer_release closes it. */
	int (*catalogue)(struct ga_accels **ret, struct ga_err *err);
	/* Adds the slugs of the types that a name means in p->accels; -1 when it means no type. */
	int (*type_means)(const struct ga_placer *p, const char *name, struct ga_texts *ret,
			  struct ga_err *err);
	struct ga_accels *accels; /* NULL until it is opened */
	struct ga_plan_maker maker;
	int64_t stale_seconds;
	struct ga_access_rules rules; /* as of this transaction; empty for root */
	int64_t expired_micros; /* monotonic time of the last freeing of expired plans */
	bool has_expired; /* it freed some plans: their user-data may be removed */
	/* Slots were taken out of the fleet because they may not be sold in one shape (baremetal,
	 * or slice); in the other shape they may. */
	bool left_out, left_out_baremetal;
	struct ga_profile profile; /* profile of the last request, when has_profile */
	bool has_profile, profile_is_current; /* as of this transaction */
	GA_LIST(struct ga_placed) results;
	GA_LIST(struct ga_kept_refusal) refused; /* of the batch, to be kept */
	struct ga_texts warnings; /* for people: those that no earlier batch gave */
	struct ga_texts warned;	  /* those that any batch gave */
};

/* Places the requests in order and commits. results has the committed answers, also when a later
 * request is an error (-1): the earlier ones stay placed. A dry run commits nothing. Refusals are
 * kept in that transaction when the batch has no plan, else in one after it, which costs a second
 * commit; that this failed is one of the warnings. */
GA_MUST_CHECK int ga_placer_batch(struct ga_placer *p, const struct ga_request *requests, size_t n,
				  struct ga_err *err);
void ga_placer_clear(struct ga_placer *p); /* Clears results and warnings. */
void ga_placer_release(struct ga_placer *p);

#endif
