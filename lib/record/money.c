/* SPDX-License-Identifier: Apache-2.0 */
/* Money and GPU hours in integers, and as text. */
#include "record/money.h"

#include <string.h>

#include "record/decimal.h"

/* a / b rounded half to even; a >= 0, b > 0. */
static __int128 divide(__int128 a, __int128 b)
{
	__int128 whole = a / b, rest = a % b;

	return whole + (2 * rest > b || (2 * rest == b && (whole & 1)));
}

__int128 ga_cost_micros(int64_t count, int64_t seconds, int64_t price_micros)
{
	return divide((__int128)count * seconds * price_micros, 3600);
}

/* ---- as text ---- */

/* Adds n / 10^places to out with at least "least" digits after the point. */
static void add_decimal(__int128 n, int places, int least, struct ga_str *out)
{
	char digits[48], *p = digits + sizeof(digits) - 1;
	bool minus = n < 0;
	int i = 0, last = places;

	*p = '\0';
	for (n = minus ? -n : n; n || i <= places; n /= 10, i++) {
		if (i == places && places)
			*--p = '.';
		*--p = (char)('0' + (int)(n % 10));
	}
	if (minus)
		*--p = '-';
	i = (int)strlen(p);
	while (last > least && p[i - 1] == '0') {
		p[--i] = '\0';
		last--;
	}
	if (i && p[i - 1] == '.')
		p[i - 1] = '\0';
	ga_str_add(out, p);
}

int ga_currency_check(const char *text, struct ga_err *err)
{
	if (strlen(text) == 3 && strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3)
		return 0;
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("'%.32s' is no currency", text),
			 ("three capital letters of ISO 4217, such as EUR or USD"));
}

void ga_cost_format(__int128 micros, struct ga_str *out)
{
	add_decimal(micros, 6, 2, out);
}

__int128 ga_cost_round(__int128 micros)
{
	__int128 cents = divide(micros < 0 ? -micros : micros, 10000) * 10000;

	return !cents ? micros : micros < 0 ? -cents : cents;
}

void ga_cost_hours(__int128 gpu_seconds, int places, struct ga_str *out)
{
	__int128 unit = 1;
	int i;

	for (i = 0; i < places; i++)
		unit *= 10;
	add_decimal(divide(gpu_seconds * unit, 3600), places, 0, out);
}

bool ga_price_parse(const char *text, int64_t *micros)
{
	const char *point = strchr(text, '.');
	struct ga_err ignored = GA_ERR_INIT;

	if (text[strspn(text, "0123456789.")] || (point && strlen(point) > 7))
		return false;
	return ga_decimal_parse(text, "price", 6, 0, GA_PRICE_MAX, micros, &ignored) == 0;
}
