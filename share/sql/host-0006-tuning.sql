-- SPDX-License-Identifier: Apache-2.0
-- What the settings of this host are and what it does with them (gpuaas.tuning records), each time
-- that somebody measured it: the newest of an untuned and of a tuned host are compared.

CREATE TABLE tuning (
	seq INTEGER PRIMARY KEY AUTOINCREMENT,
	tuned INTEGER NOT NULL CHECK (tuned IN (0, 1)),
	record TEXT NOT NULL
) STRICT;
CREATE INDEX tuning_newest ON tuning (tuned, seq);
