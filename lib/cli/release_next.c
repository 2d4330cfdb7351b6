/* SPDX-License-Identifier: Apache-2.0 */
/* The line after a release order. It is not in release.c, whose work on the host needs libvirt:
 * gpuaas-node writes such orders too. */
#include "cli/frame/cli.h"
#include "cli/release.h"
#include "decide/setup/remote.h"
#include "record/release.h"
#include "state/allocation/move.h"

void ga_release_say_next(const struct ga_release_order *order, const char *here)
{
	ga_autofree char *command = ga_store_leave(GA_M_ALLOCATION, "releasing", order->shape,
						   order->allocation);
	ga_autofree char *there = ga_streq(order->node, here) ||
						  ga_streq(order->shape, "baremetal") ?
					  NULL : ga_remote_command(command, order->node);

	ga_cli_next("nothing is stopped yet: '%s' does it", there ? there : command);
}
