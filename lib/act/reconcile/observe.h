/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at everything on this host that drift compares with an expectation (decide/drift/drift.h).
 * Changes nothing. An area that cannot be looked at is marked blind with the reason; that is no
 * failure here, and no drift.
 */
#ifndef GA_ACT_RECONCILE_OBSERVE_H
#define GA_ACT_RECONCILE_OBSERVE_H

#include "decide/drift/drift.h"
#include "look/discover/discover.h"

struct ga_expectation;

struct ga_observe_opts {
	const char *host_dir;	 /* ga_cli_host_dir */
	const char *libvirt_uri; /* setting GPUAAS_LIBVIRT_URI */
	const char *nvram_dir;	 /* where libvirt keeps firmware variables; NULL: its default */
	bool booting;		 /* --boot */
	struct ga_discover_opts discover; /* members of the expectation's network replace these */
};

/* Fills ret; release it with ga_seen_release. */
void ga_observe(const struct ga_expectation *want, const struct ga_observe_opts *opts,
		struct ga_seen *ret);

#endif
