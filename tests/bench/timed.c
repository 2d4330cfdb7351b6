/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timed RUNS [-p|-s] [-i FILE] [-o FILE] -- COMMAND…: runs a command RUNS times and writes one JSON
 * object: median, p99, least and most seconds from before fork to its end, the largest resident set
 * in KiB, and its exit status (the first that is not 0). Its input is FILE or nothing, as its
 * output is. With -p all RUNS begin at the same moment, each in a process that waits for it, and
 * the times are from that moment on. With -s they are started one after the other and none is
 * waited for, as a shell starts jobs.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/ga.h"

struct task {
	const char *input, *output;
	char **argv;
	enum { ONE_BY_ONE, AT_ONCE, STARTED } how;
	int status; /* as wait(2) has it */
	long rss_kib;
};

static void redirect(const char *path, int flags, int to)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd < 0 || dup2(fd, to) < 0) {
		perror(path);
		_exit(GA_SYSTEM);
	}
}

static void start(const struct task *t)
{
	redirect(t->input, O_RDONLY, 0);
	redirect(t->output, O_WRONLY | O_CREAT | O_TRUNC, 1);
	execvp(t->argv[0], t->argv);
	perror(t->argv[0]);
	_exit(127);
}

/* The process that ended, or -1. */
static pid_t end_of_one(struct task *t, struct ga_err *err)
{
	struct rusage used;
	int status;
	pid_t pid = wait4(-1, &status, 0, &used);

	if (pid < 0)
		return ga_fail_sys(err, "cannot wait");
	if (!t->status)
		t->status = status;
	if (used.ru_maxrss > t->rss_kib)
		t->rss_kib = used.ru_maxrss;
	return pid;
}

static int64_t once(struct task *t, struct ga_err *err)
{
	int64_t began = ga_clock_mono_micros();
	pid_t pid = fork();

	if (pid < 0)
		return ga_fail_sys(err, "cannot fork");
	if (pid == 0)
		start(t);
	return end_of_one(t, err) < 0 ? -1 : ga_clock_mono_micros() - began;
}

/* Each process has the gate open until it is there: it ends when all are, and the parent opens. */
static int at_once(struct task *t, size_t runs, int64_t *took, struct ga_err *err)
{
	int64_t began;
	int gate[2];
	size_t i;
	char c;

	if (pipe2(gate, O_CLOEXEC) < 0)
		return ga_fail_sys(err, "cannot make a pipe");
	for (i = 0; i < runs; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return ga_fail_sys(err, "cannot fork");
		if (pid == 0) {
			close(gate[1]);
			if (read(gate[0], &c, 1) < 0)
				_exit(127);
			start(t);
		}
	}
	began = ga_clock_mono_micros();
	close(gate[1]);
	for (i = 0; i < runs; i++) {
		if (end_of_one(t, err) < 0)
			return -1;
		took[i] = ga_clock_mono_micros() - began;
	}
	close(gate[0]);
	return 0;
}

/* Each counts from before it was forked. */
static int started(struct task *t, size_t runs, int64_t *took, struct ga_err *err)
{
	ga_autofree pid_t *pids = ga_xcalloc(runs, sizeof(*pids));
	size_t i, k;
	pid_t pid;

	for (i = 0; i < runs; i++) {
		took[i] = -ga_clock_mono_micros();
		pids[i] = fork();
		if (pids[i] < 0)
			return ga_fail_sys(err, "cannot fork");
		if (pids[i] == 0)
			start(t);
	}
	for (i = 0; i < runs; i++) {
		pid = end_of_one(t, err);
		if (pid < 0)
			return -1;
		for (k = 0; k < runs && pids[k] != pid; k++)
			;
		if (k < runs)
			took[k] += ga_clock_mono_micros();
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int run(struct task *t, size_t runs, struct ga_err *err)
{
	ga_autofree int64_t *took = ga_xcalloc(runs, sizeof(*took));
	size_t i;

	if ((t->how == AT_ONCE && at_once(t, runs, took, err) < 0) ||
	    (t->how == STARTED && started(t, runs, took, err) < 0))
		return -1;
	for (i = 0; i < runs && t->how == ONE_BY_ONE; i++) {
		took[i] = once(t, err);
		if (took[i] < 0)
			return -1;
	}
	qsort(took, runs, sizeof(*took), compare);
	printf("{\"median\":%.6f,\"p99\":%.6f,\"least\":%.6f,\"most\":%.6f,\"rss_kib\":%ld,"
	       "\"runs\":%zu,\"status\":%d}\n",
	       (double)took[runs / 2] / 1e6, (double)took[(runs * 99 + 99) / 100 - 1] / 1e6,
	       (double)took[0] / 1e6, (double)took[runs - 1] / 1e6,
	       t->rss_kib, runs,
	       WIFEXITED(t->status) ? WEXITSTATUS(t->status) : 128 + WTERMSIG(t->status));
	return 0;
}

int main(int argc, char **argv)
{
	struct task t = { .input = "/dev/null", .output = "/dev/null" };
	struct ga_err err = GA_ERR_INIT;
	long runs = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	int i;

	for (i = 2; i + 1 < argc && argv[i][0] == '-' && argv[i][1] != '-'; i++) {
		if (argv[i][1] == 'p' || argv[i][1] == 's') {
			t.how = argv[i][1] == 'p' ? AT_ONCE : STARTED;
			continue;
		}
		*(argv[i][1] == 'i' ? &t.input : &t.output) = argv[i + 1];
		i++;
	}
	if (runs < 1 || i + 1 >= argc || strcmp(argv[i], "--")) {
		fprintf(stderr, "usage: timed RUNS [-p|-s] [-i FILE] [-o FILE] -- COMMAND...\n");
		return GA_USAGE;
	}
	t.argv = argv + i + 1;
	if (run(&t, (size_t)runs, &err) < 0) {
		fprintf(stderr, "timed: %s\n", err.msg);
		return (int)err.code;
	}
	return 0;
}
