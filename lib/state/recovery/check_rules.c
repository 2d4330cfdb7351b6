/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The invariants of the state as queries. They are written separately from the triggers on purpose:
 * an error in one is found by the other.
 */
#include "state/recovery/check_rules.h"

#include <stddef.h>

#include "state/db/invariant.h"
#include "state/db/json.h"

#define ADOPT "'gpuaas-approve disable ID --reason TEXT' takes it out of sale; look at its audit"
#define WIPE \
	ADOPT ", then 'gpuaas-approve repair ID --reason TEXT | gpuaas-wipe' wipes it again"
/* For objects in use: they cannot be disabled, and their triggers refuse the next steps. */
#define BACKUP "look at its audit, stop all writers and go back to a backup"
#define CORDON "'gpuaas-approve cordon ID --reason TEXT' keeps it from new work; " BACKUP
#define AGAIN \
	"look at its audit; a new discovery or apply writes it again " \
	"(gpuaas-discover | gpuaas-approve --record-only)"
#define NO_GENERATION "generation NOT BETWEEN 0 AND " GA_SQL_GENERATION_LAST
/* Texts that GA_T_NAME refuses in a record; NULL is none of them. */
#define NO_NAME(column) \
	"(length(" column ") NOT BETWEEN 1 AND 63 OR " column " GLOB '*[^a-z0-9._-]*' OR " column \
	" GLOB '[._-]*')"
#define CAPACITY \
	"node_id, accelerator_type, memory_mib, cpus, epoch_verified, slots, free, waiting, " \
	"disabled, modules, free_modules"
#define AS_BILLED \
	"'gpuaas-list usage' shows its spans, which stay as they are: correct what was billed"
/* Each span with the last second that the spans before it reached; whole seconds, as
 * reports count. */
#define SPANS \
	"SELECT allocation_id, usage_kind, began_second, ended_second, " \
	"max(coalesce(ended_second, 9007199254740991)) OVER (PARTITION BY allocation_id " \
	"ORDER BY began_second, ended_second ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) " \
	"AS before FROM usage"

const struct ga_check_rule ga_check_rules[] = {
	{ "meta", "SELECT 'meta' WHERE (SELECT count(*) FROM meta) <> 1",
	  "the state does not have exactly one row of meta", "go back to a backup" },
	{ "epoch",
	  "SELECT id FROM node WHERE epoch_verified > (SELECT max(epoch) FROM meta) UNION ALL "
	  "SELECT id FROM slot WHERE epoch_verified > (SELECT max(epoch) FROM meta) ORDER BY 1",
	  "it was verified in an epoch that has not begun", NULL },
	{ "epoch",
	  "SELECT s.id FROM slot s WHERE s.state = 'reserved' AND s.epoch_verified < "
	  "(SELECT max(epoch) FROM meta WHERE epoch > 1) AND EXISTS (SELECT 1 FROM claim c JOIN "
	  "allocation a ON a.id = c.allocation_id WHERE c.slot_id = s.id AND c.live = 1 AND "
	  "json_extract(" GA_SQL_OBJECT("a.plan") ", '$.epoch') = "
	  "(SELECT max(epoch) FROM meta)) "
	  "ORDER BY s.node_id, s.slot_index",
	  "the slot was placed since the restore, and nobody verified it", CORDON },
	/* sold once */
	{ "sold_once",
	  "SELECT slot_id FROM claim WHERE live = 1 AND claim_kind = 'slot' GROUP BY slot_id "
	  "HAVING count(*) > 1 ORDER BY 1", "the slot has more than one live claim", CORDON },
	{ "sold_once",
	  "SELECT c.node_id FROM claim c WHERE c.live = 1 AND c.claim_kind = 'node' AND EXISTS "
	  "(SELECT 1 FROM claim o WHERE o.node_id = c.node_id AND o.live = 1 AND "
	  "o.allocation_id <> c.allocation_id) GROUP BY 1 ORDER BY 1",
	  "the node is claimed for baremetal and by another allocation too", BACKUP },
	{ "sold_once",
	  "SELECT c.id FROM claim c LEFT JOIN node n ON n.id = c.node_id WHERE c.live = 1 AND "
	  "(c.held_by IS NULL OR n.held_by IS NOT c.held_by) ORDER BY 1",
	  "the node of the live claim is not held for it", NULL },
	{ "held_for_nothing",
	  "SELECT n.id FROM node n "
	  "WHERE n.held_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM claim c "
	  "WHERE c.node_id = n.id AND c.held_by IS NOT NULL AND c.live = 1) "
	  "ORDER BY 1",
	  "the node is held, and no live claim holds it", NULL },
	{ "one_node",
	  "SELECT allocation_id FROM claim WHERE live = 1 GROUP BY allocation_id "
	  "HAVING count(DISTINCT node_id) > 1 ORDER BY 1",
	  "the allocation has live claims on more than one node", NULL },
	{ "claim_slot",
	  "SELECT c.id FROM claim c LEFT JOIN slot s ON s.id = c.slot_id AND s.node_id = c.node_id "
	  "WHERE c.claim_kind = 'slot' AND s.id IS NULL ORDER BY 1",
	  "the claim is on a slot that is not of its node", NULL },
	{ "no_claim",
	  "SELECT s.id FROM slot s "
	  "WHERE s.state IN ('reserved', 'provisioning', 'active', 'releasing') "
	  "AND NOT EXISTS (SELECT 1 FROM claim c WHERE c.slot_id = s.id AND c.live = 1) "
	  "ORDER BY s.node_id, s.slot_index", "the slot is in use and has no live claim", NULL },
	{ "claim_left",
	  "SELECT c.id FROM claim c JOIN slot s ON s.id = c.slot_id WHERE c.live = 1 AND "
	  "s.state IN ('available', 'disabled', 'retired') ORDER BY 1",
	  "the claim is live, and its slot is not in use", NULL },
	{ "claim_left",
	  "SELECT c.id FROM claim c "
	  "JOIN allocation a ON a.id = c.allocation_id "
	  "LEFT JOIN slot s ON s.id = c.slot_id "
	  "WHERE c.live = 1 AND (a.state IN ('pending', 'cancelled', 'refused') "
	  "OR (a.state = 'released' "
	  "AND s.state IN ('reserved', 'provisioning', 'active', 'releasing'))) ORDER BY 1",
	  "the claim is live, and its allocation is not", NULL },
	{ "allocation_slots",
	  "SELECT a.id FROM allocation a WHERE a.state IN ('placed', 'provisioning', 'active', "
	  "'held', 'preempting') AND NOT EXISTS (SELECT 1 FROM claim c WHERE "
	  "c.allocation_id = a.id AND c.live = 1) ORDER BY 1",
	  "the allocation has capacity and no live claim", NULL },
	{ "allocation_slots",
	  "SELECT DISTINCT a.id FROM allocation a JOIN claim c ON c.allocation_id = a.id AND "
	  "c.live = 1 JOIN slot s ON s.id = c.slot_id WHERE a.state = 'active' AND "
	  "s.state <> 'active' ORDER BY 1",
	  "the allocation is active, and a slot of it is not", NULL },
	{ "whole_node",
	  "SELECT DISTINCT c.node_id FROM claim c "
	  "JOIN allocation a ON a.id = c.allocation_id AND a.shape = 'baremetal' "
	  "JOIN slot s ON s.node_id = c.node_id AND s.state <> 'retired' "
	  "WHERE c.live = 1 AND c.claim_kind = 'node' "
	  "AND a.state IN ('placed', 'provisioning', 'active') "
	  "AND NOT EXISTS (SELECT 1 FROM claim o WHERE o.slot_id = s.id AND o.live = 1 "
	  "AND o.allocation_id = a.id) ORDER BY 1",
	  "the node is claimed for baremetal, and a slot of it is left out", NULL },
	{ "cpuset_taken",
	  "SELECT c.slot_id FROM (SELECT DISTINCT slot_id, node_id FROM slot_cpu) c LEFT JOIN "
	  "slot s ON s.id = c.slot_id WHERE s.id IS NULL OR s.node_id <> c.node_id ORDER BY 1",
	  "a CPU is given to a slot that is not of its node", NULL },
	{ "cpuset_taken",
	  "SELECT s.id FROM slot s LEFT JOIN (SELECT slot_id, count(*) AS n FROM slot_cpu GROUP BY "
	  "slot_id) h ON h.slot_id = s.id WHERE s.state NOT IN ('disabled', 'retired') AND "
	  "coalesce(h.n, 0) IS NOT (SELECT coalesce(sum(max(CAST(substr(r.value, "
	  "instr(r.value, '-') + 1) AS INTEGER) - CAST(r.value AS INTEGER), 0) + 1), 0) "
	  "FROM json_each('[\"' || "
	  "replace(s.cpuset, ',', '\",\"') || '\"]') r) OR (s.state NOT IN ('disabled', 'retired') "
	  "AND EXISTS (SELECT 1 FROM slot_cpu k WHERE k.slot_id = s.id AND NOT EXISTS (SELECT 1 "
	  "FROM " GA_SQL_CPU_RANGES("s") " r WHERE k.cpu BETWEEN " GA_SQL_FIRST_CPU " AND "
	  GA_SQL_LAST_CPU "))) ORDER BY s.node_id, s.slot_index",
	  "the CPUs the slot names are not those it holds", NULL },
	{ "memory_overcommitted",
	  "SELECT s.node_id || ' NUMA ' || coalesce(s.numa_node, -1) "
	  "FROM slot s LEFT JOIN node_memory m "
	  "ON m.node_id = s.node_id AND m.numa_node = coalesce(s.numa_node, -1) "
	  "WHERE s.state <> 'retired' AND s.memory_mib IS NOT NULL "
	  "GROUP BY s.node_id, coalesce(s.numa_node, -1) "
	  "HAVING sum(s.memory_mib) > coalesce(max(m.memory_mib - m.reserve_mib), 0) "
	  "ORDER BY 1",
	  "the slots have more memory than the host has less its reserve",
	  "disable a slot of it, or lower its memory" },
	{ "pf_vf_conflict",
	  "SELECT s.id FROM slot s JOIN slot o ON o.node_id = s.node_id AND "
	  "o.fabric_pf_pci_address = s.fabric_vf_pci_address WHERE s.retired = 0 AND "
	  "o.retired = 0 ORDER BY 1",
	  "its fabric function is the physical one of another slot's", NULL },
	{ "duplicate_identity",
	  "SELECT s.id FROM slot s JOIN slot o ON o.node_id = s.node_id AND o.retired = 0 AND "
	  "s.gpu_pci_address IN (o.fabric_vf_pci_address, o.fabric_pf_pci_address) "
	  "WHERE s.retired = 0 ORDER BY 1",
	  "its GPU is a fabric function, of it or of another slot", NULL },
	{ "duplicate_identity",
	  "SELECT s.id FROM slot s JOIN node n ON n.id = s.node_id WHERE s.retired = 0 AND "
	  "s.private_ip = json_extract(" GA_SQL_OBJECT("n.network") ", '$.gateway') ORDER BY 1",
	  "its address is the gateway of its node's network", NULL },
	{ "fractional",
	  "SELECT id FROM slot WHERE (shape <> 'slice' OR sharing_mechanism <> 'exclusive_device') "
	  "AND state IN ('available', 'reserved', 'provisioning', 'active') ORDER BY 1",
	  "the slot is a part of a GPU, and on sale or in use", NULL },
	/* never unwiped */
	{ "tainted",
	  "SELECT s.id FROM slot s WHERE s.state IN ('available', 'reserved') AND 2 <> (SELECT "
	  "count(*) FROM device d WHERE d.id IN (s.nvme_wwid, s.gpu_id) AND d.node_id = s.node_id "
	  "AND d.dirty_since IS NULL) ORDER BY s.node_id, s.slot_index",
	  "the slot is on sale, and a device of it is not known to be wiped", WIPE },
	{ "wipe_proof",
	  "SELECT s.id FROM slot s JOIN device d ON d.id IN (s.nvme_wwid, s.gpu_id) LEFT JOIN "
	  "wipe_evidence e ON e.id = d.cleared_by WHERE s.state IN ('available', 'reserved') AND "
	  "(e.id IS NULL OR e.outcome <> 'confirmed' OR (d.device_kind = 'disk' AND "
	  "e.wwid IS NOT d.id) OR (d.device_kind = 'gpu' AND "
	  "(d.id IS NOT e.node_id || '/' || e.gpu_identity OR "
	  "e.vf_pci_address IS NOT s.fabric_vf_pci_address)) OR e.class = 'none' OR "
	  "(s.wipe_minimum_class = 'purge' AND e.class <> 'purge') OR "
	  "(s.wipe_verify = 'full' AND e.verify IS NOT 'full') OR "
	  "(s.wipe_gpu_memory = 'required' AND e.gpu_memory <> 'confirmed') OR "
	  "e.lab <> (SELECT lab FROM meta)) GROUP BY s.id ORDER BY s.node_id, s.slot_index",
	  "the slot is on sale without evidence that its devices were wiped as its policy requires",
	  WIPE },
	{ "wipe_proof",
	  "SELECT d.id FROM device d WHERE d.dirty_since IS NULL AND NOT EXISTS (SELECT 1 FROM "
	  "wipe_evidence e WHERE e.id = d.cleared_by AND e.outcome = 'confirmed' AND "
	  "(e.wwid = d.id OR d.id = e.node_id || '/' || e.gpu_identity)) ORDER BY 1",
	  "the device counts as clean, and no confirmed evidence of it says so", NULL },
	/* A slot with a claim after its evidence came was used, when its allocation got as far as
	 * the host. Both times come from the state's clock. A claim never ends before it began: a
	 * claim from a clock that was ahead ends when it began. */
	{ "wipe_proof",
	  "SELECT s.id FROM slot s JOIN wipe_evidence e ON e.id = s.wipe_evidence_id "
	  "WHERE s.state = 'available' AND EXISTS (SELECT 1 FROM claim c JOIN allocation a "
	  "ON a.id = c.allocation_id WHERE c.slot_id = s.id AND c.created_at > e.folded_at "
	  "AND c.ended_at > c.created_at AND a.state NOT IN ('pending', 'placed', 'cancelled', "
	  "'refused')) "
	  "ORDER BY s.node_id, s.slot_index",
	  "the slot is on sale, and it was claimed after its evidence came", WIPE },
	{ "tainted",
	  "SELECT s.id FROM slot s WHERE s.state IN ('provisioning', 'active', 'releasing') AND "
	  "EXISTS (SELECT 1 FROM device d WHERE d.id IN (s.nvme_wwid, s.gpu_id) AND "
	  "d.dirty_since IS NULL) ORDER BY s.node_id, s.slot_index",
	  "the slot is in use, and a device of it counts as clean", CORDON },
	{ "evidence_columns",
	  "SELECT id FROM wipe_evidence WHERE json_valid(record) AND ("
	  "id IS NOT json_extract(record, '$.evidence') OR "
	  "node_id IS NOT json_extract(record, '$.node') OR "
	  "slot_id IS NOT json_extract(record, '$.object') OR "
	  "attempt IS NOT json_extract(record, '$.attempt') OR "
	  "wwid IS NOT json_extract(record, '$.device.wwid') OR "
	  "gpu_identity IS NOT json_extract(record, '$.gpu_identity') OR "
	  "started_at IS NOT json_extract(record, '$.started_at') OR "
	  "finished_at IS NOT json_extract(record, '$.finished_at') OR "
	  "class IS NOT json_extract(record, '$.class') OR "
	  "outcome IS NOT json_extract(record, '$.outcome') OR "
	  "verify IS NOT json_extract(record, '$.read_back.verify') OR "
	  "gpu_memory IS NOT json_extract(record, '$.gpu_memory.outcome') OR "
	  "gpu_reset IS NOT json_extract(record, '$.gpu_reset.outcome') OR "
	  "vf_state IS NOT json_extract(record, '$.vf_state.outcome') OR "
	  "medium IS NOT json_extract(record, '$.device.medium') OR "
	  "size_bytes IS NOT json_extract(record, '$.device.size_bytes') OR "
	  "bytes_read IS NOT json_extract(record, '$.read_back.bytes_read') OR "
	  "mismatches IS NOT json_extract(record, '$.read_back.mismatches') OR "
	  "surviving IS NOT json_extract(record, '$.markers.surviving') OR "
	  "rules IS NOT json_extract(record, '$.rules') OR "
	  "(guard IS NOT 'failed') <> NOT EXISTS (SELECT 1 FROM json_each(record, '$.guard') "
	  "WHERE json_extract(value, '$.outcome') = 'failed') OR "
	  "lab IS NOT json_extract(record, '$.lab')) ORDER BY number",
	  "the evidence is stored with other facts than its record has", NULL },
	/* an available slot is complete */
	{ "incomplete",
	  "SELECT id FROM slot WHERE state IN ('available', 'reserved') AND (gpu_id IS NULL OR "
	  "nvme_wwid IS NULL OR storage_ownership IS NOT 'tenant_slice' OR "
	  "wipe_minimum_class IS NULL OR wipe_verify IS NULL OR wipe_gpu_memory IS NULL) "
	  "ORDER BY node_id, slot_index", "the slot is on sale and incomplete", ADOPT },
	/* A slot of a baremetal node needs less. */
	{ "incomplete",
	  "SELECT s.id FROM slot s LEFT JOIN node n ON n.id = s.node_id WHERE "
	  "s.state NOT IN ('disabled', 'quarantined', 'retired') AND "
	  "(s.mac IS NULL OR s.private_ip IS NULL OR s.cpuset IS NULL OR s.memory_mib IS NULL OR "
	  "s.memory_mib <= 0 OR s.fabric_claim_mode IS NOT 'per_slot_vf' OR "
	  "s.fabric_vf_pci_address IS NULL) AND "
	  "((n.mode IS NOT 'baremetal' AND s.state IN ('available', 'reserved')) OR "
	  "EXISTS (SELECT 1 FROM claim c JOIN allocation a ON a.id = c.allocation_id WHERE "
	  "c.slot_id = s.id AND c.live = 1 AND a.shape = 'slice')) "
	  "ORDER BY s.node_id, s.slot_index",
	  "the slot is on sale for slices, or a slice has it, and it is incomplete", ADOPT },
	{ "not_ready",
	  "SELECT id FROM slot WHERE (state IN ('available', 'reserved') AND "
	  "health_state = 'failed') OR (state = 'available' AND blockers <> '[]') "
	  "ORDER BY node_id, slot_index",
	  "the slot is on sale, and something is wrong with it", ADOPT },
	{ "capacity",
	  "SELECT DISTINCT node_id FROM (SELECT " CAPACITY " FROM node_capacity UNION ALL "
	  "SELECT " CAPACITY " FROM slot_capacity) c GROUP BY " CAPACITY " HAVING count(*) <> 2 "
	  "ORDER BY 1",
	  "its slots are not as they were counted: lists say wrong numbers, placement does not",
	  "'gpuaas-state migrate' counts them again" },
	/* rows damaged from outside gpuaas */
	{ "row_damaged",
	  "SELECT id FROM node WHERE " GA_SQL_NOT_REASONS("blockers") " UNION ALL "
	  "SELECT id FROM slot WHERE " GA_SQL_NOT_REASONS("blockers") " ORDER BY 1",
	  "its blockers are not a list of reasons: it is left out of sale", AGAIN },
	{ "row_damaged",
	  "SELECT id FROM node WHERE " GA_SQL_NOT_OBJECT("network") " OR "
	  GA_SQL_NOT_OBJECT("partitions") " ORDER BY 1",
	  "its network or its partitions are not a record", AGAIN },
	{ "row_damaged",
	  "SELECT id FROM allocation WHERE " GA_SQL_NOT_OBJECT("request") " OR "
	  GA_SQL_NOT_OBJECT("plan") " OR " GA_SQL_NOT_OBJECT("network") " OR "
	  GA_SQL_NOT_OBJECT("order_text") " OR " GA_SQL_NOT_OBJECT("profile_record")
	  " ORDER BY number",
	  "its request, profile, plan, network or order is not a record", NULL },
	{ "row_damaged",
	  "SELECT id FROM allocation WHERE " NO_NAME("name") " OR " NO_NAME("project")
	  " ORDER BY number",
	  "its name or its project is no name", NULL },
	{ "row_damaged",
	  "SELECT name FROM profile WHERE " GA_SQL_NOT_OBJECT("record") " UNION ALL "
	  "SELECT name FROM app WHERE " GA_SQL_NOT_OBJECT("record") " UNION ALL "
	  "SELECT node_id FROM node_observation WHERE " GA_SQL_NOT_OBJECT("record")
	  " UNION ALL SELECT node_id FROM candidate WHERE " GA_SQL_NOT_OBJECT("record")
	  " ORDER BY 1",
	  "what was stored of it is not a record", AGAIN },
	{ "row_damaged",
	  "SELECT id FROM node WHERE " NO_GENERATION " UNION ALL SELECT id FROM slot WHERE "
	  NO_GENERATION " UNION ALL SELECT id FROM allocation WHERE " NO_GENERATION " ORDER BY 1",
	  "its generation is at its end: it can no longer be changed", NULL },
	/* access */
	{ "access_record",
	  "SELECT name FROM team WHERE CASE WHEN json_valid(record) THEN "
	  "json_extract(record, '$.name') END IS NOT name UNION ALL "
	  "SELECT name FROM access_grant WHERE CASE WHEN json_valid(record) THEN "
	  "json_extract(record, '$.name') END IS NOT name UNION ALL "
	  "SELECT 'access-settings' FROM access WHERE NOT json_valid(record) ORDER BY 1",
	  "its record of access is not the record of its name",
	  "look at its audit, and apply it again as root" },
	{ "same_person",
	  "SELECT p.id FROM proposal p WHERE p.confirmed_uid = p.proposed_uid OR "
	  "(p.confirmed_uid IS NOT NULL AND p.confirmed_uid IN (SELECT value FROM "
	  "json_each(CASE WHEN json_valid(p.proposed_humans) THEN p.proposed_humans "
	  "ELSE '[]' END))) ORDER BY 1",
	  "the person who proposed the override confirmed it", "look at its audit" },
	/* billing */
	{ "billing",
	  "SELECT u.allocation_id FROM usage u "
	  "JOIN allocation a ON a.id = u.allocation_id "
	  "WHERE u.ended_at IS NULL AND u.usage_kind = 'active' "
	  "AND a.state NOT IN ('active', 'preempting', 'held') ORDER BY 1",
	  "the allocation is billed, and it is not in use", NULL },
	{ "billing",
	  "SELECT u.allocation_id FROM usage u JOIN allocation a ON a.id = u.allocation_id "
	  "WHERE u.ended_at IS NULL AND u.usage_kind = 'provisioning' "
	  "AND a.state <> 'provisioning' ORDER BY 1",
	  "its provisioning is still counted, and it is not being provisioned", NULL },
	{ "billing",
	  "SELECT a.id FROM allocation a WHERE a.state = 'active' AND NOT EXISTS (SELECT 1 FROM "
	  "usage u WHERE u.allocation_id = a.id AND u.ended_at IS NULL) ORDER BY 1",
	  "the allocation is active, and nothing counts its use", NULL },
	{ "billing",
	  "SELECT DISTINCT allocation_id FROM usage WHERE length(started_at) <> 27 OR "
	  "began_second <= -9007199254740991 OR (ended_at IS NOT NULL AND "
	  "(length(ended_at) <> 27 OR ended_second >= 9007199254740991 OR "
	  "ended_at < started_at)) ORDER BY 1",
	  "a span of its use has a time that is not valid, or ends before it begins", AS_BILLED },
	{ "billing",
	  "SELECT DISTINCT u.allocation_id FROM usage u LEFT JOIN allocation a "
	  "ON a.id = u.allocation_id WHERE a.id IS NULL OR u.count <> a.count OR "
	  "u.price_micros <> a.price_micros OR u.accelerator_type IS NOT a.accelerator_type OR "
	  "u.project IS NOT a.project OR u.profile IS NOT a.profile OR "
	  "u.node_id IS NOT a.node_id OR u.number IS NOT a.number ORDER BY 1",
	  "a span of its use says another price, size or owner than the allocation", AS_BILLED },
	{ "billing", "SELECT DISTINCT allocation_id FROM (" SPANS
	  ") spans WHERE began_second < before AND ended_second IS NOT began_second ORDER BY 1",
	  "spans of its use share time, which reports count twice", AS_BILLED },
	/* Time after a failure, or on a lost host, is not counted until the release. */
	{ "billing", "SELECT DISTINCT allocation_id FROM (" SPANS
	  ") spans WHERE began_second > before AND usage_kind <> 'cleanup' ORDER BY 1",
	  "there is time between spans of its use that no report counts", AS_BILLED },
	{ .check = NULL },
};
