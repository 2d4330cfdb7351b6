/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-on: one command on many nodes, by ssh. Orders (plan, release-order, wipe-order,
 * expectation) go to the node that they name; every other record is passed on at once. The output
 * of the nodes is written line by line as it arrives; a discovery is written in one piece after its
 * end record fits. Each node ends with a node-end record, after a failure record if anything went
 * wrong.
 *
 * A node that is dead, slow or writes no valid records does not disturb the others: it becomes a
 * failure (code, sentence, status); the status of the first failure is the exit status.
 */
#ifndef GA_CLI_ON_ON_H
#define GA_CLI_ON_ON_H

#include "act/device/ssh.h"
#include "base/ga.h"

struct ga_on_opts {
	const char *program; /* for the failures */
	const char *command; /* line for the shell of the nodes (base/quote.h) */
	struct ga_ssh ssh;
	const char *user_data_dir; /* where gpuaas-place stores user-data, sent before its plan */
	int parallel;		/* largest number of nodes at a time */
	int64_t timeout_micros; /* for the command on one node; 0: none */
	/* The address of the node for ssh; GA_NOTFOUND when the state has no such node. */
	int (*address)(const char *node, char **ret, struct ga_err *err);
};

struct ga_on;
/* Starts an empty run with a copy of opts, whose texts must outlive it. Close it with
 * ga_on_close. */
struct ga_on *ga_on_open(const struct ga_on_opts *opts);
void ga_on_close(struct ga_on *on);
/* Adds a node that runs the command without input; add each node only once. */
void ga_on_add(struct ga_on *on, const char *node);
size_t ga_on_count(const struct ga_on *on); /* number of nodes so far */
/* Reads records from fd (-1: none) to its end, runs all nodes, and returns when the last one has
 * ended. -1 for a bad record (orders before it are carried out) and when stdout cannot be written.
 * Failures of nodes are in the records and in the status that ga_cli_finish returns. */
GA_MUST_CHECK int ga_on_run(struct ga_on *on, int fd, struct ga_err *err);

#endif
