/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of boot.h: the setup of a host. */
#include "record/boot.h"

static const char *const step_states[] = { "ok",      "pending", "waiting", "manual", "blocked",
					   "changed", "failed",	 "undone",  "left",   NULL };
static const char *const modes[] = { "slice", "baremetal", NULL };
static const char *const sources[] = { "option", "setting", "tag", NULL };
static const char *const actions[] = { "check", "dry_run", "apply", "boot", "undo", NULL };

#define S ga_bootstrap_step
const struct ga_schema ga_bootstrap_step_schema = {
	.kind = "gpuaas.bootstrap-step/1",
	.doc = "a step of preparing a host",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node id; null in an image"),
		GA_TEXT(S, step, GA_REQ, GA_T_CODE, "what sort of step"),
		GA_TEXT(S, subject, GA_REQ, GA_T_ANY, "file, device, unit, … concerned"),
		GA_ENUM(S, state, GA_REQ, step_states, "how it stands"),
		GA_TEXT(S, reason, GA_REQ, GA_T_ANY, "why it is needed, or what is in the way"),
		GA_TEXT(S, change, GA_NULLOK, GA_T_ANY, "what is done"),
		GA_TEXT(S, inverse, GA_NULLOK, GA_T_ANY, "what --undo does"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "what a person does"),
		GA_BOOL(S, reboot, "whether it has its effect after a reboot only"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when"),
		GA_FIELDS_END },
};
#undef S

#define S ga_bootstrap
const struct ga_schema ga_bootstrap_schema = {
	.kind = "gpuaas.bootstrap/1",
	.doc = "closes a run of gpuaas-host-bootstrap",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node id; null in an image"),
		GA_ENUM(S, mode, GA_REQ, modes, "what the host is prepared for"),
		GA_ENUM(S, mode_source, GA_REQ, sources, "where the mode comes from"),
		GA_ENUM(S, action, GA_REQ, actions, "the action of the command line"),
		GA_TEXT(S, root, GA_NULLOK, GA_T_ANY, "the image prepared; null: this machine"),
		GA_COUNT(S, changes, GA_REQ, "changes made, or to be made (check, dry_run)"),
		GA_COUNT(S, waiting, GA_REQ, "steps that need the reboot first"),
		GA_COUNT(S, left, GA_REQ, "steps left for a person, failed, or left by undo"),
		GA_BOOL(S, reboot_required, "whether something has its effect after a reboot only"),
		GA_BOOL(S, ready, "whether nothing is left to do"),
		GA_LISTOF(S, blockers, &ga_reason_schema, "what keeps the host from serving"),
		GA_LISTOF(S, warnings, &ga_reason_schema, "what should be looked at"),
		GA_LISTOF(S, firmware, &ga_prereq_schema, "what firmware and adapters show"),
		GA_TEXTS(S, tags, GA_REQ, GA_T_ANY, "our tags found: intent, never readiness"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when"),
		GA_TEXT(S, tool, GA_REQ, GA_T_ANY, "program and version"),
		GA_FIELDS_END },
};
#undef S
