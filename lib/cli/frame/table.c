/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables for people: the columns of each kind, aligned over consecutive rows. A kind without
 * columns is shown as ga_print_record shows it.
 */
#include "base/vec.h"
#include "cli/frame/emit.h"
#include "cli/frame/table_views.h"
#include "record/money.h"
#include "record/size.h"
#include "record/time.h"

#define CELLS_MAX (GA_VIEW_COLUMNS + GA_VIEW_SOMETIMES)

struct row {
	char *cells[CELLS_MAX];
};

static struct {
	const struct ga_view *view;
	struct ga_column columns[CELLS_MAX + 1]; /* of the view, then those of ga_view_sometimes */
	GA_LIST(struct row) rows;
	bool records; /* a record without a view was printed */
} table;

/* Columns a text takes on a terminal: characters, not bytes (UTF-8 was checked on input). */
static int width_of(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static json_t *member(json_t *json, const char *path)
{
	ga_autofree char *name = ga_xstrndup(path, strcspn(path, "."));
	json_t *value = json_object_get(json, name);
	const char *dot = strchr(path, '.');

	return dot && value ? member(value, dot + 1) : value;
}

static void add_value(struct ga_str *out, const char *path, json_t *value);

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
static void add_list(struct ga_str *out, json_t *list)
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
			add_value(out, "", value);
			continue;
		}
		if (i)
			ga_str_addc(out, ',');
		add_value(out, "", code ? code : item);
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

/* Whether the path names a number of bytes: "size_bytes", "read_back.bytes_read". */
static bool is_bytes(const char *path)
{
	return ga_starts(last_name(path), "bytes") || ends(path, "_bytes");
}

static bool is_money(const char *path)
{
	const char *name = last_name(path);

	return ga_streq(name, "cost_micros") || ga_streq(name, "difference_micros") ||
	       ga_streq(name, "cost_per_hour_micros") || ga_streq(name, "priceMicros") ||
	       ga_streq(name, "price_micros");
}

/* Adds a number in the unit that people use. */
static void add_number(struct ga_str *out, const char *path, int64_t n)
{
	char size[GA_SIZE_SIZE];

	if (is_bytes(path))
		ga_str_add(out, ga_size_format(n, size));
	else if (is_money(path))
		ga_cost_format(n, out);
	else if (ends(path, "_gpu_seconds"))
		ga_cost_hours(n, 3, out);
	else if (ends(path, "_ppm"))
		ga_str_addf(out, "%lld.%lld%%", (long long)((n + 500) / 10000),
			    (long long)((n + 500) / 1000 % 10));
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

/* A time to the second; any other text as it is. */
static void add_text(struct ga_str *out, const char *text)
{
	int64_t micros;

	if (strlen(text) == 27 && ga_time_read(text, &micros))
		ga_str_addf(out, "%.10s %.8sZ", text, text + 11);
	else
		add_plain(out, text);
}

static void add_value(struct ga_str *out, const char *path, json_t *value)
{
	ga_autostr struct ga_str text = GA_STR_INIT;

	if (json_is_string(value))
		add_text(out, json_string_value(value));
	else if (json_is_integer(value))
		add_number(out, path, json_integer_value(value));
	else if (json_is_real(value))
		ga_str_addf(out, "%.15g", json_real_value(value));
	else if (json_is_boolean(value))
		ga_str_add(out, json_is_true(value) ? "yes" : "no");
	else if (json_is_array(value))
		add_list(out, value);
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
		json_t *value = member(json, name);

		if (!json_is_integer(value))
			return false;
		n[j] = json_integer_value(value);
		/* Whole cents: more digits would suggest that an estimate is exact. */
		if (is_money(path) && n[j] >= 1000000)
			n[j] = (n[j] + 5000) / 10000 * 10000;
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

static void add_row(json_t *json)
{
	struct row *row = ga_list_add(&table.rows);
	const struct ga_column *c;

	for (c = table.columns; c->title; c++) {
		struct ga_str cell = GA_STR_INIT;

		if (!add_range(&cell, c->path, json))
			add_value(&cell, c->path, member(json, c->path));
		if (!cell.len)
			ga_str_addc(&cell, '-');
		row->cells[c - table.columns] = ga_str_take(&cell);
	}
}

void ga_print_record(const struct ga_schema *schema, json_t *json, const char *nothing)
{
	char kind[32];
	const char *key;
	json_t *value;

	ga_print("%s", ga_kind_short(schema, kind));
	json_object_foreach(json, key, value) {
		ga_autofree char *text = NULL;

		if (!strcmp(key, "kind") || (!strcmp(key, "dry_run") && !json_is_true(value)))
			continue;
		if (json_is_string(value))
			text = ga_xstrdup(json_string_value(value));
		else if (!json_is_null(value) && (!json_is_array(value) || json_array_size(value)))
			text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
		if (text && *text)
			ga_print("  %-24s%s", key, text);
		else if (nothing)
			ga_print("  %-24s%s", key, nothing);
	}
}

void ga_table_add(const struct ga_schema *schema, json_t *json)
{
	const struct ga_view *view = ga_view_of(schema);
	json_t *item;
	size_t i;

	if (view != table.view || !view) {
		struct ga_column *to;
		const struct ga_column *from;
		const struct ga_sometimes *some;

		ga_table_flush();
		to = table.columns;
		from = view ? view->columns : NULL;
		table.view = view;
		memset(table.columns, 0, sizeof(table.columns));
		while (from && from->title)
			*to++ = *from++;
		for (some = view ? ga_view_sometimes(view) : NULL; some && some->column.title;
		     some++)
			*to++ = some->column;
	}
	if (!view) {
		if (table.records)
			printf("\n");
		table.records = true;
		ga_print_record(schema, json, "-");
	} else if (!view->rows)
		add_row(json);
	else
		json_array_foreach(json_object_get(json, view->rows), i, item)
			add_row(item);
}

static bool says_something(const char *cell)
{
	return strcmp(cell, "-") != 0 && strcmp(cell, "no") != 0;
}

/* Whether to show a column: always for those of the view; see ga_view_sometimes for the others. */
static bool is_shown(size_t column)
{
	size_t own, r;
	bool said, differ = false;

	for (own = 0; table.view->columns[own].title; own++)
		;
	if (column < own)
		return true;
	said = says_something(table.rows.v[0].cells[column]);
	for (r = 1; r < table.rows.n; r++) {
		said = said || says_something(table.rows.v[r].cells[column]);
		differ = differ || strcmp(table.rows.v[r].cells[column],
					  table.rows.v[0].cells[column]) != 0;
	}
	return differ || (said && ga_view_sometimes(table.view)[column - own].when_said);
}

/* A width is -1 for a column that is not shown. */
static void print_row(const int *widths, char *const *cells)
{
	int gap = 0;
	size_t i;

	for (i = 0; table.columns[i].title; i++) {
		if (widths[i] < 0)
			continue;
		printf("%*s%s", gap, "", cells[i]);
		gap = widths[i] - width_of(cells[i]) + 2;
	}
	printf("\n");
}

void ga_table_forget(void)
{
	size_t i, r;

	for (r = 0; r < table.rows.n; r++)
		for (i = 0; table.columns[i].title; i++)
			free(table.rows.v[r].cells[i]);
	ga_list_release(&table.rows);
	table.view = NULL;
}

void ga_table_flush(void)
{
	char *titles[CELLS_MAX] = { NULL };
	int widths[CELLS_MAX] = { 0 };
	size_t i, r;

	if (!table.rows.n)
		return;
	for (i = 0; table.columns[i].title; i++) {
		titles[i] = (char *)(uintptr_t)table.columns[i].title;
		widths[i] = is_shown(i) ? width_of(titles[i]) : -1;
		for (r = 0; r < table.rows.n && widths[i] >= 0; r++)
			if (width_of(table.rows.v[r].cells[i]) > widths[i])
				widths[i] = width_of(table.rows.v[r].cells[i]);
	}
	print_row(widths, titles);
	for (r = 0; r < table.rows.n; r++)
		print_row(widths, table.rows.v[r].cells);
	ga_table_forget();
	fflush(stdout);
}
