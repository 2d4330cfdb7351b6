/* SPDX-License-Identifier: Apache-2.0 */
/* ssh(1): its command line and its exit status. */
#include "act/device/ssh.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quote.h"

/* ssh adds 40 digits of %C and, for a moment, a dot and 16 letters; a socket's path has 108. */
#define FOLDER_MAX 48

/* NULL when the folder exists and is only ours, else the reason. */
static char *own_folder(const char *path)
{
	struct stat st;

	if (strlen(path) > FOLDER_MAX)
		return ga_xprintf("'%s' is too long for the path of a socket", path);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return ga_xprintf("cannot make '%s': %s", path, strerror(errno));
	if (lstat(path, &st) < 0)
		return ga_xprintf("cannot look at '%s': %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 077)
		return ga_xprintf("'%s' is not a folder that only this user can enter", path);
	return NULL;
}

void ga_ssh_share(struct ga_ssh *ssh, char **why)
{
	const char *run = secure_getenv("XDG_RUNTIME_DIR");
	ga_autofree char *path = NULL;

	if (run && run[0] == '/')
		path = ga_xprintf("%s/gpuaas-on", run);
	else if (!geteuid())
		path = ga_xstrdup("/run/gpuaas-on");
	else
		path = ga_xprintf("/tmp/gpuaas-on-%u", (unsigned int)geteuid());
	*why = own_folder(path);
	if (!*why)
		ssh->sockets = GA_TAKE(path);
}

void ga_ssh_release(struct ga_ssh *ssh)
{
	free(GA_TAKE(ssh->sockets));
}

/* The environment that ssh gets from us: where its files and the agent are. */
static void pass_environment(char *env[static 6])
{
	static const char *const names[] = { "HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK",
					     "KRB5CCNAME" };
	size_t i, n = 0;

	for (i = 0; i < GA_ARRAY_SIZE(names); i++) {
		const char *value = secure_getenv(names[i]);

		if (value)
			env[n++] = ga_xprintf("%s=%s", names[i], value);
	}
	env[n] = NULL;
}

int ga_ssh_start(const struct ga_ssh *ssh, const char *address, const char *command,
		 bool with_input, struct ga_child *ret, struct ga_err *err)
{
	ga_autofree char *connect = ga_xprintf("ConnectTimeout=%lld",
					       (long long)ssh->connect_seconds);
	ga_autofree char *path = ga_xprintf("ControlPath=%s%s", ssh->sockets ? ssh->sockets : "",
					    ssh->sockets ? "/%C" : "none");
	const char *const argv[] = {
		ssh->program, "-T", "-a", "-x", "-e", "none",
		"-o", "BatchMode=yes",
		"-o", connect,
		"-o", "ServerAliveInterval=15",
		"-o", "ServerAliveCountMax=3",
		"-o", "ClearAllForwardings=yes",
		"-o", "PermitLocalCommand=no",
		"-o", ssh->sockets ? "ControlMaster=auto" : "ControlMaster=no",
		"-o", "ControlPersist=60",
		"-o", path,
		"--", address, command, NULL,
	};
	char *env[6];
	const struct ga_proc p = { .argv = argv, .env = (const char *const *)env,
				   .input = with_input ? "" : NULL };
	size_t i;
	int r;

	if (!ga_is_address(address))
		return ga_fail_for(err, GA_USAGE, "address", "'%.80s' is no address for ssh",
				   address);
	pass_environment(env);
	r = ga_proc_start(&p, ret, err);
	for (i = 0; env[i]; i++)
		free(env[i]);
	return r;
}

/* Sentences of ssh, unchanged in its versions for twenty years. */
static const struct ssh_sentence {
	const char *text;
	enum ga_code code;
	const char *reason, *meaning, *hint;
} sentences[] = {
	{ "REMOTE HOST IDENTIFICATION HAS CHANGED", GA_DENIED, "host_key",
	  "its host key has changed",
	  "find out why before the old key is removed from known_hosts" },
	{ "Host key verification failed", GA_DENIED, "host_key",
	  "its host key is not in this user's known_hosts",
	  "compare the key with the host's own, then put it into ~/.ssh/known_hosts" },
	{ "Permission denied", GA_DENIED, "login_denied", "it does not accept this user's keys",
	  "put the controller's public key into authorized_keys there" },
	{ "Too many authentication failures", GA_DENIED, "login_denied",
	  "it does not accept this user's keys",
	  "name the key for this host in ~/.ssh/config (IdentitiesOnly yes)" },
	{ "Could not resolve hostname", GA_NOTFOUND, "unknown_address",
	  "its address cannot be resolved", "correct the address of the node" },
	{ "Connection refused", GA_EXTERNAL, "connection_refused", "it refuses connections",
	  "check that sshd runs there" },
	{ "timed out", GA_BUSY, "unreachable", "it does not answer", "check that it is up" },
	{ "No route to host", GA_EXTERNAL, "unreachable", "there is no route to it",
	  "check that it is up, and the network to it" },
	{ "Network is unreachable", GA_EXTERNAL, "unreachable", "there is no route to it",
	  "check the network of this machine" },
	{ "Timeout, server", GA_EXTERNAL, "connection_lost", "the connection died",
	  NULL },
	{ "Connection closed", GA_EXTERNAL, "connection_lost", "the connection was closed", NULL },
	{ "Connection reset", GA_EXTERNAL, "connection_lost", "the connection was reset", NULL },
	{ "closed by remote host", GA_EXTERNAL, "connection_lost", "the connection was closed",
	  NULL },
	{ "Broken pipe", GA_EXTERNAL, "connection_lost", "the connection broke", NULL },
};

/* The last line that is not empty, shortened. */
static void last_line(const char *said, char *out, size_t size)
{
	size_t len = strlen(said), start;

	while (len && isspace((unsigned char)said[len - 1]))
		len--;
	for (start = len; start && said[start - 1] != '\n'; start--)
		;
	snprintf(out, size, "%.*s", (int)(len - start), said + start);
}

static int connection_failed(const char *said, bool had_output, struct ga_err *err)
{
	char line[200];
	size_t i;

	last_line(said, line, sizeof(line));
	for (i = 0; i < GA_ARRAY_SIZE(sentences); i++) {
		const struct ssh_sentence *s = &sentences[i];

		/* Output of the command must not pass for a sentence of ssh before its
		 * connection. */
		if (!strstr(said, s->text) || (had_output && !ga_streq(s->reason,
								       "connection_lost")))
			continue;
		return ga_refuse(err, s->code, s->reason, NULL, ("%s: %s", s->meaning, line),
				 ("%s", s->hint ? s->hint : ""));
	}
	return ga_fail_for(err, GA_EXTERNAL, had_output ? "connection_lost" : "connection_failed",
			   "the connection failed: %s", line[0] ? line : "ssh printed nothing");
}

int ga_ssh_verdict(int status, const char *said, bool had_output, struct ga_err *err)
{
	char line[200];

	if (status == 255)
		return connection_failed(said, had_output, err);
	last_line(said, line, sizeof(line));
	if (status == 127 || status == 126)
		return ga_refuse(err, status == 127 ? GA_HOST : GA_DENIED, "program_missing", NULL,
				 ("it cannot run the command: %s", line),
				 ("install the gpuaas host programs there, in a folder that is in "
				  "the PATH of ssh's commands"));
	if (status > 128)
		return ga_fail_for(err, GA_EXTERNAL, "command_killed",
				   "the command was ended by signal %d", status - 128);
	return 0;
}
