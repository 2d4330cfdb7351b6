/* SPDX-License-Identifier: Apache-2.0 */
/* IOMMU groups: which devices are isolated from which (/sys/kernel/iommu_groups,
 * /sys/class/iommu). */
#ifndef GA_LOOK_IOMMU_H
#define GA_LOOK_IOMMU_H

#include "base/ga.h"
#include "record/host.h"

/* The group of a PCI function, or GA_UNKNOWN when it is in none. */
int64_t ga_iommu_group(const char *pci_address);
/* Adds the addresses of the other functions in the group to a GA_LIST(char *), ascending; bridges
 * (class 06) are left out, because vfio does not ask for them. */
void ga_iommu_members(int64_t group, const char *but, struct ga_any_list *list);
/* Number of groups; 0 when the IOMMU is off. */
int ga_iommu_groups(void);
/* "intel", "amd" or "other" by the units below /sys/class/iommu, NULL when there are none. */
const char *ga_iommu_kind(void);
/*
 * "intel", "amd" or "other": the vendor of the machine's IOMMU, also while it is off. By the table
 * of the firmware that the kernel uses too (DMAR or IVRS); without one, by the vendor of the CPU.
 */
const char *ga_iommu_vendor(void);

#endif
