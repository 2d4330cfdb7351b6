/* SPDX-License-Identifier: Apache-2.0 */
/* Settings, output and the closing record of gpuaas-host-bootstrap. */
#ifndef GA_CLI_BOOTSTRAP_BOOTSTRAP_H
#define GA_CLI_BOOTSTRAP_BOOTSTRAP_H

#include "act/setup/do.h"
#include "base/rootfile.h"
#include "base/texts.h"

/* The command line; NULL and GA_UNKNOWN: not given. */
struct ga_cli_boot_opts {
	const char *mode, *root, *node, *bridge, *network, *uplink, *scratch;
	int64_t vfs;
	struct ga_borrowed_texts hugepages;
	bool check, dry_run, undo, boot, record, yes;
};

struct ga_cli_boot {
	const struct ga_cli_boot_opts *opts;
	struct ga_root root;
	struct ga_hostdb h; /* h.db NULL: this host never changed anything */
	struct ga_str conf; /* gpuaas.conf of the image */
	const char *mode_source;
	bool baremetal;
	char *node, *gateway;
	const char *bridge, *network, *uplink, *dhcp_hosts, *leases;
	int64_t prefix_bits;
	struct ga_texts tags;
	struct ga_texts kept; /* owns texts of settings */
	struct ga_setup_doer doer;
	struct ga_bootstrap sum; /* the closing record, filled step by step */
	struct ga_str tried;	 /* the steps that this run tried */
	int failure;		 /* code of the first failed step, or 0 */
};
void ga_cli_boot_close(struct ga_cli_boot *c);
#define ga_autocliboot ga_cleanup(ga_cli_boot_close)

/* Opens the root and the journal (creates it only for a run that may change something), and decides
 * settings and mode. GA_DENIED without root. */
GA_MUST_CHECK int ga_cli_boot_open(const struct ga_cli_boot_opts *opts, struct ga_cli_boot *ret,
				   struct ga_err *err);
/* Checks the host and makes the plan. The doer uses facts until the next check. */
GA_MUST_CHECK int ga_cli_boot_look(struct ga_cli_boot *c, unsigned int pending,
				   struct ga_setup_facts *facts, struct ga_setup_plan *plan,
				   struct ga_err *err);
/* Emits a copy of a step with node, time and state (NULL: its own). why is the error of a
 * failure. */
GA_MUST_CHECK int ga_cli_boot_tell(struct ga_cli_boot *c, const struct ga_bootstrap_step *s,
				   const char *state, const struct ga_err *why, struct ga_err *err);
/* Shows the plan to people and asks; 1: go on; 0: no. Without a terminal or with --yes: 1. */
GA_MUST_CHECK int ga_cli_boot_ask(struct ga_cli_boot *c, const struct ga_setup_plan *plan,
				  struct ga_err *err);
/* Carries out the pending steps except the start of daemons, and checks again, until no new step is
 * pending: one change may make another possible. Emits a failed step as failed, and still tries the
 * others. */
GA_MUST_CHECK int ga_cli_boot_apply(struct ga_cli_boot *c, struct ga_setup_facts *facts,
				    struct ga_setup_plan *plan, struct ga_err *err);
/* Starts the daemons. */
GA_MUST_CHECK int ga_cli_boot_start(struct ga_cli_boot *c, struct ga_setup_facts *facts,
				    struct ga_setup_plan *plan, struct ga_err *err);
/* Emits the steps that were not yet emitted. */
GA_MUST_CHECK int ga_cli_boot_tell_rest(struct ga_cli_boot *c, const struct ga_setup_plan *plan,
					struct ga_err *err);
/* Counts the steps left in the plan, gets blockers from a discovery, and emits the closing
 * record. */
GA_MUST_CHECK int ga_cli_boot_finish(struct ga_cli_boot *c, const struct ga_setup_plan *plan,
				     struct ga_err *err);
/* Measures the host, keeps the record in host.db, and shows the newest record of the untuned host
 * beside the newest one of the tuned host. Changes nothing else. GA_CONFLICT "not_tuned" for mode
 * baremetal; errors as of ga_measure_disk. */
GA_MUST_CHECK int ga_cli_boot_record(struct ga_cli_boot *c, struct ga_setup_facts *facts,
				     struct ga_setup_plan *plan, struct ga_err *err);

#endif
