/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of gpuaas-node. */
#include "cli/node/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/frame/cli.h"
#include "cli/frame/result.h"
#include "cli/objects/several.h"
#include "cli/objects/where.h"
#include "cli/place/place.h"
#include "look/host/host.h"
#include "record/host.h"
#include "record/node.h"
#include "record/plan.h"
#include "record/time.h"
#include "record/words.h"
#include "state/access/access.h"
#include "state/db/audit.h"
#include "state/node/key.h"
#include "state/node/maintenance.h"
#include "state/node/node.h"
#include "state/node/settings.h"
#include "state/query/find.h"
#include "state/query/list.h"

static const char *operand(int i)
{
	int n;

	return ga_cli_args(&n)[i];
}

static void cleanup_node(struct ga_node *n)
{
	ga_schema_release(&ga_node_schema, n);
}

/* ---- settings ---- */

static char *borrow(const char *text)
{
	return (char *)(uintptr_t)text;
}

/* An empty option clears the setting; without the option the setting does not change. */
static char *changed(char *change, char *now)
{
	return !change ? now : *change ? change : NULL;
}

/* The network is one object of the settings, so unchanged members must repeat the node's values. */
static bool merge_network(const struct ga_network *now, const struct ga_network *change,
			  struct ga_network *ret)
{
	*ret = (struct ga_network){
		.bridge = changed(change->bridge, now->bridge),
		.uplink = changed(change->uplink, now->uplink),
		.gateway = changed(change->gateway, now->gateway),
		.prefix_bits = change->prefix_bits != GA_UNKNOWN ? change->prefix_bits :
								   now->prefix_bits,
		.dhcp_hosts_dir = changed(change->dhcp_hosts_dir, now->dhcp_hosts_dir),
		.lease_file = changed(change->lease_file, now->lease_file),
	};
	return change->bridge || change->uplink || change->gateway || change->dhcp_hosts_dir ||
	       change->lease_file || change->prefix_bits != GA_UNKNOWN;
}

/* Checks the settings by the schema, as gpuaas-state apply would; leaves out cleared settings. */
static int check_settings(const struct ga_node_settings *s, struct ga_err *err)
{
	struct ga_node_settings given = *s, read;
	ga_autojson json_t *json = NULL;
	char **texts[] = { &given.name, &given.address, &given.region, &given.pool,
			   &given.reserved_cpus };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(texts); i++)
		*texts[i] = changed(*texts[i], NULL);
	json = ga_schema_format(&ga_node_settings_schema, &given);

	if (ga_schema_parse(&ga_node_settings_schema, json, &read, err) < 0) {
		err->code = GA_USAGE;
		return -1;
	}
	ga_schema_release(&ga_node_settings_schema, &read);
	return 0;
}

static int apply(struct ga_db *db, const char *node, const struct ga_node_change *change,
		 struct ga_err *err)
{
	ga_cleanup(cleanup_node) struct ga_node n = { 0 };
	struct ga_node_settings s;
	struct ga_network network;

	if (ga_store_node(db, node, &n, err) < 0)
		return -1;
	ga_schema_init(&ga_node_settings_schema, &s);
	s.node = borrow(node);
	s.name = borrow(change->name);
	s.address = borrow(change->address);
	s.region = borrow(change->region);
	s.pool = borrow(change->pool);
	s.mode = borrow(change->mode);
	s.reserved_cpus = borrow(change->reserved_cpus);
	s.fabric_mode = borrow(change->fabric_mode);
	s.reserved_memory_mib = change->reserved_memory_mib;
	if (merge_network(&n.network, &change->network, &network))
		s.network = &network;
	if (check_settings(&s, err) < 0 ||
	    ga_store_may_apply(db, &ga_node_settings_schema, &s, err) < 0)
		return -1;
	return ga_store_apply_node_settings(db, &s, err);
}

/* ---- operands and confirmation ---- */

/* Shows the effect on the terminal and asks the user to type the node's name. */
static int confirm(const struct ga_node_opts *o, const char *what, struct ga_err *err)
{
	ga_cleanup(cleanup_node) struct ga_node node = { 0 };
	ga_autodb struct ga_db *state = NULL;
	ga_autofree char *id = NULL;
	char typed[128] = "";
	const char *name;

	if (o->yes || o->dry_run)
		return 0;
	if (!isatty(STDIN_FILENO))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--yes is missing: %s", what),
				 ("'--dry-run' shows what would be done"));
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &state, err) < 0 ||
	    ga_db_begin_read(state, err) < 0 ||
	    ga_store_resolve(state, "node", operand(0), &id, NULL, err) < 0 ||
	    ga_store_node(state, id, &node, err) < 0)
		return -1;
	/* Do not keep a transaction open while the user thinks. */
	ga_db_rollback(state);
	name = node.name ? node.name : node.node;
	ga_say("%s", what);
	ga_say("type the name of the node, %s, to go on:", name);
	if (!fgets(typed, sizeof(typed), stdin))
		typed[0] = '\0';
	typed[strcspn(typed, "\n")] = '\0';
	return ga_streq(typed, name) ?
		       0 :
		       ga_fail(err, GA_NO, "nothing was done: that is not the name of '%s'", id);
}

/* ---- one run ---- */

struct run {
	struct ga_node_opts *o;
	struct ga_db *db;
	const char *named; /* the node; NULL: the first operand names it */
	char *id;	   /* of this node */
};

static void cleanup_run(struct run *run)
{
	ga_db_close(GA_TAKE(run->db));
	free(GA_TAKE(run->id));
}

/* Opens the state and begins a transaction, unless each_node did. With finds, looks up the node of
 * the first operand; with writes also checks that the user may administer this node. */
static int begin(struct run *run, bool writes, bool finds, struct ga_err *err)
{
	if (run->db)
		return 0;
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, writes ? GA_DB_WRITE : GA_DB_READ,
		       &run->db, err) < 0 ||
	    (writes ? ga_store_begin(run->db, ga_cli_program(), err) :
		      ga_db_begin_read(run->db, err)) < 0)
		return -1;
	if (finds && ga_store_resolve(run->db, "node", run->named ? run->named : operand(0),
				      &run->id, NULL, err) < 0)
		return -1;
	return finds && writes ? ga_store_may_node(run->db, "administer", run->id, err) : 0;
}

/* Commits, or rolls a dry run back; then emits the record. */
static int finish(struct run *run, const struct ga_schema *schema, const void *obj,
		  struct ga_err *err)
{
	if (!run->o->dry_run && ga_db_commit(run->db, err) < 0)
		return -1;
	ga_db_rollback(run->db);
	return ga_emit(schema, obj, err);
}

static int show(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	(void)arg;
	return ga_emit(schema, obj, err);
}

struct blockers {
	struct ga_drain_blocker *v;
	size_t n;
};

static void cleanup_blockers(struct blockers *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_schema_release(&ga_drain_blocker_schema, &list->v[i]);
	ga_list_release(list);
}

static int keep(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	struct blockers *list = arg;

	(void)err;
	ga_schema_copy(schema, obj, ga_list_add(list));
	return 0;
}

/* Emits the blockers of the node's drain; returns their number. */
static int show_blockers(struct run *run, struct ga_err *err)
{
	ga_autofree char *here = ga_host_node_if_known(ga_cli_setting("GPUAAS_NODE", NULL));

	return ga_store_drain_blockers(run->db, run->id, here, show, NULL, err);
}

static int show_any(const struct ga_schema *schema, const void *obj, void *any, struct ga_err *err)
{
	*(bool *)any = true;
	return ga_emit(schema, obj, err);
}

static int list(struct run *run, struct ga_err *err)
{
	ga_cleanup(ga_cli_where_release) struct ga_cli_where names = { .where = { 0 } };
	struct ga_list_query q = { .kind = "node" };
	ga_autostr struct ga_str filters = GA_STR_INIT;
	bool any = false;

	if (begin(run, false, false, err) < 0 ||
	    ga_cli_where(run->db, run->o->where.v, run->o->where.n, NULL, &q, &names, err) < 0 ||
	    ga_store_list(run->db, &q, show_any, &any, err) < 0)
		return -1;
	if (any || !names.unknown.code) {
		ga_cli_where_warn(&names);
		ga_cli_add_filter(&filters, "--where", run->o->where.v, run->o->where.n);
		if (!any)
			ga_cli_say_none("node", "nodes", filters.buf);
		return 0;
	}
	*err = names.unknown;
	return -1;
}

static int show_node(struct run *run, struct ga_err *err)
{
	ga_cleanup(cleanup_node) struct ga_node node = { 0 };

	if (begin(run, false, true, err) < 0 ||
	    ga_store_node(run->db, run->id, &node, err) < 0 ||
	    ga_emit(&ga_node_schema, &node, err) < 0 ||
	    ga_store_maintenance_ahead(run->db, run->id, show, NULL, err) < 0)
		return -1;
	return show_blockers(run, err) < 0 ? -1 : 0;
}

static int set(struct run *run, struct ga_err *err)
{
	ga_cleanup(cleanup_node) struct ga_node node = { 0 };

	if (begin(run, true, true, err) < 0 ||
	    apply(run->db, run->id, &run->o->change, err) < 0 ||
	    ga_store_node(run->db, run->id, &node, err) < 0)
		return -1;
	return finish(run, &ga_node_schema, &node, err);
}

static char *mode_operand(void)
{
	int n;
	char *const *args = ga_cli_args(&n);

	return args[n - 1];
}

static int set_mode(struct run *run, struct ga_err *err)
{
	run->o->change.mode = mode_operand();
	return set(run, err);
}

static int set_name(struct run *run, struct ga_err *err)
{
	run->o->change.name = operand(1);
	return set(run, err);
}

static int move_to(struct run *run, const char *deadline, struct ga_err *err)
{
	ga_autofree char *ended = NULL;
	struct ga_node_move m = { ga_cli_command()->name, run->o->reason, deadline,
				  run->o->generation, &ended };
	ga_cleanup(cleanup_node) struct ga_node node = { 0 };

	if (begin(run, true, true, err) < 0 ||
	    ga_store_node_move(run->db, run->id, &m, &node, err) < 0)
		return -1;
	if (ended)
		ga_say("%s: node %s: this ends '%s'", ga_cli_program(), node.node,
		       ga_printable(ended));
	return finish(run, &ga_node_schema, &node, err);
}

static int move(struct run *run, struct ga_err *err)
{
	return move_to(run, NULL, err);
}

/* The ids of the allocations that leave the node, each once; refuses one that cannot. */
static int find_leaving(struct run *run, struct ga_texts *ret, struct ga_err *err)
{
	const struct ga_node_opts *o = run->o;
	struct ga_request request;
	size_t i;

	for (i = 0; i < o->consent.n; i++) {
		ga_autofree char *id = NULL;

		if (ga_store_resolve(run->db, "allocation", o->consent.v[i], &id, NULL, err) < 0 ||
		    ga_store_evacuation(run->db, run->id, id, &request, err) < 0)
			return -1;
		ga_schema_release(&ga_request_schema, &request);
		if (!ga_texts_has(ret, id))
			ga_texts_add(ret, id);
	}
	return 0;
}

static int evacuate(struct run *run, const struct ga_texts *leaving, struct ga_err *err)
{
	const struct ga_node_opts *o = run->o;
	size_t i;

	for (i = 0; i < leaving->n; i++) {
		if (o->dry_run)
			ga_say("'%s' would be placed elsewhere, and released if that succeeds",
			       leaving->v[i]);
		else if (ga_node_evacuate(run->db, run->id, leaving->v[i], o->reason, err) < 0)
			return -1;
	}
	return 0;
}

/* The options of a drain, which are the same for all nodes. ret: the deadline, if there is one. */
static int check_drain(const struct ga_node_opts *o, char ret[GA_TIME_SIZE], struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	if (o->consent.n && !o->evacuate)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--consent is for --evacuate"),
				 ("nothing is stopped without --evacuate"));
	if (o->deadline && ga_cli_when("--deadline", o->deadline, true, ret, err) < 0)
		return -1;
	if (o->deadline && strcmp(ret, now) < 0)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--deadline: '%s' is in the past", o->deadline),
				 ("give a time to come, or a duration from now, as in "
				  "'--deadline 24h'"));
	return 0;
}

/* Ends with status 1 while there are blockers, so that scripts can wait for the drain. */
static int drain(struct run *run, struct ga_err *err)
{
	const struct ga_node_opts *o = run->o;
	ga_autotexts struct ga_texts leaving = { 0 };
	char deadline[GA_TIME_SIZE];
	int blockers;

	if (check_drain(o, deadline, err) < 0 ||
	    find_leaving(run, &leaving, err) < 0 ||
	    move_to(run, o->deadline ? deadline : NULL, err) < 0 ||
	    evacuate(run, &leaving, err) < 0 || ga_db_begin_read(run->db, err) < 0)
		return -1;
	blockers = show_blockers(run, err);
	return blockers < 0 ? -1 : blockers > 0;
}

/* A refusal comes before the question. */
static int retire(struct run *run, struct ga_err *err)
{
	struct ga_node_move m = { "retire", run->o->reason, NULL, run->o->generation, NULL };
	ga_cleanup(cleanup_node) struct ga_node node = { 0 };
	int r = begin(run, true, true, err);

	if (r == 0)
		r = ga_store_node_move(run->db, run->id, &m, &node, err);
	if (r < 0)
		return -1;
	cleanup_run(run); /* nobody waits for the state while the user thinks */
	if (confirm(run->o, "a node that is retired never comes back", err) < 0)
		return -1;
	return move(run, err);
}

/* The allocations and slots are read before the end of the transaction, so that a dry run, too,
 * shows what becomes of them. */
static int lost(struct run *run, struct ga_err *err)
{
	ga_autofree char *here = ga_host_node_if_known(ga_cli_setting("GPUAAS_NODE", NULL));
	ga_cleanup(cleanup_blockers) struct blockers left = { 0 };
	ga_cleanup(cleanup_node) struct ga_node node = { 0 };
	size_t i;

	if (!run->o->reason)
		return ga_fail(err, GA_USAGE, "lost needs --reason");
	if (confirm(run->o, "what runs on the node is lost: its allocations and their billing "
		    "end", err) < 0 ||
	    begin(run, true, true, err) < 0 ||
	    ga_store_node_lost(run->db, run->id, run->o->reason, err) < 0 ||
	    ga_store_node(run->db, run->id, &node, err) < 0 ||
	    ga_store_drain_blockers(run->db, run->id, here, keep, &left, err) < 0 ||
	    finish(run, &ga_node_schema, &node, err) < 0)
		return -1;
	if (!run->o->dry_run)
		ga_request_tidy(run->db); /* of its cancelled plans */
	for (i = 0; i < left.n; i++)
		if (ga_emit(&ga_drain_blocker_schema, &left.v[i], err) < 0)
			return -1;
	return 0;
}

static int revoke_key(struct run *run, struct ga_err *err)
{
	ga_cleanup(cleanup_node) struct ga_node node = { 0 };
	const char *reason = run->o->reason;
	int r;

	if (!reason)
		return ga_fail(err, GA_USAGE, "revoke-key needs --reason");
	if (confirm(run->o, "results of the node are refused until it has a new key", err) < 0 ||
	    begin(run, true, true, err) < 0)
		return -1;
	r = ga_store_key_revoke(run->db, run->id, reason, err);
	if (!r)
		return ga_fail(err, GA_CONFLICT, "node '%s' has no key that counts", run->id);
	if (r < 0 || ga_store_node(run->db, run->id, &node, err) < 0)
		return -1;
	return finish(run, &ga_node_schema, &node, err);
}

/* ---- maintenance ---- */

static void cleanup_window(struct ga_maintenance *m)
{
	ga_schema_release(&ga_maintenance_schema, m);
}

static int plan_maintenance(struct run *run, struct ga_err *err)
{
	ga_cleanup(cleanup_window) struct ga_maintenance m = { 0 };
	const struct ga_node_opts *o = run->o;
	char from[GA_TIME_SIZE], to[GA_TIME_SIZE];

	if (!o->to)
		return ga_fail(err, GA_USAGE, "maintenance needs --to");
	if (ga_cli_when("--from", o->from ? o->from : "0s", true, from, err) < 0 ||
	    ga_cli_when("--to", o->to, true, to, err) < 0 || begin(run, true, true, err) < 0 ||
	    ga_store_maintenance_plan(run->db, run->id, from, to, o->reason, &m, err) < 0 ||
	    finish(run, &ga_maintenance_schema, &m, err) < 0)
		return -1;
	return 0;
}

static int end_maintenance(struct run *run, struct ga_err *err)
{
	ga_cleanup(cleanup_window) struct ga_maintenance m = { 0 };

	if (begin(run, true, false, err) < 0 ||
	    ga_store_maintenance_end(run->db, operand(0), &m, err) < 0 ||
	    ga_store_may_node(run->db, "administer", m.node, err) < 0)
		return -1;
	return finish(run, &ga_maintenance_schema, &m, err);
}

/* ---- several nodes ---- */

static int after(struct run *run, int r, struct ga_err *err)
{
	return r < 0 && run->db && !run->o->dry_run ? ga_store_access_note(run->db, err) : r;
}

/* Each node in a transaction of its own; a refusal of one does not keep the others. */
static int each_node(struct run *run, size_t n_operands,
		     int (*one)(struct run *run, struct ga_err *err), struct ga_err *err)
{
	const struct ga_node_opts *o = run->o;
	ga_autotexts struct ga_texts nodes = { 0 };
	int n;
	ga_cleanup(ga_cli_several_release) struct ga_several ask = {
		.kind = "node", .operands = ga_cli_args(&n), .n = n_operands,
		.where = o->where.v, .n_where = o->where.n, .shows = one == show_node,
	};
	char ignored[GA_TIME_SIZE];
	size_t i;

	if ((one == drain && check_drain(o, ignored, err) < 0) ||
	    (one == set_mode && ga_cli_is_word("MODE", mode_operand(), ga_mode_words, err) < 0) ||
	    ga_cli_several(&ask, &nodes, err) < 0)
		return -1;
	if (nodes.n > 1 && (o->evacuate || o->generation != GA_UNKNOWN))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("%s is for one node, and these are %zu",
				  o->evacuate ? "--evacuate" : "--generation", nodes.n),
				 ("drain them first, and evacuate one after the other"));
	for (i = 0; i < nodes.n; i++) {
		int r;

		run->named = nodes.v[i];
		r = begin(run, one != show_node, true, err);
		if (r == 0)
			r = ga_store_still(run->db, ask.still, run->id, err);
		if (r > 0)
			r = one(run, err);
		else if (r == 0)
			ga_cli_several_left("node", run->id);
		r = after(run, r, err);
		cleanup_run(run);
		if (!ga_cli_several_goes_on(nodes.n, r, err))
			return r;
	}
	return 0;
}

int ga_node_command(const char *name, struct ga_node_opts *opts, struct ga_err *err)
{
	static const struct {
		const char *name;
		int (*run)(struct run *run, struct ga_err *err);
		bool several; /* takes several nodes */
		int others;   /* operands after them */
	} commands[] = {
		{ "list", list, false, 0 },
		{ "show", show_node, true, 0 },
		{ "set", set, false, 0 },
		{ "mode", set_mode, true, 1 },
		{ "rename", set_name, false, 0 },
		{ "drain", drain, true, 0 },
		{ "undrain", move, true, 0 },
		{ "quarantine", move, true, 0 },
		{ "retire", retire, false, 0 },
		{ "lost", lost, false, 0 },
		{ "revoke-key", revoke_key, false, 0 },
		{ "maintenance", plan_maintenance, false, 0 },
		{ "end-maintenance", end_maintenance, false, 0 },
	};
	ga_cleanup(cleanup_run) struct run run = { .o = opts };
	size_t i;
	int n;

	ga_audit_program(ga_cli_program());
	for (i = 0; i < GA_ARRAY_SIZE(commands); i++) {
		if (!ga_streq(commands[i].name, name))
			continue;
		if (!commands[i].several)
			return after(&run, commands[i].run(&run, err), err);
		(void)ga_cli_args(&n);
		return each_node(&run, (size_t)(n - commands[i].others), commands[i].run, err);
	}
	return ga_fail(err, GA_USAGE, "there is no command '%.32s'", name);
}
