/* SPDX-License-Identifier: Apache-2.0 */
/* The predicate of apps: every reason why an app cannot run on a machine. */
#include "decide/app/app.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "base/texts.h"
#include "catalog/name.h"

#define WHERE_TYPE "a drop-in of the catalogue can say it: gpuaas-accelerators(7)"

bool ga_app_allows_count(const struct ga_app *app, int64_t count)
{
	return !app->counts.n || ga_ints_have(app->counts.v, app->counts.n, count);
}

int64_t ga_app_size_of(const struct ga_app *app, const int64_t *sizes, size_t n, int64_t least)
{
	int64_t first = GA_UNKNOWN;
	size_t i;

	for (i = 0; i < n; i++) {
		if (sizes[i] < least)
			continue;
		if (ga_app_allows_count(app, sizes[i]))
			return sizes[i];
		first = first == GA_UNKNOWN ? sizes[i] : first;
	}
	return first;
}

/* Whether the app needs a fact of the catalogue. */
static bool minds_facts(const struct ga_app *app)
{
	return app->vendors.n || app->stack || app->min_compute_capability ||
	       app->min_memory_mib > 0;
}

bool ga_app_minds_type(const struct ga_app *app)
{
	return app->types.n || minds_facts(app);
}

bool ga_app_minds_image(const struct ga_app *app)
{
	return app->driver_min || app->cuda_min || app->image_features.n;
}

/* "slice or baremetal" */
static char *any_of(const struct ga_texts *list)
{
	struct ga_str s = GA_STR_INIT;
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_str_addf(&s, "%s%s", !i ? "" : i + 1 < list->n ? ", " : " or ", list->v[i]);
	return ga_str_take(&s);
}

/* "1 GPU", "1, 2 or 4 GPUs" */
static char *counts_of(const struct ga_app *app)
{
	struct ga_str s = GA_STR_INIT;
	size_t i;

	for (i = 0; i < app->counts.n; i++)
		ga_str_addf(&s, "%s%" PRId64, !i ? "" : i + 1 < app->counts.n ? ", " : " or ",
			    app->counts.v[i]);
	ga_str_add(&s, app->counts.n == 1 && app->counts.v[0] == 1 ? " GPU" : " GPUs");
	return ga_str_take(&s);
}

size_t ga_app_size_blockers(const struct ga_app *app, const struct ga_app_target *t,
			    struct ga_match_reasons *ret)
{
	size_t before = ret->n;
	ga_autofree char *shapes = any_of(&app->shapes), *counts = counts_of(app);

	if (app->retired)
		ga_match_say(ret, "app_retired", "app '%s' is retired: it takes no new work",
			     app->name);
	if (!ga_texts_has(&app->shapes, t->shape))
		ga_match_say(ret, "app_shape", "app '%s' runs on %s, not on %s%s", app->name,
			     shapes, t->shape,
			     ga_streq(app->span, "multi_node") ? ": its nodes must reach each other"
							       : "");
	if (t->count != GA_UNKNOWN && !ga_app_allows_count(app, t->count))
		ga_match_say(ret, "app_count", "app '%s' runs on %s, not on %" PRId64, app->name,
			     counts, t->count);
	return ret->n - before;
}

void ga_app_set_type(struct ga_app_target *target, const struct ga_accels *accels,
		     const char *type)
{
	target->type = type;
	target->facts = type ? ga_accels_type(accels, type) : NULL;
	target->memory_mib = type ? ga_accels_memory_mib(accels, type) : GA_UNKNOWN;
}

static bool is_vendor(const struct ga_app *app, const char *have)
{
	size_t i;

	for (i = 0; i < app->vendors.n; i++)
		if (ga_accel_is_vendor(have, app->vendors.v[i]))
			return true;
	return !app->vendors.n;
}

static void check_vendor(const struct ga_app *app, const struct ga_accel_type *type,
			 struct ga_match_reasons *ret)
{
	const char *runs_on = ga_stack_vendor(app->stack);

	if (!app->vendors.n && !app->stack)
		return;
	if (!type->vendor) {
		ga_match_say(ret, "app_vendor", "the vendor of %s is not known: " WHERE_TYPE,
			     type->slug);
	} else if (!is_vendor(app, type->vendor)) {
		ga_autofree char *vendors = any_of(&app->vendors);

		ga_match_say(ret, "app_vendor", "app '%s' runs on accelerators of %s, not of %s",
			     app->name, vendors, type->vendor);
	} else if (runs_on && strcmp(runs_on, type->vendor) != 0) {
		ga_match_say(ret, "app_vendor", "app '%s' is built for %s, which accelerators of "
			     "%s do not run", app->name, app->stack, type->vendor);
	}
}

/* As vendors write it: "80 GB". */
static char *memory(int64_t mib)
{
	return mib % 1024 ? ga_xprintf("%" PRId64 " MiB", mib) :
			    ga_xprintf("%" PRId64 " GB", mib / 1024);
}

static void check_power(const struct ga_app *app, const struct ga_app_target *t,
			struct ga_match_reasons *ret)
{
	const char *want = app->min_compute_capability;
	const char *have = t->facts->architecture.compute_capability;
	ga_autofree char *least = memory(app->min_memory_mib), *has = memory(t->memory_mib);

	if (app->min_memory_mib > 0 && t->memory_mib <= 0)
		ga_match_say(ret, "app_memory", "the memory of %s is not known: " WHERE_TYPE,
			     t->type);
	else if (app->min_memory_mib > t->memory_mib)
		ga_match_say(ret, "app_memory", "app '%s' needs GPUs with %s of memory, and %s has "
			     "%s", app->name, least, t->type, has);
	if (!want)
		return;
	if (t->facts->vendor && !ga_accel_is_vendor(t->facts->vendor, "NVIDIA"))
		ga_match_say(ret, "app_capability", "app '%s' needs CUDA compute capability %s, "
			     "and accelerators of %s have none", app->name, want,
			     t->facts->vendor);
	else if (!have || ga_version_meets(have, want) < 0)
		ga_match_say(ret, "app_capability", "the compute capability of %s is not known: "
			     WHERE_TYPE, t->type);
	else if (!ga_version_meets(have, want))
		ga_match_say(ret, "app_capability", "app '%s' needs CUDA compute capability %s, "
			     "and %s has %s", app->name, want, t->type, have);
}

size_t ga_app_type_blockers(const struct ga_app *app, const struct ga_app_target *t,
			    struct ga_match_reasons *ret)
{
	size_t before = ret->n;

	if (!ga_app_minds_type(app))
		return 0;
	if (!t->type) {
		ga_match_say(ret, "app_type_unknown", "it is not known of which type the GPUs are: "
			     "'gpuaas-profile nodes' shows why, 'gpuaas-profile nodes set' records "
			     "it");
		return 1;
	}
	if (app->types.n && !ga_texts_has(&app->types, t->type)) {
		ga_autofree char *types = any_of(&app->types);

		ga_match_say(ret, "app_type", "app '%s' runs on %s, not on %s", app->name, types,
			     t->type);
	}
	if (t->facts) {
		check_vendor(app, t->facts, ret);
		check_power(app, t, ret);
	} else if (minds_facts(app)) {
		ga_match_say(ret, "app_type_unknown", "the catalogue of this machine does not have "
			     "%s: " WHERE_TYPE, t->type);
	}
	return ret->n - before;
}

/* One version of the image: option names the option of gpuaas-image add that says it. */
static void check_version(const struct ga_app *app, const struct ga_app_target *t,
			  const char *code, const char *what, const char *have, const char *want,
			  const char *option, struct ga_match_reasons *ret)
{
	int meets = want ? ga_version_meets(have, want) : 1;

	if (meets < 0)
		ga_match_say(ret, code, "the %s of image '%s' is %s, and app '%s' needs %s or "
			     "later: gpuaas-image add --%s says it, or a new record of the image",
			     what, t->image_name, have ? "no version" : "not known", app->name,
			     want, option);
	else if (!meets)
		ga_match_say(ret, code, "app '%s' needs %s %s or later, and image '%s' has %s",
			     app->name, what, want, t->image_name, have);
}

size_t ga_app_image_blockers(const struct ga_app *app, const struct ga_app_target *t,
			     struct ga_match_reasons *ret)
{
	size_t before = ret->n, i;

	if (!ga_app_minds_image(app))
		return 0;
	if (!t->image_name || !t->image) {
		if (!t->image_name)
			ga_match_say(ret, "app_image_unknown", "app '%s' needs an image of a "
				     "certain kind, and none is named: --image NAME, or an image "
				     "in the profile", app->name);
		else if (t->image_replaced)
			ga_match_say(ret, "app_image_unknown", "image '%s' was replaced since: its "
				     "record is of another file, and what is in the one from "
				     "before, which app '%s' needs to know, is not known any more",
				     t->image_name, app->name);
		else
			ga_match_say(ret, "app_image_unknown", "it is not known what is in image "
				     "'%s', and app '%s' needs that: 'gpuaas-image add' makes its "
				     "record, 'gpuaas-state apply' stores it", t->image_name,
				     app->name);
		return 1;
	}
	check_version(app, t, "app_driver", "GPU driver", t->image->driver_version,
		      app->driver_min, "driver-version", ret);
	check_version(app, t, "app_cuda", "CUDA version", t->image->cuda_version, app->cuda_min,
		      "cuda-version", ret);
	for (i = 0; i < app->image_features.n; i++)
		if (!ga_texts_has(&t->image->features, app->image_features.v[i]))
			ga_match_say(ret, "app_feature", "app '%s' needs an image with %s, and "
				     "image '%s' names no such feature: gpuaas-image add --feature "
				     "%s says it", app->name, app->image_features.v[i],
				     t->image_name, app->image_features.v[i]);
	return ret->n - before;
}

size_t ga_app_blockers(const struct ga_app *app, const struct ga_app_target *target,
		       struct ga_match_reasons *ret)
{
	return ga_app_size_blockers(app, target, ret) + ga_app_type_blockers(app, target, ret) +
	       ga_app_image_blockers(app, target, ret);
}
