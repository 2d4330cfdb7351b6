/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of what needs a person. */
#ifndef GA_RECORD_NOTICE_H
#define GA_RECORD_NOTICE_H

#include "record/schema.h"

/* A member of gpuaas.attention each, behind what the notice is. */
struct ga_notice {
	int64_t notice;
	char *change;
	char *hook;
	int64_t told; /* 0, 1, GA_UNKNOWN: it is being told, or would be */
	char *at, *failure;
	char *object, *object_kind, *state, *code;
	char *since, *node, *project;
	char *sentence, *command;
};
extern const struct ga_schema ga_notice_schema;

#endif
