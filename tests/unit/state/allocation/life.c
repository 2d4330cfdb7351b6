/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lives of allocations and slots: commands of operators and results of hosts in random order, good
 * and failed, late, repeated, and for orders long gone. Whether the store accepts or refuses them,
 * 'gpuaas-state check' finds nothing afterwards.
 */
#include "base/texts.h"
#include "base/vec.h"
#include "record/wipe.h"
#include "state/allocation/hold.h"
#include "state/node/approve.h"
#include "state/node/node.h"
#include "state/node/verbs.h"
#include "state/recovery/check_rules.h"
#include "state_world.h"

#define LIVES 40
#define STEPS 200
#define SLOTS 4
#define ALLOCATIONS 9 /* of a life: ids have one digit */
#define ONE(list) list[t_random(&seed) % GA_ARRAY_SIZE(list)]

static uint64_t seed;

/* The history of one life. */
struct life {
	struct ga_db *db;
	int allocations;
	struct ga_release_order orders[ALLOCATIONS + 1]; /* of allocation i, the last one */
	bool ordered[ALLOCATIONS + 1];
	struct ga_texts steps;
	int taken;
	bool ended; /* an allocation came to its end */
};

static int below(int n)
{
	return (int)(t_random(&seed) % (uint64_t)n);
}

static int a_slot(void)
{
	return 1 + below(SLOTS);
}

static int an_allocation(const struct life *l)
{
	return 1 + below(l->allocations ? l->allocations : 1);
}

/* Ends the transaction of a call of the store. */
static int done(struct life *l, int r)
{
	if (r < 0)
		ga_db_rollback(l->db);
	else
		sw_commit(l->db);
	return r;
}

/* ---- operators ---- */

/* As place does: on a slot that is available, of an active node. */
static int place(struct life *l, char **what)
{
	int slot = a_slot();

	*what = ga_xprintf("place a%d on slot %d", l->allocations + 1, slot);
	if (l->allocations == ALLOCATIONS || strcmp(sw_slot_is(l->db, slot), "available") ||
	    strcmp(sw_get(l->db, "SELECT state FROM node"), "active"))
		return -1;
	sw_place(l->db, ++l->allocations, slot, 1);
	return 1;
}

static int release(struct life *l, char **what)
{
	struct ga_err err = GA_ERR_INIT;
	int i = an_allocation(l), r;
	struct ga_release_order order;
	bool has = false;

	*what = ga_xprintf("release a%d", i);
	r = sw_release(l->db, i, &order, &has, &err);
	if (r < 0 || !has)
		return r;
	if (l->ordered[i])
		ga_schema_release(&ga_release_order_schema, &l->orders[i]);
	l->orders[i] = order;
	l->ordered[i] = true;
	return r;
}

static int hold(struct life *l, char **what)
{
	ga_autofree char *id = ga_xprintf("a000000%d", an_allocation(l));
	struct ga_err err = GA_ERR_INIT;
	struct ga_hold_order order;
	bool on = below(2);
	int r;

	*what = ga_xprintf("%s %s", on ? "hold" : "unhold", id);
	sw_begin(l->db);
	r = on ? ga_store_hold(l->db, id, 3600, "a break", &order, &err) :
		 ga_store_unhold(l->db, id, "back", &order, &err);
	if (r >= 0)
		ga_schema_release(&ga_hold_order_schema, &order);
	return done(l, r);
}

static int move_slot(struct life *l, char **what)
{
	static const char *const verbs[] = { "disable", "enable", "enable", "repair", "repair",
					     "cordon", "uncordon", "uncordon", "quarantine",
					     "retire" };
	ga_autofree char *id = ga_xprintf("s000000%d", a_slot());
	const char *verb = ONE(verbs), *disposal = below(2) ? "shredded" : NULL;
	struct ga_err err = GA_ERR_INIT;
	struct ga_wipe_order order;
	struct ga_slot slot;
	bool has = false;
	int r;

	if (!strcmp(verb, "retire") && below(4))
		verb = "disable"; /* or soon none is left */
	*what = ga_xprintf("%s %s%s", verb, id, disposal ? ", shredded" : "");
	sw_begin(l->db);
	r = ga_store_slot_move(l->db, id, verb, "a reason",
			       strcmp(verb, "retire") ? NULL : disposal, GA_UNKNOWN, &slot, &order,
			       &has, NULL, &err);
	if (r >= 0)
		ga_schema_release(&ga_slot_schema, &slot);
	if (r >= 0 && has)
		ga_schema_release(&ga_wipe_order_schema, &order);
	return done(l, r);
}

static int move_node(struct life *l, char **what)
{
	static const char *const verbs[] = { "drain", "undrain", "undrain", "quarantine",
					     "retire" };
	const struct ga_node_move move = {
		.verb = verbs[below(below(8) ? 3 : GA_ARRAY_SIZE(verbs))], .reason = "a reason",
		.generation = GA_UNKNOWN };
	struct ga_err err = GA_ERR_INIT;
	struct ga_node node;
	int r;

	*what = ga_xprintf("%s the node", move.verb);
	sw_begin(l->db);
	r = ga_store_node_move(l->db, "n1", &move, &node, &err);
	if (r >= 0)
		ga_schema_release(&ga_node_schema, &node);
	return done(l, r);
}

static int lose_node(struct life *l, char **what)
{
	struct ga_err err = GA_ERR_INIT;

	*what = ga_xstrdup("the node is lost");
	if (below(20))
		return -1;
	sw_begin(l->db);
	return done(l, ga_store_node_lost(l->db, "n1", "it burnt", &err));
}

/* ---- hosts ---- */

static int progress(struct life *l, char **what)
{
	static const char *const states[] = { "started", "running", "finished", "failed" };
	const char *state = ONE(states);
	struct ga_err err = GA_ERR_INIT;
	int i = an_allocation(l);

	*what = ga_xprintf("progress of a%d: %s", i, state);
	return sw_progress(l->db, i, "define", state, &err);
}

static int active(struct life *l, char **what)
{
	struct ga_err err = GA_ERR_INIT;
	int i = an_allocation(l);

	*what = ga_xprintf("a%d is active", i);
	return sw_active(l->db, i, &err);
}

static int failure(struct life *l, char **what)
{
	struct ga_err err = GA_ERR_INIT;
	int i = an_allocation(l);
	ga_autofree char *attempt = ga_xprintf("pa00000%d", i);

	if (below(2) && l->ordered[i]) {
		*what = ga_xprintf("the release of a%d failed", i);
		return sw_failure(l->db, i, "gpuaas-release", l->orders[i].attempt,
				  l->orders[i].generation, "undefine", &err);
	}
	*what = ga_xprintf("a%d could not be provisioned", i);
	return sw_failure(l->db, i, "gpuaas-provision", attempt, 2, "define", &err);
}

static int released(struct life *l, char **what)
{
	struct ga_err err = GA_ERR_INIT;
	int i = an_allocation(l);

	*what = ga_xprintf("a%d was released", i);
	return l->ordered[i] ? sw_released(l->db, &l->orders[i], &err) : -1;
}

/* Evidence for the order in force, or for one of before; good or not. */
static int wiped(struct life *l, char **what)
{
	static const char *const outcomes[] = { "confirmed", "confirmed", "confirmed", "confirmed",
						"failed", "unknown", "not_started" };
	int slot = a_slot(), r;
	ga_autofree char *order = ga_xprintf(
		"SELECT coalesce(wipe_attempt, 'w') || ' ' || coalesce(wipe_generation, 0) FROM "
		"slot WHERE id = 's000000%d'", slot);
	ga_autofree char *attempt = ga_xstrdup(sw_get(l->db, order));
	int64_t generation = strtoll(attempt + strcspn(attempt, " "), NULL, 10);
	struct ga_wipe_evidence e;
	const char *outcome = ONE(outcomes);

	attempt[strcspn(attempt, " ")] = '\0';
	if (!below(6)) {
		free(attempt);
		attempt = ga_xprintf("wf00000%d", slot);
	}
	*what = ga_xprintf("wipe %s of slot %d: %s", attempt, slot, outcome);
	sw_evidence(slot, attempt, generation, &e);
	sw_whose(l->db, slot, &e);
	free(e.outcome);
	e.outcome = ga_xstrdup(outcome);
	ga_wipe_evidence_seal(&e);
	r = sw_fold(l->db, &ga_wipe_evidence_schema, &e, &sw_err);
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	return r;
}

/* ---- what is found ---- */

/* The first finding of a rule, or NULL. */
static char *finding(struct ga_db *db)
{
	const struct ga_check_rule *rule;

	for (rule = ga_check_rules; rule->check; rule++) {
		ga_autorows struct ga_rows *rows = NULL;

		sw_must(ga_db_query(db, &rows, &sw_err, rule->sql, ""));
		if (sw_must(ga_rows_next(rows, &sw_err)))
			return ga_xprintf("%s %s: %s", rule->check, ga_rows_text(rows, 0),
					  rule->sentence);
	}
	return NULL;
}

static int (*const steps[])(struct life *l, char **what) = {
	place, place, release, hold, move_slot, move_slot, move_node, lose_node, progress, active,
	active, failure, released, released, wiped, wiped, wiped, wiped,
};

static void end(struct life *l, bool tell)
{
	size_t i;

	l->ended = *sw_get(l->db, "SELECT 1 FROM allocation WHERE state = 'released'");
	for (i = 0; i < l->steps.n; i++) {
		if (tell)
			printf("# %s\n", l->steps.v[i]);
		free(l->steps.v[i]);
	}
	ga_list_release(&l->steps);
	for (i = 0; i < GA_ARRAY_SIZE(l->orders); i++)
		if (l->ordered[i])
			ga_schema_release(&ga_release_order_schema, &l->orders[i]);
	sw_close(l->db);
}

static bool live(int *taken, int *ended)
{
	struct life l = { .db = sw_open(SLOTS) };
	ga_autofree char *found = finding(l.db);
	int i;

	for (i = 0; i < STEPS && !found; i++) {
		char *what = NULL;

		if (ONE(steps)(&l, &what) < 0) {
			free(what);
			continue;
		}
		*ga_list_add(&l.steps) = what;
		l.taken++;
		found = finding(l.db);
	}
	if (!found)
		found = finding(l.db); /* after what was refused at last */
	if (found)
		printf("# %s\n", found);
	end(&l, found != NULL);
	*taken += l.taken;
	*ended += l.ended;
	return !found;
}

int main(void)
{
	int i, good = 0, taken = 0, ended = 0;

	seed = t_seed();
	for (i = 0; i < LIVES && good == i; i++)
		good += live(&taken, &ended);
	t_int(good, LIVES, "lives in which nothing is found");
	t_ok(taken > 10 * LIVES, "%d steps of %d were taken", taken, LIVES * STEPS);
	t_ok(ended > LIVES / 8, "in %d lives an allocation came to its end", ended);
	return t_done();
}
