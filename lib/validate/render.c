/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a matrix, one after another, in a form: Markdown or HTML. */
#include "validate/render.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A paragraph, a field of a table or an item of a list. Texts are as the record has them. */
struct part {
	const char *text, *small; /* small: a second line; NULL: none */
	const char *style;	  /* a class of the page; NULL: none */
	const char *bundle, *file; /* the evidence; NULL: none */
	const struct part *next;   /* more of the same field; NULL: no more */
};

struct form {
	void (*heading)(struct ga_str *out, int level, const char *text);
	void (*paragraph)(struct ga_str *out, const struct part *part);
	void (*item)(struct ga_str *out, const struct part *part); /* of a list */
	void (*items_end)(struct ga_str *out);
	void (*table)(struct ga_str *out); /* the first row is its head */
	void (*field)(struct ga_str *out, bool head, const struct part *part);
	void (*row)(struct ga_str *out, bool head, size_t fields); /* ends a row */
	void (*table_end)(struct ga_str *out);
};

/* ---- words ---- */

static const struct {
	const char *word, *text;
} words[] = {
	{ "supported", "Supported" },
	{ "partially_supported", "Partially supported" },
	{ "not_supported", "Not supported" },
	{ "would_pass", "would pass" },
	{ "would_fail", "would fail" },
	{ "no_prediction", "no prediction" },
	{ "not_run", "not run" },
	{ "preemption", "Preemption" },
	{ "fragmentation", "Fragmentation" },
	{ "observability", "Observability" },
	{ "complexity", "Operational complexity" },
	{ "start_ms", "time to start (ms)" },
	{ "evictions", "jobs evicted" },
	{ "evictions_over_least", "jobs evicted beyond those needed" },
	{ "evictions_explained", "evictions with a reason" },
	{ "lost_slot_seconds", "slot seconds lost by evictions" },
	{ "checks", "checks" },
	{ "checks_met", "checks met" },
	{ "largest_block_shown", "largest free block shown (1: yes)" },
	{ "explain_fields", "fields of an explanation (of 6)" },
	{ "components", "components" },
	{ "configuration_lines", "lines of configuration" },
	{ "settings_changed", "settings that differ from the defaults" },
	{ "settings_not_taken", "settings that it cannot take" },
	{ "first_job_ms", "time to the first job (ms)" },
};

const char *ga_matrix_word(const char *word)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].word, word))
			return words[i].text;
	return word;
}

static bool is_model(const struct ga_matrix_column *c)
{
	return !strcmp(c->technology_class, "model");
}

/* "slurm 22.05.8", and the configuration where two columns differ in nothing else. Allocated. */
static char *column_name(const struct ga_matrix *m, const struct ga_matrix_column *c)
{
	const char *digest = c->configuration_digest;
	size_t i, same = 0;

	for (i = 0; i < m->columns.n; i++)
		same += !strcmp(m->columns.v[i].technology, c->technology) &&
			!strcmp(m->columns.v[i].version, c->version) &&
			!strcmp(m->columns.v[i].technology_class, c->technology_class);
	return ga_xprintf("%s %s%s%s%.8s", c->technology, c->version, is_model(c) ? " model" : "",
			  same > 1 ? ", configuration " : "",
			  same < 2 ? "" : digest ? digest + strlen("sha256:") : "unknown");
}

/* ---- Markdown ---- */

/* Characters with a meaning in Markdown or HTML stand behind a backslash. */
static void md_text(struct ga_str *out, const char *text)
{
	ga_autofree char *clean = ga_printable(ga_xstrdup(text));
	const char *p;

	for (p = clean; *p; p++) {
		if (strchr("\\`*_{}[]<>#|~&!$", *p))
			ga_str_addc(out, '\\');
		ga_str_addc(out, *p);
	}
}

/* A relative link. Characters with a meaning in an address are written in percent. */
static void add_link(struct ga_str *out, const char *bundle)
{
	const char *slash = strrchr(bundle, '/');
	const char *p = bundle[0] == '/' ? slash + 1 : bundle;

	if (p[0] != '.')
		ga_str_add(out, "./");
	for (; *p; p++) {
		if (isalnum((unsigned char)*p) || strchr("/._-", *p))
			ga_str_addc(out, *p);
		else
			ga_str_addf(out, "%%%02X", (unsigned char)*p);
	}
}

static void md_part(struct ga_str *out, const struct part *part)
{
	md_text(out, part->text);
	if (part->small) {
		ga_str_add(out, "<br>");
		md_text(out, part->small);
	}
	if (part->bundle) {
		ga_str_add(out, part->text[0] ? " ([" : "[");
		md_text(out, part->file ? part->file : part->bundle);
		ga_str_add(out, "](");
		add_link(out, part->bundle);
		ga_str_add(out, part->text[0] ? "))" : ")");
	}
	if (part->next) {
		ga_str_add(out, ", ");
		md_part(out, part->next);
	}
}

static void md_heading(struct ga_str *out, int level, const char *text)
{
	ga_str_addf(out, "%.*s ", level, "######");
	md_text(out, text);
	ga_str_add(out, "\n\n");
}

static void md_paragraph(struct ga_str *out, const struct part *part)
{
	md_part(out, part);
	ga_str_add(out, "\n\n");
}

static void md_item(struct ga_str *out, const struct part *part)
{
	ga_str_add(out, "- ");
	md_part(out, part);
	ga_str_addc(out, '\n');
}

static void md_newline(struct ga_str *out)
{
	ga_str_addc(out, '\n');
}

static void md_table(struct ga_str *out)
{
	(void)out;
}

static void md_field(struct ga_str *out, bool head, const struct part *part)
{
	(void)head;
	ga_str_add(out, "| ");
	md_part(out, part);
	ga_str_addc(out, ' ');
}

static void md_row(struct ga_str *out, bool head, size_t fields)
{
	ga_str_add(out, "|\n");
	if (!head)
		return;
	while (fields--)
		ga_str_add(out, "|---");
	ga_str_add(out, "|\n");
}

static const struct form markdown = {
	.heading = md_heading, .paragraph = md_paragraph, .item = md_item,
	.items_end = md_newline, .table = md_table, .field = md_field, .row = md_row,
	.table_end = md_newline,
};

/* ---- HTML ---- */

static const char html_head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" "
	"content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	"<title>";
static const char html_style[] =
	"</title>\n<style>\n"
	"body { font: 1rem/1.45 system-ui, sans-serif; color: #1b1b1b; background: #fff;\n"
	"  max-width: 80rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }\n"
	"h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.2rem; }\n"
	"h3 { font-size: 1.05rem; margin-top: 1.6rem; }\n"
	".wide { overflow-x: auto; }\n"
	"table { border-collapse: collapse; min-width: 30rem; }\n"
	"th, td { border: 1px solid #b8b8b8; padding: .35rem .5rem; text-align: left;\n"
	"  vertical-align: top; min-width: 6rem; }\n"
	"th { background: #eee; }\n"
	"small { display: block; color: #444; }\n"
	".draft { border: 2px solid #a40000; color: #a40000; padding: .5rem; font-weight: bold; }\n"
	".draft small { color: #a40000; font-weight: normal; }\n"
	"td.supported { background: #d7f0d7; } td.partially_supported { background: #fff0bf; }\n"
	"td.not_supported { background: #f9d5d5; }\n"
	"td.model, th.model { background: #f0f0f0; color: #555; font-style: italic; }\n"
	"td.rule, th.rule { border-left: 4px solid #555; }\n"
	"td.fail { color: #a40000; font-weight: bold; }\n"
	"a { color: #003e8a; } td a { white-space: nowrap; }\n"
	"@media print { body { max-width: none; padding: 0; font-size: 8pt; }\n"
	"  .wide { overflow: visible; } table { min-width: 0; width: 100%; }\n"
	"  th, td { min-width: 0; padding: 2pt 3pt; } tr, .draft { break-inside: avoid; }\n"
	"  h2, h3 { break-after: avoid; } td a { white-space: normal; }\n"
	"  a.in::after { content: \" in \" attr(href); }\n"
	"  td, th, .draft { -webkit-print-color-adjust: exact; print-color-adjust: exact; } }\n"
	"</style>\n</head>\n<body>\n";

static void html_text(struct ga_str *out, const char *text)
{
	ga_autofree char *clean = ga_printable(ga_xstrdup(text));

	ga_str_add_xml(out, clean);
}

static void html_part(struct ga_str *out, const struct part *part)
{
	html_text(out, part->text);
	if (part->small) {
		ga_str_add(out, "<small>");
		html_text(out, part->small);
		ga_str_add(out, "</small>");
	}
	if (part->bundle) {
		ga_str_addf(out, "%s<a%s href=\"", part->text[0] ? " " : "",
			    part->file ? " class=\"in\"" : "");
		add_link(out, part->bundle);
		ga_str_add(out, "\">");
		html_text(out, part->file ? part->file : part->bundle);
		ga_str_add(out, "</a>");
	}
	if (part->next) {
		ga_str_add(out, "<br>");
		html_part(out, part->next);
	}
}

static void html_open(struct ga_str *out, const char *tag, const char *style)
{
	if (style)
		ga_str_addf(out, "<%s class=\"%s\">", tag, style);
	else
		ga_str_addf(out, "<%s>", tag);
}

static void html_heading(struct ga_str *out, int level, const char *text)
{
	ga_str_addf(out, "<h%d>", level);
	html_text(out, text);
	ga_str_addf(out, "</h%d>\n", level);
}

static void html_paragraph(struct ga_str *out, const struct part *part)
{
	html_open(out, "p", part->style);
	html_part(out, part);
	ga_str_add(out, "</p>\n");
}

static void html_item(struct ga_str *out, const struct part *part)
{
	/* The first one of a list opens it. */
	if (out->len < 6 || strcmp(out->buf + out->len - 6, "</li>\n"))
		ga_str_add(out, "<ul>\n");
	ga_str_add(out, "<li>");
	html_part(out, part);
	ga_str_add(out, "</li>\n");
}

static void html_items_end(struct ga_str *out)
{
	ga_str_add(out, "</ul>\n");
}

static void html_table(struct ga_str *out)
{
	ga_str_add(out, "<div class=\"wide\"><table>\n<tr>");
}

static void html_field(struct ga_str *out, bool head, const struct part *part)
{
	/* A new row. */
	if (out->len > 6 && !strcmp(out->buf + out->len - 6, "</tr>\n"))
		ga_str_add(out, "<tr>");
	html_open(out, head ? "th" : "td", part->style);
	html_part(out, part);
	ga_str_addf(out, "</%s>", head ? "th" : "td");
}

static void html_row(struct ga_str *out, bool head, size_t fields)
{
	(void)head;
	(void)fields;
	ga_str_add(out, "</tr>\n");
}

static void html_table_end(struct ga_str *out)
{
	ga_str_add(out, "</table></div>\n");
}

static const struct form html = {
	.heading = html_heading, .paragraph = html_paragraph, .item = html_item,
	.items_end = html_items_end, .table = html_table, .field = html_field, .row = html_row,
	.table_end = html_table_end,
};

/* ---- the parts ---- */

static void text(struct ga_str *out, const struct form *f, const char *sentence)
{
	f->paragraph(out, &(struct part){ .text = sentence });
}

static void field(struct ga_str *out, const struct form *f, bool head, const char *what)
{
	f->field(out, head, &(struct part){ .text = what });
}

/* The class of the field of a column. Models stand right of a rule. */
static const char *style_of(const struct ga_matrix *m, size_t column, const char *style)
{
	if (!is_model(&m->columns.v[column]))
		return style;
	return column && !is_model(&m->columns.v[column - 1]) ? "model rule" : "model";
}

/* The head of a table with a field a technology, behind the fields of first. */
static void column_heads(struct ga_str *out, const struct form *f, const struct ga_matrix *m,
			 const char *const *first)
{
	size_t i, n;

	f->table(out);
	for (n = 0; first[n]; n++)
		field(out, f, true, first[n]);
	for (i = 0; i < m->columns.n; i++) {
		const struct ga_matrix_column *c = &m->columns.v[i];
		ga_autofree char *name = column_name(m, c);

		f->field(out, true,
			 &(struct part){ .text = name, .style = style_of(m, i, NULL),
					 .small = is_model(c) ? "it predicts and never counts" :
						  strcmp(c->technology_class, "system") ?
								c->technology_class : NULL });
	}
	f->row(out, true, n + m->columns.n);
}

static void render_head(struct ga_str *out, const struct form *f, const struct ga_matrix *m)
{
	ga_autofree char *plan = ga_xprintf("Plan %s, %zu scenarios.", m->plan_digest,
					    m->scenarios.n);

	f->heading(out, 1, m->title);
	if (m->draft)
		f->paragraph(out, &(struct part){ .text = "DRAFT", .small = m->draft,
						  .style = "draft" });
	text(out, f, plan);
	text(out, f,
	     "Supported: all MUST scenarios that cover the requirement in full pass. Partially "
	     "supported: at least one MUST scenario passes, or does so with a workaround, and no "
	     "safety scenario fails. Not supported: all else, also scenarios that were not run. A "
	     "pass without contention is inconclusive. Models predict and never count.");
}

static void render_support(struct ga_str *out, const struct form *f, const struct ga_matrix *m)
{
	static const char *const first[] = { "Requirement", NULL };
	size_t i, k, n;

	f->heading(out, 2, "Support matrix");
	if (!m->columns.n) {
		text(out, f, "No bundle counts.");
		return;
	}
	column_heads(out, f, m, first);
	for (i = 0; i < m->requirements.n; i++) {
		const struct ga_asked *asked = &m->requirements.v[i];
		ga_autofree char *name = ga_xprintf("%s: %s", asked->id, asked->title);

		f->field(out, false, &(struct part){ .text = name, .small = asked->behaviour });
		for (k = 0; k < m->columns.n; k++) {
			const struct ga_matrix_cell *cell = &m->columns.v[k].cells.v[i];
			ga_autostr struct ga_str why = GA_STR_INIT;

			ga_str_add(&why, cell->why);
			for (n = 0; n < cell->contested.n; n++)
				ga_str_addf(&why, "; contested: %s", cell->contested.v[n]);
			f->field(out, false,
				 &(struct part){ .text = ga_matrix_word(cell->support),
						 .small = why.buf,
						 .style = style_of(m, k, cell->support) });
		}
		f->row(out, false, m->columns.n + 1);
	}
	f->table_end(out);
}

/* One field a verdict would be too wide: a table for each technology. */
static void render_behaviour(struct ga_str *out, const struct form *f, const struct ga_matrix *m)
{
	size_t i, k, n;

	f->heading(out, 2, "Behaviour");
	for (i = 0; i < m->columns.n; i++) {
		const struct ga_matrix_column *c = &m->columns.v[i];
		ga_autofree char *name = column_name(m, c);

		f->heading(out, 3, name);
		f->table(out);
		field(out, f, true, "Scenario");
		field(out, f, true, is_model(c) ? "Predicted outcome" : "Outcome");
		field(out, f, true, "Reason");
		field(out, f, true, "Evidence");
		f->row(out, true, 4);
		for (k = 0; k < c->results.n; k++) {
			const struct ga_matrix_result *r = &c->results.v[k];

			for (n = 0; n < r->shown.n; n++) {
				const struct ga_matrix_shown *s = &r->shown.v[n];
				const struct ga_matrix_scenario *of = &m->scenarios.v[k];
				ga_autofree char *id =
					ga_xprintf("%s (%s%s)", of->id,
						   strcmp(of->level, "must") ? "SHOULD" : "MUST",
						   of->safety ? ", safety" : "");
				ga_autofree char *runs =
					s->agreeing < s->runs ?
						ga_xprintf("%" PRId64 " of %" PRId64 " runs agree",
							   s->agreeing, s->runs) :
						NULL;

				f->field(out, false,
					 &(struct part){ .text = id, .small = of->title });
				f->field(out, false,
					 &(struct part){
						 .text = ga_matrix_word(s->outcome),
						 .style = strcmp(s->outcome, "fail") ? NULL :
										       "fail",
						 .small = r->disagree ? "bundles disagree" :
									runs });
				field(out, f, false, s->why);
				f->field(out, false, &(struct part){ .text = "", .file = s->file,
								     .bundle = s->bundle });
				f->row(out, false, 4);
			}
		}
		f->table_end(out);
	}
	if (!m->differences.n)
		return;
	f->heading(out, 3, "Where documentation and behaviour differ");
	for (i = 0; i < m->differences.n; i++) {
		const struct ga_matrix_difference *d = &m->differences.v[i];
		ga_autofree char *sentence =
			ga_xprintf("%s: the model of %s predicts %s, and %s %s shows %s:",
				   d->scenario, d->technology, ga_matrix_word(d->predicted),
				   d->technology, d->version, ga_matrix_word(d->seen));

		f->item(out, &(struct part){ .text = sentence, .bundle = d->bundle });
	}
	f->items_end(out);
}

/* Whether an earlier number of any column has this row; rows are numbers by scenario and name. */
static bool is_new_row(const struct ga_matrix *m, size_t column, size_t at)
{
	const struct ga_matrix_number *n = &m->columns.v[column].numbers.v[at];
	size_t i, k;

	for (i = 0; i <= column; i++) {
		for (k = 0; k < (i == column ? at : m->columns.v[i].numbers.n); k++) {
			const struct ga_matrix_number *o = &m->columns.v[i].numbers.v[k];

			if (!strcmp(o->comparison, n->comparison) && !strcmp(o->name, n->name) &&
			    ga_streq(o->scenario, n->scenario))
				return false;
		}
	}
	return true;
}

static void render_numbers_row(struct ga_str *out, const struct form *f, const struct ga_matrix *m,
			       const struct ga_matrix_number *row)
{
	size_t i, k;

	field(out, f, false, ga_matrix_word(row->name));
	field(out, f, false, row->scenario ? row->scenario : "–");
	for (i = 0; i < m->columns.n; i++) {
		const struct ga_matrix_column *c = &m->columns.v[i];
		ga_autofree struct part *parts = ga_xcalloc(c->numbers.n + 1, sizeof(*parts));
		ga_autotexts struct ga_texts values = { 0 };
		size_t n = 0;

		for (k = 0; k < c->numbers.n; k++) {
			const struct ga_matrix_number *of = &c->numbers.v[k];
			ga_autofree char *value = ga_xprintf("%" PRId64, of->value);

			if (strcmp(of->comparison, row->comparison) ||
			    strcmp(of->name, row->name) || !ga_streq(of->scenario, row->scenario))
				continue;
			ga_texts_add(&values, value);
			parts[n] = (struct part){ .text = values.v[n], .bundle = of->bundle,
						  .file = of->file };
			if (n)
				parts[n - 1].next = &parts[n];
			n++;
		}
		if (!n)
			parts[0].text = "–";
		parts[0].style = style_of(m, i, NULL);
		f->field(out, false, parts);
	}
	f->row(out, false, m->columns.n + 2);
}

static void render_comparisons(struct ga_str *out, const struct form *f,
			       const struct ga_matrix *m)
{
	static const char *const first[] = { "Number", "Scenario", NULL };
	size_t i, k, w;

	f->heading(out, 2, "Comparisons");
	for (w = 0; ga_comparison_words[w]; w++) {
		bool any = false;

		f->heading(out, 3, ga_matrix_word(ga_comparison_words[w]));
		for (i = 0; i < m->columns.n; i++) {
			for (k = 0; k < m->columns.v[i].numbers.n; k++) {
				const struct ga_matrix_number *n = &m->columns.v[i].numbers.v[k];

				if (strcmp(n->comparison, ga_comparison_words[w]) ||
				    !is_new_row(m, i, k))
					continue;
				if (!any)
					column_heads(out, f, m, first);
				any = true;
				render_numbers_row(out, f, m, n);
			}
		}
		if (any)
			f->table_end(out);
		else
			text(out, f, "Nothing was measured.");
	}
}

static void render_remarks(struct ga_str *out, const struct form *f, const struct ga_matrix *m,
			   bool risks)
{
	size_t i, k;
	bool any = false;

	f->heading(out, 2, risks ? "Risks" : "Gaps");
	for (i = 0; i < m->columns.n; i++) {
		const struct ga_matrix_column *c = &m->columns.v[i];
		ga_autofree char *name = column_name(m, c);

		for (k = 0; k < (risks ? c->risks.n : c->gaps.n); k++) {
			const struct ga_matrix_remark *r = risks ? &c->risks.v[k] : &c->gaps.v[k];
			ga_autofree char *sentence = ga_xprintf("%s: %s", name, r->text);

			f->item(out, &(struct part){ .text = sentence, .bundle = r->bundle,
						     .file = r->file });
			any = true;
		}
	}
	if (any)
		f->items_end(out);
	else
		text(out, f, "The bundles name none.");
}

static void render_bundle(struct ga_str *out, const struct form *f, const char *column,
			  const struct ga_matrix_bundle *b)
{
	ga_autofree char *head =
		ga_xprintf("%s: executed by %s, %s to %s, %s, %s:", column,
			   b->executed_by ? b->executed_by : "nobody named",
			   b->started_at ? b->started_at : "?", b->ended_at ? b->ended_at : "?",
			   b->signer ? "signed" : "not signed",
			   b->reviews.n ? "reviewed" : "not reviewed");
	ga_autofree char *digest = ga_xprintf("%s%s%s", b->digest, b->signer ? ", key " : "",
					      b->signer ? b->signer : "");
	size_t i;

	f->item(out, &(struct part){ .text = head, .small = digest, .bundle = b->file });
	for (i = 0; i < b->reviews.n; i++) {
		const struct ga_matrix_review *r = &b->reviews.v[i];
		ga_autofree char *review =
			ga_xprintf("%s: %s %ss %s on %s%s%s", column, r->by, r->opinion,
				   r->scenario ? r->scenario : "the whole bundle", r->at,
				   r->reason ? ": " : "", r->reason ? r->reason : "");

		f->item(out, &(struct part){ .text = review });
	}
}

static void render_people(struct ga_str *out, const struct form *f, const struct ga_matrix *m)
{
	ga_autofree char *approved =
		m->approval ? ga_xprintf("Plan approved by %s on %s, %s%s.", m->approval->by,
					 m->approval->at,
					 m->approval->signer ? "signed, key " : "not signed",
					 m->approval->signer ? m->approval->signer : "") :
			      ga_xstrdup("Nobody approved this plan.");
	size_t i, k;

	f->heading(out, 2, "Executed, reviewed, approved");
	for (i = 0; i < m->columns.n; i++) {
		ga_autofree char *name = column_name(m, &m->columns.v[i]);

		for (k = 0; k < m->columns.v[i].bundles.n; k++)
			render_bundle(out, f, name, &m->columns.v[i].bundles.v[k]);
	}
	f->item(out, &(struct part){ .text = approved });
	f->items_end(out);
	if (!m->apart.n)
		return;
	f->heading(out, 3, "Bundles that do not count");
	for (i = 0; i < m->apart.n; i++) {
		const struct ga_matrix_apart *a = &m->apart.v[i];
		ga_autofree char *sentence =
			ga_xprintf("%s %s: %s:", a->technology ? a->technology : "unknown",
				   a->version ? a->version : "", a->why);

		f->item(out, &(struct part){ .text = sentence, .bundle = a->bundle });
	}
	f->items_end(out);
}

static void render_not_run(struct ga_str *out, const struct form *f, const struct ga_matrix *m)
{
	bool any = false;
	size_t i, k;

	f->heading(out, 2, "Not run, and why");
	for (i = 0; i < m->columns.n; i++) {
		ga_autofree char *name = column_name(m, &m->columns.v[i]);
		ga_autostr struct ga_str absent = GA_STR_INIT;

		for (k = 0; k < m->columns.v[i].results.n; k++) {
			const struct ga_matrix_result *r = &m->columns.v[i].results.v[k];
			ga_autofree char *sentence = NULL;

			if (strcmp(r->outcome, "not_run"))
				continue;
			any = true;
			if (!r->shown.n) {
				ga_str_addf(&absent, "%s%s", absent.len ? ", " : "", r->scenario);
				continue;
			}
			sentence = ga_xprintf("%s: %s: %s", name, r->scenario, r->why);
			f->item(out, &(struct part){ .text = sentence,
						     .bundle = r->shown.v[0].bundle,
						     .file = r->shown.v[0].file });
		}
		if (absent.len) {
			ga_autofree char *sentence =
				ga_xprintf("%s: in no bundle: %s", name, absent.buf);

			f->item(out, &(struct part){ .text = sentence });
		}
	}
	if (any)
		f->items_end(out);
	else
		text(out, f, "Every scenario of the plan was run.");
}

static void render(struct ga_str *out, const struct form *f, const struct ga_matrix *m)
{
	render_head(out, f, m);
	render_support(out, f, m);
	render_behaviour(out, f, m);
	render_comparisons(out, f, m);
	render_remarks(out, f, m, false);
	render_remarks(out, f, m, true);
	render_people(out, f, m);
	render_not_run(out, f, m);
}

void ga_matrix_markdown(const struct ga_matrix *matrix, struct ga_str *out)
{
	render(out, &markdown, matrix);
}

void ga_matrix_html(const struct ga_matrix *matrix, struct ga_str *out)
{
	ga_str_add(out, html_head);
	html_text(out, matrix->title);
	ga_str_add(out, html_style);
	render(out, &html, matrix);
	ga_str_add(out, "</body>\n</html>\n");
}
