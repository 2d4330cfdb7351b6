/* SPDX-License-Identifier: Apache-2.0 */
/* Apps on command lines: applying a manifest, and the allocations that an app can run on. */
#include "cli/app.h"

#include "base/texts.h"
#include "catalog/name.h"
#include "cli/frame/cli.h"
#include "cli/frame/types.h"
#include "record/result.h"
#include "state/capacity/app.h"
#include "state/fold/take.h"
#include "state/query/app_fit.h"
#include "state/query/where.h"

/* ---- gpuaas-state apply ---- */

static bool knows_vendor(const struct ga_accels *accels, const char *vendor)
{
	size_t i;

	for (i = 0; i < ga_accels_count(accels); i++) {
		const char *have = ga_accels_at(accels, i)->vendor;

		if (have && ga_accel_is_vendor(have, vendor))
			return true;
	}
	return false;
}

/* A mistyped word would fit no machine; its drop-in may come later. */
static int tell_unknown(const struct ga_app *app, struct ga_err *err)
{
	ga_autoaccels struct ga_accels *accels = NULL;
	size_t i;

	if (!app->types.n && !app->vendors.n)
		return 0;
	if (ga_cli_catalogue(&accels, err) < 0)
		return -1;
	for (i = 0; i < app->types.n; i++)
		if (!ga_accels_type(accels, app->types.v[i]))
			ga_say("app '%s': type '%s' is not in the catalogue: 'gpuaas-profile "
			       "catalog' shows the types", app->name, app->types.v[i]);
	for (i = 0; i < app->vendors.n; i++)
		if (!knows_vendor(accels, app->vendors.v[i]))
			ga_say("app '%s': vendor '%s' is not in the catalogue: 'gpuaas-profile "
			       "catalog' shows the vendors", app->name, app->vendors.v[i]);
	return 0;
}

int ga_cli_apply_app(struct ga_db *db, const struct ga_rec *rec, bool quiet, struct ga_err *err)
{
	ga_autofree char *name = NULL;
	struct ga_app app;
	int r;

	if (ga_rec_parse(rec, &ga_app_schema, &app, err) < 0)
		return -1;
	name = ga_xstrdup(app.name);
	r = tell_unknown(&app, err);
	ga_schema_release(&ga_app_schema, &app);
	if (r < 0 || ga_store_take(db, rec, err) < 0)
		return -1;
	if (quiet)
		return 0;
	if (ga_store_app(db, name, &app, err) < 0)
		return -1;
	r = ga_emit(&ga_app_schema, &app, err);
	ga_schema_release(&ga_app_schema, &app);
	return r;
}

/* ---- gpuaas-list allocations --app ---- */

struct fitting {
	const struct ga_list_query *q;
	struct ga_texts ids; /* of the allocations that the app can run on */
	struct ga_texts why; /* sentences for people */
	int64_t n;
	ga_store_each each;
	void *arg;
};

static int note(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	const struct ga_app_fit *fit = obj;
	struct fitting *f = arg;

	(void)schema;
	(void)err;
	if (fit->fits)
		ga_texts_add(&f->ids, fit->allocation);
	return 0;
}

static bool is_full(struct fitting *f)
{
	return f->q->limit && f->n >= f->q->limit;
}

static int pass_fit(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	struct fitting *f = arg;
	const struct ga_app_fit *fit = obj;
	size_t i;

	if (f->q->where && !ga_wheres_match(schema, obj, f->q->where))
		return 0;
	if (is_full(f))
		return 0;
	f->n++;
	for (i = 0; i < fit->reasons.n; i++)
		*ga_list_add(&f->why) = ga_xprintf("%s: %s",
						   fit->name ? fit->name : fit->allocation,
						   fit->reasons.v[i].sentence);
	return f->each(schema, obj, f->arg, err);
}

static int pass_allocation(const struct ga_schema *schema, const void *obj, void *arg,
			   struct ga_err *err)
{
	const struct ga_allocation *a = obj;
	struct fitting *f = arg;

	if (is_full(f) || !ga_texts_has(&f->ids, a->allocation))
		return 0;
	f->n++;
	return f->each(schema, obj, f->arg, err);
}

static int list_fits(struct ga_db *db, const struct ga_app *app, const struct ga_accels *accels,
		     struct fitting *f, struct ga_err *err)
{
	size_t i;
	int r;

	if (f->q->since || f->q->after)
		return ga_fail(err, GA_USAGE, "--explain shows every live allocation: it goes "
			       "without --since and --after");
	r = ga_store_app_fits(db, app, accels, pass_fit, f, err);
	if (r == 0 && f->why.n)
		ga_print("%s", "");
	for (i = 0; r == 0 && i < f->why.n; i++)
		ga_print_item("%s", f->why.v[i]);
	return r;
}

int ga_cli_list_for_app(struct ga_db *db, const char *app, bool explain,
			const struct ga_list_query *q, ga_store_each each, void *arg,
			struct ga_err *err)
{
	ga_autoaccels struct ga_accels *accels = NULL;
	struct fitting f = { .q = q, .each = each, .arg = arg };
	struct ga_list_query all = *q;
	struct ga_app manifest;
	int r;

	if (ga_cli_catalogue(&accels, err) < 0 || ga_store_app(db, app, &manifest, err) < 0)
		return -1;
	all.limit = 0; /* of the allocations that fit */
	r = explain ? list_fits(db, &manifest, accels, &f, err) :
		      ga_store_app_fits(db, &manifest, accels, note, &f, err);
	if (r == 0 && !explain)
		r = ga_store_list(db, &all, pass_allocation, &f, err);
	ga_texts_release(&f.ids);
	ga_texts_release(&f.why);
	ga_schema_release(&ga_app_schema, &manifest);
	return r;
}

int ga_cli_app_unpublished(const char *app, struct ga_err *err)
{
	return ga_refuse(err, GA_DENIED, NULL, app,
			 ("you may not read the state, and apps are not published"),
			 ("a user who may read the state '%s' gets the answer; without --app, "
			  "'gpuaas-match' takes what the app needs of GPUs by --memory, --stack, "
			  "--vendor and --min-compute-capability", ga_cli_state_path()));
}
