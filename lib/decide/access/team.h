/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose a project is: the one team that has it now, for reports. A project of several teams, or of
 * none, is nobody's: its use is not guessed to be one's. Pure.
 */
#ifndef GA_DECIDE_ACCESS_TEAM_H
#define GA_DECIDE_ACCESS_TEAM_H

#include "base/str.h"
#include "record/access.h"

struct ga_team_project {
	char *project; /* NULL: use without a project */
	char *team;    /* the first one that has it; NULL: none */
	char *other;   /* another one that has it too, or NULL */
	bool asked;
};

struct ga_team_projects {
	GA_LIST(struct ga_team_project) v; /* sorted by project */
	bool any; /* whether there is a team that is not retired */
};

/* Adds the projects of a team; one that is retired has none. */
void ga_team_projects_add(struct ga_team_projects *p, const struct ga_team *t);
/* The team that has the project, NULL when that is not one; it lives as long as p. What was asked
 * is kept for ga_team_projects_say. */
const char *ga_team_projects_of(struct ga_team_projects *p, const char *project);
/* Adds a sentence to out that names the projects that were asked for and are not one team's; adds
 * nothing when there are none. */
void ga_team_projects_say(const struct ga_team_projects *p, struct ga_str *out);
void ga_team_projects_release(struct ga_team_projects *p);

#endif
