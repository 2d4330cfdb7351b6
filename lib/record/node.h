/* SPDX-License-Identifier: Apache-2.0 */
/* Records of gpuaas-node besides the node itself, and the events of the state for other systems. */
#ifndef GA_RECORD_NODE_H
#define GA_RECORD_NODE_H

#include "record/schema.h"

/* A maintenance window of a node: no allocation is placed there that would run into the window. */
struct ga_maintenance {
	char *maintenance, *node;
	char *state; /* planned, open, over, ended */
	char *from, *to;
	char *reason;
	char *created_at, *created_by;
	char *ended_at; /* when a person ended it before its time, or NULL */
};

/* A live claim that blocks the drain of a node. */
struct ga_drain_blocker {
	char *node;
	char *object, *object_kind; /* allocation, slot */
	char *state;
	char *code; /* in_use, not_taken_up, provisioning, releasing, waiting_for_wipe, blocked */
	char *project, *owner;
	char *since, *until; /* until: NULL when the run time is unknown */
	char *sentence, *command;
};

/* A row of the audit with the kind, the node and the project of its object. */
struct ga_event {
	int64_t seq;
	char *at, *actor, *program, *action;
	char *object, *object_kind; /* slot, allocation, node, device; NULL: none of these */
	char *node, *project;
	json_t *detail;
};

extern const struct ga_schema ga_maintenance_schema, ga_drain_blocker_schema, ga_event_schema;

#endif
