/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether an app can run on a machine: facts in, reasons out. The one predicate behind gpuaas-match
 * --app, gpuaas-list allocations --app and gpuaas-place --app. Pure.
 */
#ifndef GA_DECIDE_APP_APP_H
#define GA_DECIDE_APP_APP_H

#include "record/accel.h"
#include "record/app.h"
#include "record/state.h"

/* A machine, or one that a request would get; all borrowed. */
struct ga_app_target {
	const char *shape; /* slice, baremetal */
	int64_t count;	   /* GPUs; GA_UNKNOWN */
	const char *type;  /* slug of the accelerators; NULL: not known */
	const struct ga_accel_type *facts; /* of the catalogue; NULL: it does not have the type */
	int64_t memory_mib; /* nominal, of one GPU (ga_accels_memory_mib); GA_UNKNOWN or 0 */
	const char *image_name;	      /* NULL: none is named */
	const struct ga_image *image; /* its record; NULL: not known */
};

/* Adds to ret each reason why the app cannot run on the target; returns their number. A fact that
 * is not known is a reason, and its sentence says which, and who can say it. */
size_t ga_app_blockers(const struct ga_app *app, const struct ga_app_target *target,
		       struct ga_match_reasons *ret);
/* Whether the app allows the number of GPUs. */
bool ga_app_allows_count(const struct ga_app *app, int64_t count);
/* Whether the app needs anything of the accelerators, or of the image. */
bool ga_app_minds_type(const struct ga_app *app);
bool ga_app_minds_image(const struct ga_app *app);

#endif
