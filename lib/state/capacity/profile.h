/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles in the state beyond what state/store.h has: their versions, and who uses them. */
#ifndef GA_STORE_PROFILE_H
#define GA_STORE_PROFILE_H

#include "state/store.h"

/* A version of a profile; 0 is the current one. ret is overwritten, released with its shape.
 * GA_NOTFOUND "no_profile" or "no_version". */
GA_MUST_CHECK int ga_store_profile_version(struct ga_db *db, const char *name, int64_t version,
					   struct ga_profile *ret, struct ga_err *err);
/* All versions of a profile, oldest first: how many there were, or -1. */
GA_MUST_CHECK int ga_store_profile_versions(struct ga_db *db, const char *name, ga_store_each each,
					    void *arg, struct ga_err *err);
/* The current versions of all profiles, by name. */
GA_MUST_CHECK int ga_store_profiles(struct ga_db *db, ga_store_each each, void *arg,
				    struct ga_err *err);

/* Whether a record may become a profile, beyond what its shape says: GA_BADREC. What is applied is
 * asked the same. */
GA_MUST_CHECK int ga_store_profile_check(const struct ga_profile *p, struct ga_err *err);

/* How many allocations that have not ended were placed with another version than this one; -1. */
GA_MUST_CHECK int64_t ga_store_profile_behind(struct ga_db *db, const char *name, int64_t version,
					      struct ga_err *err);
/* What a profile refers to and the state does not have, a sentence each; GA_NOTFOUND is none of
 * its results: 0 or -1. Objects may be applied in any order, so that this is no refusal. */
GA_MUST_CHECK int ga_store_profile_lacks(struct ga_db *db, const struct ga_profile *p,
					 void (*tell)(const char *sentence), struct ga_err *err);

#endif
