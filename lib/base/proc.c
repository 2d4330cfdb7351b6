/* SPDX-License-Identifier: Apache-2.0 */
/* External programs: argv, deadline, captured output. */
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

static char *search_path; /* NULL: GA_PROC_PATH */

#define GA_PROC_UNKNOWN 255 /* its exit status is unknown */

struct pipes {
	int in[2], out[2], err[2], start[2]; /* the child reports errno of its exec on start */
};

static void close_pair(int pair[2])
{
	ga_cleanup_fd(&pair[0]);
	ga_cleanup_fd(&pair[1]);
	pair[0] = pair[1] = -1;
}

static void close_pipes(struct pipes *p)
{
	close_pair(p->in);
	close_pair(p->out);
	close_pair(p->err);
	close_pair(p->start);
}

/* exec(3) takes char *const *, although it changes nothing. */
static char *const *unconst(const char *const *argv)
{
	return (char *const *)(uintptr_t)argv;
}

void ga_proc_default_signals(void)
{
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
}

void ga_proc_own_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	signal(SIGCHLD, SIG_DFL);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
}

/* ---- ends_with_us ---- */

static int status_of(int how)
{
	return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

static volatile pid_t watched_for;

static void on_death_signal(int sig)
{
	(void)sig;
	if (getppid() != watched_for)
		kill(0, SIGKILL);
}

static void watch(pid_t program) __attribute__((noreturn));

static void watch(pid_t program)
{
	int how;
	pid_t got;

	/* Only the program may keep the pipes open: the parent waits until they close. */
	close_range(0, ~0U, 0);
	do
		got = waitpid(program, &how, 0);
	while (got < 0 && errno == EINTR);
	_exit(got < 0 ? GA_PROC_UNKNOWN : status_of(how));
}

/* The leader of the group stays and watches, and its child becomes the program. The leader is
 * needed because the signal of a parent's death reaches one process, not a group, and because the
 * exec of a set-uid file turns that signal off. */
static int stay_and_watch(pid_t parent)
{
	pid_t program;

	watched_for = parent;
	signal(SIGUSR1, on_death_signal);
	if (prctl(PR_SET_PDEATHSIG, SIGUSR1) < 0)
		return -1;
	on_death_signal(SIGUSR1); /* the parent may have ended already */
	program = fork();
	if (program > 0)
		watch(program);
	signal(SIGUSR1, SIG_DFL);
	return (int)program;
}

/* ---- which program ---- */

const char *ga_proc_path(void)
{
	return search_path ? search_path : GA_PROC_PATH;
}

int ga_proc_set_path(const char *path, struct ga_err *err)
{
	const char *p;

	for (p = path; *p == '/'; p += *p == ':') {
		p += strcspn(p, ":");
		if (!*p) {
			free(search_path);
			search_path = ga_xstrdup(path);
			return 0;
		}
	}
	return ga_fail(err, GA_USAGE, "'%.200s' is no search path: folders from the root, between "
		       "colons", path);
}

void ga_proc_exec(const char *const *argv, char *const *env)
{
	char *const *args = (char *const *)(uintptr_t)argv;
	const char *folder = ga_proc_path();
	int denied = 0;

	if (strchr(argv[0], '/')) {
		execve(argv[0], args, env);
		return;
	}
	for (;;) {
		int len = (int)strcspn(folder, ":");
		ga_autofree char *file = ga_xprintf("%.*s/%s", len, folder, argv[0]);

		execve(file, args, env);
		/* This folder may have a file of that name that cannot run; try the next folder. */
		if (errno == EACCES)
			denied = EACCES;
		else if (errno != ENOENT && errno != ENOTDIR)
			return;
		if (!folder[len])
			break;
		folder += len + 1;
	}
	errno = denied ? denied : ENOENT;
}

static void exec_child(const struct ga_proc *p, pid_t parent, struct pipes *pipes,
		       const char *const *env) __attribute__((noreturn));

static void exec_child(const struct ga_proc *p, pid_t parent, struct pipes *pipes,
		       const char *const *env)
{
	int saved;

	setpgid(0, 0);
	ga_proc_default_signals();
	/* Every open descriptor, also one that a library opened without O_CLOEXEC. */
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	if ((!p->ends_with_us || stay_and_watch(parent) == 0) && dup2(pipes->in[0], 0) >= 0 &&
	    dup2(pipes->out[1], 1) >= 0 && dup2(pipes->err[1], 2) >= 0)
		ga_proc_exec(p->argv, unconst(env));
	saved = errno;
	if (ga_write_all(pipes->start[1], &saved, sizeof(saved)) < 0)
		_exit(126);
	_exit(127);
}

static void drain(int *fd, struct ga_str *to, size_t max)
{
	char buf[8192];
	ssize_t n = read(*fd, buf, sizeof(buf));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		close(*fd);
		*fd = -1;
		return;
	}
	if (to->len < max)
		ga_str_add_bytes(to, buf, (size_t)n < max - to->len ? (size_t)n : max - to->len);
}

/* A child that closes its stdin early must not kill us with SIGPIPE. The kernel sends the signal to
 * this thread, so the thread can block it and then discard it. */
static ssize_t write_quietly(int fd, const char *p, size_t n)
{
	struct timespec now = { 0, 0 };
	sigset_t pipe_only, before, waiting;
	ssize_t r;
	int saved;

	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	sigpending(&waiting);
	pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
	r = write(fd, p, n);
	saved = errno;
	if (r < 0 && saved == EPIPE && !sigismember(&waiting, SIGPIPE))
		sigtimedwait(&pipe_only, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return r;
}

static void feed(int *fd, const struct ga_proc *p, size_t *done)
{
	ssize_t n = 0;

	if (*done < p->input_len)
		n = write_quietly(*fd, p->input + *done, p->input_len - *done);
	if (n > 0)
		*done += (size_t)n;
	if (*done == p->input_len || (n < 0 && errno != EINTR && errno != EAGAIN)) {
		close(*fd);
		*fd = -1;
	}
}

/* Moves bytes until both outputs are closed; false when the deadline passed. */
static bool pump(const struct ga_proc *p, struct pipes *pipes, struct ga_proc_result *ret,
		 int64_t deadline)
{
	size_t max = p->output_max ? p->output_max : 1 << 20, done = 0;

	while (pipes->out[0] >= 0 || pipes->err[0] >= 0) {
		int64_t left = (deadline - ga_clock_mono_micros()) / 1000;
		struct pollfd fds[] = {
			{ .fd = pipes->out[0], .events = POLLIN },
			{ .fd = pipes->err[0], .events = POLLIN },
			{ .fd = pipes->in[1], .events = POLLOUT },
		};

		if (left <= 0)
			return false;
		if (poll(fds, GA_ARRAY_SIZE(fds), (int)(left < 60000 ? left : 60000)) < 0)
			continue;
		if (fds[0].revents)
			drain(&pipes->out[0], &ret->out, max);
		if (fds[1].revents)
			drain(&pipes->err[0], &ret->err, max);
		if (fds[2].revents)
			feed(&pipes->in[1], p, &done);
	}
	return true;
}

/* Waits for the child: 1: it ended; 0: the deadline passed; -1: its exit status is unknown. */
static int reap(pid_t pid, int64_t deadline, int *status)
{
	int64_t nap = 200;

	for (;;) {
		pid_t got = waitpid(pid, status, WNOHANG);

		if (got == pid)
			return 1;
		if (got < 0 && errno != EINTR)
			return -1;
		if (!ga_clock_wait(deadline, nap))
			return 0;
		nap = nap < 20000 ? nap * 2 : 20000;
	}
}

static void kill_group(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static int make_pipes(struct pipes *p, const struct ga_proc *proc)
{
	if (pipe2(p->out, O_CLOEXEC) < 0 || pipe2(p->err, O_CLOEXEC) < 0 ||
	    pipe2(p->start, O_CLOEXEC) < 0)
		return -1;
	if (proc->input)
		return pipe2(p->in, O_CLOEXEC);
	p->in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return p->in[0];
}

static const char **child_env(const struct ga_proc *p, const char *path)
{
	size_t n = 0, i;
	const char **env;

	while (p->env && p->env[n])
		n++;
	env = ga_xcalloc(n + 3, sizeof(*env));
	env[0] = path;
	env[1] = "LC_ALL=C";
	for (i = 0; i < n; i++)
		env[i + 2] = p->env[i];
	return env;
}

/* Forks, and waits until the child reports whether its exec worked. */
static int spawn(const struct ga_proc *p, struct pipes *pipes, pid_t *pid, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("PATH=%s", ga_proc_path());
	ga_autofree const char **env = child_env(p, path);
	pid_t parent = getpid();
	int child_errno = 0;
	ssize_t n;

	*pid = fork();
	if (*pid < 0)
		return ga_fail_sys(err, "cannot start '%s'", p->argv[0]);
	if (!*pid)
		exec_child(p, parent, pipes, env);
	ga_cleanup_fd(&pipes->out[1]);
	ga_cleanup_fd(&pipes->err[1]);
	ga_cleanup_fd(&pipes->start[1]);
	ga_cleanup_fd(&pipes->in[0]);
	pipes->out[1] = pipes->err[1] = pipes->start[1] = pipes->in[0] = -1;
	do
		n = read(pipes->start[0], &child_errno, sizeof(child_errno));
	while (n < 0 && errno == EINTR);
	if (n == sizeof(child_errno)) {
		waitpid(*pid, NULL, 0);
		ga_err_set(err, GA_EXTERNAL, "cannot run '%s': %s", p->argv[0],
			   strerror(child_errno));
		return strchr(p->argv[0], '/') ?
			       -1 :
			       ga_hint(err, "it is looked for in %s; GPUAAS_PATH in "
					    "/etc/gpuaas/gpuaas.conf names other folders",
				       ga_proc_path());
	}
	if (pipes->in[1] >= 0)
		fcntl(pipes->in[1], F_SETFL, O_NONBLOCK);
	return 0;
}

int ga_proc_start(const struct ga_proc *p, struct ga_child *ret, struct ga_err *err)
{
	ga_cleanup(close_pipes) struct pipes pipes = {
		{ -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 }
	};

	*ret = (struct ga_child)GA_CHILD_INIT;
	if (make_pipes(&pipes, p) < 0)
		return ga_fail_sys(err, "cannot start '%s'", p->argv[0]);
	if (spawn(p, &pipes, &ret->pid, err) < 0) {
		ret->pid = 0;
		return -1;
	}
	ret->in = GA_TAKE_FD(pipes.in[1]);
	ret->out = GA_TAKE_FD(pipes.out[0]);
	ret->err = GA_TAKE_FD(pipes.err[0]);
	fcntl(ret->out, F_SETFL, O_NONBLOCK);
	fcntl(ret->err, F_SETFL, O_NONBLOCK);
	return 0;
}

bool ga_proc_ended(struct ga_child *c, int *status)
{
	int how;
	pid_t got = c->pid ? waitpid(c->pid, &how, WNOHANG) : 0;

	if (!got || (got < 0 && errno == EINTR))
		return false;
	c->pid = 0;
	*status = got < 0 ? GA_PROC_UNKNOWN : status_of(how);
	return true;
}

void ga_proc_kill(struct ga_child *c)
{
	if (c->pid)
		kill_group(c->pid);
	ga_cleanup_fd(&c->in);
	ga_cleanup_fd(&c->out);
	ga_cleanup_fd(&c->err);
	*c = (struct ga_child)GA_CHILD_INIT;
}

int ga_proc_run(const struct ga_proc *p, struct ga_proc_result *ret, struct ga_err *err)
{
	ga_cleanup(close_pipes) struct pipes pipes = {
		{ -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 }
	};
	int64_t timeout = p->timeout_micros ? p->timeout_micros : 30 * GA_SECOND;
	int64_t deadline = ga_clock_mono_micros() + timeout;
	int how, ended;
	pid_t pid;

	ga_str_clear(&ret->out);
	ga_str_clear(&ret->err);
	if (make_pipes(&pipes, p) < 0)
		return ga_fail_sys(err, "cannot start '%s'", p->argv[0]);
	if (spawn(p, &pipes, &pid, err) < 0)
		return -1;
	ended = pump(p, &pipes, ret, deadline) ? reap(pid, deadline, &how) : 0;
	if (ended < 0)
		return ga_fail_sys(err, "exit status of '%s' is unknown (is SIGCHLD ignored?)",
				   p->argv[0]);
	if (!ended) {
		kill_group(pid);
		return ga_fail(err, GA_BUSY, "'%s' did not end within %lld s and was killed",
			       p->argv[0], (long long)(timeout / GA_SECOND));
	}
	/* Its words are shown in messages, which end without a newline. */
	while (ret->err.len && ret->err.buf[ret->err.len - 1] == '\n')
		ret->err.buf[--ret->err.len] = '\0';
	ret->status = status_of(how);
	return 0;
}

int ga_proc_check(const struct ga_proc *p, struct ga_proc_result *ret, struct ga_err *err)
{
	char *line;

	if (ga_proc_run(p, ret, err) < 0)
		return -1;
	if (!ret->status)
		return 0;
	line = strrchr(ret->err.buf, '\n');
	line = line ? line + 1 : ret->err.buf;
	return ga_fail(err, GA_EXTERNAL, "'%s' ended with status %d%s%s", p->argv[0], ret->status,
		       *line ? ": " : "", line);
}

void ga_proc_result_release(struct ga_proc_result *r)
{
	ga_str_release(&r->out);
	ga_str_release(&r->err);
}
