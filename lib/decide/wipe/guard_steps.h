/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps that the guard of a wipe records, so that the judge can check evidence by its content.
 *
 * A finished wipe has every one of them, in this order, on a block device as on a file of a lab;
 * act/device/guard.c records no step under another name. Pure: the table, and the parser of one
 * step's detail.
 */
#ifndef GA_DECIDE_WIPE_GUARD_STEPS_H
#define GA_DECIDE_WIPE_GUARD_STEPS_H

#include "base/ga.h"

/* When the outcome "not_proven" is accepted; "failed" never is. */
enum ga_guard_lack {
	GA_GUARD_NEVER,	     /* never: only confirmed or not_needed */
	GA_GUARD_ON_FILES,   /* medium "file": the guard of a lab may run without root */
	GA_GUARD_IF_ALLOWED, /* the content may be destroyed: a tenant's disk, or destroy_data of
			      * the order */
	GA_GUARD_ALWAYS,     /* another step of the table checks for the same thing */
};

struct ga_guard_rule {
	const char *step;
	enum ga_guard_lack lack;
};
extern const struct ga_guard_rule ga_guard_rules[]; /* ends with step NULL */

/* The rule of a step, or NULL when no guard records it. */
const struct ga_guard_rule *ga_guard_rule(const char *step);

/* Whether the detail of a step "signatures", which is a list ("nvme1n1: gpt, nvme1n1p2: ext4
 * (expected)"), has this one ("nvme2n1p2: ext4"): the same type in the same partition. The name of
 * the disk does not count, because the kernel may change it at each start. */
bool ga_guard_saw(const char *detail, const char *signature);

#endif
