-- SPDX-License-Identifier: Apache-2.0
-- Rows of node_capacity that say the same, too, are told by one text, so that who reads thousands
-- of them looks at what they say once.

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
	-- Not of the modules: without partitions it is one which of a node's slots are free.
	alike TEXT NOT NULL GENERATED ALWAYS AS (printf('%d,%d,%d,%d,%d,%d,%Q', free,
		disabled, slots, epoch_verified, memory_mib, cpus, accelerator_type)) STORED,
	CHECK (free + waiting + disabled <= slots),
	PRIMARY KEY (node_id, accelerator_type, memory_mib, cpus, epoch_verified)
) STRICT, WITHOUT ROWID;
