/* SPDX-License-Identifier: Apache-2.0 */
#include "record/person.h"

#include <string.h>

#include "t.h"

static void check_reasons(void)
{
	static const struct {
		const char *old, *reason, *both;
	} cases[] = {
		{ NULL, "fan", "fan" },
		{ "", "fan", "fan" },
		{ "fan", "fan", "fan" },
		{ "fan", "disk", "fan; disk" },
		{ "fan; disk", "fan", "fan; disk" },
		{ "fan; disk", "disk", "fan; disk" },
		{ "fan noise", "fan", "fan noise; fan" },
		{ "a fan", "fan", "a fan; fan" },
		{ "fan", "fan; disk", "fan; disk" },
		{ "n", "fan", "n; fan" },
	};
	char full[GA_PERSON_REASONS_MAX - 4];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ga_autofree char *both = ga_person_add_reason(cases[i].old, cases[i].reason);

		t_str(both, cases[i].both, "'%s' behind '%s'", cases[i].reason,
		      cases[i].old ? cases[i].old : "nothing");
	}
	memset(full, 'x', sizeof(full));
	full[sizeof(full) - 1] = '\0';
	{
		ga_autofree char *fits = ga_person_add_reason(full, "fan");
		ga_autofree char *none = ga_person_add_reason(full, "fans");

		t_int((int)strlen(fits), GA_PERSON_REASONS_MAX, "all the room that there is");
		t_ok(!none, "one byte more");
	}
}

int main(void)
{
	static const struct {
		const char *text, *message; /* message NULL: it is one */
	} cases[] = {
		{ "a NIC comes on Friday", NULL },
		{ "TEXT of the invoice", NULL },
		{ "", "it is empty" },
		{ "  ", "it is empty" },
		{ "\u3000\u00a0", "it is empty" },
		{ "TEXT", "it 'TEXT' stands for a text of yours" },
		{ "<TEXT>", "it '<TEXT>' stands for a text of yours" },
		{ "-", "it '-' stands for a text of yours" },
		{ "- and more", NULL },
		{ "<reason>", "it '<reason>' stands for a text of yours" },
		{ "text", "it 'text' stands for a text of yours" },
		{ "[TEXT]", "it '[TEXT]' stands for a text of yours" },
		{ "\"TEXT\"", "it '\"TEXT\"' stands for a text of yours" },
		{ "TEXT.", "it 'TEXT.' stands for a text of yours" },
		{ "--", "it '--' stands for a text of yours" },
		{ ".", "it '.' stands for a text of yours" },
		{ "<Text>\u2026", "it '<Text>\u2026' stands for a text of yours" },
		{ "a", NULL },
		{ "textile", NULL },
		{ "no reason", NULL },
		{ "<fan>", NULL },
		{ "#7", NULL },
		{ "\u00fc", NULL },
		{ "--yes", "it '--yes' begins with '--', as an option does" },
		{ " --where x", "it ' --where x' begins with '--', as an option does" },
		{ "a --yes", NULL },
		{ " REASON... ", "it ' REASON... ' stands for a text of yours" },
		{ "…", "it '…' stands for a text of yours" },
		{ "two\nlines", "it contains control characters, or characters that nobody sees" },
		{ "a\u200b", "it contains control characters, or characters that nobody sees" },
		{ "\xff", "it is not text in UTF-8" },
	};
	char big[GA_PERSON_TEXT_MAX + 2];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		int r = ga_person_check("it", cases[i].text, GA_BADREC, &err);

		t_int(r, cases[i].message ? -1 : 0, "'%s'", cases[i].text);
		t_str(err.msg, cases[i].message ? cases[i].message : "", "its message");
		t_int(err.code, cases[i].message ? GA_BADREC : GA_OK, "its code");
	}
	check_reasons();
	memset(big, 'x', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	{
		struct ga_err err = GA_ERR_INIT;

		t_int(ga_person_check("it", big, GA_USAGE, &err), -1, "a long text");
		t_str(err.msg, "it is longer than 1024 bytes", "its message");
		ga_err_clear(&err);
		big[GA_PERSON_TEXT_MAX] = '\0';
		t_int(ga_person_check("it", big, GA_USAGE, &err), 0, "one as long as it may be");
	}
	return t_done();
}
