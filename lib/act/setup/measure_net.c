/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rate of TCP between two network namespaces. A child enters the first one and forks the child
 * of the second; both end with it, and their network with them.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act/setup/measure.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/stop.h"
#include "decide/setup/tuning.h"
#include "look/sys.h"

#define SENDER "192.0.2.1" /* TEST-NET-1 (RFC 5737) */
#define RECEIVER "192.0.2.2"
#define PORT 5001
#define RUN_MICROS (GA_SECOND / 2)
#define LIMIT_MICROS (30 * GA_SECOND) /* of everything */

/* The report of the first child. */
struct report {
	int ok;
	struct ga_tuning_run runs[GA_MEASURE_RUNS];
	char why[256];
};

static int enter_namespace(struct ga_err *err)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(CLONE_NEWNET) < 0)
		return ga_fail_sys(err, "cannot make a network namespace");
	return 0;
}

static int ip(const char *const *argv, struct ga_err *err)
{
	const struct ga_proc p = { .argv = argv, .timeout_micros = 10 * GA_SECOND };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	return ga_proc_check(&p, &out, err);
}

static int set_up(const char *device, const char *address, struct ga_err *err)
{
	ga_autofree char *prefix = ga_xprintf("%s/30", address);
	const char *add[] = { "ip", "addr", "add", prefix, "dev", device, NULL };
	const char *up[] = { "ip", "link", "set", device, "up", NULL };

	return ip(add, err) < 0 ? -1 : ip(up, err);
}

static struct sockaddr_in receiver(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(PORT) };

	inet_pton(AF_INET, RECEIVER, &a.sin_addr);
	return a;
}

/* ---- the receiver ---- */

/* Reads a connection to its end and answers with the number of its bytes. */
static void receive(int fd)
{
	static char buf[1 << 20];
	int64_t total = 0;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		total += n;
	if (ga_write_all(fd, &total, sizeof(total)) < 0)
		_exit(1);
}

/* talk: says 'n' in its namespace, waits for the device, says 'l' when it listens. */
static void be_receiver(int talk) __attribute__((noreturn));

static void be_receiver(int talk)
{
	struct sockaddr_in a = receiver();
	struct ga_err ignored = GA_ERR_INIT;
	ga_autofd int s = -1;
	char c;
	int i;

	if (enter_namespace(&ignored) < 0 || write(talk, "n", 1) != 1 || read(talk, &c, 1) != 1 ||
	    set_up("gpuaas1", RECEIVER, &ignored) < 0)
		_exit(1);
	s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s < 0 || bind(s, (const struct sockaddr *)&a, sizeof(a)) < 0 || listen(s, 1) < 0 ||
	    write(talk, "l", 1) != 1)
		_exit(1);
	for (i = 0; i < GA_MEASURE_RUNS; i++) {
		ga_autofd int one = accept(s, NULL, NULL);

		if (one < 0)
			_exit(1);
		receive(one);
	}
	_exit(0);
}

/* ---- the sender ---- */

static int send_once(struct ga_tuning_run *run, struct ga_err *err)
{
	static char buf[1 << 17];
	struct sockaddr_in a = receiver();
	ga_autofd int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int64_t began, sent = 0, got = -1;

	if (s < 0 || connect(s, (const struct sockaddr *)&a, sizeof(a)) < 0)
		return ga_fail_sys(err, "cannot connect through the veth devices");
	began = ga_clock_mono_micros();
	while (ga_clock_mono_micros() - began < RUN_MICROS) {
		ssize_t n = write(s, buf, sizeof(buf));

		if (n < 0 && errno != EINTR)
			return ga_fail_sys(err, "cannot send through the veth devices");
		sent += n > 0 ? n : 0;
	}
	shutdown(s, SHUT_WR);
	if (read(s, &got, sizeof(got)) != sizeof(got) || got != sent)
		return ga_fail(err, GA_HOST, "the receiver did not get all that was sent");
	*run = (struct ga_tuning_run){ sent, ga_clock_mono_micros() - began };
	return 0;
}

static int be_sender(struct report *r, struct ga_err *err)
{
	ga_autofree char *pid = NULL;
	int talk[2], i;
	pid_t other;
	char c;

	if (enter_namespace(err) < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) < 0 || (other = fork()) < 0)
		return ga_fail_sys(err, "cannot start the receiver");
	if (!other) {
		close(talk[0]);
		be_receiver(talk[1]);
	}
	close(talk[1]);
	pid = ga_xprintf("%ld", (long)other);
	if (read(talk[0], &c, 1) != 1)
		return ga_fail(err, GA_HOST, "cannot make a second network namespace");
	{
		const char *add[] = { "ip", "link", "add", "gpuaas0", "type", "veth", "peer",
				      "name", "gpuaas1", "netns", pid, NULL };

		if (ip(add, err) < 0 || set_up("gpuaas0", SENDER, err) < 0)
			return -1;
	}
	if (write(talk[0], "p", 1) != 1 || read(talk[0], &c, 1) != 1)
		return ga_fail(err, GA_HOST, "the receiver cannot listen");
	for (i = 0; i < GA_MEASURE_RUNS; i++)
		if (send_once(&r->runs[i], err) < 0)
			return -1;
	r->ok = 1;
	return 0;
}

/* ---- the parent ---- */

/* Reads the report until the deadline; then kills the child. */
static int wait_for(pid_t child, int fd, struct report *r, struct ga_err *err)
{
	int64_t deadline = ga_clock_mono_micros() + LIMIT_MICROS;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool stopped = false, there = false;

	while (!there && !stopped && ga_clock_mono_micros() < deadline) {
		there = poll(&p, 1, 100) > 0;
		stopped = ga_stop_asked();
	}
	if (!there || read(fd, r, sizeof(*r)) != sizeof(*r))
		snprintf(r->why, sizeof(r->why), "it did not end in %d seconds",
			 (int)(LIMIT_MICROS / GA_SECOND));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return stopped ? ga_stop_check("measuring", err) : 0;
}

int ga_measure_network(struct ga_tuning *t, struct ga_err *err)
{
	struct ga_tuning_measure *m = ga_list_add(&t->measured);
	struct report r = { 0 };
	int fds[2];
	pid_t child;

	m->name = ga_xstrdup("network");
	m->target = ga_xstrdup("one TCP connection through a veth pair");
	m->bytes = m->micros = m->mib_s_tenths = GA_UNKNOWN;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return ga_fail_sys(err, "cannot make a pipe");
	child = fork();
	if (!child) {
		struct ga_err why = GA_ERR_INIT;

		if (be_sender(&r, &why) < 0)
			snprintf(r.why, sizeof(r.why), "%.250s", why.msg);
		_exit(ga_write_all(fds[1], &r, sizeof(r)) < 0);
	}
	close(fds[1]);
	if (child > 0 && wait_for(child, fds[0], &r, err) < 0) {
		close(fds[0]);
		return -1;
	}
	close(fds[0]);
	if (r.ok)
		ga_tuning_median(r.runs, GA_MEASURE_RUNS, m);
	else
		m->reason = ga_sys_tidy(ga_xstrdup(r.why[0] ? r.why : "cannot start a process"));
	return 0;
}
