/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables for people: the columns of each kind, aligned over consecutive rows by libsmartcols. On a
 * terminal that is too narrow, columns are left out by their rank (table_views.h), then the longest
 * text is broken into lines. A kind without columns is shown as ga_print_record shows it.
 */
#include <dlfcn.h>
#include <libsmartcols/libsmartcols.h>
#include <locale.h>

#include "base/clock.h"
#include "base/dl.h"
#include "base/vec.h"
#include "cli/frame/cell.h"
#include "cli/frame/emit.h"
#include "cli/frame/form.h"
#include "cli/frame/table_views.h"

#define CELLS_MAX (1 + GA_VIEW_COLUMNS + GA_VIEW_SOMETIMES + GA_VIEW_BELOW)
#define GAP "  "

/* Loaded at the first table: most runs of programs print none. */
#define SONAME "libsmartcols.so.1"
#define FUNCTIONS(X) \
	X(cell_set_color) X(column_set_safechars) X(column_set_wrapfunc) X(line_get_cell) \
	X(line_set_data) X(new_table) X(print_table_to_string) X(table_enable_colors) \
	X(table_enable_noencoding) X(table_new_column) X(table_new_line) \
	X(table_set_column_separator) X(table_set_termforce) X(unref_table) \
	X(wrapnl_chunksize) X(wrapnl_nextchunk)
static struct {
#define ROW(name) __typeof__(scols_##name) *name;
	FUNCTIONS(ROW)
#undef ROW
} scols;

struct row {
	char *cells[CELLS_MAX];
	char *below[GA_VIEW_BELOW]; /* NULL: none */
};

static struct {
	const struct ga_schema *schema;
	const struct ga_view *view;
	struct ga_column columns[CELLS_MAX + 1]; /* ends with a column without title */
	size_t n, own; /* columns; of the view itself, before those of ga_view_sometimes */
	bool asked;    /* by --columns */
	size_t dry;    /* 1: the first column says whether the row is of a dry run; else 0 */
	GA_LIST(struct row) rows;
	bool records; /* a record without a view was printed */
} table;

/* ---- rows in ---- */

static void add_column(const struct ga_column *c)
{
	if (table.n < CELLS_MAX)
		table.columns[table.n++] = *c;
}

static void choose_columns(const struct ga_schema *schema, const struct ga_view *view)
{
	const struct ga_form *form = ga_form();
	const struct ga_sometimes *some = view ? ga_view_sometimes(view) : NULL;
	const struct ga_column *c;
	const struct ga_below *b;
	struct ga_column found;
	size_t i;

	memset(table.columns, 0, sizeof(table.columns));
	table.n = 0;
	table.dry = 0;
	if (ga_emit_is_dry_run() ? view || form->columns.n :
				   view && !view->rows && !form->columns.n &&
					   ga_view_find(schema, "dry_run", &found)) {
		table.dry = 1;
		add_column(&ga_dry_run_column);
	}
	for (i = 0; i < form->columns.n; i++)
		if (ga_view_find(schema, form->columns.v[i], &found))
			add_column(&found);
	table.asked = table.n > table.dry;
	table.own = table.n;
	if (table.asked || !view)
		return;
	for (c = view->columns; c->title; c++)
		add_column(c);
	for (b = ga_view_below(form->wide ? view : NULL); b->path; b++)
		add_column(&(struct ga_column){ .title = b->title, .path = b->path });
	table.own = table.n;
	for (; some && some->column.title; some++)
		add_column(&some->column);
}

static const struct ga_below *lines_below(void)
{
	return ga_view_below(table.asked || ga_form()->wide ? NULL : table.view);
}

/* Whether times are shown as "5m ago": not in a wide table and not in those of --columns, which
 * are exact, and not in a history, which people compare with other logs. */
static bool shows_ages(void)
{
	return !table.asked && !ga_form()->wide && table.view && !ga_view_is_history(table.view);
}

/* Elements of a list on lines of their own. */
static void show_below(json_t *json, const char *path, struct ga_str *ret)
{
	json_t *value = ga_cell_member(json, path), *item;
	size_t i;

	if (!json_is_array(value) || !json_array_size(value)) {
		ga_cell_show(json, path, 0, ret);
		return;
	}
	json_array_foreach(value, i, item) {
		if (i)
			ga_str_addc(ret, '\n');
		ga_cell_show_member("", item, ret);
	}
}

static void add_row(json_t *json)
{
	struct row *row = ga_list_add(&table.rows);
	const struct ga_below *below = lines_below();
	int64_t now = shows_ages() ? ga_clock_micros() : 0;
	size_t i;

	for (i = 0; i < table.n; i++) {
		struct ga_str cell = GA_STR_INIT;

		if (i < table.dry && ga_emit_is_dry_run())
			ga_str_add(&cell, "yes");
		else
			ga_cell_show(json, table.columns[i].path, now, &cell);
		row->cells[i] = ga_str_take(&cell);
	}
	for (i = 0; below[i].path; i++) {
		struct ga_str text = GA_STR_INIT;

		show_below(json, below[i].path, &text);
		row->below[i] = ga_str_take(&text);
	}
}

/* Prints a member on a line; those of an object, and the elements of a list of objects, each on one
 * of its own. */
static void print_member(const char *name, json_t *value, const char *nothing)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	const char *key;
	json_t *member, *item;
	size_t i;

	if (json_is_object(value) && json_object_size(value)) {
		json_object_foreach(value, key, member) {
			ga_autofree char *path = ga_xprintf("%s.%s", name, key);

			print_member(path, member, nothing);
		}
		return;
	}
	if (json_is_array(value) && json_is_object(json_array_get(value, 0))) {
		json_array_foreach(value, i, item) {
			ga_str_clear(&text);
			json_object_foreach(item, key, member) {
				ga_autofree char *path = ga_xprintf("%s.%s", name, key);

				if (json_is_null(member))
					continue;
				ga_str_addf(&text, "%s%s=", text.len ? " " : "", key);
				ga_cell_show_member(path, member, &text);
			}
			ga_print("  %-22s  %s", i ? "" : name, text.buf);
		}
		return;
	}
	ga_cell_show_member(name, value, &text);
	if (strcmp(text.buf, "-") != 0)
		ga_print("  %-22s  %s", name, text.buf);
	else if (nothing)
		ga_print("  %-22s  %s", name, nothing);
}

void ga_print_record(const struct ga_schema *schema, json_t *json, const char *nothing)
{
	char kind[32];
	const char *key;
	json_t *value;

	ga_print("%s", ga_kind_short(schema, kind));
	json_object_foreach(json, key, value) {
		if (!strcmp(key, "kind") || (!strcmp(key, "dry_run") && !json_is_true(value)))
			continue;
		print_member(key, value, nothing);
	}
}

void ga_table_add(const struct ga_schema *schema, json_t *json)
{
	const struct ga_view *view = ga_view_of(schema);
	json_t *item;
	size_t i;

	if (schema != table.schema) {
		ga_table_flush();
		choose_columns(schema, view);
		table.schema = schema;
		table.view = view;
	}
	if (!table.n) {
		if (table.records)
			ga_print("%s", "");
		table.records = true;
		ga_print_record(schema, json, "-");
		if (ga_emit_is_dry_run() && !json_object_get(json, "dry_run"))
			ga_print("  %-24s%s", "dry_run", "true");
	} else if (!view || !view->rows) {
		add_row(json);
	} else {
		json_array_foreach(json_object_get(json, view->rows), i, item)
			add_row(item);
	}
}

/* ---- which columns ---- */

static bool says_something(const char *cell)
{
	return strcmp(cell, "-") != 0 && strcmp(cell, "no") != 0;
}

/* Whether to show a column where there is room. One that is empty in every row is left out, except
 * the first; see ga_view_sometimes for those after the view's own. */
static bool has_content(size_t column)
{
	bool filled = false, said = false, differ = false;
	size_t r;

	if (column < table.dry) {
		for (r = 0; r < table.rows.n; r++)
			said = said || !strcmp(table.rows.v[r].cells[column], "yes");
		return said;
	}
	if (column == table.dry || table.asked || ga_form()->wide)
		return true;
	for (r = 0; r < table.rows.n; r++) {
		const char *cell = table.rows.v[r].cells[column];

		filled = filled || strcmp(cell, "-") != 0;
		said = said || says_something(cell);
		differ = differ || strcmp(cell, table.rows.v[0].cells[column]) != 0;
	}
	if (column < table.own)
		return table.columns[column].rank ? said : filled;
	return differ ||
	       (said && ga_view_sometimes(table.view)[column - table.own].when_said);
}

/* A text that may be wrapped. */
static bool is_prose(const char *path)
{
	static const char *const names[] = { "sentence", "reason", "reasons",  "hint",
					     "detail",	 "title",  "summary", "note",
					     "blockers", "cordon_reason", "warnings", "evidence",
					     "image_features", "terms", "change" };
	const char *dot = strrchr(path, '.');
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(names); i++)
		if (!strcmp(dot ? dot + 1 : path, names[i]))
			return true;
	return false;
}

static int width_of(size_t column)
{
	int width = ga_cell_width(table.columns[column].title);
	size_t r;

	for (r = 0; r < table.rows.n; r++) {
		int w = ga_cell_width(table.rows.v[r].cells[column]);

		width = w > width ? w : width;
	}
	return width;
}

/* Fills shown, and returns by how much the table is wider than limit (0: there is no limit). */
static int choose_shown(bool *shown, int limit)
{
	int widths[CELLS_MAX] = { 0 }, total = 0;
	size_t i;

	for (i = 0; i < table.n; i++) {
		shown[i] = has_content(i);
		widths[i] = shown[i] ? width_of(i) : 0;
		total += shown[i] ? widths[i] + (total ? (int)strlen(GAP) : 0) : 0;
	}
	while (limit && total > limit && !table.asked) {
		size_t out = table.n;

		for (i = 0; i < table.n; i++)
			if (shown[i] && table.columns[i].rank &&
			    (out == table.n || table.columns[i].rank >= table.columns[out].rank))
				out = i;
		if (out == table.n)
			break;
		shown[out] = false;
		total -= widths[out] + (int)strlen(GAP);
	}
	return limit && total > limit ? total - limit : 0;
}

/* Makes the widest text narrower by so many columns, down to 24, by breaking it into lines. */
static void wrap_prose(const bool *shown, int over)
{
	size_t widest = table.n, i, r;
	int width = 24;

	for (i = 0; i < table.n; i++)
		if (shown[i] && is_prose(table.columns[i].path) && width_of(i) > width) {
			widest = i;
			width = width_of(i);
		}
	if (widest == table.n)
		return;
	width = width - over > 24 ? width - over : 24;
	for (r = 0; r < table.rows.n; r++) {
		char **cell = &table.rows.v[r].cells[widest];
		struct ga_str text = GA_STR_INIT;

		ga_form_fold("", *cell, 0, 0, width, &text);
		text.buf[text.len - 1] = '\0'; /* the newline at the end */
		free(*cell);
		*cell = ga_str_take(&text);
	}
}

/* ---- rows out ---- */

static const char *colour_of(const char *path, const char *cell)
{
	static const struct {
		const char *word, *colour;
	} words[] = {
		{ "available", "green" }, { "active", "green" }, { "ok", "green" },
		{ "confirmed", "green" }, { "placed", "green" },
		{ "wiping", "yellow" }, { "releasing", "yellow" }, { "provisioning", "yellow" },
		{ "draining", "yellow" }, { "disabled", "yellow" }, { "warning", "yellow" },
		{ "held", "yellow" }, { "pending", "yellow" }, { "missing", "yellow" },
		{ "failed", "red" }, { "cleanup_blocked", "red" }, { "release_failed", "red" },
		{ "quarantined", "red" }, { "error", "red" },
	};
	size_t i;

	if (!ga_streq(path, "state") && !ga_streq(path, "severity") &&
	    !ga_streq(path, "outcome") && !ga_streq(path, "health_state"))
		return NULL;
	for (i = 0; i < GA_ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].word, cell))
			return words[i].colour;
	return NULL;
}

static bool is_number(const char *cell)
{
	size_t n = strspn(cell, "0123456789");

	if (n && cell[n] == '.')
		n += 1 + strspn(cell + n + 1, "0123456789");
	return (n && (!cell[n] || cell[n] == '%' || cell[n] == ' ')) || !strcmp(cell, "-");
}

static bool is_right(size_t column)
{
	bool number = false;
	size_t r;

	for (r = 0; r < table.rows.n; r++) {
		const char *cell = table.rows.v[r].cells[column];

		if (!is_number(cell))
			return false;
		number = number || strcmp(cell, "-") != 0;
	}
	return number;
}

static void load(void)
{
	static const struct {
		const char *name;
		void *pointer;
	} functions[] = {
#define ROW(name) { "scols_" #name, &scols.name },
		FUNCTIONS(ROW)
#undef ROW
	};
	struct ga_err err = GA_ERR_INIT;
	void *library = NULL;
	size_t i;

	if (scols.new_table)
		return;
	if (ga_dl_open(SONAME, &library, &err) < 0) {
		err.code = GA_SYSTEM;
		(void)ga_hint(&err, "it is util-linux's: install libsmartcols1; --json works "
			       "without");
		ga_die(&err);
	}
	for (i = 0; i < GA_ARRAY_SIZE(functions); i++)
		if (!ga_dl_find(library, functions[i].name, functions[i].pointer)) {
			ga_err_set(&err, GA_SYSTEM, "'" SONAME "' lacks a function: %s", dlerror());
			ga_die(&err);
		}
}

static void no_memory(void) __attribute__((noreturn));

static void no_memory(void)
{
	struct ga_err err = GA_ERR_INIT;

	ga_err_set(&err, GA_SYSTEM, "no memory is left for the table");
	ga_die(&err);
}

/* The table with its heading, a row a line, or several where a text is wrapped. */
static char *lay_out(const bool *shown)
{
	struct libscols_table *t = scols.new_table();
	char *text = NULL;
	size_t i, r, n;

	if (!t)
		no_memory();
	scols.table_set_column_separator(t, GAP);
	scols.table_enable_colors(t, ga_form()->colour);
	scols.table_enable_noencoding(t, 1); /* ga_cell_show leaves nothing unprintable */
	scols.table_set_termforce(t, SCOLS_TERMFORCE_NEVER);
	for (i = 0; i < table.n; i++) {
		int flags = is_right(i) ? SCOLS_FL_RIGHT : 0;
		struct libscols_column *c;

		if (!shown[i])
			continue;
		flags |= is_prose(table.columns[i].path) ? SCOLS_FL_WRAP : 0;
		c = scols.table_new_column(t, table.columns[i].title, 0, flags);
		if (!c || (is_prose(table.columns[i].path) &&
			   (scols.column_set_wrapfunc(c, scols.wrapnl_chunksize,
						      scols.wrapnl_nextchunk, NULL) ||
			    scols.column_set_safechars(c, "\n"))))
			no_memory();
	}
	for (r = 0; r < table.rows.n; r++) {
		struct libscols_line *line = scols.table_new_line(t, NULL);

		if (!line)
			no_memory();
		for (i = n = 0; i < table.n; i++) {
			char *cell = table.rows.v[r].cells[i];

			if (!shown[i])
				continue;
			if (scols.line_set_data(line, n, cell))
				no_memory();
			scols.cell_set_color(scols.line_get_cell(line, n),
					     colour_of(table.columns[i].path, cell));
			n++;
		}
	}
	if (scols.print_table_to_string(t, &text))
		no_memory();
	scols.unref_table(t);
	return text;
}

void ga_table_forget(void)
{
	size_t i, r;

	for (r = 0; r < table.rows.n; r++) {
		for (i = 0; i < table.n; i++)
			free(table.rows.v[r].cells[i]);
		for (i = 0; i < GA_VIEW_BELOW; i++)
			free(table.rows.v[r].below[i]);
	}
	ga_list_release(&table.rows);
	table.schema = NULL;
	table.view = NULL;
}

static void print_below(const struct row *row, int limit)
{
	const struct ga_below *b = lines_below();
	ga_autostr struct ga_str text = GA_STR_INIT;
	size_t i, n;

	for (i = 0; b[i].path; i++) {
		int width = strcmp(b[i].lead, "$ ") ? limit : 0;
		const char *p = row->below[i];

		for (; *p && strcmp(p, "-") != 0; p += n + (p[n] == '\n')) {
			ga_autofree char *line = ga_xstrndup(p, n = strcspn(p, "\n"));

			ga_form_fold(b[i].lead, line, 4, 0, width, &text);
		}
	}
	fputs(text.len ? text.buf : "", stdout);
}

void ga_table_flush(void)
{
	const int limit = ga_form()->wide ? 0 : ga_form()->width;
	bool shown[CELLS_MAX] = { false };
	ga_autofree char *text = NULL;
	int over;
	size_t r = 0;
	const char *p;

	if (!table.rows.n)
		return;
	load();
	setlocale(LC_CTYPE, "C.UTF-8"); /* characters, not bytes, have widths */
	over = choose_shown(shown, limit);
	if (over && !lines_below()->path)
		wrap_prose(shown, over);
	text = lay_out(shown);
	for (p = text; *p; r++) {
		int n = (int)strcspn(p, "\n");

		printf("%.*s\n", n, p);
		if (r && lines_below()->path)
			print_below(&table.rows.v[r - 1], limit);
		p += n + (p[n] == '\n');
	}
	ga_table_forget();
	fflush(stdout);
}
