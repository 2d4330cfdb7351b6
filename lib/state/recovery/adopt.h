/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a host knows (an inventory) into a state that does not: one that was restored from a backup,
 * or made anew. Nothing on the host is touched, and no invariant is weakened: every step goes over
 * the edges, with the evidence the host kept. What cannot be adopted is a finding, and stays out of
 * sale.
 */
#ifndef GA_STATE_RECOVERY_ADOPT_H
#define GA_STATE_RECOVERY_ADOPT_H

#include "base/texts.h"
#include "record/inventory.h"
#include "record/state.h"
#include "state/db/db.h"

/* One node's stream, whole. */
struct ga_inventory_of {
	struct ga_inventory end;
	GA_LIST(struct ga_inventory_work) works;
};
void ga_inventory_of_release(struct ga_inventory_of *i);

/* What is asked, and what became of it; the texts and lists are filled in. */
struct ga_adoption {
	const char *reason;
	bool wipe; /* what is idle and cannot be adopted is ordered to be wiped */
	GA_LIST(struct ga_finding) findings;
	struct ga_texts allocations; /* adopted: ids */
	struct ga_texts slots;	     /* verified in this epoch: ids */
	struct ga_texts wipes;	     /* slots with a new wipe order */
};
void ga_adoption_release(struct ga_adoption *a);
#define ga_autoadoption ga_cleanup(ga_adoption_release)

/*
 * In the caller's transaction: the node (made when it is not known), what the host ended since,
 * evidence, running allocations with their slots and claims, and which slots are as the state says.
 */
GA_MUST_CHECK int ga_store_adopt(struct ga_db *db, const struct ga_inventory_of *inventory,
				 struct ga_adoption *adoption, struct ga_err *err);
/* Raises the epoch to at least 2 and above every plan of the inventories: a state made anew. */
GA_MUST_CHECK int ga_store_adopt_epoch(struct ga_db *db, const struct ga_inventory_of *inventories,
				       size_t n, const char *reason, struct ga_err *err);

#endif
