/* SPDX-License-Identifier: Apache-2.0 */
/* stdout and stderr: records, messages, the progress line. */
#include "cli/frame/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "record/request.h"
#include "record/result.h"
#include "record/schema_write.h"
#include "record/size.h"
#include "record/state.h"

const char *const ga_progress_words[] = { "auto", "json", "none", NULL };

static struct {
	int fd;	     /* where records go */
	int to_terminal; /* whether fd is a terminal, known from the first record on; -1: not yet */
	int lock_fd; /* locked for each line if several processes write; -1: only one does */
	bool table, only_looks;
	bool broken; /* a write to stdout failed; report it once, at the end */
	int broken_errno;
	int status;
	struct ga_str line;
	bool moving; /* a progress line is on the terminal */
	int64_t drawn_at;
} emit = { .fd = STDOUT_FILENO, .to_terminal = -1, .lock_fd = -1, .line = GA_STR_INIT };

void ga_emit_open(bool table, bool only_looks)
{
	emit.table = table;
	emit.only_looks = only_looks;
}

bool ga_emit_is_table(void)
{
	return emit.table;
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

void ga_emit_in_child(int fd, int lock_fd)
{
	ga_table_forget();
	if (emit.table)
		emit.fd = fd;
	emit.to_terminal = -1;
	emit.table = false;
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
		emit.to_terminal = isatty(emit.fd);
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

static int emit_json(const struct ga_schema *schema, json_t *json, struct ga_err *err)
{
	if (!emit.only_looks)
		ga_emit_note(schema, json);
	if (emit.table) {
		ga_table_add(schema, json);
		return 0;
	}
	ga_str_clear(&emit.line);
	ga_rec_dump(json, &emit.line);
	ga_str_addc(&emit.line, '\n');
	return write_line(emit.line.buf, emit.line.len, err);
}

int ga_emit(const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	ga_autojson json_t *json = NULL;

	if (emit.table || has_status(schema)) {
		json = ga_schema_format(schema, obj);
		return emit_json(schema, json, err);
	}
	ga_str_clear(&emit.line);
	ga_schema_write(schema, obj, &emit.line);
	ga_str_addc(&emit.line, '\n');
	return write_line(emit.line.buf, emit.line.len, err);
}

int ga_emit_signed(const struct ga_schema *schema, const void *obj, const struct ga_sign_key *key,
		   struct ga_err *err)
{
	ga_autojson json_t *json = ga_schema_format(schema, obj);

	if (key && !emit.table && ga_sign_record(key, json, err) < 0)
		return -1;
	return emit_json(schema, json, err);
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
	if (!text || emit.table || has_status(schema))
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
	if (emit.table && rec->schema) {
		ga_table_add(rec->schema, rec->json);
		return 0;
	}
	ga_str_clear(&emit.line);
	ga_str_add_bytes(&emit.line, rec->raw, rec->raw_len);
	ga_str_addc(&emit.line, '\n');
	return write_line(emit.line.buf, emit.line.len, err);
}

int ga_emit_close(struct ga_err *err)
{
	ga_table_flush();
	ga_str_release(&emit.line);
	if (fflush(stdout) || ferror(stdout)) {
		emit.broken = true;
		emit.broken_errno = errno;
	}
	if (emit.broken)
		return ga_fail_for(err, GA_SYSTEM, "stdout", "cannot write to standard output: %s",
				   strerror(emit.broken_errno));
	return 0;
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

void ga_say(const char *fmt, ...)
{
	ga_autostr struct ga_str shown = GA_STR_INIT;
	ga_autofree char *text = NULL;
	va_list ap;

	ga_cli_progress_end();
	va_start(ap, fmt);
	text = ga_xvprintf(fmt, ap);
	va_end(ap);
	ga_str_add_visible(&shown, text);
	fprintf(stderr, "%s\n", shown.len ? ga_printable_words(shown.buf) : "");
}

void ga_print(const char *fmt, ...)
{
	ga_autostr struct ga_str shown = GA_STR_INIT;
	ga_autofree char *text = NULL;
	va_list ap;

	if (!emit.table)
		return;
	ga_table_flush();
	va_start(ap, fmt);
	text = ga_xvprintf(fmt, ap);
	va_end(ap);
	ga_str_add_visible(&shown, text);
	puts(shown.len ? ga_printable_text(shown.buf) : "");
}

/* Columns of the terminal that gets stdout; 0: none does. */
static int columns(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

void ga_print_item(const char *fmt, ...)
{
	ga_autostr struct ga_str lines = GA_STR_INIT;
	ga_autofree char *text = NULL;
	int width = columns(), at = 0;
	const char *word;
	va_list ap;

	va_start(ap, fmt);
	text = ga_xvprintf(fmt, ap);
	va_end(ap);
	if (!emit.table || !width) {
		ga_print("%s", text);
		return;
	}
	for (word = text; *word;) {
		size_t len = strcspn(word, " "), i;
		int wide = 0;

		for (i = 0; i < len; i++)
			wide += ((unsigned char)word[i] & 0xc0) != 0x80;
		if (at && at + 1 + wide > width) {
			ga_print("%s", lines.buf);
			ga_str_clear(&lines);
			at = 3; /* and a space */
			ga_str_add(&lines, "   ");
		}
		if (at)
			ga_str_addc(&lines, ' ');
		ga_str_add_bytes(&lines, word, len);
		at += (at > 0) + wide;
		word += len + (word[len] == ' ');
	}
	ga_print("%s", lines.len ? lines.buf : "");
}

void ga_print_text(const char *text)
{
	ga_autostr struct ga_str shown = GA_STR_INIT;

	ga_str_add_visible(&shown, text);
	fputs(shown.len ? ga_printable_text(shown.buf) : "", stdout);
}

void ga_cli_progress(const char *mode, const char *what, int64_t done, int64_t total,
		     int64_t started_mono_micros)
{
	int64_t now = ga_clock_mono_micros();
	double seconds = (double)(now - started_mono_micros) / 1e6;
	double rate = seconds > 0 ? (double)done / seconds : 0;
	ga_autofree char *shown = NULL;
	char size[GA_SIZE_SIZE];

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
		fprintf(stderr, "  %.0f s left", (double)(total - done) / rate);
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
