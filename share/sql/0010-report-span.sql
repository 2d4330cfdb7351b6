-- SPDX-License-Identifier: Apache-2.0
-- The spans of a time, also of one long ago: by how long they are and when they began, so that a
-- report reads only what began in its time or at most so long before. The class is days, in steps
-- of eight: a span of class 1 that reaches into a time began less than 8 days before. What is open,
-- longer, or no time at all is class 4, which is always looked at. lib/store_report.c has the same
-- words: SQLite takes an index on an expression only for that expression.

DROP INDEX usage_report;
CREATE INDEX usage_span ON usage (CASE WHEN ended_at IS NULL THEN 4
	WHEN julianday(ended_at) - julianday(started_at) < 1 THEN 0
	WHEN julianday(ended_at) - julianday(started_at) < 8 THEN 1
	WHEN julianday(ended_at) - julianday(started_at) < 64 THEN 2
	WHEN julianday(ended_at) - julianday(started_at) < 512 THEN 3 ELSE 4 END,
	started_at, ended_at, usage_kind, count, price_micros, accelerator_type, allocation_id);
