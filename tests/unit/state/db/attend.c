/* SPDX-License-Identifier: Apache-2.0 */
/* The reason of a row of attention: one line in 80 columns. */
#include "state/db/attend.h"
#include "t.h"

static void why(void)
{
	static const struct {
		const char *name, *evidence, *hint, *why;
	} cases[] = {
		{ "no hint", "the disk is gone", NULL, "the disk is gone" },
		{ "an empty hint", "the disk is gone", "", "the disk is gone" },
		{ "a hint that fits", "no key", "discover again; then approve",
		  "no key: discover again; then approve" },
		{ "the first of two ways", "IOMMU group 120 also has 0000:ae:00.0",
		  "move the other device to another slot, or enable ACS in the firmware "
		  "(pcie_acs_override would only hide it); or sell the node as baremetal",
		  "IOMMU group 120 also has 0000:ae:00.0: move the other device to another slot" },
		{ "as many steps as fit", "none", "a; b, then c, or d and a long rest of it, that "
		  "goes on and on and on until no line has it", "none: a; b, then c" },
		{ "a comma ends no step", "none", "a, b and a long rest of it that goes on and on "
		  "and on and on until no line has it", "none" },
		{ "no step fits", "evidence that takes nearly all of the line, with a device and "
		  "its address", "a step of it", "evidence that takes nearly all of the line, with "
		  "a device and its address" },
		{ "longer than a line", "evidence that takes more than the line has, with a device "
		  "and its address and more", "do", "evidence that takes more than the line has, "
		  "with a device and its address and more" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autofree char *text = ga_attend_why(cases[i].evidence, cases[i].hint);

		t_str(text, cases[i].why, "%s", cases[i].name);
	}
}

int main(void)
{
	why();
	return t_done();
}
