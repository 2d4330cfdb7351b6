-- SPDX-License-Identifier: Apache-2.0
-- A year of use of 8,000 GPUs on 1,000 nodes, for the figures of gpuaas-report: 96,000 allocations
-- of a month each, one after another on each GPU, of 40 projects, 6 types and 8 profiles, with the
-- sizes that plans and profile records have; 280,000 spans, of which 8,000 are open. It ends now.
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
BEGIN IMMEDIATE;
CREATE TEMP TABLE one AS
	WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 95999)
	SELECT i, i % 8000 AS gpu, i / 8000 AS month, (i * 7919) % 40 AS project,
		(i % 8000) / 1334 AS type, (i * 31) % 8 AS profile,
		CAST(strftime('%s', 'now') AS INTEGER) - (12 - i / 8000) * 2628000 +
			(i * 104729) % 2000000 - (i / 8000 = 11) * 2000000 AS t
	FROM n;
INSERT OR IGNORE INTO node (id, since, region)
	SELECT printf('n%05d', gpu / 8), 'x', 'r' || (gpu / 8 % 3) FROM one WHERE gpu % 8 = 0
	AND month = 0;
INSERT INTO allocation (id, name, request, project, shape, count, since, node_id,
	accelerator_type, profile, profile_version, profile_record, price_micros, created_at,
	created_by, plan)
	SELECT printf('%08d', i), 'job' || i, '{}', 'project-' || project, 'slice', 1, 'x',
	printf('n%05d', gpu / 8), 'nvidia-type-' || type || '-80gb', 'profile-' || profile, 1,
	json_object('p', printf('%.390c', 'p')), 1000000 + profile * 500000 + month * 10000, 'x',
	'me',
	json_object('x', printf('%.2790c', 'x')) FROM one;
INSERT INTO usage (allocation_id, number, project, profile, node_id, usage_kind, count,
	accelerator_type, price_micros, started_at, ended_at)
	SELECT printf('%08d', i), i + 1, 'project-' || project, 'profile-' || profile,
	printf('n%05d', gpu / 8), kind, 1, 'nvidia-type-' || type || '-80gb',
	1000000 + profile * 500000 + month * 10000,
	strftime('%Y-%m-%dT%H:%M:%S.123456Z', t + begins, 'unixepoch'),
	CASE WHEN kind = 'active' AND month = 11 THEN NULL
	ELSE strftime('%Y-%m-%dT%H:%M:%S.123456Z', t + ends, 'unixepoch') END
	FROM one, (SELECT 'provisioning' AS kind, 0 AS begins, 90 AS ends
		UNION ALL SELECT 'active', 90, 600000
		UNION ALL SELECT 'cleanup', 600000, 600700)
	WHERE NOT (month = 11 AND kind = 'cleanup') ORDER BY i;
COMMIT;
