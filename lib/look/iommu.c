/* SPDX-License-Identifier: Apache-2.0 */
/* IOMMU groups. */
#include "look/iommu.h"

#include <inttypes.h>

#include "base/texts.h"
#include "look/pci.h"
#include "look/sys.h"

int64_t ga_iommu_group(const char *pci_address)
{
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", pci_address);
	ga_autofree char *group = ga_sys_link(dir, "iommu_group");

	return ga_sys_number(group);
}

void ga_iommu_members(int64_t group, const char *but, struct ga_texts *list)
{
	ga_autofree char *dir = ga_xprintf("/sys/kernel/iommu_groups/%" PRId64 "/devices", group);
	ga_autotexts struct ga_texts names = { 0 };
	size_t i;

	if (group == GA_UNKNOWN)
		return;
	ga_sys_list(dir, &names);
	for (i = 0; i < names.n; i++) {
		ga_autofree char *class = NULL;

		if (ga_streq(names.v[i], but))
			continue;
		class = ga_pci_attr(names.v[i], "class");
		if (!ga_starts(class, "0x06"))
			ga_texts_add(list, names.v[i]);
	}
}

int ga_iommu_groups(void)
{
	ga_autotexts struct ga_texts names = { 0 };

	ga_sys_list("/sys/kernel/iommu_groups", &names);
	return (int)names.n;
}

const char *ga_iommu_kind(void)
{
	ga_autotexts struct ga_texts names = { 0 };

	ga_sys_list("/sys/class/iommu", &names);
	if (!names.n)
		return NULL;
	return ga_starts(names.v[0], "dmar") ? "intel" :
	       ga_starts(names.v[0], "ivhd") ? "amd" :
					       "other";
}

const char *ga_iommu_vendor(void)
{
	ga_autofree char *info = NULL;

	if (ga_sys_exists("/sys/firmware/acpi/tables/DMAR"))
		return "intel";
	if (ga_sys_exists("/sys/firmware/acpi/tables/IVRS"))
		return "amd";
	info = ga_sys_attr("/proc", "cpuinfo");
	return info && strstr(info, "AuthenticAMD") ? "amd" :
	       info && strstr(info, "GenuineIntel") ? "intel" :
						      "other";
}
