/* SPDX-License-Identifier: Apache-2.0 */
/* One node of gpuaas-on: its connection, its orders and its output. Private to cli/on. */
#ifndef GA_CLI_ON_NODE_H
#define GA_CLI_ON_NODE_H

#include "base/lines.h"
#include "base/texts.h"
#include "cli/on/on.h"
#include "look/host/stream.h"
#include "record/digest.h"
#include "record/rec.h"

enum ga_on_state { GA_ON_WAITING, GA_ON_RUNNING, GA_ON_ENDED };

struct ga_on_node {
	const struct ga_on_opts *opts;
	char *node, *address;
	enum ga_on_state state;
	bool with_input;
	struct ga_child child;
	struct ga_str in; /* its input; bytes not yet sent start at sent */
	size_t sent;
	bool in_whole; /* the input is complete */
	struct ga_lines out, words; /* its stdout, its stderr */
	struct ga_str said; /* the end of its stderr */
	struct ga_host_stream discovery;
	struct ga_str held; /* lines of a discovery without its end record yet */
	struct ga_texts open; /* objects of orders that it has not answered */
	struct ga_digest *digest;
	int64_t orders, records, started;
	bool had_output, had_status; /* had_status: a record with a status was passed on */
	bool failed; /* a failure of the node was emitted: it is not complete */
	bool cut;    /* its last line had no newline */
	bool gone;   /* no more of its output is passed on */
};

/* A node that has not run yet. opts stays the caller's and must outlive it; free it with
 * ga_on_node_free. */
struct ga_on_node *ga_on_node_new(const struct ga_on_opts *opts, const char *node);
void ga_on_node_free(struct ga_on_node *n);
/* Adds one order to its input, sent when the node runs; emits a failure if the node has ended. */
GA_MUST_CHECK int ga_on_node_give(struct ga_on_node *n, const struct ga_rec *rec,
				  struct ga_err *err);
/* Connects. If that fails, emits a failure, ends the node and also returns 0. -1: standard output
 * failed. */
GA_MUST_CHECK int ga_on_node_start(struct ga_on_node *n, struct ga_err *err);
void ga_on_node_send(struct ga_on_node *n); /* call when its stdin accepts bytes */
GA_MUST_CHECK int ga_on_node_read(struct ga_on_node *n, struct ga_err *err);	    /* its stdout */
void ga_on_node_read_words(struct ga_on_node *n); /* its stderr */
/* Checks whether the command has ended or its time is over; if so, ends the node and emits its last
 * records. */
GA_MUST_CHECK int ga_on_node_look(struct ga_on_node *n, struct ga_err *err);
/* Ends the node with this failure; why->code is the status. */
GA_MUST_CHECK int ga_on_node_fail(struct ga_on_node *n, const char *phase, const struct ga_err *why,
				  struct ga_err *err);

/* The output of the node (said.c): ga_on_said handles a line of its stdout, ga_on_said_too_long
 * reports a line that is too long, ga_on_said_end reports lines that were held back at the end. */
GA_MUST_CHECK int ga_on_said(struct ga_on_node *n, const char *line, size_t len,
			     struct ga_err *err);
GA_MUST_CHECK int ga_on_said_too_long(struct ga_on_node *n, struct ga_err *err);
GA_MUST_CHECK int ga_on_said_end(struct ga_on_node *n, struct ga_err *err);
/* Emits a failure of the node, only the first time; does not end the node. */
GA_MUST_CHECK int ga_on_tell(struct ga_on_node *n, const char *phase, const struct ga_err *why,
			     struct ga_err *err);
/* Emits a separate failure for an order that came after the node's end. */
GA_MUST_CHECK int ga_on_tell_unsent(struct ga_on_node *n, const char *object, struct ga_err *err);
/* Emits the node-end record. status GA_UNKNOWN: gpuaas-on did not see the end of the command. */
GA_MUST_CHECK int ga_on_tell_end(struct ga_on_node *n, int64_t status, struct ga_err *err);

#endif
