/* SPDX-License-Identifier: Apache-2.0 */
/* The two clocks. */
#include "base/clock.h"

static int64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * GA_SECOND + ts.tv_nsec / 1000;
}

int64_t ga_clock_micros(void)
{
	return read_clock(CLOCK_REALTIME);
}

int64_t ga_clock_mono_micros(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

struct timespec ga_clock_timespec(int64_t micros)
{
	return (struct timespec){ .tv_sec = micros / GA_SECOND,
				  .tv_nsec = micros % GA_SECOND * 1000 };
}

bool ga_clock_wait(int64_t deadline_mono_micros, int64_t max_micros)
{
	int64_t left = deadline_mono_micros - ga_clock_mono_micros();
	struct timespec ts;

	if (left <= 0)
		return false;
	if (left > max_micros)
		left = max_micros;
	ts = ga_clock_timespec(left);
	nanosleep(&ts, NULL);
	return true;
}
