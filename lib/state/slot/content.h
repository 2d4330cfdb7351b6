/* SPDX-License-Identifier: Apache-2.0 */
/* The evidence that keeps devices clean, judged again from its content. Private to the check,
 * what prints it, and the gate that sells by it. */
#ifndef GA_STATE_SLOT_CONTENT_H
#define GA_STATE_SLOT_CONTENT_H

#include "state/db/db.h"

/* Evidence that does not prove what it cleared, and the slot that has the device (NULL: none, or
 * another state's name for it is gone) with the state it is in. */
struct ga_doubted {
	const char *evidence, *slot, *state, *sentence;
};
typedef int (*ga_doubt)(const struct ga_doubted *d, void *arg);

/* Calls found for each piece of evidence that cleared a device, or that a slot names as its last,
 * is by rules, and does not prove what it cleared; its result below 0 ends it. */
GA_MUST_CHECK int ga_check_content(struct ga_db *db, ga_doubt found, void *arg,
				   struct ga_err *err);
/* The same of what keeps the devices of one slot clean. */
GA_MUST_CHECK int ga_check_content_of(struct ga_db *db, const char *slot, ga_doubt found, void *arg,
				      struct ga_err *err);

/* How much evidence that cleared a device is older than the rules and was not judged. */
GA_MUST_CHECK int ga_check_unjudged(struct ga_db *db, int64_t *ret, struct ga_err *err);

#endif
