-- SPDX-License-Identifier: Apache-2.0
-- What evidence must say for its slot to be sold, as columns that triggers can ask. Evidence of
-- before is kept as it is, and has no rules: no trigger takes it for a wipe any more; what it
-- cleared stays clean.

ALTER TABLE wipe_evidence ADD COLUMN rules INTEGER; -- version; NULL: older than the rules
ALTER TABLE wipe_evidence ADD COLUMN gpu_reset TEXT
	CHECK (gpu_reset IN ('confirmed', 'not_needed', 'not_proven', 'failed'));
ALTER TABLE wipe_evidence ADD COLUMN vf_state TEXT
	CHECK (vf_state IN ('confirmed', 'not_needed', 'not_proven', 'failed'));
ALTER TABLE wipe_evidence ADD COLUMN medium TEXT CHECK (medium IN ('nvme', 'block', 'file'));
ALTER TABLE wipe_evidence ADD COLUMN size_bytes INTEGER;
ALTER TABLE wipe_evidence ADD COLUMN bytes_read INTEGER;
ALTER TABLE wipe_evidence ADD COLUMN mismatches INTEGER;
ALTER TABLE wipe_evidence ADD COLUMN surviving INTEGER; -- markers

UPDATE wipe_evidence SET
	gpu_reset = json_extract(record, '$.gpu_reset.outcome'),
	vf_state = json_extract(record, '$.vf_state.outcome'),
	medium = json_extract(record, '$.device.medium'),
	size_bytes = json_extract(record, '$.device.size_bytes'),
	bytes_read = json_extract(record, '$.read_back.bytes_read'),
	mismatches = json_extract(record, '$.read_back.mismatches'),
	surviving = json_extract(record, '$.markers.surviving')
WHERE json_valid(record);
