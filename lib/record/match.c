/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of match.h. */
#include "record/match.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/app.h"

const char *const ga_precision_words[] = { "fp32", "tf32", "fp16", "bf16", "fp8",
					   "int8", "fp4",  "int4", NULL };
const char *const ga_method_words[] = { "full", "lora", NULL };
const char *const ga_scenario_words[] = { "offline", "server", "interactive", NULL };
const char *const ga_latency_words[] = { "e2e", "ttft", "itl", NULL };
const char *const ga_prefer_words[] = { "time", "cost", NULL };
const char *const ga_accept_words[] = { "precision", "headroom", NULL };
static const char *const slo_words[] = { "met", "missed", "unknown", NULL };
static const char *const confidences[] = { "measured", "similar", "weak", "external", NULL };
static const char *const availabilities[] = { "now", "later", "none", "unknown", NULL };
static const char *const shapes[] = { "slice", "baremetal", NULL };

#define MILLION INT64_C(1000000)

#define S ga_requirement
const struct ga_schema ga_requirement_schema = {
	.kind = "gpuaas.requirement/1",
	.doc = "the needs of a model or of a training job; every member can be left out",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, model, GA_OPT, GA_T_ANY, "name of the model in the measurements"),
		GA_INT_IN(S, params, GA_OPT, 1, MILLION * MILLION * 1000,
			  "parameters of the model"),
		GA_ENUM(S, precision, GA_OPT, ga_precision_words,
			"precision of the weights, or of training; default 16 bits"),
		GA_INT_IN(S, layers, GA_OPT, 1, 100000, "layers of the model"),
		GA_INT_IN(S, kv_heads, GA_OPT, 1, 100000, "key-value heads in a layer"),
		GA_INT_IN(S, head_size, GA_OPT, 1, 100000, "numbers in a head"),
		GA_INT_IN(S, context, GA_OPT, 1, MILLION * 1000, "tokens in a sequence"),
		GA_INT_IN(S, batch, GA_OPT, 1, MILLION, "sequences processed at once; default 1"),
		GA_INT_IN(S, memory_mib, GA_OPT, 1, MILLION * 1024,
			  "least memory of one GPU in MiB, nominal"),
		GA_TEXTS(S, architectures, GA_OPT, GA_T_ANY, "architectures, best first"),
		GA_BOOL_OPT(S, require_architecture, "true: no other architecture is accepted"),
		GA_TEXT(S, min_compute_capability, GA_OPT, GA_T_ANY,
			"lowest CUDA compute capability, such as 8.0"),
		GA_TEXT(S, vendor, GA_OPT, GA_T_ANY, "vendor of the accelerator"),
		GA_ENUM(S, stack, GA_OPT, ga_stack_words,
			"software platform that the program was built for"),
		GA_TEXT(S, app, GA_OPT, GA_T_NAME,
			"app whose manifest the profile must meet (gpuaas-list apps); a word of "
			"stack, as older versions wrote, is read as stack"),
		GA_ENUM(S, method, GA_OPT, ga_method_words, "method of training; default full"),
		GA_INT_IN(S, train_tokens, GA_OPT, 1, MILLION * MILLION * 1000,
			  "tokens to train on; a token that is read twice counts twice"),
		GA_INT_IN(S, samples, GA_OPT, 1, MILLION * MILLION,
			  "samples to train on, in place of train_tokens; with sequence_tokens and "
			  "epochs"),
		GA_INT_IN(S, sequence_tokens, GA_OPT, 1, MILLION * 1000, "tokens in a sample"),
		GA_INT_IN(S, epochs, GA_OPT, 1, MILLION,
			  "number of times that training reads each sample; default 1"),
		GA_INT_IN(S, checkpoints, GA_OPT, 0, MILLION,
			  "number of checkpoints written; default 0"),
		GA_ENUM(S, scenario, GA_OPT, ga_scenario_words,
			"scenario of the inference measurements to use; default server"),
		GA_INT_IN(S, tokens_per_second, GA_OPT, 1, MILLION * 1000,
			  "least throughput of all GPUs together, in tokens a second"),
		GA_INT_IN(S, p99_ms, GA_OPT, 1, MILLION * 1000,
			  "highest 99th percentile of the latency, in milliseconds"),
		GA_ENUM(S, latency, GA_OPT, ga_latency_words,
			"latency that p99_ms limits: of a whole answer, to its first token, or "
			"between tokens; default e2e"),
		GA_INT_IN(S, max_cost_per_hour_micros, GA_OPT, 0, MILLION * MILLION,
			  "highest cost of an hour of all GPUs, in millionths of the currency"),
		GA_INT_IN(S, gpus, GA_OPT, 1, 64, "number of GPUs; default: as many as needed"),
		GA_ENUM(S, prefer, GA_OPT, ga_prefer_words,
			"order of answers that are equal so far: by time or cost; default cost"),
		GA_FIELD(S, accept, GA_F_TEXTS, GA_OPT, .values = ga_accept_words,
			 .doc = "doubts that are no reason against an answer: a precision that the "
				"type does not have; weights that leave no room for a cache"),
		GA_TEXT(S, team, GA_OPT, GA_T_NAME, "team that must be able to use the profile"),
		GA_TEXT(S, project, GA_OPT, GA_T_NAME, "project of the request"),
		GA_TEXT(S, image, GA_OPT, GA_T_NAME, "image to run"),
		GA_FIELDS_END },
};
#undef S

#define S ga_match_reason
const struct ga_schema ga_match_reason_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "stable machine word"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the reason, for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_match
const struct ga_schema ga_match_schema = {
	.kind = "gpuaas.match/1",
	.doc = "a profile with one of its accelerator types, as an answer to a requirement",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_COUNT(S, rank, GA_REQ, "rank among the answers; 1 is the best"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "hardware profile"),
		GA_TEXT(S, accelerator_type, GA_NULLOK, GA_T_ANY,
			"type in the catalogue; null: any type of the profile"),
		GA_TEXT(S, type_name, GA_NULLOK, GA_T_ANY, "type, for people"),
		GA_ENUM(S, shape, GA_REQ, shapes, "slice or baremetal"),
		GA_COUNT(S, count, GA_NULLOK,
			 "GPUs: the smallest count of the profile that is enough; baremetal: all "
			 "GPUs of the node; null: unknown"),
		GA_FIELD(S, fits, GA_F_TRI, GA_NULLOK,
			 .doc = "true: all that is required is known to be met; false: reasons has "
				"why not; null: unknown, which is not yes"),
		GA_ENUM(S, slo, GA_NULLOK, slo_words,
			"whether the required throughput, latency and cost are met; null: none is "
			"required"),
		GA_LISTOF(S, reasons, &ga_match_reason_schema,
			  "reasons why the profile does not fit"),
		GA_LISTOF(S, unknown, &ga_match_reason_schema,
			  "values that no source gives, and why"),
		GA_MIB(S, memory_mib, GA_NULLOK, "nominal memory of one GPU in MiB"),
		GA_MIB(S, memory_needed_mib, GA_NULLOK,
		       "least memory needed on one GPU in MiB, as far as known"),
		GA_AMOUNT(S, tokens_per_second_low_milli, GA_NULLOK,
			  "lowest measured throughput of all GPUs, in thousandths of a token a "
			  "second"),
		GA_AMOUNT(S, tokens_per_second_milli, GA_NULLOK,
			  "median measured throughput of all GPUs, in thousandths of a token a "
			  "second"),
		GA_AMOUNT(S, tokens_per_second_high_milli, GA_NULLOK,
			  "highest measured throughput of all GPUs, in thousandths of a token a "
			  "second"),
		GA_INT_IN(S, p99_ms, GA_NULLOK, 0, MILLION * MILLION,
			  "99th percentile of the required latency in milliseconds, as measured"),
		GA_SPAN(S, seconds_low, GA_NULLOK, "shortest time of the training in seconds"),
		GA_SPAN(S, seconds, GA_NULLOK, "expected time of the training in seconds"),
		GA_SPAN(S, seconds_high, GA_NULLOK, "longest time of the training in seconds"),
		GA_TEXT(S, basis, GA_NULLOK, GA_T_ANY,
			"source of the throughput or the time, for people"),
		GA_ENUM(S, confidence, GA_NULLOK, confidences,
			"quality of that source: measured on the type, on a similar type, weak, or "
			"an external program"),
		GA_TEXT(S, estimator, GA_NULLOK, GA_T_ANY,
			"external program that estimated the time; null: none"),
		GA_AMOUNT(S, cost_per_hour_micros, GA_NULLOK,
			  "cost of an hour of all GPUs, in millionths of the currency"),
		GA_AMOUNT(S, cost_low_micros, GA_NULLOK,
			  "lowest cost of the whole training, in millionths of the currency"),
		GA_AMOUNT(S, cost_micros, GA_NULLOK,
			  "expected cost of the whole training, in millionths of the currency"),
		GA_AMOUNT(S, cost_high_micros, GA_NULLOK,
			  "highest cost of the whole training, in millionths of the currency"),
		GA_TEXT(S, currency, GA_NULLOK, GA_T_ANY,
			"currency of the costs, from GPUAAS_CURRENCY; null: not set"),
		GA_ENUM(S, availability, GA_REQ, availabilities, "when the profile is available"),
		GA_TEXT(S, unavailable_code, GA_NULLOK, GA_T_CODE,
			"code of the refusal that a request for these GPUs gets now, or for the "
			"smallest number where none of the type is free; or the one reason why no "
			"node is ready; null: it is placed, or unknown"),
		GA_COUNT(S, available_count, GA_NULLOK, "free GPUs now; null: unknown"),
		GA_COUNT(S, largest_available, GA_NULLOK,
			 "most GPUs that one request for the type can get now"),
		GA_COUNT(S, pending_count, GA_NULLOK, "GPUs that waiting requests need"),
		GA_TEXT(S, expected_available_at, GA_NULLOK, GA_T_TIME,
			"when enough GPUs are expected to be free"),
		GA_SPAN(S, stale_seconds, GA_NULLOK,
			"age of the observations of the nodes in seconds"),
		GA_TEXT(S, fallback, GA_NULLOK, GA_T_ANY,
			"disadvantages against the best answer, if that one is not available now; "
			"null: none"),
		GA_FIELDS_END },
};
#undef S

#define S ga_request_match
const struct ga_schema ga_request_match_schema = {
	.doc = "result of gpuaas-match that led to the profile",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, accelerator_type, GA_OPT, GA_T_ANY,
			"accelerator type that the result assumes"),
		GA_COUNT(S, count, GA_OPT, "number of GPUs"),
		GA_AMOUNT(S, tokens_per_second_low_milli, GA_OPT,
			  "lowest throughput, in thousandths of a token a second"),
		GA_AMOUNT(S, tokens_per_second_milli, GA_OPT,
			  "median throughput, in thousandths of a token a second"),
		GA_AMOUNT(S, tokens_per_second_high_milli, GA_OPT,
			  "highest throughput, in thousandths of a token a second"),
		GA_SPAN(S, seconds_low, GA_OPT, "shortest time of the training in seconds"),
		GA_SPAN(S, seconds, GA_OPT, "expected time of the training in seconds"),
		GA_SPAN(S, seconds_high, GA_OPT, "longest time of the training in seconds"),
		GA_AMOUNT(S, cost_per_hour_micros, GA_OPT,
			  "cost of an hour of all GPUs, in millionths of the currency"),
		GA_AMOUNT(S, cost_low_micros, GA_OPT,
			  "lowest cost of the whole training, in millionths of the currency"),
		GA_AMOUNT(S, cost_micros, GA_OPT,
			  "expected cost of the whole training, in millionths of the currency"),
		GA_AMOUNT(S, cost_high_micros, GA_OPT,
			  "highest cost of the whole training, in millionths of the currency"),
		GA_TEXT(S, basis, GA_OPT, GA_T_ANY,
			"source of the throughput or the time, for people"),
		GA_ENUM(S, confidence, GA_OPT, confidences, "quality of that source"),
		GA_TEXT(S, estimator, GA_OPT, GA_T_ANY,
			"external program that estimated the time; left out: none"),
		GA_TEXT(S, fallback, GA_OPT, GA_T_ANY,
			"disadvantages against the best answer, if that one was not available"),
		GA_FIELDS_END },
};
#undef S

#define S ga_allocation_match
const struct ga_schema ga_allocation_match_schema = {
	.kind = "gpuaas.allocation-match/1",
	.doc = "the result of gpuaas-match that led to the profile of an allocation",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_OBJ(S, match, GA_REQ, &ga_request_match_schema, "result of gpuaas-match"),
		GA_FIELDS_END },
};
#undef S

void ga_match_say(struct ga_match_reasons *list, const char *code, const char *fmt, ...)
{
	struct ga_match_reason *r = ga_list_add(list);
	va_list args;

	va_start(args, fmt);
	r->code = ga_xstrdup(code);
	r->sentence = ga_xvprintf(fmt, args);
	va_end(args);
}

void ga_match_add_once(struct ga_match_reasons *list, const struct ga_match_reasons *more)
{
	size_t i, j;

	for (i = 0; i < more->n; i++) {
		for (j = 0; j < list->n && strcmp(list->v[j].sentence, more->v[i].sentence); j++)
			;
		if (j == list->n)
			ga_match_say(list, more->v[i].code, "%s", more->v[i].sentence);
	}
}

void ga_match_reasons_release(struct ga_match_reasons *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_schema_release(&ga_match_reason_schema, &list->v[i]);
	ga_list_release(list);
}
