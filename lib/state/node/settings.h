/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of a node, applied idempotently. */
#ifndef GA_STATE_NODE_SETTINGS_H
#define GA_STATE_NODE_SETTINGS_H

#include "state/db/row.h"

struct ga_node_settings;

/* Refuses the id of a new node that is the name of another one, or the id of an allocation or slot
 * (GA_CONFLICT "name_taken"): commands with that word would mean the new one from then on. names:
 * so does the name of an allocation; not for a discovery, which no tenant may block by a name. */
GA_MUST_CHECK int ga_store_node_id_is_free(struct ga_db *db, const char *node, bool names,
					   struct ga_err *err);

/* 1 when something changed, 0 when the state had it already. GA_CONFLICT "node_in_use" when the
 * mode may not change, "duplicate_identity" when a slot has an address of the network itself,
 * "name_taken" when another object answers to the name, or to the id of a new node. */
GA_MUST_CHECK int ga_store_apply_node_settings(struct ga_db *db, const struct ga_node_settings *s,
					       struct ga_err *err);

#endif
