/* SPDX-License-Identifier: Apache-2.0 */
/* Settings and outputs of gpuaas-reconcile. */
#ifndef GA_CLI_RECONCILE_H
#define GA_CLI_RECONCILE_H

#include "act/reconcile/reconcile.h"

/* Fills opts from the settings (gpuaas(7)) and opens the output for results. node NULL: the
 * setting, else a name made from the machine id. *node_id is allocated and must outlive opts. */
GA_MUST_CHECK int ga_cli_reconcile_opts(struct ga_reconcile_opts *opts, const char *program,
					const char *node, char **node_id, struct ga_err *err);
/* Fills only the options for the observation of the host; needs and opens no state. */
GA_MUST_CHECK int ga_cli_reconcile_look(struct ga_observe_opts *look, const char *node,
					char **node_id, struct ga_err *err);
/* The inventory of this host, with the answers of baremetal.d/status (ga_inventory). machines: ids
 * or, where a state is, names. 1: the executables failed for one of these; stderr has the
 * reason. */
GA_MUST_CHECK int ga_cli_inventory(const char *node, const struct ga_observe_opts *look,
				   const char *const *machines, size_t n, struct ga_err *err);
/* Reads the expectation for the node from the local state. */
GA_MUST_CHECK int ga_cli_reconcile_want(const char *node, struct ga_expectation *ret,
					struct ga_err *err);

#endif
