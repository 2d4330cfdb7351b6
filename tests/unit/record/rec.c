/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of records: accepted and refused input, and the error messages, for every split into
 * chunks. */
#include "t.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "record/host.h"
#include "record/rec.h"

#define END1 "{\"kind\":\"gpuaas.unheard/1\",\"n\":1}"
#define END2 "{\"kind\":\"gpuaas.unheard/1\",\"n\":2}"

/* A descriptor to read these bytes from. */
static int of_bytes(const char *text, size_t len)
{
	int fd = memfd_create("rec", MFD_CLOEXEC);

	if (fd < 0 || ga_write_all(fd, text, len) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	return fd;
}

/* Reads to the end: the number of records, or -1. */
static int read_all(int fd, struct ga_err *err)
{
	ga_autoreader struct ga_reader *r = ga_reader_open(fd, "input");
	struct ga_rec rec;
	int n = 0, more;

	while ((more = ga_reader_next(r, &rec, err)) > 0)
		n++;
	return more < 0 ? -1 : n;
}

static void streams(void)
{
	static const struct {
		const char *name, *text;
		int records; /* -1: refused */
		const char *message;
	} cases[] = {
		{ "nothing", "", 0, NULL },
		{ "empty lines", "\n\n\n", 0, NULL },
		{ "one", END1 "\n", 1, NULL },
		{ "one without newline", END1, 1, NULL },
		{ "two", END1 "\n" END2 "\n", 2, NULL },
		{ "an empty line between", END1 "\n\n" END2 "\n", 2, NULL },
		{ "spaces around", "  " END1 "  \n", 1, NULL },
		{ "a carriage return", END1 "\r\n", 1, NULL },
		{ "words", "hello\n", -1, "input, line 1: not JSON" },
		{ "second line bad", END1 "\nhello\n", -1, "input, line 2: not JSON" },
		{ "two on a line", END1 " " END2 "\n", -1, "more than one JSON document" },
		{ "an object over lines", "{\n\"kind\": \"gpuaas.unheard/1\"\n}\n", -1,
		  "line 1: not one whole JSON object a line" },
		{ "cut off", "{\"kind\":\"gpuaas.unh", -1, "not one whole JSON object a line" },
		{ "a list", "[]\n", -1, "is not a record" },
		{ "a number", "7\n", -1, "line 1" },
		{ "no kind", "{}\n", -1, "without \"kind\"" },
		{ "kind is a number", "{\"kind\":1}\n", -1, "without \"kind\"" },
		{ "kind of another", "{\"kind\":\"other.slot/1\"}\n", -1, "not a gpuaas record" },
		{ "a higher version", "{\"kind\":\"gpuaas.slot/2\"}\n", -1, "of another version" },
		{ "a member twice", "{\"kind\":\"gpuaas.end/1\",\"kind\":\"gpuaas.end/1\"}\n", -1,
		  "duplicate" },
		{ "bad UTF-8", "{\"kind\":\"gpuaas.unheard/1\",\"a\":\"\xff\"}\n", -1, "line 1" },
		{ "an escaped NUL", "{\"kind\":\"gpuaas.unheard/1\",\"a\":\"\\u0000\"}\n", -1,
		  "line 1" },
		{ "NaN", "{\"kind\":\"gpuaas.unheard/1\",\"a\":NaN}\n", -1, "line 1" },
		{ "too large a number", "{\"kind\":\"gpuaas.unheard/1\",\"a\":1e999}\n", -1,
		  "line 1" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autofd int fd = of_bytes(cases[i].text, strlen(cases[i].text));
		struct ga_err err = GA_ERR_INIT;
		int n = read_all(fd, &err);

		if (cases[i].records >= 0)
			t_int(n, cases[i].records, "%s: %s", cases[i].name, err.msg);
		else
			t_code(n, &err, GA_BADREC, cases[i].message, "%s", cases[i].name);
	}
}

/* A record of exactly len bytes. */
static char *record_of(size_t len)
{
	static const char head[] = "{\"kind\":\"gpuaas.unheard/1\",\"a\":\"", tail[] = "\"}";
	char *text = ga_xcalloc(1, len + 2);

	memset(text, 'x', len);
	memcpy(text, head, strlen(head));
	memcpy(text + len - strlen(tail), tail, strlen(tail));
	return text;
}

static void long_lines(void)
{
	static const struct {
		size_t len;
		bool newline, good;
	} cases[] = {
		{ 65535, true, true },		  { 65536, true, true },
		{ 65537, true, true },		  { GA_LINE_MAX, true, true },
		{ GA_LINE_MAX, false, true },	  { GA_LINE_MAX + 1, true, false },
		{ GA_LINE_MAX + 1, false, false }, { 10 << 20, true, false },
		{ 10 << 20, false, false },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autofree char *text = record_of(cases[i].len);
		struct ga_err err = GA_ERR_INIT;
		ga_autofd int fd = -1;
		int n;

		text[cases[i].len] = '\n';
		fd = of_bytes(text, cases[i].len + cases[i].newline);
		n = read_all(fd, &err);
		if (cases[i].good)
			t_int(n, 1, "a line of %zu bytes: %s", cases[i].len, err.msg);
		else
			t_code(n, &err, GA_BADREC, "line 1: the line is longer than 1 MiB",
			       "a line of %zu bytes", cases[i].len);
	}
}

static void nesting(void)
{
	ga_autostr struct ga_str s = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	ga_autofd int fd = -1;
	int i;

	ga_str_add(&s, "{\"kind\":\"gpuaas.unheard/1\",\"a\":");
	for (i = 0; i < 100000; i++)
		ga_str_addc(&s, '[');
	fd = of_bytes(s.buf, s.len);
	t_code(read_all(fd, &err), &err, GA_BADREC, "line 1", "a hundred thousand brackets");
}

/* The same bytes one at a time, through a pipe: the same records, raw as they were. */
static void chunks(void)
{
	static const char text[] = END1 "\n\n" END2;
	ga_autoreader struct ga_reader *r = NULL;
	struct ga_err err = GA_ERR_INIT;
	struct ga_rec rec;
	int fds[2], n = 0;
	pid_t pid;

	if (pipe(fds) < 0 || (pid = fork()) < 0)
		abort();
	if (!pid) {
		for (n = 0; text[n]; n++)
			if (write(fds[1], text + n, 1) != 1)
				_exit(1);
		_exit(0);
	}
	close(fds[1]);
	r = ga_reader_open(fds[0], "input");
	t_ok(!ga_reader_has_line(r), "nothing is buffered before the first read");
	while (ga_reader_next(r, &rec, &err) > 0) {
		const char *want = n++ ? END2 : END1;

		t_ok(rec.raw_len == strlen(want) && !memcmp(rec.raw, want, rec.raw_len),
		     "raw bytes of record %d", n);
		t_int(rec.line, n == 1 ? 1 : 3, "its line");
		t_ok(!rec.schema, "a kind this version does not know");
	}
	t_int(n, 2, "both records: %s", err.msg);
	close(fds[0]);
	waitpid(pid, NULL, 0);
}

static void parse(void)
{
	static const char text[] = "{\"kind\":\"gpuaas.end/1\"}\n";
	ga_autofd int fd = of_bytes(text, strlen(text));
	ga_autoreader struct ga_reader *r = ga_reader_open(fd, "input");
	struct ga_err err = GA_ERR_INIT;
	struct ga_rec rec;
	struct ga_end end;

	t_int(ga_reader_next(r, &rec, &err), 1, "a record of a known kind");
	t_ok(ga_rec_is(&rec, &ga_end_schema) && !ga_rec_is(&rec, &ga_host_schema),
	     "is of its kind");
	t_code(ga_rec_parse(&rec, &ga_end_schema, &end, &err), &err, GA_BADREC,
	       "line 1, gpuaas.end/1: member", "a missing member is named with line and kind");
}

int main(void)
{
	streams();
	long_lines();
	nesting();
	chunks();
	parse();
	return t_done();
}
