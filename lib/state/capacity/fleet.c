/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fleet as placement sees it: few columns of every node and slot. They are read once and then
 * updated by the audit, which names every object that a writer changed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/texts.h"
#include "record/time.h"
#include "state/allocation/move.h"
#include "state/capacity/fleet.h"
#include "state/capacity/internal.h"
#include "state/capacity/region.h"
#include "state/db/invariant.h"

#define CHANGES_MAX 256 /* changed objects above which reading all is cheaper */
#define HELD_MAX 128	/* nodes above which reading all costs little more */

#define WINDOWS \
	"SELECT node_id, from_at, to_at, reason FROM maintenance WHERE ended_at IS NULL " \
	"AND to_at > " GA_SQL_NOW " "
#define IMAGES \
	"SELECT c.node_id, c.image FROM node_image c JOIN image i ON i.name = c.image " \
	"AND i.digest = c.digest "
/* Few columns, all of them in the index slot_place: this query reads thousands of slots. */
#define SLOTS \
	"SELECT node_id, id, slot_index, state, generation, accelerator_type, module_id, " \
	"numa_node, memory_mib, cpuset, " GA_SQL_SLOT_BLOCKER ", cordon_reason, " \
	"cordon " \
	"FROM slot "
/* The reason why the whole node takes no placement, or NULL. */
static const char *node_why(const struct ga_rows *rows, int64_t epoch, const char **state)
{
	static const char *const words[][2] = { { "enrolled", "node_enrolled" },
						{ "draining", "node_draining" },
						{ "quarantined", "node_quarantined" },
						{ "retired", "node_retired" } };
	const char *held_by = ga_rows_text(rows, 7);
	size_t i;

	*state = ga_rows_text(rows, 4);
	for (i = 0; i < GA_ARRAY_SIZE(words); i++)
		if (ga_streq(*state, words[i][0]))
			return words[i][1];
	if (ga_rows_text(rows, 6))
		return "cordoned";
	/* In the first epoch no restore has happened. */
	if (epoch > 1 && ga_rows_int(rows, 8) < epoch)
		return "unverified_since_restore";
	/* A blocker that outlasts the tenant comes before the tenant. */
	if (!ga_rows_text(rows, 11) && held_by && strcmp(held_by, "slices"))
		return "held_by_baremetal";
	return ga_rows_text(rows, 11);
}

static int64_t read_number(const char **text)
{
	int64_t n = 0;

	for (; **text >= '0' && **text <= '9'; (*text)++)
		n = (int64_t)((uint64_t)n * 10 + (uint64_t)(**text - '0'));
	return n;
}

/* Parses {"1":[0,1],"2":[2,3]} as observe wrote it: an id has quotation marks, a module has
 * none. */
static void fill_partitions(struct ga_fleet_node *node, const char *text)
{
	struct ga_partition *p = NULL;

	while (*text) {
		if (*text == '"') {
			text++;
			p = ga_list_add(&node->partitions);
			p->id = read_number(&text);
			text += *text == '"';
		} else if (p && *text >= '0' && *text <= '9') {
			*ga_list_add(&p->module_ids) = read_number(&text);
		} else {
			text++;
		}
	}
}

void ga_store_fleet_fill_node(struct ga_fleet *f, struct ga_fleet_node *node,
			      const struct ga_rows *rows, int64_t epoch)
{
	const char *state;

	node->id = ga_rows_dup(rows, 0);
	node->region = ga_fleet_word(f, ga_rows_text(rows, 1));
	node->pool = ga_fleet_word(f, ga_rows_text(rows, 2));
	node->mode = ga_fleet_word(f, ga_rows_text(rows, 3));
	node->generation = ga_rows_int(rows, 5);
	node->why = ga_fleet_word(f, node_why(rows, epoch, &state));
	node->why_detail = ga_fleet_word(f, ga_rows_text(rows, 6));
	node->clean = !ga_rows_text(rows, 7);
	node->partitions_in_use = ga_streq(ga_rows_text(rows, 10), "partitions");
	ga_fleet_touch(f, node);
	node->observed_micros = GA_UNKNOWN;
	(void)ga_time_read(ga_rows_text(rows, 9), &node->observed_micros);
	fill_partitions(node, ga_rows_text(rows, 12));
}

static void fill_active(struct ga_fleet *f, struct ga_fleet_node *node, const struct ga_rows *rows)
{
	(void)f;
	ga_fleet_set_active(node, ga_rows_int(rows, 1), true);
}

static void fill_window(struct ga_fleet *f, struct ga_fleet_node *node,
			const struct ga_rows *rows)
{
	struct ga_fleet_window w = { .reason = ga_fleet_word(f, ga_rows_text(rows, 3)) };

	if (ga_time_read(ga_rows_text(rows, 1), &w.from) &&
	    ga_time_read(ga_rows_text(rows, 2), &w.to))
		*ga_list_add(&node->windows) = w;
}

static void fill_image(struct ga_fleet *f, struct ga_fleet_node *node, const struct ga_rows *rows)
{
	*ga_list_add(&node->images) = ga_fleet_word(f, ga_rows_text(rows, 1));
}

/* The reason why a slot is not free, or NULL. The other columns of a free slot are judged only when
 * the slot is chosen (ga_store_sale_blockers). */
static const char *slot_why(const struct ga_rows *rows)
{
	static const char *const words[][2] = {
		{ "reserved", "in_use" },	   { "provisioning", "in_use" },
		{ "active", "in_use" },		   { "releasing", "waiting_for_wipe" },
		{ "wiping", "waiting_for_wipe" },  { "cleanup_blocked", "cleanup_blocked" },
		{ "quarantined", "quarantined" },
	};
	const char *state = ga_rows_text(rows, 3), *blocker = ga_rows_text(rows, 10);
	bool available = !strcmp(state, "available");
	size_t i;

	for (i = 0; !available && i < GA_ARRAY_SIZE(words); i++)
		if (!strcmp(state, words[i][0]))
			return words[i][1];
	/* The wipe after an uncordon or enable settles such a blocker. */
	if (blocker && ga_rows_text(rows, 11) && ga_store_block_is_answered(blocker))
		return "cordoned";
	if (blocker)
		return blocker;
	return available ? NULL : "disabled";
}

/* Counts the CPUs in a list such as "0-11,96-107". The list was checked when it was stored. */
static int64_t count_cpus(const char *text)
{
	int64_t n = 0;

	while (*text >= '0' && *text <= '9') {
		int64_t first = read_number(&text), last = first;

		if (*text == '-') {
			text++;
			last = read_number(&text);
		}
		n += last - first + 1;
		text += *text == ',';
	}
	return n;
}

static void fill_slot(struct ga_fleet *f, struct ga_fleet_node *node, const struct ga_rows *rows)
{
	struct ga_fleet_slot *s = ga_list_add(&node->slots);
	const char *why = slot_why(rows), *cpus = ga_rows_text(rows, 9);

	s->id = ga_rows_dup(rows, 1);
	s->slot_index = ga_rows_int(rows, 2);
	s->generation = ga_rows_int(rows, 4);
	/* Slots of a node are similar: the type is mostly that of the slot before. */
	s->type = ga_rows_text(rows, 5);
	if (node->slots.n > 1 && ga_streq(s[-1].type, s->type))
		s->type = s[-1].type;
	else
		s->type = ga_fleet_word(f, s->type);
	s->module_id = ga_rows_int(rows, 6);
	s->numa_node = ga_rows_int(rows, 7);
	s->memory_mib = ga_rows_int(rows, 8);
	s->available = !strcmp(ga_rows_text(rows, 3), "available");
	s->free = !why;
	s->why = ga_fleet_word(f, why);
	s->cordon_reason = ga_fleet_word(f, ga_rows_text(rows, 11));
	s->cordon = ga_fleet_word(f, ga_rows_text(rows, 12));
	s->cpus = cpus ? count_cpus(cpus) : 0;
}

/* ---- all nodes, or one ---- */

typedef void (*fill_fn)(struct ga_fleet *f, struct ga_fleet_node *node,
			const struct ga_rows *rows);

/* Adds each row to its node; rows and nodes are both ordered by node id. */
static int fill_all(struct ga_db *db, struct ga_fleet *f, const char *sql, fill_fn fill,
		    struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	size_t i = 0;
	int r;

	if (ga_db_query(db, &rows, err, sql, "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		const char *node = ga_rows_text(rows, 0);

		while (i < f->nodes.n && strcmp(f->nodes.v[i].id, node) < 0)
			i++;
		if (i < f->nodes.n && !strcmp(f->nodes.v[i].id, node))
			fill(f, &f->nodes.v[i], rows);
	}
	return r;
}

static int fill_one(struct ga_db *db, struct ga_fleet *f, struct ga_fleet_node *node,
		    const char *id, const char *sql, fill_fn fill, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err, sql, "s", id) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		fill(f, node, rows);
	return r;
}

/* Reads the last audit row and claim that the fleet includes. */
static int read_marks(struct ga_db *db, struct ga_fleet *f, struct ga_err *err)
{
	return ga_db_get(db, err,
			 "SELECT (SELECT coalesce(max(seq), 0) FROM audit), "
			 "(SELECT coalesce(max(number), 0) FROM claim)", "II", &f->seq,
			 &f->claim);
}

static int load_nodes(struct ga_db *db, struct ga_fleet *f, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			GA_SQL_FLEET_NODES "WHERE state <> 'retired' ORDER BY id", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		ga_store_fleet_fill_node(f, ga_list_add(&f->nodes), rows, ga_db_epoch(db));
	return r;
}

int ga_store_fleet_load(struct ga_db *db, struct ga_fleet *ret, struct ga_err *err)
{
	struct ga_fleet f = { .lab = ga_db_is_lab(db), .stale_micros = ret->stale_micros,
			      .now_micros = ret->now_micros };

	ga_fleet_release(ret);
	if (ga_db_version(db, &f.version, err) < 0 || read_marks(db, &f, err) < 0 ||
	    ga_store_fleet_regions(db, &f, err) < 0 || load_nodes(db, &f, err) < 0 ||
	    fill_all(db, &f, GA_SQL_ACTIVE_PARTITIONS "ORDER BY node_id", fill_active,
		     err) < 0 ||
	    fill_all(db, &f, IMAGES "ORDER BY c.node_id, c.image", fill_image, err) < 0 ||
	    fill_all(db, &f, WINDOWS "ORDER BY node_id, from_at", fill_window, err) < 0 ||
	    fill_all(db, &f, SLOTS "WHERE state <> 'retired' ORDER BY node_id, slot_index",
		     fill_slot, err) < 0) {
		ga_fleet_release(&f);
		return -1;
	}
	f.whole = true;
	*ret = f;
	return 0;
}

/* Reads the slots, partitions and images of a node. */
static int fill_parts(struct ga_db *db, struct ga_fleet *f, struct ga_fleet_node *node,
		      struct ga_err *err)
{
	if (fill_one(db, f, node, node->id, GA_SQL_ACTIVE_PARTITIONS "AND node_id = ?1",
		     fill_active, err) < 0 ||
	    fill_one(db, f, node, node->id, IMAGES "WHERE c.node_id = ?1 ORDER BY c.image",
		     fill_image, err) < 0 ||
	    fill_one(db, f, node, node->id, WINDOWS "AND node_id = ?1 ORDER BY from_at",
		     fill_window, err) < 0)
		return -1;
	return fill_one(db, f, node, node->id,
			SLOTS "WHERE node_id = ?1 AND state <> 'retired' ORDER BY slot_index",
			fill_slot, err);
}

static int load_held(struct ga_db *db, struct ga_fleet *f, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	size_t i;
	int r;

	if (ga_db_query(db, &rows, err,
			GA_SQL_FLEET_NODES "WHERE held_by = 'slices' AND state <> 'retired' "
			"ORDER BY id", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0 && f->nodes.n < HELD_MAX)
		ga_store_fleet_fill_node(f, ga_list_add(&f->nodes), rows, ga_db_epoch(db));
	if (r)
		return r < 0 ? -1 : 0;
	for (i = 0; i < f->nodes.n; i++)
		if (fill_parts(db, f, &f->nodes.v[i], err) < 0)
			return -1;
	return 1;
}

int ga_store_fleet_load_held(struct ga_db *db, struct ga_fleet *ret, struct ga_err *err)
{
	struct ga_fleet f = { .lab = ga_db_is_lab(db), .stale_micros = ret->stale_micros,
			      .now_micros = ret->now_micros, .held_only = true };
	int r = -1;

	if (ga_db_version(db, &f.version, err) == 0 && read_marks(db, &f, err) == 0 &&
	    ga_store_fleet_regions(db, &f, err) == 0)
		r = load_held(db, &f, err);
	if (r <= 0) {
		ga_fleet_release(&f);
		return r;
	}
	ga_fleet_release(ret);
	*ret = f;
	return 1;
}

static int by_id(const void *key, const void *node)
{
	return strcmp(key, ((const struct ga_fleet_node *)node)->id);
}

struct ga_fleet_node *ga_store_fleet_node(struct ga_fleet *f, const char *id)
{
	return f->nodes.n ? bsearch(id, f->nodes.v, f->nodes.n, sizeof(*f->nodes.v), by_id) : NULL;
}

struct ga_fleet_slot *ga_store_fleet_slot(struct ga_fleet_node *node, const char *id)
{
	size_t i;

	for (i = 0; i < node->slots.n; i++)
		if (!strcmp(node->slots.v[i].id, id))
			return &node->slots.v[i];
	return NULL;
}

/* ---- reading again ---- */

/* Reads the node as it is now into ret, which is zeroed: 1, 0 there is none, -1. */
static int read_node(struct ga_db *db, struct ga_fleet *f, const char *id,
		     struct ga_fleet_node *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err, GA_SQL_FLEET_NODES "WHERE id = ?1 AND state <> 'retired'",
			"s", id) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r <= 0)
		return r;
	ga_store_fleet_fill_node(f, ret, rows, ga_db_epoch(db));
	if (fill_parts(db, f, ret, err) < 0) {
		ga_fleet_node_release(ret);
		return -1;
	}
	return 1;
}

int ga_store_fleet_add(struct ga_db *db, struct ga_fleet *f, const char *id, struct ga_err *err)
{
	struct ga_fleet_node node = { 0 };
	int r = read_node(db, f, id, &node, err);

	if (r > 0)
		*ga_list_add(&f->nodes) = node;
	return r;
}

/* Reads one node again; 0 when the fleet does not have it (it is new, or retired now). */
static int reload_node(struct ga_db *db, struct ga_fleet *f, const char *id, struct ga_err *err)
{
	struct ga_fleet_node *old = ga_store_fleet_node(f, id), node = { 0 };
	int r;

	if (!old)
		return 0;
	r = read_node(db, f, id, &node, err);
	if (r > 0) {
		ga_fleet_node_release(old);
		*old = node;
	}
	return r;
}

/* ---- changes by others ---- */

struct changed {
	struct ga_texts nodes;
	bool too_many; /* or an object that belongs to no node: all has to be read */
};

static void cleanup_changed(struct changed *c)
{
	ga_texts_release(&c->nodes);
}

static int read_changed(struct ga_db *db, int64_t seq, struct changed *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(
		    db, &rows, err,
		    "SELECT DISTINCT CASE WHEN action NOT IN ('region_applied', "
		    "'region_retired') THEN "
		    "coalesce((SELECT node_id FROM allocation WHERE id = object), "
		    "(SELECT node_id FROM slot WHERE id = object), "
		    "(SELECT id FROM node WHERE id = object), "
		    "(SELECT node_id FROM device WHERE id = object)) END "
		    "FROM audit WHERE seq > ?1",
		    "i", seq) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0 && !ret->too_many) {
		if (!ga_rows_text(rows, 0) || ret->nodes.n >= CHANGES_MAX)
			ret->too_many = true;
		else
			*ga_list_add(&ret->nodes) = ga_rows_dup(rows, 0);
	}
	return r < 0 ? -1 : 0;
}

/* Whether all changes since then are placements. */
static int only_placed(struct ga_db *db, int64_t seq, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	bool only = true;
	int r;

	if (ga_db_query(db, &rows, err, "SELECT action FROM audit WHERE seq > ?1", "i", seq) < 0)
		return -1;
	while (only && (r = ga_rows_next(rows, err)) != 0) {
		if (r < 0)
			return -1;
		only = ga_streq(ga_rows_text(rows, 0), "placed");
	}
	return only;
}

/* Repeats the effect of ga_store_place for a claim: the slot is taken, its generation raised by
 * one. */
static bool take_claim(struct ga_fleet *f, const char *id, const char *slot)
{
	struct ga_fleet_node *node = ga_store_fleet_node(f, id);
	struct ga_fleet_slot *s;

	if (!node || !slot || node->partitions_in_use)
		return false;
	s = ga_store_fleet_slot(node, slot);
	if (!s || !s->free)
		return false;
	ga_fleet_touch(f, node);
	node->generation += node->clean;
	node->clean = false;
	s->free = s->available = false;
	s->why = ga_fleet_word(f, "in_use");
	s->generation++;
	return true;
}

/*
 * When others only placed slices, their claims have all changes, and no node is read again: with
 * many placers this saves most of a turn. 1 done, 0 another change was found, -1. After a 0, the
 * nodes that the audit names are read again, and so are the claims already applied.
 */
static int take_placed(struct ga_db *db, struct ga_fleet *f, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r = only_placed(db, f->seq, err);

	if (r <= 0)
		return r;
	if (ga_db_query(db, &rows, err,
			"SELECT node_id, slot_id FROM claim WHERE number > ?1 ORDER BY number", "i",
			f->claim) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		if (!take_claim(f, ga_rows_text(rows, 0), ga_rows_text(rows, 1)))
			return 0;
	return r < 0 ? -1 : 1;
}

static int finish_refresh(struct ga_db *db, struct ga_fleet *f, int64_t version,
			  struct ga_err *err)
{
	f->version = version;
	f->whole = false;
	return read_marks(db, f, err);
}

int ga_store_fleet_refresh(struct ga_db *db, struct ga_fleet *fleet, struct ga_err *err)
{
	ga_cleanup(cleanup_changed) struct changed changed = { 0 };
	int64_t version = GA_UNKNOWN;
	size_t i;
	int r;

	if (ga_db_version(db, &version, err) < 0)
		return -1;
	if (version == fleet->version)
		return 0;
	if (fleet->version == GA_FLEET_UNREAD)
		return ga_store_fleet_load(db, fleet, err);
	r = take_placed(db, fleet, err);
	if (r > 0)
		return finish_refresh(db, fleet, version, err);
	if (r < 0 || read_changed(db, fleet->seq, &changed, err) < 0)
		return -1;
	for (i = 0; !changed.too_many && i < changed.nodes.n; i++) {
		r = reload_node(db, fleet, changed.nodes.v[i], err);

		if (r < 0)
			return -1;
		changed.too_many = !r;
	}
	if (changed.too_many)
		return ga_store_fleet_load(db, fleet, err);
	return finish_refresh(db, fleet, version, err);
}

int ga_store_fleet_seen(struct ga_db *db, struct ga_fleet *fleet, struct ga_err *err)
{
	return read_marks(db, fleet, err);
}

void ga_store_fleet_memory(struct ga_fleet *f, const struct ga_accels *accels)
{
	size_t i, j, k;

	if (f->types.n)
		return;
	for (i = 0; i < f->nodes.n; i++) {
		for (j = 0; j < f->nodes.v[i].slots.n; j++) {
			const char *type = f->nodes.v[i].slots.v[j].type;

			for (k = 0; k < f->types.n && f->types.v[k].type != type; k++)
				;
			if (k == f->types.n && type)
				*ga_list_add(&f->types) = (struct ga_fleet_type){
					type, ga_accels_memory_mib(accels, type) };
		}
	}
}
