/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables for people: the columns of each kind, aligned over consecutive rows by libsmartcols. On a
 * terminal that is too narrow, columns are left out by their rank (table_views.h), then the longest
 * text is broken into lines, and where that is not enough the last columns go too: a table is never
 * wider than the terminal, unless a person named the columns. A kind without columns is shown as
 * ga_print_record shows it.
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
	bool lists[CELLS_MAX]; /* a row has a list in the column */
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
	memset(table.lists, 0, sizeof(table.lists));
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

/* The member whose name stands after a cell of the column when it is true; NULL: none does. */
static const char *beside(size_t column)
{
	const struct ga_field *f;

	for (f = table.schema->fields; f->name; f++)
		if (!strcmp(f->name, table.columns[column].path))
			return f->beside;
	return NULL;
}

static void add_row(json_t *json)
{
	struct row *row = ga_list_add(&table.rows);
	const struct ga_below *below = lines_below();
	int64_t now = shows_ages() ? ga_clock_micros() : 0;
	const char *also;
	size_t i;

	for (i = 0; i < table.n; i++) {
		struct ga_str cell = GA_STR_INIT;

		if (i < table.dry && ga_emit_is_dry_run())
			ga_str_add(&cell, "yes");
		else
			ga_cell_show(json, table.columns[i].path, now, &cell);
		also = beside(i);
		if (also && json_is_true(json_object_get(json, also)))
			ga_str_addf(&cell, ", %s", also);
		if (json_is_array(ga_cell_member(json, table.columns[i].path)))
			table.lists[i] = true;
		row->cells[i] = ga_str_take(&cell);
	}
	for (i = 0; below[i].path; i++) {
		struct ga_str text = GA_STR_INIT;

		show_below(json, below[i].path, &text);
		row->below[i] = ga_str_take(&text);
	}
}

/* A time ahead is what a person waits for: " (in 3h)" after it. */
static void add_how_soon(json_t *value, struct ga_str *ret)
{
	const char *time = json_string_value(value);
	int64_t micros, now = ga_clock_micros();
	char age[GA_SPAN_SIZE];

	if (time && ga_time_read(time, &micros) && micros > now &&
	    ga_starts(ga_age_format(micros, now, age), "in "))
		ga_str_addf(ret, " (%s)", age);
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
	add_how_soon(value, &text);
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
static bool is_prose(size_t column)
{
	static const char *const names[] = { "sentence", "reason", "reasons",  "hint",
					     "detail",	 "title",  "summary", "note",
					     "blockers", "cordon_reason", "warnings", "evidence",
					     "image_features", "terms", "change", "expected",
					     "observed",       "by" };
	const char *path = table.columns[column].path, *dot = strrchr(path, '.');
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(names); i++)
		if (!strcmp(dot ? dot + 1 : path, names[i]))
			return true;
	return table.lists[column];
}

/* Bytes of a text up to where it may be broken: before a space, or after a comma. */
static size_t piece_of(const char *text)
{
	size_t n = strcspn(text, " ,\n");

	return n + (text[n] == ',');
}

/* The widest piece of a cell. */
static int widest_piece(const char *cell)
{
	int widest = 0;

	while (*cell) {
		size_t n = piece_of(cell);
		ga_autofree char *piece = ga_xstrndup(cell, n);
		int width = ga_cell_width(piece);

		widest = width > widest ? width : widest;
		cell += n + (cell[n] && !n);
	}
	return widest;
}

/* How wide a column is, and how narrow it can be: a text is broken where its pieces end, and a
 * piece itself only if it is wider than NARROW. */
#define NARROW 24
struct width {
	int is, least;
};

static void measure(size_t column, struct width *ret)
{
	int title = ga_cell_width(table.columns[column].title), piece = title;
	size_t r;

	ret->is = title;
	for (r = 0; r < table.rows.n; r++) {
		const char *cell = table.rows.v[r].cells[column];
		int width = ga_cell_width(cell), part = widest_piece(cell);

		ret->is = width > ret->is ? width : ret->is;
		piece = part > piece ? part : piece;
	}
	piece = piece > NARROW && title < NARROW ? NARROW : piece;
	ret->least = is_prose(column) ? piece : ret->is;
}

static int total_of(const bool *shown, const struct width *widths)
{
	int total = 0;
	size_t i;

	for (i = 0; i < table.n; i++)
		total += shown[i] ? widths[i].is + (total ? (int)strlen(GAP) : 0) : 0;
	return total;
}

/* Makes the widest texts narrower, down to floor, until the table is over by 0. Returns by how much
 * it still is. */
static int narrow(const bool *shown, struct width *widths, int floor, int over)
{
	while (over > 0) {
		size_t widest = table.n, i;

		for (i = 0; i < table.n; i++)
			if (shown[i] && widths[i].is > floor && widths[i].is > widths[i].least &&
			    (widest == table.n || widths[i].is > widths[widest].is))
				widest = i;
		if (widest == table.n)
			break;
		widths[widest].is--;
		over--;
	}
	return over;
}

static bool is_kept(size_t column)
{
	return table.columns[column].rank == GA_RANK_KEPT;
}

/* Where a column is kept, breaks names that are wider than NARROW. Returns by how much the table
 * still is too wide. */
static int narrow_names(const bool *shown, struct width *widths, int over)
{
	bool kept = false;
	size_t i;

	for (i = 0; i < table.n; i++)
		kept = kept || (shown[i] && is_kept(i));
	for (i = 0; kept && i < table.n; i++)
		if (widths[i].least > NARROW)
			widths[i].least = NARROW;
	return kept ? narrow(shown, widths, NARROW, over) : over;
}

/* The column that goes next: of those with a rank the highest, of equals the last. table.n: none
 * has one. */
static size_t least_of(const bool *shown)
{
	size_t out = table.n, i;

	for (i = 0; i < table.n; i++)
		if (shown[i] && table.columns[i].rank > 0 &&
		    (out == table.n || table.columns[i].rank >= table.columns[out].rank))
			out = i;
	return out;
}

/* Where none has a rank: the last that is no text, else the last, at the end those that are kept,
 * but the first never. table.n: only the first is left. */
static size_t last_of(const bool *shown)
{
	size_t i;

	for (i = table.n; i-- > table.dry + 1;)
		if (shown[i] && !is_prose(i) && !is_kept(i))
			return i;
	for (i = table.n; i-- > table.dry + 1;)
		if (shown[i] && !is_kept(i))
			return i;
	for (i = table.n; i-- > table.dry + 1;)
		if (shown[i])
			return i;
	return table.n;
}

/* A table without a column would be no table: one stays in the narrowest terminal. */
static bool has_several(const bool *shown)
{
	size_t i, n = 0;

	for (i = 0; i < table.n; i++)
		n += shown[i];
	return n > 1;
}

/* Fills shown and the widths so that the table is not wider than limit (0: there is no limit). */
static void choose_shown(bool *shown, struct width *ret, int limit)
{
	struct width widths[CELLS_MAX] = { 0 };
	int over = 0;
	size_t i, out;

	for (i = 0; i < table.n; i++) {
		shown[i] = has_content(i);
		if (shown[i])
			measure(i, &widths[i]);
	}
	while (limit && !table.asked && total_of(shown, widths) > limit && has_several(shown) &&
	       (out = least_of(shown)) < table.n)
		shown[out] = false;
	do {
		memcpy(ret, widths, sizeof(widths));
		over = limit ? total_of(shown, ret) - limit : 0;
		over = narrow(shown, ret, NARROW, over);
		over = narrow(shown, ret, 0, over);
		over = narrow_names(shown, ret, over);
		out = over > 0 && !table.asked && has_several(shown) ? last_of(shown) : table.n;
		if (out < table.n)
			shown[out] = false;
	} while (out < table.n);
}

/* Bytes of a piece that fit into so many columns, at least one character. */
static size_t bytes_in(const char *piece, size_t n, int width)
{
	size_t fit = 0, next;

	for (next = 0; next < n; fit = next) {
		ga_autofree char *part = NULL;

		for (next = fit + 1; next < n && ((unsigned char)piece[next] & 0xc0) == 0x80;)
			next++;
		part = ga_xstrndup(piece, next);
		if (fit && ga_cell_width(part) > width)
			break;
	}
	return fit;
}

/* The text in lines of at most width columns; a longer word is broken after a dash in its second
 * half, else anywhere. */
static char *fold(const char *text, int width)
{
	struct ga_str out = GA_STR_INIT;
	bool space = false;
	int at = 0;

	while (*text) {
		size_t n = piece_of(text), dash;
		ga_autofree char *piece = NULL;
		int w;

		if (!n) { /* a space */
			space = at > 0;
			text++;
			continue;
		}
		piece = ga_xstrndup(text, n);
		w = ga_cell_width(piece);
		if (at && at + space + w > width) {
			ga_str_addc(&out, '\n');
			at = 0;
		}
		if (w > width) {
			free(piece);
			n = bytes_in(text, n, width);
			for (dash = n; dash > n / 2 && text[dash - 1] != '-';)
				dash--;
			n = dash > n / 2 ? dash : n;
			piece = ga_xstrndup(text, n);
			w = ga_cell_width(piece);
		}
		ga_str_addf(&out, "%s%s", at && space ? " " : "", piece);
		at += (at && space) + w;
		space = false;
		text += n;
	}
	return ga_str_take(&out);
}

/* Breaks the cells that are wider than their column. */
static void wrap_cells(const bool *shown, const struct width *widths)
{
	size_t i, r;

	for (i = 0; i < table.n; i++)
		for (r = 0; shown[i] && r < table.rows.n; r++) {
			char **cell = &table.rows.v[r].cells[i], *lines;

			if (ga_cell_width(*cell) <= widths[i].is)
				continue;
			lines = fold(*cell, widths[i].is);
			free(*cell);
			*cell = lines;
		}
}

/* Lines that a row takes. */
static size_t lines_of(const struct row *row, const bool *shown)
{
	size_t most = 1, i;

	for (i = 0; i < table.n; i++) {
		size_t n = 1;
		const char *p;

		for (p = shown[i] ? row->cells[i] : ""; *p; p++)
			n += *p == '\n';
		most = n > most ? n : most;
	}
	return most;
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
		{ "available, cordoned", "yellow" },
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

/* Whether a cell of the column has several lines. */
static bool has_lines(size_t column)
{
	size_t r;

	for (r = 0; r < table.rows.n; r++)
		if (strchr(table.rows.v[r].cells[column], '\n'))
			return true;
	return false;
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
		bool lines;
		struct libscols_column *c;

		if (!shown[i])
			continue;
		lines = is_prose(i) || has_lines(i);
		flags |= lines ? SCOLS_FL_WRAP : 0;
		c = scols.table_new_column(t, table.columns[i].title, 0, flags);
		if (!c || (lines &&
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
	struct width widths[CELLS_MAX] = { 0 };
	ga_autofree char *text = NULL;
	size_t r = 0, left = 1; /* lines of the heading, then of the row */
	const char *p;

	if (!table.rows.n)
		return;
	load();
	setlocale(LC_CTYPE, "C.UTF-8"); /* characters, not bytes, have widths */
	choose_shown(shown, widths, limit);
	wrap_cells(shown, widths);
	text = lay_out(shown);
	for (p = text; *p;) {
		int n = (int)strcspn(p, "\n");

		printf("%.*s\n", n, p);
		p += n + (p[n] == '\n');
		if (--left || r == table.rows.n)
			continue;
		if (r && lines_below()->path)
			print_below(&table.rows.v[r - 1], limit);
		left = lines_of(&table.rows.v[r++], shown);
	}
	if (lines_below()->path)
		print_below(&table.rows.v[table.rows.n - 1], limit);
	ga_table_forget();
	fflush(stdout);
}
