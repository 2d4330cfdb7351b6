/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of looking. */
#ifndef GA_LOOK_SETUP_INTERNAL_H
#define GA_LOOK_SETUP_INTERNAL_H

#include "look/setup/look.h"

void ga_boot_look_network(struct ga_boot_facts *f);
GA_MUST_CHECK int ga_boot_look_devices(const char *accelerators, struct ga_boot_facts *f,
				       struct ga_err *err);

#endif
