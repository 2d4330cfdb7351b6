/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prerequisites of a host for its mode: each is ok, missing or unknown, with what was seen and
 * the exact fix. Reads only; /dev/kvm must exist and is never opened.
 *
 * A prerequisite without which devices are not isolated from each other is also a blocker when it
 * is missing: no_iommu, no_interrupt_remapping, acs_override, unsafe_interrupts, no_vfio_pci. Any
 * other missing prerequisite is a warning NAME_missing; gpuaas-host-bootstrap(8) provides it.
 */
#ifndef GA_LOOK_HOST_PREREQ_H
#define GA_LOOK_HOST_PREREQ_H

#include "base/ga.h"
#include "look/block/block.h"
#include "look/net/net.h"
#include "look/pci.h"
#include "look/rdma.h"
#include "record/host.h"

struct ga_prereq_facts {
	const struct ga_pci *pci;
	const struct ga_net *net;
	const struct ga_rdma *rdma;
	const struct ga_block_devs *disks;
	const struct ga_block_table *table; /* what uses them */
	const char *cmdline; /* of the kernel */
	const char *bridge, *network, *data_dir;
	const char *libvirt_uri; /* or NULL: the system daemon */
	bool baremetal; /* baremetal: only room, and disks that the host leaves alone */
};

/* Adds to prerequisites, blockers and warnings of the record, and sets reboot_required. */
void ga_prereqs_read(const struct ga_prereq_facts *facts, struct ga_host *host);

#endif
