/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots on sale that may not be sold. Only damage makes such a slot, so healthy slots are not
 * read: indexes find the suspects (0025-suspect-again.sql), and the checks of placement judge them
 * (ga_store_sale_blockers).
 *
 * The conditions of those indexes name no column that a placement writes, because SQLite evaluates
 * them at each write of such a column. A new rule in ga_slot_blockers() for the gate of placement
 * needs a migration that adds it to the indexes, and an example of the damage in tests/gates, which
 * checks that attention names each kind.
 */
#include <stdlib.h>
#include <string.h>

#include "record/cpuset.h"
#include "record/rec.h"
#include "state/slot/facts.h"
#include "state/slot/suspect.h"

/*
 * A node in mode baremetal sells no slices: a defect that only concerns slices is no fault of its
 * slots. A node in mode slice also sells baremetal, to a profile of that shape. Its main use is
 * slices, so a slot that cannot be sold as a slice is named even when a baremetal allocation can
 * have it.
 */
static int judge_sale(struct ga_db *db, const struct ga_rows *rows, ga_unsellable each, void *arg,
		      struct ga_err *err)
{
	struct ga_reasons slice = { 0 }, baremetal = { 0 };
	bool only_baremetal = ga_rows_bool(rows, GA_SF_ONLY_BAREMETAL), not_baremetal, not_slice;
	struct ga_bundle bundle;
	int r = 0;

	ga_store_fill_bundle(rows, &bundle);
	not_baremetal = ga_store_sale_blockers(db, rows, &bundle, true, &baremetal) > 0;
	not_slice = !only_baremetal && ga_store_sale_blockers(db, rows, &bundle, false, &slice) > 0;
	ga_schema_release(&ga_bundle_schema, &bundle);
	if (only_baremetal ? not_baremetal : not_slice)
		r = each(rows, only_baremetal || not_baremetal ? "leaves it out" :
								 "blocks it for slices",
			 only_baremetal || not_baremetal ? &baremetal : &slice, arg, err);
	ga_reasons_release(&slice);
	ga_reasons_release(&baremetal);
	return r;
}

/* Suspects: a slot by its own columns; a slot whose device is not clean; a slot with a live claim;
 * a slot on a node with a claim that is not of slices. A released baremetal machine is left out:
 * its slots become free one after the other, as they are wiped. */
#define ON_SALE "s.state = 'available'"
#define UNCLEAN(column) \
	"SELECT s.id FROM device d INDEXED BY device_unclean CROSS JOIN slot s ON s." column \
	" = d.id WHERE (d.dirty_since IS NOT NULL OR d.cleared_by IS NULL OR " \
	"(d.device_kind = 'gpu') <> (d.id GLOB d.node_id || '/*')) AND " ON_SALE
#define SUSPECTS \
	"SELECT id FROM slot s INDEXED BY slot_suspect WHERE " GA_SQL_SLOT_SUSPECT " AND " ON_SALE \
	" UNION SELECT id FROM slot s INDEXED BY slot_last_generation WHERE " \
	GA_SQL_SLOT_LAST_GENERATION " AND " ON_SALE \
	" UNION " UNCLEAN("nvme_wwid") \
	" UNION " UNCLEAN("gpu_id") " UNION SELECT s.id FROM claim c CROSS JOIN slot s ON " \
	"s.id = c.slot_id WHERE c.live = 1 AND " ON_SALE " UNION SELECT s.id FROM claim c " \
	"INDEXED BY claim_holder CROSS JOIN node n ON n.id = c.node_id CROSS JOIN slot s ON " \
	"s.node_id = n.id WHERE c.held_by IS NOT NULL AND (n.held_by IS NOT 'slices' OR " \
	"c.held_by <> 'slices') AND NOT EXISTS (SELECT 1 FROM allocation a WHERE " \
	"a.id = c.allocation_id AND a.state = 'released') AND " ON_SALE

/* Whether each text between semicolons is a CPU list, and no CPU is in two of them. */
static bool are_disjoint(const char *lists)
{
	ga_autofree char *copy = ga_xstrdup(lists);
	struct ga_cpuset all = { { 0 } }, one;
	struct ga_err ignored = GA_ERR_INIT;
	char *rest = copy, *list;

	while ((list = strsep(&rest, ";"))) {
		if (ga_cpuset_parse(list, &one, &ignored) < 0 || ga_cpuset_overlaps(&all, &one))
			return false;
		ga_cpuset_join(&all, &one);
	}
	return true;
}

/* The CPU lists of one node after the other. Most nodes of a fleet have the same lists: a text
 * equal to the last one is not parsed again. */
struct cpu_lists {
	char *node;
	struct ga_str now, last; /* separated by semicolons */
	bool last_good;
};

static void release_lists(struct cpu_lists *l)
{
	free(l->node);
	ga_str_release(&l->now);
	ga_str_release(&l->last);
}

/* At the end of a node: adds the node when its lists are invalid or overlap. */
static void end_node(struct cpu_lists *l, json_t *nodes)
{
	struct ga_str swap = l->last;

	if (!ga_streq(l->now.buf, l->last.buf))
		l->last_good = are_disjoint(l->now.buf);
	if (!l->last_good)
		json_array_append_new(nodes, json_string(l->node));
	l->last = l->now;
	l->now = swap;
	ga_str_clear(&l->now);
}

static int nodes_of_cpus(struct ga_db *db, json_t *nodes, struct ga_err *err)
{
	ga_cleanup(release_lists) struct cpu_lists l = { .now = GA_STR_INIT, .last = GA_STR_INIT };
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT node_id, cpuset FROM slot INDEXED BY slot_place WHERE "
			"state <> 'retired' AND cpuset IS NOT NULL ORDER BY node_id, slot_index",
			"") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		if (l.node && !ga_streq(l.node, ga_rows_text(rows, 0)))
			end_node(&l, nodes);
		if (!l.now.len) {
			free(l.node);
			l.node = ga_rows_dup(rows, 0);
		} else {
			ga_str_addc(&l.now, ';');
		}
		ga_str_add(&l.now, ga_rows_text(rows, 1));
	}
	if (l.now.len)
		end_node(&l, nodes);
	return r;
}

/* Ids in order; the devices should have each of them. */
struct wanted {
	struct ga_rows *rows;
	const char *id; /* NULL: no more ids */
};

static int step(struct wanted *w, struct ga_err *err)
{
	int r = ga_rows_next(w->rows, err);

	w->id = r > 0 ? ga_rows_text(w->rows, 0) : NULL;
	return r < 0 ? -1 : 0;
}

/* Skips to the first id after the device, and adds each id that the devices lack. NULL: after the
 * last device. */
static int pass(struct wanted *w, const char *device, json_t *missing, struct ga_err *err)
{
	int order = -1;

	while (w->id && (!device || (order = strcmp(w->id, device)) <= 0)) {
		if (order < 0)
			json_array_append_new(missing, json_string(w->id));
		if (step(w, err) < 0)
			return -1;
	}
	return 0;
}

/* Devices of slots that have no row. Reading three indexes side by side, in their order, replaces a
 * lookup for each slot. */
static int missing_devices(struct ga_db *db, json_t *missing, struct ga_err *err)
{
	ga_autorows struct ga_rows *devices = NULL, *gpus = NULL, *disks = NULL;
	struct wanted gpu, disk;
	int r;

	if (ga_db_query(db, &gpus, err,
			"SELECT gpu_id FROM slot INDEXED BY slot_gpu_once WHERE retired = 0 AND "
			"gpu_id IS NOT NULL ORDER BY gpu_id", "") < 0 ||
	    ga_db_query(db, &disks, err,
			"SELECT nvme_wwid FROM slot INDEXED BY slot_nvme_once WHERE retired = 0 "
			"AND nvme_wwid IS NOT NULL ORDER BY nvme_wwid", "") < 0 ||
	    ga_db_query(db, &devices, err, "SELECT id FROM device ORDER BY id", "") < 0)
		return -1;
	gpu = (struct wanted){ .rows = gpus };
	disk = (struct wanted){ .rows = disks };
	if (step(&gpu, err) < 0 || step(&disk, err) < 0)
		return -1;
	do {
		const char *id;

		r = ga_rows_next(devices, err);
		id = r > 0 ? ga_rows_text(devices, 0) : NULL;
		if (r < 0 || pass(&gpu, id, missing, err) < 0 || pass(&disk, id, missing, err) < 0)
			return -1;
	} while (r > 0);
	return 0;
}

int ga_store_each_unsellable(struct ga_db *db, ga_unsellable each, void *arg, struct ga_err *err)
{
	ga_autorows struct ga_rows *found = NULL, *rows = NULL;
	ga_autojson json_t *slots = json_array(), *nodes = json_array(), *missing = json_array();
	ga_autostr struct ga_str ids = GA_STR_INIT, of_nodes = GA_STR_INIT, devices = GA_STR_INIT;
	int r;

	if (ga_db_query(db, &found, err, SUSPECTS, "") < 0)
		return -1;
	while ((r = ga_rows_next(found, err)) > 0)
		json_array_append_new(slots, json_string(ga_rows_text(found, 0)));
	if (r < 0 || nodes_of_cpus(db, nodes, err) < 0 || missing_devices(db, missing, err) < 0)
		return -1;
	if (!json_array_size(slots) && !json_array_size(nodes) && !json_array_size(missing))
		return 0;
	ga_rec_dump(slots, &ids);
	ga_rec_dump(nodes, &of_nodes);
	ga_rec_dump(missing, &devices);
	if (ga_db_query(db, &rows, err,
			GA_SQL_SLOT_FACTS_AND(GA_SQL_ONLY_BAREMETAL)
			"WHERE state = 'available' AND id IN (SELECT value FROM json_each(?1) "
			"UNION SELECT s.id FROM json_each(?2) n JOIN slot s ON "
			"s.node_id = n.value UNION SELECT s.id FROM json_each(?3) d JOIN slot s ON "
			"s.gpu_id = d.value OR s.nvme_wwid = d.value) "
			"ORDER BY node_id, slot_index",
			"sss", ids.buf, of_nodes.buf, devices.buf) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		if (judge_sale(db, rows, each, arg, err) < 0)
			return -1;
	return r;
}
