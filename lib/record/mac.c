/* SPDX-License-Identifier: Apache-2.0 */
/* MAC and IPv4 addresses. */
#include "record/mac.h"

#include <arpa/inet.h>
#include <ctype.h>

#include "record/digest.h"

int ga_mac_parse(const char *text, char out[GA_MAC_SIZE], struct ga_err *err)
{
	bool zero = true;
	int i;

	for (i = 0; i < 17; i++) {
		char c = text[i];

		if (i % 3 == 2 ? c != ':' : !isxdigit((unsigned char)c))
			break;
		zero = zero && (c == '0' || c == ':');
		out[i] = (char)tolower((unsigned char)c);
	}
	if (i < 17 || text[17] || zero || strchr("13579bdf", out[1]))
		return ga_fail(err, GA_BADREC,
			       "'%.64s' is not a unicast MAC address such as 52:54:00:aa:bb:cc",
			       text);
	out[17] = '\0';
	return 0;
}

static void mac_of(int first, const char *salt, const char *node, int slot_index,
		   char out[GA_MAC_SIZE])
{
	ga_autofree char *salted = ga_xprintf("%s%c%s", salt, '\0', node);
	unsigned char hash[GA_SHA256_BYTES];

	ga_sha256(salted, strlen(salt) + 1 + strlen(node), hash);
	snprintf(out, GA_MAC_SIZE, "%02x:%02x:%02x:%02x:%02x:%02x", (unsigned int)first, hash[0],
		 hash[1], hash[2], hash[3], (unsigned int)slot_index & 0xff);
}

void ga_mac_suggest(const char *node, int slot_index, char out[GA_MAC_SIZE])
{
	mac_of(0x02, "gpuaas-mac", node, slot_index, out);
}

void ga_mac_fabric(const char *node, int slot_index, char out[GA_MAC_SIZE])
{
	mac_of(0x06, "gpuaas-fabric-mac", node, slot_index, out);
}

int ga_ip_parse(const char *text, uint32_t *ret, struct ga_err *err)
{
	struct in_addr a;

	if (strlen(text) >= GA_IP_SIZE || inet_pton(AF_INET, text, &a) != 1)
		return ga_fail(err, GA_BADREC, "'%.64s' is not an IPv4 address", text);
	*ret = ntohl(a.s_addr);
	return 0;
}

char *ga_ip_format(uint32_t ip, char out[GA_IP_SIZE])
{
	snprintf(out, GA_IP_SIZE, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255);
	return out;
}

bool ga_ip_is_of_network(const char *ip, const char *gateway, int64_t prefix_bits)
{
	struct ga_err ignored = GA_ERR_INIT;
	uint32_t own, gate, host;

	if (!ip || !gateway || ga_ip_parse(ip, &own, &ignored) < 0 ||
	    ga_ip_parse(gateway, &gate, &ignored) < 0)
		return false;
	if (own == gate)
		return true;
	if (prefix_bits < 1 || prefix_bits > 30)
		return false;
	host = UINT32_MAX >> prefix_bits;
	return (own & ~host) == (gate & ~host) && (!(own & host) || (own & host) == host);
}

int ga_ip_net_parse(const char *text, uint32_t *net, int *bits, struct ga_err *err)
{
	ga_autofree char *copy = ga_xstrndup(text, 64);
	char *slash = strchr(copy, '/');
	char *end = NULL;
	long n = 0;

	if (slash) {
		*slash = '\0';
		if (isdigit((unsigned char)slash[1]))
			n = strtol(slash + 1, &end, 10);
	}
	if (!end || *end || slash[1] == '0' || n < 8 || n > 30)
		return ga_fail(err, GA_BADREC, "'%.64s' is not a network such as 10.100.0.0/24",
			       text);
	if (ga_ip_parse(copy, net, err) < 0)
		return -1;
	if (*net & (UINT32_MAX >> n))
		return ga_fail(err, GA_BADREC, "'%.64s' has host bits set", text);
	*bits = (int)n;
	return 0;
}
