/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The little that is read back from domain XML. libvirt writes it in one form (attributes in single
 * quotes, entities escaped), so that a scan of its tags is enough and no XML library is needed.
 */
#ifndef GA_VIRT_XML_H
#define GA_VIRT_XML_H

#include "ga.h"

/* The value of the first attribute with the name, entities resolved, allocated; NULL when none. */
char *ga_virt_xml_attr(const char *xml, const char *name);
/* Whether a <source> names the path (dev= or file=), or something that leads to the same device. */
bool ga_virt_xml_uses_path(const char *xml, const char *path);
/* Whether a <hostdev>, <interface> or <disk type='nvme'> has the PCI function as its source. */
bool ga_virt_xml_uses_pci(const char *xml, const char *address);

#endif
