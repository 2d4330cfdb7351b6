/* SPDX-License-Identifier: Apache-2.0 */
/* The facts that the approval predicate needs, from the candidate and from the state. */
#include "state/slot/facts.h"

#include "record/cpuset.h"
#include "record/mac.h"
#include "record/rec.h"
#include "record/state.h"
#include "state/db/invariant.h"

void ga_cleanup_place_of(struct ga_place_of *p)
{
	char *all[] = { p->slot,	 p->state,	p->cordon_reason, p->health,
			p->wipe_attempt, p->gpu_identity, p->nvme_wwid,	  p->node_state,
			p->node_fingerprint, p->node_blocker, p->node_blocker_hint };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(all); i++)
		free(all[i]);
}

/* Member of the blocker that counts: host_mode, which explains others, or the first. A change of
 * the hardware has a reason of its own. */
#define FIRST_BLOCKER(member)                                                                      \
	"(SELECT json_extract(value, '" member "') FROM "                                          \
	"json_each(" GA_SQL_REASONS("n.blockers") ") "                                             \
	"WHERE json_extract(value, '$.code') <> 'fingerprint_changed' "                            \
	"ORDER BY json_extract(value, '$.code') = 'host_mode' DESC, key LIMIT 1), "

int ga_store_place_of(struct ga_db *db, const struct ga_candidate *c, struct ga_place_of *ret,
		      struct ga_err *err)
{
	int r;

	*ret = (struct ga_place_of){ 0 };
	r = ga_db_one(db, err,
		      "SELECT n.state, n.fingerprint, "
		      FIRST_BLOCKER("$.code") FIRST_BLOCKER("$.hint")
		      "n.fabric_mode = 'partitions', s.id, s.state, s.cordon_reason, "
		      "s.health_state, s.wipe_attempt, s.generation, s.gpu_identity, "
		      "s.nvme_wwid, n.mode = 'baremetal' FROM node n "
		      "LEFT JOIN slot s ON s.node_id = n.id AND s.slot_index = ?2 "
		      "AND s.retired = 0 WHERE n.id = ?1",
		      "siSSSSBSSSSSISSB", c->node, c->slot_index, &ret->node_state,
		      &ret->node_fingerprint, &ret->node_blocker, &ret->node_blocker_hint,
		      &ret->partitions_in_use,
		      &ret->slot, &ret->state, &ret->cordon_reason, &ret->health,
		      &ret->wipe_attempt, &ret->generation, &ret->gpu_identity, &ret->nvme_wwid,
		      &ret->baremetal);
	if (r == 0)
		return ga_fail(err, GA_NOTFOUND, "node '%s' was never observed", c->node);
	return r < 0 ? -1 : 0;
}

/* ---- devices of others ---- */

static int taken_devices(struct ga_db *db, const struct ga_candidate *c, const char *slot,
			 struct ga_taken *ret, struct ga_err *err)
{
	ga_autofree char *gpu =
		c->gpu ? ga_xprintf("%s/%s", c->node, c->gpu->identity) : NULL;

	return ga_db_get(
		       db, err,
		       "SELECT EXISTS (SELECT 1 FROM slot "
		       "WHERE retired = 0 AND id IS NOT ?1 AND gpu_id = ?3) "
		       "OR EXISTS (SELECT 1 FROM slot "
		       "WHERE retired = 0 AND id IS NOT ?1 AND node_id = ?2 AND (gpu_pci_address "
		       "= ?4 OR ?4 IN (fabric_vf_pci_address, fabric_pf_pci_address))), "
		       "EXISTS (SELECT 1 FROM slot "
		       "WHERE retired = 0 AND id IS NOT ?1 AND nvme_wwid = ?5), "
		       "EXISTS (SELECT 1 FROM slot "
		       "WHERE retired = 0 AND id IS NOT ?1 AND mac = ?6), "
		       "EXISTS (SELECT 1 FROM slot "
		       "WHERE retired = 0 AND id IS NOT ?1 AND node_id = ?2 AND private_ip = ?7), "
		       "EXISTS (SELECT 1 FROM slot "
		       "WHERE retired = 0 AND id IS NOT ?1 "
		       "AND node_id = ?2 AND ?8 IN (fabric_vf_pci_address, gpu_pci_address)) "
		       "OR ?4 IN (?8, ?9), "
		       "EXISTS (SELECT 1 FROM slot "
		       "WHERE retired = 0 AND id IS NOT ?1 "
		       "AND node_id = ?2 AND fabric_vf_pci_address = ?9) "
		       "OR EXISTS (SELECT 1 FROM slot "
		       "WHERE retired = 0 AND id IS NOT ?1 "
		       "AND node_id = ?2 AND fabric_pf_pci_address = ?8)",
		       "sssssssssBBBBBB", slot, c->node, gpu, c->gpu ? c->gpu->pci_address : NULL,
		       c->nvme ? c->nvme->wwid : NULL, c->suggested.mac, c->suggested.private_ip,
		       c->fabric ? c->fabric->vf_pci_address : NULL,
		       c->fabric ? c->fabric->pf_pci_address : NULL, &ret->gpu, &ret->nvme,
		       &ret->mac, &ret->ip, &ret->vf, &ret->pf);
}

static int taken_address(struct ga_db *db, const struct ga_candidate *c, bool *ret,
			 struct ga_err *err)
{
	ga_autofree char *gateway = NULL;
	int64_t bits;
	int r = ga_db_one(db, err,
			  "SELECT json_extract(" GA_SQL_OBJECT("network") ", '$.gateway'), "
			  "json_extract(" GA_SQL_OBJECT("network") ", '$.prefix_bits') FROM node "
			  "WHERE id = ?1", "sSI", c->node, &gateway, &bits);

	*ret = r > 0 && ga_ip_is_of_network(c->suggested.private_ip, gateway, bits);
	return r < 0 ? -1 : 0;
}

static int taken_cpus(struct ga_db *db, const struct ga_candidate *c, const char *slot,
		      bool *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	struct ga_cpuset wanted;
	int r;

	if (!c->suggested.cpuset)
		return 0;
	if (ga_cpuset_parse(c->suggested.cpuset, &wanted, err) < 0)
		return ga_wrap(err, "candidate %lld of '%s'", (long long)c->slot_index, c->node);
	if (ga_db_query(db, &rows, err,
			"SELECT cpu FROM slot_cpu WHERE node_id = ?1 AND slot_id IS NOT ?2", "ss",
			c->node, slot) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ret = *ret || ga_cpuset_has(&wanted, (int)ga_rows_int(rows, 0));
	return r;
}

static int taken_memory(struct ga_db *db, const struct ga_candidate *c, const char *slot,
			bool *ret, struct ga_err *err)
{
	int r;

	if (c->suggested.memory_mib == GA_UNKNOWN)
		return 0;
	r = ga_db_one(db, err,
		      "SELECT m.memory_mib - m.reserve_mib < ?4 + coalesce((SELECT "
		      "sum(s.memory_mib) FROM slot s WHERE s.node_id = ?1 AND s.retired = 0 "
		      "AND s.id IS NOT ?2 AND (coalesce(s.numa_node, -1) = ?3 OR ?3 = -1)), 0) "
		      "FROM node_memory m WHERE m.node_id = ?1 AND m.numa_node = ?3",
		      "ssiiB", c->node, slot, c->numa_node == GA_UNKNOWN ? -1 : c->numa_node,
		      c->suggested.memory_mib, ret);
	/* Memory of unknown size is not given out: an unknown value blocks at a gate. */
	if (r == 0)
		*ret = true;
	return r < 0 ? -1 : 0;
}

int ga_store_taken(struct ga_db *db, const struct ga_candidate *c, const char *slot,
		   struct ga_taken *ret, struct ga_err *err)
{
	*ret = (struct ga_taken){ 0 };
	if (taken_devices(db, c, slot, ret, err) < 0 ||
	    taken_address(db, c, &ret->network, err) < 0 ||
	    taken_cpus(db, c, slot, &ret->cpus, err) < 0 ||
	    taken_memory(db, c, slot, &ret->memory, err) < 0)
		return -1;
	return 0;
}

/* ---- facts ---- */

#define RECORD GA_SQL_OBJECT("record")

static int has_profile(struct ga_db *db, const char *type, bool *ret, struct ga_err *err)
{
	return ga_db_has(db, ret, err,
			 "SELECT 1 FROM profile WHERE current = 1 "
			 "AND " GA_SQL_NOT_OBJECT("record") " = 0 "
			 "AND NOT coalesce(json_extract(" RECORD ", '$.retired'), 0) "
			 "AND (json_array_length(" RECORD ", '$.types') IS NULL "
			 "OR json_array_length(" RECORD ", '$.types') = 0 "
			 "OR EXISTS (SELECT 1 FROM json_each(" RECORD ", '$.types') "
			 "WHERE value = ?1))",
			 "s", type);
}

/* Dirty, or wiped by less than the slot's new policy, or with another fabric function. */
static int is_tainted(struct ga_db *db, const struct ga_candidate *c, const struct ga_taken *taken,
		      const struct ga_wipe_policy *policy, bool *ret, struct ga_err *err)
{
	const char *vf = c->fabric && !taken->vf && !taken->pf ? c->fabric->vf_pci_address : NULL;
	ga_autofree char *gpu =
		c->gpu ? ga_xprintf("%s/%s", c->node, c->gpu->identity) : NULL;

	return ga_db_has(db, ret, err,
			 "SELECT 1 FROM device d WHERE d.id IN (?1, ?2) AND (d.dirty_since IS NOT "
			 "NULL OR NOT EXISTS (SELECT 1 FROM wipe_evidence e WHERE e.id = "
			 "d.cleared_by AND " GA_SQL_WIPED_FOR("e", "?3", "?4", "?5")
			 " AND (d.device_kind = 'disk' OR e.vf_pci_address IS ?6)))",
			 "ssssss", c->nvme ? c->nvme->wwid : NULL, gpu, policy->minimum_class,
			 policy->verify, policy->gpu_memory, vf);
}

int ga_store_disk_is_ours(struct ga_db *db, const char *wwid, struct ga_err *err)
{
	/* A wipe that was not started: its guard refused, because others may have written the data.
	 * A disk that left with its slot's disposal is no longer ours: when it comes back, its data
	 * is unknown. */
	return ga_db_one(db, err,
			 "SELECT 1 FROM device d WHERE d.id = ?1 AND d.dirty_since IS NOT NULL "
			 "AND NOT EXISTS (SELECT 1 FROM slot s WHERE s.nvme_wwid = d.id AND "
			 "s.retired = 1 AND s.disposal IS NOT NULL AND s.since >= d.dirty_since) "
			 "AND (EXISTS (SELECT 1 FROM allocation a WHERE a.id = d.dirtied_by) "
			 "OR EXISTS (SELECT 1 FROM slot s WHERE s.id = d.dirtied_by) "
			 "OR d.dirtied_by IN ('adopted', 'unverified_since_restore') "
			 "OR EXISTS (SELECT 1 FROM wipe_evidence e WHERE e.wwid = d.id "
			 "AND e.node_id = d.node_id AND e.outcome IN ('failed', 'unknown') "
			 "AND e.finished_at >= d.dirty_since))",
			 "s", wwid);
}

static int in_partition(struct ga_db *db, const struct ga_candidate *c, bool *ret,
			struct ga_err *err)
{
	if (!c->gpu || c->gpu->module_id == GA_UNKNOWN)
		return 0;
	return ga_db_has(db, ret, err,
			 "SELECT 1 FROM node n, json_each(" GA_SQL_OBJECT("n.partitions") ") p, "
			 "json_each(iif(p.type = 'array', p.value, '[]')) m "
			 "WHERE n.id = ?1 AND m.value = ?2",
			 "si", c->node, c->gpu->module_id);
}

/* Whether the host may activate tenant disks: its prerequisite against that is not ok. Never in a
 * lab, where a disk is a file. */
static int autoactivates(struct ga_db *db, const char *node, bool *ret, struct ga_err *err)
{
	bool prevented;

	*ret = !ga_db_is_lab(db);
	if (!*ret)
		return 0;
	if (ga_db_has(db, &prevented, err,
		      "SELECT 1 FROM node_observation o, "
		      "json_each(" GA_SQL_OBJECT("o.record") ", '$.prerequisites') p "
		      "WHERE o.node_id = ?1 "
		      "AND p.type = 'object' "
		      "AND json_extract(p.value, '$.name') = 'disk_autoactivation' "
		      "AND json_extract(p.value, '$.state') = 'ok'",
		      "s", node) < 0)
		return -1;
	*ret = !prevented;
	return 0;
}

static void facts_of_disk(const struct ga_nvme *d, const struct ga_approval *a, bool lab,
			  struct ga_slot_facts *f)
{
	int64_t possible = ga_wipe_possible(d, a->wipe.minimum_class, lab);

	f->nvme_wwid = d->wwid;
	f->nvme_is_block = d->is_block;
	f->nvme_reported = true;
	f->nvme_mounts = d->mounts.n;
	f->nvme_holders = d->holders.n;
	f->nvme_user = d->holders.n ? d->holders.v[0] : NULL;
	f->nvme_uses_known = d->uses_known;
	f->nvme_content = d->content;
	f->nvme_content_blocks = d->content_blocks == GA_UNKNOWN ? 0 : d->content_blocks;
	f->nvme_signatures_known = d->signatures_known;
	f->nvme_signatures = d->signatures.n;
	f->wipe_possible_known = possible != GA_UNKNOWN;
	f->wipe_possible = possible == 1;
}

/* A slot of a baremetal node needs no address: one that another slot has stays empty in its row. */
static const char *duplicate(const struct ga_taken *t, bool baremetal)
{
	if (t->gpu)
		return "another slot has its GPU, or the GPU's PCI function as a fabric function";
	if (t->nvme || baremetal)
		return t->nvme ? "another slot has its disk" : NULL;
	if (t->mac)
		return "another slot has its MAC";
	if (t->network)
		return "its address is the gateway of the node's network, or one of the network's "
		       "own";
	return t->ip ? "another slot of the node has its address" : NULL;
}

static void facts_of(const struct ga_approval *a, const struct ga_place_of *at,
		     const struct ga_taken *taken, bool lab, struct ga_slot_facts *f)
{
	const struct ga_candidate *c = a->candidate;

	*f = (struct ga_slot_facts){
		.slot = at->slot,
		.node = c->node,
		.slot_index = c->slot_index,
		.lab = lab,
		.baremetal = at->baremetal,
		.iommu_group = GA_UNKNOWN,
		.gpu_boot_display = GA_UNKNOWN,
		.gpu_can_reset = GA_UNKNOWN,
		.nvme_is_block = GA_UNKNOWN,
		.destroy_data = a->destroy_data,
		.storage_ownership = "tenant_slice",
		.wipe = &a->wipe,
		.mac = c->suggested.mac,
		.private_ip = c->suggested.private_ip,
		.fabric_vf_shared = taken->vf,
		.pf_vf_conflict = taken->pf,
		.duplicate_identity = duplicate(taken, at->baremetal),
		.cpuset = c->suggested.cpuset,
		.cpuset_taken = taken->cpus,
		.memory_mib = c->suggested.memory_mib,
		.memory_overcommitted = taken->memory,
		.host_ready = !at->node_blocker,
		.host_blocker = at->node_blocker,
		.host_blocker_hint = at->node_blocker_hint,
		.fingerprint = c->fingerprint,
		.fingerprint_approved = a->accept_change ? NULL : at->node_fingerprint,
		.partitions_in_use = at->partitions_in_use,
		.health = at->health,
	};
	if (c->gpu) {
		f->gpu_pci_address = c->gpu->pci_address;
		f->gpu_identity = c->gpu->identity;
		f->iommu_group = c->gpu->iommu_group;
		f->iommu_group_members = &c->gpu->iommu_group_members;
		f->gpu_boot_display = c->gpu->boot_display;
		f->gpu_can_reset = c->gpu->can_reset;
	}
	if (c->nvme)
		facts_of_disk(c->nvme, a, lab, f);
	if (c->fabric) {
		f->fabric_claim_mode = c->fabric->claim_mode;
		f->fabric_vf_pci_address = c->fabric->vf_pci_address;
		f->fabric_pf_pci_address = c->fabric->pf_pci_address;
	}
}

int ga_store_blockers(struct ga_db *db, const struct ga_approval *a, const struct ga_place_of *at,
		      const struct ga_taken *taken, struct ga_reasons *ret, struct ga_err *err)
{
	const struct ga_candidate *c = a->candidate;
	struct ga_slot_facts f;
	int ours = c->nvme ? ga_store_disk_is_ours(db, c->nvme->wwid, err) : 0;
	size_t i;

	if (ours < 0)
		return -1;
	if (taken->moved) {
		/* After a GPU is lost, the host's other GPUs move up one place: the slot keeps its
		 * row. */
		ga_autofree char *why = ga_xprintf("its GPU is not on the host; the GPU in its "
						   "place %lld now is another slot's",
						   (long long)c->slot_index);
		ga_autofree char *fix = ga_xprintf("bring the GPU back and discover again, or "
						   "retire this slot: gpuaas-approve retire %s "
						   "--reason TEXT", at->slot);

		ga_reasons_add(ret, "missing_gpu", at->gpu_identity, why, fix);
		return 0;
	}
	facts_of(a, at, taken, ga_db_is_lab(db), &f);
	f.nvme_ours = ours;
	if (has_profile(db, c->gpu ? c->gpu->type : NULL, &f.has_profile, err) < 0 ||
	    is_tainted(db, c, taken, &a->wipe, &f.tainted, err) < 0 ||
	    in_partition(db, c, &f.partition_known, err) < 0 ||
	    autoactivates(db, c->node, &f.disk_autoactivation, err) < 0)
		return -1;
	for (i = 0; i < c->reasons.n; i++)
		f.left_out = f.left_out || !ga_verdict_decides(c->reasons.v[i].code);
	ga_slot_blockers(&f, GA_GATE_APPROVE, ret);
	for (i = 0; i < c->reasons.n; i++) {
		const struct ga_reason *r = &c->reasons.v[i];

		if (!ga_verdict_decides(r->code) && !ga_reasons_has(ret, r->code))
			ga_reasons_add(ret, r->code, r->subject, r->evidence, r->hint);
	}
	/* Short answers name the first reason: "tainted", which a wipe ends, is the last. */
	for (i = 1; i < ret->n; i++)
		if (ga_streq(ret->v[i - 1].code, "tainted")) {
			struct ga_reason taint = ret->v[i - 1];

			ret->v[i - 1] = ret->v[i];
			ret->v[i] = taint;
		}
	return 0;
}

/* ---- slots on sale ---- */

/* Whether the CPUs of a slot stand in another slot of its node; others: lists separated by
 * semicolons. A text that is no list has no CPUs. */
static bool overlaps(const char *cpuset, const char *others)
{
	ga_autofree char *copy = ga_strdup0(others);
	struct ga_err ignored = GA_ERR_INIT;
	char *rest = copy, *one;
	struct ga_cpuset own, other;

	if (!cpuset || ga_cpuset_parse(cpuset, &own, &ignored) < 0)
		return false;
	while (rest && (one = strsep(&rest, ";")))
		if (ga_cpuset_parse(one, &other, &ignored) == 0 && ga_cpuset_overlaps(&own, &other))
			return true;
	return false;
}

void ga_store_fill_bundle(const struct ga_rows *rows, struct ga_bundle *b)
{
	ga_schema_init(&ga_bundle_schema, b);
	b->slot = ga_rows_dup(rows, GA_SF_ID);
	b->slot_index = ga_rows_int(rows, GA_SF_INDEX);
	b->generation = ga_rows_int(rows, GA_SF_GENERATION);
	b->numa_node = ga_rows_int(rows, GA_SF_NUMA);
	b->gpu_identity = ga_rows_dup(rows, GA_SF_GPU_IDENTITY);
	b->gpu_pci_address = ga_rows_dup(rows, GA_SF_GPU_ADDRESS);
	b->gpu_device = ga_rows_dup(rows, GA_SF_GPU_DEVICE);
	b->module_id = ga_rows_int(rows, GA_SF_MODULE);
	b->nvme_wwid = ga_rows_dup(rows, GA_SF_WWID);
	b->nvme_serial = ga_rows_dup(rows, GA_SF_SERIAL);
	b->nvme_path = ga_rows_dup(rows, GA_SF_PATH);
	b->nvme_size_bytes = ga_rows_int(rows, GA_SF_BYTES);
	b->fabric_vf_pci_address = ga_rows_dup(rows, GA_SF_VF);
	b->fabric_pf_pci_address = ga_rows_dup(rows, GA_SF_PF);
	b->cpuset = ga_rows_dup(rows, GA_SF_CPUSET);
	b->memory_mib = ga_rows_int(rows, GA_SF_MEMORY);
	b->mac = ga_rows_dup(rows, GA_SF_MAC);
	b->private_ip = ga_rows_dup(rows, GA_SF_IP);
	b->bridge = ga_rows_dup(rows, GA_SF_BRIDGE);
	b->port = ga_rows_dup(rows, GA_SF_PORT);
}

/* The column of the row that a plan cannot have, or NULL. A plan's bundle has most of the
 * columns. */
static char *damaged(const struct ga_rows *rows, const struct ga_bundle *bundle)
{
	char *ret = ga_strdup0(ga_rows_text(rows, GA_SF_DAMAGED));
	struct ga_bundle placed = *bundle;
	struct ga_err why = GA_ERR_INIT;

	if (ret)
		return ret;
	/* A placement raises the generation by one. */
	placed.generation += placed.generation < INT64_MAX;
	if (ga_schema_check(&ga_bundle_schema, &placed, &why) < 0)
		ret = ga_xstrdup(why.msg);
	ga_err_clear(&why);
	return ret;
}

size_t ga_store_sale_blockers(struct ga_db *db, const struct ga_rows *rows,
			      const struct ga_bundle *bundle, bool baremetal,
			      struct ga_reasons *ret)
{
	const struct ga_wipe_policy wipe = {
		.minimum_class = (char *)(uintptr_t)ga_rows_text(rows, GA_SF_CLASS),
		.verify = (char *)(uintptr_t)ga_rows_text(rows, GA_SF_VERIFY),
		.gpu_memory = (char *)(uintptr_t)ga_rows_text(rows, GA_SF_GPU_MEMORY),
	};
	const char *node = ga_rows_text(rows, GA_SF_NODE), *gpu = ga_rows_text(rows, GA_SF_GPU_ID);
	const char *identity = ga_rows_text(rows, GA_SF_GPU_IDENTITY);
	ga_autofree char *unreadable = damaged(rows, bundle);
	size_t n = node ? strlen(node) : 0;
	/* The device with the GPU's taint is that of its identity on this node. */
	bool known = gpu && identity && ga_starts(gpu, node) && gpu[n] == '/' &&
		     !strcmp(gpu + n + 1, identity);
	const struct ga_slot_facts f = {
		.slot = ga_rows_text(rows, GA_SF_ID),
		.node = node,
		.slot_index = ga_rows_int(rows, GA_SF_INDEX),
		.lab = ga_db_is_lab(db),
		.baremetal = baremetal,
		.gpu_pci_address = ga_rows_text(rows, GA_SF_GPU_ADDRESS),
		.gpu_identity = known ? identity : NULL,
		.nvme_wwid = ga_rows_text(rows, GA_SF_WWID),
		.storage_ownership = ga_rows_text(rows, GA_SF_OWNERSHIP),
		.wipe = &wipe,
		.mac = ga_rows_text(rows, GA_SF_MAC),
		.private_ip = ga_rows_text(rows, GA_SF_IP),
		.fabric_claim_mode = ga_rows_text(rows, GA_SF_CLAIM_MODE),
		.fabric_vf_pci_address = ga_rows_text(rows, GA_SF_VF),
		.fabric_pf_pci_address = ga_rows_text(rows, GA_SF_PF),
		.cpuset = ga_rows_text(rows, GA_SF_CPUSET),
		.cpuset_taken = overlaps(ga_rows_text(rows, GA_SF_CPUSET),
					 ga_rows_text(rows, GA_SF_OTHER_CPUS)),
		.memory_mib = ga_rows_int(rows, GA_SF_MEMORY),
		.claimed_by = ga_rows_text(rows, GA_SF_CLAIMED_BY),
		.damaged = unreadable,
		.tainted = !ga_rows_bool(rows, GA_SF_CLEAN),
		.health = ga_rows_text(rows, GA_SF_HEALTH),
	};

	return ga_slot_blockers(&f, GA_GATE_PLACE, ret);
}

static int add_blocker(struct ga_db *db, const char *slot, const struct ga_reason *why,
		       struct ga_err *err)
{
	ga_autojson json_t *json = ga_schema_format(&ga_reason_schema, why);
	ga_autostr struct ga_str text = GA_STR_INIT;

	ga_rec_dump(json, &text);
	return ga_db_change(db, err,
			    "UPDATE slot SET blockers = json_insert(" GA_SQL_REASONS("blockers")
			    ", '$[#]', json(?2)), "
			    "generation = generation + 1 WHERE id = ?1 AND state = 'disabled' AND "
			    "NOT EXISTS (SELECT 1 FROM "
			    "json_each(" GA_SQL_REASONS("blockers") ") WHERE "
			    "json_extract(value, '$.code') = ?3)",
			    "sss", slot, text.buf, why->code);
}

int ga_store_block_unsellable(struct ga_db *db, const char *slot, struct ga_err *err)
{
	struct ga_reasons reasons = { 0 };
	ga_autorows struct ga_rows *rows = NULL;
	struct ga_bundle bundle;
	size_t i;
	int r;

	if (ga_db_query(db, &rows, err,
			GA_SQL_SLOT_FACTS_AND(GA_SQL_ONLY_BAREMETAL) "WHERE id = ?1", "s",
			slot) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r > 0) {
		ga_store_fill_bundle(rows, &bundle);
		ga_store_sale_blockers(db, rows, &bundle,
				       ga_rows_bool(rows, GA_SF_ONLY_BAREMETAL), &reasons);
		ga_schema_release(&ga_bundle_schema, &bundle);
	}
	for (i = 0; r >= 0 && i < reasons.n; i++)
		if (!ga_streq(reasons.v[i].code, "tainted") &&
		    !ga_streq(reasons.v[i].code, "health_failed"))
			r = add_blocker(db, slot, &reasons.v[i], err);
	ga_reasons_release(&reasons);
	return r < 0 ? -1 : 0;
}
