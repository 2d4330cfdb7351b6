/* SPDX-License-Identifier: Apache-2.0 */
/* The evidence that gpuaas-wipe writes after a good wipe, for tests without a disk. */
#ifndef EVIDENCE_WORLD_H
#define EVIDENCE_WORLD_H

#include "decide/wipe/guard_steps.h"
#include "decide/wipe/judge.h"
#include "decide/wipe/plan.h"
#include "record/result.h"

__attribute__((unused)) static struct ga_step ew_step(const char *step, const char *outcome)
{
	return (struct ga_step){ ga_xstrdup(step), ga_xstrdup(outcome), NULL };
}

/* Everything that proves the wipe of a lab's disk of this size at that moment, beside a GPU and a
 * fabric function, by clear and full; whose it is (evidence, node, object, attempt, GPU) is the
 * caller's to fill, and then to seal it. e is fresh from ga_schema_init. */
__attribute__((unused)) static void ew_prove(struct ga_wipe_evidence *e, const char *wwid,
					     int64_t size_bytes, const char *at)
{
	static const char digest[] =
		"sha256:0000000000000000000000000000000000000000000000000000000000000000";
	const struct ga_guard_rule *rule;

	e->started_at = ga_xstrdup(at);
	e->finished_at = ga_xstrdup(at);
	e->cause = ga_xstrdup("first");
	e->device.wwid = ga_xstrdup(wwid);
	e->device.size_bytes = size_bytes;
	e->device.logical_block_bytes = 512;
	e->device.medium = ga_xstrdup("file");
	e->policy = (struct ga_wipe_policy){ ga_xstrdup("clear"), ga_xstrdup("full"),
					     ga_xstrdup("if_supported") };
	for (rule = ga_guard_rules; rule->step; rule++)
		*(struct ga_step *)ga_list_add(&e->guard) = ew_step(rule->step, "confirmed");
	*(struct ga_wipe_try *)ga_list_add(&e->attempts) =
		(struct ga_wipe_try){ ga_xstrdup("zeroout"), ga_xstrdup(at), ga_xstrdup(at),
				      ga_xstrdup("confirmed"), NULL };
	e->markers = ga_xcalloc(1, sizeof(*e->markers));
	*e->markers = (struct ga_markers){ .seed_digest = ga_xstrdup(digest),
					   .written = ga_wipe_marker_count(size_bytes) };
	e->read_back = ga_xcalloc(1, sizeof(*e->read_back));
	*e->read_back = (struct ga_read_back){ .verify = ga_xstrdup("full"),
					       .started_at = ga_xstrdup(at),
					       .finished_at = ga_xstrdup(at),
					       .bytes_read = size_bytes };
	e->gpu_memory = ew_step("gpu_memory", "not_proven");
	e->gpu_reset = ew_step("gpu_reset", "confirmed");
	e->vf_state = ew_step("vf_state", "confirmed");
	e->class = ga_xstrdup("clear");
	e->outcome = ga_xstrdup("confirmed");
	e->lab = true;
	e->tool = ga_xstrdup("a test");
	e->rules = GA_WIPE_RULES;
}

#endif
