/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fabric Manager partitions: the NVLinks between the GPUs of an allocation. What counts is what
 * isActive says when it is read again, not what the command returned.
 */
#ifndef GA_FABRIC_H
#define GA_FABRIC_H

#include "ga.h"

/* Where Fabric Manager is: the settings GPUAAS_LIBNVFM and GPUAAS_FABRIC_ADDRESS; NULL members are
 * ga_nvfm_open's defaults. Borrowed texts. */
struct ga_fabric_at {
	const char *library, *address;
};

/* Whether the partition is active: 1, 0; GA_NOTFOUND "fabric_partition_unknown". */
int ga_fabric_is_active(const struct ga_fabric_at *at, int64_t partition, struct ga_err *err);
/* These do nothing when it is so already; -1 when it is not so afterwards. Fabric Manager that is
 * still starting is asked again for up to 60 s. */
int ga_fabric_activate(const struct ga_fabric_at *at, int64_t partition, struct ga_err *err);
int ga_fabric_deactivate(const struct ga_fabric_at *at, int64_t partition, struct ga_err *err);

#endif
