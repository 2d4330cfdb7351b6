/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of accelerators, as drivers, node labels, people and clouds write them. A name means one
 * type, one of several types, or nothing. The bare name of a product ("A100") means all its forms
 * in people's words; NVL, Max-Q and the like are products of their own. A size in a name is never
 * taken as memory: "GH200 480GB" names the memory of its CPU.
 */
#ifndef GA_CATALOG_NAME_H
#define GA_CATALOG_NAME_H

#include "base/texts.h"
#include "catalog/accel.h"
#include "record/closest.h"

/* The origin of a name; a name counts only in its own family. */
enum ga_name_family {
	GA_NAME_NVIDIA, /* nvidia.com/gpu.product, or the driver's name */
	GA_NAME_AMD,	/* amd.com/gpu.product-name */
	GA_NAME_INTEL,	/* gpu.intel.com/product */
	GA_NAME_PEOPLE, /* slug, group, alias, product with or without its size, driver name,
			 * label, in any case */
};

struct ga_accel_named {
	struct ga_borrowed_texts types; /* slugs; none: unknown; several: one of these */
	char *part;    /* allocated: "MIG 1g.10gb", "MIG INVALID", a guest's share ("GRID T4-1B");
			* NULL: whole GPUs */
	bool shared;   /* time-sliced or otherwise shared */
	bool old_name; /* the spelling of drivers before 450, without "NVIDIA-" */
	bool by_hand;  /* no driver writes this spelling */
};
void ga_accel_named_release(struct ga_accel_named *n);
#define ga_autonamed ga_cleanup(ga_accel_named_release)

/* Looks the text up as a name of the family. Fills ret, which the caller releases; its slugs belong
 * to list. A text that means nothing gives no types: never fails. */
void ga_accels_named(const struct ga_accels *list, enum ga_name_family family, const char *text,
		     struct ga_accel_named *ret);

/* Whether the vendor's name is the wanted one, in any case: "Intel Habana" is Intel's. */
bool ga_accel_is_vendor(const char *have, const char *want);

/* The machine of a cloud with this name ("p5.48xlarge", "ml.p4d.24xlarge", "a2-highgpu-1g"), or
 * NULL. */
const struct ga_accel_instance *ga_accels_instance(const struct ga_accels *list, const char *name);
/* The meaning of a platform's own label, or NULL. */
const struct ga_accel_platform_label *ga_accels_platform_label(const struct ga_accels *list,
							       const char *key,
							       const char *value);

/* Slugs of types with a name close to the text, which itself names no type. */
void ga_accels_near(const struct ga_accels *list, const char *text, struct ga_closest_names *ret);

/* The short name, without vendor, product line and size: "H200" for "NVIDIA H200 141GB".
 * Allocated. */
char *ga_accel_short_name(const struct ga_accel_type *type);

#endif
