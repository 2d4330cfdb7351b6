/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fabric Manager partitions: the NVLinks between the GPUs of an allocation. The result is decided
 * by isActive, read again after the command, not by what the command returned.
 */
#ifndef GA_ACT_DEVICE_FABRIC_H
#define GA_ACT_DEVICE_FABRIC_H

#include "base/ga.h"

/* Where Fabric Manager is: the settings GPUAAS_LIBNVFM and GPUAAS_FABRIC_ADDRESS; NULL members are
 * ga_nvfm_open's defaults. Borrowed texts. */
struct ga_fabric_at {
	const char *library, *address;
};

/*
 * The version of Fabric Manager as its own program tells it ("Fabric Manager version is :
 * 550.54.15" of nv-fabricmanager --version), allocated; NULL when it is not on this host or says
 * nothing of the kind. libnvfm has no call for it.
 */
char *ga_fabric_version(const char *program);
/* Whether two versions are of one release as far as Fabric Manager and drivers have to be: the
 * first two numbers ("550.54"). */
bool ga_fabric_same_release(const char *a, const char *b);
/* Do nothing when the partition is in that state already; fail when it is not in it afterwards.
 * While Fabric Manager is still starting they try again, for up to 60 s. */
GA_MUST_CHECK int ga_fabric_activate(const struct ga_fabric_at *at, int64_t partition,
				     struct ga_err *err);
GA_MUST_CHECK int ga_fabric_deactivate(const struct ga_fabric_at *at, int64_t partition,
				       struct ga_err *err);

#endif
