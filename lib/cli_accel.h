/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of accelerator types as the settings of this machine have it. */
#ifndef GA_CLI_ACCEL_H
#define GA_CLI_ACCEL_H

#include "accel.h"

/* GPUAAS_ACCELERATORS in place of the built-in one, with the drop-ins of GPUAAS_ACCELERATORS_DIR
 * (default /etc/gpuaas/accelerators.d). */
int ga_cli_catalogue(struct ga_accels **ret, struct ga_err *err);
/* Only the settings, for what opens a catalogue itself. The file to stand in, or NULL. */
const char *ga_cli_catalogue_file(void);

#endif
