-- SPDX-License-Identifier: Apache-2.0
-- What a span costs and whose it is, from the span alone. A span repeats what its allocation says
-- of project, profile and node, none of which a program changes once use begins; the trigger
-- usage_whose holds it to that. Its times stand as whole seconds since 1970, cut downwards, beside
-- the text: what is no time is far outside, so that it is found whatever time is asked for.
-- length_class is how long the span is: below 1, 8, 64, 512 days. A span of class 1 that reaches
-- into a time began less than 8 days before, so that a report reads only what began in its time or
-- so long before. What is open, longer, or no time at all is class 4, always looked at.
-- ('+0 days': without a modifier strftime gives 30 February back as it is.)

ALTER TABLE usage ADD COLUMN number INTEGER;
ALTER TABLE usage ADD COLUMN project TEXT;
ALTER TABLE usage ADD COLUMN profile TEXT;
ALTER TABLE usage ADD COLUMN node_id TEXT;
UPDATE usage SET (number, project, profile, node_id) = (SELECT a.number, a.project, a.profile,
	a.node_id FROM allocation a WHERE a.id = usage.allocation_id);

ALTER TABLE usage ADD COLUMN began_second INTEGER GENERATED ALWAYS AS (CASE
	WHEN strftime('%Y-%m-%dT%H:%M:%S', substr(started_at, 1, 19), '+0 days')
		= substr(started_at, 1, 19) AND started_at > '0001'
	AND (substr(started_at, 20) = 'Z' OR (substr(started_at, 20) GLOB '.[0-9]*Z'
		AND substr(started_at, 21) NOT GLOB '*[^0-9]*Z'))
	THEN CAST(strftime('%s', substr(started_at, 1, 19)) AS INTEGER)
	ELSE -9007199254740991 END) VIRTUAL;
ALTER TABLE usage ADD COLUMN ended_second INTEGER GENERATED ALWAYS AS (CASE
	WHEN ended_at IS NULL THEN NULL
	WHEN strftime('%Y-%m-%dT%H:%M:%S', substr(ended_at, 1, 19), '+0 days')
		= substr(ended_at, 1, 19) AND ended_at > '0001'
	AND (substr(ended_at, 20) = 'Z' OR (substr(ended_at, 20) GLOB '.[0-9]*Z'
		AND substr(ended_at, 21) NOT GLOB '*[^0-9]*Z'))
	THEN CAST(strftime('%s', substr(ended_at, 1, 19)) AS INTEGER)
	ELSE 9007199254740991 END) VIRTUAL;
ALTER TABLE usage ADD COLUMN length_class INTEGER GENERATED ALWAYS AS (CASE
	WHEN ended_second - began_second < 86400 THEN 0
	WHEN ended_second - began_second < 8 * 86400 THEN 1
	WHEN ended_second - began_second < 64 * 86400 THEN 2
	WHEN ended_second - began_second < 512 * 86400 THEN 3 ELSE 4 END) VIRTUAL;

DROP INDEX usage_span;
DROP INDEX allocation_report;
CREATE INDEX usage_line ON usage (length_class, began_second, ended_second, usage_kind, count,
	price_micros, accelerator_type, number, project, profile, node_id, allocation_id);
