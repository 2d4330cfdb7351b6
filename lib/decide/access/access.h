/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access: one decision from teams, grants and settings, and the sentence of a refusal. Pure.
 *
 * Root, acting as itself, may do everything, because it can write the file anyway. For everyone
 * else an action is open until a grant names it. From then on the action needs a grant that covers
 * the request. Reading needs no grant.
 */
#ifndef GA_DECIDE_ACCESS_ACCESS_H
#define GA_DECIDE_ACCESS_ACCESS_H

#include "base/str.h"
#include "record/access.h"

struct ga_access_rules {
	GA_LIST(struct ga_grant) grants; /* by name */
	GA_LIST(struct ga_team) teams;	 /* by name */
	struct ga_access_settings settings;
};

struct ga_access_actor {
	const char *name; /* account; NULL: the actor has none */
	int64_t uid;
	char *const *groups;
	size_t n_groups;
	bool is_root;
};

struct ga_access_ask {
	const char *action; /* one of ga_action_words */
	const char *what;   /* the object, for the refusal: "allocation '7f3c0a1b'" */
	const char *project, *profile, *pool; /* NULL: the request has none, or any will do */
	/* If teams list the project, one of them must be a team of the actor. With a grant of
	 * administer the actor may act for other teams too, but not place. */
	bool of_team;
	char *const *profile_teams; /* teams of the profile to be placed */
	size_t n_profile_teams;
};

enum ga_access_why {
	GA_ACCESS_ROOT,	   /* allowed */
	GA_ACCESS_OPEN,	   /* allowed: no grant names the action, or grants are off */
	GA_ACCESS_GRANTED, /* allowed by the grant */
	GA_ACCESS_NO_GRANT,
	GA_ACCESS_PROJECT, /* refused: the project belongs to another team */
	GA_ACCESS_PROFILE, /* refused: the profile is for other teams, or for other projects of
			    * them */
};

struct ga_access_verdict {
	enum ga_access_why why;
	const struct ga_grant *grant; /* for GA_ACCESS_GRANTED; borrowed */
};

/* Whether the actor may do the action; ret gets the reason. */
bool ga_access_decide(const struct ga_access_rules *rules, const struct ga_access_actor *actor,
		      const struct ga_access_ask *ask, struct ga_access_verdict *ret);
/* Whether the profile is for the project, for any actor: the profile lists no team, or lists a team
 * that has the project or has no projects, or grants are off. */
bool ga_access_is_for_project(const struct ga_access_rules *rules, char *const *profile_teams,
			      size_t n, const char *project);
/* Whether a grant names the action (a revoked grant counts too) and grants are on. */
bool ga_access_is_closed(const struct ga_access_rules *rules, const char *action);
/* Whether an override needs a second person. */
bool ga_access_needs_two(const struct ga_access_rules *rules);
/* Seconds in which a second person must confirm a proposal; 86400 unless the settings say
 * otherwise. */
int64_t ga_access_confirm_seconds(const struct ga_access_rules *rules);

/* The stable word of a refusal: no_grant, team_project, team_profile. */
const char *ga_access_reason(enum ga_access_why why);
/* The refusal for people: the actor, its groups, the action and the reason. Also the cure: the
 * grants or groups that allow the action, and the users who can give them. */
void ga_access_explain(const struct ga_access_rules *rules, const struct ga_access_actor *actor,
		       const struct ga_access_ask *ask, const struct ga_access_verdict *verdict,
		       struct ga_str *sentence, struct ga_str *hint);

void ga_access_rules_release(struct ga_access_rules *rules);
#define ga_autorules ga_cleanup(ga_access_rules_release)

#endif
