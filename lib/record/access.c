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
	.doc = "projects, and the Unix groups whose members can use them",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "name"),
		GA_TEXTS(S, projects, GA_OPT, GA_T_NAME, "projects of the team"),
		GA_TEXTS(S, groups, GA_OPT, GA_T_ANY,
			 "Unix groups of the members, by name; by number if a group has no name"),
		GA_TEXT(S, note, GA_OPT, GA_T_ANY, "note for people"),
		GA_BOOL_OPT(S, retired, "true: the team counts as absent"),
		GA_FIELDS_END },
};
#undef S

#define S ga_grant
const struct ga_schema ga_grant_schema = {
	.kind = "gpuaas.grant/1",
	.doc = "a permission for a Unix group or a user",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "name"),
		GA_FIELD(S, actions, GA_F_TEXTS, GA_REQ, .values = ga_action_words,
			 .doc = "permitted actions; once a grant names an action, users without a "
				"grant cannot do it"),
		GA_TEXT(S, group, GA_OPT, GA_T_ANY, "Unix group whose members have the permission"),
		GA_TEXT(S, user, GA_OPT, GA_T_ANY,
			"user who has the permission, by name or number; a grant names either a "
			"group or a user"),
		GA_TEXTS(S, profiles, GA_OPT, GA_T_NAME,
			 "hardware profiles that the grant covers; none: all"),
		GA_TEXTS(S, pools, GA_OPT, GA_T_NAME, "pools that the grant covers; none: all"),
		GA_TEXTS(S, projects, GA_OPT, GA_T_NAME,
			 "projects that the grant covers; none: all"),
		GA_TEXT(S, note, GA_OPT, GA_T_ANY, "note for people"),
		GA_BOOL_OPT(S, revoked,
			    "true: the grant permits nothing; its actions stay closed to users "
			    "without a grant"),
		GA_FIELDS_END },
};
#undef S

#define S ga_access_settings
const struct ga_schema ga_access_settings_schema = {
	.kind = "gpuaas.access-settings/1",
	.doc = "settings for grants and teams; a member left out has its default",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, grants, GA_OPT, grant_words,
			"off: grants and teams are not checked; default auto"),
		GA_ENUM(S, two_people, GA_OPT, people_words,
			"whether an override needs a second person; default auto: once a grant "
			"names override"),
		GA_SECONDS_IN(S, confirm_seconds, GA_OPT, 60, 2592000,
			      "seconds in which a proposal can be confirmed; default 86400"),
		GA_FIELDS_END },
};
#undef S

#define S ga_proposal
const struct ga_schema ga_proposal_schema = {
	.kind = "gpuaas.proposal/1",
	.doc = "an override that one person proposed and another must confirm",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, proposal, GA_REQ, GA_T_ID, "proposal id"),
		GA_ENUM(S, action, GA_REQ, override_words, "override that is proposed"),
		GA_TEXT(S, object, GA_REQ, GA_T_ID, "slot id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, device, GA_REQ, GA_T_WORD, "WWID of the slot's disk"),
		GA_ENUM(S, state, GA_REQ, proposal_states, "state of the proposal"),
		GA_TEXT(S, reason, GA_NULLOK, GA_T_ANY, "reason that the first person gave"),
		GA_TEXT(S, disposal, GA_NULLOK, GA_T_ANY,
			"how the disk was destroyed; null: it was not"),
		GA_TEXT(S, proposed_by, GA_REQ, GA_T_ANY, "user who proposed the override"),
		GA_TEXT(S, proposed_at, GA_REQ, GA_T_TIME, "when the override was proposed"),
		GA_TEXT(S, expires_at, GA_REQ, GA_T_TIME, "when the proposal expires"),
		GA_TEXT(S, decided_by, GA_NULLOK, GA_T_ANY,
			"user who confirmed or withdrew the proposal; null: nobody"),
		GA_TEXT(S, decided_at, GA_NULLOK, GA_T_TIME,
			"when the proposal was confirmed or withdrawn"),
		GA_BOOL(S, dry_run, "true: nothing was stored"),
		GA_FIELDS_END },
};
#undef S
