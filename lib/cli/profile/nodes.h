/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-profile nodes and labels. */
#ifndef GA_CLI_PROFILE_NODES_H
#define GA_CLI_PROFILE_NODES_H

#include "exchange/kube/view.h"

struct ga_nodes_opts {
	GA_LIST(const char *) types; /* only nodes that have, or may have, one of these */
	const char *sort; /* node, type, gpus, age */
	const char *reason;
	bool unknown, dry_run;
};
extern const char *const ga_nodes_sorts[];

/* gpuaas-profile nodes [FILE|-|set NODE TYPE…|clear NODE] */
GA_MUST_CHECK int ga_cli_nodes(const struct ga_nodes_opts *opts, struct ga_err *err);
/* gpuaas-profile labels check [FILE|-] */
GA_MUST_CHECK int ga_cli_labels(struct ga_err *err);

#endif
