/* SPDX-License-Identifier: Apache-2.0 */
/* The base library: strings, lists, ownership transfer, errors, files. */
#include "t.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "base/vec.h"

static void strings(void)
{
	ga_autostr struct ga_str s = GA_STR_INIT;
	ga_autofree char *taken = NULL, *nothing = NULL;
	int i;

	t_str(s.buf, "", "a new string is empty text");
	ga_str_add(&s, "");
	t_int(s.cap, 0, "adding nothing allocates nothing");
	for (i = 0; i < 1000; i++)
		ga_str_addf(&s, "%d,", i % 10);
	t_int(s.len, 2000, "a thousand additions");
	t_int(strlen(s.buf), 2000, "its end is NUL");
	ga_str_clear(&s);
	t_str(s.buf, "", "cleared");
	ga_str_add_bytes(&s, "a\0b", 3);
	t_ok(s.len == 3 && !memcmp(s.buf, "a\0b", 4), "bytes keep NUL");
	taken = ga_str_take(&s);
	t_ok(s.len == 0 && s.cap == 0 && s.buf == ga_str_empty, "empty after take");
	nothing = ga_str_take(&s);
	t_str(nothing, "", "take of nothing is allocated text");
}

static void printable(void)
{
	static const struct {
		const char *in, *out;
		unsigned int code; /* of the first that is not printed */
	} cases[] = {
		{ "a\x1b[31m\n\x7f\xc3\xa9z", "a?[31m??\xc3\xa9z", 0x1b },
		{ "\xc2\x9b" "31m\xc2\x80", "?31m?", 0x9b },
		{ "\xc2\xa0\xc3\x84", "\xc2\xa0\xc3\x84", 0 }, /* U+00A0, U+00C4 */
		{ "\xd8\x9c", "?", 0x61c },
		{ "\xe2\x80\x8a\xe2\x80\x8b\xe2\x80\x8f\xe2\x80\x90",
		  "\xe2\x80\x8a??\xe2\x80\x90", 0x200b },
		{ "\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf",
		  "\xe2\x80\xa7??\xe2\x80\xaf", 0x2028 },
		{ "\xc2\xac\xc2\xad\xc2\xae", "\xc2\xac?\xc2\xae", 0xad },
		{ "\xe2\x81\x9f\xe2\x81\xa0\xe2\x81\xa4", "\xe2\x81\x9f??", 0x2060 },
		{ "\xef\xbb\xbe\xef\xbb\xbf", "\xef\xbb\xbe?", 0xfeff },
		{ "\xf3\x9f\xbf\xbf\xf3\xa0\x80\x80\xf3\xa0\x81\xbf\xf3\xa0\x82\x80",
		  "\xf3\x9f\xbf\xbf??\xf3\xa0\x82\x80", 0xe0000 },
		{ "\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa",
		  "\xe2\x81\xa5???", 0x2066 },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", 0 },
		{ "\xc0\x9b", "?", 0x1b }, /* too long a form of ESC */
		{ "\xe2\x80", "??", 0xe2 }, /* the end of the text is in it */
		{ "a\x9b" "2J", "a?2J", 0x9b }, /* CSI, where a byte is a character */
		{ "\xff\xc3" "b", "??b", 0xff },
	};
	char empty[] = "";
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autofree char *text = ga_xstrdup(cases[i].in);
		unsigned int code = 0;
		const char *p = text;
		bool found = false;

		while (*p && !(found = ga_unprintable(&p, &code)))
			;
		t_int(found ? code : 0, cases[i].code, "printable %zu: which is not", i);
		t_str(ga_printable(text), cases[i].out, "printable %zu", i);
	}
	t_str(ga_printable(empty), "", "nothing of nothing");
}

/* Invisible characters are spelled out; those that steer a terminal are not this function's. */
static void visible(void)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "\xef\xbb\xbf{}", "\\ufeff{}" },
		{ "a\xe2\x80\x8b" "b\xc2\xad" "c\xe2\x81\xa0", "a\\u200bb\\u00adc\\u2060" },
		{ "\xe2\x80\x8d\xc3\xa9\xf0\x9f\x98\x80", "\\u200d\xc3\xa9\xf0\x9f\x98\x80" },
		{ "a\xe2\x80\xa8" "b\xf3\xa0\x81\x81", "a\\u2028b\\udb40\\udc41" },
		{ "\xad\xe2\x80\xae", "\xad\xe2\x80\xae" }, /* a byte; it turns a direction */
		{ "a\x1b[m\xff\n", "a\x1b[m\xff\n" },
		{ "", "" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autostr struct ga_str s = GA_STR_INIT;

		ga_str_add_visible(&s, cases[i].in);
		t_str(s.len ? s.buf : "", cases[i].out, "visible %zu", i);
	}
}

static void xml(void)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "plain", "plain" },
		{ "<a b='c' d=\"e\">&", "&lt;a b=&apos;c&apos; d=&quot;e&quot;&gt;&amp;" },
		{ "a\nb\x7f", "a\xef\xbf\xbd" "b\xef\xbf\xbd" },
		{ "\xc3\xa4", "\xc3\xa4" },
		{ "", "" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autostr struct ga_str s = GA_STR_INIT;

		ga_str_add_xml(&s, cases[i].in);
		t_str(s.buf, cases[i].out, "xml %zu", i);
	}
}

static void lists(void)
{
	struct ga_ints list = { 0 };
	bool good = true;
	int64_t i;

	for (i = 0; i < 1000; i++) {
		int64_t *e = ga_list_add(&list);

		good = good && *e == 0;
		*e = i;
	}
	t_ok(good, "every new element is zero");
	for (i = 0; i < 1000; i++)
		good = good && list.v[i] == i;
	t_ok(good && list.n == 1000, "a thousand elements in order");
	ga_list_release(&list);
	t_ok(!list.v && !list.n, "released");
}

static void take(void)
{
	char *p = ga_xstrdup("x");
	ga_autofree char *q = GA_TAKE(p);
	int fd = dup(1);
	ga_autofd int kept = GA_TAKE_FD(fd);

	t_ok(!p && q && fd == -1 && kept >= 0, "hand-over leaves NULL and -1");
	t_ok(ga_streq(NULL, NULL) && !ga_streq(NULL, "") && !ga_streq("", NULL), "streq and NULL");
	t_ok(ga_starts("abc", "ab") && !ga_starts("a", "ab") && ga_starts("a", ""), "starts");
}

static void errors(void)
{
	struct ga_err err = GA_ERR_INIT;
	ga_autofree char *big = ga_xcalloc(1, 5000);
	int r;

	memset(big, 'x', 4999);
	r = ga_fail(&err, GA_NOTFOUND, "slot '%s' is not there", "h1/0");
	t_code(r, &err, GA_NOTFOUND, "slot 'h1/0' is not there", "fail");
	t_int(ga_wrap(&err, "plan '%s'", "p"), -1, "wrap is -1");
	t_str(err.msg, "plan 'p': slot 'h1/0' is not there", "wrap puts context in front");
	ga_hint(&err, "first");
	ga_hint(&err, "second");
	t_str(err.hint, "first", "an earlier hint is kept");
	t_int(ga_fail_about(&err, GA_BUSY, "held", "h1/0", "slot '%s' is held", "h1/0"), -1,
	      "fail_about is -1");
	t_ok(err.code == GA_BUSY && ga_streq(err.reason, "held") && ga_streq(err.object, "h1/0") &&
	     ga_streq(err.msg, "slot 'h1/0' is held") && !err.hint[0],
	     "it sets code, reason, object and sentence, and removes the hint");
	t_int(ga_err_about(&err, "busy", NULL), -1, "about is -1");
	t_ok(ga_streq(err.reason, "busy") && ga_streq(err.object, "h1/0"),
	     "what is NULL stays as it was");
	t_int(ga_refuse(&err, GA_NO, NULL, "h2", ("no"), ("%s", "")), -1, "refuse is -1");
	t_ok(!err.reason[0] && ga_streq(err.object, "h2") && !err.hint[0],
	     "a hint of no text is none");
	ga_hint(&err, "later");
	t_str(err.hint, "later", "and another can follow");
	ga_err_set(&err, GA_NO, "%s", big);
	t_ok(strlen(err.msg) < sizeof(err.msg), "a long message is cut");
	ga_wrap(&err, "%s", big);
	t_ok(strlen(err.msg) < sizeof(err.msg), "a long context is cut");
	ga_err_clear(&err);
	errno = EACCES;
	r = ga_fail_sys(&err, "cannot open '%s'", "f");
	t_code(r, &err, GA_DENIED, "cannot open 'f': Permission denied", "EACCES is denied");
	ga_err_clear(&err);
	errno = EIO;
	r = ga_fail_sys(&err, "cannot read '%s'", "f");
	t_code(r, &err, GA_SYSTEM, "cannot read 'f': Input/output error", "EIO is a system error");
	ga_err_clear(&err);
	r = ga_fail_for(&err, GA_CONFLICT, "concurrent_update", "moved");
	t_str(err.reason, "concurrent_update", "reason word");
}

static void files(void)
{
	char dir[] = "/tmp/ga-unit.XXXXXX";
	ga_autofree char *path = NULL, *deep = NULL;
	ga_autostr struct ga_str s = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	struct stat st;

	if (!mkdtemp(dir)) {
		t_ok(false, "a folder for the test");
		return;
	}
	path = ga_xprintf("%s/f", dir);
	deep = ga_xprintf("%s/a/b", dir);
	t_int(ga_file_replace(path, "one\n", 4, 0600, &err), 0, "written");
	t_int(ga_file_replace(path, "two\n", 4, 0600, &err), 0, "replaced");
	t_int(ga_file_read(path, 4, &s, &err), 0, "read whole");
	t_str(s.buf, "two\n", "the new bytes");
	t_ok(!stat(path, &st) && (st.st_mode & 0777) == 0600, "its mode");
	t_code(ga_file_read(path, 3, &s, &err), &err, GA_SYSTEM, NULL, "longer than allowed");
	ga_err_clear(&err);
	t_int(ga_file_mkdirs(deep, 0700, &err), 0, "parents are made");
	t_int(ga_file_mkdirs(deep, 0700, &err), 0, "an existing one is left");
	t_code(ga_file_read(deep, 10, &s, &err), &err, GA_SYSTEM, NULL, "a folder is no file");
	rmdir(deep);
	deep[strlen(deep) - 2] = '\0';
	rmdir(deep);
	unlink(path);
	t_int(rmdir(dir), 0, "no temporary file stays");
}

static void trimmed(void)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ " a b ", "a b" },
		{ "\xc2\xa0" "a\xe3\x80\x80", "a" },	       /* U+00A0, U+3000 */
		{ "\xe3\x85\xa4\xe2\xa0\x80", "" },	       /* U+3164, U+2800 */
		{ "\xe1\x85\x9f\xe1\x85\xa0\xcd\x8f", "" },   /* U+115F, U+1160, U+034F */
		{ "\xef\xbe\xa0\xe2\x80\x8a\xe2\x80\x8b", "" }, /* U+FFA0, U+200A, U+200B */
		{ "\xe2\x80\x94", "\xe2\x80\x94" },	       /* a dash */
		{ "\xff", "\xff" },
		{ "", "" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autofree char *text = ga_trimmed(cases[i].in);

		t_str(text, cases[i].out, "trimmed %zu", i);
	}
}

int main(void)
{
	strings();
	trimmed();
	xml();
	printable();
	visible();
	lists();
	take();
	errors();
	files();
	return t_done();
}
