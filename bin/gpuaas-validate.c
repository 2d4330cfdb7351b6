/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-validate: runs the scenarios of the validation suite against a scheduling technology
 * through an adapter, and judges what was seen.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/frame/cli.h"
#include "validate/suite.h"

static const char *scenarios, *adapter;
static struct ga_borrowed_texts only;

static const struct ga_opt run_opts[] = {
	{ .name = "adapter", .type = GA_O_PATH, .var = &adapter, .arg = "FILE",
	  .help = "program that speaks for the technology: gpuaas-adapter(7)" },
	{ .name = "only", .type = GA_O_TEXTS, .var = &only, .arg = "ID",
	  .help = "only this scenario; may repeat" },
	{ .name = "scenarios", .type = GA_O_PATH, .var = &scenarios, .arg = "DIR",
	  .help = "folder of scenarios, in place of those that come with gpuaas" },
	GA_OPTS_END,
};

static int judged(const struct ga_verdict *verdict, void *data, struct ga_err *err)
{
	(void)data;
	if (strcmp(verdict->outcome, "pass"))
		ga_cli_note_status(GA_NO);
	return ga_emit(&ga_verdict_schema, verdict, err);
}

static int run(struct ga_err *err)
{
	if (!adapter)
		return ga_fail(err, GA_USAGE, "--adapter is missing");
	return ga_suite_run(scenarios, &only, adapter, judged, NULL, err);
}

static const struct ga_cmd cmds[] = {
	{ .name = "run", .abstract = "run scenarios through an adapter and judge what was seen",
	  .opts = run_opts, .run = run, .prints = &ga_verdict_schema },
	{ .name = NULL },
};

static const struct ga_prog prog = {
	.name = "gpuaas-validate",
	.abstract = "run the same scenarios against any scheduling technology",
	.cmds = cmds,
	.produces = (const struct ga_schema *const[]){ &ga_verdict_schema, NULL },
};

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ga_cli_command()->run(&err);
	return ga_cli_finish(&prog, r, &err);
}
