/* SPDX-License-Identifier: Apache-2.0 */
/* Which other process has a disk or device open, without O_EXCL, or mapped. */
#ifndef GA_ACT_DEVICE_OPENERS_H
#define GA_ACT_DEVICE_OPENERS_H

#include "act/device/disk.h"
#include "look/sys.h"

struct ga_openers {
	int64_t pid; /* of the first one found; 0: nobody */
	char command[64];
	bool mapped;   /* mapped, and no descriptor of it is open any more */
	int64_t hidden; /* one that could not be looked at; 0: none */
	bool complete; /* every process and node could be looked at, but for init where: */
	bool init_hidden; /* a security module keeps even root from init's files */
};

/* By the device number behind each descriptor and mapping in /proc, so that a node made elsewhere
 * (libvirt's private /dev) counts too, and so do the disk's partitions, its command nodes
 * (/dev/ng*, /dev/sg*) and a loop device's file. This process does not. d is open. */
void ga_openers_find(const struct ga_disk *d, struct ga_openers *ret);

/* The same for character devices such as /dev/vfio/12, and for the files of a device's memory in
 * sysfs, by whatever name they were opened. What is not there has none; what cannot be looked at
 * leaves ret incomplete. */
void ga_openers_of_nodes(const struct ga_texts *paths, struct ga_openers *ret);
void ga_openers_of_node(const char *path, struct ga_openers *ret);

#endif
