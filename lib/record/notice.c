/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of a notice. */
#include "record/notice.h"

static const char *const changes[] = { "raised", "cleared", NULL };

#define S ga_notice
const struct ga_schema ga_notice_schema = {
	.kind = "gpuaas.notice/1",
	.doc = "a message to a hook: an object needs a person, or no longer does",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_SERIAL(S, notice, GA_REQ,
			  "number of the notice; raised and cleared have the same"),
		GA_ENUM(S, change, GA_REQ, changes,
			"raised: the object needs a person; cleared: it no longer does, or "
			"somebody acknowledged it"),
		GA_TEXT(S, hook, GA_REQ, GA_T_ANY, "hook that receives the notice"),
		GA_TRI(S, told,
		       "whether the hook succeeded; null: it still runs, or this is a dry run"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the notice was raised or cleared"),
		GA_TEXT(S, failure, GA_NULLOK, GA_T_ANY, "why the hook failed; null: it did not"),
		GA_TEXT(S, object, GA_REQ, GA_T_ANY, "id of the object"),
		GA_TEXT(S, object_kind, GA_REQ, GA_T_CODE, "kind of the object"),
		GA_TEXT(S, state, GA_REQ, GA_T_CODE,
			"state of the object when the notice was raised"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "why the object needs a person"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "since when the object needs a person"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node of the object"),
		GA_TEXT(S, project, GA_NULLOK, GA_T_NAME, "project of the object"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the reason, for people"),
		GA_TEXT(S, command, GA_REQ, GA_T_ANY, "command that resolves it"),
		GA_OBJ(S, acknowledged, GA_OPT, &ga_acknowledged_schema,
		       "person, reason and end, where somebody acknowledged the entry and so "
		       "cleared the notice; left out: nobody did"),
		GA_FIELDS_END },
};
#undef S
