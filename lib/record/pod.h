/* SPDX-License-Identifier: Apache-2.0 */
/* The record of "gpuaas-export pods": the accelerator type of a running pod, as a patch for it. */
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
	char *resource; /* the resource, or the driver of the device that the pod claims */
	char *state; /* missing, wrong, right, unknown */
	char *type;  /* slug, or NULL */
	char *annotated;
	char *basis; /* node, resource, device; NULL: the type is not known */
	struct ga_pod_change *patch; /* input of kubectl patch; NULL: nothing to change */
	GA_LIST(struct ga_pod_warning) warnings;
};

extern const struct ga_schema ga_pod_patch_schema;

#endif
