/* SPDX-License-Identifier: Apache-2.0 */
/* PCI addresses as Linux writes them: "0000:18:00.0" (domain, bus, device, function). */
#ifndef GA_RECORD_PCIADDR_H
#define GA_RECORD_PCIADDR_H

#include "base/ga.h"

/* Domains may need more than 16 bits (VMD uses 0x10000 and up); we write at least 4 hex digits. */
struct ga_pciaddr {
	uint32_t domain;
	uint8_t bus;
	uint8_t device;	  /* 0..31 */
	uint8_t function; /* 0..7 */
};

#define GA_PCIADDR_SIZE 20

/* Reads exactly "DDDD[DDDD]:BB:DD.F" in lower or upper case; GA_BADREC otherwise. */
GA_MUST_CHECK int ga_pciaddr_parse(const char *text, struct ga_pciaddr *ret, struct ga_err *err);
/* Writes the address in lower case to out; returns out. */
char *ga_pciaddr_format(const struct ga_pciaddr *a, char out[GA_PCIADDR_SIZE]);
/* Orders by domain, bus, device and function: below 0, 0, above 0. */
int ga_pciaddr_cmp(const struct ga_pciaddr *a, const struct ga_pciaddr *b);
/* Whether two addresses, as text, differ at most in their function; false when one is none. */
bool ga_pciaddr_same_card(const char *a, const char *b);

#endif
