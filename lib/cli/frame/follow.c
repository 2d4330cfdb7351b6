/* SPDX-License-Identifier: Apache-2.0 */
/* Following the audit: read new rows, wait until the file changes, repeat. */
#include "cli/frame/follow.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stop.h"
#include "cli/frame/cli.h"
#include "cli/frame/emit.h"
#include "cli/frame/form.h"
#include "cli/frame/pager.h"
#include "record/node.h"
#include "record/size.h"
#include "record/state.h"
#include "state/query/list.h"
#include "state/watch/events.h"

/* The file is checked this often even without an event of inotify. */
#define LOOK_SECONDS 2

struct follow {
	const char *path;
	const struct ga_list_query *q;
	ga_store_each each;
	void *arg;
	struct ga_db *db;
	dev_t dev; /* of the file that is open */
	ino_t ino;
	int64_t last, n; /* number of the last row; count of the rows passed to each */
	int64_t epoch;	 /* GA_UNKNOWN: not read yet */
	int watch;	 /* inotify, or -1: only checked every LOOK_SECONDS */
	sigset_t open;	 /* signals while it waits */
};

static void cleanup_follow(struct follow *f)
{
	ga_db_close(f->db);
	ga_cleanup_fd(&f->watch);
	sigprocmask(SIG_SETMASK, &f->open, NULL);
}

static int each_row(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	struct follow *f = arg;
	int r = f->each(schema, obj, f->arg, err);

	if (r < 0)
		return -1;
	f->last = schema == &ga_event_schema ? ((const struct ga_event *)obj)->seq :
					     ((const struct ga_audit *)obj)->seq;
	f->n++;
	return 0;
}

/* ---- the file ---- */

static int fail_restored(const struct follow *f, struct ga_err *err)
{
	return ga_refuse(err, GA_CONFLICT, "restored", NULL,
			 ("the state '%s' was replaced: its rows do not follow row "
			  "%" PRId64, f->path, f->last),
			 ("gpuaas-list audit --where action=state_restored shows it; begin again "
			  "after a row that both have"));
}

/* Opens the file at the path; fails if a file is open and the path now has another one. */
static int reopen(struct follow *f, struct ga_err *err)
{
	struct stat st;

	if (stat(f->path, &st) == 0 && f->db && st.st_dev == f->dev && st.st_ino == f->ino)
		return 0;
	if (f->db)
		return fail_restored(f, err);
	if (ga_db_open(f->path, GA_DB_STATE, GA_DB_READ, &f->db, err) < 0)
		return -1;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	return 0;
}

static int read_end(struct follow *f, struct ga_events_end *ret, struct ga_err *err)
{
	if (ga_store_events_end(f->db, ret, err) < 0)
		return -1;
	if (ret->seq < f->last || (f->epoch != GA_UNKNOWN && f->epoch != ret->epoch))
		return fail_restored(f, err);
	f->epoch = ret->epoch;
	return 0;
}

/* 1: more rows may come; 0: the limit is reached. */
static int read_new(struct follow *f, struct ga_err *err)
{
	ga_autofree char *after = ga_xprintf("%" PRId64, f->last);
	struct ga_list_query q = *f->q;
	struct ga_events_end end;
	int r;

	if (reopen(f, err) < 0 || ga_db_begin_read(f->db, err) < 0)
		return -1;
	q.after = after;
	q.limit = f->q->limit ? f->q->limit - f->n : 0;
	r = read_end(f, &end, err);
	if (r == 0)
		r = ga_store_list(f->db, &q, each_row, f, err);
	ga_db_rollback(f->db);
	if (r < 0)
		return -1;
	if (f->q->limit && f->n >= f->q->limit)
		return 0;
	/* Do not read again the rows that the conditions rejected. */
	f->last = end.seq;
	return 1;
}

/* ---- waiting ---- */

/* 1: check again; 0: the reader is gone, or a signal came. */
static int wait_for_change(struct follow *f)
{
	const struct timespec most = { .tv_sec = LOOK_SECONDS };
	struct pollfd fds[] = { { .fd = STDOUT_FILENO }, { .fd = f->watch, .events = POLLIN } };
	char buf[4096];

	if (ppoll(fds, GA_ARRAY_SIZE(fds), &most, &f->open) < 0 && errno != EINTR)
		return 0;
	while (f->watch >= 0 && read(f->watch, buf, sizeof(buf)) > 0)
		;
	return !ga_stop_asked() && !(fds[0].revents & (POLLERR | POLLHUP | POLLNVAL));
}

int ga_follow_inotify(const char *path)
{
	/* The folder: writers change the files beside the state too. */
	const char *slash = strrchr(path, '/');
	ga_autofree char *folder =
		slash ? ga_xstrndup(path, slash == path ? 1 : (size_t)(slash - path)) :
			ga_xstrdup(".");
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd >= 0)
		(void)inotify_add_watch(fd, folder,
					IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
	return fd;
}

int ga_follow(const char *path, const struct ga_list_query *q, ga_store_each each, void *arg,
	      struct ga_err *err)
{
	ga_cleanup(cleanup_follow) struct follow f = { .path = path, .q = q, .each = each,
						       .arg = arg, .epoch = GA_UNKNOWN,
						       .watch = -1 };
	int r;
	sigset_t held;

	/* Signals arrive only during the wait, so that every row is written completely. */
	ga_stop_install();
	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGHUP);
	sigprocmask(SIG_BLOCK, &held, &f.open);
	if (q->after && ga_int_parse(q->after, "--after", 0, GA_INT_MAX_SAFE, &f.last, err) < 0)
		return -1;
	if (ga_pager_end() < 0)
		return ga_fail_sys(err, "cannot write to the terminal");
	/* Always records: a table is printed only at its end, which never comes. */
	if (ga_form_choose("json", NULL, NULL, NULL, err) < 0)
		return -1;
	ga_emit_open(true, true);
	f.watch = ga_follow_inotify(f.path);
	while ((r = read_new(&f, err)) > 0)
		if (!wait_for_change(&f))
			return 0;
	return r;
}
