/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the judge. */
#ifndef GA_VALIDATE_INTERNAL_H
#define GA_VALIDATE_INTERNAL_H

#include "validate/judge.h"
#include "validate/timeline.h"

enum ga_answer_look { GA_ANSWER_HAS, GA_ANSWER_LACKS, GA_ANSWER_UNKNOWN };

/* Whether the answers that the check reads have its fields and codes and none of its texts. *why
 * gets the sentence of what is missing, allocated. Unknown: the adapter broke. */
enum ga_answer_look ga_answer_look(const struct ga_timeline *line,
				   const struct ga_trial_check *check, const struct ga_ints *jobs,
				   char **why);

/* The value that the check compares, at the moment of the walk; GA_UNKNOWN: not known. Values that
 * come of an answer are those of the last one. */
int64_t ga_value_at(const struct ga_trial_check *check, const struct ga_ints *jobs,
		    const struct ga_walk *walk);

/* Whether a value is within the bounds of the check. */
bool ga_check_bounds(const struct ga_trial_check *check, int64_t value);
/* The slots without which a job cannot run, on all its nodes. */
int64_t ga_check_wanted(const struct ga_trial_job *form);

#endif
