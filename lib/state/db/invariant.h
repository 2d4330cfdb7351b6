/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The invariants of the state (gpuaas-state(5)) as triggers, beside the keys and checks of
 * share/sql. Each refuses with "word: sentence"; the word is the reason code of the error. The
 * triggers use only built-in functions and hold with foreign keys off. They also hold against
 * INSERT OR REPLACE and UPDATE OR REPLACE, which delete rows without firing delete triggers.
 * Therefore a row of a guarded table cannot be written with ON CONFLICT either: query first, then
 * INSERT or UPDATE.
 *
 * How they are written, and why (SQLite 3.40; each reason was measured):
 * - All refusals of one event on a table are one trigger: each trigger that fires costs a placement
 *   some thousand instructions.
 * - Every program that opens the state parses all triggers, a third of a short query. So refusals
 *   about the same rows are one SELECT, and columns have no alias where there is one table.
 * - Conditions stand in that SELECT and not in WHEN, which SQLite copies.
 * - No IN list of three or more and no UPDATE from a subquery: SQLite makes a table for each run.
 * - A column that never changes is not compared; a rule refuses every UPDATE that names it.
 * - Of the triggers that follow one UPDATE, SQLite fires the one made last first. The counting
 *   triggers (invariant_counted.c) are made before the rules, so that a counter changed by hand
 *   cannot keep a rule from being checked.
 * - OR REPLACE puts a default in place of a NULL only after the triggers have seen the NULL, and a
 *   comparison with NULL refuses nothing: such columns stand in a table of invariant.c.
 */
#ifndef GA_STATE_DB_INVARIANT_H
#define GA_STATE_DB_INVARIANT_H

#include "base/ga.h"
#include "base/str.h"

/* A number that a header defines, as text in SQL. */
#define GA_SQL_NUMBER(number) GA_SQL_NUMBER_OF(number)
#define GA_SQL_NUMBER_OF(number) #number

/* The present moment in SQL, 27 characters as in records. */
#define GA_SQL_NOW "strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')"

/* Whether a text has the form of a time in records, where the order of texts is the order of times;
 * and whether that time exists ('+0 days': without a modifier SQLite accepts 30 February). */
#define GA_SQL_IS_TIME(column) \
	column " GLOB " \
	"'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]." \
	"[0-9][0-9][0-9][0-9][0-9][0-9]Z'"
#define GA_SQL_IS_REAL_TIME(column) \
	"(" GA_SQL_IS_TIME(column) " AND " column " > '0001' AND " \
	"strftime('%Y-%m-%dT%H:%M:%S', substr(" column ", 1, 19), '+0 days') IS " \
	"substr(" column ", 1, 19))"

/* Whether a blocker keeps a slot out of sale, whatever its state; row is a row of slot. */
#define GA_SQL_SLOT_BLOCKED(row) \
	"(" row ".cordon_reason IS NOT NULL OR " row ".health_state = 'failed' OR " row \
	".blockers <> '[]')"

/* Whether lists and metrics count the slot as available; row is a row of slot. Placement takes one
 * only when nothing else blocks it or its node. */
#define GA_SQL_SLOT_AVAILABLE(row) \
	"(" row ".state = 'available' AND " row ".cordon_reason IS NULL)"

/* Whether evidence e is as strong as a policy requires; a member that the policy leaves open
 * requires nothing. */
#define GA_SQL_CLASS_RANK(class) \
	"CASE " class " WHEN 'purge' THEN 2 WHEN 'clear' THEN 1 ELSE 0 END"
#define GA_SQL_WIPED_FOR(e, class, verify, memory) \
	"(" e ".outcome = 'confirmed' AND " GA_SQL_CLASS_RANK(e ".class") " >= max(1, " \
	GA_SQL_CLASS_RANK(class) ") AND (" e ".verify = 'full' OR coalesce(" verify \
	", 'sampled') = 'sampled') AND (" e ".gpu_memory = 'confirmed' OR coalesce(" memory \
	", 'if_supported') = 'if_supported'))"

/*
 * Devices of a node (rows of device d) that stand in no slot and may still carry a tenant's data: a
 * baremetal tenant gets them, too. Devices that a later observation of the host no longer shows are
 * left out: they are in no candidate by wwid or identity, and not in the list of what discovery
 * left out (look/discover/disks.c puts the wwid there).
 */
#define GA_SQL_SHOWN(d) \
	"(EXISTS (SELECT 1 FROM candidate k WHERE k.node_id = " d ".node_id AND " \
	"instr(k.record, iif(" d ".device_kind = 'disk', '\"wwid\":\"' || " d ".id, " \
	"'\"identity\":\"' || substr(" d ".id, length(" d ".node_id) + 2)) || '\"') > 0) OR " \
	"EXISTS (SELECT 1 FROM node_observation o WHERE o.node_id = " d ".node_id AND " \
	"instr(o.record, '(' || " d ".id || ')') > 0))"
#define GA_SQL_SPARE_DIRTY(node) \
	"d.node_id = " node " AND d.dirty_since IS NOT NULL AND coalesce(d.dirtied_by, '') " \
	"NOT IN ('first_seen', 'found_data', 'moved') AND NOT EXISTS (SELECT 1 FROM slot s " \
	"WHERE s.retired = 0 AND (s.nvme_wwid = d.id OR s.gpu_id = d.id)) AND (coalesce((SELECT " \
	"n.observed_at FROM node n WHERE n.id = d.node_id), '') <= d.dirty_since OR " \
	GA_SQL_SHOWN("d") ")"

/* Whether the node sells slices: then a slot on sale is a complete row. An unknown node does. */
#define GA_SQL_SELLS_SLICES(node) "((SELECT mode FROM node WHERE id = " node ") IS NOT 'baremetal')"
/* Whether slot row s lacks what only a slice needs. */
#define GA_SQL_NO_SLICE(s) \
	"(" s ".mac IS NULL OR " s ".private_ip IS NULL OR " s ".cpuset IS NULL OR " \
	"coalesce(" s ".memory_mib, 0) <= 0 OR " s ".fabric_vf_pci_address IS NULL OR " \
	s ".fabric_claim_mode IS NOT 'per_slot_vf')"

/* The CPU list of a slot, "0-3,8", as rows r.value "0-3" and "8", with first CPU, last CPU and
 * number of CPUs of each. A range that runs backwards counts as one CPU that no host has.
 * (json_each is the only JSON function that a trigger may use with trusted_schema off.) */
#define GA_SQL_CPU_RANGES(row) \
	"json_each('[\"' || replace(nullif(" row ".cpuset, ''), ',', '\",\"') || '\"]')"
#define GA_SQL_FIRST_CPU "CAST(r.value AS INTEGER)"
#define GA_SQL_LAST_CPU "CAST(substr(r.value, instr(r.value, '-') + 1) AS INTEGER)"
#define GA_SQL_CPUS_NAMED(row) \
	"(SELECT sum(max(" GA_SQL_LAST_CPU " - " GA_SQL_FIRST_CPU ", 0) + 1) FROM " \
	GA_SQL_CPU_RANGES(row) " r)"

/* A slot that becomes available from disabled or by its wipe: the rest of each rule about the needs
 * of such a slot. A reserved slot becomes available unchanged: its devices did not change
 * meanwhile. */
#define GA_SQL_OPENS "WHERE NEW.state = 'available' AND OLD.state IN ('disabled', 'wiping')"

/* One trigger: it refuses when the condition is true, or runs its statements. */
struct ga_rule {
	const char *name;
	const char *event;  /* "BEFORE UPDATE OF state ON slot" */
	const char *when;   /* condition on OLD and NEW; NULL: always */
	const char *refuse; /* "word: sentence", or NULL */
	/* When refuse is NULL: the statements. Else the rows that the condition is about, "FROM
	 * slot s WHERE …" or "WHERE …", to which AND can be added; NULL: once. Rules of one event
	 * with the same rows are one SELECT. */
	const char *rest;
};

/* Sold once (claims, nodes, CPUs, memory); never unwiped (devices, evidence, available); counters
 * of slots; JSON columns. Each array ends with a rule without name. */
extern const struct ga_rule ga_rules_sold[], ga_rules_wiped[], ga_rules_counted[],
	ga_rules_json[];

/* Counts all slots again; from then on the triggers on slot update the counters. */
extern const char ga_sql_count_slots[];

/* The view of slots whose wipe is proven; triggers query it. */
extern const char ga_sql_slot_proven[];

/* Adds the DDL of that view and of all triggers but those of the state machines (ga_fsm_ddl). */
void ga_invariant_ddl(struct ga_str *sql);

#endif
