/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of ga_setup_look. */
#ifndef GA_LOOK_SETUP_INTERNAL_H
#define GA_LOOK_SETUP_INTERNAL_H

#include "look/setup/look.h"

/* Adds the bridge, its address and the NAT rules to f; what cannot be read stays unknown. */
void ga_setup_look_network(struct ga_setup_facts *f);
/* Adds the memory, GPUs, physical functions and, unless f->boot is set, disks to f. accelerators:
 * file of the catalogue; NULL: the built-in one. */
GA_MUST_CHECK int ga_setup_look_devices(const char *accelerators, struct ga_setup_facts *f,
					struct ga_err *err);

#endif
