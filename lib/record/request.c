/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of requests and of the answers to them. */
#include "record/request.h"

#include "record/words.h"

#define S ga_request
const struct ga_schema ga_request_schema = {
	.kind = "gpuaas.request/1",
	.doc = "a request for GPUs; every member but profile can be left out",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, request_id, GA_OPT, GA_T_ANY, "idempotency key that the caller chooses"),
		GA_TEXT(S, name, GA_OPT, GA_T_NAME, "name of the allocation"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "hardware profile"),
		GA_ENUM(S, shape, GA_OPT, ga_schema_words,
			"slice or baremetal; default: of the profile"),
		GA_INT_IN(S, count, GA_OPT, 1, GA_REQUEST_GPUS,
			  "number of GPUs; baremetal: at least so many"),
		GA_TEXT(S, project, GA_OPT, GA_T_NAME, "project; default: \"default\""),
		GA_INT_IN(S, priority, GA_OPT, 0, 1000,
			  "priority, kept with the allocation; default 100; nothing is ordered by "
			  "it yet"),
		GA_TEXT(S, region, GA_OPT, GA_T_NAME, "only nodes of this region"),
		GA_TEXT(S, pool, GA_OPT, GA_T_NAME, "only nodes of this pool"),
		GA_TEXT(S, node, GA_OPT, GA_T_NAME, "only this node"),
		GA_TEXTS(S, types, GA_OPT, GA_T_ANY, "accelerator types, best first"),
		GA_MIB(S, min_memory_mib, GA_OPT, "least memory of one accelerator in MiB"),
		GA_TEXT(S, image, GA_OPT, GA_T_NAME, "image; default: of the profile"),
		GA_TEXT(S, app, GA_OPT, GA_T_NAME,
			"app to run: only a machine that its manifest allows is given"),
		GA_TEXTS(S, keys, GA_OPT, GA_T_ANY, "ssh public keys of the user"),
		GA_TEXT(S, user_data_digest, GA_OPT, GA_T_DIGEST,
			"digest of the user-data that comes with the request"),
		GA_SECONDS(S, run_seconds, GA_OPT, "planned run time in seconds"),
		GA_BOOL_OPT(S, preemptible,
			    "true: the owner accepts that the allocation is stopped for others; "
			    "nothing does so yet"),
		GA_OBJ(S, match, GA_OPT, &ga_request_match_schema,
		       "result of gpuaas-match that led to the profile"),
		GA_FIELDS_END },
};
#undef S

#define S ga_term
static const struct ga_schema term_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_CODE, "term of the score"),
		GA_AMOUNT(S, value, GA_REQ, "value of the term; the smaller wins"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_answer
static const struct ga_schema node_answer_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_BOOL(S, taken, "true: the node was chosen"),
		GA_TEXT(S, code, GA_NULLOK, GA_T_CODE,
			"first reason against the node; null: it was chosen"),
		GA_TEXT(S, detail, GA_NULLOK, GA_T_ANY, "details, for people"),
		GA_LISTOF(S, terms, &term_schema, "score of the node, first term first"),
		GA_FIELDS_END },
};
#undef S

#define S ga_explanation
const struct ga_schema ga_explanation_schema = {
	.kind = "gpuaas.explanation/1",
	.doc = "the reasons for a placement (--explain)",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_NULLOK, GA_T_ID, "allocation id"),
		GA_TEXT(S, request_id, GA_NULLOK, GA_T_ANY, "idempotency key of the request"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node that was chosen"),
		GA_LISTOF(S, nodes, &node_answer_schema, "answer of every node"),
		GA_FIELDS_END },
};
#undef S

#define S ga_refusal
const struct ga_schema ga_refusal_schema = {
	.kind = "gpuaas.refusal/1",
	.doc = "a request that was refused",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, request_id, GA_NULLOK, GA_T_ANY, "idempotency key of the request"),
		GA_TEXT(S, project, GA_NULLOK, GA_T_NAME, "project"),
		GA_TEXT(S, profile, GA_NULLOK, GA_T_NAME, "profile"),
		GA_TEXT(S, shape, GA_NULLOK, GA_T_ANY, "slice or baremetal"),
		GA_COUNT(S, count, GA_NULLOK, "number of GPUs"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "why the request was refused"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the reason, for people"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "how to go on, for people"),
		GA_INT_IN(S, status, GA_REQ, 1, 10, "exit status of the pipeline"),
		GA_LISTOF(S, nodes, &node_answer_schema, "first reason of every node"),
		GA_TEXTS(S, alternatives, GA_REQ, GA_T_ANY, "nearest requests that would fit"),
		GA_FIELDS_END },
};
#undef S

#define S ga_kept_refusal
const struct ga_schema ga_kept_refusal_schema = {
	.kind = "gpuaas.kept-refusal/1",
	.doc = "a refusal of gpuaas-place that the state keeps: one record for a UTC day, a user, "
	       "a request and a reason, however often the user asked",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_SERIAL(S, seq, GA_REQ, "number of the row"),
		GA_TEXT(S, day, GA_REQ, GA_T_ANY, "UTC day of the attempts: 2026-01-31"),
		GA_TEXT(S, user, GA_REQ, GA_T_ANY, "user who asked, as in the audit"),
		GA_TEXT(S, project, GA_NULLOK, GA_T_NAME,
			"project; null: left out, as the user has too many refusals on that day"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "hardware profile"),
		GA_ENUM(S, shape, GA_REQ, ga_schema_words, "slice or baremetal"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_ANY,
			"accelerator type that the demand counts for: the first that the request "
			"names, else the only one of the profile; null: none"),
		GA_TEXTS(S, types, GA_REQ, GA_T_ANY,
			 "accelerator types that the request names, best first; none: any"),
		GA_COUNT(S, count, GA_NULLOK, "number of GPUs; null: a machine with any number"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_NAME, "name of the allocation in the request"),
		GA_TEXT(S, request_id, GA_NULLOK, GA_T_ANY, "idempotency key of the request"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "why the request was refused"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the last reason, for people"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "how to go on, for people"),
		GA_COUNT(S, attempts, GA_REQ, "how often the request was made and refused"),
		GA_TEXT(S, first_at, GA_REQ, GA_T_TIME, "the first attempt of the day"),
		GA_TEXT(S, last_at, GA_REQ, GA_T_TIME, "the last attempt of the day"),
		GA_FIELDS_END },
};
#undef S
