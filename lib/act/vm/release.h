/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Release of an allocation's devices on the host: the VM is stopped and gone, the fabric partition
 * inactive, every change of the journal undone newest first, the GPUs reset. "Released" is reported
 * only when it was observed. GPUs and fabric functions stay on vfio-pci: that binding is the
 * node's, undone at drain, repair or retire. Run again after it was killed, it goes on.
 */
#ifndef GA_ACT_VM_RELEASE_H
#define GA_ACT_VM_RELEASE_H

#include "act/device/fabric.h"
#include "record/release.h"
#include "record/result.h"

struct ga_release_opts {
	const char *program, *node, *host_dir, *libvirt_uri, *baremetal_dir;
	struct ga_fabric_at fabric;
	bool dry_run;
	int (*result)(const struct ga_schema *shape, const void *obj, struct ga_err *err);
	int (*progress)(const struct ga_progress *p, struct ga_err *err);
	void (*say)(const char *line);
};

/*
 * Carries an order out and emits gpuaas.released and a gpuaas.wipe-order for each slot, or
 * gpuaas.failure. 0 when they were emitted; GA_EXTERNAL when the allocation was released and a
 * device did not come back.
 *
 * A whole machine that comes back is trusted when the executables in baremetal_dir/release answer a
 * boot_id other than before the hand-over, an image, and the fingerprint that was approved; what
 * was before stands in the order, or in the attempt of host.db. Else "untrusted_host".
 */
GA_MUST_CHECK int ga_release_on_host(const struct ga_release_order *order,
				     const struct ga_release_opts *opts, struct ga_err *err);

#endif
