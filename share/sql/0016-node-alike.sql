-- SPDX-License-Identifier: Apache-2.0
-- Who asks how much of the fleet is free reads every node, and nearly all say the same: one text
-- and an index of its own stand for ten columns. It is compared, not read: what a text says is
-- read of the first node that has it. By which code a node is blocked is left out: lists ask only
-- whether it is.
-- Copies of an image are read by image for the same reason.

ALTER TABLE node ADD COLUMN alike TEXT GENERATED ALWAYS AS (CASE WHEN state <> 'retired' THEN
	printf('%Q,%Q,%s,%Q,%d,%d,%d,%d,%s,%s', region, pool, mode, state, cordon_reason IS NULL,
		held_by IS NULL, held_by = 'slices', epoch_verified, fabric_mode,
		CASE WHEN blockers GLOB '[[]{"code":"[a-z]*' THEN 'blocked' ELSE blockers END)
	END) VIRTUAL;
CREATE INDEX node_alike ON node (id, observed_at, alike);
CREATE INDEX node_image_copy ON node_image (image, digest, node_id);

-- How a slot counts, for the view and for the triggers that keep its counts up.
ALTER TABLE slot ADD COLUMN counted TEXT GENERATED ALWAYS AS (
	CASE WHEN state IN ('releasing', 'wiping') THEN 'waiting'
	WHEN cordon_reason IS NOT NULL OR health_state = 'failed' OR blockers <> '[]' THEN ''
	ELSE state END) VIRTUAL;
DROP VIEW slot_capacity;
CREATE VIEW slot_capacity AS
SELECT node_id, accelerator_type, memory_mib, cpus, epoch_verified, count(*) AS slots,
	sum(counted = 'available') AS free, sum(counted = 'waiting') AS waiting,
	sum(counted = 'disabled') AS disabled
FROM (SELECT node_id, coalesce(accelerator_type, '') AS accelerator_type,
	coalesce(memory_mib, -1) AS memory_mib, epoch_verified, counted,
	-- of a list such as "0-11,96-107"; a range that runs backwards is one that nobody has
	coalesce((SELECT sum(max(CAST(substr(r.value, instr(r.value, '-') + 1) AS INTEGER)
		- CAST(r.value AS INTEGER), 0) + 1)
		FROM json_each('["' || replace(nullif(cpuset, ''), ',', '","') || '"]') r),
		0) AS cpus
	FROM slot WHERE retired = 0)
GROUP BY node_id, accelerator_type, memory_mib, cpus, epoch_verified;
