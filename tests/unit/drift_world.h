/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of drift: a node that matches its expectation, and the ways in which it may differ. */
#ifndef DRIFT_WORLD_H
#define DRIFT_WORLD_H

#include <stdlib.h>
#include <string.h>

#include "base/texts.h"
#include "decide/drift/drift.h"
#include "record/expectation.h"
#include "record/time.h"

#define AT "2026-11-20T10:00:00.000000Z"
#define EARLIER "2026-11-20T09:00:00.000000Z"
#define LATER "2026-11-20T10:00:05.000000Z"
#define DIGEST_A "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DIGEST_B "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

struct world {
	struct ga_expectation want;
	struct ga_seen seen;
};

static void set(char **p, const char *v)
{
	free(*p);
	*p = ga_strdup0(v);
}

/* ---- the node that is as it should be ---- */

static void add_slot(struct world *w, int i, const char *slot, const char *state,
		     const char *allocation)
{
	struct ga_expected_slot *s = ga_list_add(&w->want.slots);
	struct ga_bundle *b = &s->bundle;

	ga_schema_init(&ga_expected_slot_schema, s);
	set(&b->slot, slot);
	b->slot_index = i;
	b->generation = 1;
	b->numa_node = 0;
	b->memory_mib = 4096;
	b->nvme_size_bytes = 1 << 24;
	b->gpu_identity = ga_xprintf("slot:%d:10de:2335", i);
	b->gpu_pci_address = ga_xprintf("0000:1%d:00.0", i);
	b->fabric_vf_pci_address = ga_xprintf("0000:2%d:00.1", i);
	b->fabric_pf_pci_address = ga_xprintf("0000:2%d:00.0", i);
	b->nvme_wwid = ga_xprintf("eui.%d", i);
	b->nvme_serial = ga_xprintf("SN%d", i);
	b->nvme_path = ga_xprintf("/dev/nvme%dn1", i);
	b->mac = ga_xprintf("02:00:00:00:00:0%d", i);
	b->private_ip = ga_xprintf("10.100.0.1%d", i);
	b->port = ga_xprintf("gp-%d", i);
	set(&b->bridge, "ovsbr0");
	set(&s->state, state);
	set(&s->since, EARLIER);
	set(&s->allocation, allocation);
}

static void see_devices(struct world *w, int i)
{
	struct ga_seen_pci *p = ga_list_add(&w->seen.pci), *vf;
	struct ga_seen_disk *d = ga_list_add(&w->seen.disks);

	p->address = ga_xprintf("0000:1%d:00.0", i);
	p->identity = ga_xprintf("slot:%d:10de:2335", i);
	set(&p->driver, "vfio-pci");
	p->answers = 1;
	p->fatal = p->nonfatal = p->correctable = 0;
	p->width = p->width_max = 16;
	vf = ga_list_add(&w->seen.pci);
	vf->address = ga_xprintf("0000:2%d:00.1", i);
	set(&vf->driver, "vfio-pci");
	vf->answers = vf->fatal = vf->nonfatal = vf->correctable = GA_UNKNOWN;
	vf->width = vf->width_max = GA_UNKNOWN;
	d->wwid = ga_xprintf("eui.%d", i);
	d->serial = ga_xprintf("SN%d", i);
	d->path = ga_xprintf("/dev/nvme%dn1", i);
	d->size_bytes = 1 << 24;
}

static void see_domain(struct world *w, const char *name, const char *allocation)
{
	struct ga_seen_domain *d = ga_list_add(&w->seen.domains);

	set(&d->name, name);
	set(&d->allocation, allocation);
	set(&d->state, "running");
	d->agent = GA_UNKNOWN;
	ga_texts_add(&d->devices, name); /* something of its own */
}

static void see_allocation(struct world *w)
{
	struct ga_seen_work *k = ga_list_add(&w->seen.works);
	struct ga_seen_lease *l = ga_list_add(&w->seen.leases);
	struct ga_seen_reservation *r = ga_list_add(&w->seen.reservations);
	struct ga_seen_port *p = ga_list_add(&w->seen.ports);
	struct ga_seen_file *f = ga_list_add(&w->seen.seeds);

	see_domain(w, "gpuaas-aaaaaaaa", "aaaaaaaa");
	ga_texts_add(&w->seen.domains.v[0].devices, "0000:10:00.0");
	ga_texts_add(&w->seen.domains.v[0].devices, "0000:20:00.1");
	ga_texts_add(&w->seen.domains.v[0].devices, "/dev/nvme0n1");
	set(&k->object, "aaaaaaaa");
	set(&k->program, "provision");
	set(&k->attempt, "attempt2");
	set(&k->state, "done");
	set(&k->boot_id, "boot-1");
	set(&k->started_at, EARLIER);
	k->hugepage_kib = 2048;
	set(&l->mac, "02:00:00:00:00:00");
	set(&l->ip, "10.100.0.10");
	set(&r->path, "/dhcp/aaaaaaaa");
	set(&r->allocation, "aaaaaaaa");
	set(&r->mac, "02:00:00:00:00:00");
	set(&r->ip, "10.100.0.10");
	set(&p->name, "gp-0");
	set(&p->bridge, "ovsbr0");
	set(&p->allocation, "aaaaaaaa");
	p->is_port = true;
	p->flows = 1;
	set(&f->path, "/seeds/aaaaaaaa");
	set(&f->allocation, "aaaaaaaa");
}

static void want_allocation(struct world *w)
{
	__typeof__(w->want.allocations.v) a = ga_list_add(&w->want.allocations);

	a->fabric_partition = 3;
	a->generation = 4;
	set(&a->allocation, "aaaaaaaa");
	set(&a->state, "active");
	set(&a->since, EARLIER);
	set(&a->domain, "gpuaas-aaaaaaaa");
	set(&a->shape, "slice");
	set(&a->power, "on");
}

static void world_init(struct world *w)
{
	struct ga_err err = GA_ERR_INIT;
	struct ga_expectation *e = &w->want;

	ga_schema_init(&ga_expectation_schema, e);
	ga_seen_init(&w->seen);
	set(&e->node, "n1");
	set(&e->at, AT);
	set(&e->mode, "slice");
	set(&e->state, "active");
	set(&e->fingerprint, DIGEST_A);
	set(&e->boot_id, "boot-1");
	set(&e->network.bridge, "ovsbr0");
	set(&e->network.gateway, "10.100.0.1");
	set(&e->network.uplink, "eth0");
	set(&e->network.dhcp_hosts_dir, "/dhcp");
	e->network.prefix_bits = 24;
	add_slot(w, 0, "slot0000", "active", "aaaaaaaa");
	add_slot(w, 1, "slot1111", "available", NULL);
	want_allocation(w);

	if (ga_time_parse("2026-11-20T10:00:10.000000Z", &w->seen.at_micros, &err) < 0)
		abort();
	set(&w->seen.node, "n1");
	set(&w->seen.boot_id, "boot-1");
	set(&w->seen.fingerprint, DIGEST_A);
	w->seen.bridge = w->seen.nat = w->seen.forwarding = 1;
	w->seen.closed = w->seen.isolated = 1;
	see_devices(w, 0);
	see_devices(w, 1);
	see_allocation(w);
	struct ga_numa *n = ga_list_add(&w->seen.numa);
	__typeof__(n->hugepages.v) h = ga_list_add(&n->hugepages);

	h->size_kib = 2048;
	h->total = 2048;
	struct ga_seen_partition *p = ga_list_add(&w->seen.partitions);

	p->id = 3;
	p->active = true;
}

static void world_release(struct world *w)
{
	ga_schema_release(&ga_expectation_schema, &w->want);
	ga_seen_release(&w->seen);
}

/* ---- what may be changed ---- */

static void see_work(struct world *w, const char *object, const char *program, const char *state,
		     const char *started_at)
{
	struct ga_seen_work *k = ga_list_add(&w->seen.works);

	set(&k->object, object);
	set(&k->program, program);
	set(&k->attempt, "attempt9");
	set(&k->state, state);
	set(&k->started_at, started_at);
	k->hugepage_kib = GA_UNKNOWN;
}

static void see_entry(struct world *w, const char *object, const char *op, const char *subject)
{
	struct ga_seen_entry *e = ga_list_add(&w->seen.entries);

	set(&e->object, object);
	set(&e->op, op);
	set(&e->subject, subject);
	e->done = true;
	e->age_seconds = 7;
}

#define DOM (&w->seen.domains.v[0])
#define ALLOC (&w->want.allocations.v[0])
#define CASE(name) static void name(struct world *w)

CASE(nothing) { (void)w; }
CASE(no_domain) { set(&DOM->allocation, NULL); }
CASE(no_domain_rebuilding)
{
	no_domain(w);
	set(&w->seen.works.v[0].program, "rebuild");
	set(&w->seen.works.v[0].state, "working");
	w->seen.works.v[0].held = true;
}
CASE(no_domain_rebuild_failed)
{
	no_domain(w);
	set(&w->seen.works.v[0].program, "rebuild");
	set(&w->seen.works.v[0].state, "failed");
}
CASE(left_rebuild)
{
	set(&w->seen.works.v[0].program, "rebuild");
	set(&w->seen.works.v[0].state, "working");
}
CASE(agent_answers) { DOM->agent = 1; }
CASE(agent_silent) { DOM->agent = 0; }
CASE(agent_silent_off)
{
	DOM->agent = 0;
	set(&DOM->state, "shutoff");
	set(&DOM->cause, "guest");
}
CASE(orphan) { see_domain(w, "gpuaas-zzzzzzzz", "zzzzzzzz"); }
CASE(orphan_released)
{
	orphan(w);
	__typeof__(w->want.allocations.v) a = ga_list_add(&w->want.allocations);

	a->fabric_partition = GA_UNKNOWN;
	set(&a->allocation, "zzzzzzzz");
	set(&a->state, "released");
	set(&a->since, EARLIER);
	set(&a->domain, "gpuaas-zzzzzzzz");
	set(&a->shape, "slice");
	set(&a->power, "off");
}
CASE(orphan_young)
{
	orphan(w);
	see_work(w, "zzzzzzzz", "provision", "done", LATER);
}
CASE(orphan_foreign) { see_domain(w, "somebody-else", NULL); }
CASE(twice) { see_domain(w, "copy", "aaaaaaaa"); }
CASE(shared_gpu)
{
	see_domain(w, "other", NULL);
	ga_texts_add(&w->seen.domains.v[1].devices, "0000:10:00.0");
}
CASE(guest_off)
{
	set(&DOM->state, "shutoff");
	set(&DOM->cause, "guest");
}
CASE(somebody_off)
{
	set(&DOM->state, "shutoff");
	set(&DOM->cause, "destroyed");
}
CASE(off_unknown) { set(&DOM->state, "shutoff"); }
CASE(off_booting)
{
	set(&DOM->state, "shutoff");
	w->seen.booting = true;
}
CASE(off_since_boot) /* a reboot that an earlier look has told already */
{
	set(&DOM->state, "shutoff");
	set(&w->seen.works.v[0].boot_id, "boot-0");
}
CASE(state_unknown) { set(&DOM->state, NULL); }
CASE(held_running)
{
	set(&ALLOC->state, "held");
	set(&ALLOC->power, "off");
}
CASE(paused)
{
	set(&DOM->state, "paused");
	set(&DOM->cause, "user");
}
CASE(paused_busy) /* being started, dumped or migrated */
{
	set(&DOM->state, "paused");
	set(&DOM->cause, "busy");
}
CASE(ioerror)
{
	set(&DOM->state, "paused");
	set(&DOM->cause, "ioerror");
}
CASE(crashed) { set(&DOM->state, "crashed"); }
CASE(unbound) { set(&w->seen.pci.v[0].driver, "nvidia"); }
CASE(unbound_off)
{
	guest_off(w);
	unbound(w);
}
CASE(unbound_idle) { set(&w->seen.pci.v[2].driver, NULL); }
CASE(unbound_journalled)
{
	unbound_idle(w);
	see_entry(w, "node", "vfio_bind", "0000:11:00.0");
}
CASE(unbound_baremetal)
{
	unbound_journalled(w);
	set(&w->want.mode, "baremetal");
	set(&ALLOC->state, "releasing");
}
CASE(unbound_lab)
{
	unbound(w);
	w->want.lab = true;
}
CASE(gpu_gone)
{
	set(&w->seen.pci.v[2].address, "0000:77:00.0");
	set(&w->seen.pci.v[2].identity, NULL);
}
#define GPU(i) (&w->seen.pci.v[2 * (i)])
CASE(gpu_silent) { GPU(1)->answers = 0; }
CASE(gpu_silent_in_use) { GPU(0)->answers = 0; }
CASE(gpu_silent_in_reset)
{
	gpu_silent_in_use(w);
	w->seen.works.v[0].held = true;
}
CASE(gpu_silent_in_wipe)
{
	gpu_silent(w);
	see_work(w, "slot1111", "wipe", "working", EARLIER);
	w->seen.works.v[1].held = true;
	set(&w->want.slots.v[1].state, "wiping");
}
CASE(gpu_answers_unknown) { GPU(1)->answers = GA_UNKNOWN; }
CASE(gpu_fatal) { GPU(1)->fatal = 1; }
CASE(gpu_fatal_disabled)
{
	gpu_fatal(w);
	set(&w->want.slots.v[1].state, "disabled");
}
CASE(gpu_errors_unknown)
{
	GPU(1)->fatal = GPU(1)->nonfatal = GPU(1)->correctable = GA_UNKNOWN;
	GPU(1)->width = GPU(1)->width_max = GA_UNKNOWN;
}
CASE(gpu_nonfatal) { GPU(1)->nonfatal = 2; }
CASE(gpu_noisy) { GPU(1)->correctable = 4321; }
CASE(gpu_a_few_corrected) { GPU(1)->correctable = 999; }
CASE(gpu_narrow) { GPU(1)->width = 8; }
CASE(gpu_fatal_and_narrow)
{
	gpu_fatal(w);
	gpu_narrow(w);
}
CASE(gpu_other) { set(&w->seen.pci.v[2].identity, "slot:1:10de:2330"); }
CASE(gpu_moved) { set(&w->seen.pci.v[2].address, "0000:77:00.0"); }
CASE(vf_gone) { set(&w->seen.pci.v[3].address, "0000:77:00.1"); }
CASE(slot_disabled_gpu_gone)
{
	gpu_gone(w);
	set(&w->want.slots.v[1].state, "disabled");
}
CASE(slot_retired)
{
	gpu_gone(w);
	vf_gone(w);
	set(&w->want.slots.v[1].state, "retired");
}
CASE(disk_gone) { set(&w->seen.disks.v[1].wwid, "eui.77"); }
CASE(disk_size) { w->seen.disks.v[1].size_bytes = 4096; }
CASE(disk_serial) { set(&w->seen.disks.v[0].serial, "SN77"); }
CASE(disk_serial_unknown) { set(&w->seen.disks.v[0].serial, NULL); }
CASE(disk_mounted) { ga_texts_add(&w->seen.disks.v[0].uses, "mounted on /data"); }
CASE(disk_path) { set(&w->seen.disks.v[1].path, "/dev/nvme7n1"); }
CASE(no_lease) { set(&w->seen.leases.v[0].mac, "02:00:00:00:00:77"); }
CASE(no_lease_off)
{
	guest_off(w);
	no_lease(w);
	set(&w->seen.ports.v[0].name, "gp-7");
}
CASE(other_lease) { set(&w->seen.leases.v[0].ip, "10.100.0.77"); }
CASE(no_reservation) { set(&w->seen.reservations.v[0].ip, "10.100.0.77"); }
CASE(stale_reservation)
{
	struct ga_seen_reservation *r = ga_list_add(&w->seen.reservations);

	set(&r->path, "/dhcp/zzzzzzzz");
	set(&r->allocation, "zzzzzzzz");
}
CASE(no_port) { w->seen.ports.v[0].is_port = false; }
CASE(loose_port)
{
	w->seen.ports.v[0].is_port = false;
	w->seen.ports.v[0].loose = true;
	set(&w->seen.ports.v[0].bridge, NULL);
}
CASE(loose_port_other_bridge)
{
	loose_port(w);
	set(&w->want.slots.v[0].bundle.bridge, "ovsbr1");
}
CASE(loose_port_no_bridge)
{
	loose_port(w);
	w->seen.bridge = 0;
}
CASE(port_elsewhere) { set(&w->seen.ports.v[0].bridge, "br-ex"); }
CASE(no_flows) { w->seen.ports.v[0].flows = 0; }
CASE(flows_unknown) { w->seen.ports.v[0].flows = GA_UNKNOWN; }
CASE(orphan_port)
{
	struct ga_seen_port *p = ga_list_add(&w->seen.ports);

	set(&p->name, "gp-9");
	set(&p->bridge, "ovsbr0");
	set(&p->allocation, "zzzzzzzz");
	p->is_port = true;
}
CASE(orphan_flows)
{
	orphan_port(w);
	w->seen.ports.v[1].is_port = false;
}
CASE(foreign_port)
{
	orphan_port(w);
	set(&w->seen.ports.v[1].allocation, NULL);
}
CASE(idle_port) /* the slot's name, and nobody knows whose it was */
{
	foreign_port(w);
	set(&w->seen.ports.v[1].name, "gp-1");
}
CASE(dead_port)
{
	idle_port(w);
	w->seen.ports.v[1].dead = true;
}
CASE(dead_port_elsewhere)
{
	dead_port(w);
	set(&w->seen.ports.v[1].bridge, "br-ex");
}
CASE(orphan_port_elsewhere)
{
	orphan_port(w);
	set(&w->seen.ports.v[1].bridge, "br-ex");
}
CASE(stale_lease)
{
	struct ga_seen_lease *l = ga_list_add(&w->seen.leases);

	set(&l->mac, "02:00:00:00:00:01");
	set(&l->ip, "10.100.0.11");
}
CASE(stale_lease_entered) /* who provisions enters the lease first, who releases closes it last */
{
	stale_lease(w);
	see_entry(w, "aaaaaaaa", "lease", "02:00:00:00:00:01");
}
CASE(stale_lease_lab)
{
	stale_lease(w);
	w->want.lab = true;
}
CASE(open_bridge) { w->seen.closed = 0; }
CASE(open_bridge_strangers)
{
	open_bridge(w);
	w->seen.strangers = true;
}
CASE(renamed_bridge)
{
	w->seen.bridge = 0;
	w->seen.closed = GA_UNKNOWN;
	set(&w->seen.bridges, "br-new");
}
CASE(no_isolation)
{
	w->seen.isolated = 0;
	set(&w->seen.lacks, "no table 'ip gpuaas'");
}
static struct ga_seen_ingress *see_ingress(struct world *w, const char *allocation)
{
	struct ga_seen_ingress *i = ga_list_add(&w->seen.ingress);

	set(&i->allocation, allocation);
	set(&i->proto, "tcp");
	set(&i->address, "10.100.0.10");
	i->port = 8080;
	i->to_port = 80;
	return i;
}
CASE(published)
{
	struct ga_seen_ingress *i = see_ingress(w, "aaaaaaaa");

	i->entered = i->done = i->there = true;
}
CASE(unpublished)
{
	published(w);
	w->seen.ingress.v[0].there = false;
}
CASE(unpublished_lab)
{
	unpublished(w);
	w->want.lab = true;
}
CASE(unpublished_blind)
{
	unpublished(w);
	ga_seen_blind(&w->seen, GA_A_INGRESS, "no nft");
}
CASE(publish_begun) /* killed between the entry and the change: nobody knows that it is open */
{
	unpublished(w);
	w->seen.ingress.v[0].done = false;
}
CASE(published_elsewhere)
{
	unpublished(w);
	set(&w->seen.ingress.v[0].elsewhere, "10.100.0.11 port 80");
}
CASE(published_ended) /* its journal is what is undone */
{
	see_ingress(w, "zzzzzzzz")->entered = true;
	w->seen.ingress.v[0].done = w->seen.ingress.v[0].there = true;
	see_entry(w, "zzzzzzzz", "ingress", "tcp/8080");
}
CASE(orphan_ingress) { see_ingress(w, "zzzzzzzz")->there = true; }
CASE(orphan_ingress_live) { see_ingress(w, "aaaaaaaa")->there = true; }
CASE(orphan_ingress_foreign) { see_ingress(w, NULL)->there = true; }
CASE(orphan_ingress_blind)
{
	orphan_ingress(w);
	ga_seen_blind(&w->seen, GA_A_WORK, "host.db cannot be read");
}
CASE(bootstrap_journal) { see_entry(w, "bootstrap", "file", "/etc/gpuaas/gpuaas.conf"); }
CASE(no_bridge) { w->seen.bridge = 0; }
CASE(bridge_unknown) { w->seen.bridge = GA_UNKNOWN; }
CASE(no_nat) { w->seen.nat = 0; }
CASE(no_nat_idle)
{
	guest_off(w);
	no_nat(w);
}
CASE(no_forwarding) { w->seen.forwarding = 0; }
CASE(no_nat_lab)
{
	no_nat(w);
	no_bridge(w);
	no_forwarding(w);
	no_port(w);
	no_lease(w);
	w->want.lab = true;
}
CASE(no_seed) { set(&w->seen.seeds.v[0].allocation, "aaaaaaa2"); }
CASE(orphan_seed)
{
	struct ga_seen_file *f = ga_list_add(&w->seen.seeds);

	set(&f->path, "/seeds/zzzzzzzz");
	set(&f->allocation, "zzzzzzzz");
	f->age_seconds = 77;
}
CASE(orphan_seed_held) /* somebody is at it right now */
{
	orphan_seed(w);
	see_work(w, "zzzzzzzz", "release", "working", EARLIER);
	w->seen.works.v[1].held = true;
}
CASE(orphan_seed_young)
{
	orphan_seed(w);
	see_work(w, "zzzzzzzz", "provision", "done", LATER);
}
CASE(orphan_seed_domain) /* the domain is reported; what it needs stays */
{
	orphan_seed(w);
	orphan(w);
}
CASE(orphan_seed_blind)
{
	orphan_seed(w);
	ga_seen_blind(&w->seen, GA_A_DOMAINS, "libvirtd does not answer");
}
CASE(orphan_nvram)
{
	struct ga_seen_file *f = ga_list_add(&w->seen.nvram);

	set(&f->path, "/nvram/gpuaas-zzzzzzzz");
	set(&f->allocation, "zzzzzzzz");
}
CASE(few_hugepages) { w->seen.numa.v[0].hugepages.v[0].total = 2047; }
CASE(few_hugepages_lab)
{
	few_hugepages(w);
	w->want.lab = true;
}
CASE(partition_off) { w->seen.partitions.v[0].active = false; }
CASE(partition_off_boot)
{
	off_booting(w);
	partition_off(w);
}
CASE(partition_gone) { w->seen.partitions.v[0].id = 9; w->seen.partitions.v[0].active = false; }
CASE(partition_extra)
{
	struct ga_seen_partition *p = ga_list_add(&w->seen.partitions);

	p->id = 8;
	p->active = true;
}
CASE(left_journal)
{
	see_entry(w, "zzzzzzzz", "ovs_port", "gp-9");
	see_entry(w, "zzzzzzzz", "file", "/dhcp/zzzzzzzz");
}
CASE(live_journal) { see_entry(w, "aaaaaaaa", "domain", "gpuaas-aaaaaaaa"); }
CASE(left_attempt) /* its allocation has ended meanwhile */
{
	see_work(w, "bbbbbbbb", "provision", "working", EARLIER);
	w->seen.works.v[1].resumable = true;
}
CASE(young_attempt)
{
	left_attempt(w);
	set(&w->seen.works.v[1].started_at, LATER);
}
CASE(live_attempt)
{
	set(&w->seen.works.v[0].state, "working");
	w->seen.works.v[0].resumable = true;
}
CASE(unreported) /* done here, and the state still waits */
{
	set(&ALLOC->state, "provisioning");
	set(&ALLOC->attempt, "attempt2");
}
CASE(reported) { set(&ALLOC->attempt, "attempt2"); }
CASE(unreported_wipe)
{
	see_work(w, "slot1111", "wipe", "done", EARLIER);
	set(&w->want.slots.v[1].state, "wiping");
	set(&w->want.slots.v[1].bundle.wipe_attempt, "attempt9");
}
CASE(older_wipe)
{
	unreported_wipe(w);
	set(&w->want.slots.v[1].bundle.wipe_attempt, "attempt7");
}
CASE(left_wipe) { see_work(w, "slot1111", "wipe", "working", EARLIER); }
CASE(held_attempt)
{
	left_attempt(w);
	w->seen.works.v[1].held = true;
}
CASE(stuck_slot)
{
	set(&w->want.slots.v[1].state, "wiping");
	set(&w->want.slots.v[1].since, "2026-11-20T08:00:00.000000Z");
}
CASE(not_stuck_yet) { set(&w->want.slots.v[1].state, "wiping"); }
CASE(held_too_long)
{
	guest_off(w);
	set(&ALLOC->state, "held");
	set(&ALLOC->power, "off");
	set(&ALLOC->since, "2026-11-20T08:00:00.000000Z");
	set(&ALLOC->expires_at, EARLIER);
}
CASE(held_for_long)
{
	held_too_long(w);
	set(&ALLOC->expires_at, "2026-11-21T10:00:00.000000Z");
}
CASE(expired)
{
	__typeof__(w->want.allocations.v) a = ga_list_add(&w->want.allocations);

	a->fabric_partition = GA_UNKNOWN;
	set(&a->allocation, "cccccccc");
	set(&a->state, "placed");
	set(&a->since, AT);
	set(&a->expires_at, LATER);
	set(&a->domain, "gpuaas-cccccccc");
	set(&a->shape, "slice");
	set(&a->power, "on");
}
CASE(not_expired)
{
	expired(w);
	set(&w->want.allocations.v[1].expires_at, "2026-11-20T10:00:11.000000Z");
}
CASE(other_hardware) { set(&w->seen.fingerprint, DIGEST_B); }
CASE(no_fingerprint) { set(&w->seen.fingerprint, NULL); }
CASE(other_controller)
{
	set(&w->seen.other_controller, "an order of another state");
}
CASE(other_boot) { set(&w->seen.boot_id, "boot-2"); }
CASE(blocker)
{
	struct ga_reason *r = ga_list_add(&w->seen.blockers);

	set(&r->code, "kvm");
	set(&r->hint, "modprobe kvm");
}
CASE(blocker_lab)
{
	blocker(w);
	w->want.lab = true;
}
CASE(blind_disks) { ga_seen_blind(&w->seen, GA_A_DISKS, "no permission"); }
CASE(blind_ports_lab)
{
	ga_seen_blind(&w->seen, GA_A_PORTS, "no ovs-vsctl");
	w->want.lab = true;
}

#endif
