/* SPDX-License-Identifier: Apache-2.0 */
/* An adapter as a process: what is kept of its standard error. */
#include "validate/adapter.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "t.h"

#define TALKS "#!/bin/sh\nhead -c %d /dev/zero | tr '\\0' x >&2\nread -r line\n" \
	"echo '{\"id\":1,\"ok\":true,\"result\":{}}'\nread -r line\n"

int main(void)
{
	char folder[] = "/tmp/gpuaas-adapter.XXXXXX";
	ga_autofree char *path = mkdtemp(folder) ? ga_xprintf("%s/talks", folder) : NULL;
	ga_autofree char *text = ga_xprintf(TALKS, GA_ADAPTER_STDERR_MAX + (1 << 20));
	struct ga_adapter *adapter = ga_adapter_new(path, folder, -1);
	struct ga_adapter_reply reply;
	struct ga_trial_error error;
	struct ga_err err = GA_ERR_INIT;
	ga_autofree char *said = NULL;
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fchmod(fileno(file), 0700);
	fclose(file);
	t_int(ga_adapter_ask(adapter, "hello", json_object(), 60, &reply, &error, &err), 0,
	      "an adapter that writes more than is kept still answers: %s", err.msg);
	ga_schema_release(&ga_adapter_reply_schema, &reply);
	said = ga_adapter_take_stderr(adapter);
	t_int((int64_t)strlen(said), GA_ADAPTER_STDERR_MAX, "no more than that is kept");
	ga_adapter_close(adapter);
	remove(path);
	remove(folder);
	return t_done();
}
