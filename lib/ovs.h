/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open vSwitch, through ovs-vsctl and ovs-ofctl. libvirt makes the port when the domain starts; the
 * flows of an allocation carry its cookie: its port may send only from its own MAC and address and
 * only to the host (gateway, DHCP, NAT), never to another slice.
 */
#ifndef GA_OVS_H
#define GA_OVS_H

#include "ga.h"
#include "str.h"

struct ga_ovs_port {
	const char *bridge, *port, *mac, *ip;
	const char *allocation;
};

#define GA_COOKIE_SIZE 19
/* "0x6761…": "ga" and 48 bits of SHA-256 of the allocation. */
char *ga_ovs_cookie(const char *allocation, char out[GA_COOKIE_SIZE]);
/* The flows, one a line as ovs-ofctl add-flows reads them; ofport is the port's number. */
void ga_ovs_flows(const struct ga_ovs_port *p, int64_t ofport, struct ga_str *out);
#define GA_OVS_FLOWS 5 /* how many they are */

/* Whether the bridge is there: 1, 0; -1 when Open vSwitch does not answer. */
int ga_ovs_has_bridge(const char *bridge, struct ga_err *err);
/* Waits until the port is on the bridge and has a number; then replaces its flows and reads back.
 */
int ga_ovs_protect(const struct ga_ovs_port *p, struct ga_err *err);
/* How many flows with the cookie there are. */
int64_t ga_ovs_count_flows(const char *bridge, const char *cookie, struct ga_err *err);
int ga_ovs_remove_flows(const char *bridge, const char *cookie, struct ga_err *err);
/* Removes the port if it is still there. */
int ga_ovs_remove_port(const char *bridge, const char *port, struct ga_err *err);

#endif
