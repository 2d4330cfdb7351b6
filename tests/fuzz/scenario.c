/* SPDX-License-Identifier: Apache-2.0 */
/* A scenario, a line of "----", and a tape (tests/unit/validate/tape.h): what the rules of a
 * scenario accept, the judge judges, whatever was seen. */
#include "fuzz.h"

#include "../unit/validate/tape.h"
#include "validate/judge.h"

static char *judge(const struct ga_scenario *scenario, const struct ga_trial *trial)
{
	static const char digest[] =
		"sha256:0000000000000000000000000000000000000000000000000000000000000000";
	struct ga_verdict verdict, back;
	struct ga_err err = GA_ERR_INIT;
	ga_autojson json_t *json = NULL;

	ga_judge(scenario, digest, trial, &verdict);
	json = ga_schema_format(&ga_verdict_schema, &verdict);
	ga_schema_release(&ga_verdict_schema, &verdict);
	/* A verdict is a record, and a pass has its situation. */
	fuzz_check(!ga_schema_parse(&ga_verdict_schema, json, &back, &err));
	fuzz_check(strcmp(back.outcome, "pass") || (back.given && back.runs && back.checks.n));
	ga_schema_release(&ga_verdict_schema, &back);
	return json_dumps(json, JSON_COMPACT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofree char *text = fuzz_text(data, size), *once = NULL, *again = NULL;
	char *tape = strstr(text, "\n----\n");
	struct ga_err err = GA_ERR_INIT;
	ga_autojson json_t *json = NULL;
	struct ga_scenario scenario;
	struct ga_trial trial;

	if (tape)
		*tape = '\0';
	json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(json) ||
	    ga_schema_parse(&ga_scenario_schema, json, &scenario, &err) < 0)
		return 0;
	if (ga_scenario_check(&scenario, &err) < 0) {
		fuzz_check(err.code == GA_BADREC);
	} else if (tape && !tape_read(tape + 6, &trial, &err)) {
		once = judge(&scenario, &trial);
		again = judge(&scenario, &trial);
		fuzz_check(!strcmp(once, again));
		ga_trial_release(&trial);
	}
	ga_schema_release(&ga_scenario_schema, &scenario);
	return 0;
}
