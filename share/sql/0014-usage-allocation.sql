-- SPDX-License-Identifier: Apache-2.0
-- The spans of one allocation, in their order, without a look at all that were ever counted: where
-- the next may begin, and whether they share time.

CREATE INDEX usage_allocation ON usage (allocation_id, began_second, ended_second, usage_kind);
