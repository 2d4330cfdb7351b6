/* SPDX-License-Identifier: Apache-2.0 */
/* The connection to one node: sends orders, reads output, and ends it. */
#include "cli/on/node.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "act/image/userdata.h"
#include "base/clock.h"
#include "base/proc.h"
#include "base/texts.h"
#include "cli/frame/cli.h"
#include "record/plan.h"

#define WORDS_MAX 4096	/* bytes shown of a line of stderr */
#define SAID_MAX 16384 /* bytes of stderr kept for the end of the node */

struct ga_on_node *ga_on_node_new(const struct ga_on_opts *opts, const char *node)
{
	struct ga_on_node *n = ga_xcalloc(1, sizeof(*n));

	n->opts = opts;
	n->node = ga_xstrdup(node);
	n->child = (struct ga_child)GA_CHILD_INIT;
	n->in = n->said = n->held = (struct ga_str)GA_STR_INIT;
	ga_lines_init(&n->out, GA_LINE_MAX);
	ga_lines_init(&n->words, WORDS_MAX);
	n->digest = ga_digest_open();
	return n;
}

/* Overwrites the input: it may contain a tenant's secrets. */
static void forget_input(struct ga_on_node *n)
{
	if (n->in.len)
		explicit_bzero(n->in.buf, n->in.len);
	ga_str_clear(&n->in);
	n->sent = 0;
}

void ga_on_node_free(struct ga_on_node *n)
{
	char unused[GA_DIGEST_SIZE];

	ga_proc_kill(&n->child);
	if (n->digest)
		ga_digest_close(n->digest, unused);
	ga_texts_release(&n->open);
	ga_host_stream_release(&n->discovery);
	ga_lines_release(&n->out);
	ga_lines_release(&n->words);
	forget_input(n);
	ga_str_release(&n->in);
	ga_str_release(&n->said);
	ga_str_release(&n->held);
	free(n->node);
	free(n->address);
	free(n);
}

/* ---- in ---- */

int ga_on_node_give(struct ga_on_node *n, const struct ga_rec *rec, struct ga_err *err)
{
	const char *object = json_string_value(json_object_get(rec->json, "object"));
	const char *digest;
	struct ga_err ignored = GA_ERR_INIT;

	if (!object)
		object = json_string_value(json_object_get(rec->json, "allocation"));
	if (!object)
		object = n->node;
	if (n->state == GA_ON_ENDED)
		return ga_on_tell_unsent(n, object, err);
	ga_texts_add(&n->open, object);
	n->orders++;
	/* Sends the user-data if it is here. The host may have it already; else it reports a
	 * failure. */
	digest = json_string_value(json_object_get(rec->json, "user_data_digest"));
	if (rec->schema == &ga_plan_schema && digest && ga_digest_is_valid(digest))
		(void)ga_user_data_lines(n->opts->user_data_dir, digest, &n->in, &ignored);
	ga_str_add_bytes(&n->in, rec->raw, rec->raw_len);
	ga_str_addc(&n->in, '\n');
	return 0;
}

void ga_on_node_send(struct ga_on_node *n)
{
	ssize_t w = 0;

	if (n->child.in < 0)
		return;
	if (n->sent < n->in.len)
		w = write(n->child.in, n->in.buf + n->sent, n->in.len - n->sent);
	if (w > 0)
		n->sent += (size_t)w;
	if (n->sent == n->in.len) {
		forget_input(n);
	}
	/* A command that stops reading ends by itself; its exit status gives the reason. */
	if ((w < 0 && errno != EAGAIN && errno != EINTR) || (n->in_whole && !n->in.len)) {
		ga_cleanup_fd(&n->child.in);
		n->child.in = -1;
	}
}

int ga_on_node_start(struct ga_on_node *n, struct ga_err *err)
{
	const struct ga_on_opts *o = n->opts;
	struct ga_err why = GA_ERR_INIT;

	n->state = GA_ON_RUNNING;
	n->started = ga_clock_mono_micros();
	if (o->address(n->node, &n->address, &why) < 0 ||
	    ga_ssh_start(&o->ssh, n->address, o->command, n->with_input, &n->child, &why) < 0) {
		if (!why.reason[0])
			ga_err_about(&why, "connection_failed", NULL);
		return ga_on_node_fail(n, "connect", &why, err);
	}
	return 0;
}

/* ---- out ---- */

static int take_lines(struct ga_on_node *n, struct ga_err *err)
{
	const char *line;
	bool whole;
	size_t len;
	int r;

	while (!n->gone && (r = ga_lines_next(&n->out, &line, &len, &whole)) != 0) {
		if (r > 0 && !whole)
			n->cut = true; /* the exit status gives the reason */
		else if ((r < 0 ? ga_on_said_too_long(n, err) :
				  ga_on_said(n, line, len, err)) < 0)
			return -1;
	}
	return 0;
}

int ga_on_node_read(struct ga_on_node *n, struct ga_err *err)
{
	int r = ga_lines_read(&n->out, n->child.out);

	if (r < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (r <= 0) {
		n->out.at_end = true;
		ga_cleanup_fd(&n->child.out);
		n->child.out = -1;
	}
	return take_lines(n, err);
}

void ga_on_node_read_words(struct ga_on_node *n)
{
	const char *line;
	bool whole;
	size_t len;
	int r = ga_lines_read(&n->words, n->child.err);

	if (r < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (r <= 0) {
		n->words.at_end = true;
		ga_cleanup_fd(&n->child.err);
		n->child.err = -1;
	}
	while ((r = ga_lines_next(&n->words, &line, &len, &whole)) != 0) {
		ga_autofree char *shown = NULL;
		size_t end;

		if (r < 0)
			len = WORDS_MAX;
		/* Lines of ssh itself end with a carriage return. */
		for (end = len; end && strchr("\r ", line[end - 1]); end--)
			;
		shown = ga_xstrndup(line, end);
		if (*shown)
			ga_say("%s: %s", n->node, shown);
		if (n->said.len > SAID_MAX)
			ga_str_clear(&n->said);
		ga_str_add_bytes(&n->said, line, len);
		ga_str_addc(&n->said, '\n');
	}
}

/* ---- the end ---- */

static int ended(struct ga_on_node *n, int64_t status, struct ga_err *err)
{
	int r;

	n->state = GA_ON_ENDED;
	n->gone = true;
	ga_proc_kill(&n->child);
	r = ga_on_said_end(n, err);
	return r < 0 ? -1 : ga_on_tell_end(n, status, err);
}

int ga_on_node_fail(struct ga_on_node *n, const char *phase, const struct ga_err *why,
		    struct ga_err *err)
{
	/* Lines held back are dropped without a failure of their own: this failure says more. */
	if (ga_on_tell(n, phase, why, err) < 0)
		return -1;
	return ended(n, GA_UNKNOWN, err);
}

/* Cuts the last line off text and returns it. */
static const char *take_last_line(char *text)
{
	size_t len = strlen(text);
	char *p;

	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	p = strrchr(text, '\n');
	if (!p)
		return text;
	*p = '\0';
	return p + 1;
}

/* Emits a failure for an exit status above 1 that no record of the node has reported. Status 1 is
 * an answer, not a failure. */
static int judge(struct ga_on_node *n, int status, struct ga_err *err)
{
	ga_autofree char *said = ga_xstrdup(n->said.buf);
	struct ga_err why = GA_ERR_INIT;
	const char *line, *hint;

	ga_cli_note_status(status <= GA_SYSTEM ? status : 0);
	if (status <= GA_NO || (n->had_status && status <= GA_SYSTEM))
		return 0;
	line = take_last_line(said);
	hint = ga_starts(line, "gpuaas") ? strstr(line, ": hint: ") : NULL;
	if (hint)
		line = line == said ? "" : take_last_line(said);
	ga_refuse(&why, status <= GA_SYSTEM ? (enum ga_code)status : GA_EXTERNAL,
		  "command_failed", NULL,
		  ("the command ended with status %d%s%s", status, *line ? ": " : "", line),
		  ("%s", hint ? hint + strlen(": hint: ") : ""));
	return ga_on_tell(n, "run", &why, err);
}

static bool pending(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

static int take_end(struct ga_on_node *n, int status, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;

	/* Read the rest of the output, but only while there is data: another process may keep the
	 * pipes open. */
	while (n->child.err >= 0 && pending(n->child.err))
		ga_on_node_read_words(n);
	while (n->child.out >= 0 && pending(n->child.out))
		if (ga_on_node_read(n, err) < 0)
			return -1;
	n->out.at_end = true;
	if (take_lines(n, err) < 0)
		return -1;
	if (n->state == GA_ON_ENDED)
		return 0;
	if (ga_ssh_verdict(status, n->said.buf, n->had_output, &why) < 0)
		return ga_on_node_fail(n, n->had_output ? "run" : "connect", &why, err);
	if (judge(n, status, err) < 0)
		return -1;
	if (n->in.len > n->sent) {
		ga_fail_about(&why, GA_EXTERNAL, "not_read", NULL,
			      "the command ended before it had read its orders");
		return ga_on_node_fail(n, "run", &why, err);
	}
	return ended(n, status, err);
}

int ga_on_node_look(struct ga_on_node *n, struct ga_err *err)
{
	int64_t limit = n->opts->timeout_micros;
	struct ga_err why = GA_ERR_INIT;
	int status;

	if (n->state != GA_ON_RUNNING)
		return 0;
	if (ga_proc_ended(&n->child, &status))
		return take_end(n, status, err);
	if (!limit || ga_clock_mono_micros() - n->started < limit)
		return 0;
	ga_fail_about(&why, GA_BUSY, "timed_out", NULL, "the command did not end within %lld s",
		      (long long)(limit / GA_SECOND));
	return ga_on_node_fail(n, "run", &why, err);
}
