/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of requests and of the answers to them. */
#include "record/request.h"

#include "record/words.h"

#define S ga_request
const struct ga_schema ga_request_schema = {
	.kind = "gpuaas.request/1",
	.doc = "what somebody wants; every member but profile may be left out",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, request_id, GA_OPT, GA_T_ANY, "idempotency key"),
		GA_TEXT(S, name, GA_OPT, GA_T_NAME, "name of the allocation"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "hardware profile"),
		GA_ENUM(S, shape, GA_OPT, ga_schema_words, "default: the profile's"),
		GA_INT_IN(S, count, GA_OPT, 1, GA_REQUEST_GPUS,
			  "GPUs; of a whole node at least so many"),
		GA_TEXT(S, project, GA_OPT, GA_T_NAME, "default: \"default\""),
		GA_INT_IN(S, priority, GA_OPT, 0, 1000, "higher first; default 100"),
		GA_TEXT(S, region, GA_OPT, GA_T_NAME, "only there"),
		GA_TEXT(S, pool, GA_OPT, GA_T_NAME, "only there"),
		GA_TEXT(S, node, GA_OPT, GA_T_NAME, "only there"),
		GA_TEXTS(S, types, GA_OPT, GA_T_ANY, "accelerator types, best first"),
		GA_MIB(S, min_memory_mib, GA_OPT, "memory of one accelerator at least"),
		GA_TEXT(S, image, GA_OPT, GA_T_NAME, "default: the profile's"),
		GA_TEXTS(S, keys, GA_OPT, GA_T_ANY, "ssh public keys"),
		GA_TEXT(S, user_data_digest, GA_OPT, GA_T_DIGEST, "of the user-data beside it"),
		GA_SECONDS(S, run_seconds, GA_OPT, "how long it is meant to run"),
		GA_BOOL_OPT(S, preemptible, "may be stopped for others"),
		GA_OBJ(S, match, GA_OPT, &ga_request_match_schema,
		       "what gpuaas-match said when it chose the profile"),
		GA_FIELDS_END },
};
#undef S

#define S ga_term
static const struct ga_schema term_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_CODE, "term of the score"),
		GA_AMOUNT(S, value, GA_REQ, "smaller wins"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_answer
static const struct ga_schema node_answer_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_BOOL(S, taken, "whether it was taken"),
		GA_TEXT(S, code, GA_NULLOK, GA_T_CODE, "first reason against it"),
		GA_TEXT(S, detail, GA_NULLOK, GA_T_ANY, "for people"),
		GA_LISTOF(S, terms, &term_schema, "its score, first term first"),
		GA_FIELDS_END },
};
#undef S

#define S ga_explanation
const struct ga_schema ga_explanation_schema = {
	.kind = "gpuaas.explanation/1",
	.doc = "why a placement came out as it did (--explain)",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_NULLOK, GA_T_ID, "allocation id"),
		GA_TEXT(S, request_id, GA_NULLOK, GA_T_ANY, "request"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node taken"),
		GA_LISTOF(S, nodes, &node_answer_schema, "every node"),
		GA_FIELDS_END },
};
#undef S

#define S ga_refusal
const struct ga_schema ga_refusal_schema = {
	.kind = "gpuaas.refusal/1",
	.doc = "asked and answered no",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, request_id, GA_NULLOK, GA_T_ANY, "request"),
		GA_TEXT(S, project, GA_NULLOK, GA_T_NAME, "project"),
		GA_TEXT(S, profile, GA_NULLOK, GA_T_NAME, "profile"),
		GA_TEXT(S, shape, GA_NULLOK, GA_T_ANY, "slice or baremetal"),
		GA_COUNT(S, count, GA_NULLOK, "GPUs"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "why"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "why, for people"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "what to do"),
		GA_INT_IN(S, status, GA_REQ, 1, 10, "exit status of the pipeline"),
		GA_LISTOF(S, nodes, &node_answer_schema, "every node's first reason"),
		GA_TEXTS(S, alternatives, GA_REQ, GA_T_ANY, "the nearest that would fit"),
		GA_FIELDS_END },
};
#undef S
