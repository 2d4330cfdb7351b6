/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-reconcile: looks, compares, repairs, looks again, reports. */
#include "act/reconcile/reconcile.h"

#include <unistd.h>

#include "record/expectation.h"
#include "state/db/fsm.h"
#include "state/host/hostdb.h"

/* The longest time in a state and the command that ends the state, for ga_drift_compare. */
static bool limit_of(bool is_slot, bool baremetal, const char *state, int64_t *seconds,
		     const char **exit_command)
{
	enum ga_machine machine = is_slot ? GA_M_SLOT : GA_M_ALLOCATION;
	const struct ga_fsm_state *s = ga_fsm_find(machine, state);

	if (!s || !s->limit_seconds)
		return false;
	*seconds = s->limit_seconds;
	*exit_command = ga_fsm_exit_command(machine, state, baremetal);
	return true;
}

/* Whether this user may write host.db. Looking makes no host.db, and a user who may not write it
 * may still look at everything else. */
static bool may_write(const struct ga_reconcile_opts *opts)
{
	ga_autofree char *path = ga_xprintf("%s/host.db", opts->repair.host_dir);

	return !opts->repair.dry_run && (opts->repairs || access(path, R_OK | W_OK) == 0);
}

/* Whether a drift of the GPU's errors was reported. Not every look reports them: while work runs on
 * a slot, such as a long wipe, its GPU has no drift. */
static bool is_reported(const struct ga_drifts *found, const struct ga_seen_pci *p)
{
	for (size_t i = 0; i < found->n; i++)
		if (found->v[i].code == GA_D_GPU_ERRORS &&
		    ga_streq(found->v[i].subject, p->address))
			return true;
	return false;
}

/* Keeps the reported error counts: the state decides about these errors, and gpuaas-provision
 * refuses newer ones. */
static int note_errors(const struct ga_reconcile_opts *opts, const struct ga_seen *seen,
		       const struct ga_drifts *found, struct ga_err *err)
{
	ga_autohostdb struct ga_hostdb h = { 0 };

	if (!may_write(opts) || !seen->boot_id)
		return 0;
	for (size_t i = 0; i < seen->pci.n; i++) {
		const struct ga_seen_pci *p = &seen->pci.v[i];

		if (!p->identity || !is_reported(found, p))
			continue;
		if (!h.db && ga_hostdb_open_or_make(opts->repair.host_dir, &h, err) < 0)
			return -1;
		if (ga_hostdb_keep_gpu_errors(&h, p->identity, seen->boot_id, p->fatal, err) < 0)
			return -1;
	}
	return 0;
}

int64_t ga_reconcile(const struct ga_expectation *want, const struct ga_reconcile_opts *opts,
		     struct ga_err *err)
{
	const struct ga_issuer by = { want->node, NULL, want->controller, want->epoch };
	ga_autodrifts struct ga_drifts before = { 0 }, after = { 0 }, found = { 0 };
	ga_autoseen struct ga_seen seen = { 0 };
	struct ga_observation o;
	int r;

	ga_seen_init(&seen);
	if (!ga_streq(want->node, opts->node))
		return ga_refuse(err, GA_CONFLICT, "wrong_node", NULL,
				 ("the expectation is of node '%s', this is '%s'", want->node,
				  opts->node),
				 ("hand it to its node, as in 'gpuaas-state expect --node %s | ssh "
				  "HOST gpuaas-reconcile - | gpuaas-state fold -'", want->node));
	if (may_write(opts) &&
	    ga_hostdb_accept_controller_in(opts->repair.host_dir, &by, opts->take_over, err) < 0)
		return -1;
	ga_observe(want, &opts->look, &seen);
	if (opts->repairs) {
		ga_drift_compare(want, &seen, limit_of, &before);
		if (ga_repair(want, &seen, &before, &opts->repair, err) < 0)
			return -1;
		/* Do not trust the result of a repair: look at the host again. */
		ga_seen_release(&seen);
		ga_observe(want, &opts->look, &seen);
		ga_drift_compare(want, &seen, limit_of, &after);
		ga_repair_outcome(&before, &after, &found);
	} else {
		ga_drift_compare(want, &seen, limit_of, &found);
		if (opts->repair.dry_run &&
		    ga_repair(want, &seen, &found, &opts->repair, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < found.n; i++)
		if (opts->repair.to.result(&ga_drift_schema, &found.v[i].drift, err) < 0)
			return -1;
	ga_drift_observation(want, &seen, &found, &o);
	r = opts->repair.to.result(&ga_observation_schema, &o, err);
	ga_schema_release(&ga_observation_schema, &o);
	if (r >= 0)
		r = note_errors(opts, &seen, &found, err);
	return r < 0 ? -1 : (int64_t)ga_drift_remaining(&found);
}
