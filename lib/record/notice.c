/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of a notice. */
#include "record/notice.h"

static const char *const changes[] = { "raised", "cleared", NULL };

#define S ga_notice
const struct ga_schema ga_notice_schema = {
	.kind = "gpuaas.notice/1",
	.doc = "what needs a person, or no longer does, as a hook gets it",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_SERIAL(S, notice, GA_REQ, "its number, the same for raised and cleared"),
		GA_ENUM(S, change, GA_REQ, changes, "raised: it is so now; cleared: no more"),
		GA_TEXT(S, hook, GA_REQ, GA_T_ANY, "the hook that gets it"),
		GA_TRI(S, told, "whether the hook took it; null: not yet, or a dry run"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when it was raised or cleared"),
		GA_TEXT(S, failure, GA_NULLOK, GA_T_ANY, "why it was not delivered"),
		GA_TEXT(S, object, GA_REQ, GA_T_ANY, "id"),
		GA_TEXT(S, object_kind, GA_REQ, GA_T_CODE, "what it is"),
		GA_TEXT(S, state, GA_REQ, GA_T_CODE, "its state when it was raised"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "why it needs a person"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "since when"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "where"),
		GA_TEXT(S, project, GA_NULLOK, GA_T_NAME, "whose"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "why, for people"),
		GA_TEXT(S, command, GA_REQ, GA_T_ANY, "the command that leaves it"),
		GA_FIELDS_END },
};
#undef S
