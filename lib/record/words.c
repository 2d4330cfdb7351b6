/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the enumerations that several records share. */
#include "record/words.h"

#include "base/str.h"

const char *const ga_schema_words[] = { "slice", "baremetal", NULL };
const char *const ga_class_words[] = { "clear", "purge", NULL };
const char *const ga_verify_words[] = { "full", "sampled", NULL };
const char *const ga_gpu_memory_words[] = { "required", "if_supported", NULL };
const char *const ga_step_outcomes[] = { "confirmed", "not_needed", "not_proven", "failed", NULL };
const char *const ga_slot_states[] = { "disabled",	 "available",	"reserved", "provisioning",
				       "active",	 "releasing",	"wiping",
				       "cleanup_blocked", "quarantined", "retired", NULL };
const char *const ga_allocation_states[] = { "pending",	   "placed",	     "provisioning",
					     "active",	   "held",	     "preempting",
					     "releasing",  "released",	     "release_failed",
					     "failed",	   "cancelled",	     "refused",
					     NULL };
const char *const ga_node_states[] = { "enrolled",    "active",	 "draining",
				       "quarantined", "retired", NULL };
const char *const ga_mode_words[] = { "slice", "baremetal", NULL };
/* Of a slot, an allocation or a node; "present" of the state, "failing" of a hook. */
const char *const ga_attention_states[] = {
	"disabled", "available", "reserved", "provisioning", "active", "releasing", "wiping",
	"cleanup_blocked", "quarantined", "pending", "placed", "held", "preempting",
	"release_failed", "failed", "enrolled", "draining", "present", "failing", NULL
};
/* Each that a program writes into the audit; tests/promises compares the list with the sources. */
const char *const ga_audit_actions[] = {
	"access_applied", "access_changed", "access_refused", "acknowledge_removed",
	"acknowledged", "active", "adopted", "adopted_release", "app_applied", "approved",
	"cancelled", "change_accepted", "console_closed", "console_opened", "cordon",
	"destroy_data_allowed", "disable", "disk_not_wiped", "drift", "enable", "failure",
	"grant_applied", "health", "held", "hold_changed", "hold_failed", "hold_undone",
	"image_applied", "key_registered", "key_revoked", "maintenance_ended",
	"maintenance_planned", "node_draining", "node_image_applied", "node_image_withdrawn",
	"node_key_differs", "node_key_first_use", "node_lost", "node_quarantined",
	"node_retired", "node_settings_applied", "node_undrained", "notified", "notify_failed",
	"notify_works", "observed", "override_confirmed", "override_proposed",
	"override_withdrawn", "placed", "power", "profile_applied", "provision_failed",
	"provision_not_started", "provisioning", "published", "quarantine", "rebuild_failed",
	"rebuild_wiped", "region_applied", "region_retired", "release_failed",
	"release_requested", "released", "repair", "result_refused", "retire", "state_made",
	"state_migrated", "state_rebuilt", "state_restored", "taken_in", "team_applied",
	"type_forgotten", "type_recorded", "uncordon", "unpublished", "used_after_plan",
	"wipe_not_confirmed", "wipe_ordered", "wiped", NULL
};
const char *const ga_power_words[] = { "on", "off", NULL };
const char *const ga_firmware_words[] = { "bios", "efi", NULL };
const char *const ga_probe_words[] = { "ssh", "serial", "agent", "running", NULL };
const char *const ga_image_formats[] = { "raw", "qcow2", "raw_compressed", NULL };
const char *const ga_domain_types[] = { "kvm", "qemu", "test", NULL };

bool ga_allocation_has_ended(const char *state)
{
	return ga_streq(state, "released") || ga_streq(state, "cancelled") ||
	       ga_streq(state, "refused");
}
