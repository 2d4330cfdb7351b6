/* SPDX-License-Identifier: Apache-2.0 */
/* The types of a profile by the catalogue. */
#include "cli/profile/types.h"

#include <stdlib.h>
#include <string.h>

#include "catalog/name.h"
#include "cli/frame/cli.h"
#include "decide/place/suggest.h"
#include "state/allocation/take.h"
#include "state/store.h"

void ga_type_names_release(struct ga_type_names *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free(list->v[i]);
	ga_list_release(list);
}

static bool has(const struct ga_type_names *list, const char *slug)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!strcmp(list->v[i], slug))
			return true;
	return false;
}

static int twice(const char *name, const char *slug, struct ga_err *err)
{
	return ga_fail(err, GA_USAGE, "the type '%.64s' stands twice%s%s", name,
		       strcmp(name, slug) ? ": it is " : "", strcmp(name, slug) ? slug : "");
}

/* The types of a group, the best first. */
static void add_group(const struct ga_accels *list, const struct ga_accel_named *named,
		      struct ga_type_names *ret)
{
	GA_LIST(struct ga_suggest_type) types = { NULL, 0 };
	size_t i;

	for (i = 0; i < named->types.n; i++) {
		const struct ga_accel_type *t = ga_accels_type(list, named->types.v[i]);

		*ga_list_add(&types) = (struct ga_suggest_type){
			t->slug, 0, t->memory.gpu_gb == GA_UNKNOWN ? 0 : t->memory.gpu_gb };
	}
	ga_suggest_order(types.v, types.n);
	for (i = 0; i < types.n; i++)
		ga_texts_add(ret, types.v[i].type);
	ga_list_release(&types);
}

int ga_cli_type_means(const struct ga_accels *list, const char *name, struct ga_type_names *ret,
		      struct ga_err *err)
{
	ga_autonamed struct ga_accel_named named = { 0 };

	if (ga_cli_type_named(list, name, &named, err) < 0)
		return -1;
	add_group(list, &named, ret);
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

/* Adds what a name means; of several types those that stand already are left out. */
static int add_meant(const char *name, const struct ga_type_names *meant,
		     struct ga_type_names *ret, struct ga_err *err)
{
	size_t i, before = ret->n;

	if (meant->n == 1 && has(ret, meant->v[0]))
		return twice(name, meant->v[0], err);
	for (i = 0; i < meant->n; i++)
		if (!has(ret, meant->v[i]))
			ga_texts_add(ret, meant->v[i]);
	if (ret->n == before)
		ga_say("type '%.64s' means several types, and each stands already", name);
	else
		ga_cli_type_say(name, ret->v + before, ret->n - before);
	return 0;
}

static int add_name(const struct ga_accels *list, const char *name, bool strict,
		    struct ga_type_names *ret, struct ga_err *err)
{
	ga_autotypes struct ga_type_names meant = { NULL, 0 };
	struct ga_err why = GA_ERR_INIT;

	if (ga_cli_type_means(list, name, &meant, &why) == 0)
		return add_meant(name, &meant, ret, err);
	if (strict || !ga_streq(why.reason, "unknown_type")) {
		*err = why;
		return -1;
	}
	if (has(ret, name))
		return twice(name, name, err);
	ga_say("%s: nothing is placed on it until it is one (%s)", why.msg, why.hint);
	ga_texts_add(ret, name);
	return 0;
}

int ga_cli_profile_types(const struct ga_accels *list, char *const *names, size_t n, bool strict,
			 struct ga_type_names *ret, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (add_name(list, names[i], strict, ret, err) < 0)
			return -1;
	return 0;
}

/* ---- gpuaas-state apply ---- */

/* The line of the profile with slugs, or NULL when it has nothing else already. */
static int resolved(const struct ga_profile *p, char **ret, struct ga_err *err)
{
	ga_autoaccels struct ga_accels *list = NULL;
	ga_autotypes struct ga_type_names types = { NULL, 0 };
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
	*ret = ga_rec_format_text(&ga_profile_shape, &next);
	return 0;
}

/* What is written is what the state has now: the version is its own, whatever the file says. */
static int take(struct ga_db *db, const struct ga_rec *rec, const char *name, struct ga_err *err)
{
	struct ga_profile stored;
	int r;

	if (ga_store_take(db, rec, err) < 0 || ga_store_profile(db, name, &stored, err) < 0)
		return -1;
	r = ga_emit(&ga_profile_shape, &stored, err);
	ga_shape_release(&ga_profile_shape, &stored);
	return r;
}

int ga_cli_apply_profile(struct ga_db *db, const struct ga_rec *rec, struct ga_err *err)
{
	ga_autofree char *text = NULL, *name = NULL;
	struct ga_rec now = { 0 };
	struct ga_profile p;
	int r = 0;

	if (ga_rec_parse(rec, &ga_profile_shape, &p, err) < 0)
		return -1;
	if (p.types.n)
		r = resolved(&p, &text, err);
	name = ga_xstrdup(p.name);
	ga_shape_release(&ga_profile_shape, &p);
	if (r < 0)
		return -1;
	if (!text)
		return take(db, rec, name, err);
	if (ga_rec_of_line(text, strlen(text), &now, err) < 0)
		return -1;
	now.line = rec->line;
	r = take(db, &now, name, err);
	json_decref(now.json);
	json_decref(now.signature);
	return r;
}
