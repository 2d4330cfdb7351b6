/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the process that uses a PCI function now, so that the function is not reset or unbound
 * under a VM. A VM has a node of its device open as long as it has the device, with every
 * hypervisor (QEMU, Cloud Hypervisor, crosvm): /dev/vfio/GROUP, or IOMMUFD's
 * /dev/vfio/devices/vfioN. An open /dev/iommu alone does not use a device. Programs that use a
 * driver have /dev/nvidiaN, /dev/dri or /dev/accel nodes open; others map the memory of the device
 * from sysfs (resource0).
 */
#ifndef GA_ACT_DEVICE_GPUUSE_H
#define GA_ACT_DEVICE_GPUUSE_H

#include "act/device/openers.h"

/* Looks at the function's nodes and memory. ret->pid 0: nobody uses it, provided that
 * ret->complete. */
void ga_gpu_use_find(const char *address, struct ga_openers *ret);

/*
 * Refuses a function that is in use; 0: nobody uses it. GA_CONFLICT "device_in_use" names the
 * process, or reports that a process which /proc does not show has the IOMMU group. GA_DENIED
 * "device_in_use" when not every process can be looked at; not in a lab, where devices are files of
 * the user.
 */
GA_MUST_CHECK int ga_gpu_use_refuse(const char *address, bool lab, struct ga_err *err);

#endif
