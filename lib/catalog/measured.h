/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurements of inference that a site brings: performance records as model catalogues keep them
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
 * A value may be wrapped: {"metadataType": …, "double_value": 4.2}; members may stand under
 * customProperties. What else a record has is not looked at.
 */
#ifndef GA_CATALOG_MEASURED_H
#define GA_CATALOG_MEASURED_H

#include "base/texts.h"
#include "catalog/accel.h"

#define GA_MEASURED_MAX 100000 /* records of a file */

struct ga_measured {
	char *model, *precision; /* as they are said; NULL: not said */
	struct ga_texts types; /* slugs; several: of one of them, it is not said which */
	int64_t count; /* GPUs together, 1 .. 1024 */
	int64_t tokens_per_second_milli; /* of all of them; GA_UNKNOWN */
	int64_t ttft_p99_ms, e2e_p99_ms, itl_p99_ms; /* rounded up; GA_UNKNOWN */
	char *source; /* for people */
};

struct ga_measured_list {
	struct ga_measured *v;
	size_t n;
	size_t left_out; /* records of hardware that the catalogue does not know */
};
#define ga_automeasured ga_cleanup(ga_measured_release)

/* Reads JSON objects, one after the other or in arrays, and adds them to list, which begins zeroed.
 * GA_BADREC names the record (from 1) and what is wrong. */
GA_MUST_CHECK int ga_measured_parse(const char *text, size_t len, const struct ga_accels *accels,
				    struct ga_measured_list *list, struct ga_err *err);
void ga_measured_release(struct ga_measured_list *list);

#endif
