/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fabric Manager partitions: the NVLinks between the GPUs of an allocation. isActive, read again
 * after the command, decides the result, not the command's return code.
 */
#ifndef GA_ACT_DEVICE_FABRIC_H
#define GA_ACT_DEVICE_FABRIC_H

#include "base/ga.h"

/* The address of Fabric Manager: the settings GPUAAS_LIBNVFM and GPUAAS_FABRIC_ADDRESS. A NULL
 * member takes the default of ga_nvfm_open. Borrowed texts. */
struct ga_fabric_at {
	const char *library, *address;
};

/*
 * The version that Fabric Manager's own program prints ("Fabric Manager version is : 550.54.15" of
 * nv-fabricmanager --version), allocated; NULL when the program is not on this host or prints no
 * version. libnvfm has no call for it.
 */
char *ga_fabric_version(const char *program);
/* Whether two versions belong to one release: Fabric Manager and driver must agree in the first two
 * numbers ("550.54"). */
bool ga_fabric_same_release(const char *a, const char *b);
/* Both do nothing when the partition is already in the wanted state, and fail when it is not in
 * that state afterwards. While Fabric Manager is still starting they try again, for up to 60 s. */
GA_MUST_CHECK int ga_fabric_activate(const struct ga_fabric_at *at, int64_t partition,
				     struct ga_err *err);
GA_MUST_CHECK int ga_fabric_deactivate(const struct ga_fabric_at *at, int64_t partition,
				       struct ga_err *err);

#endif
