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

static const char *const measures[] = { "clone", "read_back", "network", NULL };

#define S ga_tuning_setting
static const struct ga_schema tuning_setting_schema = {
	.doc = "a setting of the host",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "kernel setting, module or other setting"),
		GA_TEXT(S, value, GA_NULLOK, GA_T_ANY, "value of the host; null: it has none"),
		GA_TEXT(S, wanted, GA_NULLOK, GA_T_ANY,
			"value that the bootstrap sets; null: it does not set it"),
		GA_TRI(S, ok, "true: the value is the wanted one; null: none is wanted"),
		GA_FIELDS_END },
};
#undef S

#define S ga_tuning_measure
static const struct ga_schema tuning_measure_schema = {
	.doc = "a rate of the host, measured: the run in the middle of several",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, name, GA_REQ, measures, "rate, as gpuaas-host-bootstrap(8) explains it"),
		GA_TEXT(S, target, GA_NULLOK, GA_T_ANY,
			"file system or network that was measured; null: not known"),
		GA_TEXT(S, reason, GA_NULLOK, GA_T_ANY,
			"why it was not measured; null: it was"),
		GA_BYTES(S, bytes, GA_NULLOK, "bytes of the run"),
		GA_AS(S, micros, "seconds", GA_F_DECIMAL, GA_NULLOK, .digits = 6, .min = 0,
		      .max = GA_INT_MAX_SAFE, .doc = "seconds of the run"),
		GA_AS(S, mib_s_tenths, "mib_per_second", GA_F_DECIMAL, GA_NULLOK, .digits = 1,
		      .min = 0, .max = GA_INT_MAX_SAFE, .doc = "MiB a second of the run"),
		GA_COUNT(S, runs, GA_REQ, "runs; 0: it was not measured"),
		GA_FIELDS_END },
};
#undef S

#define S ga_tuning
const struct ga_schema ga_tuning_schema = {
	.kind = "gpuaas.tuning/1",
	.doc = "settings and rates of a host, to compare a tuned host with itself before",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, boot_id, GA_NULLOK, GA_T_WORD, "boot id of the running kernel"),
		GA_BOOL(S, tuned, "true: every step of the bootstrap is done"),
		GA_COUNT(S, left, GA_REQ, "steps of the bootstrap that are not done"),
		GA_LISTOF(S, settings, &tuning_setting_schema,
			  "settings that the bootstrap looks at"),
		GA_LISTOF(S, measured, &tuning_measure_schema, "rates"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the measuring ended"),
		GA_TEXT(S, tool, GA_REQ, GA_T_ANY, "program and version"),
		GA_FIELDS_END },
};
#undef S
