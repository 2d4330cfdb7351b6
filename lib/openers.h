/* SPDX-License-Identifier: Apache-2.0 */
/* Who has a disk or device open without O_EXCL: descriptors of other processes, and kernel exports.
 */
#ifndef GA_OPENERS_H
#define GA_OPENERS_H

#include "disk.h"

struct ga_openers {
	int64_t pid; /* of the first one found; 0: nobody */
	char command[64];
	bool complete; /* every process could be looked at */
};

/* By the device number behind each descriptor in /proc, so that a node made elsewhere (libvirt's
 * private /dev) counts too. This process does not. d is open. */
void ga_openers_find(const struct ga_disk *d, struct ga_openers *ret);

/* The same for a character device such as /dev/vfio/12; a node that is not there has none. */
void ga_openers_of_node(const char *path, struct ga_openers *ret);

/* The NVMe-over-fabrics subsystem that exports the path, allocated, or NULL. */
char *ga_openers_export(const char *path);

#endif
