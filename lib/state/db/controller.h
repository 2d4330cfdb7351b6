/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of a state: its orders carry it, and hosts compare it (state/host/hostdb.h). */
#ifndef GA_STATE_DB_CONTROLLER_H
#define GA_STATE_DB_CONTROLLER_H

#include "state/db/row.h"

#define GA_CONTROLLER_SIZE 17 /* 16 hexadecimal digits and the NUL */
/* The identity of the state as its orders carry it: the first digits of the hash of the
 * audit row that began its epoch. So a state that was restored or rebuilt has another
 * identity than before. */
GA_MUST_CHECK int ga_store_controller(struct ga_db *db, char ret[GA_CONTROLLER_SIZE],
				      struct ga_err *err);

#endif
