/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names that the state has: whether a name is one, and those that are spelled nearly as one
 * that is none, for hints.
 * kind: allocation, node, team, grant, app, profile, image, region, pool, project. A pool or
 * project is a name that a node, profile, team, grant, allocation or refusal has.
 */
#ifndef GA_STATE_DB_NEAR_H
#define GA_STATE_DB_NEAR_H

#include "state/db/db.h"

/* 1: something of that kind has the name; 0: nothing; -1. */
GA_MUST_CHECK int ga_db_has_name(struct ga_db *db, const char *kind, const char *name,
				 struct ga_err *err);
/* The start of a hint: "near to it: 'one', 'two'; ", or "" when no name is near or the state cannot
 * be read now. kind NULL: each that ga_store_resolve finds without a kind. The caller frees it. */
char *ga_db_near(struct ga_db *db, const char *kind, const char *text);

#endif
