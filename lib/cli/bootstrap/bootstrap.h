/* SPDX-License-Identifier: Apache-2.0 */
/* Settings, words and the closing record of gpuaas-host-bootstrap. */
#ifndef GA_CLI_BOOTSTRAP_BOOTSTRAP_H
#define GA_CLI_BOOTSTRAP_BOOTSTRAP_H

#include "act/setup/do.h"
#include "base/rootfile.h"
#include "base/texts.h"

/* The command line; NULL and GA_UNKNOWN: not given. */
struct ga_cli_boot_opts {
	const char *mode, *root, *node, *bridge, *network, *uplink;
	int64_t vfs;
	GA_LIST(const char *) hugepages;
	bool check, dry_run, undo, boot, yes;
};

struct ga_cli_boot {
	const struct ga_cli_boot_opts *opts;
	struct ga_root root;
	struct ga_hostdb h; /* h.db NULL: this host never changed anything */
	struct ga_str conf; /* of the image */
	const char *mode_source;
	bool baremetal;
	char *node, *gateway;
	const char *bridge, *network, *uplink, *dhcp_hosts, *leases;
	int64_t prefix_bits;
	struct ga_texts tags;
	struct ga_texts kept; /* texts of settings */
	struct ga_setup_doer doer;
	struct ga_bootstrap sum; /* the closing record, filled on the way */
	struct ga_str tried;	 /* the steps that were tried in this run */
	int failure;		 /* code of the first that failed, or 0 */
};
void ga_cli_boot_close(struct ga_cli_boot *c);
#define ga_autocliboot ga_cleanup(ga_cli_boot_close)

/* Opens the root and the journal (made only when something will be changed), and settles settings
 * and mode. GA_DENIED without root. */
GA_MUST_CHECK int ga_cli_boot_open(const struct ga_cli_boot_opts *opts, struct ga_cli_boot *ret,
				   struct ga_err *err);
/* Looks and plans. facts are what the doer works with until the next look. */
GA_MUST_CHECK int ga_cli_boot_look(struct ga_cli_boot *c, unsigned int pending,
				   struct ga_setup_facts *facts, struct ga_setup_plan *plan,
				   struct ga_err *err);
/* Emits a step (a copy gets node, time and the state given; NULL: its own). why: of a failure. */
GA_MUST_CHECK int ga_cli_boot_tell(struct ga_cli_boot *c, const struct ga_bootstrap_step *s,
				   const char *state, const struct ga_err *why, struct ga_err *err);
/* Shows the plan to people and asks; 1 go on, 0 no. Without a terminal or with --yes: 1. */
GA_MUST_CHECK int ga_cli_boot_ask(struct ga_cli_boot *c, const struct ga_setup_plan *plan,
				  struct ga_err *err);
/* Carries out what is pending, all but the start of daemons, and looks again, until nothing new is
 * pending: one change makes another possible. A step that fails is emitted as failed, and the
 * others are still tried. */
GA_MUST_CHECK int ga_cli_boot_apply(struct ga_cli_boot *c, struct ga_setup_facts *facts,
				    struct ga_setup_plan *plan, struct ga_err *err);
/* Starts daemons. */
GA_MUST_CHECK int ga_cli_boot_start(struct ga_cli_boot *c, struct ga_setup_facts *facts,
				    struct ga_setup_plan *plan, struct ga_err *err);
/* Emits the steps that were not emitted on the way. */
GA_MUST_CHECK int ga_cli_boot_tell_rest(struct ga_cli_boot *c, const struct ga_setup_plan *plan,
					struct ga_err *err);
/* Counts what the plan still has, asks discovery for blockers, and emits the closing record. */
GA_MUST_CHECK int ga_cli_boot_finish(struct ga_cli_boot *c, const struct ga_setup_plan *plan,
				     struct ga_err *err);

#endif
