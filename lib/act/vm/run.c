/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work on one plan, phase by phase, shared by provision, the power of a VM and its rebuild. A run
 * is prepared, takes locks, runs phases one after another, and ends with an allocation or a
 * failure.
 */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "act/image/image.h"
#include "act/vm/internal.h"
#include "base/clock.h"
#include "base/stop.h"
#include "look/host/host.h"
#include "record/plan.h"
#include "record/time.h"
#include "state/host/list.h"

int ga_provision_prepare(struct ga_provision *p, struct ga_err *err)
{
	size_t i;

	if ((p->opts->dry_run ? ga_hostdb_open_read(p->opts->host_dir, &p->h, err) :
				ga_hostdb_open_or_make(p->opts->host_dir, &p->h, err)) < 0)
		return -1;
	p->changes = (struct ga_changes){ .h = &p->h, .object = p->plan->allocation,
					  .libvirt_uri = p->opts->libvirt_uri,
					  .fabric = p->opts->fabric,
					  .dry_run = p->opts->dry_run, .say = p->opts->say };
	p->noting = p->plan->attempt;
	p->boot_id = ga_host_boot_id();
	p->vm_dir = ga_xprintf("%s/vm/%s", p->opts->host_dir, p->plan->allocation);
	p->seed_path = ga_xprintf("%s/seed.iso", p->vm_dir);
	p->console_log = ga_xprintf("%s/console.log", p->vm_dir);
	p->known_hosts = ga_xprintf("%s/known_hosts", p->vm_dir);
	p->disks = ga_xcalloc(p->plan->bundles.n + 1, sizeof(*p->disks));
	for (i = 0; i < p->plan->bundles.n; i++)
		p->disks[i] = (struct ga_disk)GA_DISK_INIT;
	ga_schema_init(&ga_allocation_schema, &p->out);
	return 0;
}

void ga_provision_clear(struct ga_provision *p)
{
	size_t i;

	for (i = 0; p->disks && i < p->plan->bundles.n; i++)
		ga_disk_release(&p->disks[i]);
	free(p->disks);
	if (p->chunks)
		ga_chunks_release(p->chunks);
	free(p->chunks);
	ga_host_key_release(&p->key);
	if (p->user_data.len)
		explicit_bzero(p->user_data.buf, p->user_data.len);
	ga_str_release(&p->user_data);
	ga_schema_release(&ga_lease_schema, &p->lease);
	ga_schema_release(&ga_allocation_schema, &p->out);
	free(p->address);
	free(p->detail);
	free(p->boot_id);
	free(p->vm_dir);
	free(p->seed_path);
	free(p->console_log);
	free(p->known_hosts);
	ga_attempt_release(&p->attempt);
	ga_changes_close(&p->changes);
	ga_hostdb_close(&p->h);
	for (i = 0; i < p->holds.n; i++)
		close(p->holds.v[i]);
	ga_list_release(&p->holds);
}

int ga_provision_hold(struct ga_provision *p, const char *object, struct ga_err *err)
{
	int fd;

	if (ga_object_lock(p->opts->host_dir, object, p->opts->program, &fd, err) < 0)
		return -1;
	*ga_list_add(&p->holds) = fd;
	return 0;
}

/* ---- reports ---- */

void ga_provision_note(struct ga_provision *p, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	free(p->detail);
	p->detail = ga_xstrdup(text);
}

/* A stdout that is gone must not leave a half-made VM: its error waits until the end. */
static int settle_stdout(struct ga_provision *p, int r, struct ga_err *err)
{
	if (r >= 0 || !ga_streq(err->reason, "stdout"))
		return r;
	p->stdout_err = *err;
	ga_err_clear(err);
	return 0;
}

int ga_provision_emit(struct ga_provision *p, const struct ga_schema *schema, const void *obj,
		      struct ga_err *err)
{
	return settle_stdout(p, p->opts->result(schema, obj, err), err);
}

static int tell_phase(struct ga_provision *p, const char *state, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	const struct ga_progress rec = {
		.node = p->plan->node,
		.object = p->plan->allocation,
		.attempt = p->plan->attempt,
		.generation = p->plan->generation,
		.phase = (char *)(uintptr_t)p->phase,
		.state = (char *)(uintptr_t)state,
		.at = now,
		.elapsed_micros = ga_clock_mono_micros() - p->phase_started,
		.bytes = p->phase_total ? p->phase_bytes : GA_UNKNOWN,
		.total_bytes = p->phase_total ? p->phase_total : GA_UNKNOWN,
		.detail = p->detail,
	};

	if (p->opts->dry_run)
		return 0;
	return settle_stdout(p, p->opts->progress(&rec, err), err);
}

int ga_provision_bytes(int64_t done, int64_t total, void *provision, struct ga_err *err)
{
	struct ga_provision *p = provision;
	int64_t now = ga_clock_mono_micros();

	p->phase_bytes = done;
	p->phase_total = total;
	if (p->opts->moving)
		p->opts->moving(p->phase, done, total, p->phase_started);
	if (ga_stop_check(p->phase, err) < 0)
		return -1;
	if (now - p->reported_at < 1000000)
		return 0;
	p->reported_at = now;
	return tell_phase(p, "running", err);
}

/* ---- one phase ---- */

int ga_provision_run_phase(struct ga_provision *p, const struct ga_phase_def *def,
			   struct ga_err *err)
{
	ga_autofree char *started_at = ga_time_now();
	struct ga_phase *row;

	p->phase = def->name;
	p->phase_started = ga_clock_mono_micros();
	p->phase_bytes = p->phase_total = 0;
	free(GA_TAKE(p->detail));
	if (ga_stop_check(def->name, err) < 0)
		return -1;
	/* The first phase that writes takes the order up. */
	if (def->writes && !p->began && !p->opts->dry_run) {
		ga_autofree char *order = ga_rec_format_text(&ga_plan_schema, p->plan);

		if (ga_attempt_begin(&p->h, p->plan->attempt, p->plan->allocation, "provision",
				     order, p->boot_id, err) < 0)
			return -1;
		p->began = true;
	}
	/* Phases that only look are reported when they are done: before its check, the order may
	 * belong to another host. */
	if (def->writes && tell_phase(p, "started", err) < 0)
		return -1;
	if (def->run(p, err) < 0)
		return -1;
	row = ga_list_add(&p->out.phases);
	row->phase = ga_xstrdup(p->phase);
	row->started_at = ga_xstrdup(started_at);
	row->elapsed_micros = ga_clock_mono_micros() - p->phase_started;
	row->bytes = p->phase_total ? p->phase_bytes : GA_UNKNOWN;
	row->detail = ga_strdup0(p->detail);
	/* A phase that only looks runs again in each run: it is no place to continue from, and
	 * noted here it would hide how far an earlier run came. */
	if (def->writes && p->began && p->noting &&
	    ga_attempt_phase(&p->h, p->noting, def->name, err) < 0)
		return -1;
	return tell_phase(p, "finished", err);
}

/* ---- the end ---- */

int ga_provision_finish(struct ga_provision *p, struct ga_err *err)
{
	ga_autofree char *text = ga_rec_format_text(&ga_allocation_schema, &p->out);

	if (!p->opts->dry_run && p->noting &&
	    ga_attempt_end(&p->h, p->noting, "done", text, err) < 0)
		return -1;
	return ga_provision_emit(p, &ga_allocation_schema, &p->out, err);
}

int ga_provision_fail(struct ga_provision *p, const struct ga_err *why, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	const struct ga_failure f = {
		.node = p->plan->node,
		.object = p->plan->allocation,
		.attempt = p->plan->attempt,
		.generation = p->plan->generation,
		.program = (char *)(uintptr_t)p->opts->program,
		.phase = (char *)(uintptr_t)p->phase,
		.code = (char *)(uintptr_t)(why->reason[0] ? why->reason : "failed"),
		.sentence = (char *)(uintptr_t)why->msg,
		.hint = why->hint[0] ? (char *)(uintptr_t)why->hint : NULL,
		.status = (int64_t)why->code,
		.at = now,
		.dry_run = p->opts->dry_run,
	};
	ga_autofree char *words = ga_xprintf("%s: %s%s%s", p->plan->allocation, why->msg,
					     why->hint[0] ? "\n  " : "", why->hint);
	ga_autofree char *text = ga_rec_format_text(&ga_failure_schema, &f);

	p->opts->say(words);
	if (p->began && p->noting && ga_attempt_end(&p->h, p->noting, "failed", text, err) < 0)
		return -1;
	return ga_provision_emit(p, &ga_failure_schema, &f, err);
}

bool ga_provision_may_go_on(const struct ga_err *why)
{
	return ga_streq(why->reason, "held") || ga_streq(why->reason, "interrupted");
}

int ga_provision_stdout_error(const struct ga_provision *p, struct ga_err *err)
{
	if (p->stdout_err.code == GA_OK)
		return 0;
	*err = p->stdout_err;
	return -1;
}
