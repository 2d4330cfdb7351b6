/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-release: releases allocations, puts them on hold, and ends holds; state side and host
 * side. */
#ifndef GA_CLI_RELEASE_H
#define GA_CLI_RELEASE_H

#include "state/allocation/hold.h"

struct ga_release_order;
struct ga_several;
struct ga_texts;

struct ga_release_ask {
	const char *reason, *progress;
	int64_t hold_seconds; /* GA_UNKNOWN: the profile's; 0: none */
	bool undo, yes, dry_run;
	bool only_over; /* ga_release_end: do nothing if the hold was changed meanwhile */
	bool unused;	/* ga_release_end: not confirmed for an allocation in use */
	const struct ga_texts *typed; /* of ga_release_confirm; NULL: no name was required */
	const struct ga_still *still; /* conditions that have to hold still; NULL: none */
	char *node; /* this host's id */
};

/* Refuses options that contradict each other, that need an id, or that allow none. */
GA_MUST_CHECK int ga_release_check(const struct ga_release_ask *ask, bool pending, bool has_ids,
				   struct ga_err *err);
/*
 * Releases an allocation, holds it, or starts it again, as ask and the allocation's profile
 * require. Works at once on this machine; for another node, writes the order.
 */
GA_MUST_CHECK int ga_release_one(const char *id, const struct ga_release_ask *ask,
				 struct ga_err *err);
/* On a terminal, before any work: the user types the name of each allocation whose data the release
 * destroys. Takes those out of ids whose name was not typed, with the status and message of each; a
 * single one is the error, and so is a signal to stop at any of them. Adds those whose name was
 * typed to typed, which ask keeps: the caller owns it and releases it after the last release. The
 * data of the others is not destroyed, also when one comes into use or is held meanwhile. */
GA_MUST_CHECK int ga_release_confirm(struct ga_release_ask *ask, struct ga_texts *ids,
				     struct ga_texts *typed, struct ga_err *err);
/* The allocations that operands name, or that meet conditions, each once (cli/objects/several.h).
 * Conditions may match more than is meant: on a terminal the user sees the allocations and types
 * their number; elsewhere --yes is needed. A dry run needs neither. several outlives ask, which
 * keeps the conditions: the transaction of each allocation checks them again. */
GA_MUST_CHECK int ga_release_pick(struct ga_several *several, struct ga_release_ask *ask,
				  struct ga_texts *ret, struct ga_err *err);
/* Releases the allocation without asking the user. */
GA_MUST_CHECK int ga_release_end(const char *id, const struct ga_release_ask *ask,
				 struct ga_err *err);

/* Says on a terminal which command carries out the order, from this machine (here: its node; NULL:
 * it is none). */
void ga_release_say_next(const struct ga_release_order *order, const char *here);

/* On the host: releases the devices, emits gpuaas.released and the wipe-orders. */
GA_MUST_CHECK int ga_release_carry_out(const struct ga_release_order *order,
				       const struct ga_release_ask *ask, struct ga_err *err);
/* On the host: stops the VM or starts it again; emits the same records as gpuaas-vm. */
GA_MUST_CHECK int ga_release_hold_do(const struct ga_hold_order *order,
				     const struct ga_release_ask *ask, struct ga_err *err);

/* The held allocations whose hold is over. */
GA_MUST_CHECK int ga_release_over(struct ga_texts *ret, struct ga_err *err);

#endif
