/* SPDX-License-Identifier: Apache-2.0 */
/* The accelerators of nodes from the state. */
#include "state/capacity/view.h"

#include <stdlib.h>
#include <string.h>

#include "record/time.h"
#include "state/db/audit.h"

/* ---- recorded by hand ---- */

int ga_store_manual_types(struct ga_db *db, struct ga_manual_types *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT node, accelerator_type, count, reason, said_by, said_at, "
			"n.id IS NOT NULL, n.name FROM manual_type LEFT JOIN node n "
			"ON n.id = node ORDER BY node, accelerator_type", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(ret) = (struct ga_manual_type){
			.node = ga_rows_dup(rows, 0),
			.of_state = ga_rows_int(rows, 6) != 0,
			.name = ga_rows_dup(rows, 7),
			.type = ga_rows_dup(rows, 1),
			.count = ga_rows_int(rows, 2),
			.reason = ga_rows_dup(rows, 3),
			.by = ga_rows_dup(rows, 4),
			.at = ga_rows_dup(rows, 5),
		};
	return r;
}

int ga_store_node_called(struct ga_db *db, const char *text, char **ret, struct ga_err *err)
{
	ga_autotexts struct ga_texts ids = { 0 };

	*ret = NULL;
	if (ga_db_texts(db, &ids, err, "SELECT id FROM node WHERE id = ?1 OR name = ?1 "
			"ORDER BY id <> ?1 LIMIT 2", "s", text) < 0)
		return -1;
	if (ids.n > 1 && strcmp(ids.v[0], text) != 0)
		return ga_fail(err, GA_USAGE, "'%.64s' is the name of several nodes: '%s', '%s'",
			       text, ids.v[0], ids.v[1]);
	if (ids.n)
		*ret = GA_TAKE(ids.v[0]);
	return 0;
}

static json_t *detail_of(const struct ga_manual_type *types, size_t n, const char *reason)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(
			list, types[i].count == GA_UNKNOWN ?
				      json_pack("{s:s, s:n}", "type", types[i].type, "count") :
				      json_pack("{s:s, s:I}", "type", types[i].type, "count",
						(json_int_t)types[i].count));
	return json_pack("{s:o, s:s?}", "types", list, "reason", reason);
}

/* Each type has one count: of two counts for one type, nobody knows the right one. */
static int check_twice(const struct ga_manual_type *types, size_t n, struct ga_err *err)
{
	size_t i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < i && strcmp(types[j].type, types[i].type) != 0; j++)
			;
		if (j == i)
			continue;
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("the type '%.64s' is given twice", types[i].type),
				 ("once, with the number of all of them: 4xTYPE"));
	}
	return 0;
}

int ga_store_set_manual_types(struct ga_db *db, const char *node,
			      const struct ga_manual_type *types, size_t n, const char *reason,
			      struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	int gone;
	size_t i;

	if (check_twice(types, n, err) < 0)
		return -1;
	gone = ga_db_exec(db, err, "DELETE FROM manual_type WHERE node = ?1 OR node = "
			  "(SELECT name FROM node WHERE id = ?1) AND NOT EXISTS "
			  "(SELECT 1 FROM node n WHERE n.id = manual_type.node)", "s", node);
	if (gone < 0)
		return -1;
	if (!n && !gone)
		return ga_fail(err, GA_NOTFOUND, "no type was recorded by hand for '%s'", node);
	for (i = 0; i < n; i++)
		if (ga_db_change(db, err,
				 "INSERT INTO manual_type (node, accelerator_type, count, reason, "
				 "said_by, said_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
				 "ssisss", node, types[i].type, types[i].count, reason,
				 ga_audit_actor(), now) < 0)
			return -1;
	return ga_audit_add(db, n ? "type_recorded" : "type_forgotten", node,
			    detail_of(types, n, reason), err);
}

/* ---- approved ---- */

int ga_store_has_type(struct ga_db *db, const char *type, struct ga_err *err)
{
	return ga_db_one(db, err, "SELECT 1 FROM slot WHERE accelerator_type = ?1 AND "
			 "retired = 0 LIMIT 1", "s", type);
}

/* ---- discovered ---- */

/* VIEWS has the nodes with their discovered GPUs: ids with subsystem and revision, and the number
 * of GPUs. A node without candidates has its slots instead, by the type they were approved with.
 * MEMORY is the memory of the host: row -1 is the whole host, the other rows are its NUMA nodes. */
#define MEMORY \
	"coalesce((SELECT memory_mib FROM node_memory m WHERE m.node_id = n.id " \
	"AND numa_node = -1), (SELECT sum(memory_mib) FROM node_memory m WHERE m.node_id = n.id))"
#define VIEWS \
	"SELECT n.id, n.name, n.state, n.observed_at, " \
	MEMORY ", c.gpu, c.gpus, " \
	"NULL, NULL FROM node n LEFT JOIN (SELECT node_id, gpu, count(*) AS gpus FROM candidate " \
	"WHERE gpu IS NOT NULL GROUP BY node_id, gpu) c ON c.node_id = n.id " \
	"WHERE n.state <> 'retired' AND (c.node_id IS NOT NULL OR NOT EXISTS " \
	"(SELECT 1 FROM slot s WHERE s.node_id = n.id AND s.retired = 0)) " \
	"UNION ALL SELECT n.id, n.name, n.state, n.observed_at, " \
	MEMORY ", NULL, count(*), " \
	"s.accelerator_type, s.type_name FROM slot s JOIN node n ON n.id = s.node_id " \
	"WHERE s.retired = 0 AND n.state <> 'retired' AND NOT EXISTS (SELECT 1 FROM candidate c " \
	"WHERE c.node_id = n.id AND c.gpu IS NOT NULL) " \
	"GROUP BY n.id, s.accelerator_type, s.type_name ORDER BY 1, 6, 8"

/* "10de:2335 10de:18be a1"; subsystem and revision are "-" when they are not known. */
static bool parse_gpu(const char *text, struct ga_accel_clue *c)
{
	unsigned int sub_vendor, sub_device, revision;
	const char *sub, *rev;

	*c = (struct ga_accel_clue){ .sub_vendor = GA_UNKNOWN, .sub_device = GA_UNKNOWN,
				     .revision = GA_UNKNOWN, .is_virtual = false,
				     .memory_mib = GA_UNKNOWN, .compute_units = GA_UNKNOWN };
	if (sscanf(text, "%4x:%4x", &c->vendor, &c->device) != 2)
		return false;
	sub = strchr(text, ' ');
	rev = sub ? strchr(sub + 1, ' ') : NULL;
	if (sub && sscanf(sub + 1, "%4x:%4x", &sub_vendor, &sub_device) == 2) {
		c->sub_vendor = sub_vendor;
		c->sub_device = sub_device;
	}
	if (rev && sscanf(rev + 1, "%2x", &revision) == 1)
		c->revision = revision;
	return true;
}

static void add_discovered(struct ga_census *g, const char *gpu, int64_t count)
{
	ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };
	struct ga_node_type *t = ga_census_add(g, count, GA_UNKNOWN);
	ga_autofree char *said = NULL;
	struct ga_accel_clue clue;

	if (!parse_gpu(gpu, &clue)) {
		ga_type_said(t, "pci", gpu, NULL, 0);
		return;
	}
	ga_accels_detect(g->list, &clue, &a);
	said = ga_streq(a.rung, "subsystem") ?
		       ga_xprintf("%04x:%04x/%04llx:%04llx", clue.vendor, clue.device,
				  (unsigned long long)clue.sub_vendor,
				  (unsigned long long)clue.sub_device) :
		       ga_xprintf("%04x:%04x", clue.vendor, clue.device);
	if (a.match == GA_ACCEL_UNKNOWN && clue.revision != GA_UNKNOWN &&
	    ga_accels_has(g->list, clue.vendor, clue.device)) {
		free(said);
		said = ga_xprintf("%04x:%04x revision %02x", clue.vendor, clue.device,
				  (unsigned int)clue.revision);
	}
	ga_type_said(t, "pci", said, a.slug ? &a.slug : a.may_be.v, a.slug ? 1 : a.may_be.n);
}

struct reading {
	const struct ga_accels *list;
	const struct ga_manual_types *manual;
	int (*each)(struct ga_node_view *view, void *arg, struct ga_err *err);
	void *arg;
	int64_t now;
	struct ga_census gather;
	struct ga_node_view view;
	bool open;
};

static void begin_node(struct reading *r, const struct ga_rows *rows)
{
	struct ga_node_view *v = &r->view;
	int64_t at;

	ga_schema_init(&ga_node_view_schema, v);
	v->node = ga_rows_dup(rows, 0);
	v->name = ga_rows_dup(rows, 1);
	v->source = ga_xstrdup("discovery");
	v->state = ga_rows_dup(rows, 2);
	v->node_memory_mib = ga_rows_int(rows, 4);
	v->allocatable = v->age_seconds = GA_UNKNOWN;
	if (ga_time_read(ga_rows_text(rows, 3), &at)) {
		v->observed_at = ga_rows_dup(rows, 3);
		v->age_seconds = at > r->now ? 0 : (r->now - at) / GA_SECOND;
	}
	r->gather = (struct ga_census){ .list = r->list, .view = v };
	r->open = true;
}

static int end_node(struct reading *r, struct ga_err *err)
{
	int status;

	if (!r->open)
		return 0;
	r->open = false;
	ga_census_manual(&r->gather, r->manual);
	ga_census_done(&r->gather);
	status = r->each(&r->view, r->arg, err);
	ga_schema_release(&ga_node_view_schema, &r->view);
	return status;
}

static int read_row(struct reading *r, const struct ga_rows *rows, struct ga_err *err)
{
	const char *gpu = ga_rows_text(rows, 5), *name = ga_rows_text(rows, 8);
	const struct ga_accel_type *known;
	int64_t count = ga_rows_int(rows, 6);

	if (r->open && !ga_streq(r->view.node, ga_rows_text(rows, 0)) && end_node(r, err) < 0)
		return -1;
	if (!r->open)
		begin_node(r, rows);
	if (gpu)
		add_discovered(&r->gather, gpu, count);
	if (gpu || count == GA_UNKNOWN)
		return 0;
	known = ga_accels_type(r->list, ga_rows_text(rows, 7));
	ga_type_said(ga_census_add(&r->gather, count, GA_UNKNOWN), "pci",
		     name ? name : "an approved slot",
		     known ? (const char *const *)&known->slug : NULL, known ? 1 : 0);
	return 0;
}

int ga_store_node_views(struct ga_db *db, const struct ga_accels *list, int64_t now_micros,
			int (*each)(struct ga_node_view *view, void *arg, struct ga_err *err),
			void *arg, struct ga_err *err)
{
	ga_automanual struct ga_manual_types manual = { NULL, 0 };
	ga_autorows struct ga_rows *rows = NULL;
	struct reading r = { .list = list, .manual = &manual, .each = each, .arg = arg,
			     .now = now_micros };
	int more;

	if (ga_store_manual_types(db, &manual, err) < 0 ||
	    ga_db_query(db, &rows, err, VIEWS, "") < 0)
		return -1;
	while ((more = ga_rows_next(rows, err)) > 0 && (more = read_row(&r, rows, err)) == 0)
		;
	if (more == 0)
		return end_node(&r, err);
	if (r.open) {
		ga_list_release(&r.gather.memory_mib);
		ga_schema_release(&ga_node_view_schema, &r.view);
	}
	return -1;
}

/* ---- recorded by hand, for one node ---- */

struct by_hand {
	const struct ga_accels *list;
	const char *node;
	const struct ga_accel_type *type; /* type of the GPUs so far whose ids leave it open */
	bool open;			  /* some GPUs still have no type, or several types */
};

static int take_by_hand(struct ga_node_view *view, void *arg, struct ga_err *err)
{
	struct by_hand *h = arg;
	size_t i;

	(void)err;
	for (i = 0; i < view->types.n && ga_streq(view->node, h->node); i++) {
		const struct ga_node_type *t = &view->types.v[i];
		const struct ga_accel_type *type =
			t->type ? ga_accels_type(h->list, t->type) : NULL;

		if (ga_type_is_settled(t))
			continue;
		h->open |= !type || (h->type && h->type != type);
		h->type = type;
	}
	return 0;
}

int ga_store_manual_of(struct ga_db *db, const struct ga_accels *list, const char *node,
		       const struct ga_accel_type **ret, struct ga_err *err)
{
	struct by_hand h = { .list = list, .node = node };

	if (ga_store_node_views(db, list, 0, take_by_hand, &h, err) < 0)
		return -1;
	*ret = h.open ? NULL : h.type;
	return *ret != NULL;
}
