/* SPDX-License-Identifier: Apache-2.0 */
/* Drift of the VM of an allocation: domains and power, seeds, NVRAM, partitions. */
#include "decide/drift/internal.h"
#include "record/expectation.h"

#include <string.h>

/* ---- domains ---- */

static void domain_missing(const struct ga_drift_ctx *c, const struct ga_expected_allocation *a)
{
	const struct ga_seen_work *w = ga_seen_work_of(c->seen, a->allocation);
	ga_autofree char *expected = ga_xprintf("domain %s defined", a->domain);
	bool rebuild = w && ga_streq(w->program, "rebuild") && !ga_streq(w->state, "done");
	struct ga_drift_item *d;

	if (rebuild && w->held) { /* the rebuild has removed the domain and defines it again */
		d = ga_drift_add(c, GA_D_DOMAIN_MISSING, GA_DRIFT_UNKNOWN, a->allocation);
		ga_drift_say(d, expected, "a rebuild of it is running");
		return;
	}
	d = ga_drift_add(c, GA_D_DOMAIN_MISSING, GA_DRIFT_ERROR, a->allocation);
	ga_drift_say(d, expected, rebuild ? "no such domain: its rebuild did not end" :
						"no such domain");
	/* The guest's data is still on the disk: a start defines the domain again and keeps it, as
	 * the end of a hold does; a release would wipe it. A person decides. */
	ga_drift_command(d,
			 rebuild			 ? "gpuaas-vm rebuild %s" :
			 ga_streq(a->state, "held") ? "gpuaas-release %s --undo" :
						      "gpuaas-vm start %s",
			 a->allocation);
}

/* The cause decides what an off domain means. */
static void power_off(const struct ga_drift_ctx *c, const struct ga_expected_allocation *a,
		      const struct ga_seen_domain *dom)
{
	const struct ga_seen_work *w = ga_seen_work_of(c->seen, a->allocation);
	const char *boot = c->seen->boot_id;
	bool rebooted = c->seen->booting ||
			(boot && c->want->boot_id && !ga_streq(boot, c->want->boot_id)) ||
			(boot && w && w->boot_id && !ga_streq(boot, w->boot_id));
	ga_autofree char *observed =
		ga_xprintf("off (%s)", dom->cause ? dom->cause :
				       rebooted	  ? "the host was restarted" :
						    "cause unknown");
	struct ga_drift_item *d;

	if (ga_streq(dom->cause, "guest"))
		d = ga_drift_add(c, GA_D_POWER_OFF, GA_DRIFT_INFO, a->allocation);
	else if (!dom->cause && !rebooted)
		d = ga_drift_add(c, GA_D_POWER_OFF, GA_DRIFT_UNKNOWN, a->allocation);
	else
		d = ga_drift_add(c, GA_D_POWER_OFF, GA_DRIFT_WARNING, a->allocation);
	ga_drift_say(d, "on", observed);
	/* Only a domain that stopped with its host is started without a person. */
	if (!dom->cause && rebooted)
		ga_drift_repair(d, GA_R_START_DOMAIN, a->allocation, dom->name);
	else
		ga_drift_command(d, "gpuaas-vm start %s", a->allocation);
}

/* Only a domain with an agent channel has this value. A silent agent is the guest's fault, not the
 * host's. */
static void agent(const struct ga_drift_ctx *c, const struct ga_expected_allocation *a,
		  const struct ga_seen_domain *dom)
{
	struct ga_drift_item *d;

	if (dom->agent != 0 || !ga_streq(a->state, "active"))
		return;
	d = ga_drift_add(c, GA_D_GUEST_UNHEALTHY, GA_DRIFT_WARNING, a->allocation);
	ga_drift_say(d, "its guest agent answers", "running, and its guest agent is silent");
	ga_drift_command(d, "gpuaas-vm console %s", a->allocation);
}

static void power(const struct ga_drift_ctx *c, const struct ga_expected_allocation *a,
		  const struct ga_seen_domain *dom)
{
	struct ga_drift_item *d;

	if (!dom->state) {
		ga_drift_unknown(c, a->allocation, "power of the domain", NULL);
	} else if (ga_streq(dom->state, "crashed") || ga_streq(dom->cause, "ioerror") ||
		   (ga_streq(dom->state, "paused") && ga_streq(a->power, "on") &&
		    !ga_streq(dom->cause, "busy"))) {
		d = ga_drift_add(c, GA_D_GUEST_UNHEALTHY, GA_DRIFT_WARNING, a->allocation);
		ga_autofree char *observed = ga_xprintf("%s%s%s%s", dom->state,
							dom->cause ? " (" : "",
							dom->cause ? dom->cause : "",
							dom->cause ? ")" : "");
		ga_drift_say(d, "running", observed);
		ga_drift_command(d, "virsh domstate --reason %s", dom->name);
	} else if (ga_streq(a->power, "on") && ga_streq(dom->state, "shutoff")) {
		power_off(c, a, dom);
	} else if (ga_streq(a->power, "off") && !ga_streq(dom->state, "shutoff")) {
		d = ga_drift_add(c, GA_D_POWER_ON, GA_DRIFT_WARNING, a->allocation);
		ga_drift_say(d, "off", dom->state);
		ga_drift_command(d, "gpuaas-vm stop %s", a->allocation);
	} else if (ga_streq(dom->state, "running")) {
		agent(c, a, dom);
	}
}

/* A domain of gpuaas without a live allocation: no program ever ends it. */
static void domain_orphan(const struct ga_drift_ctx *c, const struct ga_seen_domain *dom)
{
	const struct ga_seen_work *w = ga_seen_work_of(c->seen, dom->allocation);
	bool young = w && (w->held || (w->started_at && strcmp(w->started_at, c->want->at) >= 0));
	struct ga_drift_item *d;

	if (young) {
		d = ga_drift_add(c, GA_D_DOMAIN_ORPHAN, GA_DRIFT_UNKNOWN, dom->name);
		ga_drift_say(d, NULL, "begun after the expectation was written");
		ga_drift_command(d, "gpuaas-state expect --node %s", c->want->node);
		return;
	}
	d = ga_drift_add(c, GA_D_DOMAIN_ORPHAN, GA_DRIFT_ERROR, dom->name);
	ga_autofree char *observed = ga_xprintf("domain of allocation %s, %s", dom->allocation,
						dom->state ? dom->state : "state unknown");
	ga_drift_say(d, "no domain of ours beside the expected ones", observed);
	d->allocation = ga_strdup0(dom->allocation);
	ga_drift_command(d, "gpuaas-show %s; virsh dumpxml %s", dom->allocation, dom->name);
}

/* Two domains with one allocation or one device: the one that starts second may destroy the
 * first. */
static void duplicates(const struct ga_drift_ctx *c, size_t i)
{
	const struct ga_seen_domain *a = &c->seen->domains.v[i];

	for (size_t j = 0; j < i; j++) {
		const struct ga_seen_domain *b = &c->seen->domains.v[j];
		const char *shared = NULL;

		if (a->allocation && ga_streq(a->allocation, b->allocation))
			shared = a->allocation;
		for (size_t x = 0; x < a->devices.n && !shared; x++)
			for (size_t y = 0; y < b->devices.n && !shared; y++)
				if (ga_streq(a->devices.v[x], b->devices.v[y]))
					shared = a->devices.v[x];
		if (!shared)
			continue;
		struct ga_drift_item *d =
			ga_drift_add(c, GA_D_DOMAIN_DUPLICATE, GA_DRIFT_ERROR, a->name);
		ga_autofree char *observed =
			ga_xprintf("%s is also in domain %s", shared, b->name);

		ga_drift_say(d, "in one domain only", observed);
		ga_drift_command(d, "virsh dumpxml %s; virsh dumpxml %s", a->name, b->name);
	}
}

static void domains(const struct ga_drift_ctx *c)
{
	for (size_t i = 0; i < c->want->allocations.n; i++) {
		const struct ga_expected_allocation *a = &c->want->allocations.v[i];
		const struct ga_seen_domain *dom = ga_seen_domain_of(c->seen, a->allocation);

		if (!ga_wants_domain(a))
			continue;
		if (dom)
			power(c, a, dom);
		else
			domain_missing(c, a);
	}
	for (size_t i = 0; i < c->seen->domains.n; i++) {
		const struct ga_seen_domain *dom = &c->seen->domains.v[i];

		if (dom->allocation && !ga_drift_is_live(c->want, dom->allocation))
			domain_orphan(c, dom);
		duplicates(c, i);
	}
}

/* ---- files ---- */

static void orphan_file(const struct ga_drift_ctx *c, enum ga_drift_code code,
			enum ga_repair repair, const struct ga_seen_file *f)
{
	struct ga_drift_item *d;

	if (!ga_drift_is_over(c->want, c->seen, f->allocation))
		return;
	d = ga_drift_add(c, code, GA_DRIFT_WARNING, f->allocation);
	ga_drift_say(d, "nothing of an ended allocation", f->path);
	d->drift.age_seconds = f->age_seconds;
	ga_drift_repair(d, repair, f->allocation, f->path);
}

/* resume, rebuild and a start after a reboot need the seed until release. */
static void seeds_missing(const struct ga_drift_ctx *c)
{
	for (size_t i = 0; i < c->want->allocations.n; i++) {
		const struct ga_expected_allocation *a = &c->want->allocations.v[i];
		bool there = !ga_wants_domain(a);

		for (size_t j = 0; j < c->seen->seeds.n && !there; j++)
			there = ga_streq(c->seen->seeds.v[j].allocation, a->allocation);
		if (there)
			continue;
		struct ga_drift_item *d =
			ga_drift_add(c, GA_D_SEED_MISSING, GA_DRIFT_WARNING, a->allocation);

		ga_drift_say(d, "seed kept until release", "no seed");
		ga_drift_command(d, "gpuaas-show %s", a->allocation);
	}
}

/* ---- fabric partitions ---- */

static const struct ga_seen_partition *partition_of(const struct ga_drift_ctx *c, int64_t id)
{
	for (size_t i = 0; i < c->seen->partitions.n; i++)
		if (c->seen->partitions.v[i].id == id)
			return &c->seen->partitions.v[i];
	return NULL;
}

static void partition_inactive(const struct ga_drift_ctx *c,
			       const struct ga_expected_allocation *a)
{
	const struct ga_seen_partition *p = partition_of(c, a->fabric_partition);
	ga_autofree char *expected =
		ga_xprintf("partition %lld active", (long long)a->fabric_partition);
	struct ga_drift_item *d;

	if (p && p->active)
		return;
	d = ga_drift_add(c, GA_D_PARTITION_INACTIVE, GA_DRIFT_ERROR, a->allocation);
	ga_drift_say(d, expected, p ? "inactive" : "Fabric Manager does not know it");
	d->number = a->fabric_partition;
	/* Activation needs the partition's GPUs in reset: impossible below a running guest. */
	if (p && ga_streq(ga_seen_power(c->seen, a->allocation), "off"))
		ga_drift_repair(d, GA_R_ACTIVATE_PARTITION, a->allocation, NULL);
	else
		ga_drift_command(d, "gpuaas-show %s", a->allocation);
}

static void partitions(const struct ga_drift_ctx *c)
{
	for (size_t i = 0; i < c->want->allocations.n; i++) {
		const struct ga_expected_allocation *a = &c->want->allocations.v[i];

		if (ga_wants_domain(a) && ga_streq(a->power, "on") &&
		    a->fabric_partition != GA_UNKNOWN)
			partition_inactive(c, a);
	}
	for (size_t i = 0; i < c->seen->partitions.n; i++) {
		const struct ga_seen_partition *p = &c->seen->partitions.v[i];
		bool wanted = !p->active || ga_streq(c->want->mode, "baremetal");

		for (size_t j = 0; j < c->want->allocations.n && !wanted; j++)
			wanted = c->want->allocations.v[j].fabric_partition == p->id &&
				 ga_drift_is_live(c->want, c->want->allocations.v[j].allocation);
		if (wanted)
			continue;
		ga_autofree char *name = ga_xprintf("partition %lld", (long long)p->id);
		struct ga_drift_item *d =
			ga_drift_add(c, GA_D_PARTITION_ORPHAN, GA_DRIFT_WARNING, name);

		ga_drift_say(d, "inactive", "active without an allocation");
		/* A state that is new, or not the last one, does not know the VM that uses it: a
		 * person looks first. */
		ga_drift_command(d, "fmpm -l");
		d->number = p->id;
	}
}

/* ---- starting again ---- */

static bool has_device(const struct ga_seen_domain *dom, const char *device)
{
	for (size_t i = 0; i < dom->devices.n; i++)
		if (ga_streq(dom->devices.v[i], device))
			return true;
	return !device;
}

/* Device names may have changed in the reboot. A domain with another slot's disk would show one
 * tenant the data of another. */
static char *missing_device(const struct ga_seen *seen, const struct ga_seen_domain *dom,
			    const struct ga_bundle *b)
{
	const char *path = NULL;

	for (size_t i = 0; i < seen->disks.n; i++)
		if (b->nvme_wwid && ga_streq(seen->disks.v[i].wwid, b->nvme_wwid))
			path = seen->disks.v[i].path;
	if (b->nvme_wwid && (!path || !has_device(dom, path)))
		return ga_xprintf("domain '%s' does not have the disk %s of slot '%s'", dom->name,
				  b->nvme_wwid, b->slot);
	if (!has_device(dom, b->gpu_pci_address) || !has_device(dom, b->fabric_vf_pci_address))
		return ga_xprintf("domain '%s' does not have the functions of slot '%s'", dom->name,
				  b->slot);
	return NULL;
}

/* The first unrepaired drift of severity error of the allocation or, with slot, of that slot. */
static char *unrepaired(const struct ga_drifts *d, const char *allocation, const char *slot)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct ga_drift_item *v = &d->v[i];
		bool concerns = slot ? ga_streq(v->slot, slot) :
				       ga_streq(v->drift.object, allocation);

		if (concerns && !v->drift.repaired && ga_streq(v->drift.severity, "error"))
			return ga_xprintf("'%s' has %s: %s", v->drift.object, v->drift.code,
					  v->drift.observed ? v->drift.observed : "unknown");
	}
	return NULL;
}

bool ga_drift_may_start(const struct ga_expectation *want, const struct ga_seen *seen,
			const struct ga_drifts *d, const char *allocation, char **why)
{
	const struct ga_expected_allocation *a = ga_drift_allocation(want, allocation);
	const struct ga_seen_domain *dom = ga_seen_domain_of(seen, allocation);

	*why = NULL;
	if (!a || !dom || !ga_wants_domain(a) || !ga_streq(a->power, "on"))
		*why = ga_xprintf("'%s' must not run", allocation);
	else if (seen->blind[GA_A_DISKS] || seen->blind[GA_A_PCI] || seen->blind[GA_A_DOMAINS])
		*why = ga_xstrdup("its devices could not be checked");
	else
		*why = unrepaired(d, allocation, NULL);
	for (size_t i = 0; !*why && i < want->slots.n; i++) {
		const struct ga_bundle *b = &want->slots.v[i].bundle;

		if (!ga_streq(want->slots.v[i].allocation, allocation))
			continue;
		*why = unrepaired(d, allocation, b->slot);
		if (!*why)
			*why = missing_device(seen, dom, b);
	}
	return !*why;
}

void ga_drift_vm(const struct ga_drift_ctx *c)
{
	if (ga_drift_sees(c, GA_A_DOMAINS))
		domains(c);
	if (ga_drift_sees(c, GA_A_SEEDS)) {
		seeds_missing(c);
		for (size_t i = 0; i < c->seen->seeds.n; i++)
			orphan_file(c, GA_D_SEED_ORPHAN, GA_R_REMOVE_SEED, &c->seen->seeds.v[i]);
	}
	if (ga_drift_sees(c, GA_A_NVRAM))
		for (size_t i = 0; i < c->seen->nvram.n; i++)
			orphan_file(c, GA_D_NVRAM_ORPHAN, GA_R_REMOVE_NVRAM, &c->seen->nvram.v[i]);
	if (ga_drift_sees(c, GA_A_PARTITIONS))
		partitions(c);
}
