/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who uses a PCI function now, so that nobody resets or unbinds it under a VM. A VM has one of its
 * nodes open for as long as it has the device, whatever the hypervisor (QEMU, Cloud Hypervisor,
 * crosvm) and whoever opened it for that: /dev/vfio/GROUP, or IOMMUFD's /dev/vfio/devices/vfioN.
 * /dev/iommu alone is no use of a device. A driver's programs have /dev/nvidiaN, /dev/dri or
 * /dev/accel nodes open, and others map the memory of the device from sysfs (resource0).
 */
#ifndef GA_ACT_DEVICE_GPUUSE_H
#define GA_ACT_DEVICE_GPUUSE_H

#include "act/device/openers.h"

/* Looks at the function's nodes and memory; ret->pid 0: nobody, as far as ret->complete. */
void ga_gpu_use_find(const char *address, struct ga_openers *ret);

/*
 * The same as a gate: 0 nobody; GA_CONFLICT "device_in_use" names the process, or says that the
 * kernel does not give its group because of one that /proc does not show; GA_DENIED when not every
 * process can be looked at, but in a lab, whose devices are files of the user's own.
 */
GA_MUST_CHECK int ga_gpu_use_refuse(const char *address, bool lab, struct ga_err *err);

#endif
