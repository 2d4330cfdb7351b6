/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalogue of accelerator types: share/accelerators.json, built in (a file may stand in for
 * it), and the drop-ins that extend or correct it. What a program asks of it is parsed when it is
 * asked, a type at a time, because discovery and placement need a few of 112.
 *
 * Detection by PCI ids is in pci.c, by names in name.h. gpuaas-accelerators(7) explains
 * the rungs.
 */
#ifndef GA_CATALOG_ACCEL_H
#define GA_CATALOG_ACCEL_H

#include "base/ga.h"
#include "base/vec.h"
#include "record/accel.h"

struct ga_accels;

enum ga_accel_match {
	GA_ACCEL_UNKNOWN,   /* not in the catalogue */
	GA_ACCEL_AMBIGUOUS, /* one of several types; what is known does not tell */
	GA_ACCEL_KNOWN,
};

struct ga_accel {
	enum ga_accel_match match;
	const char *slug; /* of the catalogue, lives as long as it; NULL unless known */
	char *name; /* allocated: "NVIDIA H200 141GB", "type unknown (10de:293d)" */
	char *part; /* allocated: a guest's share of the GPU ("NVIDIA H200X-141C"), or NULL */
	const char *rung; /* subsystem, pci, memory or none: which rung answered */
	const char *function; /* physical or virtual; NULL: not known */
	GA_LIST(const char *) may_be; /* slugs, when ambiguous */
};
void ga_accel_release(struct ga_accel *a);
#define ga_autoaccel ga_cleanup(ga_accel_release)

/* Reads the built-in catalogue (file NULL) or a file, and over it the drop-ins of the folder that
 * ga_accels_drop_ins names, in the order of their names. GA_BADREC names the file and what is wrong
 * with it. */
GA_MUST_CHECK int ga_accels_open(const char *file, struct ga_accels **ret, struct ga_err *err);
void ga_accels_close(struct ga_accels *list);
void ga_cleanup_accels(struct ga_accels **list);
#define ga_autoaccels ga_cleanup(ga_cleanup_accels)
/* The folder of drop-ins, from now on; NULL: none. The text must last. The default is
 * /etc/gpuaas/accelerators.d; a folder that is not there holds none. */
void ga_accels_drop_ins(const char *folder);

/* The type of a PCI function; subsystem ids below 0 are unknown. The caller releases ret. */
void ga_accels_find(const struct ga_accels *list, unsigned int vendor, unsigned int device,
		    int64_t sub_vendor, int64_t sub_device, struct ga_accel *ret);

/* What is known of a device; GA_UNKNOWN where it is not. */
struct ga_accel_clue {
	unsigned int vendor, device;
	int64_t sub_vendor, sub_device, revision;
	int64_t is_virtual;    /* tristate: has a physfn */
	int64_t memory_mib;    /* of one GPU, as a vendor's tool or label says */
	int64_t compute_units; /* of one GPU */
};
/* The same with all of it: memory and compute units settle what ids leave open. */
void ga_accels_detect(const struct ga_accels *list, const struct ga_accel_clue *clue,
		      struct ga_accel *ret);

/* Whether so much memory may be of one GPU of the type: within 0.92 .. 1.02 of its nominal size, or
 * within 2 % of what its tool reports. Unknown sizes fit anything. */
bool ga_accel_memory_fits(const struct ga_accel_type *type, int64_t memory_mib);
/* Nominal memory of one GPU of the type in MiB, what requirements are matched on (an "80GB" H100
 * reports 81559 MiB); where the nominal size is not known, what is reported; 0 when neither is. */
int64_t ga_accels_memory_mib(const struct ga_accels *list, const char *slug);
/* Whether any type has the vendor and device. */
bool ga_accels_has(const struct ga_accels *list, unsigned int vendor, unsigned int device);

/* A type, or NULL when there is none; it lives as long as the list. */
const struct ga_accel_type *ga_accels_type(const struct ga_accels *list, const char *slug);
/* What one schedulable GPU has of a figure that may be of a card; GA_UNKNOWN stays. */
int64_t ga_accel_of_gpu(const struct ga_accel_type *type, int64_t figure);
/* All types, in the order of their slugs. */
size_t ga_accels_count(const struct ga_accels *list);
const struct ga_accel_type *ga_accels_at(const struct ga_accels *list, size_t i);

struct ga_accel_rest {
	GA_LIST(struct ga_accel_source) sources;
	GA_LIST(struct ga_accel_group) groups;
	GA_LIST(struct ga_accel_instance) instances;
	GA_LIST(struct ga_accel_platform_label) platform_labels;
};
/* What is beside the types; it lives as long as the list. */
const struct ga_accel_rest *ga_accels_rest(const struct ga_accels *list);

/* ---- the check of the catalogue with itself (check.c) ---- */

/* Each finding goes to each() (object: a slug or name). Returns how many there were, or -1. */
GA_MUST_CHECK int ga_accels_check(const struct ga_accels *list,
		    int (*each)(const char *object, const char *check, const char *sentence,
				void *arg),
		    void *arg);
/* Reads more drop-ins, as if they lay in the folder behind the others. GA_BADREC as above. */
GA_MUST_CHECK int ga_accels_add_files(struct ga_accels *list, char *const *files, int n,
				      struct ga_err *err);

#endif
