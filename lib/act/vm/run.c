/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work on one plan, phase by phase, shared by provision, the power of a VM and its rebuild. A run
 * is prepared, takes locks, runs phases one after another, and ends with an allocation or a
 * failure.
 */
#include "act/image/image.h"
#include "act/vm/internal.h"
#include "base/clock.h"
#include "look/host/host.h"
#include "record/plan.h"
#include "record/time.h"

int ga_provision_prepare(struct ga_provision *p, struct ga_err *err)
{
	size_t i;

	if ((p->opts->dry_run ? ga_hostdb_open_read(p->opts->host_dir, &p->h, err) :
				ga_hostdb_open_or_make(p->opts->host_dir, &p->h, err)) < 0)
		return -1;
	p->changes = (struct ga_changes){ .h = &p->h, .object = p->plan->allocation,
					  .libvirt_uri = p->opts->libvirt_uri,
					  .fabric = p->opts->fabric,
					  .dry_run = p->opts->dry_run, .say = p->opts->to.say };
	p->work = (struct ga_work){ .to = &p->opts->to, .program = p->opts->program,
				    .host_dir = p->opts->host_dir, .dry_run = p->opts->dry_run,
				    .node = p->plan->node, .allocation = p->plan->allocation,
				    .attempt = p->plan->attempt,
				    .generation = p->plan->generation };
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
	free(p->boot_id);
	free(p->vm_dir);
	free(p->seed_path);
	free(p->console_log);
	free(p->known_hosts);
	ga_attempt_release(&p->attempt);
	ga_changes_close(&p->changes);
	ga_hostdb_close(&p->h);
	ga_work_clear(&p->work);
}

/* ---- one phase ---- */

int ga_provision_run_phase(struct ga_provision *p, const struct ga_phase_def *def,
			   struct ga_err *err)
{
	ga_autofree char *started_at = ga_time_now();
	struct ga_phase *row;

	if (ga_work_phase(&p->work, def->name, err) < 0)
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
	if (def->writes && ga_work_progress(&p->work, "started", err) < 0)
		return -1;
	if (def->run(p, err) < 0)
		return -1;
	row = ga_list_add(&p->out.phases);
	row->phase = ga_xstrdup(def->name);
	row->started_at = ga_xstrdup(started_at);
	row->elapsed_micros = ga_clock_mono_micros() - p->work.started;
	row->bytes = p->work.total_bytes ? p->work.bytes : GA_UNKNOWN;
	row->detail = ga_strdup0(p->work.detail);
	/* A phase that only looks runs again in each run: it is no place to continue from, and
	 * noted here it would hide how far an earlier run came. */
	if (def->writes && p->began && p->noting &&
	    ga_attempt_phase(&p->h, p->noting, def->name, err) < 0)
		return -1;
	return ga_work_progress(&p->work, "finished", err);
}

/* ---- the end ---- */

int ga_provision_finish(struct ga_provision *p, struct ga_err *err)
{
	ga_autofree char *text = ga_rec_format_text(&ga_allocation_schema, &p->out);

	if (!p->opts->dry_run && p->noting &&
	    ga_attempt_end(&p->h, p->noting, "done", text, err) < 0)
		return -1;
	return ga_work_emit(&p->work, &ga_allocation_schema, &p->out, err);
}

int ga_provision_fail(struct ga_provision *p, const struct ga_err *why, struct ga_err *err)
{
	return ga_work_fail(&p->work, why, p->began && p->noting ? &p->h : NULL, p->noting, err);
}
