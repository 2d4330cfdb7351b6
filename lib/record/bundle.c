/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of bundle.h. */
#include "record/bundle.h"

#include "record/words.h"

#define S ga_wipe_policy
const struct ga_schema ga_wipe_policy_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, minimum_class, GA_REQ, ga_class_words, "NIST SP 800-88 class at least"),
		GA_ENUM(S, verify, GA_REQ, ga_verify_words, "how much is read back"),
		GA_ENUM(S, gpu_memory, GA_REQ, ga_gpu_memory_words, "does GPU memory need proof"),
		GA_FIELDS_END },
};
#undef S

#define S ga_bundle
const struct ga_schema ga_bundle_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, slot, GA_REQ, GA_T_ID, "slot id"),
		GA_TEXT(S, claim, GA_NULLOK, GA_T_ID, "its live claim"),
		GA_NUMBER(S, slot_index, GA_REQ, "index on the node"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the slot when the order was made"),
		GA_NUMBER(S, numa_node, GA_NULLOK, "NUMA node"),
		GA_TEXT(S, gpu_identity, GA_NULLOK, GA_T_ANY, "GPU by identity"),
		GA_TEXT(S, gpu_pci_address, GA_NULLOK, GA_T_PCI, "GPU by address"),
		GA_TEXT(S, gpu_device, GA_NULLOK, GA_T_ANY, "vendor:device of the GPU"),
		GA_NUMBER(S, module_id, GA_NULLOK, "GPU module id"),
		GA_TEXT(S, nvme_wwid, GA_NULLOK, GA_T_ANY, "disk by identity"),
		GA_TEXT(S, nvme_serial, GA_NULLOK, GA_T_ANY, "its serial"),
		GA_TEXT(S, nvme_path, GA_NULLOK, GA_T_ANY, "its path: a cache"),
		GA_BYTES(S, nvme_size_bytes, GA_NULLOK, "its size"),
		GA_TEXT(S, fabric_vf_pci_address, GA_NULLOK, GA_T_PCI, "fabric virtual function"),
		GA_TEXT(S, fabric_pf_pci_address, GA_NULLOK, GA_T_PCI, "its physical function"),
		GA_TEXT(S, cpuset, GA_NULLOK, GA_T_CPUS, "CPUs"),
		GA_MIB(S, memory_mib, GA_NULLOK, "memory"),
		GA_TEXT(S, mac, GA_NULLOK, GA_T_MAC, "management MAC"),
		GA_TEXT(S, private_ip, GA_NULLOK, GA_T_IP, "private address"),
		GA_TEXT(S, bridge, GA_NULLOK, GA_T_ANY, "bridge"),
		GA_TEXT(S, port, GA_NULLOK, GA_T_ANY, "port"),
		GA_TEXT(S, wipe_attempt, GA_NULLOK, GA_T_ID, "attempt id of the wipe to come"),
		GA_FIELDS_END },
};
#undef S
