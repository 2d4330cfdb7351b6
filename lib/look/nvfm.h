/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVIDIA Fabric Manager by its library libnvfm.so.1, opened with dlopen(3), so that no program
 * depends on it. Discover opens and reads. Activating and deactivating stand here too, because they
 * are two more calls of that library; only lib/act/device/fabric.c uses them.
 *
 * Sources: NVIDIA's go-nvfm (structures, return codes, version word = sizeof | version << 24).
 */
#ifndef GA_LOOK_NVFM_H
#define GA_LOOK_NVFM_H

#include "base/ga.h"
#include "record/host.h"

struct ga_nvfm;

struct ga_nvfm_gpu {
	int64_t module_id;   /* physicalId, 1.. */
	char pci_address[20]; /* "" when Fabric Manager does not know it */
	char uuid[80];
};

struct ga_nvfm_partition {
	int64_t id;
	bool active;
	GA_LIST(struct ga_nvfm_gpu) gpus; /* by module id */
};

struct ga_nvfm_partitions {
	struct ga_nvfm_partition *v;
	size_t n;
};

/*
 * Loads the library and connects. library: a file name, NULL for "libnvfm.so.1"; address: "host",
 * a socket path beginning with '/', or NULL for 127.0.0.1.
 * GA_NOTFOUND when the library is not there, GA_HOST when Fabric Manager does not answer.
 */
GA_MUST_CHECK int ga_nvfm_open(const char *library, const char *address, struct ga_nvfm **ret,
			       struct ga_err *err);
void ga_nvfm_close(struct ga_nvfm *fm);
void ga_cleanup_nvfm(struct ga_nvfm **fm);
#define ga_autonvfm ga_cleanup(ga_cleanup_nvfm)

/* The supported partitions in their current state, by id. */
GA_MUST_CHECK int ga_nvfm_partitions(struct ga_nvfm *fm, struct ga_nvfm_partitions *ret,
				     struct ga_err *err);
void ga_nvfm_partitions_release(struct ga_nvfm_partitions *list);
#define ga_autopartitions ga_cleanup(ga_nvfm_partitions_release)

/*
 * Sends one command, whatever state the partition is in. The caller reads isActive again; that
 * decides the result, not the return code of the command. GA_EXTERNAL; the reason is the word of
 * the return code: "fm_in_use", "fm_not_configured", "fm_nvlink_error", … ga_nvfm_retry shows
 * whether to try again.
 */
GA_MUST_CHECK int ga_nvfm_activate(struct ga_nvfm *fm, int64_t partition, struct ga_err *err);
GA_MUST_CHECK int ga_nvfm_deactivate(struct ga_nvfm *fm, int64_t partition, struct ga_err *err);
/* Whether the command failed because Fabric Manager was not ready yet (still initialising). */
GA_MUST_CHECK bool ga_nvfm_retry(const struct ga_err *err);

#endif
