/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking at what an expectation speaks of: everything the comparison (decide/drift/drift.h) wants
 * to know of this host. Changes nothing. An area that cannot be looked at is blind and says why;
 * that is never a failure here, and never drift.
 */
#ifndef GA_ACT_RECONCILE_OBSERVE_H
#define GA_ACT_RECONCILE_OBSERVE_H

#include "decide/drift/drift.h"
#include "look/discover/discover.h"
#include "record/expectation.h"

struct ga_observe_opts {
	const char *host_dir;	 /* ga_cli_host_dir */
	const char *libvirt_uri; /* setting GPUAAS_LIBVIRT_URI */
	const char *nvram_dir;	 /* where libvirt keeps firmware variables; NULL: its default */
	bool booting;		 /* --boot */
	struct ga_discover_opts discover; /* the expectation's network goes over it */
};

void ga_observe(const struct ga_expectation *want, const struct ga_observe_opts *opts,
		struct ga_seen *ret);

#endif
