/* SPDX-License-Identifier: Apache-2.0 */
/* The commands in every message of lib and bin stand whole on a line, at every width. */
#include "t.h"

#include <ctype.h>
#include <fcntl.h>
#include <ftw.h>
#include <locale.h>

#include "base/file.h"
#include "base/texts.h"
#include "cli/frame/form.h"

static struct ga_texts messages; /* with "%s" for every conversion */

/* The string literal at p, and those that follow it; *end is behind them. */
static char *literal(const char *p, const char **end)
{
	struct ga_str text = GA_STR_INIT;

	for (;;) {
		for (p++; *p && *p != '"'; p++) {
			if (*p == '\\' && *++p == 'n')
				ga_str_addc(&text, '\n');
			else
				ga_str_addc(&text, *p);
		}
		*end = p += *p == '"';
		p += strspn(p, " \t\n");
		if (ga_starts(p, "PRI")) {
			ga_str_addc(&text, 'd');
			p += strspn(p, "PRIduxX0123456789");
			*end = p;
			p += strspn(p, " \t\n");
		}
		if (*p != '"')
			return ga_str_take(&text);
	}
}

/* The text with value for each conversion that is a word; one behind a letter is its ending. */
static char *filled(const char *text, const char *value)
{
	struct ga_str out = GA_STR_INIT;
	const char *p;

	for (p = text; *p; p++) {
		bool ending = p > text && islower((unsigned char)p[-1]);

		if (*p != '%') {
			ga_str_addc(&out, *p);
			continue;
		}
		p += 1 + strspn(p + 1, "-+ #0123456789.*lzj");
		ga_str_add(&out, *p == '%' ? "%" : ending ? "" : value);
		if (!*p)
			break;
	}
	return ga_str_take(&out);
}

/* Whether a command may begin there: at a word, in quotes or brackets or not. */
static bool at_word(const char *text, const char *p)
{
	if (p > text && strchr("'(", p[-1]))
		p--;
	return p == text || p[-1] == ' ';
}

static int add_file(const char *path, const struct stat *st, int type, struct FTW *unused)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	const char *p, *dot = strrchr(path, '.');
	ga_autofd int fd = -1;

	(void)st;
	(void)unused;
	/* remote.c makes commands alone, which stand behind "$". */
	if (type != FTW_F || !ga_streq(dot, ".c") || strstr(path, "decide/setup/remote.c"))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || ga_file_read_fd(fd, path, 1 << 20, &text, &err) < 0)
		return -1;
	for (p = text.buf; *p;) {
		if (ga_starts(p, "/*")) {
			p = strstr(p, "*/") + 2;
		} else if (*p == '\'') {
			p = strchr(p + 1 + (p[1] == '\\') + 1, '\'') + 1;
		} else if (*p == '"') {
			ga_autofree char *found = literal(p, &p);
			const char *command = strstr(found, "gpuaas-");

			if (command && strchr(command, ' ') && !strchr(found, '\n') &&
			    !strstr(found, "json_object") && found[strlen(found) - 1] != ' ')
				ga_texts_add(&messages, found);
		} else {
			p++;
		}
	}
	return 0;
}

/* Whether a word can only be of a command: an option, a pipe, TEXT, an id. */
static bool is_sure(const char *word, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (isdigit((unsigned char)word[i]) || isupper((unsigned char)word[i]) ||
		    strchr("|=<>", word[i]))
			return true;
	return *word == '-' && n > 1;
}

/* Bytes of the command at p: up to the last sure word before the end of the sentence or part of
 * it. */
static size_t command_at(const char *p)
{
	size_t n = strcspn(p, " ';:,.()"), at = n, len;

	while (p[at] == ' ') {
		len = strcspn(p + at + 1, " ;,)");
		if (p[at + 1] == '\'') /* an argument */
			len = 1 + strcspn(p + at + 2, "'") + 1;
		while (len && strchr(":.'", p[at + len]) && p[at + 1] != '\'')
			len--;
		if (p[at + 1] == '(')
			break;
		at += 1 + len;
		if (is_sure(p + at - len, len) || p[at - len] == '\'')
			n = at;
		if (ga_starts(p + at - len, "gpuaas-"))
			n = at;
	}
	return n;
}

/* Words in so many bytes. */
static size_t words_in(const char *p, size_t n)
{
	size_t words = 1, i;

	for (i = 0; i < n; i++)
		words += p[i] == ' ';
	return words;
}

/* Checks the commands of a message that is filled with value, with the extent that they have when
 * it is filled with an id. */
static void check(const char *message, const char *value)
{
	ga_autofree char *sure = filled(message, "h7"), *text = filled(message, value);
	size_t from = 0;
	const char *at;

	while ((at = strstr(sure + from, "gpuaas-"))) {
		size_t n = command_at(at), before = words_in(sure, (size_t)(at - sure)) - 1;
		size_t words = words_in(at, n), i;
		const char *begin = text, *end;
		ga_autofree char *command = NULL;
		int width;

		from = (size_t)(at - sure) + n;
		if (!at_word(sure, at))
			continue;
		for (i = 0; i < before; i++)
			begin = strchr(begin, ' ') + 1;
		begin = strstr(begin, "gpuaas-");
		for (end = begin, i = 0; i < words; i++)
			end += strcspn(end + (i > 0), " ") + (i > 0);
		while (end > begin && strchr(";:,.)'", end[-1]))
			end--;
		command = ga_xstrndup(begin, (size_t)(end - begin));
		for (width = 20; width < 120; width += 3) {
			ga_autostr struct ga_str out = GA_STR_INIT;

			ga_form_fold("", text, 0, 4, width, &out);
			if (strstr(out.buf, command))
				continue;
			t_ok(false, "'%s' of '%s' is whole in %d columns", command, text, width);
			break;
		}
		if (width >= 120)
			t_ok(true, "'%s' is whole", command);
	}
}

static void cases(void)
{
	static const struct {
		const char *text, *folded;
		int width;
	} rows[] = {
		{ "this continues it: gpuaas-approve repair ypr0e3pd --reason TEXT | gpuaas-wipe",
		  "this continues it:\n"
		  "    gpuaas-approve repair ypr0e3pd --reason TEXT | gpuaas-wipe\n", 70 },
		{ "see gpuaas-records(5) for them",
		  "see\n    gpuaas-records(5)\n    for them\n", 20 },
		{ "run (gpuaas-node undrain alpha) now",
		  "run\n    (gpuaas-node undrain alpha)\n    now\n", 20 },
		{ "gpuaas-node drain h7 --reason 'a b c' keeps new ones away",
		  "gpuaas-node drain h7 --reason 'a b c'\n    keeps new ones away\n", 40 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autostr struct ga_str out = GA_STR_INIT;

		ga_form_fold("", rows[i].text, 0, 4, rows[i].width, &out);
		t_str(out.buf, rows[i].folded, "%s", rows[i].text);
	}
}

int main(void)
{
	size_t i;

	setlocale(LC_CTYPE, "C.UTF-8");
	cases();
	t_int(nftw("lib", add_file, 16, FTW_PHYS) | nftw("bin", add_file, 16, FTW_PHYS), 0,
	      "the sources are read");
	t_ok(messages.n > 200, "%zu messages have a command", messages.n);
	for (i = 0; i < messages.n; i++) {
		check(messages.v[i], "h7");
		check(messages.v[i], "alpha");
	}
	ga_texts_release(&messages);
	return t_done();
}
