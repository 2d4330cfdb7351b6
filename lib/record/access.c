/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of access.h. */
#include "record/access.h"

const char *const ga_action_words[] = { "approve", "place",	 "release",    "wipe",
					"override", "administer", NULL };
static const char *const grant_words[] = { "auto", "off", NULL };
static const char *const people_words[] = { "auto", "required", "off", NULL };
static const char *const override_words[] = { "retire_unwiped", "destroy_data", NULL };
static const char *const proposal_states[] = { "pending", "confirmed", "expired", "withdrawn",
					       NULL };

#define S ga_team
const struct ga_schema ga_team_schema = {
	.kind = "gpuaas.team/1",
	.doc = "projects, and the Unix groups whose members they are for",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "name"),
		GA_TEXTS(S, projects, GA_OPT, GA_T_NAME, "projects that are the team's"),
		GA_TEXTS(S, groups, GA_OPT, GA_T_ANY,
			 "Unix groups of its members, by name; a number where a group has none"),
		GA_TEXT(S, note, GA_OPT, GA_T_ANY, "for people"),
		GA_BOOL_OPT(S, retired, "as if it were not there"),
		GA_FIELDS_END },
};
#undef S

#define S ga_grant
const struct ga_schema ga_grant_schema = {
	.kind = "gpuaas.grant/1",
	.doc = "who may do what",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "name"),
		GA_FIELD(S, actions, GA_F_TEXTS, GA_REQ, .values = ga_action_words,
			 .doc = "what may be done; once a grant names an action, nobody else may"),
		GA_TEXT(S, group, GA_OPT, GA_T_ANY, "to the members of this Unix group"),
		GA_TEXT(S, user, GA_OPT, GA_T_ANY,
			"to this user, by name or number; exactly one of group and user"),
		GA_TEXTS(S, profiles, GA_OPT, GA_T_NAME, "for these profiles only; none: all"),
		GA_TEXTS(S, pools, GA_OPT, GA_T_NAME, "for these pools only; none: all"),
		GA_TEXTS(S, projects, GA_OPT, GA_T_NAME, "for these projects only; none: all"),
		GA_TEXT(S, note, GA_OPT, GA_T_ANY, "for people"),
		GA_BOOL_OPT(S, revoked,
			    "it counts for nobody any more; its actions do not open again"),
		GA_FIELDS_END },
};
#undef S

#define S ga_access_settings
const struct ga_schema ga_access_settings_schema = {
	.kind = "gpuaas.access-settings/1",
	.doc = "how strictly grants and teams are taken; a member left out has its default",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, grants, GA_OPT, grant_words,
			"off: grants and teams are not checked; default auto"),
		GA_ENUM(S, two_people, GA_OPT, people_words,
			"for overrides; default auto: once a grant names override"),
		GA_FIELD(S, confirm_seconds, GA_F_INT, GA_OPT, .min = 60, .max = 2592000,
			 .doc = "how long a proposal may be confirmed; default 86400"),
		GA_FIELDS_END },
};
#undef S

#define S ga_proposal
const struct ga_schema ga_proposal_schema = {
	.kind = "gpuaas.proposal/1",
	.doc = "an override that one person proposed and another has to confirm",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, proposal, GA_REQ, GA_T_ID, "id"),
		GA_ENUM(S, action, GA_REQ, override_words, "what would be done"),
		GA_TEXT(S, object, GA_REQ, GA_T_ID, "slot"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, device, GA_REQ, GA_T_ANY, "wwid of its disk"),
		GA_ENUM(S, state, GA_REQ, proposal_states, "whether it still waits"),
		GA_TEXT(S, reason, GA_NULLOK, GA_T_ANY, "why"),
		GA_TEXT(S, disposal, GA_NULLOK, GA_T_ANY, "how the disk was destroyed"),
		GA_TEXT(S, proposed_by, GA_REQ, GA_T_ANY, "who proposed it"),
		GA_TEXT(S, proposed_at, GA_REQ, GA_T_TIME, "when"),
		GA_TEXT(S, expires_at, GA_REQ, GA_T_TIME, "until when it may be confirmed"),
		GA_TEXT(S, decided_by, GA_NULLOK, GA_T_ANY, "who confirmed or withdrew it"),
		GA_TEXT(S, decided_at, GA_NULLOK, GA_T_TIME, "when"),
		GA_BOOL(S, dry_run, "only shown"),
		GA_FIELDS_END },
};
#undef S
