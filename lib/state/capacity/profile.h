/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles in the state: applied records, their versions, and their use. */
#ifndef GA_STATE_CAPACITY_PROFILE_H
#define GA_STATE_CAPACITY_PROFILE_H

#include "state/db/row.h"

struct ga_profile;

/* A version of a profile; 0 is the current one. ret is overwritten; release it with its schema.
 * GA_NOTFOUND "no_profile" or "no_version". */
GA_MUST_CHECK int ga_store_profile_version(struct ga_db *db, const char *name, int64_t version,
					   struct ga_profile *ret, struct ga_err *err);
/* Calls each with all versions of a profile, oldest first. */
GA_MUST_CHECK int ga_store_profile_versions(struct ga_db *db, const char *name, ga_store_each each,
					    void *arg, struct ga_err *err);
/* The current versions of all profiles, by name. */
GA_MUST_CHECK int ga_store_profiles(struct ga_db *db, ga_store_each each, void *arg,
				    struct ga_err *err);

/* Whether a record may become a profile, beyond the checks of its schema: GA_BADREC.
 * ga_store_apply_profile makes the same checks. */
GA_MUST_CHECK int ga_store_profile_check(const struct ga_profile *p, struct ga_err *err);

/* The number of allocations that have not ended and were placed with another version; -1. */
GA_MUST_CHECK int64_t ga_store_profile_behind(struct ga_db *db, const char *name, int64_t version,
					      struct ga_err *err);
/* Adds a sentence for each object that the profile refers to and the state lacks: 0, -1. A missing
 * object is no error and never GA_NOTFOUND, because objects may be applied in any order. */
GA_MUST_CHECK int ga_store_profile_lacks(struct ga_db *db, const struct ga_profile *p,
					 void (*tell)(const char *sentence), struct ga_err *err);

/* Whether the profile is still the current version of its name: 1, 0, -1. */
GA_MUST_CHECK int ga_store_profile_is_current(struct ga_db *db, const struct ga_profile *profile,
					      struct ga_err *err);
/* Fills ret with the current version; release it with ga_schema_release. GA_NOTFOUND
 * "no_profile". */
GA_MUST_CHECK int ga_store_profile(struct ga_db *db, const char *name, struct ga_profile *ret,
				   struct ga_err *err);
/* Idempotent: 1 when something changed, 0 when the state had it already. */
GA_MUST_CHECK int ga_store_apply_profile(struct ga_db *db, const struct ga_profile *p,
					 struct ga_err *err);
/* Rows of one column of text: the record itself. */
GA_MUST_CHECK int ga_query_profiles(struct ga_db *db, struct ga_rows **ret, struct ga_err *err);

#endif
