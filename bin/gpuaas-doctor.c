/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-doctor: runs the checks of this machine and its state, and lists what to do, in order. It
 * changes nothing.
 */
#include "cli/doctor/doctor.h"
#include "cli/frame/cli.h"

static const struct ga_prog prog = {
	.name = "gpuaas-doctor",
	.abstract = "run every check of this machine and its state, and list what to do first",
	.produces = (const struct ga_schema *const[]){ &ga_doctor_finding_schema, NULL },
	.examples = (const char *const[]){ "gpuaas-doctor",
					   "gpuaas-doctor --json | jq -r .command", NULL },
	.needs_state = true,
};

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ga_doctor(&err);
	return ga_cli_finish(&prog, r, &err);
}
