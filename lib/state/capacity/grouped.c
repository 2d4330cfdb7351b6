/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fleet for counting free GPUs only: identical nodes are merged into one entry, with counts
 * from the counters of their slots (node_capacity).
 *
 * The columns in which nodes can be identical, with the Fabric Manager's table, are one text with
 * its own index (share/sql/0016-node-alike.sql, 0017-node-partitions.sql); so are the counters of
 * their slots (0018-capacity-alike.sql). These nodes are read one by one: nodes whose partitions
 * cross, whose slots do not each have a module of their own, with maintenance windows, or with
 * expired plans. tests/unit/state/capacity/grouped.c checks that both ways count the same.
 */
#include <stdlib.h>
#include <string.h>

#include "record/time.h"
#include "state/allocation/place.h"
#include "state/capacity/internal.h"
#include "state/capacity/region.h"

/* Nodes whose counters do not show their free slots: with maintenance windows or expired plans. A
 * node whose expired plans stay (GA_SQL_PLAN_EXPIRED) is here, too: reading it by itself gives the
 * same. */
#define OWN \
	"SELECT node_id FROM maintenance WHERE ended_at IS NULL AND to_at > ?1 " \
	"UNION SELECT c.node_id FROM allocation a INDEXED BY allocation_expiry CROSS JOIN " \
	"claim c ON c.allocation_id = a.id AND c.live = 1 WHERE a.state = 'placed' " \
	"AND a.expires_at <= ?1 ORDER BY 1"
#define CAPACITY \
	"SELECT node_id, modules, free_modules, alike FROM node_capacity ORDER BY node_id"
#define COUNTS \
	"SELECT accelerator_type, memory_mib, cpus, slots, free, disabled, epoch_verified " \
	"FROM node_capacity WHERE node_id = ?1 AND alike = ?2"
/* Whether every node has the image: then no node needs a lookup. */
#define EVERYWHERE \
	"SELECT (SELECT count(*) FROM node_image WHERE image = ?1 AND digest = ?2) = " \
	"(SELECT count(*) FROM node)"
#define COPIES \
	"SELECT node_id FROM node_image WHERE image = ?1 AND digest = ?2 ORDER BY node_id"
#define ACTIVE GA_SQL_ACTIVE_PARTITIONS "ORDER BY node_id, fabric_partition"
#define NODES "SELECT id, observed_at, alike FROM node INDEXED BY node_alike ORDER BY id"

/*
 * ---- identical nodes ----
 *
 * The facts of a node become its key, an array of words and numbers; nodes with equal keys are of
 * one kind. Thousands of nodes differ little from the node before: unchanged texts are not parsed
 * again.
 */

/*
 * The key: region, pool, mode, why, flags and the table of partitions in use; then CAPACITY_WORDS
 * for each row of capacity, the images that this node but not every node has, and its active
 * partitions when it has a free slot; at the end the number of active partitions and the number of
 * rows of capacity. Modules are 0 when no partitions are in use.
 */
#define KEY_WORDS 6
#define KEY_END 2
enum { C_COUNTS, C_MODULES, C_FREE_MODULES, CAPACITY_WORDS };

struct kind {
	struct ga_fleet_node node;
	uint64_t hash;
	size_t key, n; /* start of its key in keys, and the number of words */
};

/* The facts of all nodes with the same text in the column alike. */
struct like {
	char *alike;
	struct ga_fleet_node node;
	bool crossing; /* its partitions cross, and are in use */
};

/* The facts of all rows of capacity with the same text in the column alike. */
struct counts {
	char *alike;
	const char *type; /* interned in the fleet; NULL where it is not known */
	int64_t memory_mib, cpus, slots, free, disabled;
	bool unverified; /* since a restore: none of these slots is free */
};

/* A reader of rows in the order of nodes: whether there is a row, and the row's node. */
struct cursor {
	struct ga_rows *rows;
	int r;
	const char *node;
};

struct image {
	const char *name;      /* interned in the fleet */
	struct cursor copies;  /* not open when every node has the image */
};

struct reading {
	struct ga_fleet f;
	struct ga_texts over; /* nodes with maintenance windows or expired plans */
	size_t at;		 /* next index in over */
	struct ga_texts own;	 /* nodes with an entry of their own */
	GA_LIST(struct like) likes;
	size_t like; /* index in likes, of the node before */
	GA_LIST(struct counts) counts;
	size_t count; /* index in counts, of the row before */
	GA_LIST(struct image) images;
	GA_LIST(struct kind) kinds;
	size_t kind;	/* index in kinds, of the node before */
	uint64_t *keys; /* keys of all kinds, then that of this node */
	size_t n_keys, room;
	int64_t epoch; /* epoch of the state */
	struct cursor nodes, capacity, active;
	/* Of the present node: whether partitions are in use, whether one of its slots is free, and
	 * whether its slots do not each have a module of their own. */
	bool by_modules, any_free, odd;
};

static void release(struct reading *a)
{
	size_t i;

	ga_rows_close(a->nodes.rows);
	ga_rows_close(a->capacity.rows);
	ga_rows_close(a->active.rows);
	for (i = 0; i < a->kinds.n; i++)
		ga_fleet_node_release(&a->kinds.v[i].node);
	for (i = 0; i < a->images.n; i++)
		ga_rows_close(a->images.v[i].copies.rows);
	for (i = 0; i < a->likes.n; i++) {
		ga_fleet_node_release(&a->likes.v[i].node);
		free(a->likes.v[i].alike);
	}
	for (i = 0; i < a->counts.n; i++)
		free(a->counts.v[i].alike);
	ga_list_release(&a->kinds);
	ga_list_release(&a->images);
	ga_list_release(&a->counts);
	ga_list_release(&a->likes);
	free(a->keys);
	ga_texts_release(&a->over);
	ga_texts_release(&a->own);
	ga_fleet_release(&a->f);
}

static void next_row(struct cursor *c, struct ga_err *err)
{
	c->r = ga_rows_next(c->rows, err);
	c->node = c->r > 0 ? ga_rows_text(c->rows, 0) : NULL;
}

/* Whether the cursor's row belongs to the node; rows of earlier nodes are skipped. */
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

/* The index or table has a row that the other query does not find. */
static int fail_damaged(struct ga_db *db, const char *where, const char *node, struct ga_err *err)
{
	return ga_refuse(err, GA_SYSTEM, "corrupt", NULL,
			 ("'%s' is damaged: the %s has a node '%s' that is not there",
			  ga_db_path(db), where, node),
			 ("stop all writers, keep the file, and go back to a backup"));
}

/* Reads the facts of that text from the first node that has it. */
static int add_like(struct ga_db *db, struct reading *a, const char *id, const char *alike,
		    struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	struct like *like;
	int r;

	if (ga_db_query(db, &rows, err, GA_SQL_FLEET_NODES "WHERE id = ?1", "s", id) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r < 0)
		return -1;
	if (r == 0)
		return fail_damaged(db, "index node_alike", id, err);
	a->like = a->likes.n;
	like = ga_list_add(&a->likes);
	*like = (struct like){ .alike = ga_xstrdup(alike) };
	ga_store_fleet_fill_node(&a->f, &like->node, rows, ga_db_epoch(db));
	like->crossing = like->node.partitions_in_use && ga_fleet_partitions_cross(&like->node);
	return 0;
}

/* Sets a->like to the facts of that text, and tries those of the node before first. */
static int find_like(struct ga_db *db, struct reading *a, const char *id, const char *alike,
		     struct ga_err *err)
{
	size_t tries;

	for (tries = 0; tries < a->likes.n; tries++) {
		if (!strcmp(a->likes.v[a->like].alike, alike))
			return 0;
		a->like = (a->like + 1) % a->likes.n;
	}
	return add_like(db, a, id, alike, err);
}

/* Reads the facts of that text from the first row of capacity that has it. */
static int add_counts(struct ga_db *db, struct reading *a, const char *id, const char *alike,
		      struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	const char *type;
	struct counts *c;
	int r;

	if (ga_db_query(db, &rows, err, COUNTS, "ss", id, alike) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r <= 0)
		return r < 0 ? -1 : fail_damaged(db, "table node_capacity", id, err);
	type = ga_rows_text(rows, 0);
	a->count = a->counts.n;
	c = ga_list_add(&a->counts);
	*c = (struct counts){
		.alike = ga_xstrdup(alike),
		.type = *type ? ga_fleet_word(&a->f, type) : NULL,
		.memory_mib = ga_rows_int(rows, 1),
		.cpus = ga_rows_int(rows, 2), .slots = ga_rows_int(rows, 3),
		.free = ga_rows_int(rows, 4), .disabled = ga_rows_int(rows, 5),
		/* Nothing else blocks these slots. In the first epoch no restore has happened. */
		.unverified = a->epoch > 1 && ga_rows_int(rows, 6) < a->epoch,
	};
	if (c->memory_mib < 0)
		c->memory_mib = GA_UNKNOWN;
	return 0;
}

/* Sets a->count to the facts of that text, and tries those of the row before first. */
static int find_counts(struct ga_db *db, struct reading *a, const char *id, const char *alike,
		       struct ga_err *err)
{
	size_t tries;

	for (tries = 0; tries < a->counts.n; tries++) {
		if (!strcmp(a->counts.v[a->count].alike, alike))
			return 0;
		a->count = (a->count + 1) % a->counts.n;
	}
	return add_counts(db, a, id, alike, err);
}

static bool is_bit_each(int64_t modules, int64_t slots)
{
	return __builtin_popcountll((uint64_t)modules) == slots;
}

static int read_capacity(struct ga_db *db, struct reading *a, const char *id, struct ga_err *err)
{
	const struct ga_rows *rows = a->capacity.rows;
	int64_t modules = 0, free_modules = 0;
	const struct counts *c;

	if (find_counts(db, a, id, ga_rows_text(rows, 3), err) < 0)
		return -1;
	c = &a->counts.v[a->count];
	if (a->by_modules) {
		modules = ga_rows_int(rows, 1);
		free_modules = ga_rows_int(rows, 2);
		a->odd = a->odd || !is_bit_each(modules, c->slots) ||
			 !is_bit_each(free_modules, c->free);
	}
	add_number(a, (int64_t)a->count);
	add_number(a, modules);
	add_number(a, c->unverified ? 0 : free_modules);
	a->any_free = a->any_free || (free_modules && !c->unverified);
	return 0;
}

/* Adds the active partitions of the node to its key; a node without a free slot needs none. */
static int read_active(struct ga_db *db, struct reading *a, const char *id, struct ga_err *err)
{
	int64_t n = 0;

	if (a->any_free && !a->active.rows) {
		if (ga_db_query(db, &a->active.rows, err, ACTIVE, "") < 0)
			return -1;
		next_row(&a->active, err);
	}
	for (; a->any_free && is_of(&a->active, id, err); n++) {
		add_number(a, ga_rows_int(a->active.rows, 1));
		next_row(&a->active, err);
	}
	add_number(a, n);
	return a->active.r < 0 ? -1 : 0;
}

/* Reads the facts of the node and makes its key, at the end of keys. */
static int read_key(struct ga_db *db, struct reading *a, const char *id, bool stale,
		    struct ga_err *err)
{
	const struct ga_fleet_node *like = &a->likes.v[a->like].node;
	int64_t rows = 0;
	size_t i;

	a->by_modules = like->partitions_in_use;
	a->any_free = a->odd = false;
	add_word(a, like->region);
	add_word(a, like->pool);
	add_word(a, like->mode);
	add_word(a, like->why);
	add_number(a, like->clean * 2 + stale);
	add_number(a, a->by_modules ? 1 + (int64_t)a->like : 0);
	for (; is_of(&a->capacity, id, err); rows++) {
		if (read_capacity(db, a, id, err) < 0)
			return -1;
		next_row(&a->capacity, err);
	}
	for (i = 0; i < a->images.n; i++) {
		if (!a->images.v[i].copies.rows)
			continue;
		if (is_of(&a->images.v[i].copies, id, err))
			add_word(a, a->images.v[i].name);
		if (a->images.v[i].copies.r < 0)
			return -1;
	}
	if (read_active(db, a, id, err) < 0)
		return -1;
	add_number(a, rows);
	return a->capacity.r < 0 ? -1 : 0;
}

/* Removes the lowest bit of modules and returns its number. */
static int64_t take_module(uint64_t *modules)
{
	int64_t module = *modules ? __builtin_ctzll(*modules) : 0;

	*modules &= *modules - 1;
	return module;
}

static void add_slots(struct reading *a, const uint64_t *key, struct ga_fleet_node *node)
{
	const struct counts *c = &a->counts.v[key[C_COUNTS]];
	const char *in_use = ga_fleet_word(&a->f, "in_use"),
		   *disabled = ga_fleet_word(&a->f, "disabled");
	uint64_t free = key[C_FREE_MODULES], others = key[C_MODULES] & ~free;
	int64_t n_free = c->unverified ? 0 : c->free, k,
		n_disabled = c->unverified ? 0 : c->disabled;

	for (k = 0; k < c->slots; k++) {
		int64_t index = (int64_t)node->slots.n;

		*ga_list_add(&node->slots) = (struct ga_fleet_slot){
			.slot_index = index,
			.module_id = take_module(k < n_free ? &free : &others),
			.type = c->type,
			.memory_mib = c->memory_mib,
			.cpus = c->cpus,
			.free = k < n_free,
			.why = k < n_free	       ? NULL :
			       k < n_free + n_disabled ? disabled :
							 in_use,
		};
	}
}

/* Copies the table of partitions from another node, with no partition active. */
static void add_partitions(const struct ga_fleet_node *from, struct ga_fleet_node *to)
{
	size_t i, k;

	for (i = 0; i < from->partitions.n; i++) {
		const struct ga_partition *p = &from->partitions.v[i];
		struct ga_partition *new = ga_list_add(&to->partitions);

		*new = (struct ga_partition){ .id = p->id };
		for (k = 0; k < p->module_ids.n; k++)
			*ga_list_add(&new->module_ids) = p->module_ids.v[k];
	}
}

static void add_kind(struct reading *a, const char *id, const struct kind *k)
{
	const struct ga_fleet_node *like = &a->likes.v[a->like].node;
	const uint64_t *key = &a->keys[k->key], *end = key + k->n - KEY_END, *p = key + KEY_WORDS;
	const uint64_t *active = end - end[0];
	struct kind *new = ga_list_add(&a->kinds);
	struct ga_fleet_node *node = &new->node;
	uint64_t rows;
	size_t i;

	*new = *k;
	*node = (struct ga_fleet_node){
		.id = ga_xstrdup(id),
		.region = like->region, .pool = like->pool, .mode = like->mode,
		.why = like->why,
		.clean = like->clean,
		.partitions_in_use = like->partitions_in_use,
		.observed_micros = GA_UNKNOWN,
	};
	for (rows = end[1]; rows; rows--, p += CAPACITY_WORDS)
		add_slots(a, p, node);
	for (i = 0; i < a->images.n; i++)
		if (!a->images.v[i].copies.rows)
			*ga_list_add(&node->images) = a->images.v[i].name;
	while (p < active)
		*ga_list_add(&node->images) = word_of(*p++);
	if (!like->partitions_in_use)
		return;
	add_partitions(like, node);
	while (active < end)
		ga_fleet_set_active(node, (int64_t)*active++, true);
}

static uint64_t hash_of(const uint64_t *key, size_t n)
{
	uint64_t hash = 14695981039346656037U; /* FNV-1a, one word at a time */

	while (n--)
		hash = (hash ^ *key++) * 1099511628211U;
	return hash;
}

/* The kind of the node whose key begins at that place in keys; the kind of the node before is tried
 * first. */
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

/* Whether the node gets an entry of its own: maintenance windows, crossing partitions, expired
 * plans. */
static bool is_own(struct reading *a, const char *id)
{
	int order = -1;

	while (a->at < a->over.n && (order = strcmp(a->over.v[a->at], id)) < 0)
		a->at++;
	return a->likes.v[a->like].crossing || (a->at < a->over.n && !order);
}

static void add_own(struct reading *a, const char *id)
{
	ga_texts_add(&a->own, id);
}

static int read_node(struct ga_db *db, struct reading *a, struct ga_err *err)
{
	const char *id = ga_rows_text(a->nodes.rows, 0), *alike = ga_rows_text(a->nodes.rows, 2);
	struct ga_fleet_node *kind;
	int64_t observed = GA_UNKNOWN;
	size_t key = a->n_keys;
	bool stale;

	if (!alike) /* retired */
		return 0;
	if (find_like(db, a, id, alike, err) < 0)
		return -1;
	stale = !ga_time_read(ga_rows_text(a->nodes.rows, 1), &observed) ||
		observed < a->f.stale_micros;
	if (is_own(a, id)) {
		add_own(a, id);
		return 0;
	}
	if (read_key(db, a, id, stale, err) < 0)
		return -1;
	if (a->odd) {
		add_own(a, id);
		a->n_keys = key;
		return 0;
	}
	kind = kind_of(a, id, key);
	kind->grouped++;
	if (kind->observed_micros == GA_UNKNOWN ||
	    (observed != GA_UNKNOWN && observed < kind->observed_micros))
		kind->observed_micros = observed;
	return 0;
}

static int read_copies(struct ga_db *db, struct image *i, const char *name, const char *digest,
		       struct ga_err *err)
{
	bool everywhere = true;

	if (ga_db_get(db, err, EVERYWHERE, "ssB", name, digest, &everywhere) < 0)
		return -1;
	if (everywhere)
		return 0;
	if (ga_db_query(db, &i->copies.rows, err, COPIES, "ss", name, digest) < 0)
		return -1;
	next_row(&i->copies, err);
	return i->copies.r < 0 ? -1 : 0;
}

static int read_images(struct ga_db *db, struct reading *a, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	struct image *i;
	int r;

	if (ga_db_query(db, &rows, err, "SELECT name, digest FROM image", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		i = ga_list_add(&a->images);
		*i = (struct image){ .name = ga_fleet_word(&a->f, ga_rows_text(rows, 0)) };
		if (read_copies(db, i, ga_rows_text(rows, 0), ga_rows_text(rows, 1), err) < 0)
			return -1;
	}
	return r;
}

static int read_nodes(struct ga_db *db, struct reading *a, struct ga_err *err)
{
	if (read_images(db, a, err) < 0 ||
	    ga_db_query(db, &a->nodes.rows, err, NODES, "") < 0 ||
	    ga_db_query(db, &a->capacity.rows, err, CAPACITY, "") < 0)
		return -1;
	next_row(&a->capacity, err);
	if (a->capacity.r < 0)
		return -1;
	while ((a->nodes.r = ga_rows_next(a->nodes.rows, err)) > 0)
		if (read_node(db, a, err) < 0)
			return -1;
	return a->nodes.r;
}

int ga_store_fleet_load_grouped(struct ga_db *db, struct ga_fleet *ret, struct ga_err *err)
{
	ga_cleanup(release) struct reading a = {
		.f = { .lab = ga_db_is_lab(db), .stale_micros = ret->stale_micros,
		       .now_micros = ret->now_micros },
	};
	size_t i;
	int r;

	if (ga_node_ids_read(db, OWN, ret->now_micros, &a.over, err) < 0 ||
	    ga_db_get(db, err, "SELECT epoch FROM meta", "I", &a.epoch) < 0 ||
	    ga_store_fleet_regions(db, &a.f, err) < 0 || read_nodes(db, &a, err) < 0)
		return -1;
	r = a.own.n ? ga_store_fleet_add_partial(db, &a.own, &a.f, err) : 1;
	if (r <= 0)
		return r < 0 ? -1 : ga_store_fleet_load_expired(db, ret, err);
	for (i = 0; i < a.kinds.n; i++)
		*ga_list_add(&a.f.nodes) = a.kinds.v[i].node;
	a.kinds.n = 0;
	ga_fleet_release(ret);
	*ret = a.f;
	a.f = (struct ga_fleet){ 0 };
	return 0;
}
