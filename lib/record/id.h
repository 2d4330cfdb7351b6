/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids: 8 characters of Crockford's base32 in lower case (40 random bits from getrandom(2)),
 * without i, l, o and u. A unique prefix is enough on a command line.
 * Names that people give (nodes, allocations, profiles, projects): [a-z0-9]([a-z0-9._-]*), at most
 * 63 characters.
 */
#ifndef GA_RECORD_ID_H
#define GA_RECORD_ID_H

#include "base/ga.h"

#define GA_ID_SIZE 9

char *ga_id_new(void); /* allocated */
/* Whether text is a complete id in the form above; text must not be NULL. */
bool ga_id_is_valid(const char *text);
/* The same for a name that people give. */
bool ga_name_is_valid(const char *text);

#endif
