/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of what is seen while a scenario runs, and of its verdict. */
#include "record/trial.h"

#include "record/scenario.h"

const char *const ga_seen_words[] = { "hello", "phase",	 "step",    "job",
				      "poll",  "answer", "trouble", "end", NULL };
const char *const ga_phase_words[] = { "arrange", "given", "act", "expect", "ask", NULL };
const char *const ga_trial_error_words[] = { "unsupported", "refused", "conflict", "timeout",
					     "failed",	    "died",    NULL };
const char *const ga_outcome_words[] = { "pass",	"workaround",	"fail",
					 "unsupported", "inconclusive", NULL };

static const char *const classes[] = { "system", "model", NULL };
static const char *const clocks[] = { "real", "virtual", NULL };
static const char *const results[] = { "met", "late", "missed", "unknown", NULL };

#define SLOTS(s, m, d) GA_INT_IN(s, m, GA_OPT, 0, GA_COUNT_MAX, d)
#define LISTOF_OPT(s, m, sh, d) GA_FIELD(s, m, GA_F_LIST, GA_OPT, .sub = (sh), .doc = (d))
/* Of the trial's clock: 31 years. */
#define MILLIS(s, m, pr, d) GA_INT_IN(s, m, pr, 0, INT64_C(1000000000000), d)
#define NAMES(s, m, d) GA_TEXTS(s, m, GA_OPT, GA_T_ANY, d)

#define S ga_trial_component
const struct ga_schema ga_trial_component_schema = {
	.doc = "a part of the technology",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "name, such as slurmctld"),
		GA_TEXT(S, version, GA_REQ, GA_T_ANY, "version"),
		GA_TEXT(S, digest, GA_OPT, GA_T_DIGEST, "digest of its file or image"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_lack
static const struct ga_schema lack_schema = {
	.doc = "a notion that the technology does not have",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, need, GA_REQ, GA_T_CODE, "notion, in the words of needs"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "why there is none"),
		GA_TEXT(S, reference, GA_REQ, GA_T_ANY,
			"place in the documentation of the technology that says so"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_hello
const struct ga_schema ga_trial_hello_schema = {
	.doc = "the technology and what it supports",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, technology, GA_REQ, GA_T_NAME, "name, such as slurm"),
		GA_TEXT(S, version, GA_REQ, GA_T_ANY, "version"),
		GA_AS(S, technology_class, "class", GA_F_TEXT, GA_REQ, .values = classes,
		      .doc = "system: it schedules; model: it predicts, and never counts"),
		GA_ENUM(S, clock, GA_REQ, clocks, "clock that its jobs run by"),
		GA_INT_IN(S, time_scale_percent, GA_OPT, 1, 100000,
			  "deadlines are multiplied by it; left out: 100"),
		LISTOF_OPT(S, components, &ga_trial_component_schema, "parts of the technology"),
		GA_TEXTS(S, supports, GA_REQ, GA_T_CODE,
			 "supported notions, in the words of needs"),
		LISTOF_OPT(S, lacks, &lack_schema, "notions that it does not have, and why"),
		GA_COUNT(S, max_nodes, GA_OPT, "most nodes that the adapter can make"),
		GA_COUNT(S, max_jobs, GA_OPT, "most jobs that it can submit"),
		GA_TEXT(S, configuration, GA_OPT, GA_T_MULTILINE, "configuration as applied"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_reason
const struct ga_schema ga_trial_reason_schema = {
	.doc = "why a job waits or was refused",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, code, GA_OPT, GA_T_CODE, "code of gpuaas-adapter(7), REASONS"),
		GA_TEXT(S, text, GA_OPT, GA_T_MULTILINE, "sentence for people"),
		GA_TEXT(S, native, GA_OPT, GA_T_MULTILINE, "the technology's own words"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_place
static const struct ga_schema place_schema = {
	.doc = "where a job runs",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node, as the scenario names it"),
		GA_COUNT(S, count, GA_REQ, "GPUs on the node"),
		GA_NUMBERS(S, slots, GA_OPT, "their numbers, where the technology shows them"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_report
const struct ga_schema ga_trial_report_schema = {
	.doc = "a job as the technology shows it",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "name in the scenario"),
		GA_TEXT(S, id, GA_OPT, GA_T_ANY, "id of the technology"),
		GA_ENUM(S, state, GA_REQ, ga_job_words, "state"),
		LISTOF_OPT(S, places, &place_schema, "where it runs"),
		GA_TEXT(S, since, GA_OPT, GA_T_TIME, "time of the state by the technology's clock"),
		GA_OBJ(S, reason, GA_OPT, &ga_trial_reason_schema, "why it waits or was refused"),
		GA_COUNT(S, started_count, GA_OPT, "times that it started"),
		GA_TEXT(S, evicted_by, GA_OPT, GA_T_ANY, "job or queue that it was evicted for"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_explanation
const struct ga_schema ga_trial_explanation_schema = {
	.doc = "why a job waits or was evicted",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, job, GA_REQ, GA_T_ANY, "job, as the scenario names it"),
		GA_ENUM(S, as, GA_REQ, ga_as_words, "rights of the reader of the answer"),
		GA_TEXT(S, code, GA_OPT, GA_T_CODE, "code of gpuaas-adapter(7), REASONS"),
		GA_TEXT(S, text, GA_OPT, GA_T_MULTILINE, "answer for people"),
		GA_TEXT(S, native, GA_OPT, GA_T_MULTILINE, "the technology's own words"),
		SLOTS(S, missing, "slots that are missing"),
		NAMES(S, would_free, "jobs whose end would let it start"),
		NAMES(S, holders, "jobs that have what it needs"),
		GA_COUNT(S, position, GA_OPT, "position in its queue, from 1"),
		GA_TEXT(S, expected_start, GA_OPT, GA_T_TIME, "when it is expected to start"),
		GA_TEXT(S, by, GA_OPT, GA_T_ANY, "job or queue that it was evicted for"),
		GA_TEXT(S, rule, GA_OPT, GA_T_ANY, "rule of the eviction"),
		GA_TEXT(S, at, GA_OPT, GA_T_TIME, "time of the eviction"),
		NAMES(S, queues, "queues concerned"),
		GA_TEXT(S, stale_since, GA_OPT, GA_T_TIME, "since when its cluster is not seen"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_queue_state
static const struct ga_schema queue_state_schema = {
	.doc = "a queue as the technology shows it, in slots",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "queue"),
		SLOTS(S, guaranteed, "slots that it can always have"),
		SLOTS(S, limit, "most slots that it can have"),
		SLOTS(S, used, "slots that it has"),
		SLOTS(S, borrowed, "slots of these that it has above the guarantee"),
		SLOTS(S, pending, "slots that its waiting jobs need"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_pool_state
static const struct ga_schema pool_state_schema = {
	.doc = "a pool as the technology shows it",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "pool, type or partition"),
		SLOTS(S, free, "free slots"),
		SLOTS(S, largest_block, "free slots of the node that has most"),
		GA_INT_IN(S, fragmentation_percent, GA_OPT, 0, 100,
			  "part of the free slots outside the largest block"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_state
const struct ga_schema ga_trial_state_schema = {
	.doc = "the cluster as the technology shows it",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		LISTOF_OPT(S, queues, &queue_state_schema, "queues"),
		LISTOF_OPT(S, pools, &pool_state_schema, "pools"),
		NAMES(S, flagged, "nodes that are shown as wrong"),
		NAMES(S, starving, "jobs that are shown as waiting too long"),
		NAMES(S, alerts, "alerts that fire"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_placement
static const struct ga_schema placement_schema = {
	.doc = "a job and its node",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, job, GA_REQ, GA_T_ANY, "job"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_plan
const struct ga_schema ga_trial_plan_schema = {
	.doc = "effects that a submission would have",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		NAMES(S, victims, "jobs that would be evicted"),
		LISTOF_OPT(S, placements, &placement_schema, "where the jobs would run"),
		NAMES(S, moves, "jobs that would be moved"),
		GA_TEXT(S, rule, GA_OPT, GA_T_ANY, "rule of the evictions"),
		GA_OBJ(S, reason, GA_OPT, &ga_trial_reason_schema, "why it is not possible"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_event
static const struct ga_schema event_schema = {
	.doc = "an event or a row of the audit",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, at, GA_OPT, GA_T_TIME, "time"),
		GA_TEXT(S, by, GA_OPT, GA_T_ANY, "user or part that did it"),
		GA_TEXT(S, job, GA_OPT, GA_T_ANY, "job, as the scenario names it"),
		GA_TEXT(S, type, GA_OPT, GA_T_ANY, "kind of event, in one word"),
		GA_TEXT(S, text, GA_OPT, GA_T_MULTILINE, "sentence"),
		GA_TEXT(S, native, GA_OPT, GA_T_MULTILINE, "the technology's own words"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_events
const struct ga_schema ga_trial_events_schema = {
	.doc = "events of the technology",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_LISTOF(S, events, &event_schema, "events, oldest first"), GA_FIELDS_END },
};
#undef S

#define S ga_trial_error
const struct ga_schema ga_trial_error_schema = {
	.doc = "why there is no answer",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, code, GA_REQ, ga_trial_error_words, "kind of failure"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_MULTILINE,
			"sentence: the failure and its object"),
		GA_TEXT(S, native, GA_OPT, GA_T_MULTILINE, "the technology's own words"),
		GA_TEXT(S, reference, GA_OPT, GA_T_ANY,
			"with unsupported: the place in the documentation that says so"),
		GA_FIELDS_END },
};
#undef S

#define S ga_trial_seen
const struct ga_schema ga_trial_seen_schema = {
	.kind = "gpuaas.scenario-observation/1",
	.doc = "one thing that was seen while a scenario ran",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_INT_IN(S, run, GA_REQ, 1, 1000, "run of the scenario, from 1"),
		MILLIS(S, ms, GA_REQ, "milliseconds since the trial began"),
		GA_ENUM(S, what, GA_REQ, ga_seen_words, "kind of observation"),
		GA_ENUM(S, phase, GA_OPT, ga_phase_words, "part of the scenario that begins"),
		GA_TEXT(S, verb, GA_OPT, GA_T_CODE, "request to the adapter"),
		NAMES(S, jobs, "jobs that the technology acknowledged"),
		NAMES(S, ignored, "settings that the technology cannot take"),
		NAMES(S, workarounds, "settings that differ from its defaults"),
		GA_OBJ(S, hello, GA_OPT, &ga_trial_hello_schema, "the technology"),
		GA_OBJ(S, job, GA_OPT, &ga_trial_report_schema, "a job that changed"),
		GA_OBJ(S, explain, GA_OPT, &ga_trial_explanation_schema, "answer to explain"),
		GA_OBJ(S, state, GA_OPT, &ga_trial_state_schema, "answer to state"),
		GA_OBJ(S, plan, GA_OPT, &ga_trial_plan_schema, "answer to plan"),
		GA_OBJ(S, events, GA_OPT, &ga_trial_events_schema, "answer to events"),
		GA_OBJ(S, error, GA_OPT, &ga_trial_error_schema, "why there is no answer"),
		GA_TEXT(S, digest, GA_OPT, GA_T_DIGEST, "digest of a snapshot or its decision"),
		GA_FIELDS_END },
};
#undef S

#define S ga_verdict_check
static const struct ga_schema verdict_check_schema = {
	.doc = "one check of the scenario",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, id, GA_REQ, GA_T_NAME, "check"),
		GA_ENUM(S, result, GA_REQ, results,
			"met, late (a workaround), missed, or unknown (not observed long enough)"),
		GA_TEXT(S, why, GA_NULLOK, GA_T_ANY, "sentence with what was observed"),
		MILLIS(S, at_ms, GA_NULLOK,
		       "time of the decision, in milliseconds since the trial began"),
		GA_FIELDS_END },
};
#undef S

#define S ga_verdict_value
static const struct ga_schema verdict_value_schema = {
	.doc = "a number that was measured",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_CODE, "name of the value"),
		GA_INT_IN(S, value, GA_REQ, -GA_INT_MAX_SAFE, GA_INT_MAX_SAFE, "value"),
		GA_FIELDS_END },
};
#undef S

#define S ga_verdict
const struct ga_schema ga_verdict_schema = {
	.kind = "gpuaas.verdict/1",
	.doc = "the judgement of a scenario's observations",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, scenario, GA_REQ, GA_T_ANY, "id of the scenario"),
		GA_TEXT(S, scenario_digest, GA_REQ, GA_T_DIGEST, "digest of the scenario as run"),
		GA_ENUM(S, outcome, GA_REQ, ga_outcome_words, "outcome"),
		GA_TEXT(S, why, GA_REQ, GA_T_ANY, "reason of the outcome"),
		GA_BOOL(S, given, "true: the situation was there"),
		GA_BOOL(S, contended, "true: something waited"),
		GA_COUNT(S, runs, GA_REQ, "runs that came to their end"),
		GA_COUNT(S, agreeing, GA_REQ, "runs that agree with the first one"),
		GA_LISTOF(S, checks, &verdict_check_schema, "checks, in the scenario's order"),
		GA_TEXTS(S, workarounds, GA_REQ, GA_T_ANY, "differences that make it a workaround"),
		GA_LISTOF(S, values, &verdict_value_schema, "values that were measured"),
		GA_FIELDS_END },
};
#undef S

void ga_trial_release(struct ga_trial *trial)
{
	size_t i;

	for (i = 0; i < trial->seen.n; i++)
		ga_schema_release(&ga_trial_seen_schema, &trial->seen.v[i]);
	ga_list_release(&trial->seen);
}
