/* SPDX-License-Identifier: Apache-2.0 */
/* The state machines of gpuaas-state(5) as one table, and the triggers that guard its edges. */
#include "state/db/fsm.h"

#define MINUTE 60
#define HOUR (60 * MINUTE)
/* END_WHOLE is for baremetal: the release runs here, the wipe on the node itself, which is never
 * the machine with the state. */
#define END "gpuaas-release %s | gpuaas-wipe"
#define END_WHOLE                                                                                  \
	"gpuaas-release %s | gpuaas-release - | gpuaas-on gpuaas-wipe | gpuaas-state fold -"
#define REPAIR "gpuaas-approve repair %s --reason TEXT | gpuaas-wipe"
#define REPAIR_WHOLE                                                                               \
	"gpuaas-approve repair %s --reason TEXT | gpuaas-on gpuaas-wipe | gpuaas-state fold -"

static const struct ga_fsm_state slot_states[] = {
	/* to provisioning: a machine that a tenant had before gpuaas knew it */
	{ "disabled", { "available", "wiping", "quarantined", "retired", "provisioning" },
	  "gpuaas-approve enable %s | gpuaas-wipe", NULL, 0 },
	{ "available", { "reserved", "wiping", "disabled", "quarantined" },
	  "gpuaas-approve disable %s --reason TEXT", NULL, 0 },
	{ "reserved", { "available", "provisioning" }, "gpuaas-release %s", NULL, HOUR },
	{ "provisioning", { "active", "cleanup_blocked" },
	  "gpuaas-reconcile --repair", NULL, 2 * HOUR },
	{ "active", { "releasing" }, END, END_WHOLE, 0 },
	{ "releasing", { "wiping", "cleanup_blocked" }, END, END_WHOLE, HOUR },
	{ "wiping", { "available", "disabled", "cleanup_blocked" }, REPAIR, REPAIR_WHOLE,
	  24 * HOUR },
	{ "cleanup_blocked", { "releasing", "wiping", "quarantined" }, REPAIR, REPAIR_WHOLE, HOUR },
	/* to retired: destroyed with its host, before its allocation could be released */
	{ "quarantined", { "disabled", "retired" },
	  "gpuaas-approve disable %s --reason TEXT", NULL, 0 },
	{ "retired", { NULL }, NULL, NULL, 0 },
	{ .name = NULL },
};

static const struct ga_fsm_state allocation_states[] = {
	{ "pending", { "placed", "cancelled", "refused" }, "gpuaas-release %s", NULL, 0 },
	{ "placed", { "provisioning", "pending", "cancelled" },
	  "gpuaas-list plan --where allocation=%s | gpuaas-provision", NULL, HOUR },
	{ "provisioning", { "active", "failed" }, "gpuaas-provision --resume %s", NULL, 2 * HOUR },
	{ "active", { "held", "preempting", "releasing" }, END, END_WHOLE, 0 },
	{ "held", { "active", "releasing" }, END, NULL, 7 * 24 * HOUR },
	{ "preempting", { "active", "releasing" }, END, END_WHOLE, HOUR },
	{ "failed", { "releasing" }, END, END_WHOLE, HOUR },
	{ "releasing", { "released", "release_failed" }, END, END_WHOLE, HOUR },
	{ "release_failed", { "releasing" }, END, END_WHOLE, HOUR },
	{ "released", { NULL }, NULL, NULL, 0 },
	{ "cancelled", { NULL }, NULL, NULL, 0 },
	{ "refused", { NULL }, NULL, NULL, 0 },
	{ .name = NULL },
};

static const struct ga_fsm_state node_states[] = {
	{ "enrolled", { "active", "retired" },
	  "gpuaas-discover | gpuaas-approve --all-ready | gpuaas-wipe", NULL, 0 },
	{ "active", { "draining", "quarantined" }, "gpuaas-node drain %s --reason TEXT", NULL, 0 },
	{ "draining", { "active", "quarantined", "retired" }, "gpuaas-node undrain %s", NULL, 0 },
	{ "quarantined", { "active", "draining", "retired" },
	  "gpuaas-node undrain %s --reason TEXT", NULL, 0 },
	{ "retired", { NULL }, NULL, NULL, 0 },
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

const char *ga_fsm_exit_command(enum ga_machine m, const char *state, bool baremetal)
{
	const struct ga_fsm_state *s = ga_fsm_find(m, state);

	if (!s)
		return NULL;
	return baremetal && s->exit_command_baremetal ? s->exit_command_baremetal : s->exit_command;
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

void ga_fsm_ddl(enum ga_machine m, struct ga_str *sql)
{
	const char *table = machines[m].table, *first = machines[m].states[0].name;
	const struct ga_fsm_state *s;
	size_t i;

	ga_str_addf(sql,
		    "CREATE TRIGGER %s_birth BEFORE INSERT ON %s\nBEGIN\n"
		    "SELECT RAISE(ABORT, 'birth: a new %s begins in state %s') "
		    "WHERE NEW.state IS NOT '%s';\nEND;\n",
		    table, table, table, first, first);
	ga_str_addf(sql,
		    "CREATE TRIGGER %s_edge BEFORE UPDATE OF state ON %s\nBEGIN\n"
		    "SELECT RAISE(ABORT, 'wrong_state: the machine of %s has no edge to that "
		    "state') WHERE NEW.state <> OLD.state AND "
		    "(instr(NEW.state, '>') > 0 OR instr('",
		    table, table, table);
	/* All edges in one string, " disabled>available disabled>wiping …", so that one instr()
	 * call checks an edge (an IN list makes SQLite build a table per update). State names must
	 * not contain '>'. */
	for (s = machines[m].states; s->name; s++)
		for (i = 0; s->to[i]; i++)
			ga_str_addf(sql, " %s>%s", s->name, s->to[i]);
	ga_str_add(sql, " ', ' ' || OLD.state || '>' || NEW.state || ' ') = 0);\nEND;\n");
}
