/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-on: one command on many nodes, by ssh. Orders (plan, release-order, wipe-order,
 * expectation) go to the node they name; every other record is passed on at once. What the nodes
 * write comes out line by line as it comes, a discovery in one piece when its end fits; each node
 * ends with a node-end record, behind a failure when anything went wrong with it.
 *
 * A node that is dead, slow or talks nonsense harms no other: it becomes a failure (code, sentence,
 * status), and the first of them is the exit status.
 */
#ifndef GA_CLI_ON_ON_H
#define GA_CLI_ON_ON_H

#include "act/device/ssh.h"
#include "base/ga.h"

struct ga_on_opts {
	const char *program; /* for the failures */
	const char *command; /* line for the shell of the nodes (base/quote.h) */
	struct ga_ssh ssh;
	const char *user_data_dir; /* of place, beside the state: sent in front of its plan */
	int parallel;		/* nodes at a time */
	int64_t timeout_micros; /* for the command on one node; 0: none */
	/* Where ssh reaches the node; GA_NOTFOUND when the state has no such node. */
	int (*address)(const char *node, char **ret, struct ga_err *err);
};

struct ga_on;
struct ga_on *ga_on_open(const struct ga_on_opts *opts);
void ga_on_close(struct ga_on *on);
/* A node that runs the command without input. Once for each. */
void ga_on_add(struct ga_on *on, const char *node);
size_t ga_on_count(const struct ga_on *on); /* of nodes so far */
/* Reads records from fd (-1: none) to its end, runs all, and returns when the last node has ended.
 * -1 for a bad record (what came before it is carried out) and for stdout that cannot be written;
 * what happened to nodes is in the records and in the status that ga_cli_finish returns. */
GA_MUST_CHECK int ga_on_run(struct ga_on *on, int fd, struct ga_err *err);

#endif
