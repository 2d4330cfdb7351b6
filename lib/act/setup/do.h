/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carries out a plan of gpuaas-host-bootstrap, and undoes it. Every change is in the journal of
 * host.db, object "bootstrap", with its inverse before it is made; the next run settles the changes
 * that a killed run left open.
 *
 *   op            subject          the change                      its inverse
 *   etc_file      path[#N]         a file is written, Nth time     the content before, if ours
 *   etc_folder    path             a folder is made or widened     removed when empty; the mode
 *   etc_link      path             a symbolic link is removed      the link
 *   module        name             loaded                          none: it stays until the reboot
 *   sysctl        key              a value of the running kernel   the value before
 *   vfs           address[#N]      virtual functions are made      as many as before
 *   vfio_bind     address          bound to vfio-pci               the driver before (change.h)
 *   bridge        name             made, or fail mode set          removed without ports; the mode
 *   bridge_flows  bridge           its own flow, a fixed MAC       removed
 *   bridge_address  bridge         address and link                the address taken away
 *   nat           network          the table "ip gpuaas"           removed
 *   tuned         profile          the active profile              the profile before
 *   unit          name             enabled or disabled             the other way
 *   start         name             started                         stopped
 *   run           program          run after files were written    run again
 */
#ifndef GA_ACT_SETUP_DO_H
#define GA_ACT_SETUP_DO_H

#include "base/rootfile.h"
#include "decide/setup/bootstrap.h"
#include "state/host/hostdb.h"

#define GA_SETUP_OBJECT "bootstrap"

struct ga_setup_doer {
	struct ga_hostdb *h;
	const struct ga_root *root;
	const char *root_dir; /* path of the image for other programs, or NULL */
	const struct ga_setup_facts *facts; /* of the plan */
	const char *libvirt_uri;
};

/* Adds the facts that look/ cannot find: who uses a device that the plan would bind, which virtual
 * functions a guest has, whether the bridge has its own flow. */
void ga_setup_users(struct ga_setup_facts *facts);
/* Settles the journal of an interrupted run: closes the entries of changes that were never made,
 * marks those that were made, and fills *pending with the programs that are still to be run. */
GA_MUST_CHECK int ga_setup_settle(const struct ga_setup_doer *d, unsigned int *pending,
				  struct ga_err *err);
/* Fills *pending in the same way, and changes nothing. */
GA_MUST_CHECK int ga_setup_pending(const struct ga_setup_doer *d, unsigned int *pending,
				   struct ga_err *err);

/* Carries out one step. */
GA_MUST_CHECK int ga_setup_do(const struct ga_setup_doer *d, const struct ga_setup_step *s,
			      struct ga_err *err);

/* Refuses (GA_CONFLICT) while this host has anything of slices. */
GA_MUST_CHECK int ga_setup_undo_allowed(const struct ga_setup_doer *d, struct ga_err *err);
/* Carries out the inverses, newest first, and calls tell with each step: state undone, left or
 * failed. Returns how many were not undone. */
typedef int (*ga_setup_tell_fn)(const struct ga_bootstrap_step *s, struct ga_err *err);
GA_MUST_CHECK int ga_setup_undo(const struct ga_setup_doer *d, ga_setup_tell_fn tell,
				struct ga_err *err);

#endif
