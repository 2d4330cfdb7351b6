/* SPDX-License-Identifier: Apache-2.0 */
/* PCI addresses. */
#include "record/pciaddr.h"

#include <ctype.h>

/* Reads min..max hex digits; returns the number of digits, or 0. */
static int hex(const char *p, int min, int max, uint32_t *value)
{
	int n = 0;

	*value = 0;
	for (; n < max && isxdigit((unsigned char)p[n]); n++) {
		int c = tolower((unsigned char)p[n]);

		*value = *value << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return n >= min ? n : 0;
}

int ga_pciaddr_parse(const char *text, struct ga_pciaddr *ret, struct ga_err *err)
{
	const char *p = text;
	uint32_t domain, bus, device;
	int n = hex(p, 4, 8, &domain);

	p += n;
	if (n && *p++ == ':' && hex(p, 2, 2, &bus) && p[2] == ':' && hex(p + 3, 2, 2, &device) &&
	    device < 32 && p[5] == '.' && p[6] >= '0' && p[6] <= '7' && !p[7]) {
		*ret = (struct ga_pciaddr){ domain, (uint8_t)bus, (uint8_t)device,
					    (uint8_t)(p[6] - '0') };
		return 0;
	}
	return ga_fail(err, GA_BADREC, "'%.64s' is not a PCI address such as 0000:18:00.0", text);
}

char *ga_pciaddr_format(const struct ga_pciaddr *a, char out[GA_PCIADDR_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	char *p = out;
	int shift = 12;

	/* No snprintf, for speed: each placement writes three. A domain has at least 4 digits. */
	while (shift < 28 && a->domain >> (shift + 4))
		shift += 4;
	for (; shift >= 0; shift -= 4)
		*p++ = digits[a->domain >> shift & 15];
	*p++ = ':';
	*p++ = digits[a->bus >> 4];
	*p++ = digits[a->bus & 15];
	*p++ = ':';
	*p++ = digits[a->device >> 4];
	*p++ = digits[a->device & 15];
	*p++ = '.';
	*p++ = digits[a->function & 15];
	*p = '\0';
	return out;
}

int ga_pciaddr_cmp(const struct ga_pciaddr *a, const struct ga_pciaddr *b)
{
	if (a->domain != b->domain)
		return a->domain < b->domain ? -1 : 1;
	if (a->bus != b->bus)
		return a->bus - b->bus;
	if (a->device != b->device)
		return a->device - b->device;
	return a->function - b->function;
}

bool ga_pciaddr_same_card(const char *a, const char *b)
{
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_pciaddr x, y;

	if (ga_pciaddr_parse(a, &x, &ignored) < 0 || ga_pciaddr_parse(b, &y, &ignored) < 0)
		return false;
	y.function = x.function;
	return !ga_pciaddr_cmp(&x, &y);
}
