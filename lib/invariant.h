/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The invariants of the state (state.md) as triggers, beside the keys and checks of share/sql. Each
 * refuses with "word: sentence"; the word is the reason code of the error. They use only built-in
 * functions, hold with foreign keys off, and against INSERT OR REPLACE.
 */
#ifndef GA_INVARIANT_H
#define GA_INVARIANT_H

#include "ga.h"
#include "str.h"

/* Adds the DDL of every trigger but those of the machines (ga_fsm_ddl). */
void ga_invariant_ddl(struct ga_str *sql);

#endif
