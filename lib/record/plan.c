/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of plans and of user-data. */
#include "record/plan.h"

#include "record/words.h"

#define S ga_plan_image
static const struct ga_schema plan_image_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "image"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "of the file"),
		GA_TEXT(S, chunks_digest, GA_NULLOK, GA_T_DIGEST, "of its chunk list"),
		GA_TEXT(S, path, GA_REQ, GA_T_ANY, "the copy on the node"),
		GA_ENUM(S, format, GA_REQ, ga_image_formats, "format of the file"),
		GA_BYTES(S, size_bytes, GA_REQ, "size of the disk it makes"),
		GA_ENUM(S, firmware, GA_REQ, ga_firmware_words, "firmware it boots with"),
		GA_ENUM(S, probe, GA_REQ, ga_probe_words, "how readiness is proved"),
		GA_TEXT(S, user, GA_NULLOK, GA_T_ANY, "login of the guest"),
		GA_TEXT(S, driver_version, GA_NULLOK, GA_T_ANY, "GPU driver inside"),
		GA_INT_IN(S, ready_seconds, GA_OPT, 1, GA_READY_MAX,
			  "from start to readiness, without its memory and GPUs; default 180"),
		GA_FIELDS_END },
};
#undef S

#define S ga_plan
const struct ga_schema ga_plan_schema = {
	.kind = "gpuaas.plan/1",
	.doc = "an order to provision; its claims are committed",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_NAME, "its name"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the allocation"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "ties results to this order"),
		GA_BOOL(S, dry_run, "nothing was claimed; not to be acted on"),
		GA_ENUM(S, shape, GA_REQ, ga_schema_words, "slice or baremetal"),
		GA_TEXT(S, project, GA_REQ, GA_T_NAME, "project"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "profile"),
		GA_SERIAL(S, profile_version, GA_REQ, "its version"),
		GA_COUNT(S, count, GA_REQ, "GPUs"),
		GA_TEXT(S, created_at, GA_REQ, GA_T_TIME, "when it was placed"),
		GA_TEXT(S, expires_at, GA_REQ, GA_T_TIME, "when it ends if nobody starts"),
		GA_SERIAL(S, epoch, GA_REQ, "epoch of the state"),
		GA_TEXT(S, controller, GA_OPT, GA_T_HEX, "which state ordered it, in this epoch"),
		GA_TEXT(S, boot_id, GA_NULLOK, GA_T_ANY, "boot id of the node when last observed"),
		GA_TEXT(S, fingerprint, GA_NULLOK, GA_T_DIGEST, "of the node, as approved"),
		GA_LISTOF(S, bundles, &ga_bundle_schema, "the slots, lowest index first"),
		GA_COUNT(S, vcpus, GA_REQ, "virtual CPUs"),
		GA_MIB(S, memory_mib, GA_REQ, "memory"),
		GA_KIB(S, hugepage_kib, GA_NULLOK, "hugepage size; null: ordinary pages"),
		GA_OBJ(S, image, GA_NULLOK, &plan_image_schema, "image; null for baremetal"),
		GA_TEXT(S, domain, GA_REQ, GA_T_ANY, "libvirt domain name"),
		GA_ENUM(S, domain_type, GA_REQ, ga_domain_types, "libvirt domain type"),
		GA_TEXT(S, mac, GA_NULLOK, GA_T_MAC, "management MAC of the VM"),
		GA_TEXT(S, private_ip, GA_NULLOK, GA_T_IP, "its reserved address"),
		GA_TEXT(S, port, GA_NULLOK, GA_T_ANY, "port"),
		GA_OBJ(S, network, GA_REQ, &ga_network_schema, "private network of the node"),
		GA_TEXTS(S, keys, GA_REQ, GA_T_ANY, "ssh public keys"),
		GA_TEXT(S, user_data_digest, GA_NULLOK, GA_T_DIGEST, "of the user-data beside it"),
		GA_NUMBER(S, fabric_partition, GA_NULLOK, "Fabric Manager partition"),
		GA_OBJ(S, wipe, GA_REQ, &ga_wipe_policy_schema, "how it will be wiped"),
		GA_AMOUNT(S, price_micros, GA_REQ, "a GPU hour, in millionths"),
		GA_BOOL(S, lab, "disks are files, readiness is 'running'"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "of this record without this member"),
		GA_FIELDS_END },
};
#undef S

#define S ga_user_data
const struct ga_schema ga_user_data_schema = {
	.kind = "gpuaas.user-data/1",
	.doc = "a piece of a tenant's user-data, in front of the plan that names its digest; a "
	       "secret, from gpuaas-on to gpuaas-provision only",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "of all of it"),
		GA_BYTES(S, offset_bytes, GA_REQ, "where the piece begins"),
		GA_BYTES(S, total_bytes, GA_REQ, "of all of it"),
		GA_TEXT(S, base64, GA_NULLOK, GA_T_ANY,
			"the piece, at most 12 KiB; null for no bytes"),
		GA_FIELDS_END },
};
#undef S
