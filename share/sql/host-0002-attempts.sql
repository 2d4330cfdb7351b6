-- SPDX-License-Identifier: Apache-2.0
-- Attempts of more programs than the first three: a rebuild is taken up like an order. SQLite
-- changes a CHECK by a new table; the numbers of the rows stay.

CREATE TABLE attempt_2 (
	seq INTEGER PRIMARY KEY AUTOINCREMENT,
	attempt TEXT NOT NULL UNIQUE,
	object TEXT NOT NULL,
	program TEXT NOT NULL CHECK (program IN ('provision', 'release', 'wipe', 'rebuild')),
	order_text TEXT NOT NULL,
	state TEXT NOT NULL DEFAULT 'working' CHECK (state IN ('working', 'done', 'failed')),
	phase TEXT,
	result TEXT,
	boot_id TEXT,
	started_at TEXT NOT NULL,
	ended_at TEXT
) STRICT;
INSERT INTO attempt_2 SELECT seq, attempt, object, program, order_text, state, phase, result,
	boot_id, started_at, ended_at FROM attempt ORDER BY seq;
DROP TABLE attempt;
ALTER TABLE attempt_2 RENAME TO attempt;
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
