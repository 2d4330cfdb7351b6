/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of plans and of user-data. */
#include "record/plan.h"

#include "record/words.h"

#define S ga_plan_image
static const struct ga_schema plan_image_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "name of the image"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "digest of the file"),
		GA_TEXT(S, chunks_digest, GA_NULLOK, GA_T_DIGEST,
			"digest of the list of chunk digests; null: no list"),
		GA_TEXT(S, path, GA_REQ, GA_T_ANY, "path of the verified copy on the node"),
		GA_ENUM(S, format, GA_REQ, ga_image_formats, "format of the file"),
		GA_BYTES(S, size_bytes, GA_REQ, "size of the disk made from the image"),
		GA_ENUM(S, firmware, GA_REQ, ga_firmware_words,
			"firmware that the guest boots with"),
		GA_ENUM(S, probe, GA_REQ, ga_probe_words, "how readiness is proved"),
		GA_TEXT(S, user, GA_NULLOK, GA_T_ANY, "login of the guest"),
		GA_TEXT(S, driver_version, GA_NULLOK, GA_T_ANY,
			"version of the GPU driver in the image"),
		GA_SECONDS_IN(S, ready_seconds, GA_OPT, 1, GA_READY_MAX,
			      "seconds from start to readiness, without those for memory and GPUs; "
			      "default 180"),
		GA_FIELDS_END },
};
#undef S

#define S ga_tenant_image
static const struct ga_schema tenant_image_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "name of the image"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "digest of its file, as the state has it"),
		GA_FIELDS_END },
};
#undef S

#define S ga_plan
const struct ga_schema ga_plan_schema = {
	.kind = "gpuaas.plan/1",
	.doc = "an order to provision an allocation; its claims are committed",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_NAME, "name of the allocation"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the allocation"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "attempt id that ties results to this order"),
		GA_BOOL(S, dry_run, "true: nothing was claimed; do not carry the order out"),
		GA_ENUM(S, shape, GA_REQ, ga_schema_words, "slice or baremetal"),
		GA_TEXT(S, project, GA_REQ, GA_T_NAME, "project"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "profile"),
		GA_SERIAL(S, profile_version, GA_REQ, "version of the profile"),
		GA_COUNT(S, count, GA_REQ, "number of GPUs"),
		GA_TEXT(S, app, GA_OPT, GA_T_NAME,
			"app that the request named; hosts only keep it, for gpuaas-state adopt"),
		GA_SERIAL(S, app_version, GA_OPT, "version of the app when it was placed"),
		GA_TEXT(S, created_at, GA_REQ, GA_T_TIME, "when the allocation was placed"),
		GA_TEXT(S, expires_at, GA_REQ, GA_T_TIME,
			"when the plan expires if no host has begun it"),
		GA_SERIAL(S, epoch, GA_REQ, "epoch of the state"),
		GA_TEXT(S, controller, GA_OPT, GA_T_HEX,
			"identity of the state that issued the order, in this epoch"),
		GA_TEXT(S, boot_id, GA_NULLOK, GA_T_WORD, "boot id of the node when last observed"),
		GA_TEXT(S, fingerprint, GA_NULLOK, GA_T_DIGEST,
			"hardware fingerprint of the node, as approved"),
		GA_LISTOF(S, bundles, &ga_bundle_schema,
			  "slots of the allocation, lowest index first"),
		GA_COUNT(S, vcpus, GA_REQ,
			 "number of virtual CPUs; baremetal: CPUs of the machine"),
		GA_MIB(S, memory_mib, GA_REQ, "memory of the VM, or of the machine, in MiB"),
		GA_KIB(S, hugepage_kib, GA_NULLOK, "hugepage size; null: ordinary pages"),
		GA_OBJ(S, image, GA_NULLOK, &plan_image_schema, "image; null: baremetal"),
		GA_OBJ(S, tenant_image, GA_OPT, &tenant_image_schema,
		       "baremetal: the image that the executables in baremetal.d install; "
		       "missing: the one of their settings"),
		GA_TEXT(S, domain, GA_REQ, GA_T_ANY, "libvirt domain name"),
		GA_ENUM(S, domain_type, GA_REQ, ga_domain_types, "libvirt domain type"),
		GA_TEXT(S, mac, GA_NULLOK, GA_T_MAC, "management MAC of the VM; null: baremetal"),
		GA_TEXT(S, private_ip, GA_NULLOK, GA_T_IP,
			"reserved address of the VM; null: baremetal"),
		GA_TEXT(S, port, GA_NULLOK, GA_T_WORD, "port of the bridge; null: baremetal"),
		GA_OBJ(S, network, GA_REQ, &ga_network_schema, "private network of the node"),
		GA_TEXTS(S, keys, GA_REQ, GA_T_ANY, "ssh public keys of the user"),
		GA_TEXT(S, user_data_digest, GA_NULLOK, GA_T_DIGEST,
			"digest of the user-data that comes with the plan; null: none"),
		GA_NUMBER(S, fabric_partition, GA_NULLOK,
			  "Fabric Manager partition to activate; null: none"),
		GA_OBJ(S, wipe, GA_REQ, &ga_wipe_policy_schema, "wipe policy for the release"),
		GA_AMOUNT(S, price_micros, GA_REQ,
			  "price of a GPU hour in millionths of the currency"),
		GA_BOOL(S, lab, "true: a lab; disks are files, and a VM that runs is ready"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST,
			"digest of this record without this member"),
		GA_FIELDS_END },
};
#undef S

#define S ga_user_data
const struct ga_schema ga_user_data_schema = {
	.kind = "gpuaas.user-data/1",
	.doc = "a piece of a tenant's user-data, in front of the plan that names its digest; "
	       "secret: only gpuaas-on sends it, only gpuaas-provision reads it",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "digest of the whole user-data"),
		GA_BYTES(S, offset_bytes, GA_REQ, "offset of the piece in the user-data"),
		GA_BYTES(S, total_bytes, GA_REQ, "size of the whole user-data"),
		GA_TEXT(S, base64, GA_NULLOK, GA_T_ANY,
			"the piece, at most 12 KiB before encoding; null: empty"),
		GA_FIELDS_END },
};
#undef S
