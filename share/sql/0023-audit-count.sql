-- SPDX-License-Identifier: Apache-2.0
-- The number of the newest audit row, which is written with it: rows that are cut off the end leave
-- a whole chain, and only something beside it can tell that there were more. NULL: no row yet.

ALTER TABLE meta ADD COLUMN audit_seq INTEGER;
UPDATE meta SET audit_seq = (SELECT max(seq) FROM audit);
