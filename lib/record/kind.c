/* SPDX-License-Identifier: Apache-2.0 */
/* The list of kinds and their lookup. */
#include "record/kind.h"

#include <ctype.h>

#include "record/accel.h"
#include "record/access.h"
#include "record/app.h"
#include "record/boot.h"
#include "record/expectation.h"
#include "record/host.h"
#include "record/inventory.h"
#include "record/match.h"
#include "record/matrix.h"
#include "record/node.h"
#include "record/notice.h"
#include "record/offer.h"
#include "record/plan.h"
#include "record/pod.h"
#include "record/release.h"
#include "record/report.h"
#include "record/request.h"
#include "record/result.h"
#include "record/scenario.h"
#include "record/state.h"
#include "record/trial.h"
#include "record/validation.h"
#include "record/vm.h"
#include "record/wipe.h"

const struct ga_schema *const ga_kinds[] = {
	&ga_host_schema,	       &ga_candidate_schema,  &ga_end_schema,
	&ga_slot_schema,	       &ga_node_schema,	     &ga_profile_schema,
	&ga_app_schema,	       &ga_app_fit_schema,
	&ga_image_schema,       &ga_node_image_schema, &ga_node_settings_schema,
	&ga_request_schema,     &ga_user_data_schema,  &ga_plan_schema,	     &ga_explanation_schema,
	&ga_refusal_schema,     &ga_kept_refusal_schema, &ga_release_order_schema,
	&ga_wipe_order_schema,
	&ga_hold_order_schema,
	&ga_expectation_schema, &ga_progress_schema,   &ga_allocation_schema,
	&ga_released_schema,    &ga_wipe_evidence_schema, &ga_observation_schema,
	&ga_drift_schema,       &ga_failure_schema,    &ga_node_end_schema,
	&ga_power_schema,
	&ga_console_schema,     &ga_ingress_schema,    &ga_reach_schema,
	&ga_claim_schema,
	&ga_task_schema,	       &ga_usage_schema,	     &ga_audit_schema,
	&ga_event_schema,       &ga_notice_schema,
	&ga_attention_schema,   &ga_pool_schema,	     &ga_region_schema,
	&ga_hardware_profile_schema,
	&ga_inventory_work_schema, &ga_inventory_schema,
	&ga_maintenance_schema, &ga_drain_blocker_schema,
	&ga_usage_report_schema, &ga_cost_report_schema, &ga_refusal_report_schema,
	&ga_bootstrap_step_schema, &ga_bootstrap_schema, &ga_tuning_schema,
	&ga_accelerator_schema, &ga_node_view_schema, &ga_label_finding_schema,
	&ga_pod_patch_schema,
	&ga_requirement_schema, &ga_match_schema, &ga_allocation_match_schema,
	&ga_team_schema,	       &ga_grant_schema,	     &ga_access_settings_schema,
	&ga_proposal_schema,
	&ga_change_schema,
	&ga_finding_schema,     &ga_doctor_finding_schema, &ga_state_schema,
	&ga_scenario_schema,    &ga_trial_seen_schema, &ga_verdict_schema,
	&ga_test_plan_schema,   &ga_plan_approval_schema, &ga_alignment_schema,
	&ga_validation_bundle_schema, &ga_bundle_review_schema, &ga_bundle_finding_schema,
	&ga_asked_list_schema,  &ga_matrix_schema,
	&ga_error_schema,
	NULL,
};

int ga_kind_find(const char *kind, const struct ga_schema **ret, struct ga_err *err)
{
	const char *slash = strrchr(kind, '/');
	size_t len = slash ? (size_t)(slash - kind) : 0;
	size_t i;

	*ret = NULL;
	if (!ga_starts(kind, "gpuaas.") || !slash || !isdigit((unsigned char)slash[1]) ||
	    slash[1 + strspn(slash + 1, "0123456789")])
		return ga_fail(err, GA_BADREC, "kind '%.64s' is not a gpuaas record", kind);
	for (i = 0; ga_kinds[i]; i++) {
		if (strncmp(ga_kinds[i]->kind, kind, len + 1))
			continue;
		if (strcmp(ga_kinds[i]->kind, kind))
			return ga_fail(err, GA_BADREC,
				       "kind '%.64s' is of another version: this is %s", kind,
				       ga_kinds[i]->kind);
		*ret = ga_kinds[i];
	}
	return 0;
}

char *ga_kind_short(const struct ga_schema *schema, char out[32])
{
	snprintf(out, 32, "%.*s", (int)strcspn(schema->kind + 7, "/"), schema->kind + 7);
	return out;
}

const struct ga_schema *ga_kind_named(const char *word, const char **member)
{
	const char *name = ga_starts(word, "gpuaas.") ? word + strlen("gpuaas.") : word;
	size_t n = strcspn(name, "./"), i;

	for (i = 0; ga_kinds[i]; i++) {
		const char *kind = ga_kinds[i]->kind + strlen("gpuaas.");
		size_t whole = strlen(kind);

		if (strcspn(kind, "/") != n || strncmp(kind, name, n))
			continue;
		*member = name + n;
		if (**member == '/')
			*member = strncmp(name, kind, whole) ? "/" : name + whole;
		if (!**member || **member == '.')
			return ga_kinds[i];
	}
	return NULL;
}
