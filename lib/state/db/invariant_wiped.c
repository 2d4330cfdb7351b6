/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Never unwiped: a device is tainted until confirmed evidence of a later wipe clears it, in the
 * update in which its slot leaves wiping. And the columns that an available slot must have.
 */
#include "state/db/invariant.h"

#include "record/result.h"

#define RANK(class) GA_SQL_CLASS_RANK(class)

/*
 * Each slot with the evidence that proves its wipe. The evidence is confirmed; of this disk and
 * GPU, for the order in force; as strong as the policy, and fully read back; with a guard that
 * refused nothing; with a GPU and the slot's fabric function that came back after reset; written by
 * a version whose evidence is judged; and begun after both devices were last dirtied.
 * ga_wipe_proves() judges the rest of its content, in the fold and in the check. The view does not
 * read the slot's wipe_evidence_id: a trigger before an update still sees the old one.
 */
const char ga_sql_slot_proven[] =
	"CREATE VIEW slot_proven AS SELECT s.id, s.state, s.nvme_wwid, s.gpu_id, "
	"e.id AS wipe_evidence_id FROM slot s, wipe_evidence e\n"
	"WHERE e.outcome = 'confirmed'\n"
	"AND e.slot_id = s.id\n"
	"AND e.node_id = s.node_id\n"
	"AND e.wwid = s.nvme_wwid\n"
	"AND e.gpu_identity = s.gpu_identity\n"
	"AND s.gpu_id = s.node_id || '/' || s.gpu_identity\n"
	"AND e.attempt = s.wipe_attempt\n"
	"AND e.lab = (SELECT lab FROM meta)\n"
	"AND " RANK("e.class") " >= max(1, " RANK("s.wipe_minimum_class") ")\n"
	"AND s.wipe_minimum_class IS NOT NULL\n"
	"AND ((e.verify = 'full' AND e.bytes_read = e.size_bytes) OR (e.verify = 'sampled' AND "
	"s.wipe_verify = 'sampled' AND e.bytes_read > 0))\n"
	"AND (s.nvme_size_bytes IS NULL OR e.size_bytes = s.nvme_size_bytes)\n"
	"AND e.mismatches = 0\n"
	"AND e.surviving = 0\n"
	"AND (e.gpu_memory = 'confirmed' OR (e.gpu_memory IN ('not_needed', 'not_proven') AND "
	"e.gpu_reset = 'confirmed' AND s.wipe_gpu_memory = 'if_supported'))\n"
	"AND e.gpu_reset <> 'failed'\n"
	"AND (e.vf_state = 'confirmed' OR (e.vf_state = 'not_needed' AND "
	"s.fabric_vf_pci_address IS NULL))\n"
	"AND e.vf_pci_address IS s.fabric_vf_pci_address\n"
	"AND e.guard <> 'failed'\n"
	"AND (e.medium = 'file') = e.lab\n"
	"AND e.rules >= " GA_SQL_NUMBER(GA_WIPE_RULES_FIRST) "\n"
	"AND NOT EXISTS (SELECT 1 FROM device x WHERE x.id IN (s.nvme_wwid, s.gpu_id) AND "
	"x.dirty_since >= e.started_at);\n";
#define PROVEN \
	"EXISTS (SELECT 1 FROM slot_proven WHERE id = NEW.id AND " \
	"wipe_evidence_id = NEW.wipe_evidence_id)"

/* Both devices are known, of this node, of the right kind, and clean. Devices of a slot whose wipe
 * ended may still be tainted: they are cleared with it (slot_cleared). */
#define CLEAN_DEVICE(device, kind) \
	"EXISTS (SELECT 1 FROM device WHERE id = " device " AND node_id = NEW.node_id AND " \
	"device_kind = '" kind "' AND (dirty_since IS NULL OR OLD.state = 'wiping'))"
#define CLEAN \
	"(" CLEAN_DEVICE("NEW.nvme_wwid", "disk") " AND " CLEAN_DEVICE("NEW.gpu_id", "gpu") ")"

/* A taint never predates the wipe that cleared the device, whatever the clocks show. */
#define TAINT_TIME \
	"max(" GA_SQL_NOW ", coalesce(dirty_since, ''), coalesce((SELECT e.finished_at FROM " \
	"wipe_evidence e WHERE e.id = device.cleared_by), ''))"

#define IS_TIME(column) GA_SQL_IS_TIME(column)

/* A device of the slot counts as clean although a tenant has had it. */
#define NOT_TAINTED(row) \
	"EXISTS (SELECT 1 FROM device WHERE id IN (" row ".nvme_wwid, " row ".gpu_id) AND " \
	"dirty_since IS NULL)"
/* Devices of the allocation's node that stand in no slot. */
#define SPARE_OF(row) \
	"node_id IN (SELECT c.node_id FROM claim c WHERE c.allocation_id = " row ".id AND " \
	"c.live = 1) AND NOT EXISTS (SELECT 1 FROM slot s WHERE (s.nvme_wwid = device.id OR " \
	"s.gpu_id = device.id) AND s.retired = 0)"

/* The number of rows of slot_cpu for the slot, and the number of those whose CPU is in its list. */
#define CPUS_HELD "(SELECT count(*) FROM slot_cpu WHERE slot_id = NEW.id)"
#define CPUS_RIGHT \
	"(SELECT count(*) FROM slot_cpu WHERE slot_id = NEW.id AND EXISTS (SELECT 1 FROM " \
	GA_SQL_CPU_RANGES("NEW") " r WHERE cpu BETWEEN " GA_SQL_FIRST_CPU " AND " \
	GA_SQL_LAST_CPU "))"

#define SELLS_SLICES GA_SQL_SELLS_SLICES("NEW.node_id")

#define ON_OPEN "BEFORE UPDATE OF state ON slot"
/* The slots of a device are found by the device. With a condition on the state, SQLite would use
 * the index of states, and read most of the table when there are thousands of slots. */
#define OF_DEVICE "(nvme_wwid = OLD.id OR gpu_id = OLD.id)"
#define ONE_OF(states) "coalesce(state, '') IN (" states ")"

const struct ga_rule ga_rules_wiped[] = {
	/* devices */
	{ "device_birth", "BEFORE INSERT ON device",
	  "NEW.dirty_since IS NULL OR NEW.cleared_by IS NOT NULL OR NOT "
	  "" IS_TIME("NEW.dirty_since"),
	  "tainted: a device is born tainted, since a time", NULL },
	{ "device_taint_time", "BEFORE UPDATE OF dirty_since ON device",
	  "NEW.dirty_since IS NOT NULL AND NEW.dirty_since IS NOT OLD.dirty_since AND ("
	  "NOT " IS_TIME("NEW.dirty_since") " OR NEW.dirty_since < OLD.dirty_since OR "
	  "NEW.dirty_since < (SELECT finished_at FROM wipe_evidence WHERE "
	  "id = OLD.cleared_by))",
	  "tainted: a taint is never moved to an earlier time", NULL },
	{ "device_taint_in_use", "BEFORE UPDATE OF dirty_since ON device",
	  "NEW.dirty_since IS NOT NULL AND EXISTS (SELECT 1 FROM slot WHERE "
	  OF_DEVICE " AND " ONE_OF("'available', 'reserved'") ")",
	  "in_use: the slot of a device is taken out of sale before the device is tainted", NULL },
	{ "device_clear", "BEFORE UPDATE OF dirty_since, cleared_by ON device",
	  "NEW.dirty_since IS NULL AND (OLD.dirty_since IS NOT NULL OR "
	  "NEW.cleared_by IS NOT OLD.cleared_by) AND NOT EXISTS (SELECT 1 FROM "
	  "slot_proven WHERE " OF_DEVICE " AND "
	  ONE_OF("'wiping', 'available', 'disabled'") " AND "
	  "wipe_evidence_id = NEW.cleared_by)",
	  "tainted: only confirmed evidence of a later wipe clears a device", NULL },
	{ "device_cleared_by", "BEFORE UPDATE OF cleared_by ON device",
	  "NEW.cleared_by IS NOT OLD.cleared_by AND NEW.dirty_since IS NOT NULL",
	  "fixed: what cleared a device changes only when it is cleared", NULL },
	{ "device_moved", "BEFORE UPDATE OF node_id ON device",
	  "NEW.node_id <> OLD.node_id AND (OLD.device_kind = 'gpu' OR NEW.dirty_since IS NULL OR "
	  "EXISTS (SELECT 1 FROM slot WHERE nvme_wwid = OLD.id AND "
	  "state NOT IN ('disabled', 'retired')))",
	  "tainted: a disk that comes from another node is tainted, and not in use", NULL },
	{ "slot_dirtied", "AFTER UPDATE OF state ON slot",
	  "NEW.state = 'provisioning' AND OLD.state <> 'provisioning'", NULL,
	  "UPDATE device SET dirty_since = " TAINT_TIME ", dirtied_by = coalesce((SELECT "
	  "allocation_id FROM claim WHERE slot_id = NEW.id AND live = 1), NEW.id) "
	  "WHERE id IN (NEW.nvme_wwid, NEW.gpu_id);\n"
	  "SELECT RAISE(ABORT, 'tainted: the devices of a slot that is handed over were not "
	  "tainted') WHERE " NOT_TAINTED("NEW") ";" },
	/*
	 * A temporary trigger of a connection fires first. It can end the following triggers
	 * (IGNORE, FAIL) or keep them from running (a trigger does not run within itself). So this
	 * trigger, which changes nothing, checks before the slot's next step that the taint is
	 * there.
	 */
	{ "slot_was_dirtied", "BEFORE UPDATE OF state ON slot",
	  "OLD.state = 'provisioning' AND NEW.state <> OLD.state AND " NOT_TAINTED("OLD"),
	  "tainted: the devices of a slot that was handed over were not tainted", NULL },
	/* A slot that is released had a tenant. */
	{ "slot_released_dirty", "BEFORE UPDATE OF state ON slot",
	  "NEW.state = 'releasing' AND OLD.state <> 'releasing' AND " NOT_TAINTED("NEW"),
	  "tainted: the devices of a slot that is released were never tainted", NULL },
	/* Also when its allocation does not move, which happens only by writes from outside
	 * gpuaas. */
	{ "slot_node_was_dirtied", "BEFORE UPDATE OF state ON slot",
	  "OLD.state = 'provisioning' AND NEW.state <> OLD.state AND EXISTS (SELECT 1 FROM claim k "
	  "JOIN allocation a ON a.id = k.allocation_id WHERE k.slot_id = OLD.id AND k.live = 1 AND "
	  "a.shape = 'baremetal' AND EXISTS (SELECT 1 FROM device WHERE dirty_since IS NULL AND "
	  SPARE_OF("a") "))",
	  "tainted: a spare device of a node that was handed over was not tainted", NULL },
	{ "node_was_dirtied", "BEFORE UPDATE OF state ON allocation",
	  "OLD.state = 'provisioning' AND NEW.state <> OLD.state AND OLD.shape = 'baremetal' AND "
	  "EXISTS (SELECT 1 FROM device WHERE dirty_since IS NULL AND " SPARE_OF("OLD") ")",
	  "tainted: a spare device of a node that was handed over was not tainted", NULL },
	/* Disks of the node that stand in no slot: the tenant of the node has had them, too. */
	{ "node_dirtied", "AFTER UPDATE OF state ON allocation",
	  "NEW.state = 'provisioning' AND OLD.state <> 'provisioning' AND NEW.shape = 'baremetal'",
	  NULL,
	  "UPDATE device SET dirty_since = " TAINT_TIME ", dirtied_by = NEW.id "
	  "WHERE " SPARE_OF("NEW") ";\n"
	  "SELECT RAISE(ABORT, 'tainted: the spare devices of a node that is handed over were not "
	  "tainted') WHERE EXISTS (SELECT 1 FROM device WHERE dirty_since IS NULL AND "
	  SPARE_OF("NEW") ");" },
	/* evidence */
	{ "evidence_times", "BEFORE INSERT ON wipe_evidence",
	  "NOT " IS_TIME("NEW.started_at") " OR NOT " IS_TIME("NEW.finished_at")
	  " OR NEW.finished_at < NEW.started_at",
	  "evidence: a wipe ends after it began", NULL },
	{ "evidence_slot", "BEFORE INSERT ON wipe_evidence",
	  "NOT EXISTS (SELECT 1 FROM slot WHERE id = NEW.slot_id AND node_id = NEW.node_id)",
	  "evidence: the slot of the evidence is not of that node", NULL },
	/* the way back to available */
	{ "slot_tainted", "BEFORE UPDATE OF state ON slot",
	  "NEW.state IN ('available', 'reserved') AND NEW.state <> OLD.state AND NOT " CLEAN,
	  "tainted: a device of the slot is not known, or not known to be wiped", NULL },
	{ "slot_proof", "BEFORE UPDATE OF state ON slot",
	  "OLD.state = 'wiping' AND NEW.state = 'available' AND NOT " PROVEN,
	  "tainted: a slot leaves wiping for available only with confirmed evidence of its wipe",
	  NULL },
	/* Before the update: only a wiped device is cleared, also when the slot then stays in its
	 * state. */
	{ "slot_cleared", "BEFORE UPDATE OF state ON slot",
	  "OLD.state = 'wiping' AND NEW.state IN ('available', 'disabled')", NULL,
	  "UPDATE device SET dirty_since = NULL, dirtied_by = NULL, "
	  "cleared_by = NEW.wipe_evidence_id WHERE id IN (NEW.nvme_wwid, NEW.gpu_id) AND "
	  PROVEN ";\n"
	  "SELECT RAISE(ABORT, 'tainted: a device of a slot that was wiped was not cleared') WHERE "
	  "NEW.state = 'available' AND EXISTS (SELECT 1 FROM device WHERE id IN (NEW.nvme_wwid, "
	  "NEW.gpu_id) AND (dirty_since IS NOT NULL OR cleared_by IS NOT NEW.wipe_evidence_id));" },
	/* The wipe ran under another policy, or in another slot. */
	{ "slot_wiped_for", "BEFORE UPDATE OF state ON slot",
	  "NEW.state = 'available' AND OLD.state = 'disabled' AND EXISTS (SELECT 1 FROM device d "
	  "WHERE d.id IN (NEW.nvme_wwid, NEW.gpu_id) AND NOT EXISTS (SELECT 1 FROM wipe_evidence e "
	  "WHERE e.id = d.cleared_by AND "
	  GA_SQL_WIPED_FOR("e", "NEW.wipe_minimum_class", "NEW.wipe_verify",
			   "NEW.wipe_gpu_memory")
	  " AND (d.device_kind = 'disk' OR e.vf_pci_address IS NEW.fabric_vf_pci_address)))",
	  "tainted: a device of the slot was wiped less than its policy asks, or with another "
	  "fabric function", NULL },
	/* The permission to destroy data ends with the wipe that its slot waits for. */
	{ "slot_leave_ends", "AFTER UPDATE OF state ON slot",
	  "NEW.state IN ('disabled', 'retired') AND NEW.state <> OLD.state", NULL,
	  "UPDATE device SET destroy_data_by = NULL WHERE id = NEW.nvme_wwid AND "
	  "destroy_data_by IS NOT NULL;" },
	{ "slot_disposal", "BEFORE UPDATE OF state ON slot",
	  "NEW.state = 'retired' AND OLD.state <> 'retired' AND NEW.disposal IS NULL AND "
	  "EXISTS (SELECT 1 FROM device WHERE id IN (NEW.nvme_wwid, NEW.gpu_id) AND "
	  "dirty_since IS NOT NULL)",
	  "tainted: a slot that was not wiped is retired only with a record of its "
	  "disposal", NULL },
	/* needs of an available slot */
	{ "slot_needs_gpu", ON_OPEN,
	  "NEW.gpu_id IS NULL OR NEW.gpu_id IS NOT NEW.node_id || '/' || NEW.gpu_identity",
	  "missing_gpu: the slot has no GPU", GA_SQL_OPENS },
	{ "slot_needs_nvme", ON_OPEN, "NEW.nvme_wwid IS NULL",
	  "missing_nvme: the slot has no disk", GA_SQL_OPENS },
	/* These only where the node sells slices. */
	{ "slot_needs_mac", ON_OPEN, "NEW.mac IS NULL AND " SELLS_SLICES,
	  "missing_mac: the slot has no MAC", GA_SQL_OPENS },
	{ "slot_needs_ip", ON_OPEN, "NEW.private_ip IS NULL AND " SELLS_SLICES,
	  "missing_ip: the slot has no private address", GA_SQL_OPENS },
	{ "slot_needs_claim_mode", ON_OPEN,
	  "NEW.fabric_claim_mode IS NOT 'per_slot_vf' AND " SELLS_SLICES,
	  "fabric_not_per_slot_vf: the slot has no fabric function of its own", GA_SQL_OPENS },
	{ "slot_needs_vf", ON_OPEN, "NEW.fabric_vf_pci_address IS NULL AND " SELLS_SLICES,
	  "missing_fabric_vf: the slot has no fabric function", GA_SQL_OPENS },
	/* Where slices are sold, this also refuses a slot without CPUs: no row is right (0 is not
	 * 1). */
	{ "slot_needs_cpus", ON_OPEN,
	  CPUS_HELD " IS NOT coalesce(" GA_SQL_CPUS_NAMED("NEW") ", 0) OR "
	  CPUS_RIGHT " IS NOT max(" SELLS_SLICES ", " CPUS_HELD ")",
	  "cpuset_taken: the CPUs of the slot are not all its own", GA_SQL_OPENS },
	{ "slot_needs_memory", ON_OPEN, "coalesce(NEW.memory_mib, 0) <= 0 AND " SELLS_SLICES,
	  "memory_overcommitted: the slot has no memory", GA_SQL_OPENS },
	{ "slot_needs_ownership", ON_OPEN, "NEW.storage_ownership IS NOT 'tenant_slice'",
	  "storage_not_owned: the disk of the slot is not ours to give", GA_SQL_OPENS },
	{ "slot_needs_policy", ON_OPEN,
	  "NEW.wipe_minimum_class IS NULL OR NEW.wipe_verify IS NULL OR "
	  "NEW.wipe_gpu_memory IS NULL",
	  "no_wipe_policy: how the slot is wiped is not decided", GA_SQL_OPENS },
	{ "slot_needs_health", ON_OPEN, "NEW.health_state = 'failed'",
	  "health_failed: the health of the slot is failed", GA_SQL_OPENS },
	{ "slot_needs_no_reason", ON_OPEN, "NEW.cordon_reason IS NOT NULL",
	  "cordoned: a person keeps the slot out of use", GA_SQL_OPENS },
	{ "slot_cordon_stays", "BEFORE UPDATE OF cordon ON slot",
	  "NEW.cordon IS NOT OLD.cordon AND NEW.state IS NOT OLD.state",
	  "cordoned: a cordon does not change with the state of its slot", NULL },
	{ "slot_needs_no_blocker", ON_OPEN, "NEW.blockers <> '[]'",
	  "not_ready: something blocks the slot", GA_SQL_OPENS },
	/* A plan that ends puts a reserved slot back on sale unchanged: so its health must not fail
	 * while it is reserved, and no blocker may be added. */
	{ "slot_stays_healthy", "BEFORE UPDATE OF health_state, blockers ON slot",
	  "(NEW.health_state = 'failed' AND OLD.health_state <> 'failed' AND "
	  "(NEW.state = 'available' OR NEW.state = 'reserved')) OR "
	  "(NEW.state = OLD.state AND (NEW.state = 'available' OR NEW.state = 'reserved') AND "
	  "NEW.blockers <> '[]' AND OLD.blockers = '[]')",
	  "in_use: a slot that is not well is disabled in the same change", NULL },
	{ .name = NULL },
};
