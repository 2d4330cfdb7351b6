/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of gpuaas-node. */
#ifndef GA_CLI_NODE_NODE_H
#define GA_CLI_NODE_NODE_H

#include "record/time.h"
#include "state/node/node.h"

/* What gpuaas-node set may change of a network; NULL and GA_UNKNOWN: left as it is. */
struct ga_node_change {
	const char *name, *address, *region, *pool, *mode, *reserved_cpus, *fabric_mode;
	int64_t reserved_memory_mib;
	struct ga_network network; /* borrowed texts */
};

struct ga_node_opts {
	const char *reason, *deadline, *from, *to;
	bool dry_run, evacuate, yes;
	GA_LIST(const char *) consent;
	GA_LIST(const char *) where;
	int64_t generation; /* that was seen, or GA_UNKNOWN */
	struct ga_node_change change;
};

/* Runs a command of gpuaas-node on the operands that were given. */
GA_MUST_CHECK int ga_node_command(const char *name, struct ga_node_opts *opts, struct ga_err *err);

/* A time as it is given, or so long from now ("24h"). GA_USAGE naming what. */
GA_MUST_CHECK int ga_node_when(const char *what, const char *text, char out[GA_TIME_SIZE],
			       struct ga_err *err);

/* Stops an allocation of the node and makes it again elsewhere: its request is placed first, and
 * only what has its place is given up. Emits the plan and the release order, or the refusal, whose
 * allocation goes on running. No transaction may be open. */
GA_MUST_CHECK int ga_node_evacuate(struct ga_db *db, const char *node, const char *allocation,
				   const char *reason, struct ga_err *err);

#endif
