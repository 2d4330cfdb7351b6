/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preload for tests: the monotonic clock runs $FAST_CLOCK times as fast, so that a test sees what
 * happens at a deadline of minutes. The time of day stays as it is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t id, struct timespec *ts)
{
	static int (*real)(clockid_t, struct timespec *);
	const char *factor = getenv("FAST_CLOCK");
	long long nanos;
	int r;

	if (!real)
		real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	r = real(id, ts);
	if (r || id != CLOCK_MONOTONIC || !factor)
		return r;
	/* Of the last million seconds, so that the product fits. */
	nanos = ((long long)ts->tv_sec % 1000000 * 1000000000 + ts->tv_nsec) * atoll(factor);
	ts->tv_sec = (time_t)(nanos / 1000000000);
	ts->tv_nsec = nanos % 1000000000;
	return r;
}
