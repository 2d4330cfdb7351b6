/* SPDX-License-Identifier: Apache-2.0 */
/* The audit in the syntax of RFC 5424: a table of rows, including hostile ones. */
#include <jansson.h>

#include "record/syslog.h"
#include "t.h"

static const struct {
	const char *program, *action, *actor, *object, *detail, *hostname, *want, *name;
} cases[] = {
	{ "gpuaas-place", "placed", "root(0)", "7f3c0a1b", "{\"node\":\"h7\"}", "ctl",
	  "<109>1 2026-11-20T18:24:00.123456Z ctl gpuaas-place - placed [gpuaas@32473 seq=\"7\" "
	  "actor=\"root(0)\" object=\"7f3c0a1b\" hash=\"sha256:b\" previous_hash=\"sha256:a\"] "
	  "{\"node\":\"h7\"}",
	  "an ordinary row" },
	{ "gpuaas-node", "node_lost", "root(0)", "h7", "{}", NULL,
	  "<108>1 2026-11-20T18:24:00.123456Z - gpuaas-node - node_lost [gpuaas@32473 seq=\"7\" "
	  "actor=\"root(0)\" object=\"h7\" hash=\"sha256:b\" previous_hash=\"sha256:a\"] {}",
	  "what went wrong is a warning, and a host without a name is a hyphen" },
	{ "gpuaas-state", "state_restored", "root(0)", "state", "{}", NULL,
	  "<108>1 2026-11-20T18:24:00.123456Z - gpuaas-state - state_restored "
	  "[gpuaas@32473 seq=\"7\" actor=\"root(0)\" object=\"state\" hash=\"sha256:b\" "
	  "previous_hash=\"sha256:a\"] {}",
	  "a restore is a warning" },
	{ "a b\xc3\xa9", "drift", "eve\"]\\(7)", "x] y", "{\"s\":\"] \\\" \xc3\xa9\"}", "a b",
	  "<108>1 2026-11-20T18:24:00.123456Z a_b a_b__ - drift [gpuaas@32473 seq=\"7\" "
	  "actor=\"eve\\\"\\]\\\\(7)\" object=\"x\\] y\" hash=\"sha256:b\" "
	  "previous_hash=\"sha256:a\"] {\"s\":\"] \\\" \xc3\xa9\"}",
	  "what would end a value or a word does not" },
	{ "", "a23456789012345678901234567890123456", "u(1)", "o", "{}", "",
	  "<109>1 2026-11-20T18:24:00.123456Z - - - a2345678901234567890123456789012 "
	  "[gpuaas@32473 seq=\"7\" actor=\"u(1)\" object=\"o\" hash=\"sha256:b\" "
	  "previous_hash=\"sha256:a\"] {}",
	  "words are cut at their length" },
};

int main(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autostr struct ga_str out = GA_STR_INIT;
		json_t *detail = json_loads(cases[i].detail, 0, NULL);
		struct ga_audit a = {
			.seq = 7,
			.at = (char *)(uintptr_t) "2026-11-20T18:24:00.123456Z",
			.actor = (char *)(uintptr_t)cases[i].actor,
			.program = (char *)(uintptr_t)cases[i].program,
			.action = (char *)(uintptr_t)cases[i].action,
			.object = (char *)(uintptr_t)cases[i].object,
			.detail = detail,
			.previous_hash = (char *)(uintptr_t) "sha256:a",
			.hash = (char *)(uintptr_t) "sha256:b",
		};

		ga_syslog_format(&a, cases[i].hostname, &out);
		t_str(out.buf, cases[i].want, "%s", cases[i].name);
		json_decref(detail);
	}
	return t_done();
}
