/* SPDX-License-Identifier: Apache-2.0 */
/* Apps: every version is kept; one of them is current. */
#include "state/capacity/app.h"

#include "record/rec.h"
#include "state/db/audit.h"
#include "state/db/near.h"

int ga_query_apps(struct ga_db *db, const char *name, struct ga_rows **ret, struct ga_err *err)
{
	return ga_db_query(db, ret, err,
			   "SELECT record, name FROM app WHERE current = 1 AND "
			   "(?1 IS NULL OR name = ?1) ORDER BY name", "s", name);
}

int ga_store_app(struct ga_db *db, const char *name, struct ga_app *ret, struct ga_err *err)
{
	ga_autofree char *text = NULL;
	int r = ga_db_one(db, err, "SELECT record FROM app WHERE name = ?1 AND current = 1", "sS",
			  name, &text);

	if (r < 0)
		return -1;
	if (!r) {
		ga_autofree char *near = ga_db_near(db, "app", name);

		return ga_refuse(err, GA_NOTFOUND, "no_app", name, ("there is no app '%s'", name),
				 ("%s'gpuaas-list apps' shows them; 'gpuaas-state apply' stores a "
				  "manifest", near));
	}
	return ga_rec_parse_text(text, &ga_app_schema, ret, err) < 0 ?
		       ga_wrap(err, "app '%s'", name) :
		       0;
}

int ga_store_apply_app(struct ga_db *db, const struct ga_app *a, struct ga_err *err)
{
	ga_autofree char *old = NULL, *text = NULL;
	struct ga_app next = *a; /* borrows every member */
	int64_t version = 0;

	if (ga_app_check(a, err) < 0 ||
	    ga_db_get(db, err, "SELECT record, version FROM app WHERE name = ?1 AND current = 1",
		      "sSI", a->name, &old, &version) < 0)
		return -1;
	next.version = version;
	text = ga_rec_format_text(&ga_app_schema, &next);
	if (ga_streq(old, text))
		return 0;
	free(text);
	next.version = version + 1;
	text = ga_rec_format_text(&ga_app_schema, &next);
	if (ga_db_change(db, err, "UPDATE app SET current = 0 WHERE name = ?1 AND current = 1",
			 "s", a->name) < 0 ||
	    ga_db_change(db, err,
			 "INSERT INTO app (name, version, record, current) VALUES (?1, ?2, ?3, 1)",
			 "sis", a->name, next.version, text) < 0 ||
	    ga_audit_add(db, "app_applied", a->name,
			 json_pack("{s:I}", "version", (json_int_t)next.version), err) < 0)
		return -1;
	return 1;
}
