/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a few values back from domain XML. libvirt writes it in one form (attributes in single
 * quotes, entities escaped): a scan of its tags is enough, without an XML library.
 */
#ifndef GA_ACT_DEVICE_VIRT_XML_H
#define GA_ACT_DEVICE_VIRT_XML_H

#include "base/ga.h"
#include "base/vec.h"

/* The value of the first attribute with the name, entities resolved, allocated; NULL when none. */
char *ga_virt_xml_attr(const char *xml, const char *name);
/* Whether a <source> names the path (dev= or file=), or a path that leads to the same device: the
 * source of a disk, or of the image below a disk (<backingStore>). */
bool ga_virt_xml_uses_path(const char *xml, const char *path);
/* Whether two paths lead to one device or file. */
bool ga_virt_same_device(const char *a, const char *b);

/* The sources that name a volume of a storage pool instead of a path. */
struct ga_virt_volume {
	char *pool, *name;
};
struct ga_virt_volumes {
	struct ga_virt_volume *v;
	size_t n;
};
void ga_virt_volumes_release(struct ga_virt_volumes *volumes);
#define ga_autovirtvolumes ga_cleanup(ga_virt_volumes_release)
void ga_virt_xml_volumes(const char *xml, struct ga_virt_volumes *ret); /* adds them */
/* Whether a <hostdev>, <interface> or <disk type='nvme'> has the PCI function as its source. */
bool ga_virt_xml_uses_pci(const char *xml, const char *address);

#endif
