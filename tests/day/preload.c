/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preload for the simulated day: the time of day is $DAY_SHIFT seconds later, and random bytes
 * come from $DAY_RANDOM, so that a seed gives the same ids again. The monotonic clock stays.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

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
