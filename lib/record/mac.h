/* SPDX-License-Identifier: Apache-2.0 */
/* MAC and IPv4 addresses of slots. */
#ifndef GA_RECORD_MAC_H
#define GA_RECORD_MAC_H

#include "base/ga.h"

#define GA_MAC_SIZE 18
#define GA_IP_SIZE 16

/* Reads "52:54:00:aa:bb:cc" (either case), unicast and not all zero; GA_BADREC otherwise.
 * Writes it in lower case. */
GA_MUST_CHECK int ga_mac_parse(const char *text, char out[GA_MAC_SIZE], struct ga_err *err);
/* The suggested MAC of a slot: 02:xx:xx:xx:xx:II, locally administered and unicast; xx are the
 * first four bytes of SHA-256("gpuaas-mac" NUL node), II is the slot index (0..255). */
void ga_mac_suggest(const char *node, int slot_index, char out[GA_MAC_SIZE]);
/* The MAC of a slot's fabric function: 06:xx:xx:xx:xx:II, salted with "gpuaas-fabric-mac". */
void ga_mac_fabric(const char *node, int slot_index, char out[GA_MAC_SIZE]);

/* Reads a dotted IPv4 address (four decimal parts, no leading zeros). */
GA_MUST_CHECK int ga_ip_parse(const char *text, uint32_t *ret, struct ga_err *err);
/* Writes the address in dotted form to out; returns out. */
char *ga_ip_format(uint32_t ip, char out[GA_IP_SIZE]);
/* Whether ip is an address that no slot of the network may have: its gateway, its network address
 * or its broadcast address. False when gateway is NULL or a text is no address. With prefix_bits
 * GA_UNKNOWN, checks only for the gateway. */
bool ga_ip_is_of_network(const char *ip, const char *gateway, int64_t prefix_bits);
/* Reads "10.100.0.0/24"; the host bits must be zero; bits 8..30. */
GA_MUST_CHECK int ga_ip_net_parse(const char *text, uint32_t *net, int *bits, struct ga_err *err);

#endif
