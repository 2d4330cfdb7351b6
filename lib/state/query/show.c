/* SPDX-License-Identifier: Apache-2.0 */
/* Shows all of one object: itself, its slots or claims, its timeline, evidence, usage, audit. */
#include "record/access.h"
#include "record/app.h"
#include "record/match.h"
#include "record/rec.h"
#include "record/result.h"
#include "state/access/access.h"
#include "state/access/propose.h"
#include "state/allocation/allocation.h"
#include "state/allocation/wipe.h"
#include "state/capacity/app.h"
#include "state/db/json.h"
#include "state/db/row.h"
#include "state/node/node.h"
#include "state/query/show.h"
#include "state/slot/slot.h"

struct show {
	struct ga_db *db;
	ga_store_each each;
	void *arg;
};

/* Consumes the rows; r is the result of the query. */
static int each_row(const struct show *s, int r, struct ga_rows *query, bool text,
		    const struct ga_schema *schema, struct ga_err *err)
{
	ga_autofree void *obj = ga_xcalloc(1, schema->size);
	ga_autorows struct ga_rows *rows = query;

	if (r < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		r = text ? ga_rec_parse_text(ga_rows_text(rows, 0), schema, obj, err) :
			   ga_row_read(rows, 0, schema, obj, err);
		if (r < 0)
			return -1;
		r = s->each(schema, obj, s->arg, err);
		ga_schema_release(schema, obj);
		if (r < 0)
			return -1;
	}
	return r;
}

static int show_node(const struct show *s, const char *id, struct ga_err *err)
{
	struct ga_rows *rows = NULL;
	int r = ga_query_nodes(s->db, id, &rows, err);

	if (each_row(s, r, rows, false, &ga_node_schema, err) < 0)
		return -1;
	rows = NULL;
	r = ga_query_slots(s->db, NULL, id, &rows, err);
	return each_row(s, r, rows, false, &ga_slot_schema, err);
}

#define REQUEST GA_SQL_OBJECT("request")

static int show_holder(const struct show *s, const char *kind, const char *id, struct ga_err *err)
{
	struct ga_rows *rows = NULL;
	bool slot = !strcmp(kind, "slot");
	int r = slot ? ga_query_slots(s->db, id, NULL, &rows, err) :
		       ga_query_allocations(s->db, id, &rows, err);

	if (each_row(s, r, rows, false, slot ? &ga_slot_schema : &ga_allocation_schema, err) < 0)
		return -1;
	rows = NULL;
	if (!slot) {
		/* The choice of gpuaas-match in the request, when it chose the profile. */
		r = ga_db_query(s->db, &rows, err,
				"SELECT json_object('kind', 'gpuaas.allocation-match/1', "
				"'allocation', id, 'match', json_extract(" REQUEST ", '$.match')) "
				"FROM allocation WHERE id = ?1 AND "
				"json_extract(" REQUEST ", '$.match') IS NOT NULL", "s", id);
		if (each_row(s, r, rows, true, &ga_allocation_match_schema, err) < 0)
			return -1;
		rows = NULL;
	}
	r = ga_query_claims(s->db, id, &rows, err);
	if (each_row(s, r, rows, false, &ga_claim_schema, err) < 0)
		return -1;
	rows = NULL;
	r = ga_query_tasks(s->db, id, NULL, &rows, err);
	if (each_row(s, r, rows, false, &ga_task_schema, err) < 0)
		return -1;
	rows = NULL;
	r = ga_query_evidence(s->db, id, false, &rows, err);
	if (each_row(s, r, rows, true, &ga_wipe_evidence_schema, err) < 0)
		return -1;
	rows = NULL;
	r = slot ? ga_query_proposals(s->db, id, &rows, err) :
		   ga_query_usage(s->db, id, NULL, &rows, err);
	return each_row(s, r, rows, false, slot ? &ga_proposal_schema : &ga_usage_schema, err);
}

/* Access: a team, a grant, or a waiting override. */
static int show_access(const struct show *s, const char *kind, const char *id, struct ga_err *err)
{
	bool team = !strcmp(kind, "team"), grant = !strcmp(kind, "grant");
	struct ga_rows *rows = NULL;
	int r = team  ? ga_query_teams(s->db, id, &rows, err) :
		grant ? ga_query_grants(s->db, id, &rows, err) :
			ga_query_proposals(s->db, id, &rows, err);

	return each_row(s, r, rows, team || grant,
			team  ? &ga_team_schema :
			grant ? &ga_grant_schema :
				&ga_proposal_schema,
			err);
}

static int show_app(const struct show *s, const char *name, struct ga_err *err)
{
	struct ga_rows *rows = NULL;
	int r = ga_query_apps(s->db, name, &rows, err);

	return each_row(s, r, rows, true, &ga_app_schema, err);
}

int ga_store_show(struct ga_db *db, const char *kind, const char *id, ga_store_each each, void *arg,
		  struct ga_err *err)
{
	struct show s = { db, each, arg };
	struct ga_rows *rows = NULL;
	bool holder = !strcmp(kind, "slot") || !strcmp(kind, "allocation");
	int r = !strcmp(kind, "node") ? show_node(&s, id, err) :
		holder		      ? show_holder(&s, kind, id, err) :
		!strcmp(kind, "app")  ? show_app(&s, id, err) :
					show_access(&s, kind, id, err);

	if (r < 0)
		return -1;
	r = ga_query_audit(db, id, NULL, &rows, err);
	return each_row(&s, r, rows, false, &ga_audit_schema, err);
}
