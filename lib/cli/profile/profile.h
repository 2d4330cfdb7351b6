/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of gpuaas-profile that show accelerator types and the accelerators of nodes. */
#ifndef GA_CLI_PROFILE_PROFILE_H
#define GA_CLI_PROFILE_PROFILE_H

#include "base/ga.h"
#include "base/texts.h"
#include "base/vec.h"

/* The options of "nodes"; texts are borrowed; NULL: not given. */
struct ga_nodes_opts {
	struct ga_borrowed_texts types; /* only nodes that have, or may have, one of these */
	const char *reason; /* the source of a type that is recorded by hand */
	bool unknown, dry_run; /* unknown: only nodes with GPUs whose type is not known */
};

/* The commands return 0 or an exit status above 0, or -1 with the error. Each reads its operands
 * with ga_cli_args. */

/* gpuaas-profile catalog [SEARCH…|check FILE…]: emits accelerator types, or findings. 1: findings;
 * GA_NO when no type matches. */
GA_MUST_CHECK int ga_cli_catalog(struct ga_err *err);
/* gpuaas-profile nodes [FILE|-|set NODE TYPE…|clear NODE]: emits the view of each node, from the
 * state or from the output of kubectl, or records the types of a node by hand. */
GA_MUST_CHECK int ga_cli_nodes(const struct ga_nodes_opts *opts, struct ga_err *err);
/* gpuaas-profile labels check [FILE|-]: emits findings about the labels of nodes in the output of
 * kubectl. 1: a finding is a warning or an error. */
GA_MUST_CHECK int ga_cli_labels(struct ga_err *err);

#endif
