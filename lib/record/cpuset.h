/* SPDX-License-Identifier: Apache-2.0 */
/* CPU lists as the kernel writes them ("0-47,96-143"; cpuset(7) "List format"). */
#ifndef GA_RECORD_CPUSET_H
#define GA_RECORD_CPUSET_H

#include "base/ga.h"

#define GA_CPU_MAX 8192

struct ga_cpuset {
	uint64_t bits[GA_CPU_MAX / 64];
};

/* Reads a list; "" is the empty set; GA_BADREC when text is no list or a CPU is >= GA_CPU_MAX. */
GA_MUST_CHECK int ga_cpuset_parse(const char *text, struct ga_cpuset *ret, struct ga_err *err);
char *ga_cpuset_format(const struct ga_cpuset *s); /* allocated, shortest form, ascending */
/* The number of CPUs. */
int ga_cpuset_count(const struct ga_cpuset *s);
/* Whether the CPU is in the set; false for any number that no set can have. */
bool ga_cpuset_has(const struct ga_cpuset *s, int cpu);
/* Adds a CPU; cpu must be 0 to GA_CPU_MAX - 1. */
void ga_cpuset_add(struct ga_cpuset *s, int cpu);
/* Whether the two sets share a CPU. */
bool ga_cpuset_overlaps(const struct ga_cpuset *a, const struct ga_cpuset *b);
void ga_cpuset_join(struct ga_cpuset *s, const struct ga_cpuset *more); /* adds the CPUs of more */

#endif
