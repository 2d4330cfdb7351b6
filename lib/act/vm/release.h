/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Releases an allocation's devices on the host: stops and undefines the VM, deactivates the fabric
 * partition, undoes every change of the journal, newest first, and resets the GPUs. It reports
 * "released" only after it has observed all this. GPUs and fabric functions stay on vfio-pci: that
 * binding belongs to the node, and drain, repair or retire undo it. When it is run again after a
 * kill, it continues.
 */
#ifndef GA_ACT_VM_RELEASE_H
#define GA_ACT_VM_RELEASE_H

#include "act/device/fabric.h"
#include "act/vm/work.h"
#include "record/schema.h"

struct ga_release_order;

struct ga_release_opts {
	const char *program; /* for messages and locks */
	const char *node;    /* this host's node id */
	const char *host_dir, *libvirt_uri;
	const char *baremetal_dir; /* has the folder "release" of the operator's executables */
	struct ga_fabric_at fabric;
	bool dry_run;
	struct ga_work_to to; /* moving is not used */
};

/*
 * Carries an order out and emits gpuaas.released and a gpuaas.wipe-order for each slot, or
 * gpuaas.failure. 0 when they were emitted; GA_EXTERNAL when the allocation was released but a
 * device did not come back. When stdout is gone, its error is returned in place of both. Reason
 * "held" or "interrupted": no record, and a later run continues.
 *
 * A baremetal node that comes back is trusted when the executables in baremetal_dir/release answer
 * with a boot_id other than the one before the hand-over, an image, and the approved fingerprint.
 * The order, or the attempt in host.db, has the values from before. Else "untrusted_host".
 */
GA_MUST_CHECK int ga_release_on_host(const struct ga_release_order *order,
				     const struct ga_release_opts *opts, struct ga_err *err);

#endif
