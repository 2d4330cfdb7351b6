/* SPDX-License-Identifier: Apache-2.0 */
/* Permissions: teams, grants, the settings that enforce them, and overrides that wait for the
 * confirmation of a second person. */
#ifndef GA_RECORD_ACCESS_H
#define GA_RECORD_ACCESS_H

#include "base/texts.h"
#include "record/schema.h"

/* Projects that belong together, and the Unix groups whose members may use them. */
struct ga_team {
	char *name;
	struct ga_texts projects;
	struct ga_texts groups;
	char *note;
	bool retired; /* the team counts as absent */
};

/* A permission for a group or a user; exactly one of group and user is set. */
struct ga_grant {
	char *name;
	struct ga_texts actions; /* of ga_action_words */
	char *group, *user;
	struct ga_texts profiles, pools, projects; /* empty: all, also objects without one */
	char *note;
	bool revoked; /* permits nothing; its actions stay closed to users without a grant */
};

struct ga_access_settings {
	char *grants;		 /* auto (NULL), off */
	char *two_people;	 /* auto (NULL), required, off */
	int64_t confirm_seconds; /* GA_UNKNOWN: 24 hours */
};

/* An override that one person proposed and another has to confirm. */
struct ga_proposal {
	char *proposal;
	char *action; /* retire_unwiped, destroy_data */
	char *object; /* slot */
	char *node, *device;
	char *state; /* pending, confirmed, expired, withdrawn */
	char *reason, *disposal;
	char *proposed_by, *proposed_at, *expires_at;
	char *decided_by, *decided_at; /* the person who confirmed or withdrew it, and when */
	bool dry_run;
};

extern const char *const ga_action_words[]; /* approve place release wipe override administer */
extern const struct ga_schema ga_team_schema, ga_grant_schema, ga_access_settings_schema,
	ga_proposal_schema;

#endif
