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
		GA_TEXT(S, step, GA_REQ, GA_T_CODE, "kind of step"),
		GA_TEXT(S, subject, GA_REQ, GA_T_ANY,
			"file, device, unit or other object concerned"),
		GA_ENUM(S, state, GA_REQ, step_states, "state of the step"),
		GA_TEXT(S, reason, GA_REQ, GA_T_ANY, "why the step is needed, or what blocks it"),
		GA_TEXT(S, change, GA_NULLOK, GA_T_ANY, "change that the step makes; null: none"),
		GA_TEXT(S, inverse, GA_NULLOK, GA_T_ANY, "change that --undo makes; null: none"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "how to go on, for people"),
		GA_BOOL(S, reboot, "true: the step takes effect only after a reboot"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the step was checked or done"),
		GA_FIELDS_END },
};
#undef S

#define S ga_bootstrap
const struct ga_schema ga_bootstrap_schema = {
	.kind = "gpuaas.bootstrap/1",
	.doc = "the summary that ends a run of gpuaas-host-bootstrap",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node id; null in an image"),
		GA_ENUM(S, mode, GA_REQ, modes, "mode that the host is prepared for"),
		GA_ENUM(S, mode_source, GA_REQ, sources, "source of the mode"),
		GA_ENUM(S, action, GA_REQ, actions, "action of the command line"),
		GA_TEXT(S, root, GA_NULLOK, GA_T_ANY,
			"folder of the image that was prepared; null: this machine"),
		GA_COUNT(S, changes, GA_REQ,
			 "changes made; with check and dry_run: changes still to make"),
		GA_COUNT(S, waiting, GA_REQ, "steps that need the reboot first"),
		GA_COUNT(S, left, GA_REQ,
			 "steps for a person, failed steps, and steps that undo left"),
		GA_BOOL(S, reboot_required, "true: a change takes effect only after a reboot"),
		GA_BOOL(S, ready, "true: nothing is left to do"),
		GA_LISTOF(S, blockers, &ga_reason_schema, "reasons why the host cannot serve"),
		GA_LISTOF(S, warnings, &ga_reason_schema, "warnings for the operator"),
		GA_LISTOF(S, firmware, &ga_prereq_schema,
			  "prerequisites of firmware and adapters, as found"),
		GA_TEXTS(S, tags, GA_REQ, GA_T_ANY,
			 "gpuaas tags of the machine in MAAS; they state intent, not readiness"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the run ended"),
		GA_TEXT(S, tool, GA_REQ, GA_T_ANY, "program and version"),
		GA_FIELDS_END },
};
#undef S
