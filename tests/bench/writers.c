/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writers N SECONDS MOST REQUEST -- COMMAND…: N processes of a command that answers each line on
 * its standard input with one line (gpuaas-place, its state in GPUAAS_STATE). Each is sent REQUEST,
 * and again as soon as its answer came, until the time is over or MOST were answered: the room that
 * there is must not run out. One JSON object: requests answered, by second, median and 99th
 * percentile of the seconds from sending to answer, the share of the slowest writer of the fastest
 * one's, and how many answers were no plans.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/ga.h"
#include "base/vec.h"

#define ANSWER_MAX (1 << 16)

struct writer {
	pid_t pid;
	int in, out; /* the writer's standard input and output, our ends */
	int64_t sent, answered;
	size_t len;
	bool waits; /* for an answer */
	char line[ANSWER_MAX];
};

static struct ga_ints took;
static int64_t others;
static size_t enough;

static int start(struct writer *w, char **argv, struct ga_err *err)
{
	int in[2], out[2];

	/* Closed in the others: each must see the end of its own input. */
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		return ga_fail_sys(err, "cannot make pipes");
	w->pid = fork();
	if (w->pid < 0)
		return ga_fail_sys(err, "cannot fork");
	if (w->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	w->in = in[1];
	w->out = out[0];
	return 0;
}

static int send_request(struct writer *w, const char *request, struct ga_err *err)
{
	size_t n = strlen(request);

	w->sent = ga_clock_mono_micros();
	w->waits = true;
	return write(w->in, request, n) == (ssize_t)n && write(w->in, "\n", 1) == 1 ?
		       0 :
		       ga_fail_sys(err, "cannot send a request");
}

/* 1 when a whole answer came. */
static int receive(struct writer *w, struct ga_err *err)
{
	ssize_t n = read(w->out, w->line + w->len, sizeof(w->line) - w->len);

	if (n <= 0)
		return ga_fail(err, GA_SYSTEM, "a writer ended");
	w->len += (size_t)n;
	if (w->line[w->len - 1] != '\n')
		return w->len < sizeof(w->line) ? 0 : ga_fail(err, GA_SYSTEM, "a long answer");
	*(int64_t *)ga_list_add(&took) = ga_clock_mono_micros() - w->sent;
	w->answered++;
	others += memcmp(w->line, "{\"kind\":\"gpuaas.plan/1\"", 23) != 0;
	w->len = 0;
	w->waits = false;
	return 1;
}

/* Until every writer has had its last answer. */
static int drive(struct writer *w, struct pollfd *p, size_t n, const char *request, int64_t until,
		 struct ga_err *err)
{
	size_t waiting = n, i;
	int r = 0;

	while (waiting) {
		if (poll(p, n, 30000) <= 0)
			return ga_fail(err, GA_BUSY, "no answer in 30 seconds");
		for (i = 0; i < n; i++) {
			if (!w[i].waits || !p[i].revents)
				continue;
			r = receive(&w[i], err);
			if (r < 0)
				return -1;
			if (r == 0)
				continue;
			if (ga_clock_mono_micros() >= until || took.n >= enough)
				waiting--;
			else if (send_request(&w[i], request, err) < 0)
				return -1;
		}
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void report(const struct writer *w, size_t n, double seconds)
{
	int64_t least = w[0].answered, most = w[0].answered;
	size_t i;

	for (i = 1; i < n; i++) {
		least = w[i].answered < least ? w[i].answered : least;
		most = w[i].answered > most ? w[i].answered : most;
	}
	qsort(took.v, took.n, sizeof(*took.v), compare);
	printf("{\"answers\":%zu,\"per_second\":%.0f,\"median\":%.6f,\"p99\":%.6f,\"most\":%.6f,"
	       "\"share\":%.3f,\"not_plans\":%" PRId64 "}\n",
	       took.n, (double)took.n / seconds, (double)took.v[took.n / 2] / 1e6,
	       (double)took.v[took.n * 99 / 100] / 1e6, (double)took.v[took.n - 1] / 1e6,
	       (double)least / (double)most, others);
}

/* The first answer of each is not counted: it opens the state and reads the fleet. */
static int run(struct writer *w, size_t n, int64_t seconds, const char *request, char **argv,
	       struct ga_err *err)
{
	ga_autofree struct pollfd *p = ga_xcalloc(n, sizeof(*p));
	int64_t began;
	size_t i;

	for (i = 0; i < n; i++) {
		if (start(&w[i], argv, err) < 0 || send_request(&w[i], request, err) < 0)
			return -1;
		p[i] = (struct pollfd){ .fd = w[i].out, .events = POLLIN };
	}
	if (drive(w, p, n, request, 0, err) < 0)
		return -1;
	took.n = 0;
	began = ga_clock_mono_micros();
	for (i = 0; i < n; i++) {
		w[i].answered = 0;
		if (send_request(&w[i], request, err) < 0)
			return -1;
	}
	if (drive(w, p, n, request, began + seconds * 1000000, err) < 0)
		return -1;
	report(w, n, (double)(ga_clock_mono_micros() - began) / 1e6);
	return 0;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	ga_autofree struct writer *w = NULL;
	int r;
	long i;

	if (argc < 7 || n < 1 || strcmp(argv[5], "--")) {
		fprintf(stderr, "usage: writers N SECONDS MOST REQUEST -- COMMAND...\n");
		return GA_USAGE;
	}
	enough = strtoul(argv[3], NULL, 10);
	signal(SIGPIPE, SIG_IGN);
	w = ga_xcalloc((size_t)n, sizeof(*w));
	r = run(w, (size_t)n, strtol(argv[2], NULL, 10), argv[4], argv + 6, &err);
	for (i = 0; i < n; i++) {
		close(w[i].in);
		close(w[i].out); /* of one that was given up: it must not wait to be read */
	}
	for (i = 0; i < n && w[i].pid > 0; i++)
		waitpid(w[i].pid, NULL, 0);
	if (r < 0)
		fprintf(stderr, "writers: %s\n", err.msg);
	return r < 0 ? (int)err.code : 0;
}
