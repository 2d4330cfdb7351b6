/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-release: ends allocations, holds them, takes holds back; on both sides. */
#ifndef GA_CLI_RELEASE_H
#define GA_CLI_RELEASE_H

#include "state/allocation/hold.h"

struct ga_release_ask {
	const char *reason, *progress;
	int64_t hold_seconds; /* GA_UNKNOWN: the profile's; 0: none */
	bool undo, yes, dry_run;
	bool only_over; /* ga_release_end: leave it alone when its hold was changed meanwhile */
	char *node; /* this host's id */
};

/* Refuses options that contradict each other, and those that need an id or go without one. */
GA_MUST_CHECK int ga_release_check(const struct ga_release_ask *ask, bool pending, bool has_ids,
				   struct ga_err *err);
/*
 * Ends, holds or starts again, as ask and the allocation's profile say. What is on this machine is
 * done at once, for another node its order goes out. On a terminal the name of what cannot be
 * undone must be typed.
 */
GA_MUST_CHECK int ga_release_one(const char *id, const struct ga_release_ask *ask,
				 struct ga_err *err);
/* Ends it, without asking. */
GA_MUST_CHECK int ga_release_end(const char *id, const struct ga_release_ask *ask,
				 struct ga_err *err);

/* On the host: takes the devices back, emits gpuaas.released and wipe-orders. */
GA_MUST_CHECK int ga_release_carry_out(const struct ga_release_order *order,
				       const struct ga_release_ask *ask, struct ga_err *err);
/* On the host: stops the VM or starts it again; emits what gpuaas-vm emits. */
GA_MUST_CHECK int ga_release_hold_do(const struct ga_hold_order *order,
				     const struct ga_release_ask *ask, struct ga_err *err);

/* The held allocations whose time is over. */
GA_MUST_CHECK int ga_release_over(struct ga_texts *ret, struct ga_err *err);

#endif
