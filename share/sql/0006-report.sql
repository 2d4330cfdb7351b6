-- SPDX-License-Identifier: Apache-2.0
-- What gpuaas-report reads. A claim keeps the type its device had when it was claimed: the machine
-- that is sold whole may have several, and what stands in a slot may be another one later.

ALTER TABLE claim ADD COLUMN accelerator_type TEXT;
UPDATE claim SET accelerator_type =
	(SELECT s.accelerator_type FROM slot s WHERE s.id = claim.slot_id);

-- The spans of a time, and whose they are, without a look at the large rows.
CREATE INDEX usage_report ON usage (ended_at, started_at, usage_kind, count, price_micros,
	accelerator_type, allocation_id);
CREATE INDEX allocation_report ON allocation (id, project, profile, node_id);
