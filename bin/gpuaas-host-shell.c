/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-host-shell: what the key of another machine may run here, and nothing else.
 *
 * The forced command of an ssh key (authorized_keys(5)): takes SSH_ORIGINAL_COMMAND apart without a
 * shell and runs it when it is one of the role's programs. Everything else is refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "proc.h"
#include "quote.h"

static const char *const roles[] = { "host", "controller", "nothing", NULL };
static const char *role = "host";

static const struct ga_opt opts[] = {
	{ .name = "role", .type = GA_O_WORD, .var = &role, .arg = "ROLE", .values = roles,
	  .help = "host: the host programs; controller: 'gpuaas-state fold -'; nothing" },
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

/* Not gpuaas-host-bootstrap: who prepares a machine logs in there. */
static const char *const host_programs[] = {
	"gpuaas-discover", "gpuaas-provision", "gpuaas-release", "gpuaas-wipe",
	"gpuaas-reconcile", "gpuaas-vm", "gpuaas-image", NULL,
};

static int refuse(struct ga_err *err, const char *line, const char *allowed)
{
	(void)ga_fail_for(err, GA_DENIED, "not_allowed", "this key may not run '%.200s' here",
			  line);
	return ga_hint(err, "it may run %s", allowed);
}

/* What tells a host program to act on other files than the host's own. */
static bool is_forbidden(const char *word)
{
	return ga_streq(word, "--state") || ga_starts(word, "--state=");
}

static int check_host(const struct ga_words *w, const char *line, struct ga_err *err)
{
	size_t i;

	for (i = 0; host_programs[i] && !ga_streq(host_programs[i], w->v[0]); i++)
		;
	if (!host_programs[i])
		return refuse(err, line, "the gpuaas host programs: gpuaas-discover, -provision, "
			      "-release, -wipe, -reconcile, -vm and -image");
	for (i = 1; i < w->n; i++)
		if (is_forbidden(w->v[i]))
			return refuse(err, line, "host programs without --state");
	return 0;
}

static int check_controller(const struct ga_words *w, const char *line, struct ga_err *err)
{
	if (w->n == 3 && ga_streq(w->v[0], "gpuaas-state") && ga_streq(w->v[1], "fold") &&
	    ga_streq(w->v[2], "-"))
		return 0;
	return refuse(err, line, "'gpuaas-state fold -'");
}

/* Beside this program, else in the folders of the system. The environment is sshd's own but for
 * PATH, which a user's ~/.ssh/environment could have set. */
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
	ga_autowords struct ga_words words = { 0 };
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
