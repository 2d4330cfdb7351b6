/* SPDX-License-Identifier: Apache-2.0 */
/* The time limit for a VM to become ready. */
#include "t.h"

#include "act/vm/ready.h"
#include "record/plan.h"
#include "record/schema.h"
#include "record/words.h"

static void seconds(void)
{
	static const struct {
		int64_t image, memory_mib;
		size_t gpus;
		int64_t want;
		const char *what;
	} cases[] = {
		{ GA_UNKNOWN, 512, 1, 241, "one GPU, an image that asks for nothing" },
		{ GA_UNKNOWN, INT64_C(2) << 20, 8, 180 + 4096 + 480, "8 GPUs, 2 TiB" },
		{ GA_UNKNOWN, INT64_C(16) << 20, 8, 7200, "two hours at most" },
		{ 0, 512, 1, 241, "an image of before there was the member" },
		{ 1, 512, 1, 62, "an image that is ready at once" },
		{ 900, 512, 2, 1021, "one that takes a quarter of an hour" },
		{ GA_READY_MAX, 512, 1, GA_READY_MAX + 61, "as long as it asks for" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_plan_image image = { .ready_seconds = cases[i].image };
		struct ga_plan plan = { .memory_mib = cases[i].memory_mib, .image = &image };

		plan.bundles.n = cases[i].gpus; /* only counted */
		t_int(ga_ready_seconds(&plan), cases[i].want, "%s", cases[i].what);
	}
}

int main(void)
{
	seconds();
	return t_done();
}
