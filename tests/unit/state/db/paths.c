/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All paths from use back to available: a breadth-first search over the states of a slot in use,
 * which really executes every move, forgery and repair in a database. With each kind of
 * insufficient evidence, its devices never lose their taint and are never for sale. With good
 * evidence they are, so the search can find such a path. Then the state machines as a table.
 */
#include "record/words.h"
#include "state/db/fsm.h"
#include "world.h"

#define LATE "2099-01-01T00:00:00.000000Z"
#define BOTH "'d1', 'n1/g1'"
#define DEPTH 24
#define MAX_OPS 80
#define MAX_SEEN 20000

static struct {
	sqlite3_stmt *stmt;
	char *sql;
} ops[MAX_OPS];
static size_t n_ops;

static void add_op(sqlite3 *db, char *sql)
{
	if (n_ops == MAX_OPS || sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT,
						   &ops[n_ops].stmt, NULL) != SQLITE_OK) {
		printf("Bail out! %s: %s\n", sqlite3_errmsg(db), sql);
		exit(1);
	}
	ops[n_ops++].sql = sql;
}

static bool do_op(size_t i)
{
	int rc = sqlite3_step(ops[i].stmt);

	sqlite3_reset(ops[i].stmt);
	return rc == SQLITE_DONE || rc == SQLITE_ROW;
}

/* Every move alone, with the new evidence and with the old; then what a forger would try. */
static void make_ops(sqlite3 *db, const char *evidence)
{
	static const char *const others[] = {
		"UPDATE slot SET wipe_attempt = 'w1', generation = generation + 1 WHERE id = 's1'",
		"UPDATE slot SET wipe_attempt = 'w1b', generation = generation + 1 WHERE id = 's1'",
		"UPDATE device SET dirty_since = NULL, cleared_by = 'x' WHERE id = 'd1'",
		"UPDATE device SET dirty_since = NULL, cleared_by = 'x' WHERE id = 'n1/g1'",
		"UPDATE device SET dirty_since = NULL, cleared_by = 'e1' WHERE id IN ('d1', "
		"'n1/g1')",
		"UPDATE device SET dirty_since = NULL WHERE id IN ('d1', 'n1/g1')",
		"UPDATE device SET dirty_since = '2026-01-15T00:00:00.000000Z' WHERE id = 'd1'",
		"UPDATE claim SET live = 0, held_by = NULL, ended_at = 'x' WHERE id = 'c1'",
		"UPDATE slot SET nvme_wwid = 'd7', generation = generation + 1 WHERE id = 's1'",
		"UPDATE slot SET nvme_wwid = 'd1', generation = generation + 1 WHERE id = 's1'",
		"UPDATE slot SET gpu_id = 'n1/g7', gpu_identity = 'g7', "
		"generation = generation + 1 WHERE id = 's1'",
		"UPDATE slot SET gpu_id = 'n1/g1', gpu_identity = 'g1', "
		"generation = generation + 1 WHERE id = 's1'",
		"UPDATE slot SET gpu_identity = 'g7', generation = generation + 1 WHERE id = 's1'",
		"UPDATE allocation SET state = 'releasing', generation = generation + 1 "
		"WHERE id = 'a1'",
		"UPDATE allocation SET state = 'released', generation = generation + 1 "
		"WHERE id = 'a1'",
	};
	const struct ga_fsm_state *s;
	size_t i;

	for (i = 0; i < n_ops; i++) {
		sqlite3_finalize(ops[i].stmt);
		free(ops[i].sql);
	}
	n_ops = 0;
	for (s = ga_fsm_states(GA_M_SLOT); s->name; s++) {
		static const char *const with[] = { "", ", wipe_evidence_id = 'x'",
						    ", wipe_evidence_id = 'e1'" };

		for (i = 0; i < GA_ARRAY_SIZE(with); i++)
			add_op(db,
			       ga_xprintf("UPDATE slot SET state = '%s', retired = %d, "
					  "disposal = 'record'%s, generation = generation + 1 "
					  "WHERE id = 's1'", s->name, !strcmp(s->name, "retired"),
					  with[i]));
	}
	for (i = 0; i < GA_ARRAY_SIZE(others); i++)
		add_op(db, ga_xstrdup(others[i]));
	add_op(db,
	       ga_xprintf("INSERT INTO wipe_evidence (id, slot_id, node_id, attempt, wwid, "
			  "gpu_identity, started_at, finished_at, class, outcome, verify, "
			  "gpu_memory, lab, digest, record, folded_at, " W_PROOF_COLUMNS ") "
			  "VALUES ('x', 's1', 'n1', %s, 'digest-x', '{}', 'now', "
			  W_PROOF_OF("s1") ")",
			  evidence));
}

/* The columns that can matter for the next step. */
#define KEY \
	"SELECT s.state || ' ' || (SELECT group_concat(dirty_since IS NULL, '') FROM device " \
	"WHERE " \
	"id IN ('d1', 'n1/g1')) || ' ' || c.live || ' ' || coalesce(s.wipe_evidence_id, '-') || " \
	"' ' " \
	"|| coalesce(s.wipe_attempt, '-') || ' ' || s.nvme_wwid || ' ' || s.gpu_id || ' ' || " \
	"s.gpu_identity || ' ' || (SELECT count(*) FROM wipe_evidence WHERE id = 'x') || ' ' || " \
	"a.state FROM slot s, claim c, allocation a WHERE s.id = 's1' AND c.id = 'c1' AND " \
	"a.id = 'a1'"

/* A device that was used, and that the evidence does not prove, counts as clean or is on sale. */
#define BROKEN \
	"SELECT count(*) FROM device d, slot s WHERE d.id IN (%s) AND s.id = 's1' AND " \
	"(d.dirty_since IS NULL OR (s.state IN ('available', 'reserved') AND d.id IN " \
	"(s.nvme_wwid, " \
	"s.gpu_id)))"

struct node {
	uint8_t path[DEPTH];
	size_t n;
};

static char *seen[MAX_SEEN];
static struct node nodes[MAX_SEEN];
static size_t n_seen;

static bool is_new(const char *key)
{
	size_t i;

	for (i = 0; i < n_seen; i++)
		if (!strcmp(seen[i], key))
			return false;
	return true;
}

static void remember(const char *key, const struct node *from, size_t op)
{
	struct node *n = &nodes[n_seen];

	if (n_seen == MAX_SEEN || (from && from->n == DEPTH)) {
		printf("Bail out! the search is larger than was thought\n");
		exit(1);
	}
	seen[n_seen++] = ga_xstrdup(key);
	if (!from)
		return;
	*n = *from;
	n->path[n->n++] = (uint8_t)op;
}

static char *one(sqlite3_stmt *stmt)
{
	char *text = NULL;

	if (sqlite3_step(stmt) == SQLITE_ROW)
		text = ga_xstrdup((const char *)sqlite3_column_text(stmt, 0));
	sqlite3_reset(stmt);
	return text;
}

static void show_path(const struct node *n, size_t last)
{
	size_t i;

	for (i = 0; i < n->n; i++)
		printf("# %s\n", ops[n->path[i]].sql);
	printf("# %s\n", ops[last].sql);
}

/* Tries every operation at one place of the search; the number of broken places found. */
static size_t expand(sqlite3 *db, size_t at, sqlite3_stmt *key_of, sqlite3_stmt *broken_of)
{
	size_t i, broken = 0;

	w_must(db, "BEGIN");
	for (i = 0; i < nodes[at].n; i++)
		do_op(nodes[at].path[i]);
	for (i = 0; i < n_ops; i++) {
		sqlite3_exec(db, "SAVEPOINT p", NULL, NULL, NULL);
		if (do_op(i)) {
			ga_autofree char *key = one(key_of), *bad = one(broken_of);

			if (is_new(key)) {
				if (strcmp(bad, "0") && !broken++ && !getenv("GA_QUIET"))
					show_path(&nodes[at], i);
				remember(key, &nodes[at], i);
			}
		}
		sqlite3_exec(db, "ROLLBACK TO p; RELEASE p", NULL, NULL, NULL);
	}
	w_must(db, "ROLLBACK");
	return broken;
}

/* All that can be reached from the slot as it is now; stops at the first broken place. */
static size_t search(sqlite3 *db, const char *evidence, const char *devices, size_t *places)
{
	ga_autofree char *sql = ga_xprintf(BROKEN, devices);
	sqlite3_stmt *key_of, *broken_of;
	size_t i, broken = 0;

	make_ops(db, evidence);
	sqlite3_prepare_v2(db, KEY, -1, &key_of, NULL);
	sqlite3_prepare_v2(db, sql, -1, &broken_of, NULL);
	while (n_seen)
		free(seen[--n_seen]);
	memset(nodes, 0, sizeof(nodes[0]));
	remember(w_get(db, KEY), NULL, 0);
	for (i = 0; i < n_seen && !broken; i++)
		broken = expand(db, i, key_of, broken_of);
	*places = n_seen;
	sqlite3_finalize(key_of);
	sqlite3_finalize(broken_of);
	return broken;
}

static const struct {
	const char *name, *members;
	const char *devices; /* at risk: those it does not prove */
} weak[] = {
	{ "not started", "'w1b', 'd1', 'g1', '" LATE "', '" LATE
	  "', 'purge', 'not_started', 'full', 'confirmed', 1", BOTH },
	{ "unknown", "'w1b', 'd1', 'g1', '" LATE "', '" LATE
	  "', 'purge', 'unknown', 'full', 'confirmed', 1", BOTH },
	{ "failed", "'w1b', 'd1', 'g1', '" LATE "', '" LATE
	  "', 'purge', 'failed', 'full', 'confirmed', 1", BOTH },
	{ "of class clear", "'w1b', 'd1', 'g1', '" LATE "', '" LATE
	  "', 'clear', 'confirmed', 'full', 'confirmed', 1", BOTH },
	{ "of class none", "'w1b', 'd1', 'g1', '" LATE "', '" LATE
	  "', 'none', 'confirmed', 'full', 'confirmed', 1", BOTH },
	{ "sampled", "'w1b', 'd1', 'g1', '" LATE "', '" LATE
	  "', 'purge', 'confirmed', 'sampled', 'confirmed', 1", BOTH },
	{ "without GPU memory", "'w1b', 'd1', 'g1', '" LATE "', '" LATE
	  "', 'purge', 'confirmed', 'full', 'not_proven', 1", BOTH },
	{ "of another disk", "'w1b', 'd7', 'g1', '" LATE "', '" LATE
	  "', 'purge', 'confirmed', 'full', 'confirmed', 1", "'d1'" },
	{ "of another GPU", "'w1b', 'd1', 'g7', '" LATE "', '" LATE
	  "', 'purge', 'confirmed', 'full', 'confirmed', 1", "'n1/g1'" },
	{ "of another disk and GPU", "'w1b', 'd7', 'g7', '" LATE "', '" LATE
	  "', 'purge', 'confirmed', 'full', 'confirmed', 1", BOTH },
	{ "of another order", "'wz', 'd1', 'g1', '" LATE "', '" LATE
	  "', 'purge', 'confirmed', 'full', 'confirmed', 1", BOTH },
	{ "of a real state", "'w1b', 'd1', 'g1', '" LATE "', '" LATE
	  "', 'purge', 'confirmed', 'full', 'confirmed', 0", BOTH },
	{ "begun before the use", "'w1b', 'd1', 'g1', '2026-02-02T00:00:00.000000Z', '" LATE
	  "', 'purge', 'confirmed', 'full', 'confirmed', 1", BOTH },
};

static void search_all(sqlite3 *db)
{
	static const char good[] = "'w1b', 'd1', 'g1', '" LATE "', '" LATE
				   "', 'purge', 'confirmed', 'full', 'confirmed', 1";
	size_t i, places = 0;

	for (i = 0; i < GA_ARRAY_SIZE(weak); i++) {
		size_t broken = search(db, weak[i].members, weak[i].devices, &places);

		t_ok(!broken && places > 100,
		     "no path to sale by evidence %s (%zu places searched)", weak[i].name, places);
	}
	setenv("GA_QUIET", "1", 1);
	t_ok(search(db, good, BOTH, &places) > 0, "the search finds the path by good evidence");
	unsetenv("GA_QUIET");
}

/* ---- the machines as a table ---- */

static const struct {
	enum ga_machine machine;
	const char *name, *final;
} machines[] = {
	{ GA_M_SLOT, "slot", "retired" },
	{ GA_M_ALLOCATION, "allocation", "released cancelled refused" },
	{ GA_M_NODE, "node", "retired" },
};

static void reach(enum ga_machine m, const char *from, struct ga_str *found)
{
	const struct ga_fsm_state *s = ga_fsm_find(m, from);
	ga_autofree char *mark = ga_xprintf(" %s ", from);
	size_t i;

	if (!s || strstr(found->buf, mark))
		return;
	ga_str_add(found, mark);
	for (i = 0; s->to[i]; i++)
		reach(m, s->to[i], found);
}

static void table(enum ga_machine m, const char *name, const char *final)
{
	const struct ga_fsm_state *s;
	ga_autostr struct ga_str found = GA_STR_INIT;
	size_t i;

	reach(m, ga_fsm_states(m)[0].name, &found);
	for (s = ga_fsm_states(m); s->name; s++) {
		ga_autofree char *mark = ga_xprintf(" %s ", s->name);
		ga_autofree char *quoted = ga_xprintf("'%s'", s->name);
		bool ends = strstr(final, s->name) != NULL;

		t_ok(strstr(found.buf, mark) != NULL, "%s %s is reached from birth", name, s->name);
		t_ok(ends == !s->to[0] && ends == !s->exit_command,
		     "%s %s is %s", name, s->name, ends ? "final" : "left by a command");
		t_ok(m != GA_M_ALLOCATION || (ga_allocation_has_ended(s->name) == ends &&
					      !!strstr(GA_SQL_ENDED, quoted) == ends),
		     "the final states of an allocation have %s%s", ends ? "" : "no ", s->name);
		t_ok(!s->exit_command || ga_starts(s->exit_command, "gpuaas-"),
		     "%s %s: the command is ours", name, s->name);
		t_ok(!s->exit_command_baremetal ||
			     (s->exit_command && ga_starts(s->exit_command_baremetal, "gpuaas-")),
		     "%s %s: so is the one of a whole machine", name, s->name);
		for (i = 0; s->to[i]; i++)
			t_ok(ga_fsm_find(m, s->to[i]) && ga_fsm_is_edge(m, s->name, s->to[i]),
			     "%s: %s leads to %s", name, s->name, s->to[i]);
	}
	t_ok(!ga_fsm_is_edge(m, final, ga_fsm_states(m)[0].name), "%s: nothing rises again", name);
	t_ok(!ga_fsm_find(m, "sleeping"), "%s has no other state", name);
}

/* The triggers allow exactly the edges of the table. */
static void edges_agree(sqlite3 *db)
{
	const struct ga_fsm_state *a, *b;

	w_must(db, "BEGIN");
	for (a = ga_fsm_states(GA_M_NODE); a->name; a++)
		for (b = ga_fsm_states(GA_M_NODE); b->name; b++) {
			ga_autofree char *to = ga_xprintf(
				"UPDATE node SET state = '%s', generation = generation + 1 "
				"WHERE id = 'walk'", b->name);
			ga_autofree char *from = ga_xprintf("SAVEPOINT w; DROP TRIGGER node_birth; "
							    "INSERT INTO node (id, since, state) "
							    "VALUES ('walk', 'x', '%s')",
							    a->name);
			bool edge = a == b || ga_fsm_is_edge(GA_M_NODE, a->name, b->name);

			w_must(db, from);
			t_ok((w_run(db, to) == SQLITE_OK) == edge, "the state %s node %s to %s",
			     edge ? "lets" : "keeps", a->name, b->name);
			w_must(db, "ROLLBACK TO w; RELEASE w");
		}
	w_must(db, "ROLLBACK");
}

int main(void)
{
	sqlite3 *db = w_open();
	size_t i;

	w_fill(db);
	/* A spare disk and GPU of the same node, clean, and free for use by s1. */
	w_slot(db, 7, "n1");
	w_move_now(db, 7, "disabled");
	w_move_now(db, 7, "retired");
	search_all(db);
	for (i = 0; i < GA_ARRAY_SIZE(machines); i++)
		table(machines[i].machine, machines[i].name, machines[i].final);
	edges_agree(db);
	for (i = 0; i < n_ops; i++) {
		sqlite3_finalize(ops[i].stmt);
		free(ops[i].sql);
	}
	while (n_seen)
		free(seen[--n_seen]);
	w_close(db);
	return t_done();
}
