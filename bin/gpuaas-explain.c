/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-explain: prints what the pages say of a code, a state, an exit status, a metric, an alert
 * or a setting, and what a kind of record or one of its members is. It reads nothing: pages and
 * schemas are inside the program.
 */
#include "cli/explain/explain.h"
#include "cli/frame/cli.h"

static bool list;

static const struct ga_opt opts[] = {
	{ .name = "list", .type = GA_O_FLAG, .var = &list, .help = "print every word, one a line" },
	GA_OPTS_END,
};

static const struct ga_prog prog = {
	.name = "gpuaas-explain",
	.abstract = "explain a code, an exit status, a kind of record or a member",
	.args = "WORD…",
	.args_min = 0,
	.args_max = -1,
	.opts = opts,
	.examples = (const char *const[]){
		"gpuaas-explain topology_blocked", "gpuaas-explain slot.health_state",
		"gpuaas-explain cleanup_blocked 4 gpuaas_refusals", NULL },
	.prints = &ga_prints_text,
	.looks = "*",
};

static int run(struct ga_err *err)
{
	int n, i, unknown = 0;
	char *const *args = ga_cli_args(&n);

	if (list && n)
		return ga_fail(err, GA_USAGE, "--list takes no word");
	if (!list && !n)
		return ga_refuse(err, GA_USAGE, NULL, NULL, ("WORD is missing"),
				 ("a code, an exit status, a kind of record, or KIND.MEMBER; "
				  "--list prints the words"));
	if (list)
		ga_explain_list();
	for (i = 0; i < n; i++) {
		struct ga_err why = GA_ERR_INIT;

		if (i - unknown)
			ga_print_text("\n");
		if (ga_explain(args[i], &why) == 0)
			continue;
		unknown++;
		ga_cli_say_error(&why);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = run(&err);
	return ga_cli_finish(&prog, r, &err);
}
