/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a PCI function, and who has them open. */
#include "act/device/gpuuse.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/texts.h"
#include "look/pci.h"
#include "record/fault.h"

/* The nodes that a folder of the function names: vfio-dev/vfio3 is /dev/vfio/devices/vfio3. */
static void add_folder(const char *address, const char *folder, const char *dev,
		       struct ga_texts *ret)
{
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s/%s", address, folder);
	ga_autotexts struct ga_texts names = { 0 };
	size_t i;

	ga_sys_list(dir, &names);
	for (i = 0; i < names.n; i++) {
		ga_autofree char *node = ga_xprintf("%s/%s", dev, names.v[i]);

		ga_texts_add(ret, node);
	}
}

static char *group_of(const char *address)
{
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", address);

	return ga_sys_link(dir, "iommu_group");
}

/* NVIDIA's driver shows the number of its node: "Device Minor: 	 3". */
static void add_nvidia(const char *address, struct ga_texts *ret)
{
	ga_autofree char *path = ga_xprintf("/proc/driver/nvidia/gpus/%s/information", address);
	ga_autostr struct ga_str text = GA_STR_INIT;
	const char *at;
	int64_t n = GA_UNKNOWN;

	if (ga_file_attr(AT_FDCWD, path, &text) && (at = strstr(text.buf, "Device Minor:"))) {
		at += strlen("Device Minor:");
		at += strspn(at, " \t");
		if (isdigit((unsigned char)*at))
			n = (int64_t)strtol(at, NULL, 10);
	}
	if (n != GA_UNKNOWN) {
		ga_autofree char *node = ga_xprintf("/dev/nvidia%" PRId64, n);

		ga_texts_add(ret, node);
	}
}

void ga_gpu_use_find(const char *address, struct ga_openers *ret)
{
	ga_autofree char *group = group_of(address);
	ga_autofree char *node = ga_xprintf("/dev/vfio/%s", group ? group : "");
	ga_autofree char *noiommu = ga_xprintf("/dev/vfio/noiommu-%s", group ? group : "");
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", address);
	ga_autotexts struct ga_texts nodes = { 0 }, names = { 0 };

	if (group) {
		ga_texts_add(&nodes, node);
		ga_texts_add(&nodes, noiommu);
	}
	add_folder(address, "vfio-dev", "/dev/vfio/devices", &nodes);
	add_folder(address, "drm", "/dev/dri", &nodes);
	add_folder(address, "accel", "/dev/accel", &nodes);
	add_nvidia(address, &nodes);
	/* resource0, resource2_wc: the memory of the function, which programs can map. */
	ga_sys_list(dir, &names);
	for (size_t i = 0; i < names.n; i++) {
		ga_autofree char *path = ga_xprintf("%s/%s", dir, names.v[i]);

		if (ga_starts(names.v[i], "resource") &&
		    isdigit((unsigned char)names.v[i][strlen("resource")]))
			ga_texts_add(&nodes, path);
	}
	ga_openers_of_nodes(&nodes, ret);
}

/* Whether a process has the group, also one that /proc does not show here or that has only
 * descriptors or mappings of the group's devices. Linux opens a group only once, until the last
 * descriptor and mapping of its devices is gone. Opening a group changes nothing. */
static bool group_is_taken(const char *address)
{
	ga_autofree char *group = group_of(address);
	ga_autofree char *node = ga_xprintf("/dev/vfio/%s", group ? group : "");
	ga_autofd int fd = -1;

	if (!group)
		return false;
	fd = open(node, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 && errno == EBUSY;
}

int ga_gpu_use_refuse(const char *address, bool lab, struct ga_err *err)
{
	struct ga_openers who;
	bool taken;

	ga_gpu_use_find(address, &who);
	taken = !who.pid && group_is_taken(address);
	if (!who.pid && !taken && (who.complete || lab))
		return 0;
	if (taken)
		return ga_refuse(err, GA_CONFLICT, "device_in_use", address,
				 (GA_SAID_USED_UNSEEN "has the IOMMU group of '%s' open", address),
				 ("nothing was reset; look in containers and for VMs without "
				  "libvirt: the kernel gives the group to one process at a time"));
	if (who.pid)
		return ga_refuse(err, GA_CONFLICT, "device_in_use", address,
				 (GA_SAID_USED_BY "%" PRId64 " (%s) has '%s' %s", who.pid,
				  who.command, address, who.mapped ? "mapped" : "open"),
				 ("nothing was reset; end what uses the device, or find its VM: tr "
				  "'\\0' ' ' < /proc/%" PRId64 "/cmdline", who.pid));
	return ga_refuse(err, GA_DENIED, "device_in_use", address,
			 ("it is unknown whether a process uses '%s'", address), ("run as root"));
}
