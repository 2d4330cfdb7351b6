/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of node.h. */
#include "record/node.h"

static const char *const window_states[] = { "planned", "open", "over", "ended", NULL };
static const char *const blocker_kinds[] = { "allocation", "slot", NULL };
static const char *const event_kinds[] = { "slot", "allocation", "node", "device", NULL };

#define S ga_maintenance
const struct ga_schema ga_maintenance_schema = {
	.kind = "gpuaas.maintenance/1",
	.doc = "a time in which a node is worked on",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, maintenance, GA_REQ, GA_T_ID, "id of the window"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_ENUM(S, state, GA_REQ, window_states, "whether it still counts"),
		GA_TEXT(S, from, GA_REQ, GA_T_TIME, "when it begins"),
		GA_TEXT(S, to, GA_REQ, GA_T_TIME, "when it is over"),
		GA_TEXT(S, reason, GA_REQ, GA_T_ANY, "what for"),
		GA_TEXT(S, created_at, GA_REQ, GA_T_TIME, "when it was planned"),
		GA_TEXT(S, created_by, GA_REQ, GA_T_ANY, "by whom"),
		GA_TEXT(S, ended_at, GA_NULLOK, GA_T_TIME, "when it was ended before its time"),
		GA_FIELDS_END },
};
#undef S

#define S ga_drain_blocker
const struct ga_schema ga_drain_blocker_schema = {
	.kind = "gpuaas.drain-blocker/1",
	.doc = "what keeps a node from being drained",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_REQ, GA_T_ID, "allocation, or slot that waits for its wipe"),
		GA_ENUM(S, object_kind, GA_REQ, blocker_kinds, "what it is"),
		GA_TEXT(S, state, GA_REQ, GA_T_CODE, "its state"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "how it is in the way"),
		GA_TEXT(S, project, GA_NULLOK, GA_T_NAME, "whose"),
		GA_TEXT(S, owner, GA_NULLOK, GA_T_ANY, "who asked for it"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "since when it is in that state"),
		GA_TEXT(S, until, GA_NULLOK, GA_T_TIME, "when its run time is over, if known"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the same for people"),
		GA_TEXT(S, command, GA_REQ, GA_T_ANY, "the command that takes it out of the way"),
		GA_FIELDS_END },
};
#undef S

#define S ga_event
const struct ga_schema ga_event_schema = {
	.kind = "gpuaas.event/1",
	.doc = "something that happened, in the order of the audit",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_SERIAL(S, seq, GA_REQ, "number in the audit: go on behind it with --after"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when"),
		GA_TEXT(S, actor, GA_REQ, GA_T_ANY, "who"),
		GA_TEXT(S, program, GA_REQ, GA_T_ANY, "by which program"),
		GA_TEXT(S, action, GA_REQ, GA_T_CODE, "what"),
		GA_TEXT(S, object, GA_REQ, GA_T_ANY, "to what"),
		GA_ENUM(S, object_kind, GA_NULLOK, event_kinds,
			"what that is; null for profiles, images and the state"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "where it is now"),
		GA_TEXT(S, project, GA_NULLOK, GA_T_NAME, "whose it is"),
		GA_JSON(S, detail, GA_REQ, "members by action"),
		GA_FIELDS_END },
};
#undef S
