/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the one team of a project. */
#include "decide/access/team.h"

#include <stdlib.h>
#include <string.h>

#define NAMED 3 /* projects that a sentence names at most */

static const char head[] = "projects that do not belong to one team count under no team: ";

/* Orders names; NULL comes before all names. */
static int compare(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

/* Position of the project, or the position to insert it at. */
static size_t find(const struct ga_team_projects *p, const char *project)
{
	size_t low = 0, high = p->v.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(p->v.v[middle].project, project) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct ga_team_project *get(struct ga_team_projects *p, const char *project)
{
	size_t i = find(p, project);

	if (i < p->v.n && !compare(p->v.v[i].project, project))
		return &p->v.v[i];
	(void)ga_list_add(&p->v);
	memmove(p->v.v + i + 1, p->v.v + i, (p->v.n - 1 - i) * sizeof(*p->v.v));
	p->v.v[i] = (struct ga_team_project){ .project = ga_strdup0(project) };
	return &p->v.v[i];
}

void ga_team_projects_add(struct ga_team_projects *p, const struct ga_team *t)
{
	size_t i;

	p->any = p->any || !t->retired;
	for (i = 0; i < t->projects.n && !t->retired; i++) {
		struct ga_team_project *one = get(p, t->projects.v[i]);

		if (!one->team)
			one->team = ga_xstrdup(t->name);
		else if (!one->other && strcmp(one->team, t->name) != 0)
			one->other = ga_xstrdup(t->name);
	}
}

const char *ga_team_projects_of(struct ga_team_projects *p, const char *project)
{
	struct ga_team_project *one = get(p, project);

	one->asked = true;
	return one->other ? NULL : one->team;
}

void ga_team_projects_say(const struct ga_team_projects *p, struct ga_str *out)
{
	size_t i, n = 0;

	for (i = 0; i < p->v.n; i++) {
		const struct ga_team_project *one = &p->v.v[i];

		if (!one->asked || (one->team && !one->other))
			continue;
		if (n++ >= NAMED)
			continue;
		ga_str_add(out, n > 1 ? ", " : head);
		if (!one->project)
			ga_str_add(out, "use without a project");
		else if (one->other)
			ga_str_addf(out, "'%.63s' (of several: %.63s, %.63s)", one->project,
				    one->team, one->other);
		else
			ga_str_addf(out, "'%.63s' (of none)", one->project);
	}
	if (n > NAMED)
		ga_str_addf(out, ", and %zu more", n - NAMED);
}

void ga_team_projects_release(struct ga_team_projects *p)
{
	size_t i;

	for (i = 0; i < p->v.n; i++) {
		free(p->v.v[i].project);
		free(p->v.v[i].team);
		free(p->v.v[i].other);
	}
	ga_list_release(&p->v);
}
