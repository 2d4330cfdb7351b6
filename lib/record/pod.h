/* SPDX-License-Identifier: Apache-2.0 */
/* What gpuaas-export pods tells: the accelerator type of a running pod, as data for a patch. */
#ifndef GA_RECORD_POD_H
#define GA_RECORD_POD_H

#include "record/schema.h"

struct ga_pod_metadata {
	json_t *annotations;
};
struct ga_pod_change {
	struct ga_pod_metadata metadata;
};
struct ga_pod_warning {
	char *code, *sentence;
};

/* gpuaas.pod-patch */
struct ga_pod_patch {
	char *namespace, *name, *uid, *node;
	char *resource; /* or the driver of its claim's device */
	char *state; /* missing, wrong, right, unknown */
	char *type;  /* slug, or NULL */
	char *annotated;
	char *basis; /* node, resource, device; NULL: the type is not known */
	struct ga_pod_change *patch; /* as kubectl patch takes it; NULL: nothing is to change */
	GA_LIST(struct ga_pod_warning) warnings;
};

extern const struct ga_schema ga_pod_patch_schema;

#endif
