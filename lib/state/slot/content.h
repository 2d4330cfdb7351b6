/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the evidence that keeps devices clean again, from its content. Only for the check, the
 * printing of evidence, and the gate that puts slots on sale. */
#ifndef GA_STATE_SLOT_CONTENT_H
#define GA_STATE_SLOT_CONTENT_H

#include "state/db/db.h"

/* Evidence that does not prove the wipe of the device that it cleared. With the slot that has the
 * device and the slot's state; slot NULL: there is none, or only another state knows its name. */
struct ga_doubted {
	const char *evidence, *slot, *state, *sentence;
};
typedef int (*ga_doubt)(const struct ga_doubted *d, void *arg);

/* Judges each piece of evidence that cleared a device, or that a slot names as its last wipe. Calls
 * found for each piece that is by rules and proves nothing; a negative result of found ends it. */
GA_MUST_CHECK int ga_check_content(struct ga_db *db, ga_doubt found, void *arg,
				   struct ga_err *err);
/* The same for the evidence that keeps the devices of one slot clean. */
GA_MUST_CHECK int ga_check_content_of(struct ga_db *db, const char *slot, ga_doubt found, void *arg,
				      struct ga_err *err);

/* The number of pieces of evidence that cleared a device, are older than the rules and were not
 * judged. */
GA_MUST_CHECK int ga_check_unjudged(struct ga_db *db, int64_t *ret, struct ga_err *err);

#endif
