/* SPDX-License-Identifier: Apache-2.0 */
/* Many nodes in parallel: one loop of poll(2) over the input stream and every connection. */
#include "cli/on/on.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/stop.h"
#include "cli/frame/cli.h"
#include "cli/on/node.h"
#include "record/expectation.h"
#include "record/plan.h"
#include "record/release.h"
#include "record/wipe.h"

/* Most bytes that wait for running nodes; reading of orders continues when the nodes took some. */
#define QUEUED_MAX (16 << 20)

struct ga_on {
	struct ga_on_opts opts;
	GA_LIST(struct ga_on_node *) nodes; /* in the order of their first record */
	size_t running, first_waiting;
	int fd; /* the stream; -1 when it has ended */
	struct ga_lines in;
	struct ga_err bad; /* the error of the stream */
};

struct ga_on *ga_on_open(const struct ga_on_opts *opts)
{
	struct ga_on *on = ga_xcalloc(1, sizeof(*on));

	on->opts = *opts;
	on->fd = -1;
	ga_lines_init(&on->in, GA_LINE_MAX);
	return on;
}

void ga_on_close(struct ga_on *on)
{
	size_t i;

	if (!on)
		return;
	for (i = 0; i < on->nodes.n; i++)
		ga_on_node_free(on->nodes.v[i]);
	ga_list_release(&on->nodes);
	ga_lines_release(&on->in);
	free(on);
}

static struct ga_on_node *find(struct ga_on *on, const char *node)
{
	struct ga_on_node *n;
	size_t i;

	for (i = 0; i < on->nodes.n; i++)
		if (!strcmp(on->nodes.v[i]->node, node))
			return on->nodes.v[i];
	n = ga_on_node_new(&on->opts, node);
	*ga_list_add(&on->nodes) = n;
	return n;
}

void ga_on_add(struct ga_on *on, const char *node)
{
	find(on, node)->in_whole = true;
}

size_t ga_on_count(const struct ga_on *on)
{
	return on->nodes.n;
}

/* ---- the stream ---- */

static bool is_order(const struct ga_schema *schema)
{
	return schema == &ga_plan_schema || schema == &ga_release_order_schema ||
	       schema == &ga_hold_order_schema || schema == &ga_wipe_order_schema ||
	       schema == &ga_expectation_schema;
}

static int take_line(struct ga_on *on, const char *line, size_t len, struct ga_err *err)
{
	ga_autojson json_t *json = NULL;
	struct ga_rec rec;
	const char *node;
	struct ga_on_node *n;

	if (!len)
		return 0;
	if (ga_rec_of_line(line, len, &rec, &on->bad) < 0) {
		ga_wrap(&on->bad, "standard input, line %llu", (unsigned long long)on->in.line);
		ga_hint(&on->bad, "what came before it is carried out; when objects span lines, "
				  "put 'jq -c .' in front");
		return 0;
	}
	json = rec.json;
	node = json_string_value(json_object_get(rec.json, "node"));
	if (!rec.schema || !is_order(rec.schema) || !node)
		return ga_emit_raw(&rec, err);
	n = find(on, node);
	n->with_input = true;
	return ga_on_node_give(n, &rec, err);
}

static int read_stream(struct ga_on *on, struct ga_err *err)
{
	const char *line;
	bool whole;
	size_t len;
	int r = ga_lines_read(&on->in, on->fd);

	if (r < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (r < 0)
		ga_err_set_sys(&on->bad, "cannot read standard input");
	while (!on->bad.code && (r = ga_lines_next(&on->in, &line, &len, &whole)) != 0) {
		if (r < 0)
			ga_err_set(&on->bad, GA_BADREC,
				   "standard input, line %llu: longer than 1 MiB",
				   (unsigned long long)on->in.line);
		else if (take_line(on, line, len, err) < 0)
			return -1;
	}
	if (on->in.at_end || on->bad.code) {
		size_t i;

		/* The stream has ended: every node gets the end of its input. */
		on->fd = -1;
		for (i = 0; i < on->nodes.n; i++)
			on->nodes.v[i]->in_whole = true;
	}
	return 0;
}

/* ---- the loop ---- */

static size_t queued(const struct ga_on *on)
{
	size_t i, sum = 0;

	for (i = 0; i < on->first_waiting; i++)
		if (on->nodes.v[i]->state == GA_ON_RUNNING)
			sum += on->nodes.v[i]->in.len - on->nodes.v[i]->sent;
	return sum;
}

struct waits {
	struct pollfd *fds;
	struct ga_on_node **of; /* of the descriptor; NULL for the stream */
	size_t n;
	int millis;
};

static void wait_for(struct waits *w, int fd, short events, struct ga_on_node *n)
{
	if (fd < 0)
		return;
	w->fds[w->n] = (struct pollfd){ .fd = fd, .events = events };
	w->of[w->n++] = n;
}

static int serve(struct ga_on *on, struct ga_on_node *n, int fd, struct ga_err *err)
{
	if (!n)
		return read_stream(on, err);
	if (fd == n->child.in)
		ga_on_node_send(n);
	else if (fd == n->child.err)
		ga_on_node_read_words(n);
	else if (fd == n->child.out)
		return ga_on_node_read(n, err);
	return 0;
}

int ga_on_run(struct ga_on *on, int fd, struct ga_err *err)
{
	on->fd = fd;
	while (on->fd >= 0 || on->running || on->first_waiting < on->nodes.n) {
		struct waits w = { 0 };
		size_t i;
		int r = 0;

		if (ga_stop_asked()) {
			struct ga_err why = GA_ERR_INIT;
			size_t j;

			/* A signal to stop came: begin no more nodes; hosts finish the running
			 * work. */
			(void)ga_stop_check("the work on this node", &why);
			for (j = 0; j < on->nodes.n; j++)
				if (on->nodes.v[j]->state != GA_ON_ENDED &&
				    ga_on_node_fail(on->nodes.v[j], "run", &why, err) < 0)
					return -1;
			return ga_stop_check("gpuaas-on", err);
		}
		while (on->running < (size_t)on->opts.parallel && on->first_waiting < on->nodes.n) {
			struct ga_on_node *n = on->nodes.v[on->first_waiting++];

			if (ga_on_node_start(n, err) < 0)
				return -1;
			on->running += n->state == GA_ON_RUNNING;
		}
		w.fds = ga_xcalloc(3 * on->running + 1, sizeof(*w.fds));
		w.of = ga_xcalloc(3 * on->running + 1, sizeof(struct ga_on_node *));
		w.millis = 500;
		if (on->fd >= 0 && queued(on) < QUEUED_MAX)
			wait_for(&w, on->fd, POLLIN, NULL);
		for (i = 0; i < on->first_waiting; i++) {
			struct ga_on_node *n = on->nodes.v[i];

			if (n->state != GA_ON_RUNNING)
				continue;
			wait_for(&w, n->child.out, POLLIN, n);
			wait_for(&w, n->child.err, POLLIN, n);
			if (n->in.len || n->in_whole)
				wait_for(&w, n->child.in, POLLOUT, n);
			if (n->child.out < 0) /* it ends soon, and poll cannot see that */
				w.millis = 10;
		}
		if (poll(w.fds, w.n, w.millis) > 0)
			for (i = 0; !r && i < w.n; i++)
				if (w.fds[i].revents)
					r = serve(on, w.of[i], w.fds[i].fd, err);
		free(w.fds);
		free(w.of);
		on->running = 0;
		for (i = 0; !r && i < on->first_waiting; i++) {
			r = ga_on_node_look(on->nodes.v[i], err);
			on->running += on->nodes.v[i]->state == GA_ON_RUNNING;
		}
		if (r < 0)
			return -1;
	}
	if (!on->bad.code)
		return 0;
	*err = on->bad;
	return -1;
}
