-- SPDX-License-Identifier: Apache-2.0
-- host.db: what this host did (lib/hostdb.h). Evidence is a chain that nothing may change; journal
-- entries are closed, never deleted, so that a person can read afterwards what was done.

CREATE TABLE attempt (
	seq INTEGER PRIMARY KEY AUTOINCREMENT,
	attempt TEXT NOT NULL UNIQUE,
	object TEXT NOT NULL,
	program TEXT NOT NULL CHECK (program IN ('provision', 'release', 'wipe')),
	order_text TEXT NOT NULL,
	state TEXT NOT NULL DEFAULT 'working' CHECK (state IN ('working', 'done', 'failed')),
	phase TEXT,
	result TEXT,
	boot_id TEXT,
	started_at TEXT NOT NULL,
	ended_at TEXT
) STRICT;
CREATE INDEX attempt_object ON attempt (program, object, seq);

CREATE TRIGGER attempt_order_fixed BEFORE UPDATE OF attempt, object, program, order_text ON attempt
BEGIN
	SELECT RAISE(ABORT, 'attempt_fixed: an order that was taken up is never changed');
END;
CREATE TRIGGER attempt_new BEFORE INSERT ON attempt
WHEN EXISTS (SELECT 1 FROM attempt a WHERE a.seq = NEW.seq OR a.attempt = NEW.attempt)
BEGIN
	SELECT RAISE(ABORT, 'attempt_fixed: an attempt is never replaced');
END;
CREATE TRIGGER attempt_kept BEFORE DELETE ON attempt
BEGIN
	SELECT RAISE(ABORT, 'attempt_kept: attempts are never deleted');
END;

CREATE TABLE journal (
	seq INTEGER PRIMARY KEY AUTOINCREMENT,
	object TEXT NOT NULL,
	op TEXT NOT NULL,
	subject TEXT NOT NULL,
	inverse TEXT NOT NULL CHECK (inverse LIKE '{%}'),
	done INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
	undone INTEGER NOT NULL DEFAULT 0 CHECK (undone IN (0, 1)),
	at TEXT NOT NULL,
	undone_at TEXT
) STRICT;
CREATE UNIQUE INDEX journal_open ON journal (object, op, subject) WHERE undone = 0;

CREATE TRIGGER journal_fixed BEFORE UPDATE OF object, op, subject, inverse, at ON journal
BEGIN
	SELECT RAISE(ABORT, 'journal_fixed: what was intended is never changed');
END;
CREATE TRIGGER journal_closed BEFORE UPDATE ON journal WHEN OLD.undone = 1
BEGIN
	SELECT RAISE(ABORT, 'journal_closed: the entry is closed');
END;
CREATE TRIGGER journal_new BEFORE INSERT ON journal
WHEN EXISTS (SELECT 1 FROM journal j WHERE j.seq = NEW.seq)
BEGIN
	SELECT RAISE(ABORT, 'journal_fixed: an entry is never replaced');
END;
CREATE TRIGGER journal_kept BEFORE DELETE ON journal
BEGIN
	SELECT RAISE(ABORT, 'journal_kept: journal entries are never deleted');
END;

CREATE TABLE evidence (
	seq INTEGER PRIMARY KEY AUTOINCREMENT,
	evidence TEXT NOT NULL UNIQUE,
	attempt TEXT,
	object TEXT,
	wwid TEXT NOT NULL,
	outcome TEXT NOT NULL,
	digest TEXT NOT NULL UNIQUE,
	previous_digest TEXT UNIQUE,
	record TEXT NOT NULL,
	at TEXT NOT NULL
) STRICT;
CREATE INDEX evidence_attempt ON evidence (attempt);
CREATE INDEX evidence_object ON evidence (object, seq);
CREATE INDEX evidence_wwid ON evidence (wwid, seq);

CREATE TRIGGER evidence_chain BEFORE INSERT ON evidence
WHEN NEW.previous_digest IS NOT (SELECT digest FROM evidence ORDER BY seq DESC LIMIT 1)
BEGIN
	SELECT RAISE(ABORT, 'evidence_chain: evidence continues the chain of this host');
END;
-- INSERT OR REPLACE would take a row away without firing the triggers of DELETE.
CREATE TRIGGER evidence_new BEFORE INSERT ON evidence
WHEN EXISTS (SELECT 1 FROM evidence e WHERE e.seq = NEW.seq OR e.evidence = NEW.evidence
	OR e.digest = NEW.digest OR e.previous_digest = NEW.previous_digest)
BEGIN
	SELECT RAISE(ABORT, 'evidence_fixed: evidence is never replaced');
END;
CREATE TRIGGER evidence_fixed BEFORE UPDATE ON evidence
BEGIN
	SELECT RAISE(ABORT, 'evidence_fixed: evidence is never changed');
END;
CREATE TRIGGER evidence_kept BEFORE DELETE ON evidence
BEGIN
	SELECT RAISE(ABORT, 'evidence_kept: evidence is never deleted');
END;

CREATE TABLE wipe_order (
	seq INTEGER PRIMARY KEY AUTOINCREMENT,
	attempt TEXT NOT NULL UNIQUE,
	object TEXT NOT NULL,
	order_text TEXT NOT NULL,
	at TEXT NOT NULL
) STRICT;
CREATE INDEX wipe_order_object ON wipe_order (object, seq);

CREATE TABLE gpu_module (
	gpu_identity TEXT PRIMARY KEY,
	module_id INTEGER NOT NULL,
	learnt_at TEXT NOT NULL
) STRICT;
