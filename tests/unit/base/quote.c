/* SPDX-License-Identifier: Apache-2.0 */
/* Quotes words for another machine's shell: a real sh and split both read back the original
 * words. */
#include "t.h"

#include "base/proc.h"
#include "base/quote.h"
#include "base/texts.h"

static char *const hostile[] = {
	(char[]){ "" }, (char[]){ " " }, (char[]){ "a b" }, (char[]){ "'" }, (char[]){ "''" },
	(char[]){ "it's" }, (char[]){ "\"" }, (char[]){ "$HOME" }, (char[]){ "$(reboot)" },
	(char[]){ "`id`" }, (char[]){ "; id" }, (char[]){ "a|b" }, (char[]){ "&" },
	(char[]){ ">x" }, (char[]){ "<x" }, (char[]){ "*" }, (char[]){ "?" }, (char[]){ "[a]" },
	(char[]){ "{a,b}" }, (char[]){ "~root" }, (char[]){ "#no" }, (char[]){ "!1" },
	(char[]){ "a\nb" }, (char[]){ "a\tb" }, (char[]){ "\\" }, (char[]){ "\\'" },
	(char[]){ "a\\" }, (char[]){ "A=b" }, (char[]){ "--node=h 7" }, (char[]){ "-n" },
	(char[]){ "\x1b[2J" }, (char[]){ "caf\xc3\xa9" }, (char[]){ "\xff" },
	(char[]){ "\r" }, (char[]){ "plain-word_1.2:3/4@5%6+7,8" },
};

/* The words that sh reads in the line, each as "[word]". */
static void shell_reads(const char *line, struct ga_str *out)
{
	ga_autofree char *script = ga_xprintf("set -- %s; for w; do printf '[%%s]' \"$w\"; done",
					      line);
	ga_autoproc struct ga_proc_result ret = GA_PROC_RESULT_INIT;
	struct ga_err err = GA_ERR_INIT;
	const struct ga_proc p = { .argv = (const char *const[]){ "sh", "-c", script, NULL } };

	t_int(ga_proc_run(&p, &ret, &err), 0, "sh runs");
	t_str(ret.err.buf, "", "sh has no complaint");
	ga_str_add(out, ret.out.buf);
}

static void there_and_back(void)
{
	ga_autostr struct ga_str line = GA_STR_INIT, meant = GA_STR_INIT, got = GA_STR_INIT;
	ga_autotexts struct ga_texts words = { 0 };
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	ga_str_add(&line, "first-word");
	ga_str_add(&meant, "[first-word]");
	for (i = 0; i < GA_ARRAY_SIZE(hostile); i++) {
		ga_str_addc(&line, ' ');
		ga_quote_word(&line, hostile[i]);
		ga_str_addf(&meant, "[%s]", hostile[i]);
	}
	shell_reads(line.buf, &got);
	t_str(got.buf, meant.buf, "a shell reads what was meant");
	t_int(ga_quote_split(line.buf, &words, &err), 0, "split takes the line");
	t_int((long)words.n, (long)GA_ARRAY_SIZE(hostile) + 1, "all its words");
	for (i = 0; i + 1 < words.n && i < GA_ARRAY_SIZE(hostile); i++)
		t_str(words.v[i + 1], hostile[i], "word %zu", i);
}

static void first_words(void)
{
	static const struct {
		const char *word, *line;
	} cases[] = {
		{ "gpuaas-wipe", "gpuaas-wipe" }, { "/usr/bin/id", "/usr/bin/id" },
		{ "if", "'if'" }, { "time", "'time'" }, { "A=b", "'A=b'" }, { "-", "-" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autostr struct ga_str out = GA_STR_INIT;
		char *words[] = { (char *)(uintptr_t)cases[i].word };

		ga_quote_command(&out, words, 1);
		t_str(out.buf, cases[i].line, "the first word");
	}
}

/* Nothing that means something to a shell gets through. */
static void refused(void)
{
	static const char *const lines[] = {
		"a; b", "a | b", "a & b", "a && b", "$x", "a $(b)", "a `b`", "a > b", "a < b",
		"a \"b\"", "a *", "a ?", "a [b]", "a {b,c}", "~", "a #b", "!x", "a\nb", "a\tb",
		"a 'b", "a \\n", "a \\", "(a)", "a \xc3\xa9", "'a' | 'b'", "a\x7f",
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(lines); i++) {
		ga_autotexts struct ga_texts words = { 0 };
		struct ga_err err = GA_ERR_INIT;

		t_int(ga_quote_split(lines[i], &words, &err), -1, "refused, line %zu", i);
		t_int(err.code, GA_DENIED, "as denied");
		t_str(err.reason, "not_plain", "with its reason");
	}
}

static void split(void)
{
	ga_autotexts struct ga_texts words = { 0 };
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_quote_split("  gpuaas-wipe  --device=x 'a b'c  ", &words, &err), 0, "taken");
	t_int((long)words.n, 3, "three words");
	t_str(words.v[1], "--device=x", "an equals sign is plain behind the first letter");
	t_str(words.v[2], "a bc", "quotes end within a word");
}

static void plain(void)
{
	t_ok(ga_is_plain("192.0.2.7") && ga_is_plain("fe80::1%eth0"), "addresses");
	t_ok(!ga_is_plain(NULL) && !ga_is_plain("-oProxyCommand=x"), "nothing, an option");
	t_ok(!ga_is_plain("h7 x") && !ga_is_plain("$(x)"), "a space, a command");
}

int main(void)
{
	there_and_back();
	first_words();
	refused();
	split();
	plain();
	return t_done();
}
