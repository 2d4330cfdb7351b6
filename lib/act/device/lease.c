/* SPDX-License-Identifier: Apache-2.0 */
/* Releases leases with dnsmasq's own tool. */
#include "act/device/lease.h"

#include <net/if.h>

#include "base/proc.h"
#include "look/sys.h"

int ga_dhcp_release_lease(const char *bridge, const char *ip, const char *mac, struct ga_err *err)
{
	const char *argv[] = { "dhcp_release", bridge, ip, mac, NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	/* Without the bridge nobody serves the lease, and the tool cannot report that. */
	if (!ga_sys_has_program("dhcp_release") || !if_nametoindex(bridge))
		return 0;
	return ga_proc_check(&(const struct ga_proc){ .argv = argv }, &out, err) < 0 ? -1 : 1;
}
