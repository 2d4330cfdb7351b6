/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions of the indexes of share/sql/0025-suspect-again.sql, word for word: with any other
 * text SQLite reports "no query solution". Private to lib/state. */
#ifndef GA_STATE_SLOT_SUSPECT_H
#define GA_STATE_SLOT_SUSPECT_H

#define GA_SQL_SLOT_SUSPECT \
	"(blockers <> '[]' OR health_state = 'failed' " \
	"OR gpu_id IS NULL OR gpu_id IS NOT node_id || '/' || gpu_identity " \
	"OR gpu_pci_address IS NULL OR gpu_pci_address NOT GLOB " \
	"'[0-9a-f][0-9a-f][0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f].[0-7]' " \
	"OR nvme_wwid IS NULL OR storage_ownership IS NOT 'tenant_slice' " \
	"OR wipe_minimum_class IS NULL OR wipe_verify IS NULL OR wipe_gpu_memory IS NULL " \
	"OR fabric_claim_mode IS NOT 'per_slot_vf' " \
	"OR fabric_vf_pci_address IS NULL OR fabric_vf_pci_address NOT GLOB " \
	"'[0-9a-f][0-9a-f][0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f].[0-7]' " \
	"OR fabric_pf_pci_address NOT GLOB " \
	"'[0-9a-f][0-9a-f][0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f].[0-7]' " \
	"OR mac IS NULL OR mac NOT GLOB '[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]:' " \
	"|| '[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]' " \
	"OR private_ip IS NULL OR private_ip NOT GLOB '[0-9]*.[0-9]*.[0-9]*.[0-9]*' " \
	"OR private_ip GLOB '*[^0-9.]*' OR private_ip GLOB '*.*.*.*.*' " \
	"OR private_ip GLOB '*[0-9][0-9][0-9][0-9]*' OR private_ip GLOB '*[3-9][0-9][0-9]*' " \
	"OR private_ip GLOB '*2[6-9][0-9]*' OR private_ip GLOB '*25[6-9]*' " \
	"OR private_ip GLOB '0[0-9]*' OR private_ip GLOB '*.0[0-9]*' " \
	"OR cpuset IS NULL OR cpuset = '' OR memory_mib IS NULL OR memory_mib <= 0 " \
	"OR numa_node NOT BETWEEN -1 AND 1023 OR module_id NOT BETWEEN 0 AND 63 " \
	"OR '' IN (gpu_identity, gpu_device, nvme_wwid, nvme_serial, nvme_path, bridge, port) " \
	"OR nvme_size_bytes IS NULL OR nvme_size_bytes <= 0 " \
	"OR (gpu_identity || coalesce(gpu_device, '') || nvme_wwid || " \
	"coalesce(nvme_serial, '') || " \
	"coalesce(nvme_path, '') || coalesce(bridge, '') || coalesce(port, '')) " \
	"GLOB '*[^ -~]*') "
#define GA_SQL_SLOT_LAST_GENERATION "generation NOT BETWEEN 0 AND 9007199254740990 "
#define GA_SQL_ALLOCATION_SUSPECT \
	"state <> 'released' AND state <> 'cancelled' AND state <> 'refused' AND (" \
	"request NOT GLOB '{*' OR plan NOT GLOB '{*' OR network NOT GLOB '{*' " \
	"OR order_text NOT GLOB '{*' OR profile_record NOT GLOB '{*' " \
	"OR generation NOT BETWEEN 0 AND 9007199254740990) "

#endif
