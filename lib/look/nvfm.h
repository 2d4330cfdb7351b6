/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVIDIA Fabric Manager by its library libnvfm.so.1, opened with dlopen(3), so that no program
 * depends on it: the connection, and reading the partitions. act/device/fabric.c changes them over
 * the same connection.
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

/* ---- for commands over this connection ---- */

/* Stores a function of the library in *function, a pointer to a function. GA_HOST when the library
 * does not have it. */
GA_MUST_CHECK int ga_nvfm_find(const struct ga_nvfm *fm, const char *name, void *function,
			       struct ga_err *err);
/* The first argument of the library's functions; borrowed. */
void *ga_nvfm_handle(const struct ga_nvfm *fm);
/* Fills err from a return code that is not 0, and returns -1. what names the request in the
 * message. GA_EXTERNAL; the reason is the word of the code: "fm_in_use", "fm_not_configured",
 * "fm_nvlink_error", … */
GA_MUST_CHECK int ga_nvfm_failed(int code, const char *what, struct ga_err *err);
/* Whether the error says that Fabric Manager was not ready yet (still initialising): try again. */
GA_MUST_CHECK bool ga_nvfm_retry(const struct ga_err *err);

#endif
