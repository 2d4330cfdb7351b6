-- SPDX-License-Identifier: Apache-2.0
-- Whose orders this host carries out: one state in one epoch. Another state's are refused until a
-- person says that it takes over; the last one that was refused is kept, to be told of.

CREATE TABLE served (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	controller TEXT NOT NULL,
	epoch INTEGER NOT NULL,
	since TEXT NOT NULL,
	refused_controller TEXT,
	refused_epoch INTEGER,
	refused_at TEXT,
	CHECK ((refused_controller IS NULL) = (refused_at IS NULL))
) STRICT;
