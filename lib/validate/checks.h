/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of checks of a scenario, each over the timeline of one run (judge.h says what each
 * means). */
#ifndef GA_VALIDATE_CHECKS_H
#define GA_VALIDATE_CHECKS_H

#include "validate/timeline.h"

/* Judges one check. given: it stands in given, so it counts from arrange. Fills *ret (id,
 * result, why, at_ms), which the caller releases with the verdict. first is the timeline of the
 * first run, for equal_runs. */
void ga_check_judge(const struct ga_timeline *line, const struct ga_timeline *first,
		    const struct ga_trial_check *check, bool given, struct ga_verdict_check *ret);

/* How long after its begin a check can still be decided: its last deadline in milliseconds, by the
 * time scale; 0: it is decided at once. */
int64_t ga_check_deadline_ms(const struct ga_trial_check *check, int64_t scale_percent);

/* Looks for what no technology may do: more slots in use on a node or in the cluster than there
 * are, a slot used twice. Returns the sentence, allocated, or NULL. */
char *ga_check_invariants(const struct ga_timeline *line);

/* Whether there was contention since the act began: a job was waiting at two polls in a row, or one
 * was evicted, or the jobs wanted more slots than the cluster has. */
bool ga_check_contention(const struct ga_timeline *line);

#endif
