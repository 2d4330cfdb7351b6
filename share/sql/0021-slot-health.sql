-- SPDX-License-Identifier: Apache-2.0
-- Since when a slot has its health: until now nothing wrote that, so that all are unknown, since no
-- time. The triggers, which every migration makes anew (lib/invariant*.c), refuse that the health
-- of a slot in a plan fails while it stays there: the plan would put it back on sale as it is.

ALTER TABLE slot ADD COLUMN health_since TEXT;

-- Nothing ever wrote it: the phases of an allocation are rows of task.
ALTER TABLE allocation DROP COLUMN phase;
