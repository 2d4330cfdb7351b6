/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of node.h. */
#include "record/node.h"

#include "record/words.h"

static const char *const window_states[] = { "planned", "open", "over", "ended", NULL };
static const char *const blocker_kinds[] = { "allocation", "slot", NULL };
static const char *const event_kinds[] = { "slot", "allocation", "node", "device", NULL };

#define S ga_maintenance
const struct ga_schema ga_maintenance_schema = {
	.kind = "gpuaas.maintenance/1",
	.doc = "a maintenance window of a node",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, maintenance, GA_REQ, GA_T_ID, "id of the window"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_ENUM(S, state, GA_REQ, window_states, "state of the window"),
		GA_TEXT(S, from, GA_REQ, GA_T_TIME, "when the window begins"),
		GA_TEXT(S, to, GA_REQ, GA_T_TIME, "when the window ends"),
		GA_TEXT(S, reason, GA_REQ, GA_T_ANY, "reason for the window"),
		GA_TEXT(S, created_at, GA_REQ, GA_T_TIME, "when the window was planned"),
		GA_TEXT(S, created_by, GA_REQ, GA_T_ANY, "user who planned the window"),
		GA_TEXT(S, ended_at, GA_NULLOK, GA_T_TIME,
			"when a person ended the window early; null: nobody did"),
		GA_FIELDS_END },
};
#undef S

#define S ga_drain_blocker
const struct ga_schema ga_drain_blocker_schema = {
	.kind = "gpuaas.drain-blocker/1",
	.doc = "an object that blocks the drain of a node",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_REQ, GA_T_ID, "allocation, or slot that waits for its wipe"),
		GA_ENUM(S, object_kind, GA_REQ, blocker_kinds, "kind of the object"),
		GA_TEXT(S, state, GA_REQ, GA_T_CODE, "state of the object"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "how the object blocks the drain"),
		GA_TEXT(S, project, GA_NULLOK, GA_T_NAME, "project of the allocation"),
		GA_TEXT(S, owner, GA_NULLOK, GA_T_ANY, "user who requested the allocation"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "when the object entered its state"),
		GA_TEXT(S, until, GA_NULLOK, GA_T_TIME,
			"when its run time, hold or plan ends; null: unknown"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the blocker, for people"),
		GA_TEXT(S, command, GA_REQ, GA_T_ANY, "command that removes the blocker"),
		GA_FIELDS_END },
};
#undef S

#define S ga_event
const struct ga_schema ga_event_schema = {
	.kind = "gpuaas.event/1",
	.doc = "a change of the state, in the order of the audit",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_SERIAL(S, seq, GA_REQ,
			  "number of the row in the audit; continue after it with --after"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the change was made"),
		GA_TEXT(S, actor, GA_REQ, GA_T_ANY, "user who made the change"),
		GA_TEXT(S, program, GA_REQ, GA_T_ANY, "program that made the change"),
		GA_ENUM(S, action, GA_REQ, ga_audit_actions, "action"),
		GA_TEXT(S, object, GA_REQ, GA_T_ANY, "object of the action"),
		GA_ENUM(S, object_kind, GA_NULLOK, event_kinds,
			"kind of the object; null: a profile, an image or the state"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node of the object now"),
		GA_TEXT(S, project, GA_NULLOK, GA_T_NAME, "project of the object"),
		GA_JSON(S, detail, GA_REQ, "details; their members depend on the action"),
		GA_FIELDS_END },
};
#undef S
