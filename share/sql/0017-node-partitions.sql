-- SPDX-License-Identifier: Apache-2.0
-- Nodes that are run by fabric partitions can be told to be alike, too: Fabric Manager's table is
-- one text of the node's row, and node_capacity says which modules its slots have, not only how
-- many there are.

DROP INDEX node_alike;
DROP INDEX node_place;
ALTER TABLE node DROP COLUMN alike;
-- As observed: {"ID":[MODULE,...],...}, ids and modules ascending.
ALTER TABLE node ADD COLUMN partitions TEXT NOT NULL DEFAULT '{}';
UPDATE node SET partitions = (SELECT '{' || group_concat('"' || id || '":' || module_ids) || '}'
	FROM (SELECT id, module_ids FROM node_partition WHERE node_id = node.id ORDER BY id))
	WHERE id IN (SELECT node_id FROM node_partition);
DROP TABLE node_partition;
ALTER TABLE node ADD COLUMN alike TEXT GENERATED ALWAYS AS (CASE WHEN state <> 'retired' THEN
	printf('%Q,%Q,%s,%Q,%d,%d,%d,%d,%s,%s,%s', region, pool, mode, state,
		cordon_reason IS NULL, held_by IS NULL, held_by = 'slices', epoch_verified,
		fabric_mode, CASE WHEN fabric_mode = 'partitions' THEN partitions END,
		CASE WHEN blockers GLOB '[[]{"code":"[a-z]*' THEN 'blocked' ELSE blockers END)
	END) VIRTUAL;
CREATE INDEX node_alike ON node (id, observed_at, alike);
CREATE INDEX node_place ON node (id, region, pool, mode, state, generation, cordon_reason, held_by,
	epoch_verified, observed_at, fabric_mode, blockers, partitions);

-- The partition that somebody has: of each live allocation, at most one.
CREATE INDEX allocation_partition ON allocation (node_id, fabric_partition)
	WHERE fabric_partition IS NOT NULL AND state IN ('placed', 'provisioning', 'active', 'held',
	'preempting', 'releasing', 'release_failed', 'failed');

-- One bit of its own for each module; 0 where there is none, or none that a node can have.
ALTER TABLE slot ADD COLUMN module_bit INTEGER GENERATED ALWAYS AS
	(CASE WHEN module_id BETWEEN 0 AND 31 THEN 1 << module_id ELSE 0 END) VIRTUAL;
DROP VIEW slot_capacity;
DROP TABLE node_capacity;
CREATE TABLE node_capacity (
	node_id TEXT NOT NULL REFERENCES node (id),
	accelerator_type TEXT NOT NULL, -- '' where it is not known
	memory_mib INTEGER NOT NULL, -- of each of these slots; -1 where it is not known
	cpus INTEGER NOT NULL,
	epoch_verified INTEGER NOT NULL,
	slots INTEGER NOT NULL CHECK (slots >= 1), -- not retired
	free INTEGER NOT NULL CHECK (free >= 0), -- available, and nothing blocks them
	waiting INTEGER NOT NULL CHECK (waiting >= 0), -- for their wipe, or being wiped
	disabled INTEGER NOT NULL CHECK (disabled >= 0), -- and nothing else blocks them
	modules INTEGER NOT NULL, -- sum of their bits: so many bits as slots where each has its own
	free_modules INTEGER NOT NULL, -- the same of those that are free
	CHECK (free + waiting + disabled <= slots),
	PRIMARY KEY (node_id, accelerator_type, memory_mib, cpus, epoch_verified)
) STRICT, WITHOUT ROWID;
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
