/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes one record into the state, in a transaction of its own. When the state does not believe the
 * report of a host, the record is folded and its object stays blocked: the caller must report that,
 * and must not end as if all were well.
 */
#include "state/fold/take.h"

#include "record/inventory.h"
#include "record/result.h"
#include "record/state.h"
#include "record/vm.h"
#include "state/access/access.h"
#include "state/allocation/move.h"
#include "state/allocation/wipe.h"
#include "state/capacity/app.h"
#include "state/capacity/profile.h"
#include "state/capacity/region.h"
#include "state/db/json.h"
#include "state/db/row.h"
#include "state/fold/fold.h"
#include "state/fold/internal.h"
#include "state/node/image.h"
#include "state/node/settings.h"

const struct ga_schema *const ga_store_takes[] = {
	&ga_profile_schema,
	&ga_app_schema,
	&ga_image_schema,
	&ga_node_image_schema,
	&ga_node_settings_schema,
	&ga_team_schema,
	&ga_grant_schema,
	&ga_access_settings_schema,
	&ga_region_schema,
	&ga_progress_schema,
	&ga_allocation_schema,
	&ga_released_schema,
	&ga_wipe_evidence_schema,
	&ga_observation_schema,
	&ga_drift_schema,
	&ga_failure_schema,
	&ga_power_schema,
	&ga_console_schema,
	&ga_ingress_schema,
	&ga_inventory_work_schema,
	&ga_inventory_schema,
	NULL,
};

/* Records that people declare, in contrast to results of hosts. */
static bool is_declared(const struct ga_schema *schema)
{
	static const struct ga_schema *const declared[] = {
		&ga_profile_schema,	    &ga_image_schema, &ga_node_image_schema,
		&ga_node_settings_schema,   &ga_team_schema,  &ga_grant_schema,
		&ga_access_settings_schema, &ga_region_schema, &ga_app_schema,
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(declared); i++)
		if (declared[i] == schema)
			return true;
	return false;
}

static int put(struct ga_db *db, const struct ga_schema *schema, const void *obj,
	       struct ga_err *err)
{
	if (schema == &ga_profile_schema)
		return ga_store_apply_profile(db, obj, err);
	if (schema == &ga_app_schema)
		return ga_store_apply_app(db, obj, err);
	if (schema == &ga_image_schema)
		return ga_store_apply_image(db, obj, err);
	if (schema == &ga_node_image_schema)
		return ga_store_apply_node_image(db, obj, err);
	if (schema == &ga_node_settings_schema)
		return ga_store_apply_node_settings(db, obj, err);
	if (schema == &ga_team_schema)
		return ga_store_apply_team(db, obj, err);
	if (schema == &ga_grant_schema)
		return ga_store_apply_grant(db, obj, err);
	if (schema == &ga_access_settings_schema)
		return ga_store_apply_access(db, obj, err);
	if (schema == &ga_region_schema)
		return ga_store_apply_region(db, obj, err);
	return ga_fold(db, schema, obj, err);
}

/* ---- results that the state did not believe ---- */

/* The slots blocked because of the record; the reason is the one added last. */
#define LAST(member) "json_extract(" GA_SQL_REASONS("s.blockers") ", '$[#-1]." member "')"
#define COLUMNS "SELECT s.id, s.state, " LAST("code") ", " LAST("evidence") " FROM slot s "

static int query_blocked(struct ga_db *db, const struct ga_schema *schema, const void *obj,
		 struct ga_rows **rows, struct ga_err *err)
{
	const struct ga_wipe_evidence *e = obj;
	const struct ga_allocation *a = obj;
	const struct ga_released *r = obj;

	/* Evidence of a failed wipe shows that by its own outcome. */
	if (schema == &ga_wipe_evidence_schema && e->object && ga_streq(e->outcome, "confirmed"))
		return ga_db_query(db, rows, err,
				   COLUMNS "WHERE s.id = ?1 AND s.wipe_attempt = ?2 "
				   "AND s.state = 'cleanup_blocked'", "ss", e->object, e->attempt);
	if (schema == &ga_released_schema)
		return ga_db_query(db, rows, err,
				   COLUMNS "JOIN claim c ON c.slot_id = s.id AND c.live = 1 "
				   "WHERE c.allocation_id = ?1 AND s.state = 'cleanup_blocked' "
				   "ORDER BY s.slot_index", "s", r->allocation);
	if (schema == &ga_allocation_schema)
		return ga_db_query(db, rows, err,
				   COLUMNS "JOIN claim c ON c.slot_id = s.id "
				   "JOIN allocation a ON a.id = c.allocation_id "
				   "WHERE a.id = ?1 AND a.state IN ('cancelled', 'refused') "
				   "AND s.state = 'quarantined' AND " LAST("code")
				   " = 'used_after_plan' ORDER BY s.slot_index", "s",
				   a->allocation);
	return 0;
}

int ga_fold_unbelieved(struct ga_db *db, const struct ga_schema *schema, const void *obj,
		       struct ga_err *why, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	ga_autofree char *command = NULL, *from = NULL;
	const char *slot, *state, *code, *sentence;
	int r = query_blocked(db, schema, obj, &rows, err);

	if (r < 0 || !rows)
		return r < 0 ? -1 : 0;
	r = ga_rows_next(rows, err);
	if (r <= 0)
		return r;
	slot = ga_rows_text(rows, 0);
	state = ga_rows_text(rows, 1);
	code = ga_rows_text(rows, 2);
	sentence = ga_rows_text(rows, 3);
	if (ga_store_wipe_counts_from(db, slot, &from, err) < 0)
		return -1;
	command = ga_store_leave(GA_M_SLOT, state, NULL, slot);
	ga_refuse(why, GA_CONFLICT, code ? code : state, slot,
		  ("slot '%s' is %s%s%s", slot, state, sentence ? ": " : "",
		   sentence ? sentence : ""),
		  ("%s%s%s%s", from ? "a wipe counts from " : "", from ? from : "",
		   from ? " on; then: " : "", command ? command : "gpuaas-show"));
	return 1;
}

/* ---- a record ---- */

/* The object of a record, for messages. */
static const char *object_of(const json_t *json)
{
	static const char *const members[] = { "allocation", "evidence", "object", "node" };
	const char *id = NULL;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(members) && !id; i++)
		id = json_string_value(json_object_get(json, members[i]));
	return id ? id : "its object";
}

/* why: NULL, or filled by ga_fold_unbelieved. */
static int take(struct ga_db *db, const struct ga_rec *rec, bool *first, struct ga_err *why,
		struct ga_err *err)
{
	ga_autofree void *obj = ga_xcalloc(1, rec->schema->size);
	bool inner = ga_db_in_transaction(db);
	struct ga_err second = GA_ERR_INIT;
	int r, known;

	*first = false;
	if (ga_rec_parse(rec, rec->schema, obj, err) < 0)
		return -1;
	r = inner ? 0 : ga_store_begin(db, "gpuaas-state", err);
	/* Nobody signs what was not done: it must not look like a forged result. */
	if (r == 0 && json_is_true(json_object_get(rec->json, "dry_run")))
		r = ga_fold_check(db, object_of(rec->json), true, false, err);
	if (r == 0 && is_declared(rec->schema)) {
		r = ga_store_may_apply(db, rec->schema, obj, err);
	} else if (r == 0 && rec->schema->is_signed) {
		/* A record that was folded before needs no proof, because it changes nothing. */
		known = ga_fold_is_known(db, rec->schema, obj, err);
		r = known ? known : ga_store_key_check(db, rec, err);
		*first = !known && r > 0;
	}
	if (r >= 0)
		r = put(db, rec->schema, obj, err);
	if (r >= 0 && why && ga_fold_unbelieved(db, rec->schema, obj, why, err) < 0)
		r = -1;
	ga_schema_release(rec->schema, obj);
	if (inner)
		return r;
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
