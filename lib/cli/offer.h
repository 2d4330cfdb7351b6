/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-profile list: profiles with their available GPUs. */
#ifndef GA_CLI_OFFER_H
#define GA_CLI_OFFER_H

#include "base/texts.h"
#include "state/capacity/offer.h"

struct ga_offer_opts {
	struct ga_borrowed_texts types; /* only profiles that name one of these */
	const char *team;	     /* only profiles that this team may use */
	const char *output;	     /* a file in place of stdout (public only) */
	bool is_public, all;
};

/* gpuaas-profile list */
GA_MUST_CHECK int ga_cli_offers(const struct ga_offer_opts *opts, struct ga_err *err);

/* ga_store_offers on the state of this machine; takes currency and stale_seconds of the query from
 * the settings. With published, users who cannot read the state get the published view
 * (decide/offer/published.h), and the result is 1; that view has no profiles of teams, no images
 * and no rules. */
GA_MUST_CHECK int ga_cli_read_offers(const struct ga_offer_query *query, bool published,
				     ga_store_each each, void *arg, struct ga_err *err);

/* ga_store_offer_refusals on the state of this machine; takes stale_seconds from the settings. */
GA_MUST_CHECK int ga_cli_read_offer_refusals(const struct ga_offer_query *query,
					     struct ga_offer_asked *asked, size_t n,
					     struct ga_err *err);

/* Whether ga_cli_read_offers with published takes the published view. */
bool ga_cli_offers_are_published(void);

#endif
