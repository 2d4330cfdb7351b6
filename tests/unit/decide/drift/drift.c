/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drift, one case a row: a node that matches its expectation, one change, and the one drift that
 * must follow. Also: every code has a case, and an unknown is never an error, whichever area could
 * not be observed.
 */
#include "decide/drift/drift.h"

#include <string.h>

#include "drift_world.h"
#include "record/expectation.h"
#include "record/rec.h"
#include "t.h"

/* ---- the table ---- */

static const struct {
	const char *name;
	void (*change)(struct world *w);
	size_t n; /* drifts in all */
	enum ga_drift_code code;
	const char *severity, *observation, *object;
	enum ga_repair repair;
} cases[] = {
#define ROW(name, n, code, severity, observation, object, repair) \
	{ #name, name, n, GA_D_##code, severity, observation, object, GA_R_##repair }
#define SILENT(name) { #name, name, 0, GA_D_COUNT, NULL, NULL, NULL, GA_R_NONE }
	SILENT(nothing),
	ROW(no_domain, 1, DOMAIN_MISSING, "error", "bad", "aaaaaaaa", NONE),
	ROW(no_domain_rebuilding, 1, DOMAIN_MISSING, "info", "unknown", "aaaaaaaa", NONE),
	ROW(no_domain_rebuild_failed, 1, DOMAIN_MISSING, "error", "bad", "aaaaaaaa", NONE),
	ROW(left_rebuild, 1, ATTEMPT_OPEN, "warning", "bad", "aaaaaaaa", NONE),
	SILENT(agent_answers),
	ROW(agent_silent, 1, GUEST_UNHEALTHY, "warning", "bad", "aaaaaaaa", NONE),
	ROW(agent_silent_off, 1, POWER_OFF, "info", "ok", "aaaaaaaa", NONE),
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
	ROW(gpu_gone, 1, GPU_LOST, "error", "bad", "slot1111", NONE),
	ROW(gpu_silent, 1, GPU_LOST, "error", "bad", "slot1111", NONE),
	ROW(gpu_silent_in_use, 1, GPU_LOST, "error", "bad", "slot0000", NONE),
	SILENT(gpu_silent_in_reset),
	SILENT(gpu_silent_in_wipe),
	SILENT(gpu_answers_unknown),
	ROW(gpu_fatal, 1, GPU_ERRORS, "warning", "bad", "slot1111", NONE),
	ROW(gpu_fatal_disabled, 1, GPU_ERRORS, "warning", "bad", "slot1111", NONE),
	SILENT(gpu_errors_unknown),
	ROW(gpu_nonfatal, 1, GPU_DEGRADED, "warning", "bad", "slot1111", NONE),
	ROW(gpu_noisy, 1, GPU_DEGRADED, "warning", "bad", "slot1111", NONE),
	SILENT(gpu_a_few_corrected),
	ROW(gpu_narrow, 1, GPU_DEGRADED, "warning", "bad", "slot1111", NONE),
	ROW(gpu_fatal_and_narrow, 2, GPU_ERRORS, "warning", "bad", "slot1111", NONE),
	ROW(gpu_other, 1, PCI_MISSING, "error", "bad", "slot1111", NONE),
	ROW(gpu_moved, 1, PCI_MOVED, "error", "bad", "slot1111", NONE),
	ROW(vf_gone, 1, PCI_MISSING, "error", "bad", "slot1111", NONE),
	ROW(slot_disabled_gpu_gone, 1, GPU_LOST, "warning", "bad", "slot1111", NONE),
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
	ROW(loose_port, 1, OVS_PORT_MISSING, "error", "bad", "aaaaaaaa", ADD_PORT),
	ROW(loose_port_other_bridge, 1, OVS_PORT_MISSING, "error", "bad", "aaaaaaaa", NONE),
	ROW(loose_port_no_bridge, 2, BRIDGE_MISSING, "error", "bad", "ovsbr0", NONE),
	ROW(port_elsewhere, 1, OVS_PORT_MISSING, "error", "bad", "aaaaaaaa", NONE),
	ROW(no_flows, 1, OVS_FLOWS_MISSING, "error", "bad", "aaaaaaaa", ADD_FLOWS),
	ROW(flows_unknown, 1, UNOBSERVED, "info", "unknown", "aaaaaaaa", NONE),
	ROW(orphan_port, 1, OVS_PORT_ORPHAN, "warning", "bad", "zzzzzzzz", REMOVE_PORT),
	ROW(orphan_flows, 1, OVS_FLOWS_ORPHAN, "warning", "bad", "zzzzzzzz", REMOVE_FLOWS),
	SILENT(foreign_port),
	ROW(idle_port, 1, OVS_PORT_ORPHAN, "warning", "bad", "gp-1", NONE),
	ROW(dead_port, 1, OVS_PORT_ORPHAN, "warning", "bad", "gp-1", REMOVE_PORT),
	ROW(dead_port_elsewhere, 1, OVS_PORT_ORPHAN, "warning", "bad", "gp-1", NONE),
	ROW(orphan_port_elsewhere, 1, OVS_PORT_ORPHAN, "warning", "bad", "zzzzzzzz", NONE),
	ROW(stale_lease, 1, LEASE_STALE, "warning", "bad", "slot1111", RELEASE_LEASE),
	SILENT(stale_lease_entered),
	SILENT(stale_lease_lab),
	ROW(open_bridge, 1, BRIDGE_OPEN, "error", "bad", "ovsbr0", SETUP_BRIDGE),
	ROW(open_bridge_strangers, 1, BRIDGE_OPEN, "error", "bad", "ovsbr0", NONE),
	ROW(renamed_bridge, 1, BRIDGE_MISSING, "error", "bad", "ovsbr0", NONE),
	ROW(no_isolation, 1, ISOLATION_MISSING, "error", "bad", "ovsbr0", SETUP_NAT),
	SILENT(published),
	ROW(unpublished, 1, INGRESS_MISSING, "warning", "bad", "aaaaaaaa", PUBLISH),
	SILENT(unpublished_lab),
	ROW(unpublished_blind, 1, UNOBSERVED, "info", "unknown", "ingress", NONE),
	SILENT(publish_begun),
	ROW(published_elsewhere, 1, INGRESS_MISSING, "warning", "bad", "aaaaaaaa", PUBLISH),
	ROW(published_ended, 1, JOURNAL_OPEN, "warning", "bad", "zzzzzzzz", UNDO_JOURNAL),
	ROW(orphan_ingress, 1, INGRESS_ORPHAN, "warning", "bad", "zzzzzzzz", UNPUBLISH),
	ROW(orphan_ingress_live, 1, INGRESS_ORPHAN, "warning", "bad", "aaaaaaaa", NONE),
	ROW(orphan_ingress_foreign, 1, INGRESS_ORPHAN, "warning", "bad", "tcp/8080", NONE),
	ROW(orphan_ingress_blind, 1, UNOBSERVED, "info", "unknown", "work", NONE),
	SILENT(bootstrap_journal),
	ROW(no_bridge, 1, BRIDGE_MISSING, "error", "bad", "ovsbr0", NONE),
	ROW(bridge_unknown, 1, UNOBSERVED, "info", "unknown", "ovsbr0", NONE),
	ROW(no_nat, 1, NAT_MISSING, "error", "bad", "ovsbr0", SETUP_NAT),
	ROW(no_nat_idle, 2, NAT_MISSING, "warning", "bad", "ovsbr0", SETUP_NAT),
	ROW(no_forwarding, 1, FORWARDING_OFF, "error", "bad", "ovsbr0", FORWARD),
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
	ROW(left_attempt, 1, ATTEMPT_OPEN, "warning", "bad", "bbbbbbbb", UNDO_JOURNAL),
	ROW(young_attempt, 1, ATTEMPT_OPEN, "warning", "bad", "bbbbbbbb", NONE),
	ROW(live_attempt, 1, ATTEMPT_OPEN, "warning", "bad", "aaaaaaaa", RESUME),
	ROW(unreported, 1, RESULT_UNTOLD, "warning", "bad", "aaaaaaaa", TELL_AGAIN),
	SILENT(reported),
	ROW(unreported_wipe, 1, RESULT_UNTOLD, "warning", "bad", "slot1111", TELL_AGAIN),
	SILENT(older_wipe),
	ROW(left_wipe, 1, ATTEMPT_OPEN, "warning", "bad", "slot1111", NONE),
	SILENT(held_attempt),
	ROW(stuck_slot, 1, STUCK, "warning", "bad", "slot1111", NONE),
	SILENT(not_stuck_yet),
	ROW(held_too_long, 1, STUCK, "warning", "bad", "aaaaaaaa", NONE),
	SILENT(held_for_long),
	ROW(expired, 1, PLAN_EXPIRED, "info", "ok", "cccccccc", NONE),
	SILENT(not_expired),
	ROW(other_hardware, 1, FINGERPRINT_CHANGED, "error", "bad", "n1", NONE),
	ROW(no_fingerprint, 1, UNOBSERVED, "info", "unknown", "n1", NONE),
	ROW(other_controller, 1, OTHER_CONTROLLER, "warning", "bad", "n1", NONE),
	ROW(other_boot, 1, BOOT_CHANGED, "info", "ok", "n1", NONE),
	ROW(blocker, 1, HOST_BLOCKER, "warning", "bad", "kvm", NONE),
	ROW(blocker_lab, 1, HOST_BLOCKER, "info", "ok", "kvm", NONE),
	ROW(blind_disks, 1, UNOBSERVED, "info", "unknown", "disks", NONE),
	SILENT(blind_ports_lab),
};

/* wiping and held may last 4000 s and are left by a command with the id in it. */
static bool limit(bool is_slot, bool baremetal, const char *state, int64_t *seconds,
		  const char **exit_command)
{
	if (!ga_streq(state, is_slot ? "wiping" : "held"))
		return false;
	*seconds = 4000;
	*exit_command = !is_slot  ? "gpuaas-release %s" :
			baremetal ? "gpuaas-wipe --machine %s" : "gpuaas-wipe --slot %s";
	return true;
}

static void run_case(size_t i, bool covered[GA_D_COUNT])
{
	struct world w = { 0 };
	ga_autodrifts struct ga_drifts d = { 0 };
	const struct ga_drift_item *v = NULL;

	world_init(&w);
	cases[i].change(&w);
	ga_drift_compare(&w.want, &w.seen, limit, &d);
	t_int((int64_t)d.n, (int64_t)cases[i].n, "%s: number of drifts", cases[i].name);
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
		t_str(v->drift.repair, ga_repair_word(cases[i].repair), "%s: repair",
		      cases[i].name);
		/* A drift that remains names a command. */
		t_ok(ga_streq(v->drift.severity, "info") || v->drift.command, "%s: a command",
		     cases[i].name);
		/* These two are advice to a person. */
		if (v->drift.command && v->code != GA_D_HOST_BLOCKER &&
		    v->code != GA_D_BRIDGE_MISSING)
			t_ok(ga_drift_is_command(v->drift.command), "%s: the form of '%s'",
			     cases[i].name, v->drift.command);
		ga_autofree char *text = ga_rec_format_text(&ga_drift_schema, &v->drift);
		struct ga_drift again = { 0 };
		struct ga_err err = GA_ERR_INIT;

		t_ok(ga_rec_parse_text(text, &ga_drift_schema, &again, &err) == 0,
		     "%s: a valid record %s", cases[i].name, err.msg);
		ga_schema_release(&ga_drift_schema, &again);
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

/* UNFINISHED: changes of what has ended, not the inverses that running VMs keep. */
static void unfinished(void)
{
	static const struct {
		void (*change)(struct world *w);
		bool repaired;
		int64_t n;
	} rows[] = {
		{ nothing, false, 0 },
		{ live_journal, false, 0 },
		{ left_journal, false, 2 },
		{ left_journal, true, 0 },
	};

	for (size_t i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct world w = { 0 };
		ga_autodrifts struct ga_drifts d = { 0 };
		struct ga_observation o;

		world_init(&w);
		rows[i].change(&w);
		ga_drift_compare(&w.want, &w.seen, limit, &d);
		if (rows[i].repaired)
			d.v[0].drift.repaired = true;
		ga_drift_observation(&w.want, &w.seen, &d, &o);
		t_int(o.journal_open, rows[i].n, "row %zu: unfinished changes", i);
		ga_schema_release(&ga_observation_schema, &o);
		world_release(&w);
	}
}

/* The command that leaves a state, for a slot of the allocation of that shape. */
static void stuck_command(const char *shape, const char *command)
{
	struct world w = { 0 };
	ga_autodrifts struct ga_drifts d = { 0 };
	size_t i, n = 0;

	world_init(&w);
	stuck_slot(&w);
	set(&w.want.slots.v[1].allocation, "aaaaaaaa");
	set(&w.want.allocations.v[0].shape, shape);
	ga_drift_compare(&w.want, &w.seen, limit, &d);
	for (i = 0; i < d.n; i++) {
		if (d.v[i].code != GA_D_STUCK)
			continue;
		t_str(d.v[i].drift.command, command, "stuck in a %s", shape);
		n++;
	}
	t_int((int64_t)n, 1, "one slot is stuck");
	world_release(&w);
}

/* The command for a missing domain keeps the tenant's data. */
static void missing_command(const char *state, void (*change)(struct world *w),
			    const char *command)
{
	struct world w = { 0 };
	ga_autodrifts struct ga_drifts d = { 0 };

	world_init(&w);
	change(&w);
	set(&w.want.allocations.v[0].state, state);
	ga_drift_compare(&w.want, &w.seen, limit, &d);
	t_str(d.n ? d.v[0].drift.code : NULL, "domain_missing", "the domain of an allocation that "
	      "is %s is missing", state);
	t_str(d.n ? d.v[0].drift.command : NULL, command, "%s: its command", state);
	world_release(&w);
}

static void hostile_domain(struct world *w)
{
	see_domain(w, "x$(id)", "zzzzzzzz");
}

static void hostile_port(struct world *w)
{
	orphan_port(w);
	set(&w->seen.ports.v[1].bridge, "br;id");
}

/* Names of the host stand in commands to paste. */
static void hostile_names(void)
{
	static const struct {
		void (*change)(struct world *w);
		const char *command;
	} names[] = {
		{ hostile_domain, "gpuaas-show zzzzzzzz; virsh dumpxml 'x$(id)'" },
		{ hostile_port, "ovs-vsctl --if-exists del-port 'br;id' gp-9" },
		{ orphan_ingress_foreign, "nft delete element ip gpuaas ingress '{ tcp . 8080 }'" },
	};

	for (size_t i = 0; i < GA_ARRAY_SIZE(names); i++) {
		struct world w = { 0 };
		ga_autodrifts struct ga_drifts d = { 0 };

		world_init(&w);
		names[i].change(&w);
		ga_drift_compare(&w.want, &w.seen, limit, &d);
		t_int((int64_t)d.n, 1, "one drift");
		t_str(d.n ? d.v[0].drift.command : NULL, names[i].command, "its command");
		world_release(&w);
	}
}

static void commands_of_hosts(void)
{
	static const struct {
		const char *command;
		bool fit;
	} all[] = {
		{ NULL, false },
		{ "", false },
		{ "gpuaas-show aaaaaaaa; virsh dumpxml 'it'\\''s | $x'", true },
		{ "gpuaas-discover | gpuaas-approve --all-ready --accept-change", true },
		{ "nft delete element ip gpuaas ingress '{ tcp . 80 }'", true },
		{ "echo 4 > /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages",
		  true },
		{ "echo 4 > /sys/devices/system/node/../../../../etc/passwd", false },
		{ "echo x > /etc/passwd", false },
		{ "gpuaas-show aaaaaaaa; rm -rf /", false },
		{ "gpuaas-show $(id)", false },
		{ "gpuaas-show `id`", false },
		{ "gpuaas-show aaaaaaaa | sh", false },
		{ "gpuaas-show aaaaaaaa|sh", false },
		{ "gpuaas-show aaaaaaaa & sh", false },
		{ "gpuaas-show 'a", false },
		{ "gpuaas-discover | gpuaas-approve --slot 1 --destroy-data eui.1", false },
		{ "gpuaas-discover | gpuaas-approve --slot 1 '--destroy-data=eui.1'", false },
		{ "virsh list; ", false },
		{ "apt install ovmf", false },
	};

	for (size_t i = 0; i < GA_ARRAY_SIZE(all); i++)
		t_int(ga_drift_is_command(all[i].command), all[i].fit, "%s",
		      all[i].command ? all[i].command : "nothing");
}

/* The VM of a tenant whom this state does not know may use the partition. */
static void partition_shows(void)
{
	struct world w = { 0 };
	ga_autodrifts struct ga_drifts d = { 0 };

	world_init(&w);
	partition_extra(&w);
	ga_drift_compare(&w.want, &w.seen, limit, &d);
	t_str(d.n ? d.v[0].drift.command : NULL, "fmpm -l", "the command only shows");
	world_release(&w);
}

/* The text is compared with that of the run before (decide/slot/health.h): it has the count and
 * the boot. */
static void fatal_errors_text(void)
{
	static const char *const boots[] = { "boot-1", "boot-2" };

	for (size_t i = 0; i < GA_ARRAY_SIZE(boots); i++) {
		ga_autofree char *text = ga_xprintf("1 since the host's start (boot %s)", boots[i]);
		ga_autodrifts struct ga_drifts d = { 0 };
		struct world w = { 0 };
		const char *observed = NULL;

		world_init(&w);
		gpu_fatal(&w);
		set(&w.seen.boot_id, boots[i]);
		ga_drift_compare(&w.want, &w.seen, limit, &d);
		for (size_t k = 0; k < d.n; k++)
			if (d.v[k].code == GA_D_GPU_ERRORS)
				observed = d.v[k].drift.observed;
		t_str(observed, text, "fatal errors of %s", boots[i]);
		world_release(&w);
	}
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
	ga_schema_release(&ga_observation_schema, &o);
	d.v[0].drift.repaired = d.v[1].drift.repaired = d.v[2].drift.repaired = true;
	ga_drift_observation(&w.want, &w.seen, &d, &o);
	t_ok(o.agreed, "what was repaired is agreed");
	ga_schema_release(&ga_observation_schema, &o);
	for (size_t i = 0; i < d.n; i++)
		if (d.v[i].code == GA_D_STUCK)
			t_str(d.v[i].drift.command, "gpuaas-wipe --slot slot1111",
			      "stuck names the command that leaves the state, with the id");
	world_release(&w);
}

/* Changes that keep a domain from starting again after a reboot. */
CASE(start_other_disk) { set(&DOM->devices.v[3], "/dev/nvme1n1"); }
CASE(start_path_moved) { set(&w->seen.disks.v[0].path, "/dev/nvme5n1"); }
CASE(start_other_gpu) { set(&DOM->devices.v[1], "0000:11:00.0"); }
CASE(start_held) { set(&ALLOC->power, "off"); }
CASE(start_blind) { ga_seen_blind(&w->seen, GA_A_DISKS, "no permission"); }

static void may_start(void)
{
	static const struct {
		const char *name;
		void (*change)(struct world *w);
		const char *why; /* NULL: it may */
	} rows[] = {
		{ "as recorded", nothing, NULL },
		{ "another disk", start_other_disk, "does not have the disk eui.0" },
		{ "its disk has another name", start_path_moved, "does not have the disk eui.0" },
		{ "another GPU", start_other_gpu, "does not have the functions" },
		{ "to be off", start_held, "must not run" },
		{ "blind", start_blind, "could not be checked" },
		{ "unbound", unbound, "pci_binding" },
		{ "disk gone", disk_size, NULL }, /* another slot's */
		{ "serial", disk_serial, "disk_changed" },
		{ "partition", partition_off, "partition_inactive" },
	};

	for (size_t i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autodrifts struct ga_drifts d = { 0 };
		ga_autofree char *why = NULL;
		struct world w = { 0 };
		bool may;

		world_init(&w);
		off_booting(&w);
		rows[i].change(&w);
		ga_drift_compare(&w.want, &w.seen, limit, &d);
		may = ga_drift_may_start(&w.want, &w.seen, &d, "aaaaaaaa", &why);
		t_ok(may == !rows[i].why && (may || strstr(why, rows[i].why)), "start, %s: %s",
		     rows[i].name, why ? why : "may");
		world_release(&w);
	}
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
	unfinished();
	stuck_command("slice", "gpuaas-wipe --slot slot1111");
	stuck_command("baremetal", "gpuaas-wipe --machine slot1111");
	missing_command("active", no_domain, "gpuaas-vm start aaaaaaaa");
	missing_command("held", no_domain, "gpuaas-release aaaaaaaa --undo");
	missing_command("active", no_domain_rebuild_failed, "gpuaas-vm rebuild aaaaaaaa");
	hostile_names();
	commands_of_hosts();
	partition_shows();
	fatal_errors_text();
	observation();
	may_start();
	return t_done();
}
