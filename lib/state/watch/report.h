/* SPDX-License-Identifier: Apache-2.0 */
/* The use within a time window, span by span, for gpuaas-report and the metrics. */
#ifndef GA_STATE_WATCH_REPORT_H
#define GA_STATE_WATCH_REPORT_H

#include "decide/access/team.h"
#include "decide/match/cost.h"
#include "state/db/db.h"

/* Whole seconds since 1970 UTC: from is included, to is not. */
struct ga_report_window {
	int64_t from, to;
	int64_t now; /* where open spans end */
};

/* Facts of the FOCUS rows beside the line; NULL where they are not known. */
struct ga_report_facts {
	const char *name, *shape, *region;
	int64_t profile_version;
	int64_t began; /* seconds since 1970 UTC: when the span of the line began */
};

/* line and facts are valid during the call; facts is NULL when they are not wanted. */
typedef int (*ga_report_each)(const struct ga_cost_line *line, const struct ga_report_facts *facts,
			      void *arg, struct ga_err *err);

/*
 * Calls each with every part of a span within the window that is at least a second long. A span
 * with devices of several types (a mixed machine, sold as baremetal) comes once for each type, with
 * the GPUs of that type. facts: whether facts and the user are wanted; then the parts come in the
 * order in which the spans began, else in any order. GA_SYSTEM: a row has a value that no program
 * of ours writes.
 */
GA_MUST_CHECK int ga_store_report(struct ga_db *db, const struct ga_report_window *w, bool facts,
				  ga_report_each each, void *arg, struct ga_err *err);

/* Calls each, in any order, with the first hour of every open span, by type as above, even
 * when less than an hour has passed: 3600 GPU seconds are one GPU, and the cost is the cost
 * of an hour. */
GA_MUST_CHECK int ga_store_report_open(struct ga_db *db, ga_report_each each, void *arg,
				       struct ga_err *err);

/* The projects of all teams as they are now. ret is overwritten; release it with
 * ga_team_projects_release. */
GA_MUST_CHECK int ga_store_report_teams(struct ga_db *db, struct ga_team_projects *ret,
					struct ga_err *err);

/* A profile whose current version names the type, and its price. */
struct ga_report_price {
	char *profile;
	int64_t version, price_micros;
};

/*
 * The price of a GPU hour of the type: that of the profile's current version, which must name the
 * type; profile NULL: of the profiles that name the type, which must all have the same price.
 * GA_NOTFOUND, or GA_CONFLICT with the profiles and their prices, in the currency (NULL: left out).
 * The caller frees ret->profile.
 */
GA_MUST_CHECK int ga_store_report_price(struct ga_db *db, const char *type, const char *profile,
					const char *currency, struct ga_report_price *ret,
					struct ga_err *err);

#endif
