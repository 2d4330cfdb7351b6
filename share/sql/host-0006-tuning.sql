-- SPDX-License-Identifier: Apache-2.0
-- The settings and the measured rates of this host (gpuaas.tuning records), a row each time that
-- somebody measured it: the newest of the untuned and of the tuned host are compared.

CREATE TABLE tuning (
	seq INTEGER PRIMARY KEY AUTOINCREMENT,
	tuned INTEGER NOT NULL CHECK (tuned IN (0, 1)),
	record TEXT NOT NULL
) STRICT;
CREATE INDEX tuning_newest ON tuning (tuned, seq);
