/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalogue of accelerator types: share/accelerators.json, which is built in (a file can
 * replace it), and the drop-ins that extend or correct it. A type is parsed on first use, because
 * discovery and placement need a few of 112.
 *
 * Detection by PCI ids is in pci.c, by names in name.h. gpuaas-accelerators(7) explains the rungs.
 */
#ifndef GA_CATALOG_ACCEL_H
#define GA_CATALOG_ACCEL_H

#include "base/ga.h"
#include "base/texts.h"
#include "base/vec.h"
#include "record/accel.h"

struct ga_accels;

enum ga_accel_match {
	GA_ACCEL_UNKNOWN,   /* not in the catalogue */
	GA_ACCEL_AMBIGUOUS, /* one of several types; the known facts do not decide */
	GA_ACCEL_KNOWN,
};

struct ga_accel {
	enum ga_accel_match match;
	const char *slug; /* borrowed from the catalogue; NULL unless match is GA_ACCEL_KNOWN */
	char *name; /* allocated: "NVIDIA H200 141GB", "type unknown (10de:293d)" */
	char *part; /* allocated: a guest's share of the GPU ("NVIDIA H200X-141C"), or NULL */
	const char *rung; /* the rung that answered: subsystem, pci, memory or none */
	const char *function; /* physical or virtual; NULL: not known */
	struct ga_borrowed_texts may_be; /* slugs, when match is GA_ACCEL_AMBIGUOUS */
};
void ga_accel_release(struct ga_accel *a);
#define ga_autoaccel ga_cleanup(ga_accel_release)

/* Reads the built-in catalogue (file NULL) or a file. Then reads the drop-ins of the folder of
 * ga_accels_drop_ins over it, in the order of their names. GA_BADREC names the file and the
 * fault. */
GA_MUST_CHECK int ga_accels_open(const char *file, struct ga_accels **ret, struct ga_err *err);
void ga_accels_close(struct ga_accels *list);
void ga_cleanup_accels(struct ga_accels **list);
#define ga_autoaccels ga_cleanup(ga_cleanup_accels)
/* Sets the folder of drop-ins; NULL: none. The caller keeps the text alive. The default is
 * /etc/gpuaas/accelerators.d. A missing folder holds no drop-ins. */
void ga_accels_drop_ins(const char *folder);

/* The type of a PCI function; subsystem ids below 0 are unknown. The caller releases ret. */
void ga_accels_find(const struct ga_accels *list, unsigned int vendor, unsigned int device,
		    int64_t sub_vendor, int64_t sub_device, struct ga_accel *ret);

/* The known facts about a device; GA_UNKNOWN for a fact that is not known. */
struct ga_accel_clue {
	unsigned int vendor, device;
	int64_t sub_vendor, sub_device, revision;
	int64_t is_virtual;    /* tristate: the function has a physfn link */
	int64_t memory_mib;    /* of one GPU, as a vendor's tool or label reports it */
	int64_t compute_units; /* of one GPU */
};
/* Like ga_accels_find, but with every fact of the clue: where ids leave several types, memory and
 * compute units decide. */
void ga_accels_detect(const struct ga_accels *list, const struct ga_accel_clue *clue,
		      struct ga_accel *ret);

/* Whether one GPU of the type may report this much memory: 0.92 .. 1.02 of its nominal size, or
 * within 2 % of the size that its tool reports. Where the type's sizes are unknown, any memory
 * fits. */
bool ga_accel_memory_fits(const struct ga_accel_type *type, int64_t memory_mib);
/* Nominal memory of one GPU of the type in MiB; requirements are matched on it (an "80GB" H100
 * reports 81559 MiB). Where the nominal size is unknown: the reported size; 0 where both are
 * unknown. */
int64_t ga_accels_memory_mib(const struct ga_accels *list, const char *slug);
/* Whether any type has the vendor and device. */
bool ga_accels_has(const struct ga_accels *list, unsigned int vendor, unsigned int device);

/* A type, or NULL when the catalogue has none; borrowed from the list. */
const struct ga_accel_type *ga_accels_type(const struct ga_accels *list, const char *slug);
/* The share of one schedulable GPU in a figure that may be given for a whole card. GA_UNKNOWN stays
 * GA_UNKNOWN. */
int64_t ga_accel_of_gpu(const struct ga_accel_type *type, int64_t figure);
/* Whether the type's hardware calculates in a precision of a requirement (record/match.h): 1, 0, or
 * -1 where neither the catalogue nor the architecture tells. int8 and int4 are 1: weights in them
 * are unpacked, by every type. */
GA_MUST_CHECK int ga_accel_has_precision(const struct ga_accel_type *type, const char *precision);
/* All types, in the order of their slugs. */
size_t ga_accels_count(const struct ga_accels *list);
const struct ga_accel_type *ga_accels_at(const struct ga_accels *list, size_t i);

struct ga_accel_rest {
	GA_LIST(struct ga_accel_source) sources;
	GA_LIST(struct ga_accel_group) groups;
	GA_LIST(struct ga_accel_instance) instances;
	GA_LIST(struct ga_accel_platform_label) platform_labels;
};
/* The parts of the catalogue other than its types; borrowed from the list. */
const struct ga_accel_rest *ga_accels_rest(const struct ga_accels *list);

/* ---- consistency check of the catalogue (check.c) ---- */

/* Calls each() for each finding (object: a slug or name). Returns the number of findings, or -1. */
GA_MUST_CHECK int ga_accels_check(const struct ga_accels *list,
		    int (*each)(const char *object, const char *check, const char *sentence,
				void *arg),
		    void *arg);
/* Reads more drop-ins, as if they lay in the folder after the others. GA_BADREC as above. */
GA_MUST_CHECK int ga_accels_add_files(struct ga_accels *list, char *const *files, int n,
				      struct ga_err *err);

#endif
