/* SPDX-License-Identifier: Apache-2.0 */
/* --help and --introspect-cli, both from the tables of the program. */
#include "cli/frame/help.h"

#include <jansson.h>
#include <locale.h>

#include "cli/frame/cell.h"
#include "cli/frame/complete.h"
#include "cli/frame/ways.h"
#include "cli/frame/form.h"

#define COLUMNS 80
#define OPTION_HELP 31 /* columns in front of the help of an option */

static void add_kinds(const char *title, const struct ga_schema *const *kinds, struct ga_str *out)
{
	ga_autostr struct ga_str names = GA_STR_INIT;
	char name[32];

	for (; kinds && *kinds; kinds++)
		ga_str_addf(&names, "%s%s", names.len ? " " : "", ga_kind_short(*kinds, name));
	if (names.len)
		ga_form_fold(title, names.buf, 0, 0, COLUMNS, out);
}

/* Where a command line may be broken that has to end before the column limit: behind a pipe, or at
 * another space outside of quotation marks. 0: nowhere. */
static size_t break_of(const char *line, size_t limit)
{
	size_t i, space = 0, pipe = 0;
	char quote = '\0';

	for (i = 0; i < limit && line[i]; i++) {
		if (line[i] == '\'' || line[i] == '"')
			quote = !quote ? line[i] : quote == line[i] ? '\0' : quote;
		if (quote || line[i] != ' ' || !i)
			continue;
		space = i;
		if (line[i - 1] == '|')
			pipe = i;
	}
	return pipe > limit / 3 ? pipe : space;
}

/* A command that is too long goes on in the next line, as a shell reads it. */
static void add_example(const char *line, struct ga_str *out)
{
	int indent = 2;
	size_t n;

	while (ga_cell_width(line) + indent > COLUMNS &&
	       (n = break_of(line, (size_t)(COLUMNS - indent - 2)))) {
		ga_str_addf(out, "%*s%.*s%s\n", indent, "", (int)n, line,
			    line[n - 1] == '|' ? "" : " \\");
		line += n + 1;
		indent = 8;
	}
	ga_str_addf(out, "%*s%s\n", indent, "", line);
}

static void add_option(const struct ga_opt *o, struct ga_str *out)
{
	ga_autofree char *name =
		ga_xprintf("  %c%c%c --%s%s%s", o->short_name ? '-' : ' ',
			   o->short_name ? o->short_name : ' ', o->short_name ? ',' : ' ', o->name,
			   o->arg ? " " : "", o->arg ? o->arg : "");
	int width = ga_cell_width(name);
	ga_autofree char *lead = ga_xprintf("%s%*s", name, OPTION_HELP - width, "");

	if (width + 2 <= OPTION_HELP) {
		ga_form_fold(lead, o->help, 0, 0, COLUMNS, out);
	} else {
		ga_str_addf(out, "%s\n", name);
		ga_form_fold("", o->help, OPTION_HELP, 0, COLUMNS, out);
	}
}

void ga_cli_list_commands(const struct ga_prog *prog, struct ga_str *out)
{
	const struct ga_cmd *c;

	for (c = prog->cmds; c && c->name; c++) {
		ga_autofree char *lead = ga_xprintf("  %-14s ", c->name);

		ga_form_fold(lead, c->abstract, 0, 0, COLUMNS, out);
	}
}

/* Whether a command line runs the command ("gpuaas-node drain"), at its begin or behind a pipe. */
static bool is_of(const char *line, const char *command)
{
	const char *at = strstr(line, command);
	size_t n = strlen(command);

	while (at && at[n] && at[n] != ' ')
		at = strstr(at + n, command);
	return at != NULL;
}

void ga_cli_help(const struct ga_prog *prog, const struct ga_cmd *cmd)
{
	const char *args = cmd ? cmd->args : prog->args;
	ga_autofree char *name = ga_xprintf("%s%s%s", prog->name, cmd ? " " : "",
					    cmd ? cmd->name : "");
	ga_autofree char *title = ga_xprintf("%s - ", name);
	ga_autofree char *usage = ga_xprintf("usage: %s ", name);
	ga_autofree char *words = ga_xprintf("%s[OPTION…]%s%s",
					     prog->cmds && !cmd ? "COMMAND " : "", args ? " " : "",
					     args ? args : "");
	ga_autostr struct ga_str text = GA_STR_INIT;
	const struct ga_opt *const *t;
	const struct ga_opt *o;
	bool has_examples = cmd && cmd->example;
	size_t i;

	setlocale(LC_CTYPE, "C.UTF-8"); /* characters, not bytes, have widths */
	ga_form_fold(title, cmd ? cmd->abstract : prog->abstract, 0, 0, COLUMNS, &text);
	ga_str_add(&text, "\n");
	ga_form_fold(usage, words, 0, 0, COLUMNS, &text);
	if (prog->cmds && !cmd) {
		ga_str_add(&text, "\ncommands:\n");
		ga_cli_list_commands(prog, &text);
	}
	/* In front of the options, which are many. */
	if (has_examples) {
		ga_str_add(&text, "\nexamples:\n");
		add_example(cmd->example, &text);
	}
	for (i = 0; prog->examples && prog->examples[i]; i++) {
		if (cmd && !is_of(prog->examples[i], name))
			continue;
		if (!has_examples)
			ga_str_add(&text, "\nexamples:\n");
		has_examples = true;
		add_example(prog->examples[i], &text);
	}
	ga_str_add(&text, "\noptions:\n");
	for (t = ga_cli_tables(prog, cmd); *t; t++)
		for (o = *t; o->name; o++)
			if (ga_cli_is_offered(prog, cmd, o))
				add_option(o, &text);
	ga_str_add(&text, "\n");
	/* These are of all its commands together. */
	if (!cmd) {
		add_kinds("reads:  ", prog->consumes, &text);
		add_kinds("writes: ", prog->produces, &text);
	}
	ga_str_addf(&text, "%sman %s\n", !cmd && (prog->consumes || prog->produces) ? "\n" : "",
		    prog->name);
	fputs(text.buf, stdout);
}

static json_t *introspect_option(const struct ga_opt *o)
{
	static const char *const types[] = {
		[GA_O_FLAG] = "flag", [GA_O_TEXT] = "string",	  [GA_O_TEXTS] = "string",
		[GA_O_PERSON] = "string",
		[GA_O_PATH] = "path", [GA_O_INT] = "integer",	  [GA_O_SIZE] = "size",
		[GA_O_WORD] = "enum", [GA_O_DURATION] = "duration",
	};
	json_t *option = json_pack("{s:[], s:s, s:s}", "names", "description", o->help, "type",
				   types[o->values ? GA_O_WORD : o->type]);
	json_t *names = json_object_get(option, "names");
	const char *const *v;

	if (o->short_name)
		json_array_append_new(names, json_sprintf("-%c", o->short_name));
	json_array_append_new(names, json_sprintf("--%s", o->name));
	if (o->arg) {
		bool open = !o->values && (o->type == GA_O_TEXT || o->type == GA_O_TEXTS ||
					   o->type == GA_O_PERSON ||
					   o->type == GA_O_PATH);
		const char *means = open ? ga_cli_meaning(o->arg) : NULL;

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

static json_t *introspect_options(const struct ga_prog *prog, const struct ga_cmd *cmd)
{
	const struct ga_opt *const *tables = ga_cli_tables(prog, cmd);
	json_t *options = json_array();
	const struct ga_opt *o;

	for (; *tables; tables++)
		for (o = *tables; o->name; o++)
			if (ga_cli_is_offered(prog, cmd, o))
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

	json_object_set_new(command, "options", introspect_options(prog, NULL));
	for (c = prog->cmds; c && c->name; c++) {
		json_t *sub = json_pack("{s:s, s:s, s:s*, s:o}", "name", c->name, "description",
					c->abstract, "arguments", c->args, "x-gpuaas.operands",
					ga_cli_operands(c->args));

		json_object_set_new(sub, "options", introspect_options(prog, c));
		json_array_append_new(cmds, sub);
	}
	json_object_set_new(command, "commands", cmds);
	json_object_set_new(command, "x-gpuaas.consumes", introspect_kinds(prog->consumes));
	json_object_set_new(command, "x-gpuaas.produces", introspect_kinds(prog->produces));
	json_dumpf(doc, stdout, JSON_INDENT(2));
	printf("\n");
	json_decref(doc);
}
