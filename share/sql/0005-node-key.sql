-- SPDX-License-Identifier: Apache-2.0
-- The public keys that nodes sign their results with (gpuaas-state(5)). One counts at a time; none
-- is ever forgotten, so that a revoked one does not come back.

CREATE TABLE node_key (
	number INTEGER PRIMARY KEY CHECK (number >= 1),
	node_id TEXT NOT NULL REFERENCES node (id),
	key TEXT NOT NULL UNIQUE CHECK (length(key) = 44), -- ed25519, base64
	registered_at TEXT NOT NULL,
	revoked_at TEXT,
	reason TEXT, -- of the revocation
	CHECK ((revoked_at IS NULL) = (reason IS NULL))
) STRICT;
CREATE UNIQUE INDEX node_key_live ON node_key (node_id) WHERE revoked_at IS NULL;
