/* SPDX-License-Identifier: Apache-2.0 */
/* The migrations of share/sql, carried inside the library. A new one is one line in embed.c. */
#ifndef GA_BASE_EMBED_H
#define GA_BASE_EMBED_H

#include "base/ga.h"

struct ga_migration {
	const char *name; /* its file, for messages */
	const char *sql;  /* NUL-terminated */
};

/* In order: the version of a database is the number of migrations it has had. End without name. */
extern const struct ga_migration ga_state_migrations[], ga_host_migrations[];

#endif
