/* SPDX-License-Identifier: Apache-2.0 */
/* Inference measurements that a site supplies. */
#include "catalog/measured.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/texts.h"
#include "catalog/name.h"
#include "record/rec.h"

#define NUMBER_MAX 1e12

struct reading {
	const struct ga_accels *accels;
	struct ga_measured_list *list;
	size_t record; /* number of the record */
};

/* ---- members ---- */

static json_t *unwrap(json_t *value)
{
	static const char *const wraps[] = { "string_value", "int_value", "double_value" };
	size_t i;

	for (i = 0; json_is_object(value) && i < GA_ARRAY_SIZE(wraps); i++)
		if (json_object_get(value, wraps[i]))
			return json_object_get(value, wraps[i]);
	return value;
}

static json_t *member(json_t *json, const char *const *names)
{
	json_t *custom = json_object_get(json, "customProperties"), *value;

	for (; *names; names++) {
		value = json_object_get(json, *names);
		if (!value)
			value = json_object_get(custom, *names);
		value = unwrap(value);
		if (value && !json_is_null(value))
			return value;
	}
	return NULL;
}

/* Reads a number of at least 0. An integer may be a text, as protobuf writes long integers. */
static int read_number(const struct reading *r, json_t *json, const char *const *names,
		       double *ret, struct ga_err *err)
{
	json_t *value = member(json, names);
	char *end = NULL;

	*ret = -1;
	if (!value)
		return 0;
	*ret = json_number_value(value);
	if (json_is_string(value))
		*ret = strtod(json_string_value(value), &end);
	if ((json_is_number(value) || (end && !*end && end != json_string_value(value))) &&
	    *ret >= 0 && *ret <= NUMBER_MAX)
		return 0;
	return ga_fail(err, GA_BADREC, "record %zu: '%s' is not a number from 0 to 10^12",
		       r->record, names[0]);
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* ---- a record ---- */

/* Splits "H100 x 2" into hardware and count. */
static char *split_configuration(const char *text, int64_t *count)
{
	size_t len = strlen(text), digits = 0, at;

	while (digits < 5 && digits < len && isdigit((unsigned char)text[len - digits - 1]))
		digits++;
	at = len - digits;
	while (at && text[at - 1] == ' ')
		at--;
	if (!digits || digits > 4 || at < 2 || tolower((unsigned char)text[at - 1]) != 'x' ||
	    text[at - 2] != ' ')
		return ga_xstrdup(text);
	*count = strtol(text + len - digits, NULL, 10);
	for (at--; at && text[at - 1] == ' '; at--)
		;
	return ga_xstrndup(text, at);
}

static int read_hardware(const struct reading *r, json_t *json, struct ga_measured *ret,
			 struct ga_err *err)
{
	const char *whole = json_string_value(member(json, NAMES("hardware_configuration")));
	const char *type = json_string_value(
		member(json, NAMES("hardware_type", "gpu_type", "hardware")));
	ga_autofree char *name = NULL;
	ga_autonamed struct ga_accel_named named = { 0 };
	double count;
	int64_t said;
	size_t i;

	if (read_number(r, json, NAMES("hardware_count", "gpu_count"), &count, err) < 0)
		return -1;
	if (!whole && !type)
		return ga_fail(err, GA_BADREC, "record %zu names no hardware "
			       "(hardware_configuration, hardware_type)", r->record);
	ret->count = count < 0 ? 1 : count > 1e6 ? 0 : (int64_t)count;
	said = ret->count;
	name = whole ? split_configuration(whole, &ret->count) : ga_xstrdup(type);
	if (count >= 0 && ret->count != said)
		return ga_fail(err, GA_BADREC, "record %zu: '%.64s' has %lld GPUs, and its count "
			       "is %lld", r->record, whole, (long long)ret->count,
			       (long long)said);
	if (ret->count < 1 || ret->count > 1024 || (count >= 0 && count != (double)(int64_t)count))
		return ga_fail(err, GA_BADREC, "record %zu: a count of GPUs is from 1 to 1024",
			       r->record);
	ga_accels_named(r->accels, GA_NAME_PEOPLE, name, &named);
	/* A measurement on a part of a GPU does not count for a full GPU. */
	for (i = 0; !named.part && !named.shared && i < named.types.n; i++)
		ga_texts_add(&ret->types, named.types.v[i]);
	return 0;
}

static int read_latency(const struct reading *r, json_t *json, const char *name, int64_t *ret,
			struct ga_err *err)
{
	double ms;

	if (read_number(r, json, NAMES(name), &ms, err) < 0)
		return -1;
	*ret = ms < 0 ? GA_UNKNOWN : (int64_t)ms + (ms > (double)(int64_t)ms);
	return 0;
}

static int read_speed(const struct reading *r, json_t *json, struct ga_measured *ret,
		      struct ga_err *err)
{
	double tokens, requests, each;

	if (read_number(r, json, NAMES("tokens_per_second", "tps_mean"), &tokens, err) < 0 ||
	    read_number(r, json, NAMES("requests_per_second"), &requests, err) < 0 ||
	    read_number(r, json, NAMES("mean_output_tokens", "output_tokens"), &each, err) < 0)
		return -1;
	if (tokens < 0 && requests >= 0 && each >= 0)
		tokens = requests * each;
	if (tokens > NUMBER_MAX)
		return ga_fail(err, GA_BADREC, "record %zu: more than 10^12 tokens a second",
			       r->record);
	ret->tokens_per_second_milli = tokens < 0 ? GA_UNKNOWN : (int64_t)(tokens * 1000 + 0.5);
	return 0;
}

static void release(struct ga_measured *m)
{
	ga_texts_release(&m->types);
	free(m->model);
	free(m->precision);
	free(m->source);
}

static int read_record(struct reading *r, json_t *json, struct ga_err *err)
{
	struct ga_measured m = { 0 };
	json_t *precision;
	const char *model;
	int result;

	r->record++;
	if (!json_is_object(json))
		return ga_fail(err, GA_BADREC, "record %zu is no object", r->record);
	if (r->record > GA_MEASURED_MAX)
		return ga_fail(err, GA_BADREC, "there are more than %d records", GA_MEASURED_MAX);
	result = read_hardware(r, json, &m, err);
	if (result == 0)
		result = read_speed(r, json, &m, err);
	if (result == 0)
		result = read_latency(r, json, "ttft_p99", &m.ttft_p99_ms, err);
	if (result == 0)
		result = read_latency(r, json, "e2e_p99", &m.e2e_p99_ms, err);
	if (result == 0)
		result = read_latency(r, json, "itl_p99", &m.itl_p99_ms, err);
	precision = member(json, NAMES("precision"));
	if (result == 0 && precision && !json_is_string(precision))
		result = ga_fail(err, GA_BADREC, "record %zu: 'precision' is no text", r->record);
	m.precision = ga_strdup0(json_string_value(precision));
	if (result < 0 || !m.types.n) {
		r->list->left_out += result == 0;
		release(&m);
		return result;
	}
	model = json_string_value(
		member(json, NAMES("model", "model_id", "model_name", "model_hf_repo")));
	m.model = ga_strdup0(model);
	m.source = ga_xprintf("record %zu of --measured", r->record);
	*ga_list_add(r->list) = m;
	return 0;
}

static int read_value(struct reading *r, json_t *json, struct ga_err *err)
{
	json_t *item;
	size_t i;

	if (!json_is_array(json))
		return read_record(r, json, err);
	json_array_foreach(json, i, item)
		if (read_record(r, item, err) < 0)
			return -1;
	return 0;
}

int ga_measured_parse(const char *text, size_t len, const struct ga_accels *accels,
		      struct ga_measured_list *list, struct ga_err *err)
{
	struct reading r = { .accels = accels, .list = list };
	size_t at = 0;

	for (;;) {
		ga_autojson json_t *json = NULL;
		json_error_t why;

		while (at < len && memchr(" \t\r\n", text[at], 4))
			at++;
		if (at == len)
			return 0;
		json = json_loadb(text + at, len - at,
				  JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &why);
		if (!json)
			return ga_fail(err, GA_BADREC, "the text after record %zu %s", r.record,
				       json_error_code(&why) == json_error_duplicate_key ?
					       "has a member twice" : "is no JSON");
		at += (size_t)why.position;
		if (read_value(&r, json, err) < 0)
			return -1;
	}
}

void ga_measured_release(struct ga_measured_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		release(&list->v[i]);
	free(list->v);
	*list = (struct ga_measured_list){ 0 };
}
