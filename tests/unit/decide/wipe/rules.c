/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge of the next version of the rules, with evidence from hosts of this version: when the
 * version is raised, all of that evidence must stay proof.
 */
#include "evidence_world.h"
#include "t.h"

/* The judge itself, compiled as if the version had been raised. */
#undef GA_WIPE_RULES
#define GA_WIPE_RULES 2
#include "decide/wipe/judge.c"

#define SIZE (INT64_C(1) << 30)

static void judge(int64_t rules, bool old, const char *code, const char *words)
{
	static const struct ga_wipe_asked asked = {
		.wwid = "d1", .size_bytes = SIZE, .gpu_identity = "g1", .minimum_class = "clear",
		.verify = "full", .gpu_memory = "if_supported", .fabric = 1, .lab = 1,
	};
	ga_autoverdict struct ga_wipe_verdict v = { 0 };
	struct ga_wipe_evidence e;

	ga_schema_init(&ga_wipe_evidence_schema, &e);
	ew_prove(&e, "d1", SIZE, "2026-01-01T00:00:00.000000Z");
	e.gpu_identity = ga_xstrdup("g1");
	e.rules = rules;
	t_int(ga_wipe_is_old(&e), old, "rules %lld: of before the rules", (long long)rules);
	t_int(ga_wipe_proves(&asked, &e, &v), !code, "rules %lld: %s", (long long)rules,
	      v.sentence ? v.sentence : "proved");
	t_str(v.code, code, "rules %lld: the code", (long long)rules);
	t_ok(!code || strstr(v.sentence, words), "rules %lld: why", (long long)rules);
	ga_schema_release(&ga_wipe_evidence_schema, &e);
}

int main(void)
{
	judge(1, false, NULL, NULL);
	judge(2, false, NULL, NULL);
	judge(3, false, "wipe_not_proven", "rules is 3, and this version judges by 2");
	judge(GA_UNKNOWN, true, "evidence_old", "rules is missing");
	return t_done();
}
