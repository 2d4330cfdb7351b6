/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of report.h. */
#include "record/report.h"

/* The first members of both reports. */
#define GROUP \
	GA_TEXT(S, from, GA_REQ, GA_T_TIME, "first second that counts"), \
	GA_TEXT(S, to, GA_REQ, GA_T_TIME, "first second that no longer counts"), \
	GA_TEXT(S, at, GA_REQ, GA_T_TIME, \
		"when the report was made; open spans count until then"), \
	GA_TEXTS(S, by, GA_REQ, GA_T_CODE, \
		 "members that form the group; none: one group of everything"), \
	GA_TEXT(S, team, GA_NULLOK, GA_T_NAME, "team of the group, if by team; null: no team"), \
	GA_TEXT(S, project, GA_NULLOK, GA_T_NAME, "project of the group, if by project"), \
	GA_TEXT(S, type, GA_NULLOK, GA_T_ANY, \
		"accelerator type of the group, if by type; null: unknown"), \
	GA_TEXT(S, profile, GA_NULLOK, GA_T_NAME, "profile of the group, if by profile"), \
	GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node of the group, if by node"), \
	GA_TEXT(S, allocation, GA_NULLOK, GA_T_ID, "allocation of the group, if by allocation"), \
	GA_TEXT(S, user, GA_NULLOK, GA_T_ANY, \
		"user who requested the allocations of the group, if by user"), \
	GA_COUNT(S, allocations, GA_REQ, "number of allocations with use in that period"), \
	GA_COUNT(S, spans, GA_REQ, \
		 "number of spans of use; a span with several types counts once for each"), \
	GA_COUNT(S, open_spans, GA_REQ, "number of these spans that have not ended")

#define S ga_usage_report
const struct ga_schema ga_usage_report_schema = {
	.kind = "gpuaas.usage-report/1",
	.doc = "the GPU time of a group in a period, by kind of use",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GROUP,
		GA_AMOUNT(S, active_gpu_seconds, GA_REQ, "GPU seconds in use; billed"),
		GA_AMOUNT(S, provisioning_gpu_seconds, GA_REQ,
			  "GPU seconds of provisioning; not billed"),
		GA_AMOUNT(S, hold_gpu_seconds, GA_REQ,
			  "GPU seconds on hold, with the disk kept; not billed"),
		GA_AMOUNT(S, cleanup_gpu_seconds, GA_REQ,
			  "GPU seconds of release and wipe; not billed"),
		GA_FIELDS_END },
};
#undef S

#define S ga_cost_what_if
static const struct ga_schema what_if_schema = {
	.doc = "cost of the same use at another price; never recorded",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, type, GA_REQ, GA_T_ANY, "accelerator type to compare with"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "profile of the price"),
		GA_SERIAL(S, profile_version, GA_REQ, "version of that profile"),
		GA_AMOUNT(S, price_micros, GA_REQ,
			  "price of a GPU hour in that profile, in millionths of the currency"),
		GA_AMOUNT(S, cost_micros, GA_REQ,
			  "cost of the same GPU seconds at that price, in millionths of the "
			  "currency"),
		GA_INT_IN(S, difference_micros, GA_REQ, -GA_INT_MAX_SAFE, GA_INT_MAX_SAFE,
			  "that cost less the cost of the report; negative: it is cheaper"),
		GA_TEXT(S, basis, GA_REQ, GA_T_ANY, "assumptions, for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_cost_report
const struct ga_schema ga_cost_report_schema = {
	.kind = "gpuaas.cost-report/1",
	.doc = "the cost of a group in a period, at the prices of that time",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GROUP,
		GA_AMOUNT(S, billed_gpu_seconds, GA_REQ, "GPU seconds in use"),
		GA_AMOUNT(S, not_billed_gpu_seconds, GA_REQ,
		       "GPU seconds of provisioning, holds and cleanup"),
		GA_AMOUNT(S, price_min_micros, GA_NULLOK,
			  "lowest price of a GPU hour in the period, in millionths; null: nothing "
			  "is billed"),
		GA_AMOUNT(S, price_max_micros, GA_NULLOK,
			  "highest price of a GPU hour in the period, in millionths; null: nothing "
			  "is billed"),
		GA_AMOUNT(S, cost_micros, GA_REQ, "cost in millionths of the currency"),
		GA_TEXT(S, currency, GA_NULLOK, GA_T_ANY,
			"currency of the cost, from --currency or GPUAAS_CURRENCY; null: not set"),
		GA_OBJ(S, what_if, GA_NULLOK, &what_if_schema,
		       "answer to --what-if; null: it was not given"),
		GA_FIELDS_END },
};
#undef S

#define S ga_refusal_report
const struct ga_schema ga_refusal_report_schema = {
	.kind = "gpuaas.refusal-report/1",
	.doc = "the demand of a group that was refused in a period",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, from, GA_REQ, GA_T_TIME, "first second that counts"),
		GA_TEXT(S, to, GA_REQ, GA_T_TIME, "first second that no longer counts"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the report was made"),
		GA_TEXTS(S, by, GA_REQ, GA_T_CODE, "members that form the group"),
		GA_TEXT(S, code, GA_NULLOK, GA_T_CODE, "reason of the group, if by code"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_ANY,
			"accelerator type of the group, if by type; null: none is named"),
		GA_TEXT(S, project, GA_NULLOK, GA_T_NAME, "project of the group, if by project"),
		GA_TEXT(S, profile, GA_NULLOK, GA_T_NAME, "profile of the group, if by profile"),
		GA_TEXT(S, user, GA_NULLOK, GA_T_ANY, "user of the group, if by user"),
		GA_TEXT(S, day, GA_NULLOK, GA_T_ANY, "UTC day of the group, if by day"),
		GA_COUNT(S, requests, GA_REQ,
			 "number of different requests that the fleet could not serve; a request "
			 "counts once in the period, in the group of its first refusal"),
		GA_AMOUNT(S, gpus, GA_REQ,
			  "GPUs of these requests; a machine with any number of GPUs adds none"),
		GA_AMOUNT(S, gpu_days, GA_REQ,
			  "the same, with each request counted on every day on which it was "
			  "refused"),
		GA_AMOUNT(S, attempts, GA_REQ, "how often requests were refused"),
		GA_FIELDS_END },
};
#undef S
