/* SPDX-License-Identifier: Apache-2.0 */
/* The list of kinds and their lookup. */
#include "record/kind.h"

#include <ctype.h>

#include "record/accel.h"
#include "record/access.h"
#include "record/boot.h"
#include "record/expectation.h"
#include "record/host.h"
#include "record/inventory.h"
#include "record/match.h"
#include "record/node.h"
#include "record/notice.h"
#include "record/offer.h"
#include "record/plan.h"
#include "record/pod.h"
#include "record/release.h"
#include "record/report.h"
#include "record/request.h"
#include "record/result.h"
#include "record/state.h"
#include "record/vm.h"
#include "record/wipe.h"

const struct ga_shape *const ga_kinds[] = {
	&ga_host_shape,	       &ga_candidate_shape,  &ga_end_shape,
	&ga_slot_shape,	       &ga_node_shape,	     &ga_profile_shape,
	&ga_image_shape,       &ga_node_image_shape, &ga_node_settings_shape,
	&ga_request_shape,     &ga_user_data_shape,  &ga_plan_shape,	     &ga_explanation_shape,
	&ga_refusal_shape,     &ga_release_order_shape, &ga_wipe_order_shape,
	&ga_hold_order_shape,
	&ga_expectation_shape, &ga_progress_shape,   &ga_allocation_shape,
	&ga_released_shape,    &ga_wipe_evidence_shape, &ga_observation_shape,
	&ga_drift_shape,       &ga_failure_shape,    &ga_node_end_shape,
	&ga_power_shape,
	&ga_console_shape,     &ga_ingress_shape,    &ga_reach_shape,
	&ga_claim_shape,
	&ga_task_shape,	       &ga_usage_shape,	     &ga_audit_shape,
	&ga_event_shape,       &ga_notice_shape,
	&ga_attention_shape,   &ga_pool_shape,	     &ga_hardware_profile_shape,
	&ga_inventory_work_shape, &ga_inventory_shape,
	&ga_maintenance_shape, &ga_drain_blocker_shape,
	&ga_usage_report_shape, &ga_cost_report_shape,
	&ga_bootstrap_step_shape, &ga_bootstrap_shape,
	&ga_accelerator_shape, &ga_node_view_shape, &ga_label_finding_shape,
	&ga_pod_patch_shape,
	&ga_requirement_shape, &ga_match_shape, &ga_allocation_match_shape,
	&ga_team_shape,	       &ga_grant_shape,	     &ga_access_settings_shape,
	&ga_proposal_shape,
	&ga_finding_shape,     &ga_state_shape,	     &ga_error_shape,
	NULL,
};

int ga_kind_find(const char *kind, const struct ga_shape **ret, struct ga_err *err)
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

char *ga_kind_short(const struct ga_shape *shape, char out[32])
{
	snprintf(out, 32, "%.*s", (int)strcspn(shape->kind + 7, "/"), shape->kind + 7);
	return out;
}
