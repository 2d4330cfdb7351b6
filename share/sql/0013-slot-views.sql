-- SPDX-License-Identifier: Apache-2.0
-- Views of thousands of slots read this index alone, for the rows are large: when a slot got into
-- its state and when its wipe was ordered stand in it, too.

DROP INDEX slot_place;
CREATE INDEX slot_place ON slot (node_id, slot_index, id, state, generation, accelerator_type,
	module_id, numa_node, memory_mib, cpuset, cordon_reason, health_state, blockers,
	epoch_verified, since, wipe_issued_at);
