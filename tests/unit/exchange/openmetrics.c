/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics as text: headers, escapes, numbers. */
#include "exchange/openmetrics.h"
#include "t.h"

static const struct {
	const char *value, *want, *name;
} values[] = {
	{ "h7", "x{a=\"h7\"} 1\n", "an ordinary value" },
	{ "", "x 1\n", "an empty value is no label" },
	{ NULL, "x 1\n", "nor is one that is not known" },
	{ "a\"b\\c\nd", "x{a=\"a\\\"b\\\\c\\nd\"} 1\n", "what would end a value does not" },
	{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
	  "x{a=\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"} 1\n",
	  "characters of two to four bytes" },
	{ "\t\r\x7f\x1b[31m", "x{a=\"\\\\x09\\\\x0d\\\\x7f\\\\x1b[31m\"} 1\n",
	  "control characters" },
	{ "\xc3", "x{a=\"\\\\xc3\"} 1\n", "a character that is cut off" },
	{ "\xe2\x82z", "x{a=\"\\\\xe2\\\\x82z\"} 1\n", "and one in the middle" },
	{ "\xc0\x80", "x{a=\"\\\\xc0\\\\x80\"} 1\n", "too long a form of NUL" },
	{ "\xe0\x80\x80", "x{a=\"\\\\xe0\\\\x80\\\\x80\"} 1\n", "of three bytes" },
	{ "\xed\xa0\x80", "x{a=\"\\\\xed\\\\xa0\\\\x80\"} 1\n", "a surrogate" },
	{ "\xf4\x90\x80\x80", "x{a=\"\\\\xf4\\\\x90\\\\x80\\\\x80\"} 1\n", "beyond Unicode" },
	{ "\x80\xff", "x{a=\"\\\\x80\\\\xff\"} 1\n", "no character at all" },
};

static const struct {
	int64_t micros;
	const char *want;
} numbers[] = {
	{ 0, "x 0.000000\n" },
	{ 1500000, "x 1.500000\n" },
	{ 1, "x 0.000001\n" },
	{ -1, "x -0.000001\n" },
	{ -1500000, "x -1.500000\n" },
	{ INT64_C(1763900000123456), "x 1763900000.123456\n" },
	{ INT64_MAX, "x 9223372036854.775807\n" },
	{ INT64_MIN, "x -9223372036854.775808\n" },
};

int main(void)
{
	const struct ga_label two[] = { { "a", NULL }, { "b", "2" }, { "c", "3" }, { NULL, NULL } };
	ga_autostr struct ga_str out = GA_STR_INIT;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(values); i++) {
		const struct ga_label of[] = { { "a", values[i].value }, { NULL, NULL } };

		ga_str_clear(&out);
		ga_om_int(&out, "x", of, 1);
		t_str(out.buf, values[i].want, "%s", values[i].name);
	}
	for (i = 0; i < GA_ARRAY_SIZE(numbers); i++) {
		ga_str_clear(&out);
		ga_om_micros(&out, "x", NULL, numbers[i].micros);
		t_str(out.buf, numbers[i].want, "millionths: %s", numbers[i].want);
	}
	ga_str_clear(&out);
	ga_om_int(&out, "x", two, -7);
	t_str(out.buf, "x{b=\"2\",c=\"3\"} -7\n", "labels behind one that is left out");
	ga_str_clear(&out);
	ga_om_family(&out, "x_seconds", "Some time.");
	ga_om_family(&out, "y_bytes", "Some room.");
	ga_om_family(&out, "seconds", "No unit.");
	ga_om_end(&out);
	t_str(out.buf,
	      "# HELP x_seconds Some time.\n# TYPE x_seconds gauge\n# UNIT x_seconds seconds\n"
	      "# HELP y_bytes Some room.\n# TYPE y_bytes gauge\n# UNIT y_bytes bytes\n"
	      "# HELP seconds No unit.\n# TYPE seconds gauge\n# EOF\n",
	      "heads and end");
	return t_done();
}
