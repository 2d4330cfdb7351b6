/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The observations of a running scenario (gpuaas-adapter(7)): the answers of an adapter, the
 * observations that the runner makes of them, and the verdict, which lib/validate judges from the
 * observations alone.
 *
 * An observation of kind poll says that all jobs were looked at; the changes that were found stand
 * behind it with the same time. So what was not seen between two polls is known.
 *
 * The times of an observation are milliseconds of the trial's clock: the runner's monotonic clock,
 * or the technology's virtual one.
 */
#ifndef GA_RECORD_TRIAL_H
#define GA_RECORD_TRIAL_H

#include "base/texts.h"
#include "base/vec.h"
#include "record/schema.h"

/* ---- answers of an adapter ---- */

struct ga_trial_component {
	char *name, *version, *digest; /* digest: NULL where there is none */
};

/* A notion that the technology does not have. */
struct ga_trial_lack {
	char *need;	 /* ga_need_words */
	char *sentence;	 /* why, for people */
	char *reference; /* where the technology's documentation says so */
};
/* The answer to hello. */
struct ga_trial_hello {
	char *technology, *version;
	char *technology_class;	    /* "class": system, model */
	char *clock;		    /* real, virtual */
	int64_t time_scale_percent; /* deadlines are multiplied by it; GA_UNKNOWN: 100 */
	GA_LIST(struct ga_trial_component) components;
	struct ga_texts supports;    /* ga_need_words; words that are not known are left out */
	GA_LIST(struct ga_trial_lack) lacks; /* of what supports does not have; may be empty */
	int64_t max_nodes, max_jobs; /* GA_UNKNOWN: no limit worth naming */
	char *configuration;	     /* as applied, for the bundle; NULL: none */
};

/* Why a job waits or was refused. */
struct ga_trial_reason {
	char *code;   /* of gpuaas-adapter(7), REASONS; NULL: none fits */
	char *text;   /* for people */
	char *native; /* the technology's own words */
};

/* Where a job runs. */
struct ga_trial_place {
	char *node;
	int64_t count;		/* GPUs on the node */
	GA_LIST(int64_t) slots; /* their numbers; empty: the technology does not show them */
};

/* A job as the technology shows it. */
struct ga_trial_report {
	char *name;			       /* of the scenario */
	char *id;			       /* of the technology */
	char *state;			       /* ga_job_words */
	GA_LIST(struct ga_trial_place) places; /* of a running or stopping one */
	char *since; /* time of the state by the technology's clock; NULL: unknown */
	struct ga_trial_reason *reason;
	int64_t started_count; /* GA_UNKNOWN: the technology does not count */
	char *evicted_by;      /* name of a job or queue; NULL: unknown or not evicted */
};

/* The answer to explain. */
struct ga_trial_explanation {
	char *job, *as;
	char *code, *text, *native;
	int64_t missing;	    /* slots; GA_UNKNOWN: not said */
	struct ga_texts would_free; /* jobs whose end would let it start */
	struct ga_texts holders;    /* jobs that have what it needs */
	int64_t position;	    /* in its queue, from 1 */
	char *expected_start;
	char *by, *rule, *at;	/* of an eviction: for whom, by which rule, when */
	struct ga_texts queues; /* queues concerned */
	char *stale_since;
};

struct ga_trial_queue_state {
	char *name;
	int64_t guaranteed, limit, used, borrowed, pending; /* slots; GA_UNKNOWN: not shown */
};

struct ga_trial_pool_state {
	char *name;
	int64_t free, largest_block;   /* slots; GA_UNKNOWN: not shown */
	int64_t fragmentation_percent; /* GA_UNKNOWN: not shown */
};

/* The answer to state. */
struct ga_trial_state {
	GA_LIST(struct ga_trial_queue_state) queues;
	GA_LIST(struct ga_trial_pool_state) pools;
	struct ga_texts flagged;  /* nodes that are shown as wrong, and why */
	struct ga_texts starving; /* jobs that are shown as waiting too long */
	struct ga_texts alerts;	  /* alerts that fire */
};

struct ga_trial_placement {
	char *job, *node;
};

/* The answer to plan. */
struct ga_trial_plan {
	struct ga_texts victims;
	GA_LIST(struct ga_trial_placement) placements;
	struct ga_texts moves; /* jobs that would be moved */
	char *rule;
	struct ga_trial_reason *reason; /* of a plan that is not possible */
};

struct ga_trial_event {
	char *at, *by, *job, *type, *text, *native;
};
struct ga_trial_events {
	GA_LIST(struct ga_trial_event) events;
};

/* An answer that is none. */
struct ga_trial_error {
	char *code; /* ga_trial_error_words */
	char *sentence;
	char *native;	 /* NULL: none */
	char *reference; /* of unsupported: where the technology's documentation says so */
};

/* ---- observations ---- */

/* gpuaas.scenario-observation/1: one line of observations.ndjson. what decides which of the other
 * members it has. */
struct ga_trial_seen {
	int64_t run; /* from 1; a scenario that is run anew begins a new one */
	int64_t ms;  /* since the trial began */
	char *what;  /* ga_seen_words */
	char *phase; /* of phase: arrange, given, act, expect, ask; what follows belongs to it */
	char *verb;  /* of step, answer and trouble */
	struct ga_texts jobs;	     /* of step: jobs that the technology acknowledged */
	struct ga_texts ignored;     /* of step: settings that the technology cannot take */
	struct ga_texts workarounds; /* of step: settings that differ from its defaults */
	struct ga_trial_hello *hello;
	struct ga_trial_report *job;
	struct ga_trial_explanation *explain;
	struct ga_trial_state *state;
	struct ga_trial_plan *plan;
	struct ga_trial_events *events;
	struct ga_trial_error *error; /* of trouble, and of a step that was refused */
	char *digest;		      /* of answer snapshot and replay */
};
struct ga_trial {
	GA_LIST(struct ga_trial_seen) seen;
};

extern const char *const ga_seen_words[]; /* hello, phase, step, job, poll, answer, trouble, end */
extern const char *const ga_phase_words[];
/* unsupported: there is no such notion. refused: the technology said no. failed, timeout, died:
 * the adapter or the cluster broke. conflict: the request makes no sense now. */
extern const char *const ga_trial_error_words[];

/* ---- verdicts ---- */

struct ga_verdict_check {
	char *id;
	char *result; /* met, late, missed, unknown */
	char *why; /* one sentence with the numbers; NULL when it was met and nothing is to say */
	int64_t at_ms; /* when it was decided; GA_UNKNOWN: at the end */
};

struct ga_verdict_value {
	char *name;
	int64_t value;
};

/* gpuaas.verdict/1 */
struct ga_verdict {
	char *scenario;	       /* id */
	char *scenario_digest; /* of the scenario as it was run */
	char *outcome;	       /* ga_outcome_words */
	char *why;	       /* one sentence */
	bool given;	       /* the situation was there */
	bool contended;	       /* something waited */
	int64_t runs;	       /* that came to their end */
	int64_t agreeing;      /* runs that agree with the first one; less than runs: flaky */
	GA_LIST(struct ga_verdict_check) checks;
	struct ga_texts workarounds;		 /* what makes it one */
	GA_LIST(struct ga_verdict_value) values; /* measured, for the comparisons of the matrix */
};

extern const char *const ga_outcome_words[]; /* pass, workaround, fail, unsupported, inconclusive */

/* Frees the observations, leaves none. */
void ga_trial_release(struct ga_trial *trial);

extern const struct ga_schema ga_trial_seen_schema, ga_verdict_schema;
/* The answers, for the protocol. */
extern const struct ga_schema ga_trial_hello_schema, ga_trial_report_schema,
	ga_trial_explanation_schema, ga_trial_state_schema, ga_trial_plan_schema,
	ga_trial_events_schema, ga_trial_error_schema, ga_trial_reason_schema,
	ga_trial_component_schema;

#endif
