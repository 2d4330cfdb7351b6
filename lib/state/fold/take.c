/* SPDX-License-Identifier: Apache-2.0 */
/* One record into the state, in a transaction of its own. */
#include "state/fold/take.h"

#include "record/inventory.h"
#include "state/access/access.h"
#include "state/capacity/profile.h"
#include "state/fold/fold.h"
#include "state/node/image.h"
#include "state/node/settings.h"

const struct ga_shape *const ga_store_takes[] = {
	&ga_profile_shape,  &ga_image_shape,	&ga_node_image_shape,	 &ga_node_settings_shape,
	&ga_team_shape,	    &ga_grant_shape,	&ga_access_settings_shape,
	&ga_progress_shape, &ga_allocation_shape, &ga_released_shape,	 &ga_wipe_evidence_shape,
	&ga_observation_shape, &ga_drift_shape, &ga_failure_shape,	 &ga_power_shape,
	&ga_console_shape,  &ga_ingress_shape,	&ga_inventory_work_shape, &ga_inventory_shape, NULL,
};

/* What people say of the state, and not hosts of what they did. */
static bool is_declared(const struct ga_shape *shape)
{
	static const struct ga_shape *const declared[] = {
		&ga_profile_shape, &ga_image_shape, &ga_node_image_shape, &ga_node_settings_shape,
		&ga_team_shape,	   &ga_grant_shape, &ga_access_settings_shape,
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(declared); i++)
		if (declared[i] == shape)
			return true;
	return false;
}

static int put(struct ga_db *db, const struct ga_shape *shape, const void *obj, struct ga_err *err)
{
	if (shape == &ga_profile_shape)
		return ga_store_apply_profile(db, obj, err);
	if (shape == &ga_image_shape)
		return ga_store_apply_image(db, obj, err);
	if (shape == &ga_node_image_shape)
		return ga_store_apply_node_image(db, obj, err);
	if (shape == &ga_node_settings_shape)
		return ga_store_apply_node_settings(db, obj, err);
	if (shape == &ga_team_shape)
		return ga_store_apply_team(db, obj, err);
	if (shape == &ga_grant_shape)
		return ga_store_apply_grant(db, obj, err);
	if (shape == &ga_access_settings_shape)
		return ga_store_apply_access(db, obj, err);
	return ga_fold(db, shape, obj, err);
}

/* The result as it came: what was folded before needs no proof, it changes nothing. */
static int check(struct ga_db *db, const struct ga_rec *rec, const void *obj, bool *first,
		 struct ga_err *err)
{
	int known;

	*first = false;
	if (is_declared(rec->shape))
		return ga_store_may_apply(db, rec->shape, obj, err);
	known = rec->shape->is_signed ? ga_fold_is_known(db, rec->shape, obj, err) : 1;
	if (!known) {
		known = ga_store_key_check(db, rec, err);
		*first = known > 0;
	}
	return known;
}

/* why: NULL, or what ga_fold_unbelieved says. */
static int take(struct ga_db *db, const struct ga_rec *rec, bool *first, struct ga_err *why,
		struct ga_err *err)
{
	ga_autofree void *obj = ga_xcalloc(1, rec->shape->size);
	struct ga_err second = GA_ERR_INIT;
	int r;

	if (ga_rec_parse(rec, rec->shape, obj, err) < 0)
		return -1;
	r = ga_store_begin(db, "gpuaas-state", err);
	if (r == 0)
		r = check(db, rec, obj, first, err) < 0 ? -1 : put(db, rec->shape, obj, err);
	if (r >= 0 && why && ga_fold_unbelieved(db, rec->shape, obj, why, err) < 0)
		r = -1;
	ga_shape_release(rec->shape, obj);
	if (r >= 0 && ga_db_commit(db, err) == 0)
		return r;
	ga_db_rollback(db);
	if (ga_store_key_is_refusal(err) && ga_store_key_note(db, rec, err, &second) < 0)
		*err = second;
	return ga_store_access_note(db, err);
}

int ga_store_take(struct ga_db *db, const struct ga_rec *rec, struct ga_err *err)
{
	bool first;

	return take(db, rec, &first, NULL, err);
}

int ga_store_take_result(struct ga_db *db, const struct ga_rec *rec, bool *first,
			 struct ga_err *why, struct ga_err *err)
{
	return take(db, rec, first, why, err);
}
