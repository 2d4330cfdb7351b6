/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of a host as parts of candidates, for discover.c and look/setup. A device that cannot
 * be a part goes into left_out of the host, with the reason. */
#ifndef GA_LOOK_DISCOVER_PARTS_H
#define GA_LOOK_DISCOVER_PARTS_H

#include "catalog/accel.h"
#include "look/block/block.h"
#include "look/discover/candidate.h"
#include "look/net/net.h"
#include "look/nvfm.h"
#include "look/pci.h"
#include "look/rdma.h"

/* The facts of the machine, read once. */
struct ga_look {
	struct ga_pci pci;
	struct ga_block_devs disks;
	struct ga_block_table *table;
	struct ga_net net;
	struct ga_rdma rdma;
	struct ga_accels *accels;
	struct ga_nvfm_partitions partitions;
	char *uplink; /* or NULL */
};

/* Add the GPUs, the disks and the virtual functions of the fabric to ret, which the caller
 * releases. Devices that cannot be a part go into host->left_out. */
void ga_look_gpus(const struct ga_look *look, struct ga_host *host, struct ga_gpus *ret);
void ga_look_disks(const struct ga_look *look, struct ga_host *host, struct ga_parts *ret);
void ga_look_fabric(const struct ga_look *look, struct ga_host *host, struct ga_parts *ret);

/* Adds a device to host->left_out, with copies of the texts; address, name, evidence and hint may
 * be NULL. */
void ga_left_out_add(struct ga_host *host, const char *device, const char *address,
		     const char *name, const char *code, const char *evidence, const char *hint);
/* Add to left_out the GPUs and parts that are free and in no candidate. */
void ga_left_over_gpus(struct ga_host *host, const struct ga_gpus *gpus, size_t taken);
void ga_left_over_parts(struct ga_host *host, const struct ga_parts *parts);

void ga_gpus_release(struct ga_gpus *gpus);
void ga_parts_release(struct ga_parts *parts);

#endif
