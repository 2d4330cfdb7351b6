/* SPDX-License-Identifier: Apache-2.0 */
/* A line of an adapter: a reply, and its result by every verb. */
#include "fuzz.h"

#include "base/err.h"
#include "record/adapter.h"

static const struct ga_schema *const results[] = {
	&ga_trial_hello_schema,	      &ga_adapter_set_schema, &ga_adapter_submit_schema,
	&ga_adapter_jobs_schema,      &ga_trial_state_schema, &ga_trial_plan_schema,
	&ga_trial_explanation_schema, &ga_trial_events_schema, &ga_adapter_digest_schema,
	&ga_adapter_teardown_schema,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ga_adapter_reply reply;
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	if (ga_adapter_read_reply((const char *)data, size, &reply, &err) < 0) {
		fuzz_check(err.code == GA_BADREC && *err.msg);
		return 0;
	}
	fuzz_check(reply.ok == !reply.error);
	for (i = 0; i < GA_ARRAY_SIZE(results); i++) {
		ga_autofree void *result = ga_xcalloc(1, results[i]->size);

		if (ga_adapter_read_result(&reply, results[i], result, &err) < 0) {
			fuzz_check(err.code == GA_BADREC);
			continue;
		}
		/* It is copied into observations as it is. */
		fuzz_check(!ga_schema_check(results[i], result, &err));
		ga_schema_release(results[i], result);
	}
	ga_schema_release(&ga_adapter_reply_schema, &reply);
	return 0;
}
