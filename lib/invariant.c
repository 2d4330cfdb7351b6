/* SPDX-License-Identifier: Apache-2.0 */
/* The invariants as triggers: what is kept, what is fixed, what is unique; and all rules as DDL. */
#include "invariant.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "vec.h"

/* Tables whose rows are never deleted. */
static const char *const kept[] = {
	"meta",	      "node",	       "device", "slot",  "claim",
	"allocation", "wipe_evidence", "audit",	 "usage", "profile", "maintenance",
	"node_key",   "team",	       "access_grant", "access", "proposal", NULL,
};

/* Each change counts, so that whoever saw an older generation is refused. */
static const char *const counted[] = { "slot", "allocation", "node", NULL };

/* Tables with a number beside their keys. It has other names (rowid, oid): only a trigger on every
 * update sees those. */
static const char *const numbered[] = { "node", "device", "slot", "allocation", "claim", "usage",
					"node_key", NULL };

#define NUMBER_SENTENCE "duplicate: a row of that number is there already"

/*
 * What REPLACE would delete silently: the keys of the guarded tables. match compares the stored row
 * k with NEW; of are the columns of the key, "" when no row comes to it later (see fixed); when
 * limits the rows of a partial index.
 */
static const struct {
	const char *table, *name, *of, *match, *when, *refuse;
} keys[] = {
	{ "meta", "one", "", "k.one = NEW.one", NULL, "duplicate: the state has one meta row" },
	{ "node", "number", "", "k.number = NEW.number", NULL, NUMBER_SENTENCE },
	{ "node", "id", "", "k.id = NEW.id", NULL, "duplicate: there is a node of that id" },
	{ "node", "name", "name", "k.name = NEW.name", NULL,
	  "name_taken: another node has that name" },
	{ "node_key", "number", "", "k.number = NEW.number", NULL, NUMBER_SENTENCE },
	{ "node_key", "key", "", "k.key = NEW.key", NULL,
	  "duplicate: that key is known already" },
	{ "node_key", "live", "", "k.node_id = NEW.node_id",
	  "k.revoked_at IS NULL AND NEW.revoked_at IS NULL",
	  "duplicate: the node has a key that counts" },
	{ "maintenance", "id", "", "k.id = NEW.id", NULL,
	  "duplicate: there is a window of maintenance of that id" },
	{ "device", "number", "", "k.number = NEW.number", NULL, NUMBER_SENTENCE },
	{ "device", "id", "", "k.id = NEW.id", NULL,
	  "duplicate_identity: that device is known already" },
	{ "slot", "number", "", "k.number = NEW.number", NULL, NUMBER_SENTENCE },
	{ "slot", "id", "", "k.id = NEW.id", NULL, "duplicate: there is a slot of that id" },
	{ "slot", "index", "node_id, slot_index, retired",
	  "k.node_id = NEW.node_id AND k.slot_index = NEW.slot_index",
	  "k.retired = 0 AND NEW.retired = 0",
	  "duplicate_identity: another slot has that index on the node" },
	{ "slot", "gpu", "gpu_id, retired", "k.gpu_id = NEW.gpu_id",
	  "k.retired = 0 AND NEW.retired = 0",
	  "duplicate_identity: that GPU stands in another slot" },
	{ "slot", "gpu_address", "gpu_pci_address, retired",
	  "k.node_id = NEW.node_id AND k.gpu_pci_address = NEW.gpu_pci_address",
	  "k.retired = 0 AND NEW.retired = 0",
	  "duplicate_identity: a GPU at that address stands in another slot" },
	{ "slot", "nvme", "nvme_wwid, retired", "k.nvme_wwid = NEW.nvme_wwid",
	  "k.retired = 0 AND NEW.retired = 0",
	  "duplicate_identity: that disk stands in another slot" },
	{ "slot", "vf", "fabric_vf_pci_address, retired",
	  "k.node_id = NEW.node_id AND k.fabric_vf_pci_address = NEW.fabric_vf_pci_address",
	  "k.retired = 0 AND NEW.retired = 0",
	  "fabric_vf_shared: that fabric function stands in another slot" },
	{ "slot", "mac", "mac, retired", "k.mac = NEW.mac",
	  "k.retired = 0 AND NEW.retired = 0",
	  "duplicate_identity: that MAC stands in another slot" },
	{ "slot", "ip", "private_ip, retired",
	  "k.node_id = NEW.node_id AND k.private_ip = NEW.private_ip",
	  "k.retired = 0 AND NEW.retired = 0",
	  "duplicate_identity: that address stands in another slot of the node" },
	{ "slot_cpu", "cpu", "", "k.node_id = NEW.node_id AND k.cpu = NEW.cpu", NULL,
	  "cpuset_taken: that CPU stands in another slot" },
	{ "allocation", "number", "", "k.number = NEW.number", NULL, NUMBER_SENTENCE },
	{ "allocation", "id", "", "k.id = NEW.id", NULL,
	  "duplicate: there is an allocation of that id" },
	{ "allocation", "request", "", "k.request_id = NEW.request_id", NULL,
	  "request_taken: another allocation has that request id" },
	{ "allocation", "name", "name", "k.name = NEW.name",
	  "k.state NOT IN ('released', 'cancelled', 'refused') AND "
	  "NEW.state NOT IN ('released', 'cancelled', 'refused')",
	  "name_taken: another allocation has that name" },
	{ "claim", "number", "", "k.number = NEW.number", NULL, NUMBER_SENTENCE },
	{ "claim", "id", "", "k.id = NEW.id", NULL, "duplicate: there is a claim of that id" },
	{ "claim", "slot", "live", "k.slot_id = NEW.slot_id",
	  "k.live = 1 AND NEW.live = 1",
	  "sold_once: the slot is claimed already" },
	{ "claim", "node", "live", "k.node_id = NEW.node_id",
	  "k.live = 1 AND NEW.live = 1 AND k.claim_kind = 'node' AND NEW.claim_kind = 'node'",
	  "sold_once: the node is claimed already" },
	{ "profile", "version", "", "k.name = NEW.name AND k.version = NEW.version", NULL,
	  "duplicate: that version of the profile exists" },
	{ "profile", "current", "current", "k.name = NEW.name",
	  "k.current = 1 AND NEW.current = 1",
	  "duplicate: another version of the profile is the current one" },
	{ "wipe_evidence", "number", "", "k.number = NEW.number", NULL, NUMBER_SENTENCE },
	{ "wipe_evidence", "id", "", "k.id = NEW.id OR k.attempt = NEW.attempt OR "
	  "k.digest = NEW.digest", NULL, "duplicate: that evidence is known already" },
	{ "usage", "id", "", "k.id = NEW.id", NULL, "duplicate: that usage row exists" },
	{ "team", "name", "", "k.name = NEW.name", NULL,
	  "duplicate: there is a team of that name" },
	{ "access_grant", "name", "", "k.name = NEW.name", NULL,
	  "duplicate: there is a grant of that name" },
	{ "access", "one", "", "k.one = NEW.one", NULL,
	  "duplicate: the state has its settings of access" },
	{ "proposal", "id", "", "k.id = NEW.id", NULL,
	  "duplicate: there is a proposal of that id" },
	{ "usage", "open", "", "k.allocation_id = NEW.allocation_id",
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
	{ "node_key", "fixed", "node_id, key, registered_at", NULL,
	  "fixed: a key of a node never changes, it is revoked" },
	{ "node_key", "revoked", "revoked_at, reason", "OLD.revoked_at IS NOT NULL",
	  "fixed: a revoked key stays revoked" },
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
	{ "slot", "type", "accelerator_type, type_name",
	  "OLD.state <> 'disabled' AND OLD.state <> 'available'",
	  "in_use: the type of a slot does not change while somebody has it" },
	{ "slot", "evidence", "wipe_evidence_id", "OLD.state <> 'wiping'",
	  "evidence: the evidence of a slot changes only when it leaves wiping" },
	{ "claim", "fixed",
	  "id, allocation_id, node_id, slot_id, claim_kind, created_at, accelerator_type", NULL,
	  "fixed: a claim never changes what it holds" },
	{ "claim", "held_by", "held_by", "NEW.live = 1", "fixed: a live claim keeps its holder" },
	{ "allocation", "fixed",
	  "id, request_id, request, project, shape, profile_types, created_at, created_by",
	  NULL, "fixed: what was asked for never changes" },
	{ "allocation", "snapshot",
	  "count, profile, profile_version, profile_record, price_micros",
	  "OLD.state NOT IN ('pending', 'placed')",
	  "fixed: profile and price of an allocation are those it was placed with" },
	{ "allocation", "type", "accelerator_type, type_reason", "OLD.state <> 'pending'",
	  "fixed: the type of an allocation is that of the devices it was given" },
	{ "profile", "fixed", "name, version, record, created_at", NULL,
	  "fixed: a version of a profile never changes; apply makes a new one" },
	{ "maintenance", "fixed", "id, node_id, from_at, to_at, reason, created_at, created_by",
	  NULL, "fixed: a window of maintenance never changes; it is ended, and another planned" },
	{ "maintenance", "ended", "ended_at", "OLD.ended_at IS NOT NULL",
	  "fixed: a window of maintenance is ended once" },
	{ "team", "fixed", "name", NULL, "fixed: the name of a team never changes" },
	{ "access_grant", "fixed", "name", NULL, "fixed: the name of a grant never changes" },
	{ "proposal", "fixed",
	  "id, action, slot_id, device_id, reason, disposal, proposed_by, proposed_uid, "
	  "proposed_humans, proposed_at, expires_at",
	  NULL, "fixed: a proposal never changes, it is confirmed or withdrawn" },
	{ "proposal", "decided", "confirmed_uid, decided_by, decided_at",
	  "OLD.decided_at IS NOT NULL", "fixed: a proposal is decided once" },
	{ "usage", "fixed",
	  "id, allocation_id, usage_kind, count, accelerator_type, price_micros, started_at, "
	  "number, project, profile, node_id", NULL,
	  "usage_fixed: what was begun to be billed never changes" },
	{ "usage", "ended", "ended_at", "OLD.ended_at IS NOT NULL",
	  "usage_fixed: a span that ended never changes" },
};

static const struct ga_rule rules[] = {
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
	{ "usage_whose", "BEFORE INSERT ON usage",
	  "NOT EXISTS (SELECT 1 FROM allocation a WHERE a.id = NEW.allocation_id AND "
	  "a.number IS NEW.number AND a.project IS NEW.project AND a.profile IS NEW.profile "
	  "AND a.node_id IS NEW.node_id)",
	  "usage_whose: a span repeats number, project, profile and node of its allocation", NULL },
	{ "usage_follows", "BEFORE INSERT ON usage",
	  "EXISTS (SELECT 1 FROM usage u WHERE u.allocation_id = NEW.allocation_id AND "
	  "u.ended_at > NEW.started_at)",
	  "usage_follows: a span begins where the one before it ended, or later", NULL },
	{ "usage_span", "BEFORE UPDATE OF ended_at ON usage", "NEW.ended_at < NEW.started_at",
	  "usage_fixed: a span cannot end before it began", NULL },
	{ .name = NULL },
};

/* All refusals of one event are one trigger: each that fires costs SQLite a frame of its own. */
struct event {
	char *event; /* "BEFORE INSERT ON claim" */
	char *name;  /* of its rule, or made of the event when it has several */
	char *cases;
};

struct events {
	GA_LIST(struct event) list;
	struct ga_str *sql;
};

/* "BEFORE UPDATE OF state ON slot" as slot_state, "BEFORE INSERT ON slot" as slot_insert. */
static char *name_event(const char *event)
{
	const char *what = event + strlen("BEFORE "), *of = strstr(event, " OF ");
	const char *table = strstr(event, " ON ") + 4;
	size_t n = strcspn(of ? of + 4 : what, ", "), i;
	char *name = ga_xprintf("%s_%.*s", table, (int)n, of ? of + 4 : what);

	for (i = 0; name[i]; i++)
		name[i] = (char)tolower((unsigned char)name[i]);
	return name;
}

/* The rule that was added last is asked first. */
static void add_refusal(struct events *all, const char *name, const char *event, const char *when,
			const char *refuse)
{
	struct event *e = NULL;
	char *cases;
	size_t i;

	for (i = 0; i < all->list.n && !e; i++)
		if (ga_streq(all->list.v[i].event, event))
			e = &all->list.v[i];
	if (e) {
		free(e->name);
		e->name = name_event(event);
	} else {
		e = ga_list_add(&all->list);
		e->event = ga_xstrdup(event);
		e->name = ga_xstrdup(name);
	}
	cases = ga_xprintf("WHEN %s\n\tTHEN RAISE(ABORT, '%s')\n%s", when ? when : "1", refuse,
			   e->cases ? e->cases : "");
	free(e->cases);
	e->cases = cases;
}

static void add_rules(const struct ga_rule *r, struct events *all)
{
	for (; r->name; r++) {
		if (r->refuse) {
			add_refusal(all, r->name, r->event, r->when, r->refuse);
			continue;
		}
		ga_str_addf(all->sql, "CREATE TRIGGER %s %s", r->name, r->event);
		if (r->when)
			ga_str_addf(all->sql, "\nWHEN %s", r->when);
		ga_str_addf(all->sql, "\nBEGIN %s END;\n", r->run);
	}
}

static void add_kept(struct events *all)
{
	const char *const *t;

	for (t = kept; *t; t++) {
		ga_autofree char *name = ga_xprintf("%s_kept", *t);
		ga_autofree char *event = ga_xprintf("BEFORE DELETE ON %s", *t);
		ga_autofree char *refuse = ga_xprintf("kept: rows of %s are never deleted", *t);

		add_refusal(all, name, event, NULL, refuse);
	}
	for (t = counted; *t; t++) {
		ga_autofree char *name = ga_xprintf("%s_counted", *t);
		ga_autofree char *event = ga_xprintf("BEFORE UPDATE ON %s", *t);
		ga_autofree char *refuse = ga_xprintf("concurrent_update: every change of the %s "
						      "raises its generation by one", *t);

		add_refusal(all, name, event, "NEW.generation IS NOT OLD.generation + 1", refuse);
	}
	for (t = numbered; *t; t++) {
		ga_autofree char *name = ga_xprintf("%s_numbered", *t);
		ga_autofree char *event = ga_xprintf("BEFORE UPDATE ON %s", *t);

		add_refusal(all, name, event, "NEW.rowid <> OLD.rowid",
			    "fixed: the number of a row never changes");
	}
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

static void add_fixed(struct events *all)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(fixed); i++) {
		ga_autofree char *name = ga_xprintf("%s_%s", fixed[i].table, fixed[i].name);
		ga_autofree char *event = ga_xprintf("BEFORE UPDATE OF %s ON %s", fixed[i].of,
						     fixed[i].table);
		ga_autostr struct ga_str when = GA_STR_INIT;

		ga_str_addc(&when, '(');
		add_changed(fixed[i].of, &when);
		ga_str_addc(&when, ')');
		if (fixed[i].when)
			ga_str_addf(&when, " AND %s", fixed[i].when);
		add_refusal(all, name, event, when.buf, fixed[i].refuse);
	}
}

/* The stored row that is not the one being changed. */
static const char *other_row(const char *table)
{
	return ga_streq(table, "profile") ? "k.version <> OLD.version" : "k.id <> OLD.id";
}

static void add_keys(struct events *all)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(keys); i++) {
		const char *table = keys[i].table;
		ga_autofree char *where = ga_xprintf("(%s)%s%s", keys[i].match,
						     keys[i].when ? " AND " : "",
						     keys[i].when ? keys[i].when : "");
		ga_autofree char *name = ga_xprintf("%s_new_%s", table, keys[i].name);
		ga_autofree char *event = ga_xprintf("BEFORE INSERT ON %s", table);
		ga_autofree char *when = ga_xprintf("EXISTS (SELECT 1 FROM %s k WHERE %s)", table,
						    where);
		ga_autofree char *change = ga_xprintf("%s_change_%s", table, keys[i].name);
		ga_autofree char *changed = ga_xprintf("BEFORE UPDATE OF %s ON %s", keys[i].of,
						       table);
		ga_autofree char *other =
			ga_xprintf("EXISTS (SELECT 1 FROM %s k WHERE %s AND %s)", table, where,
				   other_row(table));

		add_refusal(all, name, event, when, keys[i].refuse);
		if (*keys[i].of)
			add_refusal(all, change, changed, other, keys[i].refuse);
	}
}

static void write_events(struct events *all)
{
	size_t i;

	for (i = 0; i < all->list.n; i++) {
		struct event *e = &all->list.v[i];

		ga_str_addf(all->sql, "CREATE TRIGGER %s %s\nBEGIN SELECT CASE\n%sEND; END;\n",
			    e->name, e->event, e->cases);
		free(e->event);
		free(e->name);
		free(e->cases);
	}
	ga_list_release(&all->list);
}

void ga_invariant_ddl(struct ga_str *sql)
{
	struct events all = { .sql = sql };

	add_kept(&all);
	add_fixed(&all);
	add_keys(&all);
	add_rules(rules, &all);
	add_rules(ga_rules_sold, &all);
	add_rules(ga_rules_wiped, &all);
	add_rules(ga_rules_counted, &all);
	write_events(&all);
}
