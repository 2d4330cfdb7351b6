/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants as triggers: rows that are never deleted, columns that are fixed, keys that are
 * unique; and the DDL of all rules. */
#include "state/db/invariant.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "state/db/fsm.h"

/* Tables whose rows are never deleted. */
static const char *const kept[] = {
	"meta",	      "node",	       "device", "slot",  "claim",
	"allocation", "wipe_evidence", "audit",	 "usage", "profile", "maintenance",
	"node_key",   "team",	       "access_grant", "access", "proposal", "app", NULL,
};

/* Each change raises the generation, so that a writer that saw an older generation is refused. */
static const char *const counted[] = { "slot", "allocation", "node", NULL };

/*
 * Columns by which rules detect that the stored row is not OLD any more. A temporary trigger of a
 * connection fires first and may have changed the row meanwhile: then the update would write the
 * values that it had read before. Counted tables use the generation.
 */
static const struct {
	const char *table, *column, *key;
} moving[] = {
	{ "meta", "epoch", "one" },	   { "device", "dirty_since", "id" },
	{ "claim", "live", "id" },	   { "usage", "ended_at", "id" },
	{ "node_key", "revoked_at", "number" }, { "maintenance", "ended_at", "id" },
	{ "proposal", "decided_at", "id" },
};

/* Tables with a number beside their keys. The number has other names (rowid, oid), which only a
 * trigger on every update sees. */
static const char *const numbered[] = { "node", "device", "slot", "allocation", "claim", "usage",
					"node_key", NULL };

/* Columns with a default. With INSERT OR REPLACE, SQLite substitutes the default for NULL after the
 * triggers ran; our comparisons with NULL are never true there, so NULL is refused explicitly. */
static const struct {
	const char *table, *columns;
} defaulted[] = {
	{ "slot",
	  "NEW.state, NEW.retired, NEW.generation, NEW.shape, NEW.sharing_mechanism, "
	  "NEW.health_state, NEW.blockers, NEW.epoch_verified" },
	{ "allocation", "NEW.state, NEW.generation, NEW.priority" },
	{ "node",
	  "NEW.state, NEW.generation, NEW.mode, NEW.epoch_verified, NEW.blockers, NEW.network, "
	  "NEW.network_set, NEW.reserved_memory_mib, NEW.fabric_mode, NEW.partitions" },
};

#define NUMBER_SENTENCE "duplicate: a row of that number is there already"

/*
 * The keys of the guarded tables, whose rows REPLACE would delete silently. match compares the
 * columns of stored rows with NEW; of has the columns of the key, "" when no update can give a row
 * this key (see fixed).
 */
static const struct {
	const char *table, *name, *of, *match, *refuse;
} keys[] = {
	{ "meta", "one", "", "one = NEW.one", "duplicate: the state has one meta row" },
	{ "node", "number", "", "number = NEW.number", NUMBER_SENTENCE },
	{ "node", "id", "", "id = NEW.id", "duplicate: there is a node of that id" },
	{ "node", "name", "name", "name = NEW.name", "name_taken: another node has that name" },
	{ "node_key", "number", "", "number = NEW.number", NUMBER_SENTENCE },
	{ "node_key", "key", "", "key = NEW.key", "duplicate: that key is known already" },
	{ "node_key", "live", "",
	  "node_id = NEW.node_id AND revoked_at IS NULL AND NEW.revoked_at IS NULL",
	  "duplicate: the node has a key that counts" },
	{ "maintenance", "id", "", "id = NEW.id",
	  "duplicate: there is a window of maintenance of that id" },
	{ "device", "number", "", "number = NEW.number", NUMBER_SENTENCE },
	{ "device", "id", "", "id = NEW.id", "duplicate_identity: that device is known already" },
	{ "slot", "number", "", "number = NEW.number", NUMBER_SENTENCE },
	{ "slot", "id", "", "id = NEW.id", "duplicate: there is a slot of that id" },
	{ "slot_cpu", "cpu", "", "node_id = NEW.node_id AND cpu = NEW.cpu",
	  "cpuset_taken: that CPU stands in another slot" },
	{ "allocation", "number", "", "number = NEW.number", NUMBER_SENTENCE },
	{ "allocation", "id", "", "id = NEW.id", "duplicate: there is an allocation of that id" },
	{ "allocation", "request", "", "request_id = NEW.request_id",
	  "request_taken: another allocation has that request id" },
	{ "allocation", "name", "name",
	  "name = NEW.name AND state NOT IN " GA_SQL_ENDED " AND NEW.state NOT IN " GA_SQL_ENDED,
	  "name_taken: another allocation has that name" },
	{ "claim", "number", "", "number = NEW.number", NUMBER_SENTENCE },
	{ "claim", "id", "", "id = NEW.id", "duplicate: there is a claim of that id" },
	{ "claim", "slot", "live", "slot_id = NEW.slot_id AND live = 1 AND NEW.live = 1",
	  "sold_once: the slot is claimed already" },
	{ "claim", "node", "live",
	  "node_id = NEW.node_id AND live = 1 AND NEW.live = 1 AND claim_kind = 'node' AND "
	  "NEW.claim_kind = 'node'",
	  "sold_once: the node is claimed already" },
	{ "profile", "version", "", "name = NEW.name AND version = NEW.version",
	  "duplicate: that version of the profile exists" },
	{ "profile", "current", "current",
	  "name = NEW.name AND current = 1 AND NEW.current = 1",
	  "duplicate: another version of the profile is the current one" },
	{ "app", "version", "", "name = NEW.name AND version = NEW.version",
	  "duplicate: that version of the app exists" },
	{ "app", "current", "current", "name = NEW.name AND current = 1 AND NEW.current = 1",
	  "duplicate: another version of the app is the current one" },
	{ "wipe_evidence", "number", "", "number = NEW.number", NUMBER_SENTENCE },
	{ "wipe_evidence", "id", "",
	  "(id = NEW.id OR attempt = NEW.attempt OR digest = NEW.digest)",
	  "duplicate: that evidence is known already" },
	{ "usage", "id", "", "id = NEW.id", "duplicate: that usage row exists" },
	{ "team", "name", "", "name = NEW.name", "duplicate: there is a team of that name" },
	{ "access_grant", "name", "", "name = NEW.name",
	  "duplicate: there is a grant of that name" },
	{ "access", "one", "", "one = NEW.one",
	  "duplicate: the state has its settings of access" },
	{ "proposal", "id", "", "id = NEW.id", "duplicate: there is a proposal of that id" },
};

/* The keys of slots that are not retired, in one query: an index finds the rows of each key. */
#define SLOT_KEYS \
	"gpu_id, node_id, slot_index, gpu_pci_address, nvme_wwid, fabric_vf_pci_address, mac, " \
	"private_ip, retired"
#define SLOT_ROWS \
	"FROM slot WHERE retired = 0 AND NEW.retired = 0 AND (node_id = NEW.node_id OR " \
	"gpu_id = NEW.gpu_id OR nvme_wwid = NEW.nvme_wwid OR mac = NEW.mac)"

static const struct {
	const char *match, *refuse;
} slot_keys[] = {
	{ "node_id = NEW.node_id AND slot_index = NEW.slot_index",
	  "duplicate_identity: another slot has that index on the node" },
	{ "gpu_id = NEW.gpu_id",
	  "duplicate_identity: that GPU stands in another slot" },
	{ "node_id = NEW.node_id AND gpu_pci_address = NEW.gpu_pci_address",
	  "duplicate_identity: a GPU at that address stands in another slot" },
	{ "nvme_wwid = NEW.nvme_wwid",
	  "duplicate_identity: that disk stands in another slot" },
	{ "node_id = NEW.node_id AND fabric_vf_pci_address = NEW.fabric_vf_pci_address",
	  "fabric_vf_shared: that fabric function stands in another slot" },
	{ "mac = NEW.mac",
	  "duplicate_identity: that MAC stands in another slot" },
	{ "node_id = NEW.node_id AND private_ip = NEW.private_ip",
	  "duplicate_identity: that address stands in another slot of the node" },
};

/* Columns that never change, so that no update may name them; when limits the rule to some
 * states. */
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
	  "id, request_id, request, project, shape, profile_types, created_at, created_by, app, "
	  "app_version, taken_in",
	  NULL, "fixed: what was asked for never changes" },
	{ "allocation", "snapshot",
	  "count, profile, profile_version, profile_record, price_micros",
	  "OLD.state NOT IN ('pending', 'placed')",
	  "fixed: profile and price of an allocation are those it was placed with" },
	{ "allocation", "type", "accelerator_type, type_reason", "OLD.state <> 'pending'",
	  "fixed: the type of an allocation is that of the devices it was given" },
	{ "profile", "fixed", "name, version, record, created_at", NULL,
	  "fixed: a version of a profile never changes; apply makes a new one" },
	{ "app", "fixed", "name, version, record, created_at", NULL,
	  "fixed: a version of an app never changes; apply makes a new one" },
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

/* The present, plus a second for clock differences while a statement runs: SQLite truncates the
 * present. */
#define SOON "strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '+1 second')"

/* A span of an older version may have an invalid beginning: it can still be ended. */
#define SPAN_WHEN \
	"NEW.ended_at IS NOT NULL AND (NOT " GA_SQL_IS_REAL_TIME("NEW.ended_at") " OR " \
	"NEW.ended_at > max(" SOON ", NEW.started_at) OR " \
	"(NEW.ended_at < NEW.started_at AND " GA_SQL_IS_TIME("NEW.started_at") "))"
#define SPAN_SENTENCE \
	"usage_time: a span ends at a time that is not before it began and not in the future"

/* "sha256:" and 64 digits, and no row has the hash of the row before it. One pattern from the
 * start: with '*[^0-9a-f]*' SQLite starts again at each digit. */
#define HEX8 "[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]"
#define HASH_WRONG \
	"NEW.hash NOT GLOB 'sha256:" HEX8 HEX8 HEX8 HEX8 HEX8 HEX8 HEX8 HEX8 "' OR " \
	"NEW.hash = NEW.previous_hash"

static const struct ga_rule rules[] = {
	{ "meta_epoch", "BEFORE UPDATE OF epoch ON meta", "NEW.epoch < OLD.epoch",
	  "fixed: an epoch only grows", NULL },
	/* By more than one when a backup is older than several restores, or hosts have served a
	 * later epoch; never to an epoch that has no successor. */
	{ "meta_epoch_step", "BEFORE UPDATE OF epoch ON meta", "NEW.epoch - OLD.epoch > 1000000",
	  "fixed: an epoch does not grow by more than a million restores at once", NULL },
	{ "meta_audit", "BEFORE UPDATE OF audit_seq ON meta", "NEW.audit_seq < OLD.audit_seq",
	  "fixed: audit rows are counted as they come, and none goes", NULL },
	{ "meta_counts", "BEFORE UPDATE OF audit_seq ON meta",
	  "NEW.audit_seq IS NOT (SELECT max(seq) FROM audit)",
	  "fixed: no more audit rows are counted than there are", NULL },
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
	  "NEW.seq IS NOT max((SELECT coalesce(max(seq), 0) FROM audit), "
	  "coalesce((SELECT audit_seq FROM meta), 0)) + 1 OR "
	  "NEW.previous_hash IS NOT coalesce((SELECT hash FROM audit ORDER BY seq DESC LIMIT 1), "
	  "'sha256:0000000000000000000000000000000000000000000000000000000000000000')",
	  "audit_chain: an audit row continues the chain", NULL },
	/* SQLite has no SHA-256: only check and verify can compare the hash with the row. */
	{ "audit_hash", "BEFORE INSERT ON audit", HASH_WRONG,
	  "audit_chain: the hash of an audit row has a form that no program writes", NULL },
	{ "usage_whose", "BEFORE INSERT ON usage",
	  "NOT EXISTS (SELECT 1 FROM allocation WHERE id = NEW.allocation_id AND "
	  "number IS NEW.number AND project IS NEW.project AND profile IS NEW.profile "
	  "AND node_id IS NEW.node_id)",
	  "usage_whose: a span repeats number, project, profile and node of its allocation", NULL },
	{ "usage_price", "BEFORE INSERT ON usage",
	  "NOT EXISTS (SELECT 1 FROM allocation WHERE id = NEW.allocation_id AND "
	  "count IS NEW.count AND price_micros IS NEW.price_micros "
	  "AND accelerator_type IS NEW.accelerator_type)",
	  "usage_price: a span repeats GPUs, type and price of its allocation", NULL },
	{ "allocation_billed",
	  "BEFORE UPDATE OF count, price_micros, accelerator_type, profile, node_id ON allocation",
	  "(NEW.count, NEW.price_micros, NEW.accelerator_type, NEW.profile, NEW.node_id) IS NOT "
	  "(OLD.count, OLD.price_micros, OLD.accelerator_type, OLD.profile, OLD.node_id) AND "
	  "EXISTS (SELECT 1 FROM usage WHERE allocation_id = OLD.id)",
	  "fixed: what an allocation is billed by does not change once it has spans", NULL },
	{ "usage_over", "BEFORE INSERT ON usage",
	  "EXISTS (SELECT 1 FROM allocation WHERE id = NEW.allocation_id AND "
	  "state IN " GA_SQL_ENDED ")",
	  "usage_life: an allocation that is over is used no more", NULL },
	{ "usage_early", "BEFORE INSERT ON usage",
	  "EXISTS (SELECT 1 FROM allocation WHERE id = NEW.allocation_id AND "
	  "created_at > NEW.started_at AND " GA_SQL_IS_TIME("created_at") ")",
	  "usage_life: a span does not begin before its allocation was made", NULL },
	/* A clock that was ahead may have written the allocation or the span before this one: then
	 * this span begins no earlier than those times. */
	{ "usage_ahead", "BEFORE INSERT ON usage",
	  "NEW.started_at > max(" SOON ", coalesce((SELECT created_at FROM allocation WHERE "
	  "id = NEW.allocation_id AND " GA_SQL_IS_TIME("created_at") "), ''), "
	  "coalesce((SELECT max(ended_at) FROM usage WHERE allocation_id = NEW.allocation_id), "
	  "''))",
	  "usage_life: a span does not begin in the future", NULL },
	{ "usage_follows", "BEFORE INSERT ON usage",
	  "EXISTS (SELECT 1 FROM usage WHERE allocation_id = NEW.allocation_id AND "
	  "(ended_at IS NULL OR (ended_at > NEW.started_at AND "
	  GA_SQL_IS_TIME("ended_at") ")))",
	  "usage_follows: a span begins where the one before it ended, or later", NULL },
	{ "usage_new_end", "BEFORE INSERT ON usage", SPAN_WHEN, SPAN_SENTENCE, NULL },
	{ "usage_time", "BEFORE INSERT ON usage",
	  "NOT " GA_SQL_IS_REAL_TIME("NEW.started_at"),
	  "usage_time: a span begins at a time such as 2026-01-31T08:15:00.000000Z", NULL },
	{ "usage_span", "BEFORE UPDATE OF ended_at ON usage",
	  "OLD.ended_at IS NULL AND " SPAN_WHEN, SPAN_SENTENCE, NULL },
	{ .name = NULL },
};

#define ALWAYS "1"

struct refusal {
	char *when, *sentence;
};

/* Refusals about the same rows are one SELECT. */
struct question {
	char *rows; /* "FROM slot WHERE …"; "": once, about OLD and NEW */
	GA_LIST(struct refusal) refusals;
};

/* All refusals of one event are one trigger: each trigger that fires costs SQLite a frame. */
struct event {
	char *event; /* "BEFORE INSERT ON claim" */
	char *name;  /* name of its rule, or made from the event when it has several rules */
	GA_LIST(struct question) questions;
};

struct events {
	GA_LIST(struct event) list;
	struct ga_str *sql;
};

/* "BEFORE UPDATE OF state ON slot" gives slot_state, "BEFORE INSERT ON slot" gives slot_insert. */
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

static struct event *find_event(struct events *all, const char *name, const char *event)
{
	struct event *e;
	size_t i;

	for (i = 0; i < all->list.n; i++) {
		e = &all->list.v[i];
		if (!ga_streq(e->event, event))
			continue;
		if (!ga_streq(e->name, name)) {
			free(e->name);
			e->name = name_event(event);
		}
		return e;
	}
	e = ga_list_add(&all->list);
	e->event = ga_xstrdup(event);
	e->name = ga_xstrdup(name);
	return e;
}

static struct question *find_question(struct event *e, const char *rows)
{
	struct question *q;
	size_t i;

	for (i = 0; i < e->questions.n; i++)
		if (ga_streq(e->questions.v[i].rows, rows))
			return &e->questions.v[i];
	q = ga_list_add(&e->questions);
	q->rows = ga_xstrdup(rows);
	return q;
}

static void add_refusal(struct events *all, const struct ga_rule *r)
{
	struct event *e = find_event(all, r->name, r->event);
	struct question *q = find_question(e, r->rest ? r->rest : "");
	struct refusal *refusal = ga_list_add(&q->refusals);

	refusal->when = ga_xstrdup(r->when ? r->when : ALWAYS);
	refusal->sentence = ga_xstrdup(r->refuse);
}

static void add_rules(const struct ga_rule *r, struct events *all)
{
	for (; r->name; r++) {
		if (r->refuse) {
			add_refusal(all, r);
			continue;
		}
		ga_str_addf(all->sql, "CREATE TRIGGER %s %s", r->name, r->event);
		if (r->when)
			ga_str_addf(all->sql, "\nWHEN %s", r->when);
		ga_str_addf(all->sql, "\nBEGIN\n%s\nEND;\n", r->rest);
	}
}

static void add_kept(struct events *all)
{
	const char *const *t;

	for (t = kept; *t; t++) {
		ga_autofree char *name = ga_xprintf("%s_kept", *t);
		ga_autofree char *event = ga_xprintf("BEFORE DELETE ON %s", *t);
		ga_autofree char *refuse = ga_xprintf("kept: rows of %s are never deleted", *t);

		add_refusal(all, &(struct ga_rule){ name, event, NULL, refuse, NULL });
	}
	for (t = counted; *t; t++) {
		ga_autofree char *name = ga_xprintf("%s_counted", *t);
		ga_autofree char *event = ga_xprintf("BEFORE UPDATE ON %s", *t);
		ga_autofree char *refuse = ga_xprintf("concurrent_update: every change of the %s "
						      "raises its generation by one", *t);

		ga_autofree char *when = ga_xprintf("NEW.generation IS NOT OLD.generation + 1 OR "
						    "OLD.generation IS NOT (SELECT generation FROM "
						    "%s WHERE id = OLD.id)", *t);

		add_refusal(all, &(struct ga_rule){ name, event, when, refuse, NULL });
	}
	for (t = numbered; *t; t++) {
		ga_autofree char *name = ga_xprintf("%s_numbered", *t);
		ga_autofree char *event = ga_xprintf("BEFORE UPDATE ON %s", *t);

		add_refusal(all, &(struct ga_rule){ name, event, "NEW.rowid <> OLD.rowid",
			"fixed: the number of a row never changes", NULL });
	}
}

static void add_moving(struct events *all)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(moving); i++) {
		const char *table = moving[i].table, *column = moving[i].column;
		ga_autofree char *name = ga_xprintf("%s_meanwhile", table);
		ga_autofree char *event = ga_xprintf("BEFORE UPDATE OF %s ON %s", column, table);
		ga_autofree char *when = ga_xprintf("OLD.%s IS NOT (SELECT %s FROM %s WHERE "
						    "%s = OLD.%s)", column, column, table,
						    moving[i].key, moving[i].key);

		add_refusal(all, &(struct ga_rule){ name, event, when,
			"concurrent_update: the row was changed meanwhile", NULL });
	}
}

static void add_fixed(struct events *all)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(fixed); i++) {
		ga_autofree char *name = ga_xprintf("%s_%s", fixed[i].table, fixed[i].name);
		ga_autofree char *event = ga_xprintf("BEFORE UPDATE OF %s ON %s", fixed[i].of,
						     fixed[i].table);

		add_refusal(all, &(struct ga_rule){ name, event, fixed[i].when, fixed[i].refuse,
						    NULL });
	}
}

static void add_defaulted(struct events *all)
{
	static const char *const writes[] = { "INSERT", "UPDATE" };
	size_t i, w;

	for (i = 0; i < GA_ARRAY_SIZE(defaulted); i++)
		for (w = 0; w < GA_ARRAY_SIZE(writes); w++) {
			ga_autofree char *event = ga_xprintf("BEFORE %s ON %s", writes[w],
							     defaulted[i].table);
			ga_autofree char *name = name_event(event);
			ga_autofree char *when = ga_xprintf("max(%s) IS NULL",
							    defaulted[i].columns);

			add_refusal(all, &(struct ga_rule){ name, event, when,
				"check: what has a default is never NULL", NULL });
		}
}

static void add_keys(struct events *all)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(keys); i++) {
		const char *table = keys[i].table;
		ga_autofree char *name = ga_xprintf("%s_new_%s", table, keys[i].name);
		ga_autofree char *event = ga_xprintf("BEFORE INSERT ON %s", table);
		ga_autofree char *rows = ga_xprintf("FROM %s WHERE %s", table, keys[i].match);
		ga_autofree char *change = ga_xprintf("%s_change_%s", table, keys[i].name);
		ga_autofree char *changed = ga_xprintf("BEFORE UPDATE OF %s ON %s", keys[i].of,
						       table);
		/* The stored rows other than the one being changed. */
		ga_autofree char *others = ga_xprintf("%s AND %s", rows,
						      ga_streq(table, "profile") ||
							      ga_streq(table, "app") ?
							      "version <> OLD.version" :
							      "id <> OLD.id");

		add_refusal(all, &(struct ga_rule){ name, event, NULL, keys[i].refuse, rows });
		if (*keys[i].of)
			add_refusal(all, &(struct ga_rule){ change, changed, NULL, keys[i].refuse,
							    others });
	}
	for (i = 0; i < GA_ARRAY_SIZE(slot_keys); i++) {
		add_refusal(all, &(struct ga_rule){ "slot_new_key", "BEFORE INSERT ON slot",
			slot_keys[i].match, slot_keys[i].refuse, SLOT_ROWS });
		add_refusal(all, &(struct ga_rule){ "slot_change_key",
			"BEFORE UPDATE OF " SLOT_KEYS " ON slot", slot_keys[i].match,
			slot_keys[i].refuse, SLOT_ROWS " AND id <> OLD.id" });
	}
}

static void write_question(const struct question *q, struct ga_str *sql)
{
	const char *space = *q->rows ? " " : "";
	size_t i;

	if (q->refusals.n == 1) {
		const struct refusal *only = &q->refusals.v[0];

		ga_str_addf(sql, "SELECT RAISE(ABORT, '%s')%s%s", only->sentence, space, q->rows);
		if (!ga_streq(only->when, ALWAYS))
			ga_str_addf(sql, *q->rows ? " AND (%s)" : " WHERE %s", only->when);
		ga_str_add(sql, ";\n");
		return;
	}
	ga_str_add(sql, "SELECT CASE");
	for (i = q->refusals.n; i-- > 0;)
		ga_str_addf(sql, "\nWHEN %s\n\tTHEN RAISE(ABORT, '%s')", q->refusals.v[i].when,
			    q->refusals.v[i].sentence);
	ga_str_addf(sql, "\nEND%s%s;\n", space, q->rows);
}

static void release_event(struct event *e)
{
	size_t i, j;

	for (i = 0; i < e->questions.n; i++) {
		struct question *q = &e->questions.v[i];

		for (j = 0; j < q->refusals.n; j++) {
			free(q->refusals.v[j].when);
			free(q->refusals.v[j].sentence);
		}
		ga_list_release(&q->refusals);
		free(q->rows);
	}
	ga_list_release(&e->questions);
	free(e->event);
	free(e->name);
}

void ga_invariant_ddl(struct ga_str *sql)
{
	struct events all = { .sql = sql };
	size_t i, j;

	ga_str_add(sql, ga_sql_slot_proven);
	add_kept(&all);
	add_defaulted(&all);
	add_moving(&all);
	add_fixed(&all);
	add_keys(&all);
	/* SQLite fires the trigger made last first. The counting triggers must run after all rules:
	 * they may fail when somebody changed counters by hand, and OR FAIL keeps the changes made
	 * before. */
	add_rules(ga_rules_counted, &all);
	add_rules(ga_rules_json, &all);
	add_rules(rules, &all);
	add_rules(ga_rules_sold, &all);
	add_rules(ga_rules_wiped, &all);
	/* The conditions are not in WHEN, which SQLite copies each time it reads the trigger. */
	for (i = 0; i < all.list.n; i++) {
		struct event *e = &all.list.v[i];

		ga_str_addf(sql, "CREATE TRIGGER %s %s\nBEGIN\n", e->name, e->event);
		for (j = e->questions.n; j-- > 0;) /* the refusal added last is checked first */
			write_question(&e->questions.v[j], sql);
		ga_str_add(sql, "END;\n");
		release_event(e);
	}
	ga_list_release(&all.list);
}
