/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preload for the simulated day: the time of day is $DAY_SHIFT seconds later, and random bytes
 * come from $DAY_RANDOM, so that a seed gives the same ids again. The monotonic clock stays.
 *
 * With $DAY_TURN, the number of a socket, the program asks there before each turn that it takes at
 * the state (lib/state/db/writers_queue.c looks at the queue first, by F_OFD_GETLK) and waits for
 * the answer: programs that run at the same time then write in the order that the day chose
 * (control.py).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *ts)
{
	static int (*real)(clockid_t, struct timespec *);
	const char *shift = getenv("DAY_SHIFT");
	int r;

	if (!real)
		real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	r = real(id, ts);
	if (!r && id == CLOCK_REALTIME && shift)
		ts->tv_sec += atoll(shift);
	return r;
}

/* SQLite's. */
int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	static int (*real)(struct timeval *, void *);
	const char *shift = getenv("DAY_SHIFT");
	int r;

	if (!real)
		real = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
	r = real(tv, zone);
	if (!r && shift)
		tv->tv_sec += atoll(shift);
	return r;
}

/* splitmix64: every number of calls of every process has bytes of its own. */
ssize_t getrandom(void *buf, size_t len, unsigned int flags)
{
	static uint64_t state;
	const char *seed = getenv("DAY_RANDOM");
	unsigned char *out = buf;
	size_t i;

	(void)flags;
	if (!state)
		state = seed ? strtoull(seed, NULL, 10) : 1;
	for (i = 0; i < len; i++) {
		uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

		z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
		out[i] = (unsigned char)(z ^ (z >> 31));
	}
	return (ssize_t)len;
}

static void ask_for_turn(void)
{
	const char *turn = getenv("DAY_TURN");
	int fd = turn ? (int)strtol(turn, NULL, 10) : -1;
	char answer = '?';

	if (fd < 0)
		return;
	/* No child of the program holds the socket open: its end is the program's. */
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || write(fd, &answer, 1) != 1)
		_exit(99);
	while (read(fd, &answer, 1) != 1)
		if (errno != EINTR)
			_exit(99);
}

static int locked(int fd, int command, void *arg)
{
	static int (*real)(int, int, ...);

	if (!real)
		real = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl64");
	if (command == F_OFD_GETLK)
		ask_for_turn();
	return real(fd, command, arg);
}

int fcntl64(int fd, int command, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, command);
	arg = va_arg(ap, void *);
	va_end(ap);
	return locked(fd, command, arg);
}

int fcntl(int fd, int command, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, command);
	arg = va_arg(ap, void *);
	va_end(ap);
	return locked(fd, command, arg);
}
