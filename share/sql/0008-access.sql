-- SPDX-License-Identifier: Apache-2.0
-- Who may do what: teams, grants, how strictly they are taken, and overrides that one person
-- proposed and another has to confirm.

CREATE TABLE team (
	name TEXT PRIMARY KEY,
	record TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	updated_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE access_grant (
	name TEXT PRIMARY KEY,
	record TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	updated_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE access (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	record TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	updated_by TEXT NOT NULL
) STRICT;

CREATE TABLE proposal (
	id TEXT PRIMARY KEY,
	action TEXT NOT NULL CHECK (action IN ('retire_unwiped', 'destroy_data')),
	slot_id TEXT NOT NULL REFERENCES slot (id),
	device_id TEXT NOT NULL,
	reason TEXT,
	disposal TEXT,
	proposed_by TEXT NOT NULL,
	proposed_uid INTEGER NOT NULL,
	proposed_humans TEXT NOT NULL, -- every user who had a hand in it: JSON
	proposed_at TEXT NOT NULL,
	expires_at TEXT NOT NULL,
	confirmed_uid INTEGER, -- NULL: not confirmed
	decided_by TEXT,
	decided_at TEXT, -- confirmed or withdrawn
	CHECK (confirmed_uid IS NULL OR confirmed_uid <> proposed_uid),
	CHECK (confirmed_uid IS NULL OR decided_at IS NOT NULL),
	CHECK ((decided_by IS NULL) = (decided_at IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX proposal_slot ON proposal (slot_id);
-- One a slot and action waits at a time; of those whose time is over nobody decides any more.
CREATE INDEX proposal_open ON proposal (expires_at) WHERE decided_at IS NULL;
