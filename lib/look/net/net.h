/* SPDX-License-Identifier: Apache-2.0 */
/* Network interfaces, the bridge of the slices, forwarding and NAT as they are in effect now. */
#ifndef GA_LOOK_NET_NET_H
#define GA_LOOK_NET_NET_H

#include "base/ga.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/host.h"

struct ga_net_dev {
	char *name;
	char *pci_address; /* or NULL: virtual */
	char *master;	   /* the bridge, bond or "ovs-system" that it is a port of, or NULL */
	int64_t mtu;
};
struct ga_net {
	struct ga_net_dev *v;
	size_t n;
};

/* All network interfaces, in the order of their paths in sysfs; the caller releases ret. GA_SYSTEM
 * when libudev cannot list them. */
GA_MUST_CHECK int ga_net_scan(struct ga_net *ret, struct ga_err *err);
void ga_net_release(struct ga_net *list);
#define ga_autonet ga_cleanup(ga_net_release)
/* The interface with this name, or NULL; owned by the list. */
const struct ga_net_dev *ga_net_find(const struct ga_net *list, const char *name);
/* Whether the function carries the host's own traffic: one of its interfaces is the uplink or a
 * port of a bridge, bond or Open vSwitch. */
bool ga_net_is_management(const struct ga_net *list, const char *pci_address, const char *uplink);

/* The interface of the first default route whose interface is in list, allocated, or NULL. */
char *ga_net_default_uplink(const struct ga_net *list);
/* 1 on, 0 off, -1 unreadable: net.ipv4.ip_forward. */
GA_MUST_CHECK int ga_net_ip_forward(void);
/*
 * Whether a source NAT rule covers the network now: 1 yes, 0 no, -1 unknown (not root, or neither
 * nft nor iptables answers). evidence gets the observation. Asks nft, then iptables, because only
 * iptables knows the rules of iptables-legacy.
 */
GA_MUST_CHECK int ga_net_nat(const char *network, struct ga_str *evidence);

/* ---- the table "ip gpuaas" (act/device/nat.h) as it is now ---- */

/* A port of the host that leads to a slice. */
struct ga_net_ingress {
	char *proto; /* tcp, udp */
	int64_t port;
	char *address; /* of the slice */
	int64_t to_port;
	char *allocation; /* the element's comment, or NULL: not ours */
	bool passes;	  /* the rules also accept the packets that are forwarded to the slice */
};
void ga_net_ingress_release(struct ga_net_ingress *i);
#define ga_autoingress ga_cleanup(ga_net_ingress_release)

struct ga_net_rules {
	bool table;	 /* the table exists; else all members below are false */
	bool nat;	 /* packets that leave the network by another interface are masqueraded */
	bool isolated;	 /* bridge to bridge is dropped */
	bool closed;	 /* packets from outside that belong to no published port are dropped */
	bool guarded;	 /* the host answers slices DHCP, DNS and ICMP only */
	bool publishing; /* the ports of the map are forwarded to the slices */
	GA_LIST(struct ga_net_ingress) ingress;
};
void ga_net_rules_release(struct ga_net_rules *r);
#define ga_autorules ga_cleanup(ga_net_rules_release)
/* Whether all are in effect: table, nat, isolated, closed, guarded, publishing. */
bool ga_net_rules_stand(const struct ga_net_rules *r);
/* Writes the names of the missing ones, in words, to out; "" when none is missing. */
void ga_net_rules_lack(const struct ga_net_rules *r, struct ga_str *out);

/* Reads the output of "nft -j list table ip gpuaas" into ret; the caller releases ret. A rule
 * counts when it is for exactly this bridge and network ("10.100.0.0/24"); without them (NULL) only
 * the elements are read. GA_BADREC when the text is not nft's. */
GA_MUST_CHECK int ga_net_rules_parse(const char *text, size_t len, const char *bridge,
				     const char *network, struct ga_net_rules *ret,
				     struct ga_err *err);
/* Runs nft and reads its output; without bridge and network (NULL) only the published ports. 0 also
 * when there is no such table; GA_DENIED, GA_EXTERNAL when nft cannot list it. */
GA_MUST_CHECK int ga_net_rules_read(const char *bridge, const char *network,
				    struct ga_net_rules *ret, struct ga_err *err);
/* Looks in the output of "nft -j list ruleset": 1 when a rule of any table masquerades the whole
 * network, else 0; -1 as above. evidence gets its table and chain. */
GA_MUST_CHECK int ga_net_nat_parse(const char *text, size_t len, const char *network,
				   struct ga_str *evidence, struct ga_err *err);
/*
 * Adds the faults of the private network: stale_lease (a lease without a reservation), and as root,
 * where Open vSwitch runs: bridge_renamed, bridge_open, stale_port, isolation_missing,
 * forward_dropped (a firewall of the host has the policy to drop forwarded packets).
 */
void ga_net_warn(const struct ga_network *n, struct ga_reasons *warnings);
/* Looks in the same text for a chain, other than ours, whose policy drops forwarded packets: 1 with
 * its table and name in evidence, 0 none, -1 as above. */
GA_MUST_CHECK int ga_net_forward_parse(const char *text, size_t len, struct ga_str *evidence,
				       struct ga_err *err);
/* The network ("10.100.0.0/24") of a gateway and a prefix, allocated; NULL when they are not
 * valid. */
char *ga_net_network(const char *gateway, int64_t prefix_bits);

#endif
