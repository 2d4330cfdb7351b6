/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of hosts about the allocations that run on them. */
#include "state/allocation/provision.h"

#include "record/rec.h"
#include "record/result.h"
#include "state/db/row.h"

int ga_store_running(struct ga_db *db, const struct ga_allocation *a, struct ga_err *err)
{
	ga_autofree char *lease =
		a->network ? ga_rec_format_text(&ga_lease_schema, a->network) : NULL;
	ga_autofree char *access_text = NULL, *address = NULL;
	struct ga_access access;

	/* The address of a guest is private, and the guest is reached through its node. Only the
	 * state knows the node's address. A baremetal allocation is reached directly. */
	if (a->access) {
		access = *a->access;
		if (ga_db_get(db, err, "SELECT address FROM node WHERE id = ?1", "sS", a->node,
			      &address) < 0)
			return -1;
		if (!access.jump_host && strcmp(a->shape, "baremetal"))
			access.jump_host = address;
		access_text = ga_rec_format_text(&ga_access_schema, &access);
	}
	return ga_db_exec(db, err,
			  "UPDATE allocation SET power_observed = ?2, access = ?3, network = ?4, "
			  "power_wanted = coalesce(power_wanted, 'on'), "
			  "generation = generation + 1 "
			  "WHERE id = ?1 AND (power_observed IS NOT ?2 OR access IS NOT ?3 "
			  "OR network IS NOT ?4)",
			  "ssss", a->allocation, a->power_observed ? a->power_observed : "on",
			  access_text, lease);
}

int ga_store_power(struct ga_db *db, const char *allocation, const char *node, const char *power,
		   struct ga_err *err)
{
	return ga_db_exec(db, err,
			  "UPDATE allocation SET power_observed = ?2, generation = generation + 1 "
			  "WHERE id = ?1 AND node_id = ?3 AND power_observed IS NOT ?2 "
			  "AND state IN ('active', 'held', 'preempting', 'releasing', "
			  "'release_failed')",
			  "sss", allocation, power, node);
}

int ga_store_power_wanted(struct ga_db *db, const char *allocation, const char *wanted,
			  const char *observed, struct ga_err *err)
{
	return ga_db_exec(db, err,
			  "UPDATE allocation SET power_wanted = ?2, "
			  "power_observed = coalesce(?3, power_observed), "
			  "generation = generation + 1 WHERE id = ?1 AND (power_wanted IS NOT ?2 "
			  "OR power_observed IS NOT coalesce(?3, power_observed))",
			  "sss", allocation, wanted, observed);
}

int ga_store_active_reason(struct ga_db *db, const char *allocation, const char *reason,
			   struct ga_err *err)
{
	return ga_db_exec(db, err,
			  "UPDATE allocation SET reason = ?2, generation = generation + 1 "
			  "WHERE id = ?1 AND state = 'active' AND reason IS NOT ?2",
			  "ss", allocation, reason);
}

int ga_store_observed(struct ga_db *db, const struct ga_observation *o, struct ga_err *err)
{
	int64_t epoch = o->agreed ? ga_db_epoch(db) : GA_UNKNOWN;

	return ga_db_exec(db, err,
			  "UPDATE node SET boot_id = coalesce(?2, boot_id), "
			  "epoch_verified = coalesce(?3, epoch_verified), "
			  "generation = generation + 1 WHERE id = ?1 "
			  "AND (boot_id IS NOT coalesce(?2, boot_id) "
			  "OR epoch_verified <> coalesce(?3, epoch_verified))",
			  "ssi", o->node, o->boot_id, epoch);
}

int ga_store_last_word(struct ga_db *db, const char *object, const char *action, char **ret,
		       struct ga_err *err)
{
	*ret = NULL;
	return ga_db_get(db, err,
			 "SELECT CASE WHEN action = ?2 THEN detail END FROM audit "
			 "WHERE object = ?1 ORDER BY seq DESC LIMIT 1",
			 "ssS", object, action, ret);
}

int ga_store_entered_after(struct ga_db *db, const char *allocation, const char *at,
			   struct ga_err *err)
{
	return ga_db_one(db, err, "SELECT 1 FROM allocation WHERE id = ?1 AND since > ?2", "ss",
			 allocation, at);
}

int ga_store_last_audit(struct ga_db *db, const char *object, const char *action, char **ret,
			struct ga_err *err)
{
	*ret = NULL;
	return ga_db_get(db, err,
			 "SELECT detail FROM audit WHERE object = ?1 AND action = ?2 "
			 "ORDER BY seq DESC LIMIT 1",
			 "ssS", object, action, ret);
}
