/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether an app can run on a machine: facts in, reasons out. The one predicate behind gpuaas-match
 * --app, gpuaas-list allocations --app and gpuaas-place --app. Pure.
 */
#ifndef GA_DECIDE_APP_APP_H
#define GA_DECIDE_APP_APP_H

#include "catalog/accel.h"
#include "record/app.h"
#include "record/state.h"

/* A machine, or one that a request would get; all borrowed. */
struct ga_app_target {
	const char *shape; /* slice, baremetal */
	int64_t count;	   /* GPUs; GA_UNKNOWN: no machine is there yet, which is no reason */
	/* Filled by ga_app_set_type. */
	const char *type;  /* slug of the accelerators; NULL: not known */
	const struct ga_accel_type *facts; /* of the catalogue; NULL: it does not have the type */
	int64_t memory_mib; /* nominal, of one GPU; GA_UNKNOWN or 0: not known */
	const char *image_name;	      /* NULL: none is named */
	const struct ga_image *image; /* its record; NULL: not known */
	bool image_replaced; /* the record of the name is now of another image */
};
void ga_app_set_type(struct ga_app_target *target, const struct ga_accels *accels,
		     const char *type);

/* Adds to ret each reason why the app cannot run on the target; returns their number. A fact that
 * is not known is a reason, and its sentence says which, and who can say it. */
size_t ga_app_blockers(const struct ga_app *app, const struct ga_app_target *target,
		       struct ga_match_reasons *ret);
/* The parts of it: the app itself, shape and number of GPUs; the accelerators; the image. */
size_t ga_app_size_blockers(const struct ga_app *app, const struct ga_app_target *target,
			    struct ga_match_reasons *ret);
size_t ga_app_type_blockers(const struct ga_app *app, const struct ga_app_target *target,
			    struct ga_match_reasons *ret);
size_t ga_app_image_blockers(const struct ga_app *app, const struct ga_app_target *target,
			     struct ga_match_reasons *ret);
/* Whether the app allows the number of GPUs. */
bool ga_app_allows_count(const struct ga_app *app, int64_t count);
/* The number of GPUs to judge machines of these sizes by: the first that the app allows, else the
 * first; sizes below least (GA_UNKNOWN: 0) do not count. GA_UNKNOWN: no machine is there. */
int64_t ga_app_size_of(const struct ga_app *app, const int64_t *sizes, size_t n, int64_t least);
/* Whether the app needs anything of the accelerators, or of the image. */
bool ga_app_minds_type(const struct ga_app *app);
bool ga_app_minds_image(const struct ga_app *app);

#endif
