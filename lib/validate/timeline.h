/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The observations of one run of a scenario, in the order of time: the jobs that the scenario
 * submits, and what was reported of each at each moment. A moment is a poll: it shows the cluster
 * after all the changes that stand behind it, and no later ones, however soon they came.
 */
#ifndef GA_VALIDATE_TIMELINE_H
#define GA_VALIDATE_TIMELINE_H

#include "record/scenario.h"
#include "record/trial.h"

/* A job of the scenario. */
struct ga_timeline_job {
	char *name;
	const struct ga_trial_job *form;  /* as the scenario submits it; its name may have "$i" */
	bool of_act;			  /* submitted by the act */
	bool acknowledged;		  /* the technology took it */
	int64_t submitted_ms, started_ms; /* first start; GA_UNKNOWN: never */
	char *started_since; /* the technology's own time of that start, or NULL; borrowed */
	const struct ga_trial_report *at_start; /* NULL: never started */
};

/* The state of a job at the moment that a walk shows. */
struct ga_timeline_state {
	const struct ga_trial_report *report; /* the last one; NULL: none yet */
	int64_t evictions;		      /* since the beginning of the walk */
	unsigned int ever; /* bits by ga_job_words: states since the beginning of the walk */
};

struct ga_timeline {
	const struct ga_scenario *scenario;
	GA_LIST(struct ga_timeline_job) jobs; /* in the order of the scenario */
	size_t *by_name;		      /* places in jobs, sorted by name */
	GA_LIST(const struct ga_trial_seen *) seen; /* of this run */
	int64_t arrange_ms, given_ms, act_ms, expect_ms, ask_ms; /* GA_UNKNOWN: never came so far */
	size_t arrange_at, act_at; /* the places of these phases in seen */
	int64_t polled_ms; /* the last poll before the questions; GA_UNKNOWN: none */
	int64_t gap_ms;	   /* the longest time without a poll, from the act to the questions */
	int64_t scale_percent;
	bool virtual_clock;
	bool ended; /* the run came to its end */
};

/* Reads what was seen of one run, from 1. */
void ga_timeline_read(const struct ga_scenario *scenario, const struct ga_trial *trial, int64_t run,
		      struct ga_timeline *ret);
void ga_timeline_release(struct ga_timeline *line);

/* Index of the job in line->jobs, or line->jobs.n. */
size_t ga_timeline_find(const struct ga_timeline *line, const char *name);
/* Fills ret with the indexes of the jobs that the patterns mean, in their order; no job twice. */
void ga_timeline_select(const struct ga_timeline *line, const struct ga_texts *patterns,
			struct ga_ints *ret);

/*
 * A walk through the moments of a run: after each ga_walk_next, ms is the time of the moment and
 * states[i] is what is known of jobs.v[i]. It begins with the moment of from_at, a place in seen,
 * at which everything before it is known; evictions and ever count from there on.
 */
struct ga_walk {
	const struct ga_timeline *line;
	struct ga_timeline_state *states;
	size_t from_at, next;
	int64_t until_ms, ms;
	bool began;
};
void ga_walk_begin(const struct ga_timeline *line, size_t from_at, int64_t until_ms,
		   struct ga_walk *ret);
bool ga_walk_next(struct ga_walk *walk);
void ga_walk_end(struct ga_walk *walk);
#define ga_autowalk ga_cleanup(ga_walk_end)

/* Whether the job is, or of evicted, failed, done, lost and refused ever was, in the state. */
bool ga_walk_is(const struct ga_walk *walk, size_t job, const char *state);
/* The slots that a running or stopping job has; 0 of any other. A running one whose places are not
 * shown has those without which it cannot run. */
int64_t ga_walk_slots(const struct ga_walk *walk, size_t job);

#endif
