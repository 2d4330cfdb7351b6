-- SPDX-License-Identifier: Apache-2.0
-- Fatal bus errors of a GPU that gpuaas-reconcile told the state of. The counters run from the
-- host's last start and stay after a repair: only those that were not told of refuse a GPU.

CREATE TABLE gpu_errors (
	gpu_identity TEXT PRIMARY KEY,
	boot_id TEXT NOT NULL,
	fatal INTEGER NOT NULL CHECK (fatal >= 0),
	at TEXT NOT NULL
) STRICT;
