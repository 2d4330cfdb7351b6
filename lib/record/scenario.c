/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of gpuaas.scenario, and the rules of a scenario. */
#include "record/scenario.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "record/id.h"

const char *const ga_check_words[] = { "are",	    "never",	   "count",	    "order",
				       "on_node",   "together",	   "reason_in",	    "explain_has",
				       "sum_at_most", "equal_runs", "lost_none", "value_between",
				       NULL };
const char *const ga_value_words[] = {
	"start_seconds",    "mean_wait_seconds", "running_slots",     "running_spread",
	"share_percent",    "dominant_spread",	 "idle_slots",	      "job_slots",
	"evictions_of_a_job", "evictions_a_round", "refused_percent", "plan_victims",
	"state_guaranteed", "state_used",	 "state_borrowed",    "state_pending",
	"state_over",	    "free_slots",	 "largest_free_block", "decisions",
	"alerts",	    NULL
};
const char *const ga_need_words[] = {
	"advance",	"alerts",	  "best_effort",   "change",	   "client",
	"clusters",	"dry_run",	  "elastic",	   "evictions_cap", "events",
	"explain",	"fair_share",	  "fault_cluster", "fault_controller", "fault_device",
	"fault_node",	"fault_wipe",	  "gangs",	   "grace",	   "guarantees",
	"history",	"lending_limit",  "lifo",	   "limits",	   "min_runtime",
	"moving",	"over_quota",	  "preemption",	   "priorities",   "queue_tree",
	"queues",	"reclaim",	  "replay",	   "resources",	   "rights",
	"snapshot",	"state",	  "strict",	   "switches",	   "tenant_view",
	"trace",	"type_limits",	  "types",	   "user_limits",  "wipes",
	NULL
};
const char *const ga_fault_words[] = { "kill_controller", "kill_node",	      "restore_node",
				       "wipe_fails",	  "fewer_devices",    "device_unhealthy",
				       "stale_cluster",	  "wipe_is_repaired", NULL };
const char *const ga_job_words[] = { "pending", "running", "stopping", "evicted", "failed",
				     "done",	"lost",	   "refused",  NULL };
const char *const ga_as_words[] = { "owner", "other", "operator", NULL };
const char *const ga_answer_words[] = { "explain", "state", "plan", "events", NULL };

const char *const ga_level_words[] = { "must", "should", NULL };
static const char *const coverages[] = { "full", "partial", NULL };
static const char *const clocks[] = { "any", "real", "virtual", NULL };
static const char *const orders[] = { "fifo", "lifo", "fair", NULL };
static const char *const policies[] = { "strict", "best_effort", NULL };
static const char *const reclaims[] = { "any", "lower", "never", NULL };
static const char *const withins[] = { "lower", "never", NULL };
static const char *const asked[] = { "state", "events", NULL };
static const char *const snapshots[] = { "take", "replay", NULL };

#define SLOTS(s, m, pr, d) GA_INT_IN(s, m, pr, 0, 1000000, d)
#define LISTOF_OPT(s, m, sh, d) GA_FIELD(s, m, GA_F_LIST, GA_OPT, .sub = (sh), .doc = (d))

#define S ga_trial_node
const struct ga_schema ga_trial_node_schema = {
	.doc = "a node of the cluster",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "name of the node in the scenario"),
		SLOTS(S, slots, GA_REQ, "GPUs of the node"),
		GA_TEXT(S, type, GA_REQ, GA_T_NAME, "accelerator type, such as h100"),
		GA_TEXT(S, numa, GA_OPT, GA_T_NAME, "NUMA node that its slots share"),
		GA_AS(S, fabric_switch, "switch", GA_F_TEXT, GA_OPT, .format = GA_T_NAME,
		      .doc = "network switch that nodes share"),
		GA_TEXT(S, cluster, GA_OPT, GA_T_NAME,
			"cluster of the node, where there are several"),
		SLOTS(S, declared_slots, GA_OPT,
		      "GPUs that the node is declared to have; left out: as many as it has"),
		GA_INT_IN(S, vcpus, GA_OPT, 1, 1000000, "CPUs; left out: enough"),
		GA_MIB(S, memory_mib, GA_OPT, "memory in MiB; left out: enough"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_quota
static const struct ga_schema quota_schema = {
	.doc = "the part of one accelerator type",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, type, GA_REQ, GA_T_NAME, "accelerator type"),
		SLOTS(S, guaranteed, GA_OPT, "slots that the queue can always have"),
		SLOTS(S, limit, GA_OPT, "most slots of the queue"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_queue
const struct ga_schema ga_trial_queue_schema = {
	.doc = "a queue; a member that is left out has the default of the technology",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "name of the queue in the scenario"),
		GA_TEXT(S, parent, GA_OPT, GA_T_NAME, "queue above it"),
		SLOTS(S, guaranteed, GA_OPT, "slots that the queue can always have"),
		SLOTS(S, limit, GA_OPT, "most slots of the queue"),
		GA_INT_IN(S, weight, GA_OPT, 1, 1000000, "share against its siblings"),
		SLOTS(S, lending_limit, GA_OPT, "most slots that others can borrow of it"),
		SLOTS(S, borrowing_limit, GA_OPT, "most slots that it can borrow"),
		GA_ENUM(S, order, GA_OPT, orders, "order of jobs of equal priority"),
		GA_ENUM(S, policy, GA_OPT, policies,
			"strict: nothing passes the first job; best_effort: what fits can pass it"),
		LISTOF_OPT(S, types, &quota_schema, "guarantees and limits of single types"),
		GA_INT_IN(S, priority, GA_OPT, -1000000, 1000000, "priority of the queue"),
		SLOTS(S, user_limit, GA_OPT, "most slots of one user while others wait"),
		GA_TEXTS(S, users, GA_OPT, GA_T_NAME, "the only users who may submit"),
		GA_ENUM(S, reclaim, GA_OPT, reclaims, "jobs of other queues that it may evict"),
		GA_ENUM(S, within_queue, GA_OPT, withins, "jobs of its own that it may evict"),
		GA_SECONDS(S, min_runtime_seconds, GA_OPT,
			   "age in seconds before which a job is not reclaimed"),
		GA_SECONDS(S, grace_seconds, GA_OPT, "seconds between stop and kill"),
		GA_INT_IN(S, evictions_a_round, GA_OPT, 1, 1000000,
			  "most evictions of one scheduling round"),
		GA_SECONDS(S, half_life_seconds, GA_OPT,
			   "seconds after which past usage counts half"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_job
const struct ga_schema ga_trial_job_schema = {
	.doc = "a job, or several of the same form",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_ANY,
			"name; with count more than 1 it has $i, and 1, 2, … stands there"),
		GA_TEXT(S, queue, GA_REQ, GA_T_NAME, "queue"),
		GA_TEXT(S, user, GA_OPT, GA_T_NAME, "user who submits"),
		GA_INT_IN(S, count, GA_OPT, 1, GA_SCENARIO_JOBS_MAX, "number of jobs; left out: 1"),
		SLOTS(S, slots, GA_REQ, "GPUs on one node"),
		GA_INT_IN(S, nodes, GA_OPT, 1, 100000, "nodes of a gang, each with slots"),
		SLOTS(S, min_slots, GA_OPT, "least GPUs of an elastic job"),
		SLOTS(S, max_slots, GA_OPT, "most GPUs of an elastic job"),
		GA_TEXTS(S, types, GA_OPT, GA_T_NAME,
			 "accelerator types that it can use, best first; left out: any"),
		GA_INT_IN(S, priority, GA_OPT, -1000000, 1000000,
			  "priority; greater is more urgent"),
		GA_BOOL_OPT(S, not_preemptible, "true: it must never be evicted"),
		GA_SECONDS(S, run_seconds, GA_OPT,
			   "seconds after which it ends; left out: it runs until it is ended"),
		GA_BOOL_OPT(S, ignores_stop, "true: its process ignores the request to stop"),
		GA_BOOL_OPT(S, movable, "true: it may be moved to another node"),
		GA_BOOL_OPT(S, never_ready, "true: one member of the gang never starts"),
		GA_INT_IN(S, vcpus, GA_OPT, 1, 1000000, "CPUs"),
		GA_MIB(S, memory_mib, GA_OPT, "memory in MiB"),
		GA_SECONDS(S, every_seconds, GA_OPT, "seconds between two of them; left out: 0"),
		GA_INT_IN(S, submitters, GA_OPT, 1, 64, "clients that submit at the same time"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_change
const struct ga_schema ga_trial_change_schema = {
	.doc = "a change of waiting jobs",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXTS(S, jobs, GA_REQ, GA_T_ANY, "names of jobs, or beginnings with *"),
		GA_INT_IN(S, priority, GA_OPT, -1000000, 1000000, "new priority"),
		GA_TEXT(S, queue, GA_OPT, GA_T_NAME, "new queue"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_fault
const struct ga_schema ga_trial_fault_schema = {
	.doc = "a fault that is made on purpose",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, kind, GA_REQ, ga_fault_words, "the fault"),
		GA_TEXT(S, target, GA_OPT, GA_T_NAME, "node or cluster that it happens to"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_question
const struct ga_schema ga_trial_question_schema = {
	.doc = "why a job waits or was evicted",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, job, GA_REQ, GA_T_ANY, "name of a job, or a beginning with *"),
		GA_ENUM(S, as, GA_REQ, ga_as_words, "rights of the reader of the answer"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_client
const struct ga_schema ga_trial_client_schema = {
	.doc = "settings of the client from here on",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, tz, GA_OPT, GA_T_ANY, "time zone, as in TZ"),
		GA_TEXT(S, locale, GA_OPT, GA_T_ANY, "locale, as in LC_ALL"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_usage
const struct ga_schema ga_trial_usage_schema = {
	.doc = "past usage of a queue",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, queue, GA_REQ, GA_T_NAME, "queue"),
		GA_INT_IN(S, days_ago, GA_REQ, 0, 3650, "day of the usage; 0 is today"),
		GA_INT_IN(S, slot_hours, GA_REQ, 0, GA_COUNT_MAX, "slot hours of that day"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_step
static const struct ga_schema step_schema = {
	.doc = "one thing that is done; it has exactly one member",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_OBJ(S, submit, GA_OPT, &ga_trial_job_schema, "submit jobs"),
		GA_OBJ(S, plan, GA_OPT, &ga_trial_job_schema,
		       "ask what submitting this job would do, and do nothing"),
		GA_OBJ(S, change, GA_OPT, &ga_trial_change_schema, "change waiting jobs"),
		GA_TEXTS(S, cancel, GA_OPT, GA_T_ANY, "end these jobs"),
		LISTOF_OPT(S, queues, &ga_trial_queue_schema,
			   "give these queues these settings; others stay as they are"),
		GA_OBJ(S, fault, GA_OPT, &ga_trial_fault_schema, "make a fault"),
		GA_SECONDS(S, pause_seconds, GA_OPT, "watch for so many seconds"),
		GA_SECONDS(S, advance_seconds, GA_OPT, "move a virtual clock by so many seconds"),
		GA_OBJ(S, explain, GA_OPT, &ga_trial_question_schema, "ask about jobs"),
		GA_OBJ(S, client, GA_OPT, &ga_trial_client_schema, "change the client"),
		LISTOF_OPT(S, history, &ga_trial_usage_schema, "enter usage of past days"),
		GA_TEXT(S, trace, GA_OPT, GA_T_CODE,
			"submit the jobs of a trace, which must be given"),
		GA_ENUM(S, ask, GA_OPT, asked, "ask about the cluster"),
		GA_ENUM(S, snapshot, GA_OPT, snapshots,
			"take: write a snapshot of the state; replay: decide it again"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_check
static const struct ga_schema check_schema = {
	.doc = "one thing that must be seen; check decides which members it has",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, id, GA_REQ, GA_T_NAME, "name of the check"),
		GA_ENUM(S, check, GA_REQ, ga_check_words, "kind of check: gpuaas-scenario(5)"),
		GA_TEXTS(S, jobs, GA_OPT, GA_T_ANY, "names of jobs, or beginnings with *"),
		GA_TEXTS(S, queues, GA_OPT, GA_T_NAME, "queues"),
		GA_ENUM(S, state, GA_OPT, ga_job_words, "state of the jobs"),
		GA_ENUM(S, value, GA_OPT, ga_value_words, "value that is compared"),
		GA_SECONDS(S, within_seconds, GA_OPT,
			   "deadline in seconds after the last step"),
		GA_SECONDS(S, at_worst_seconds, GA_OPT,
			   "a later deadline, which makes it a workaround"),
		GA_SECONDS(S, for_seconds, GA_OPT,
			   "seconds after the last step in which it never happens"),
		GA_COUNT(S, is, GA_OPT, "exactly this number"),
		GA_COUNT(S, at_least, GA_OPT, "this number or more"),
		GA_COUNT(S, at_most, GA_OPT, "this number or less"),
		GA_TEXTS(S, nodes, GA_OPT, GA_T_NAME, "nodes, or clusters, that are right"),
		GA_TEXTS(S, codes, GA_OPT, GA_T_CODE, "reasons that are right"),
		GA_TEXTS(S, fields, GA_OPT, GA_T_CODE, "members that the answer must have"),
		GA_TEXTS(S, lacks, GA_OPT, GA_T_ANY, "texts that the answer must not have"),
		GA_ENUM(S, answer, GA_OPT, ga_answer_words, "answer that is read"),
		GA_BOOL_OPT(S, first, "true: the first answer is read, not the last one"),
		GA_TEXT(S, one_of, GA_OPT, GA_T_NAME,
			"group of checks: one check of the group is enough"),
		GA_BOOL_OPT(S, partial,
			    "true: without it the outcome is a workaround, not a failure"),
		GA_FIELDS_END },
};
#undef S

#define S ga_scenario_requirement
static const struct ga_schema requirement_schema = {
	.doc = "a requirement that the scenario shows",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, id, GA_REQ, GA_T_ANY, "id of the requirement"),
		GA_ENUM(S, coverage, GA_REQ, coverages, "whether it shows all of it"),
		GA_FIELDS_END },
};
#undef S

#define S ga_scenario
const struct ga_schema ga_scenario_schema = {
	.kind = "gpuaas.scenario/1",
	.doc = "a scenario of the validation suite: gpuaas-scenario(5)",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, id, GA_REQ, GA_T_ANY, "id, such as PRI-01"),
		GA_ENUM(S, level, GA_REQ, ga_level_words, "must or should"),
		GA_TEXT(S, title, GA_REQ, GA_T_ANY, "behaviour that it shows, in one line"),
		GA_BOOL_OPT(S, safety,
			    "true: a technology that fails it does not support the requirement"),
		GA_LISTOF(S, requirements, &requirement_schema, "requirements that it shows"),
		GA_FIELD(S, needs, GA_F_TEXTS, GA_REQ, .values = ga_need_words,
			 .doc = "notions that the technology must support"),
		GA_ENUM(S, clock, GA_REQ, clocks, "clock that it can run on"),
		GA_INT_IN(S, runs, GA_OPT, 1, 1000, "times that it is run anew; left out: 1"),
		GA_LISTOF(S, nodes, &ga_trial_node_schema, "the cluster"),
		GA_LISTOF(S, queues, &ga_trial_queue_schema, "the queues"),
		GA_LISTOF(S, arrange, &step_schema, "steps that make the situation"),
		GA_LISTOF(S, given, &check_schema,
			  "the situation; when it does not come, the outcome is inconclusive"),
		GA_LISTOF(S, act, &step_schema, "steps that the scenario is about"),
		GA_LISTOF(S, expect, &check_schema, "checks of what is seen then"),
		LISTOF_OPT(S, ask, &step_schema, "questions after the last deadline"),
		GA_TEXT(S, negative, GA_REQ, GA_T_ANY, "wrong behaviour that it catches"),
		GA_TEXT(S, notes, GA_OPT, GA_T_ANY, "notes for the reader"),
		GA_FIELDS_END },
};
#undef S

/* ---- the rules of a scenario ---- */

bool ga_trial_means(const char *pattern, const char *job)
{
	size_t len = strlen(pattern);

	if (len && pattern[len - 1] == '*')
		return !strncmp(pattern, job, len - 1);
	return !strcmp(pattern, job);
}

void ga_trial_job_names(const struct ga_trial_job *job, struct ga_texts *ret)
{
	const char *number = strstr(job->name, "$i");
	int64_t i, count = job->count == GA_UNKNOWN ? 1 : job->count;

	for (i = 1; i <= count; i++) {
		ga_autofree char *name =
			number ? ga_xprintf("%.*s%" PRId64 "%s", (int)(number - job->name),
					    job->name, i, number + 2) :
				 ga_xstrdup(job->name);

		ga_texts_add(ret, name);
	}
}

/* The members of a check, as bits. */
enum {
	JOBS = 1 << 0,
	QUEUES = 1 << 1,
	STATE = 1 << 2,
	VALUE = 1 << 3,
	WITHIN = 1 << 4,
	AT_WORST = 1 << 5,
	FOR = 1 << 6,
	BOUND = 1 << 7, /* is, at_least or at_most */
	NODES = 1 << 8,
	CODES = 1 << 9,
	FIELDS = 1 << 10,
	LACKS = 1 << 11,
	ANSWER = 1 << 12,
};

static const char *const member_names[] = { "jobs",	      "queues",	     "state",
					    "value",	      "within_seconds", "at_worst_seconds",
					    "for_seconds",    "is, at_least or at_most", "nodes",
					    "codes",	      "fields",	     "lacks",
					    "answer" };

/* By ga_check_words: the members that a check must have, and those that it can have. */
static const struct {
	int must, can;
} check_members[] = {
	{ JOBS | STATE | WITHIN, AT_WORST },		   /* are */
	{ JOBS | STATE | FOR, 0 },			   /* never */
	{ JOBS | STATE | BOUND, WITHIN | AT_WORST },	   /* count */
	{ JOBS | WITHIN, AT_WORST },			   /* order */
	{ JOBS | NODES | WITHIN, AT_WORST },		   /* on_node */
	{ JOBS, WITHIN },				   /* together */
	{ JOBS | CODES, STATE },			   /* reason_in */
	{ ANSWER, JOBS | FIELDS | LACKS | CODES },	   /* explain_has */
	{ BOUND, JOBS | QUEUES },			   /* sum_at_most */
	{ JOBS, 0 },					   /* equal_runs */
	{ JOBS, 0 },					   /* lost_none */
	{ VALUE | BOUND, JOBS | QUEUES | WITHIN | AT_WORST }, /* value_between */
};

static int members_of(const struct ga_trial_check *c)
{
	return (c->jobs.n ? JOBS : 0) | (c->queues.n ? QUEUES : 0) | (c->state ? STATE : 0) |
	       (c->value ? VALUE : 0) | (c->within_seconds != GA_UNKNOWN ? WITHIN : 0) |
	       (c->at_worst_seconds != GA_UNKNOWN ? AT_WORST : 0) |
	       (c->for_seconds != GA_UNKNOWN ? FOR : 0) |
	       (c->is != GA_UNKNOWN || c->at_least != GA_UNKNOWN || c->at_most != GA_UNKNOWN ?
			BOUND :
			0) |
	       (c->nodes.n ? NODES : 0) | (c->codes.n ? CODES : 0) | (c->fields.n ? FIELDS : 0) |
	       (c->lacks.n ? LACKS : 0) | (c->answer ? ANSWER : 0);
}

/* The names in a scenario, collected while its steps are read. */
struct names {
	struct ga_texts jobs, queues, nodes;
};

static int bad(struct ga_err *err, const struct ga_scenario *scenario, const char *part,
	       const char *name, const char *why)
{
	return ga_fail(err, GA_BADREC, "scenario '%s': %s%s%s%s %s", scenario->id, part,
		       name ? " '" : "", name ? name : "", name ? "'" : "", why);
}

static bool some_job(const struct names *names, const char *pattern)
{
	size_t i;

	for (i = 0; i < names->jobs.n; i++)
		if (ga_trial_means(pattern, names->jobs.v[i]))
			return true;
	return false;
}

static bool has_trace(const struct ga_trial_step *v, size_t n)
{
	size_t i;

	for (i = 0; i < n && !v[i].trace; i++)
		;
	return i < n;
}

/* Each pattern means a job; where is "expect 'id'". The jobs of a trace are not known before it is
 * put in the place of its step: only then are the patterns checked. */
static int check_patterns(const struct ga_scenario *scenario, const char *part, const char *id,
			  const struct ga_texts *patterns, const struct names *names,
			  struct ga_err *err)
{
	size_t i;

	if (has_trace(scenario->act.v, scenario->act.n) ||
	    has_trace(scenario->arrange.v, scenario->arrange.n))
		return 0;
	for (i = 0; i < patterns->n; i++) {
		if (!some_job(names, patterns->v[i])) {
			ga_autofree char *why = ga_xprintf(
				"names job '%s', which no step submits", patterns->v[i]);

			return bad(err, scenario, part, id, why);
		}
	}
	return 0;
}

static int steps_of(const struct ga_trial_step *s)
{
	return !!s->submit + !!s->plan + !!s->change + !!s->cancel.n + !!s->queues.n + !!s->fault +
	       (s->pause_seconds != GA_UNKNOWN) + (s->advance_seconds != GA_UNKNOWN) +
	       !!s->explain + !!s->client + !!s->history.n + !!s->trace + !!s->ask + !!s->snapshot;
}

static int check_job(const struct ga_scenario *scenario, const char *part,
		     const struct ga_trial_job *job, struct names *names, struct ga_err *err)
{
	ga_autotexts struct ga_texts list = { 0 };
	bool several = job->count != GA_UNKNOWN && job->count > 1;
	size_t i;

	if (several != !!strstr(job->name, "$i"))
		return bad(err, scenario, part, job->name,
			   several ? "needs $i in its name: it stands for several jobs" :
				     "has $i in its name, and a count of 1");
	if (!ga_texts_has(&names->queues, job->queue))
		return bad(err, scenario, part, job->name, "is for a queue that is not there");
	if ((job->min_slots != GA_UNKNOWN && job->min_slots > job->slots) ||
	    (job->max_slots != GA_UNKNOWN && job->max_slots < job->slots))
		return bad(err, scenario, part, job->name,
			   "has slots outside min_slots and max_slots");
	ga_trial_job_names(job, &list);
	if (names->jobs.n + list.n > GA_SCENARIO_JOBS_MAX)
		return bad(err, scenario, part, job->name,
			   "makes more than 10000 jobs of the scenario");
	for (i = 0; i < list.n; i++) {
		if (!ga_name_is_valid(list.v[i]))
			return bad(err, scenario, part, list.v[i], "is no name of a job");
		if (ga_texts_has(&names->jobs, list.v[i]))
			return bad(err, scenario, part, list.v[i], "is submitted twice");
		ga_texts_add(&names->jobs, list.v[i]);
	}
	return 0;
}

static int check_steps(const struct ga_scenario *scenario, const char *part,
		       const struct ga_trial_step *v, size_t n, struct names *names,
		       struct ga_err *err)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		const struct ga_trial_step *s = &v[i];
		ga_autofree char *name = ga_xprintf("step %zu", i + 1);

		if (steps_of(s) != 1)
			return bad(err, scenario, part, name, "does not do exactly one thing");
		if ((s->submit && check_job(scenario, part, s->submit, names, err) < 0) ||
		    (s->plan && check_job(scenario, part, s->plan, names, err) < 0) ||
		    check_patterns(scenario, part, name, &s->cancel, names, err) < 0 ||
		    (s->change &&
		     check_patterns(scenario, part, name, &s->change->jobs, names, err) < 0))
			return -1;
		if (s->explain && !some_job(names, s->explain->job))
			return bad(err, scenario, part, name,
				   "has a question about a job that no step submits");
		for (k = 0; k < s->queues.n; k++)
			if (!ga_texts_has(&names->queues, s->queues.v[k].name))
				return bad(err, scenario, part, name,
					   "changes a queue that is not there");
		for (k = 0; k < s->history.n; k++)
			if (!ga_texts_has(&names->queues, s->history.v[k].queue))
				return bad(err, scenario, part, name,
					   "enters usage of a queue that is not there");
		if (s->fault && s->fault->target &&
		    !ga_texts_has(&names->nodes, s->fault->target))
			return bad(err, scenario, part, name,
				   "has a target that is no node or cluster");
	}
	return 0;
}

/* Members that a kind of check lacks, has too many, or that contradict each other. */
static int check_members_of(const struct ga_scenario *scenario, const char *part,
			    const struct ga_trial_check *c, struct ga_err *err)
{
	int have = members_of(c), must, can;
	size_t kind, i;

	for (kind = 0; strcmp(ga_check_words[kind], c->check); kind++)
		;
	must = check_members[kind].must;
	can = must | check_members[kind].can;
	for (i = 0; i < GA_ARRAY_SIZE(member_names); i++) {
		ga_autofree char *why = NULL;

		if ((must & ~have) >> i & 1)
			why = ga_xprintf("is of kind %s and lacks %s", c->check, member_names[i]);
		else if ((have & ~can) >> i & 1)
			why = ga_xprintf("is of kind %s, which has no member %s", c->check,
					 member_names[i]);
		if (why)
			return bad(err, scenario, part, c->id, why);
	}
	if (c->is != GA_UNKNOWN && (c->at_least != GA_UNKNOWN || c->at_most != GA_UNKNOWN))
		return bad(err, scenario, part, c->id, "has is beside at_least or at_most");
	if (c->at_least != GA_UNKNOWN && c->at_most != GA_UNKNOWN && c->at_least > c->at_most)
		return bad(err, scenario, part, c->id, "has at_least above at_most");
	if (c->at_worst_seconds != GA_UNKNOWN && (c->within_seconds == GA_UNKNOWN ||
						  c->at_worst_seconds <= c->within_seconds))
		return bad(err, scenario, part, c->id,
			   "has at_worst_seconds that are not later than within_seconds");
	if (c->first && strcmp(c->check, "explain_has"))
		return bad(err, scenario, part, c->id, "has first, and reads no answer");
	if (!strcmp(c->check, "explain_has") && !(have & (FIELDS | LACKS | CODES)))
		return bad(err, scenario, part, c->id, "has no fields, codes or lacks");
	if (!strcmp(c->check, "explain_has") && !strcmp(c->answer, "explain") && !(have & JOBS))
		return bad(err, scenario, part, c->id, "has no jobs");
	if (!strcmp(c->check, "sum_at_most") && c->at_most == GA_UNKNOWN)
		return bad(err, scenario, part, c->id, "has no at_most");
	if (!strcmp(c->check, "equal_runs") &&
	    (scenario->runs == GA_UNKNOWN || scenario->runs < 2))
		return bad(err, scenario, part, c->id, "needs runs of 2 or more");
	return 0;
}

static int check_checks(const struct ga_scenario *scenario, const char *part,
			const struct ga_trial_check *v, size_t n, const struct names *names,
			struct ga_err *err)
{
	bool deadline = false;
	size_t i, k;

	for (i = 0; i < n; i++) {
		const struct ga_trial_check *c = &v[i];

		for (k = 0; k < i; k++)
			if (!strcmp(v[k].id, c->id))
				return bad(err, scenario, part, c->id, "stands there twice");
		if (check_members_of(scenario, part, c, err) < 0 ||
		    check_patterns(scenario, part, c->id, &c->jobs, names, err) < 0)
			return -1;
		for (k = 0; k < c->queues.n; k++)
			if (!ga_texts_has(&names->queues, c->queues.v[k]))
				return bad(err, scenario, part, c->id,
					   "names a queue that is not there");
		for (k = 0; k < c->nodes.n; k++)
			if (!ga_texts_has(&names->nodes, c->nodes.v[k]))
				return bad(err, scenario, part, c->id,
					   "names a node that is not there");
		deadline |= c->within_seconds != GA_UNKNOWN || c->for_seconds != GA_UNKNOWN;
	}
	return deadline ? 0 :
			  bad(err, scenario, part, NULL,
			      "has no check with within_seconds or for_seconds: nothing says how "
			      "long it is watched");
}

/* Whether any check of a group is no member of it alone: a group of one says nothing. */
static int check_groups(const struct ga_scenario *scenario, struct ga_err *err)
{
	size_t i, k, n;

	for (i = 0; i < scenario->expect.n; i++) {
		const char *group = scenario->expect.v[i].one_of;

		for (n = k = 0; group && k < scenario->expect.n; k++)
			n += ga_streq(group, scenario->expect.v[k].one_of);
		if (group && n < 2)
			return bad(err, scenario, "expect", scenario->expect.v[i].id,
				   "is alone in its group one_of");
	}
	return 0;
}

static int check_cluster(const struct ga_scenario *scenario, struct names *names,
			 struct ga_err *err)
{
	size_t i;

	for (i = 0; i < scenario->nodes.n; i++) {
		const struct ga_trial_node *node = &scenario->nodes.v[i];

		if (ga_texts_has(&names->nodes, node->name))
			return bad(err, scenario, "node", node->name, "stands there twice");
		ga_texts_add(&names->nodes, node->name);
		if (node->cluster && !ga_texts_has(&names->nodes, node->cluster))
			ga_texts_add(&names->nodes, node->cluster);
	}
	for (i = 0; i < scenario->queues.n; i++) {
		const struct ga_trial_queue *q = &scenario->queues.v[i];

		if (ga_texts_has(&names->queues, q->name))
			return bad(err, scenario, "queue", q->name, "stands there twice");
		if (q->parent && !ga_texts_has(&names->queues, q->parent))
			return bad(err, scenario, "queue", q->name,
				   "has a parent that does not stand before it");
		ga_texts_add(&names->queues, q->name);
	}
	return 0;
}

static void release_names(struct names *names)
{
	ga_texts_release(&names->jobs);
	ga_texts_release(&names->queues);
	ga_texts_release(&names->nodes);
}

int ga_scenario_check(const struct ga_scenario *scenario, struct ga_err *err)
{
	ga_cleanup(release_names) struct names names = { 0 };

	if (!scenario->nodes.n || !scenario->queues.n || !scenario->requirements.n ||
	    !scenario->expect.n || !scenario->given.n)
		return bad(err, scenario, "one of nodes, queues, requirements, given and expect",
			   NULL, "is empty");
	if (check_cluster(scenario, &names, err) < 0 ||
	    check_steps(scenario, "arrange", scenario->arrange.v, scenario->arrange.n, &names,
			err) < 0 ||
	    check_checks(scenario, "given", scenario->given.v, scenario->given.n, &names, err) <
		    0 ||
	    check_steps(scenario, "act", scenario->act.v, scenario->act.n, &names, err) < 0 ||
	    check_steps(scenario, "ask", scenario->ask.v, scenario->ask.n, &names, err) < 0 ||
	    check_checks(scenario, "expect", scenario->expect.v, scenario->expect.n, &names, err) <
		    0)
		return -1;
	return check_groups(scenario, err);
}
