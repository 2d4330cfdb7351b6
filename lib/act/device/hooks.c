/* SPDX-License-Identifier: Apache-2.0 */
/* Executables that get a text on stdin, several at once. */
#include "act/device/hooks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc.h"
#include "base/stop.h"
#include "base/str.h"

#define SAID_MAX 4096
#define LOOK_MILLIS 50 /* the end of a hook is noticed within this time, also when its streams stay
			  open */

/* ---- finding ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct ga_hook *)a)->name, ((const struct ga_hook *)b)->name);
}

static bool is_name(const char *s)
{
	return *s && *s != '-' &&
	       !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];
}

static bool is_ours(const struct stat *st)
{
	return !st->st_uid || st->st_uid == geteuid();
}

/* A link is refused because the owner of its folder could change its target. */
const char *ga_hook_why_refused(const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return "it is a symbolic link: put the file itself there";
	if (!S_ISREG(st->st_mode))
		return "it is no regular file";
	if (!is_ours(st))
		return "it does not belong to root";
	if (st->st_mode & 022)
		return "users other than its owner may write it";
	return NULL;
}

int ga_hooks_check_folder(const char *folder, int dir, struct ga_err *err)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return ga_fail_sys(err, "looking at '%s' failed", folder);
	if (is_ours(&st) && !(st.st_mode & 022))
		return 0;
	return ga_refuse(err, GA_DENIED, "hook_unsafe", NULL,
			 ("users other than root could put hooks into '%s'", folder),
			 ("chown root '%s' && chmod go-w '%s'", folder, folder));
}

static void ignore(struct ga_hooks *hooks, const char *name, const char *why)
{
	ga_autofree char *shown = ga_printable(ga_xstrdup(name));

	ga_str_addf(&hooks->ignored, "%s'%s' (%s)", hooks->ignored.len ? ", " : "", shown, why);
}

int ga_hooks_find(const char *folder, struct ga_hooks *ret, struct ga_err *err)
{
	ga_autodir DIR *d = opendir(folder);
	struct dirent *e;
	struct stat st;

	*ret = (struct ga_hooks){ .ignored = GA_STR_INIT };
	if (!d)
		return errno == ENOENT ? 0 : ga_fail_sys(err, "opening '%s' failed", folder);
	if (ga_hooks_check_folder(folder, dirfd(d), err) < 0)
		return -1;
	while ((e = readdir(d))) {
		struct ga_hook *hook;

		if (*e->d_name == '.')
			continue;
		if (!is_name(e->d_name)) {
			ignore(ret, e->d_name, "a name has only letters, digits, '_' and '-'");
			continue;
		}
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
			if (errno == ENOENT)
				continue;
			ga_err_set_sys(err, "looking at '%s/%s' failed", folder, e->d_name);
			ga_hooks_release(ret);
			return -1;
		}
		if (!S_ISLNK(st.st_mode) && (!S_ISREG(st.st_mode) || !(st.st_mode & 0111))) {
			ignore(ret, e->d_name,
			       S_ISREG(st.st_mode) ? "it is not executable" :
						     "it is no regular file");
			continue;
		}
		hook = ga_list_add(ret);
		hook->name = ga_xstrdup(e->d_name);
		hook->path = ga_xprintf("%s/%s", folder, e->d_name);
		hook->is_link = S_ISLNK(st.st_mode);
		hook->refused = ga_strdup0(ga_hook_why_refused(&st));
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_name);
	return 0;
}

void ga_hooks_release(struct ga_hooks *hooks)
{
	size_t i;

	for (i = 0; i < hooks->n; i++) {
		free(hooks->v[i].name);
		free(hooks->v[i].path);
		free(hooks->v[i].refused);
	}
	ga_list_release(hooks);
	ga_str_release(&hooks->ignored);
}

/* ---- running ---- */

struct run {
	struct ga_child child; /* pid 0: free */
	size_t call, fed;
	int64_t deadline;
	struct ga_str said;
};

struct runs {
	struct run *v;
	const struct ga_hook_call *calls;
	size_t n, next, busy;
	const struct ga_hook_limits *limits;
	GA_LIST(struct record {
		const struct ga_hook *hook;
		int failures; /* in a row */
		bool given_up;
	}) records;
	int left; /* calls that were not made */
	ga_hook_ended ended;
	void *arg;
};

static void cleanup_runs(struct runs *r)
{
	size_t i;

	for (i = 0; r->v && i < r->limits->jobs; i++) {
		ga_proc_kill(&r->v[i].child);
		ga_str_release(&r->v[i].said);
	}
	free(r->v);
	ga_list_release(&r->records);
}

static struct record *record_of(struct runs *r, const struct ga_hook *hook)
{
	size_t i;

	for (i = 0; i < r->records.n; i++)
		if (r->records.v[i].hook == hook)
			return &r->records.v[i];
	ga_list_add(&r->records)->hook = hook;
	return &r->records.v[i];
}

/* The last line, without control characters: it goes to a terminal or a journal. */
static char *last_line(struct ga_str *s)
{
	char *line;

	while (s->len && s->buf[s->len - 1] == '\n')
		s->buf[--s->len] = '\0';
	line = strrchr(s->buf, '\n');
	return ga_printable(ga_xstrdup(line ? line + 1 : s->buf));
}

static int end_run(struct runs *r, struct run *run, const char *failure, bool late,
		   struct ga_err *err)
{
	struct record *record = record_of(r, r->calls[run->call].hook);
	ga_autofree char *said = last_line(&run->said);

	record->failures = failure ? record->failures + 1 : 0;
	if (late || record->failures >= r->limits->failures)
		record->given_up = true;
	ga_proc_kill(&run->child);
	r->busy--;
	return r->ended(run->call, failure, said, r->arg, err);
}

/* Starts calls while places are free; counts and skips calls to hooks that must not be called. */
static int begin_runs(struct runs *r, struct ga_err *err)
{
	while (r->next < r->n && r->busy < r->limits->jobs) {
		const struct ga_hook_call *call = &r->calls[r->next];
		const char *argv[] = { call->hook->path, NULL };
		const struct ga_proc p = { .argv = argv, .env = call->env, .input = call->input };
		struct ga_err why = GA_ERR_INIT;
		struct run *run = r->v;

		if (call->hook->refused || ga_stop_asked() ||
		    record_of(r, call->hook)->given_up) {
			r->next++;
			r->left++;
			continue;
		}
		while (run->child.pid)
			run++;
		run->call = r->next++;
		run->fed = 0;
		run->deadline = ga_clock_mono_micros() + r->limits->timeout_micros;
		ga_str_clear(&run->said);
		r->busy++;
		if (ga_proc_start(&p, &run->child, &why) < 0 &&
		    end_run(r, run, why.msg, false, err) < 0)
			return -1;
	}
	return 0;
}

static void feed(struct run *run, const char *input)
{
	size_t len = strlen(input);
	ssize_t n = write(run->child.in, input + run->fed, len - run->fed);

	if (n > 0)
		run->fed += (size_t)n;
	/* A hook need not read its input. */
	if (run->fed == len || (n < 0 && errno != EINTR && errno != EAGAIN)) {
		ga_cleanup_fd(&run->child.in);
		run->child.in = -1;
	}
}

/* Reads the available output and keeps the end of it in to (NULL: keeps nothing). */
static void drain(int *fd, struct ga_str *to)
{
	char buf[4096];
	ssize_t n;

	while (*fd >= 0 && (n = read(*fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return;
		if (n < 0)
			break;
		if (to && to->len + (size_t)n > SAID_MAX)
			ga_str_clear(to);
		if (to)
			ga_str_add_bytes(to, buf, (size_t)n);
	}
	ga_cleanup_fd(fd);
	*fd = -1;
}

static int attend_run(struct runs *r, struct run *run, struct ga_err *err)
{
	ga_autofree char *failure = NULL;
	bool late = false;
	int status = 0;

	if (run->child.in >= 0)
		feed(run, r->calls[run->call].input);
	drain(&run->child.out, NULL);
	drain(&run->child.err, &run->said);
	if (ga_proc_ended(&run->child, &status)) {
		drain(&run->child.err, &run->said);
		if (status)
			failure = ga_xprintf("it ended with status %d", status);
	} else if (ga_clock_mono_micros() >= run->deadline) {
		failure = ga_xprintf("it did not end within %lld s and was killed",
				     (long long)(r->limits->timeout_micros / GA_SECOND));
		late = true;
	} else {
		return 0;
	}
	return end_run(r, run, failure, late, err);
}

int ga_hooks_run(const struct ga_hook_call *calls, size_t n, const struct ga_hook_limits *limits,
		 ga_hook_ended ended, void *arg, struct ga_err *err)
{
	ga_cleanup(cleanup_runs) struct runs r = {
		.v = ga_xcalloc(limits->jobs, sizeof(struct run)), .calls = calls, .n = n,
		.limits = limits, .ended = ended, .arg = arg,
	};
	ga_autofree struct pollfd *fds = ga_xcalloc(3 * limits->jobs, sizeof(*fds));

	for (size_t i = 0; i < limits->jobs; i++) {
		r.v[i].child = (struct ga_child)GA_CHILD_INIT;
		r.v[i].said = (struct ga_str)GA_STR_INIT;
	}
	for (;;) {
		size_t n_fds = 0;

		if (begin_runs(&r, err) < 0)
			return -1;
		if (!r.busy)
			return r.left;
		for (size_t i = 0; i < limits->jobs; i++) {
			const struct ga_child *c = &r.v[i].child;

			if (!c->pid)
				continue;
			fds[n_fds++] = (struct pollfd){ .fd = c->in, .events = POLLOUT };
			fds[n_fds++] = (struct pollfd){ .fd = c->out, .events = POLLIN };
			fds[n_fds++] = (struct pollfd){ .fd = c->err, .events = POLLIN };
		}
		/* After a signal or a timeout too: look at each hook. */
		(void)!poll(fds, n_fds, LOOK_MILLIS);
		for (size_t i = 0; i < limits->jobs; i++)
			if (r.v[i].child.pid && attend_run(&r, &r.v[i], err) < 0)
				return -1;
	}
}
