/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scenario of the validation suite (gpuaas-scenario(5)): a cluster and its queues, what is done
 * to them, and what then must and must not be seen. gpuaas-validate runs it against a scheduling
 * technology; lib/validate judges what was seen.
 *
 * The jobs, nodes and queues of a scenario are sent to the adapter as they stand here
 * (record/adapter.h), so their members are those of the protocol.
 */
#ifndef GA_RECORD_SCENARIO_H
#define GA_RECORD_SCENARIO_H

#include "base/texts.h"
#include "base/vec.h"
#include "record/schema.h"

/* A node of the cluster that a scenario needs. */
struct ga_trial_node {
	char *name;
	int64_t slots; /* GPUs */
	char *type;    /* any word; the adapter reports what it has in its place */
	char *numa, *fabric_switch, *cluster; /* names of what nodes or slots share; or NULL */
	int64_t declared_slots; /* slots that the cluster claims to have; GA_UNKNOWN: as many */
	int64_t vcpus, memory_mib; /* GA_UNKNOWN: enough */
};

/* Slots of one accelerator type, of a guarantee or a limit. */
struct ga_trial_quota {
	char *type;
	int64_t guaranteed, limit; /* GA_UNKNOWN: none given */
};

/* A queue: absent members are the technology's defaults. */
struct ga_trial_queue {
	char *name, *parent;
	int64_t guaranteed, limit, weight, lending_limit, borrowing_limit; /* slots; weight: any */
	char *order;  /* fifo, lifo, fair */
	char *policy; /* strict, best_effort */
	GA_LIST(struct ga_trial_quota) types;
	int64_t priority, user_limit;
	struct ga_texts users; /* the only ones who may submit; empty: everybody */
	char *reclaim;	    /* any, lower, never: what it may evict of other queues */
	char *within_queue; /* lower, never: what it may evict of its own */
	int64_t min_runtime_seconds, grace_seconds, evictions_a_round, half_life_seconds;
};

/* A job, or several of the same form. */
struct ga_trial_job {
	char *name; /* with "$i" where count is more than 1: 1, 2, … stands there */
	char *queue, *user;
	int64_t count; /* GA_UNKNOWN: one */
	int64_t slots; /* GPUs of one node */
	int64_t nodes; /* nodes of a gang, each with slots; GA_UNKNOWN: one */
	int64_t min_slots, max_slots; /* of an elastic job; GA_UNKNOWN: exactly slots */
	struct ga_texts types; /* accelerator types that it can use, best first; empty: any */
	int64_t priority; /* a greater number is more urgent; GA_UNKNOWN: the default */
	bool not_preemptible;
	int64_t run_seconds; /* it ends by itself; GA_UNKNOWN: it runs until it is ended */
	bool ignores_stop;   /* its process ignores SIGTERM */
	bool movable;	     /* it may be moved to another node */
	bool never_ready;    /* one member of the gang never starts */
	int64_t vcpus, memory_mib;
	int64_t every_seconds; /* between two of them; GA_UNKNOWN: all at once */
	int64_t submitters;    /* clients that race; GA_UNKNOWN: one */
};

struct ga_trial_change {
	struct ga_texts jobs; /* patterns */
	int64_t priority;     /* GA_UNKNOWN: as it is */
	char *queue;	      /* NULL: as it is */
};

struct ga_trial_fault {
	char *kind;   /* ga_fault_words */
	char *target; /* a node, slot or cluster; NULL where the kind has none */
};

struct ga_trial_question {
	char *job; /* a pattern; the question is about each job of it */
	char *as;  /* owner, other, operator */
};

struct ga_trial_client {
	char *tz, *locale; /* NULL: as before */
};

struct ga_trial_usage {
	char *queue;
	int64_t days_ago; /* 0: today */
	int64_t slot_hours;
};

/* One thing that is done: exactly one member is set. */
struct ga_trial_step {
	struct ga_trial_job *submit, *plan; /* plan: what submit would do */
	struct ga_trial_change *change;
	struct ga_texts cancel; /* patterns of jobs */
	GA_LIST(struct ga_trial_queue) queues; /* these queues get these members, others stay */
	struct ga_trial_fault *fault;
	int64_t pause_seconds;	/* watch for so long; GA_UNKNOWN: no such step */
	int64_t advance_seconds; /* move a virtual clock; GA_UNKNOWN: no such step */
	struct ga_trial_question *explain;
	struct ga_trial_client *client;
	GA_LIST(struct ga_trial_usage) history;
	char *trace;	/* name of a trace: submit its jobs at their times; cannot be run */
	char *ask;	/* state, events: an answer of the whole cluster */
	char *snapshot; /* take, replay */
};

/* One thing that must be seen. check decides which of the members count. */
struct ga_trial_check {
	char *id;
	char *check; /* ga_check_words */
	struct ga_texts jobs;	/* patterns: a name, or the beginning of names and "*" */
	struct ga_texts queues; /* of a value or a sum */
	char *state;  /* of the jobs: ga_job_words */
	char *value;  /* ga_value_words */
	int64_t within_seconds;	  /* after the act (or arrange, of what is given) */
	int64_t at_worst_seconds; /* later than within and not later than this: a workaround */
	int64_t for_seconds;	  /* of what never happens */
	int64_t is, at_least, at_most;
	struct ga_texts nodes;
	struct ga_texts codes;	/* reasons that are right */
	struct ga_texts fields; /* members that an answer must have */
	struct ga_texts lacks;	/* texts that an answer must not have */
	char *answer;		/* explain, state, plan, events */
	bool first;		/* the first answer is read, not the last one */
	char *one_of; /* of the checks with the same word here one is enough; or NULL */
	bool partial; /* without it the outcome is a workaround, not a failure */
};

struct ga_scenario_requirement {
	char *id;
	char *coverage; /* full, partial */
};

/* gpuaas.scenario/1 */
struct ga_scenario {
	char *id; /* PRI-01 */
	char *level; /* must, should */
	char *title;
	bool safety; /* a requirement whose safety MUST fails is not supported */
	GA_LIST(struct ga_scenario_requirement) requirements;
	struct ga_texts needs; /* ga_need_words */
	char *clock; /* any, real, virtual */
	int64_t runs; /* times that it is run anew; GA_UNKNOWN: once */
	GA_LIST(struct ga_trial_node) nodes;
	GA_LIST(struct ga_trial_queue) queues;
	GA_LIST(struct ga_trial_step) arrange;
	GA_LIST(struct ga_trial_check) given;
	GA_LIST(struct ga_trial_step) act;
	GA_LIST(struct ga_trial_check) expect;
	GA_LIST(struct ga_trial_step) ask; /* questions after the last deadline */
	char *negative; /* the wrong behaviour that it must catch */
	char *notes;
};

#define GA_SCENARIO_JOBS_MAX 10000 /* that a scenario submits */

extern const char *const ga_level_words[];   /* must, should */
extern const char *const ga_check_words[];   /* the kinds of checks */
extern const char *const ga_value_words[];   /* the values that a check compares */
extern const char *const ga_need_words[];    /* what a technology can support and a scenario need */
extern const char *const ga_fault_words[];
extern const char *const ga_job_words[];     /* the states of a job */
extern const char *const ga_as_words[];	     /* who asks: owner, other, operator */
extern const char *const ga_answer_words[];  /* the answers that a check reads */

/* Whether a pattern ("own", "o*") means the job. */
bool ga_trial_means(const char *pattern, const char *job);
/* Adds the names of the jobs that the step submits: "o1" to "o4" of "o$i". */
void ga_trial_job_names(const struct ga_trial_job *job, struct ga_texts *ret);
/* Checks what the schema cannot express: each step does one thing, each check has the members that
 * its kind needs and no others, each pattern means a job that is submitted (a subject that is empty
 * would make a check true that saw nothing), queues and nodes exist, deadlines do not contradict
 * each other. GA_BADREC with the place: "expect 'starts': …". */
GA_MUST_CHECK int ga_scenario_check(const struct ga_scenario *scenario, struct ga_err *err);

extern const struct ga_schema ga_scenario_schema;
/* Parts that the protocol has as well. */
extern const struct ga_schema ga_trial_node_schema, ga_trial_queue_schema, ga_trial_job_schema,
	ga_trial_change_schema, ga_trial_fault_schema, ga_trial_question_schema,
	ga_trial_client_schema, ga_trial_usage_schema;

#endif
