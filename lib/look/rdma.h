/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA devices (/sys/class/infiniband, by libudev), and the PCI function of each. */
#ifndef GA_LOOK_RDMA_H
#define GA_LOOK_RDMA_H

#include "base/ga.h"

struct ga_rdma_dev {
	char *name;	   /* "mlx5_0" */
	char *pci_address; /* or NULL */
	char *guid;	   /* node GUID "a088:c203:0010:0000", or NULL */
	char *link_layer;  /* "infiniband" or "ethernet" of its first port, or NULL */
	int64_t numa_node;
};
struct ga_rdma {
	struct ga_rdma_dev *v;
	size_t n;
};

/* All RDMA devices, in the order of their paths in sysfs; the caller releases ret. GA_SYSTEM when
 * libudev cannot list them. */
GA_MUST_CHECK int ga_rdma_scan(struct ga_rdma *ret, struct ga_err *err);
void ga_rdma_release(struct ga_rdma *list);
#define ga_autordma ga_cleanup(ga_rdma_release)
/* The RDMA device of a PCI function, or NULL. */
const struct ga_rdma_dev *ga_rdma_of(const struct ga_rdma *list, const char *pci_address);

#endif
