/* SPDX-License-Identifier: Apache-2.0 */
/* What gpuaas-node tells beside the node itself, and the events of the state for other systems. */
#ifndef GA_RECORD_NODE_H
#define GA_RECORD_NODE_H

#include "record/schema.h"

/* A time in which a node is worked on: nothing is placed that would run into it. */
struct ga_maintenance {
	char *maintenance, *node;
	char *state; /* planned, open, over, ended */
	char *from, *to;
	char *reason;
	char *created_at, *created_by;
	char *ended_at; /* by somebody, before its time */
};

/* A live claim that keeps a drain from being done. */
struct ga_drain_blocker {
	char *node;
	char *object, *object_kind; /* allocation, slot */
	char *state;
	char *code; /* in_use, not_taken_up, provisioning, releasing, waiting_for_wipe, blocked */
	char *project, *owner;
	char *since, *until; /* until: where the run time is known */
	char *sentence, *command;
};

/* A row of the audit with what its object is. */
struct ga_event {
	int64_t seq;
	char *at, *actor, *program, *action;
	char *object, *object_kind; /* slot, allocation, node, device; NULL: none of these */
	char *node, *project;
	json_t *detail;
};

extern const struct ga_schema ga_maintenance_schema, ga_drain_blocker_schema, ga_event_schema;

#endif
