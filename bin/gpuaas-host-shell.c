/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-host-shell: limits the ssh key of another machine to a few commands on this machine.
 *
 * It is the forced command of the key (authorized_keys(5)): it splits SSH_ORIGINAL_COMMAND without
 * a shell and runs it if it is one of the role's programs. It refuses everything else.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/quote.h"
#include "base/texts.h"
#include "cli/frame/cli.h"

static const char *const roles[] = { "host", "controller", "nothing", NULL };
static const char *role = "host";

static const struct ga_opt opts[] = {
	{ .name = "role", .type = GA_O_WORD, .var = &role, .arg = "ROLE", .values = roles,
	  .help = "host: host programs; controller: only 'gpuaas-state fold -'; nothing: none" },
	GA_OPTS_END,
};

static const struct ga_prog prog = {
	.name = "gpuaas-host-shell",
	.abstract = "the forced command of an ssh key: host programs and nothing else",
	.opts = opts,
	.examples =
		(const char *const[]){ "restrict,command=\"gpuaas-host-shell\" ssh-ed25519 AAAA…",
				       NULL },
};

/* The operands (words that are no options) that a command accepts. */
enum operands {
	NONE,
	STREAM,	/* '-' or none: orders come on standard input, never from a file of the host */
	NAMES,	/* names of allocations and images, never a path */
	FILES,	/* the path of an image to add; the program only reads it */
	SESSION, /* an allocation, then the words for its guest */
};

/* The commands that a controller may run on a host. An option that takes a value ends with '='. The
 * list omits --device, --state, --user-data-dir and --node, which name a disk, a file or another
 * node. It also omits gpuaas-host-bootstrap: the person who sets up a machine logs in there. */
static const struct allowed {
	const char *program, *command; /* command NULL: no subcommand */
	enum operands operands;
	const char *options; /* " a b= " */
} allowed[] = {
	{ "gpuaas-discover", NULL, NONE, " explain " },
	{ "gpuaas-provision", NULL, STREAM, " dry-run jobs= progress= resume= " },
	{ "gpuaas-release", NULL, STREAM, " dry-run jobs= progress= " },
	{ "gpuaas-wipe", NULL, STREAM,
	  " certificate= dry-run jobs= pending progress= unanswered " },
	{ "gpuaas-reconcile", NULL, STREAM, " boot inventory plan repair take-over " },
	{ "gpuaas-vm", NULL, NONE, " " },
	{ "gpuaas-vm", "access", NAMES, " " },
	{ "gpuaas-vm", "console", NAMES, " " },
	{ "gpuaas-vm", "publish", NAMES, " dry-run port= proto= " },
	{ "gpuaas-vm", "published", NAMES, " " },
	{ "gpuaas-vm", "reboot", NAMES, " dry-run force progress= timeout= " },
	{ "gpuaas-vm", "rebuild", NAMES, " dry-run progress= timeout= yes " },
	{ "gpuaas-vm", "ssh", SESSION, " " },
	{ "gpuaas-vm", "start", NAMES, " dry-run progress= " },
	{ "gpuaas-vm", "stop", NAMES, " dry-run force progress= timeout= " },
	{ "gpuaas-vm", "unpublish", NAMES, " dry-run port= proto= " },
	{ "gpuaas-image", NULL, NONE, " " },
	{ "gpuaas-image", "add", FILES,
	  " copy digest= driver-version= firmware= name= probe= progress= ready= size= user= " },
	{ "gpuaas-image", "list", NAMES, " " },
	{ "gpuaas-image", "prewarm", STREAM, " from= progress= " },
	{ "gpuaas-image", "rm", NAMES, " digest= " },
	{ "gpuaas-image", "verify", NAMES, " all digest= progress= " },
};

static int refuse(struct ga_err *err, const char *line, const char *may)
{
	return ga_refuse(err, GA_DENIED, "not_allowed", NULL,
			 ("this key may not run '%.200s' here", line), ("it may run %s", may));
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

static const struct allowed *find(const struct ga_texts *w)
{
	const char *command = w->n > 1 && !is_option(w->v[1]) ? w->v[1] : NULL;
	const struct allowed *bare = NULL;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(allowed); i++) {
		if (!ga_streq(allowed[i].program, w->v[0]))
			continue;
		if (!allowed[i].command)
			bare = &allowed[i];
		else if (ga_streq(allowed[i].command, command))
			return &allowed[i];
	}
	return bare;
}

/* The words that an allowed option takes, by its full name; 0: it is not allowed. */
static size_t option_words(const struct allowed *a, const char *word)
{
	size_t len = strcspn(word, " =");
	ga_autofree char *flag = NULL, *valued = NULL;

	if (!ga_starts(word, "--") || word[len] == ' ')
		return ga_streq(word, "-h");
	flag = ga_xprintf(" %.*s ", (int)len - 2, word + 2);
	valued = ga_xprintf(" %.*s= ", (int)len - 2, word + 2);
	if (strstr(a->options, valued))
		return word[len] ? 1 : 2;
	return !word[len] && (strstr(a->options, flag) ||
			      strstr(" help introspect-cli json table version ", flag));
}

/* n: number of operands before this one. */
static bool operand_passes(const struct allowed *a, const char *word, size_t n)
{
	if (a->operands == STREAM)
		return !n && ga_streq(word, "-");
	if (a->operands == NAMES || (a->operands == SESSION && !n))
		return !is_option(word) && !strchr(word, '/');
	return a->operands != NONE;
}

static int check_host(const struct ga_texts *w, const char *line, struct ga_err *err)
{
	const struct allowed *a = find(w);
	bool only_operands = false;
	size_t i, n = 0, words;

	if (!a)
		return refuse(err, line, "gpuaas-discover, -provision, -release, -wipe, "
			      "-reconcile, -vm and -image");
	for (i = a->command ? 2 : 1; i < w->n; i += words) {
		words = 1;
		if (!only_operands && ga_streq(w->v[i], "--"))
			only_operands = true;
		else if (!only_operands && is_option(w->v[i]))
			words = option_words(a, w->v[i]);
		else
			words = operand_passes(a, w->v[i], n++);
		if (!words)
			return refuse(err, line, "host programs that read orders from standard "
				      "input, with the options and names of gpuaas-host-shell(8)");
	}
	return 0;
}

static int check_controller(const struct ga_texts *w, const char *line, struct ga_err *err)
{
	if (w->n == 3 && ga_streq(w->v[0], "gpuaas-state") && ga_streq(w->v[1], "fold") &&
	    ga_streq(w->v[2], "-"))
		return 0;
	return refuse(err, line, "'gpuaas-state fold -'");
}

/* Runs the program beside this one, else the one in the folders of the system. The environment
 * comes from sshd, except PATH: a user's ~/.ssh/environment could have set it. */
static int become(char **argv, struct ga_err *err)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	ga_autofree char *beside = NULL;
	char *slash;

	if (n <= 0)
		return ga_fail_sys(err, "cannot tell where this program is");
	self[n] = '\0';
	slash = strrchr(self, '/');
	beside = ga_xprintf("%.*s/%s", slash ? (int)(slash - self) : 0, self, argv[0]);
	unsetenv("SSH_ORIGINAL_COMMAND");
	setenv("PATH", ga_proc_path(), 1);
	execv(beside, argv);
	if (errno == ENOENT)
		ga_proc_exec((const char *const *)(uintptr_t)argv, environ);
	return ga_fail(err, errno == ENOENT ? GA_HOST : GA_SYSTEM, "cannot run '%s': %s", argv[0],
		       strerror(errno));
}

static int run(struct ga_err *err)
{
	const char *line = getenv("SSH_ORIGINAL_COMMAND");
	ga_autotexts struct ga_texts words = { 0 };
	int r;

	if (!line || !*line)
		return ga_fail_for(err, GA_DENIED, "not_allowed",
				   "there is no login for this key: it runs gpuaas programs");
	if (ga_streq(role, "nothing"))
		return refuse(err, line, "nothing");
	if (ga_quote_split(line, &words, err) < 0)
		return -1;
	if (!words.n)
		return refuse(err, line, "gpuaas programs");
	r = ga_streq(role, "controller") ? check_controller(&words, line, err) :
					   check_host(&words, line, err);
	if (r < 0)
		return -1;
	*(char **)ga_list_add(&words) = NULL;
	words.n--;
	return become(words.v, err);
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = run(&err);
	return ga_cli_finish(&prog, r, &err);
}
