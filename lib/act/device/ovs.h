/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open vSwitch, through ovs-vsctl and ovs-ofctl. libvirt makes the port when the domain starts; the
 * flows of an allocation carry its cookie. Its port may send, untagged and from its own MAC and
 * address only:
 *
 *   ARP                                             to the host
 *   DHCP requests                                   to the host
 *   IPv4 to the gateway                             to the host (nat.h: DHCP, DNS, ICMP)
 *   IPv4 to the private network, link-local,
 *   multicast, broadcast                            dropped: there is no other slice
 *   other IPv4                                      to the host, which routes it
 *   IPv6, VLAN tags, all else                       dropped
 *
 * and gets what the host sends to its MAC, ARP requests for its address, and DHCP broadcasts.
 */
#ifndef GA_ACT_DEVICE_OVS_H
#define GA_ACT_DEVICE_OVS_H

#include "base/ga.h"
#include "base/str.h"

struct ga_ovs_port {
	const char *bridge, *port, *mac, *ip;
	const char *allocation;
	const char *gateway, *network; /* "10.100.0.0/24"; NULL: no flow keeps slices apart */
};

#define GA_COOKIE_SIZE 19
/* "0x6761…": "ga" and 48 bits of SHA-256 of the allocation. */
char *ga_ovs_cookie(const char *allocation, char out[GA_COOKIE_SIZE]);
/* The flows, one a line as ovs-ofctl add-flows reads them; ofport is the port's number. Returns how
 * many they are. */
int ga_ovs_flows(const struct ga_ovs_port *p, int64_t ofport, struct ga_str *out);
/* Whether dump, the output of "ovs-ofctl --no-names dump-flows", has all flows of the port with
 * exactly this number. A port that was made again has a new number, and then nothing keeps its
 * guest from using false addresses. */
bool ga_ovs_flows_stand(const struct ga_ovs_port *p, int64_t ofport, const char *dump);
/* The port's number, 0 while it has none. */
GA_MUST_CHECK int64_t ga_ovs_port_number(const char *port, struct ga_err *err);
/* Whether Open vSwitch finds no interface for the port: 1, 0, -1. Its guest is gone then. */
GA_MUST_CHECK int ga_ovs_port_is_dead(const char *port, struct ga_err *err);

/*
 * Sets up a bridge for gpuaas alone. Fail mode "secure": it drops packets that no flow allows, also
 * after a restart of Open vSwitch has lost the flows. A fixed MAC, which stays when ports come and
 * go. The flow for the host's DHCP broadcasts. Changing the fail mode loses the flows of the
 * slices: protect them again (ga_ovs_protect). Not for a bridge that has other ports.
 */
GA_MUST_CHECK int ga_ovs_setup_bridge(const char *bridge, struct ga_err *err);
/* Whether the bridge is set up so: 1, 0; -1 when Open vSwitch does not answer. */
GA_MUST_CHECK int ga_ovs_is_closed(const char *bridge, struct ga_err *err);
#define GA_OVS_BRIDGE_COOKIE "0x6761000000000000" /* of the flows that belong to no allocation */

/* Whether the bridge is there: 1, 0; -1 when Open vSwitch does not answer. */
GA_MUST_CHECK int ga_ovs_has_bridge(const char *bridge, struct ga_err *err);
/* Waits until the port is on the bridge and has a number; then replaces its flows in one
 * transaction and reads them back. */
GA_MUST_CHECK int ga_ovs_protect(const struct ga_ovs_port *p, struct ga_err *err);
/* Puts the interface of a running guest on the bridge as libvirt does when the domain starts; the
 * id is the interfaceid of its virtualport. On a closed bridge nothing passes until
 * ga_ovs_protect. */
GA_MUST_CHECK int ga_ovs_add_port(const struct ga_ovs_port *p, const char *interface_id,
				  struct ga_err *err);
/* How many flows with the cookie there are. */
GA_MUST_CHECK int64_t ga_ovs_count_flows(const char *bridge, const char *cookie,
					 struct ga_err *err);
GA_MUST_CHECK int ga_ovs_remove_flows(const char *bridge, const char *cookie, struct ga_err *err);
/* Removes the port if it is still there. */
GA_MUST_CHECK int ga_ovs_remove_port(const char *bridge, const char *port, struct ga_err *err);

#endif
