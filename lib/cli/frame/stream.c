/* SPDX-License-Identifier: Apache-2.0 */
/* Records in: dispatch by kind, in this process or in a child for each order. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "base/vec.h"
#include "cli/frame/cli.h"
#include "cli/frame/emit.h"
#include "cli/frame/result.h"
#include "state/db/db.h"

/* ---- in this process ---- */

static void began(const char *name, const struct ga_consumer *table)
{
	GA_LIST(const struct ga_schema *) kinds = { 0 };

	for (; table->schema; table++)
		*ga_list_add(&kinds) = table->schema;
	*ga_list_add(&kinds) = NULL;
	ga_cli_stream_began(name, kinds.v);
	ga_list_release(&kinds);
}

static const struct ga_consumer *find_consumer(const struct ga_consumer *table,
					       const struct ga_rec *rec)
{
	for (; table->schema; table++)
		if (ga_rec_is(rec, table->schema))
			return table;
	return table->take ? table : NULL;
}

int ga_cli_stream(int fd, const char *name, const struct ga_consumer *table, struct ga_err *err)
{
	ga_autoreader struct ga_reader *reader = ga_reader_open(fd, name);
	const struct ga_consumer *c;
	struct ga_rec rec;
	int more;

	began(name, table);
	while ((more = ga_reader_next(reader, &rec, err)) > 0) {
		c = find_consumer(table, &rec);
		if (c)
			ga_cli_stream_took();
		else
			ga_cli_stream_passed(&rec);
		if (c ? c->take(&rec, err) < 0 : ga_emit_raw(&rec, err) < 0)
			return -1;
	}
	return more;
}

/* Looks at what waits on standard input and leaves it there: up to size bytes of a pipe or a file;
 * 0: nothing does, or it is neither. */
static ssize_t peek(char *buf, size_t size, int wait_ms)
{
	struct pollfd waiting = { .fd = STDIN_FILENO, .events = POLLIN };
	ga_autofd int from = -1, to = -1;
	int copy[2];
	struct stat st;
	ssize_t n;

	if (fstat(STDIN_FILENO, &st) < 0)
		return 0;
	if (S_ISREG(st.st_mode))
		return pread(STDIN_FILENO, buf, size, lseek(STDIN_FILENO, 0, SEEK_CUR));
	if (!S_ISFIFO(st.st_mode) || poll(&waiting, 1, wait_ms) <= 0 ||
	    !(waiting.revents & POLLIN) || pipe2(copy, O_CLOEXEC) < 0)
		return 0;
	from = copy[0];
	to = copy[1];
	n = tee(STDIN_FILENO, to, size, SPLICE_F_NONBLOCK);
	return n > 0 ? read(from, buf, (size_t)n) : 0;
}

/* Whether a record waits: readers skip the blank lines before one. */
static bool record_waits(int wait_ms)
{
	char buf[512];
	ssize_t n = peek(buf, sizeof(buf), wait_ms), i;

	for (i = 0; i < n && strchr(" \t\r\n", buf[i]) && buf[i]; i++)
		;
	return i < n && (buf[i] == '{' || buf[i] == '[');
}

int ga_cli_refuse_piped(const char *hint, int wait_ms, struct ga_err *err)
{
	if (!record_waits(wait_ms))
		return 0;
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("records wait on standard input, and this command does not read them"),
			 ("%s; if they are for another command, add '</dev/null'", hint));
}

int ga_cli_stream_from(const char *operand, const char *what, const struct ga_consumer *table,
		       struct ga_err *err)
{
	const char *from = operand ? operand : "-";
	int fd, r;

	if (ga_streq(from, "-") && ga_cli_need_pipe(what, err) < 0)
		return -1;
	fd = ga_cli_open(from, err);
	if (fd < 0)
		return err->code == GA_NOTFOUND ?
			       ga_hint(err, "a file with %s is expected, or '-' for standard input",
				       what) :
			       -1;
	r = ga_cli_stream(fd, from, table, err);
	if (fd > 0)
		ga_cleanup_fd(&fd);
	return r;
}

/* Working children, and orders that wait for a free one. The number of waiting orders is bounded,
 * so that memory does not grow with the length of the stream. */
#define WAITING_MAX 256

struct order {
	char *raw;
	size_t len;
	const struct ga_consumer *consumer;
	uint64_t line;
};

struct worker {
	pid_t pid;
	int out; /* file with its records, if they become rows of our table; else -1 */
};

struct crew {
	int jobs;
	size_t running;
	struct worker *workers;
	int lock_fd; /* lock, so that lines of several workers do not mix */
	GA_LIST(struct order) waiting;
	size_t next; /* index in waiting of the first order not yet begun */
	bool stuck;  /* no worker runs, and none can be started */
	const struct ga_prog *prog;
};

static void child(const struct order *o, int out, int lock_fd) __attribute__((noreturn));

static void child(const struct order *o, int out, int lock_fd)
{
	struct ga_prog prog = { .name = ga_cli_program() };
	struct ga_err err = GA_ERR_INIT;
	int r;

	ga_emit_in_child(out, lock_fd);
	ga_cli_stream_forget();
	json_error_t why;
	ga_autojson json_t *json = json_loadb(o->raw, o->len, 0, &why);
	struct ga_rec rec = { .schema = o->consumer->schema, .json = json, .raw = o->raw,
			      .raw_len = o->len, .line = o->line };

	r = o->consumer->take(&rec, &err);
	_exit(ga_cli_finish(&prog, r, &err));
}

/* If no worker can be started, the order stays the next one. */
static int start(struct crew *crew, struct ga_err *err)
{
	struct order *o = &crew->waiting.v[crew->next];
	ga_autofd int out = -1;
	pid_t pid;

	if (ga_emit_collects()) {
		out = memfd_create("records", MFD_CLOEXEC);
		if (out < 0)
			return ga_fail_sys(err, "cannot make room for the records of a worker");
	}
	ga_result_set_down();
	if (ga_db_is_open())
		return ga_fail(err, GA_SYSTEM, "a database is open where a worker would start");
	fflush(stdout);
	fflush(stderr);
	pid = fork();
	if (!pid)
		child(o, out, crew->lock_fd);
	if (pid < 0)
		return ga_fail_sys(err, "cannot start a worker");
	free(o->raw);
	crew->next++;
	crew->workers[crew->running++] = (struct worker){ pid, GA_TAKE_FD(out) };
	if (crew->next == crew->waiting.n) {
		ga_list_release(&crew->waiting);
		crew->next = 0;
	}
	return 0;
}

/* The records of a worker that ended get their form, or their place in the order. */
static void collect(int out)
{
	ga_autofd int fd = out;
	ga_autoreader struct ga_reader *reader = ga_reader_open(fd, "a worker");
	struct ga_err err = GA_ERR_INIT;
	struct ga_rec rec;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return;
	/* A killed worker may leave an incomplete line: the lines before it count. */
	while (ga_reader_next(reader, &rec, &err) > 0)
		if (ga_emit_raw(&rec, &err) < 0)
			return;
}

/* A signal to stop may come at any moment and must reach the workers, so the wait checks again
 * every 10 ms. */
#define LOOK_AGAIN 10000

/* Collects ended children; with wait, waits until one ends. */
static void reap(struct crew *crew, bool wait)
{
	while (crew->running) {
		size_t i, j;
		int status;
		pid_t pid;
		struct worker *w;

		for (j = 0; ga_stop_asked() && j < crew->running; j++)
			kill(crew->workers[j].pid, SIGTERM);
		pid = waitpid(-1, &status, WNOHANG);
		if (!pid && wait) {
			ga_clock_wait(INT64_MAX, LOOK_AGAIN);
			continue;
		}
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0) {
			/* They ended with unknown status: their records count. */
			while (crew->running) {
				struct worker lost = crew->workers[--crew->running];

				if (lost.out >= 0)
					collect(lost.out);
				ga_say("%s: the exit status of a worker is unknown; run the same "
				       "again",
				       ga_cli_program());
				ga_cli_note_status(GA_SYSTEM);
			}
		}
		if (pid <= 0)
			return;
		for (i = 0; i < crew->running && crew->workers[i].pid != pid; i++)
			;
		if (i == crew->running)
			continue;
		w = &crew->workers[i];
		if (w->out >= 0)
			collect(w->out);
		*w = crew->workers[--crew->running];
		if (!WIFEXITED(status))
			ga_say("%s: a worker was ended by signal %d; run the same again",
			       ga_cli_program(), WTERMSIG(status));
		ga_cli_note_status(WIFEXITED(status) ? WEXITSTATUS(status) : GA_SYSTEM);
		wait = false;
	}
}

static size_t waiting(const struct crew *crew)
{
	return crew->waiting.n - crew->next;
}

/* Starts workers for waiting orders. If a worker cannot start (a limit on processes, no memory),
 * waits until another one ends; fails only if no worker runs. */
static int advance(struct crew *crew, struct ga_err *err)
{
	struct ga_err now = GA_ERR_INIT;

	reap(crew, false);
	while (waiting(crew) && crew->running < (size_t)crew->jobs && !ga_stop_asked()) {
		if (start(crew, &now) == 0)
			continue;
		if (!crew->running) {
			crew->stuck = true;
			*err = now;
			return -1;
		}
		reap(crew, true);
	}
	return 0;
}

/* Whether a record can be read soon; gives up after 50 ms, so that ended children are collected. */
static bool readable(const struct ga_reader *r, int fd, const struct crew *crew)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return !crew->running || ga_reader_has_line(r) || poll(&p, 1, 50) > 0;
}

static int read_orders(struct crew *crew, struct ga_reader *reader, int fd,
		       const struct ga_consumer *table, const struct ga_consumer *here,
		       struct ga_err *err)
{
	const struct ga_consumer *c, *now;
	struct ga_rec rec = { 0 };
	int more = 1;

	while (more > 0 && !ga_stop_asked()) {
		/* Read all orders that arrived together before the first one begins. */
		if ((!ga_reader_has_line(reader) || waiting(crew) >= WAITING_MAX) &&
		    advance(crew, err) < 0)
			return ga_hint(err, "nothing after line %llu was read",
				       (unsigned long long)rec.line);
		if (waiting(crew) >= WAITING_MAX) {
			reap(crew, true);
			continue;
		}
		if (!readable(reader, fd, crew))
			continue;
		more = ga_reader_next(reader, &rec, err);
		if (more <= 0)
			break;
		c = find_consumer(table, &rec);
		now = here ? find_consumer(here, &rec) : NULL;
		if (c)
			ga_cli_stream_took();
		else if (!now)
			ga_cli_stream_passed(&rec);
		if (now ? now->take(&rec, err) < 0 : !c && ga_emit_raw(&rec, err) < 0)
			return -1;
		if (c) {
			*ga_list_add(&crew->waiting) = (struct order){
				.raw = ga_xstrndup(rec.raw, rec.raw_len),
				.len = rec.raw_len,
				.consumer = c,
				.line = rec.line,
			};
		}
	}
	return ga_stop_asked() ? ga_stop_check("the stream", err) : more;
}

int ga_cli_stream_jobs(int fd, const char *name, const struct ga_consumer *table, int jobs,
		       struct ga_err *err)
{
	return ga_cli_stream_jobs_here(fd, name, table, NULL, jobs, err);
}

int ga_cli_stream_jobs_here(int fd, const char *name, const struct ga_consumer *table,
			    const struct ga_consumer *here, int jobs, struct ga_err *err)
{
	ga_autoreader struct ga_reader *reader = ga_reader_open(fd, name);
	ga_autofd int lock_fd = memfd_create("lines", MFD_CLOEXEC);
	struct crew crew = { .jobs = jobs, .lock_fd = lock_fd,
			     .workers = ga_xcalloc((size_t)jobs, sizeof(struct worker)) };
	struct ga_err later = GA_ERR_INIT;
	int r;

	if (lock_fd < 0) {
		free(crew.workers);
		return ga_fail_sys(err, "cannot make a lock for the lines of workers");
	}
	began(name, table);
	ga_stop_install();
	ga_emit_share(lock_fd);
	r = read_orders(&crew, reader, fd, table, here, err);
	/* Orders before a bad line are carried out. */
	while (!crew.stuck && (crew.running || (waiting(&crew) && !ga_stop_asked()))) {
		if (advance(&crew, r < 0 ? &later : err) == 0)
			reap(&crew, true);
	}
	ga_emit_share(-1);
	/* Reports orders that no worker began; after a successful stream there are none. */
	for (; crew.next < crew.waiting.n; crew.next++) {
		struct order *o = &crew.waiting.v[crew.next];
		json_error_t why;
		ga_autojson json_t *json = json_loadb(o->raw, o->len, 0, &why);
		/* The object of a wipe order is a slot; it may also name the previous
		 * allocation. */
		const char *id = json_string_value(json_object_get(json, "object"));
		char kind[32];

		if (!id)
			id = json_string_value(json_object_get(json, "allocation"));
		ga_say("%s: line %llu was not begun: %s%s%s; run the same again", ga_cli_program(),
		       (unsigned long long)o->line, ga_kind_short(o->consumer->schema, kind),
		       id ? " of " : "", id ? id : "");
		free(o->raw);
	}
	ga_list_release(&crew.waiting);
	free(crew.workers);
	if (later.msg[0])
		ga_say("%s: %s", ga_cli_program(), later.msg);
	return crew.stuck ? -1 : r;
}
