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
