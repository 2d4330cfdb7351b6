/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Safe repairs, made by the code of provision and release: bind, activate, write again, start
 * again, finish, undo, remove things that belong to nobody. Repairs never end a domain, never write
 * to a disk, and never touch an object that somebody else works on: each repair first locks its
 * object and then checks that the object has not changed since the look.
 */
#ifndef GA_ACT_RECONCILE_REPAIR_H
#define GA_ACT_RECONCILE_REPAIR_H

#include "act/device/fabric.h"
#include "act/vm/work.h"
#include "decide/drift/drift.h"

struct ga_expectation;

struct ga_repair_opts {
	const char *program; /* named in locks */
	const char *node;
	const char *host_dir, *images_dir, *libvirt_uri;
	struct ga_fabric_at fabric;
	bool boot;    /* start recorded domains again */
	bool dry_run; /* --plan: only describe the repairs */
	const char *baremetal_dir; /* this and holds_state as of act/vm/provision.h */
	bool holds_state;
	struct ga_work_to to; /* its result also gets results that are sent again; moving is
				 not used */
};

/* Repairs in the order of enum ga_repair and sets drift.repaired for each repair that succeeded. A
 * repair that fails is reported through say, its drift stays, and the other repairs go on; -1 only
 * when host.db cannot be opened. */
GA_MUST_CHECK int ga_repair(const struct ga_expectation *want, const struct ga_seen *seen,
			    struct ga_drifts *d, const struct ga_repair_opts *opts,
			    struct ga_err *err);

/* The drifts to report after the second look: the repaired ones of before that are gone, with
 * repaired set, and all of after. Moves them out of both lists into ret. */
void ga_repair_outcome(struct ga_drifts *before, struct ga_drifts *after, struct ga_drifts *ret);

#endif
