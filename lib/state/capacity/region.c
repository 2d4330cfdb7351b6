/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that an operator declared, and their capacity. */
#include "state/capacity/region.h"

#include "record/rec.h"
#include "state/db/audit.h"
#include "state/db/invariant.h"
#include "state/db/json.h"

int ga_store_apply_region(struct ga_db *db, const struct ga_region *r, struct ga_err *err)
{
	struct ga_region declared = *r; /* borrows every member */
	ga_autofree char *text = NULL, *old = NULL;

	if (!r->open && !r->reason && !r->retired)
		return ga_refuse(err, GA_BADREC, "no_reason", r->name,
				 ("region '%s' is not open and has no reason", r->name),
				 ("\"reason\": \"opens in March\" is what users see"));
	declared.nodes = declared.slots = declared.available = GA_UNKNOWN;
	text = ga_rec_format_text(&ga_region_schema, &declared);
	if (ga_db_get(db, err, "SELECT record FROM region WHERE name = ?1", "sS", r->name,
		      &old) < 0)
		return -1;
	if (r->retired ? !old : ga_streq(old, text))
		return 0;
	if (r->retired ? ga_db_change(db, err, "DELETE FROM region WHERE name = ?1", "s",
				      r->name) < 0 :
			 ga_db_change(db, err,
				      "INSERT INTO region (name, open, record) VALUES (?1, ?2, ?3) "
				      "ON CONFLICT (name) DO UPDATE SET open = excluded.open, "
				      "record = excluded.record",
				      "sbs", r->name, (int)r->open, text) < 0)
		return -1;
	if (ga_audit_add(db, r->retired ? "region_retired" : "region_applied", r->name,
			 json_pack("{s:b, s:s*}", "open", r->open, "reason", r->reason), err) < 0)
		return -1;
	return 1;
}

#define RECORD(member) "json_extract(" GA_SQL_OBJECT("r.record") ", '$." member "')"
#define COUNTS \
	"(SELECT n.region AS region, count(*) AS nodes, sum(s.slots) AS slots, " \
	"sum(s.available) AS available FROM node n LEFT JOIN (SELECT node_id, count(*) AS slots, " \
	"sum(" GA_SQL_SLOT_AVAILABLE("slot") ") AS available FROM slot " \
	"WHERE retired = 0 GROUP BY node_id) s " \
	"ON s.node_id = n.id WHERE n.state <> 'retired' AND n.region IS NOT NULL " \
	"GROUP BY n.region) c "

int ga_store_list_regions(struct ga_db *db, ga_store_each each, void *arg, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	struct ga_region region;
	int r;

	/* In the order of ga_region_schema. */
	if (ga_db_query(db, &rows, err,
			"SELECT k.name, " RECORD("title") ", coalesce(r.open, 1), "
			RECORD("reason") ", NULL, coalesce(c.nodes, 0), coalesce(c.slots, 0), "
			"coalesce(c.available, 0) FROM (SELECT name FROM region UNION "
			"SELECT region FROM node WHERE region IS NOT NULL AND "
			"state <> 'retired') k LEFT JOIN region r ON r.name = k.name LEFT JOIN "
			COUNTS "ON c.region = k.name ORDER BY k.name", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		if (ga_row_read(rows, 0, &ga_region_schema, &region, err) < 0)
			return -1;
		r = each(&ga_region_schema, &region, arg, err);
		ga_schema_release(&ga_region_schema, &region);
		if (r < 0)
			return -1;
	}
	return r;
}

int ga_store_fleet_regions(struct ga_db *db, struct ga_fleet *f, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	ga_list_release(&f->regions);
	if (ga_db_query(db, &rows, err,
			"SELECT r.name, r.open, " RECORD("reason") " FROM region r ORDER BY r.name",
			"") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(&f->regions) = (struct ga_fleet_region){
			.name = ga_fleet_word(f, ga_rows_text(rows, 0)),
			.open = ga_rows_bool(rows, 1),
			.reason = ga_fleet_word(f, ga_rows_text(rows, 2)),
		};
	return r;
}
