-- SPDX-License-Identifier: Apache-2.0
-- No program ever wrote or read it: module ids come with each discovery, from Fabric Manager.

DROP TABLE gpu_module;
