/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preload for tests: the wall clock of the process it is loaded into is $CLOCK_AHEAD seconds
 * ahead (or behind), so that a test of clocks that differ needs neither the machine's nor a hook in
 * the product. The monotonic clock stays.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t ahead(void)
{
	const char *text = getenv("CLOCK_AHEAD");

	return text ? strtol(text, NULL, 10) : 0;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	static int (*real)(clockid_t, struct timespec *);
	int r;

	if (!real)
		real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	r = real(id, ts);
	if (r == 0 && id == CLOCK_REALTIME)
		ts->tv_sec += ahead();
	return r;
}

/* SQLite's. */
int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	static int (*real)(struct timeval *, void *);
	int r;

	if (!real)
		real = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
	r = real(tv, zone);
	if (r == 0)
		tv->tv_sec += ahead();
	return r;
}
