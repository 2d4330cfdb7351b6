/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carrying out a plan and taking it back. Every change stands in the journal of host.db, object
 * "bootstrap", with its inverse before it is made; a run that was killed is settled by the next.
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

#define GA_BOOT_OBJECT "bootstrap"

struct ga_boot_doer {
	struct ga_hostdb *h;
	const struct ga_root *root;
	const char *root_dir; /* path of the image for other programs, or NULL */
	const struct ga_boot_facts *facts; /* of the plan that is carried out */
	const char *libvirt_uri;
};

/* Adds to the facts what only opening and layer 5 can tell: who uses a device that would be bound,
 * which virtual functions a guest has, whether the bridge has its own flow. */
void ga_boot_users(struct ga_boot_facts *facts);
/* Reads from the journal what an interrupted run left: entries of changes that were never made are
 * closed, those that were made are marked so, and *pending gets the programs still to be run. */
GA_MUST_CHECK int ga_boot_settle(const struct ga_boot_doer *d, unsigned int *pending,
				 struct ga_err *err);
/* The same, and changes nothing. */
GA_MUST_CHECK int ga_boot_pending(const struct ga_boot_doer *d, unsigned int *pending,
				  struct ga_err *err);

/* Carries out one step. */
GA_MUST_CHECK int ga_boot_do(const struct ga_boot_doer *d, const struct ga_boot_step *s,
			     struct ga_err *err);

/* Refuses (GA_CONFLICT) while something of slices lives on this host. */
GA_MUST_CHECK int ga_boot_undo_allowed(const struct ga_boot_doer *d, struct ga_err *err);
/* Carries out the inverses, newest first. tell gets each: state undone, left or failed. Returns how
 * many could not be undone. */
typedef int (*ga_boot_tell_fn)(const struct ga_bootstrap_step *s, struct ga_err *err);
GA_MUST_CHECK int ga_boot_undo(const struct ga_boot_doer *d, ga_boot_tell_fn tell,
			       struct ga_err *err);

/* ---- shared by doing and undoing (bootstrap_do_*.c) ---- */

struct ga_boot_undo_ctx {
	const struct ga_boot_doer *d;
	const struct ga_journal_entry *e;
	json_t *inverse;
	char *why; /* of what was left, allocated */
};
/* 1 undone, 0 left (why is set), -1 with err. */
GA_MUST_CHECK int ga_boot_undo_file(struct ga_boot_undo_ctx *u, struct ga_err *err);
GA_MUST_CHECK int ga_boot_undo_folder(struct ga_boot_undo_ctx *u, struct ga_err *err);
GA_MUST_CHECK int ga_boot_undo_link(struct ga_boot_undo_ctx *u, struct ga_err *err);
GA_MUST_CHECK int ga_boot_undo_sysctl(struct ga_boot_undo_ctx *u, struct ga_err *err);
GA_MUST_CHECK int ga_boot_undo_vfs(struct ga_boot_undo_ctx *u, struct ga_err *err);
GA_MUST_CHECK int ga_boot_undo_bind(struct ga_boot_undo_ctx *u, struct ga_err *err);

GA_MUST_CHECK int ga_boot_do_file(const struct ga_boot_doer *d, const struct ga_boot_step *s,
				  struct ga_err *err);
GA_MUST_CHECK int ga_boot_do_folder(const struct ga_boot_doer *d, const struct ga_boot_step *s,
				    struct ga_err *err);
GA_MUST_CHECK int ga_boot_do_link(const struct ga_boot_doer *d, const struct ga_boot_step *s,
				  struct ga_err *err);
GA_MUST_CHECK int ga_boot_do_sysctl(const struct ga_boot_doer *d, const struct ga_boot_step *s,
				    struct ga_err *err);
GA_MUST_CHECK int ga_boot_do_vfs(const struct ga_boot_doer *d, const struct ga_boot_step *s,
				 struct ga_err *err);
GA_MUST_CHECK int ga_boot_do_bind(const struct ga_boot_doer *d, const struct ga_boot_step *s,
				  struct ga_err *err);
/* What an entry of op etc_file that is only intended stands at: 1 the change was made, 0 it was
 * not, -2 somebody else wrote the file since. */
GA_MUST_CHECK int ga_boot_file_stands(const struct ga_boot_doer *d, json_t *inverse,
				      struct ga_err *err);

/* Runs the program of a journal's entry "run". */
GA_MUST_CHECK int ga_boot_run_by_name(const struct ga_boot_doer *d, const char *subject,
				      struct ga_err *err);
/* Enters a change of this object; inverse is consumed. */
GA_MUST_CHECK int ga_boot_intend(const struct ga_boot_doer *d, const char *op, const char *subject,
				 json_t *inverse, int64_t *seq, struct ga_err *err);
/* Runs a program; a status other than 0 is GA_EXTERNAL. */
GA_MUST_CHECK int ga_boot_program(const char *const *argv, int64_t seconds, struct ga_err *err);

#endif
