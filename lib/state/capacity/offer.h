/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles as users see them: the one function behind gpuaas-profile list, gpuaas-list public, the
 * published view (gpuaas-serve included), and the choices of gpuaas-match.
 */
#ifndef GA_STATE_CAPACITY_OFFER_H
#define GA_STATE_CAPACITY_OFFER_H

#include "catalog/accel.h"
#include "decide/access/access.h"
#include "decide/place/place.h"
#include "record/offer.h"
#include "record/request.h"
#include "state/db/row.h"

struct ga_offer_query {
	const struct ga_accels *accels;
	int64_t now_micros;    /* wall clock */
	int64_t stale_seconds; /* nodes not observed for so long count as unknown; 0: never. As
				  in placement: GPUAAS_STALE_AFTER */
	const char *currency;  /* currency of the prices, or NULL */
	bool retired;	       /* retired profiles too */
	bool concealed;	       /* only data that everybody may see: profiles without teams, no
				  member for operators (ga_offer_conceal) */
	const char *team;      /* concealed: also the profiles of this team; NULL: of no team */
	const char *image;     /* the image of the requests; NULL: the profile's, else any */
	const struct ga_request *within; /* counts only what this request leaves
					  * (ga_offer_count_within), and names no expected time;
					  * its node is an id; NULL: everything */
	const struct ga_place_limits *limits; /* counts only what these leave, as within; of an
					       * app, or NULL */
	struct ga_access_rules *rules; /* filled with teams and grants of the same transaction,
					  for the caller to release; NULL: not wanted */
};

/* Calls each with every current profile as struct ga_hardware_profile, in the order of names. The
 * struct is valid only during the call. It never names a node, a device or a project. */
GA_MUST_CHECK int ga_store_offers(struct ga_db *db, const struct ga_offer_query *q,
				  ga_store_each each, void *arg, struct ga_err *err);

/* A request whose refusal is wanted. */
struct ga_offer_asked {
	const char *profile;
	const char *type; /* NULL: the types of the profile */
	bool mixed;	  /* only of the nodes with GPUs of several types (ga_offer_mixed_refusal);
			   * then type is NULL */
	int64_t count;	  /* GPUs; GA_UNKNOWN: the smallest request */
	char *code;	  /* set, of the refusal (ga_offer_refusal); NULL: it is placed now. The
			   * caller frees it */
};

/* Sets the codes of n requests; of the query only the times and the image count. GA_NOTFOUND: no
 * such profile. */
GA_MUST_CHECK int ga_store_offer_refusals(struct ga_db *db, const struct ga_offer_query *q,
					  struct ga_offer_asked *asked, size_t n,
					  struct ga_err *err);

#endif
