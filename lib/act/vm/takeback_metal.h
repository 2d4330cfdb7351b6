/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trust in a whole machine that a tenant had: a part of takeback.c. Its tenant was root on it, so
 * that nothing it says counts before it runs a system of ours again, booted since.
 */
#ifndef GA_ACT_VM_TAKEBACK_METAL_H
#define GA_ACT_VM_TAKEBACK_METAL_H

#include "act/vm/metal.h"
#include "record/release.h"
#include "record/result.h"
#include "state/host/hostdb.h"

/*
 * Judges what the executables in DIR/release answered: boot_id, another than before the hand-over;
 * image; fingerprint, as approved. What was before stands in the order, or in the attempt of h.
 * Adds the step trusted_host to out, and a step disk for each of the answer's disks (WWIDs): to be
 * wiped with its slot, or not_proven when it is in none. GA_CONFLICT "untrusted_host".
 */
GA_MUST_CHECK int ga_takeback_trust(const struct ga_release_order *order, json_t *answer,
				    const char *dir, struct ga_hostdb *h, struct ga_released *out,
				    struct ga_err *err);

#endif
