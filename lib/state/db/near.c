/* SPDX-License-Identifier: Apache-2.0 */
#include "state/db/near.h"

#include "base/texts.h"
#include "record/closest.h"
#include "state/db/json.h"

#define EACH(table, member) table " t, json_each(" GA_SQL_OBJECT("t.record") ", '$." member "')"
#define OF_PROFILE(member) \
	"SELECT '" member "', json_extract(" GA_SQL_OBJECT("record") ", '$." member "'), '~' " \
	"FROM profile WHERE current = 1"
/* at: the newest first; a state may have more names than a hint is worth. A name may come twice,
 * and be NULL. Pools and projects have no table: what other records name is one. */
#define NAMES \
	"SELECT 'allocation' AS k, name, created_at AS at FROM allocation " \
	"UNION ALL SELECT 'node', name, '~' FROM node " \
	"UNION ALL SELECT 'node', id, '~' FROM node " \
	"UNION ALL SELECT 'team', name, '~' FROM team " \
	"UNION ALL SELECT 'grant', name, '~' FROM access_grant " \
	"UNION ALL SELECT 'app', name, '~' FROM app WHERE current = 1 " \
	"UNION ALL SELECT 'profile', name, '~' FROM profile WHERE current = 1 " \
	"UNION ALL SELECT 'image', name, '~' FROM image " \
	"UNION ALL SELECT 'region', name, '~' FROM region " \
	"UNION ALL SELECT 'region', region, '~' FROM node " \
	"UNION ALL " OF_PROFILE("region") \
	" UNION ALL SELECT 'pool', pool, '~' FROM node " \
	"UNION ALL " OF_PROFILE("pool") \
	" UNION ALL SELECT 'pool', value, '~' FROM " EACH("access_grant", "pools") \
	" UNION ALL SELECT 'project', project, created_at FROM allocation " \
	"UNION ALL SELECT 'project', project, last_at FROM refusal " \
	"UNION ALL SELECT 'project', value, '~' FROM " EACH("team", "projects") \
	" UNION ALL SELECT 'project', value, '~' FROM " EACH("access_grant", "projects")

int ga_db_has_name(struct ga_db *db, const char *kind, const char *name, struct ga_err *err)
{
	return ga_db_one(db, err,
			 "SELECT 1 FROM (" NAMES ") known WHERE k = ?1 AND name = ?2 LIMIT 1", "ss",
			 kind, name);
}

char *ga_db_near(struct ga_db *db, const char *kind, const char *text)
{
	ga_autotexts struct ga_texts names = { 0 };
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_closest_names near;
	size_t i;

	ga_closest_begin(&near, text);
	if (ga_db_texts(db, &names, &ignored,
			"SELECT name FROM (" NAMES ") known WHERE name IS NOT NULL AND (k = ?1 OR "
			"(?1 IS NULL AND k IN ('allocation', 'node', 'team', 'grant', 'app'))) "
			"GROUP BY name ORDER BY max(at) DESC, name LIMIT 4096", "s", kind) == 0)
		for (i = 0; i < names.n; i++)
			ga_closest_word(&near, names.v[i]);
	return ga_closest_hint(&near);
}
