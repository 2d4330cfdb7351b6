/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the knowledge of a host (an inventory) into a state that lacks it: a state restored from a
 * backup, or made new. Nothing changes on the host, and no invariant is weakened: every step goes
 * over the edges, with the evidence that the host kept. A work that cannot be adopted is reported
 * as a finding, and its slots stay out of sale.
 */
#ifndef GA_STATE_RECOVERY_ADOPT_H
#define GA_STATE_RECOVERY_ADOPT_H

#include "base/texts.h"
#include "record/inventory.h"
#include "state/db/db.h"

struct ga_finding;
struct ga_request;

/* The complete stream of one node. */
struct ga_inventory_of {
	struct ga_inventory end;
	GA_LIST(struct ga_inventory_work) works;
	bool is_signed, is_own; /* with a right signature; with that of the adopting host itself */
};
void ga_inventory_of_release(struct ga_inventory_of *i);

/* The request of an adoption and its results. The texts and lists are filled in. */
struct ga_adoption {
	const char *reason;
	bool wipe; /* order a wipe of idle slots that cannot be adopted */
	bool rebuilds; /* the state is being made of the inventories, which are older than it */
	GA_LIST(struct ga_finding) findings;
	struct ga_texts allocations; /* ids of adopted allocations */
	struct ga_texts slots;	     /* ids of slots verified in this epoch */
	struct ga_texts wipes;	     /* ids of slots with a new wipe order */
	struct ga_texts unchanged;   /* sentences: answers about machines that changed nothing */
};
void ga_adoption_release(struct ga_adoption *a);
#define ga_autoadoption ga_cleanup(ga_adoption_release)

/*
 * In the caller's transaction: adopts the node (made when it is not known), the work that the host
 * ended since, evidence, running allocations with their slots and claims, and verifies which slots
 * are as in the state. GA_CONFLICT "old_inventory" for one from before the last restore or rebuild,
 * unless it is the rebuild's own.
 */
GA_MUST_CHECK int ga_store_adopt(struct ga_db *db, const struct ga_inventory_of *inventory,
				 struct ga_adoption *adoption, struct ga_err *err);
/* A machine that a tenant had before gpuaas knew it. allocation is filled in, allocated. */
struct ga_take_in {
	const char *node, *reason;
	const struct ga_request *request; /* project, profile and name; checked by its schema */
	char *allocation;
};
/*
 * In the caller's transaction: makes an active baremetal allocation of the node for the tenant that
 * has it, with claims on the node and on every slot, and its devices tainted. The inventory has the
 * answer of the operator's executables (adopt_machine.c). Makes no slot available and no plan.
 * GA_NOTFOUND or GA_CONFLICT "no_discovery"; GA_NOTFOUND "no_profile"; GA_NO "profile_retired";
 * GA_CONFLICT "old_inventory", "node_mode", "node_in_use", "wrong_state", "no_status",
 * "not_deployed", "wrong_node".
 */
GA_MUST_CHECK int ga_store_take_in(struct ga_db *db, const struct ga_inventory_of *inventory,
				   struct ga_take_in *in, struct ga_err *err);
/* For a state made new: raises the epoch to at least 2 and above every plan of the inventories. */
GA_MUST_CHECK int ga_store_adopt_epoch(struct ga_db *db, const struct ga_inventory_of *inventories,
				       size_t n, const char *reason, struct ga_err *err);

#endif
