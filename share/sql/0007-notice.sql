-- SPDX-License-Identifier: Apache-2.0
-- Who was told what needs a person (gpuaas-state notify), and what the last day took.

-- What needed a person at the last run of notify. One that is over stays until every hook that was
-- told of it was told so.
CREATE TABLE notice (
	id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given again: receivers know it
	object_kind TEXT NOT NULL,
	object TEXT NOT NULL,
	code TEXT NOT NULL,
	since TEXT NOT NULL,
	record TEXT NOT NULL, -- gpuaas.attention, as it was when it was first seen
	raised_at TEXT NOT NULL,
	cleared_at TEXT
) STRICT;
CREATE INDEX notice_open ON notice (object_kind, object, code) WHERE cleared_at IS NULL;

CREATE TABLE notice_told (
	notice_id INTEGER NOT NULL REFERENCES notice (id) ON DELETE CASCADE,
	hook TEXT NOT NULL,
	raised_at TEXT NOT NULL, -- when it was told
	cleared_at TEXT,	 -- and when it was told that it is over
	PRIMARY KEY (notice_id, hook)
) STRICT, WITHOUT ROWID;

CREATE TABLE notice_hook ( -- those that fail
	hook TEXT PRIMARY KEY,
	failing_since TEXT NOT NULL,
	failed_at TEXT NOT NULL,
	attempts INTEGER NOT NULL CHECK (attempts >= 1),
	sentence TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Both tables grow for ever; metrics ask for the last day of them.
CREATE INDEX task_finished ON task (finished_at, phase, state, elapsed_micros)
	WHERE finished_at IS NOT NULL;
CREATE INDEX wipe_evidence_folded ON wipe_evidence (folded_at, outcome, class, started_at,
	finished_at);
