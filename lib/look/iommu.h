/* SPDX-License-Identifier: Apache-2.0 */
/* IOMMU groups: they show which devices are isolated from each other (/sys/kernel/iommu_groups,
 * /sys/class/iommu). */
#ifndef GA_LOOK_IOMMU_H
#define GA_LOOK_IOMMU_H

#include "base/ga.h"
#include "base/texts.h"
#include "record/host.h"

/* The group of a PCI function, or GA_UNKNOWN when it is in none. */
int64_t ga_iommu_group(const char *pci_address);
/* Adds the addresses of the functions in the group, ascending, without but and without bridges
 * (class 06), which vfio does not require. */
void ga_iommu_members(int64_t group, const char *but, struct ga_texts *list);
/* Number of groups; 0 when the IOMMU is off. */
int ga_iommu_groups(void);
/* The kind of the IOMMU by its units below /sys/class/iommu: "intel", "amd" or "other"; NULL when
 * there are none. */
const char *ga_iommu_kind(void);
/*
 * The vendor of the machine's IOMMU, also while it is off: "intel", "amd" or "other". Decided by
 * the firmware's table, which the kernel uses too (DMAR or IVRS); without a table, by the vendor of
 * the CPU.
 */
const char *ga_iommu_vendor(void);

#endif
