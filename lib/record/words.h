/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of enumerations that several records share (each list ends with NULL), and a bound that
 * records of the state and of orders share.
 */
#ifndef GA_RECORD_WORDS_H
#define GA_RECORD_WORDS_H

#include "base/ga.h"

extern const char *const ga_schema_words[], *const ga_class_words[], *const ga_verify_words[],
	*const ga_gpu_memory_words[], *const ga_slot_states[], *const ga_allocation_states[],
	*const ga_node_states[], *const ga_mode_words[], *const ga_power_words[],
	*const ga_firmware_words[], *const ga_probe_words[], *const ga_image_formats[],
	*const ga_domain_types[], *const ga_step_outcomes[], *const ga_attention_states[],
	*const ga_audit_actions[];

/* Whether an allocation in that state has ended and never changes again; false for NULL. */
bool ga_allocation_has_ended(const char *state);

#define GA_GRACEFUL_MAX 86400 /* longest graceful_seconds (request to stop to hard stop) */
#define GA_READY_MAX 86400 /* longest ready_seconds of an image (start to readiness) */

#endif
