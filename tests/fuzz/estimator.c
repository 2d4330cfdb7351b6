/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of external estimators. */
#include "fuzz.h"

#include "act/estimator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autosaid struct ga_said_times said = { 0 };
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	if (ga_estimator_parse((const char *)data, size, &said, &err) < 0) {
		fuzz_check(err.code == GA_EXTERNAL && err.msg[0] && !said.n);
		return 0;
	}
	for (i = 0; i < said.n; i++) {
		const struct ga_training_time *t = &said.v[i].time;

		fuzz_check(said.v[i].profile[0]);
		fuzz_check(0 < t->low && t->low <= t->seconds && t->seconds <= t->high &&
			   t->high <= GA_ESTIMATE_SECONDS_MAX);
	}
	return 0;
}
