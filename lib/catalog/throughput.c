/* SPDX-License-Identifier: Apache-2.0 */
/* Measured speeds of accelerator types. */
#include "catalog/throughput.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "record/match.h"
#include "record/rec.h"

__asm__(".section .rodata\n"
	"ga_throughput_builtin:\n"
	".incbin \"" GA_SOURCE_DIR "/share/throughput.json\"\n"
	".byte 0\n"
	".previous\n");
extern const char ga_throughput_builtin[];

#define S ga_throughput_source
static const struct ga_schema source_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, ""),
		GA_TEXT(S, what, GA_REQ, GA_T_ANY, ""),
		GA_TEXT(S, where, GA_REQ, GA_T_ANY, ""),
		GA_TEXT(S, trust, GA_REQ, GA_T_ANY, ""),
		GA_FIELDS_END },
};
#undef S

#define S ga_throughput_model
static const struct ga_schema model_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, model, GA_REQ, GA_T_ANY, ""),
		GA_INT_IN(S, params, GA_REQ, 1, INT64_C(1000000000000000), ""),
		GA_BOOL(S, dense, ""),
		GA_INT_IN(S, layers, GA_OPT, 1, 100000, ""),
		GA_INT_IN(S, kv_heads, GA_OPT, 1, 100000, ""),
		GA_INT_IN(S, head_size, GA_OPT, 1, 100000, ""),
		GA_INT_IN(S, context, GA_OPT, 1, 1000000000, ""),
		GA_TEXT(S, source, GA_REQ, GA_T_ANY, ""),
		GA_TEXT(S, attention_source, GA_OPT, GA_T_ANY, ""),
		GA_FIELDS_END },
};
#undef S

#define S ga_training_rate
static const struct ga_schema training_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, type, GA_REQ, GA_T_ANY, ""),
		GA_TEXT(S, precision, GA_REQ, GA_T_CODE, ""),
		GA_INT_IN(S, mfu_low_ppm, GA_REQ, 1, 1000000, ""),
		GA_INT_IN(S, mfu_ppm, GA_REQ, 1, 1000000, ""),
		GA_INT_IN(S, mfu_high_ppm, GA_REQ, 1, 1000000, ""),
		GA_INT_IN(S, runs, GA_REQ, 1, 1000000, ""),
		GA_TEXTS(S, sources, GA_REQ, GA_T_ANY, ""),
		GA_FIELDS_END },
};
#undef S

#define S ga_inference_rate
static const struct ga_schema inference_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, model, GA_REQ, GA_T_ANY, ""),
		GA_TEXT(S, type, GA_REQ, GA_T_ANY, ""),
		GA_ENUM(S, scenario, GA_REQ, ga_scenario_words, ""),
		GA_TEXT(S, precision, GA_REQ, GA_T_CODE, ""),
		GA_INT_IN(S, gpus_low, GA_REQ, 1, 1024, ""),
		GA_INT_IN(S, gpus_high, GA_REQ, 1, 1024, ""),
		GA_INT_IN(S, tokens_per_second_low_milli, GA_REQ, 1, INT64_C(1000000000000), ""),
		GA_INT_IN(S, tokens_per_second_milli, GA_REQ, 1, INT64_C(1000000000000), ""),
		GA_INT_IN(S, tokens_per_second_high_milli, GA_REQ, 1, INT64_C(1000000000000), ""),
		GA_INT_IN(S, runs, GA_REQ, 1, 1000000, ""),
		GA_TEXT(S, source, GA_REQ, GA_T_ANY, ""),
		GA_FIELDS_END },
};
#undef S

static const char *const schemas[] = { "gpuaas.throughput/1", NULL };

#define S ga_throughput
static const struct ga_schema throughput_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, schema, GA_REQ, schemas, ""),
		GA_LISTOF(S, sources, &source_schema, ""),
		GA_LISTOF(S, models, &model_schema, ""),
		GA_LISTOF(S, training, &training_schema, ""),
		GA_LISTOF(S, inference, &inference_schema, ""),
		GA_FIELDS_END },
};
#undef S

void ga_throughput_read(struct ga_throughput *ret)
{
	size_t len = strlen(ga_throughput_builtin);
	struct ga_err err = GA_ERR_INIT;

	len -= len && ga_throughput_builtin[len - 1] == '\n';
	if (ga_rec_parse_bytes(ga_throughput_builtin, len, &throughput_schema, ret, &err) < 0)
		abort(); /* unit tests read the built-in text */
}

void ga_throughput_release(struct ga_throughput *t)
{
	ga_schema_release(&throughput_schema, t);
}

const struct ga_training_rate *ga_throughput_training(const struct ga_throughput *t,
						      const char *type, const char *precision)
{
	size_t i;

	for (i = 0; i < t->training.n; i++)
		if (ga_streq(t->training.v[i].type, type) &&
		    ga_streq(t->training.v[i].precision, precision))
			return &t->training.v[i];
	return NULL;
}

const struct ga_inference_rate *ga_throughput_inference(const struct ga_throughput *t,
							const char *model, const char *type,
							const char *scenario,
							const char *precision)
{
	const struct ga_inference_rate *best = NULL;
	size_t i;

	for (i = 0; i < t->inference.n; i++) {
		const struct ga_inference_rate *r = &t->inference.v[i];

		if (strcasecmp(r->model, model) || !ga_streq(r->type, type) ||
		    (scenario && !ga_streq(r->scenario, scenario)) ||
		    (precision && !ga_streq(r->precision, precision)))
			continue;
		if (!best || r->runs > best->runs)
			best = r;
	}
	return best;
}

const struct ga_throughput_model *ga_throughput_model(const struct ga_throughput *t,
						      const char *model)
{
	size_t i;

	for (i = 0; i < t->models.n; i++)
		if (!strcasecmp(t->models.v[i].model, model))
			return &t->models.v[i];
	return NULL;
}
