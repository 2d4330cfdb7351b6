/* SPDX-License-Identifier: Apache-2.0 */
/* The machines of state.md as one table, and the triggers that hold its edges. */
#include "fsm.h"

#define MINUTE 60
#define HOUR (60 * MINUTE)

static const struct ga_fsm_state slot_states[] = {
	{ "disabled", { "available", "wiping", "quarantined", "retired" },
	  "gpuaas-approve enable %s | gpuaas-wipe", 0 },
	{ "available", { "reserved", "wiping", "disabled", "quarantined" },
	  "gpuaas-approve disable %s --reason TEXT", 0 },
	{ "reserved", { "available", "provisioning" }, "gpuaas-release %s", HOUR },
	{ "provisioning", { "active", "cleanup_blocked" }, "gpuaas-reconcile --repair", 2 * HOUR },
	{ "active", { "releasing" }, "gpuaas-release %s | gpuaas-wipe", 0 },
	{ "releasing", { "wiping", "cleanup_blocked" }, "gpuaas-release %s | gpuaas-wipe", HOUR },
	{ "wiping", { "available", "disabled", "cleanup_blocked" },
	  "gpuaas-approve repair %s --reason TEXT | gpuaas-wipe", 24 * HOUR },
	{ "cleanup_blocked", { "releasing", "wiping", "quarantined" },
	  "gpuaas-approve repair %s --reason TEXT | gpuaas-wipe", HOUR },
	{ "quarantined", { "disabled" }, "gpuaas-approve disable %s --reason TEXT", 0 },
	{ "retired", { NULL }, NULL, 0 },
	{ .name = NULL },
};

static const struct ga_fsm_state allocation_states[] = {
	{ "pending", { "placed", "cancelled", "refused" }, "gpuaas-release %s", 0 },
	{ "placed", { "provisioning", "pending", "cancelled" },
	  "gpuaas-list plan --where allocation=%s | gpuaas-provision", HOUR },
	{ "provisioning", { "active", "failed" }, "gpuaas-provision --resume %s", 2 * HOUR },
	{ "active", { "held", "preempting", "releasing" }, "gpuaas-release %s | gpuaas-wipe", 0 },
	{ "held", { "active", "releasing" }, "gpuaas-release %s | gpuaas-wipe", 7 * 24 * HOUR },
	{ "preempting", { "active", "releasing" }, "gpuaas-release %s | gpuaas-wipe", HOUR },
	{ "failed", { "releasing" }, "gpuaas-release %s | gpuaas-wipe", HOUR },
	{ "releasing", { "released", "release_failed" }, "gpuaas-release %s | gpuaas-wipe", HOUR },
	{ "release_failed", { "releasing" }, "gpuaas-release %s | gpuaas-wipe", HOUR },
	{ "released", { NULL }, NULL, 0 },
	{ "cancelled", { NULL }, NULL, 0 },
	{ "refused", { NULL }, NULL, 0 },
	{ .name = NULL },
};

static const struct ga_fsm_state node_states[] = {
	{ "enrolled",
	  { "active", "retired" },
	  "gpuaas-discover | gpuaas-approve --all-ready | gpuaas-wipe",
	  0 },
	{ "active", { "draining", "quarantined" }, "gpuaas-node drain %s --reason TEXT", 0 },
	{ "draining", { "active", "quarantined", "retired" }, "gpuaas-node undrain %s", 0 },
	{ "quarantined", { "active", "draining", "retired" }, "gpuaas-node undrain %s", 0 },
	{ "retired", { NULL }, NULL, 0 },
	{ .name = NULL },
};

static const struct {
	const char *table;
	const struct ga_fsm_state *states;
} machines[] = {
	[GA_M_SLOT] = { "slot", slot_states },
	[GA_M_ALLOCATION] = { "allocation", allocation_states },
	[GA_M_NODE] = { "node", node_states },
};

const struct ga_fsm_state *ga_fsm_states(enum ga_machine m)
{
	return machines[m].states;
}

const struct ga_fsm_state *ga_fsm_find(enum ga_machine m, const char *state)
{
	const struct ga_fsm_state *s;

	for (s = machines[m].states; s->name; s++)
		if (ga_streq(s->name, state))
			return s;
	return NULL;
}

bool ga_fsm_is_edge(enum ga_machine m, const char *from, const char *to)
{
	const struct ga_fsm_state *s = ga_fsm_find(m, from);
	size_t i;

	for (i = 0; s && s->to[i]; i++)
		if (ga_streq(s->to[i], to))
			return true;
	return false;
}

/* Without IN: a list makes SQLite build a table of it at each move. */
static void add_edges(const struct ga_fsm_state *states, struct ga_str *sql)
{
	const struct ga_fsm_state *s;
	size_t i;

	for (s = states; s->name; s++) {
		if (!s->to[0])
			continue;
		ga_str_addf(sql, "\nWHEN '%s' THEN ", s->name);
		for (i = 0; s->to[i]; i++)
			ga_str_addf(sql, "%sNEW.state = '%s'", i ? " OR " : "", s->to[i]);
	}
}

void ga_fsm_ddl(enum ga_machine m, struct ga_str *sql)
{
	const char *table = machines[m].table;

	ga_str_addf(sql,
		    "CREATE TRIGGER %s_birth BEFORE INSERT ON %s WHEN NEW.state IS NOT '%s'\n"
		    "BEGIN SELECT RAISE(ABORT, 'birth: a new %s begins in state %s'); END;\n",
		    table, table, machines[m].states[0].name, table, machines[m].states[0].name);
	ga_str_addf(sql,
		    "CREATE TRIGGER %s_edge BEFORE UPDATE OF state ON %s\n"
		    "WHEN NEW.state <> OLD.state AND NOT CASE OLD.state",
		    table, table);
	add_edges(machines[m].states, sql);
	ga_str_addf(sql, "\nELSE 0 END\nBEGIN SELECT RAISE(ABORT, 'wrong_state: the machine of %s "
			 "has no edge to that state'); END;\n", table);
}
