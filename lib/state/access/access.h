/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Teams and grants in the state, and the one access check ("the gate") of every writing program:
 * may this user do this action to this object? decide/access/access.h makes the decision,
 * record/who.h finds the user. Rules as in state/db/db.h.
 *
 * A refusal is GA_DENIED with the reason "no_grant", "team_project" or "team_profile". It names the
 * action, the object, the actor and the actor's groups, and its hint shows which grant would allow
 * the action. The caller rolls back and calls ga_store_access_note, so that the audit has the
 * attempt.
 */
#ifndef GA_STATE_ACCESS_ACCESS_H
#define GA_STATE_ACCESS_ACCESS_H

#include "decide/access/access.h"
#include "record/request.h"
#include "record/who.h"
#include "state/db/row.h"

struct ga_profile;

/* As ga_db_begin. Where rules need the groups of the actor, it looks them up before it enters the
 * writers' queue: the lookup may take long, and other writers wait meanwhile. */
GA_MUST_CHECK int ga_store_begin(struct ga_db *db, const char *what, struct ga_err *err);

/* ret is overwritten; release it with ga_access_rules_release. */
GA_MUST_CHECK int ga_store_access_load(struct ga_db *db, struct ga_access_rules *ret,
				       struct ga_err *err);
/* The access check itself: 0, or -1 with the refusal. */
GA_MUST_CHECK int ga_store_may(const struct ga_access_rules *rules, const struct ga_access_ask *ask,
			       const char *object, struct ga_err *err);

/* The same for an object of the state, by its id. A slot that is in use has the project and profile
 * of its allocation. of_team as in decide/access/access.h. */
GA_MUST_CHECK int ga_store_may_slot(struct ga_db *db, const char *action, const char *slot,
				    struct ga_err *err);
GA_MUST_CHECK int ga_store_may_node(struct ga_db *db, const char *action, const char *node,
				    struct ga_err *err);
GA_MUST_CHECK int ga_store_may_allocation(struct ga_db *db, const char *action,
					  const char *allocation, struct ga_err *err);
/* To place a request. The pool is the request's, else its node's, else the profile's. */
GA_MUST_CHECK int ga_store_may_place(struct ga_db *db, const struct ga_access_rules *rules,
				     const struct ga_request *request,
				     const struct ga_profile *profile, struct ga_err *err);
/* To administer a declarative object of this schema (ga_store_take). */
GA_MUST_CHECK int ga_store_may_apply(struct ga_db *db, const struct ga_schema *schema,
				     const void *obj, struct ga_err *err);
/* To administer the whole state; what names the object in the refusal ("the state"). */
GA_MUST_CHECK int ga_store_may_state(struct ga_db *db, const char *what, struct ga_err *err);

/* Whether the error is a refusal of the access check, or of a second person (propose.h). */
GA_MUST_CHECK bool ga_store_access_is_refusal(const struct ga_err *err);
/* Adds the audit row of the refusal ("access_refused"), in the caller's transaction. */
GA_MUST_CHECK int ga_store_access_audit(struct ga_db *db, const struct ga_err *refusal,
					struct ga_err *err);
/* The same in a transaction of its own; an open transaction is rolled back first. Does nothing when
 * err is no refusal. Always returns -1, for "return ga_store_access_note(db, err)". */
GA_MUST_CHECK int ga_store_access_note(struct ga_db *db, struct ga_err *err);

/* Declarative, as the operations of state/db/db.h. GA_BADREC: the grant has no action, or not
 * exactly one of group and user. */
GA_MUST_CHECK int ga_store_apply_team(struct ga_db *db, const struct ga_team *t,
				      struct ga_err *err);
GA_MUST_CHECK int ga_store_apply_grant(struct ga_db *db, const struct ga_grant *g,
				       struct ga_err *err);
GA_MUST_CHECK int ga_store_apply_access(struct ga_db *db, const struct ga_access_settings *a,
					struct ga_err *err);

/* The actions that everybody may do because nobody has a grant for them, as a sentence for people,
 * allocated; NULL when there are none. */
GA_MUST_CHECK char *ga_store_access_open(struct ga_db *db, struct ga_err *err);

/* name NULL: all. */
GA_MUST_CHECK int ga_query_teams(struct ga_db *db, const char *name, struct ga_rows **ret,
				 struct ga_err *err);
GA_MUST_CHECK int ga_query_grants(struct ga_db *db, const char *name, struct ga_rows **ret,
				  struct ga_err *err);
GA_MUST_CHECK int ga_query_access(struct ga_db *db, struct ga_rows **ret, struct ga_err *err);

#endif
