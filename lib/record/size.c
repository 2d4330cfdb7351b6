/* SPDX-License-Identifier: Apache-2.0 */
/* Byte sizes and whole numbers. */
#include "record/size.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

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
