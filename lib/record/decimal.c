/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers that people write, as integers. */
#include "record/decimal.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#define EXPONENT_MAX 40

/* Reads digits and fraction as an integer and a power of ten; false: too many digits. */
static bool read_digits(const char **text, __int128 *n, int *power)
{
	const char *p = *text;
	int digits = 0;
	bool behind = false;

	*n = 0;
	*power = 0;
	for (; isdigit((unsigned char)*p) || (*p == '.' && !behind); p++) {
		if (*p == '.') {
			behind = true;
			continue;
		}
		/* Zeros at the end of a fraction are dropped: they must not use up digits. */
		if (behind && *p == '0' && !p[1 + strspn(p + 1, "0")])
			continue;
		if (digits == 30)
			return false;
		*n = *n * 10 + (*p - '0');
		digits += *n > 0;
		*power -= behind;
	}
	if (p == *text || !isdigit((unsigned char)p[-1]) || !isdigit((unsigned char)**text))
		return false;
	*text = p;
	return true;
}

static bool read_power(const char *p, int *power)
{
	static const struct {
		char letter;
		int power;
	} suffixes[] = { { 'k', 3 }, { 'm', 6 }, { 'b', 9 }, { 'g', 9 }, { 't', 12 } };
	int exponent = 0;
	size_t i;

	if ((*p == 'e' || *p == 'E') && isdigit((unsigned char)p[1])) {
		for (p++; isdigit((unsigned char)*p); p++)
			if (exponent <= EXPONENT_MAX)
				exponent = exponent * 10 + (*p - '0');
	}
	if (*p) {
		for (i = 0; i < GA_ARRAY_SIZE(suffixes); i++)
			if (tolower((unsigned char)*p) == suffixes[i].letter)
				break;
		if (i == GA_ARRAY_SIZE(suffixes) || p[1])
			return false;
		exponent += suffixes[i].power;
	}
	*power += exponent;
	return exponent <= EXPONENT_MAX;
}

int ga_decimal_parse(const char *text, const char *what, int places, int64_t min, int64_t max,
		     int64_t *ret, struct ga_err *err)
{
	const char *p = text;
	__int128 n;
	int power;
	bool good = read_digits(&p, &n, &power) && read_power(p, &power);

	for (power += places; good && n && power > 0 && n <= max; power--)
		n *= 10;
	for (; good && n && power < 0; power++) {
		good = n % 10 == 0;
		n /= 10;
	}
	if (good && n >= min && n <= max) {
		*ret = (int64_t)n;
		return 0;
	}
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("%s '%.64s' is not a number that it can be", what, text),
			 ("numbers such as 7B, 1.5e9 or 3.50; not negative, not beyond %" PRId64
			  "%s", max, places ? " of the smallest part" : ""));
}

int ga_memory_parse(const char *text, const char *what, int64_t *mib, struct ga_err *err)
{
	static const struct {
		const char *suffix;
		int64_t mib;
	} units[] = { { "", 1024 },  { "G", 1024 }, { "GB", 1024 }, { "GiB", 1024 },
		      { "M", 1 },    { "MiB", 1 },  { "T", 1 << 20 }, { "TiB", 1 << 20 } };
	size_t digits = strspn(text, "0123456789"), i;
	int64_t n = 0;

	for (i = 0; i < digits && i < 9; i++)
		n = n * 10 + (text[i] - '0');
	for (i = 0; i < GA_ARRAY_SIZE(units); i++) {
		if (strcasecmp(text + digits, units[i].suffix) || !digits || digits > 9 ||
		    n * units[i].mib < 1 || n * units[i].mib > INT64_C(1024000000))
			continue;
		*mib = n * units[i].mib;
		return 0;
	}
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("%s '%.64s' is no memory of a GPU", what, text),
			 ("as its maker prints it: 80GB; or 80GiB, 81920MiB"));
}
