/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The triggers of a state with one thing taken out: a refusal, or a trigger that acts. Each such
 * state is a mutant, numbered from 1; tests/mutate-triggers runs the attacks against all of them.
 */
#ifndef MUTANT_H
#define MUTANT_H

#include "str.h"
#include "vec.h"
#include "world.h"

/* As lib/invariant.c writes the refusals of one event: a line with each condition, one with each
 * sentence. Any other trigger is one thing. */
#define M_CASES "BEGIN SELECT CASE\n"
#define M_THEN "\n\tTHEN RAISE(ABORT, '"

struct mutant {
	char *trigger, *sentence, *when;
	char *sql; /* what is made in place of the trigger; NULL: nothing */
};

struct mutants {
	GA_LIST(struct mutant) list;
};

static void m_add_case(struct mutants *all, const char *trigger, const char *sql, const char *from,
		       const char *then, bool only)
{
	struct mutant *m = ga_list_add(&all->list);
	const char *said = then + strlen(M_THEN), *end = strchr(said, '\n') + 1;

	m->trigger = ga_xstrdup(trigger);
	m->sentence = ga_xstrndup(said, strcspn(said, "'"));
	m->when = ga_xstrndup(from, (size_t)(then - from));
	m->sql = only ? NULL : ga_xprintf("%.*s%s", (int)(from - sql), sql, end);
}

static void m_add(struct mutants *all, const char *trigger, const char *sql)
{
	const char *from = strstr(sql, M_CASES), *then, *next;
	struct mutant *m;

	if (!from) {
		m = ga_list_add(&all->list);
		m->trigger = ga_xstrdup(trigger);
		m->sentence = ga_xstrdup("the whole trigger");
		m->when = ga_xstrdup(sql);
		return;
	}
	from += strlen(M_CASES);
	then = strstr(from, M_THEN);
	next = strstr(then + 1, M_THEN);
	if (!next) {
		m_add_case(all, trigger, sql, from, then, true);
		return;
	}
	for (; then; then = strstr(from, M_THEN)) {
		m_add_case(all, trigger, sql, from, then, false);
		from = strchr(then + 1, '\n') + 1;
	}
}

static void m_read(sqlite3 *db, struct mutants *all)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(db,
			       "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' "
			       "ORDER BY name",
			       -1, &stmt, NULL) != SQLITE_OK)
		exit(1);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		m_add(all, (const char *)sqlite3_column_text(stmt, 0),
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

	m_read(db, &all);
	if (number < 1 || number > all.list.n)
		exit(2);
	sql = ga_xprintf("DROP TRIGGER %s; %s", all.list.v[number - 1].trigger,
			 all.list.v[number - 1].sql ? all.list.v[number - 1].sql : "");
	w_must(db, sql);
	m_release(&all);
}

#endif
