-- SPDX-License-Identifier: Apache-2.0
-- The refusals of gpuaas-place, and rows of attention that a person acknowledged.

-- One row for a UTC day, a user, a request and a reason: whoever asks again and again adds to
-- attempts. A text that the request does not have is ''. The programs remove rows after 400 days
-- and bound the rows of a user on a day: beyond 1000, refusals share a row for each profile, shape,
-- type and code (lib/state/capacity/refusal.h).
CREATE TABLE refusal (
	seq INTEGER PRIMARY KEY AUTOINCREMENT, -- never given again: readers go on after it
	day TEXT NOT NULL,		       -- 2026-01-31
	actor TEXT NOT NULL,
	project TEXT NOT NULL,
	profile TEXT NOT NULL,
	shape TEXT NOT NULL,
	type TEXT NOT NULL,  -- the accelerator type that the demand counts for; '': none is named
	types TEXT NOT NULL, -- JSON: those of the request, best first
	count INTEGER NOT NULL CHECK (count >= 0), -- GPUs; 0: any number, or a shared row
	name TEXT NOT NULL,
	request_id TEXT NOT NULL,
	code TEXT NOT NULL,
	sentence TEXT NOT NULL, -- of the last attempt, as the hint
	hint TEXT,
	attempts INTEGER NOT NULL CHECK (attempts >= 1),
	first_at TEXT NOT NULL,
	last_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX refusal_request ON refusal (day, actor, project, profile, shape, types, count,
	name, request_id, code);

-- Sums that only grow, for metrics: removing old rows does not lower them.
CREATE TABLE refusal_total (
	code TEXT NOT NULL,
	type TEXT NOT NULL,
	requests INTEGER NOT NULL CHECK (requests >= 0),
	gpus INTEGER NOT NULL CHECK (gpus >= 0),
	attempts INTEGER NOT NULL CHECK (attempts >= 0),
	PRIMARY KEY (code, type)
) STRICT, WITHOUT ROWID;

-- A row of attention is acknowledged until the end that a person gave, as long as it is the row
-- that the person saw: the same object, code, state, time, and sentence (without the times in it).
CREATE TABLE acknowledgement (
	object_kind TEXT NOT NULL,
	object TEXT NOT NULL,
	code TEXT NOT NULL,
	state TEXT NOT NULL,
	since TEXT NOT NULL,
	sentence TEXT NOT NULL,
	reason TEXT NOT NULL,
	actor TEXT NOT NULL,
	at TEXT NOT NULL,
	until TEXT NOT NULL,
	PRIMARY KEY (object_kind, object, code, since, sentence)
) STRICT, WITHOUT ROWID;
