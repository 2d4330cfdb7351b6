/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-profile: which accelerators there are.
 *
 * Shows and checks the catalogue of types, tells what each node has and how far that is known, and
 * what the labels of Kubernetes nodes are worth.
 */
#include "cli.h"
#include "cli_profile.h"
#include "kind_state.h"

static const struct ga_opt no_opts[] = { GA_OPTS_END };

static const struct ga_cmd cmds[] = {
	{ "catalog", "the accelerator types that are known; search them, or check a drop-in",
	  "[SEARCH…|check FILE…]", 0, -1, no_opts, ga_cli_catalog },
	{ .name = NULL },
};

static const struct ga_prog prog = {
	.name = "gpuaas-profile",
	.abstract = "accelerator types, and what nodes have of them",
	.cmds = cmds,
	.produces = (const struct ga_shape *const[]){ &ga_accelerator_shape, &ga_finding_shape,
						      NULL },
	.examples = (const char *const[]){ "gpuaas-profile catalog h100",
					   "gpuaas-profile catalog p5.48xlarge",
					   "gpuaas-profile catalog check own.json", NULL },
	.needs_state = true,
	.acts = true,
};

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ga_cli_command()->run(&err);
	return ga_cli_finish(&prog, r, &err);
}
