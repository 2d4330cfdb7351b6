/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of a state: its orders carry it, and hosts compare it (state/host/hostdb.h). */
#include <stdio.h>

#include "state/db/controller.h"
#include "state/db/row.h"


int ga_store_controller(struct ga_db *db, char ret[GA_CONTROLLER_SIZE], struct ga_err *err)
{
	ga_autofree char *hash = NULL;
	int r = ga_db_one(db, err,
			  "SELECT hash FROM audit WHERE object = 'state' AND (action = "
			  "'state_made' OR action = 'state_restored' OR action = 'state_rebuilt') "
			  "ORDER BY seq DESC LIMIT 1", "S", &hash);

	if (r <= 0)
		return r < 0 ? -1 : ga_fail(err, GA_CONFLICT, "the audit does not show how this "
					    "state began: 'gpuaas-state check' finds more");
	snprintf(ret, GA_CONTROLLER_SIZE, "%s",
		 ga_starts(hash, "sha256:") ? hash + strlen("sha256:") : hash);
	return 0;
}
