/* SPDX-License-Identifier: Apache-2.0 */
/* Which of several states this is: what its orders carry, and hosts compare
 * (state/host/hostdb.h). */
#ifndef GA_STATE_DB_CONTROLLER_H
#define GA_STATE_DB_CONTROLLER_H

#include "record/state.h"
#include "state/db/row.h"

#define GA_CONTROLLER_SIZE 17 /* 16 hexadecimal digits and the end */
/* Which state this is, as its orders say it: the first digits of the hash of the audit row that its
 * epoch began with. A state that was restored or rebuilt is another one than the state it was. */
GA_MUST_CHECK int ga_store_controller(struct ga_db *db, char ret[GA_CONTROLLER_SIZE],
				      struct ga_err *err);

#endif
