/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The invariants of the state (state.md) as triggers, beside the keys and checks of share/sql. Each
 * refuses with "word: sentence"; the word is the reason code of the error. They use only built-in
 * functions, hold with foreign keys off, and against INSERT OR REPLACE and UPDATE OR REPLACE (which
 * delete rows without firing delete triggers): a row of a guarded table can therefore not be
 * written with ON CONFLICT either; look, then INSERT or UPDATE.
 *
 * How they are written, and why (SQLite 3.40; each reason was measured):
 *
 * - All refusals of one event on a table are one trigger: each trigger that fires costs a placement
 *   some thousand instructions.
 * - Every program that opens the state parses all triggers, a third of a short query. So refusals
 *   about the same rows are one SELECT, and columns have no alias where there is one table.
 * - Conditions stand in that SELECT and not in WHEN, which SQLite copies.
 * - No IN list of three or more and no UPDATE from a subquery: SQLite makes a table for each run.
 * - A column that never changes is not compared; a rule says instead that no UPDATE names it.
 * - Of the triggers that follow one UPDATE, SQLite fires the one made last first. Those that count
 *   (invariant_counted.c) are made before those that must hold, so that a count which somebody
 *   changed by hand cannot keep a rule from being checked.
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

/* Whether a text has the form of a time as records have it, in which the order of texts is that of
 * times; and whether there is such a time ('+0 days': without a modifier 30 February stays). */
#define GA_SQL_IS_TIME(column) \
	column " GLOB " \
	"'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]." \
	"[0-9][0-9][0-9][0-9][0-9][0-9]Z'"
#define GA_SQL_IS_REAL_TIME(column) \
	"(" GA_SQL_IS_TIME(column) " AND " column " > '0001' AND " \
	"strftime('%Y-%m-%dT%H:%M:%S', substr(" column ", 1, 19), '+0 days') IS " \
	"substr(" column ", 1, 19))"

/* Whether something keeps a slot out of sale, whatever its state; row is one of slot. */
#define GA_SQL_SLOT_BLOCKED(row) \
	"(" row ".cordon_reason IS NOT NULL OR " row ".health_state = 'failed' OR " row \
	".blockers <> '[]')"

/* Whether evidence e is as strong as a policy asks; what the policy leaves open it does not ask. */
#define GA_SQL_CLASS_RANK(class) \
	"CASE " class " WHEN 'purge' THEN 2 WHEN 'clear' THEN 1 ELSE 0 END"
#define GA_SQL_WIPED_FOR(e, class, verify, memory) \
	"(" e ".outcome = 'confirmed' AND " GA_SQL_CLASS_RANK(e ".class") " >= max(1, " \
	GA_SQL_CLASS_RANK(class) ") AND (" e ".verify = 'full' OR coalesce(" verify \
	", 'sampled') = 'sampled') AND (" e ".gpu_memory = 'confirmed' OR coalesce(" memory \
	", 'if_supported') = 'if_supported'))"

/* Devices of a node, rows of device d, that stand in no slot and are not known to be free of what a
 * tenant left: whoever gets the machine whole gets them too. A look at the host since then does not
 * show what is no longer there: in no candidate by its wwid or identity, and not among what was
 * left out (look/discover/disks.c has the wwid there). */
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

/* The list of CPUs of a slot, "0-3,8", as rows r.value "0-3" and "8": first and last CPU of each,
 * and how many it names; a range that runs backwards counts as one that nobody has. (Of the JSON
 * functions only json_each is usable in a trigger with trusted_schema off.) */
#define GA_SQL_CPU_RANGES(row) \
	"json_each('[\"' || replace(nullif(" row ".cpuset, ''), ',', '\",\"') || '\"]')"
#define GA_SQL_FIRST_CPU "CAST(r.value AS INTEGER)"
#define GA_SQL_LAST_CPU "CAST(substr(r.value, instr(r.value, '-') + 1) AS INTEGER)"
#define GA_SQL_CPUS_NAMED(row) \
	"(SELECT sum(max(" GA_SQL_LAST_CPU " - " GA_SQL_FIRST_CPU ", 0) + 1) FROM " \
	GA_SQL_CPU_RANGES(row) " r)"

/* A slot that becomes available from disabled or by its wipe, as the rest of rules that say what it
 * needs then. From reserved it goes back as it is: what it consists of did not change meanwhile. */
#define GA_SQL_OPENS "WHERE NEW.state = 'available' AND OLD.state IN ('disabled', 'wiping')"

/* One trigger: it refuses when the condition holds, or runs its statements. */
struct ga_rule {
	const char *name;
	const char *event;  /* "BEFORE UPDATE OF state ON slot" */
	const char *when;   /* condition over OLD and NEW; NULL: always */
	const char *refuse; /* "word: sentence", or NULL */
	/* When refuse is NULL the statements; else the rows it is asked of, "FROM slot s WHERE …"
	 * or "WHERE …", to which AND can be added, or NULL for once. Rules of one event with the
	 * same rows are one SELECT. */
	const char *rest;
};

/* Sold once (claims, nodes, CPUs, memory); never unwiped (devices, evidence, available); what is
 * counted as slots move; columns of JSON. Each ends with a rule without name. */
extern const struct ga_rule ga_rules_sold[], ga_rules_wiped[], ga_rules_counted[],
	ga_rules_json[];

/* Counts all slots anew: what the triggers on slot keep up from then on. */
extern const char ga_sql_count_slots[];

/* The view of slots whose wipe is proven, which triggers ask. */
extern const char ga_sql_slot_proven[];

/* Adds the DDL of that view and of every trigger but those of the machines (ga_fsm_ddl). */
void ga_invariant_ddl(struct ga_str *sql);

#endif
