-- SPDX-License-Identifier: Apache-2.0
-- The state of gpuaas: tables, keys and checks. gpuaas-state(5) draws them. The triggers that hold
-- the edges of the machines and the invariants are made by lib/fsm.c and lib/invariant.c, from one
-- table in C, in the transaction that runs this file. Times are RFC 3339 UTC text, microseconds.
-- Small rows stand WITHOUT ROWID. Where rows are large, a B-tree of the text keys would hold a few
-- of them a page, and each look at a key would read several: there number is the key of the table.
-- It is named, and at least 1, so that triggers guard it against REPLACE as they guard id. Records
-- stand last, so that what is before them is read without them.

CREATE TABLE meta (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	lab INTEGER NOT NULL CHECK (lab IN (0, 1)),
	epoch INTEGER NOT NULL CHECK (epoch >= 1),
	created_at TEXT NOT NULL
) STRICT;

CREATE TABLE node (
	number INTEGER PRIMARY KEY CHECK (number >= 1),
	id TEXT NOT NULL UNIQUE,
	name TEXT UNIQUE,
	address TEXT,
	region TEXT,
	pool TEXT,
	mode TEXT NOT NULL DEFAULT 'slice' CHECK (mode IN ('slice', 'baremetal')),
	state TEXT NOT NULL DEFAULT 'enrolled',
	since TEXT NOT NULL,
	generation INTEGER NOT NULL DEFAULT 1,
	cordon_reason TEXT,
	held_by TEXT, -- NULL, 'slices', or the allocation that holds the whole node
	epoch_verified INTEGER NOT NULL DEFAULT 0,
	fingerprint TEXT, -- as approved
	boot_id TEXT,
	observation_digest TEXT,
	observed_at TEXT,
	blockers TEXT NOT NULL DEFAULT '[]',
	network TEXT NOT NULL DEFAULT '{}',
	network_set INTEGER NOT NULL DEFAULT 0 CHECK (network_set IN (0, 1)), -- by an operator
	reserved_memory_mib INTEGER NOT NULL DEFAULT 0,
	reserved_cpus TEXT,
	fabric_mode TEXT NOT NULL DEFAULT 'none' CHECK (fabric_mode IN ('none', 'partitions')),
	UNIQUE (id, held_by) -- what every live claim references
) STRICT;

-- What placement reads of every node.
CREATE INDEX node_place ON node (id, region, pool, mode, state, generation, cordon_reason, held_by,
	epoch_verified, observed_at, fabric_mode, blockers);

-- The last host record, as text, of a hundred kilobytes: not in node, which is written with claims.
CREATE TABLE node_observation (
	node_id TEXT NOT NULL UNIQUE REFERENCES node (id),
	record TEXT NOT NULL
) STRICT;

CREATE TABLE node_memory (
	node_id TEXT NOT NULL REFERENCES node (id),
	numa_node INTEGER NOT NULL, -- -1: the host has no NUMA
	memory_mib INTEGER NOT NULL CHECK (memory_mib >= 0),
	reserve_mib INTEGER NOT NULL DEFAULT 0 CHECK (reserve_mib >= 0),
	PRIMARY KEY (node_id, numa_node)
) STRICT, WITHOUT ROWID;

CREATE TABLE node_partition ( -- Fabric Manager's table, as observed
	node_id TEXT NOT NULL REFERENCES node (id),
	id INTEGER NOT NULL,
	module_ids TEXT NOT NULL, -- JSON list, ascending
	PRIMARY KEY (node_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE device (
	number INTEGER PRIMARY KEY CHECK (number >= 1),
	id TEXT NOT NULL UNIQUE, -- wwid of a disk, identity of a GPU with its node: 'NODE/identity'
	device_kind TEXT NOT NULL CHECK (device_kind IN ('disk', 'gpu')),
	node_id TEXT NOT NULL REFERENCES node (id),
	facts TEXT NOT NULL DEFAULT '{}',
	dirty_since TEXT, -- the taint; NULL only after confirmed evidence
	dirtied_by TEXT,
	cleared_by TEXT REFERENCES wipe_evidence (id),
	destroy_data_by TEXT, -- who allowed foreign content to be destroyed
	first_seen_at TEXT NOT NULL
) STRICT;
CREATE INDEX device_node ON device (node_id);

CREATE TABLE candidate (
	node_id TEXT NOT NULL REFERENCES node (id),
	slot_index INTEGER NOT NULL,
	observed_at TEXT NOT NULL,
	record TEXT NOT NULL,
	PRIMARY KEY (node_id, slot_index)
) STRICT;

CREATE TABLE slot (
	number INTEGER PRIMARY KEY CHECK (number >= 1),
	id TEXT NOT NULL UNIQUE,
	node_id TEXT NOT NULL REFERENCES node (id),
	slot_index INTEGER NOT NULL CHECK (slot_index BETWEEN 0 AND 255),
	state TEXT NOT NULL DEFAULT 'disabled',
	retired INTEGER NOT NULL DEFAULT 0 CHECK (retired = (state = 'retired')),
	since TEXT NOT NULL,
	generation INTEGER NOT NULL DEFAULT 1,
	shape TEXT NOT NULL DEFAULT 'slice'
		CHECK (shape IN ('slice', 'gpu_partition', 'gpu_shared')),
	sharing_mechanism TEXT NOT NULL DEFAULT 'exclusive_device' CHECK (sharing_mechanism IN
		('exclusive_device', 'mig_partition', 'mdev_vgpu', 'time_sliced', 'mps',
		 'software_shared')),
	parent_id TEXT REFERENCES slot (id),
	accelerator_type TEXT,
	type_name TEXT,
	gpu_id TEXT REFERENCES device (id),
	gpu_identity TEXT,
	gpu_pci_address TEXT,
	gpu_device TEXT,
	module_id INTEGER,
	nvme_wwid TEXT REFERENCES device (id),
	nvme_serial TEXT,
	nvme_path TEXT,
	nvme_size_bytes INTEGER,
	fabric_claim_mode TEXT,
	fabric_vf_pci_address TEXT,
	fabric_pf_pci_address TEXT,
	numa_node INTEGER,
	cpuset TEXT,
	memory_mib INTEGER,
	mac TEXT,
	private_ip TEXT,
	bridge TEXT,
	port TEXT,
	storage_ownership TEXT,
	wipe_minimum_class TEXT CHECK (wipe_minimum_class IN ('clear', 'purge')),
	wipe_verify TEXT CHECK (wipe_verify IN ('full', 'sampled')),
	wipe_gpu_memory TEXT CHECK (wipe_gpu_memory IN ('required', 'if_supported')),
	health_state TEXT NOT NULL DEFAULT 'unknown'
		CHECK (health_state IN ('ok', 'failed', 'unknown')),
	health_detail TEXT,
	cordon_reason TEXT,
	blockers TEXT NOT NULL DEFAULT '[]', -- of ga_slot_blockers, as last computed
	wipe_evidence_id TEXT REFERENCES wipe_evidence (id), -- the wipe that last cleared it
	wipe_attempt TEXT,	       -- the wipe order in force
	wipe_generation INTEGER,       -- and the generation it was issued for
	wipe_cause TEXT,
	wipe_issued_at TEXT,
	approved_by TEXT,
	approved_at TEXT,
	fingerprint TEXT,
	disposal TEXT, -- the record that let it be retired without a wipe
	UNIQUE (id, node_id)
) STRICT;

-- Devices and addresses stand in at most one slot that is not retired. The indexes ask retired, not
-- state: one whose condition names state would be written anew at each move of a slot.
CREATE UNIQUE INDEX slot_index_once ON slot (node_id, slot_index) WHERE retired = 0;
CREATE UNIQUE INDEX slot_gpu_once ON slot (gpu_id) WHERE retired = 0 AND gpu_id IS NOT NULL;
CREATE UNIQUE INDEX slot_gpu_address_once ON slot (node_id, gpu_pci_address)
	WHERE retired = 0 AND gpu_pci_address IS NOT NULL;
CREATE UNIQUE INDEX slot_nvme_once ON slot (nvme_wwid)
	WHERE retired = 0 AND nvme_wwid IS NOT NULL;
CREATE UNIQUE INDEX slot_vf_once ON slot (node_id, fabric_vf_pci_address)
	WHERE retired = 0 AND fabric_vf_pci_address IS NOT NULL;
CREATE UNIQUE INDEX slot_mac_once ON slot (mac) WHERE retired = 0 AND mac IS NOT NULL;
CREATE UNIQUE INDEX slot_ip_once ON slot (node_id, private_ip)
	WHERE retired = 0 AND private_ip IS NOT NULL;
-- Which slot a device stands in, whatever its state: the triggers on device ask at each taint.
CREATE INDEX slot_nvme ON slot (nvme_wwid);
CREATE INDEX slot_gpu ON slot (gpu_id);
-- What placement reads of every slot.
CREATE INDEX slot_place ON slot (node_id, slot_index, id, state, generation, accelerator_type,
	module_id, numa_node, memory_mib, cpuset, cordon_reason, health_state, blockers);

CREATE TABLE slot_cpu (
	node_id TEXT NOT NULL,
	cpu INTEGER NOT NULL,
	slot_id TEXT NOT NULL,
	PRIMARY KEY (node_id, cpu),
	FOREIGN KEY (slot_id, node_id) REFERENCES slot (id, node_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX slot_cpu_slot ON slot_cpu (slot_id);

CREATE TABLE profile (
	name TEXT NOT NULL,
	version INTEGER NOT NULL,
	record TEXT NOT NULL,
	created_at TEXT NOT NULL,
	current INTEGER NOT NULL CHECK (current IN (0, 1)),
	PRIMARY KEY (name, version)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX profile_current ON profile (name) WHERE current = 1;

CREATE TABLE image (
	name TEXT PRIMARY KEY,
	digest TEXT NOT NULL,
	record TEXT NOT NULL,
	updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE node_image (
	node_id TEXT NOT NULL REFERENCES node (id),
	image TEXT NOT NULL REFERENCES image (name),
	digest TEXT NOT NULL,
	path TEXT NOT NULL,
	verified_at TEXT NOT NULL,
	PRIMARY KEY (node_id, image)
) STRICT, WITHOUT ROWID;

CREATE TABLE allocation (
	number INTEGER PRIMARY KEY CHECK (number >= 1),
	id TEXT NOT NULL UNIQUE CHECK (id <> 'slices'), -- a word of node.held_by
	name TEXT,
	request_id TEXT,
	project TEXT NOT NULL,
	priority INTEGER NOT NULL DEFAULT 100,
	shape TEXT NOT NULL CHECK (shape IN ('slice', 'baremetal')),
	count INTEGER NOT NULL,
	state TEXT NOT NULL DEFAULT 'pending',
	since TEXT NOT NULL,
	generation INTEGER NOT NULL DEFAULT 1,
	node_id TEXT REFERENCES node (id),
	accelerator_type TEXT,
	profile TEXT NOT NULL,
	profile_version INTEGER NOT NULL,
	price_micros INTEGER NOT NULL,	 -- a snapshot, as profile_record
	image_digest TEXT,
	attempt TEXT,			 -- the order in force
	attempt_generation INTEGER,	 -- and the generation it was issued for
	order_kind TEXT CHECK (order_kind IN ('plan', 'release-order')),
	expires_at TEXT,		 -- of a plan nobody took up
	power_wanted TEXT CHECK (power_wanted IN ('on', 'off')),
	power_observed TEXT CHECK (power_observed IN ('on', 'off')),
	access TEXT,
	network TEXT,
	fabric_partition INTEGER,
	phase TEXT,
	reason TEXT,
	created_at TEXT NOT NULL,
	created_by TEXT NOT NULL,
	request TEXT NOT NULL,		 -- the request record
	profile_record TEXT NOT NULL,
	plan TEXT,			 -- the plan record, byte for byte
	order_text TEXT
) STRICT;
CREATE UNIQUE INDEX allocation_request ON allocation (request_id) WHERE request_id IS NOT NULL;
CREATE UNIQUE INDEX allocation_name ON allocation (name)
	WHERE name IS NOT NULL AND state NOT IN ('released', 'cancelled', 'refused');
CREATE INDEX allocation_state ON allocation (state, node_id);
CREATE INDEX allocation_expiry ON allocation (expires_at, id) WHERE state = 'placed';

CREATE TABLE claim (
	number INTEGER PRIMARY KEY CHECK (number >= 1),
	id TEXT NOT NULL UNIQUE,
	allocation_id TEXT NOT NULL REFERENCES allocation (id),
	node_id TEXT NOT NULL REFERENCES node (id),
	slot_id TEXT, -- NULL: the node itself
	claim_kind TEXT NOT NULL CHECK (claim_kind IN ('slot', 'node')),
	live INTEGER NOT NULL CHECK (live IN (0, 1)),
	held_by TEXT, -- what node.held_by must be while the claim is live
	created_at TEXT NOT NULL,
	use_ended_at TEXT,
	ended_at TEXT,
	CHECK ((claim_kind = 'slot') = (slot_id IS NOT NULL)),
	CHECK ((live = 1) = (held_by IS NOT NULL)),
	CHECK ((live = 1) = (ended_at IS NULL)),
	CHECK (held_by IS NULL OR held_by = allocation_id
		OR (held_by = 'slices' AND claim_kind = 'slot')),
	FOREIGN KEY (node_id, held_by) REFERENCES node (id, held_by),
	FOREIGN KEY (slot_id, node_id) REFERENCES slot (id, node_id)
) STRICT;
-- Claims are never deleted: triggers and keys find the live ones without reading the ended ones.
CREATE UNIQUE INDEX claim_slot_sold_once ON claim (slot_id) WHERE live = 1;
CREATE UNIQUE INDEX claim_node_sold_once ON claim (node_id) WHERE live = 1 AND claim_kind = 'node';
CREATE INDEX claim_allocation ON claim (allocation_id);
CREATE INDEX claim_holder ON claim (node_id, held_by) WHERE held_by IS NOT NULL;

CREATE TABLE usage (
	id INTEGER PRIMARY KEY,
	allocation_id TEXT NOT NULL REFERENCES allocation (id),
	usage_kind TEXT NOT NULL
		CHECK (usage_kind IN ('active', 'provisioning', 'cleanup', 'hold')),
	count INTEGER NOT NULL,
	accelerator_type TEXT,
	price_micros INTEGER NOT NULL,
	started_at TEXT NOT NULL,
	ended_at TEXT
) STRICT;
CREATE UNIQUE INDEX usage_open_once ON usage (allocation_id) WHERE ended_at IS NULL;

CREATE TABLE task (
	id INTEGER PRIMARY KEY,
	object TEXT NOT NULL, -- allocation or slot
	node_id TEXT,
	attempt TEXT,
	phase TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('started', 'running', 'finished', 'failed')),
	started_at TEXT NOT NULL,
	finished_at TEXT,
	elapsed_micros INTEGER,
	bytes INTEGER,
	detail TEXT
) STRICT;
CREATE UNIQUE INDEX task_once ON task (object, attempt, phase);

CREATE TABLE wipe_evidence (
	number INTEGER PRIMARY KEY CHECK (number >= 1), -- in the order they were folded
	id TEXT NOT NULL UNIQUE,
	slot_id TEXT NOT NULL REFERENCES slot (id),
	node_id TEXT NOT NULL REFERENCES node (id),
	attempt TEXT NOT NULL UNIQUE,
	wwid TEXT NOT NULL,
	gpu_identity TEXT,
	started_at TEXT NOT NULL,
	finished_at TEXT NOT NULL,
	class TEXT NOT NULL CHECK (class IN ('none', 'clear', 'purge')),
	outcome TEXT NOT NULL CHECK (outcome IN ('confirmed', 'not_started', 'unknown', 'failed')),
	verify TEXT CHECK (verify IN ('full', 'sampled')),
	gpu_memory TEXT NOT NULL
		CHECK (gpu_memory IN ('confirmed', 'not_needed', 'not_proven', 'failed')),
	lab INTEGER NOT NULL CHECK (lab IN (0, 1)),
	digest TEXT NOT NULL UNIQUE,
	folded_at TEXT NOT NULL,
	record TEXT NOT NULL
) STRICT;

CREATE TABLE folded ( -- results already committed, so that folding twice changes nothing
	digest TEXT PRIMARY KEY,
	kind TEXT NOT NULL,
	object TEXT,
	folded_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
	seq INTEGER PRIMARY KEY,
	at TEXT NOT NULL,
	actor TEXT NOT NULL,
	program TEXT NOT NULL,
	action TEXT NOT NULL,
	object TEXT NOT NULL,
	detail TEXT NOT NULL,
	previous_hash TEXT NOT NULL,
	hash TEXT NOT NULL
) STRICT;
CREATE INDEX audit_object ON audit (object);
