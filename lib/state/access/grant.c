/* SPDX-License-Identifier: Apache-2.0 */
/* Teams, grants and the settings of access, applied idempotently; and the actions open to
 * everybody. */
#include "record/rec.h"
#include "record/time.h"
#include "state/access/access.h"
#include "state/db/audit.h"
#include "state/db/row.h"

/* The audit row has the whole record, and so the whole grant. */
static int audit(struct ga_db *db, const char *action, const char *name,
		 const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	return ga_audit_add(db, action, name, ga_schema_format(schema, obj), err) < 0 ? -1 : 1;
}

int ga_store_apply_team(struct ga_db *db, const struct ga_team *t, struct ga_err *err)
{
	ga_autofree char *text = ga_rec_format_text(&ga_team_schema, t), *now = ga_time_now();
	ga_autofree char *old = NULL;
	int r;

	if (ga_db_get(db, err, "SELECT record FROM team WHERE name = ?1", "sS", t->name, &old) < 0)
		return -1;
	if (ga_streq(old, text))
		return 0;
	r = old ? ga_db_change(db, err,
			       "UPDATE team SET record = ?2, updated_at = ?3, updated_by = ?4 "
			       "WHERE name = ?1", "ssss", t->name, text, now, ga_audit_actor()) :
		  ga_db_change(db, err,
			       "INSERT INTO team (name, record, updated_at, updated_by) "
			       "VALUES (?1, ?2, ?3, ?4)", "ssss", t->name, text, now,
			       ga_audit_actor());
	return r < 0 ? -1 : audit(db, "team_applied", t->name, &ga_team_schema, t, err);
}

static int check_grant(const struct ga_grant *g, struct ga_err *err)
{
	if (!g->actions.n)
		return ga_fail(err, GA_BADREC, "grant '%s' grants nothing: member 'actions' must "
			       "not be empty", g->name);
	if (!g->group == !g->user)
		return ga_fail(err, GA_BADREC, "grant '%s' needs exactly one of the members "
			       "'group' and 'user'", g->name);
	if (!*(g->group ? g->group : g->user))
		return ga_fail(err, GA_BADREC, "grant '%s': member '%s' must not be empty", g->name,
			       g->group ? "group" : "user");
	return 0;
}

int ga_store_apply_grant(struct ga_db *db, const struct ga_grant *g, struct ga_err *err)
{
	ga_autofree char *text = ga_rec_format_text(&ga_grant_schema, g), *now = ga_time_now();
	ga_autofree char *old = NULL;
	int r;

	if (check_grant(g, err) < 0 ||
	    ga_db_get(db, err, "SELECT record FROM access_grant WHERE name = ?1", "sS", g->name,
		      &old) < 0)
		return -1;
	if (ga_streq(old, text))
		return 0;
	r = old ? ga_db_change(db, err,
			       "UPDATE access_grant SET record = ?2, updated_at = ?3, "
			       "updated_by = ?4 WHERE name = ?1",
			       "ssss", g->name, text, now, ga_audit_actor()) :
		  ga_db_change(db, err,
			       "INSERT INTO access_grant (name, record, updated_at, updated_by) "
			       "VALUES (?1, ?2, ?3, ?4)", "ssss", g->name, text, now,
			       ga_audit_actor());
	return r < 0 ? -1 : audit(db, "grant_applied", g->name, &ga_grant_schema, g, err);
}

int ga_store_apply_access(struct ga_db *db, const struct ga_access_settings *a,
			  struct ga_err *err)
{
	ga_autofree char *text = ga_rec_format_text(&ga_access_settings_schema, a);
	ga_autofree char *now = ga_time_now(), *old = NULL;
	int r;

	if (ga_db_get(db, err, "SELECT record FROM access", "S", &old) < 0)
		return -1;
	if (ga_streq(old, text))
		return 0;
	r = old ? ga_db_change(db, err,
			       "UPDATE access SET record = ?1, updated_at = ?2, updated_by = ?3",
			       "sss", text, now, ga_audit_actor()) :
		  ga_db_change(db, err,
			       "INSERT INTO access (one, record, updated_at, updated_by) "
			       "VALUES (1, ?1, ?2, ?3)", "sss", text, now, ga_audit_actor());
	return r < 0 ? -1 :
		       audit(db, "access_applied", "access-settings", &ga_access_settings_schema, a,
			     err);
}

char *ga_store_access_open(struct ga_db *db, struct ga_err *err)
{
	ga_autorules struct ga_access_rules rules = { 0 };
	ga_autostr struct ga_str open = GA_STR_INIT;
	const char *const *w;
	size_t closed = 0;

	if (ga_store_access_load(db, &rules, err) < 0)
		return NULL;
	for (w = ga_action_words; *w; w++) {
		if (ga_access_is_closed(&rules, *w))
			closed++;
		else
			ga_str_addf(&open, "%s%s", open.len ? ", " : "", *w);
	}
	if (!open.len)
		return NULL;
	if (!closed)
		return ga_xprintf("%s: users who can write the state can do everything "
				  "(gpuaas-operations(7), ACCESS)",
				  ga_streq(rules.settings.grants, "off") ? "grants are off" :
									   "there are no grants");
	return ga_xprintf("no grant names %s: users who can write the state can do that%s",
			  open.buf, ga_access_is_closed(&rules, "administer") ?
					    "" :
					    ", and so give themselves any grant");
}
