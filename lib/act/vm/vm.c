/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the allocation of a VM on this host, locks it, and shows how to reach it. */
#include "act/vm/internal.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "record/plan.h"
#include "state/allocation/allocation.h"
#include "state/db/row.h"
#include "state/host/list.h"
#include "state/query/find.h"

void ga_vm_close(struct ga_vm *vm)
{
	if (vm->p.plan)
		ga_provision_clear(&vm->p);
	ga_schema_release(&ga_plan_schema, &vm->plan);
	ga_schema_release(&ga_allocation_schema, &vm->allocation);
	free(vm->user_data_dir);
}

/* ---- finding ---- */

static bool has_state(const struct ga_vm_opts *opts)
{
	return opts->state_path && access(opts->state_path, F_OK) == 0;
}

static void release_allocation(struct ga_allocation *a)
{
	ga_schema_release(&ga_allocation_schema, a);
}

/* The allocation in the state on this machine; the caller releases ret. */
static int ask_state(const char *id, const struct ga_vm_opts *opts, struct ga_allocation *ret,
		     struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	ga_autofree char *full = NULL;

	if (ga_db_open(opts->state_path, GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_store_resolve(db, "allocation", id, &full, NULL, err) < 0)
		return -1;
	return ga_store_allocation(db, full, ret, err);
}

/* Opens host.db but does not make it: a host without one has carried out no plan. GA_NOTFOUND. */
static int open_hostdb(const struct ga_vm_opts *opts, struct ga_hostdb *h, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s/host.db", opts->host_dir);
	struct stat st;

	if (stat(path, &st) < 0) {
		ga_err_set_sys(err, "this host has begun no plan: there is no '%s'", path);
		if (errno == ENOENT)
			err->code = GA_NOTFOUND;
		return ga_hint(err, "run this on the node of the allocation, as root");
	}
	return ga_hostdb_open_or_make(opts->host_dir, h, err);
}

/* The id of the allocation that a person names so: from the state where this machine has it, else
 * from host.db. */
static int resolve(const char *id, const struct ga_vm_opts *opts, struct ga_hostdb *h, char **ret,
		   struct ga_err *err)
{
	ga_cleanup(release_allocation) struct ga_allocation a = { 0 };

	if (!has_state(opts))
		return ga_hostdb_resolve(h, id, ret, err);
	if (ask_state(id, opts, &a, err) < 0)
		return -1;
	*ret = ga_xstrdup(a.allocation);
	return 0;
}

int ga_vm_resolve(const char *id, const struct ga_vm_opts *opts, char **ret, char **name,
		  struct ga_err *err)
{
	ga_autohostdb struct ga_hostdb h = { 0 };

	if (open_hostdb(opts, &h, err) < 0 || resolve(id, opts, &h, ret, err) < 0)
		return -1;
	*name = ga_hostdb_name(&h, *ret);
	return 0;
}

int ga_vm_open(const char *id, const struct ga_vm_opts *opts, struct ga_vm *ret,
	       struct ga_err *err)
{
	ga_autohostdb struct ga_hostdb h = { 0 };
	ga_autoattempt struct ga_attempt a = { 0 };
	ga_autofree char *allocation = NULL;
	int r;

	*ret = (struct ga_vm){ .opts = opts };
	if (open_hostdb(opts, &h, err) < 0 || resolve(id, opts, &h, &allocation, err) < 0)
		return -1;
	r = ga_attempt_find(&h, "provision", allocation, &a, err);
	if (r < 0)
		return -1;
	if (!r)
		return ga_refuse(err, GA_NOTFOUND, NULL, allocation,
				 ("this host has begun no plan of '%s'", allocation),
				 ("'gpuaas-show %s' shows its node", allocation));
	if (!ga_streq(a.state, "done"))
		return ga_refuse(err, GA_CONFLICT, "wrong_state", allocation,
				 ("the provisioning of '%s' is %s", allocation, a.state),
				 (ga_streq(a.state, "working") ? "gpuaas-provision --resume %s" :
								 "gpuaas-release %s | gpuaas-wipe",
				  allocation));
	/* The plan that was carried out here, and its result. */
	if (ga_rec_parse_text(a.order, &ga_plan_schema, &ret->plan, err) < 0 ||
	    ga_rec_parse_text(a.result, &ga_allocation_schema, &ret->allocation, err) < 0)
		return ga_wrap(err, "attempt '%s' in host.db", a.attempt);
	if (!ga_streq(ret->plan.shape, "slice"))
		return ga_fail_about(err, GA_CONFLICT, "no_vm", allocation,
				     "allocation '%s' is baremetal: it has no VM", allocation);
	ret->user_data_dir = ga_xprintf("%s/user-data", opts->host_dir);
	ret->provision_opts = (struct ga_provision_opts){
		.program = opts->program,
		.node = opts->node,
		.host_dir = opts->host_dir,
		.user_data_dir = ret->user_data_dir,
		.images_dir = opts->images_dir,
		.libvirt_uri = opts->libvirt_uri,
		.fabric = opts->fabric,
		.dry_run = opts->dry_run,
		.to = opts->to,
	};
	ret->p = (struct ga_provision){
		.opts = &ret->provision_opts,
		.plan = &ret->plan,
		.known = true, /* its disk has its own data */
		.began = true,
		.key = GA_HOST_KEY_INIT,
		.user_data = GA_STR_INIT,
	};
	if (ga_provision_prepare(&ret->p, err) < 0)
		return -1;
	ret->p.noting = NULL;
	return 0;
}

/* ---- locking ---- */

/* Checks host.db: no release has begun, and no rebuild was left half done. */
static int check_work(struct ga_vm *vm, bool rebuilds, struct ga_err *err)
{
	ga_autoattempt struct ga_attempt a = { 0 };
	ga_autohostdb struct ga_hostdb h = { 0 };
	const char *id = vm->plan.allocation;

	if (open_hostdb(vm->opts, &h, err) < 0 || ga_attempt_newest(&h, id, &a, err) < 0)
		return -1;
	if (ga_streq(a.program, "release"))
		return ga_refuse(err, GA_CONFLICT, "wrong_state", id,
				 ("the release of '%s' is %s", id, a.state),
				 (ga_streq(a.state, "done") ?
					  "its VM is gone: 'gpuaas-show %s' shows how "
					  "it ended" :
					  "gpuaas-release %s | gpuaas-wipe ends what is left of it",
				  id));
	if (ga_streq(a.program, "rebuild") && !ga_streq(a.state, "done") && !rebuilds)
		return ga_refuse(err, GA_CONFLICT, "wrong_state", id,
				 ("the rebuild of '%s' is %s", id, a.state),
				 ("gpuaas-vm rebuild %s starts it again; gpuaas-release %s ends "
				  "the allocation",
				  id, id));
	return 0;
}

/* Checks the state, where this machine has it. */
static int check_state(struct ga_vm *vm, struct ga_err *err)
{
	ga_cleanup(release_allocation) struct ga_allocation a = { 0 };
	const char *id = vm->plan.allocation;

	if (!has_state(vm->opts))
		return 0;
	if (ask_state(id, vm->opts, &a, err) < 0)
		return -1;
	if (ga_streq(a.state, "held") && !vm->may_be_held)
		return ga_refuse(err, GA_CONFLICT, "wrong_state", id,
				 ("the state of '%s' is %s", id, a.state),
				 ("gpuaas-release --undo %s ends the hold", id));
	if (!ga_streq(a.state, "active") && !ga_streq(a.state, "held"))
		return ga_refuse(err, GA_CONFLICT, "wrong_state", id,
				 ("the state of '%s' is %s", id, a.state),
				 ("'gpuaas-show %s' shows why; only an active allocation has a VM "
				  "to act on", id));
	if (!ga_streq(a.attempt, vm->plan.attempt))
		return ga_fail_for(err, GA_CONFLICT, "concurrent_update",
				   "the state has '%s' with attempt '%s', this host with '%s'", id,
				   a.attempt ? a.attempt : "none", vm->plan.attempt);
	return 0;
}

int ga_vm_check(struct ga_vm *vm, bool rebuilds, struct ga_err *err)
{
	if (vm->opts->attempt && !ga_streq(vm->opts->attempt, vm->plan.attempt))
		return ga_fail_for(err, GA_CONFLICT, "concurrent_update",
				   "the order of '%s' is of attempt '%s', its VM here of '%s'",
				   vm->plan.allocation, vm->opts->attempt, vm->plan.attempt);
	return check_work(vm, rebuilds, err) < 0 ? -1 : check_state(vm, err);
}

int ga_vm_hold(struct ga_vm *vm, bool rebuilds, struct ga_err *err)
{
	if (!vm->opts->dry_run && ga_work_lock(&vm->p.work, vm->plan.allocation, err) < 0)
		return -1;
	if (ga_vm_check(vm, rebuilds, err) < 0)
		return -1;
	if (vm->opts->begun)
		*vm->opts->begun = true;
	return 0;
}

/* ---- access ---- */

int ga_vm_access(const char *id, const struct ga_vm_opts *opts, struct ga_reach *ret,
		 char **known_hosts, struct ga_err *err)
{
	ga_autostr struct ga_str line = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	ga_cleanup(release_allocation) struct ga_allocation stored = { 0 };
	const struct ga_access *a;
	ga_autovm struct ga_vm vm;

	ga_schema_init(&ga_reach_schema, ret);
	*known_hosts = NULL;
	/* Of a release that began, the address may belong to another guest by now. */
	if (ga_vm_open(id, opts, &vm, err) < 0 || ga_vm_check(&vm, true, err) < 0)
		return -1;
	if (has_state(opts) && ask_state(id, opts, &stored, err) < 0)
		return -1;
	/* The state also knows how to reach the guest from elsewhere. */
	a = stored.access ? stored.access : vm.allocation.access;
	ret->allocation = ga_xstrdup(vm.plan.allocation);
	ret->node = ga_xstrdup(vm.plan.node);
	ret->user = ga_strdup0(a && a->user ? a->user : vm.plan.image ? vm.plan.image->user : NULL);
	ret->address = ga_strdup0(a && a->address ? a->address : vm.plan.private_ip);
	ret->jump_host = ga_strdup0(a ? a->jump_host : NULL);
	ret->host_key_fingerprint = ga_strdup0(a ? a->host_key_fingerprint : NULL);
	if (ga_file_read(vm.p.known_hosts, 16384, &line, &ignored) < 0)
		return 0;
	line.buf[strcspn(line.buf, "\n")] = '\0';
	ret->known_hosts = *line.buf ? ga_xstrdup(line.buf) : NULL;
	*known_hosts = ret->known_hosts ? ga_xstrdup(vm.p.known_hosts) : NULL;
	return 0;
}
