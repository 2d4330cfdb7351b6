/* SPDX-License-Identifier: Apache-2.0 */
/* Sold once: claims, the holder of a node, CPUs, memory, fabric functions, fractional shapes. */
#include "state/db/invariant.h"

/* States of a slot in which its claim cannot end. */
#define IN_USE \
	"'reserved', 'provisioning', 'active', 'releasing', 'wiping', 'cleanup_blocked', " \
	"'quarantined'"

/* States of an allocation that no host has begun to make. */
#define NOT_BEGUN "'pending', 'placed', 'cancelled', 'refused'"

/* A shape for which no mechanism is implemented; s is a row of slot. */
#define FRACTIONAL(s) "(" s ".shape <> 'slice' OR " s ".sharing_mechanism <> 'exclusive_device')"

/* Memory of the other slots of NEW's NUMA node, and NEW's own. */
#define MEMORY_SOLD \
	"coalesce((SELECT sum(memory_mib) FROM slot WHERE node_id = NEW.node_id " \
	"AND retired = 0 AND id <> NEW.id AND memory_mib IS NOT NULL " \
	"AND coalesce(numa_node, -1) = coalesce(NEW.numa_node, -1)), 0) + NEW.memory_mib"
#define MEMORY_OF_HOST \
	"(SELECT memory_mib - reserve_mib FROM node_memory WHERE node_id = NEW.node_id " \
	"AND numa_node = coalesce(NEW.numa_node, -1))"
#define MEMORY_WHEN "NEW.retired = 0 AND " MEMORY_SOLD " > " MEMORY_OF_HOST
#define MEMORY_SENTENCE \
	"memory_overcommitted: the slots of the NUMA node would have more memory than it has"

#define PF_VF_WHEN \
	"NEW.retired = 0 AND (NEW.fabric_vf_pci_address = NEW.fabric_pf_pci_address OR " \
	"EXISTS (SELECT 1 FROM slot WHERE node_id = NEW.node_id AND retired = 0 AND " \
	"(fabric_pf_pci_address = NEW.fabric_vf_pci_address OR " \
	"fabric_vf_pci_address = NEW.fabric_pf_pci_address)))"
#define PF_VF_SENTENCE \
	"pf_vf_conflict: a physical fabric function is never sold beside its own virtual one"

/* One PCI function in two roles: the GPU of a slot is never a fabric function of any slot. */
#define ROLES_WHEN \
	"NEW.retired = 0 AND (NEW.gpu_pci_address IN (NEW.fabric_vf_pci_address, " \
	"NEW.fabric_pf_pci_address) OR EXISTS (SELECT 1 FROM slot WHERE node_id = NEW.node_id " \
	"AND retired = 0 AND id <> NEW.id AND (gpu_pci_address = NEW.fabric_vf_pci_address OR " \
	"gpu_pci_address = NEW.fabric_pf_pci_address OR " \
	"fabric_vf_pci_address = NEW.gpu_pci_address OR " \
	"fabric_pf_pci_address = NEW.gpu_pci_address)))"
#define ROLES_SENTENCE \
	"duplicate_identity: a PCI function is a GPU or a fabric function, and stands in one slot"

#define CPU_CLOSED \
	"NOT EXISTS (SELECT 1 FROM slot WHERE id = NEW.slot_id AND node_id = NEW.node_id AND " \
	"state = 'disabled')"
#define CPU_SENTENCE "in_use: the CPUs of a slot change only while it is disabled"

/* The slot of a claim, and its allocation; other rules check that both exist. */
#define OF_SLOT \
	"FROM allocation a JOIN slot s ON s.id = NEW.slot_id WHERE a.id = NEW.allocation_id"

const struct ga_rule ga_rules_sold[] = {
	/* Claims are born live, on free slots, for an allocation that is being placed. A claim with
	 * a holder is live, and holds a node for its own allocation: checks of the table guard
	 * both. */
	{ "claim_birth", "BEFORE INSERT ON claim", "NEW.live <> 1",
	  "birth: a new claim is live", NULL },
	{ "claim_holder", "BEFORE INSERT ON claim",
	  "NEW.live = 1 AND (NEW.held_by IS NULL OR (SELECT held_by FROM node WHERE "
	  "id = NEW.node_id AND state <> 'retired') IS NOT NEW.held_by)",
	  "sold_once: the node is not held for this claim, or retired", NULL },
	{ "claim_exclusive", "BEFORE INSERT ON claim",
	  "NEW.live = 1 AND EXISTS (SELECT 1 FROM claim WHERE node_id = NEW.node_id AND "
	  "held_by IS NOT NULL AND held_by IS NOT NEW.held_by)",
	  "sold_once: the node is claimed whole, or slots of it are", NULL },
	{ "claim_slot", "BEFORE INSERT ON claim",
	  "NEW.claim_kind = 'slot' AND NOT EXISTS (SELECT 1 FROM slot WHERE id = NEW.slot_id "
	  "AND node_id = NEW.node_id)",
	  "sold_once: the slot is not of that node", NULL },
	{ "claim_available", "BEFORE INSERT ON claim",
	  "NEW.claim_kind = 'slot' AND s.state <> 'available' AND "
	  "NOT (s.state = 'disabled' AND a.taken_in IS NOT NULL)",
	  "sold_once: the slot is not available", OF_SLOT },
	/* A baremetal node has slots that only baremetal can have. */
	{ "claim_complete", "BEFORE INSERT ON claim",
	  "a.shape = 'slice' AND " GA_SQL_NO_SLICE("s"),
	  "incomplete: the slot lacks a fabric function, address, CPUs or memory for a slice",
	  OF_SLOT },
	/* Its slots were judged for baremetal: not their IOMMU groups, resets and displays. */
	{ "claim_mode", "BEFORE INSERT ON claim",
	  "a.shape = 'slice' AND NOT " GA_SQL_SELLS_SLICES("NEW.node_id") " AND NOT "
	  GA_SQL_NO_SLICE("s"),
	  "node_mode: the node is sold as baremetal, and its slots were judged for that",
	  OF_SLOT },
	{ "claim_fractional", "BEFORE INSERT ON claim", FRACTIONAL("s"),
	  "fractional: parts of a GPU are not sold yet", OF_SLOT },
	{ "claim_allocation", "BEFORE INSERT ON claim",
	  "NOT EXISTS (SELECT 1 FROM allocation WHERE id = NEW.allocation_id AND "
	  "state IN ('pending', 'placed'))",
	  "wrong_state: only an allocation that is being placed gets a claim", NULL },
	{ "claim_spare", "BEFORE INSERT ON claim",
	  "NEW.claim_kind = 'node' AND EXISTS (SELECT 1 FROM device d WHERE "
	  GA_SQL_SPARE_DIRTY("NEW.node_id") ")",
	  "tainted: a device of the node stands in no slot, and a tenant left it unwiped", NULL },
	{ "claim_one_node", "BEFORE INSERT ON claim",
	  "EXISTS (SELECT 1 FROM claim WHERE allocation_id = NEW.allocation_id AND live = 1 "
	  "AND node_id <> NEW.node_id)",
	  "one_node: all claims of an allocation are on one node", NULL },
	/* A baremetal allocation has no type when its machine has GPUs of several types. */
	{ "claim_type", "BEFORE INSERT ON claim",
	  "(a.accelerator_type IS NOT NULL AND a.accelerator_type IS NOT s.accelerator_type) OR "
	  "(NEW.accelerator_type IS NOT NULL AND NEW.accelerator_type IS NOT s.accelerator_type)",
	  "wrong_type: the allocation and its claims say the type of the slots they have",
	  OF_SLOT },
	{ "claim_profile_type", "BEFORE INSERT ON claim",
	  "a.profile_types IS NOT NULL AND "
	  "coalesce(instr(a.profile_types, char(10) || s.accelerator_type || char(10)), 0) = 0",
	  "wrong_type: the profile of the allocation does not name the type of that slot",
	  OF_SLOT },
	/* A text inside a record has its quotation marks escaped, so this finds the member. */
	{ "allocation_types", "BEFORE INSERT ON allocation",
	  "(instr(NEW.profile_record, '\"types\":[') > 0) <> (NEW.profile_types IS NOT NULL)",
	  "wrong_type: an allocation has the types that its profile names", NULL },
	{ "allocation_app", "BEFORE INSERT ON allocation",
	  "CASE WHEN NEW.app IS NULL THEN instr(NEW.request, '\"app\":\"') > 0 ELSE "
	  "instr(NEW.request, '\"app\":\"' || NEW.app || '\"') = 0 END",
	  "wrong_app: an allocation has the app that its request names", NULL },
	{ "allocation_app_version", "BEFORE INSERT ON allocation",
	  "(NEW.app IS NOT NULL OR NEW.app_version IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM "
	  "app WHERE name = NEW.app AND version = NEW.app_version)",
	  "wrong_app: the app of an allocation is a version that exists", NULL },
	/* a claim ends once, when its slot has left wiping */
	{ "claim_revived", "BEFORE UPDATE OF live ON claim", "OLD.live = 0 AND NEW.live <> 0",
	  "fixed: a claim that ended stays ended", NULL },
	{ "claim_in_use", "BEFORE UPDATE OF live ON claim",
	  "OLD.live = 1 AND NEW.live = 0 AND OLD.claim_kind = 'slot' AND EXISTS (SELECT 1 FROM "
	  "slot WHERE id = OLD.slot_id AND state IN (" IN_USE "))",
	  "claim_in_use: a claim lives until its slot has left wiping", NULL },
	/* Not before its allocation is over, whatever became of the slot. A slot that was destroyed
	 * (slot_retired) is let go with its record of disposal: its host may never answer again. */
	{ "claim_let_go", "BEFORE UPDATE OF live ON claim",
	  "OLD.live = 1 AND NEW.live = 0 AND OLD.claim_kind = 'slot' AND EXISTS (SELECT 1 FROM "
	  "allocation WHERE id = OLD.allocation_id AND state NOT IN (" NOT_BEGUN ", 'released')) "
	  "AND EXISTS (SELECT 1 FROM slot WHERE id = OLD.slot_id AND state <> 'retired')",
	  "claim_in_use: a slot is let go after its allocation is released", NULL },
	{ "claim_node_in_use", "BEFORE UPDATE OF live ON claim",
	  "OLD.live = 1 AND NEW.live = 0 AND OLD.claim_kind = 'node' "
	  "AND (EXISTS (SELECT 1 FROM claim "
	  "WHERE node_id = OLD.node_id AND held_by IS NOT NULL AND claim_kind = 'slot') "
	  "OR (NOT EXISTS (SELECT 1 FROM claim "
	  "WHERE allocation_id = OLD.allocation_id AND claim_kind = 'slot') "
	  "AND EXISTS (SELECT 1 FROM allocation WHERE id = OLD.allocation_id "
	  "AND state NOT IN (" NOT_BEGUN ", 'released'))))",
	  "claim_in_use: a node is held until all its slots have left wiping", NULL },
	{ "slot_claim_end", "AFTER UPDATE OF state ON slot",
	  "NEW.state <> OLD.state AND (NEW.state = 'available' OR NEW.state = 'disabled' OR "
	  "NEW.state = 'retired')", NULL,
	  "UPDATE claim SET live = 0, held_by = NULL, ended_at = max(created_at, " GA_SQL_NOW ") "
	  "WHERE slot_id = NEW.id AND live = 1;" },
	{ "claim_ended", "AFTER UPDATE OF live ON claim", "OLD.live = 1 AND NEW.live = 0", NULL,
	  "UPDATE claim SET live = 0, held_by = NULL, ended_at = max(created_at, " GA_SQL_NOW ") "
	  "WHERE node_id = NEW.node_id AND live = 1 AND claim_kind = 'node' AND NOT EXISTS "
	  "(SELECT 1 FROM claim WHERE node_id = NEW.node_id AND held_by IS NOT NULL AND "
	  "claim_kind = 'slot');\n"
	  "UPDATE node SET held_by = NULL, generation = generation + 1 WHERE id = NEW.node_id AND "
	  "held_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM claim WHERE "
	  "node_id = NEW.node_id AND held_by IS NOT NULL);" },
	/* the holder of a node */
	{ "node_birth_held", "BEFORE INSERT ON node", "NEW.held_by IS NOT NULL",
	  "birth: nobody holds a new node", NULL },
	{ "node_held", "BEFORE UPDATE OF held_by ON node",
	  "NEW.held_by IS NOT OLD.held_by AND EXISTS (SELECT 1 FROM claim WHERE "
	  "node_id = OLD.id AND held_by IS NOT NULL)",
	  "sold_once: the node is held by a live claim", NULL },
	{ "node_holder", "BEFORE UPDATE OF held_by ON node",
	  "NEW.held_by <> 'slices' AND NOT EXISTS (SELECT 1 FROM allocation WHERE "
	  "id = NEW.held_by)",
	  "sold_once: a node is held by slices or by an allocation", NULL },
	/* The mode decides by what the slots of the node are judged: nobody has them when it
	 * changes, and those that were approved for baremetal are out of sale before slices are
	 * sold. */
	{ "node_mode_held", "BEFORE UPDATE OF mode ON node",
	  "NEW.mode <> OLD.mode AND OLD.held_by IS NOT NULL",
	  "node_in_use: the mode of a node changes only while nobody has it", NULL },
	{ "node_mode_slots", "BEFORE UPDATE OF mode ON node",
	  "OLD.mode = 'baremetal' AND NEW.mode <> 'baremetal' AND EXISTS (SELECT 1 FROM slot WHERE "
	  "node_id = OLD.id AND retired = 0 AND state <> 'disabled' AND state <> 'quarantined')",
	  "node_in_use: slots of the node were approved for baremetal", NULL },
	{ "node_retired", "BEFORE UPDATE OF state ON node",
	  "NEW.state = 'retired' AND EXISTS (SELECT 1 FROM claim WHERE node_id = OLD.id AND "
	  "held_by IS NOT NULL)",
	  "has_claims: a node with live claims cannot be retired", NULL },
	/* slots with their claims */
	/* The claim must be of an allocation that is being placed: a claim that somebody kept from
	 * ending does not count. */
	{ "slot_unclaimed", "BEFORE UPDATE OF state ON slot",
	  "NEW.state = 'reserved' AND OLD.state <> 'reserved' "
	  "AND NOT EXISTS (SELECT 1 FROM claim c JOIN allocation a ON a.id = c.allocation_id WHERE "
	  "c.slot_id = OLD.id AND c.live = 1 AND a.state IN ('pending', 'placed'))",
	  "no_claim: a slot is reserved only for a live claim", NULL },
	/* In the first epoch no restore has happened. */
	{ "slot_unverified", "BEFORE UPDATE OF state ON slot",
	  "NEW.state = 'reserved' AND OLD.state <> 'reserved' AND NEW.epoch_verified < "
	  "(SELECT epoch FROM meta WHERE epoch > 1)",
	  "unverified_since_restore: after a restore a slot is adopted or wiped before it is "
	  "placed",
	  NULL },
	{ "slot_epoch", "BEFORE UPDATE OF epoch_verified ON slot",
	  "NEW.epoch_verified < OLD.epoch_verified OR NEW.epoch_verified > "
	  "(SELECT epoch FROM meta)",
	  "fixed: the epoch a slot was verified in only grows, to that of the state", NULL },
	{ "slot_whole_node", "BEFORE UPDATE OF state ON slot",
	  "NEW.state = 'provisioning' AND OLD.state <> 'provisioning' AND EXISTS (SELECT 1 FROM "
	  "claim c JOIN allocation a ON a.id = c.allocation_id WHERE c.slot_id = OLD.id AND "
	  "c.live = 1 AND a.shape = 'baremetal' AND EXISTS (SELECT 1 FROM slot o WHERE "
	  "o.node_id = OLD.node_id AND o.retired = 0 AND NOT EXISTS (SELECT 1 FROM claim n "
	  "WHERE n.slot_id = o.id AND n.live = 1 AND n.allocation_id = c.allocation_id)))",
	  "sold_once: a baremetal claim takes every slot of its node", NULL },
	/* Also when none of its slots moves: a baremetal tenant has the complete machine. */
	{ "allocation_whole_node", "BEFORE UPDATE OF state ON allocation",
	  "NEW.state = 'provisioning' AND NEW.shape = 'baremetal' AND EXISTS (SELECT 1 FROM "
	  "claim c JOIN slot s ON s.node_id = c.node_id WHERE c.allocation_id = OLD.id AND "
	  "c.live = 1 AND s.retired = 0 AND NOT EXISTS (SELECT 1 FROM claim WHERE "
	  "slot_id = s.id AND live = 1 AND allocation_id = OLD.id))",
	  "sold_once: a baremetal claim takes every slot of its node", NULL },
	/* A machine that its tenant had before gpuaas knew it: its slots were never on sale. It has
	 * no plan, so no host hands it over. */
	{ "slot_taken_in", "BEFORE UPDATE OF state ON slot",
	  "NEW.state = 'provisioning' AND OLD.state = 'disabled' AND NOT EXISTS (SELECT 1 FROM "
	  "claim c JOIN allocation a ON a.id = c.allocation_id WHERE c.slot_id = OLD.id AND "
	  "c.live = 1 AND a.taken_in IS NOT NULL AND a.state = 'provisioning')",
	  "no_claim: only a tenant who had its machine before uses a slot that is not on sale",
	  NULL },
	{ "allocation_taken_in", "BEFORE INSERT ON allocation",
	  "NEW.taken_in IS NOT NULL AND (NEW.shape <> 'baremetal' OR NEW.plan IS NOT NULL)",
	  "taken_in: a tenant who had a machine before has all of it, and no plan", NULL },
	{ "allocation_taken_in_plan", "BEFORE UPDATE OF plan ON allocation",
	  "NEW.taken_in IS NOT NULL AND NEW.plan IS NOT NULL",
	  "taken_in: a tenant who had a machine before has all of it, and no plan", NULL },
	/* Released means observed: its slots wait for their wipe, or for a person. */
	{ "allocation_released", "BEFORE UPDATE OF state ON allocation",
	  "NEW.state = 'released' AND OLD.state <> 'released' AND EXISTS (SELECT 1 FROM claim c "
	  "JOIN slot s ON s.id = c.slot_id WHERE c.allocation_id = OLD.id AND c.live = 1 AND "
	  "s.state IN ('reserved', 'provisioning', 'active', 'releasing'))",
	  "claim_in_use: an allocation is released when its slots have left their tenant", NULL },
	{ "slot_given_back", "BEFORE UPDATE OF state ON slot",
	  "OLD.state = 'reserved' AND NEW.state = 'available' AND EXISTS (SELECT 1 FROM claim c "
	  "JOIN allocation a ON a.id = c.allocation_id WHERE c.slot_id = OLD.id AND c.live = 1 "
	  "AND a.state NOT IN (" NOT_BEGUN "))",
	  "claim_in_use: what an allocation has begun to use is wiped before it is free", NULL },
	{ "slot_retired", "BEFORE UPDATE OF state ON slot",
	  "NEW.state = 'retired' AND EXISTS (SELECT 1 FROM claim c JOIN allocation a ON "
	  "a.id = c.allocation_id WHERE c.slot_id = OLD.id AND c.live = 1 AND "
	  "(OLD.state <> 'quarantined' OR NEW.disposal IS NULL OR a.state <> 'release_failed'))",
	  "has_claims: a slot with a live claim is retired only when its release failed, with a "
	  "record of its disposal", NULL },
	{ "slot_fractional", "BEFORE UPDATE ON slot",
	  "NEW.state IN ('available', 'reserved') AND " FRACTIONAL("NEW"),
	  "fractional: parts of a GPU are not sold yet", NULL },
	/* CPUs, memory, fabric functions */
	{ "slot_cpu_new", "BEFORE INSERT ON slot_cpu", CPU_CLOSED, CPU_SENTENCE, NULL },
	{ "slot_cpu_moved", "BEFORE UPDATE ON slot_cpu", NULL,
	  "fixed: the CPUs of a slot are added and removed, never moved", NULL },
	{ "slot_cpu_gone", "BEFORE DELETE ON slot_cpu",
	  "EXISTS (SELECT 1 FROM slot WHERE id = OLD.slot_id AND "
	  "state NOT IN ('disabled', 'retired'))", CPU_SENTENCE, NULL },
	{ "slot_cpu_retired", "AFTER UPDATE OF state ON slot",
	  "NEW.state = 'retired' AND OLD.state <> 'retired'", NULL,
	  "DELETE FROM slot_cpu WHERE slot_id = NEW.id;" },
	{ "slot_new_memory", "BEFORE INSERT ON slot", MEMORY_WHEN, MEMORY_SENTENCE, NULL },
	{ "slot_change_memory", "BEFORE UPDATE OF memory_mib, numa_node ON slot",
	  "(NEW.memory_mib IS NOT OLD.memory_mib OR NEW.numa_node IS NOT OLD.numa_node) AND "
	  MEMORY_WHEN, MEMORY_SENTENCE, NULL },
	{ "slot_open_memory", "BEFORE UPDATE OF state ON slot",
	  MEMORY_SOLD " > coalesce(" MEMORY_OF_HOST ", 0)", MEMORY_SENTENCE, GA_SQL_OPENS },
	{ "slot_new_pf_vf", "BEFORE INSERT ON slot", PF_VF_WHEN, PF_VF_SENTENCE, NULL },
	{ "slot_change_pf_vf",
	  "BEFORE UPDATE OF fabric_vf_pci_address, fabric_pf_pci_address ON slot", PF_VF_WHEN,
	  PF_VF_SENTENCE, NULL },
	{ "slot_new_roles", "BEFORE INSERT ON slot", ROLES_WHEN, ROLES_SENTENCE, NULL },
	{ "slot_change_roles",
	  "BEFORE UPDATE OF gpu_pci_address, fabric_vf_pci_address, fabric_pf_pci_address ON slot",
	  ROLES_WHEN, ROLES_SENTENCE, NULL },
	{ .name = NULL },
};
