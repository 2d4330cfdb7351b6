/* SPDX-License-Identifier: Apache-2.0 */
/* The app of a request: the predicate of lib/decide/app for each type that the request can get. */
#include "state/transaction/app.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "record/rec.h"
#include "state/capacity/app.h"
#include "state/capacity/profile.h"
#include "state/node/image.h"

#define ALTERNATIVES 4 /* sentences of one refusal */

void ga_app_choice_release(struct ga_app_choice *c)
{
	if (c->has_app)
		ga_schema_release(&ga_app_schema, &c->app);
	if (c->has_image)
		ga_schema_release(&ga_image_schema, &c->image);
	ga_list_release(&c->types);
	memset(c, 0, sizeof(*c));
}

static const char *image_of(const struct ga_app_choice *c)
{
	return c->request->image ? c->request->image : c->profile->image;
}

int ga_app_choice_read(struct ga_db *db, struct ga_app_choice *c, struct ga_err *err)
{
	int r;

	if (ga_store_app(db, c->request->app, &c->app, err) < 0)
		return -1;
	c->has_app = true;
	if (!image_of(c) || !ga_app_minds_image(&c->app))
		return 0;
	r = ga_store_image(db, image_of(c), &c->image, err);
	c->has_image = r > 0;
	return r < 0 ? -1 : 0;
}

/* A baremetal node has at least the number of GPUs that the request wants: the smallest number
 * that the app allows is judged, and the limits hold for the node. */
static int64_t count_of(const struct ga_app_choice *c, bool baremetal)
{
	int64_t wanted = ga_place_count(c->request), best = GA_UNKNOWN;
	size_t i;

	for (i = 0; baremetal && i < c->app.counts.n; i++)
		if (c->app.counts.v[i] >= wanted &&
		    (best == GA_UNKNOWN || c->app.counts.v[i] < best))
			best = c->app.counts.v[i];
	return best == GA_UNKNOWN ? wanted : best;
}

static struct ga_app_target target_of(const struct ga_app_choice *c)
{
	bool baremetal = ga_place_is_baremetal(c->request, c->profile);

	return (struct ga_app_target){ .shape = baremetal ? "baremetal" : "slice",
				       .count = count_of(c, baremetal),
				       .image_name = image_of(c),
				       .image = c->has_image ? &c->image : NULL };
}

static void add_type(struct ga_borrowed_texts *list, const char *type)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->v[i] == type || ga_streq(list->v[i], type))
			return;
	*ga_list_add(list) = type;
}

static bool of_profile(const struct ga_app_choice *c, const char *type)
{
	return !c->profile->types.n || (type && ga_texts_has(&c->profile->types, type));
}

/* The types that the request can get, each once; NULL among them: not known. A type that the
 * profile does not have is none: placement says so. */
static void types_of(const struct ga_app_choice *c, struct ga_borrowed_texts *ret)
{
	const struct ga_texts *named = c->request->types.n ? &c->request->types :
							     &c->profile->types;
	size_t i, j;

	for (i = 0; i < named->n; i++)
		if (of_profile(c, named->v[i]))
			add_type(ret, named->v[i]);
	for (i = 0; !named->n && i < c->fleet->nodes.n; i++)
		for (j = 0; j < c->fleet->nodes.v[i].slots.n; j++)
			add_type(ret, c->fleet->nodes.v[i].slots.v[j].type);
}

bool ga_app_choose(struct ga_app_choice *c, struct ga_match_reasons *reasons)
{
	struct ga_app_target target = target_of(c);
	struct ga_borrowed_texts all = { 0 };
	bool minds = ga_app_minds_type(&c->app), allowed;
	size_t i;

	ga_list_release(&c->types);
	if (minds)
		types_of(c, &all);
	for (i = 0; i < all.n; i++) {
		ga_autoreasons struct ga_match_reasons found = { 0 };

		ga_app_set_type(&target, c->accels, all.v[i]);
		if (!ga_app_blockers(&c->app, &target, &found))
			*ga_list_add(&c->types) = all.v[i];
		ga_match_add_once(reasons, &found);
	}
	/* Without a type to judge, what the app needs besides decides; then no node is found. */
	if (!all.n) {
		ga_app_size_blockers(&c->app, &target, reasons);
		ga_app_image_blockers(&c->app, &target, reasons);
	}
	allowed = c->types.n || (!all.n && !reasons->n);
	ga_list_release(&all);
	c->limits = (struct ga_place_limits){
		.app = c->app.name, .version = c->app.version, .any_type = !minds,
		.types = c->types.v, .n_types = c->types.n,
		.counts = c->app.counts.v, .n_counts = c->app.counts.n,
	};
	return allowed;
}

/* ---- refusals ---- */

/* "profile 'h100' with 2 GPUs of a or b" */
static char *would_fit(const struct ga_app_choice *c)
{
	struct ga_str s = GA_STR_INIT;
	int64_t count = ga_place_count(c->request);
	size_t i;

	ga_str_addf(&s, "profile '%s'", c->profile->name);
	if (!ga_place_is_baremetal(c->request, c->profile))
		ga_str_addf(&s, " with %" PRId64 " GPU%s", count, count == 1 ? "" : "s");
	for (i = 0; i < c->types.n; i++)
		ga_str_addf(&s, "%s%s", !i ? " of " : i + 1 < c->types.n ? ", " : " or ",
			    c->types.v[i]);
	return ga_str_take(&s);
}

/* The wanted number of GPUs, else the first that profile and app allow; 0: there is none. */
static bool try_counts(struct ga_app_choice *c, struct ga_request *request)
{
	const struct ga_profile *p = c->profile;
	const int64_t *counts = p->counts.n ? p->counts.v : c->app.counts.v;
	size_t i, n = p->counts.n ? p->counts.n : c->app.counts.n;
	bool wanted = !n || ga_place_is_baremetal(request, p);

	for (i = 0; !wanted && i < n; i++)
		wanted = counts[i] == ga_place_count(request);
	for (i = 0; i <= n; i++) {
		ga_autoreasons struct ga_match_reasons unused = { 0 };

		if (i)
			request->count = counts[i - 1];
		if ((i || wanted) && ga_app_choose(c, &unused))
			return true;
		if (ga_place_is_baremetal(request, p))
			return false;
	}
	return false;
}

/* Adds the profile, if the app can run on it. */
static int add_profile(struct ga_db *db, const struct ga_app_choice *c,
		       const struct ga_profile *p, struct ga_refusal *ret, struct ga_err *err)
{
	struct ga_request request = *c->request; /* borrows every member */
	ga_autochoice struct ga_app_choice other = { .request = &request, .profile = p,
						     .fleet = c->fleet, .accels = c->accels };

	request.types = (struct ga_texts){ NULL, 0 };
	request.shape = NULL;
	if (ga_app_choice_read(db, &other, err) < 0)
		return -1;
	if (try_counts(&other, &request))
		*ga_list_add(&ret->alternatives) = would_fit(&other);
	return 0;
}

static int add_profiles(struct ga_db *db, const struct ga_app_choice *c,
			const struct ga_access_rules *rules, struct ga_refusal *ret,
			struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r = ga_query_profiles(db, &rows, err);

	if (r < 0)
		return -1;
	while (ret->alternatives.n < ALTERNATIVES && (r = ga_rows_next(rows, err)) > 0) {
		struct ga_err unreadable = GA_ERR_INIT;
		struct ga_profile p;

		if (ga_rec_parse_text(ga_rows_text(rows, 0), &ga_profile_schema, &p,
				      &unreadable) < 0)
			continue;
		if (!p.retired && ga_access_is_for_project(rules, p.teams.v, p.teams.n,
							   c->request->project))
			r = add_profile(db, c, &p, ret, err);
		ga_schema_release(&ga_profile_schema, &p);
		if (r < 0)
			return -1;
	}
	return r < 0 ? -1 : 0;
}

/* Adds the images that the app can run in, if the image is a reason. */
static int add_images(struct ga_db *db, const struct ga_app_choice *c, struct ga_refusal *ret,
		      struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	struct ga_app_target target = target_of(c);
	int r = ga_query_images(db, &rows, err);

	if (r < 0)
		return -1;
	while (ret->alternatives.n < ALTERNATIVES && (r = ga_rows_next(rows, err)) > 0) {
		ga_autoreasons struct ga_match_reasons found = { 0 };
		struct ga_err unreadable = GA_ERR_INIT;
		struct ga_image image;

		if (ga_rec_parse_text(ga_rows_text(rows, 0), &ga_image_schema, &image,
				      &unreadable) < 0)
			continue;
		target.image_name = image.name;
		target.image = &image;
		if (!ga_app_image_blockers(&c->app, &target, &found))
			*ga_list_add(&ret->alternatives) = ga_xprintf("image '%s'", image.name);
		ga_schema_release(&ga_image_schema, &image);
	}
	return r < 0 ? -1 : 0;
}

static bool is_of_image(const struct ga_match_reasons *reasons)
{
	size_t i;

	for (i = 0; i < reasons->n; i++)
		if (ga_streq(reasons->v[i].code, "app_image_unknown") ||
		    ga_streq(reasons->v[i].code, "app_driver") ||
		    ga_streq(reasons->v[i].code, "app_cuda") ||
		    ga_streq(reasons->v[i].code, "app_feature"))
			return true;
	return false;
}

int ga_app_refuse(struct ga_db *db, struct ga_app_choice *c, const struct ga_match_reasons *reasons,
		  const struct ga_access_rules *rules, struct ga_refusal *ret, struct ga_err *err)
{
	bool baremetal = ga_place_is_baremetal(c->request, c->profile);
	ga_autostr struct ga_str why = GA_STR_INIT;
	size_t i;

	for (i = 0; i < reasons->n; i++)
		ga_str_addf(&why, "%s%s", i ? "; " : "", reasons->v[i].sentence);
	ret->shape = ga_xstrdup(baremetal ? "baremetal" : "slice");
	ret->count = baremetal ? c->request->count : ga_place_count(c->request);
	ret->sentence = ga_str_take(&why);
	ret->hint = ga_xprintf("'gpuaas-match --app %s' shows for every profile whether it fits, "
			       "and why not", c->app.name);
	if (c->app.retired)
		return 0;
	if (is_of_image(reasons) && add_images(db, c, ret, err) < 0)
		return -1;
	return add_profiles(db, c, rules, ret, err);
}
