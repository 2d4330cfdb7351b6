/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of gpuaas.hardware-profile. */
#include "record/offer.h"

#include "record/words.h"

static const char *const bases[] = { "wiping", "hold_ending", "maintenance_ending", NULL };

#define S ga_offer_type
static const struct ga_schema type_schema = {
	.doc = "GPUs of one type",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_AS(S, type, "acceleratorType", GA_F_TEXT, GA_NULLOK,
		      .doc = "slug in the accelerator catalogue; null: unknown"),
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "type, for people"),
		GA_AS(S, memory_gb, "memoryGb", GA_F_INT, GA_NULLOK, .max = GA_COUNT_MAX,
		      .doc = "nominal memory of one GPU in GB"),
		GA_AS(S, available, "availableCount", GA_F_INT, GA_REQ, .max = GA_COUNT_MAX,
		      .doc = "GPUs that requests can get now"),
		GA_AS(S, total, "totalCount", GA_F_INT, GA_REQ, .max = GA_COUNT_MAX,
		      .doc = "GPUs of the type, free or not"),
		GA_AS(S, largest, "largestAvailable", GA_F_INT, GA_REQ, .max = GA_COUNT_MAX,
		      .doc = "most GPUs that one request for the type can get now"),
		GA_AS(S, counts_now, "availableCounts", GA_F_INTS, GA_OPT, .max = GA_COUNT_MAX,
		      .doc = "slice only: GPU counts that one request for the type can get now"),
		GA_AS(S, expected_at, "expectedAvailableAt", GA_F_TEXT, GA_NULLOK,
		      .format = GA_T_TIME,
		      .doc = "when the smallest request for the type can be placed; null: now, or "
			     "unknown"),
		GA_AS(S, unavailable_code, "unavailableCode", GA_F_TEXT, GA_OPT,
		      .format = GA_T_CODE,
		      .doc = "code of the refusal that the smallest request for the type gets now, "
			     "or the one reason why no node is ready; left out: it is placed, or "
			     "unknown"),
		GA_AS(S, machine, "largestMachine", GA_F_INT, GA_OPT, .max = GA_COUNT_MAX,
		      .doc = "baremetal only: GPUs of the largest node, free or not"),
		GA_AS(S, machines, "machineSizes", GA_F_INTS, GA_OPT, .max = GA_COUNT_MAX,
		      .doc = "baremetal only: GPU counts of the nodes, free or not"),
		GA_AS(S, machines_now, "availableMachineSizes", GA_F_INTS, GA_OPT,
		      .max = GA_COUNT_MAX, .doc = "baremetal only: GPU counts of the free nodes"),
		GA_FIELDS_END },
};
#undef S

#define S ga_offer_mix
static const struct ga_schema mix_schema = {
	.doc = "nodes with GPUs of several types",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_AS(S, types, "acceleratorTypes", GA_F_TEXTS, GA_REQ,
		      .doc = "slugs of the types that are known"),
		GA_AS(S, unknown, "unknownType", GA_F_BOOL, GA_REQ,
		      .doc = "true: some of the GPUs have no known type"),
		GA_AS(S, available, "availableCount", GA_F_INT, GA_REQ, .max = GA_COUNT_MAX,
		      .doc = "GPUs of the free nodes"),
		GA_AS(S, total, "totalCount", GA_F_INT, GA_REQ, .max = GA_COUNT_MAX,
		      .doc = "GPUs of the nodes, free or not"),
		GA_AS(S, machines, "machineSizes", GA_F_INTS, GA_OPT, .max = GA_COUNT_MAX,
		      .doc = "GPU counts of the nodes, free or not"),
		GA_AS(S, machines_now, "availableMachineSizes", GA_F_INTS, GA_OPT,
		      .max = GA_COUNT_MAX, .doc = "GPU counts of the free nodes"),
		GA_AS(S, unavailable_code, "unavailableCode", GA_F_TEXT, GA_OPT,
		      .format = GA_T_CODE,
		      .doc = "code of the refusal if the fleet had only these nodes; left out: one "
			     "is free, or unknown"),
		GA_FIELDS_END },
};
#undef S

#define S ga_hardware_profile
#define WORD(m, as, d) GA_AS(S, m, as, GA_F_TEXT, GA_NULLOK, .doc = (d))
#define NUMBER(m, as, pr, most, d) GA_AS(S, m, as, GA_F_INT, pr, .max = (most), .doc = (d))
#define SPEED(m, as) \
	GA_AS(S, m, as, GA_F_DECIMAL, GA_NULLOK, .digits = 3, \
	      .doc = "10^12 operations a second of one GPU, without sparsity")

const struct ga_schema ga_hardware_profile_schema = {
	.kind = "gpuaas.hardware-profile/1",
	.doc = "a hardware profile as users see it: properties, price and availability",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "name of the profile in requests"),
		GA_AS(S, display_name, "displayName", GA_F_TEXT, GA_REQ,
		      .doc = "name of the profile, for people"),
		GA_TEXT(S, summary, GA_REQ, GA_T_ANY, "displayName with the availability"),
		GA_ENUM(S, shape, GA_REQ, ga_schema_words, "slice or baremetal"),
		GA_COUNTS(S, counts, GA_REQ,
			  "GPU counts that a request can have; none: any number"),
		WORD(type, "acceleratorType", "slug of the preferred accelerator type; null: any"),
		GA_AS(S, types, "acceleratorTypes", GA_F_TEXTS, GA_REQ,
		      .doc = "accelerator types, best first"),
		WORD(memory, "memory", "nominal memory of one GPU with its unit"),
		NUMBER(memory_gb, "memoryGb", GA_NULLOK, GA_COUNT_MAX,
		       "nominal memory of one GPU in GB"),
		WORD(memory_type, "memoryType", "kind of memory, such as HBM3"),
		WORD(architecture, "architecture", "name of the architecture"),
		WORD(vendor, "vendor", "maker of the accelerator, in lower case"),
		WORD(compute_capability, "computeCapability", "CUDA compute capability"),
		GA_AS(S, bandwidth_mb_s, "memoryBandwidthGBs", GA_F_DECIMAL, GA_NULLOK,
		      .digits = 3, .doc = "memory bandwidth of one GPU in 10^9 bytes a second"),
		SPEED(fp64_gflops, "fp64Tflops"), SPEED(fp32_gflops, "fp32Tflops"),
		SPEED(tf32_gflops, "tf32Tflops"), SPEED(fp16_gflops, "fp16Tflops"),
		SPEED(bf16_gflops, "bf16Tflops"), SPEED(fp8_gflops, "fp8Tflops"),
		SPEED(int8_gops, "int8Tops"), SPEED(fp4_gflops, "fp4Tflops"),
		GA_BOOL(S, available, "true: a request can be placed now"),
		NUMBER(available_count, "availableCount", GA_REQ, GA_COUNT_MAX,
		       "GPUs that requests can get now"),
		NUMBER(largest_available, "largestAvailable", GA_REQ, GA_COUNT_MAX,
		       "most GPUs that one request can get now"),
		GA_AS(S, counts_now, "availableCounts", GA_F_INTS, GA_OPT, .max = GA_COUNT_MAX,
		      .doc = "slice only: GPU counts that one request can get now; fabric "
			     "partitions can exclude a smaller count"),
		NUMBER(total_count, "totalCount", GA_REQ, GA_COUNT_MAX,
		       "GPUs of the profile, free or not"),
		NUMBER(unknown_count, "unknownCount", GA_REQ, GA_COUNT_MAX,
		       "GPUs of nodes that were not observed for too long; available or not is "
		       "unknown"),
		NUMBER(pending_count, "pendingCount", GA_REQ, GA_COUNT_MAX,
		       "GPUs that waiting requests need"),
		GA_AS(S, by_type, "byType", GA_F_LIST, GA_REQ, .sub = &type_schema,
		      .doc = "availability of each accelerator type"),
		GA_AS(S, mixed, "mixedMachines", GA_F_OBJ, GA_OPT, .sub = &mix_schema,
		      .doc = "baremetal only: nodes with GPUs of several types, or of an unknown "
			     "one; requests without a type get them"),
		GA_AS(S, unavailable_code, "unavailableCode", GA_F_TEXT, GA_OPT,
		      .format = GA_T_CODE,
		      .doc = "code of the refusal that the smallest request gets now, or the one "
			     "reason why no node is ready; left out: it is placed, or unknown"),
		GA_AS(S, expected_available_at, "expectedAvailableAt", GA_F_TEXT, GA_NULLOK,
		      .format = GA_T_TIME,
		      .doc = "when the smallest request can be placed; null: now, or unknown"),
		GA_AS(S, expected_basis, "expectedBasis", GA_F_TEXT, GA_NULLOK, .values = bases,
		      .doc = "event that expectedAvailableAt depends on"),
		GA_AS(S, as_of, "asOf", GA_F_TEXT, GA_NULLOK, .format = GA_T_TIME,
		      .doc = "oldest observation behind the counts; null: none"),
		NUMBER(stale_seconds, "staleSeconds", GA_NULLOK, GA_TIME_SPAN_MAX,
		       "age of that observation in seconds"),
		GA_AS(S, made_at, "madeAt", GA_F_TEXT, GA_REQ, .format = GA_T_TIME,
		      .doc = "when this record was made"),
		GA_AS(S, price_per_hour, "pricePerHour", GA_F_DECIMAL, GA_REQ, .digits = 6,
		      .doc = "price of a GPU hour in the currency"),
		NUMBER(price_micros, "priceMicros", GA_REQ, GA_INT_MAX_SAFE,
		       "price of a GPU hour in millionths of the currency"),
		WORD(currency, "currency",
		     "currency of the price, from GPUAAS_CURRENCY; null: not set"),
		NUMBER(version, "version", GA_OPT, GA_INT_MAX_SAFE,
		       "version of the profile (for operators)"),
		GA_FIELD(S, retired, GA_F_TRI, GA_OPT,
			 .doc = "true: not for new allocations (for operators)"),
		GA_TEXTS(S, teams, GA_OPT, GA_T_NAME,
			 "the only teams that can use the profile (for operators)"),
		GA_FIELDS_END },
};
#undef S

void ga_offer_conceal(struct ga_hardware_profile *p)
{
	ga_texts_release(&p->teams);
	p->version = p->retired = GA_UNKNOWN;
}

void ga_offer_forget(struct ga_hardware_profile *p)
{
	size_t i;

	p->available = false;
	p->available_count = p->largest_available = 0;
	p->unknown_count = p->total_count;
	ga_list_release(&p->counts_now);
	for (i = 0; i < p->by_type.n; i++) {
		struct ga_offer_type *t = &p->by_type.v[i];

		t->available = t->largest = 0;
		free(GA_TAKE(t->unavailable_code));
		ga_list_release(&t->counts_now);
		ga_list_release(&t->machines_now);
		free(GA_TAKE(t->expected_at));
	}
	if (p->mixed) {
		p->mixed->available = 0;
		free(GA_TAKE(p->mixed->unavailable_code));
		ga_list_release(&p->mixed->machines_now);
	}
	free(GA_TAKE(p->unavailable_code));
	free(GA_TAKE(p->expected_available_at));
	free(GA_TAKE(p->expected_basis));
	free(p->summary);
	p->summary = ga_xprintf("%s - availability unknown", p->display_name);
}
