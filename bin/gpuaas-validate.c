/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-validate: runs the scenarios of the validation suite against a scheduling technology
 * through an adapter, and judges what was seen.
 */
#include <string.h>

#include "base/err.h"
#include "base/stop.h"
#include "base/str.h"
#include "cli/frame/cli.h"
#include "cli/validate/new.h"
#include "validate/suite.h"

static const char *scenarios, *adapter;
static struct ga_borrowed_texts only;

#define SCENARIOS \
	{ .name = "scenarios", .type = GA_O_PATH, .var = &scenarios, .arg = "DIR", \
	  .help = "folder of scenarios, in place of those that come with gpuaas" }

static struct ga_validate_new new;

static const struct ga_opt list_opts[] = { SCENARIOS, GA_OPTS_END };
static const struct ga_opt run_opts[] = {
	{ .name = "adapter", .type = GA_O_PATH, .var = &adapter, .arg = "FILE",
	  .help = "program that speaks for the technology: gpuaas-adapter(7)" },
	{ .name = "only", .type = GA_O_TEXTS, .var = &only, .arg = "SCENARIO",
	  .help = "run only this scenario; may repeat" },
	SCENARIOS,
	GA_OPTS_END,
};
static const struct ga_opt new_opts[] = {
	{ .name = "dir", .type = GA_O_PATH, .var = &new.dir, .arg = "DIR",
	  .help = "make this folder; default: one with the name, here" },
	GA_OPTS_END,
};

static int read_suite(struct ga_suite *ret, struct ga_err *err)
{
	ga_autofree char *own = scenarios ? NULL : ga_cli_own_share("scenarios");

	return ga_suite_read(scenarios ? scenarios : own, &only, ret, err);
}

static int list(struct ga_err *err)
{
	ga_cleanup(ga_suite_release) struct ga_suite suite = { 0 };
	size_t i;
	int r = read_suite(&suite, err);

	for (i = 0; !r && i < suite.scenarios.n; i++)
		r = ga_emit(&ga_scenario_schema, &suite.scenarios.v[i], err);
	return r;
}

static int judged(const struct ga_verdict *verdict, void *data, struct ga_err *err)
{
	(void)data;
	if (strcmp(verdict->outcome, "pass"))
		ga_cli_note_status(GA_NO);
	return ga_emit(&ga_verdict_schema, verdict, err);
}

static int run(struct ga_err *err)
{
	ga_cleanup(ga_suite_release) struct ga_suite suite = { 0 };

	if (!adapter)
		return ga_refuse(err, GA_USAGE, NULL, NULL, ("--adapter is missing"),
				 ("name the program that speaks for the technology: "
				  "gpuaas-adapter(7)"));
	if (read_suite(&suite, err) < 0)
		return -1;
	ga_stop_install();
	return ga_suite_run(&suite, &only, adapter, judged, NULL, err);
}

static int make_new(struct ga_err *err)
{
	return ga_validate_new(&new, err);
}

static const struct ga_cmd cmds[] = {
	{ .name = "list", .abstract = "list the scenarios", .opts = list_opts, .run = list,
	  .prints = &ga_scenario_schema },
	{ .name = "run", .abstract = "run scenarios through an adapter and judge what was seen",
	  .opts = run_opts, .run = run, .prints = &ga_verdict_schema },
	{ .name = "new", .abstract = "make the beginning of an adapter", .args = "TECHNOLOGY",
	  .args_min = 1, .args_max = 1, .opts = new_opts, .run = make_new,
	  .prints = &ga_prints_text },
	{ .name = NULL },
};

static const char *const examples[] = {
	"gpuaas-validate list",
	"gpuaas-validate run --adapter ./adapter --only PRI-04",
	"gpuaas-validate new htcondor",
	NULL,
};

static const struct ga_prog prog = {
	.name = "gpuaas-validate",
	.abstract = "run the same scenarios against any scheduling technology",
	.cmds = cmds,
	.looks = "list",
	.produces = (const struct ga_schema *const[]){ &ga_scenario_schema, &ga_verdict_schema,
						       NULL },
	.examples = examples,
};

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ga_cli_command()->run(&err);
	return ga_cli_finish(&prog, r, &err);
}
