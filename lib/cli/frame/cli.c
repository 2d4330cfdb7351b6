/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines: parsing by the option table, settings, and the end of every program. */
#include "cli/frame/cli.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/quote.h"
#include "base/texts.h"
#include "cli/frame/complete.h"
#include "cli/frame/emit.h"
#include "cli/frame/form.h"
#include "cli/frame/help.h"
#include "cli/frame/pager.h"
#include "record/log.h"
#include "record/closest.h"
#include "record/person.h"
#include "record/size.h"
#include "record/time.h"
#include "state/db/writers_queue.h"

#define CONF "/etc/gpuaas/gpuaas.conf"

static struct {
	const struct ga_prog *prog;
	const struct ga_cmd *cmd;
	char **args;
	int n_args;
	struct ga_str conf; /* /etc/gpuaas/gpuaas.conf */
	struct ga_texts values; /* owns the values of settings that callers have */
	const char *state;
	const char *form, *columns, *sort;
	char form_as[12]; /* the option of form as it was typed */
	bool json, table, no_pager, help, version, introspect;
	struct ga_texts next; /* of ga_cli_next */
} cli = { .conf = GA_STR_INIT };

/* The words of -o: ga_form_words, then those of the program. */
static const char *forms[10];

static const struct ga_opt common_opts[] = {
	{ .short_name = 'o', .name = "format", .type = GA_O_WORD, .var = &cli.form, .arg = "FORM",
	  .values = forms,
	  .help = "json, table, wide (a table with all columns), csv or name (default: a table "
		  "on a terminal, else json)" },
	{ .name = "columns", .type = GA_O_TEXT, .var = &cli.columns, .arg = "COLUMN,…",
	  .help = "the columns of the table or CSV, by title or member" },
	{ .name = "sort", .type = GA_O_TEXT, .var = &cli.sort, .arg = "[-]MEMBER",
	  .help = "sort the records of each kind; with -: the highest first" },
	{ .name = "json", .type = GA_O_FLAG, .var = &cli.json,
	  .help = "records on stdout, also on a terminal" },
	{ .name = "table", .type = GA_O_FLAG, .var = &cli.table,
	  .help = "a table on stdout, also in a pipe" },
	{ .name = "no-pager", .type = GA_O_FLAG, .var = &cli.no_pager,
	  .help = "show long output without a pager" },
	{ .short_name = 'h', .name = "help", .type = GA_O_FLAG, .var = &cli.help,
	  .help = "show this help" },
	{ .name = "version", .type = GA_O_FLAG, .var = &cli.version, .help = "show the version" },
	{ .name = "introspect-cli", .type = GA_O_FLAG, .var = &cli.introspect,
	  .help = "describe this command line as JSON" },
	GA_OPTS_END,
};

bool ga_cli_is_offered(const struct ga_prog *prog, const struct ga_cmd *cmd, const struct ga_opt *o)
{
	const struct ga_schema *prints = cmd ? cmd->prints : prog->prints;
	bool of_records = o->var == &cli.form || o->var == &cli.columns || o->var == &cli.sort ||
			  o->var == &cli.json || o->var == &cli.table;

	return prints != &ga_prints_text || !of_records;
}

static const struct ga_opt state_opts[] = {
	{ .name = "state", .type = GA_O_PATH, .var = &cli.state, .arg = "FILE",
	  .help = "the state file (default $GPUAAS_STATE, /var/lib/gpuaas/state.db)" },
	GA_OPTS_END,
};

const struct ga_opt *const *ga_cli_tables(const struct ga_prog *prog, const struct ga_cmd *cmd)
{
	static const struct ga_opt *tables[5];
	const char *const *more = prog->forms;
	size_t n;

	for (n = 0; ga_form_words[n]; n++)
		forms[n] = ga_form_words[n];
	for (; more && *more; more++)
		forms[n++] = *more;
	n = 0;
	memset(tables, 0, sizeof(tables));
	if (cmd && cmd->opts)
		tables[n++] = cmd->opts;
	if (prog->opts)
		tables[n++] = prog->opts;
	if (prog->needs_state)
		tables[n++] = state_opts;
	tables[n] = common_opts;
	return tables;
}

const struct ga_opt *ga_cli_find_opt(const struct ga_prog *prog, const struct ga_cmd *cmd,
				     const char *name, size_t len, char short_name)
{
	const struct ga_opt *const *t = ga_cli_tables(prog, cmd);
	const struct ga_opt *o;

	for (; *t; t++)
		for (o = *t; o->name; o++)
			if (name ? strlen(o->name) == len && !strncmp(o->name, name, len) :
				   o->short_name == short_name)
				return o;
	return NULL;
}

/* before is a text in front of the hint, or "" */
static int hint_help(const char *before, struct ga_err *err)
{
	return ga_hint(err, "%ssee '%s%s%s --help'", before, cli.prog->name, cli.cmd ? " " : "",
		       cli.cmd ? cli.cmd->name : "");
}

/* Names the nearest one alone. */
static int hint_near(struct ga_closest_names *near, struct ga_err *err)
{
	ga_autofree char *nearest = NULL;

	near->n = near->n > 0;
	nearest = ga_closest_hint(near);
	return hint_help(nearest, err);
}

int ga_cli_is_word(const char *as, const char *value, const char *const *words, struct ga_err *err)
{
	ga_autostr struct ga_str list = GA_STR_INIT;
	struct ga_closest_names near;
	const char *const *v;

	for (v = words; *v; v++) {
		if (ga_streq(*v, value))
			return 0;
		ga_str_addf(&list, "%s%s", list.len ? ", " : "", *v);
	}
	ga_closest_begin(&near, value);
	ga_closest_words(&near, words);
	ga_err_set(err, GA_USAGE, "%s takes one of %s, not '%.64s'", as, list.buf, value);
	return near.n ? hint_near(&near, err) : -1;
}

static int set_opt(const struct ga_opt *o, const char *as, char *value, struct ga_err *err)
{
	switch (o->type) {
	case GA_O_FLAG:
		*(bool *)o->var = true;
		return 0;
	case GA_O_PERSON:
		if (ga_person_check(as, value, GA_USAGE, err) < 0)
			return -1;
		*(const char **)o->var = value;
		return 0;
	case GA_O_TEXT:
	case GA_O_PATH:
		*(const char **)o->var = value;
		return 0;
	case GA_O_TEXTS:
		if (o->values && ga_cli_is_word(as, value, o->values, err) < 0)
			return -1;
		*ga_list_add((struct ga_borrowed_texts *)o->var) = value;
		return 0;
	case GA_O_INT:
		return ga_int_parse(value, as, o->min, o->max, o->var, err);
	case GA_O_SIZE:
		if (ga_size_parse(value, o->var, err) < 0)
			return ga_wrap(err, "%s", as);
		return 0;
	case GA_O_DURATION:
		if (ga_duration_parse(value, o->var, err) < 0)
			return ga_wrap(err, "%s", as);
		return 0;
	case GA_O_WORD:
		if (o->var == &cli.form)
			snprintf(cli.form_as, sizeof(cli.form_as), "%s", as);
		if (ga_cli_is_word(as, value, o->values, err) < 0)
			return -1;
		*(const char **)o->var = value;
		return 0;
	}
	return 0;
}

/* The option of this program for a time that another program gives another name; NULL: none. */
static const char *same_time(const char *name)
{
	static const char *const pairs[][2] = { { "--since", "from" }, { "--from", "since" },
						{ "--until", "to" },   { "--to", "until" } };
	const struct ga_opt *o;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(pairs); i++) {
		if (strcmp(pairs[i][0], name) != 0)
			continue;
		o = ga_cli_find_opt(cli.prog, cli.cmd, pairs[i][1], strlen(pairs[i][1]), 0);
		return o && ga_streq(o->arg, "TIME") ? o->name : NULL;
	}
	return NULL;
}

static int unknown_option(const char *arg, size_t len, struct ga_err *err)
{
	const struct ga_opt *const *t = ga_cli_tables(cli.prog, cli.cmd);
	ga_autofree char *name = ga_xstrndup(arg, len);
	const struct ga_opt *o;
	struct ga_closest_names near;

	ga_closest_begin(&near, name);
	for (; len > 2 && *t; t++)
		for (o = *t; o->name; o++)
			ga_closest_word(&near, o->name);
	ga_err_set(err, GA_USAGE, "unknown option '%.64s'", name);
	if (same_time(name))
		return ga_hint(err, "here --%s has that meaning", same_time(name));
	near.before = "--";
	return hint_near(&near, err);
}

/* Shows every command of the program, with a line each. */
static int hint_commands(struct ga_err *err)
{
	ga_autostr struct ga_str list = GA_STR_INIT;

	if (!cli.prog->cmds)
		return hint_help("", err);
	ga_cli_list_commands(cli.prog, &list);
	list.buf[list.len - 1] = '\0'; /* the last newline */
	return ga_hint(err, "'%s COMMAND --help' shows its options\n%s", cli.prog->name, list.buf);
}

int ga_cli_unknown_command(const char *name, const char *const *words, struct ga_err *err)
{
	const struct ga_cmd *c;
	struct ga_closest_names near;

	ga_closest_begin(&near, name);
	for (c = cli.prog->cmds; c && c->name; c++)
		ga_closest_word(&near, c->name);
	ga_closest_words(&near, words);
	ga_err_set(err, GA_USAGE, "unknown command '%.64s'", name);
	return near.n ? hint_near(&near, err) : hint_commands(err);
}

/* Takes the option at argv[*i]; its value may be the next argument. */
static int take_option(int argc, char **argv, int *i, struct ga_err *err)
{
	char *arg = argv[*i], *value = NULL;
	ga_autofree char *as = NULL; /* as it was typed */
	bool is_long = arg[1] == '-';
	size_t len = is_long ? strcspn(arg + 2, "=") : 1;
	const struct ga_opt *o = ga_cli_find_opt(cli.prog, cli.cmd, is_long ? arg + 2 : NULL, len,
						 is_long ? 0 : arg[1]);

	if (!o)
		return unknown_option(arg, is_long ? len + 2 : 2, err);
	if (is_long && arg[2 + len] == '=')
		value = arg + 3 + len;
	else if (!is_long && arg[2])
		value = arg + 2;
	as = is_long ? ga_xprintf("--%s", o->name) : ga_xprintf("-%c", o->short_name);
	if (o->type == GA_O_FLAG && value)
		return ga_fail(err, GA_USAGE, "option '%s' takes no value", as);
	if (o->type != GA_O_FLAG && !value) {
		if (*i + 1 >= argc)
			return ga_fail(err, GA_USAGE, "option '%s' needs %s", as, o->arg);
		value = argv[++*i];
	}
	return set_opt(o, as, value, err);
}

static int take_command(const char *name, struct ga_err *err)
{
	const struct ga_cmd *c;

	for (c = cli.prog->cmds; c->name; c++) {
		if (ga_streq(c->name, name)) {
			cli.cmd = c;
			return 0;
		}
	}
	return ga_cli_unknown_command(name, NULL, err);
}

static int parse_args(int argc, char **argv, struct ga_err *err)
{
	bool only_operands = false;
	int i;

	cli.args = ga_xcalloc((size_t)argc + 1, sizeof(*cli.args));
	for (i = 1; i < argc; i++) {
		if (!only_operands && ga_streq(argv[i], "--")) {
			only_operands = true;
		} else if (!only_operands && argv[i][0] == '-' && argv[i][1]) {
			if (take_option(argc, argv, &i, err) < 0)
				return -1;
		} else if (cli.prog->cmds && !cli.cmd) {
			if (take_command(argv[i], err) < 0)
				return -1;
		} else {
			cli.args[cli.n_args++] = argv[i];
			only_operands = only_operands || cli.prog->runs_command;
		}
	}
	return 0;
}

static int check_operands(struct ga_err *err)
{
	int min = cli.cmd ? cli.cmd->args_min : cli.prog->args_min;
	int max = cli.cmd ? cli.cmd->args_max : cli.prog->args_max;
	const char *args = cli.cmd ? cli.cmd->args : cli.prog->args;

	if (cli.prog->cmds && !cli.cmd) {
		ga_err_set(err, GA_USAGE, "a command is missing");
		return hint_commands(err);
	}
	if (cli.n_args < min) {
		ga_err_set(err, GA_USAGE, "%s is missing", args ? args : "an operand");
		return hint_help("", err);
	}
	if (max >= 0 && cli.n_args > max) {
		ga_autofree char *where = ga_command("--where %s", cli.args[max]);

		ga_err_set(err, GA_USAGE, "unexpected operand '%.64s'", cli.args[max]);
		return strpbrk(cli.args[max], "=<>") &&
				       ga_cli_find_opt(cli.prog, cli.cmd, "where", 5, 0) ?
			       ga_hint(err, "a condition stands behind --where: %s", where) :
			       -1;
	}
	if (cli.json && cli.table)
		return ga_fail(err, GA_USAGE, "--json and --table exclude each other");
	if (cli.form && (cli.json || cli.table) && strcmp(cli.form, ga_cli_form()))
		return ga_fail(err, GA_USAGE, "%s %s and --%s exclude each other",
			       cli.form_as, cli.form, ga_cli_form());
	return 0;
}

/* Whether --dry-run was given; programs and commands that can do without a change have it. */
static bool is_dry_run(void)
{
	const struct ga_opt *o = ga_cli_find_opt(cli.prog, cli.cmd, "dry-run", strlen("dry-run"),
						 0);

	return o && o->type == GA_O_FLAG && *(const bool *)o->var;
}

/* The value of KEY=VALUE in the configuration, as a text that lives as long as the program. */
static const char *config_value(const char *key)
{
	size_t len = strlen(key);
	const char *p = cli.conf.buf;

	while (*p) {
		size_t line = strcspn(p, "\n");

		if (line > len && !strncmp(p, key, len) && p[len] == '=')
			return *ga_list_add(&cli.values) =
				       ga_xstrndup(p + len + 1, line - len - 1);
		p += line + (p[line] == '\n');
	}
	return NULL;
}

const char *ga_cli_form(void)
{
	return cli.json ? "json" : cli.table ? "table" : cli.form;
}

const char *ga_cli_setting(const char *key, const char *fallback)
{
	const char *value = secure_getenv(key);

	if (value && *value)
		return value;
	value = config_value(key);
	return value && *value ? value : fallback;
}

int ga_cli_when(const char *option, const char *text, bool ahead, char out[GA_TIME_SIZE],
		struct ga_err *err)
{
	struct ga_when when;

	if (ga_when_parse(text, ga_clock_micros(), ahead, &when, err) < 0)
		return ga_wrap(err, "%s", option);
	ga_time_format(when.since, out);
	return 0;
}

int ga_cli_stale_after(int64_t *ret, struct ga_err *err)
{
	if (ga_duration_parse(ga_cli_setting("GPUAAS_STALE_AFTER", "24h"), ret, err) < 0)
		return ga_wrap(err, "GPUAAS_STALE_AFTER");
	return 0;
}

const char *ga_cli_configured(const char *key, const char *fallback)
{
	const char *value = config_value(key);

	return value && *value ? value : fallback;
}

/* The settings that gpuaas.conf may contain (gpuaas(7), ENVIRONMENT). */
static const char *const settings[] = {
	"GPUAAS_ACCELERATORS", "GPUAAS_ACCELERATORS_DIR", "GPUAAS_BACKUPS",
	"GPUAAS_BAREMETAL_DIR", "GPUAAS_BRIDGE", "GPUAAS_CURRENCY", "GPUAAS_DEADLINE",
	"GPUAAS_DHCP_HOSTS", "GPUAAS_ERRORS", "GPUAAS_ESTIMATORS_DIR", "GPUAAS_FABRIC_ADDRESS",
	"GPUAAS_FABRIC_MANAGER", "GPUAAS_GPU_SCRUB_DIR", "GPUAAS_HOST_DIR", "GPUAAS_IMAGES",
	"GPUAAS_LEASES", "GPUAAS_LIBNVFM", "GPUAAS_LIBVIRT_URI", "GPUAAS_LOG", "GPUAAS_MODE",
	"GPUAAS_NETWORK", "GPUAAS_NODE", "GPUAAS_NOTIFY_DIR", "GPUAAS_PAGER", "GPUAAS_PATH",
	"GPUAAS_PROVIDER", "GPUAAS_PUBLISHED", "GPUAAS_RESERVED_CPUS", "GPUAAS_RESERVED_MEMORY",
	"GPUAAS_SSH", "GPUAAS_STALE_AFTER", "GPUAAS_STATE", "GPUAAS_UPLINK", NULL,
};

static bool is_setting(const char *name)
{
	const char *const *s = settings;

	while (*s && strcmp(*s, name) != 0)
		s++;
	return *s;
}

static void say_unknown_setting(int line, const char *name)
{
	ga_autofree char *end = NULL;
	struct ga_closest_names near;

	ga_closest_begin(&near, name);
	ga_closest_words(&near, settings);
	end = ga_closest_end(&near);
	ga_say("%s: warning: line %d of '" CONF "' has no effect: there is no setting '%.64s'%s",
	       cli.prog->name, line, name, end);
}

/* Warns of lines that set nothing, so that a mistyped name is noticed. The warning omits the value,
 * which may be a secret. */
static void say_unknown_settings(void)
{
	const char *p = cli.conf.buf;
	int number = 1;

	for (size_t len; p && *p; p += len + (p[len] == '\n'), number++) {
		ga_autofree char *name = NULL;

		len = strcspn(p, "\n");
		if (!len || *p == '#' || strspn(p, " \t\r") >= len)
			continue;
		name = ga_xstrndup(p, strcspn(p, "=\n"));
		if (strlen(name) == len)
			ga_say("%s: warning: line %d of '" CONF "' has no effect: it is no "
			       "KEY=VALUE", cli.prog->name, number);
		else if (!is_setting(name))
			say_unknown_setting(number, name);
	}
}

/* A file that this user cannot read counts as empty. */
int ga_cli_read_config(struct ga_err *err)
{
	static const char name[] = CONF;
	ga_autofd int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	const char *path;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT || errno == EACCES || errno == ENOTDIR ?
			       0 :
			       ga_fail_sys(err, "cannot open '%s'", name);
	if (fstat(fd, &st) < 0)
		return ga_fail_sys(err, "cannot look at '%s'", name);
	/* The file decides which programs root runs, and on which state. */
	if (!S_ISREG(st.st_mode) || st.st_uid || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return ga_refuse(err, GA_DENIED, NULL, NULL,
				 ("'%s' must be a regular file that only root can change: it is "
				  "not read", name),
				 ("chown root %s; chmod go-w %s", name, name));
	if (ga_file_read_fd(fd, name, 65536, &cli.conf, err) < 0)
		return -1;
	path = ga_cli_configured("GPUAAS_PATH", NULL);
	return path && ga_proc_set_path(path, err) < 0 ?
		       ga_wrap(err, "GPUAAS_PATH of '%s'", name) :
		       0;
}

static bool only_looks(void)
{
	const char *p = cli.prog->looks, *name = cli.cmd ? cli.cmd->name : "*";

	for (; p && *p; p += strcspn(p, " "), p += *p == ' ')
		if (*p == '*' || (strcspn(p, " ") == strlen(name) && ga_starts(p, name)))
			return true;
	return false;
}

/* Whether this command line changes nothing. */
static bool changes_nothing(void)
{
	const struct ga_opt *const *t = ga_cli_tables(cli.prog, cli.cmd);
	const struct ga_opt *o;

	for (; *t; t++)
		for (o = *t; o->name; o++)
			if (o->looks && *(const bool *)o->var)
				return true;
	return only_looks() || is_dry_run();
}

static const struct ga_schema *printed_by_option(const struct ga_opt *o)
{
	for (; o && o->name; o++)
		if (o->prints && (o->type == GA_O_FLAG ? *(const bool *)o->var :
						 *(const char **)o->var != NULL))
			return o->prints;
	return NULL;
}

/* The only kind that this command line prints; NULL: any that the program writes. */
static const struct ga_schema *printed_kind(void)
{
	const struct ga_schema *kind = printed_by_option(cli.prog->opts);

	if (kind)
		return kind;
	if (cli.prog->kinds)
		return cli.n_args ? ga_cli_listed(cli.prog, cli.args[0]) : NULL;
	if (!cli.cmd)
		return cli.prog->prints;
	kind = printed_by_option(cli.cmd->opts);
	if (kind)
		return kind;
	return cli.n_args && ga_streq(cli.cmd->word, cli.args[0]) ? cli.cmd->word_prints :
								      cli.cmd->prints;
}

int ga_cli_parse(const struct ga_prog *prog, int argc, char **argv, struct ga_err *err)
{
	const struct ga_schema *only[] = { NULL, NULL };
	const char *log;
	int64_t seconds;
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDWR };
	int fd;

	umask(077);
	ga_proc_own_signals();
	cli.prog = prog;
	/* If descriptor 0, 1 or 2 is closed, open /dev/null with the wrong access mode, so that
	 * reading orders and writing records fail instead of silently succeeding. Programs that do
	 * not read standard input are not affected. With a closed stderr, messages are lost. */
	for (fd = 0; fd < (int)GA_ARRAY_SIZE(modes); fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) < 0)
			return ga_fail_sys(err, "cannot open '/dev/null'");
	if (ga_cli_read_config(err) < 0)
		return -1;
	if (argc > 1 && ga_streq(argv[1], GA_COMPLETE))
		return ga_cli_complete(prog, argv + 2, argc - 2), 0;
	say_unknown_settings();
	signal(SIGXFSZ, SIG_IGN); /* then a write beyond 'ulimit -f' fails with an error */
	log = ga_cli_setting("GPUAAS_LOG", "off");
	ga_log_set(ga_streq(log, "debug") ? GA_LOG_DEBUG :
		   ga_streq(log, "info")  ? GA_LOG_INFO :
					    GA_LOG_OFF);
	if (parse_args(argc, argv, err) < 0)
		return -1;
	if (prog->acts && !changes_nothing())
		signal(SIGPIPE, SIG_IGN);
	if (ga_int_parse(ga_cli_setting("GPUAAS_DEADLINE", "10"), "GPUAAS_DEADLINE", 0, 86400,
			 &seconds, err) < 0)
		return -1;
	ga_writers_queue_set_deadline(seconds);
	only[0] = printed_kind();
	if (ga_form_choose(ga_cli_form(), cli.columns, cli.sort, only[0] ? only : prog->produces,
			   err) < 0)
		return -1;
	ga_emit_open(!prog->acts, only_looks());
	if (cli.help) {
		if (!cli.no_pager)
			ga_pager_begin();
		return ga_cli_help(prog, cli.cmd), 0;
	}
	if (cli.version) {
		ga_autofree char *text = ga_xprintf("%s %s\n", prog->name, GA_VERSION);

		return ga_print_text(text), 0;
	}
	if (cli.introspect)
		return ga_cli_introspect(prog), 0;
	if (check_operands(err) < 0)
		return -1;
	if (is_dry_run()) {
		ga_emit_dry_run();
		ga_say("%s: dry run: nothing is changed", prog->name);
	}
	if (!cli.no_pager && only_looks())
		ga_pager_begin();
	return 1;
}

/* The message may quote text from outside, so control characters are replaced. */
static void print_error(const struct ga_prog *prog, const struct ga_err *err)
{
	if (ga_streq(ga_cli_setting("GPUAAS_ERRORS", "text"), "json")) {
		ga_emit_error(prog->name, err);
		return;
	}
	ga_say("%s: %s", prog->name, err->msg);
	if (err->hint[0])
		ga_say("%s: hint: %s", prog->name, err->hint);
}

void ga_cli_say_error(const struct ga_err *err)
{
	print_error(cli.prog, err);
	ga_cli_note_status((int)err->code);
}

int ga_cli_confirm(const char *allocation, const char *name, struct ga_err *err)
{
	char typed[128] = "";

	ga_say("everything on the disks of %s%s%s%s will be destroyed", allocation,
	       name ? " (" : "", name ? name : "", name ? ")" : "");
	ga_say("type its %s to go on:", name ? "name" : "id");
	if (!fgets(typed, sizeof(typed), stdin))
		typed[0] = '\0';
	typed[strcspn(typed, "\n")] = '\0';
	return ga_streq(typed, name ? name : allocation) ?
		       0 :
		       ga_fail(err, GA_NO, "nothing was done: that is not the name of '%s'",
			       allocation);
}

void ga_cli_next(const char *fmt, ...)
{
	ga_autofree char *line = NULL;
	va_list ap;

	if (!isatty(STDOUT_FILENO))
		return;
	va_start(ap, fmt);
	line = ga_xvprintf(fmt, ap);
	va_end(ap);
	if (!ga_texts_has(&cli.next, line))
		ga_texts_add(&cli.next, line);
}

int ga_cli_finish(const struct ga_prog *prog, int r, struct ga_err *err)
{
	struct ga_err out = GA_ERR_INIT;
	bool full;
	int status;
	size_t i;

	ga_cli_progress_end();
	full = ga_emit_close(&out) < 0;
	for (i = 0; i < cli.next.n; i++)
		ga_say("%s", cli.next.v[i]);
	if (r < 0)
		print_error(prog, err);
	else
		ga_cli_stream_say();
	/* An error of reason "stdout" says it already. */
	if (full && (r >= 0 || !ga_streq(err->reason, out.reason)))
		print_error(prog, &out);
	if (full && r >= 0) {
		*err = out;
		r = -1;
	}
	status = r < 0 ? (int)err->code : ga_emit_status() ? ga_emit_status() : r;
	ga_str_release(&cli.conf);
	ga_texts_release(&cli.next);
	free(cli.args);
	return status;
}

char *const *ga_cli_args(int *n)
{
	*n = cli.n_args;
	return cli.args;
}

const struct ga_cmd *ga_cli_command(void)
{
	return cli.cmd;
}

const char *ga_cli_program(void)
{
	return cli.prog->name;
}

const char *ga_cli_state_path(void)
{
	return cli.state ? cli.state : ga_cli_setting("GPUAAS_STATE", "/var/lib/gpuaas/state.db");
}

bool ga_cli_state_named(void)
{
	return cli.state != NULL;
}

char *ga_cli_own_folder(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	slash = strrchr(path, '/');
	return slash ? ga_xstrndup(path, (size_t)(slash - path)) : NULL;
}

char *ga_cli_own_share(const char *name)
{
	static const char *const places[] = { "../share/gpuaas", "../../share" };
	ga_autofree char *own = ga_cli_own_folder();
	size_t i;

	for (i = 0; own && i < GA_ARRAY_SIZE(places); i++) {
		ga_autofree char *path = ga_xprintf("%s/%s/%s", own, places[i], name);
		ga_autofree char *real = realpath(path, NULL);

		if (real)
			return GA_TAKE(real);
	}
	return ga_xprintf("%s/%s", GA_SHARE_DIR, name);
}

char *ga_cli_beside(const char *program)
{
	ga_autofree char *own = ga_cli_own_folder();
	ga_autofree char *beside = own ? ga_xprintf("%s/%s", own, program) : NULL;

	return beside && !access(beside, X_OK) ? GA_TAKE(beside) : ga_xstrdup(program);
}

const char *ga_cli_host_dir(void)
{
	return ga_cli_setting("GPUAAS_HOST_DIR", "/var/lib/gpuaas/host");
}

const char *ga_cli_images_dir(void)
{
	return ga_cli_setting("GPUAAS_IMAGES", "/var/lib/gpuaas/images");
}

int ga_cli_may_replace(const char *path, struct ga_err *err)
{
	if (!strcmp(path, "-"))
		return ga_fail(err, GA_USAGE, "--output takes a file: without it all goes to "
					      "standard output");
	return ga_file_may_replace(path, ga_cli_state_path(), err);
}

int ga_cli_open(const char *operand, struct ga_err *err)
{
	struct stat st;
	int fd;

	if (ga_streq(operand, "-"))
		return 0;
	fd = ga_file_open(operand, err);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISBLK(st.st_mode)) {
		ga_cleanup_fd(&fd);
		return ga_fail_for(err, GA_USAGE, "is_disk", "'%s' is a disk, and records are read "
				   "from a file or a pipe", operand);
	}
	return fd;
}

int ga_cli_need_pipe(const char *what, struct ga_err *err)
{
	if (!isatty(STDIN_FILENO))
		return 0;
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("%s are read from a pipe, and standard input is a terminal", what),
			 ("see '%s --help' for examples", cli.prog->name));
}
