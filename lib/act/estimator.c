/* SPDX-License-Identifier: Apache-2.0 */
/* External estimators. */
#include "act/estimator.h"

#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "record/rec.h"

#define BASIS_MAX 400
#define TIMES_MAX 10000

/* ---- the answer ---- */

static int64_t seconds_of(json_t *hours)
{
	double n = json_number_value(hours) * 3600;

	if (!json_is_number(hours) || !(n > 0) || n > (double)GA_ESTIMATE_SECONDS_MAX)
		return -1;
	return n < 1 ? 1 : (int64_t)(n + 0.5);
}

/* A bound in hours; middle when the answer lacks it. */
static int64_t bound_of(json_t *item, const char *name, int64_t middle)
{
	json_t *value = json_object_get(item, name);

	return value && !json_is_null(value) ? seconds_of(value) : middle;
}

static bool is_text(json_t *value, size_t max)
{
	const char *p = json_string_value(value);
	unsigned int code;

	if (!p || !*p || strlen(p) != json_string_length(value) || strlen(p) > max)
		return false;
	while (*p)
		if (ga_unprintable(&p, &code))
			return false;
	return true;
}

static int read_time(json_t *item, size_t number, struct ga_said_times *ret, struct ga_err *err)
{
	json_t *profile = json_object_get(item, "profile"), *basis = json_object_get(item, "basis");
	json_t *type = json_object_get(item, "acceleratorType");
	struct ga_training_time t = { .seconds = seconds_of(json_object_get(item, "hours")) };
	struct ga_said_time *said;

	t.low = bound_of(item, "hoursLow", t.seconds);
	t.high = bound_of(item, "hoursHigh", t.seconds);
	if (!is_text(profile, 64))
		return ga_fail(err, GA_EXTERNAL, "element %zu of its answer names no profile",
			       number);
	if (t.seconds < 0 || t.low < 0 || t.high < 0 || t.low > t.seconds || t.seconds > t.high)
		return ga_fail(err, GA_EXTERNAL,
			       "the hours of element %zu of its answer are not valid (low <= hours "
			       "<= high, above 0, less than a hundred years)", number);
	if ((type && !json_is_null(type) && !is_text(type, 128)) ||
	    (basis && !json_is_null(basis) && !is_text(basis, BASIS_MAX)))
		return ga_fail(err, GA_EXTERNAL,
			       "a text of element %zu of its answer is empty, too long or has "
			       "characters that steer a terminal", number);
	said = ga_list_add(ret);
	said->profile = ga_xstrdup(json_string_value(profile));
	said->type = ga_strdup0(json_string_value(type));
	said->basis = ga_strdup0(json_string_value(basis));
	said->time = t;
	return 0;
}

int ga_estimator_parse(const char *text, size_t len, struct ga_said_times *ret,
		       struct ga_err *err)
{
	json_error_t why;
	ga_autojson json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	json_t *item;
	size_t i;

	*ret = (struct ga_said_times){ 0 };
	if (len > GA_ESTIMATOR_OUTPUT_MAX)
		return ga_fail(err, GA_EXTERNAL, "its answer is longer than %d MiB",
			       GA_ESTIMATOR_OUTPUT_MAX >> 20);
	if (!json_is_array(json))
		return ga_fail(err, GA_EXTERNAL, "its answer is no list in JSON");
	if (json_array_size(json) > TIMES_MAX)
		return ga_fail(err, GA_EXTERNAL, "its answer has more than %d elements",
			       TIMES_MAX);
	json_array_foreach(json, i, item) {
		if (read_time(item, i + 1, ret, err) < 0) {
			ga_said_times_release(ret);
			return -1;
		}
	}
	return 0;
}

void ga_said_times_release(struct ga_said_times *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].profile);
		free(list->v[i].type);
		free(list->v[i].basis);
	}
	ga_list_release(list);
}

/* ---- the question ---- */

static void set_number(json_t *json, const char *name, int64_t n)
{
	json_object_set_new(json, name, n == GA_UNKNOWN ? json_null() : json_integer(n));
}

static void set_text(json_t *json, const char *name, const char *text)
{
	json_object_set_new(json, name, text ? json_string(text) : json_null());
}

/* Sets a figure of one GPU in the units of estimators: TFLOPS from GFLOPS, GB/s from MB/s. */
static void set_milli(json_t *json, const char *name, const struct ga_accel_type *type, int64_t of)
{
	int64_t n = ga_accel_of_gpu(type, of);

	json_object_set_new(json, name,
			    n == GA_UNKNOWN ? json_null() : json_real((double)n / 1000));
}

/* The power of one GPU: the catalogue has it for a card, and the other figures for a GPU. */
static json_t *power_of_gpu(const struct ga_accel_type *type)
{
	int64_t n = type->gpus_per_card == GA_UNKNOWN || type->gpus_per_card < 2 ?
			    1 : type->gpus_per_card;

	if (type->power.tdp_w == GA_UNKNOWN)
		return json_null();
	return type->power.tdp_w % n ? json_real((double)type->power.tdp_w / (double)n) :
				       json_integer(type->power.tdp_w / n);
}

static json_t *type_figures(const struct ga_accel_type *type)
{
	json_t *json = json_object(), *names = json_array();
	size_t i;

	set_text(json, "vendor", type->vendor);
	set_text(json, "architecture", type->architecture.name);
	set_text(json, "computeCapability", type->architecture.compute_capability);
	set_number(json, "memoryGb", type->memory.gpu_gb);
	set_milli(json, "memoryBandwidthGBs", type, type->memory.bandwidth_mb_s);
	set_milli(json, "bf16Tflops", type, type->dense.bf16_gflops);
	set_milli(json, "fp16Tflops", type, type->dense.fp16_gflops);
	set_milli(json, "fp8Tflops", type, type->dense.fp8_gflops);
	set_milli(json, "measuredMatmulTflops", type, type->measured_matmul.bf16_gflops);
	/* A link goes from one GPU to others; two GPUs on a card have the link between them. */
	set_number(json, "linkGBs", type->interconnect.gb_s_bidirectional);
	json_object_set_new(json, "tdpW", power_of_gpu(type));
	for (i = 0; i < type->aliases.n; i++)
		json_array_append_new(names, json_string(type->aliases.v[i]));
	json_object_set_new(json, "aliases", names);
	return json;
}

char *ga_estimator_question(const struct ga_requirement *need, const struct ga_match_tables *tables,
			    const struct ga_matches *list)
{
	ga_autojson json_t *json = json_object();
	json_t *job = ga_schema_format(&ga_requirement_schema, need), *profiles = json_array();
	ga_autostr struct ga_str out = GA_STR_INIT;
	int64_t params;
	bool dense;
	size_t i;

	params = ga_estimate_params(need, tables->throughput, &dense);
	if (dense && params != GA_UNKNOWN)
		set_number(job, "params", params);
	json_object_del(job, "kind");
	set_number(job, "tokens", ga_estimate_tokens(need));
	json_object_set_new(json, "job", job);
	for (i = 0; i < list->n; i++) {
		const struct ga_match *m = &list->v[i];
		const char *slug = m->accelerator_type;
		const struct ga_accel_type *type =
			slug ? ga_accels_type(tables->accels, slug) : NULL;
		json_t *p;

		if (ga_match_is_too_small(m))
			continue;
		p = type ? type_figures(type) : json_object();
		set_text(p, "profile", m->profile);
		set_text(p, "acceleratorType", slug);
		set_number(p, "gpus", m->count);
		set_number(p, "costPerHourMicros", m->cost_per_hour_micros);
		set_text(p, "currency", m->currency);
		json_object_set_new(p, "fits", m->fits == GA_UNKNOWN ? json_null() :
								       json_boolean(m->fits));
		json_array_append_new(profiles, p);
	}
	json_object_set_new(json, "profiles", profiles);
	ga_rec_dump(json, &out);
	return ga_str_take(&out);
}

int ga_estimator_ask(const char *path, const char *question, int64_t seconds,
		     struct ga_said_times *ret, struct ga_err *err)
{
	/* A name without a slash would be looked up in PATH. */
	ga_autofree char *file = strchr(path, '/') ? ga_xstrdup(path) : ga_xprintf("./%s", path);
	const char *const argv[] = { file, NULL };
	const struct ga_proc p = { .argv = argv, .input = question,
				   .input_len = strlen(question),
				   .timeout_micros = seconds * GA_SECOND,
				   .output_max = GA_ESTIMATOR_OUTPUT_MAX + 1,
				   .ends_with_us = true };
	ga_autoproc struct ga_proc_result result = GA_PROC_RESULT_INIT;

	*ret = (struct ga_said_times){ 0 };
	if (ga_proc_check(&p, &result, err) < 0)
		return -1;
	return ga_estimator_parse(result.out.buf, result.out.len, ret, err);
}
