/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bare metal: the work of the operator's own executables, with JSON in and out. The executables of
 * DIR/deploy or DIR/release run one after another, sorted by name, each with the order's record on
 * stdin. An executable must belong to root (or to the user who runs this) and be writable by nobody
 * else. The last line of its output is its answer when that is a JSON object; the answers are
 * merged, and members of a later answer replace those of an earlier one.
 */
#ifndef GA_ACT_VM_METAL_H
#define GA_ACT_VM_METAL_H

#include <jansson.h>

#include "base/ga.h"

/* Checks that there are executables to run and all are safe, stage is "deploy" or "release".
 * GA_HOST "no_hooks"; GA_DENIED "hook_unsafe". */
GA_MUST_CHECK int ga_metal_check(const char *dir, const char *stage, struct ga_err *err);
/* Fails as ga_metal_check, and with "hook_failed". order: the record as text. ret: the merged
 * answers, released with json_decref; untouched after an error. */
GA_MUST_CHECK int ga_metal_run(const char *dir, const char *stage, const char *order, json_t **ret,
			       struct ga_err *err);

#endif
