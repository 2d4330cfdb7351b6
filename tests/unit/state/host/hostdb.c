/* SPDX-License-Identifier: Apache-2.0 */
/* host.db: the journal, attempts, the evidence chain, and the rows that must never change. */
#include "t.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/proc.h"
#include "record/id.h"
#include "record/result.h"
#include "record/wipe.h"
#include "state/host/list.h"

static char dir[] = "/dev/shm/ga-hostdb.XXXXXX";

static void journal(struct ga_hostdb *h)
{
	ga_autojournal struct ga_journal j = { 0 };
	struct ga_err err = GA_ERR_INIT;
	int64_t a, b, again;

	t_int(ga_journal_intend(h, "alloc", "file", "/a", "{\"remove\":\"/a\"}", &a, &err), 0,
	      "intent");
	t_int(ga_journal_intend(h, "alloc", "domain", "d", "{}", &b, &err), 0, "another");
	t_int(ga_journal_intend(h, "alloc", "file", "/a", "{\"remove\":\"/b\"}", &again, &err), 0,
	      "the first again");
	t_int(again, a, "is the same entry");
	t_int(ga_journal_done(h, a, &err), 0, "done");
	t_int(ga_journal_open_entries(h, "alloc", &j, &err), 0, "list");
	t_ok(j.n == 2 && j.v[0].seq == b && j.v[1].seq == a, "newest first");
	t_ok(j.n == 2 && ga_streq(j.v[1].inverse, "{\"remove\":\"/a\"}"),
	     "the first inverse stays");
	t_ok(j.n == 2 && j.v[1].done && !j.v[0].done, "done and only intended are told apart");
	t_int(ga_journal_undone(h, a, &err), 0, "undone");
	t_int(ga_journal_undone(h, a, &err), -1, "a closed entry stays closed");
	ga_err_clear(&err);
	t_int(ga_journal_intend(h, "alloc", "file", "/a", "{}", &again, &err), 0, "later again");
	t_ok(again > b, "is a new entry");
	t_int(ga_journal_undone(h, 9999, &err), -1, "an entry that is not there");
	t_int(err.code, GA_NOTFOUND, "is reported so");
}

static void attempts(struct ga_hostdb *h)
{
	ga_autoattempt struct ga_attempt a = { 0 };
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_attempt_begin(h, "at1", "obj", "provision", "{\"x\":1}", "boot", &err), 1, "new");
	t_int(ga_attempt_begin(h, "at1", "obj", "provision", "{\"x\":1}", "boot", &err), 0,
	      "known");
	t_int(ga_attempt_begin(h, "at1", "obj", "provision", "{\"x\":2}", "boot", &err), -1,
	      "with another text");
	t_ok(ga_streq(err.reason, "old_digest"), "is refused: %s", err.reason);
	ga_err_clear(&err);
	t_int(ga_attempt_phase(h, "at1", "clone", &err), 0, "a phase");
	t_int(ga_attempt_find(h, "provision", NULL, &a, &err), 1, "the one at work");
	t_ok(ga_streq(a.attempt, "at1") && ga_streq(a.phase, "clone"), "is found");
	ga_attempt_release(&a);
	t_int(ga_attempt_end(h, "at1", "done", "{}", &err), 0, "done");
	t_int(ga_attempt_find(h, "provision", NULL, &a, &err), 0, "none is at work");
	t_int(ga_attempt_find(h, "provision", "obj", &a, &err), 1, "by its object");
	t_ok(ga_streq(a.state, "done"), "it is done");
	t_int(ga_attempt_phase(h, "nope", "clone", &err), -1, "an attempt that is not there");
}

/* One state's orders are carried out: the first one's, until somebody says another. */
static void served(struct ga_hostdb *h)
{
	const struct ga_issuer a = { "obj", "a1", "aaaa", 1 }, b = { "obj", "b1", "bbbb", 2 };
	const struct ga_issuer known = { "obj", "at1", "bbbb", 2 }, old = { "obj", "o1", NULL, 0 };
	const struct ga_issuer known_old = { "obj", "at1", NULL, 0 };
	ga_autoserved struct ga_served s = { 0 };
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_hostdb_served(h, &s, &err), 0, "nobody is served yet");
	t_int(ga_hostdb_accept_controller(h, &old, false, &err), 0, "an order that names no state");
	t_int(ga_hostdb_served(h, &s, &err), 0, "begins nothing");
	t_int(ga_hostdb_accept_controller(h, &a, false, &err), 0, "the first");
	t_int(ga_hostdb_accept_controller(h, &a, false, &err), 0, "and again");
	t_int(ga_hostdb_would_serve(h, &a, &err), 0, "a dry run of it");
	t_int(ga_hostdb_would_serve(h, &known, &err), 0, "and of what was taken up");
	t_int(ga_hostdb_would_serve(h, &known_old, &err), 0, "also where that names no state");
	t_int(ga_hostdb_accept_controller(h, &known_old, false, &err), 0, "and the work itself");
	t_int(ga_hostdb_would_serve(h, &old, &err), -1, "but not of what names no state");
	t_ok(ga_streq(err.reason, "other_controller"), "which is refused: %s", err.msg);
	ga_err_clear(&err);
	t_int(ga_hostdb_accept_controller(h, &old, false, &err), -1, "nor of its work");
	ga_err_clear(&err);
	t_int(ga_hostdb_accept_controller(h, &old, true, &err), -1,
	      "which takes nothing over either");
	ga_err_clear(&err);
	t_int(ga_hostdb_would_serve(h, &b, &err), -1, "but not of another one");
	t_ok(ga_streq(err.reason, "other_controller"), "which is refused: %s", err.msg);
	ga_err_clear(&err);
	t_int(ga_hostdb_served(h, &s, &err), 1, "who is served");
	t_ok(!s.refused_controller, "and nothing is noted of it");
	ga_served_release(&s);
	t_int(ga_hostdb_accept_controller(h, &b, false, &err), -1, "another one");
	t_ok(err.code == GA_CONFLICT && ga_streq(err.reason, "other_controller"),
	     "is refused: %s", err.msg);
	ga_err_clear(&err);
	t_int(ga_hostdb_accept_controller(h, &known, false, &err), 0,
	      "but what was taken up goes on");
	t_int(ga_hostdb_served(h, &s, &err), 1, "who is served");
	t_ok(ga_streq(s.controller, "aaaa") && s.epoch == 1, "is still the first");
	t_ok(ga_streq(s.refused_controller, "bbbb") && s.refused_epoch == 2, "the other is noted");
	ga_served_release(&s);
	t_int(ga_hostdb_accept_controller(h, &b, true, &err), 0, "it takes over");
	t_int(ga_hostdb_accept_controller(h, &a, false, &err), -1, "and the first is refused");
	ga_err_clear(&err);
	t_int(ga_hostdb_accept_controller(h, &a, true, &err), 0, "and takes it back");
	t_int(ga_hostdb_served(h, &s, &err), 1, "then");
	t_ok(!s.refused_controller, "nobody was refused since");
}

static void make_evidence(struct ga_wipe_evidence *e, const char *attempt, const char *outcome)
{
	ga_schema_init(&ga_wipe_evidence_schema, e);
	e->evidence = ga_id_new();
	e->attempt = ga_xstrdup(attempt);
	e->object = ga_xstrdup("s0000000");
	e->started_at = ga_xstrdup("2026-11-20T18:00:00.000000Z");
	e->finished_at = ga_xstrdup("2026-11-20T18:00:01.000000Z");
	e->cause = ga_xstrdup("first");
	e->device.wwid = ga_xstrdup("eui.1");
	e->device.medium = ga_xstrdup("file");
	e->policy.minimum_class = ga_xstrdup("clear");
	e->policy.verify = ga_xstrdup("full");
	e->policy.gpu_memory = ga_xstrdup("if_supported");
	e->gpu_memory.step = ga_xstrdup("gpu_memory");
	e->gpu_memory.outcome = ga_xstrdup("not_proven");
	e->gpu_reset.step = ga_xstrdup("gpu_reset");
	e->gpu_reset.outcome = ga_xstrdup("confirmed");
	e->vf_state.step = ga_xstrdup("vf_state");
	e->vf_state.outcome = ga_xstrdup("not_needed");
	e->class = ga_xstrdup("clear");
	e->outcome = ga_xstrdup(outcome);
	e->tool = ga_xstrdup("t");
}

static void keep(struct ga_hostdb *h, const char *attempt, const char *object, const char *at)
{
	struct ga_err err = GA_ERR_INIT;
	struct ga_wipe_order o;

	ga_schema_init(&ga_wipe_order_schema, &o);
	o.node = ga_xstrdup("n-1");
	o.object = ga_xstrdup(object);
	o.generation = 1;
	o.attempt = ga_xstrdup(attempt);
	o.issued_at = ga_xstrdup(at);
	o.cause = ga_xstrdup("first");
	o.nvme_wwid = ga_xstrdup("eui.1");
	o.wipe.minimum_class = ga_xstrdup("clear");
	o.wipe.verify = ga_xstrdup("full");
	o.wipe.gpu_memory = ga_xstrdup("if_supported");
	t_int(ga_hostdb_keep_order(h, &o, &err), 0, "order %s is kept", attempt);
	t_int(ga_hostdb_keep_order(h, &o, &err), 0, "twice is once");
	o.dry_run = true;
	t_int(ga_hostdb_keep_order(h, &o, &err), -1, "a dry run's is not");
	ga_schema_release(&ga_wipe_order_schema, &o);
}

static int64_t pending_of(struct ga_hostdb *h, bool unanswered)
{
	ga_autotexts struct ga_texts texts = { 0 };
	struct ga_err err = GA_ERR_INIT;
	int r = ga_hostdb_pending_wipes(h, unanswered, &texts, &err);

	return r < 0 ? -1 : (int64_t)texts.n;
}

static int64_t pending(struct ga_hostdb *h)
{
	return pending_of(h, false);
}

static void evidence(struct ga_hostdb *h)
{
	struct ga_err err = GA_ERR_INIT;
	struct ga_wipe_evidence e, back;
	ga_autofree char *first = NULL;

	keep(h, "w0000000", "s0000000", "2026-11-20T18:00:00.000000Z");
	keep(h, "w0000001", "s0000001", "2026-11-20T18:00:00.000000Z");
	t_int(pending(h), 2, "two wipes wait");
	make_evidence(&e, "w0000000", "failed");
	t_int(ga_evidence_add(h, &e, &err), 0, "evidence: %s", err.msg);
	t_ok(!e.previous_digest, "the first has none before it");
	first = ga_xstrdup(e.digest);
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	t_int(pending(h), 2, "failed evidence ends no order");
	t_int(pending_of(h, true), 1, "and is an answer");
	make_evidence(&e, "w0000000", "confirmed");
	t_int(ga_evidence_add(h, &e, &err), 0, "more evidence");
	t_ok(ga_streq(e.previous_digest, first), "it names the one before");
	t_int(pending(h), 1, "confirmed evidence does");
	keep(h, "w0000009", "s0000001", "2026-11-20T19:00:00.000000Z");
	t_int(pending(h), 1, "of a slot only the newest order waits");
	t_int(ga_evidence_get(h, "eui.1", &back, &err), 1, "by wwid");
	t_ok(ga_streq(back.digest, e.digest), "the newest");
	ga_schema_release(&ga_wipe_evidence_schema, &back);
	t_int(ga_evidence_get(h, "nobody", &back, &err), 0, "an unknown key");
	ga_schema_release(&ga_wipe_evidence_schema, &e);
}

/* A row is no evidence: its record has to say the same, by its own digest. */
static void forged(struct ga_hostdb *h)
{
	static const struct {
		const char *outcome, *wwid;
		bool sealed;
		int wiped;
		const char *what;
	} cases[] = {
		{ NULL, NULL, false, 0, "a record that is none" },
		{ "failed", "eui.3", true, 0, "a record that says failed" },
		{ "confirmed", "eui.1", true, 0, "a record of another disk" },
		{ "confirmed", "eui.3", false, 0, "a record with another digest" },
		{ "confirmed", "eui.3", true, 1, "a record that says it" },
	};
	struct ga_err err = GA_ERR_INIT;
	struct ga_wipe_evidence e;
	char *by = NULL;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autofree char *id = ga_xprintf("fgedfge%zu", i), *text = ga_xstrdup("{}");

		make_evidence(&e, id, cases[i].outcome ? cases[i].outcome : "confirmed");
		free(e.device.wwid);
		e.device.wwid = ga_xstrdup(cases[i].wwid ? cases[i].wwid : "eui.3");
		ga_wipe_evidence_seal(&e);
		if (!cases[i].sealed)
			e.digest[strlen(e.digest) - 1] ^= 1;
		if (cases[i].outcome) {
			free(text);
			text = ga_rec_format_text(&ga_wipe_evidence_schema, &e);
		}
		t_int(ga_db_begin(h->db, "test", &err), 0, "begin: %s", err.msg);
		t_int(ga_db_exec(h->db, &err,
				 "INSERT INTO evidence (evidence, wwid, outcome, digest, "
				 "previous_digest, record, at) VALUES (?1, 'eui.3', 'confirmed', "
				 "?1, (SELECT digest FROM evidence ORDER BY seq DESC LIMIT 1), ?2, "
				 "'2999-01-01T00:00:00.000000Z')",
				 "ss", id, text),
		      1, "%s is inserted: %s", cases[i].what, err.msg);
		t_int(ga_db_commit(h->db, &err), 0, "commit");
		t_int(ga_hostdb_wiped(h, "eui.3", "mine", &by, &err), cases[i].wiped, "%s",
		      cases[i].what);
		ga_schema_release(&ga_wipe_evidence_schema, &e);
	}
}

/* After evidence(): eui.1 has a failed and then a confirmed wipe. */
static void wiped(struct ga_hostdb *h)
{
	struct ga_err err = GA_ERR_INIT;
	struct ga_hostdb none = { 0 };
	char *by = NULL;
	int64_t seq;

	t_int(ga_hostdb_wiped(h, "eui.1", "mine", &by, &err), 1, "a confirmed wipe: %s", err.msg);
	t_int(ga_hostdb_wiped(h, "eui.2", "mine", &by, &err), 0, "another disk was never wiped");
	t_ok(!by, "and nobody wrote on it");
	forged(h);
	t_int(ga_hostdb_wiped(&none, "eui.1", "mine", &by, &err), 0, "nor any without host.db");
	t_int(ga_journal_intend(h, "mine", "disk", "eui.1", "{}", &seq, &err), 0, "written");
	t_int(ga_hostdb_wiped(h, "eui.1", "mine", &by, &err), 1, "by the one who has it");
	t_int(ga_hostdb_wiped(h, "eui.1", "other", &by, &err), 0, "by somebody else");
	t_str(by, "mine", "who is named");
	free(by);
}

static void gpu_errors(struct ga_hostdb *h)
{
	struct ga_err err = GA_ERR_INIT;
	struct ga_hostdb none = { 0 };
	int64_t n = 7;

	t_int(ga_hostdb_gpu_errors(h, "gpu", "boot1", &n, &err), 0, "errors: %s", err.msg);
	t_int(n, 0, "nobody told of any");
	t_int(ga_hostdb_keep_gpu_errors(h, "gpu", "boot1", 2, &err), 0, "told");
	t_int(ga_hostdb_keep_gpu_errors(h, "gpu", "boot1", 3, &err), 0, "of more");
	t_int(ga_hostdb_gpu_errors(h, "gpu", "boot1", &n, &err), 0, "then");
	t_int(n, 3, "the last count");
	t_int(ga_hostdb_gpu_errors(h, "gpu", "boot2", &n, &err), 0, "in another boot");
	t_int(n, 0, "counting began anew");
	t_int(ga_hostdb_gpu_errors(&none, "gpu", "boot1", &n, &err), 0, "without host.db");
	t_int(n, 0, "the state knows of none");
}

/* Changes that an operator with an SQL prompt may not make. */
static void attacks(struct ga_hostdb *h)
{
	struct ga_err err = GA_ERR_INIT;

#define REFUSED(sql, word) \
	do { \
		ga_err_clear(&err); \
		t_int(ga_db_begin(h->db, "attack", &err), 0, "begin"); \
		t_int(ga_db_exec(h->db, &err, sql, ""), -1, "refused: %s", sql); \
		t_ok(ga_streq(err.reason, word), "%s", err.reason); \
		ga_db_rollback(h->db); \
	} while (0)
	REFUSED("UPDATE evidence SET outcome = 'confirmed'", "evidence_fixed");
	REFUSED("DELETE FROM evidence", "evidence_kept");
	REFUSED("INSERT INTO evidence (evidence, wwid, outcome, digest, record, at) "
		"VALUES ('x', 'y', 'confirmed', 'z', '{}', 'now')", "evidence_chain");
	REFUSED("INSERT OR REPLACE INTO evidence (evidence, wwid, outcome, digest, "
		"previous_digest, "
		"record, at) SELECT evidence, wwid, 'confirmed', 'z', (SELECT digest FROM evidence "
		"ORDER BY seq DESC LIMIT 1), '{}', at FROM evidence ORDER BY seq LIMIT 1",
		"evidence_fixed");
	REFUSED("INSERT OR REPLACE INTO journal (seq, object, op, subject, inverse, at) "
		"VALUES (1, 'a', 'b', 'c', '{}', 'now')", "journal_fixed");
	REFUSED("INSERT OR REPLACE INTO attempt (attempt, object, program, order_text, started_at) "
		"VALUES ('at1', 'b', 'wipe', '{}', 'now')", "attempt_fixed");
	REFUSED("UPDATE journal SET undone = 0 WHERE undone = 1", "journal_closed");
	REFUSED("UPDATE attempt SET order_text = ''", "attempt_fixed");
	REFUSED("DELETE FROM attempt", "attempt_kept");
	REFUSED("UPDATE journal SET inverse = '{}' WHERE undone = 0", "journal_fixed");
	REFUSED("DELETE FROM journal", "journal_kept");
}

static void holds(void)
{
	struct ga_err err = GA_ERR_INIT;
	int a, b;

	t_int(ga_object_lock(dir, "../x/y", "t", &a, &err), 0, "a hold: %s", err.msg);
	t_int(ga_object_lock(dir, "../x/y", "t", &b, &err), -1, "held already");
	t_ok(err.code == GA_BUSY && ga_streq(err.reason, "held"), "%s", err.msg);
	close(a);
	t_int(ga_object_lock(dir, "../x/y", "t", &b, &err), 0, "let go, taken again");
	close(b);
}

/* Workers of one program make it at first use, all at once; nobody takes a file that another is
 * about to finish for a stranger's. */
static void made_at_once(void)
{
	int failed = 0, status, round, i;

	for (round = 0; round < 300; round++) {
		ga_autofree char *own = ga_xprintf("%s/once%d", dir, round);

		for (i = 0; i < 8; i++)
			if (fork() == 0) {
				struct ga_err err = GA_ERR_INIT;
				struct ga_hostdb h;
				int r = ga_hostdb_open_or_make(own, &h, &err);

				if (r < 0)
					printf("# %s\n", err.msg);
				fflush(stdout);
				_exit(r < 0);
			}
		while (wait(&status) > 0)
			failed += status != 0;
	}
	t_int(failed, 0, "made by eight at once, three hundred times");
}

/* Stands before libc's: with this set, somebody removes the file as soon as it is there. */
static bool removes;

int link(const char *from, const char *to)
{
	int r = linkat(AT_FDCWD, from, AT_FDCWD, to, 0);

	if (r == 0 && removes)
		unlink(to);
	return r;
}

static int entries(const char *path)
{
	DIR *d = opendir(path);
	int n = -2; /* "." and ".." */

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* Nothing is written any more, as on a disk that is full. */
static int full(bool on)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	if (getrlimit(RLIMIT_FSIZE, &limit) < 0)
		return -1;
	limit.rlim_cur = on ? 0 : limit.rlim_max;
	return setrlimit(RLIMIT_FSIZE, &limit);
}

static void key_errors(void)
{
	ga_autofree char *own = ga_xprintf("%s/key", dir), *key = ga_xprintf("%s/node.key", own);
	struct ga_sign_key *ret = NULL;
	struct ga_err err = GA_ERR_INIT;
	int r;

	t_int(mkdir(own, 0700), 0, "a folder");
	fflush(stdout);
	t_int(full(true), 0, "no room");
	r = ga_hostdb_make_key(own, &ret, &err);
	full(false);
	t_code(r, &err, GA_SYSTEM, "cannot write '", "no room for the key is reported");
	t_int(entries(own), 0, "and no half of it is left");
	ga_err_clear(&err);
	removes = true;
	r = ga_hostdb_make_key(own, &ret, &err);
	t_code(r, &err, GA_SYSTEM, "was removed while it was made", "removed meanwhile");
	removes = false;
	t_int(entries(own), 0, "nothing is left of that either");
	ga_err_clear(&err);
	t_int(symlink("/nowhere/node.key", key), 0, "a link in its place");
	t_int(ga_hostdb_make_key(own, &ret, &err), -1, "is not followed");
	t_ok(strstr(err.msg, "cannot open '") != NULL, "and said: %s", err.msg);
	t_int(unlink(key), 0, "away with it");
	ga_err_clear(&err);
	t_int(ga_hostdb_make_key(own, &ret, &err), 1, "made at last: %s", err.msg);
	t_int(entries(own), 1, "and alone there");
	ga_sign_close(ret);
}

static void tuning(struct ga_hostdb *h)
{
	static const bool tuned[] = { false, true, false };
	struct ga_tuning t;
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	t_int(ga_hostdb_tuning(h, true, &t, &err), 0, "no record of the tuned host yet");
	for (i = 0; i < GA_ARRAY_SIZE(tuned); i++) {
		ga_schema_init(&ga_tuning_schema, &t);
		t.node = ga_xstrdup("n1");
		t.at = ga_xprintf("2026-11-26T10:00:0%zu.000000Z", i);
		t.tool = ga_xstrdup("t");
		t.tuned = tuned[i];
		t_int(ga_hostdb_keep_tuning(h, &t, &err), 0, "a record of the tuning is kept");
		ga_schema_release(&ga_tuning_schema, &t);
	}
	for (i = 1; i < 3; i++) {
		ga_autofree char *at = ga_xprintf("2026-11-26T10:00:0%zu.000000Z", i);

		t_int(ga_hostdb_tuning(h, i == 1, &t, &err), 1, "the newest is found: %s",
		      err.msg);
		t_ok(ga_streq(t.at, at) && t.tuned == (i == 1), "of %s", t.at);
		ga_schema_release(&ga_tuning_schema, &t);
	}
}

int main(void)
{
	const char *argv[] = { "rm", "-rf", "--", dir, NULL };
	const struct ga_proc rm = { .argv = argv };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	struct ga_err err = GA_ERR_INIT;
	struct ga_hostdb h;

	if (!mkdtemp(dir))
		return 1;
	fflush(stdout);
	made_at_once();
	key_errors();
	t_int(ga_hostdb_open_or_make(dir, &h, &err), 0, "host.db is made at first use: %s",
	      err.msg);
	journal(&h);
	attempts(&h);
	served(&h);
	evidence(&h);
	wiped(&h);
	gpu_errors(&h);
	tuning(&h);
	attacks(&h);
	holds();
	ga_hostdb_close(&h);
	t_int(ga_proc_check(&rm, &out, &err), 0, "cleaned up");
	return t_done();
}
