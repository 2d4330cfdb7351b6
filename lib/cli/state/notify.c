/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-state notify: runs hooks for objects that need a person, and for objects that no longer
 * do. First it updates the notices to the present state. Then it calls each hook for its open
 * notices and records each call after its end. After a kill, the next run repeats the calls that
 * were not recorded, with the same number of the notice.
 */
#include "cli/state/state.h"

#include <inttypes.h>
#include <stdlib.h>

#include "act/device/hooks.h"
#include "base/stop.h"
#include "look/host/host.h"
#include "record/notice.h"
#include "record/rec.h"
#include "record/time.h"
#include "state/watch/notice.h"

#define FAILURES_MOST 3 /* consecutive failures; then no more calls of the hook in this run */

static const char *folder;
static int64_t deadline = 30, jobs = 4;
static bool dry_run;

const struct ga_opt ga_cli_notify_opts[] = {
	{ .name = "hooks", .type = GA_O_PATH, .var = &folder, .arg = "DIR",
	  .help = "folder of the hooks (default $GPUAAS_NOTIFY_DIR, /etc/gpuaas/notify.d)" },
	{ .name = "deadline", .type = GA_O_DURATION, .var = &deadline, .arg = "TIME",
	  .help = "time that one call may take (default 30s)" },
	{ .name = "jobs", .type = GA_O_INT, .var = &jobs, .arg = "N", .min = 1, .max = 64,
	  .help = "calls at once (default 4)" },
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &dry_run,
	  .help = "show each notice that a hook would get, run no hook" },
	GA_OPTS_END,
};

/* One call of a hook: the notice, its text on stdin, and the environment. */
struct telling {
	struct ga_notice *notice;
	char *input, *change, *number;
	const char *env[3];
};

struct tellings {
	struct telling *v;
	struct ga_hook_call *calls;
	size_t n;
	struct ga_db *db;
};

static void cleanup_tellings(struct tellings *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		free(t->v[i].input);
		free(t->v[i].change);
		free(t->v[i].number);
	}
	free(t->v);
	free(t->calls);
}

/* ---- recording of calls ---- */

static int begin(struct ga_db *db, struct ga_err *err)
{
	return ga_db_begin(db, "gpuaas-state notify", err);
}

static int end(struct ga_db *db, int r, struct ga_err *err)
{
	if (r == 0)
		return ga_db_commit(db, err);
	ga_db_rollback(db);
	return -1;
}

static int note_failure(struct ga_db *db, const char *hook, const char *sentence,
			struct ga_err *err)
{
	ga_cli_note_status(GA_EXTERNAL);
	if (begin(db, err) < 0)
		return -1;
	return end(db, ga_store_notice_failed(db, hook, sentence, err), err);
}

static int on_end(size_t call, const char *failure, const char *said, void *arg,
		  struct ga_err *err)
{
	const struct tellings *t = arg;
	struct ga_notice *n = t->v[call].notice;

	if (failure) {
		ga_say("gpuaas-state: hook '%s' did not get notice %" PRId64 ": %s%s%s",
		       n->hook, n->notice, failure, *said ? ": " : "", said);
		n->failure = ga_xstrdup(failure);
		if (note_failure(t->db, n->hook, failure, err) < 0)
			return -1;
	} else if (begin(t->db, err) < 0 ||
		   end(t->db, ga_store_notice_told(t->db, n, err), err) < 0) {
		return -1;
	}
	n->told = !failure;
	return ga_emit(&ga_notice_schema, n, err);
}

/* ---- the run ---- */

/* Reports hooks that may not be run as failures, even if there is no notice for them. */
static int note_refused(struct ga_db *db, const struct ga_hooks *hooks, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < hooks->n; i++) {
		const struct ga_hook *h = &hooks->v[i];

		if (!h->refused)
			continue;
		ga_say("gpuaas-state: '%s' is not run: %s", h->path, h->refused);
		if (!dry_run && note_failure(db, h->name, h->refused, err) < 0)
			return -1;
	}
	return 0;
}

static int tidy(struct ga_db *db, const struct ga_hooks *hooks, struct ga_err *err)
{
	ga_autofree const char **names = ga_xcalloc(hooks->n + 1, sizeof(*names));
	size_t i;
	int r = 0;

	for (i = 0; i < hooks->n; i++)
		names[i] = hooks->v[i].name;
	if (begin(db, err) < 0)
		return -1;
	for (i = 0; i < hooks->n && r == 0; i++)
		if (!hooks->v[i].refused)
			r = ga_store_notice_well(db, names[i], err);
	if (r == 0)
		r = ga_store_notice_tidy(db, names, err);
	return end(db, r, err);
}

static const struct ga_hook *hook_of(const struct ga_hooks *hooks, const char *name)
{
	size_t i;

	for (i = 0; strcmp(hooks->v[i].name, name); i++)
		;
	return &hooks->v[i];
}

static int tell(struct ga_db *db, const struct ga_hooks *hooks, struct ga_notices *owed,
		struct ga_err *err)
{
	const struct ga_hook_limits limits = { .timeout_micros = deadline * GA_SECOND,
					       .jobs = (size_t)jobs, .failures = FAILURES_MOST };
	ga_cleanup(cleanup_tellings) struct tellings t = { .db = db, .n = owed->n };
	size_t i;
	int left;

	t.v = ga_xcalloc(owed->n, sizeof(*t.v));
	t.calls = ga_xcalloc(owed->n, sizeof(*t.calls));
	for (i = 0; i < owed->n; i++) {
		struct ga_notice *notice = &owed->v[i];
		struct telling *one = &t.v[i];
		ga_autostr struct ga_str line = GA_STR_INIT;

		one->notice = notice;
		one->input = ga_rec_format_text(&ga_notice_schema, notice);
		ga_str_add(&line, one->input);
		ga_str_addc(&line, '\n');
		free(one->input);
		one->input = ga_str_take(&line);
		one->change = ga_xprintf("GPUAAS_CHANGE=%s", notice->change);
		one->number = ga_xprintf("GPUAAS_NOTICE=%" PRId64, notice->notice);
		one->env[0] = one->change;
		one->env[1] = one->number;
		t.calls[i] = (struct ga_hook_call){ hook_of(hooks, owed->v[i].hook),
						    t.v[i].input, t.v[i].env };
	}
	ga_stop_install();
	left = ga_hooks_run(t.calls, t.n, &limits, on_end, &t, err);
	if (left > 0)
		ga_say("gpuaas-state: %d call%s not made: the next run makes %s", left,
		       left == 1 ? " was" : "s were", left == 1 ? "it" : "them");
	if (left < 0 || ga_stop_check("telling", err) < 0)
		return -1;
	return 0;
}

/* Reads the open notices of all hooks, in the caller's transaction. */
static int read_owed(struct ga_db *db, const struct ga_hooks *hooks, struct ga_notices *ret,
		     struct ga_err *err)
{
	size_t i;

	for (i = 0; i < hooks->n; i++)
		if (!hooks->v[i].refused &&
		    ga_store_notice_owed(db, hooks->v[i].name, ret, err) < 0)
			return -1;
	return 0;
}

static int look(struct ga_db *db, int64_t stale, struct ga_err *err)
{
	ga_autofree char *here = ga_host_node_if_known(ga_cli_setting("GPUAAS_NODE", NULL));
	ga_autolook struct ga_notice_look *seen = NULL;
	int differs = ga_store_notice_look(db, stale, here, &seen, err);

	if (differs <= 0)
		return differs;
	if (begin(db, err) < 0)
		return -1;
	return end(db, ga_store_notice_write(db, seen, err), err);
}

static int look_and_tell(struct ga_db *db, const struct ga_hooks *hooks, int64_t stale,
			 struct ga_err *err)
{
	ga_autonotices struct ga_notices owed = { 0 };
	int r;

	if (tidy(db, hooks, err) < 0 || note_refused(db, hooks, err) < 0 ||
	    look(db, stale, err) < 0 || ga_db_begin_read(db, err) < 0)
		return -1;
	r = read_owed(db, hooks, &owed, err);
	ga_db_rollback(db);
	if (r < 0)
		return -1;
	return owed.n ? tell(db, hooks, &owed, err) : 0;
}

/* For a dry run: writes the notices, emits the calls that each hook would get, and rolls back. */
static int show(struct ga_db *db, const struct ga_hooks *hooks, int64_t stale, struct ga_err *err)
{
	ga_autofree char *here = ga_host_node_if_known(ga_cli_setting("GPUAAS_NODE", NULL));
	ga_autolook struct ga_notice_look *seen = NULL;
	ga_autonotices struct ga_notices owed = { 0 };
	size_t i;
	int r;

	if (note_refused(db, hooks, err) < 0 ||
	    ga_store_notice_look(db, stale, here, &seen, err) < 0 || begin(db, err) < 0)
		return -1;
	r = ga_store_notice_write(db, seen, err);
	if (r == 0)
		r = read_owed(db, hooks, &owed, err);
	ga_db_rollback(db);
	for (i = 0; i < owed.n && r == 0; i++)
		r = ga_emit(&ga_notice_schema, &owed.v[i], err);
	return r;
}

int ga_cli_notify(struct ga_err *err)
{
	ga_autohooks struct ga_hooks hooks = { 0 };
	ga_autodb struct ga_db *db = NULL;
	ga_autofd int lock = -1;
	int64_t stale;

	if (!folder)
		folder = ga_cli_setting("GPUAAS_NOTIFY_DIR", "/etc/gpuaas/notify.d");
	if (!deadline)
		return ga_fail(err, GA_USAGE, "--deadline is at least one second");
	if (ga_cli_stale_after(&stale, err) < 0 ||
	    ga_hooks_find(folder, &hooks, err) < 0 ||
	    ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, err) < 0)
		return -1;
	lock = ga_store_notice_lock(db, err);
	if (lock < 0)
		return -1;
	if (!hooks.n)
		ga_say("gpuaas-state: nobody is notified: there is no hook in '%s'", folder);
	if (dry_run)
		return show(db, &hooks, stale, err);
	/* If the folder is empty or missing, keep its hooks' records: the folder may come back. */
	return hooks.n ? look_and_tell(db, &hooks, stale, err) : look(db, stale, err);
}
