/* SPDX-License-Identifier: Apache-2.0 */
/* External programs: argv, environment, captured output, deadline, and no leftovers. */
#include "t.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act/device/vfio.h"
#include "base/proc.h"

#define ARGV(...) (const char *const[]){ __VA_ARGS__, NULL }

static void outcomes(void)
{
	static const struct {
		const char *script, *input;
		int status;
		const char *out, *err;
	} cases[] = {
		{ "echo out; echo err >&2", NULL, 0, "out\n", "err" },
		{ "printf 'a\\nb\\n\\n' >&2", NULL, 0, "", "a\nb" },
		{ "exit 3", NULL, 3, "", "" },
		{ "kill -9 $$", NULL, 137, "", "" },
		{ "kill -PIPE $$", NULL, 128 + SIGPIPE, "", "" },
		{ "kill -XFSZ $$", NULL, 128 + SIGXFSZ, "", "" },
		{ "cat", "given\n", 0, "given\n", "" },
		{ "cat", NULL, 0, "", "" },
		{ "echo $PATH $LC_ALL", NULL, 0, GA_PROC_PATH " C\n", "" },
		{ "echo \"[$GA_SECRET]\"", NULL, 0, "[]\n", "" },
		{ "exec 0<&-; echo closed", "a lot of input nobody reads", 0, "closed\n", "" },
	};
	size_t i;

	setenv("GA_SECRET", "leaks", 1);
	signal(SIGXFSZ, SIG_IGN); /* as programs do; what they start does not */
	/* Each as a child, and as one that ends with its parent. */
	for (i = 0; i < 2 * GA_ARRAY_SIZE(cases); i++) {
		ga_autoproc struct ga_proc_result ret = GA_PROC_RESULT_INIT;
		struct ga_err err = GA_ERR_INIT;
		const struct ga_proc p = {
			.argv = ARGV("sh", "-c", cases[i / 2].script),
			.input = cases[i / 2].input,
			.input_len = cases[i / 2].input ? strlen(cases[i / 2].input) : 0,
			.ends_with_us = i % 2,
		};

		signal(SIGPIPE, i % 2 ? SIG_IGN : SIG_DFL); /* as they do or do not */
		t_int(ga_proc_run(&p, &ret, &err), 0, "%s%s", cases[i / 2].script,
		      i % 2 ? " (ends with us)" : "");
		t_int(ret.status, cases[i / 2].status, "its status");
		t_str(ret.out.buf, cases[i / 2].out, "its output");
		t_str(ret.err.buf, cases[i / 2].err, "its errors");
	}
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
}

/* Where "echo" comes from, and that a program of sbin is found. */
static void found(const char *echo, const char *what)
{
	ga_autoproc struct ga_proc_result ret = GA_PROC_RESULT_INIT;
	struct ga_err err = GA_ERR_INIT;
	struct ga_proc p = { .argv = ARGV("echo", "ours") };

	t_int(ga_proc_run(&p, &ret, &err), 0, "%s: it runs (%s)", what, err.msg);
	t_str(ret.out.buf, echo, "%s: which", what);
	p.argv = ARGV("nologin");
	t_int(ga_proc_run(&p, &ret, &err), 0, "%s: /usr/sbin/nologin is found", what);
	t_int(ret.status, 1, "%s: and is that", what);
}

static void search(void)
{
	static const char *const refused[] = { "", "bin", "/bin:", ":/bin", "/bin::/sbin", "/a:b" };
	ga_autofree char *before = ga_xstrdup(getenv("PATH"));
	char folder[] = "/tmp/ga-proc.XXXXXX";
	struct ga_err err = GA_ERR_INIT;
	ga_autofree char *file = NULL, *path = NULL;
	size_t i;
	FILE *f;

	t_ok(mkdtemp(folder) != NULL, "a folder");
	file = ga_xprintf("%s/echo", folder);
	f = fopen(file, "w");
	t_ok(f && fputs("#!/bin/sh\nprintf 'theirs\\n'\n", f) >= 0 && !fclose(f) &&
		     !chmod(file, 0755), "a program of that name");
	setenv("PATH", folder, 1);
	found("ours\n", "somebody's PATH");
	setenv("PATH", "/usr/bin:/bin", 1); /* as cron has it */
	found("ours\n", "a PATH without sbin");
	unsetenv("PATH");
	found("ours\n", "no PATH");
	for (i = 0; i < GA_ARRAY_SIZE(refused); i++) {
		int r = ga_proc_set_path(refused[i], &err);

		t_code(r, &err, GA_USAGE, "search path", "'%s' is refused", refused[i]);
		err = (struct ga_err)GA_ERR_INIT;
	}
	found("ours\n", "a path that was refused");
	path = ga_xprintf("%s:/usr/sbin", folder);
	t_int(ga_proc_set_path(path, &err), 0, "a path of the configuration");
	found("theirs\n", "a path of the configuration");
	t_int(ga_proc_set_path(GA_PROC_PATH, &err), 0, "and back");
	found("ours\n", "and back");
	setenv("PATH", before, 1);
	t_ok(!unlink(file) && !rmdir(folder), "cleaned");
}

static void limits(void)
{
	ga_autoproc struct ga_proc_result ret = GA_PROC_RESULT_INIT;
	ga_autofree char *big = ga_xcalloc(1, 1 << 20);
	struct ga_err err = GA_ERR_INIT;
	struct ga_proc p = { .argv = ARGV("cat"), .input = big, .input_len = 1 << 20,
			     .output_max = 1000 };
	int64_t start;
	int r;

	memset(big, 'x', 1 << 20);
	t_int(ga_proc_run(&p, &ret, &err), 0, "a MiB there and back");
	t_int(ret.out.len, 1000, "output is kept to its limit");

	p = (struct ga_proc){ .argv = ARGV("gpuaas-no-such-program") };
	r = ga_proc_run(&p, &ret, &err);
	t_code(r, &err, GA_EXTERNAL, "gpuaas-no-such-program", "a program that is not there");
	p.ends_with_us = true;
	r = ga_proc_run(&p, &ret, &err);
	t_code(r, &err, GA_EXTERNAL, "gpuaas-no-such-program", "nor as one that ends with us");

	err = (struct ga_err)GA_ERR_INIT;
	p = (struct ga_proc){ .argv = ARGV("sh", "-c", "echo first; echo why not >&2; exit 4") };
	r = ga_proc_check(&p, &ret, &err);
	t_code(r, &err, GA_EXTERNAL, "ended with status 4: why not",
	       "check names status and reason");
	err = (struct ga_err)GA_ERR_INIT;
	p = (struct ga_proc){ .argv = ARGV("sh", "-c", "kill -s SEGV $$") };
	t_int(ga_proc_check(&p, &ret, &err), -1, "one that says nothing");
	t_str(err.msg, "'sh' ended with status 139", "and no reason is promised");

	err = (struct ga_err)GA_ERR_INIT;
	start = ga_clock_mono_micros();
	p = (struct ga_proc){ .argv = ARGV("sh", "-c", "sleep 600 & echo $!; wait"),
			      .timeout_micros = 300000 };
	r = ga_proc_run(&p, &ret, &err);
	t_code(r, &err, GA_BUSY, "did not end within", "the deadline");
	t_ok(ga_clock_mono_micros() - start < 30000000, "comes in time");
}

/* The whole group is killed: the pid of the grandchild is gone, or a zombie of init. */
static void group(void)
{
	ga_autoproc struct ga_proc_result ret = GA_PROC_RESULT_INIT;
	struct ga_err err = GA_ERR_INIT;
	const struct ga_proc p = { .argv = ARGV("sh", "-c", "sleep 600 & echo $!; wait"),
				   .timeout_micros = 300000 };
	int64_t deadline = ga_clock_mono_micros() + 10000000;
	ga_autofree char *exe = NULL;
	bool gone;

	t_ok(ga_proc_run(&p, &ret, &err) < 0, "its time is over");
	exe = ga_xprintf("/proc/%d/exe", (int)strtol(ret.out.buf, NULL, 10));
	do
		gone = access(exe, F_OK) < 0;
	while (!gone && ga_clock_wait(deadline, 10000));
	t_ok(ret.out.len > 1 && gone, "what the program started ends with it");
}

static void descriptors(void)
{
	ga_autoproc struct ga_proc_result ret = GA_PROC_RESULT_INIT;
	struct ga_err err = GA_ERR_INIT;
	const struct ga_proc p = { .argv = ARGV("sh", "-c", "ls /proc/self/fd | wc -l") };
	ga_autofd int fd = open("/dev/null", O_RDONLY); /* without O_CLOEXEC */

	t_ok(fd > 2 && !ga_proc_run(&p, &ret, &err), "run beside an open descriptor");
	t_str(ret.out.buf, "4\n", "the child has 0, 1, 2 and the one ls reads by");
}

static bool wait_ended(struct ga_child *c, int *status)
{
	int64_t deadline = ga_clock_mono_micros() + 20000000;

	while (!ga_proc_ended(c, status))
		if (!ga_clock_wait(deadline, 1000))
			return false;
	return true;
}

/* A grandchild that was killed is there until whoever has it now has waited for it. */
static bool wait_gone(pid_t group)
{
	int64_t deadline = ga_clock_mono_micros() + 20000000;

	while (!kill(-group, 0))
		if (!ga_clock_wait(deadline, 1000))
			return false;
	return true;
}

/* A child that the caller waits for: its descriptors, its end, and its being killed. */
static void started(void)
{
	struct ga_proc p = { .argv = ARGV("sh", "-c", "read x; echo got $x; exit 4"), .input = "" };
	struct ga_child c = GA_CHILD_INIT;
	struct ga_err err = GA_ERR_INIT;
	char buf[32] = "";
	int status = -1;

	t_int(ga_proc_start(&p, &c, &err), 0, "started");
	t_int(read(c.out, buf, sizeof(buf)), -1, "its output does not block");
	t_int(write(c.in, "it\n", 3), 3, "its input is a pipe");
	t_ok(wait_ended(&c, &status), "it ends");
	t_int(status, 4, "with its status");
	t_int(c.pid, 0, "and is no more");
	t_int(read(c.out, buf, sizeof(buf) - 1), 7, "what it wrote is still there");
	t_str(buf, "got it\n", "as it wrote it");
	ga_proc_kill(&c);
	p = (struct ga_proc){ .argv = ARGV("sh", "-c", "sleep 1000 & wait") };
	t_int(ga_proc_start(&p, &c, &err), 0, "started again");
	t_int(c.in, -1, "without input there is no pipe");
	t_ok(!ga_proc_ended(&c, &status), "it runs");
	status = c.pid;
	ga_proc_kill(&c);
	t_ok(wait_gone(status), "nothing of its group is left");
	t_int(c.out, -1, "its descriptors are closed");
	p.argv = ARGV("/no/such/program");
	t_int(ga_proc_start(&p, &c, &err), -1, "no such program");
	t_int(c.pid, 0, "and no child");
}

/* A parent that ignores SIGCHLD leaves that to us, and the kernel then tells of no end: what nobody
 * can tell is no success. */
static void untold_ends(void)
{
	ga_autoproc struct ga_proc_result ret = GA_PROC_RESULT_INIT;
	struct ga_proc p = { .argv = ARGV("sh", "-c", "exit 0") };
	struct ga_child c = GA_CHILD_INIT;
	struct ga_err err = GA_ERR_INIT;
	int status = -1;
	sigset_t blocked;

	signal(SIGCHLD, SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGALRM);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	t_ok(ga_proc_check(&p, &ret, &err) < 0 && err.code == GA_SYSTEM, "an end nobody told of");
	ga_err_clear(&err);
	t_ok(!ga_proc_start(&p, &c, &err) && wait_ended(&c, &status) && status == 255,
	     "also of one that the caller waits for");
	ga_proc_kill(&c);
	t_ok(ga_sysfs_write("/no/such/attribute", "1", 0, &err) < 0, "nor is that written");
	ga_err_clear(&err);
	ga_proc_own_signals();
	p.argv = ARGV("sh", "-c", "exit 3");
	t_ok(!ga_proc_run(&p, &ret, &err) && ret.status == 3, "ends are reported again");
	t_ok(!sigprocmask(SIG_BLOCK, NULL, &blocked) && !sigismember(&blocked, SIGALRM),
	     "and a deadline's signal comes");
}

/* Starts a program of two processes that will not be asked to end, and tells its group. */
static void be_its_parent(bool ends_with_us, int tell) __attribute__((noreturn));

static void be_its_parent(bool ends_with_us, int tell)
{
	const struct ga_proc p = {
		.argv = ARGV("sh", "-c", "trap '' HUP INT TERM; sleep 600 & echo on; wait"),
		.ends_with_us = ends_with_us };
	struct ga_err err = GA_ERR_INIT;
	struct ga_child c;
	char buf[4];

	if (ga_proc_start(&p, &c, &err) < 0)
		_exit(1);
	fcntl(c.out, F_SETFL, 0);
	if (read(c.out, buf, 3) != 3 || write(tell, &c.pid, sizeof(c.pid)) != sizeof(c.pid))
		_exit(1);
	for (;;)
		pause();
}

/* Cases that end this process: no check of it can follow. */
static void ends_with_us(void)
{
	static const struct {
		int signal;
		bool ends_with_us;
	} cases[] = { { SIGTERM, true }, { SIGINT, true },   { SIGHUP, true },
		      { SIGKILL, true }, { SIGTERM, false }, { SIGKILL, false } };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		pid_t parent, group = 0;
		int tell[2];

		t_int(pipe(tell), 0, "a pipe");
		fflush(stdout);
		parent = fork();
		if (!parent)
			be_its_parent(cases[i].ends_with_us, tell[1]);
		close(tell[1]);
		t_int(read(tell[0], &group, sizeof(group)), sizeof(group), "it is on");
		close(tell[0]);
		kill(parent, cases[i].signal);
		t_int(waitpid(parent, NULL, 0), parent, "its parent ends by signal %d",
		      cases[i].signal);
		if (cases[i].ends_with_us)
			t_ok(wait_gone(group), "nothing of it is left");
		else
			t_int(kill(-group, 0), 0, "it goes on");
		kill(-group, SIGKILL);
	}
}

int main(void)
{
	started();
	untold_ends();
	ends_with_us();
	outcomes();
	search();
	limits();
	group();
	descriptors();
	return t_done();
}
