/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the published view of profiles (gpuaas-profile list --public --output). */
#ifndef GA_DECIDE_OFFER_PUBLISHED_H
#define GA_DECIDE_OFFER_PUBLISHED_H

#include "base/str.h"
#include "record/offer.h"

#define GA_PUBLISHED_PATH "/run/gpuaas/public.json"
#define GA_PUBLISHED_MAX (16 << 20) /* bytes; larger views are neither written nor read */

struct ga_published {
	int64_t made_micros; /* wall clock */
	GA_LIST(struct ga_hardware_profile) profiles; /* as the document has them, except for
						       * their age */
};

/* Reads a document {"madeAt":TIME,"profiles":[…]} and sets staleSeconds for now_micros. GA_BADREC
 * with the fault, in words to follow the name of the file. */
GA_MUST_CHECK int ga_published_parse(const char *text, size_t len, int64_t now_micros,
				     struct ga_published *ret, struct ga_err *err);
void ga_published_release(struct ga_published *p);
#define ga_autopublished ga_cleanup(ga_published_release)

#endif
