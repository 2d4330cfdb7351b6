/* SPDX-License-Identifier: Apache-2.0 */
/* Turns host programs into remote ones, stage by stage of a pipeline. */
#include "decide/setup/remote.h"

#include <string.h>

#include "base/str.h"

#define AND " && "
#define ON "gpuaas-on "
#define FOLD "gpuaas-state fold -"
#define PROVISION "gpuaas-provision"
#define RESUME PROVISION " --resume "

/* The programs that run on a host. */
struct stage {
	const char *program;
	bool proves; /* prints results that the state must fold */
};

static const struct stage stages[] = {
	{ "gpuaas-host-bootstrap --new-key", false },
	{ "gpuaas-discover", false },
	{ "gpuaas-reconcile --inventory", false },
	{ "gpuaas-reconcile", true },
	{ PROVISION, true },
	{ "gpuaas-release -", true }, /* the host's half; "gpuaas-release ID" is the state's half */
	{ "gpuaas-vm", true },
	{ "gpuaas-wipe", true },
};

static const struct stage *find(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(stages); i++) {
		size_t n = strlen(stages[i].program);

		if (len >= n && !memcmp(text, stages[i].program, n) && (len == n || text[n] == ' '))
			return &stages[i];
	}
	return NULL;
}

static bool begins(const char *text, size_t len, const char *with)
{
	return len >= strlen(with) && !memcmp(text, with, strlen(with));
}

/* Adds the first stage of a pipeline, which has no input. */
static void add_first(struct ga_str *to, const char *text, size_t len, const char *node)
{
	int n = (int)len;

	if (begins(text, len, RESUME))
		ga_str_addf(to, "gpuaas-list plan --where allocation=%.*s | gpuaas-on "
			    "gpuaas-provision", n - (int)strlen(RESUME), text + strlen(RESUME));
	else if (begins(text, len, "gpuaas-reconcile") &&
		 !begins(text, len, "gpuaas-reconcile --inventory"))
		ga_str_addf(to, "gpuaas-state expect --node %s | gpuaas-on %.*s -", node, n, text);
	else
		ga_str_addf(to, "gpuaas-on --nodes node=%s %.*s", node, n, text);
}

/* Whether the stage is the state's half of a release, whose order the host must carry out. A plan
 * that no host has begun is released alone: its host has nothing to do. */
static bool orders_release(const char *text, size_t len, bool alone)
{
	return begins(text, len, alone ? "gpuaas-release --undo " : "gpuaas-release ");
}

char *ga_remote_command(const char *command, const char *node)
{
	ga_autostr struct ga_str out = GA_STR_INIT;
	const char *at = command, *end;
	bool first = true, proves = false;

	if (!command || strstr(command, ON) || strstr(command, "ssh "))
		return ga_strdup0(command);
	end = strstr(command, AND);
	if (end) {
		/* Two commands; the second runs if the first succeeds. */
		ga_autofree char *before = ga_xstrndup(command, (size_t)(end - command));
		ga_autofree char *one = ga_remote_command(before, node);
		ga_autofree char *other = ga_remote_command(end + strlen(AND), node);

		return ga_xprintf("%s" AND "%s", one, other);
	}
	for (; at; at = end ? end + 3 : NULL, first = false) {
		size_t len;
		const struct stage *s;

		end = strstr(at, " | ");
		len = end ? (size_t)(end - at) : strlen(at);
		s = find(at, len);
		if (!first)
			ga_str_add(&out, " | ");
		if (s && first)
			add_first(&out, at, len, node);
		else
			ga_str_addf(&out, "%s%.*s", s ? "gpuaas-on " : "", (int)len, at);
		proves = s ? s->proves : proves && !begins(at, len, FOLD);
		if (first && !s && orders_release(at, len, !end)) {
			ga_str_add(&out, " | gpuaas-on gpuaas-release -");
			proves = true;
		}
	}
	if (proves)
		ga_str_add(&out, " | " FOLD);
	return ga_str_take(&out);
}

bool ga_remote_runs_there(const char *command, bool from_here)
{
	const char *at = command;
	bool proved = false;

	while (at && *at) {
		const char *bar = strstr(at, " | "), *and = strstr(at, AND);
		const char *end = bar && (!and || bar < and) ? bar : and;
		size_t len = end ? (size_t)(end - at) : strlen(at);

		proved = proved || (from_here && begins(at, len, "gpuaas-release -"));
		if (!proved && (begins(at, len, ON) || (!from_here && find(at, len))))
			return true;
		if (end && end == and)
			proved = false;
		at = end ? end + (end == and ? strlen(AND) : strlen(" | ")) : NULL;
	}
	return false;
}
