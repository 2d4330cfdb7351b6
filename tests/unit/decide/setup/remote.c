/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of one host, rewritten for people at another machine. */
#include "t.h"

#include "decide/setup/remote.h"
#include "state/db/fsm.h"

static const struct {
	const char *here, *there;
} cases[] = {
	{ "gpuaas-host-bootstrap --new-key && gpuaas-discover | gpuaas-approve --record-only",
	  "gpuaas-on --nodes node=h7 gpuaas-host-bootstrap --new-key && gpuaas-on --nodes "
	  "node=h7 gpuaas-discover | gpuaas-approve --record-only" },
	{ "gpuaas-release 7f3c | gpuaas-wipe",
	  "gpuaas-release 7f3c | gpuaas-on gpuaas-release - | gpuaas-on gpuaas-wipe | "
	  "gpuaas-state fold -" },
	{ "gpuaas-release --pending | gpuaas-wipe",
	  "gpuaas-release --pending | gpuaas-on gpuaas-release - | gpuaas-on gpuaas-wipe | "
	  "gpuaas-state fold -" },
	{ "gpuaas-release --undo 7f3c",
	  "gpuaas-release --undo 7f3c | gpuaas-on gpuaas-release - | gpuaas-state fold -" },
	/* A plan that nobody took up. */
	{ "gpuaas-release 7f3c", "gpuaas-release 7f3c" },
	{ "gpuaas-approve repair 7f3c --reason TEXT | gpuaas-wipe",
	  "gpuaas-approve repair 7f3c --reason TEXT | gpuaas-on gpuaas-wipe | "
	  "gpuaas-state fold -" },
	{ "gpuaas-approve disable 7f3c --reason TEXT",
	  "gpuaas-approve disable 7f3c --reason TEXT" },
	{ "gpuaas-wipe --pending",
	  "gpuaas-on --nodes node=h7 gpuaas-wipe --pending | gpuaas-state fold -" },
	{ "gpuaas-discover | gpuaas-approve --slot 3 | gpuaas-wipe",
	  "gpuaas-on --nodes node=h7 gpuaas-discover | gpuaas-approve --slot 3 | "
	  "gpuaas-on gpuaas-wipe | gpuaas-state fold -" },
	{ "gpuaas-discover | gpuaas-approve --all-ready",
	  "gpuaas-on --nodes node=h7 gpuaas-discover | gpuaas-approve --all-ready" },
	{ "gpuaas-provision --resume 7f3c",
	  "gpuaas-list plan --where allocation=7f3c | gpuaas-on gpuaas-provision | "
	  "gpuaas-state fold -" },
	{ "gpuaas-list plan --where allocation=7f3c | gpuaas-provision",
	  "gpuaas-list plan --where allocation=7f3c | gpuaas-on gpuaas-provision | "
	  "gpuaas-state fold -" },
	{ "gpuaas-reconcile --repair",
	  "gpuaas-state expect --node h7 | gpuaas-on gpuaas-reconcile --repair - | "
	  "gpuaas-state fold -" },
	{ "gpuaas-state expect --node h7 | gpuaas-reconcile - | gpuaas-state fold -",
	  "gpuaas-state expect --node h7 | gpuaas-on gpuaas-reconcile - | gpuaas-state fold -" },
	{ "gpuaas-reconcile --take-over",
	  "gpuaas-state expect --node h7 | gpuaas-on gpuaas-reconcile --take-over - | "
	  "gpuaas-state fold -" },
	{ "gpuaas-reconcile --inventory | gpuaas-state adopt --reason TEXT --wipe - | gpuaas-wipe",
	  "gpuaas-on --nodes node=h7 gpuaas-reconcile --inventory | "
	  "gpuaas-state adopt --reason TEXT --wipe - | gpuaas-on gpuaas-wipe | "
	  "gpuaas-state fold -" },
	{ "gpuaas-reconcile --inventory | gpuaas-state adopt --reason TEXT -",
	  "gpuaas-on --nodes node=h7 gpuaas-reconcile --inventory | "
	  "gpuaas-state adopt --reason TEXT -" },
	{ "gpuaas-vm rebuild 7f3c",
	  "gpuaas-on --nodes node=h7 gpuaas-vm rebuild 7f3c | gpuaas-state fold -" },
	{ "gpuaas-node undrain h7", "gpuaas-node undrain h7" },
	{ "df -h '/var'", "df -h '/var'" },
	{ "gpuaas-on --nodes node=h7 gpuaas-discover | gpuaas-approve --record-only",
	  "gpuaas-on --nodes node=h7 gpuaas-discover | gpuaas-approve --record-only" },
	{ "gpuaas-wipe --pending && gpuaas-discover | gpuaas-approve --record-only",
	  "gpuaas-on --nodes node=h7 gpuaas-wipe --pending | gpuaas-state fold - && "
	  "gpuaas-on --nodes node=h7 gpuaas-discover | gpuaas-approve --record-only" },
	/* A word that only begins like a program is none. */
	{ "gpuaas-wiped", "gpuaas-wiped" },
	{ "", "" },
};

/* Each command that leaves a state, of a whole machine or not: no host program is left that would
 * act on this machine, and what is typed there is a fixed point. */
static void of_the_machines(enum ga_machine m)
{
	static const char *const programs[] = { "gpuaas-wipe", "gpuaas-discover",
						"gpuaas-reconcile", "gpuaas-vm" };
	const struct ga_fsm_state *s;
	size_t i;

	for (s = ga_fsm_states(m); s->name; s++) {
		ga_autofree char *there = ga_remote_command(s->exit_command, "h7");
		ga_autofree char *again = ga_remote_command(there, "h7");
		const char *at;

		t_str(again, there, "%s: once is enough", s->name);
		for (i = 0; there && i < GA_ARRAY_SIZE(programs); i++) {
			at = strstr(there, programs[i]);
			t_ok(!at || strstr(there, "gpuaas-on "), "%s: '%s' is reached by gpuaas-on",
			     s->name, there);
		}
	}
}

static const struct {
	const char *command;
	bool typed_there, from_here; /* the answer when it is typed on the node, or here */
} runs[] = {
	{ "gpuaas-reconcile --take-over", true, false },
	{ "gpuaas-state adopt --reason TEXT - | gpuaas-wipe", true, false },
	{ "gpuaas-node undrain h7 && gpuaas-discover | gpuaas-approve --record-only", true, false },
	{ "gpuaas-approve repair s1 --reason TEXT | gpuaas-on gpuaas-wipe | gpuaas-state fold -",
	  true, true },
	{ "gpuaas-release a1 | gpuaas-release - | gpuaas-on gpuaas-wipe | gpuaas-state fold -",
	  true, false },
	/* The proof counts for its own pipeline. */
	{ "gpuaas-release a1 | gpuaas-release - && gpuaas-on --nodes node=h7 gpuaas-wipe --pending",
	  true, true },
	{ "gpuaas-list claims --where node=h7 --where live=true", false, false },
	{ "gpuaas-wiped", false, false },
	{ NULL, false, false },
};

int main(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(runs); i++) {
		t_ok(ga_remote_runs_there(runs[i].command, false) == runs[i].typed_there,
		     "on the node: '%s'", runs[i].command ? runs[i].command : "");
		t_ok(ga_remote_runs_there(runs[i].command, true) == runs[i].from_here,
		     "from here: '%s'", runs[i].command ? runs[i].command : "");
	}

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autofree char *there = ga_remote_command(cases[i].here, "h7");

		t_str(there, cases[i].there, "'%s'", cases[i].here);
	}
	t_ok(!ga_remote_command(NULL, "h7"), "no command is none");
	of_the_machines(GA_M_SLOT);
	of_the_machines(GA_M_ALLOCATION);
	of_the_machines(GA_M_NODE);
	return t_done();
}
