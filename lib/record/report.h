/* SPDX-License-Identifier: Apache-2.0 */
/* The records of gpuaas-report: use and its cost, one record for each group. */
#ifndef GA_RECORD_REPORT_H
#define GA_RECORD_REPORT_H

#include "base/texts.h"
#include "base/vec.h"
#include "record/schema.h"

/* The list by names the members that form the group; the other ones of the second line are NULL. */
struct ga_usage_report {
	char *from, *to, *at;
	struct ga_texts by;
	char *team, *project, *type, *profile, *node, *allocation, *user;
	int64_t allocations, spans, open_spans;
	int64_t active_gpu_seconds, provisioning_gpu_seconds, hold_gpu_seconds;
	int64_t cleanup_gpu_seconds;
};

struct ga_cost_what_if {
	char *type, *profile;
	int64_t profile_version;
	int64_t price_micros, cost_micros, difference_micros;
	char *basis;
};

struct ga_cost_report {
	char *from, *to, *at;
	struct ga_texts by;
	char *team, *project, *type, *profile, *node, *allocation, *user;
	int64_t allocations, spans, open_spans;
	int64_t billed_gpu_seconds, not_billed_gpu_seconds;
	int64_t price_min_micros, price_max_micros, cost_micros;
	char *currency;
	struct ga_cost_what_if *what_if;
};

/* The refused demand of a group; the members of the second line that by does not name are NULL. */
struct ga_refusal_report {
	char *from, *to, *at;
	struct ga_texts by;
	char *code, *type, *project, *profile, *user, *day;
	int64_t requests, gpus, gpu_days, attempts;
};

extern const struct ga_schema ga_refusal_report_schema;
extern const struct ga_schema ga_usage_report_schema, ga_cost_report_schema;

#endif
