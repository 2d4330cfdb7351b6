/* SPDX-License-Identifier: Apache-2.0 */
/* The plan (the order to provision), and the tenant's user-data in front of it. */
#ifndef GA_RECORD_PLAN_H
#define GA_RECORD_PLAN_H

#include "base/texts.h"
#include "record/bundle.h"
#include "record/host.h"
#include "record/schema.h"

struct ga_plan_image {
	char *name, *digest, *chunks_digest;
	char *path; /* of the verified copy on the node */
	char *format; /* raw, qcow2, raw_compressed */
	int64_t size_bytes; /* of the disk made from the image */
	char *firmware; /* bios, efi */
	char *probe;	/* ssh, serial, agent, running */
	char *user;	/* login of the guest */
	char *driver_version; /* of the GPU driver in the image, or NULL */
	int64_t ready_seconds; /* from start to readiness, or GA_UNKNOWN */
};

/* The image that a baremetal tenant is to get: the operator's executables install it. */
struct ga_tenant_image {
	char *name, *digest;
};

struct ga_plan {
	char *allocation, *name, *node;
	int64_t generation;
	char *attempt;
	bool dry_run;
	char *shape; /* slice, baremetal */
	char *project, *profile;
	int64_t profile_version, count;
	char *app; /* that the request named, or NULL; a host does nothing with it */
	int64_t app_version; /* GA_UNKNOWN without an app */
	char *created_at, *expires_at;
	int64_t epoch;
	char *controller; /* the state that made the plan; NULL in old orders */
	char *boot_id, *fingerprint; /* of the node at its last observation */
	GA_LIST(struct ga_bundle) bundles;
	int64_t vcpus, memory_mib, hugepage_kib; /* hugepage_kib GA_UNKNOWN: ordinary pages */
	struct ga_plan_image *image; /* NULL for baremetal */
	struct ga_tenant_image *tenant_image; /* of baremetal; NULL: none is wanted */
	char *domain; /* libvirt domain name, "gpuaas-ID" */
	char *domain_type; /* kvm, qemu, test */
	char *mac, *private_ip, *port;
	struct ga_network network; /* of the node */
	struct ga_texts keys;
	char *user_data_digest;
	int64_t fabric_partition; /* Fabric Manager partition to activate */
	struct ga_wipe_policy wipe;
	int64_t price_micros; /* a GPU hour, in millionths of the site's currency */
	bool lab;
	char *digest; /* of this record without this member */
};

/* A piece of a tenant's user-data. The pieces come in front of the plan that names the digest
 * (act/image/userdata.h). They are secret: only gpuaas-on sends them, only gpuaas-provision reads
 * them. */
struct ga_user_data {
	char *digest; /* of all pieces together */
	int64_t offset_bytes, total_bytes;
	char *base64; /* at most 12 KiB before encoding */
};

extern const struct ga_schema ga_plan_schema, ga_user_data_schema;

#endif
