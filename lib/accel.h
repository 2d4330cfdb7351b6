/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalogue of accelerator types (share/accelerators.json, built in; a file may stand in for
 * it) and the first rung of detection: PCI ids with subsystem.
 */
#ifndef GA_ACCEL_H
#define GA_ACCEL_H

#include "ga.h"

struct ga_accels;

enum ga_accel_match {
	GA_ACCEL_UNKNOWN,   /* not in the catalogue */
	GA_ACCEL_AMBIGUOUS, /* one of several types; PCI ids do not tell */
	GA_ACCEL_KNOWN,
};

struct ga_accel {
	enum ga_accel_match match;
	const char *slug; /* of the catalogue, lives as long as it; NULL unless known */
	char *name; /* allocated: "NVIDIA H200 141GB", "type unknown (10de:293d)" */
};

/* Reads the built-in catalogue (file NULL) or a file. GA_BADREC names what is wrong with it. */
int ga_accels_open(const char *file, struct ga_accels **ret, struct ga_err *err);
void ga_accels_close(struct ga_accels *list);
void ga_cleanup_accels(struct ga_accels **list);
#define ga_autoaccels ga_cleanup(ga_cleanup_accels)

/* The type of a PCI function; subsystem ids below 0 are unknown. The caller frees ret->name. */
void ga_accels_find(const struct ga_accels *list, unsigned int vendor, unsigned int device,
		    int64_t sub_vendor, int64_t sub_device, struct ga_accel *ret);
/* Memory of one accelerator of the type in MiB; 0 when the catalogue does not say. */
int64_t ga_accels_memory_mib(const struct ga_accels *list, const char *slug);
/* Whether any type has the vendor and device. */
bool ga_accels_has(const struct ga_accels *list, unsigned int vendor, unsigned int device);

#endif
