/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics as text: families of gauges, their samples, escaped labels. */
#include "exchange/openmetrics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

void ga_om_family(struct ga_str *to, const char *name, const char *help)
{
	static const char *const units[] = { "seconds", "bytes" };
	size_t i;

	ga_str_addf(to, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
	for (i = 0; i < GA_ARRAY_SIZE(units); i++) {
		ga_autofree char *end = ga_xprintf("_%s", units[i]);

		if (ends_in(name, end))
			ga_str_addf(to, "# UNIT %s %s\n", name, units[i]);
	}
}

/* Length in bytes of the UTF-8 character at p; 0 when there is none (overlong form, surrogate, or
 * beyond Unicode). */
static size_t character(const unsigned char *p)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 :
		   *p >= 0xf0 && *p < 0xf5 ? 4 : 0;
	uint32_t c = n ? *p & (0xffU >> (n > 1 ? n + 1 : 1)) : 0;
	size_t i;

	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	return n && c >= least[n] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff) ? n : 0;
}

/* Length in bytes of the text from p on that a value may contain unchanged, in any encoding. */
static size_t plain(const unsigned char *p)
{
	const unsigned char *begin = p;

	while (*p >= 0x20 && *p < 0x7f && *p != '\\' && *p != '"')
		p++;
	return (size_t)(p - begin);
}

static void add_value(struct ga_str *to, const char *value)
{
	const unsigned char *p = (const unsigned char *)value;
	size_t n;

	for (; *p; p += n) {
		n = plain(p);
		if (n) {
			ga_str_add_bytes(to, p, n);
			continue;
		}
		n = character(p);
		if (*p == '\\' || *p == '"') {
			ga_str_addc(to, '\\');
			ga_str_addc(to, (char)*p);
		} else if (*p == '\n') {
			ga_str_add(to, "\\n");
		} else if (!n || *p < 0x20 || *p == 0x7f) {
			ga_str_addf(to, "\\\\x%02x", (unsigned int)*p);
			n = 1;
		} else {
			ga_str_add_bytes(to, p, n);
		}
	}
}

static void add_name(struct ga_str *to, const char *name, const struct ga_label *labels)
{
	const char *before = "{";

	ga_str_add(to, name);
	for (; labels && labels->name; labels++) {
		if (!labels->value || !*labels->value)
			continue;
		ga_str_add(to, before);
		ga_str_add(to, labels->name);
		ga_str_add(to, "=\"");
		add_value(to, labels->value);
		ga_str_addc(to, '"');
		before = ",";
	}
	ga_str_add(to, *before == ',' ? "} " : " ");
}

void ga_om_int(struct ga_str *to, const char *name, const struct ga_label *labels, int64_t value)
{
	add_name(to, name, labels);
	ga_str_addf(to, "%" PRId64 "\n", value);
}

void ga_om_micros(struct ga_str *to, const char *name, const struct ga_label *labels,
		  int64_t micros)
{
	uint64_t size = micros < 0 ? -(uint64_t)micros : (uint64_t)micros;

	add_name(to, name, labels);
	ga_str_addf(to, "%s%" PRIu64 ".%06" PRIu64 "\n", micros < 0 ? "-" : "", size / GA_SECOND,
		    size % GA_SECOND);
}

void ga_om_end(struct ga_str *to)
{
	ga_str_add(to, "# EOF\n");
}
