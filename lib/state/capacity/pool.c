/* SPDX-License-Identifier: Apache-2.0 */
/* Capacity by pool, region and type. */
#include "base/clock.h"
#include "record/rec.h"
#include "record/state.h"
#include "state/capacity/fleet.h"
#include "state/capacity/pool.h"
#include "state/capacity/profile.h"
#include "state/db/invariant.h"
#include "state/db/row.h"

/* The use of a pool's free slots for the profiles that may be placed there. */
struct worth {
	int64_t largest;       /* GPUs of the largest slice that fits now */
	int64_t largest_count; /* largest count of any profile; 0: no profile sells the type */
};

/* Images are ignored: a copy can be brought to a node, a GPU cannot. */
static void add_profile(const struct ga_fleet *fleet, const struct ga_pool *pool,
			const struct ga_profile *p, struct worth *ret)
{
	char *type = pool->type, any[] = "any";
	const char *image = any;
	struct ga_profile narrow = *p; /* borrows every member */
	size_t i;

	if (type) {
		narrow.types.v = &type;
		narrow.types.n = 1;
	}
	narrow.image = any;
	for (i = 0; i < p->counts.n; i++)
		if (p->counts.v[i] > ret->largest_count)
			ret->largest_count = p->counts.v[i];
	for (i = 0; i < fleet->nodes.n; i++) {
		struct ga_fleet_node n = fleet->nodes.v[i]; /* borrows every member */
		int64_t fits;

		if (n.why || !ga_streq(n.pool, pool->pool) || !ga_streq(n.region, pool->region))
			continue;
		n.images.v = &image;
		n.images.n = 1;
		fits = ga_place_largest(fleet, &n, &narrow);
		if (fits > ret->largest)
			ret->largest = fits;
	}
}

static int worth_of(struct ga_db *db, const struct ga_fleet *fleet, const struct ga_pool *pool,
		    struct worth *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	*ret = (struct worth){ 0 };
	if (ga_query_profiles(db, &rows, err) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		struct ga_profile p;

		/* A profile that cannot be read sells nothing; attention names it. */
		if (ga_rec_parse_text(ga_rows_text(rows, 0), &ga_profile_schema, &p, err) < 0) {
			ga_err_clear(err);
			continue;
		}
		if (!p.retired && !strcmp(p.shape, "slice") &&
		    (!p.types.n || ga_texts_has(&p.types, pool->type)) &&
		    (!p.pool || ga_streq(p.pool, pool->pool)) &&
		    (!p.region || ga_streq(p.region, pool->region)))
			add_profile(fleet, pool, &p, ret);
		ga_schema_release(&ga_profile_schema, &p);
	}
	return r;
}

/* One number for how scattered a pool's free slots are. Those of nodes in mode baremetal do not
 * count: they are sold together. */
static int64_t fragmentation(int64_t largest, int64_t available, int64_t largest_count)
{
	int64_t best = largest_count && available > largest_count ? largest_count : available;

	return best > 0 && largest < best ? 1000000 * (best - largest) / best : 0;
}

int ga_store_list_pools(struct ga_db *db, int64_t stale_seconds, ga_store_each each, void *arg,
			struct ga_err *err)
{
	int64_t now = ga_clock_micros();
	ga_cleanup(ga_fleet_release) struct ga_fleet fleet = {
		.version = GA_FLEET_UNREAD,
		.now_micros = now,
		.stale_micros = stale_seconds ? ga_time_after(now, -stale_seconds) : 0,
	};
	ga_autorows struct ga_rows *rows = NULL;
	struct ga_pool pool;
	struct worth worth;
	int r;

	/* In the order of ga_pool_schema; largest is the largest number of free slots on
	 * one node of mode slice. Then the available slots of such nodes, and the slots of the
	 * largest machine of mode baremetal that is free. */
	if (ga_store_fleet_load(db, &fleet, err) < 0 ||
	    ga_store_fleet_expire(db, &fleet, err) < 0 ||
	    ga_db_query(db, &rows, err,
			"SELECT pool, region, NULL, type, count(*), sum(slots), sum(available), "
			"sum(reserved), sum(active), sum(cleaning), sum(blocked), sum(disabled), "
			"max(usable * slices), 0, sum(available * slices), "
			"max(iif(slices = 0 AND usable = slots, slots, 0)) "
			"FROM (SELECT n.pool AS pool, n.region AS region, "
			"s.accelerator_type AS type, count(*) AS slots, "
			"sum(" GA_SQL_SLOT_AVAILABLE("s") ") AS available, "
			"sum(s.state IN ('reserved', 'provisioning')) AS reserved, "
			"sum(s.state = 'active') AS active, "
			"sum(s.state IN ('releasing', 'wiping')) AS cleaning, "
			"sum(s.state IN ('cleanup_blocked', 'quarantined')) AS blocked, "
			"sum(s.state IN ('available', 'disabled') AND NOT "
			GA_SQL_SLOT_AVAILABLE("s") ") AS disabled, "
			"CASE WHEN n.state = 'active' AND n.blockers = '[]' "
			"THEN sum(" GA_SQL_SLOT_AVAILABLE("s") ") ELSE 0 END "
			"AS usable, n.mode <> 'baremetal' AS slices "
			"FROM slot s JOIN node n ON n.id = s.node_id "
			"WHERE s.retired = 0 GROUP BY n.id, s.accelerator_type) p "
			"GROUP BY pool, region, type ORDER BY pool, region, type", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		if (ga_row_read(rows, 0, &ga_pool_schema, &pool, err) < 0)
			return -1;
		r = worth_of(db, &fleet, &pool, &worth, err);
		if (r == 0 && worth.largest_count) /* else no profile sells the type */
			pool.largest = worth.largest;
		pool.fragmentation_ppm =
			fragmentation(pool.largest, ga_rows_int(rows, 14), worth.largest_count);
		if (ga_rows_int(rows, 15) > pool.largest)
			pool.largest = ga_rows_int(rows, 15);
		if (r == 0)
			r = each(&ga_pool_schema, &pool, arg, err);
		ga_schema_release(&ga_pool_schema, &pool);
		if (r < 0)
			return -1;
	}
	return r;
}
