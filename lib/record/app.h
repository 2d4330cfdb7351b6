/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An app: software that tenants run, and the machine that it needs. The manifest names shapes,
 * counts, accelerators and image; lib/decide/app decides whether a machine meets it.
 */
#ifndef GA_RECORD_APP_H
#define GA_RECORD_APP_H

#include "base/texts.h"
#include "base/vec.h"
#include "record/match.h"
#include "record/schema.h"

/* gpuaas.app/1 */
struct ga_app {
	char *name;
	int64_t version; /* set by the state */
	char *title;
	char *runtime; /* oci, jupyter, vllm, slurm, kubernetes, system_vm */
	char *span;    /* single_node, multi_node */
	struct ga_texts shapes; /* slice, baremetal */
	GA_LIST(int64_t) counts; /* GPUs of one machine; empty: any */
	struct ga_texts vendors, types; /* empty: any */
	char *stack; /* software platform of its builds; NULL: any */
	int64_t min_memory_mib; /* of one GPU, nominal; GA_UNKNOWN: any */
	char *min_compute_capability, *driver_min, *cuda_min;
	struct ga_texts image_features; /* the image must have all of them */
	bool retired;
};

/* gpuaas.app-fit/1: whether an app can run on an allocation. */
struct ga_app_fit {
	char *allocation, *name, *state, *node, *project, *profile;
	char *app;
	int64_t app_version;
	bool fits;
	struct ga_match_reasons reasons;
};

/* The software platforms: cuda, rocm, oneapi, neuron, synapse, xla. No app has such a name. */
extern const char *const ga_stack_words[];
/* The vendor in the catalogue whose accelerators run the builds of a platform; NULL: no word. */
const char *ga_stack_vendor(const char *stack);
/* "8.9" < "9.0" < "10.0", "550.54" < "550.54.15": whether have is at least want; -1: one of them is
 * no version of numbers and dots. */
GA_MUST_CHECK int ga_version_meets(const char *have, const char *want);
/* Checks the rules that the schema cannot express: GA_BADREC with the member. */
GA_MUST_CHECK int ga_app_check(const struct ga_app *app, struct ga_err *err);

extern const struct ga_schema ga_app_schema, ga_app_fit_schema;

#endif
