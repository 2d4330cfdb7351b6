/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one nftables table of gpuaas, "ip gpuaas", by nft: source NAT for the private network, no way
 * from slice to slice or from outside into a slice, the host closed to slices but for DHCP, DNS and
 * ICMP, and the ports that are published. look/net/net.h reads it back. All here needs root.
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
 * The table as nft -f reads it: sets it up anew in one transaction, whatever is there, and keeps
 * what is published. Also what boot loads from a file. GA_HOST when the network has no bridge,
 * gateway or prefix, or the bridge's name could be no interface's.
 */
GA_MUST_CHECK int ga_nat_ruleset(const struct ga_network *n, struct ga_str *out,
				 struct ga_err *err);
/* Loads it and reads it back: GA_EXTERNAL when it does not stand then. Harmless when it stands. */
GA_MUST_CHECK int ga_nat_setup(const struct ga_network *n, struct ga_err *err);
/* Removes the table and what is published with it; nothing to do is done. */
GA_MUST_CHECK int ga_nat_remove(struct ga_err *err);

/*
 * Opens one port of the host to one port of a slice. Done already is done. GA_CONFLICT "port_taken"
 * when the port leads elsewhere or the host itself listens on it, GA_HOST "nat_missing" when the
 * table is not set up, GA_USAGE when the parts are none (allocation, tcp or udp, ports, address).
 */
GA_MUST_CHECK int ga_nat_publish(const struct ga_net_ingress *i, struct ga_err *err);
/* Closes it, new and open connections: 1 closed, 0 the allocation has not published it (also when
 * somebody else has). Only proto, port and allocation are looked at. */
GA_MUST_CHECK int ga_nat_unpublish(const struct ga_net_ingress *i, struct ga_err *err);

/*
 * Makes the kernel forget the connections of a slice's address, both ways (conntrack(8)), so that
 * what answers its last tenant does not reach the next one. 1 when there were some, 0 when not;
 * GA_HOST "conntrack_missing" when the tool is not installed.
 */
GA_MUST_CHECK int ga_nat_forget(const char *ip, struct ga_err *err);

/* The commands publish and unpublish give nft; with_target: the last that leads to the address
 * and port there. */
void ga_nat_publish_text(const struct ga_net_ingress *i, struct ga_str *out);
void ga_nat_unpublish_text(const struct ga_net_ingress *i, bool with_target, struct ga_str *out);
/* Whether a listening socket of the host has the port, in the text of /proc/net/tcp, tcp6, udp or
 * udp6. */
bool ga_nat_is_listening(const char *sockets, bool tcp, int64_t port);

#endif
