/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Release: the intent of the state side. Billing ends here, not when the host is done; the order
 * carries the attempt of the release and of every wipe that follows, so that the host needs no
 * state to finish.
 */
#ifndef GA_STATE_ALLOCATION_RELEASE_H
#define GA_STATE_ALLOCATION_RELEASE_H

#include "record/release.h"
#include "record/state.h"
#include "state/db/row.h"

/* Release intent: billing ends, slots releasing, a release-order with attempt ids. A placed plan
 * nobody took up is cancelled instead (has_order false). Called again: the same order. */
GA_MUST_CHECK int ga_store_release(struct ga_db *db, const char *allocation, const char *reason,
				   struct ga_release_order *ret, bool *has_order,
				   struct ga_err *err);

#endif
