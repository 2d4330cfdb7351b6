/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The triggers of a state with one part removed: a refusal, a trigger that acts, or a condition of
 * the view that the triggers read. Each such state is a mutant, numbered from 1;
 * tests/mutate-triggers runs the attacks against all of them.
 */
#ifndef MUTANT_H
#define MUTANT_H

#include "base/str.h"
#include "base/vec.h"
#include "world.h"

/* As lib/state/db/invariant.c writes a trigger of several statements: each begins a line; in a
 * SELECT of several refusals each condition does, and each sentence. Any other trigger is one
 * thing. */
#define M_BODY "\nBEGIN\n"
#define M_STATEMENT ";\n"
#define M_CASE "\nWHEN "
#define M_RAISE "RAISE(ABORT, '"
/* Each condition of a view begins a line. */
#define M_WHERE "\nWHERE "
#define M_AND "\nAND "

struct mutant {
	const char *type;    /* "VIEW" or "TRIGGER" */
	char *trigger, *sentence, *when;
	char *sql; /* what is made in its place; NULL: nothing */
};

struct mutants {
	GA_LIST(struct mutant) list;
};

/* Without the part [from, to) of it; alone: it has no other. */
static void m_add_part(struct mutants *all, const char *trigger, const char *sql, const char *from,
		       const char *to, bool alone)
{
	struct mutant *m = ga_list_add(&all->list);
	const char *said = strstr(from, M_RAISE);

	m->type = "TRIGGER";
	m->trigger = ga_xstrdup(trigger);
	m->when = ga_xstrndup(from, (size_t)(to - from));
	m->sql = alone ? NULL : ga_xprintf("%.*s%s", (int)(from - sql), sql, to);
	if (!said || said >= to) {
		m->sentence = ga_xprintf("%.*s of it", (int)strcspn(from, " \n"), from);
		return;
	}
	said += strlen(M_RAISE);
	m->sentence = ga_xstrndup(said, strcspn(said, "'"));
}

/* A statement [from, to): each of its cases, or all of it. */
static void m_add_statement(struct mutants *all, const char *trigger, const char *sql,
			    const char *from, const char *to, bool alone)
{
	const char *one = strstr(from, M_CASE), *two = one ? strstr(one + 1, M_CASE) : NULL;

	if (!two || two >= to) {
		m_add_part(all, trigger, sql, from, to, alone);
		return;
	}
	while (one && one < to) {
		const char *end = strchr(strstr(one, M_RAISE), '\n');

		m_add_part(all, trigger, sql, one, end, false);
		one = strncmp(end, M_CASE, strlen(M_CASE)) == 0 ? end : NULL;
	}
}

static void m_add(struct mutants *all, const char *trigger, const char *sql)
{
	const char *body = strstr(sql, M_BODY), *from, *end;
	bool alone;

	if (!body) {
		m_add_part(all, trigger, sql, sql, sql + strlen(sql), true);
		return;
	}
	from = body + strlen(M_BODY);
	alone = !strstr(strstr(from, M_STATEMENT) + 1, M_STATEMENT);
	for (; (end = strstr(from, M_STATEMENT)); from = end + strlen(M_STATEMENT))
		m_add_statement(all, trigger, sql, from, end + strlen(M_STATEMENT), alone);
}

static void m_add_view(struct mutants *all, const char *view, const char *sql)
{
	const char *from = strstr(sql, M_WHERE), *keep = "\nWHERE 1", *end;

	for (; from; from = *end ? end : NULL, keep = "") {
		struct mutant *m = ga_list_add(&all->list);

		end = strstr(from + 1, M_AND);
		if (!end)
			end = from + strlen(from);
		m->type = "VIEW";
		m->trigger = ga_xstrdup(view);
		m->when = ga_xstrndup(from, (size_t)(end - from));
		m->sentence = ga_xstrdup(m->when + 1);
		m->sql = ga_xprintf("%.*s%s%s", (int)(from - sql), sql, keep, end);
	}
}

static void m_read(sqlite3 *db, struct mutants *all)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(db,
			       "SELECT name, sql, type FROM sqlite_schema WHERE type = 'trigger' "
			       "OR name = 'slot_proven' ORDER BY name",
			       -1, &stmt, NULL) != SQLITE_OK)
		exit(1);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		(*sqlite3_column_text(stmt, 2) == 'v' ? m_add_view : m_add)(
			all, (const char *)sqlite3_column_text(stmt, 0),
			(const char *)sqlite3_column_text(stmt, 1));
	sqlite3_finalize(stmt);
}

static void m_release(struct mutants *all)
{
	size_t i;

	for (i = 0; i < all->list.n; i++) {
		free(all->list.v[i].trigger);
		free(all->list.v[i].sentence);
		free(all->list.v[i].when);
		free(all->list.v[i].sql);
	}
	ga_list_release(&all->list);
}

/* One line a mutant: number, trigger, sentence, condition. */
static void m_list(sqlite3 *db)
{
	struct mutants all = { 0 };
	size_t i;

	m_read(db, &all);
	for (i = 0; i < all.list.n; i++) {
		const struct mutant *m = &all.list.v[i];

		printf("%zu\t%s\t%s\t%.*s\n", i + 1, m->trigger, m->sentence,
		       (int)strcspn(m->when, "\n"), m->when);
	}
	m_release(&all);
}

/* Makes the state this mutant. */
static void m_make(sqlite3 *db, size_t number)
{
	struct mutants all = { 0 };
	ga_autofree char *sql = NULL;
	const struct mutant *m;

	m_read(db, &all);
	if (number < 1 || number > all.list.n)
		exit(2);
	m = &all.list.v[number - 1];
	sql = ga_xprintf("DROP %s %s; %s", m->type, m->trigger, m->sql ? m->sql : "");
	w_must(db, sql);
	m_release(&all);
}

#endif
