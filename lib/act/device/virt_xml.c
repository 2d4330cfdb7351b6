/* SPDX-License-Identifier: Apache-2.0 */
/* Scans libvirt's own XML for sources. */
#include "act/device/virt_xml.h"

#include <sys/stat.h>

#include "base/str.h"
#include "record/pciaddr.h"

static const struct {
	const char *entity, *text;
} entities[] = {
	{ "&amp;", "&" }, { "&lt;", "<" }, { "&gt;", ">" }, { "&apos;", "'" }, { "&quot;", "\"" },
	{ "&#39;", "'" }, { "&#34;", "\"" },
};

static char *unescape(const char *from, const char *end)
{
	struct ga_str out = GA_STR_INIT;
	size_t i;

	while (from < end) {
		for (i = 0; i < GA_ARRAY_SIZE(entities); i++)
			if (ga_starts(from, entities[i].entity))
				break;
		if (i < GA_ARRAY_SIZE(entities)) {
			ga_str_add(&out, entities[i].text);
			from += strlen(entities[i].entity);
		} else {
			ga_str_addc(&out, *from++);
		}
	}
	return ga_str_take(&out);
}

/* Finds " name='…'" within [from, end). */
static char *attr_within(const char *from, const char *end, const char *name)
{
	size_t n = strlen(name);

	for (; from + n + 3 < end; from++) {
		char quote = from[n + 2];
		const char *stop;

		if (from[0] != ' ' || strncmp(from + 1, name, n) != 0 || from[n + 1] != '=' ||
		    (quote != '\'' && quote != '"'))
			continue;
		stop = memchr(from + n + 3, quote, (size_t)(end - from - (ptrdiff_t)n - 3));
		return stop ? unescape(from + n + 3, stop) : NULL;
	}
	return NULL;
}

char *ga_virt_xml_attr(const char *xml, const char *name)
{
	return attr_within(xml, xml + strlen(xml), name);
}

/* The next tag "<name" at or after *at; sets *end behind it and moves *at on. */
static const char *next_tag(const char **at, const char *name, const char **end)
{
	size_t n = strlen(name);
	const char *p = *at;

	while ((p = strchr(p, '<'))) {
		if (!strncmp(p + 1, name, n) &&
		    (p[n + 1] == ' ' || p[n + 1] == '>' || p[n + 1] == '/')) {
			*end = strchr(p, '>');
			if (!*end)
				return NULL;
			*at = *end;
			return p;
		}
		p++;
	}
	return NULL;
}

bool ga_virt_same_device(const char *a, const char *b)
{
	ga_autofree char *ra = NULL, *rb = NULL;
	struct stat sa, sb;

	if (!strcmp(a, b))
		return true;
	ra = realpath(a, NULL);
	rb = realpath(b, NULL);
	if (ra && rb && !strcmp(ra, rb))
		return true;
	if (stat(a, &sa) < 0 || stat(b, &sb) < 0)
		return false;
	if (S_ISBLK(sa.st_mode) && S_ISBLK(sb.st_mode))
		return sa.st_rdev == sb.st_rdev;
	return sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

bool ga_virt_xml_uses_path(const char *xml, const char *path)
{
	static const char *const names[] = { "dev", "file" };
	const char *at = xml, *tag, *end;
	size_t i;

	while ((tag = next_tag(&at, "source", &end)))
		for (i = 0; i < GA_ARRAY_SIZE(names); i++) {
			ga_autofree char *value = attr_within(tag, end, names[i]);

			if (value && ga_virt_same_device(value, path))
				return true;
		}
	return false;
}

void ga_virt_volumes_release(struct ga_virt_volumes *volumes)
{
	size_t i;

	for (i = 0; i < volumes->n; i++) {
		free(volumes->v[i].pool);
		free(volumes->v[i].name);
	}
	ga_list_release(volumes);
}

void ga_virt_xml_volumes(const char *xml, struct ga_virt_volumes *ret)
{
	const char *at = xml, *tag, *end;

	while ((tag = next_tag(&at, "source", &end))) {
		ga_autofree char *pool = attr_within(tag, end, "pool");
		ga_autofree char *name = attr_within(tag, end, "volume");

		if (pool && name)
			*ga_list_add(ret) = (struct ga_virt_volume){ GA_TAKE(pool), GA_TAKE(name) };
	}
}

static bool number_is(const char *tag, const char *end, const char *name, unsigned long want)
{
	ga_autofree char *value = attr_within(tag, end, name);

	return value && strtoul(value, NULL, 0) == want;
}

bool ga_virt_xml_uses_pci(const char *xml, const char *address)
{
	const char *at = xml, *tag, *end, *close;
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_pciaddr a;

	if (ga_pciaddr_parse(address, &a, &ignored) < 0)
		return false;
	/* <source> of a hostdev or hostdev interface holds its <address>; that of an NVMe disk too.
	 */
	while ((tag = next_tag(&at, "source", &end))) {
		const char *inner = end, *inner_end = NULL;

		close = end[-1] == '/' ? NULL : strstr(end, "</source>");
		tag = close ? next_tag(&inner, "address", &inner_end) : NULL;
		if (tag && tag < close && number_is(tag, inner_end, "domain", a.domain) &&
		    number_is(tag, inner_end, "bus", a.bus) &&
		    number_is(tag, inner_end, "slot", a.device) &&
		    number_is(tag, inner_end, "function", a.function))
			return true;
	}
	return false;
}
