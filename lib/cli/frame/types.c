/* SPDX-License-Identifier: Apache-2.0 */
/* The accelerator catalogue from the settings, lookup of its types by name, and types of a
 * profile. */
#include "cli/frame/types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/texts.h"
#include "catalog/name.h"
#include "cli/frame/cli.h"
#include "decide/place/suggest.h"
#include "record/state.h"
#include "state/capacity/profile.h"
#include "state/capacity/view.h"
#include "state/fold/take.h"

const char *ga_cli_catalogue_file(void)
{
	ga_accels_drop_ins(
		ga_cli_setting("GPUAAS_ACCELERATORS_DIR", "/etc/gpuaas/accelerators.d"));
	return ga_cli_setting("GPUAAS_ACCELERATORS", NULL);
}

int ga_cli_catalogue(struct ga_accels **ret, struct ga_err *err)
{
	return ga_accels_open(ga_cli_catalogue_file(), ret, err);
}

int ga_cli_manual_types(struct ga_manual_types *ret, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;

	if (access(ga_cli_state_path(), F_OK) < 0 && errno == ENOENT)
		return 0;
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0)
		return -1;
	return ga_store_manual_types(db, ret, err);
}

int ga_cli_type_unknown(const struct ga_accels *list, const char *name, struct ga_err *err)
{
	ga_autofree char *slugs = NULL;
	struct ga_closest_names near;

	ga_accels_near(list, name, &near);
	slugs = ga_closest_end(&near);
	return ga_refuse(err, GA_USAGE, "unknown_type", NULL,
			 ("'%.64s' is no type of the catalogue%s", name, slugs),
			 (strchr(name, ',') ? "give --type again for each of them" :
					      "'gpuaas-profile catalog' shows them; a drop-in can "
					      "add one: gpuaas-accelerators(7)"));
}

static char *listed(const struct ga_accel_named *named)
{
	struct ga_str types = GA_STR_INIT;
	size_t i;

	for (i = 0; i < named->types.n; i++)
		ga_str_addf(&types, "%s%s", i ? ", " : "", named->types.v[i]);
	return ga_str_take(&types);
}

int ga_cli_types_known(const struct ga_accels *list, const char *const *names, size_t n,
		       struct ga_err *err)
{
	size_t i;

	for (i = 0; i < n; i++) {
		ga_autonamed struct ga_accel_named named = { 0 };
		ga_autofree char *types = NULL;

		ga_accels_named(list, GA_NAME_PEOPLE, names[i], &named);
		if (!named.types.n)
			return ga_cli_type_unknown(list, names[i], err);
		types = listed(&named);
		if (strcmp(types, names[i]) != 0)
			ga_say("type '%.64s' means %s", names[i], types);
	}
	return 0;
}

int ga_cli_type_several(const char *name, const struct ga_accel_named *named, struct ga_err *err)
{
	ga_autofree char *types = listed(named);

	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("'%.64s' means one of several types: %s", name, types),
			 ("name one of them"));
}

int ga_cli_type_named(const struct ga_accels *list, const char *name, struct ga_accel_named *ret,
		      struct ga_err *err)
{
	ga_accels_named(list, GA_NAME_PEOPLE, name, ret);
	if (!ret->types.n)
		return ga_cli_type_unknown(list, name, err);
	if (ret->part || ret->shared)
		return ga_fail(err, GA_USAGE, "'%.64s' is a part of a GPU, and types are of whole "
			       "ones", name);
	return 0;
}

/* ---- the types of a profile ---- */

static int twice(const char *name, const char *slug, struct ga_err *err)
{
	return ga_fail(err, GA_USAGE, "the type '%.64s' is given twice%s%s", name,
		       strcmp(name, slug) ? ": it is " : "", strcmp(name, slug) ? slug : "");
}

int ga_cli_type_means(const struct ga_accels *list, const char *name, struct ga_texts *ret,
		      struct ga_err *err)
{
	ga_autonamed struct ga_accel_named named = { 0 };
	GA_LIST(struct ga_suggest_type) types = { NULL, 0 };
	size_t i;

	if (ga_cli_type_named(list, name, &named, err) < 0)
		return -1;
	/* The types of a group, the best first. */
	for (i = 0; i < named.types.n; i++) {
		const struct ga_accel_type *t = ga_accels_type(list, named.types.v[i]);

		*ga_list_add(&types) = (struct ga_suggest_type){
			t->slug, 0, t->memory.gpu_gb == GA_UNKNOWN ? 0 : t->memory.gpu_gb };
	}
	ga_suggest_order(types.v, types.n);
	for (i = 0; i < types.n; i++)
		ga_texts_add(ret, types.v[i].type);
	ga_list_release(&types);
	return 0;
}

void ga_cli_type_say(const char *name, char *const *slugs, size_t n)
{
	ga_autostr struct ga_str said = GA_STR_INIT;
	size_t i;

	for (i = 0; i < n; i++)
		ga_str_addf(&said, "%s%s", i ? ", " : "", slugs[i]);
	if (n > 1)
		ga_say("type '%.64s' means several types, taken in this order: %s", name,
		       said.buf);
	else if (n && strcmp(name, slugs[0]) != 0)
		ga_say("type '%.64s' is %s", name, said.buf);
}

static int add_name(const struct ga_accels *list, const char *name, bool strict,
		    struct ga_texts *ret, struct ga_err *err)
{
	ga_autotexts struct ga_texts meant = { NULL, 0 };
	struct ga_err why = GA_ERR_INIT;

	if (ga_cli_type_means(list, name, &meant, &why) == 0) {
		size_t i;
		size_t before = ret->n;

		/* Adds the types that the name means; of several types, skips those that are in the
		 * list already. */
		if (meant.n == 1 && ga_texts_has(ret, meant.v[0]))
			return twice(name, meant.v[0], err);
		for (i = 0; i < meant.n; i++)
			if (!ga_texts_has(ret, meant.v[i]))
				ga_texts_add(ret, meant.v[i]);
		if (ret->n == before)
			ga_say("type '%.64s' means several types, and each is given already", name);
		else
			ga_cli_type_say(name, ret->v + before, ret->n - before);
		return 0;
	}
	if (strict || !ga_streq(why.reason, "unknown_type")) {
		*err = why;
		return -1;
	}
	if (ga_texts_has(ret, name))
		return twice(name, name, err);
	ga_say("%s: nothing is placed on it until it is one (%s)", why.msg, why.hint);
	ga_texts_add(ret, name);
	return 0;
}

int ga_cli_profile_types(const struct ga_accels *list, char *const *names, size_t n, bool strict,
			 struct ga_texts *ret, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (add_name(list, names[i], strict, ret, err) < 0)
			return -1;
	return 0;
}

/* ---- gpuaas-state apply ---- */

/* *ret is the line of the profile with slugs, or NULL if it has only slugs already. */
static int resolved(const struct ga_profile *p, char **ret, struct ga_err *err)
{
	ga_autoaccels struct ga_accels *list = NULL;
	ga_autotexts struct ga_texts types = { NULL, 0 };
	struct ga_profile next = *p; /* borrows every member */
	bool same;
	size_t i;

	*ret = NULL;
	if (ga_cli_catalogue(&list, err) < 0)
		return -1;
	if (ga_cli_profile_types(list, p->types.v, p->types.n, false, &types, err) < 0) {
		err->code = GA_BADREC;
		return ga_wrap(err, "profile '%s'", p->name);
	}
	same = types.n == p->types.n;
	for (i = 0; same && i < types.n; i++)
		same = !strcmp(types.v[i], p->types.v[i]);
	if (same)
		return 0;
	next.types.v = types.v;
	next.types.n = types.n;
	*ret = ga_rec_format_text(&ga_profile_schema, &next);
	return 0;
}

/* Emits the profile as stored: the state sets the version, not the file. */
static int take(struct ga_db *db, const struct ga_rec *rec, const char *name, bool quiet,
		struct ga_err *err)
{
	struct ga_profile stored;
	int r;

	if (ga_store_take(db, rec, err) < 0)
		return -1;
	if (quiet)
		return 0;
	if (ga_store_profile(db, name, &stored, err) < 0)
		return -1;
	r = ga_emit(&ga_profile_schema, &stored, err);
	ga_schema_release(&ga_profile_schema, &stored);
	return r;
}

int ga_cli_apply_profile(struct ga_db *db, const struct ga_rec *rec, bool quiet,
			 struct ga_err *err)
{
	ga_autofree char *text = NULL, *name = NULL;
	struct ga_rec now = { 0 };
	struct ga_profile p;
	int r = 0;

	if (ga_rec_parse(rec, &ga_profile_schema, &p, err) < 0)
		return -1;
	if (p.types.n)
		r = resolved(&p, &text, err);
	name = ga_xstrdup(p.name);
	ga_schema_release(&ga_profile_schema, &p);
	if (r < 0)
		return -1;
	if (!text)
		return take(db, rec, name, quiet, err);
	if (ga_rec_of_line(text, strlen(text), &now, err) < 0)
		return -1;
	now.line = rec->line;
	r = take(db, &now, name, quiet, err);
	json_decref(now.json);
	json_decref(now.signature);
	return r;
}
