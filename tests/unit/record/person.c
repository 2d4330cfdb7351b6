/* SPDX-License-Identifier: Apache-2.0 */
#include "record/person.h"

#include <string.h>

#include "t.h"

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
