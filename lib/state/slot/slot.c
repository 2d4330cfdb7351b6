/* SPDX-License-Identifier: Apache-2.0 */
/* Slots as records: read from the state with their taint, claim and last wipe. */
#include "state/db/json.h"
#include "state/db/row.h"
#include "state/slot/slot.h"

/* In the order of ga_slot_schema. */
#define SLOTS \
	"SELECT s.id, s.node_id, s.slot_index, s.state, s.since, s.generation, s.shape, " \
	"s.sharing_mechanism, s.parent_id, s.accelerator_type, s.type_name, s.gpu_identity, " \
	"s.gpu_pci_address, s.gpu_device, s.module_id, s.nvme_wwid, s.nvme_serial, s.nvme_path, " \
	"s.nvme_size_bytes, s.fabric_claim_mode, s.fabric_vf_pci_address, " \
	"s.fabric_pf_pci_address, s.numa_node, s.cpuset, s.memory_mib, s.mac, s.private_ip, " \
	"s.bridge, s.port, s.storage_ownership, s.wipe_minimum_class, s.wipe_verify, " \
	"s.wipe_gpu_memory, s.health_state, s.health_detail, s.health_since, " \
	"s.cordon_reason, s.cordon, iif(s.cordon IS NOT NULL, 1, NULL), " \
	"dd.dirty_since IS NOT NULL OR dg.dirty_since IS NOT NULL, " \
	"coalesce(min(dd.dirty_since, dg.dirty_since), dd.dirty_since, dg.dirty_since), " \
	"s.wipe_evidence_id, e.gpu_memory, c.allocation_id, c.id, " \
	GA_SQL_REASONS("s.blockers") ", s.approved_by, " \
	"s.approved_at, s.fingerprint, (SELECT lab FROM meta), 0 " \
	"FROM slot s LEFT JOIN device dd ON dd.id = s.nvme_wwid " \
	"LEFT JOIN device dg ON dg.id = s.gpu_id " \
	"LEFT JOIN wipe_evidence e ON e.id = s.wipe_evidence_id " \
	"LEFT JOIN claim c ON c.slot_id = s.id AND c.live = 1 AND c.claim_kind = 'slot' "

int ga_query_slots(struct ga_db *db, const char *id, const char *node, struct ga_rows **ret,
		   struct ga_err *err)
{
	if (id)
		return ga_db_query(db, ret, err, SLOTS "WHERE s.id = ?1", "s", id);
	if (node)
		return ga_db_query(db, ret, err,
				   SLOTS "WHERE s.node_id = ?1 ORDER BY s.slot_index, s.id", "s",
				   node);
	return ga_db_query(db, ret, err, SLOTS "ORDER BY s.node_id, s.slot_index, s.id", "");
}

int ga_store_slot(struct ga_db *db, const char *id, struct ga_slot *ret, struct ga_err *err)
{
	struct ga_rows *rows = NULL;
	int r;

	if (ga_query_slots(db, id, NULL, &rows, err) < 0)
		return -1;
	r = ga_row_first(rows, &ga_slot_schema, ret, err);
	if (!r)
		return ga_refuse(err, GA_NOTFOUND, NULL, id,
				 ("there is no slot '%s'", id),
				 ("'gpuaas-list slots' shows them"));
	return r < 0 ? -1 : 0;
}

void ga_slot_bundle(const struct ga_slot *slot, struct ga_bundle *ret)
{
	*ret = (struct ga_bundle){
		.slot = ga_xstrdup(slot->slot),
		.claim = ga_strdup0(slot->claim),
		.slot_index = slot->slot_index,
		.generation = slot->generation,
		.numa_node = slot->numa_node,
		.gpu_identity = ga_strdup0(slot->gpu_identity),
		.gpu_pci_address = ga_strdup0(slot->gpu_pci_address),
		.gpu_device = ga_strdup0(slot->gpu_device),
		.module_id = slot->module_id,
		.nvme_wwid = ga_strdup0(slot->nvme_wwid),
		.nvme_serial = ga_strdup0(slot->nvme_serial),
		.nvme_path = ga_strdup0(slot->nvme_path),
		.nvme_size_bytes = slot->nvme_size_bytes,
		.fabric_vf_pci_address = ga_strdup0(slot->fabric_vf_pci_address),
		.fabric_pf_pci_address = ga_strdup0(slot->fabric_pf_pci_address),
		.cpuset = ga_strdup0(slot->cpuset),
		.memory_mib = slot->memory_mib,
		.mac = ga_strdup0(slot->mac),
		.private_ip = ga_strdup0(slot->private_ip),
		.bridge = ga_strdup0(slot->bridge),
		.port = ga_strdup0(slot->port),
	};
}
