/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs that a VM serves. */
#include "act/vm/ready.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"

#define TAIL_BYTES (256 << 10)

static const char marker[] = "gpuaas-ready ";

int64_t ga_ready_seconds(const struct ga_plan *plan)
{
	int64_t own = plan->image ? plan->image->ready_seconds : GA_UNKNOWN;
	int64_t rest = plan->memory_mib / 512 + 60 * (int64_t)plan->bundles.n;

	if (own != GA_UNKNOWN && own > 0)
		return own + rest;
	return 180 + rest < 7200 ? 180 + rest : 7200;
}

int ga_ready_ssh(const char *user, const char *address, const char *known_hosts,
		 struct ga_err *err)
{
	ga_autofree char *file = ga_xprintf("-oUserKnownHostsFile=%s", known_hosts);
	ga_autofree char *to = ga_xprintf("%s@%s", user ? user : "gpuaas-probe", address);
	const char *argv[] = { "ssh",
			       "-F",
			       "/dev/null",
			       "-T",
			       "-oBatchMode=yes",
			       "-oStrictHostKeyChecking=yes",
			       file,
			       "-oGlobalKnownHostsFile=/dev/null",
			       "-oHostKeyAlgorithms=ssh-ed25519",
			       "-oConnectTimeout=5",
			       "-oIdentitiesOnly=yes",
			       "-oIdentityFile=/dev/null",
			       "-oIdentityAgent=none",
			       "-oPreferredAuthentications=publickey",
			       "-oUpdateHostKeys=no",
			       "--",
			       to,
			       "true",
			       NULL };
	const struct ga_proc p = { .argv = argv, .timeout_micros = INT64_C(20000000) };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	struct ga_err slow = GA_ERR_INIT;

	if (ga_proc_run(&p, &out, &slow) < 0) {
		if (slow.code == GA_BUSY)
			return 0;
		*err = slow;
		return -1;
	}
	if (!out.status || strstr(out.err.buf, "Permission denied ("))
		return 1;
	if (strstr(out.err.buf, "Host key verification failed") ||
	    strstr(out.err.buf, "REMOTE HOST IDENTIFICATION HAS CHANGED"))
		return ga_fail_for(err, GA_CONFLICT, "host_key_mismatch",
				   "who answers at '%s' does not have the host key of this VM",
				   address);
	return 0;
}

bool ga_ready_serial(const char *console_log)
{
	ga_autofd int fd = open(console_log, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ga_autofree char *buf = NULL;
	struct stat st;
	off_t from;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	from = st.st_size > TAIL_BYTES ? st.st_size - TAIL_BYTES : 0;
	buf = ga_xcalloc(1, TAIL_BYTES);
	n = pread(fd, buf, TAIL_BYTES, from);
	return n > 0 && memmem(buf, (size_t)n, marker, sizeof(marker) - 1);
}
