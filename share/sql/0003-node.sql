-- SPDX-License-Identifier: Apache-2.0
-- Day two of nodes: until when a drain is to be done, and windows of maintenance.

ALTER TABLE node ADD COLUMN drain_deadline TEXT;

CREATE TABLE maintenance (
	id TEXT PRIMARY KEY,
	node_id TEXT NOT NULL REFERENCES node (id),
	from_at TEXT NOT NULL,
	to_at TEXT NOT NULL,
	reason TEXT NOT NULL,
	created_at TEXT NOT NULL,
	created_by TEXT NOT NULL,
	ended_at TEXT, -- ended by somebody before its time
	CHECK (from_at < to_at)
) STRICT, WITHOUT ROWID;
-- Windows that may still count: those of the past are kept, and never read by placement.
CREATE INDEX maintenance_ahead ON maintenance (to_at) WHERE ended_at IS NULL;
CREATE INDEX maintenance_node ON maintenance (node_id);
