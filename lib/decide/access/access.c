/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether an actor may do an action, and words the refusal. */
#include "decide/access/access.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 6 /* names in a sentence; further names are only counted */

struct names {
	char *const *v;
	size_t n;
};

#define NAMES(list) ((struct names){ (list).v, (list).n })

static bool has(struct names list, const char *text)
{
	size_t i;

	for (i = 0; text && i < list.n; i++)
		if (!strcmp(list.v[i], text))
			return true;
	return false;
}

static bool meet(struct names a, struct names b)
{
	size_t i;

	for (i = 0; i < a.n; i++)
		if (has(b, a.v[i]))
			return true;
	return false;
}

static struct names groups_of(const struct ga_access_actor *actor)
{
	return (struct names){ actor->groups, actor->n_groups };
}

/* ---- grants ---- */

/* A limit covers only the values on its list: never NULL, a request without the property. */
static bool covers_one(struct names limit, const char *value)
{
	return !limit.n || has(limit, value);
}

static bool covers(const struct ga_grant *g, const struct ga_access_ask *ask)
{
	return covers_one(NAMES(g->projects), ask->project) &&
	       covers_one(NAMES(g->profiles), ask->profile) &&
	       covers_one(NAMES(g->pools), ask->pool);
}

static bool is_to(const struct ga_grant *g, const struct ga_access_actor *actor)
{
	char number[24];

	if (g->group)
		return has(groups_of(actor), g->group);
	snprintf(number, sizeof(number), "%" PRId64, actor->uid);
	return ga_streq(g->user, actor->name) || ga_streq(g->user, number);
}

static const struct ga_grant *find_grant(const struct ga_access_rules *rules,
					 const struct ga_access_actor *actor, const char *action,
					 const struct ga_access_ask *ask)
{
	size_t i;

	for (i = 0; i < rules->grants.n; i++) {
		const struct ga_grant *g = &rules->grants.v[i];

		if (!g->revoked && has(NAMES(g->actions), action) && is_to(g, actor) &&
		    covers(g, ask))
			return g;
	}
	return NULL;
}

static bool is_off(const struct ga_access_rules *rules)
{
	return ga_streq(rules->settings.grants, "off");
}

bool ga_access_is_closed(const struct ga_access_rules *rules, const char *action)
{
	size_t i;

	for (i = 0; !is_off(rules) && i < rules->grants.n; i++)
		if (has(NAMES(rules->grants.v[i].actions), action))
			return true;
	return false;
}

bool ga_access_needs_two(const struct ga_access_rules *rules)
{
	if (ga_streq(rules->settings.two_people, "off"))
		return false;
	return ga_streq(rules->settings.two_people, "required") ||
	       ga_access_is_closed(rules, "override");
}

int64_t ga_access_confirm_seconds(const struct ga_access_rules *rules)
{
	int64_t seconds = rules->settings.confirm_seconds;

	return seconds > 0 ? seconds : 86400; /* 0: the state has no record of settings */
}

/* ---- teams ---- */

static bool is_member(const struct ga_team *t, const struct ga_access_actor *actor)
{
	return meet(NAMES(t->groups), groups_of(actor));
}

/* A project that no team lists is open to all. */
static bool may_project(const struct ga_access_rules *rules, const struct ga_access_actor *actor,
			const char *project)
{
	bool owned = false;
	size_t i;

	for (i = 0; i < rules->teams.n; i++) {
		const struct ga_team *t = &rules->teams.v[i];

		if (t->retired || !has(NAMES(t->projects), project))
			continue;
		if (is_member(t, actor))
			return true;
		owned = true;
	}
	return !owned;
}

/* A team without projects may use the profile for any project. */
static bool is_for_team(const struct ga_team *t, const struct ga_access_ask *ask)
{
	struct names teams = { ask->profile_teams, ask->n_profile_teams };

	return !t->retired && has(teams, t->name) &&
	       (!t->projects.n || has(NAMES(t->projects), ask->project));
}

bool ga_access_is_for_project(const struct ga_access_rules *rules, char *const *profile_teams,
			      size_t n, const char *project)
{
	const struct ga_access_ask ask = { .project = project, .profile_teams = profile_teams,
					   .n_profile_teams = n };
	size_t i;

	for (i = 0; i < rules->teams.n; i++)
		if (is_for_team(&rules->teams.v[i], &ask))
			return true;
	return !n || is_off(rules);
}

static bool may_profile(const struct ga_access_rules *rules, const struct ga_access_actor *actor,
			const struct ga_access_ask *ask)
{
	size_t i;

	for (i = 0; i < rules->teams.n; i++)
		if (is_for_team(&rules->teams.v[i], ask) && is_member(&rules->teams.v[i], actor))
			return true;
	return !ask->n_profile_teams;
}

/* ---- the decision ---- */

bool ga_access_decide(const struct ga_access_rules *rules, const struct ga_access_actor *actor,
		      const struct ga_access_ask *ask, struct ga_access_verdict *ret)
{
	*ret = (struct ga_access_verdict){ GA_ACCESS_ROOT, NULL };
	if (actor->is_root)
		return true;
	ret->why = GA_ACCESS_OPEN;
	if (is_off(rules))
		return true;
	if (ga_access_is_closed(rules, ask->action)) {
		ret->grant = find_grant(rules, actor, ask->action, ask);
		ret->why = ret->grant ? GA_ACCESS_GRANTED : GA_ACCESS_NO_GRANT;
		if (!ret->grant)
			return false;
	}
	if (ask->of_team && !may_project(rules, actor, ask->project) &&
	    (ga_streq(ask->action, "place") || !find_grant(rules, actor, "administer", ask))) {
		*ret = (struct ga_access_verdict){ GA_ACCESS_PROJECT, NULL };
		return false;
	}
	if (!may_profile(rules, actor, ask)) {
		*ret = (struct ga_access_verdict){ GA_ACCESS_PROFILE, NULL };
		return false;
	}
	return true;
}

/* ---- sentences ---- */

const char *ga_access_reason(enum ga_access_why why)
{
	return why == GA_ACCESS_PROJECT ? "team_project" :
	       why == GA_ACCESS_PROFILE ? "team_profile" :
					  "no_grant";
}

/* A list of names in a sentence; n counts the omitted names too. */
struct phrase {
	struct ga_str *out;
	size_t n;
};

static void add_name(struct phrase *p, const char *before, const char *name)
{
	if (p->n++ < NAMES_MAX)
		ga_str_addf(p->out, "%s%s'%.63s'", p->n > 1 ? ", " : "", before, name);
}

static void end_names(const struct phrase *p)
{
	if (p->n > NAMES_MAX)
		ga_str_addf(p->out, " and %zu more", p->n - NAMES_MAX);
}

static void add_actor(const struct ga_access_actor *actor, struct ga_str *out)
{
	struct phrase p = { out, 0 };
	size_t i;

	if (actor->name)
		ga_str_addf(out, "'%.64s'(%" PRId64 ")", actor->name, actor->uid);
	else
		ga_str_addf(out, "uid(%" PRId64 ")", actor->uid);
	ga_str_add(out, actor->n_groups ? ", in groups " : ", in no group");
	for (i = 0; i < actor->n_groups; i++)
		add_name(&p, "", actor->groups[i]);
	end_names(&p);
}

/* Adds the users and groups that can give grants: those with an unlimited grant of administer. */
static void add_givers(const struct ga_access_rules *rules, struct ga_str *out)
{
	static const struct ga_access_ask whole = { .action = "administer" };
	struct phrase p = { out, 0 };
	size_t i;

	if (!ga_access_is_closed(rules, "administer")) {
		ga_str_add(out, "users who can write the state");
		return;
	}
	for (i = 0; i < rules->grants.n; i++) {
		const struct ga_grant *g = &rules->grants.v[i];

		if (!g->revoked && has(NAMES(g->actions), "administer") && covers(g, &whole))
			add_name(&p, g->group ? "group " : "user ", g->group ? g->group : g->user);
	}
	end_names(&p);
	ga_str_add(out, p.n ? ", or root" : "root");
}

static void hint_grant(const struct ga_access_rules *rules, const struct ga_access_ask *ask,
		       struct ga_str *hint)
{
	struct phrase p = { hint, 0 };
	size_t i, limited = 0;

	for (i = 0; i < rules->grants.n; i++) {
		const struct ga_grant *g = &rules->grants.v[i];

		if (g->revoked || !has(NAMES(g->actions), ask->action))
			continue;
		limited += !covers(g, ask);
		if (!covers(g, ask))
			continue;
		ga_str_add(hint, p.n ? "" : "allowed by grant ");
		add_name(&p, "", g->name);
		if (p.n <= NAMES_MAX)
			ga_str_addf(hint, " (to %s '%.63s')", g->group ? "group" : "user",
				    g->group ? g->group : g->user);
	}
	end_names(&p);
	if (!p.n)
		ga_str_addf(hint, "no grant for %s covers it%s", ask->action,
			    limited ? " (those there are limited to other profiles, pools or "
				      "projects)" : "");
	ga_str_add(hint, "; grants are given by ");
	add_givers(rules, hint);
	ga_str_add(hint, "; 'gpuaas-list grants' shows them");
}

/* Names the groups whose members may use the project or profile, where teams restrict it. */
static void hint_teams(const struct ga_access_rules *rules, const struct ga_access_ask *ask,
		       enum ga_access_why why, struct ga_str *hint)
{
	struct phrase p = { hint, 0 };
	size_t i, j;

	for (i = 0; i < rules->teams.n; i++) {
		const struct ga_team *t = &rules->teams.v[i];

		if (why == GA_ACCESS_PROFILE ? !is_for_team(t, ask) :
					       t->retired || !has(NAMES(t->projects), ask->project))
			continue;
		for (j = 0; j < t->groups.n; j++) {
			ga_str_add(hint, p.n ? "" : "members may of group ");
			add_name(&p, "", t->groups.v[j]);
		}
	}
	end_names(&p);
	if (!p.n)
		ga_str_add(hint, why == GA_ACCESS_PROFILE ?
				 "no team that the profile names has the project and a group" :
				 "the team has no group");
	ga_str_add(hint, "; teams are set by ");
	add_givers(rules, hint);
	ga_str_add(hint, "; 'gpuaas-list teams' shows them");
}

static void why_project(const struct ga_access_rules *rules, const struct ga_access_ask *ask,
			struct ga_str *out)
{
	struct phrase p = { out, 0 };
	size_t i;

	ga_str_addf(out, "project '%.63s' belongs to team ", ask->project);
	for (i = 0; i < rules->teams.n; i++)
		if (!rules->teams.v[i].retired &&
		    has(NAMES(rules->teams.v[i].projects), ask->project))
			add_name(&p, "", rules->teams.v[i].name);
	end_names(&p);
}

static void why_profile(const struct ga_access_ask *ask, struct ga_str *out)
{
	struct phrase p = { out, 0 };
	size_t i;

	ga_str_addf(out, "profile '%.63s' is for projects and members of team ",
		    ask->profile ? ask->profile : "");
	for (i = 0; i < ask->n_profile_teams; i++)
		add_name(&p, "", ask->profile_teams[i]);
	end_names(&p);
	if (ask->project)
		ga_str_addf(out, ", and the project is '%.63s'", ask->project);
}

void ga_access_explain(const struct ga_access_rules *rules, const struct ga_access_actor *actor,
		       const struct ga_access_ask *ask, const struct ga_access_verdict *verdict,
		       struct ga_str *sentence, struct ga_str *hint)
{
	ga_str_addf(sentence, "%s of %s is denied to ", ask->action, ask->what);
	add_actor(actor, sentence);
	ga_str_add(sentence, ": ");
	if (verdict->why == GA_ACCESS_PROJECT)
		why_project(rules, ask, sentence);
	else if (verdict->why == GA_ACCESS_PROFILE)
		why_profile(ask, sentence);
	else
		ga_str_addf(sentence, "no grant gives them %s of it", ask->action);
	if (verdict->why == GA_ACCESS_NO_GRANT)
		hint_grant(rules, ask, hint);
	else
		hint_teams(rules, ask, verdict->why, hint);
}

void ga_access_rules_release(struct ga_access_rules *rules)
{
	size_t i;

	for (i = 0; i < rules->grants.n; i++)
		ga_schema_release(&ga_grant_schema, &rules->grants.v[i]);
	for (i = 0; i < rules->teams.n; i++)
		ga_schema_release(&ga_team_schema, &rules->teams.v[i]);
	ga_list_release(&rules->grants);
	ga_list_release(&rules->teams);
	ga_schema_release(&ga_access_settings_schema, &rules->settings);
}
