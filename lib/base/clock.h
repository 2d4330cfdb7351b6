/* SPDX-License-Identifier: Apache-2.0 */
/* The two clocks. Read the clock at each step, never once for a long piece of work. */
#ifndef GA_BASE_CLOCK_H
#define GA_BASE_CLOCK_H

#include <time.h>

#include "base/ga.h"

int64_t ga_clock_micros(void); /* wall clock, microseconds since 1970 UTC */
int64_t ga_clock_mono_micros(void); /* monotonic, for durations and deadlines */
struct timespec ga_clock_timespec(int64_t micros); /* micros from 0 on, for calls of libc */
/* Waits until the monotonic deadline, but at most max_micros; returns false when the deadline has
 * already passed. For polling loops with a deadline. */
bool ga_clock_wait(int64_t deadline_mono_micros, int64_t max_micros);

#endif
