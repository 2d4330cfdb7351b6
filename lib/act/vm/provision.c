/* SPDX-License-Identifier: Apache-2.0 */
/* The phase machine of provisioning, and the records it ends with. */
#include "act/vm/provision.h"

#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>

#include "act/image/image.h"
#include "act/vm/metal.h"
#include "act/vm/provision_int.h"
#include "base/clock.h"
#include "base/stop.h"
#include "base/texts.h"
#include "look/host/host.h"
#include "record/time.h"
#include "state/host/list.h"

static int phase_hold(struct ga_provision *p, struct ga_err *err);

static const struct ga_phase_def slice_phases[] = {
	{ "hold", phase_hold, false },
	{ "recheck", ga_phase_recheck, false },
	{ "prerequisites", ga_phase_prerequisites, false },
	{ "clone", ga_phase_clone, true },
	{ "seed", ga_phase_seed, true },
	{ "network", ga_phase_network, true },
	{ "devices", ga_phase_devices, true },
	{ "fabric", ga_phase_fabric, true },
	{ "define", ga_phase_define, true },
	{ "start", ga_phase_start, true },
	{ "lease_seen", ga_phase_lease, true },
	{ "ssh_ready", ga_phase_ready, true },
	{ "active", ga_phase_active, true },
	{ NULL, NULL, false },
};

static const struct ga_phase_def metal_phases[] = {
	{ "hold", phase_hold, false },
	{ "recheck", ga_phase_recheck, false },
	{ "deploy", ga_phase_deploy, true },
	{ "active", ga_phase_active, true },
	{ NULL, NULL, false },
};

const char *const ga_provision_phases[] = {
	"hold",	  "recheck", "prerequisites", "clone", "seed",	     "network",	  "devices",
	"fabric", "define",  "start",	      "deploy", "lease_seen", "ssh_ready", "active", NULL,
};

static const struct ga_phase_def *phases_of(const struct ga_plan *plan)
{
	return ga_streq(plan->shape, "baremetal") ? metal_phases : slice_phases;
}

char *ga_provision_vm_dir(const char *host_dir, const char *allocation)
{
	return ga_xprintf("%s/vm/%s", host_dir, allocation);
}

/* ---- telling ---- */

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

/* A stdout that is gone must not leave a half-made VM: the error waits for the end. */
static int settle_stdout(struct ga_provision *p, int r, struct ga_err *err)
{
	if (r >= 0 || !ga_streq(err->reason, "stdout"))
		return r;
	p->stdout_err = *err;
	ga_err_clear(err);
	return 0;
}

int ga_provision_emit(struct ga_provision *p, const struct ga_shape *shape, const void *obj,
		      struct ga_err *err)
{
	return settle_stdout(p, p->opts->result(shape, obj, err), err);
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

int ga_provision_bytes(struct ga_provision *p, int64_t done, int64_t total, struct ga_err *err)
{
	int64_t now = ga_clock_mono_micros();

	p->phase_bytes = done;
	p->phase_total = total;
	if (p->opts->moving)
		p->opts->moving(p->phase, done, total, p->phase_started);
	if (ga_stop_check(p->phase, err) < 0)
		return -1;
	if (now - p->told_at < 1000000)
		return 0;
	p->told_at = now;
	return tell_phase(p, "running", err);
}

/* ---- the records at the end ---- */

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
	ga_autofree char *text = ga_rec_format_text(&ga_failure_shape, &f);

	p->opts->say(words);
	if (p->began && p->noting && ga_attempt_end(&p->h, p->noting, "failed", text, err) < 0)
		return -1;
	return ga_provision_emit(p, &ga_failure_shape, &f, err);
}

static void fill_access(struct ga_provision *p)
{
	struct ga_access *a;

	if (!p->address)
		return;
	a = ga_xcalloc(1, sizeof(*a));
	a->user = ga_strdup0(p->plan->image ? p->plan->image->user : NULL);
	a->address = ga_xstrdup(p->address);
	a->host_key_fingerprint = ga_strdup0(p->key.fingerprint);
	p->out.access = a;
}

static void fill_allocation(struct ga_provision *p)
{
	const struct ga_plan *plan = p->plan;
	struct ga_allocation *a = &p->out;
	size_t i;

	a->allocation = ga_xstrdup(plan->allocation);
	a->name = ga_strdup0(plan->name);
	a->node = ga_xstrdup(plan->node);
	a->generation = plan->generation;
	a->attempt = ga_xstrdup(plan->attempt);
	a->dry_run = p->opts->dry_run;
	a->state = ga_xstrdup(p->opts->dry_run ? "placed" : "active");
	a->since = ga_time_now();
	a->project = ga_xstrdup(plan->project);
	a->profile = ga_xstrdup(plan->profile);
	a->shape = ga_xstrdup(plan->shape);
	a->profile_version = plan->profile_version;
	a->count = plan->count;
	a->priority = 100;
	for (i = 0; i < plan->bundles.n; i++)
		ga_texts_add(&a->slots, plan->bundles.v[i].slot);
	a->power_wanted = ga_xstrdup("on");
	a->power_observed = p->opts->dry_run ? NULL : ga_xstrdup("on");
	a->created_at = ga_xstrdup(plan->created_at);
	a->lab = plan->lab;
	fill_access(p);
	if (p->lease.lease_state) {
		a->network = ga_xcalloc(1, sizeof(*a->network));
		ga_shape_copy(&ga_lease_shape, &p->lease, a->network);
	}
}

/* ---- the phases of this file ---- */

int ga_provision_hold(struct ga_provision *p, const char *object, struct ga_err *err)
{
	int fd;

	if (ga_hold_take(p->opts->host_dir, object, p->opts->program, &fd, err) < 0)
		return -1;
	*ga_list_add(&p->holds) = fd;
	return 0;
}

/* The phase to go on with: the one after the last that was finished. */
static size_t resume_at(const struct ga_provision *p)
{
	const struct ga_phase_def *phases = phases_of(p->plan);
	size_t i;

	for (i = 0; p->attempt.phase && phases[i].name; i++)
		if (ga_streq(phases[i].name, p->attempt.phase))
			return phases[i].writes ? i + 1 : 0;
	return 0;
}

static int phase_hold(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_issuer by = { p->plan->allocation, p->plan->attempt, p->plan->controller,
				      p->plan->epoch };
	size_t i;
	int r;

	/* Who takes a lock twice waits for himself. */
	if (ga_provision_check_twice(p, err) < 0)
		return -1;
	if (p->opts->dry_run)
		return ga_provision_check_order(p, err) < 0 ? -1 :
		       ga_provision_is_here(p) ? ga_hostdb_would_serve(&p->h, &by, err) : 0;
	if (ga_provision_hold(p, p->plan->allocation, err) < 0)
		return -1;
	for (i = 0; i < p->plan->bundles.n; i++)
		if (ga_provision_hold(p, p->plan->bundles.v[i].slot, err) < 0)
			return -1;
	r = ga_attempt_get(&p->h, p->plan->attempt, &p->attempt, err);
	if (r < 0)
		return -1;
	p->known = r;
	p->resume = resume_at(p);
	if (ga_provision_check_order(p, err) < 0)
		return -1;
	return ga_provision_is_here(p) ? ga_hostdb_serve(&p->h, &by, false, err) : 0;
}

int ga_phase_active(struct ga_provision *p, struct ga_err *err)
{
	(void)err;
	if (p->known && !p->key.fingerprint && p->plan->image && !p->opts->dry_run &&
	    ga_host_key_get(p->vm_dir, &p->key, err) < 0)
		return -1;
	fill_allocation(p);
	return 0;
}

/* The plan, with the text of its user-data: what the executables read. To be wiped and freed. */
static int format_deploy(struct ga_provision *p, char **ret, struct ga_err *err)
{
	ga_autofree char *plan = ga_rec_format_text(&ga_plan_shape, p->plan);
	ga_autojson json_t *json = NULL;
	json_error_t why;

	if (!p->plan->user_data_digest) {
		*ret = GA_TAKE(plan);
		return 0;
	}
	json = json_loads(plan, 0, &why);
	if (json_object_set_new(json, "user_data",
				json_stringn(p->user_data.buf, p->user_data.len)) < 0)
		return ga_fail_for(err, GA_BADREC, "user_data_text",
				   "the user-data of '%s' is not text in UTF-8",
				   p->plan->allocation);
	*ret = json_dumps(json, JSON_COMPACT);
	return 0;
}

static int run_deploy(struct ga_provision *p, json_t **ret, struct ga_err *err)
{
	ga_autofree char *order = NULL;
	int r;

	if (p->plan->user_data_digest && !p->user_data.len &&
	    ga_phase_recheck(p, err) < 0)
		return -1;
	if (format_deploy(p, &order, err) < 0)
		return -1;
	r = ga_metal_run(p->opts->baremetal_dir, "deploy", order, ret, err);
	explicit_bzero(order, strlen(order));
	return r;
}

int ga_phase_deploy(struct ga_provision *p, struct ga_err *err)
{
	ga_autojson json_t *answer = NULL;
	const char *address;
	size_t i;

	ga_changes_say(&p->changes, "run every executable in %s/deploy", p->opts->baremetal_dir);
	/* Another machine's disks are no change of this one; the state taints them all the same. */
	for (i = 0; ga_provision_is_here(p) && i < p->plan->bundles.n; i++)
		if (p->plan->bundles.v[i].nvme_wwid &&
		    ga_change_disk(&p->changes, p->plan->bundles.v[i].nvme_wwid,
				   "a tenant's system", err) < 0)
			return -1;
	if (p->opts->dry_run)
		return 0;
	if (run_deploy(p, &answer, err) < 0)
		return -1;
	address = json_string_value(json_object_get(answer, "address"));
	free(p->address);
	p->address = ga_strdup0(address ? address : p->plan->private_ip);
	return 0;
}

/* ---- the machine ---- */

static void note_phase(struct ga_provision *p, const char *started_at)
{
	struct ga_phase *row = ga_list_add(&p->out.phases);

	row->phase = ga_xstrdup(p->phase);
	row->started_at = ga_xstrdup(started_at);
	row->elapsed_micros = ga_clock_mono_micros() - p->phase_started;
	row->bytes = p->phase_total ? p->phase_bytes : GA_UNKNOWN;
	row->detail = ga_strdup0(p->detail);
}

/* An order is taken up with its first phase that writes. */
static int take_up(struct ga_provision *p, struct ga_err *err)
{
	ga_autofree char *order = ga_rec_format_text(&ga_plan_shape, p->plan);

	if (p->began || p->opts->dry_run)
		return 0;
	if (ga_attempt_begin(&p->h, p->plan->attempt, p->plan->allocation, "provision", order,
			     p->boot_id, err) < 0)
		return -1;
	p->began = true;
	return 0;
}

int ga_provision_run_phase(struct ga_provision *p, const struct ga_phase_def *def,
			   struct ga_err *err)
{
	ga_autofree char *started_at = ga_time_now();

	p->phase = def->name;
	p->phase_started = ga_clock_mono_micros();
	p->phase_bytes = p->phase_total = 0;
	free(GA_TAKE(p->detail));
	if (ga_stop_check(def->name, err) < 0)
		return -1;
	/* The first phases are told when they are done: before that the order may be anyone's. */
	if (def->writes && (take_up(p, err) < 0 || tell_phase(p, "started", err) < 0))
		return -1;
	if (def->run(p, err) < 0)
		return -1;
	note_phase(p, started_at);
	if (p->began && p->noting && ga_attempt_phase(&p->h, p->noting, def->name, err) < 0)
		return -1;
	return tell_phase(p, "finished", err);
}

int ga_provision_finish(struct ga_provision *p, struct ga_err *err)
{
	ga_autofree char *text = ga_rec_format_text(&ga_allocation_shape, &p->out);

	if (!p->opts->dry_run && p->noting &&
	    ga_attempt_end(&p->h, p->noting, "done", text, err) < 0)
		return -1;
	return ga_provision_emit(p, &ga_allocation_shape, &p->out, err);
}

/* A reconcile took back what an interrupted run had left, because its allocation had ended. */
static int tell_undone(struct ga_provision *p, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;

	(void)ga_refuse(&why, GA_CONFLICT, "undone", NULL,
			("plan of '%s' was taken up, and taken back when its allocation had ended",
			 p->plan->allocation),
			("place again"));
	return ga_provision_fail(p, &why, err);
}

/* An order that ended before: its result again, nothing twice. */
static int tell_again(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_shape *shape = ga_streq(p->attempt.state, "done") ? &ga_allocation_shape :
									    &ga_failure_shape;
	union {
		struct ga_allocation a;
		struct ga_failure f;
	} u;
	int r;

	if (!p->attempt.result)
		return tell_undone(p, err);
	if (ga_rec_parse_text(p->attempt.result, shape, &u, err) < 0)
		return -1;
	r = p->opts->result(shape, &u, err);
	ga_shape_release(shape, &u);
	return settle_stdout(p, r, err);
}

/* What ends the run without ending the attempt: somebody else is at work on it, or we were asked to
 * stop. No record is made of it, because nothing has failed. */
static bool goes_on(const struct ga_err *why)
{
	return ga_streq(why->reason, "held") || ga_streq(why->reason, "interrupted");
}

static int end_badly(struct ga_provision *p, struct ga_err *why, struct ga_err *err)
{
	if (!goes_on(why))
		return ga_provision_fail(p, why, err);
	*err = *why;
	ga_err_object(err, p->plan->allocation);
	if (ga_streq(why->reason, "interrupted"))
		return ga_hint(err,
			       p->began ? "gpuaas-provision --resume %s goes on where it was"
					: "nothing was changed; gpuaas-list plan prints the plan "
					  "of %s again",
			       p->plan->allocation);
	return -1;
}

static int work(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_phase_def *phases = phases_of(p->plan);
	struct ga_err why = GA_ERR_INIT;
	size_t i;

	for (i = 0; phases[i].name; i++) {
		if (phases[i].writes && i < p->resume)
			continue;
		if (ga_provision_run_phase(p, &phases[i], &why) < 0)
			return end_badly(p, &why, err);
		if (p->known && !ga_streq(p->attempt.state, "working"))
			return tell_again(p, err);
		p->began = p->began || p->known;
	}
	return ga_provision_finish(p, err);
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
	ga_shape_release(&ga_lease_shape, &p->lease);
	ga_shape_release(&ga_allocation_shape, &p->out);
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

int ga_provision_prepare(struct ga_provision *p, struct ga_err *err)
{
	size_t i;

	if ((p->opts->dry_run ? ga_hostdb_open_read(p->opts->host_dir, &p->h, err) :
				ga_hostdb_open(p->opts->host_dir, &p->h, err)) < 0)
		return -1;
	p->changes = (struct ga_changes){ .h = &p->h, .object = p->plan->allocation,
					  .libvirt_uri = p->opts->libvirt_uri,
					  .fabric = p->opts->fabric,
					  .dry_run = p->opts->dry_run, .say = p->opts->say };
	p->noting = p->plan->attempt;
	p->boot_id = ga_host_boot_id();
	p->vm_dir = ga_provision_vm_dir(p->opts->host_dir, p->plan->allocation);
	p->seed_path = ga_xprintf("%s/seed.iso", p->vm_dir);
	p->console_log = ga_xprintf("%s/console.log", p->vm_dir);
	p->known_hosts = ga_xprintf("%s/known_hosts", p->vm_dir);
	p->disks = ga_xcalloc(p->plan->bundles.n + 1, sizeof(*p->disks));
	for (i = 0; i < p->plan->bundles.n; i++)
		p->disks[i] = (struct ga_disk)GA_DISK_INIT;
	ga_shape_init(&ga_allocation_shape, &p->out);
	return 0;
}

int ga_provision(const struct ga_plan *plan, const struct ga_provision_opts *opts,
		 struct ga_err *err)
{
	ga_cleanup(ga_provision_clear) struct ga_provision p = {
		.opts = opts,
		.plan = plan,
		.phase = "hold",
		.key = GA_HOST_KEY_INIT,
		.user_data = GA_STR_INIT,
	};

	if (ga_provision_prepare(&p, err) < 0 || work(&p, err) < 0)
		return -1;
	if (p.stdout_err.code == GA_OK)
		return 0;
	*err = p.stdout_err;
	return -1;
}

/* Finds the provisioning of what a person calls so (ga_hostdb_resolve). 1, or 0: this host knows
 * nothing of that name. */
static int find_named(struct ga_hostdb *h, const char *text, struct ga_attempt *ret,
		      struct ga_err *err)
{
	ga_autofree char *allocation = NULL;
	struct ga_err why = GA_ERR_INIT;

	if (ga_hostdb_resolve(h, text, &allocation, &why) == 0)
		return ga_attempt_find(h, "provision", allocation, ret, err);
	if (why.code == GA_NOTFOUND) {
		ga_err_clear(&why);
		return 0;
	}
	*err = why;
	return -1;
}

/* The order of an attempt, by the attempt's id or by what a person calls its allocation. */
static int find_order(const char *id, const char *host_dir, char **order, struct ga_err *err)
{
	ga_autohostdb struct ga_hostdb h = { 0 };
	ga_autoattempt struct ga_attempt a = { 0 };
	int r;

	if (ga_hostdb_open(host_dir, &h, err) < 0)
		return -1;
	r = ga_attempt_get(&h, id, &a, err);
	if (!r)
		r = find_named(&h, id, &a, err);
	if (r < 0)
		return -1;
	if (!r || !ga_streq(a.program, "provision"))
		return ga_refuse(err, GA_NOTFOUND, NULL, NULL,
				 ("this host has taken up no plan of '%s'", id),
				 ("gpuaas-list plan | gpuaas-provision begins it"));
	*order = GA_TAKE(a.order);
	return 0;
}

int ga_provision_resume(const char *id, const struct ga_provision_opts *opts, struct ga_err *err)
{
	ga_autofree char *order = NULL;
	struct ga_plan plan;
	int r;

	if (find_order(id, opts->host_dir, &order, err) < 0 ||
	    ga_rec_parse_text(order, &ga_plan_shape, &plan, err) < 0)
		return -1;
	r = ga_provision(&plan, opts, err);
	ga_shape_release(&ga_plan_shape, &plan);
	return r;
}
