/* SPDX-License-Identifier: Apache-2.0 */
/* DHCP of the private network: one hosts file for each VM, for dnsmasq, and the leases of
 * dnsmasq. */
#ifndef GA_LOOK_DHCP_H
#define GA_LOOK_DHCP_H

#include "base/str.h"

struct ga_lease;

/* The hosts file of an allocation, "DIR/gpuaas-ALLOCATION"; allocated. */
char *ga_dhcp_hosts_path(const char *dir, const char *allocation);
/* One line as dnsmasq's --dhcp-hostsdir reads it. */
void ga_dhcp_hosts_line(const char *mac, const char *ip, const char *name, struct ga_str *out);
/* Looks a MAC up in dnsmasq's lease file (NULL: unknown) and fills the record; the caller releases
 * it. States: seen (it has the reserved address ip), mismatch (another address), missing, unknown
 * (the file cannot be read). */
void ga_dhcp_lease(const char *lease_file, const char *mac, const char *ip,
		   struct ga_lease *ret);
#endif
