/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of use, in integers, and its sums. Pure: values in, sums out.
 *
 * A span of use has a count of GPUs, whole seconds and the price of a GPU hour in millionths at the
 * beginning of the span. Times are cut to the second, so that spans in succession leave no gap and
 * count nothing twice. The cost t seconds after the beginning is count * t * price / 3600, rounded
 * half to even to a millionth. The cost of a part is the cost at its end less the cost at its
 * beginning. So parts always add up to the total, to the millionth: months to a year, groups to the
 * total.
 */
#ifndef GA_DECIDE_MATCH_COST_H
#define GA_DECIDE_MATCH_COST_H

#include "base/vec.h"
#include "record/money.h"

/* The members to group use by, in the order of the records' members. */
enum ga_cost_by {
	GA_BY_TEAM,
	GA_BY_PROJECT,
	GA_BY_TYPE,
	GA_BY_PROFILE,
	GA_BY_NODE,
	GA_BY_ALLOCATION,
	GA_BY_USER, /* who requested the allocation */
	GA_BY_N,
};
extern const char *const ga_cost_by_words[]; /* in that order, NULL-terminated */

enum ga_cost_kind { GA_COST_ACTIVE, GA_COST_PROVISIONING, GA_COST_HOLD, GA_COST_CLEANUP,
		    GA_COST_KIND_N };
extern const char *const ga_cost_kind_words[]; /* as usage_kind, in that order */

/* The part of a span of use within a window; texts are borrowed, NULL is unknown. */
struct ga_cost_line {
	const char *by[GA_BY_N];
	enum ga_cost_kind kind; /* only GA_COST_ACTIVE costs money */
	int64_t allocation;	/* number of the allocation, for counting */
	int64_t count;		/* GPUs, 0 .. GA_COST_COUNT_MAX */
	int64_t price_micros;	/* of a GPU hour, 0 .. GA_COST_PRICE_MAX */
	int64_t from, to;	/* whole seconds since the span began, from <= to */
	bool open;		/* the span has not ended */
};

/* Cost of the line in millionths; 0 unless its kind is GA_COST_ACTIVE. */
__int128 ga_cost_of(const struct ga_cost_line *line);

/* ---- sums ---- */

struct ga_cost_group {
	char *by[GA_BY_N]; /* values of the members to group by; NULL: unknown, or not a member
			    * to group by */
	__int128 gpu_seconds[GA_COST_KIND_N];
	__int128 cost, what_if; /* millionths */
	int64_t price_min, price_max; /* prices with a cost; price_min > price_max: there is none */
	int64_t spans, open, allocations;
	struct ga_ints seen; /* numbers of allocations, until ga_cost_sums_finish */
};

struct ga_cost_sums {
	bool by[GA_BY_N];
	int64_t what_if_price; /* below 0: no what-if price */
	GA_LIST(struct ga_cost_group) groups;
	uint32_t *slots; /* a hash table of groups: index + 1, 0 is free */
	size_t n_slots;
};

/* by: the members to group by. With none, all lines form one group, which then always exists. */
void ga_cost_sums_init(struct ga_cost_sums *s, const bool by[GA_BY_N], int64_t what_if_price);
/* Adds one line to the group of its members. */
void ga_cost_sums_add(struct ga_cost_sums *s, const struct ga_cost_line *line);
/* Counts allocations, and orders the groups by their members: bytewise, unknown last. */
void ga_cost_sums_finish(struct ga_cost_sums *s);
void ga_cost_sums_release(struct ga_cost_sums *s);
#define ga_autosums ga_cleanup(ga_cost_sums_release)

#endif
