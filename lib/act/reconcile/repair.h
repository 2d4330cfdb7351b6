/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The safe class of repairs, through the stages' own code: bind, activate, write again, start
 * again, finish, undo, remove what nobody has. Never ends a domain, never writes to a disk, and
 * works on nothing that somebody else works on: each repair takes the hold of its object first and
 * then looks whether it is still as it was seen.
 */
#ifndef GA_ACT_RECONCILE_REPAIR_H
#define GA_ACT_RECONCILE_REPAIR_H

#include "act/device/fabric.h"
#include "decide/drift/drift.h"
#include "record/expectation.h"

struct ga_repair_opts {
	const char *program; /* for holds */
	const char *node;
	const char *host_dir, *images_dir, *libvirt_uri;
	struct ga_fabric_at fabric;
	bool boot;    /* start recorded domains again */
	bool dry_run; /* --plan: say what would be done, do nothing */
	/* Where results go that are told again. */
	int (*result)(const struct ga_shape *shape, const void *obj, struct ga_err *err);
	const char *baremetal_dir; /* this and the next two as of act/vm/provision.h */
	bool holds_state;
	int (*progress)(const struct ga_progress *p, struct ga_err *err);
	void (*say)(const char *line); /* words for people */
};

/* Repairs in the order of enum ga_repair and sets drift.repaired of what was done. A repair that
 * fails is said, stays drift, and the rest goes on; -1 only when host.db cannot be opened. */
GA_MUST_CHECK int ga_repair(const struct ga_expectation *want, const struct ga_seen *seen,
			    struct ga_drifts *d, const struct ga_repair_opts *opts,
			    struct ga_err *err);

/* What is left after a second look: those of before that were repaired and are gone (repaired), and
 * those of after. What was taken is moved out of both. */
void ga_repair_outcome(struct ga_drifts *before, struct ga_drifts *after, struct ga_drifts *ret);

#endif
