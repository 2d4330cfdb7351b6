/* SPDX-License-Identifier: Apache-2.0 */
/* The form of standard output. */
#include "cli/frame/form.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/frame/cell.h"
#include "cli/frame/emit.h"
#include "cli/frame/table_views.h"
#include "record/closest.h"
#include "record/kind.h"

const char *const ga_form_words[] = { "json", "table", "wide", "csv", "name", NULL };

const struct ga_schema ga_prints_text = { .doc = "text" };
const struct ga_schema ga_prints_json = { .doc = "the JSON of another system" };

static struct ga_form form;

const struct ga_form *ga_form(void)
{
	return &form;
}

/* ---- choosing ---- */

/* Columns of the terminal; 0: it is none. */
static int width_of(int fd)
{
	struct winsize w;

	return !ioctl(fd, TIOCGWINSZ, &w) ? w.ws_col : 0;
}

/* COLUMNS, else those of the terminal that standard output is. The reader of a pipe most likely
 * has the terminal that standard error is, else that of this session. 0: there is none. */
static int terminal_width(void)
{
	const char *set = getenv("COLUMNS");
	struct ga_err ignored = GA_ERR_INIT;
	ga_autofd int session = -1;
	struct stat st;
	int64_t n;
	int width;

	if (set && ga_int_parse(set, "COLUMNS", 1, 10000, &n, &ignored) == 0)
		return (int)n;
	width = width_of(STDOUT_FILENO);
	if (width || fstat(STDOUT_FILENO, &st) < 0 || !S_ISFIFO(st.st_mode))
		return width;
	width = width_of(STDERR_FILENO);
	if (!width)
		session = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return session >= 0 ? width_of(session) : width;
}

static bool wants_colour(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

/* Whether the word is one of the parts of a name: "at" of "started_at". */
static bool has_part(const char *name, const char *word)
{
	size_t n = strlen(word);
	const char *p = name;

	for (; p; p = strchr(p, '_'), p = p ? p + 1 : NULL)
		if (strcspn(p, "_") == n && !strncmp(p, word, n))
			return true;
	return false;
}

/* Adds the columns of a kind as --columns takes them: "largest_free". */
static void add_titles(const struct ga_schema *schema, struct ga_texts *ret)
{
	const struct ga_view *view = ga_view_of(schema);
	const struct ga_sometimes *some = view ? ga_view_sometimes(view) : NULL;
	const struct ga_below *b = ga_view_below(view);
	const struct ga_column *c = view ? view->columns : NULL;
	size_t i = ret->n;
	char *p;

	for (; c && c->title; c++)
		ga_texts_add(ret, c->title);
	for (; some && some->column.title; some++)
		ga_texts_add(ret, some->column.title);
	for (; b->path; b++)
		ga_texts_add(ret, b->title);
	for (; i < ret->n; i++)
		for (p = ret->v[i]; *p; p++)
			*p = *p == ' ' ? '_' : (char)tolower((unsigned char)*p);
}

static int check_column(const char *name, const struct ga_schema *const *kinds, struct ga_err *err)
{
	const char *one = kinds[0] && !kinds[1] ? kinds[0]->kind : NULL;
	ga_autotexts struct ga_texts titles = { 0 };
	ga_autostr struct ga_str hint = GA_STR_INIT;
	ga_autofree char *near_hint = NULL;
	struct ga_closest_names near;
	const struct ga_schema *const *k;
	const struct ga_field *f;
	struct ga_column unused;
	size_t i;

	for (k = kinds; *k; k++) {
		if (ga_view_find(*k, name, &unused))
			return 0;
		add_titles(*k, &titles);
	}
	ga_closest_begin(&near, name);
	for (i = 0; i < titles.n; i++)
		ga_closest_word(&near, titles.v[i]);
	for (k = kinds; *k; k++)
		for (f = (*k)->fields; f->name; f++)
			if (!ga_texts_has(&titles, f->name))
				ga_closest_add(&near, f->name,
					       has_part(f->name, name) ? 1 :
					       ga_closest_spelling(&near, f->name, GA_CLOSEST_FAR));
	near_hint = ga_closest_hint(&near);
	ga_str_add(&hint, near_hint);
	for (i = 0; one && i < titles.n; i++)
		ga_str_addf(&hint, "%s%s", i ? " " : "its columns: ", titles.v[i]);
	return ga_refuse(err, GA_USAGE, "no_member", NULL,
			 ("'%.64s' is no column or member of %s", name,
			  one ? one : "any record that this command prints"),
			 ("%s%sgpuaas-records(5) has the members of each kind", hint.buf,
			  one && titles.n ? "; " : ""));
}

/* prints: ga_prints_text or ga_prints_json */
static int check_no_records(const struct ga_schema *prints, const char *word, const char *columns,
			    const char *sort, struct ga_err *err)
{
	if (!columns && !sort && (!word || (prints == &ga_prints_json && ga_streq(word, "json"))))
		return 0;
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("%s%s is for records, and this command prints %s",
			  columns ? "--columns" : sort ? "--sort" : "-o ",
			  columns || sort ? "" : word, prints->doc),
			 ("leave the option out"));
}

int ga_form_choose(const char *word, const char *columns, const char *sort,
		   const struct ga_schema *const *kinds, struct ga_err *err)
{
	const char *p;
	size_t i;

	if (kinds && (kinds[0] == &ga_prints_text || kinds[0] == &ga_prints_json)) {
		if (check_no_records(kinds[0], word, columns, sort, err) < 0)
			return -1;
		kinds = NULL;
	}
	word = word ? word : isatty(STDOUT_FILENO) ? "table" : "json";
	ga_texts_release(&form.columns);
	form = (struct ga_form){
		.kind = ga_streq(word, "csv")	? GA_FORM_CSV :
			ga_streq(word, "name")	? GA_FORM_NAME :
			ga_streq(word, "table") ? GA_FORM_TABLE :
			ga_streq(word, "wide")	? GA_FORM_TABLE :
						  GA_FORM_JSON,
		.terminal = isatty(STDOUT_FILENO),
		.wide = ga_streq(word, "wide"),
		.width = terminal_width(),
		.colour = wants_colour(),
		.descending = sort && *sort == '-',
	};
	form.sort = form.descending ? sort + 1 : sort;
	for (p = columns; p && *p; p += *p == ',') {
		size_t n = strcspn(p, ",");

		if (n)
			*ga_list_add(&form.columns) = ga_xstrndup(p, n);
		p += n;
	}
	if (columns && form.kind == GA_FORM_JSON)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--columns is for tables and CSV, and this output is records"),
				 ("add -o table or -o csv; of records, jq takes members"));
	for (i = 0; kinds && kinds[i] && !ga_view_operand(kinds[i]); i++)
		;
	if (i && !kinds[i] && ga_form_has_name(kinds[0], err) < 0)
		return -1;
	for (i = 0; kinds && i < form.columns.n; i++)
		if (check_column(form.columns.v[i], kinds, err) < 0)
			return -1;
	return kinds && form.sort ? check_column(form.sort, kinds, err) : 0;
}

void ga_form_resize(void)
{
	form.width = terminal_width();
}

/* ---- text ---- */

/* Whether a word of a command is no word of a sentence: an option, "|", TEXT, node=h7. */
static bool is_of_command(const char *word, size_t n)
{
	return strspn(word, "abcdefghijklmnopqrstuvwxyz") < n;
}

/* Bytes of the command of ours that begins the text; 0: none does. No sign ends one in a sentence,
 * so a word or two of what follows may count as of it: the program and two words, then options with
 * their values, pipes and words that no sentence has, up to a punctuation mark. */
static size_t command_of(const char *text)
{
	static const char marks[] = ";:,.)";
	size_t n = 0, words = 0, len;
	bool option = false;

	while (ga_starts(text, "gpuaas-") && text[n]) {
		const char *word = text + n + (text[n] == ' '), *quote;

		len = strcspn(word, " ");
		if (*word == '\'' && (quote = strchr(word + 1, '\'')))
			len = (size_t)(quote - word) + strcspn(quote, " ");
		if (ga_starts(word, "$(") && (quote = strchr(word, ')')))
			len = (size_t)(quote - word) + 1;
		if (!words && n == 0 && strspn(word, "abcdefghijklmnopqrstuvwxyz-") + 1 < len)
			return 0; /* "gpuaas-records(5)" */
		if (!len || *word == '(' || (words > 2 && !option && !is_of_command(word, len)))
			break;
		n = (size_t)(word - text) + len;
		if (strchr(marks, text[n - 1]) && *word != '$')
			break;
		option = *word == '-';
		words = *word == '|' || *word == '&' ? 0 : words + 1;
	}
	return n;
}

size_t ga_form_word(const char *text, int width)
{
	const char *quote = text + (*text == '('), *end;
	size_t n = strcspn(text, " "), command = command_of(quote);

	if (command)
		return command + (size_t)(quote - text);
	if (*quote != '\'' || !(end = strchr(quote + 1, '\'')))
		return n;
	end += strcspn(end, " ");
	if (end - text > width && !ga_starts(quote + 1, "gpuaas"))
		return n;
	return (size_t)(end - text) > n ? (size_t)(end - text) : n;
}

void ga_form_fold(const char *lead, const char *text, int indent, int hang, int width,
		  struct ga_str *out)
{
	int left = indent + ga_cell_width(lead), at = left;
	bool begun = false;

	ga_str_addf(out, "%*s%s", indent, "", lead);
	while (*text) {
		size_t n = ga_form_word(text, width - left - hang);
		ga_autofree char *word = ga_xstrndup(text, n);
		int w = ga_cell_width(word);

		if (n && begun && width && at + 1 + w > width) {
			at = left + hang;
			begun = false;
			ga_str_addf(out, "\n%*s", at, "");
		}
		if (n) {
			ga_str_addf(out, "%s%s", begun ? " " : "", word);
			at += w + begun;
			begun = true;
		}
		text += n + (text[n] == ' ');
	}
	ga_str_addc(out, '\n');
}

/* A field with a separator, quotation mark or line break is quoted (RFC 4180, 2.6). On a terminal
 * a line break in it would look like another row; the printer escapes the other control
 * characters. */
static void add_field(const char *text, bool first, struct ga_str *out)
{
	if (!first)
		ga_str_addc(out, ',');
	if (!text[strcspn(text, ",\"\r\n")]) {
		ga_str_add(out, text);
		return;
	}
	ga_str_addc(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			ga_str_addc(out, '"');
		if (*text == '\n' && form.terminal)
			ga_str_add_escape(out, '\n');
		else
			ga_str_addc(out, *text);
	}
	ga_str_addc(out, '"');
}

static void add_row(json_t *json, const struct ga_texts *paths, struct ga_str *out)
{
	size_t i;

	for (i = 0; i < paths->n; i++) {
		ga_autostr struct ga_str field = GA_STR_INIT;

		if (ga_emit_is_dry_run() && !strcmp(paths->v[i], "dry_run"))
			ga_str_add(&field, "true");
		else
			ga_cell_data(ga_cell_member(json, paths->v[i]), &field);
		add_field(field.len ? field.buf : "", !i, out);
	}
	ga_str_addc(out, '\n');
}

void ga_form_csv(const struct ga_schema *schema, json_t *json, bool first, struct ga_str *out)
{
	const struct ga_view *view = ga_view_of(schema);
	ga_autotexts struct ga_texts paths = { 0 };
	const struct ga_below *b;
	const struct ga_column *c;
	const struct ga_field *f;
	struct ga_column found;
	json_t *item;
	size_t i;

	for (i = 0; i < form.columns.n; i++)
		if (ga_view_find(schema, form.columns.v[i], &found))
			ga_texts_add(&paths, found.path);
	for (c = view && !paths.n ? view->columns : NULL; c && c->title; c++) {
		ga_texts_add(&paths, c->path);
		/* A table shows it in the same cell. */
		f = ga_schema_member(schema, c->path);
		if (f && f->beside)
			ga_texts_add(&paths, f->beside);
	}
	for (b = ga_view_below(form.columns.n ? NULL : view); b->path; b++)
		ga_texts_add(&paths, b->path);
	for (f = paths.n ? NULL : schema->fields; f && f->name; f++)
		ga_texts_add(&paths, f->name);
	if (ga_emit_is_dry_run() && !form.columns.n && !ga_texts_has(&paths, "dry_run"))
		ga_texts_add(&paths, "dry_run");
	for (i = 0; first && i < paths.n; i++)
		add_field(paths.v[i], !i, out);
	if (first)
		ga_str_addc(out, '\n');
	if (!view || !view->rows)
		add_row(json, &paths, out);
	else
		json_array_foreach(json_object_get(json, view->rows), i, item)
			add_row(item, &paths, out);
}

int ga_form_has_name(const struct ga_schema *schema, struct ga_err *err)
{
	char kind[32];

	if (form.kind != GA_FORM_NAME || ga_view_operand(schema))
		return 0;
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("-o name prints what another program takes, and a record of %s has no "
			  "such word", ga_kind_short(schema, kind)),
			 ("-o csv --columns NAME,... prints members of it"));
}

static void add_name(json_t *json, const char *path, struct ga_str *out)
{
	size_t before = out->len;

	ga_cell_data(ga_cell_member(json, path), out);
	if (out->len > before)
		ga_str_addc(out, '\n');
}

void ga_form_name(const struct ga_schema *schema, json_t *json, struct ga_str *out)
{
	const struct ga_view *view = ga_view_of(schema);
	const char *path = ga_view_operand(schema);
	json_t *item;
	size_t i;

	if (path && (!view || !view->rows))
		add_name(json, path, out);
	else if (path)
		json_array_foreach(json_object_get(json, view->rows), i, item)
			add_name(item, path, out);
}
