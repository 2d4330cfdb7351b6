/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of accelerators: what drivers, node labels, people and clouds call them. A name means one
 * type, one of several, or nothing. The bare name of a product ("A100") means all its forms where
 * people say it; NVL, Max-Q and the like are products of their own. Memory is never read out of a
 * name: "GH200 480GB" is the memory of its CPU.
 */
#ifndef GA_CATALOG_NAME_H
#define GA_CATALOG_NAME_H

#include "catalog/accel.h"
#include "record/near.h"

/* Whose name it is; a name counts only in its own family. */
enum ga_name_family {
	GA_NAME_NVIDIA, /* nvidia.com/gpu.product, or what the driver says */
	GA_NAME_AMD,	/* amd.com/gpu.product-name */
	GA_NAME_INTEL,	/* gpu.intel.com/product */
	GA_NAME_PEOPLE, /* slug, group, alias, product with or without its size, driver name,
			 * label, in any case */
};

struct ga_accel_named {
	GA_LIST(const char *) types; /* slugs; none: unknown; several: one of these */
	char *part;    /* allocated: "MIG 1g.10gb", "MIG INVALID", a guest's share ("GRID T4-1B");
			* NULL: whole GPUs */
	bool shared;   /* time-sliced or otherwise shared */
	bool old_name; /* as drivers before 450 wrote it, without "NVIDIA-" */
	bool by_hand;  /* no driver writes it so */
};
void ga_accel_named_release(struct ga_accel_named *n);
#define ga_autonamed ga_cleanup(ga_accel_named_release)

void ga_accels_named(const struct ga_accels *list, enum ga_name_family family, const char *text,
		     struct ga_accel_named *ret);

/* A machine of a cloud by its name ("p5.48xlarge", "ml.p4d.24xlarge", "a2-highgpu-1g"), or NULL. */
const struct ga_accel_instance *ga_accels_instance(const struct ga_accels *list, const char *name);
/* What a platform's own label means, or NULL. */
const struct ga_accel_platform_label *ga_accels_platform_label(const struct ga_accels *list,
							       const char *key,
							       const char *value);

/* Slugs of types whose names are near to a text that names none. */
void ga_accels_near(const struct ga_accels *list, const char *text, struct ga_near_names *ret);

/* "H200" of "NVIDIA H200 141GB": without vendor, line of products and size; allocated. */
char *ga_accel_short_name(const struct ga_accel_type *type);

#endif
