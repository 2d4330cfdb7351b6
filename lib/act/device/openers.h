/* SPDX-License-Identifier: Apache-2.0 */
/* Finds another process that has a disk or device open, also without O_EXCL, or mapped. */
#ifndef GA_ACT_DEVICE_OPENERS_H
#define GA_ACT_DEVICE_OPENERS_H

#include "act/device/disk.h"
#include "look/sys.h"

struct ga_openers {
	int64_t pid; /* pid of the first process found; 0: none */
	char command[64];
	bool mapped;   /* mapped, and the process has no descriptor of it open any more */
	int64_t hidden; /* pid of a process that could not be looked at; 0: none */
	bool complete; /* every process and node could be looked at, except perhaps init */
	bool init_hidden; /* not even root may see init's files: a security module forbids it */
};

/* Finds a process by the device number behind each descriptor and mapping in /proc. So a node that
 * was made elsewhere counts too (libvirt's private /dev), and so do the disk's partitions, its
 * command nodes (/dev/ng*, /dev/sg*) and the file of a loop device. This process does not count. d
 * must be open. */
void ga_openers_find(const struct ga_disk *d, struct ga_openers *ret);

/* The same for character devices such as /dev/vfio/12, and for the files of a device's memory in
 * sysfs, whatever name the process used to open them. A path that does not exist has no opener; a
 * path that cannot be read leaves ret incomplete. */
void ga_openers_of_nodes(const struct ga_texts *paths, struct ga_openers *ret);
void ga_openers_of_node(const char *path, struct ga_openers *ret);

#endif
