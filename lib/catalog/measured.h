/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inference measurements that a site supplies: performance records in the form of model catalogues
 * (Open Data Hub's with their wrapped values, flat tables with the same columns).
 *
 *   model, model_id, model_name or model_hf_repo
 *   hardware_configuration "H100 x 2"; or hardware_type, gpu_type or hardware with hardware_count
 *   or gpu_count (1 when it is missing)
 *   tokens_per_second or tps_mean, of all of its GPUs; or requests_per_second with
 *   mean_output_tokens or output_tokens, whose product it is
 *   ttft_p99, e2e_p99, itl_p99 in milliseconds
 *   precision of the weights, in any words
 *
 * A value may be wrapped: {"metadataType": …, "double_value": 4.2}. Members may stand under
 * customProperties. Other members are ignored.
 */
#ifndef GA_CATALOG_MEASURED_H
#define GA_CATALOG_MEASURED_H

#include "base/texts.h"
#include "catalog/accel.h"

#define GA_MEASURED_MAX 100000 /* records in a file */

struct ga_measured {
	char *model, *precision; /* as the record spells them; NULL: not given */
	struct ga_texts types; /* slugs; several: one of these, the record does not decide which */
	int64_t count; /* GPUs used together, 1 .. 1024 */
	int64_t tokens_per_second_milli; /* of all GPUs together; GA_UNKNOWN */
	int64_t ttft_p99_ms, e2e_p99_ms, itl_p99_ms; /* rounded up; GA_UNKNOWN */
	char *source; /* shown to people */
};

struct ga_measured_list {
	struct ga_measured *v;
	size_t n;
	size_t left_out; /* records of hardware that is not in the catalogue */
};
#define ga_automeasured ga_cleanup(ga_measured_release)

/* Reads JSON objects, one after the other or in arrays, and appends them to list. The caller zeroes
 * list before the first call. GA_BADREC names the record (from 1) and the fault. */
GA_MUST_CHECK int ga_measured_parse(const char *text, size_t len, const struct ga_accels *accels,
				    struct ga_measured_list *list, struct ga_err *err);
void ga_measured_release(struct ga_measured_list *list);

#endif
