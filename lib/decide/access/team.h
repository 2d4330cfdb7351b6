/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The team of a project, for reports: the one team that has it now. A project of several teams, or
 * of none, counts for no team: reports do not guess. Pure.
 */
#ifndef GA_DECIDE_ACCESS_TEAM_H
#define GA_DECIDE_ACCESS_TEAM_H

#include "base/str.h"
#include "record/access.h"

struct ga_team_project {
	char *project; /* NULL: use without a project */
	char *team;    /* the first team that has the project; NULL: none */
	char *other;   /* a second team that has the project too, or NULL */
	bool asked;
};

struct ga_team_projects {
	GA_LIST(struct ga_team_project) v; /* sorted by project */
	bool any; /* there is a team that is not retired */
};

/* Adds the projects of a team; a retired team counts as without projects. */
void ga_team_projects_add(struct ga_team_projects *p, const struct ga_team *t);
/* The team of the project; NULL when no team or several teams have it. The name lives as long as p.
 * p remembers the project for ga_team_projects_say. */
const char *ga_team_projects_of(struct ga_team_projects *p, const char *project);
/* Adds a sentence to out that names the projects of earlier calls of ga_team_projects_of that have
 * no single team. Adds nothing when there are none. */
void ga_team_projects_say(const struct ga_team_projects *p, struct ga_str *out);
void ga_team_projects_release(struct ga_team_projects *p);

#endif
