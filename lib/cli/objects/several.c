/* SPDX-License-Identifier: Apache-2.0 */
/* Several objects of one command. */
#include "cli/objects/several.h"

#include <stdlib.h>

#include "cli/frame/cli.h"
#include "cli/objects/where.h"
#include "record/state.h"
#include "state/query/find.h"
#include "state/query/where.h"

struct picking {
	const struct ga_several *ask;
	struct ga_texts *ret;
};

static void add_once(struct ga_texts *list, const char *id)
{
	if (!ga_texts_has(list, id))
		ga_texts_add(list, id);
}

static int pick(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	const struct picking *p = arg;
	const char *id = ga_where_text(schema, obj, p->ask->kind);

	(void)err;
	if (id && (p->ask->shows || !ga_store_has_ended(schema, obj)))
		add_once(p->ret, id);
	return 0;
}

static int pick_where(struct ga_db *db, struct ga_several *ask, struct ga_texts *ret,
		      struct ga_err *err)
{
	struct ga_list_query q = { .kind = ask->kind };
	struct picking p = { ask, ret };

	if (ga_cli_where(db, ask->where, ask->n_where, NULL, &q, &ask->names, err) < 0)
		return -1;
	if (!ask->shows && ga_cli_where_known(db, ask->kind, &q, &ask->names, err) < 0)
		return -1;
	if (ga_store_list(db, &q, pick, &p, err) < 0)
		return -1;
	ask->meant = (struct ga_still){ ask->kind, &ask->names.where, ask->shows };
	ask->still = &ask->meant;
	if (ret->n) {
		ga_cli_where_warn(&ask->names);
		return 0;
	}
	if (ask->names.unknown.code) {
		*err = ask->names.unknown;
		return -1;
	}
	ga_say("no %s meets the conditions: nothing was done", ask->kind);
	return 0;
}

void ga_cli_several_release(struct ga_several *ask)
{
	ga_cli_where_release(&ask->names);
	ask->still = NULL;
}

void ga_cli_several_left(const char *kind, const char *id)
{
	ga_say("%s %s is not changed: it does not meet the conditions any more", kind, id);
}

int ga_cli_several(struct ga_several *ask, struct ga_texts *ret, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	size_t i;

	if (ask->n && ask->n_where)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("'%.64s' and --where: either name each %s, or give conditions",
				  ask->operands[0], ask->kind),
				 ("several conditions: --where A --where B"));
	if (!ask->n && !ask->n_where)
		return ga_refuse(err, GA_USAGE, NULL, NULL, ("a %s is missing", ask->kind),
				 ("'gpuaas-list %ss' shows them; --where takes those that meet a "
				  "condition", ask->kind));
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0)
		return -1;
	if (ask->n_where)
		return pick_where(db, ask, ret, err);
	for (i = 0; i < ask->n; i++) {
		ga_autofree char *id = NULL;

		if (ga_store_resolve(db, ask->kind, ask->operands[i], &id, NULL, err) == 0) {
			add_once(ret, id);
			continue;
		}
		if (ask->n == 1)
			return -1;
		ga_cli_say_error(err);
		ga_err_clear(err);
	}
	return 0;
}

bool ga_cli_several_goes_on(size_t n, int r, struct ga_err *err)
{
	if (n == 1)
		return false;
	if (r < 0)
		ga_cli_say_error(err);
	else
		ga_cli_note_status(r);
	ga_err_clear(err);
	return true;
}
