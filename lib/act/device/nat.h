/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one nftables table of gpuaas, "ip gpuaas", by nft: source NAT for the private network, no
 * traffic between slices or from outside into a slice, no traffic from slices to the host except
 * DHCP, DNS and ICMP, and the published ports. look/net/net.h reads the table. Everything here
 * needs root.
 *
 *   map ingress     proto . port : address . port, with the allocation as the element's comment
 *   set published   proto . address . port: closes connections that began before an unpublish
 */
#ifndef GA_ACT_DEVICE_NAT_H
#define GA_ACT_DEVICE_NAT_H

#include "base/str.h"
#include "look/net/net.h"
#include "record/host.h"

/*
 * The table as nft -f reads it: one transaction replaces the table, whatever is there, and keeps
 * the published ports. The boot loads the same text from a file. GA_HOST when the network has no
 * bridge, gateway or prefix, or when the bridge's name is no valid name of an interface.
 */
GA_MUST_CHECK int ga_nat_ruleset(const struct ga_network *n, struct ga_str *out,
				 struct ga_err *err);
/* Loads the table and reads it back: GA_EXTERNAL when it is not in effect then. Loading it again
 * does no harm. */
GA_MUST_CHECK int ga_nat_setup(const struct ga_network *n, struct ga_err *err);
/* Removes the table and the published ports with it. 0 also when there is no table. */
GA_MUST_CHECK int ga_nat_remove(struct ga_err *err);

/*
 * Publishes one port of a slice at one port of the host. 0 also when it is published already.
 * GA_CONFLICT "port_taken" when the port leads elsewhere or the host itself listens on it, GA_HOST
 * "nat_missing" when the table is not set up, GA_USAGE when a part is invalid (allocation, tcp or
 * udp, ports, address).
 */
GA_MUST_CHECK int ga_nat_publish(const struct ga_net_ingress *i, struct ga_err *err);
/* Closes the port for new and open connections: 1 closed, 0 the allocation has not published it
 * (also when somebody else has). Reads only proto, port and allocation of i. */
GA_MUST_CHECK int ga_nat_unpublish(const struct ga_net_ingress *i, struct ga_err *err);

/*
 * Makes the kernel forget the connections of a slice's address, in both directions (conntrack(8)),
 * so that replies to its last tenant do not reach the next one. 1 there were some, 0 there were
 * none; GA_HOST "conntrack_missing" when the tool is not installed.
 */
GA_MUST_CHECK int ga_nat_forget(const char *ip, struct ga_err *err);

/* The commands that publish and unpublish give to nft. with_target: no other published port leads
 * to that address and port. */
void ga_nat_publish_text(const struct ga_net_ingress *i, struct ga_str *out);
void ga_nat_unpublish_text(const struct ga_net_ingress *i, bool with_target, struct ga_str *out);
/* Whether a listening socket of the host has the port, in the text of /proc/net/tcp, tcp6, udp or
 * udp6. */
bool ga_nat_is_listening(const char *sockets, bool tcp, int64_t port);

#endif
