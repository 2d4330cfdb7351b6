-- SPDX-License-Identifier: Apache-2.0
-- What gpuaas-profile nodes reads: what each discovered GPU is, without its record of kilobytes,
-- and types that people recorded where nothing tells them.

-- "10de:2335 10de:18be a1": ids, subsystem, revision; "-" where one is not known.
ALTER TABLE candidate ADD COLUMN gpu TEXT;
UPDATE candidate SET gpu =
	json_extract(record, '$.gpu.vendor_id') || ':' || json_extract(record, '$.gpu.device_id')
	|| ' ' || coalesce(json_extract(record, '$.gpu.subsystem_vendor_id') || ':'
		|| json_extract(record, '$.gpu.subsystem_device_id'), '-')
	|| ' ' || coalesce(json_extract(record, '$.gpu.revision'), '-');
CREATE INDEX candidate_gpu ON candidate (node_id, gpu);
CREATE INDEX slot_type ON slot (node_id, retired, accelerator_type, type_name);

CREATE TABLE manual_type (
	node TEXT NOT NULL, -- id of a node, or the name of one of Kubernetes
	accelerator_type TEXT NOT NULL,
	count INTEGER CHECK (count BETWEEN 1 AND 1024), -- NULL: not said
	reason TEXT NOT NULL,
	said_by TEXT NOT NULL,
	said_at TEXT NOT NULL,
	PRIMARY KEY (node, accelerator_type)
) STRICT, WITHOUT ROWID;
