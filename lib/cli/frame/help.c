/* SPDX-License-Identifier: Apache-2.0 */
/* --help and --introspect-cli, both from the tables of the program. */
#include "cli/frame/help.h"

#include <jansson.h>

#include "cli/frame/complete.h"

/* Counts columns, not bytes: "TEAM,…" has six columns and eight bytes. */
static int columns(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static void help_kinds(const char *title, const struct ga_schema *const *kinds)
{
	char name[32];

	if (!kinds)
		return;
	printf("%s", title);
	for (; *kinds; kinds++)
		printf(" %s", ga_kind_short(*kinds, name));
	printf("\n");
}

void ga_cli_help(const struct ga_prog *prog, const struct ga_cmd *cmd)
{
	const char *args = cmd ? cmd->args : prog->args;
	const struct ga_opt *const *t;
	const struct ga_cmd *c;
	size_t i;

	printf("%s%s%s - %s\n\n", prog->name, cmd ? " " : "", cmd ? cmd->name : "",
	       cmd ? cmd->abstract : prog->abstract);
	printf("usage: %s %s%s[OPTION…]%s%s\n", prog->name,
	       cmd ? cmd->name : prog->cmds ? "COMMAND" : "", cmd || prog->cmds ? " " : "",
	       args ? " " : "", args ? args : "");
	if (prog->cmds && !cmd) {
		printf("\ncommands:\n");
		for (c = prog->cmds; c->name; c++)
			printf("  %-14s %s\n", c->name, c->abstract);
	}
	printf("\noptions:\n");
	for (t = ga_cli_tables(prog, cmd); *t; t++) {
		const struct ga_opt *o = *t;

		for (; o->name; o++) {
			ga_autofree char *left =
				ga_xprintf("%c%c%c --%s%s%s", o->short_name ? '-' : ' ',
					   o->short_name ? o->short_name : ' ',
					   o->short_name ? ',' : ' ', o->name, o->arg ? " " : "",
					   o->arg ? o->arg : "");

			int n = columns(left);

			printf(n > 27 ? "  %s\n%*s%s\n" : "  %s%*s%s\n", left, n > 27 ? 31 : 29 - n,
			       "", o->help);
		}
	}
	printf("\n");
	help_kinds("reads: ", prog->consumes);
	help_kinds("writes:", prog->produces);
	if (prog->examples)
		printf("\nexamples:\n");
	for (i = 0; prog->examples && prog->examples[i]; i++)
		printf("  %s\n", prog->examples[i]);
	printf("\nman %s\n", prog->name);
}

static json_t *introspect_option(const struct ga_opt *o)
{
	static const char *const types[] = {
		[GA_O_FLAG] = "flag", [GA_O_TEXT] = "string",	  [GA_O_TEXTS] = "string",
		[GA_O_PATH] = "path", [GA_O_INT] = "integer",	  [GA_O_SIZE] = "size",
		[GA_O_WORD] = "enum", [GA_O_DURATION] = "duration",
	};
	json_t *option = json_pack("{s:[], s:s, s:s}", "names", "description", o->help, "type",
				   types[o->type]);
	json_t *names = json_object_get(option, "names");
	const char *const *v;

	if (o->short_name)
		json_array_append_new(names, json_sprintf("-%c", o->short_name));
	json_array_append_new(names, json_sprintf("--%s", o->name));
	if (o->arg) {
		const char *means = o->type == GA_O_TEXT || o->type == GA_O_TEXTS ||
				    o->type == GA_O_PATH ? ga_cli_meaning(o->arg) : NULL;

		json_object_set_new(option, "argument", json_pack("{s:s, s:s*}", "name", o->arg,
								  "x-gpuaas.means", means));
	}
	if (o->type == GA_O_TEXTS)
		json_object_set_new(option, "repeatable", json_true());
	if (o->values) {
		json_t *values = json_array();

		for (v = o->values; *v; v++)
			json_array_append_new(values, json_pack("{s:s}", "value", *v));
		json_object_set_new(option, "values", values);
	}
	return option;
}

static json_t *introspect_options(const struct ga_opt *const *tables)
{
	json_t *options = json_array();
	const struct ga_opt *o;

	for (; *tables; tables++)
		for (o = *tables; o->name; o++)
			json_array_append_new(options, introspect_option(o));
	return options;
}

static json_t *introspect_kinds(const struct ga_schema *const *kinds)
{
	json_t *list = json_array();

	for (; kinds && *kinds; kinds++)
		json_array_append_new(list, json_string((*kinds)->kind));
	return list;
}

void ga_cli_introspect(const struct ga_prog *prog)
{
	json_t *command = json_pack("{s:s, s:s, s:s, s:s*, s:o}", "name", prog->name, "version",
				    GA_VERSION, "description", prog->abstract, "arguments",
				    prog->args, "x-gpuaas.operands", ga_cli_operands(prog->args));
	json_t *doc = json_pack("{s:s, s:o}", "mediaType",
				"application/vnd.uapi-group.cli-introspection", "command", command);
	const struct ga_cmd *c;
	json_t *cmds = json_array();

	json_object_set_new(command, "options", introspect_options(ga_cli_tables(prog, NULL)));
	for (c = prog->cmds; c && c->name; c++) {
		json_t *sub = json_pack("{s:s, s:s, s:s*, s:o}", "name", c->name, "description",
					c->abstract, "arguments", c->args, "x-gpuaas.operands",
					ga_cli_operands(c->args));

		json_object_set_new(sub, "options", introspect_options(ga_cli_tables(prog, c)));
		json_array_append_new(cmds, sub);
	}
	json_object_set_new(command, "commands", cmds);
	json_object_set_new(command, "x-gpuaas.consumes", introspect_kinds(prog->consumes));
	json_object_set_new(command, "x-gpuaas.produces", introspect_kinds(prog->produces));
	json_dumpf(doc, stdout, JSON_INDENT(2));
	printf("\n");
	json_decref(doc);
}
