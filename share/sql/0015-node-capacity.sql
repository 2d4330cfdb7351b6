-- SPDX-License-Identifier: Apache-2.0
-- How many slots of a node there are and how many are free, counted as they move (the triggers
-- slot_counted_*, and all anew by every migration), so that who asks how much of the fleet is free
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
