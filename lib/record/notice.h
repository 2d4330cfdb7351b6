/* SPDX-License-Identifier: Apache-2.0 */
/* A notice: the message to a hook about an object that needs a person. */
#ifndef GA_RECORD_NOTICE_H
#define GA_RECORD_NOTICE_H

#include "record/schema.h"
#include "record/state.h"

/* The members up to failure describe the notice; the others are those of gpuaas.attention. */
struct ga_notice {
	int64_t notice;
	char *change;
	char *hook;
	int64_t told; /* whether the hook succeeded: 0, 1; GA_UNKNOWN: it runs now, or would run */
	char *at, *failure;
	char *object, *object_kind, *state, *code;
	char *since, *node, *project;
	char *sentence, *command;
	struct ga_acknowledged *acknowledged; /* cleared by it; NULL: it is not */
};
extern const struct ga_schema ga_notice_schema;

#endif
