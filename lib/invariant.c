/* SPDX-License-Identifier: Apache-2.0 */
/* The invariants of the state as triggers. */
#include "invariant.h"

void ga_invariant_ddl(struct ga_str *sql)
{
	ga_str_add(sql, "CREATE TRIGGER audit_kept BEFORE DELETE ON audit\n"
			"BEGIN SELECT RAISE(ABORT, 'kept: audit rows are never deleted'); END;\n");
}
