/* SPDX-License-Identifier: Apache-2.0 */
/* Items of a page in mdoc(7) as text: the macros that the pages of gpuaas use, and no others. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain/explain.h"
#include "cli/frame/form.h"

#define TEXT_INDENT 4
#define LITERAL_INDENT 8
#define WORDS_MAX 64 /* of a line of a page */

/* ---- lines and words ---- */

struct words {
	char *v[WORDS_MAX];
	size_t n;
	char *line; /* the words are in it */
};

static void release_words(struct words *w)
{
	free(w->line);
}

/* The words of a line; quotes join several. */
static void split(const char *line, size_t len, struct words *ret)
{
	char *p = ret->line = ga_xstrndup(line, len);

	ret->n = 0;
	while (ret->n < WORDS_MAX) {
		char end = ' ';

		p += strspn(p, " ");
		if (!*p)
			return;
		if (*p == '"') {
			end = '"';
			p++;
		}
		ret->v[ret->n++] = p;
		p += strcspn(p, end == '"' ? "\"" : " ");
		if (!*p)
			return;
		*p++ = '\0';
	}
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : NULL;
}

static bool begins(const char *line, const char *macro)
{
	size_t n = strlen(macro);

	return line[0] == '.' && !strncmp(line + 1, macro, n) &&
	       (line[n + 1] == ' ' || line[n + 1] == '\n' || !line[n + 1]);
}

/* Adds the text without the escapes of roff. */
static void add_plain(struct ga_str *out, const char *text)
{
	while (*text) {
		if (*text != '\\') {
			ga_str_addc(out, *text++);
			continue;
		}
		text++;
		if (*text == '(' && text[1] && text[2]) {
			ga_str_addc(out, !strncmp(text + 1, "aq", 2) ? '\'' : '"');
			text += 3;
		} else if (*text == 'e') {
			ga_str_addc(out, '\\');
			text++;
		} else if (*text) {
			if (*text != '&')
				ga_str_addc(out, *text);
			text++;
		}
	}
}

/* ---- a paragraph ---- */

struct para {
	struct ga_str text;
	struct ga_str *out;
	const char *program; /* of .Nm */
	bool glued;	     /* the next word follows without a space */
	bool broken;	     /* an empty line stands before what comes next */
	int indent;
};

void ga_explain_wrap(struct ga_str *out, const char *text, int first, int indent)
{
	int column = first;
	bool begun = false;

	ga_str_addf(out, "%*s", first, "");
	while (*(text += strspn(text, " "))) {
		size_t n = ga_form_word(text, GA_EXPLAIN_COLUMNS - indent);

		if (begun && column + 1 + (int)n > GA_EXPLAIN_COLUMNS) {
			ga_str_addf(out, "\n%*s", indent, "");
			column = indent;
		} else if (begun) {
			ga_str_addc(out, ' ');
			column++;
		}
		ga_str_add_bytes(out, text, n);
		column += (int)n;
		text += n;
		begun = true;
	}
	ga_str_addc(out, '\n');
}

static void flush(struct para *p)
{
	if (!p->text.len)
		return;
	if (p->broken)
		ga_str_addc(p->out, '\n');
	p->broken = p->glued = false;
	if (p->indent == LITERAL_INDENT) /* a command, to paste */
		ga_str_addf(p->out, "%*s%s\n", p->indent, "", p->text.buf);
	else
		ga_explain_wrap(p->out, p->text.buf, p->indent, p->indent);
	p->text.len = 0;
	p->text.buf[0] = '\0';
}

static void add_word(struct para *p, const char *before, const char *word, const char *after)
{
	if (p->text.len && !p->glued)
		ga_str_addc(&p->text, ' ');
	p->glued = false;
	ga_str_add(&p->text, before);
	add_plain(&p->text, word);
	ga_str_add(&p->text, after);
}

static bool closes(const char *word)
{
	return *word && !word[1] && strchr(".,;:)]?!", *word);
}

/* Macros that show their words as they are, and those that stand around words. */
static const char *const plain[] = { "Sy", "Em", "Li", "Pa", "Ev", "Ar", "Cm", "Va", "Ic", "Sx",
				     "No", NULL };
static const struct enclosure {
	const char *macro, *open, *close;
} enclosures[] = {
	{ "Pq", "(", ")" },   { "Ql", "'", "'" }, { "Sq", "'", "'" },
	{ "Dq", "\"", "\"" }, { "Op", "[", "]" }, { "Brq", "{", "}" },
};

static bool is_plain(const char *word)
{
	size_t i;

	for (i = 0; plain[i]; i++)
		if (!strcmp(plain[i], word))
			return true;
	return false;
}

static const struct enclosure *enclosure_of(const char *word)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(enclosures); i++)
		if (!strcmp(enclosures[i].macro, word))
			return &enclosures[i];
	return NULL;
}

/* The words of a line of a macro, from the i-th on. */
static void add_words(struct para *p, const struct words *w, size_t i)
{
	const char *opened[8];
	const struct enclosure *e;
	size_t n = 0, end = w->n;
	bool option = false;

	while (end > i && closes(w->v[end - 1]))
		end--;
	for (; i < w->n; i++) {
		const char *word = w->v[i];

		if (i == end)
			while (n)
				ga_str_add(&p->text, opened[--n]);
		if (closes(word)) {
			p->glued = true;
			add_word(p, "", word, "");
		} else if (i < end && (e = enclosure_of(word)) && n < GA_ARRAY_SIZE(opened)) {
			add_word(p, e->open, "", "");
			p->glued = true;
			opened[n++] = e->close;
		} else if (!strcmp(word, "Ns")) {
			p->glued = true;
		} else if (!strcmp(word, "Fl")) {
			option = true;
		} else if (!strcmp(word, "Nm")) {
			option = false;
			if (i + 1 >= end)
				add_word(p, "", p->program, "");
		} else if (!strcmp(word, "Xr") && i + 2 < w->n) {
			ga_autofree char *section = ga_xprintf("(%s)", w->v[i + 2]);

			add_word(p, "", w->v[i + 1], section);
			i += 2;
		} else if (is_plain(word)) {
			option = false;
		} else {
			add_word(p, option ? "-" : "", word, "");
		}
	}
	while (n)
		ga_str_add(&p->text, opened[--n]);
}

/* A line in the body of an item. */
static void add_line(struct para *p, const char *line, size_t len, bool literal)
{
	ga_cleanup(release_words) struct words w = { .line = NULL };

	if (literal) {
		ga_str_addf(p->out, "%*s", LITERAL_INDENT, "");
		split("", 0, &w);
		free(w.line);
		w.line = ga_xstrndup(line, len);
		add_plain(p->out, w.line);
		ga_str_addc(p->out, '\n');
		return;
	}
	split(line, len, &w);
	if (!w.n || !strcmp(w.v[0], ".\\\""))
		return;
	if (line[0] != '.') {
		size_t i;

		/* Of a code, two sentences begin a line. */
		if (!strcmp(w.v[0], "Look:") || !strcmp(w.v[0], "Do:"))
			flush(p);
		for (i = 0; i < w.n; i++)
			add_word(p, "", w.v[i], "");
	} else if (begins(line, "Dl")) {
		flush(p);
		p->indent = LITERAL_INDENT;
		add_words(p, &w, 1);
		flush(p);
		p->indent = TEXT_INDENT;
	} else if (begins(line, "It")) {
		flush(p);
		add_words(p, &w, 1);
		ga_str_addc(&p->text, ':');
	} else if (begins(line, "Pp") || begins(line, "Bd") || begins(line, "Ed") ||
		   begins(line, "Bl") || begins(line, "El")) {
		flush(p);
		p->broken = begins(line, "Pp");
	} else if (begins(line, "Po") || begins(line, "Pc")) {
		p->glued |= line[2] == 'c';
		add_word(p, line[2] == 'c' ? ")" : "(", "", "");
		p->glued = line[2] == 'o';
		add_words(p, &w, 1);
	} else {
		w.v[0]++; /* the dot */
		add_words(p, &w, 0);
	}
}

/* ---- items ---- */

/* The words of an item: those between commas on its line, in a table those of the first cell.
 * Macros, arguments, labels in braces and text in parentheses do not count. A part of several words
 * is a sentence ("slot 'ID' is quarantined"): nobody looks it up by one of its words. */
static void item_words(const char *line, struct words *ret)
{
	struct words all;
	size_t i, n = 0, part = 0;
	bool argument = false;

	split(line, strcspn(line, "\n"), &all);
	for (i = 1; i < all.n; i++) {
		const char *word = all.v[i];

		if (!strcmp(word, "Ta") || !strcmp(word, "Ns"))
			break;
		if (!strcmp(word, ",")) {
			n -= part > 1 ? part : 0;
			part = 0;
			argument = false;
		} else if (!strcmp(word, "Ar") || !strcmp(word, "Op") || *word == '(') {
			argument = true;
		} else if (!strcmp(word, "Xr") && i + 2 < all.n) {
			ret->v[n++] = all.v[i + 1];
			part++;
			i += 2; /* the section */
		} else if (!argument && !closes(word) && !is_plain(word) &&
			   strcmp(word, "Fl") != 0) {
			ret->v[n++] = all.v[i];
			part++;
		}
	}
	n -= part > 1 ? part : 0;
	ret->n = n;
	ret->line = all.line;
}

static bool is_item_of(const char *line, const char *word)
{
	ga_cleanup(release_words) struct words w = { .line = NULL };
	size_t i;

	item_words(line, &w);
	for (i = 0; i < w.n; i++)
		if (!strcmp(w.v[i], word))
			return true;
	return false;
}

/* Adds the body behind the line of an item, to the next item or the end of its list. */
static void add_body(struct ga_str *out, const char *line, const char *program)
{
	struct para p = { .text = GA_STR_INIT, .out = out, .program = program,
			  .indent = TEXT_INDENT };
	bool literal = false;
	int depth = 0;

	while ((line = next_line(line)) && *line) {
		if (depth == 0 && !literal && (begins(line, "It") || begins(line, "El")))
			break;
		depth += begins(line, "Bl") - begins(line, "El");
		if (begins(line, "Ed"))
			literal = false;
		add_line(&p, line, strcspn(line, "\n"), literal);
		if (begins(line, "Bd"))
			literal = true;
	}
	flush(&p);
	ga_str_release(&p.text);
}

static void add_heading(struct ga_str *out, const struct ga_explain_page *page, const char *word,
			const char *section)
{
	ga_autofree char *where = ga_xprintf("(%s(%s), %.*s)", page->name, page->section,
					     (int)strcspn(section, "\n"), section);

	ga_str_addf(out, "%s%s", word,
		    strlen(word) + strlen(where) + 2 > GA_EXPLAIN_COLUMNS ? "\n" : "  ");
	ga_explain_wrap(out, where, 0, 0);
}

int ga_mdoc_items(const struct ga_explain_page *page, const char *word, struct ga_str *out)
{
	const char *line, *section = "";
	int n = 0;

	for (line = page->text; line && *line; line = next_line(line)) {
		if (begins(line, "Sh") || begins(line, "Ss")) {
			section = line + 4;
		} else if (begins(line, "It") && is_item_of(line, word)) {
			if (out->len)
				ga_str_addc(out, '\n');
			add_heading(out, page, word, section);
			add_body(out, line, page->name);
			n++;
		}
	}
	return n;
}

void ga_mdoc_words(const struct ga_explain_page *page, const char *section, struct ga_texts *ret)
{
	bool inside = !section;
	const char *line;

	for (line = page->text; line && *line; line = next_line(line)) {
		ga_cleanup(release_words) struct words w = { .line = NULL };
		size_t i;

		if (section && begins(line, "Sh"))
			inside = strlen(section) == strcspn(line + 4, "\n") &&
				 ga_starts(line + 4, section);
		if (!inside || !begins(line, "It"))
			continue;
		item_words(line, &w);
		for (i = 0; i < w.n; i++)
			if (!ga_texts_has(ret, w.v[i]) && isalnum((unsigned char)w.v[i][0]) &&
			    strspn(w.v[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_-") == strlen(w.v[i]))
				ga_texts_add(ret, w.v[i]);
	}
}
