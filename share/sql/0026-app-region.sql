-- SPDX-License-Identifier: Apache-2.0
-- Apps, whose needs an allocation must meet; regions that are declared, open or not yet.

-- As profiles: a version never changes, and one version of a name is current.
CREATE TABLE app (
	name TEXT NOT NULL,
	version INTEGER NOT NULL,
	record TEXT NOT NULL,
	current INTEGER NOT NULL CHECK (current IN (0, 1)),
	PRIMARY KEY (name, version)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX app_current ON app (name) WHERE current = 1;

CREATE TABLE region (
	name TEXT PRIMARY KEY,
	open INTEGER NOT NULL CHECK (open IN (0, 1)),
	record TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The app that the request named, and its version when it was placed.
ALTER TABLE allocation ADD COLUMN app TEXT;
ALTER TABLE allocation ADD COLUMN app_version INTEGER;

-- A machine that a tenant had before gpuaas knew it: what the operator's executables said of it.
ALTER TABLE allocation ADD COLUMN taken_in TEXT;
