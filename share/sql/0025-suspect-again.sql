-- SPDX-License-Identifier: Apache-2.0
-- What proves a wipe of its fabric function and of its guard, in columns that triggers can judge.
-- And the suspects again (0024-suspect.sql), for less: a placement writes the state and the
-- generation of a slot and most of an allocation, and SQLite judges an index by each write of a
-- column that its condition names. slot_suspect names neither, and has what is not on sale too; no
-- condition has a list of states, of which SQLite makes a table each time.

-- The fabric function that was reset with the wipe: a slot that has another one since was not wiped
-- for it. What is here already was of the function that its slot has now, where its record names
-- that; a slot of which it names another one is wiped again.
ALTER TABLE wipe_evidence ADD COLUMN vf_pci_address TEXT;
UPDATE wipe_evidence SET vf_pci_address = (SELECT fabric_vf_pci_address FROM slot
	WHERE slot.id = wipe_evidence.slot_id AND CASE WHEN json_valid(wipe_evidence.record)
	THEN instr(coalesce(json_extract(wipe_evidence.record, '$.vf_state.detail'),
		slot.fabric_vf_pci_address), slot.fabric_vf_pci_address) > 0 ELSE 1 END);
-- The worst outcome of the guard's steps.
ALTER TABLE wipe_evidence ADD COLUMN guard TEXT
	CHECK (guard IN ('confirmed', 'not_needed', 'not_proven', 'failed'));
UPDATE wipe_evidence SET guard = coalesce((SELECT json_extract(g.value, '$.outcome')
	FROM json_each(wipe_evidence.record, '$.guard') g
	WHERE json_extract(g.value, '$.outcome') IN ('failed', 'not_proven')
	ORDER BY json_extract(g.value, '$.outcome') LIMIT 1), 'confirmed')
	WHERE json_valid(record) AND json_array_length(record, '$.guard') > 0;

DROP INDEX slot_suspect;
DROP INDEX allocation_suspect;

-- lib/store_unsellable.c and lib/store_damaged.c ask by the same words; SQLite refuses to use the
-- indexes for others.
CREATE INDEX slot_suspect ON slot (id) WHERE
	blockers <> '[]' OR health_state = 'failed'
	OR gpu_id IS NULL OR gpu_id IS NOT node_id || '/' || gpu_identity
	OR gpu_pci_address IS NULL OR gpu_pci_address NOT GLOB
		'[0-9a-f][0-9a-f][0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f].[0-7]'
	OR nvme_wwid IS NULL OR storage_ownership IS NOT 'tenant_slice'
	OR wipe_minimum_class IS NULL OR wipe_verify IS NULL OR wipe_gpu_memory IS NULL
	OR fabric_claim_mode IS NOT 'per_slot_vf'
	OR fabric_vf_pci_address IS NULL OR fabric_vf_pci_address NOT GLOB
		'[0-9a-f][0-9a-f][0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f].[0-7]'
	OR fabric_pf_pci_address NOT GLOB
		'[0-9a-f][0-9a-f][0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f].[0-7]'
	OR mac IS NULL OR mac NOT GLOB '[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]:'
		|| '[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]'
	OR private_ip IS NULL OR private_ip NOT GLOB '[0-9]*.[0-9]*.[0-9]*.[0-9]*'
	OR private_ip GLOB '*[^0-9.]*' OR private_ip GLOB '*.*.*.*.*'
	OR private_ip GLOB '*[0-9][0-9][0-9][0-9]*' OR private_ip GLOB '*[3-9][0-9][0-9]*'
	OR private_ip GLOB '*2[6-9][0-9]*' OR private_ip GLOB '*25[6-9]*'
	OR private_ip GLOB '0[0-9]*' OR private_ip GLOB '*.0[0-9]*'
	OR cpuset IS NULL OR cpuset = '' OR memory_mib IS NULL OR memory_mib <= 0
	OR numa_node NOT BETWEEN -1 AND 1023 OR module_id NOT BETWEEN 0 AND 63
	OR '' IN (gpu_identity, gpu_device, nvme_wwid, nvme_serial, nvme_path, bridge, port)
	OR nvme_size_bytes IS NULL OR nvme_size_bytes <= 0
	OR (gpu_identity || coalesce(gpu_device, '') || nvme_wwid || coalesce(nvme_serial, '') ||
		coalesce(nvme_path, '') || coalesce(bridge, '') || coalesce(port, ''))
		GLOB '*[^ -~]*';
CREATE INDEX slot_last_generation ON slot (id) WHERE
	generation NOT BETWEEN 0 AND 9007199254740990;
CREATE INDEX allocation_suspect ON allocation (id) WHERE
	state <> 'released' AND state <> 'cancelled' AND state <> 'refused' AND (
	request NOT GLOB '{*' OR plan NOT GLOB '{*' OR network NOT GLOB '{*'
	OR order_text NOT GLOB '{*' OR profile_record NOT GLOB '{*'
	OR generation NOT BETWEEN 0 AND 9007199254740990);
