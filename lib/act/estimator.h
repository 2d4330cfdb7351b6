/* SPDX-License-Identifier: Apache-2.0 */
/*
 * External estimators: executables that get a training job and the candidate profiles, and answer
 * how long the job takes on each profile.
 *
 * On stdin one JSON object: {"job": a requirement with "tokens", "profiles": [{"profile",
 * "acceleratorType", "gpus", "costPerHourMicros", "memoryGb", "bf16Tflops", …}]}; on stdout, before
 * the deadline, [{"profile", "hoursLow", "hours", "hoursHigh", "basis"}], also with
 * "acceleratorType". Only "profile" and "hours" are required. Any other answer is an error.
 */
#ifndef GA_ACT_ESTIMATOR_H
#define GA_ACT_ESTIMATOR_H

#include <jansson.h>

#include "decide/match/match.h"

#define GA_ESTIMATOR_OUTPUT_MAX (1 << 20) /* bytes of an answer */

struct ga_said_time {
	char *profile, *type; /* type NULL: not in the answer */
	struct ga_training_time time;
	char *basis; /* NULL: not in the answer */
};
struct ga_said_times {
	struct ga_said_time *v;
	size_t n;
};
#define ga_autosaid ga_cleanup(ga_said_times_release)

/* Reads an answer. Hours are above 0 and at most a hundred years; hoursLow <= hours <= hoursHigh. A
 * bound that is missing or null is equal to hours. Times are rounded to seconds. GA_EXTERNAL with
 * the mistake; ret then has no times. */
GA_MUST_CHECK int ga_estimator_parse(const char *text, size_t len, struct ga_said_times *ret,
				     struct ga_err *err);
void ga_said_times_release(struct ga_said_times *list);

/* The input of an estimator: without the profiles that have too little memory, and with the
 * parameters of a dense model from the tables. Allocated. */
char *ga_estimator_question(const struct ga_requirement *need, const struct ga_match_tables *tables,
			    const struct ga_matches *list);

/* Runs an estimator for at most so many seconds, and reads its answer into ret; the caller releases
 * ret. */
GA_MUST_CHECK int ga_estimator_ask(const char *path, const char *question, int64_t seconds,
				   struct ga_said_times *ret, struct ga_err *err);

#endif
