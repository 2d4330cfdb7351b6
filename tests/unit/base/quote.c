/* SPDX-License-Identifier: Apache-2.0 */
/* Quotes words for another machine's shell: a real sh and split both read back the original
 * words. */
#include "t.h"

#include <inttypes.h>
#include <string.h>

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

static void addresses(void)
{
	static const char *const good[] = { "h7", "root@h7.example.net", "192.0.2.7",
					    "fe80::1%eth0", "[fe80::1]", "ssh://h7:22",
					    "m\u00fcnchen" };
	static const char *const bad[] = { "", "-oProxyCommand=id", "a b", "x;id", "$(touch x)",
					   "h7\n", "h7'", "`id`", "h*", "a\\b", "a,b" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(good); i++)
		t_ok(ga_is_address(good[i]), "'%s'", good[i]);
	for (i = 0; i < GA_ARRAY_SIZE(bad); i++)
		t_ok(!ga_is_address(bad[i]), "not '%s'", bad[i]);
	t_ok(!ga_is_address(NULL), "nothing");
}

/* A shell reads each text of a command as one word, whatever is in it. */
static void command(void)
{
	ga_autofree char *numbers = ga_command("echo %d %" PRId64 " > 100%%", 7, INT64_C(1) << 40);
	ga_autofree char *plain = ga_command("virsh dumpxml %s; virsh dumpxml %s", "gpuaas-a",
					     "it's $b");
	size_t i;

	t_str(numbers, "echo 7 1099511627776 > 100%", "numbers");
	t_str(plain, "virsh dumpxml gpuaas-a; virsh dumpxml 'it'\\''s $b'", "texts");
	for (i = 0; i < GA_ARRAY_SIZE(hostile); i++) {
		ga_autostr struct ga_str meant = GA_STR_INIT, got = GA_STR_INIT;
		ga_autofree char *line = ga_command("--destroy-data %s last", hostile[i]);

		ga_str_addf(&meant, "[--destroy-data][%s][last]", hostile[i]);
		shell_reads(line, &got);
		t_str(got.buf, meant.buf, "word %zu of a command", i);
	}
}

static void word(void)
{
	static const char *const words[] = {
		"eui.0025384131b01031", "uuid.5e3b9c52-8b4c-4a4e-9a3f-0d6e7f8a9b0c",
		"nvme.1b36-6465616462656566-51454d55204e564d65204374726c-00000001",
		"naa.5000c500a1b2c3d4", "slot:7:10de:2335", "slot:pci0000:15/01.0/00.0:10de:2335",
		"a088:c203:0010:0000", "mlx5_0", "ovsbr0", "/dev/nvme0n1",
	};
	static const char *const others[] = {
		"", "-rf", "a b", "eui.$(id)", "a`b`", "a'b", "a\"b", "a;b", "a|b", "a&b", "a<b",
		"a>b", "a\nb", "a*", "a~", "a#b", "a=b", "a\\b", "caf\xc3\xa9", "\xe2\x80\xae",
	};
	char longest[257];
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(words); i++)
		t_ok(ga_is_word(words[i]), "%s is a word", words[i]);
	for (i = 0; i < GA_ARRAY_SIZE(others); i++)
		t_ok(!ga_is_word(others[i]), "text %zu is none", i);
	t_ok(!ga_is_word(NULL), "nothing");
	memset(longest, 'a', sizeof(longest));
	longest[256] = '\0';
	t_ok(!ga_is_word(longest), "256 letters are too many");
	longest[255] = '\0';
	t_ok(ga_is_word(longest), "255 letters");
}

int main(void)
{
	there_and_back();
	first_words();
	refused();
	split();
	plain();
	addresses();
	command();
	word();
	return t_done();
}
