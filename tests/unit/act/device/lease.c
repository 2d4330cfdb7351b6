/* SPDX-License-Identifier: Apache-2.0 */
/* Releases a lease with a fake dhcp_release, found on the normal search path of programs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "act/device/lease.h"
#include "base/file.h"
#include "base/proc.h"
#include "t.h"

static char dir[64];

/* A dhcp_release that notes its arguments and ends with the status; NULL: none is installed. */
static void install(const char *status)
{
	ga_autofree char *path = ga_xprintf("%s/dhcp_release", dir);
	ga_autofree char *text = ga_xprintf("#!/bin/sh\necho \"$*\" > '%s/said'\necho no >&2\n"
					    "exit %s\n", dir, status ? status : "0");
	struct ga_err err = GA_ERR_INIT;

	unlink(path);
	if (status && ga_file_replace(path, text, strlen(text), 0755, &err) < 0)
		exit(1);
}

int main(void)
{
	static const struct {
		const char *name, *status, *bridge;
		int r;
		const char *said;
	} rows[] = {
		{ "released", "0", "lo", 1, "lo 10.100.0.10 02:00:00:00:00:01\n" },
		{ "the tool fails", "1", "lo", -1, "lo 10.100.0.10 02:00:00:00:00:01\n" },
		{ "the bridge is gone", "0", "no-bridge0", 0, NULL },
		{ "the tool is not installed", NULL, "lo", 0, NULL },
	};
	ga_autofree char *path = NULL, *said = NULL, *tool = NULL;
	struct ga_err err = GA_ERR_INIT;

	snprintf(dir, sizeof(dir), "/tmp/gpuaas-unit-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	/* Without /usr/bin: a dhcp_release of this machine is not found. */
	path = ga_xprintf("%s:%s/none", dir, dir);
	said = ga_xprintf("%s/said", dir);
	tool = ga_xprintf("%s/dhcp_release", dir);
	t_int(ga_proc_set_path(path, &err), 0, "programs are looked for in the test's folder");
	for (size_t i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autostr struct ga_str text = GA_STR_INIT;
		struct ga_err ignored = GA_ERR_INIT;

		ga_err_clear(&err);
		unlink(said);
		install(rows[i].status);
		t_int(ga_dhcp_release_lease(rows[i].bridge, "10.100.0.10", "02:00:00:00:00:01",
					    &err), rows[i].r, "%s: %s", rows[i].name, err.msg);
		if (rows[i].said)
			t_ok(ga_file_read(said, 4096, &text, &ignored) == 0 &&
				     ga_streq(text.buf, rows[i].said),
			     "%s: its arguments", rows[i].name);
		else
			t_ok(access(said, F_OK) < 0, "%s: nothing is run", rows[i].name);
	}
	t_int(err.code, GA_OK, "what cannot be asked is no error");
	unlink(said);
	unlink(tool);
	rmdir(dir);
	return t_done();
}
