-- SPDX-License-Identifier: Apache-2.0
-- A cordon is one person's, and a disable another's: each has a reason of its own. They stood in
-- one column, where a disable overwrote the reason of a cordon, and enable ended both.

DROP VIEW slot_capacity;
DROP INDEX slot_place;
ALTER TABLE slot DROP COLUMN counted;
-- Of cordon; only uncordon ends it.
ALTER TABLE slot RENAME COLUMN cordon_reason TO cordon;
-- Of disable, quarantine or retire; enable and repair end it, and uncordon where the slot waits
-- for an approval.
ALTER TABLE slot ADD COLUMN disabled_reason TEXT;
-- Whose reason it is cannot be seen any more: enable ends it, as it did.
UPDATE slot SET disabled_reason = cordon, cordon = NULL
	WHERE cordon IS NOT NULL AND state IN ('disabled', 'quarantined', 'retired');
-- Why a person keeps the slot out of use, whatever the command was.
ALTER TABLE slot ADD COLUMN cordon_reason TEXT
	GENERATED ALWAYS AS (coalesce(disabled_reason, cordon)) VIRTUAL;

-- As before.
ALTER TABLE slot ADD COLUMN counted TEXT GENERATED ALWAYS AS (
	CASE WHEN state IN ('releasing', 'wiping') THEN 'waiting'
	WHEN cordon_reason IS NOT NULL OR health_state = 'failed' OR blockers <> '[]' THEN ''
	ELSE state END) VIRTUAL;
CREATE VIEW slot_capacity AS
SELECT node_id, accelerator_type, memory_mib, cpus, epoch_verified, count(*) AS slots,
	sum(counted = 'available') AS free, sum(counted = 'waiting') AS waiting,
	sum(counted = 'disabled') AS disabled, sum(module_bit) AS modules,
	sum((counted = 'available') * module_bit) AS free_modules
FROM (SELECT node_id, coalesce(accelerator_type, '') AS accelerator_type,
	coalesce(memory_mib, -1) AS memory_mib, epoch_verified, counted, module_bit,
	-- of a list such as "0-11,96-107"; a range that runs backwards is one that nobody has
	coalesce((SELECT sum(max(CAST(substr(r.value, instr(r.value, '-') + 1) AS INTEGER)
		- CAST(r.value AS INTEGER), 0) + 1)
		FROM json_each('["' || replace(nullif(cpuset, ''), ',', '","') || '"]') r),
		0) AS cpus
	FROM slot WHERE retired = 0)
GROUP BY node_id, accelerator_type, memory_mib, cpus, epoch_verified;
-- With the cordon: placement says which command puts a slot back on sale.
CREATE INDEX slot_place ON slot (node_id, slot_index, id, state, generation, accelerator_type,
	module_id, numa_node, memory_mib, cpuset, cordon_reason, health_state, blockers,
	epoch_verified, since, wipe_issued_at, cordon);
