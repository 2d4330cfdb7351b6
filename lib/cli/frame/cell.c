/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a member of a record: for people, with units, and as data. */
#include "cli/frame/cell.h"

#include <wchar.h>

#include "record/money.h"
#include "record/rec.h"
#include "record/size.h"
#include "record/time.h"

json_t *ga_cell_member(json_t *json, const char *path)
{
	ga_autofree char *name = ga_xstrndup(path, strcspn(path, "."));
	json_t *value = json_object_get(json, name);
	const char *dot = strchr(path, '.');

	return dot && value ? ga_cell_member(value, dot + 1) : value;
}

static void add_value(struct ga_str *out, const char *path, json_t *value, int64_t now);

/* Whether an element before the n-th has the same code. */
static bool has_code(json_t *list, size_t n, json_t *code)
{
	size_t i;

	for (i = 0; code && i < n; i++)
		if (json_equal(json_object_get(json_array_get(list, i), "code"), code))
			return true;
	return false;
}

/* Shows a reason as its code, each code once; a term of a score as name=value; any other element
 * unchanged. */
static void add_list(struct ga_str *out, json_t *list, int64_t now)
{
	json_t *item;
	size_t i;

	json_array_foreach(list, i, item) {
		json_t *code = json_object_get(item, "code");
		json_t *value = json_object_get(item, "value");

		if (has_code(list, i, code))
			continue;
		if (value) {
			ga_str_addf(out, "%s%s=", i ? " " : "",
				    json_string_value(json_object_get(item, "name")));
			add_value(out, "", value, now);
			continue;
		}
		if (i)
			ga_str_addc(out, ',');
		add_value(out, "", code ? code : item, now);
	}
}

/* The last member of a path. */
static const char *last_name(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

static bool ends(const char *path, const char *suffix)
{
	size_t len = strlen(path), n = strlen(suffix);

	return len > n && !strcmp(path + len - n, suffix);
}

/* Whether the path names the age of something in seconds: "age_seconds", "view.staleSeconds". */
static bool is_age(const char *path)
{
	const char *name = last_name(path);

	return ga_streq(name, "age_seconds") || ends(name, "_age_seconds") ||
	       ga_streq(name, "staleSeconds") || ga_streq(name, "stale_seconds");
}

/* Whether the path names a number of bytes: "size_bytes", "read_back.bytes_read". */
static bool is_bytes(const char *path)
{
	return ga_starts(last_name(path), "bytes") || ends(path, "_bytes");
}

/* Money that was added up: tables show whole cents of it. Prices stay as they are. */
static bool is_sum(const char *path)
{
	const char *name = last_name(path);

	return ga_streq(name, "cost_micros") || ga_streq(name, "difference_micros");
}

static bool is_money(const char *path)
{
	const char *name = last_name(path);

	return is_sum(path) || ga_streq(name, "cost_per_hour_micros") ||
	       ga_streq(name, "priceMicros") || ga_streq(name, "price_micros");
}

/* Units by the end of a member's name: what is multiplied to bytes, or shown in the first unit of
 * which it has at least one. */
static const struct unit {
	const char *suffix;
	int shift; /* to bytes; -1: a decimal unit */
	const char *names[3];
} units[] = {
	{ "_mib", 20, { NULL } },
	{ "_mib_per_gpu", 20, { NULL } },
	{ "_kib", 10, { NULL } },
	{ "_gb", -1, { "GB", "TB", NULL } },
	{ "_mb_s", -1, { "MB/s", "GB/s", "TB/s" } },
	{ "_gflops", -1, { "GFLOPS", "TFLOPS", "PFLOPS" } },
	{ "_w", -1, { "W", "kW", NULL } },
};

static void add_unit(struct ga_str *out, const struct unit *u, int64_t n)
{
	char size[GA_SIZE_SIZE];
	double value = (double)n;
	size_t i = 0;

	if (u->shift >= 0) {
		ga_str_add(out, n > INT64_MAX >> u->shift ? "?" :
							     ga_size_format(n << u->shift, size));
		return;
	}
	for (; value >= 1000 && i + 1 < GA_ARRAY_SIZE(u->names) && u->names[i + 1]; i++)
		value /= 1000;
	ga_str_addf(out, "%.*f %s", i && value < 10 ? 1 : 0, value, u->names[i]);
}

/* Adds a number in the unit that people use. */
static void add_number(struct ga_str *out, const char *path, int64_t n)
{
	char size[GA_SIZE_SIZE], span[GA_SPAN_SIZE];
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(units); i++)
		if (ends(path, units[i].suffix)) {
			add_unit(out, &units[i], n);
			return;
		}
	if (is_bytes(path))
		ga_str_add(out, ga_size_format(n, size));
	else if (is_money(path))
		ga_cost_format(is_sum(path) ? ga_cost_round(n) : n, out);
	else if (ends(path, "_gpu_seconds"))
		ga_cost_hours(n, 3, out);
	else if (ends(path, "_ppm"))
		ga_str_addf(out, "%lld.%lld%%", (long long)((n + 500) / 10000),
			    (long long)((n + 500) / 1000 % 10));
	else if (ga_streq(last_name(path), "elapsed_micros"))
		ga_str_add(out, ga_span_format(n, span));
	else if (is_age(path))
		ga_str_add(out, ga_span_format(ga_time_after(0, n), span));
	else if (ends(path, "_seconds"))
		ga_str_add(out, ga_duration_format(n, span));
	else if (ga_streq(last_name(path), "seconds")) /* of a match: shown as hours */
		ga_cost_hours(n, 1, out);
	else if (ga_streq(last_name(path), "tokens_per_second_milli"))
		ga_str_addf(out, "%lld", (long long)((n + 500) / 1000));
	else
		ga_str_addf(out, "%lld", (long long)n);
}

/* Records have no control characters below U+0080, but another program may have written the
 * state. */
static void add_plain(struct ga_str *out, const char *text)
{
	while (*text) {
		const char *at = text;
		unsigned int code;

		if (!ga_unprintable(&text, &code))
			ga_str_add_bytes(out, at, (size_t)(text - at));
		else if (text - at == 1)
			ga_str_addf(out, "\\x%02x", code);
		else
			ga_str_add_escape(out, code);
	}
}

static void add_text(struct ga_str *out, const char *path, const char *text, int64_t now)
{
	ga_autofree char *shown = NULL;
	char age[GA_SPAN_SIZE];
	int64_t micros;

	if (now && strlen(text) == 27 && ga_time_read(text, &micros)) {
		ga_str_add(out, ga_age_format(micros, now, age));
	} else if (ga_streq(last_name(path), "command")) {
		add_plain(out, text);
	} else {
		shown = ga_time_shorten(ga_xstrdup(text));
		add_plain(out, shown);
	}
}

/* "price_micros 0 -> 2000000" */
static void add_change(struct ga_str *out, json_t *change)
{
	const char *was = json_string_value(json_object_get(change, "before"));
	const char *is = json_string_value(json_object_get(change, "after"));

	add_plain(out, json_string_value(json_object_get(change, "member")));
	ga_str_addc(out, ' ');
	add_plain(out, was ? was : "none");
	ga_str_add(out, " -> ");
	add_plain(out, is ? is : "none");
}

static void add_value(struct ga_str *out, const char *path, json_t *value, int64_t now)
{
	ga_autostr struct ga_str text = GA_STR_INIT;

	if (json_is_string(value))
		add_text(out, path, json_string_value(value), now);
	else if (json_is_integer(value))
		add_number(out, path, json_integer_value(value));
	else if (json_is_real(value))
		ga_str_addf(out, "%.15g", json_real_value(value));
	else if (json_is_boolean(value))
		ga_str_add(out, json_is_true(value) ? "yes" : "no");
	else if (json_is_array(value))
		add_list(out, value, now);
	else if (json_object_get(value, "member")) /* of gpuaas.change */
		add_change(out, value);
	else if (json_is_object(value)) {
		ga_rec_dump(value, &text);
		add_plain(out, text.buf);
	}
}

/* Values that are estimated or measured as a range: expected value, lowest, highest. */
static const char *const ranges[][3] = {
	{ "seconds", "seconds_low", "seconds_high" },
	{ "cost_micros", "cost_low_micros", "cost_high_micros" },
	{ "tokens_per_second_milli", "tokens_per_second_low_milli",
	  "tokens_per_second_high_milli" },
};

/* Adds "2 (1.8-3)" if the record has a range. */
static bool add_range(struct ga_str *out, const char *path, json_t *json)
{
	int prefix = (int)(last_name(path) - path);
	json_int_t n[3];
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(ranges) && strcmp(last_name(path), ranges[i][0]) != 0; i++)
		;
	if (i == GA_ARRAY_SIZE(ranges))
		return false;
	for (j = 0; j < 3; j++) {
		ga_autofree char *name = ga_xprintf("%.*s%s", prefix, path, ranges[i][j]);
		json_t *value = ga_cell_member(json, name);

		if (!json_is_integer(value))
			return false;
		n[j] = json_integer_value(value);
		n[j] = is_money(path) ? (json_int_t)ga_cost_round(n[j]) : n[j];
	}
	if (n[1] == n[2])
		return false;
	add_number(out, path, n[0]);
	ga_str_add(out, " (");
	add_number(out, path, n[1]);
	ga_str_addc(out, '-');
	add_number(out, path, n[2]);
	ga_str_addc(out, ')');
	return true;
}


void ga_cell_show(json_t *json, const char *path, int64_t now, struct ga_str *ret)
{
	size_t before = ret->len;

	if (ga_streq(path, "fits") && json_is_null(ga_cell_member(json, path)))
		ga_str_add(ret, "unknown"); /* of a match: "-" would read as no */
	else if (!add_range(ret, path, json))
		add_value(ret, path, ga_cell_member(json, path), now);
	if (ret->len == before)
		ga_str_addc(ret, '-');
}

void ga_cell_show_member(const char *path, json_t *value, struct ga_str *ret)
{
	size_t before = ret->len;

	add_value(ret, path, value, 0);
	if (ret->len == before)
		ga_str_addc(ret, '-');
}

void ga_cell_data(json_t *value, struct ga_str *ret)
{
	ga_autofree char *text = NULL;
	json_t *item;
	size_t i;

	if (json_is_string(value)) {
		ga_str_add(ret, json_string_value(value));
	} else if (json_is_array(value) && !json_is_object(json_array_get(value, 0))) {
		json_array_foreach(value, i, item) {
			if (i)
				ga_str_addc(ret, ',');
			ga_cell_data(item, ret);
		}
	} else if (value && !json_is_null(value)) {
		text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
		ga_str_add(ret, text);
	}
}

int ga_cell_compare(json_t *a, json_t *b)
{
	bool no_a = !a || json_is_null(a), no_b = !b || json_is_null(b);

	if (no_a || no_b)
		return no_a - no_b;
	if (json_is_number(a) && json_is_number(b))
		return (json_number_value(a) > json_number_value(b)) -
		       (json_number_value(a) < json_number_value(b));
	if (json_is_string(a) && json_is_string(b))
		return strcmp(json_string_value(a), json_string_value(b));
	return json_is_true(a) - json_is_true(b);
}

int ga_cell_width(const char *text)
{
	mbstate_t state = { 0 };
	wchar_t wide;
	int width = 0;

	while (*text) {
		size_t n = mbrtowc(&wide, text, strlen(text), &state);
		int w = 1;

		if (n == 0 || n > strlen(text)) /* no such character in this locale */
			n = 1;
		else
			w = wcwidth(wide);
		width += w < 0 ? 1 : w;
		text += n;
	}
	return width;
}
