/* SPDX-License-Identifier: Apache-2.0 */
/* Placement within the limits of an app: types and counts that it does not allow are not taken. */
#include "base/texts.h"
#include "fleet_world.h"
#include "t.h"

static const char *const h200[] = { "h200" };
static const char *const a100[] = { "a100" };
static const int64_t two[] = { 2 };

/* "node" of the decision, or the code of the refusal; answer: the code of node a. */
static void one(struct scene *s, const struct ga_place_limits *limits, const char *want,
		const char *answer, const char *what)
{
	struct ga_decision d;

	ga_place_within(&s->fleet, &s->request, &s->profile, limits, true, &d);
	t_str(d.placed ? d.node->id : d.refusal.code, want, "%s", what);
	t_str(d.explanation.nodes.v[0].code, answer, "%s: the answer of node a", what);
	if (!d.placed)
		t_ok(d.refusal.sentence && d.refusal.hint, "%s: a sentence and a hint", what);
	ga_decision_release(&d);
}

static void limits(void)
{
	static const struct {
		const char *nodes;
		int64_t count;
		bool baremetal;
		struct ga_place_limits limits;
		const char *want, *answer;
	} rows[] = {
		{ "a:FF b:ff", 1, false, { .app = "x", .any_type = true }, "a", NULL },
		{ "a:FF b:ff", 1, false, { .app = "x", .types = h200, .n_types = 1 }, "b",
		  "app_type" },
		{ "a:FfF b:uu", 2, false, { .app = "x", .types = h200, .n_types = 1 },
		  "no_capacity", "too_few_free" },
		{ "a:FfF b:uu", 1, false, { .app = "x", .types = h200, .n_types = 1 }, "a",
		  NULL },
		{ "a:FF b:FF", 1, false, { .app = "x", .types = h200, .n_types = 1 },
		  "app_type", "app_type" },
		{ "a:FF", 1, false, { .app = "x", .types = NULL, .n_types = 0 }, "app_type",
		  "app_type" },
		{ "a:ffff b:ff", GA_UNKNOWN, true, { .app = "x", .any_type = true,
						      .counts = two, .n_counts = 1 }, "b",
		  "app_count" },
		{ "a:ffff b:fff", GA_UNKNOWN, true, { .app = "x", .any_type = true,
						       .counts = two, .n_counts = 1 },
		  "app_count", "app_count" },
		{ "a:fF b:ff", GA_UNKNOWN, true, { .app = "x", .types = h200, .n_types = 1 },
		  "b", "app_type" },
		{ "a:fF b:FF", GA_UNKNOWN, true, { .app = "x", .types = h200, .n_types = 1 },
		  "app_type", "app_type" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *what = ga_xprintf("row %zu, %s", i, rows[i].nodes);
		struct scene s;
		size_t j;

		scene(&s, rows[i].nodes);
		s.request.count = rows[i].count;
		s.request.shape = rows[i].baremetal ? word("baremetal") : NULL;
		for (j = 0; rows[i].baremetal && j < s.fleet.nodes.n; j++)
			s.fleet.nodes.v[j].mode = ga_fleet_word(&s.fleet, "baremetal");
		one(&s, &rows[i].limits, rows[i].want, rows[i].answer, what);
		end(&s);
	}
}

/* Offers are remembered for an app and its version, never for another. */
static void remembered(void)
{
	const struct ga_place_limits of_h200 = { .app = "x", .version = 1, .types = h200,
						 .n_types = 1 };
	struct ga_place_limits of_a100 = { .app = "x", .version = 2, .types = a100, .n_types = 1 };
	struct scene s;
	size_t i;

	partitioned(&s, "a:FF b:ff");
	s.request.count = 1;
	for (i = 0; i < s.fleet.nodes.n; i++)
		ga_fleet_touch(&s.fleet, &s.fleet.nodes.v[i]);
	for (i = 0; i < 2; i++) {
		one(&s, &of_h200, "b", "app_type", "with a memory: version 1");
		one(&s, &of_a100, "a", NULL, "with a memory: version 2");
		one(&s, NULL, "a", NULL, "with a memory: without an app");
	}
	of_a100.version = 1;
	of_a100.app = "y";
	one(&s, &of_a100, "a", NULL, "with a memory: another app");
	end(&s);
}

int main(void)
{
	limits();
	remembered();
	return t_done();
}
