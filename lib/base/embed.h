/* SPDX-License-Identifier: Apache-2.0 */
/* The migrations of share/sql, inside the library. To add one, add its line in embed.c. */
#ifndef GA_BASE_EMBED_H
#define GA_BASE_EMBED_H

#include "base/ga.h"

struct ga_migration {
	const char *name; /* name of its file, for messages */
	const char *sql;  /* NUL-terminated */
};

/* In order: the version of a database is the number of migrations applied to it. The last element
 * has no name. */
extern const struct ga_migration ga_state_migrations[], ga_host_migrations[];

#endif
