/* SPDX-License-Identifier: Apache-2.0 */
/* Ends leases that dnsmasq has given; look/dhcp.h reads them. */
#ifndef GA_ACT_DEVICE_LEASE_H
#define GA_ACT_DEVICE_LEASE_H

#include "base/ga.h"

/* Asks dnsmasq to forget the lease (dhcp_release(1)). 1: the request was sent; 0: it cannot be
 * sent, because the tool is not installed or the bridge is gone; -1: GA_EXTERNAL, the tool
 * failed. */
GA_MUST_CHECK int ga_dhcp_release_lease(const char *bridge, const char *ip, const char *mac,
					struct ga_err *err);

#endif
