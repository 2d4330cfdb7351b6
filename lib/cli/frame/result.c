/* SPDX-License-Identifier: Apache-2.0 */
/* Results of host programs: into the local state if there is one, then to stdout. */
#include "cli/frame/result.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/frame/cli.h"
#include "record/result.h"
#include "record/wipe.h"
#include "state/allocation/release.h"
#include "state/allocation/userdata.h"
#include "state/allocation/wipe.h"
#include "look/host/host.h"
#include "state/db/row.h"
#include "state/fold/fold.h"
#include "state/fold/take.h"
#include "state/host/hostdb.h"
#include "state/node/key.h"

/* A database handle must not cross fork(2): each process opens the file itself at its first result.
 * The handle must also be closed when a worker starts. Otherwise SQLite in the worker would
 * continue with this process's view of the file and treat this process's locks as its own. It would
 * lose the locks when this process ends, and then other processes delete the journal that it still
 * needs (sqlite.org/howtocorrupt.html). */
static struct {
	char *path; /* NULL: no state on this machine */
	struct ga_db *db;
	pid_t opened_by;
	struct ga_sign_key *key; /* of this host: it signs the results */
	char *known; /* a node whose key the state has for certain, or NULL */
} result;

static int open_here(struct ga_err *err)
{
	if (result.db && result.opened_by == getpid())
		return 0;
	result.db = NULL; /* belongs to the parent: we must not close its descriptors */
	result.opened_by = getpid();
	return ga_db_open(result.path, GA_DB_STATE, GA_DB_WRITE, &result.db, err);
}

int ga_result_open(const char *state_path, struct ga_err *err)
{
	struct stat st;

	ga_result_close();
	if (!state_path)
		return 0;
	if (stat(state_path, &st) < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		return ga_fail_sys(err, "cannot look at the state '%s'", state_path);
	}
	result.path = ga_xstrdup(state_path);
	if (open_here(err) < 0) {
		ga_result_close();
		return -1;
	}
	return 0;
}

bool ga_result_has_state(void)
{
	return result.path != NULL;
}

void ga_result_set_down(void)
{
	if (result.db && result.opened_by == getpid())
		ga_db_close(result.db);
	result.db = NULL;
}

void ga_result_close(void)
{
	ga_result_set_down();
	free(result.path);
	ga_sign_close(result.key);
	free(result.known);
	result.path = NULL;
	result.key = NULL;
	result.known = NULL;
}

static int read_key(struct ga_err *err)
{
	if (result.key)
		return 0;
	return ga_hostdb_key(ga_cli_host_dir(), &result.key, err) < 0 ? -1 : 0;
}

/* Signs also results that were committed here: if the state refused one, another machine may get
 * the record. A host that never worked has no key, and nothing to report except its inventory. */
static int write_out(const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	if (!schema->is_signed)
		return ga_emit(schema, obj, err);
	return read_key(err) < 0 ? -1 : ga_emit_signed(schema, obj, result.key, err);
}

/* The node of the result, or NULL. */
static const char *node_of(const struct ga_schema *schema, const void *obj)
{
	const struct ga_field *f;

	for (f = schema->fields; f->name; f++)
		if (ga_streq(f->name, "node") && f->type == GA_F_TEXT)
			return *(char *const *)(const void *)((const char *)obj + f->offset);
	return NULL;
}

/* A node whose results are committed on this machine also registers its key here: its first key is
 * the node's key from then on. A baremetal node is deployed and released from another machine,
 * whose key is not the node's. */
static int learn_key(const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	ga_autofree char *here = ga_host_node_if_known(ga_cli_setting("GPUAAS_NODE", NULL));
	const char *node = node_of(schema, obj);
	int r;

	if (!node || ga_streq(node, result.known) || (here && !ga_streq(node, here)))
		return 0;
	if (read_key(err) < 0)
		return -1;
	if (!result.key)
		return 0;
	r = ga_store_key_here(result.db, node, ga_sign_public(result.key), err);
	if (r < 0)
		return -1;
	if (r == GA_KEY_DIFFERS)
		ga_say("%s: the state has another key of node '%s' than this host: what it sends "
		       "elsewhere is refused; 'gpuaas-discover | gpuaas-approve --record-only' "
		       "says what to do", ga_cli_program(), node);
	if (r == GA_KEY_REVOKED)
		ga_say("%s: the state has no key of node '%s' that counts, its last one was "
		       "revoked: what this host sends elsewhere is refused; on the host: "
		       "gpuaas-host-bootstrap --new-key && gpuaas-discover | "
		       "gpuaas-approve --record-only", ga_cli_program(), node);
	free(result.known);
	result.known = ga_xstrdup(node);
	return 0;
}

int ga_result_say(const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	return schema->is_signed ? write_out(schema, obj, err) : ga_emit(schema, obj, err);
}

int ga_result_fold(const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	if (!result.path)
		return 0;
	if (open_here(err) < 0 || ga_db_begin(result.db, ga_cli_program(), err) < 0)
		return -1;
	if (ga_fold(result.db, schema, obj, err) < 0 || learn_key(schema, obj, err) < 0 ||
	    ga_db_commit(result.db, err) < 0) {
		ga_db_rollback(result.db);
		free(GA_TAKE(result.known));
		return -1;
	}
	return 0;
}

int ga_result_emit(const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	int r = ga_result_fold(schema, obj, err);
	struct ga_err second = GA_ERR_INIT, why = GA_ERR_INIT;

	/* The work is done, so write the record even when the state refused it. */
	if (write_out(schema, obj, r < 0 ? &second : err) < 0)
		return -1;
	if (r < 0 || !result.path)
		return r < 0 ? -1 : 0;
	/* A result that the state stored but does not believe is no success: report the reason. */
	r = ga_fold_unbelieved(result.db, schema, obj, &why, err);
	if (r > 0)
		ga_cli_say_error(&why);
	return r < 0 ? -1 : 0;
}

int ga_result_may_wipe(const struct ga_wipe_order *order, struct ga_err *no, struct ga_err *err)
{
	if (!result.path)
		return 0;
	if (open_here(err) < 0)
		return -1;
	if (ga_store_wipe_in_force(result.db, order, no) == 0)
		return ga_store_wipe_may_begin(result.db, order->object, err);
	if (no->code == GA_CONFLICT)
		return 0;
	*err = *no;
	return -1;
}

int ga_result_release_in_force(const struct ga_release_order *order, struct ga_err *err)
{
	if (!result.path)
		return 0;
	return open_here(err) < 0 ? -1 : ga_store_release_in_force(result.db, order, err);
}

int ga_result_progress(const struct ga_progress *p, bool to_stdout, struct ga_err *err)
{
	int r = ga_result_fold(&ga_progress_schema, p, err);
	struct ga_err second = GA_ERR_INIT;

	if (to_stdout && write_out(&ga_progress_schema, p, r < 0 ? &second : err) < 0)
		return -1;
	return r;
}

void ga_result_tidy(void)
{
	struct ga_err err = GA_ERR_INIT;

	/* If the state cannot be opened, the program has reported that error already. */
	if (!result.path && (ga_result_open(ga_cli_state_path(), &err) < 0 || !result.path))
		return;
	if (open_here(&err) == 0)
		ga_request_tidy(result.db);
}

void ga_request_tidy(struct ga_db *db)
{
	struct ga_err err = GA_ERR_INIT;

	if (ga_store_user_data_tidy(db, &err) < 0)
		ga_say("%s: user-data of ended allocations was not removed: %s", ga_cli_program(),
		       err.msg);
}
