/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-explain: what a word of the pages, a kind of record or a member of one is. */
#include "cli/explain/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "cli/frame/cli.h"
#include "record/closest.h"
#include "record/kind.h"

/* ---- records ---- */

static const char *const format_words[] = {
	[GA_T_ANY] = "text",	 [GA_T_ID] = "id",	  [GA_T_NAME] = "name",
	[GA_T_CODE] = "code",	 [GA_T_TIME] = "time",	  [GA_T_DIGEST] = "digest",
	[GA_T_PCI] = "PCI address", [GA_T_MAC] = "MAC", [GA_T_IP] = "IP address",
	[GA_T_CPUS] = "CPU list", [GA_T_HEX] = "hex text", [GA_T_WORD] = "word",
	[GA_T_ADDRESS] = "address", [GA_T_PERSON] = "text", [GA_T_MULTILINE] = "text of lines",
};

static const char *type_word(const struct ga_field *f)
{
	switch (f->type) {
	case GA_F_TEXT:
		return f->values ? "word" : format_words[f->format];
	case GA_F_INT:
		return "integer";
	case GA_F_BOOL:
	case GA_F_TRI:
		return "boolean";
	case GA_F_DECIMAL:
		return "number";
	case GA_F_OBJ:
	case GA_F_JSON:
		return "object";
	case GA_F_LIST:
		return "list of objects";
	case GA_F_TEXTS:
		return "list of texts";
	case GA_F_INTS:
		return "list of integers";
	}
	return "value";
}

static void add_field(struct ga_str *out, const struct ga_field *f)
{
	ga_autostr struct ga_str s = GA_STR_INIT;
	size_t i;

	ga_str_addf(&s, "%s: %s%s. %s.", f->name, type_word(f),
		    f->presence == GA_NULLOK ? ", or null" :
		    f->presence == GA_OPT    ? ", may be left out" :
					       "", f->doc ? f->doc : "");
	for (i = 0; f->values && f->values[i]; i++)
		ga_str_addf(&s, "%s%s", i ? ", " : " One of: ", f->values[i]);
	ga_explain_wrap(out, s.buf, 4, 8);
}

static void add_members(struct ga_str *out, const struct ga_schema *schema)
{
	const struct ga_field *f;

	for (f = schema->fields; f->name; f++)
		add_field(out, f);
}

/* The codes of a section of gpuaas-codes(7); NULL: of every one. */
static void codes_of(const char *section, struct ga_texts *ret)
{
	const struct ga_explain_page *page;

	for (page = ga_explain_pages; page->name; page++)
		if (ga_streq(page->name, "gpuaas-codes"))
			ga_mdoc_words(page, section, ret);
}

/* The codes that a member can have, where a section of gpuaas-codes(7) has them. */
static void add_codes(struct ga_str *out, const struct ga_schema *kind, const char *member)
{
	static const struct {
		const char *member, *section;
	} coded[] = {
		{ "attention.code", "ATTENTION" }, { "notice.code", "ATTENTION" },
		{ "drift.code", "DRIFT" }, { "failure.code", "FAILURES" },
		{ "refusal.code", "REFUSALS" }, { "kept-refusal.code", "REFUSALS" },
		{ "finding.check", "FINDINGS OF CHECK" },
		{ "label-finding.code", "FINDINGS OF LABELS" },
		{ "slot.blockers.code", "BLOCKERS" },
	};
	ga_autotexts struct ga_texts codes = { NULL, 0 };
	ga_autostr struct ga_str line = GA_STR_INIT;
	char name[32];
	ga_autofree char *path = ga_xprintf("%s.%s", ga_kind_short(kind, name), member);
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(coded); i++) {
		if (!ga_streq(coded[i].member, path))
			continue;
		codes_of(coded[i].section, &codes);
		ga_str_addf(&line, "One of (gpuaas-codes(7), %s):", coded[i].section);
		for (j = 0; j < codes.n; j++)
			ga_str_addf(&line, "%s %s", j ? "," : "", codes.v[j]);
		ga_explain_wrap(out, line.buf, 8, 8);
	}
}

/* Whether the word is a record or a member. */
static bool explain_record(const char *word, struct ga_str *out)
{
	const char *member;
	const struct ga_schema *kind = ga_kind_named(word, &member);
	const struct ga_field *f;

	if (!kind)
		return false;
	if (!*member) {
		ga_str_addf(out, "%s  (gpuaas-records(5))\n", kind->kind);
		ga_explain_wrap(out, kind->doc, 4, 4);
		ga_str_addc(out, '\n');
		add_members(out, kind);
		return true;
	}
	f = ga_schema_member(kind, member + 1);
	if (!f)
		return false;
	ga_str_addf(out, "%s of %s  (gpuaas-records(5))\n", member + 1, kind->kind);
	add_field(out, f);
	add_codes(out, kind, member + 1);
	if (f->sub) {
		ga_str_addc(out, '\n');
		add_members(out, f->sub);
	}
	return true;
}

/* ---- words ---- */

/* Calls each with the path ("allocation.power_wanted") of every member that has a closed set of
 * words, of all kinds. */
static void each_set(const struct ga_schema *schema, const char *path,
		     void (*each)(const char *path, const struct ga_field *f, void *arg), void *arg)
{
	const struct ga_field *f;

	for (f = schema->fields; f->name; f++) {
		ga_autofree char *here = ga_xprintf("%s.%s", path, f->name);

		if (f->values)
			each(here, f, arg);
		if (f->sub)
			each_set(f->sub, here, each, arg);
	}
}

static void each_set_of_kinds(void (*each)(const char *path, const struct ga_field *f, void *arg),
			      void *arg)
{
	char name[32];
	size_t i;

	for (i = 0; ga_kinds[i]; i++)
		each_set(ga_kinds[i], ga_kind_short(ga_kinds[i], name), each, arg);
}

#define MEMBERS_MAX 6 /* shown of those that have a word */
struct value {
	const char *word;
	struct ga_str *out;
	int n;
};

static void add_value(const char *path, const struct ga_field *f, void *arg)
{
	struct value *v = arg;
	const char *const *word = f->values;
	ga_autofree char *line = ga_xprintf("%s: %s.", path, f->doc ? f->doc : "");

	while (*word && strcmp(*word, v->word) != 0)
		word++;
	if (!*word || ++v->n > MEMBERS_MAX)
		return;
	if (v->n == 1)
		ga_str_addf(v->out, "%s  (a value of members; gpuaas-records(5))\n", v->word);
	ga_explain_wrap(v->out, line, 4, 8);
}

/* The members whose closed set has the word; returns their number. */
static int explain_value(const char *word, struct ga_str *out)
{
	struct value v = { .word = word, .out = out };

	each_set_of_kinds(add_value, &v);
	if (v.n > MEMBERS_MAX)
		ga_str_addf(out, "    and %d more members\n", v.n - MEMBERS_MAX);
	return v.n;
}

static void list_values(const char *path, const struct ga_field *f, void *arg)
{
	const char *const *word;

	(void)path;
	for (word = f->values; *word; word++)
		if (!ga_texts_has(arg, *word))
			ga_texts_add(arg, *word);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void all_words(struct ga_texts *ret)
{
	const struct ga_explain_page *page;
	size_t i;

	for (page = ga_explain_pages; page->name; page++)
		ga_mdoc_words(page, NULL, ret);
	for (i = 0; ga_kinds[i]; i++) {
		char name[32];

		ga_kind_short(ga_kinds[i], name);
		if (!ga_texts_has(ret, name))
			ga_texts_add(ret, name);
	}
	each_set_of_kinds(list_values, ret);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_text);
}

static int unknown(const char *word, struct ga_err *err)
{
	ga_autotexts struct ga_texts words = { NULL, 0 };
	ga_autostr struct ga_str members = GA_STR_INIT;
	const char *member;
	struct ga_closest_names near;
	ga_autofree char *kind = ga_xstrndup(word, strcspn(word, ".")), *end = NULL;
	ga_autofree char *before = ga_xprintf("%s.", kind);
	const struct ga_schema *schema = ga_kind_named(kind, &member);
	const struct ga_field *f;
	size_t i;

	if (ga_starts(word, "gpuaas.") || !strchr(word, '.'))
		schema = NULL;
	ga_closest_begin(&near, schema ? strchr(word, '.') + 1 : word);
	if (schema) {
		near.before = before;
		ga_closest_members(&near, schema);
	}
	for (f = schema ? schema->fields : NULL; f && f->name; f++)
		ga_str_addf(&members, " %s", f->name);
	all_words(&words);
	for (i = 0; !schema && i < words.n; i++) {
		if (strlen(word) > 2 && ga_starts(words.v[i], word))
			ga_closest_add(&near, words.v[i], 0);
		else
			ga_closest_word(&near, words.v[i]);
	}
	end = ga_closest_end(&near);
	if (schema)
		return ga_refuse(err, GA_NOTFOUND, NULL, word,
				 ("%s has no member '%.64s'%s", schema->kind,
				  strchr(word, '.') + 1, end),
				 ("its members:%s", members.buf));
	return ga_refuse(err, GA_NOTFOUND, NULL, word,
			 ("no page explains '%.64s'%s", word, end),
			 ("a code, a state, an exit status, a metric, an alert, a kind of record, "
			  "or KIND.MEMBER; --list prints the words"));
}

/* The pages name the folder of make's default PREFIX; the program knows its own. */
static void use_own_folder(struct ga_str *text)
{
	static const char default_folder[] = "/usr/local/share/gpuaas";
	ga_autostr struct ga_str out = GA_STR_INIT;
	const char *p = text->buf, *at;

	while ((at = strstr(p, default_folder))) {
		ga_str_add_bytes(&out, p, (size_t)(at - p));
		ga_str_add(&out, GA_SHARE_DIR);
		p = at + strlen(default_folder);
	}
	ga_str_add(&out, p);
	ga_print_text(out.buf);
}

/* Adds the items of the pages for the word. Of the warning "NAME_missing" they have NAME. */
static bool explain_by_pages(const char *word, struct ga_str *out)
{
	static const char end[] = "_missing";
	size_t n = strlen(word);
	const struct ga_explain_page *page;
	bool found = false;

	for (page = ga_explain_pages; page->name; page++)
		found |= ga_mdoc_items(page, word, out) > 0;
	if (!found && n > strlen(end) && !strcmp(word + n - strlen(end), end)) {
		ga_autofree char *name = ga_xstrndup(word, n - strlen(end));

		for (page = ga_explain_pages; page->name; page++)
			found |= ga_mdoc_items(page, name, out) > 0;
	}
	return found;
}

int ga_explain(const char *word, struct ga_err *err)
{
	ga_autostr struct ga_str out = GA_STR_INIT;
	bool found = explain_record(word, &out);

	found |= explain_by_pages(word, &out);
	/* A page says more than the schema. */
	if (!found && !explain_value(word, &out))
		return unknown(word, err);
	use_own_folder(&out);
	return 0;
}

int ga_explain_code(const char *member, const char *word, bool strict, struct ga_err *err)
{
	bool phase = ga_streq(member, "phase");
	ga_autotexts struct ga_texts codes = { NULL, 0 };
	ga_autofree char *hint = NULL;
	struct ga_closest_names near;
	size_t i;

	codes_of(NULL, &codes);
	if (ga_texts_has(&codes, word))
		return 0;
	/* Phases are near to phases alone. */
	if (phase) {
		ga_texts_release(&codes);
		codes_of("PHASES", &codes);
	}
	ga_closest_begin(&near, word);
	for (i = 0; i < codes.n; i++)
		ga_closest_word(&near, codes.v[i]);
	/* The page has the phases of a placement, not the steps of a wipe. */
	if (phase && !strict && !near.n)
		return 0;
	hint = ga_closest_hint(&near);
	return ga_refuse(err, GA_USAGE, "no_value", NULL,
			 ("'%.64s' is never the value of '%s'", word, member),
			 ("%sgpuaas-codes(7) has the codes", hint));
}

void ga_explain_list(void)
{
	ga_autotexts struct ga_texts words = { NULL, 0 };
	ga_autostr struct ga_str out = GA_STR_INIT;
	size_t i;

	all_words(&words);
	for (i = 0; i < words.n; i++)
		ga_str_addf(&out, "%s\n", words.v[i]);
	ga_print_text(out.buf);
}
