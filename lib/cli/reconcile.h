/* SPDX-License-Identifier: Apache-2.0 */
/* Settings and outlets of gpuaas-reconcile. */
#ifndef GA_CLI_RECONCILE_H
#define GA_CLI_RECONCILE_H

#include "act/reconcile/reconcile.h"

/* Fills opts from the settings (gpuaas(7)) and opens where results go. node (NULL: the setting,
 * else made from the machine id); node_id is allocated and must outlive opts. */
GA_MUST_CHECK int ga_cli_reconcile_opts(struct ga_reconcile_opts *opts, const char *program,
					const char *node, char **node_id, struct ga_err *err);
/* The part of it that looks: needs no state, and opens none. */
GA_MUST_CHECK int ga_cli_reconcile_look(struct ga_observe_opts *look, const char *node,
					char **node_id, struct ga_err *err);
/* The expectation of the local state for the node. */
GA_MUST_CHECK int ga_cli_reconcile_want(const char *node, struct ga_expectation *ret,
					struct ga_err *err);

#endif
