/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the results of hosts to the state. */
#include "record/digest.h"
#include "record/rec.h"
#include "state/allocation/wipe.h"
#include "state/db/audit.h"
#include "state/fold/fold.h"
#include "state/fold/internal.h"

int ga_fold_check(struct ga_db *db, const char *object, bool dry_run, bool lab, struct ga_err *err)
{
	if (dry_run)
		return ga_fail_for(err, GA_CONFLICT, "dry_run", "the record of '%s' is of a dry "
				   "run: nothing was done", object);
	if (lab == ga_db_is_lab(db))
		return 0;
	return ga_refuse(err, GA_CONFLICT, "lab", NULL,
			 ("the record of '%s' is of %s, the state of %s", object,
			  lab ? "a lab" : "real disks", lab ? "real disks" : "a lab"),
			 ("fold it into the state that issued the order"));
}

int ga_fold_allocation_row(struct ga_db *db, const char *allocation, const char *attempt,
			   int64_t generation, struct ga_allocation_row *ret, struct ga_err *err)
{
	int r = ga_store_allocation_row(db, allocation, ret, err);

	if (r < 0)
		return -1;
	if (!r)
		return ga_refuse(err, GA_NOTFOUND, NULL, allocation,
				 ("there is no allocation '%s'", allocation),
				 ("is this the state that issued the order?"));
	if (!ga_streq(ret->attempt, attempt) ||
	    (generation != GA_UNKNOWN && generation != ret->attempt_generation))
		return ga_store_stale(allocation, attempt, generation, ret->attempt,
				      ret->attempt_generation, err);
	return 0;
}

int ga_fold_start(struct ga_db *db, struct ga_allocation_row *h, const char *at, struct ga_err *err)
{
	if (strcmp(h->state, "placed"))
		return 0;
	if (ga_store_move_claimed(db, h->id, "reserved", "provisioning", at, err) < 0 ||
	    ga_store_move_allocation(db, h, "provisioning", at, NULL, err) < 0 ||
	    ga_store_usage_open(db, h->id, "provisioning", at, err) < 0)
		return -1;
	return ga_audit_add(db, "provisioning", h->id, json_pack("{s:s?}", "attempt", h->attempt),
			    err);
}

/* Folds a record by its kind; object is set to the record's object. */
static int dispatch(struct ga_db *db, const struct ga_schema *schema, const void *obj,
		    const char **object, struct ga_err *err)
{
	*object = NULL;
	if (schema == &ga_progress_schema) {
		*object = ((const struct ga_progress *)obj)->object;
		return ga_fold_progress(db, obj, err);
	}
	if (schema == &ga_allocation_schema) {
		*object = ((const struct ga_allocation *)obj)->allocation;
		return ga_fold_allocation(db, obj, err);
	}
	if (schema == &ga_released_schema) {
		*object = ((const struct ga_released *)obj)->allocation;
		return ga_fold_released(db, obj, err);
	}
	if (schema == &ga_wipe_evidence_schema) {
		*object = ((const struct ga_wipe_evidence *)obj)->object;
		return ga_fold_evidence(db, obj, err);
	}
	if (schema == &ga_observation_schema) {
		*object = ((const struct ga_observation *)obj)->node;
		return ga_fold_observation(db, obj, err);
	}
	if (schema == &ga_drift_schema) {
		*object = ((const struct ga_drift *)obj)->object;
		return ga_fold_drift(db, obj, err);
	}
	if (schema == &ga_failure_schema) {
		*object = ((const struct ga_failure *)obj)->object;
		return ga_fold_failure(db, obj, err);
	}
	if (schema == &ga_power_schema) {
		*object = ((const struct ga_power *)obj)->allocation;
		return ga_fold_power(db, obj, err);
	}
	if (schema == &ga_console_schema) {
		*object = ((const struct ga_console *)obj)->allocation;
		return ga_fold_console(db, obj, err);
	}
	if (schema == &ga_ingress_schema) {
		*object = ((const struct ga_ingress *)obj)->allocation;
		return ga_fold_ingress(db, obj, err);
	}
	return ga_fail_for(err, GA_BADREC, "not_a_result", "%s is no result: it cannot be folded",
			   schema->kind);
}

int ga_fold_is_known(struct ga_db *db, const struct ga_schema *schema, const void *obj,
		     struct ga_err *err)
{
	char digest[GA_DIGEST_SIZE] = "";

	ga_rec_digest(schema, obj, NULL, digest);
	return ga_store_folded(db, digest, err);
}

int ga_fold(struct ga_db *db, const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	char digest[GA_DIGEST_SIZE] = "";
	const char *object;
	int known, changed;

	ga_rec_digest(schema, obj, NULL, digest);
	known = ga_store_folded(db, digest, err);
	if (known)
		return known < 0 ? -1 : 0;
	changed = dispatch(db, schema, obj, &object, err);
	/* "Still running" comes every second: it only updates its row of the timeline, and its
	 * digest is not kept. */
	if (changed < 0 ||
	    (schema == &ga_progress_schema &&
	     !strcmp(((const struct ga_progress *)obj)->state, "running")))
		return changed;
	if (ga_store_folded_add(db, digest, schema->kind, object, err) < 0)
		return -1;
	return changed;
}
