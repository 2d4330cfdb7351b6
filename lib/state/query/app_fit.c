/* SPDX-License-Identifier: Apache-2.0 */
/* The live allocations, and whether an app can run on each. */
#include "state/query/app_fit.h"

#include "base/texts.h"
#include "state/db/json.h"
#include "state/node/image.h"

/* The image is that of the plan. An older plan for baremetal names none: then it is that of the
 * request or the profile. */
#define OF(column, member) "json_extract(" GA_SQL_OBJECT(column) ", '$." member "')"
#define LIVE \
	"SELECT a.id, a.name, a.state, a.node_id, a.project, a.profile, a.shape, a.count, " \
	"CASE a.shape WHEN 'slice' THEN " OF("a.plan", "image.name") " ELSE coalesce(" \
	OF("a.plan", "tenant_image.name") ", " OF("a.request", "image") ", " \
	OF("a.profile_record", "image") ") END, " \
	"coalesce(a.image_digest, " OF("a.plan", "tenant_image.digest") ") FROM allocation a " \
	"WHERE a.state IN ('placed', 'provisioning', 'active', 'held') ORDER BY a.created_at, a.id"
#define TYPES \
	"SELECT DISTINCT accelerator_type FROM claim WHERE allocation_id = ?1 AND live = 1 AND " \
	"claim_kind = 'slot' ORDER BY accelerator_type"

/* Adds the reasons of each type of the allocation, each reason once. */
static int judge_types(struct ga_db *db, const char *id, const struct ga_app *app,
		       const struct ga_accels *accels, struct ga_app_target *target,
		       struct ga_match_reasons *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r = ga_db_query(db, &rows, err, TYPES, "s", id);

	if (r < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		ga_autoreasons struct ga_match_reasons found = { 0 };

		ga_app_set_type(target, accels, ga_rows_text(rows, 0));
		ga_app_blockers(app, target, &found);
		ga_match_add_once(ret, &found);
	}
	return r;
}

/* The image as the allocation has it: a record of another digest is of another image. */
static int judge(struct ga_db *db, const struct ga_rows *rows, const struct ga_app *app,
		 const struct ga_accels *accels, struct ga_app_fit *fit, struct ga_err *err)
{
	const char *digest = ga_rows_text(rows, 9);
	struct ga_app_target target = { .shape = ga_rows_text(rows, 6),
					.count = ga_rows_int(rows, 7),
					.image_name = ga_rows_text(rows, 8) };
	struct ga_image image;
	int r = 0, known = 0;

	if (target.image_name && ga_app_minds_image(app))
		known = ga_store_image(db, target.image_name, &image, err);
	if (known < 0)
		return -1;
	target.image_replaced = known && digest && !ga_streq(digest, image.digest);
	if (known && !target.image_replaced)
		target.image = &image;
	r = judge_types(db, fit->allocation, app, accels, &target, &fit->reasons, err);
	if (known)
		ga_schema_release(&ga_image_schema, &image);
	return r;
}

int ga_store_app_fits(struct ga_db *db, const struct ga_app *app, const struct ga_accels *accels,
		      ga_store_each each, void *arg, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err, LIVE, "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		struct ga_app_fit fit = {
			.allocation = ga_rows_dup(rows, 0), .name = ga_rows_dup(rows, 1),
			.state = ga_rows_dup(rows, 2), .node = ga_rows_dup(rows, 3),
			.project = ga_rows_dup(rows, 4), .profile = ga_rows_dup(rows, 5),
			.app = ga_xstrdup(app->name), .app_version = app->version,
		};

		r = judge(db, rows, app, accels, &fit, err);
		fit.fits = !fit.reasons.n;
		if (r == 0)
			r = each(&ga_app_fit_schema, &fit, arg, err);
		ga_schema_release(&ga_app_fit_schema, &fit);
		if (r < 0)
			return -1;
	}
	return r;
}
