/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fleet of those who only say what there is: nodes that are alike stand once, from what is
 * counted of their slots (node_capacity), and plans that nobody took up are over.
 */
#include <stdlib.h>
#include <string.h>

#include "store_fleet.h"
#include "time.h"

#define OWN_MAX 64 /* nodes of their own beyond which reading all is not much dearer */

/* Nodes whose counts do not say what is free: with windows of maintenance or expired plans. */
#define OWN \
	"SELECT node_id FROM maintenance WHERE ended_at IS NULL AND to_at > ?1 " \
	"UNION SELECT allocation.node_id FROM allocation INDEXED BY allocation_expiry WHERE " \
	GA_SQL_PLAN_EXPIRED "ORDER BY 1"
/* Those of which something becomes free by itself. */
#define ENDING \
	"SELECT node_id FROM maintenance WHERE ended_at IS NULL AND to_at > ?1 " \
	"UNION SELECT node_id FROM node_capacity WHERE waiting > 0 " \
	"UNION SELECT node_id FROM allocation WHERE state = 'held' AND node_id IS NOT NULL " \
	"ORDER BY 1"
#define CAPACITY \
	"SELECT node_id, accelerator_type, memory_mib, cpus, slots, free, disabled, " \
	"epoch_verified < (SELECT epoch FROM meta WHERE epoch > 1) FROM node_capacity " \
	"ORDER BY node_id"
#define IMAGES \
	"SELECT c.node_id, c.image FROM node_image c JOIN image i ON i.name = c.image " \
	"AND i.digest = c.digest ORDER BY c.node_id, c.image"
/* The slots that plans leave when they expire (ga_store_cancel), and whether the node is then
 * nobody's. */
#define EXPIRED \
	"WITH freed (claim, slot, fabric_partition) AS (SELECT c.number, s.id, " \
	"allocation.fabric_partition FROM allocation INDEXED BY allocation_expiry CROSS JOIN " \
	"claim c ON c.allocation_id = allocation.id AND c.live = 1 CROSS JOIN slot s " \
	"ON s.id = c.slot_id AND s.state = 'reserved' WHERE " GA_SQL_PLAN_EXPIRED ") " \
	"SELECT s.node_id, s.id, f.fabric_partition, " GA_SQL_SLOT_BLOCKER ", NOT EXISTS " \
	"(SELECT 1 FROM claim c WHERE c.node_id = s.node_id AND c.held_by IS NOT NULL " \
	"AND c.claim_kind = 'slot' AND c.number NOT IN (SELECT claim FROM freed)) " \
	"FROM freed f CROSS JOIN slot s ON s.id = f.slot "

/* ---- plans that nobody took up ---- */

static void free_expired(struct ga_fleet *f, const struct ga_rows *rows)
{
	struct ga_fleet_node *node = ga_store_fleet_node(f, ga_rows_text(rows, 0));
	struct ga_fleet_slot *slot =
		node ? ga_store_fleet_slot(node, ga_rows_text(rows, 1)) : NULL;
	size_t i;

	if (!slot)
		return;
	ga_fleet_touch(f, node);
	slot->why = ga_fleet_word(f, ga_rows_text(rows, 3));
	slot->free = !slot->why;
	for (i = 0; i < node->partitions.n; i++)
		if (node->partitions.v[i].id == ga_rows_int(rows, 2))
			node->partitions.v[i].active = 0;
	if (!ga_rows_bool(rows, 4))
		return;
	node->clean = true;
	if (ga_streq(node->why, "held_by_baremetal"))
		node->why = NULL;
}

int ga_store_fleet_expire(struct ga_db *db, struct ga_fleet *fleet, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	char now[GA_TIME_SIZE];
	int r;

	if (ga_db_query(db, &rows, err, EXPIRED, "s", ga_time_format(fleet->now_micros, now)) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		free_expired(fleet, rows);
	return r;
}

/* ---- some nodes, each for itself ---- */

struct ids {
	GA_LIST(char *) list; /* in their order */
};

static void release_ids(struct ids *ids)
{
	size_t i;

	for (i = 0; i < ids->list.n; i++)
		free(ids->list.v[i]);
	ga_list_release(&ids->list);
}

static int read_ids(struct ga_db *db, const char *sql, int64_t now_micros, struct ids *ret,
		    struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	char now[GA_TIME_SIZE];
	int r;

	if (ga_db_query(db, &rows, err, sql, "s", ga_time_format(now_micros, now)) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(&ret->list) = ga_rows_dup(rows, 0);
	return r;
}

/* Makes the fleet one of these nodes. */
static int add_nodes(struct ga_db *db, const struct ids *ids, struct ga_fleet *f,
		     struct ga_err *err)
{
	size_t i;

	for (i = 0; i < ids->list.n; i++)
		if (ga_store_fleet_add(db, f, ids->list.v[i], err) < 0)
			return -1;
	return ga_store_fleet_expire(db, f, err);
}

static int load_whole(struct ga_db *db, struct ga_fleet *ret, struct ga_err *err)
{
	if (ga_store_fleet_load(db, ret, err) < 0)
		return -1;
	return ga_store_fleet_expire(db, ret, err);
}

int ga_store_fleet_load_ending(struct ga_db *db, struct ga_fleet *ret, struct ga_err *err)
{
	ga_cleanup(release_ids) struct ids ids = { 0 };
	struct ga_fleet f = { .lab = ga_db_is_lab(db), .stale_micros = ret->stale_micros,
			      .now_micros = ret->now_micros };

	if (read_ids(db, ENDING, ret->now_micros, &ids, err) < 0)
		return -1;
	if (ids.list.n > OWN_MAX)
		return load_whole(db, ret, err);
	if (add_nodes(db, &ids, &f, err) < 0) {
		ga_fleet_release(&f);
		return -1;
	}
	ga_fleet_release(ret);
	*ret = f;
	return 0;
}

/* ---- nodes that are alike ---- */

/* One of those that were met, and where in keys what makes nodes like it begins. */
struct kind {
	struct ga_fleet_node node;
	uint64_t hash;
	size_t key;
};

/* Slots of one row of node_capacity. */
struct counted {
	const char *type;
	int64_t memory_mib, cpus, slots, free, disabled;
};

/* Rows in the order of nodes, and whether there is one. */
struct cursor {
	struct ga_rows *rows;
	int r;
};

struct reading {
	struct ga_fleet f;
	struct ids over; /* nodes with windows, or with plans that expired */
	size_t at;	 /* of over, the next */
	struct ids own;	 /* nodes that stand for themselves */
	GA_LIST(struct kind) kinds;
	GA_LIST(uint64_t) keys; /* of all kinds, one after the other, and then the node's */
	GA_LIST(struct counted) counted; /* of the node */
	struct cursor nodes, capacity, images;
};

static void release(struct reading *a)
{
	size_t i;

	ga_rows_close(a->nodes.rows);
	ga_rows_close(a->capacity.rows);
	ga_rows_close(a->images.rows);
	for (i = 0; i < a->kinds.n; i++)
		ga_fleet_node_release(&a->kinds.v[i].node);
	ga_list_release(&a->kinds);
	ga_list_release(&a->keys);
	ga_list_release(&a->counted);
	release_ids(&a->over);
	release_ids(&a->own);
	ga_fleet_release(&a->f);
}

/* Whether the cursor's row is of the node; those of nodes before are passed over. */
static bool is_of(struct cursor *c, const char *id, struct ga_err *err)
{
	int order = -1;

	while (c->r > 0 && (order = strcmp(ga_rows_text(c->rows, 0), id)) < 0)
		c->r = ga_rows_next(c->rows, err);
	return c->r > 0 && !order;
}

static void add_key(struct reading *a, const void *word)
{
	*ga_list_add(&a->keys) = (uintptr_t)word;
}

static void add_number(struct reading *a, int64_t number)
{
	*ga_list_add(&a->keys) = (uint64_t)number;
}

static void read_counted(struct reading *a)
{
	const struct ga_rows *rows = a->capacity.rows;
	struct counted *c = ga_list_add(&a->counted);
	const char *type = ga_rows_text(rows, 1);
	bool unverified = ga_rows_bool(rows, 7); /* since a restore: that blocks what nothing else
						    does */

	*c = (struct counted){
		.type = *type ? ga_fleet_word(&a->f, type) : NULL,
		.memory_mib = ga_rows_int(rows, 2) < 0 ? GA_UNKNOWN : ga_rows_int(rows, 2),
		.cpus = ga_rows_int(rows, 3),
		.slots = ga_rows_int(rows, 4),
		.free = unverified ? 0 : ga_rows_int(rows, 5),
		.disabled = unverified ? 0 : ga_rows_int(rows, 6),
	};
	add_key(a, c->type);
	add_number(a, c->memory_mib);
	add_number(a, c->cpus);
	add_number(a, c->slots);
	add_number(a, c->free);
	add_number(a, c->disabled);
}

/* Reads what belongs to the node, and makes its key: the end of keys, from that place on. */
static int read_parts(struct reading *a, struct ga_fleet_node *node, struct ga_err *err)
{
	bool stale = node->observed_micros == GA_UNKNOWN ||
		     node->observed_micros < a->f.stale_micros;

	add_key(a, node->region);
	add_key(a, node->pool);
	add_key(a, node->mode);
	add_key(a, node->why);
	add_number(a, node->clean * 2 + stale);
	for (a->counted.n = 0; is_of(&a->capacity, node->id, err);
	     a->capacity.r = ga_rows_next(a->capacity.rows, err))
		read_counted(a);
	for (; is_of(&a->images, node->id, err);
	     a->images.r = ga_rows_next(a->images.rows, err)) {
		*ga_list_add(&node->images) =
			ga_fleet_word(&a->f, ga_rows_text(a->images.rows, 1));
		add_key(a, node->images.v[node->images.n - 1]);
	}
	add_number(a, (int64_t)a->counted.n);
	return a->capacity.r < 0 || a->images.r < 0 ? -1 : 0;
}

static void add_slots(struct reading *a, struct ga_fleet_node *node)
{
	const char *in_use = ga_fleet_word(&a->f, "in_use"),
		   *disabled = ga_fleet_word(&a->f, "disabled");
	size_t i;
	int64_t k;

	for (i = 0; i < a->counted.n; i++)
		for (k = 0; k < a->counted.v[i].slots; k++) {
			const struct counted *c = &a->counted.v[i];
			int64_t index = (int64_t)node->slots.n;

			*ga_list_add(&node->slots) = (struct ga_fleet_slot){
				.slot_index = index,
				.type = c->type,
				.memory_mib = c->memory_mib,
				.cpus = c->cpus,
				.free = k < c->free,
				.why = k < c->free		 ? NULL :
				       k < c->free + c->disabled ? disabled :
								   in_use,
			};
		}
}

static uint64_t hash_of(const uint64_t *key, size_t n)
{
	uint64_t hash = 14695981039346656037U; /* FNV-1a, a word at a time */

	while (n--)
		hash = (hash ^ *key++) * 1099511628211U;
	return hash;
}

/* Of a node whose key begins at that place in keys; node is taken. */
static void add_to_kinds(struct reading *a, struct ga_fleet_node *node, size_t key)
{
	size_t i, n = a->keys.n - key;
	uint64_t hash = hash_of(&a->keys.v[key], n);
	struct ga_fleet_node *like;

	for (i = 0; i < a->kinds.n; i++) {
		const struct kind *k = &a->kinds.v[i];
		size_t end = i + 1 < a->kinds.n ? k[1].key : key;

		if (k->hash == hash && end - k->key == n &&
		    !memcmp(&a->keys.v[k->key], &a->keys.v[key], n * sizeof(*a->keys.v)))
			break;
	}
	if (i == a->kinds.n) {
		add_slots(a, node);
		node->alike = 1;
		*ga_list_add(&a->kinds) = (struct kind){ *node, hash, key };
		return;
	}
	like = &a->kinds.v[i].node;
	like->alike++;
	if (like->observed_micros == GA_UNKNOWN ||
	    (node->observed_micros != GA_UNKNOWN &&
	     node->observed_micros < like->observed_micros))
		like->observed_micros = node->observed_micros;
	a->keys.n = key;
	ga_fleet_node_release(node);
}

/* One with windows, partitions of its fabric or plans that expired stands for itself. */
static bool is_own(struct reading *a, const struct ga_fleet_node *node)
{
	int order = -1;

	while (a->at < a->over.list.n && (order = strcmp(a->over.list.v[a->at], node->id)) < 0)
		a->at++;
	return node->partitions_in_use || (a->at < a->over.list.n && !order);
}

static int read_nodes(struct reading *a, int64_t epoch, struct ga_err *err)
{
	while ((a->nodes.r = ga_rows_next(a->nodes.rows, err)) > 0) {
		struct ga_fleet_node node = { 0 };
		size_t key = a->keys.n;

		ga_store_fleet_fill_node(&a->f, &node, a->nodes.rows, epoch);
		if (is_own(a, &node)) {
			*ga_list_add(&a->own.list) = GA_TAKE(node.id);
			ga_fleet_node_release(&node);
		} else if (read_parts(a, &node, err) < 0) {
			ga_fleet_node_release(&node);
			return -1;
		} else {
			add_to_kinds(a, &node, key);
		}
	}
	return a->nodes.r;
}

static int open_rows(struct ga_db *db, struct reading *a, struct ga_err *err)
{
	if (ga_db_query(db, &a->nodes.rows, err,
			GA_SQL_FLEET_NODES "WHERE state <> 'retired' ORDER BY id", "") < 0 ||
	    ga_db_query(db, &a->capacity.rows, err, CAPACITY, "") < 0 ||
	    ga_db_query(db, &a->images.rows, err, IMAGES, "") < 0)
		return -1;
	a->capacity.r = ga_rows_next(a->capacity.rows, err);
	a->images.r = ga_rows_next(a->images.rows, err);
	return a->capacity.r < 0 || a->images.r < 0 ? -1 : 0;
}

int ga_store_fleet_load_alike(struct ga_db *db, struct ga_fleet *ret, struct ga_err *err)
{
	ga_cleanup(release) struct reading a = {
		.f = { .lab = ga_db_is_lab(db), .stale_micros = ret->stale_micros,
		       .now_micros = ret->now_micros },
	};
	size_t i;

	if (read_ids(db, OWN, ret->now_micros, &a.over, err) < 0 || open_rows(db, &a, err) < 0 ||
	    read_nodes(&a, ga_db_epoch(db), err) < 0)
		return -1;
	if (a.own.list.n > OWN_MAX)
		return load_whole(db, ret, err);
	if (add_nodes(db, &a.own, &a.f, err) < 0)
		return -1;
	for (i = 0; i < a.kinds.n; i++)
		*ga_list_add(&a.f.nodes) = a.kinds.v[i].node;
	a.kinds.n = 0;
	ga_fleet_release(ret);
	*ret = a.f;
	a.f = (struct ga_fleet){ 0 };
	return 0;
}
