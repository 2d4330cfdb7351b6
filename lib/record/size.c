/* SPDX-License-Identifier: Apache-2.0 */
/* Byte sizes and whole numbers. */
#include "record/size.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char units[] = "KMGTP";

int ga_size_parse(const char *text, int64_t *bytes, struct ga_err *err)
{
	const char *p = text, *unit;
	int64_t n = 0;

	for (; isdigit((unsigned char)*p) && n <= GA_INT_MAX_SAFE; p++)
		n = n * 10 + (*p - '0');
	unit = p > text && *p ? strchr(units, *p) : NULL;
	if (unit) {
		int shift = 10 * (int)(unit - units + 1);

		p++;
		if (ga_streq(p, "iB"))
			p += 2;
		n = n <= GA_INT_MAX_SAFE >> shift ? n << shift : INT64_MAX;
	}
	if (p == text || *p || n > GA_INT_MAX_SAFE)
		return ga_fail(err, GA_USAGE, "'%.64s' is not a size such as 512M or 1GiB", text);
	*bytes = n;
	return 0;
}

char *ga_size_format(int64_t bytes, char out[GA_SIZE_SIZE])
{
	double n = (double)bytes;
	int unit = -1;

	while (n >= 1024 && units[unit + 1]) {
		n /= 1024;
		unit++;
	}
	if (unit < 0)
		snprintf(out, GA_SIZE_SIZE, "%" PRId64 " B", bytes);
	else
		snprintf(out, GA_SIZE_SIZE, "%.*f %ciB", n < 10 ? 1 : 0, n, units[unit]);
	return out;
}

/* The size at most so far from n, below (-1) or above (1), that is written as n is. */
static int64_t reach(int64_t n, int sign, int64_t most, const char *text)
{
	char out[GA_SIZE_SIZE];
	int64_t far = 0, middle;

	while (far < most) {
		middle = far + (most - far + 1) / 2;
		if (!strcmp(ga_size_format(n + sign * middle, out), text))
			far = middle;
		else
			most = middle - 1;
	}
	return n + sign * far;
}

bool ga_size_read_shown(const char *text, int64_t *begin, int64_t *end)
{
	size_t whole = strspn(text, "0123456789"), len = whole, i;
	ga_autofree char *usual = NULL;
	__int128 n = 0, scale = 1, unit;
	char out[GA_SIZE_SIZE];
	const char *letter;
	int64_t middle;

	if (text[whole] == '.')
		len += 1 + strspn(text + whole + 1, "0123456789");
	letter = text + len + (text[len] == ' ');
	if (!whole || len > whole + 4 || len > 12 || text[len - 1] == '.')
		return false;
	for (i = 0; i < len; i++) {
		scale *= i > whole ? 10 : 1;
		n = text[i] == '.' ? n : n * 10 + (text[i] - '0');
	}
	if (!strcmp(letter, "B") && scale == 1) {
		*begin = (int64_t)n;
		*end = *begin + 1;
		return true;
	}
	if (!*letter || !strchr(units, *letter) || strcmp(letter + 1, "iB") != 0)
		return false;
	unit = (__int128)1 << 10 * (strchr(units, *letter) - units + 1);
	if (n * unit / scale > GA_INT_MAX_SAFE)
		return false;
	/* Half of the last digit to both sides. */
	middle = (int64_t)(n * unit / scale);
	*begin = n ? (int64_t)(((2 * n - 1) * unit + 2 * scale - 1) / (2 * scale)) : 0;
	*end = (int64_t)((2 * n + 1) * unit / (2 * scale)) + 1;
	/* Which way a half goes, and where the next unit begins, ga_size_format decides. */
	usual = ga_xprintf("%.*s %ciB", (int)len, text, *letter);
	if (!strcmp(ga_size_format(middle, out), usual)) {
		*begin = reach(middle, -1, middle - *begin, usual);
		*end = reach(middle, 1, *end - 1 - middle, usual) + 1;
	}
	return true;
}

int ga_int_parse(const char *text, const char *what, int64_t min, int64_t max, int64_t *ret,
		 struct ga_err *err)
{
	char *end = NULL;
	long long n = 0;

	errno = 0;
	if (isdigit((unsigned char)text[0]) || (text[0] == '-' && isdigit((unsigned char)text[1])))
		n = strtoll(text, &end, 10);
	if (!end || *end || errno || n < min || n > max)
		return ga_fail(err, GA_USAGE, "%s '%.64s' is not a whole number from %" PRId64
			       " to %" PRId64, what, text, min, max);
	*ret = n;
	return 0;
}
