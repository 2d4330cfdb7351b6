/* SPDX-License-Identifier: Apache-2.0 */
/* The app of a request: what it allows placement to take, and what would fit instead. */
#ifndef GA_STATE_TRANSACTION_APP_H
#define GA_STATE_TRANSACTION_APP_H

#include "base/texts.h"
#include "catalog/accel.h"
#include "decide/app/app.h"
#include "decide/place/place.h"
#include "state/access/access.h"
#include "state/db/db.h"

/* Zeroed before the first use. */
struct ga_app_choice {
	struct ga_app app;
	struct ga_image image;
	bool has_app, has_image;
	const struct ga_request *request; /* borrowed, as the next three */
	const struct ga_profile *profile;
	const struct ga_fleet *fleet;
	const struct ga_accels *accels;
	struct ga_borrowed_texts types; /* those that the app allows */
	struct ga_place_limits limits; /* filled by ga_app_choose */
};
void ga_app_choice_release(struct ga_app_choice *c);
#define ga_autochoice ga_cleanup(ga_app_choice_release)

/* Reads the app of the request and the record of the image that it would get. The caller sets the
 * borrowed members first. GA_NOTFOUND "no_app". */
GA_MUST_CHECK int ga_app_choice_read(struct ga_db *db, struct ga_app_choice *c,
				     struct ga_err *err);
/* Finds the types and the counts that the app allows of those that request, profile and fleet leave
 * open, and fills c->limits. False: it allows nothing; reasons then has why, each reason once. */
bool ga_app_choose(struct ga_app_choice *c, struct ga_match_reasons *reasons);
/* Fills shape, number of GPUs and sentence of the refusal, and what would fit: profiles that the
 * project may use, and images. */
GA_MUST_CHECK int ga_app_refuse(struct ga_db *db, struct ga_app_choice *c,
				const struct ga_match_reasons *reasons,
				const struct ga_access_rules *rules, struct ga_refusal *ret,
				struct ga_err *err);

#endif
