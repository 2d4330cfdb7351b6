/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of report.h. */
#include "record/report.h"

/* The first members of both reports. */
#define GROUP \
	GA_TEXT(S, from, GA_REQ, GA_T_TIME, "first second that counts"), \
	GA_TEXT(S, to, GA_REQ, GA_T_TIME, "first second that does not count any more"), \
	GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when it was made: open spans count until then"), \
	GA_TEXTS(S, by, GA_REQ, GA_T_CODE, "members that it is grouped by; none: all of it"), \
	GA_TEXT(S, team, GA_NULLOK, GA_T_NAME, "team, if by team; null: of no team"), \
	GA_TEXT(S, project, GA_NULLOK, GA_T_NAME, "project, if by project"), \
	GA_TEXT(S, type, GA_NULLOK, GA_T_ANY, \
		"accelerator type of the devices, if by type; null: unknown"), \
	GA_TEXT(S, profile, GA_NULLOK, GA_T_NAME, "profile, if by profile"), \
	GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node, if by node"), \
	GA_TEXT(S, allocation, GA_NULLOK, GA_T_ID, "allocation, if by allocation"), \
	GA_COUNT(S, allocations, GA_REQ, "allocations with use in that time"), \
	GA_COUNT(S, spans, GA_REQ, "spans of use, each type of a span for itself"), \
	GA_COUNT(S, open_spans, GA_REQ, "of them not ended")

#define S ga_usage_report
const struct ga_schema ga_usage_report_schema = {
	.kind = "gpuaas.usage-report/1",
	.doc = "the use of a group within a time, by what the time was",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GROUP,
		GA_AMOUNT(S, active_gpu_seconds, GA_REQ, "in use: what is billed"),
		GA_AMOUNT(S, provisioning_gpu_seconds, GA_REQ, "being made; not billed"),
		GA_AMOUNT(S, hold_gpu_seconds, GA_REQ, "held with its disk kept; not billed"),
		GA_AMOUNT(S, cleanup_gpu_seconds, GA_REQ, "released and being wiped; not billed"),
		GA_FIELDS_END },
};
#undef S

#define S ga_cost_what_if
static const struct ga_schema what_if_schema = {
	.doc = "what the same use would have cost at another price; never recorded",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, type, GA_REQ, GA_T_ANY, "the accelerator type that the comparison names"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "profile that the price is of"),
		GA_SERIAL(S, profile_version, GA_REQ, "its version"),
		GA_AMOUNT(S, price_micros, GA_REQ, "its price of a GPU hour"),
		GA_AMOUNT(S, cost_micros, GA_REQ, "the same GPU seconds at that price"),
		GA_INT_IN(S, difference_micros, GA_REQ, -GA_INT_MAX_SAFE, GA_INT_MAX_SAFE,
			  "that less what it did cost; negative: it would have been cheaper"),
		GA_TEXT(S, basis, GA_REQ, GA_T_ANY, "what is assumed, for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_cost_report
const struct ga_schema ga_cost_report_schema = {
	.kind = "gpuaas.cost-report/1",
	.doc = "what the use of a group within a time cost, at the prices of then",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GROUP,
		GA_AMOUNT(S, billed_gpu_seconds, GA_REQ, "GPU seconds in use"),
		GA_AMOUNT(S, not_billed_gpu_seconds, GA_REQ,
		       "GPU seconds of provisioning, holds and cleanup"),
		GA_AMOUNT(S, price_min_micros, GA_NULLOK,
		       "lowest price of a GPU hour in it; null: nothing is billed"),
		GA_AMOUNT(S, price_max_micros, GA_NULLOK, "and the highest"),
		GA_AMOUNT(S, cost_micros, GA_REQ, "the cost, in millionths of the currency"),
		GA_TEXT(S, currency, GA_NULLOK, GA_T_ANY,
			"of the cost, of --currency or GPUAAS_CURRENCY; null: not said"),
		GA_OBJ(S, what_if, GA_NULLOK, &what_if_schema, "the answer to --what-if"),
		GA_FIELDS_END },
};
#undef S
