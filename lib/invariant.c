/* SPDX-License-Identifier: Apache-2.0 */
/* The invariants as triggers: what is kept, what is fixed, what is unique; and all rules as DDL. */
#include "invariant.h"

/* Tables whose rows are never deleted. */
static const char *const kept[] = {
	"meta",	      "node",	       "device", "slot",  "claim",
	"allocation", "wipe_evidence", "audit",	 "usage", "profile", NULL,
};

/* Each change counts, so that whoever saw an older generation is refused. */
static const char *const counted[] = { "slot", "allocation", "node", NULL };

/*
 * What REPLACE would delete silently: the keys of the guarded tables. match compares the stored row
 * k with NEW; of are the columns of the key, "" when it never changes (see fixed); when limits the
 * rows of a partial index.
 */
static const struct {
	const char *table, *name, *of, *match, *when, *refuse;
} keys[] = {
	{ "meta", "one", "one", "k.one = NEW.one", NULL, "duplicate: the state has one meta row" },
	{ "node", "id", "", "k.id = NEW.id OR k.number = NEW.number", NULL,
	  "duplicate: there is a node of that id" },
	{ "node", "name", "name", "k.name = NEW.name", NULL,
	  "name_taken: another node has that name" },
	{ "device", "id", "", "k.id = NEW.id", NULL,
	  "duplicate_identity: that device is known already" },
	{ "slot", "id", "", "k.id = NEW.id", NULL, "duplicate: there is a slot of that id" },
	{ "slot", "index", "node_id, slot_index, state",
	  "k.node_id = NEW.node_id AND k.slot_index = NEW.slot_index",
	  "k.state <> 'retired' AND NEW.state <> 'retired'",
	  "duplicate_identity: another slot has that index on the node" },
	{ "slot", "gpu", "gpu_id, state", "k.gpu_id = NEW.gpu_id",
	  "k.state <> 'retired' AND NEW.state <> 'retired'",
	  "duplicate_identity: that GPU stands in another slot" },
	{ "slot", "gpu_address", "gpu_pci_address, state",
	  "k.node_id = NEW.node_id AND k.gpu_pci_address = NEW.gpu_pci_address",
	  "k.state <> 'retired' AND NEW.state <> 'retired'",
	  "duplicate_identity: a GPU at that address stands in another slot" },
	{ "slot", "nvme", "nvme_wwid, state", "k.nvme_wwid = NEW.nvme_wwid",
	  "k.state <> 'retired' AND NEW.state <> 'retired'",
	  "duplicate_identity: that disk stands in another slot" },
	{ "slot", "vf", "fabric_vf_pci_address, state",
	  "k.node_id = NEW.node_id AND k.fabric_vf_pci_address = NEW.fabric_vf_pci_address",
	  "k.state <> 'retired' AND NEW.state <> 'retired'",
	  "fabric_vf_shared: that fabric function stands in another slot" },
	{ "slot", "mac", "mac, state", "k.mac = NEW.mac",
	  "k.state <> 'retired' AND NEW.state <> 'retired'",
	  "duplicate_identity: that MAC stands in another slot" },
	{ "slot", "ip", "private_ip, state",
	  "k.node_id = NEW.node_id AND k.private_ip = NEW.private_ip",
	  "k.state <> 'retired' AND NEW.state <> 'retired'",
	  "duplicate_identity: that address stands in another slot of the node" },
	{ "slot_cpu", "cpu", "node_id, cpu", "k.node_id = NEW.node_id AND k.cpu = NEW.cpu", NULL,
	  "cpuset_taken: that CPU stands in another slot" },
	{ "allocation", "id", "", "k.id = NEW.id OR k.number = NEW.number", NULL,
	  "duplicate: there is an allocation of that id" },
	{ "allocation", "request", "request_id", "k.request_id = NEW.request_id", NULL,
	  "request_taken: another allocation has that request id" },
	{ "allocation", "name", "name, state", "k.name = NEW.name",
	  "k.state NOT IN ('released', 'cancelled', 'refused') AND "
	  "NEW.state NOT IN ('released', 'cancelled', 'refused')",
	  "name_taken: another allocation has that name" },
	{ "claim", "id", "", "k.id = NEW.id", NULL, "duplicate: there is a claim of that id" },
	{ "claim", "slot", "live", "k.slot_id = NEW.slot_id",
	  "k.live = 1 AND NEW.live = 1 AND k.claim_kind = 'slot' AND NEW.claim_kind = 'slot'",
	  "sold_once: the slot is claimed already" },
	{ "claim", "node", "live", "k.node_id = NEW.node_id",
	  "k.live = 1 AND NEW.live = 1 AND k.claim_kind = 'node' AND NEW.claim_kind = 'node'",
	  "sold_once: the node is claimed already" },
	{ "profile", "version", "", "k.name = NEW.name AND k.version = NEW.version", NULL,
	  "duplicate: that version of the profile exists" },
	{ "profile", "current", "current", "k.name = NEW.name",
	  "k.current = 1 AND NEW.current = 1",
	  "duplicate: another version of the profile is the current one" },
	{ "wipe_evidence", "id", "",
	  "k.id = NEW.id OR k.attempt = NEW.attempt OR k.digest = NEW.digest OR "
	  "k.number = NEW.number",
	  NULL, "duplicate: that evidence is known already" },
	{ "usage", "id", "", "k.id = NEW.id", NULL, "duplicate: that usage row exists" },
	{ "usage", "open", "ended_at", "k.allocation_id = NEW.allocation_id",
	  "k.ended_at IS NULL AND NEW.ended_at IS NULL",
	  "duplicate: the allocation has an open span of usage" },
};

/* Columns that never change; when limits it to some states. */
static const struct {
	const char *table, *name, *of, *when, *refuse;
} fixed[] = {
	{ "meta", "fixed", "one, lab, created_at", NULL,
	  "fixed: whether a state is a lab is chosen once, when it is made" },
	{ "node", "fixed", "id", NULL, "fixed: the id of a node never changes" },
	{ "device", "fixed", "id, device_kind, first_seen_at", NULL,
	  "fixed: the identity of a device never changes" },
	{ "slot", "fixed", "id, node_id", NULL, "fixed: a slot stays itself and on its node" },
	{ "slot", "hardware",
	  "slot_index, shape, sharing_mechanism, parent_id, gpu_id, gpu_identity, gpu_pci_address, "
	  "module_id, nvme_wwid, fabric_claim_mode, fabric_vf_pci_address, fabric_pf_pci_address, "
	  "numa_node, cpuset, memory_mib, mac, private_ip, storage_ownership, wipe_minimum_class, "
	  "wipe_verify, wipe_gpu_memory",
	  "NOT (OLD.state = 'disabled' AND NEW.state = 'disabled')",
	  "in_use: what a slot consists of and how it is wiped changes only while it is disabled" },
	{ "slot", "evidence", "wipe_evidence_id", "OLD.state <> 'wiping'",
	  "evidence: the evidence of a slot changes only when it leaves wiping" },
	{ "claim", "fixed", "id, allocation_id, node_id, slot_id, claim_kind, created_at", NULL,
	  "fixed: a claim never changes what it holds" },
	{ "claim", "held_by", "held_by", "NEW.live = 1", "fixed: a live claim keeps its holder" },
	{ "allocation", "fixed", "id, request_id, request, project, shape, created_at, created_by",
	  NULL, "fixed: what was asked for never changes" },
	{ "allocation", "snapshot",
	  "count, profile, profile_version, profile_record, price_micros",
	  "OLD.state NOT IN ('pending', 'placed')",
	  "fixed: profile and price of an allocation are those it was placed with" },
	{ "profile", "fixed", "name, version, record, created_at", NULL,
	  "fixed: a version of a profile never changes; apply makes a new one" },
	{ "usage", "fixed",
	  "allocation_id, usage_kind, count, accelerator_type, price_micros, started_at", NULL,
	  "usage_fixed: what was begun to be billed never changes" },
	{ "usage", "ended", "ended_at", "OLD.ended_at IS NOT NULL",
	  "usage_fixed: a span that ended never changes" },
};

static const struct ga_rule rules[] = {
	/* The rowid of a guarded table, by whatever name: UPDATE OF would not see "SET rowid". */
	{ "node_number", "BEFORE UPDATE ON node", "NEW.number IS NOT OLD.number",
	  "fixed: a row keeps its number", NULL },
	{ "allocation_number", "BEFORE UPDATE ON allocation", "NEW.number IS NOT OLD.number",
	  "fixed: a row keeps its number", NULL },
	{ "usage_number", "BEFORE UPDATE ON usage", "NEW.id IS NOT OLD.id",
	  "usage_fixed: a row keeps its number", NULL },
	{ "meta_epoch", "BEFORE UPDATE OF epoch ON meta", "NEW.epoch < OLD.epoch",
	  "fixed: an epoch only grows", NULL },
	{ "slot_birth_evidence", "BEFORE INSERT ON slot", "NEW.wipe_evidence_id IS NOT NULL",
	  "birth: a new slot has no evidence", NULL },
	{ "slot_birth_node", "BEFORE INSERT ON slot",
	  "NOT EXISTS (SELECT 1 FROM node WHERE id = NEW.node_id)",
	  "foreign_key: the node of the slot is not known", NULL },
	{ "evidence_unchanged", "BEFORE UPDATE ON wipe_evidence", NULL,
	  "fixed: evidence is never changed", NULL },
	{ "audit_unchanged", "BEFORE UPDATE ON audit", NULL, "fixed: audit rows are never changed",
	  NULL },
	{ "audit_chain", "BEFORE INSERT ON audit",
	  "NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM audit) OR "
	  "NEW.previous_hash IS NOT coalesce((SELECT hash FROM audit ORDER BY seq DESC LIMIT 1), "
	  "'sha256:0000000000000000000000000000000000000000000000000000000000000000')",
	  "audit_chain: an audit row continues the chain", NULL },
	{ "usage_span", "BEFORE UPDATE OF ended_at ON usage", "NEW.ended_at < NEW.started_at",
	  "usage_fixed: a span cannot end before it began", NULL },
	{ .name = NULL },
};

static void add_rule(const struct ga_rule *r, struct ga_str *sql)
{
	ga_str_addf(sql, "CREATE TRIGGER %s %s", r->name, r->event);
	if (r->when)
		ga_str_addf(sql, "\nWHEN %s", r->when);
	if (r->refuse)
		ga_str_addf(sql, "\nBEGIN SELECT RAISE(ABORT, '%s'); END;\n", r->refuse);
	else
		ga_str_addf(sql, "\nBEGIN %s END;\n", r->run);
}

static void add_rules(const struct ga_rule *r, struct ga_str *sql)
{
	for (; r->name; r++)
		add_rule(r, sql);
}

static void add_kept(struct ga_str *sql)
{
	const char *const *t;

	for (t = kept; *t; t++)
		ga_str_addf(sql, "CREATE TRIGGER %s_kept BEFORE DELETE ON %s\n"
				 "BEGIN SELECT RAISE(ABORT, 'kept: rows of %s are never deleted'); "
				 "END;\n", *t, *t, *t);
	for (t = counted; *t; t++)
		ga_str_addf(sql, "CREATE TRIGGER %s_counted BEFORE UPDATE ON %s\n"
				 "WHEN NEW.generation IS NOT OLD.generation + 1\n"
				 "BEGIN SELECT RAISE(ABORT, 'concurrent_update: every change "
				 "of the %s "
				 "raises its generation by one'); END;\n", *t, *t, *t);
}

/* "a, b" as "NEW.a IS NOT OLD.a OR NEW.b IS NOT OLD.b". */
static void add_changed(const char *columns, struct ga_str *sql)
{
	const char *or = "";

	while (*columns) {
		size_t n = strcspn(columns, ",");

		ga_str_addf(sql, "%sNEW.%.*s IS NOT OLD.%.*s", or, (int)n, columns, (int)n,
			    columns);
		columns += n;
		columns += strspn(columns, ", ");
		or = " OR ";
	}
}

static void add_fixed(struct ga_str *sql)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(fixed); i++) {
		ga_str_addf(sql, "CREATE TRIGGER %s_%s BEFORE UPDATE OF %s ON %s\nWHEN (",
			    fixed[i].table, fixed[i].name, fixed[i].of, fixed[i].table);
		add_changed(fixed[i].of, sql);
		ga_str_addf(sql, ")%s%s\nBEGIN SELECT RAISE(ABORT, '%s'); END;\n",
			    fixed[i].when ? " AND " : "", fixed[i].when ? fixed[i].when : "",
			    fixed[i].refuse);
	}
}

static void add_keys(struct ga_str *sql)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(keys); i++) {
		ga_autofree char *where = ga_xprintf("(%s)%s%s", keys[i].match,
						     keys[i].when ? " AND " : "",
						     keys[i].when ? keys[i].when : "");

		ga_str_addf(sql, "CREATE TRIGGER %s_new_%s BEFORE INSERT ON %s\n"
				 "WHEN EXISTS (SELECT 1 FROM %s k WHERE %s)\n"
				 "BEGIN SELECT RAISE(ABORT, '%s'); END;\n",
			    keys[i].table, keys[i].name, keys[i].table, keys[i].table, where,
			    keys[i].refuse);
		if (!*keys[i].of)
			continue;
		ga_str_addf(sql, "CREATE TRIGGER %s_change_%s BEFORE UPDATE OF %s ON %s\n"
				 "WHEN EXISTS (SELECT 1 FROM %s k WHERE %s AND %s)\n"
				 "BEGIN SELECT RAISE(ABORT, '%s'); END;\n",
			    keys[i].table, keys[i].name, keys[i].of, keys[i].table, keys[i].table,
			    where,
			    ga_streq(keys[i].table, "slot_cpu") ?
				    "(k.node_id <> OLD.node_id OR k.cpu <> OLD.cpu)" :
			    ga_streq(keys[i].table, "profile") ? "k.version <> OLD.version" :
			    ga_streq(keys[i].table, "meta")    ? "k.one <> OLD.one" :
								 "k.id <> OLD.id",
			    keys[i].refuse);
	}
}

void ga_invariant_ddl(struct ga_str *sql)
{
	add_kept(sql);
	add_fixed(sql);
	add_keys(sql);
	add_rules(rules, sql);
	add_rules(ga_rules_sold, sql);
	add_rules(ga_rules_wiped, sql);
}
