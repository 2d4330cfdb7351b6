/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists any kind: one table of kinds, and rows streamed one by one, so that memory does not grow
 * with the state. The order is that of the SELECT of each kind.
 */
#ifndef GA_STATE_QUERY_LIST_H
#define GA_STATE_QUERY_LIST_H

#include "state/db/row.h"
#include "state/query/where.h"

struct ga_list_query {
	const char *kind; /* node, slot, candidate, profile, app, image, node-image, allocation,
			     plan, claim, task, usage, evidence, audit, event, refusal, team, grant,
			     access-settings, proposal, maintenance, pool,
			     region, attention; or the plural */
	const struct ga_wheres *where; /* all must hold; NULL: all records */
	const char *since;	  /* RFC 3339: only rows of that time or later */
	const char *after;	  /* id or seq: only rows after it, in the order of the list */
	bool newest; /* histories (task, usage, evidence, audit, event, refusal): newest first */
	int64_t limit;		  /* 0: all */
	int64_t stale_seconds;	  /* attention, pools: nodes not observed for so long are stale;
				     0: the age does not matter */
	/* For kinds stored as text: called with a record that cannot be read, its object and the
	 * error; the record is left out. NULL: the list fails. */
	void (*unreadable)(const char *kind, const char *object, const struct ga_err *why);
	int64_t *hidden;  /* attention: counts the acknowledged records, which are left out; NULL:
			     they are listed, too */
	const char *here; /* attention: the node that this machine is; NULL: none, or not known */
};
/* The schema of the records of a kind. NULL with GA_USAGE, near words and the kinds: there is none
 * of that name. */
GA_MUST_CHECK const struct ga_schema *ga_list_schema(const char *kind, struct ga_err *err);
/* Sets the words for one and for several records of a kind, "slot", "slots"; no such kind: leaves
 * them. */
void ga_list_words(const char *kind, const char **one, const char **many);
/* Whether the records of a kind are a history: can be read newest first, and its times are exact in
 * tables. */
bool ga_list_is_history(const struct ga_schema *schema);
/* Calls each with every record in deterministic order (node, then slot index; else time, id; the
 * reverse with newest).
 * GA_USAGE: no such kind; GA_NOTFOUND: nothing has the id of after. */
GA_MUST_CHECK int ga_store_list(struct ga_db *db, const struct ga_list_query *q, ga_store_each each,
				void *arg, struct ga_err *err);

#endif
