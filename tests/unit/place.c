/* SPDX-License-Identifier: Apache-2.0 */
/* Placement from small fleets drawn as text (fleet_world.h). Each row says what comes of it. */
#include "fleet_world.h"
#include "t.h"

/* "node:0,1" or the code of the refusal, with its first alternative behind a bar. */
static char *outcome(const struct scene *s)
{
	struct ga_str out = GA_STR_INIT;
	struct ga_decision d;
	size_t i;

	ga_place(&s->fleet, &s->request, &s->profile, true, &d);
	if (!d.placed) {
		ga_str_add(&out, d.refusal.code);
		if (d.refusal.alternatives.n)
			ga_str_addf(&out, "|%s", d.refusal.alternatives.v[0]);
	} else {
		ga_str_addf(&out, "%s:", d.node->id);
		for (i = 0; i < d.slots.n; i++)
			ga_str_addf(&out, "%s%lld", i ? "," : "",
				    (long long)d.slots.v[i]->slot_index);
	}
	ga_decision_release(&d);
	return ga_str_take(&out);
}

static void slices(void)
{
	static const struct {
		const char *nodes;
		int64_t count;
		const char *want;
	} rows[] = {
		{ "a:ffff/ffff", 2, "a:0,1" },
		{ "a:ffff/ffff b:ufff/ffff", 2, "b:1,2" },
		{ "a:uuff/ffff", 2, "a:2,3" },
		{ "a:uuuf/ffff", 2, "a:4,5" },
		{ "a:uuff/ffff", 4, "a:4,5,6,7" },
		{ "a:ufff/ufff", 4, "a:1,2,3,5" },
		{ "a:uff/fff b:uuf/fuf", 2, "b:3,5" },
		{ "a:ffff/uuuu b:ufff/uuuu", 1, "b:1" },
		{ "b:ff a:ff", 1, "a:0" },
		{ "a:ffff", 3, "count_not_allowed|1 GPU" },
		{ "a:uuuu", 1, "no_capacity" },
		{ "a:ufuf b:uffu", 4, "no_single_node|2 GPUs on node a now" },
		{ "a:uuuf", 2, "no_capacity|1 GPU on node a now" },
		{ "a:fwuu", 2, "waiting_for_wipe|1 GPU on node a now" },
		{ "a:fbuu", 2, "fabric_blocked|1 GPU on node a now" },
		{ "", 1, "no_capacity" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *got = NULL;
		struct scene s;

		scene(&s, rows[i].nodes);
		s.request.count = rows[i].count;
		got = outcome(&s);
		t_str(got, rows[i].want, "%lld of '%s'", (long long)rows[i].count, rows[i].nodes);
		end(&s);
	}
}

static void check(struct scene *s, const char *want, const char *name)
{
	ga_autofree char *got = outcome(s);

	t_str(got, want, "%s", name);
	end(s);
}

static void constraints(void)
{
	struct scene s;

	scene(&s, "a:ff b:ff");
	s.fleet.nodes.v[0].why = "node_draining";
	s.request.count = 2;
	check(&s, "b:0,1", "a draining node is out");
	scene(&s, "a:ff");
	s.fleet.nodes.v[0].why = "node_draining";
	check(&s, "not_ready", "and the refusal says that it was ready but for that");
	scene(&s, "a:ff b:ff");
	s.request.node = word("b");
	check(&s, "b:0", "the node that was named");
	scene(&s, "a:uu b:ff");
	s.request.node = word("a");
	check(&s, "no_capacity|1 GPU of type h200 on node b now", "elsewhere is an alternative");
	scene(&s, "a:ff b:ff");
	s.request.node = word("c");
	check(&s, "node_missing|1 GPU of type h200 on node a now", "a node that is none");
	scene(&s, "a:ff");
	s.request.image = word("big");
	check(&s, "image_missing", "no copy of the image");
	scene(&s, "a:ff");
	s.fleet.stale_micros = 2;
	check(&s, "not_ready", "a node not seen for long is out");
	scene(&s, "a:ff");
	s.profile.memory_mib_per_gpu = 2048;
	check(&s, "not_ready", "memory is not overcommitted");
	scene(&s, "a:ff");
	s.profile.vcpus_per_gpu = 9;
	check(&s, "not_ready", "CPUs are not overcommitted");
	scene(&s, "a:ff");
	s.fleet.nodes.v[0].mode = "baremetal";
	check(&s, "not_ready", "no slice of a node sold whole");
}

static void types(void)
{
	struct scene s;

	scene(&s, "a:ff b:ff");
	s.fleet.nodes.v[1].slots.v[0].type = s.fleet.nodes.v[1].slots.v[1].type = "b200";
	ga_texts_add(&s.request.types, "b200");
	ga_texts_add(&s.request.types, "h200");
	check(&s, "b:0", "the first type that is there");
	ga_shape_release(&ga_request_shape, &s.request);
	scene(&s, "a:ff");
	ga_texts_add(&s.request.types, "b200");
	check(&s, "type_missing|1 GPU of type h200 on node a now", "a type that is not there");
	free(s.request.types.v[0]);
	ga_list_release(&s.request.types);
	scene(&s, "a:ff");
	s.request.min_memory_mib = 1;
	check(&s, "type_missing", "memory that nobody knows is not enough");
}

static void baremetal(void)
{
	static const char *const order[] = { "h200", "a100" };
	struct scene s;

	scene(&s, "a:ffff b:ff");
	s.profile.shape = word("baremetal");
	check(&s, "b:0,1", "the smaller node is enough");
	scene(&s, "a:ffff b:ff");
	s.profile.shape = word("baremetal");
	s.request.count = 4;
	check(&s, "a:0,1,2,3", "unless more GPUs were asked for");
	scene(&s, "a:ff b:uuuu");
	s.profile.shape = word("baremetal");
	s.fleet.nodes.v[0].why = "node_draining";
	s.request.count = 4;
	check(&s, "no_capacity", "a node that is too small and out would not do either");
	scene(&s, "a:fffu b:fw");
	s.profile.shape = word("baremetal");
	check(&s, "waiting_for_wipe", "a node that is not whole is not sold whole");
	scene(&s, "a:ff");
	s.request.shape = word("baremetal");
	check(&s, "not_ready", "a slice profile takes a whole node of mode baremetal only");
	scene(&s, "a:fF b:FF c:ff");
	s.profile.shape = word("baremetal");
	s.profile.types.v = (char **)(uintptr_t)order;
	s.profile.types.n = 2;
	check(&s, "c:0,1", "a whole node of the first type before those with another");
	scene(&s, "a:Ff b:uu");
	s.profile.shape = word("baremetal");
	s.profile.types.v = (char **)(uintptr_t)order;
	s.profile.types.n = 1;
	check(&s, "no_capacity", "no whole node with a type that the profile does not name");
}

static void partitions(void)
{
	struct scene s;

	partitioned(&s, "a:ffff/ffff");
	s.request.count = 2;
	check(&s, "a:0,1", "a partition of two");
	partitioned(&s, "a:uffu/ffff");
	s.request.count = 2;
	check(&s, "a:4,5", "1 and 2 are free, but no partition");
	partitioned(&s, "a:uffu/uffu");
	s.request.count = 2;
	check(&s, "topology_blocked|1 GPU on node a now", "free GPUs, no legal partition");
	partitioned(&s, "a:uuff/ffff");
	s.request.count = 1;
	check(&s, "a:2", "the one that breaks no larger partition");
	partitioned(&s, "a:ffff/ffff");
	s.fleet.nodes.v[0].partitions.v[1].active = 1;
	s.request.count = 2;
	check(&s, "a:4,5", "nothing that overlaps an active one");
	scene(&s, "a:ff");
	s.fleet.nodes.v[0].partitions_in_use = true;
	check(&s, "fabric_blocked", "a 1-GPU slice needs its partition known");
}

/* The order of preference, and what is said where the first type was not taken. */
static void preference(void)
{
	static const char *const order[] = { "h200", "a100" };
	static const char *const three[] = { "x1", "h200", "a100" };
	static const struct {
		const char *nodes;
		int64_t count;
		size_t types; /* of which order: 2 or 3 */
		const char *want, *reason;
	} rows[] = {
		{ "a:FF b:ff", 1, 2, "b:0", NULL },
		{ "a:FF b:uu", 1, 2, "a:0",
		  "h200 had no free slot on any node: a100 is second in the order" },
		{ "a:FF", 1, 2, "a:0", "no node has h200: a100 is second in the order" },
		{ "a:FF b:fu", 2, 2, "a:0,1",
		  "h200 had at most 1 free on one node, not 2: a100 is second in the order" },
		{ "a:FFfu", 2, 2, "a:0,1",
		  "h200 had at most 1 free on one node, not 2: a100 is second in the order" },
		{ "a:FF b:ww", 1, 2, "a:0",
		  "h200 had no free slot on any node: a100 is second in the order" },
		{ "a:FF b:uu", 1, 3, "a:0",
		  "no node has x1; h200 had no free slot on any node: a100 is third in the order" },
		{ "a:UU b:uu", 1, 2, NULL, NULL },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *got = NULL;
		struct ga_decision d;
		struct scene s;

		scene(&s, rows[i].nodes);
		s.profile.types.v = (char **)(uintptr_t)(rows[i].types == 3 ? three : order);
		s.profile.types.n = rows[i].types;
		s.request.count = rows[i].count;
		ga_place(&s.fleet, &s.request, &s.profile, false, &d);
		t_str(d.type_reason, rows[i].reason, "why not the first of '%s'", rows[i].nodes);
		ga_decision_release(&d);
		got = outcome(&s);
		if (rows[i].want)
			t_str(got, rows[i].want, "by preference of '%s'", rows[i].nodes);
		end(&s);
	}
}

int main(void)
{
	slices();
	constraints();
	types();
	preference();
	baremetal();
	partitions();
	return t_done();
}
