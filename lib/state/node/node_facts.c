/* SPDX-License-Identifier: Apache-2.0 */
/* The share of a node that each of its GPUs can get. */
#include "state/node/node_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/texts.h"
#include "record/cpuset.h"
#include "record/schema.h"
#include "state/db/json.h"

struct numa {
	int64_t node, gpus;
};

struct reading {
	struct ga_node_facts *ret;
	struct ga_cpuset reserved;
	int64_t usable_mib; /* memory less the reserved memory; 0: not known */
	int64_t gpus;
	GA_LIST(struct numa) numa; /* by number */
};

void ga_node_facts_release(struct ga_node_facts *f)
{
	ga_texts_release(&f->slot_types);
	free(f->mode);
	free(f->numa);
	memset(f, 0, sizeof(*f));
}

static int read_node(struct ga_db *db, const char *node, struct reading *r, struct ga_err *err)
{
	ga_autofree char *cpus = NULL;
	int64_t kept;
	int more;

	/* The row -1 is the whole host; before an approval only the discovery knows it. The page
	 * size is the largest of those in the last discovery. */
	more = ga_db_one(db, err,
			 "SELECT mode, reserved_cpus, coalesce((SELECT memory_mib FROM node_memory "
			 "WHERE node_id = ?1 AND numa_node = -1), (SELECT sum(memory_mib) FROM "
			 "node_memory WHERE node_id = ?1), (SELECT json_extract("
			 GA_SQL_OBJECT("record") ", '$.memory_mib') FROM node_observation "
			 "WHERE node_id = ?1)), "
			 "reserved_memory_mib, (SELECT max(json_extract(h.value, '$.size_kib')) "
			 "FROM node_observation o, "
			 "json_each(" GA_SQL_OBJECT("o.record") ", '$.numa') n, "
			 "json_each(iif(n.type = 'object', n.value, '{}'), '$.hugepages') h "
			 "WHERE o.node_id = ?1 AND h.type = 'object' AND "
			 "json_extract(h.value, '$.total') > 0) FROM node WHERE id = ?1",
			 "sSSIII", node, &r->ret->mode, &cpus, &r->ret->memory_mib, &kept,
			 &r->ret->hugepage_kib);
	if (more <= 0)
		return more < 0 ? -1 : ga_fail(err, GA_NOTFOUND, "there is no node '%s'", node);
	if (cpus && ga_cpuset_parse(cpus, &r->reserved, err) < 0)
		return ga_wrap(err, "the reserved CPUs of node '%s'", node);
	if (r->ret->memory_mib != GA_UNKNOWN && r->ret->memory_mib > kept)
		r->usable_mib = r->ret->memory_mib - kept;
	return 0;
}

static void count_numa(struct reading *r, int64_t node)
{
	size_t i, j;

	r->gpus++;
	for (i = 0; i < r->numa.n && r->numa.v[i].node < node; i++)
		;
	if (i == r->numa.n || r->numa.v[i].node != node) {
		(void)ga_list_add(&r->numa);
		for (j = r->numa.n - 1; j > i; j--)
			r->numa.v[j] = r->numa.v[j - 1];
		r->numa.v[i] = (struct numa){ node, 0 };
	}
	r->numa.v[i].gpus++;
}

static void at_most(int64_t *value, int64_t limit)
{
	if (*value == GA_UNKNOWN || limit < *value)
		*value = limit;
}

/* CPUs of one GPU. The CPUs of a slot are its own; suggested CPUs may have been reserved since. */
static int take_cpus(struct reading *r, const char *text, bool is_slot, struct ga_err *err)
{
	ga_autofree struct ga_cpuset *set = ga_xcalloc(1, sizeof(*set));
	size_t i;

	if (!text)
		return 0;
	if (ga_cpuset_parse(text, set, err) < 0)
		return -1;
	for (i = 0; !is_slot && i < GA_ARRAY_SIZE(set->bits); i++)
		set->bits[i] &= ~r->reserved.bits[i];
	at_most(&r->ret->vcpus_per_gpu, ga_cpuset_count(set));
	return 0;
}

#define RECORD GA_SQL_OBJECT("record")

static int read_gpus(struct ga_db *db, const char *node, struct reading *r, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int more;

	if (ga_db_query(db, &rows, err,
			"SELECT 1, cpuset, memory_mib, numa_node, accelerator_type FROM slot "
			"WHERE node_id = ?1 AND retired = 0 UNION ALL "
			"SELECT 0, json_extract(" RECORD ", '$.suggested.cpuset'), "
			"json_extract(" RECORD ", '$.suggested.memory_mib'), "
			"json_extract(" RECORD ", '$.gpu.numa_node'), NULL FROM candidate "
			"WHERE node_id = ?1 AND gpu IS NOT NULL AND NOT EXISTS (SELECT 1 FROM slot "
			"WHERE node_id = ?1 AND retired = 0)", "s", node) < 0)
		return -1;
	while ((more = ga_rows_next(rows, err)) > 0) {
		bool is_slot = ga_rows_bool(rows, 0);
		const char *type = ga_rows_text(rows, 4);

		r->ret->has_slots = r->ret->has_slots || is_slot;
		if (take_cpus(r, ga_rows_text(rows, 1), is_slot, err) < 0)
			return ga_wrap(err, "the CPUs of a GPU of node '%s'", node);
		if (ga_rows_int(rows, 2) != GA_UNKNOWN)
			at_most(&r->ret->memory_mib_per_gpu, ga_rows_int(rows, 2));
		count_numa(r, ga_rows_int(rows, 3) == GA_UNKNOWN ? -1 : ga_rows_int(rows, 3));
		if (type && !ga_texts_has(&r->ret->slot_types, type))
			ga_texts_add(&r->ret->slot_types, type);
	}
	return more;
}

static void finish(struct reading *r)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	size_t i;

	for (i = 0; i < r->numa.n; i++)
		ga_str_addf(&text, "%s%" PRId64 ":%" PRId64, i ? " " : "", r->numa.v[i].node,
			    r->numa.v[i].gpus);
	r->ret->numa = ga_str_take(&text);
	ga_list_release(&r->numa);
	if (!r->ret->has_slots && r->gpus && r->usable_mib &&
	    r->ret->memory_mib_per_gpu != GA_UNKNOWN)
		at_most(&r->ret->memory_mib_per_gpu, r->usable_mib / r->gpus);
}

int ga_store_node_facts(struct ga_db *db, const char *node, struct ga_node_facts *ret,
			struct ga_err *err)
{
	ga_autofree struct reading *r = ga_xcalloc(1, sizeof(*r));

	*ret = (struct ga_node_facts){ .memory_mib = GA_UNKNOWN, .hugepage_kib = GA_UNKNOWN,
				       .vcpus_per_gpu = GA_UNKNOWN,
				       .memory_mib_per_gpu = GA_UNKNOWN };
	r->ret = ret;
	if (read_node(db, node, r, err) < 0 || read_gpus(db, node, r, err) < 0) {
		ga_list_release(&r->numa);
		ga_node_facts_release(ret);
		return -1;
	}
	finish(r);
	return 0;
}
