/* SPDX-License-Identifier: Apache-2.0 */
/* "gpuaas help": the programs by the life of capacity. */
#include "cli/front.h"

#include "base/proc.h"

/* The programs in the order of the life of capacity, each group with its title. */
static const struct {
	const char *title;
	struct {
		const char *name, *text;
	} programs[8];
} groups[] = {
	{ "find capacity",
	  { { "host-bootstrap", "prepare a machine as a host, and undo that" },
	    { "discover", "show the hardware of this machine, and what blocks it" } } },
	{ "approve and sell it",
	  { { "approve", "make slots of that hardware; disable, cordon, retire them" },
	    { "profile", "types of accelerators, and the profiles to sell them" },
	    { "image", "the images of this node" } } },
	{ "place work",
	  { { "match", "find the profiles that fit a model or a training" },
	    { "place", "claim slots for a request and write its plan" },
	    { "launch", "the same by questions: gpuaas-place --guide" } } },
	{ "run it",
	  { { "provision", "make the VM or baremetal machine of a plan, on its host" },
	    { "vm", "start, stop, reach and rebuild the VM of an allocation" },
	    { "on", "run a command on many nodes and merge what it writes" } } },
	{ "end and wipe it",
	  { { "release", "end allocations, or hold them, and free their devices" },
	    { "wipe", "erase the disks of slots and prove it" } } },
	{ "look",
	  { { "list", "list nodes, slots, allocations and what needs attention" },
	    { "show", "show everything of one object" },
	    { "report", "use and cost of a period, by team, project and type" },
	    { "explain", "explain a code, or a member of a record" },
	    { "doctor", "check host and state, and say what to do first" },
	    { "export", "write the state for Prometheus, Kubernetes and Slurm" },
	    { "serve", "serve the published view of profiles by HTTP" },
	    { "validate", "run the same scenarios against any scheduler" } } },
	{ "keep it in order",
	  { { "node", "settings, drains and maintenance of nodes; lost hosts" },
	    { "reconcile", "find drift between a host and the state, and repair it" },
	    { "state", "make, fill, check, copy and restore the state" },
	    { "host-shell", "the command of an ssh key that runs host programs only" } } },
};

/* The text of a program in that table, or NULL. */
static const char *text_of(const char *name)
{
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(groups); i++)
		for (j = 0; j < GA_ARRAY_SIZE(groups[i].programs); j++)
			if (ga_streq(groups[i].programs[j].name, name))
				return groups[i].programs[j].text;
	return NULL;
}

void ga_front_help(const struct ga_texts *programs, struct ga_str *ret)
{
	bool others = false;
	size_t i, j;

	ga_str_addf(ret,
		    "gpuaas %s: the life of GPU capacity, one program a step\n\n"
		    "  gpuaas PROGRAM ARGUMENT…  runs gpuaas-PROGRAM\n"
		    "  gpuaas help PROGRAM       shows its options\n"
		    "  man gpuaas                the whole in one page\n", GA_VERSION);
	for (i = 0; programs->n && i < GA_ARRAY_SIZE(groups); i++) {
		ga_str_addf(ret, "\n%s\n", groups[i].title);
		for (j = 0; j < GA_ARRAY_SIZE(groups[i].programs); j++) {
			const char *name = groups[i].programs[j].name;
			ga_autofree char *program =
				name ? ga_xprintf("gpuaas-%s",
						  ga_streq(name, "launch") ? "place" : name) :
				       NULL;

			if (program && ga_texts_has(programs, program))
				ga_str_addf(ret, "    %-16s%s\n", name,
					    groups[i].programs[j].text);
		}
	}
	for (i = 0; i < programs->n; i++) {
		const char *name = programs->v[i] + strlen("gpuaas-");

		if (text_of(name))
			continue;
		ga_str_addf(ret, "%s    %s\n", others ? "" : "\nothers\n", name);
		others = true;
	}
	if (!programs->n)
		ga_str_addf(ret, "\n    (no gpuaas-PROGRAM is here or in %s)\n", ga_proc_path());
}

const char *ga_front_meant(const char *word)
{
	static const struct {
		const char *word, *meant;
	} words[] = {
		{ "get", "list" },	    { "ls", "list" },
		{ "ps", "list allocations" }, { "queue", "list allocations" },
		{ "nodes", "list nodes" },  { "slots", "list slots" },
		{ "allocations", "list allocations" }, { "attention", "list attention" },
		{ "status", "doctor" },	    { "check", "doctor" },
		{ "describe", "show" },	    { "info", "show" },
		{ "create", "place" },	    { "run", "place" },
		{ "delete", "release" },    { "rm", "release" },
		{ "start", "vm start" },    { "stop", "vm stop" },
		{ "drain", "node drain" },  { "cordon", "approve cordon" },
		{ "backup", "state backup" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(words); i++)
		if (ga_streq(words[i].word, word))
			return words[i].meant;
	return NULL;
}
