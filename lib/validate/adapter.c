/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/adapter.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/lines.h"
#include "base/proc.h"
#include "base/stop.h"
#include "base/str.h"
#include "record/rec.h"

struct ga_adapter {
	const char *program, *folder;
	int protocol;
	struct ga_child child;
	struct ga_lines lines;
	struct ga_str said; /* on stderr */
	bool stderr_ended;
	char *mark; /* in the environment of its processes */
	int64_t next_id, deaths;
};

struct ga_adapter *ga_adapter_new(const char *program, const char *folder, int protocol)
{
	struct ga_adapter *a = ga_xcalloc(1, sizeof(*a));

	*a = (struct ga_adapter){
		.program = program, .folder = folder, .protocol = protocol,
		.child = GA_CHILD_INIT, .said = GA_STR_INIT, .next_id = 1,
		.mark = ga_xprintf(GA_ADAPTER_MARK "=%d-%" PRId64, (int)getpid(),
				   ga_clock_mono_micros()),
	};
	ga_lines_init(&a->lines, GA_ADAPTER_LINE_MAX);
	/* A process that leaves the group of the adapter becomes our child when its parent ends. */
	prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
	return a;
}

int64_t ga_adapter_deaths(const struct ga_adapter *adapter)
{
	return adapter->deaths;
}

char *ga_adapter_take_stderr(struct ga_adapter *adapter)
{
	return ga_str_take(&adapter->said);
}

/* ---- the process ---- */

static int start(struct ga_adapter *a, struct ga_err *err)
{
	const char *argv[] = { "env", "-C", a->folder, "--", a->program, NULL };
	GA_LIST(const char *) env = { 0 };
	struct ga_proc proc = { .argv = argv, .input = "", .ends_with_us = true };
	char *const *e;
	int r;

	/* An adapter is the operator's own program: it needs what its clients need (KUBECONFIG).
	 * PATH and LC_ALL are those of every program that we run. */
	for (e = environ; *e; e++)
		if (!ga_starts(*e, "PATH=") && !ga_starts(*e, "LC_ALL=") &&
		    !ga_starts(*e, GA_ADAPTER_MARK "="))
			*ga_list_add(&env) = *e;
	*ga_list_add(&env) = a->mark;
	*ga_list_add(&env) = NULL;
	proc.env = env.v;

	ga_lines_release(&a->lines);
	ga_lines_init(&a->lines, GA_ADAPTER_LINE_MAX);
	a->stderr_ended = false;
	r = ga_proc_start(&proc, &a->child, err);
	ga_list_release(&env);
	return r;
}

/* Not all that comes: one that writes for ever would keep the deadline from being looked at. */
static void read_stderr(struct ga_adapter *a)
{
	char buf[4096];
	ssize_t n;
	int i;

	for (i = 0; i < 16 && (n = read(a->child.err, buf, sizeof(buf))) > 0; i++) {
		size_t room = GA_ADAPTER_STDERR_MAX - a->said.len;

		ga_str_add_bytes(&a->said, buf, (size_t)n < room ? (size_t)n : room);
	}
}

/* Whether the process, a child of ours, came from the adapter: we may have been executed by a shell
 * that had children of its own, which are ours since then. */
static bool is_of_adapter(const struct ga_adapter *a, const char *pid)
{
	ga_autofree char *path = ga_xprintf("/proc/%s/environ", pid);
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	const char *at, *end;

	if (ga_file_read(path, 1 << 20, &text, &ignored) < 0)
		return false;
	end = text.buf + text.len;
	for (at = text.buf; at < end; at += strnlen(at, (size_t)(end - at)) + 1)
		if (!strncmp(at, a->mark, (size_t)(end - at)) &&
		    strnlen(at, (size_t)(end - at)) == strlen(a->mark))
			return true;
	return false;
}

/* Ends the processes that left the group of the adapter, by setsid(2). Each that ends leaves us its
 * own children. A kernel without CONFIG_PROC_CHILDREN does not name them: they then live on. */
static void end_strays(const struct ga_adapter *a)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	int round;

	for (round = 0; round < GA_ADAPTER_STRAY_ROUNDS; round++) {
		char *word, *save = NULL;
		bool any = false;

		if (ga_file_read("/proc/thread-self/children", 1 << 20, &text, &ignored) < 0)
			return;
		for (word = strtok_r(text.buf, " \n", &save); word;
		     word = strtok_r(NULL, " \n", &save)) {
			pid_t pid = (pid_t)strtol(word, NULL, 10);

			if (!is_of_adapter(a, word))
				continue;
			any = true;
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
		if (!any)
			return;
	}
}

/* Asks it to end, then makes it. Closing its input is the polite way for one that only reads. */
static void end_process(struct ga_adapter *a)
{
	int64_t deadline = ga_clock_mono_micros() + GA_SECOND * GA_ADAPTER_GRACE_SECONDS;
	pid_t group = a->child.pid;
	int status;

	if (!group)
		return;
	ga_cleanup_fd(&a->child.in);
	kill(-group, SIGTERM);
	while (!ga_proc_ended(&a->child, &status) && ga_clock_wait(deadline, GA_SECOND / 50))
		read_stderr(a);
	read_stderr(a);
	/* Also what it left in its group. */
	kill(-group, SIGKILL);
	ga_proc_kill(&a->child);
	end_strays(a);
	a->deaths++;
}

void ga_adapter_close(struct ga_adapter *adapter)
{
	if (!adapter)
		return;
	end_process(adapter);
	ga_lines_release(&adapter->lines);
	ga_str_release(&adapter->said);
	free(adapter->mark);
	free(adapter);
}

/* ---- a request ---- */

/* One request on its way. */
struct asking {
	struct ga_adapter *a;
	const char *verb;
	int64_t id, deadline;
	struct ga_str line; /* what is still to be sent */
	size_t sent;
	struct ga_adapter_reply *ret;
	struct ga_trial_error *error;
};

static int trouble(struct asking *q, const char *code, char *sentence)
{
	q->error->code = ga_xstrdup(code);
	q->error->sentence = sentence;
	/* It cannot be trusted with the next request: a reply to this one may still come. */
	end_process(q->a);
	return 1;
}

/* It ended. The last line of its standard error says why, where there is one. */
static int died(struct asking *q, const char *sentence)
{
	ga_autofree char *said = NULL;
	const char *last;

	trouble(q, "died", NULL);
	said = ga_trimmed(q->a->said.buf);
	last = strrchr(said, '\n');
	q->error->sentence = *said ? ga_xprintf("%s: %.1000s", sentence, last ? last + 1 : said) :
				     ga_xstrdup(sentence);
	ga_printable(q->error->sentence);
	return 1;
}

static int record(const struct ga_adapter *a, const char *way, json_t *message, struct ga_err *err)
{
	ga_autojson json_t *json = json_object();
	ga_autostr struct ga_str out = GA_STR_INIT;
	char at[GA_TIME_SIZE];

	json_object_set_new(json, "at", json_string(ga_time_format(ga_clock_micros(), at)));
	json_object_set_new(json, way, message);
	if (a->protocol < 0)
		return 0;
	ga_rec_dump(json, &out);
	ga_str_addc(&out, '\n');
	return ga_write_all(a->protocol, out.buf, out.len) < 0 ?
		       ga_fail_sys(err, "cannot write the protocol") :
		       0;
}

/* One line came. 1: the request has its end; 0: it is not the reply; -1: err. */
static int take_line(struct asking *q, const char *line, size_t len, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	json_t *text = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);

	/* Bytes that are no UTF-8 cannot stand in the protocol as they came. */
	if (!text && !(text = json_stringn(line, len)))
		text = json_string("(a line that is no text)");
	if (record(q->a, "received", text, err) < 0)
		return -1;
	if (ga_adapter_read_reply(line, len, q->ret, &why) < 0)
		return trouble(q, "failed", ga_xstrdup(why.msg));
	if (q->ret->id != q->id) {
		int64_t id = q->ret->id;

		ga_schema_release(&ga_adapter_reply_schema, q->ret);
		return trouble(q, "failed",
			       ga_xprintf("the reply has id %" PRId64 ", not that of the request, "
					  "%" PRId64, id, q->id));
	}
	if (q->ret->ok)
		return 1;
	*q->error = *q->ret->error;
	free(GA_TAKE(q->ret->error));
	ga_schema_release(&ga_adapter_reply_schema, q->ret);
	return 1;
}

/* Reads what is there. As take_line. */
static int read_lines(struct asking *q, struct ga_err *err)
{
	struct ga_adapter *a = q->a;
	const char *line;
	size_t len;
	bool whole;
	int got = ga_lines_read(&a->lines, a->child.out), r;

	if (got < 0 && errno != EAGAIN && errno != EINTR)
		return ga_fail_sys(err, "cannot read from adapter '%s'", a->program);
	while ((r = ga_lines_next(&a->lines, &line, &len, &whole))) {
		if (r < 0)
			return trouble(q, "failed",
				       ga_xprintf("a reply is longer than %d MiB",
						  GA_ADAPTER_LINE_MAX >> 20));
		r = take_line(q, line, len, err);
		if (r)
			return r;
	}
	if (!got)
		return died(q, "it ended before it replied");
	return 0;
}

static int send_more(struct asking *q)
{
	ssize_t n = write(q->a->child.in, q->line.buf + q->sent, q->line.len - q->sent);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return died(q, "it ended before it read the request");
	q->sent += n < 0 ? 0 : (size_t)n;
	return 0;
}

static int converse(struct asking *q, struct ga_err *err)
{
	struct ga_adapter *a = q->a;
	bool stopping = ga_stop_asked();
	int r = 0;

	while (!r) {
		struct pollfd fds[] = {
			{ a->child.out, POLLIN, 0 },
			{ a->stderr_ended ? -1 : a->child.err, POLLIN, 0 },
			{ q->sent < q->line.len ? a->child.in : -1, POLLOUT, 0 },
		};
		int64_t now = ga_clock_mono_micros(), left;

		if (!stopping && ga_stop_asked()) {
			stopping = true;
			if (q->deadline > now + GA_SECOND * GA_ADAPTER_GRACE_SECONDS)
				q->deadline = now + GA_SECOND * GA_ADAPTER_GRACE_SECONDS;
		}
		left = q->deadline - now;
		if (left <= 0)
			return trouble(q, "timeout", ga_xstrdup("no reply before the deadline"));
		if (poll(fds, 3, (int)(left / 1000 > 1000 ? 1000 : left / 1000 + 1)) < 0 &&
		    errno != EINTR)
			return ga_fail_sys(err, "poll");
		if (fds[1].revents & POLLIN)
			read_stderr(a);
		else if (fds[1].revents)
			a->stderr_ended = true;
		if (fds[2].revents)
			r = send_more(q);
		if (!r && fds[0].revents)
			r = read_lines(q, err);
	}
	return r;
}

int ga_adapter_ask(struct ga_adapter *adapter, const char *verb, json_t *params,
		   int64_t deadline_seconds, struct ga_adapter_reply *ret,
		   struct ga_trial_error *error, struct ga_err *err)
{
	struct ga_adapter_request request = {
		.protocol = GA_ADAPTER_PROTOCOL, .id = adapter->next_id++, .verb = ga_xstrdup(verb),
		.deadline_seconds = deadline_seconds, .params = params,
	};
	struct asking q = {
		.a = adapter, .verb = verb, .id = request.id, .line = GA_STR_INIT, .ret = ret,
		.error = error,
		.deadline = ga_clock_mono_micros() + deadline_seconds * GA_SECOND,
	};
	json_t *json = ga_schema_format(&ga_adapter_request_schema, &request);
	struct ga_err why = GA_ERR_INIT;
	int r;

	*ret = (struct ga_adapter_reply){ 0 };
	*error = (struct ga_trial_error){ 0 };
	ga_schema_release(&ga_adapter_request_schema, &request);
	ga_rec_dump(json, &q.line);
	ga_str_addc(&q.line, '\n');
	r = record(adapter, "sent", json, err);
	if (!r && !adapter->child.pid && start(adapter, &why) < 0) {
		r = trouble(&q, "died", ga_xstrdup(why.msg));
		adapter->deaths++;
	}
	if (!r)
		r = converse(&q, err);
	ga_str_release(&q.line);
	return r < 0 ? -1 : ret->ok ? 0 : 1;
}
