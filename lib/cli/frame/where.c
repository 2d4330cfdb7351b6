/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of people: they may use a name or the beginning of an id. */
#include "cli/frame/where.h"

#include <string.h>

#include "base/texts.h"
#include "base/vec.h"
#include "cli/frame/cli.h"
#include "state/db/row.h"
#include "state/query/find.h"

static struct ga_texts named; /* owns the replaced texts */

/* The kind of object whose ids the member of a condition has, or NULL. */
static const char *kind_of(const char *where)
{
	static const char *const kinds[] = { "node", "slot", "allocation" };
	size_t i, len = strcspn(where, "=");

	for (i = 0; i < GA_ARRAY_SIZE(kinds); i++)
		if (where[len] && strlen(kinds[i]) == len && !strncmp(where, kinds[i], len))
			return kinds[i];
	return NULL;
}

int ga_cli_where(struct ga_db *db, const char **where, struct ga_err *err)
{
	for (; *where; where++) {
		const char *kind = kind_of(*where), *value = kind ? strchr(*where, '=') + 1 : "";
		struct ga_err why = GA_ERR_INIT;
		ga_autofree char *id = NULL;

		if (!*value || !strcmp(value, "null"))
			continue;
		if (ga_store_resolve(db, kind, value, &id, NULL, &why) == 0) {
			*ga_list_add(&named) = ga_xprintf("%s=%s", kind, id);
			*where = named.v[named.n - 1];
		} else if (why.code == GA_NOTFOUND) {
			ga_say("%s: %s: %s", ga_cli_program(), why.msg, why.hint);
		} else {
			*err = why;
			return -1;
		}
	}
	return 0;
}
