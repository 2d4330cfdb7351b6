/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bare metal: what the operator's own executables do, as JSON in and out. Every executable of
 * DIR/deploy or DIR/release is run in the order of its name with the order's record on stdin; it
 * must belong to root (or to whoever runs this) and be writable by nobody else. The last line of
 * its output, when it is a JSON object, is the answer; a later one's members win.
 */
#ifndef GA_ACT_VM_METAL_H
#define GA_ACT_VM_METAL_H

#include <jansson.h>

#include "base/ga.h"

/* Whether there are executables to run, all safe. GA_HOST "no_hooks"; GA_DENIED "hook_unsafe". */
GA_MUST_CHECK int ga_metal_check(const char *dir, const char *stage, struct ga_err *err);
/* Fails as ga_metal_check. ret: the merged answers, to be released. */
GA_MUST_CHECK int ga_metal_run(const char *dir, const char *stage, const char *order, json_t **ret,
			       struct ga_err *err);

#endif
