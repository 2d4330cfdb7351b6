/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison, one case a row: a node that is as it should be, one thing changed, and the one
 * deviation that has to come of it. Beside that: every code has a case, and whatever is blind, no
 * unknown is ever an error.
 */
#include "drift.h"

#include <stdlib.h>
#include <string.h>

#include "rec.h"
#include "t.h"
#include "time.h"

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

	ga_shape_init(&ga_expected_slot_shape, s);
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
	vf = ga_list_add(&w->seen.pci);
	vf->address = ga_xprintf("0000:2%d:00.1", i);
	set(&vf->driver, "vfio-pci");
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

	ga_shape_init(&ga_expectation_shape, e);
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
	ga_shape_release(&ga_expectation_shape, &w->want);
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
CASE(orphan_seed_domain) /* the domain is said; what it needs stays */
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
CASE(left_attempt)
{
	see_work(w, "bbbbbbbb", "provision", "working", EARLIER);
	w->seen.works.v[1].resumable = true;
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

/* ---- the table ---- */

static const struct {
	const char *name;
	void (*change)(struct world *w);
	size_t n; /* deviations in all */
	enum ga_drift_code code;
	const char *severity, *observation, *object;
	enum ga_repair repair;
} cases[] = {
#define ROW(name, n, code, severity, observation, object, repair) \
	{ #name, name, n, GA_D_##code, severity, observation, object, GA_R_##repair }
#define SILENT(name) { #name, name, 0, GA_D_COUNT, NULL, NULL, NULL, GA_R_NONE }
	SILENT(nothing),
	ROW(no_domain, 1, DOMAIN_MISSING, "error", "bad", "aaaaaaaa", NONE),
	ROW(orphan, 1, DOMAIN_ORPHAN, "error", "bad", "gpuaas-zzzzzzzz", NONE),
	ROW(orphan_released, 1, DOMAIN_ORPHAN, "error", "bad", "gpuaas-zzzzzzzz", NONE),
	ROW(orphan_young, 1, DOMAIN_ORPHAN, "info", "unknown", "gpuaas-zzzzzzzz", NONE),
	SILENT(orphan_foreign),
	ROW(twice, 1, DOMAIN_DUPLICATE, "error", "bad", "copy", NONE),
	ROW(shared_gpu, 1, DOMAIN_DUPLICATE, "error", "bad", "other", NONE),
	ROW(guest_off, 1, POWER_OFF, "info", "ok", "aaaaaaaa", NONE),
	ROW(somebody_off, 1, POWER_OFF, "warning", "bad", "aaaaaaaa", NONE),
	ROW(off_unknown, 1, POWER_OFF, "info", "unknown", "aaaaaaaa", NONE),
	ROW(off_booting, 1, POWER_OFF, "warning", "bad", "aaaaaaaa", START_DOMAIN),
	ROW(off_since_boot, 1, POWER_OFF, "warning", "bad", "aaaaaaaa", START_DOMAIN),
	ROW(state_unknown, 1, UNOBSERVED, "info", "unknown", "aaaaaaaa", NONE),
	ROW(held_running, 1, POWER_ON, "warning", "bad", "aaaaaaaa", NONE),
	ROW(paused, 1, GUEST_UNHEALTHY, "warning", "bad", "aaaaaaaa", NONE),
	SILENT(paused_busy),
	ROW(ioerror, 1, GUEST_UNHEALTHY, "warning", "bad", "aaaaaaaa", NONE),
	ROW(crashed, 1, GUEST_UNHEALTHY, "warning", "bad", "aaaaaaaa", NONE),
	ROW(unbound, 1, PCI_BINDING, "error", "bad", "slot0000", NONE),
	ROW(unbound_off, 2, PCI_BINDING, "error", "bad", "slot0000", BIND_VFIO),
	SILENT(unbound_idle),
	ROW(unbound_journalled, 1, PCI_BINDING, "warning", "bad", "slot1111", BIND_VFIO),
	SILENT(unbound_baremetal),
	ROW(unbound_lab, 1, PCI_BINDING, "info", "ok", "slot0000", NONE),
	ROW(gpu_gone, 1, PCI_MISSING, "error", "bad", "slot1111", NONE),
	ROW(gpu_other, 1, PCI_MISSING, "error", "bad", "slot1111", NONE),
	ROW(gpu_moved, 1, PCI_MOVED, "error", "bad", "slot1111", NONE),
	ROW(vf_gone, 1, PCI_MISSING, "error", "bad", "slot1111", NONE),
	ROW(slot_disabled_gpu_gone, 1, PCI_MISSING, "warning", "bad", "slot1111", NONE),
	SILENT(slot_retired),
	ROW(disk_gone, 1, DISK_MISSING, "error", "bad", "slot1111", NONE),
	ROW(disk_size, 1, DISK_CHANGED, "error", "bad", "slot1111", NONE),
	ROW(disk_serial, 1, DISK_CHANGED, "error", "bad", "slot0000", NONE),
	SILENT(disk_serial_unknown),
	ROW(disk_mounted, 1, DISK_IN_USE, "error", "bad", "slot0000", NONE),
	ROW(disk_path, 1, DISK_PATH_MOVED, "info", "ok", "slot1111", NONE),
	ROW(no_lease, 1, LEASE_MISSING, "warning", "bad", "aaaaaaaa", NONE),
	ROW(no_lease_off, 1, POWER_OFF, "info", "ok", "aaaaaaaa", NONE),
	ROW(other_lease, 1, LEASE_MISMATCH, "warning", "bad", "aaaaaaaa", NONE),
	ROW(no_reservation, 1, DHCP_MISSING, "warning", "bad", "aaaaaaaa", WRITE_DHCP_HOST),
	ROW(stale_reservation, 1, DHCP_STALE, "warning", "bad", "zzzzzzzz", REMOVE_DHCP_HOST),
	ROW(no_port, 1, OVS_PORT_MISSING, "error", "bad", "aaaaaaaa", NONE),
	ROW(port_elsewhere, 1, OVS_PORT_MISSING, "error", "bad", "aaaaaaaa", NONE),
	ROW(no_flows, 1, OVS_FLOWS_MISSING, "error", "bad", "aaaaaaaa", ADD_FLOWS),
	ROW(flows_unknown, 1, UNOBSERVED, "info", "unknown", "aaaaaaaa", NONE),
	ROW(orphan_port, 1, OVS_PORT_ORPHAN, "warning", "bad", "zzzzzzzz", REMOVE_PORT),
	ROW(orphan_flows, 1, OVS_FLOWS_ORPHAN, "warning", "bad", "zzzzzzzz", REMOVE_FLOWS),
	SILENT(foreign_port),
	ROW(idle_port, 1, OVS_PORT_ORPHAN, "warning", "bad", "gp-1", NONE),
	ROW(no_bridge, 1, BRIDGE_MISSING, "error", "bad", "ovsbr0", NONE),
	ROW(bridge_unknown, 1, UNOBSERVED, "info", "unknown", "ovsbr0", NONE),
	ROW(no_nat, 1, NAT_MISSING, "error", "bad", "ovsbr0", NONE),
	ROW(no_nat_idle, 2, NAT_MISSING, "warning", "bad", "ovsbr0", NONE),
	ROW(no_forwarding, 1, FORWARDING_OFF, "error", "bad", "ovsbr0", NONE),
	SILENT(no_nat_lab),
	ROW(no_seed, 2, SEED_MISSING, "warning", "bad", "aaaaaaaa", NONE),
	ROW(orphan_seed, 1, SEED_ORPHAN, "warning", "bad", "zzzzzzzz", REMOVE_SEED),
	SILENT(orphan_seed_held),
	SILENT(orphan_seed_young),
	ROW(orphan_seed_domain, 1, DOMAIN_ORPHAN, "error", "bad", "gpuaas-zzzzzzzz", NONE),
	ROW(orphan_seed_blind, 1, UNOBSERVED, "info", "unknown", "domains", NONE),
	ROW(orphan_nvram, 1, NVRAM_ORPHAN, "warning", "bad", "zzzzzzzz", REMOVE_NVRAM),
	ROW(few_hugepages, 1, HUGEPAGES_SHORT, "warning", "bad", "numa node 0", NONE),
	SILENT(few_hugepages_lab),
	ROW(partition_off, 1, PARTITION_INACTIVE, "error", "bad", "aaaaaaaa", NONE),
	ROW(partition_off_boot, 2, PARTITION_INACTIVE, "error", "bad", "aaaaaaaa",
	    ACTIVATE_PARTITION),
	ROW(partition_gone, 1, PARTITION_INACTIVE, "error", "bad", "aaaaaaaa", NONE),
	ROW(partition_extra, 1, PARTITION_ORPHAN, "warning", "bad", "partition 8", NONE),
	ROW(left_journal, 1, JOURNAL_OPEN, "warning", "bad", "zzzzzzzz", UNDO_JOURNAL),
	SILENT(live_journal),
	ROW(left_attempt, 1, ATTEMPT_OPEN, "warning", "bad", "bbbbbbbb", RESUME),
	ROW(left_wipe, 1, ATTEMPT_OPEN, "warning", "bad", "slot1111", NONE),
	SILENT(held_attempt),
	ROW(stuck_slot, 1, STUCK, "warning", "bad", "slot1111", NONE),
	SILENT(not_stuck_yet),
	ROW(expired, 1, PLAN_EXPIRED, "info", "ok", "cccccccc", NONE),
	SILENT(not_expired),
	ROW(other_hardware, 1, FINGERPRINT_CHANGED, "error", "bad", "n1", NONE),
	ROW(no_fingerprint, 1, UNOBSERVED, "info", "unknown", "n1", NONE),
	ROW(other_boot, 1, BOOT_CHANGED, "info", "ok", "n1", NONE),
	ROW(blocker, 1, HOST_BLOCKER, "warning", "bad", "kvm", NONE),
	ROW(blocker_lab, 1, HOST_BLOCKER, "info", "ok", "kvm", NONE),
	ROW(blind_disks, 1, UNOBSERVED, "info", "unknown", "disks", NONE),
	SILENT(blind_ports_lab),
};

/* wiping may last 4000 s and is left by a command with the id in it. */
static bool limit(bool is_slot, const char *state, int64_t *seconds, const char **leaves)
{
	if (!is_slot || !ga_streq(state, "wiping"))
		return false;
	*seconds = 4000;
	*leaves = "gpuaas-wipe --slot %s";
	return true;
}

static void run_case(size_t i, bool covered[GA_D_COUNT])
{
	struct world w = { 0 };
	ga_autodrifts struct ga_drifts d = { 0 };
	const struct ga_deviation *v = NULL;

	world_init(&w);
	cases[i].change(&w);
	ga_drift_compare(&w.want, &w.seen, limit, &d);
	t_int((int64_t)d.n, (int64_t)cases[i].n, "%s: number of deviations", cases[i].name);
	for (size_t k = 0; k < d.n; k++) {
		if (d.n != cases[i].n)
			printf("# %s %s\n", d.v[k].drift.code, d.v[k].drift.object);
		if (!v && d.v[k].code == cases[i].code)
			v = &d.v[k];
	}
	if (cases[i].n) {
		t_ok(v, "%s: %s", cases[i].name, ga_drift_word(cases[i].code));
		covered[cases[i].code] = true;
	}
	if (v) {
		t_str(v->drift.severity, cases[i].severity, "%s: severity", cases[i].name);
		t_str(v->drift.observation, cases[i].observation, "%s: observation", cases[i].name);
		t_str(v->drift.object, cases[i].object, "%s: object", cases[i].name);
		t_str(v->drift.repair, ga_repair_word(cases[i].repair), "%s: repair", cases[i].name);
		/* What remains names what to do about it. */
		t_ok(ga_streq(v->drift.severity, "info") || v->drift.command, "%s: a command",
		     cases[i].name);
		ga_autofree char *text = ga_rec_format_text(&ga_drift_shape, &v->drift);
		struct ga_drift again = { 0 };
		struct ga_err err = GA_ERR_INIT;

		t_ok(ga_rec_parse_text(text, &ga_drift_shape, &again, &err) == 0,
		     "%s: a valid record %s", cases[i].name, err.msg);
		ga_shape_release(&ga_drift_shape, &again);
	}
	world_release(&w);
}

/* Any number of changes and blind areas together: unknown never becomes an error. */
static void random_worlds(void)
{
	uint64_t seed = t_seed();
	bool good = true, valid = true;

	for (int round = 0; round < 2000; round++) {
		struct world w = { 0 };
		ga_autodrifts struct ga_drifts d = { 0 };
		uint64_t blind = t_random(&seed) & t_random(&seed);

		world_init(&w);
		for (int k = 0; k < 3; k++)
			cases[t_random(&seed) % GA_ARRAY_SIZE(cases)].change(&w);
		for (enum ga_area a = 0; a < GA_A_COUNT; a++)
			if (blind >> a & 1)
				ga_seen_blind(&w.seen, a, "for the test");
		ga_drift_compare(&w.want, &w.seen, limit, &d);
		for (size_t i = 0; i < d.n; i++) {
			bool unknown = ga_streq(d.v[i].drift.observation, "unknown");
			bool removes = d.v[i].repair >= GA_R_UNDO_JOURNAL;

			good &= !unknown || ga_streq(d.v[i].drift.severity, "info");
			good &= !unknown || d.v[i].repair == GA_R_NONE;
			/* Nothing of a live allocation, or of one we are blind to, is removed. */
			valid &= !removes || !ga_drift_is_live(&w.want, d.v[i].allocation);
			valid &= !removes || (!(blind >> GA_A_DOMAINS & 1) &&
					      !(blind >> GA_A_WORK & 1));
		}
		world_release(&w);
	}
	t_ok(good, "unknown is an info without a repair in 2000 random worlds");
	t_ok(valid, "only what has ended is removed, and only with open eyes");
}

static void observation(void)
{
	struct world w = { 0 };
	ga_autodrifts struct ga_drifts d = { 0 };
	struct ga_observation o;

	world_init(&w);
	no_domain(&w);
	stuck_slot(&w);
	expired(&w);
	ga_drift_compare(&w.want, &w.seen, limit, &d);
	ga_drift_observation(&w.want, &w.seen, &d, &o);
	t_int((int64_t)ga_drift_errors(&d), 1, "one error");
	t_int((int64_t)ga_drift_remaining(&d), 2, "one error and one warning remain");
	t_ok(!o.agreed, "an error: not agreed");
	t_int(o.drifts, 3, "all drift records are counted");
	t_str(o.allocations.v[0].power, "off", "a missing domain is off");
	ga_shape_release(&ga_observation_shape, &o);
	d.v[0].drift.repaired = d.v[1].drift.repaired = d.v[2].drift.repaired = true;
	ga_drift_observation(&w.want, &w.seen, &d, &o);
	t_ok(o.agreed, "what was repaired is agreed");
	ga_shape_release(&ga_observation_shape, &o);
	for (size_t i = 0; i < d.n; i++)
		if (d.v[i].code == GA_D_STUCK)
			t_str(d.v[i].drift.command, "gpuaas-wipe --slot slot1111",
			      "stuck names the command that leaves the state, with the id");
	world_release(&w);
}

int main(void)
{
	bool covered[GA_D_COUNT] = { false };

	for (size_t i = 0; i < GA_ARRAY_SIZE(cases); i++)
		run_case(i, covered);
	for (enum ga_drift_code c = 0; c < GA_D_COUNT; c++)
		t_ok(covered[c], "%s has a case", ga_drift_word(c));
	for (enum ga_repair r = GA_R_BIND_VFIO; r < GA_R_COUNT; r++)
		t_ok(ga_repair_word(r) && ga_repair_doc(r), "%s has a doc", ga_repair_word(r));
	random_worlds();
	observation();
	return t_done();
}
