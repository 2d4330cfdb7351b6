-- SPDX-License-Identifier: Apache-2.0
-- After a restore nothing is placed on a slot until what the host shows of it agrees with the
-- state, or it was wiped: the epoch in which that was last so. Placement reads it with the rest.

ALTER TABLE slot ADD COLUMN epoch_verified INTEGER NOT NULL DEFAULT 0;

DROP INDEX slot_place;
CREATE INDEX slot_place ON slot (node_id, slot_index, id, state, generation, accelerator_type,
	module_id, numa_node, memory_mib, cpuset, cordon_reason, health_state, blockers,
	epoch_verified);
