/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access decisions: a table of cases; then random teams, grants, actors and requests from a printed
 * seed against an oracle that uses bit sets and none of the code. Also the acting user, from a
 * table of answers of the system.
 */
#include "decide/access/access.h"

#include <stdlib.h>
#include <string.h>

#include "base/texts.h"
#include "record/who.h"
#include "t.h"

#define T(text) ((char *)(uintptr_t)(text))

/* ---- a table ---- */

static char *ops[] = { T("ops") }, *vision[] = { T("vision") }, *both[] = { T("x"), T("vision") };
static char *place[] = { T("place") }, *admin[] = { T("administer") };
static char *release_place[] = { T("release"), T("place") };
static char *lab[] = { T("lab") };

static const struct ga_grant g_ops = { .name = T("g"), .actions = { place, 1 }, .group = T("ops") };
static const struct ga_grant g_user = { .name = T("g"), .actions = { release_place, 2 },
					.user = T("alice") };
static const struct ga_grant g_number = { .name = T("g"), .actions = { place, 1 },
					  .user = T("1001") };
static const struct ga_grant g_gone = { .name = T("g"), .actions = { place, 1 }, .group = T("ops"),
					.revoked = true };
static const struct ga_grant g_lab = { .name = T("g"), .actions = { place, 1 }, .group = T("ops"),
				       .profiles = { lab, 1 } };
static const struct ga_grant g_admin = { .name = T("g"), .actions = { admin, 1 },
					 .group = T("ops") };
static const struct ga_team t_vision = { .name = T("vision"), .projects = { vision, 1 },
					 .groups = { vision, 1 } };
static const struct ga_team t_gone = { .name = T("vision"), .projects = { vision, 1 },
				       .groups = { vision, 1 }, .retired = true };
static const struct ga_team t_free = { .name = T("vision"), .groups = { ops, 1 } };

static const struct {
	const char *name;
	const struct ga_grant *grant;
	const struct ga_team *team;
	const char *setting;
	char **groups;
	size_t n_groups;
	const char *action, *project, *profile;
	bool profile_has_team;
	enum ga_access_why want;
} cases[] = {
	{ "nothing is granted", NULL, NULL, NULL, ops, 1, "place", "p", "lab", false,
	  GA_ACCESS_OPEN },
	{ "granted to a group", &g_ops, NULL, NULL, ops, 1, "place", "p", "lab", false,
	  GA_ACCESS_GRANTED },
	{ "granted to another group", &g_ops, NULL, NULL, vision, 1, "place", "p", "lab", false,
	  GA_ACCESS_NO_GRANT },
	{ "in no group", &g_ops, NULL, NULL, NULL, 0, "place", "p", "lab", false,
	  GA_ACCESS_NO_GRANT },
	{ "another action is open", &g_ops, NULL, NULL, vision, 1, "wipe", "p", "lab", false,
	  GA_ACCESS_OPEN },
	{ "granted to the user", &g_user, NULL, NULL, NULL, 0, "release", "p", "lab", false,
	  GA_ACCESS_GRANTED },
	{ "granted to the number", &g_number, NULL, NULL, NULL, 0, "place", "p", "lab", false,
	  GA_ACCESS_GRANTED },
	{ "revoked: nobody's", &g_gone, NULL, NULL, ops, 1, "place", "p", "lab", false,
	  GA_ACCESS_NO_GRANT },
	{ "grants are off", &g_gone, &t_vision, "off", ops, 1, "place", "vision", "lab", true,
	  GA_ACCESS_OPEN },
	{ "for that profile", &g_lab, NULL, NULL, ops, 1, "place", "p", "lab", false,
	  GA_ACCESS_GRANTED },
	{ "for another profile", &g_lab, NULL, NULL, ops, 1, "place", "p", "big", false,
	  GA_ACCESS_NO_GRANT },
	{ "a limit covers nothing that has no such property", &g_lab, NULL, NULL, ops, 1, "place",
	  "p", NULL, false, GA_ACCESS_NO_GRANT },
	{ "the team's project, a member", NULL, &t_vision, NULL, both, 2, "place", "vision", "lab",
	  false, GA_ACCESS_OPEN },
	{ "the team's project, no member", NULL, &t_vision, NULL, ops, 1, "place", "vision", "lab",
	  false, GA_ACCESS_PROJECT },
	{ "a project of no team", NULL, &t_vision, NULL, ops, 1, "place", "p", "lab", false,
	  GA_ACCESS_OPEN },
	{ "a retired team's", NULL, &t_gone, NULL, ops, 1, "place", "vision", "lab", false,
	  GA_ACCESS_OPEN },
	{ "an administrator ends others' work", &g_admin, &t_vision, NULL, ops, 1, "release",
	  "vision", "lab", false, GA_ACCESS_OPEN },
	{ "and places nothing for them", &g_admin, &t_vision, NULL, ops, 1, "place", "vision",
	  "lab", false, GA_ACCESS_PROJECT },
	{ "open to administer is not granted", NULL, &t_vision, NULL, ops, 1, "release", "vision",
	  "lab", false, GA_ACCESS_PROJECT },
	{ "a profile of the team", NULL, &t_vision, NULL, vision, 1, "place", "vision", "lab", true,
	  GA_ACCESS_OPEN },
	{ "for another project", NULL, &t_vision, NULL, vision, 1, "place", "p", "lab", true,
	  GA_ACCESS_PROFILE },
	{ "by no member", NULL, &t_vision, NULL, ops, 1, "place", "p", "lab", true,
	  GA_ACCESS_PROFILE },
	{ "a team that is not there", NULL, NULL, NULL, vision, 1, "place", "vision", "lab", true,
	  GA_ACCESS_PROFILE },
	{ "a team that is retired", NULL, &t_gone, NULL, vision, 1, "place", "vision", "lab", true,
	  GA_ACCESS_PROFILE },
	{ "a team without projects may use it for any", NULL, &t_free, NULL, ops, 1, "place", "p",
	  "lab", true, GA_ACCESS_OPEN },
};

static void test_cases(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_grant g = cases[i].grant ? *cases[i].grant : (struct ga_grant){ 0 };
		struct ga_team t = cases[i].team ? *cases[i].team : (struct ga_team){ 0 };
		struct ga_access_rules rules = { .grants = { &g, cases[i].grant != NULL },
						 .teams = { &t, cases[i].team != NULL },
						 .settings.grants = T(cases[i].setting) };
		struct ga_access_actor actor = { "alice", 1001, cases[i].groups,
						 cases[i].n_groups, false };
		struct ga_access_ask ask = { .action = cases[i].action, .what = "it",
					     .project = cases[i].project,
					     .profile = cases[i].profile, .of_team = true,
					     .profile_teams = vision,
					     .n_profile_teams = cases[i].profile_has_team };
		ga_autostr struct ga_str sentence = GA_STR_INIT, hint = GA_STR_INIT;
		struct ga_access_verdict v;
		bool may = ga_access_decide(&rules, &actor, &ask, &v);

		t_int(v.why, cases[i].want, "%s", cases[i].name);
		t_ok(may == (v.why < GA_ACCESS_NO_GRANT), "%s: said so", cases[i].name);
		actor.is_root = true;
		t_ok(ga_access_decide(&rules, &actor, &ask, &v) && v.why == GA_ACCESS_ROOT,
		     "%s: root may", cases[i].name);
		if (may)
			continue;
		actor.is_root = false;
		ga_access_decide(&rules, &actor, &ask, &v);
		ga_access_explain(&rules, &actor, &ask, &v, &sentence, &hint);
		t_ok(strstr(sentence.buf, "'alice'(1001)") && strstr(sentence.buf, ask.action) &&
			     hint.len,
		     "%s: in words: %s; %s", cases[i].name, sentence.buf, hint.buf);
	}
}

/* Where teams count, only users who have the project may use it. */
static void test_project(void)
{
	static const struct {
		const char *name;
		const struct ga_team *team;
		const char *setting, *project;
		bool profile_has_team, want;
	} rows[] = {
		{ "the team has it", &t_vision, NULL, "vision", true, true },
		{ "the team has another", &t_vision, NULL, "p", true, false },
		{ "it is for no team", &t_vision, NULL, "p", false, true },
		{ "the team is not there", NULL, NULL, "vision", true, false },
		{ "the team is retired", &t_gone, NULL, "vision", true, false },
		{ "the team lists none", &t_free, NULL, "p", true, true },
		{ "grants are off", &t_vision, "off", "p", true, true },
		{ "grants count", &t_vision, "auto", "p", true, false },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_team t = rows[i].team ? *rows[i].team : (struct ga_team){ 0 };
		struct ga_access_rules rules = { .teams = { &t, rows[i].team != NULL },
						 .settings.grants = T(rows[i].setting) };
		bool is = ga_access_is_for_project(&rules, vision, rows[i].profile_has_team,
						   rows[i].project);

		t_ok(is == rows[i].want, "for the project: %s", rows[i].name);
	}
}

static void test_two(void)
{
	static char *override[] = { T("override") };
	static const struct {
		const char *setting;
		bool grant, revoked, off, want;
	} rows[] = {
		{ NULL, false, false, false, false },	{ NULL, true, false, false, true },
		{ NULL, true, true, false, true },	{ "auto", true, false, false, true },
		{ "off", true, false, false, false },	{ "required", false, false, false, true },
		{ NULL, true, false, true, false },	{ "required", true, false, true, true },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_grant g = { .actions = { override, 1 }, .group = T("x"),
				      .revoked = rows[i].revoked };
		struct ga_access_rules rules = {
			.grants = { &g, rows[i].grant },
			.settings = { .grants = T(rows[i].off ? "off" : NULL),
				      .two_people = T(rows[i].setting) } };

		t_ok(ga_access_needs_two(&rules) == rows[i].want, "two people, row %zu", i);
	}
}

/* ---- random worlds against an oracle ---- */

#define WORLDS 4000
#define ASKS 20
#define NAMES 4

static const char *const names[NAMES] = { "a", "b", "c", "d" };
static const char *const numbers[NAMES] = { "1000", "1001", "1002", "1003" };
static uint64_t rnd;

static unsigned int below(unsigned int n)
{
	return (unsigned int)(t_random(&rnd) % n);
}

static unsigned int some(void)
{
	return below(2) ? 0 : below(1U << NAMES);
}

/* The oracle's grants: sets as bits; to: a group's or a user's number. */
struct o_grant {
	unsigned int actions, profiles, pools, projects, to;
	bool group, revoked;
};

struct o_team {
	unsigned int projects, groups;
	bool retired;
};

struct world {
	struct o_grant grants[5];
	struct o_team teams[NAMES]; /* by the number of the name */
	unsigned int n_grants, n_teams;
	bool off;
};

/* -1: it has none. */
struct o_ask {
	int action, project, profile, pool, user;
	unsigned int groups, profile_teams;
	bool of_team, root;
};

static bool in(unsigned int set, int i)
{
	return i >= 0 && (set >> i & 1);
}

static bool o_granted(const struct world *w, const struct o_ask *a, int action)
{
	unsigned int i;

	for (i = 0; i < w->n_grants; i++) {
		const struct o_grant *g = &w->grants[i];
		bool mine = g->group ? in(a->groups, (int)g->to) : (int)g->to == a->user;
		bool wide = (!g->profiles || in(g->profiles, a->profile)) &&
			    (!g->pools || in(g->pools, a->pool)) &&
			    (!g->projects || in(g->projects, a->project));

		if (in(g->actions, action) && !g->revoked && mine && wide)
			return true;
	}
	return false;
}

static bool o_may(const struct world *w, const struct o_ask *a)
{
	bool closed = false, owned = false, member = false, fits = !a->profile_teams;
	unsigned int i;

	if (a->root || w->off)
		return true;
	for (i = 0; i < w->n_grants; i++)
		closed |= in(w->grants[i].actions, a->action);
	for (i = 0; i < w->n_teams; i++) {
		const struct o_team *t = &w->teams[i];
		bool of = t->groups & a->groups, has = in(t->projects, a->project);

		owned |= !t->retired && has;
		member |= !t->retired && has && of;
		fits |= !t->retired && of && in(a->profile_teams, (int)i) && (has || !t->projects);
	}
	if (closed && !o_granted(w, a, a->action))
		return false;
	if (a->of_team && owned && !member && (a->action == 1 || !o_granted(w, a, 5)))
		return false;
	return fits;
}

/* A set as a list of names, which are not ours to free. */
static void fill(void *list, const char *const *words, unsigned int n, unsigned int set)
{
	struct ga_any_list *l = list;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (set >> i & 1)
			*(const char **)ga_list_grow(l, sizeof(char *)) = words[i];
}

static void make_world(struct world *w)
{
	unsigned int i;

	*w = (struct world){ .n_grants = below(6), .n_teams = below(NAMES + 1),
			     .off = !below(20) };
	for (i = 0; i < w->n_grants; i++)
		w->grants[i] = (struct o_grant){ 1 + below(63), some(), some(), some(),
						 below(NAMES), below(2), !below(5) };
	for (i = 0; i < w->n_teams; i++)
		w->teams[i] = (struct o_team){ some(), some(), !below(5) };
}

static void make_rules(const struct world *w, struct ga_access_rules *r)
{
	unsigned int i;

	r->settings.grants = T(w->off ? "off" : NULL);
	for (i = 0; i < w->n_grants; i++) {
		const struct o_grant *o = &w->grants[i];
		struct ga_grant *g = ga_list_add(&r->grants);

		g->name = T("g");
		fill(&g->actions, ga_action_words, 6, o->actions);
		fill(&g->profiles, names, NAMES, o->profiles);
		fill(&g->pools, names, NAMES, o->pools);
		fill(&g->projects, names, NAMES, o->projects);
		if (o->group)
			g->group = T(names[o->to]);
		else
			g->user = T(below(2) ? names[o->to] : numbers[o->to]);
		g->revoked = o->revoked;
	}
	for (i = 0; i < w->n_teams; i++) {
		struct ga_team *t = ga_list_add(&r->teams);

		t->name = T(names[i]);
		fill(&t->projects, names, NAMES, w->teams[i].projects);
		fill(&t->groups, names, NAMES, w->teams[i].groups);
		t->retired = w->teams[i].retired;
	}
}

/* Names are shared: only the lists are freed. */
static void free_rules(struct ga_access_rules *r)
{
	size_t i;

	for (i = 0; i < r->grants.n; i++) {
		free(r->grants.v[i].actions.v);
		free(r->grants.v[i].profiles.v);
		free(r->grants.v[i].pools.v);
		free(r->grants.v[i].projects.v);
	}
	for (i = 0; i < r->teams.n; i++) {
		free(r->teams.v[i].projects.v);
		free(r->teams.v[i].groups.v);
	}
	ga_list_release(&r->grants);
	ga_list_release(&r->teams);
}

static int any_or_none(void)
{
	return (int)below(NAMES + 1) - 1;
}

static const char *name_or_null(int i)
{
	return i < 0 ? NULL : names[i];
}

static bool agrees(const struct world *w, const struct ga_access_rules *rules, bool *may)
{
	struct o_ask a = { (int)below(6), any_or_none(), any_or_none(), any_or_none(),
			   (int)below(NAMES), some(), some(), below(2), !below(10) };
	struct ga_texts groups = { 0 }, teams = { 0 };
	struct ga_access_actor actor = { .name = names[a.user], .uid = 1000 + a.user,
					 .is_root = a.root };
	struct ga_access_ask ask = { .action = ga_action_words[a.action], .what = "it",
				     .project = name_or_null(a.project),
				     .profile = name_or_null(a.profile),
				     .pool = name_or_null(a.pool), .of_team = a.of_team };
	struct ga_access_verdict v;

	fill(&groups, names, NAMES, a.groups);
	fill(&teams, names, NAMES, a.profile_teams);
	actor.groups = groups.v;
	actor.n_groups = groups.n;
	ask.profile_teams = teams.v;
	ask.n_profile_teams = teams.n;
	*may = ga_access_decide(rules, &actor, &ask, &v);
	if (!*may) {
		ga_autostr struct ga_str sentence = GA_STR_INIT, hint = GA_STR_INIT;

		ga_access_explain(rules, &actor, &ask, &v, &sentence, &hint);
		if (!sentence.len || !hint.len)
			return false;
	}
	free(groups.v);
	free(teams.v);
	return *may == o_may(w, &a);
}

static void test_random(void)
{
	int64_t wrong = 0, allowed = 0, i, j;

	for (i = 0; i < WORLDS; i++) {
		struct ga_access_rules rules = { 0 };
		struct world w;

		make_world(&w);
		make_rules(&w, &rules);
		for (j = 0; j < ASKS; j++) {
			bool may;

			wrong += !agrees(&w, &rules, &may);
			allowed += may;
		}
		free_rules(&rules);
	}
	t_int(wrong, 0, "%d random requests are decided as the oracle decides", WORLDS * ASKS);
	t_ok(allowed > WORLDS * ASKS / 5 && allowed < WORLDS * ASKS * 4 / 5,
	     "of both there are many: %lld allowed", (long long)allowed);
}

/* ---- who acts ---- */

static struct {
	uid_t real;
	const char *sudo;
	bool knows_login;
	uid_t login;
} says;

static uid_t say_real(void)
{
	return says.real;
}

static const char *say_sudo(void)
{
	return says.sudo;
}

static bool say_login(uid_t *ret)
{
	*ret = says.login;
	return says.knows_login;
}

static char *say_user(uid_t uid)
{
	return uid == 1001 ? ga_xstrdup("alice") : uid == 0 ? ga_xstrdup("root") : NULL;
}

static void say_groups(const struct ga_who *who, struct ga_who *ret)
{
	*ga_list_add(&ret->groups) = ga_xprintf("g%u", (unsigned int)who->person);
}

#define UNSET ((uid_t)-1)

static void test_who(void)
{
	static const struct ga_who_source source = { say_real, say_sudo, say_login, say_user,
						     say_groups };
	static const struct {
		const char *name;
		uid_t real;
		const char *sudo;
		bool knows;
		uid_t login, person;
		bool root, human;
		size_t humans;
	} rows[] = {
		{ "root, nobody logged in", 0, NULL, true, UNSET, 0, true, false, 0 },
		{ "root where the kernel has no login uids", 0, NULL, false, 0, 0, true, false, 0 },
		{ "root logged in", 0, NULL, true, 0, 0, true, false, 0 },
		{ "root by sudo", 0, "1001", true, UNSET, 1001, false, true, 1 },
		{ "root by su", 0, NULL, true, 1001, 1001, false, true, 1 },
		{ "root's sudo to itself", 0, "0", true, UNSET, 0, true, false, 0 },
		{ "the owner by sudo", 871, "1001", true, 1001, 1001, false, true, 1 },
		{ "the owner by root's sudo is not root", 871, "0", true, 0, 0, false, false, 0 },
		{ "the owner itself", 871, NULL, true, UNSET, 871, false, false, 0 },
		{ "a login beats a made-up variable", 871, "1002", true, 1001, 1001, false, true,
		  2 },
		{ "a person", 1001, NULL, true, 1001, 1001, false, true, 1 },
		{ "a person who sets the variable", 1001, "1002", true, UNSET, 1001, false, true,
		  2 },
		{ "a person by su of another", 1002, NULL, true, 1001, 1001, false, true, 2 },
		{ "no number", 871, "alice", true, UNSET, 871, false, false, 0 },
		{ "a number too large", 871, "99999999999", true, UNSET, 871, false, false, 0 },
		{ "not set, as a number", 871, "4294967295", true, UNSET, 871, false, false, 0 },
		{ "nobody", 65534, NULL, true, UNSET, 65534, false, false, 0 },
	};
	char name[GA_WHO_SIZE];
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		const struct ga_who *w;

		says.real = rows[i].real;
		says.sudo = rows[i].sudo;
		says.knows_login = rows[i].knows;
		says.login = rows[i].login;
		ga_who_from(&source);
		w = ga_who();
		t_int(w->person, rows[i].person, "%s: the person", rows[i].name);
		t_ok(w->is_root == rows[i].root, "%s: root or not", rows[i].name);
		t_ok(w->is_human == rows[i].human, "%s: somebody or nobody", rows[i].name);
		t_int((int64_t)w->humans.n, (int64_t)rows[i].humans, "%s: who had a hand in it",
		      rows[i].name);
		t_ok(!w->has_groups && ga_who_groups()->groups.n == 1, "%s: groups when asked",
		     rows[i].name);
	}
	t_str(ga_who_name(1001, name), "alice(1001)", "an account's name");
	t_str(ga_who_name(77, name), "uid(77)", "a number without account");
	ga_who_from(NULL);
}

int main(void)
{
	rnd = t_seed();
	test_cases();
	test_two();
	test_project();
	test_random();
	test_who();
	return t_done();
}
