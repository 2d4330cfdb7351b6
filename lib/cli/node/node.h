/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of gpuaas-node. */
#ifndef GA_CLI_NODE_NODE_H
#define GA_CLI_NODE_NODE_H

#include "base/texts.h"
#include "record/host.h"
#include "record/time.h"
#include "state/node/node.h"

/* The settings that "gpuaas-node set" may change; NULL and GA_UNKNOWN: no change. */
struct ga_node_change {
	const char *name, *address, *region, *pool, *mode, *reserved_cpus, *fabric_mode;
	int64_t reserved_memory_mib;
	struct ga_network network; /* borrowed texts */
};

struct ga_node_opts {
	const char *reason, *deadline, *from, *to;
	bool dry_run, evacuate, yes;
	struct ga_borrowed_texts consent, where;
	int64_t generation; /* expected generation of the node, or GA_UNKNOWN */
	struct ga_node_change change;
};

/* Runs a command of gpuaas-node on the operands of the command line. */
GA_MUST_CHECK int ga_node_command(const char *name, struct ga_node_opts *opts, struct ga_err *err);

/* Moves an allocation, given by its id, to another node: first places its request again, and
 * releases the old allocation only after that succeeds. Emits the plan and the release order; or
 * emits the refusal, and the allocation goes on running. No transaction may be open. */
GA_MUST_CHECK int ga_node_evacuate(struct ga_db *db, const char *node, const char *allocation,
				   const char *reason, struct ga_err *err);

#endif
