/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-on: runs one command on many nodes by ssh and merges what they write.
 *
 * Each order on standard input goes to the node that it names; with --nodes the command runs
 * without input on every node that matches. A dead or slow node becomes a failure; the others go
 * on.
 */
#include <stdlib.h>

#include "base/quote.h"
#include "base/stop.h"
#include "base/texts.h"
#include "base/vec.h"
#include "cli/frame/cli.h"
#include "cli/objects/where.h"
#include "cli/on/on.h"
#include "record/expectation.h"
#include "record/plan.h"
#include "record/release.h"
#include "record/result.h"
#include "record/state.h"
#include "record/wipe.h"
#include "state/db/row.h"
#include "state/node/node.h"
#include "state/query/list.h"
#include "state/query/where.h"

static struct ga_borrowed_texts where;
static int64_t parallel = 16, timeout, connect_timeout = 10;

static const struct ga_opt opts[] = {
	{ .short_name = 'P', .name = "parallel", .type = GA_O_INT, .var = &parallel, .arg = "N",
	  .min = 1, .max = 1024, .help = "nodes at a time (default 16)" },
	{ .name = "nodes", .type = GA_O_TEXTS, .var = &where, .arg = "NODE|CONDITION",
	  .help = "run without input on these nodes: h7,h8 or pool=h200; several: all must hold" },
	{ .name = "timeout", .type = GA_O_DURATION, .var = &timeout, .arg = "TIME",
	  .help = "give up a node whose command takes longer (default: never)" },
	{ .name = "connect-timeout", .type = GA_O_DURATION, .var = &connect_timeout,
	  .arg = "TIME", .help = "give up a node that does not answer in this time (default 10s)" },
	GA_OPTS_END,
};

static const struct ga_prog prog = {
	.name = "gpuaas-on",
	.condition_on = &ga_node_schema,
	.abstract = "run one command on many nodes by ssh and merge their output",
	.args = "COMMAND [ARGUMENT…]",
	.args_min = 1,
	.args_max = -1,
	.opts = opts,
	.consumes = (const struct ga_schema *const[]){ &ga_plan_schema, &ga_release_order_schema,
						      &ga_hold_order_schema, &ga_wipe_order_schema,
						      &ga_expectation_schema, NULL },
	.produces = (const struct ga_schema *const[]){ &ga_node_end_schema, &ga_failure_schema,
						      &ga_user_data_schema, NULL },
	.examples =
		(const char *const[]){
			"gpuaas-on --nodes pool=h200 gpuaas-discover | "
			"gpuaas-approve --record-only",
			"gpuaas-place --profile h200-slice --image debian-12 | "
			"gpuaas-on gpuaas-provision | gpuaas-state fold -",
			"gpuaas-state expect | gpuaas-on gpuaas-reconcile - | "
			"gpuaas-state fold -",
			NULL },
	.needs_state = true,
	.runs_command = true,
	.acts = true,
};

/* Opens the state again for each node: it may change during a stream of many hours. */
static int open_state(struct ga_db **db, struct ga_err *err)
{
	return ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, db, err) < 0 ||
			       ga_db_begin_read(*db, err) < 0 ?
		       -1 :
		       0;
}

static int address(const char *node, char **ret, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	struct ga_node n;

	if (open_state(&db, err) < 0)
		return -1;
	if (ga_store_node(db, node, &n, err) < 0)
		return err->code == GA_NOTFOUND ? ga_err_about(err, "unknown_node", NULL) : -1;
	*ret = ga_xstrdup(n.address ? n.address : n.name ? n.name : n.node);
	ga_schema_release(&ga_node_schema, &n);
	return 0;
}

static int add(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	const struct ga_node *n = obj;

	(void)schema;
	(void)err;
	if (!ga_streq(n->state, "retired"))
		ga_on_add(arg, n->node);
	return 0;
}

/* "h7" for "node=h7"; the caller frees the texts. */
static void conditions(struct ga_texts *ret)
{
	size_t i;

	for (i = 0; i < where.n; i++)
		*ga_list_add(ret) = where.v[i][ga_where_member_len(where.v[i])] ?
					    ga_xstrdup(where.v[i]) :
					    ga_xprintf("node=%s", where.v[i]);
}

static int add_nodes(struct ga_on *on, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	ga_cleanup(ga_cli_where_release) struct ga_cli_where names = { .where = { 0 } };
	struct ga_list_query q = { .kind = "nodes" };
	ga_autotexts struct ga_texts texts = { 0 };

	conditions(&texts);
	if (open_state(&db, err) < 0 ||
	    ga_cli_where(db, (const char *const *)texts.v, texts.n, NULL, &q, &names, err) < 0 ||
	    ga_cli_where_known(db, "node", &q, &names, err) < 0 ||
	    ga_store_list(db, &q, add, on, err) < 0)
		return -1;
	if (ga_on_count(on))
		return 0;
	return ga_refuse(err, GA_NO, NULL, NULL,
			 ("no node matches"),
			 ("gpuaas-list nodes shows what they are"));
}

static int run_on(struct ga_on *on, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;

	/* Reports an unreadable state once, not for each node. */
	if (open_state(&db, err) < 0)
		return -1;
	ga_db_close(GA_TAKE(db));
	if (where.n)
		return add_nodes(on, err) < 0 ? -1 : ga_on_run(on, -1, err);
	if (ga_cli_need_pipe("orders", err) < 0) {
		err->hint[0] = '\0';
		return ga_hint(err, "--nodes runs a command that needs none");
	}
	if (ga_on_run(on, 0, err) < 0)
		return -1;
	/* No error, because the stage before may have had no orders. The message shows that nothing
	 * was done. */
	if (!ga_on_count(on))
		ga_say("gpuaas-on: no orders came, and the command was run nowhere");
	return 0;
}

static int run(struct ga_err *err)
{
	ga_autostr struct ga_str command = GA_STR_INIT;
	ga_autofree char *why = NULL;
	struct ga_on_opts how = {
		.program = prog.name,
		.ssh = { .program = ga_cli_configured("GPUAAS_SSH", "ssh"),
			 .connect_seconds = connect_timeout },
		.parallel = (int)parallel,
		.timeout_micros = timeout * GA_SECOND,
		.address = address,
	};
	const char *state = ga_cli_state_path(), *slash = strrchr(state, '/');
	ga_autofree char *user_data = ga_xprintf(
		"%.*suser-data", slash ? (int)(slash - state) + 1 : 0, state);
	struct ga_on *on;
	int n, r;
	char *const *args = ga_cli_args(&n);

	ga_quote_command(&command, args, n);
	how.command = command.buf;
	how.user_data_dir = user_data;
	ga_ssh_share(&how.ssh, &why);
	if (why)
		ga_say("gpuaas-on: connections are not shared: %s", why);
	ga_stop_install();
	on = ga_on_open(&how);
	r = run_on(on, err);
	ga_on_close(on);
	ga_ssh_release(&how.ssh);
	ga_list_release(&where);
	return r;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = run(&err);
	return ga_cli_finish(&prog, r, &err);
}
