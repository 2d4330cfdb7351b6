/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A complete discovery into the state: the node, its memory and fabric partitions, its candidates
 * and devices. It makes no capacity: devices are born tainted, candidates are advisory.
 */
#include <string.h>

#include "decide/slot/verdict.h"
#include "record/digest.h"
#include "record/id.h"
#include "record/rec.h"
#include "record/time.h"
#include "state/allocation/move.h"
#include "state/db/audit.h"
#include "state/node/approve.h"
#include "state/node/health.h"
#include "state/node/key.h"
#include "state/node/observe.h"
#include "state/node/settings.h"

/* The facts of the node in the state before the discovery. */
struct known {
	bool exists, network_set, baremetal;
	char *digest, *observed_at, *fingerprint;
};

static void cleanup_known(struct known *k)
{
	free(k->digest);
	free(k->observed_at);
	free(k->fingerprint);
}

static int read_known(struct ga_db *db, const char *node, struct known *ret, struct ga_err *err)
{
	int r = ga_db_one(db, err,
			  "SELECT observation_digest, observed_at, fingerprint, network_set, "
			  "mode = 'baremetal' FROM node WHERE id = ?1",
			  "sSSSBB", node, &ret->digest, &ret->observed_at, &ret->fingerprint,
			  &ret->network_set, &ret->baremetal);

	if (r <= 0)
		return r;
	ret->exists = true;
	return 0;
}

static void add_json(json_t *list, const struct ga_reason *r)
{
	json_array_append_new(list, ga_schema_format(&ga_reason_schema, r));
}

/* The node's blockers as JSON: the host's own, but on a baremetal node not what only concerns VMs;
 * a node that sells slices and was looked at for baremetal; and hardware that differs from the
 * approved hardware. */
static char *blockers_text(const struct ga_host *host, const struct known *known)
{
	ga_autojson json_t *list = json_array();
	struct ga_reasons more = { 0 };
	struct ga_str out = GA_STR_INIT;
	size_t i;

	for (i = 0; i < host->blockers.n; i++)
		if (!known->baremetal || !ga_verdict_is_of_vms(host->blockers.v[i].code))
			add_json(list, &host->blockers.v[i]);
	if (!known->baremetal && ga_streq(host->mode, "baremetal"))
		ga_reasons_add(&more, "host_mode", host->node,
			       "it was looked at for baremetal: what slices need is not known",
			       "sell it as baremetal (gpuaas-approve --mode baremetal), or prepare "
			       "it for slices (gpuaas-host-bootstrap --undo, then gpuaas-host-"
			       "bootstrap --mode slice) and discover again");
	if (known->fingerprint && !ga_streq(known->fingerprint, host->fingerprint))
		ga_reasons_add(&more, "fingerprint_changed", host->node,
			       "the hardware is not what was approved",
			       "look at what changed with --dry-run, then gpuaas-approve "
			       "--accept-change");
	for (i = 0; i < more.n; i++)
		add_json(list, &more.v[i]);
	ga_reasons_release(&more);
	ga_rec_dump(list, &out);
	return ga_str_take(&out);
}

/* A new node is sold as its host was prepared for. A name is a convenience: an invalid host name,
 * or the name of another node, is left out. */
static int insert_node(struct ga_db *db, const struct ga_host *host, const char *now,
		       struct ga_err *err)
{
	bool named = host->hostname && ga_name_is_valid(host->hostname);

	if (ga_store_node_id_is_free(db, host->node, false, err) < 0)
		return -1;
	return ga_db_change(db, err,
			    "INSERT INTO node (id, name, since, epoch_verified, mode) VALUES (?1, "
			    "CASE WHEN EXISTS (SELECT 1 FROM node WHERE name = ?2 OR id = ?2) "
			    "THEN NULL ELSE ?2 END, ?3, ?4, ?5)",
			    "sssis", host->node,
			    named && !ga_streq(host->hostname, host->node) ? host->hostname : NULL,
			    now, ga_db_epoch(db), host->mode ? host->mode : "slice");
}

static int by_id(const void *a, const void *b)
{
	const struct ga_partition *const *x = a, *const *y = b;

	return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

/* Equal tables give equal texts. Only a table that was read replaces the known one, else *ret is
 * NULL: a Fabric Manager that is down reports nothing. */
static int partitions_text(const struct ga_host *host, char **ret, struct ga_err *err)
{
	size_t i, j, n = host->fabric_manager.partitions.n;
	ga_autofree const struct ga_partition **sorted = ga_xcalloc(n + 1, sizeof(void *));
	ga_autostr struct ga_str out = GA_STR_INIT;

	*ret = NULL;
	for (i = 0; i < n; i++)
		sorted[i] = &host->fabric_manager.partitions.v[i];
	qsort(sorted, n, sizeof(*sorted), by_id);
	ga_str_addc(&out, '{');
	for (i = 0; i < n; i++) {
		if (i && sorted[i - 1]->id == sorted[i]->id)
			return ga_fail(err, GA_BADREC, "Fabric Manager of node '%s' has two "
				       "partitions %lld", host->node, (long long)sorted[i]->id);
		ga_str_addf(&out, "%s\"%lld\":[", i ? "," : "", (long long)sorted[i]->id);
		for (j = 0; j < sorted[i]->module_ids.n; j++)
			ga_str_addf(&out, "%s%lld", j ? "," : "",
				    (long long)sorted[i]->module_ids.v[j]);
		ga_str_addc(&out, ']');
	}
	ga_str_addc(&out, '}');
	*ret = n ? ga_str_take(&out) : NULL;
	return 0;
}

static int update_node(struct ga_db *db, const struct ga_host *host, const struct known *known,
		       const char *text, const char *digest, struct ga_err *err)
{
	ga_autofree char *partitions = NULL;
	ga_autofree char *blockers = blockers_text(host, known);
	ga_autofree char *network = ga_rec_format_text(&ga_network_schema, &host->network);

	if (partitions_text(host, &partitions, err) < 0 ||
	    ga_db_change(db, err,
			 "UPDATE node SET boot_id = ?2, observation_digest = ?3, observed_at = ?4, "
			 "blockers = ?5, network = CASE WHEN network_set THEN network ELSE ?6 END, "
			 "fabric_mode = CASE WHEN ?7 IS NULL THEN fabric_mode ELSE 'partitions' "
			 "END, partitions = coalesce(?7, partitions), "
			 "generation = generation + 1 WHERE id = ?1",
			 "sssssss", host->node, host->boot_id, digest, host->observed_at, blockers,
			 network, partitions) < 0)
		return -1;
	return ga_db_change(db, err,
			    "INSERT INTO node_observation (node_id, record) VALUES (?1, ?2) "
			    "ON CONFLICT (node_id) DO UPDATE SET record = excluded.record",
			    "ss", host->node, text);
}

static int store_memory(struct ga_db *db, const struct ga_host *host, struct ga_err *err)
{
	static const char sql[] = "INSERT INTO node_memory (node_id, numa_node, memory_mib) "
				  "VALUES (?1, ?2, ?3) ON CONFLICT (node_id, numa_node) "
				  "DO UPDATE SET memory_mib = excluded.memory_mib "
				  "WHERE node_memory.memory_mib <> excluded.memory_mib";
	size_t i;

	for (i = 0; i < host->numa.n; i++)
		if (host->numa.v[i].memory_mib != GA_UNKNOWN &&
		    ga_db_change(db, err, sql, "sii", host->node, host->numa.v[i].numa_node,
				 host->numa.v[i].memory_mib) < 0)
			return -1;
	/* -1 stands for devices without a NUMA node: the host as a whole. */
	if (host->memory_mib != GA_UNKNOWN &&
	    ga_db_change(db, err, sql, "sii", host->node, (int64_t)-1, host->memory_mib) < 0)
		return -1;
	return 0;
}

static int store_device(struct ga_db *db, const char *node, const char *id, const char *kind,
			const char *facts, const char *now, struct ga_err *err)
{
	if (ga_db_change(db, err,
			 "INSERT INTO device (id, device_kind, node_id, facts, dirty_since, "
			 "dirtied_by, first_seen_at) SELECT ?1, ?2, ?3, ?4, ?5, 'first_seen', ?5 "
			 "WHERE NOT EXISTS (SELECT 1 FROM device WHERE id = ?1)",
			 "sssss", id, kind, node, facts, now) < 0)
		return -1;
	/* A disk that was moved belongs to its new host, tainted, unless a slot of another node has
	 * it. Nobody knows who wrote it since: its data counts as found. */
	return ga_db_change(
		       db, err,
		       "UPDATE device SET facts = ?3, node_id = ?2, "
		       "destroy_data_by = iif(node_id <> ?2, NULL, destroy_data_by), "
		       "dirtied_by = iif(node_id <> ?2, 'moved', dirtied_by), "
		       "dirty_since = iif(node_id <> ?2, coalesce(dirty_since, ?4), dirty_since) "
		       "WHERE id = ?1 "
		       "AND (facts <> ?3 OR node_id <> ?2) AND NOT EXISTS (SELECT 1 FROM slot "
		       "WHERE (nvme_wwid = ?1 OR gpu_id = ?1) AND node_id <> ?2 "
		       "AND state <> 'retired')",
		       "ssss", id, node, facts, now);
}

/* The ids of the GPU for gpuaas-profile nodes: "10de:2335 10de:18be a1" (0009-accelerator.sql). */
static char *gpu_ids(const struct ga_gpu *gpu)
{
	ga_autostr struct ga_str out = GA_STR_INIT;

	if (!gpu || !gpu->vendor_id || !gpu->device_id)
		return NULL;
	ga_str_addf(&out, "%s:%s ", gpu->vendor_id, gpu->device_id);
	if (gpu->subsystem_vendor_id && gpu->subsystem_device_id)
		ga_str_addf(&out, "%s:%s", gpu->subsystem_vendor_id, gpu->subsystem_device_id);
	else
		ga_str_addc(&out, '-');
	ga_str_addf(&out, " %s", gpu->revision ? gpu->revision : "-");
	return ga_str_take(&out);
}

/* Data on a disk that was wiped here came after the wipe, and not from a tenant of this state: the
 * disk is no longer clean. When its slot is not disabled, the guard of provision handles it. */
static int taint_found(struct ga_db *db, const struct ga_nvme *d, const char *now,
		       struct ga_err *err)
{
	if (!d->signatures.n && !ga_streq(d->content, "unknown_content"))
		return 0;
	return ga_db_change(db, err,
			    "UPDATE device SET dirtied_by = 'found_data', dirty_since = max(?2, "
			    "coalesce((SELECT e.finished_at FROM wipe_evidence e "
			    "WHERE e.id = device.cleared_by), '')) "
			    "WHERE id = ?1 AND dirty_since IS NULL AND NOT EXISTS (SELECT 1 FROM "
			    "slot WHERE nvme_wwid = ?1 AND state NOT IN ('disabled', 'retired'))",
			    "ss", d->wwid, now);
}

static int store_candidate(struct ga_db *db, const struct ga_candidate *c, const char *at,
			   const char *now, struct ga_err *err)
{
	ga_autofree char *record = ga_rec_format_text(&ga_candidate_schema, c);
	ga_autofree char *gpu = gpu_ids(c->gpu);

	if (ga_db_change(db, err,
			 "INSERT INTO candidate (node_id, slot_index, record, observed_at, gpu) "
			 "VALUES (?1, ?2, ?3, ?4, ?5)",
			 "sisss", c->node, c->slot_index, record, at, gpu) < 0)
		return -1;
	if (c->nvme && c->nvme->wwid) {
		ga_autofree char *facts = ga_rec_format_text(&ga_nvme_schema, c->nvme);

		if (store_device(db, c->node, c->nvme->wwid, "disk", facts, now, err) < 0 ||
		    taint_found(db, c->nvme, now, err) < 0)
			return -1;
	}
	if (c->gpu) {
		ga_autofree char *facts = ga_rec_format_text(&ga_gpu_schema, c->gpu);
		ga_autofree char *id = ga_xprintf("%s/%s", c->node, c->gpu->identity);

		return store_device(db, c->node, id, "gpu", facts, now, err);
	}
	return 0;
}

static int check_time(const struct ga_host *host, const struct known *known, struct ga_err *err)
{
	if (ga_store_refuse_ahead("the discovery", host->node, host->observed_at, err) < 0)
		return -1;
	/* An observation that an older version took with a wrong clock does not count. */
	if (!known->observed_at || strcmp(known->observed_at, host->observed_at) <= 0 ||
	    ga_time_is_ahead(known->observed_at))
		return 0;
	return ga_refuse(err, GA_CONFLICT, "old_observation", NULL,
			 ("the discovery of '%s' is from %s, and one from %s is stored already",
			  host->node, host->observed_at, known->observed_at),
			 ("run gpuaas-discover on the host again"));
}

int ga_store_observe(struct ga_db *db, const struct ga_host *host,
		     const struct ga_candidates *candidates, struct ga_err *err)
{
	ga_autofree char *text = ga_rec_format_text(&ga_host_schema, host);
	ga_autofree char *now = ga_time_now();
	ga_cleanup(cleanup_known) struct known known = { 0 };
	char digest[GA_DIGEST_SIZE];
	size_t i;

	ga_digest_of(text, strlen(text), digest);
	if (read_known(db, host->node, &known, err) < 0)
		return -1;
	if (ga_streq(known.digest, digest))
		return 0;
	if (check_time(host, &known, err) < 0 ||
	    ga_store_no_tenant(db, host->node, "the discovery", err) < 0)
		return -1;
	if (!known.exists)
		known.baremetal = ga_streq(host->mode, "baremetal");
	if ((!known.exists && insert_node(db, host, now, err) < 0) ||
	    update_node(db, host, &known, text, digest, err) < 0 ||
	    store_memory(db, host, err) < 0 ||
	    ga_db_change(db, err, "DELETE FROM candidate WHERE node_id = ?1", "s", host->node) < 0)
		return -1;
	for (i = 0; i < candidates->n; i++)
		if (store_candidate(db, &candidates->v[i], host->observed_at, now, err) < 0)
			return -1;
	if (ga_streq(known.fingerprint, host->fingerprint) &&
	    ga_store_health_seen(db, host->node, host->observed_at, err) < 0)
		return -1;
	return ga_audit_add(db, "observed", host->node,
			    json_pack("{s:s, s:I, s:s}", "digest", digest, "candidates",
				      (json_int_t)candidates->n, "fingerprint", host->fingerprint),
			    err);
}

int ga_store_judge_host(struct ga_db *db, const char *node, struct ga_err *err)
{
	ga_cleanup(cleanup_known) struct known known = { 0 };
	ga_autofree char *record = NULL, *blockers = NULL;
	struct ga_host host;
	int r = ga_db_one(db, err, "SELECT record FROM node_observation WHERE node_id = ?1", "sS",
			  node, &record);

	if (r <= 0)
		return r;
	if (read_known(db, node, &known, err) < 0 ||
	    ga_rec_parse_text(record, &ga_host_schema, &host, err) < 0)
		return ga_wrap(err, "the last discovery of node '%s'", node);
	blockers = blockers_text(&host, &known);
	ga_schema_release(&ga_host_schema, &host);
	return ga_db_change(db, err,
			    "UPDATE node SET blockers = ?2, generation = generation + 1 "
			    "WHERE id = ?1 AND blockers IS NOT ?2", "ss", node, blockers);
}

int ga_query_candidates(struct ga_db *db, struct ga_rows **ret, struct ga_err *err)
{
	/* A damaged record stays as it is: the reader names it. */
	return ga_db_query(db, ret, err,
			   "SELECT CASE WHEN NOT json_valid(k.record) THEN k.record "
			   "WHEN s.id IS NULL THEN json_remove(k.record, '$.slot') "
			   "ELSE json_set(k.record, '$.slot', s.id) END, k.node_id "
			   "FROM candidate k LEFT JOIN slot s ON s.node_id = k.node_id "
			   "AND s.slot_index = k.slot_index AND s.retired = 0 "
			   "ORDER BY k.node_id, k.slot_index", "");
}
