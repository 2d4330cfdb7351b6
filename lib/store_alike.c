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
	"UNION SELECT c.node_id FROM allocation INDEXED BY allocation_expiry CROSS JOIN claim c " \
	"ON c.allocation_id = allocation.id AND c.live = 1 WHERE " GA_SQL_PLAN_EXPIRED \
	"ORDER BY 1"
/* Those of which something becomes free by itself. */
#define ENDING \
	"SELECT node_id FROM maintenance WHERE ended_at IS NULL AND to_at > ?1 " \
	"UNION SELECT node_id FROM node_capacity WHERE waiting > 0 " \
	"UNION SELECT c.node_id FROM allocation a CROSS JOIN claim c ON c.allocation_id = a.id " \
	"AND c.live = 1 WHERE a.state = 'held' ORDER BY 1"
#define CAPACITY \
	"SELECT node_id, accelerator_type, memory_mib, cpus, slots, free, disabled, " \
	"epoch_verified < (SELECT epoch FROM meta WHERE epoch > 1) FROM node_capacity " \
	"ORDER BY node_id"
#define COPIES "SELECT node_id, image, digest FROM node_image ORDER BY node_id, image"
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

/*
 * ---- nodes that are alike ----
 *
 * What is read of a node becomes its key, a row of words and numbers; those of one key are of one
 * kind. Thousands of nodes differ in little from the one before: what stays is not looked at again.
 */

/* What the columns of GA_SQL_FLEET_NODES say of a node beside id, generation and observed_at, and
 * all that is a text. */
static const int like_columns[] = { 1, 2, 3, 4, 6, 7, 10, 11 };
#define EPOCH_COLUMN 8

/* The key: region, pool, mode, why and flags, then CAPACITY_WORDS for each row of capacity, then
 * the images it has, and at last how many rows of capacity there were. */
#define KEY_WORDS 5
enum { C_TYPE, C_MEMORY, C_CPUS, C_SLOTS, C_FREE, C_DISABLED, CAPACITY_WORDS };

struct kind {
	struct ga_fleet_node node;
	uint64_t hash;
	size_t key, n; /* where its key begins in keys, and its words */
};

struct image {
	const char *name; /* the fleet's word */
	char *digest;
};

/* Rows in the order of nodes: whether there is one, and its node. */
struct cursor {
	struct ga_rows *rows;
	int r;
	const char *node;
};

struct reading {
	struct ga_fleet f;
	struct ids over; /* nodes with windows, or with plans that expired */
	size_t at;	 /* of over, the next */
	struct ids own;	 /* nodes that stand for themselves */
	char *before[GA_ARRAY_SIZE(like_columns)]; /* of the node before */
	int64_t epoch_before;
	struct ga_fleet_node like; /* what these say */
	const char *type;	   /* of the row of capacity before */
	GA_LIST(struct image) images;
	size_t image;		   /* of images, the one of the copy before */
	GA_LIST(struct kind) kinds;
	size_t kind;		   /* of kinds, that of the node before */
	uint64_t *keys;		   /* of all kinds, and then of the node */
	size_t n_keys, room;
	struct cursor nodes, capacity, copies;
};

static void release(struct reading *a)
{
	size_t i;

	ga_rows_close(a->nodes.rows);
	ga_rows_close(a->capacity.rows);
	ga_rows_close(a->copies.rows);
	for (i = 0; i < a->kinds.n; i++)
		ga_fleet_node_release(&a->kinds.v[i].node);
	for (i = 0; i < a->images.n; i++)
		free(a->images.v[i].digest);
	for (i = 0; i < GA_ARRAY_SIZE(a->before); i++)
		free(a->before[i]);
	ga_list_release(&a->kinds);
	ga_list_release(&a->images);
	free(a->keys);
	ga_fleet_node_release(&a->like);
	release_ids(&a->over);
	release_ids(&a->own);
	ga_fleet_release(&a->f);
}

static void next_row(struct cursor *c, struct ga_err *err)
{
	c->r = ga_rows_next(c->rows, err);
	c->node = c->r > 0 ? ga_rows_text(c->rows, 0) : NULL;
}

/* Whether the cursor's row is of the node; those of nodes before are passed over. */
static bool is_of(struct cursor *c, const char *id, struct ga_err *err)
{
	int order = -1;

	while (c->node && (order = strcmp(c->node, id)) < 0)
		next_row(c, err);
	return c->node && !order;
}

static inline void add_number(struct reading *a, int64_t number)
{
	if (a->n_keys == a->room) {
		a->room = a->room ? 2 * a->room : 256;
		a->keys = ga_xrealloc(a->keys, a->room, sizeof(*a->keys));
	}
	a->keys[a->n_keys++] = (uint64_t)number;
}

static void add_word(struct reading *a, const char *word)
{
	add_number(a, (int64_t)(uintptr_t)word);
}

static const char *word_of(uint64_t key)
{
	return (const char *)(uintptr_t)key;
}

/* a->like becomes what the row says, unless that is what the row before said. */
static void read_like(struct reading *a, int64_t epoch)
{
	const struct ga_rows *rows = a->nodes.rows;
	bool same = a->like.id && ga_rows_int(rows, EPOCH_COLUMN) == a->epoch_before;
	size_t i;

	for (i = 0; same && i < GA_ARRAY_SIZE(like_columns); i++) {
		const char *text = ga_rows_text(rows, like_columns[i]);

		same = text && a->before[i] ? !strcmp(text, a->before[i]) : text == a->before[i];
	}
	if (same)
		return;
	a->epoch_before = ga_rows_int(rows, EPOCH_COLUMN);
	for (i = 0; i < GA_ARRAY_SIZE(like_columns); i++) {
		free(a->before[i]);
		a->before[i] = ga_rows_dup(rows, like_columns[i]);
	}
	ga_fleet_node_release(&a->like);
	a->like = (struct ga_fleet_node){ 0 };
	ga_store_fleet_fill_node(&a->f, &a->like, rows, epoch);
}

static void read_capacity(struct reading *a)
{
	const struct ga_rows *rows = a->capacity.rows;
	const char *type = ga_rows_text(rows, 1);
	int64_t memory = ga_rows_int(rows, 2);
	bool unverified = ga_rows_bool(rows, 7); /* since a restore: that blocks what nothing else
						    does */

	if (!a->type || strcmp(a->type, type))
		a->type = ga_fleet_word(&a->f, type);
	add_word(a, *type ? a->type : NULL);
	add_number(a, memory < 0 ? GA_UNKNOWN : memory);
	add_number(a, ga_rows_int(rows, 3));
	add_number(a, ga_rows_int(rows, 4));
	add_number(a, unverified ? 0 : ga_rows_int(rows, 5));
	add_number(a, unverified ? 0 : ga_rows_int(rows, 6));
}

/* A copy counts while its digest is the image's. */
static void read_copy(struct reading *a)
{
	const char *name = ga_rows_text(a->copies.rows, 1);
	const char *digest = ga_rows_text(a->copies.rows, 2);
	size_t i;

	for (i = 0; i < a->images.n && strcmp(a->images.v[a->image].name, name); i++)
		a->image = (a->image + 1) % a->images.n;
	if (i < a->images.n && !strcmp(a->images.v[a->image].digest, digest))
		add_word(a, a->images.v[a->image].name);
}

/* Reads what belongs to the node, and makes its key: the end of keys. */
static int read_key(struct reading *a, const char *id, bool stale, struct ga_err *err)
{
	int64_t rows = 0;

	add_word(a, a->like.region);
	add_word(a, a->like.pool);
	add_word(a, a->like.mode);
	add_word(a, a->like.why);
	add_number(a, a->like.clean * 2 + stale);
	for (; is_of(&a->capacity, id, err); rows++) {
		read_capacity(a);
		next_row(&a->capacity, err);
	}
	while (is_of(&a->copies, id, err)) {
		read_copy(a);
		next_row(&a->copies, err);
	}
	add_number(a, rows);
	return a->capacity.r < 0 || a->copies.r < 0 ? -1 : 0;
}

static void add_slots(struct reading *a, const uint64_t *c, struct ga_fleet_node *node)
{
	const char *in_use = ga_fleet_word(&a->f, "in_use"),
		   *disabled = ga_fleet_word(&a->f, "disabled");
	uint64_t k;

	for (k = 0; k < c[C_SLOTS]; k++) {
		int64_t index = (int64_t)node->slots.n;

		*ga_list_add(&node->slots) = (struct ga_fleet_slot){
			.slot_index = index,
			.type = word_of(c[C_TYPE]),
			.memory_mib = (int64_t)c[C_MEMORY],
			.cpus = (int64_t)c[C_CPUS],
			.free = k < c[C_FREE],
			.why = k < c[C_FREE]		       ? NULL :
			       k < c[C_FREE] + c[C_DISABLED] ? disabled :
							       in_use,
		};
	}
}

static void add_kind(struct reading *a, const char *id, const struct kind *k)
{
	const uint64_t *key = &a->keys[k->key], *end = key + k->n - 1, *p = key + KEY_WORDS;
	struct kind *new = ga_list_add(&a->kinds);
	struct ga_fleet_node *node = &new->node;
	uint64_t rows;

	*new = *k;
	*node = (struct ga_fleet_node){
		.id = ga_xstrdup(id),
		.region = a->like.region, .pool = a->like.pool, .mode = a->like.mode,
		.why = a->like.why,
		.clean = a->like.clean,
		.observed_micros = GA_UNKNOWN,
	};
	for (rows = *end; rows; rows--, p += CAPACITY_WORDS)
		add_slots(a, p, node);
	while (p < end)
		*ga_list_add(&node->images) = word_of(*p++);
}

static uint64_t hash_of(const uint64_t *key, size_t n)
{
	uint64_t hash = 14695981039346656037U; /* FNV-1a, a word at a time */

	while (n--)
		hash = (hash ^ *key++) * 1099511628211U;
	return hash;
}

/* The kind of the node whose key begins at that place in keys; that of the node before is the
 * likeliest. */
static struct ga_fleet_node *kind_of(struct reading *a, const char *id, size_t key)
{
	struct kind k = { .key = key, .n = a->n_keys - key };
	size_t tries;

	k.hash = hash_of(&a->keys[key], k.n);
	for (tries = 0; tries < a->kinds.n; tries++) {
		const struct kind *it = &a->kinds.v[a->kind];

		if (it->hash == k.hash && it->n == k.n &&
		    !memcmp(&a->keys[it->key], &a->keys[key], k.n * sizeof(*a->keys))) {
			a->n_keys = key;
			return &a->kinds.v[a->kind].node;
		}
		a->kind = (a->kind + 1) % a->kinds.n;
	}
	add_kind(a, id, &k);
	a->kind = a->kinds.n - 1;
	return &a->kinds.v[a->kind].node;
}

/* One with windows, partitions of its fabric or plans that expired stands for itself. */
static bool is_own(struct reading *a, const char *id)
{
	int order = -1;

	while (a->at < a->over.list.n && (order = strcmp(a->over.list.v[a->at], id)) < 0)
		a->at++;
	return a->like.partitions_in_use || (a->at < a->over.list.n && !order);
}

static int read_node(struct reading *a, int64_t epoch, struct ga_err *err)
{
	const char *id = ga_rows_text(a->nodes.rows, 0);
	int64_t observed = ga_store_fleet_observed(a->nodes.rows);
	bool stale = observed == GA_UNKNOWN || observed < a->f.stale_micros;
	struct ga_fleet_node *kind;
	size_t key = a->n_keys;

	read_like(a, epoch);
	if (is_own(a, id)) {
		*ga_list_add(&a->own.list) = ga_xstrdup(id);
		return 0;
	}
	if (read_key(a, id, stale, err) < 0)
		return -1;
	kind = kind_of(a, id, key);
	kind->alike++;
	if (kind->observed_micros == GA_UNKNOWN ||
	    (observed != GA_UNKNOWN && observed < kind->observed_micros))
		kind->observed_micros = observed;
	return 0;
}

static int read_images(struct ga_db *db, struct reading *a, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err, "SELECT name, digest FROM image", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(&a->images) = (struct image){
			ga_fleet_word(&a->f, ga_rows_text(rows, 0)), ga_rows_dup(rows, 1) };
	return r;
}

static int read_nodes(struct ga_db *db, struct reading *a, struct ga_err *err)
{
	if (read_images(db, a, err) < 0 ||
	    ga_db_query(db, &a->nodes.rows, err,
			GA_SQL_FLEET_NODES "WHERE state <> 'retired' ORDER BY id", "") < 0 ||
	    ga_db_query(db, &a->capacity.rows, err, CAPACITY, "") < 0 ||
	    ga_db_query(db, &a->copies.rows, err, COPIES, "") < 0)
		return -1;
	next_row(&a->capacity, err);
	next_row(&a->copies, err);
	if (a->capacity.r < 0 || a->copies.r < 0)
		return -1;
	while ((a->nodes.r = ga_rows_next(a->nodes.rows, err)) > 0)
		if (read_node(a, ga_db_epoch(db), err) < 0)
			return -1;
	return a->nodes.r;
}

int ga_store_fleet_load_alike(struct ga_db *db, struct ga_fleet *ret, struct ga_err *err)
{
	ga_cleanup(release) struct reading a = {
		.f = { .lab = ga_db_is_lab(db), .stale_micros = ret->stale_micros,
		       .now_micros = ret->now_micros },
	};
	size_t i;

	if (read_ids(db, OWN, ret->now_micros, &a.over, err) < 0 || read_nodes(db, &a, err) < 0)
		return -1;
	if (a.own.list.n > OWN_MAX)
		return load_whole(db, ret, err);
	if (a.own.list.n && add_nodes(db, &a.own, &a.f, err) < 0)
		return -1;
	for (i = 0; i < a.kinds.n; i++)
		*ga_list_add(&a.f.nodes) = a.kinds.v[i].node;
	a.kinds.n = 0;
	ga_fleet_release(ret);
	*ret = a.f;
	a.f = (struct ga_fleet){ 0 };
	return 0;
}
