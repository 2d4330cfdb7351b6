-- SPDX-License-Identifier: Apache-2.0
-- How many slots of a node there are and how many are free, counted as they move (the triggers
-- slot_counted_*, and all by every migration), so that who asks how much of the fleet is free
-- reads a row of each node and not thousands of slots. Placement decides on the slots themselves.

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
	CHECK (free + waiting + disabled <= slots),
	PRIMARY KEY (node_id, accelerator_type, memory_mib, cpus, epoch_verified)
) STRICT, WITHOUT ROWID;

-- What is to be counted.
CREATE VIEW slot_capacity AS
SELECT node_id, accelerator_type, memory_mib, cpus, epoch_verified, count(*) AS slots,
	sum(counted = 'available') AS free, sum(counted = 'waiting') AS waiting,
	sum(counted = 'disabled') AS disabled
FROM (SELECT node_id, coalesce(accelerator_type, '') AS accelerator_type,
	coalesce(memory_mib, -1) AS memory_mib, epoch_verified,
	-- of a list such as "0-11,96-107"
	coalesce((SELECT sum(CAST(substr(r.value, instr(r.value, '-') + 1) AS INTEGER)
		- CAST(r.value AS INTEGER) + 1)
		FROM json_each('["' || replace(nullif(cpuset, ''), ',', '","') || '"]') r),
		0) AS cpus,
	CASE WHEN state IN ('releasing', 'wiping') THEN 'waiting'
		WHEN cordon_reason IS NOT NULL OR health_state = 'failed' OR blockers <> '[]'
		THEN '' ELSE state END AS counted
	FROM slot WHERE retired = 0)
GROUP BY node_id, accelerator_type, memory_mib, cpus, epoch_verified;
