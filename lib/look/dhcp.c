/* SPDX-License-Identifier: Apache-2.0 */
/* dnsmasq's hosts folder and lease file. */
#include "look/dhcp.h"

#include <strings.h>

#include "base/file.h"
#include "record/mac.h"
#include "record/result.h"

#define LEASES_MAX (4 << 20)

char *ga_dhcp_hosts_path(const char *dir, const char *allocation)
{
	return ga_xprintf("%s/gpuaas-%s", dir, allocation);
}

void ga_dhcp_hosts_line(const char *mac, const char *ip, const char *name, struct ga_str *out)
{
	ga_str_clear(out);
	ga_str_addf(out, "%s,%s,%s,infinite\n", mac, ip, name);
}

/* "EXPIRY MAC IP NAME CLIENT-ID": the address of a line with this MAC, allocated. */
static char *address_of(const char *line, size_t len, const char *mac)
{
	ga_autofree char *copy = ga_xstrndup(line, len);
	char *save = NULL, *word = strtok_r(copy, " \t", &save);
	struct ga_err ignored = GA_ERR_INIT;
	uint32_t ip;

	word = word ? strtok_r(NULL, " \t", &save) : NULL;
	if (!word || strcasecmp(word, mac) != 0)
		return NULL;
	word = strtok_r(NULL, " \t", &save);
	if (!word || ga_ip_parse(word, &ip, &ignored) < 0)
		return NULL;
	return ga_xstrdup(word);
}

void ga_dhcp_lease(const char *lease_file, const char *mac, const char *ip, struct ga_lease *ret)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	const char *line, *end;

	*ret = (struct ga_lease){ .mac = ga_strdup0(mac), .expected_ip = ga_strdup0(ip) };
	if (!lease_file || !mac || ga_file_read(lease_file, LEASES_MAX, &text, &ignored) < 0) {
		ret->lease_state = ga_xstrdup("unknown");
		return;
	}
	for (line = text.buf; *line && !ret->actual_ip; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		ret->actual_ip = address_of(line, (size_t)(end - line), mac);
	}
	ret->lease_state = ga_xstrdup(!ret->actual_ip		       ? "missing" :
				      ga_streq(ret->actual_ip, ip) ? "seen" :
								     "mismatch");
}
