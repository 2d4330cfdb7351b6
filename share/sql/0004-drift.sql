-- SPDX-License-Identifier: Apache-2.0
-- What the last reconcile of a node found and did not repair. The audit has each once, when it
-- came; these rows are what is so still: a run takes out what it did not find again.

CREATE TABLE node_drift (
	node_id TEXT NOT NULL REFERENCES node (id),
	object TEXT NOT NULL,
	code TEXT NOT NULL,
	severity TEXT NOT NULL CHECK (severity IN ('error', 'warning')),
	since TEXT NOT NULL,   -- the run that found it first
	seen_at TEXT NOT NULL, -- and the last one
	expected TEXT,
	observed TEXT,
	command TEXT, -- for a person; NULL: gpuaas-reconcile --repair does it
	PRIMARY KEY (node_id, object, code)
) STRICT, WITHOUT ROWID;

CREATE TABLE node_reconciled (
	node_id TEXT PRIMARY KEY REFERENCES node (id),
	at TEXT NOT NULL,
	agreed INTEGER NOT NULL CHECK (agreed IN (0, 1)),
	drifts INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
