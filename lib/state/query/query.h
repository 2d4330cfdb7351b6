/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SELECTs behind reading and listing: each gives rows whose columns are in the order of the
 * kind's shape (row.h), in the deterministic order of the kind. Private to the store_* files.
 */
#ifndef GA_STORE_QUERY_H
#define GA_STORE_QUERY_H

#include "state/store.h"

/* id or node NULL: all. */
GA_MUST_CHECK int ga_query_slots(struct ga_db *db, const char *id, const char *node,
				 struct ga_rows **ret, struct ga_err *err);
GA_MUST_CHECK int ga_query_nodes(struct ga_db *db, const char *id, struct ga_rows **ret,
				 struct ga_err *err);
GA_MUST_CHECK int ga_query_allocations(struct ga_db *db, const char *id, struct ga_rows **ret,
				       struct ga_err *err);
/* object NULL: all. */
GA_MUST_CHECK int ga_query_tasks(struct ga_db *db, const char *object, struct ga_rows **ret,
				 struct ga_err *err);
GA_MUST_CHECK int ga_query_claims(struct ga_db *db, const char *object, struct ga_rows **ret,
				  struct ga_err *err);
GA_MUST_CHECK int ga_query_usage(struct ga_db *db, const char *allocation, struct ga_rows **ret,
				 struct ga_err *err);
/* after: rows with a number behind it; since NULL: from the first. */
GA_MUST_CHECK int ga_query_audit(struct ga_db *db, const char *object, int64_t after,
				 const char *since, struct ga_rows **ret, struct ga_err *err);

/* node NULL: of all; ahead: only windows that still count. In the order of their beginning. */
GA_MUST_CHECK int ga_query_maintenance(struct ga_db *db, const char *node, bool ahead,
				       struct ga_rows **ret, struct ga_err *err);
/* As ga_query_audit, with what each object is. */
GA_MUST_CHECK int ga_query_events(struct ga_db *db, int64_t after, const char *since,
				  struct ga_rows **ret, struct ga_err *err);
/* object: a slot or the proposal itself, NULL: all. */
GA_MUST_CHECK int ga_query_proposals(struct ga_db *db, const char *object, struct ga_rows **ret,
				     struct ga_err *err);
GA_MUST_CHECK int ga_query_node_images(struct ga_db *db, struct ga_rows **ret, struct ga_err *err);

/* Rows of one column of text: the record itself. */
GA_MUST_CHECK int ga_query_profiles(struct ga_db *db, struct ga_rows **ret, struct ga_err *err);
GA_MUST_CHECK int ga_query_images(struct ga_db *db, struct ga_rows **ret, struct ga_err *err);
GA_MUST_CHECK int ga_query_candidates(struct ga_db *db, struct ga_rows **ret, struct ga_err *err);
GA_MUST_CHECK int ga_query_plans(struct ga_db *db, struct ga_rows **ret, struct ga_err *err);
/* object: a slot or an allocation, NULL: all. */
GA_MUST_CHECK int ga_query_evidence(struct ga_db *db, const char *object, struct ga_rows **ret,
				    struct ga_err *err);

/* A slot as an order carries it. ret is overwritten. */
void ga_slot_bundle(const struct ga_slot *slot, struct ga_bundle *ret);

/* name NULL: all. */
GA_MUST_CHECK int ga_query_teams(struct ga_db *db, const char *name, struct ga_rows **ret,
				 struct ga_err *err);
GA_MUST_CHECK int ga_query_grants(struct ga_db *db, const char *name, struct ga_rows **ret,
				  struct ga_err *err);
GA_MUST_CHECK int ga_query_access(struct ga_db *db, struct ga_rows **ret, struct ga_err *err);

/* Kinds made from many rows (state/capacity/pool.c, state/watch/attention.c). stale_seconds: on
 * nodes that were not observed for so long nothing fits; 0: on all it may. */
GA_MUST_CHECK int ga_store_list_pools(struct ga_db *db, int64_t stale_seconds, ga_store_each each,
				      void *arg, struct ga_err *err);
struct ga_attend_to;
GA_MUST_CHECK int ga_store_list_attention(struct ga_db *db, const struct ga_attend_to *to,
					  struct ga_err *err);

#endif
