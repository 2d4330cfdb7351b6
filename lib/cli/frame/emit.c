/* SPDX-License-Identifier: Apache-2.0 */
/* stdout and stderr: records, messages, the progress line. */
#include "cli/frame/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/quote.h"
#include "cli/frame/cell.h"
#include "cli/frame/form.h"
#include "cli/frame/pager.h"
#include "cli/frame/table_views.h"
#include "record/request.h"
#include "record/result.h"
#include "record/schema_write.h"
#include "record/size.h"
#include "record/state.h"
#include "record/time.h"

const char *const ga_progress_words[] = { "auto", "json", "none", NULL };

/* A record that waits for its place in the order of --sort. */
struct sorted {
	const struct ga_schema *schema;
	json_t *json;
	char *line; /* as it was read; NULL: format it */
	size_t nth;
};

static struct {
	enum ga_form_kind form;
	const struct ga_schema *headed; /* the kind of the last heading in CSV */
	GA_LIST(struct sorted) sorted;	/* all of one kind */
	struct ga_column sorted_by;
	int fd;	     /* where records go */
	int to_terminal; /* whether fd is a terminal, known from the first record on; -1: not yet */
	int lock_fd; /* locked for each line if several processes write; -1: only one does */
	bool only_looks, shows, dry_run;
	bool named; /* -o name printed something */
	bool is_child; /* of ga_emit_in_child: its parent gives the records their form */
	bool broken; /* a write to stdout failed; report it once, at the end */
	int broken_errno;
	int status;
	struct ga_str line;
	bool moving; /* a progress line is on the terminal */
	int64_t drawn_at;
} emit = { .fd = STDOUT_FILENO, .to_terminal = -1, .lock_fd = -1, .line = GA_STR_INIT };

void ga_emit_open(bool only_looks, bool shows)
{
	emit.form = ga_form()->kind;
	emit.only_looks = only_looks;
	emit.shows = shows;
}

void ga_emit_dry_run(void)
{
	emit.dry_run = true;
}

bool ga_emit_is_dry_run(void)
{
	return emit.dry_run;
}

bool ga_emit_is_table(void)
{
	return emit.form == GA_FORM_TABLE;
}

int ga_emit_status(void)
{
	return emit.status;
}

void ga_cli_note_status(int status)
{
	if (!emit.status)
		emit.status = status;
}

static bool has_status(const struct ga_schema *schema)
{
	return schema == &ga_refusal_schema || schema == &ga_failure_schema ||
	       schema == &ga_wipe_evidence_schema;
}

void ga_emit_note(const struct ga_schema *schema, json_t *json)
{
	if (has_status(schema))
		ga_cli_note_status((int)json_integer_value(json_object_get(json, "status")));
}

static bool sorts(void)
{
	return ga_form()->sort && !emit.is_child;
}

static void forget_sorted(void)
{
	size_t i;

	for (i = 0; i < emit.sorted.n; i++) {
		json_decref(emit.sorted.v[i].json);
		free(emit.sorted.v[i].line);
	}
	ga_list_release(&emit.sorted);
}

bool ga_emit_collects(void)
{
	return emit.form != GA_FORM_JSON || sorts();
}

void ga_emit_in_child(int fd, int lock_fd)
{
	ga_table_forget();
	forget_sorted();
	if (ga_emit_collects())
		emit.fd = fd;
	emit.to_terminal = -1;
	emit.form = GA_FORM_JSON;
	emit.is_child = true;
	emit.lock_fd = lock_fd;
}

void ga_emit_share(int lock_fd)
{
	emit.lock_fd = lock_fd;
}

/* A POSIX lock, because it belongs to one process. With flock(2), parent and children share the
 * lock of the open file. */
static void lock_line(short type)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET };

	while (emit.lock_fd >= 0 && fcntl(emit.lock_fd, F_SETLKW, &l) < 0 && errno == EINTR)
		;
}

/* On a terminal, writes characters that could control it as JSON escapes, which mean the same text.
 * A record has such characters only inside texts. */
static void add_for_terminal(const char *text, struct ga_str *out)
{
	while (*text) {
		const char *at = text;
		unsigned int code;

		if (ga_unprintable(&text, &code) && code != '\n')
			ga_str_add_escape(out, code);
		else
			ga_str_add_bytes(out, at, (size_t)(text - at));
	}
}

static int write_line(const char *p, size_t n, struct ga_err *err)
{
	ga_autostr struct ga_str fit = GA_STR_INIT;
	int r, saved;

	if (emit.to_terminal < 0)
		emit.to_terminal = isatty(emit.fd) || ga_pager_is_on();
	if (emit.to_terminal) {
		add_for_terminal(p, &fit);
		p = fit.buf;
		n = fit.len;
	}
	lock_line(F_WRLCK);
	r = ga_write_all(emit.fd, p, n);
	saved = errno;
	lock_line(F_UNLCK);
	if (r < 0) {
		emit.broken = true;
		emit.broken_errno = saved;
		return ga_fail_for(err, GA_SYSTEM, "stdout", "cannot write to standard output: %s",
				   strerror(saved));
	}
	return 0;
}

/* -o name of a record without a name: behind other records, as the tasks of an allocation, it is
 * left out. A refusal or failure is reported on stderr. */
static int leave_out(const struct ga_schema *schema, json_t *json, struct ga_err *err)
{
	const char *sentence = json_string_value(json_object_get(json, "sentence"));
	const char *hint = json_string_value(json_object_get(json, "hint"));

	if (emit.shows && !emit.named)
		return ga_form_has_name(schema, err);
	if (has_status(schema) && sentence)
		ga_say("%s: %s", ga_cli_program(), sentence);
	if (has_status(schema) && hint)
		ga_say("%s: hint: %s", ga_cli_program(), hint);
	return 0;
}

/* Writes a record in the form that was chosen; line is its JSON if that exists. */
static int write_record(const struct ga_schema *schema, json_t *json, const char *line,
			struct ga_err *err)
{
	ga_str_clear(&emit.line);
	switch (emit.form) {
	case GA_FORM_TABLE:
		ga_table_add(schema, json);
		return 0;
	case GA_FORM_CSV:
		ga_form_csv(schema, json, schema != emit.headed, &emit.line);
		emit.headed = schema;
		break;
	case GA_FORM_NAME:
		ga_form_name(schema, json, &emit.line);
		if (!emit.line.len)
			return ga_view_operand(schema) ? 0 : leave_out(schema, json, err);
		emit.named = true;
		break;
	case GA_FORM_JSON:
		if (line)
			ga_str_add(&emit.line, line);
		else
			ga_rec_dump(json, &emit.line);
		ga_str_addc(&emit.line, '\n');
		break;
	}
	return write_line(emit.line.buf, emit.line.len, err);
}

/* By the member; equal ones, and those without it, as they came. */
static int by_member(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	json_t *p = ga_cell_member(x->json, emit.sorted_by.path);
	json_t *q = ga_cell_member(y->json, emit.sorted_by.path);
	bool last = !p || !q || json_is_null(p) || json_is_null(q);
	int order = ga_cell_compare(p, q);

	if (order)
		return ga_form()->descending && !last ? -order : order;
	return (x->nth > y->nth) - (x->nth < y->nth);
}

/* Writes the records that wait, in order. */
static int write_sorted(struct ga_err *err)
{
	int r = 0;
	size_t i;

	if (emit.sorted.n &&
	    ga_view_find(emit.sorted.v[0].schema, ga_form()->sort, &emit.sorted_by))
		qsort(emit.sorted.v, emit.sorted.n, sizeof(*emit.sorted.v), by_member);
	for (i = 0; i < emit.sorted.n; i++) {
		struct sorted *s = &emit.sorted.v[i];

		r = r < 0 ? r : write_record(s->schema, s->json, s->line, err);
	}
	forget_sorted();
	return r;
}

static int emit_json(const struct ga_schema *schema, json_t *json, const char *line,
		     struct ga_err *err)
{
	if (!emit.only_looks)
		ga_emit_note(schema, json);
	if (!sorts())
		return write_record(schema, json, line, err);
	if (emit.sorted.n && emit.sorted.v[0].schema != schema && write_sorted(err) < 0)
		return -1;
	*ga_list_add(&emit.sorted) = (struct sorted){
		.schema = schema, .json = json_incref(json), .line = ga_strdup0(line),
		.nth = emit.sorted.n };
	return 0;
}

/* Whether a record becomes a line of JSON at once, without being looked at. */
static bool is_plain(const struct ga_schema *schema)
{
	return !ga_emit_collects() && !has_status(schema) && !emit.dry_run;
}

/* The record of a struct. In a dry run no caller can forget its mark: what has the member, has it
 * true. */
static json_t *format(const struct ga_schema *schema, const void *obj)
{
	json_t *json = ga_schema_format(schema, obj);

	if (emit.dry_run && json_object_get(json, "dry_run"))
		json_object_set_new(json, "dry_run", json_true());
	return json;
}

int ga_emit(const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	ga_autojson json_t *json = NULL;

	if (!is_plain(schema)) {
		json = format(schema, obj);
		return emit_json(schema, json, NULL, err);
	}
	ga_str_clear(&emit.line);
	ga_schema_write(schema, obj, &emit.line);
	ga_str_addc(&emit.line, '\n');
	return write_line(emit.line.buf, emit.line.len, err);
}

int ga_emit_signed(const struct ga_schema *schema, const void *obj, const struct ga_sign_key *key,
		   struct ga_err *err)
{
	ga_autojson json_t *json = format(schema, obj);

	if (key && emit.form == GA_FORM_JSON && ga_sign_record(key, json, err) < 0)
		return -1;
	return emit_json(schema, json, NULL, err);
}

int ga_emit_line(const char *text, struct ga_err *err)
{
	ga_str_clear(&emit.line);
	ga_str_add(&emit.line, text);
	ga_str_addc(&emit.line, '\n');
	return write_line(emit.line.buf, emit.line.len, err);
}

int ga_emit_text(const struct ga_schema *schema, const void *obj, const char *text,
		 struct ga_err *err)
{
	if (!text || !is_plain(schema))
		return ga_emit(schema, obj, err);
	ga_str_clear(&emit.line);
	ga_str_add(&emit.line, text);
	ga_str_addc(&emit.line, '\n');
	return write_line(emit.line.buf, emit.line.len, err);
}

int ga_emit_raw(const struct ga_rec *rec, struct ga_err *err)
{
	if (rec->schema)
		ga_emit_note(rec->schema, rec->json);
	if (rec->schema && ga_emit_collects()) {
		ga_autofree char *line = ga_xstrndup(rec->raw, rec->raw_len);

		return emit_json(rec->schema, rec->json, line, err);
	}
	ga_str_clear(&emit.line);
	ga_str_add_bytes(&emit.line, rec->raw, rec->raw_len);
	ga_str_addc(&emit.line, '\n');
	return write_line(emit.line.buf, emit.line.len, err);
}

/* The first failure of standard output, or 0. */
static int fail_broken(struct ga_err *err)
{
	if (emit.broken)
		return ga_fail_for(err, GA_SYSTEM, "stdout", "cannot write to standard output: %s",
				   strerror(emit.broken_errno));
	return 0;
}

int ga_emit_flush(struct ga_err *err)
{
	struct ga_err told = GA_ERR_INIT; /* write_line has it in emit.broken */

	if (write_sorted(&told) < 0)
		ga_err_clear(&told);
	ga_table_flush();
	if (fflush(stdout) || ferror(stdout)) {
		emit.broken = true;
		emit.broken_errno = errno;
	}
	return fail_broken(err);
}

int ga_emit_close(struct ga_err *err)
{
	int r = ga_emit_flush(err);

	ga_str_release(&emit.line);
	if (ga_pager_end() < 0 && r == 0) {
		emit.broken = true;
		emit.broken_errno = errno;
		r = fail_broken(err);
	}
	return r;
}

void ga_emit_error(const char *program, const struct ga_err *err)
{
	struct ga_error e = {
		.program = (char *)(uintptr_t)program,
		.status = (int64_t)err->code,
		.reason = err->reason[0] ? (char *)(uintptr_t)err->reason : NULL,
		.sentence = (char *)(uintptr_t)err->msg,
		.object = err->object[0] ? (char *)(uintptr_t)err->object : NULL,
		.hint = err->hint[0] ? (char *)(uintptr_t)err->hint : NULL,
	};
	ga_autofree char *text = ga_rec_format_text(&ga_error_schema, &e);
	ga_autostr struct ga_str fit = GA_STR_INIT;

	if (isatty(STDERR_FILENO))
		add_for_terminal(text, &fit);
	fprintf(stderr, "%s\n", fit.len ? fit.buf : text);
}

/* Columns of the widest word, for lines of that width. */
static int widest_word(const char *text, int width)
{
	int widest = 0, w;
	size_t n;

	for (; *text; text += n + (text[n] == ' ')) {
		ga_autofree char *word = ga_xstrndup(text, n = ga_form_word(text, width));

		w = ga_cell_width(word);
		widest = w > widest ? w : widest;
	}
	return widest;
}

/* Adds a line that is wider than the terminal. lead: its first columns, or "". A word that does not
 * fit behind them, such as a digest, stands with its text below them. hang: of lines without. */
static void add_wide(char *lead, const char *text, int hang, int width, struct ga_str *out)
{
	size_t n = strlen(lead);
	int room = width - ga_cell_width(lead);
	bool below = n && widest_word(text, room) > room;

	while (below && n && lead[n - 1] == ' ')
		lead[--n] = '\0';
	if (n && below)
		ga_str_addf(out, "%s\n", lead);
	if (below)
		ga_form_fold("", text, 4, 0, width, out);
	else
		ga_form_fold(lead, text, 0, n ? 0 : hang, width, out);
}

/* Adds the lines of a text, those that are wider than the terminal broken at spaces, but for a
 * command to copy. The rest of a line stands below its last column, which begins after two spaces
 * or more, or hang columns from the left. */
static void add_folded(const char *text, int hang, int width, struct ga_str *out)
{
	size_t n, i;

	for (; *text; text += n + (text[n] == '\n')) {
		size_t cut = 0;
		ga_autofree char *line = ga_xstrndup(text, n = strcspn(text, "\n")), *lead = NULL;

		for (i = 0; i + 2 < n && (int)i < width / 2; i++)
			if (line[i] == ' ' && line[i + 1] == ' ' && line[i + 2] != ' ')
				cut = i + 2;
		lead = ga_xstrndup(line, cut);
		if (width && ga_cell_width(line) > width && !ga_starts(line + cut, "$ "))
			add_wide(lead, line + cut, hang, width, out);
		else
			ga_str_addf(out, "%s\n", line);
	}
}

/* COLUMNS, else those of the terminal that standard error is; 0: it is none. */
static int say_width(void)
{
	const char *set = getenv("COLUMNS");
	struct ga_err ignored = GA_ERR_INIT;
	struct winsize w;
	int64_t n;

	if (!isatty(STDERR_FILENO))
		return 0;
	if (set && ga_int_parse(set, "COLUMNS", 1, 10000, &n, &ignored) == 0)
		return (int)n;
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) ? 0 : w.ws_col;
}

void ga_say(const char *fmt, ...)
{
	ga_autostr struct ga_str shown = GA_STR_INIT, lines = GA_STR_INIT;
	ga_autofree char *text = NULL;
	int width = say_width();
	va_list ap;

	ga_cli_progress_end();
	va_start(ap, fmt);
	text = ga_xvprintf(fmt, ap);
	va_end(ap);
	ga_str_add_visible(&shown, ga_time_shorten(text));
	if (width)
		setlocale(LC_CTYPE, "C.UTF-8"); /* characters, not bytes, have widths */
	if (shown.len)
		add_folded(ga_printable_words(shown.buf), 4, width, &lines);
	fputs(lines.len ? lines.buf : "\n", stderr);
}

void ga_cli_add_filter(struct ga_str *out, const char *option, const char *const *values, size_t n)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_@%+:,./=-";
	size_t i;

	for (i = 0; i < n; i++) {
		if (!values[i])
			continue;
		ga_str_addf(out, " %s ", option);
		/* A shell reads "state=available" as it stands. */
		if (values[i][strspn(values[i], plain)])
			ga_quote_word(out, values[i]);
		else
			ga_str_add(out, values[i]);
	}
}

void ga_cli_say_none(const char *one, const char *many, const char *filters)
{
	if (!ga_form()->terminal)
		return;
	if (*filters)
		ga_say("no %s matches%s", one, filters);
	else
		ga_say("no %s", many);
}

void ga_print(const char *fmt, ...)
{
	ga_autostr struct ga_str shown = GA_STR_INIT, lines = GA_STR_INIT;
	ga_autofree char *text = NULL;
	va_list ap;

	if (emit.form != GA_FORM_TABLE)
		return;
	ga_table_flush();
	va_start(ap, fmt);
	text = ga_xvprintf(fmt, ap);
	va_end(ap);
	ga_str_add_visible(&shown, ga_time_shorten(text));
	if (shown.len)
		add_folded(ga_printable_text(shown.buf), 4,
			   ga_form()->wide ? 0 : ga_form()->width, &lines);
	fputs(lines.len ? lines.buf : "\n", stdout);
}

void ga_print_item(const char *fmt, ...)
{
	ga_autostr struct ga_str lines = GA_STR_INIT;
	ga_autofree char *text = NULL;
	va_list ap;

	if (emit.form != GA_FORM_TABLE)
		return;
	va_start(ap, fmt);
	text = ga_xvprintf(fmt, ap);
	va_end(ap);
	ga_form_fold("", text, 0, 4, ga_form()->width, &lines);
	lines.buf[lines.len - 1] = '\0'; /* ga_print ends the line */
	ga_print("%s", lines.buf);
}

void ga_print_text(const char *text)
{
	ga_autostr struct ga_str shown = GA_STR_INIT, lines = GA_STR_INIT;
	bool to_terminal = isatty(STDOUT_FILENO) || ga_pager_is_on();

	ga_str_add_visible(&shown, text);
	if (shown.len)
		add_folded(ga_printable_text(shown.buf), 0, to_terminal ? ga_form()->width : 0,
			   &lines);
	fputs(lines.len ? lines.buf : "", stdout);
}

/* How long the rest takes: "42s", "1h30m". A rate near 0 makes no longer time than a month. */
static char *left_format(double seconds, char out[GA_SPAN_SIZE])
{
	int64_t most = 31 * INT64_C(86400), n = seconds < (double)most ? (int64_t)seconds : most;

	return ga_duration_format(n < 3600 ? n : n / 60 * 60, out);
}

void ga_cli_progress(const char *mode, const char *what, int64_t done, int64_t total,
		     int64_t started_mono_micros)
{
	int64_t now = ga_clock_mono_micros();
	double seconds = (double)(now - started_mono_micros) / 1e6;
	double rate = seconds > 0 ? (double)done / seconds : 0;
	ga_autofree char *shown = NULL;
	char size[GA_SIZE_SIZE], span[GA_SPAN_SIZE];

	if (!ga_streq(mode, "auto") || !isatty(STDERR_FILENO) || now - emit.drawn_at < 100000)
		return;
	shown = ga_xstrdup(what);
	emit.drawn_at = now;
	emit.moving = true;
	fprintf(stderr, "\r\033[K%s", ga_printable(shown));
	if (total > 0)
		fprintf(stderr, "  %3.0f %%", 100.0 * (double)done / (double)total);
	fprintf(stderr, "  %s/s", ga_size_format((int64_t)rate, size));
	if (total > 0 && rate > 0)
		fprintf(stderr, "  %s left",
			left_format((double)(total - done) / rate, span));
	fflush(stderr);
}

void ga_cli_progress_end(void)
{
	if (!emit.moving)
		return;
	emit.moving = false;
	fputs("\r\033[K", stderr);
	fflush(stderr);
}
