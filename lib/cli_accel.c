/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the accelerator catalogue. */
#include "cli_accel.h"

#include "cli.h"

const char *ga_cli_catalogue_file(void)
{
	ga_accels_drop_ins(
		ga_cli_setting("GPUAAS_ACCELERATORS_DIR", "/etc/gpuaas/accelerators.d"));
	return ga_cli_setting("GPUAAS_ACCELERATORS", NULL);
}

int ga_cli_catalogue(struct ga_accels **ret, struct ga_err *err)
{
	return ga_accels_open(ga_cli_catalogue_file(), ret, err);
}
