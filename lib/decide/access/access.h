/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may do what: one decision on teams, grants and settings, and the words for a refusal. Pure.
 *
 * Root, acting as itself, may do everything: it can write the file. To all others an action is open
 * until a grant names it; from then on it is theirs to whom a grant gives it, for what the grant
 * covers. Reading needs no grant.
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
	const char *name; /* account; NULL: it has none */
	int64_t uid;
	char *const *groups;
	size_t n_groups;
	bool is_root;
};

struct ga_access_ask {
	const char *action; /* of ga_action_words */
	const char *what;   /* "allocation '7f3c0a1b'", for the refusal */
	const char *project, *profile, *pool; /* NULL: it has none, or any would do */
	/* The project must be a team's of the actor, where it is a team's. One who was granted
	 * administer may do it for others too, but not place. */
	bool of_team;
	char *const *profile_teams; /* of a profile that is to be placed */
	size_t n_profile_teams;
};

enum ga_access_why {
	GA_ACCESS_ROOT,	   /* may */
	GA_ACCESS_OPEN,	   /* may: nobody was granted it, or grants are off */
	GA_ACCESS_GRANTED, /* may: by the grant */
	GA_ACCESS_NO_GRANT,
	GA_ACCESS_PROJECT, /* the project is another team's */
	GA_ACCESS_PROFILE, /* the profile is for other teams, or other projects of them */
};

struct ga_access_verdict {
	enum ga_access_why why;
	const struct ga_grant *grant; /* of GA_ACCESS_GRANTED; borrowed */
};

/* Whether the actor may. */
bool ga_access_decide(const struct ga_access_rules *rules, const struct ga_access_actor *actor,
		      const struct ga_access_ask *ask, struct ga_access_verdict *ret);
/* Whether the profile is for the project, whoever asks: it is for no team in particular, or for one
 * that has the project or lists none, or grants are off. */
bool ga_access_is_for_project(const struct ga_access_rules *rules, char *const *profile_teams,
			      size_t n, const char *project);
/* Whether a grant names the action, also one that was revoked, and grants are not off. */
bool ga_access_is_closed(const struct ga_access_rules *rules, const char *action);
/* Whether overrides need a second person. */
bool ga_access_needs_two(const struct ga_access_rules *rules);
int64_t ga_access_confirm_seconds(const struct ga_access_rules *rules);

/* A stable word for a refusal: no_grant, team_project, team_profile. */
const char *ga_access_reason(enum ga_access_why why);
/* The refusal for people: who, in which groups, may not do what, and why; and what would change
 * that: the grants or groups that allow it, and who can give them. */
void ga_access_explain(const struct ga_access_rules *rules, const struct ga_access_actor *actor,
		       const struct ga_access_ask *ask, const struct ga_access_verdict *verdict,
		       struct ga_str *sentence, struct ga_str *hint);

void ga_access_rules_release(struct ga_access_rules *rules);
#define ga_autorules ga_cleanup(ga_access_rules_release)

#endif
