/* SPDX-License-Identifier: Apache-2.0 */
/* Network interfaces, the bridge of the slices, forwarding and NAT as effective now. */
#ifndef GA_NET_H
#define GA_NET_H

#include "ga.h"
#include "str.h"

struct ga_net_dev {
	char *name;
	char *pci_address; /* or NULL: virtual */
	char *master;	   /* bridge, bond or "ovs-system" it is a port of, or NULL */
	int64_t mtu;
};
struct ga_net {
	struct ga_net_dev *v;
	size_t n;
};

int ga_net_scan(struct ga_net *ret, struct ga_err *err);
void ga_net_release(struct ga_net *list);
#define ga_autonet ga_cleanup(ga_net_release)
const struct ga_net_dev *ga_net_find(const struct ga_net *list, const char *name);
/* Whether the function carries the host's own traffic: one of its interfaces is the uplink or a
 * port of a bridge, bond or Open vSwitch. */
bool ga_net_is_management(const struct ga_net *list, const char *pci_address, const char *uplink);

/* The interface of the default route, allocated, or NULL; only one that is in list. */
char *ga_net_default_uplink(const struct ga_net *list);
/* 1 on, 0 off, -1 unreadable: net.ipv4.ip_forward. */
int ga_net_ip_forward(void);
/*
 * Whether a source NAT rule covers the network now: 1 yes, 0 no, -1 unknown (not root, or neither
 * nft nor iptables answers). evidence says what was seen. Runs nft, else iptables.
 */
int ga_net_nat(const char *network, struct ga_str *evidence);

#endif
