/* SPDX-License-Identifier: Apache-2.0 */
#include "state/db/near.h"

#include "base/texts.h"
#include "record/closest.h"

/* The newest first; a state may have more names than a hint is worth. */
#define NAMES \
	"SELECT 'allocation' AS k, name, created_at AS at FROM allocation WHERE name IS NOT NULL " \
	"UNION ALL SELECT 'node', name, '~' FROM node WHERE name IS NOT NULL " \
	"UNION ALL SELECT 'node', id, '~' FROM node " \
	"UNION ALL SELECT 'team', name, '~' FROM team " \
	"UNION ALL SELECT 'grant', name, '~' FROM access_grant " \
	"UNION ALL SELECT 'app', name, '~' FROM app WHERE current = 1 " \
	"UNION ALL SELECT 'profile', name, '~' FROM profile WHERE current = 1 " \
	"UNION ALL SELECT 'image', name, '~' FROM image"

char *ga_db_near(struct ga_db *db, const char *kind, const char *text)
{
	ga_autotexts struct ga_texts names = { 0 };
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_closest_names near;
	size_t i;

	ga_closest_begin(&near, text);
	if (ga_db_texts(db, &names, &ignored,
			"SELECT name FROM (" NAMES ") known WHERE k = ?1 OR "
			"(?1 IS NULL AND k <> 'profile' AND k <> 'image') "
			"ORDER BY at DESC, name LIMIT 4096", "s", kind) == 0)
		for (i = 0; i < names.n; i++)
			ga_closest_word(&near, names.v[i]);
	return ga_closest_hint(&near);
}
