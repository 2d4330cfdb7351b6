/* SPDX-License-Identifier: Apache-2.0 */
/* One node of gpuaas-on: its connection, the orders it gets and what it writes. Private to
 * cli/on. */
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
	struct ga_str in; /* given and not yet sent starts at sent */
	size_t sent;
	bool in_whole; /* nothing more will be given */
	struct ga_lines out, words;
	struct ga_str said; /* the end of its stderr */
	struct ga_host_stream discovery;
	struct ga_str held; /* lines of a discovery whose end has not come */
	struct ga_texts open; /* objects of orders it has not answered */
	struct ga_digest *digest;
	int64_t orders, records, started;
	bool had_output, told; /* told: a record with a status was passed on */
	bool failed; /* its failure was told: it will not be complete */
	bool cut;    /* its last line lacked its end */
	bool gone;   /* nothing of it is passed on any more */
};

struct ga_on_node *ga_on_node_new(const struct ga_on_opts *opts, const char *node);
void ga_on_node_free(struct ga_on_node *n);
/* Gives it one order, to be sent when it runs; for a node that has ended that is a failure. */
GA_MUST_CHECK int ga_on_node_give(struct ga_on_node *n, const struct ga_rec *rec,
				  struct ga_err *err);
/* Connects. 0 also when that failed: the node has ended then, and its failure was emitted. -1:
 * standard output failed. */
GA_MUST_CHECK int ga_on_node_start(struct ga_on_node *n, struct ga_err *err);
void ga_on_node_send(struct ga_on_node *n); /* when its stdin takes bytes */
GA_MUST_CHECK int ga_on_node_read(struct ga_on_node *n, struct ga_err *err);	    /* its stdout */
void ga_on_node_read_words(struct ga_on_node *n); /* its stderr */
/* Ends the node when its command has ended or its time is over, and emits what is due then. */
GA_MUST_CHECK int ga_on_node_look(struct ga_on_node *n, struct ga_err *err);
/* Ends it with this failure. why->code is the status. */
GA_MUST_CHECK int ga_on_node_fail(struct ga_on_node *n, const char *phase, const struct ga_err *why,
				  struct ga_err *err);

/* What it writes (said.c): takes a line of its stdout, reports one that is too long, and at the end
 * reports lines that were held back. */
GA_MUST_CHECK int ga_on_said(struct ga_on_node *n, const char *line, size_t len,
			     struct ga_err *err);
GA_MUST_CHECK int ga_on_said_too_long(struct ga_on_node *n, struct ga_err *err);
GA_MUST_CHECK int ga_on_said_end(struct ga_on_node *n, struct ga_err *err);
/* Emits a failure of the node, once, and goes on with it. */
GA_MUST_CHECK int ga_on_tell(struct ga_on_node *n, const char *phase, const struct ga_err *why,
			     struct ga_err *err);
/* A failure of its own for an order that came after the node's end. */
GA_MUST_CHECK int ga_on_tell_unsent(struct ga_on_node *n, const char *object, struct ga_err *err);
/* The node-end record. status GA_UNKNOWN: its end was not seen. */
GA_MUST_CHECK int ga_on_tell_end(struct ga_on_node *n, int64_t status, struct ga_err *err);

#endif
