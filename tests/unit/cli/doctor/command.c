/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of a hint gpuaas-doctor shows as the command to paste. */
#include "t.h"

#include "cli/doctor/doctor.h"

int main(void)
{
	static const struct {
		const char *hint, *command;
	} cases[] = {
		{ NULL, NULL },
		{ "", NULL },
		{ "run 'gpuaas-host-bootstrap --mode slice', which loads the table 'ip gpuaas'",
		  "gpuaas-host-bootstrap --mode slice" },
		{ "'gpuaas-approve disable s1 --reason TEXT' takes it out of sale; then 'gpuaas-x'",
		  "gpuaas-approve disable s1 --reason TEXT" },
		{ "'gpuaas-state migrate' makes all triggers again", "gpuaas-state migrate" },
		/* by hand, of others, or a decision first */
		{ "apt install libvirt-daemon-system, then 'systemctl start libvirtd.socket'",
		  NULL },
		{ "look at it; if nobody needs the data: gpuaas-discover | gpuaas-approve --slot 0 "
		  "--destroy-data eui.1 | gpuaas-wipe", NULL },
		{ "stop all writers and go back to a backup", NULL },
		{ "a quote without an end: 'gpuaas-state migrate", NULL },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autofree char *command = ga_doctor_command(cases[i].hint);

		t_str(command, cases[i].command, "command of case %zu", i);
	}
	return t_done();
}
