/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tuning of a host as a record (gpuaas.tuning), and the comparison of two of them: the host
 * before it was tuned, and after. Pure.
 */
#ifndef GA_DECIDE_SETUP_TUNING_H
#define GA_DECIDE_SETUP_TUNING_H

#include "decide/setup/bootstrap.h"

/* The number of steps that are not done (pending, waiting, for a person, or blocked) and of
 * blockers that no blocked step stands for. */
int64_t ga_tuning_left(const struct ga_setup_plan *plan);

/* Adds the settings of the facts to the record. */
void ga_tuning_settings(const struct ga_setup_facts *f, struct ga_tuning *t);

struct ga_tuning_run {
	int64_t bytes, micros;
};
/* Sets bytes, time, rate and runs of m to those of the run whose rate is in the middle (of an even
 * number: the slower one). Sorts the runs. n is at least 1; a run has at least a microsecond. */
void ga_tuning_median(struct ga_tuning_run *runs, size_t n, struct ga_tuning_measure *m);

/* A line of the comparison. */
struct ga_tuning_row {
	char *name, *untuned, *tuned;
	char *difference; /* "+12.5 %", "changed", "other target", or "" */
};
struct ga_tuning_rows {
	struct ga_tuning_row *v;
	size_t n;
};
void ga_tuning_rows_release(struct ga_tuning_rows *rows);
#define ga_autotuningrows ga_cleanup(ga_tuning_rows_release)

/* Fills ret with a line for each rate and setting of either record; one of them may be NULL. Rates
 * of different targets are shown and not compared. The caller releases ret. */
void ga_tuning_compare(const struct ga_tuning *untuned, const struct ga_tuning *tuned,
		       struct ga_tuning_rows *ret);

#endif
