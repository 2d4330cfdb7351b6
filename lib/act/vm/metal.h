/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bare metal: the operator's own executables do the work, with JSON in and out. The executables
 * of DIR/deploy, DIR/release or DIR/status that ga_hooks_find finds run one after another, sorted
 * by name, each with the order's record on stdin. So what an editor or dpkg leaves behind (50-x~,
 * 50-x.dpkg-old) is not run. Root (or the user who runs this program) must own an executable, and
 * nobody else may write it. The last line of its output is its answer, a JSON object; one that
 * prints nothing has no answer. The answers are merged; members of a later answer replace those of
 * an earlier one.
 */
#ifndef GA_ACT_VM_METAL_H
#define GA_ACT_VM_METAL_H

#include <jansson.h>

#include "base/ga.h"

/* Ends a baremetal allocation whose executable failed; "%s" is the allocation. */
#define GA_METAL_AGAIN                                                                             \
	"gpuaas-release %s | gpuaas-release - | gpuaas-on gpuaas-wipe | gpuaas-state fold -"

/* Checks that there are executables for the stage ("deploy", "release" or "status") and that all
 * are safe to run. GA_HOST "no_hooks"; GA_DENIED "hook_unsafe". */
GA_MUST_CHECK int ga_metal_check(const char *dir, const char *stage, struct ga_err *err);
/* Runs the executables. order: the record as text. ret: the merged answers, released with
 * json_decref; unchanged after an error. Errors as ga_metal_check's, "hook_failed", and GA_EXTERNAL
 * "hook_answer". */
GA_MUST_CHECK int ga_metal_run(const char *dir, const char *stage, const char *order, json_t **ret,
			       struct ga_err *err);

/* Where there is no state to ask: asks the executables of "status" who has the machine, if there
 * are any. GA_CONFLICT "sold_once" when another allocation has it; errors as ga_metal_run's. */
GA_MUST_CHECK int ga_metal_check_tenant(const char *dir, const char *node, const char *allocation,
					struct ga_err *err);

#endif
