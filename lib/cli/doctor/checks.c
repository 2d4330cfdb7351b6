/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of gpuaas-doctor: the programs, and the findings in their records. */
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "cli/doctor/doctor.h"
#include "cli/frame/cli.h"
#include "record/boot.h"
#include "record/fault.h"
#include "record/host.h"

/* ---- the state ---- */

/* A finding about an object of the state. Where its command is not one to paste as it stands, a
 * person looks first: the command stands in the sentence, and the one to paste shows the object. */
static void add_of_state(struct ga_doctor *d, const char *check, const char *object,
			 const char *code, const char *sentence, const char *command)
{
	ga_autofree char *show = NULL, *both = NULL;

	if (command && !ga_doctor_may_paste(command)) {
		both = strstr(sentence, command) ?
			       ga_xstrdup(sentence) :
			       ga_xprintf("%s; the command: %s", sentence, command);
		show = object ? ga_command("gpuaas-show %s", object) : NULL;
		sentence = both;
		command = show;
	}
	ga_doctor_add(d, ga_doctor_is_order(check, code) ? "warning" : "error", check, object, code,
		      sentence, command);
}

static void on_finding(struct ga_doctor *d, const struct ga_rec *rec)
{
	struct ga_err ignored = GA_ERR_INIT;
	ga_autofree char *sentence = NULL, *command = NULL;
	struct ga_finding f;

	if (!ga_rec_is(rec, &ga_finding_schema) ||
	    ga_rec_parse(rec, &ga_finding_schema, &f, &ignored) < 0)
		return;
	sentence = ga_xprintf("%s%s%s", f.sentence, f.hint ? "; " : "", f.hint ? f.hint : "");
	command = ga_doctor_command(f.hint);
	add_of_state(d, "state", f.object, f.check, sentence, command);
	ga_schema_release(&ga_finding_schema, &f);
}

static void on_attention(struct ga_doctor *d, const struct ga_rec *rec)
{
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_attention a;

	if (!ga_rec_is(rec, &ga_attention_schema) ||
	    ga_rec_parse(rec, &ga_attention_schema, &a, &ignored) < 0)
		return;
	add_of_state(d, "attention", a.object, a.code, a.sentence, a.command);
	ga_schema_release(&ga_attention_schema, &a);
}

/* The words on standard error that are no record: how many entries are hidden. */
static void pass_on_words(const struct ga_answer *a)
{
	const char *line = a->result.err.buf;

	while (line && *line) {
		size_t n = strcspn(line, "\n");

		if (n && *line != '{')
			ga_say("%.*s", (int)n, line);
		line += n + (line[n] == '\n');
	}
}

void ga_doctor_state(struct ga_doctor *d)
{
	ga_autoanswer struct ga_answer check = { 0 }, attention = { 0 };

	ga_doctor_ask(d, "state", (const char *const[]){ "gpuaas-state", "check", "--json",
							  "--state", ga_cli_state_path(), NULL },
		      &check);
	ga_doctor_records(d, "state", &check, on_finding);
	d->has_state = check.ran;
	if (!check.ran)
		return;
	ga_doctor_ask(d, "attention",
		      (const char *const[]){ "gpuaas-list", "attention", "--json", "--state",
					     ga_cli_state_path(), NULL }, &attention);
	ga_doctor_records(d, "attention", &attention, on_attention);
	pass_on_words(&attention);
}

/* ---- this host ---- */

static void on_slot(struct ga_doctor *d, const struct ga_rec *rec)
{
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_slot s;

	if (ga_rec_is(rec, &ga_slot_schema) &&
	    ga_rec_parse(rec, &ga_slot_schema, &s, &ignored) == 0)
		*ga_list_add(&d->slots) = s;
}

/* Adds a value to a condition; one with a quote has two of them. */
static void add_value(struct ga_str *s, const char *member, const char *value)
{
	if (!value)
		return;
	ga_str_addf(s, s->len ? ",\"" : "%s=\"", member);
	for (; *value; value++) {
		if (*value == '"')
			ga_str_addc(s, '"');
		ga_str_addc(s, *value);
	}
	ga_str_addc(s, '"');
}

static void on_devices(struct ga_doctor *d, const struct ga_rec *rec)
{
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_candidate c;

	if (!ga_rec_is(rec, &ga_candidate_schema) ||
	    ga_rec_parse(rec, &ga_candidate_schema, &c, &ignored) < 0)
		return;
	add_value(&d->gpus, "gpu_identity", c.gpu ? c.gpu->identity : NULL);
	add_value(&d->disks, "nvme_wwid", c.nvme ? c.nvme->wwid : NULL);
	ga_schema_release(&ga_candidate_schema, &c);
}

/* The slot that has the candidate's disk, or else its GPU; NULL: none that is not retired. */
static const struct ga_slot *slot_of(const struct ga_doctor *d, const struct ga_candidate *c)
{
	const struct ga_slot *of_gpu = NULL;
	size_t i;

	for (i = 0; i < d->slots.n; i++) {
		const struct ga_slot *s = &d->slots.v[i];

		if (ga_streq(s->state, "retired"))
			continue;
		if (c->nvme && c->nvme->wwid && ga_streq(s->nvme_wwid, c->nvme->wwid))
			return s;
		if (c->gpu && c->gpu->identity && ga_streq(s->gpu_identity, c->gpu->identity))
			of_gpu = s;
	}
	return of_gpu;
}

/* Whether the reasons of a candidate are nothing to act on: what is on the disk of a slot in use is
 * its tenant's, and nobody may be advised to destroy it. Attention has what such a slot needs. */
static bool is_in_use(const struct ga_slot *s)
{
	return s && strcmp(s->state, "disabled") != 0 && strcmp(s->state, "available") != 0;
}

/* Whether a reason is data that may be a tenant's: only a state that has the disk in a slot knows
 * whose it is, and this one may be missing, new, or another one. */
static bool is_unowned(const struct ga_reason *r, const struct ga_candidate *c,
		       const struct ga_slot *slot)
{
	return ga_streq(r->code, GA_FAULT_NVME_SIGNATURE) &&
	       !(slot && c->nvme && ga_streq(slot->nvme_wwid, c->nvme->wwid));
}

static void add_unowned(struct ga_doctor *d)
{
	ga_autofree char *sentence = NULL;

	if (!d->unowned.len)
		return;
	sentence = ga_xprintf("not checked: there is data on the disks of candidates %s, and no "
			      "state that this check can read has these disks in a slot: it may "
			      "be the data of tenants. Look at it, and in the state of this host, "
			      "before it is destroyed; a lost state comes back from its backup",
			      d->unowned.buf);
	ga_doctor_add(d, "unchecked", "discover", NULL, GA_FAULT_NVME_SIGNATURE, sentence, NULL);
}

static bool attention_has(const struct ga_doctor *d, const char *object, const char *code)
{
	size_t i;

	for (i = 0; i < d->findings.n; i++) {
		const struct ga_doctor_finding *f = &d->findings.v[i];

		if (ga_streq(f->check, "attention") && ga_streq(f->object, object) &&
		    ga_streq(f->code, code))
			return true;
	}
	return false;
}

/* One finding for an object and a code. */
static void add_reason(struct ga_doctor *d, const char *severity, const char *object,
		       const struct ga_reason *r)
{
	ga_autofree char *sentence = ga_xprintf("%s%s%s%s%s", r->subject ? r->subject : "",
						r->subject && r->evidence ? ": " : "",
						r->evidence ? r->evidence : r->code,
						r->hint ? "; " : "", r->hint ? r->hint : "");
	ga_autofree char *command = ga_doctor_command(r->hint);
	bool may_paste = command && ga_doctor_may_paste(command);
	size_t i;

	if (attention_has(d, object, r->code))
		return;
	for (i = 0; i < d->findings.n; i++) {
		const struct ga_doctor_finding *f = &d->findings.v[i];

		if (ga_streq(f->check, "discover") && ga_streq(f->code, r->code) &&
		    ga_streq(f->object, object))
			return;
	}
	ga_doctor_add(d, severity, "discover", object, r->code, sentence,
		      may_paste ? command : NULL);
}

static void on_candidate(struct ga_doctor *d, const struct ga_rec *rec)
{
	struct ga_err ignored = GA_ERR_INIT;
	const struct ga_slot *slot;
	struct ga_candidate c;
	size_t i;

	if (!ga_rec_is(rec, &ga_candidate_schema))
		return;
	d->has_gpu = true;
	if (ga_rec_parse(rec, &ga_candidate_schema, &c, &ignored) < 0)
		return;
	slot = slot_of(d, &c);
	for (i = 0; i < c.reasons.n && !is_in_use(slot); i++) {
		ga_autofree char *object = ga_xprintf("#%lld", (long long)c.slot_index);

		if (is_unowned(&c.reasons.v[i], &c, slot)) {
			ga_str_addf(&d->unowned, "%s%s", d->unowned.len ? ", " : "", object);
			continue;
		}
		/* Attention has the blockers that the state knows, unless they are acknowledged. */
		if (slot && ga_reasons_has(&slot->blockers, c.reasons.v[i].code))
			continue;
		add_reason(d, "warning", object, &c.reasons.v[i]);
	}
	ga_schema_release(&ga_candidate_schema, &c);
}

static void on_host(struct ga_doctor *d, const struct ga_rec *rec)
{
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_host h;
	size_t i;

	if (!ga_rec_is(rec, &ga_host_schema) ||
	    ga_rec_parse(rec, &ga_host_schema, &h, &ignored) < 0)
		return;
	for (i = 0; i < h.blockers.n; i++)
		add_reason(d, "error", h.node, &h.blockers.v[i]);
	for (i = 0; i < h.warnings.n; i++)
		add_reason(d, "warning", h.node, &h.warnings.v[i]);
	ga_schema_release(&ga_host_schema, &h);
}

static void on_step(struct ga_doctor *d, const struct ga_rec *rec)
{
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_bootstrap_step s;

	if (!ga_rec_is(rec, &ga_bootstrap_step_schema) ||
	    ga_rec_parse(rec, &ga_bootstrap_step_schema, &s, &ignored) < 0)
		return;
	if (strcmp(s.state, "ok") != 0) {
		/* Without the setting a tag of the machine has the mode. */
		const char *mode = ga_cli_setting("GPUAAS_MODE", NULL);
		ga_autofree char *command = ga_xprintf("gpuaas-host-bootstrap%s%s",
						       mode ? " --mode " : "", mode ? mode : "");
		bool person = !strcmp(s.state, "manual") || !strcmp(s.state, "blocked");
		ga_autofree char *sentence = ga_xprintf("%s: %s%s%s", s.state,
							s.reason ? s.reason : s.step,
							s.hint ? "; " : "", s.hint ? s.hint : "");

		ga_doctor_add(d, "warning", "bootstrap", s.subject, s.step, sentence,
			      person ? NULL : command);
	}
	ga_schema_release(&ga_bootstrap_step_schema, &s);
}

static bool read_slots(struct ga_doctor *d, const struct ga_str *where)
{
	ga_autoanswer struct ga_answer slots = { 0 };

	if (!where->len)
		return true;
	ga_doctor_ask(d, "discover",
		      (const char *const[]){ "gpuaas-list", "slots", "--json", "--state",
					     ga_cli_state_path(), "--where", where->buf, NULL },
		      &slots);
	ga_doctor_records(d, "discover", &slots, on_slot);
	return slots.ran;
}

/* A machine that only has the state needs nothing of a host: only one with a GPU does. */
void ga_doctor_host(struct ga_doctor *d)
{
	ga_autoanswer struct ga_answer found = { 0 }, setup = { 0 };

	ga_doctor_ask(d, "discover", (const char *const[]){ "gpuaas-discover", "--json", NULL },
		      &found);
	if (!found.ran)
		return;
	ga_doctor_records(d, "discover", &found, on_devices);
	/* When the slots are not known, which is a finding, nor is which disks are in use. */
	if (d->has_state && (!read_slots(d, &d->gpus) || !read_slots(d, &d->disks)))
		return;
	ga_doctor_records(d, "discover", &found, on_candidate);
	if (!d->has_gpu) {
		ga_doctor_add(d, "unchecked", "discover", NULL, NULL,
			      "not checked: this machine has no GPU, so the checks of a host are "
			      "left out", NULL);
		return;
	}
	ga_doctor_records(d, "discover", &found, on_host);
	add_unowned(d);
	ga_doctor_ask(d, "bootstrap",
		      (const char *const[]){ "gpuaas-host-bootstrap", "--check", "--json", NULL },
		      &setup);
	ga_doctor_records(d, "bootstrap", &setup, on_step);
}

/* ---- units ---- */

static void check_timer(struct ga_doctor *d, const char *name)
{
	ga_autofree char *timer = ga_xprintf("gpuaas-%s.timer", name);
	ga_autofree char *service = ga_xprintf("gpuaas-%s.service", name);
	ga_autofree char *sentence = NULL, *command = NULL;
	ga_autoproc struct ga_proc_result enabled = GA_PROC_RESULT_INIT,
					   failed = GA_PROC_RESULT_INIT;
	const struct ga_proc is_enabled = {
		.argv = (const char *const[]){ "systemctl", "is-enabled", timer, NULL },
		.ends_with_us = true };
	const struct ga_proc is_failed = {
		.argv = (const char *const[]){ "systemctl", "is-failed", "--quiet", service,
					       NULL },
		.ends_with_us = true };
	struct ga_err err = GA_ERR_INIT;

	if (ga_proc_run(&is_enabled, &enabled, &err) < 0 ||
	    ga_proc_run(&is_failed, &failed, &err) < 0) {
		ga_doctor_add(d, "unchecked", "units", timer, NULL, err.msg, NULL);
		return;
	}
	if (failed.status == 0) {
		sentence = ga_xprintf("its last run failed");
		command = ga_xprintf("journalctl -u %s -n 50", service);
		ga_doctor_add(d, "error", "units", service, NULL, sentence, command);
	} else if (ga_starts(enabled.out.buf, "disabled")) {
		sentence = ga_xprintf("it is installed and not enabled");
		command = ga_xprintf("systemctl enable --now %s", timer);
		ga_doctor_add(d, "warning", "units", timer, NULL, sentence, command);
	}
}

static bool systemd_runs(void)
{
	ga_autoproc struct ga_proc_result running = GA_PROC_RESULT_INIT;
	const struct ga_proc p = {
		.argv = (const char *const[]){ "systemctl", "is-system-running", NULL },
		.ends_with_us = true };
	struct ga_err ignored = GA_ERR_INIT;

	return ga_proc_run(&p, &running, &ignored) == 0 && running.out.len &&
	       !ga_starts(running.out.buf, "offline");
}

void ga_doctor_units(struct ga_doctor *d)
{
	static const char *const of_state[] = { "backup", "export", "notify", "publish" };
	static const char *const of_host[] = { "reconcile", "release", "wipe" };
	size_t i;

	if (!d->has_state && !d->has_gpu)
		return;
	if (!systemd_runs()) {
		ga_doctor_add(d, "unchecked", "units", NULL, NULL,
			      "not checked: systemd does not run here, so timers are left out",
			      NULL);
		return;
	}
	for (i = 0; d->has_state && i < GA_ARRAY_SIZE(of_state); i++)
		check_timer(d, of_state[i]);
	for (i = 0; d->has_gpu && i < GA_ARRAY_SIZE(of_host); i++)
		check_timer(d, of_host[i]);
}
