/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the guard by name. */
#include "guard_steps.h"

#include <string.h>

const struct ga_guard_rule ga_guard_rules[] = {
	{ "exclusive_open", GA_GUARD_NEVER },
	{ "medium", GA_GUARD_NEVER },
	{ "identity", GA_GUARD_NEVER },
	{ "other_names", GA_GUARD_NEVER },
	{ "mounts", GA_GUARD_NEVER },
	{ "holders", GA_GUARD_NEVER },
	{ "loops", GA_GUARD_ON_FILES },
	{ "slaves", GA_GUARD_NEVER },
	{ "swap", GA_GUARD_NEVER },
	{ "md", GA_GUARD_NEVER },
	{ "exports", GA_GUARD_ON_FILES },
	{ "signatures", GA_GUARD_IF_ALLOWED },
	{ "content", GA_GUARD_IF_ALLOWED },
	/* A domain that runs has the disk open, and that is looked for in any case. */
	{ "domains", GA_GUARD_ALWAYS },
	{ "open_files", GA_GUARD_ON_FILES },
	{ "identity_before", GA_GUARD_NEVER },
	{ "identity_before_uses", GA_GUARD_ON_FILES },
	{ "identity_before_open_files", GA_GUARD_ON_FILES },
	{ "identity_after", GA_GUARD_NEVER },
	{ "identity_after_uses", GA_GUARD_ON_FILES },
	{ "identity_after_open_files", GA_GUARD_ON_FILES },
	{ NULL, GA_GUARD_NEVER },
};

const struct ga_guard_rule *ga_guard_rule(const char *step)
{
	const struct ga_guard_rule *r;

	for (r = ga_guard_rules; r->step; r++)
		if (ga_streq(r->step, step))
			return r;
	return NULL;
}
