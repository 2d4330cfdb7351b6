/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of match.h. */
#include "record/match.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *const ga_precision_words[] = { "fp32", "tf32", "fp16", "bf16", "fp8",
					   "int8", "fp4",  "int4", NULL };
const char *const ga_method_words[] = { "full", "lora", NULL };
const char *const ga_scenario_words[] = { "offline", "server", "interactive", NULL };
const char *const ga_latency_words[] = { "e2e", "ttft", "itl", NULL };
const char *const ga_app_words[] = { "cuda", "rocm", "oneapi", "neuron", "synapse", "xla", NULL };
static const char *const slo_words[] = { "met", "missed", "unknown", NULL };
static const char *const confidences[] = { "measured", "similar", "weak", "external", NULL };
static const char *const availabilities[] = { "now", "later", "none", "unknown", NULL };
static const char *const shapes[] = { "slice", "baremetal", NULL };

#define MILLION INT64_C(1000000)

#define S ga_requirement
const struct ga_schema ga_requirement_schema = {
	.kind = "gpuaas.requirement/1",
	.doc = "what a model or a training job needs; every member may be left out",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, model, GA_OPT, GA_T_ANY, "model, as the measurements call it"),
		GA_INT_IN(S, params, GA_OPT, 1, MILLION * MILLION * 1000,
			  "parameters of the model"),
		GA_ENUM(S, precision, GA_OPT, ga_precision_words,
			"of the weights, or of training; default 16 bits"),
		GA_INT_IN(S, layers, GA_OPT, 1, 100000, "layers of the model"),
		GA_INT_IN(S, kv_heads, GA_OPT, 1, 100000, "heads that its cache has a layer"),
		GA_INT_IN(S, head_size, GA_OPT, 1, 100000, "numbers a head"),
		GA_INT_IN(S, context, GA_OPT, 1, MILLION * 1000, "tokens of a sequence"),
		GA_INT_IN(S, batch, GA_OPT, 1, MILLION, "sequences at once; default 1"),
		GA_INT_IN(S, memory_mib, GA_OPT, 1, MILLION * 1024,
			  "memory of one GPU at least, as its maker prints it"),
		GA_TEXTS(S, architectures, GA_OPT, GA_T_ANY, "architectures, best first"),
		GA_BOOL_OPT(S, require_architecture, "no other architecture will do"),
		GA_TEXT(S, min_compute_capability, GA_OPT, GA_T_ANY,
			"CUDA compute capability at least, such as 8.0"),
		GA_TEXT(S, vendor, GA_OPT, GA_T_ANY, "vendor of the accelerator"),
		GA_ENUM(S, app, GA_OPT, ga_app_words, "what it was built for"),
		GA_ENUM(S, method, GA_OPT, ga_method_words, "how it is trained; default full"),
		GA_INT_IN(S, train_tokens, GA_OPT, 1, MILLION * MILLION * 1000,
			  "tokens to train on, each as often as it is seen"),
		GA_INT_IN(S, samples, GA_OPT, 1, MILLION * MILLION,
			  "instead: samples, with sequence_tokens and epochs"),
		GA_INT_IN(S, sequence_tokens, GA_OPT, 1, MILLION * 1000, "tokens of a sample"),
		GA_INT_IN(S, epochs, GA_OPT, 1, MILLION, "how often each is seen"),
		GA_INT_IN(S, checkpoints, GA_OPT, 0, MILLION, "checkpoints written; default 0"),
		GA_ENUM(S, scenario, GA_OPT, ga_scenario_words,
			"which measurement of inference counts; default server"),
		GA_INT_IN(S, tokens_per_second, GA_OPT, 1, MILLION * 1000,
			  "tokens a second at least, of all its GPUs"),
		GA_INT_IN(S, p99_ms, GA_OPT, 1, MILLION * 1000,
			  "99th percentile of the latency at most"),
		GA_ENUM(S, latency, GA_OPT, ga_latency_words,
			"of a whole answer, to its first token, or between tokens; default e2e"),
		GA_INT_IN(S, max_cost_per_hour_micros, GA_OPT, 0, MILLION * MILLION,
			  "cost of an hour at most, of all its GPUs"),
		GA_INT_IN(S, gpus, GA_OPT, 1, 64, "so many GPUs; default as many as it takes"),
		GA_TEXT(S, team, GA_OPT, GA_T_NAME, "only profiles that this team may use"),
		GA_TEXT(S, project, GA_OPT, GA_T_NAME, "who it is for"),
		GA_TEXT(S, image, GA_OPT, GA_T_NAME, "image to run"),
		GA_FIELDS_END },
};
#undef S

#define S ga_match_reason
static const struct ga_schema match_reason_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "stable machine word"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the same for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_match
const struct ga_schema ga_match_schema = {
	.kind = "gpuaas.match/1",
	.doc = "a profile, with a type of its accelerators, as an answer to a requirement",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_COUNT(S, rank, GA_REQ, "1 is the best"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "hardware profile"),
		GA_TEXT(S, accelerator_type, GA_NULLOK, GA_T_ANY,
			"type in the catalogue; null: any that the profile gives"),
		GA_TEXT(S, type_name, GA_NULLOK, GA_T_ANY, "the type for people"),
		GA_ENUM(S, shape, GA_REQ, shapes, "slice or baremetal"),
		GA_COUNT(S, count, GA_NULLOK,
		       "GPUs, the least of the profile's counts that does; of a machine all; "
		       "null: not known"),
		GA_BOOL(S, fits, "nothing is known to be against it"),
		GA_ENUM(S, slo, GA_NULLOK, slo_words, "throughput, latency, cost as asked"),
		GA_LISTOF(S, reasons, &match_reason_schema, "what is against it"),
		GA_LISTOF(S, unknown, &match_reason_schema, "what is not known, and why"),
		GA_MIB(S, memory_mib, GA_NULLOK, "memory of one GPU, nominal"),
		GA_MIB(S, memory_needed_mib, GA_NULLOK, "of it needed at least, as far as known"),
		GA_AMOUNT(S, tokens_per_second_low_milli, GA_NULLOK,
		       "thousandths of tokens a second, of all its GPUs: lowest measured"),
		GA_AMOUNT(S, tokens_per_second_milli, GA_NULLOK, "the same: median"),
		GA_AMOUNT(S, tokens_per_second_high_milli, GA_NULLOK, "the same: highest"),
		GA_INT_IN(S, p99_ms, GA_NULLOK, 0, MILLION * MILLION,
			  "latency asked about, as measured"),
		GA_SPAN(S, seconds_low, GA_NULLOK, "time of the training: least"),
		GA_SPAN(S, seconds, GA_NULLOK, "the same: expected"),
		GA_SPAN(S, seconds_high, GA_NULLOK, "the same: most"),
		GA_TEXT(S, basis, GA_NULLOK, GA_T_ANY, "what throughput or time rest on"),
		GA_ENUM(S, confidence, GA_NULLOK, confidences,
			"measured on the type, on a similar one, a weak basis, or said by another"),
		GA_TEXT(S, estimator, GA_NULLOK, GA_T_ANY, "external program that said the time"),
		GA_AMOUNT(S, cost_per_hour_micros, GA_NULLOK, "of all its GPUs, in millionths"),
		GA_AMOUNT(S, cost_low_micros, GA_NULLOK, "of the whole training: least"),
		GA_AMOUNT(S, cost_micros, GA_NULLOK, "the same: expected"),
		GA_AMOUNT(S, cost_high_micros, GA_NULLOK, "the same: most"),
		GA_TEXT(S, currency, GA_NULLOK, GA_T_ANY,
			"of the costs, of GPUAAS_CURRENCY; null: not said"),
		GA_ENUM(S, availability, GA_REQ, availabilities, "can it be had"),
		GA_COUNT(S, available_count, GA_NULLOK, "GPUs free now; null: not known"),
		GA_COUNT(S, largest_available, GA_NULLOK,
		       "most of them that one request for the type can have"),
		GA_COUNT(S, pending_count, GA_NULLOK, "GPUs that others wait for"),
		GA_TEXT(S, expected_available_at, GA_NULLOK, GA_T_TIME,
			"when as many are expected"),
		GA_SPAN(S, stale_seconds, GA_NULLOK, "age of what is known of its nodes"),
		GA_TEXT(S, fallback, GA_NULLOK, GA_T_ANY,
			"what is given up with it, where a better one is not to be had now"),
		GA_FIELDS_END },
};
#undef S

#define S ga_request_match
const struct ga_schema ga_request_match_schema = {
	.doc = "what gpuaas-match said when it chose the profile",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, accelerator_type, GA_OPT, GA_T_ANY, "type it counted on"),
		GA_COUNT(S, count, GA_OPT, "GPUs"),
		GA_AMOUNT(S, tokens_per_second_low_milli, GA_OPT,
		       "thousandths of tokens a second: lowest"),
		GA_AMOUNT(S, tokens_per_second_milli, GA_OPT, "the same: median"),
		GA_AMOUNT(S, tokens_per_second_high_milli, GA_OPT, "the same: highest"),
		GA_SPAN(S, seconds_low, GA_OPT, "time of the training: least"),
		GA_SPAN(S, seconds, GA_OPT, "the same: expected"),
		GA_SPAN(S, seconds_high, GA_OPT, "the same: most"),
		GA_AMOUNT(S, cost_per_hour_micros, GA_OPT, "of all its GPUs, in millionths"),
		GA_AMOUNT(S, cost_low_micros, GA_OPT, "of the whole training: least"),
		GA_AMOUNT(S, cost_micros, GA_OPT, "the same: expected"),
		GA_AMOUNT(S, cost_high_micros, GA_OPT, "the same: most"),
		GA_TEXT(S, basis, GA_OPT, GA_T_ANY, "what throughput or time rest on"),
		GA_ENUM(S, confidence, GA_OPT, confidences, "how good that basis is"),
		GA_TEXT(S, estimator, GA_OPT, GA_T_ANY, "external program that said the time"),
		GA_TEXT(S, fallback, GA_OPT, GA_T_ANY, "what was given up"),
		GA_FIELDS_END },
};
#undef S

#define S ga_allocation_match
const struct ga_schema ga_allocation_match_schema = {
	.kind = "gpuaas.allocation-match/1",
	.doc = "why the profile of an allocation was chosen, as gpuaas-match said then",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_OBJ(S, match, GA_REQ, &ga_request_match_schema, "what it said"),
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
