/* SPDX-License-Identifier: Apache-2.0 */
/* The renderings of a matrix: their parts, and that no text of the record gets out of its place. */
#include "validate/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/rec.h"
#include "t.h"

/* In place of every text that people or adapters write. */
#define EVIL "<script>x</script>\\\" onload=\\\"x|[y](javascript:z)`&\\u202e"
#define DIGEST "sha256:1111111111111111111111111111111111111111111111111111111111111111"
#define AT "2026-11-20T18:24:00.000000Z"

#define COLUMN(class, support) \
	"{\"technology\":\"kueue\",\"version\":\"" EVIL "\",\"class\":\"" class "\"," \
	"\"configuration_digest\":null,\"bundles\":[{\"file\":\"a b/" EVIL "\"," \
	"\"digest\":\"" DIGEST "\",\"executed_by\":\"" EVIL "\",\"started_at\":null," \
	"\"ended_at\":\"" AT "\",\"signer\":null,\"reviews\":[{\"by\":\"Ann\",\"at\":\"" AT "\"," \
	"\"opinion\":\"contest\",\"scenario\":null,\"reason\":\"" EVIL "\"}]}]," \
	"\"cells\":[{\"requirement\":\"R\",\"support\":\"" support "\",\"why\":\"" EVIL "\"," \
	"\"must\":1,\"passed\":1,\"contested\":[\"" EVIL "\"]}]," \
	"\"results\":[{\"scenario\":\"A-1\",\"outcome\":\"fail\",\"why\":\"" EVIL "\"," \
	"\"disagree\":true,\"shown\":[{\"outcome\":\"fail\",\"why\":\"" EVIL "\",\"runs\":1," \
	"\"agreeing\":1,\"bundle\":\"/abs/javascript:" EVIL "\",\"file\":\"" EVIL "\"}]}," \
	"{\"scenario\":\"A-2\",\"outcome\":\"not_run\",\"why\":\"no bundle has it\"," \
	"\"disagree\":false,\"shown\":[]}]," \
	"\"numbers\":[{\"comparison\":\"preemption\",\"name\":\"start_ms\"," \
	"\"scenario\":\"" EVIL "\",\"value\":3000,\"bundle\":\"b\",\"file\":\"" EVIL "\"}]," \
	"\"gaps\":[{\"text\":\"" EVIL "\",\"bundle\":\"b\",\"file\":\"gaps.md\"}]," \
	"\"risks\":[]}"

static const char record[] =
	"{\"kind\":\"gpuaas.matrix/1\",\"title\":\"" EVIL "\",\"plan_digest\":\"" DIGEST "\","
	"\"draft\":\"" EVIL "\",\"approval\":null,"
	"\"requirements\":[{\"id\":\"R\",\"title\":\"" EVIL "\",\"behaviour\":\"" EVIL "\"}],"
	"\"scenarios\":[{\"id\":\"A-1\",\"title\":\"" EVIL "\",\"level\":\"must\","
	"\"safety\":true},{\"id\":\"A-2\",\"title\":\"t\",\"level\":\"should\","
	"\"safety\":false}],"
	"\"columns\":[" COLUMN("system", "partially_supported") ","
	COLUMN("model", "would_fail") "],"
	"\"differences\":[{\"scenario\":\"A-1\",\"technology\":\"kueue\",\"version\":\"" EVIL "\","
	"\"predicted\":\"pass\",\"seen\":\"fail\",\"model_bundle\":\"m\",\"bundle\":\"b\"}],"
	"\"apart\":[{\"bundle\":\"" EVIL "\",\"technology\":null,\"version\":null,"
	"\"why\":\"" EVIL "\"}]}";

static const char *const parts[] = {
	"DRAFT", "Support matrix", "Partially supported", "would fail", "Behaviour",
	"Where documentation and behaviour differ", "Comparisons", "Preemption", "3000",
	"Fragmentation", "Nothing was measured.", "Observability", "Operational complexity", "Gaps",
	"Risks", "The bundles name none.", "Executed, reviewed, approved",
	"Nobody approved this plan.", "Bundles that do not count", "Not run, and why",
	"in no bundle: A-2",
};

static void has_parts(const char *form, const char *text)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(parts); i++) {
		const char *at = strstr(text, parts[i]);

		t_ok(at, "%s: '%s' comes next", form, parts[i]);
		text = at ? at : text;
	}
}

/* The bars of a line that are no text. */
static size_t bars(const char *line, size_t len)
{
	size_t i, n = 0;

	for (i = 0; i < len; i++) {
		if (line[i] == '\\')
			i++;
		else
			n += line[i] == '|';
	}
	return n;
}

/* Each row of a table has as many fields as its head. */
static bool is_table(const char *text)
{
	size_t want = 0;

	while (*text) {
		size_t len = strcspn(text, "\n"), n = *text == '|' ? bars(text, len) : 0;

		if (n && want && n != want)
			return false;
		want = n;
		text += len + (text[len] == '\n');
	}
	return true;
}

/* Whether what stands there without a backslash in front of it. */
static bool has_bare(const char *text, const char *what)
{
	const char *at;

	for (at = text; (at = strstr(at, what)); at++)
		if (at == text || at[-1] != '\\')
			return true;
	return false;
}

int main(void)
{
	ga_autostr struct ga_str html = GA_STR_INIT, markdown = GA_STR_INIT, again = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	struct ga_matrix m;

	if (ga_rec_parse_text(record, &ga_matrix_schema, &m, &err) < 0) {
		printf("# %s\n", err.msg);
		return 1;
	}
	ga_matrix_html(&m, &html);
	has_parts("HTML", html.buf);
	t_ok(!strstr(html.buf, "<script"), "HTML: no text becomes an element");
	t_ok(!strstr(html.buf, "\" onload"), "HTML: no text becomes an attribute");
	t_ok(!strstr(html.buf, "\xe2\x80\xae"), "HTML: no text turns the direction");
	t_ok(!strstr(html.buf, "href=\"/") && !strstr(html.buf, "href=\"javascript"),
	     "HTML: every link is relative");
	t_ok(strstr(html.buf, "href=\"./a%20b/%3Cscript%3E"), "HTML: a link is as it was named");
	t_ok(strstr(html.buf, "<td class=\"model rule\">"), "HTML: models stand right of a rule");
	ga_matrix_markdown(&m, &markdown);
	has_parts("Markdown", markdown.buf);
	t_ok(!has_bare(markdown.buf, "<script"), "Markdown: no text becomes an element");
	t_ok(!has_bare(markdown.buf, "](javascript"), "Markdown: no text becomes a link");
	t_ok(!strstr(markdown.buf, "\xe2\x80\xae"), "Markdown: no text turns the direction");
	t_ok(is_table(markdown.buf), "Markdown: no text becomes a field");

	free(m.draft);
	m.draft = NULL;
	ga_matrix_html(&m, &again);
	t_ok(!strstr(again.buf, "DRAFT"), "an approved plan is no draft");
	ga_schema_release(&ga_matrix_schema, &m);
	return t_done();
}
