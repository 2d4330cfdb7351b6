/* SPDX-License-Identifier: Apache-2.0 */
/* The readiness check: the phases lease_seen and ssh_ready, and the proofs that they wait for. */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/vm/internal.h"
#include "act/vm/ready.h"
#include "base/clock.h"
#include "base/proc.h"
#include "base/stop.h"
#include "look/dhcp.h"
#include "record/plan.h"

#define POLL_MICROS 500000
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

/* Starts one clock for both phases, at the first of them. */
static void start_clock(struct ga_provision *p)
{
	if (!p->deadline)
		p->deadline = ga_clock_mono_micros() + ga_ready_seconds(p->plan) * GA_SECOND;
}

/* Whether the VM runs; a VM that has stopped will not become ready. */
static int check_power(struct ga_provision *p, struct ga_err *err)
{
	enum ga_virt_state state;
	struct ga_virt *virt;

	if (ga_changes_virt(&p->changes, &virt, err) < 0 ||
	    ga_virt_state(virt, p->plan->domain, &state, err) < 0)
		return -1;
	if (state == GA_VIRT_ON)
		return 0;
	return ga_refuse(err, GA_EXTERNAL, "vm_stopped", NULL,
			 ("domain '%s' no longer runs", p->plan->domain),
			 ("its console is in '%s'", p->console_log));
}

static int too_late(struct ga_provision *p, const char *reason, const char *what,
		    struct ga_err *err)
{
	return ga_refuse(err, GA_BUSY, reason, NULL,
			 ("VM '%s' %s within %" PRId64 " s", p->plan->domain, what,
			  ga_ready_seconds(p->plan)),
			 ("its console is in '%s'; gpuaas-release %s releases it", p->console_log,
			  p->plan->allocation));
}

/* ---- lease_seen ---- */

static void look_at_lease(struct ga_provision *p)
{
	ga_schema_release(&ga_lease_schema, &p->lease);
	ga_dhcp_lease(p->plan->network.lease_file, p->plan->mac, p->plan->private_ip, &p->lease);
}

int ga_phase_lease(struct ga_provision *p, struct ga_err *err)
{
	bool running = ga_streq(p->plan->image->probe, "running");

	start_clock(p);
	if (p->opts->dry_run)
		return 0;
	look_at_lease(p);
	if (running || !p->plan->network.lease_file || !p->plan->mac) {
		ga_work_note(&p->work, "%s",
			     running ? "lab: not waited for" : "no lease file is set");
		return 0;
	}
	while (!ga_streq(p->lease.lease_state, "seen")) {
		if (ga_stop_check("waiting for the lease", err) < 0 || check_power(p, err) < 0)
			return -1;
		if (ga_streq(p->lease.lease_state, "mismatch"))
			return ga_fail_for(err, GA_CONFLICT, "lease_mismatch",
					   "'%s' has address '%s' instead of '%s'", p->plan->mac,
					   p->lease.actual_ip, p->plan->private_ip);
		if (!ga_clock_wait(p->deadline, POLL_MICROS))
			return too_late(p, "no_lease", "requested no address", err);
		look_at_lease(p);
	}
	return 0;
}

/* ---- ssh_ready ---- */

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
	const struct ga_proc p = { .argv = argv, .timeout_micros = 20 * GA_SECOND };
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
				   "what answers at '%s' does not have the host key of this VM",
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

/* Whether the proof that the image names is there: 1 yes, 0 not yet. */
static int probe(struct ga_provision *p, struct ga_err *err)
{
	const char *how = p->plan->image->probe;
	struct ga_virt *virt;

	if (ga_streq(how, "running"))
		return 1;
	if (ga_streq(how, "serial"))
		return ga_ready_serial(p->console_log);
	if (ga_streq(how, "agent"))
		return ga_changes_virt(&p->changes, &virt, err) < 0 ?
			       -1 :
			       ga_virt_agent(virt, p->plan->domain, err);
	return ga_ready_ssh(p->plan->image->user, p->plan->private_ip, p->known_hosts, err);
}

int ga_phase_ready(struct ga_provision *p, struct ga_err *err)
{
	int r;

	start_clock(p);
	if (p->opts->dry_run)
		return 0;
	if (ga_streq(p->plan->image->probe, "ssh") && !p->plan->private_ip)
		return ga_fail_for(err, GA_CONFLICT, "missing_ip",
				   "plan of '%s' has no address to reach by ssh",
				   p->plan->allocation);
	for (;;) {
		if (ga_stop_check("waiting for readiness", err) < 0 || check_power(p, err) < 0)
			return -1;
		r = probe(p, err);
		if (r)
			break;
		if (!ga_clock_wait(p->deadline, POLL_MICROS))
			return too_late(p, "not_ready", "did not become ready", err);
	}
	if (r < 0)
		return -1;
	ga_work_note(&p->work, "probe %s", p->plan->image->probe);
	free(p->address);
	p->address = ga_strdup0(p->plan->private_ip);
	return 0;
}
