/* SPDX-License-Identifier: Apache-2.0 */
/* The team of a project: a table of cases, and the sentence about projects without a single
 * team. */
#include "decide/access/team.h"

#include <stdlib.h>

#include "t.h"

#define T(text) ((char *)(uintptr_t)(text))

static char *a[] = { T("vision"), T("speech"), T("vision") }, *b[] = { T("speech"), T("robots") };
static char *c[] = { T("gone") };
static const struct ga_team teams[] = {
	{ .name = T("alpha"), .projects = { a, 3 } },
	{ .name = T("beta"), .projects = { b, 2 } },
	{ .name = T("closed"), .projects = { c, 1 }, .retired = true },
	{ .name = T("empty") },
};

static const struct {
	const char *project, *team;
} cases[] = {
	{ "vision", "alpha" }, /* twice in one team is once */
	{ "speech", NULL },    /* of two */
	{ "robots", "beta" },
	{ "gone", NULL }, /* of a retired one */
	{ "Vision", NULL },
	{ "", NULL },
	{ NULL, NULL },
};

static void test_table(void)
{
	struct ga_team_projects p = { 0 };
	ga_autostr struct ga_str said = GA_STR_INIT;
	size_t i, round;

	for (i = 0; i < GA_ARRAY_SIZE(teams); i++)
		ga_team_projects_add(&p, &teams[i]);
	t_ok(p.any, "there are teams");
	ga_team_projects_say(&p, &said);
	t_str(said.buf ? said.buf : "", "", "no question, no words");
	for (round = 0; round < 2; round++)
		for (i = 0; i < GA_ARRAY_SIZE(cases); i++)
			t_str(ga_team_projects_of(&p, cases[i].project), cases[i].team,
			      "%s", cases[i].project ? cases[i].project : "no project");
	ga_team_projects_say(&p, &said);
	t_str(said.buf,
	      "projects that do not belong to one team count under no team: use without a project, "
	      "'' (of none), 'Vision' (of none), and 2 more", "what is nobody's, once");
	ga_team_projects_release(&p);
}

static void test_retired(void)
{
	struct ga_team_projects p = { 0 };

	ga_team_projects_add(&p, &teams[2]);
	t_ok(!p.any, "a retired team is as if it were not there");
	ga_team_projects_release(&p);
}

int main(void)
{
	test_table();
	test_retired();
	return t_done();
}
