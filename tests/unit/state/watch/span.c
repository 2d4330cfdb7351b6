/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans of use, with wrong clocks of hosts and of the state: the spans of an allocation never
 * overlap and leave no gap, and a report adds up to the time from the first to the last.
 */
#include "state/allocation/hold.h"
#include "state/recovery/check.h"
#include "state/watch/report.h"
#include "state_world.h"

#include <sys/syscall.h>

#define BEGIN INT64_C(1795199040000000) /* 2026-11-20T18:24:00Z */
#define LIVES 8

/* This program's clock (0: the time of day); the host's is another. */
static int64_t now, host;

int clock_gettime(clockid_t id, struct timespec *ts)
{
	if (id != CLOCK_REALTIME || !now)
		return (int)syscall(SYS_clock_gettime, id, ts);
	*ts = ga_clock_timespec(now);
	return 0;
}

/* ---- what a host and a person do ---- */

enum step { PLACED, MAKING, ACTIVE, HELD, FAILED, RELEASING, WIPING, OVER };

struct life {
	int i; /* of its allocation and its slot */
	enum step step;
	char id[16], attempt[16];
	struct ga_release_order order;
	bool broken; /* nothing counted for a while: it had failed */
};

static void begins(struct ga_db *db, struct life *l, char *at)
{
	struct ga_progress p = { .node = TXT("n1"), .object = l->id, .attempt = l->attempt,
				 .generation = 2, .phase = TXT("clone"), .state = TXT("started"),
				 .at = at, .elapsed_micros = GA_UNKNOWN, .bytes = GA_UNKNOWN,
				 .total_bytes = GA_UNKNOWN };

	sw_must(sw_fold(db, &ga_progress_schema, &p, &sw_err));
	l->step = MAKING;
}

static void runs(struct ga_db *db, struct life *l, char *at)
{
	struct ga_allocation a = sw_running(l->id, l->attempt);

	a.since = at;
	sw_must(sw_fold(db, &ga_allocation_schema, &a, &sw_err));
	l->step = ACTIVE;
}

static void fails(struct ga_db *db, struct life *l, char *at)
{
	struct ga_failure f = { .node = TXT("n1"), .object = l->id, .attempt = l->attempt,
				.generation = 2, .program = TXT("gpuaas-provision"),
				.phase = TXT("clone"), .code = TXT("no_space"),
				.sentence = TXT("no space"), .status = 9, .at = at };

	sw_must(sw_fold(db, &ga_failure_schema, &f, &sw_err));
	l->step = FAILED;
}

static void holds(struct ga_db *db, struct life *l, bool undo)
{
	struct ga_hold_order o;

	sw_begin(db);
	sw_must(undo ? ga_store_unhold(db, l->id, "back", &o, &sw_err) :
		       ga_store_hold(db, l->id, 3600, "away", &o, &sw_err));
	sw_commit(db);
	ga_schema_release(&ga_hold_order_schema, &o);
	l->step = undo ? ACTIVE : HELD;
}

static void ends(struct ga_db *db, struct life *l)
{
	bool has_order;

	l->broken = l->step == FAILED;
	sw_must(sw_release(db, l->i, &l->order, &has_order, &sw_err));
	l->step = RELEASING;
}

static void released(struct ga_db *db, struct life *l, char *at)
{
	struct ga_released r = { .allocation = l->id, .node = TXT("n1"),
				 .generation = l->order.generation, .attempt = l->order.attempt,
				 .at = at, .lab = true };

	sw_must(sw_fold(db, &ga_released_schema, &r, &sw_err));
	l->step = WIPING;
}

/* Whether the wipe counts (it may be older than the taint) is not asked here. */
static void wiped(struct ga_db *db, struct life *l, const char *at)
{
	struct ga_wipe_evidence e;

	sw_evidence(l->i, l->order.bundles.v[0].wipe_attempt, l->order.bundles.v[0].generation,
		    &e);
	sw_whose(db, l->i, &e);
	free(e.finished_at);
	e.finished_at = ga_xstrdup(at);
	ga_wipe_evidence_seal(&e);
	(void)sw_fold(db, &ga_wipe_evidence_schema, &e, &sw_err);
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	ga_schema_release(&ga_release_order_schema, &l->order);
	l->step = OVER;
}

/* The next step of this life; dice chooses where there is a choice. */
static void live(struct ga_db *db, struct life *l, uint64_t dice)
{
	char at[GA_TIME_SIZE];

	ga_time_format(host, at);
	switch (l->step) {
	case PLACED:
		dice % 2 ? begins(db, l, at) : runs(db, l, at);
		break;
	case MAKING:
		dice % 4 ? runs(db, l, at) : fails(db, l, at);
		break;
	case ACTIVE:
		dice % 2 ? holds(db, l, false) : ends(db, l);
		break;
	case HELD:
		dice % 4 ? holds(db, l, true) : ends(db, l);
		break;
	case FAILED:
		ends(db, l);
		break;
	case RELEASING:
		released(db, l, at);
		break;
	case WIPING:
		wiped(db, l, at);
		break;
	case OVER:
		break;
	}
}

static void place(struct ga_db *db, struct life *l, int i)
{
	*l = (struct life){ .i = i };
	snprintf(l->id, sizeof(l->id), "a000000%d", i);
	snprintf(l->attempt, sizeof(l->attempt), "pa00000%d", i);
	sw_ready(db, i);
	sw_place(db, i, i, 1);
}

/* ---- what became of it ---- */

struct spans {
	struct ga_str text; /* "active 10," a span, in order: its kind and its seconds */
	int64_t seconds;    /* of all, as a report has them */
	int wrong;
};

static int add_span(const struct ga_cost_line *line, const struct ga_report_facts *facts, void *arg,
		    struct ga_err *err)
{
	struct spans *s = arg;

	(void)facts;
	(void)err;
	s->seconds += line->to - line->from;
	return 0;
}

static int complain(const struct ga_finding *f, void *arg, struct ga_err *err)
{
	struct spans *s = arg;

	(void)err;
	if (!ga_streq(f->check, "billing"))
		return 0;
	s->wrong++;
	printf("# %s: %s\n", f->object, f->sentence);
	return 0;
}

/* Each begins where the one before it ended, and none in what is still to come. */
static void look(struct ga_db *db, const struct life *l, int64_t latest, struct spans *s)
{
	ga_autorows struct ga_rows *rows = NULL;
	ga_autofree char *last = NULL;
	char end[GA_TIME_SIZE];

	ga_time_format(latest, end);
	sw_must(ga_db_query(db, &rows, &sw_err,
			    "SELECT usage_kind, started_at, coalesce(ended_at, ?2), "
			    "coalesce(ended_second, ?3) - began_second FROM usage "
			    "WHERE allocation_id = ?1 ORDER BY id",
			    "ssi", l->id, end, latest / GA_SECOND));
	while (sw_must(ga_rows_next(rows, &sw_err))) {
		const char *from = ga_rows_text(rows, 1);
		bool apart = l->broken && ga_streq(ga_rows_text(rows, 0), "cleanup");
		bool good = !last || (apart ? strcmp(from, last) >= 0 : ga_streq(from, last));

		if (!good || strcmp(from, end) > 0 || strcmp(ga_rows_text(rows, 2), end) > 0) {
			s->wrong++;
			printf("# %s: %s to %s behind one to %s at %s\n", l->id, from,
			       ga_rows_text(rows, 2), last ? last : "-", end);
		}
		ga_str_addf(&s->text, "%s %" PRId64 ",", ga_rows_text(rows, 0),
			    ga_rows_int(rows, 3));
		free(last);
		last = ga_rows_dup(rows, 2);
	}
}

/* The whole time of all allocations: from the first second to the last, less what is not counted
 * before a cleanup, which only what had failed may have (look). */
static int64_t whole(struct ga_db *db, int64_t at)
{
	ga_autofree char *sql = ga_xprintf(
		"SELECT sum(ended - began - gap) FROM (SELECT min(u.began_second) AS began, "
		"max(coalesce(u.ended_second, %" PRId64 ")) AS ended, coalesce((SELECT "
		"c.began_second - max(b.ended_second) FROM usage c JOIN usage b "
		"ON b.allocation_id = c.allocation_id AND b.id < c.id WHERE "
		"c.allocation_id = u.allocation_id AND c.usage_kind = 'cleanup'), 0) AS gap "
		"FROM usage u GROUP BY u.allocation_id)", at / GA_SECOND);

	return strtoll(sw_get(db, sql), NULL, 10);
}

/* ---- lives at random ---- */

static void tick(uint64_t *seed)
{
	static const int64_t off[] = { 0, 1, GA_SECOND / 3, GA_SECOND, 600 * GA_SECOND,
				       86400 * GA_SECOND };
	int64_t passed = (int64_t)(t_random(seed) % (uint64_t)(20 * GA_SECOND));

	now += t_random(seed) % 3 ? passed : 0;
	host += passed;
	if (t_random(seed) % 4 == 0)
		host = now + (t_random(seed) % 2 ? 1 : -1) * off[t_random(seed) % 6];
	if (t_random(seed) % 6 == 0)
		now -= off[t_random(seed) % 5];
}

static void world(uint64_t *seed, int nr)
{
	struct ga_report_window w = { .to = INT64_C(4000000000), .from = 0 };
	struct spans s = { .text = GA_STR_INIT };
	struct life lives[LIVES];
	int64_t latest;
	struct ga_db *db;
	int i;

	now = host = latest = BEGIN;
	db = sw_open(LIVES);
	for (i = 0; i < LIVES; i++)
		place(db, &lives[i], i + 1);
	for (i = 0; i < 12 * LIVES; i++) {
		struct life *l = &lives[t_random(seed) % LIVES];

		tick(seed);
		latest = now > latest ? now : latest;
		live(db, l, t_random(seed));
		look(db, l, latest, &s);
	}
	t_int(s.wrong, 0, "world %d: spans follow each other, whatever the clocks say", nr);
	w.now = latest / GA_SECOND;
	sw_must(ga_store_report(db, &w, false, add_span, &s, &sw_err));
	t_int(s.seconds, whole(db, latest), "world %d: the report's sum is the whole time", nr);
	s.wrong = 0;
	sw_must(ga_state_check(db, complain, &s, &sw_err));
	t_int(s.wrong, 0, "world %d: nothing for the check of the state", nr);
	for (i = 0; i < LIVES; i++)
		if (lives[i].step == RELEASING || lives[i].step == WIPING)
			ga_schema_release(&ga_release_order_schema, &lives[i].order);
	ga_str_release(&s.text);
	sw_close(db);
}

/* ---- single examples ---- */

/* Each step is 10 s behind the one before it by a right clock; these are those of the host and of
 * the state less it, in seconds, at each. */
static const struct {
	const char *name;
	int host[6], state[6];
	const char *spans;
} examples[] = {
	/* placed: begins, runs, is held, taken up, released by a person, released by the host */
	{ "right clocks", { 0 }, { 0 }, "provisioning 10,active 10,hold 10,active 10,cleanup 10," },
	{ "the host's ten minutes ahead", { 600, 600, 600, 600, 600, 600 }, { 0 },
	  "provisioning 10,active 10,hold 10,active 10,cleanup 10," },
	{ "the host's ten minutes behind", { -600, -600, -600, -600, -600, -600 }, { 0 },
	  "provisioning 10,active 610,hold 10,active 10,cleanup 10," },
	{ "the host's set right while it is made", { 600, 0 }, { 0 },
	  "provisioning 10,active 10,hold 10,active 10,cleanup 10," },
	{ "the host's steps back while it is made", { 0, -600 }, { 0 },
	  "provisioning 0,active 20,hold 10,active 10,cleanup 10," },
	{ "the state's steps back while it is held", { 0 }, { 0, 0, 0, -600, -600, -600 },
	  "provisioning 10,active 10,hold 0,active 0,cleanup 0," },
	{ "the state's steps back for one step", { 0 }, { 0, 0, 0, -600, 0, 0 },
	  "provisioning 10,active 10,hold 0,active 20,cleanup 10," },
};

static void example(size_t nr)
{
	static const int dice[] = { 1, 1, 1, 1, 0, 0 };
	struct spans s = { .text = GA_STR_INIT };
	int64_t latest = BEGIN;
	struct life l;
	struct ga_db *db;
	int k;

	now = BEGIN;
	db = sw_open(1);
	place(db, &l, 1);
	for (k = 0; k < 6; k++) {
		now = BEGIN + (10 * k + examples[nr].state[k]) * GA_SECOND;
		host = BEGIN + (10 * k + examples[nr].host[k]) * GA_SECOND;
		latest = now > latest ? now : latest;
		ga_str_clear(&s.text);
		live(db, &l, (uint64_t)dice[k]);
		look(db, &l, latest, &s);
	}
	t_str(s.text.buf, examples[nr].spans, "%s", examples[nr].name);
	t_int(s.wrong, 0, "and no gap");
	ga_schema_release(&ga_release_order_schema, &l.order);
	ga_str_release(&s.text);
	sw_close(db);
}

int main(void)
{
	uint64_t seed = t_seed();
	size_t i;
	int nr;

	for (i = 0; i < GA_ARRAY_SIZE(examples); i++)
		example(i);
	for (nr = 0; nr < 20; nr++)
		world(&seed, nr);
	return t_done();
}
