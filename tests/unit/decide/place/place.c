/* SPDX-License-Identifier: Apache-2.0 */
/* Placement in small fleets drawn as text (fleet_world.h). Each row has the expected decision. */
#include "base/texts.h"
#include "fleet_world.h"
#include "record/state.h"
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
		{ "a:ffff", 3, "count_not_allowed|1 GPU on node a now" },
		{ "b:ffff a:uuff", 3, "count_not_allowed|1 GPU on node a now" },
		{ "a:uuuu", 3, "count_not_allowed" },
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

/* Nothing blocks such slots: their blockers tell nothing. */
static void hint_of_small(const struct scene *s)
{
	struct ga_decision d;

	ga_place(&s->fleet, &s->request, &s->profile, false, &d);
	t_ok(!d.placed && strstr(d.refusal.hint, "gpuaas-profile show ") &&
		     !strstr(d.refusal.hint, "blockers"),
	     "slots with too few CPUs are held against the profile");
	ga_decision_release(&d);
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
	hint_of_small(&s);
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
	ga_schema_release(&ga_request_schema, &s.request);
	scene(&s, "a:ff");
	ga_texts_add(&s.request.types, "b200");
	check(&s, "type_missing|1 GPU of type h200 on node a now", "a type that is not there");
	free(s.request.types.v[0]);
	ga_list_release(&s.request.types);
	scene(&s, "a:ff");
	s.request.min_memory_mib = 1;
	check(&s, "type_missing", "memory that nobody knows is not enough");
}

/* The request, as "key=value …" over the scene: type and types with commas. */
struct asked {
	char words[16][32];
	char *type[4], *types[4];
};

static size_t split(char *text, char *v[4])
{
	size_t n = 0;

	for (; n < 4 && text; n++) {
		char *comma = strchr(text, ',');

		v[n] = text;
		text = comma ? comma + 1 : NULL;
		if (comma)
			*comma = '\0';
	}
	return n;
}

static void ask(struct asked *a, struct scene *s, const char *text)
{
	struct ga_request *r = &s->request;
	struct ga_profile *p = &s->profile;
	size_t i;
	int used;

	for (i = 0; i < 16 && sscanf(text, "%31s %n", a->words[i], &used) == 1; i++, text += used) {
		char *word = a->words[i], *value = strchr(word, '=') + 1;

		if (ga_starts(word, "type="))
			r->types.n = split(value, r->types.v = a->type);
		else if (ga_starts(word, "profile-types="))
			p->types.n = split(value, p->types.v = a->types);
		else if (ga_starts(word, "profile-pool="))
			p->pool = value;
		else if (ga_starts(word, "profile-region="))
			p->region = value;
		else if (ga_starts(word, "memory="))
			r->min_memory_mib = strtoll(value, NULL, 10);
		else if (ga_starts(word, "count="))
			r->count = strtoll(value, NULL, 10);
		else if (ga_starts(word, "shape="))
			r->shape = value;
		else if (ga_starts(word, "image="))
			p->image = *value ? value : NULL;
		else
			*(word[0] == 'n' ? &r->node : word[0] == 'p' ? &r->pool : &r->region) =
				value;
	}
}

/* The reason of the nearest node, and what its hint names. out: the reason why node a is out; what
 * begins with "mode=" is its mode. */
static const struct {
	const char *nodes, *out;
	int64_t count; /* 0: a baremetal node */
	const char *want, *hint;
} near_rows[] = {
	/* Slots are in use by others. */
	{ "a:uuuu", NULL, 1, "no_capacity: 1 GPU wanted, and nothing is free",
	  "list allocation shows which project has what" },
	{ "a:uuuu", "node_draining", 1, "no_capacity: 1 GPU wanted, and nothing is free",
	  "list allocation" },
	{ "a:uuww", "held_by_baremetal", 0,
	  "no_capacity: a baremetal node wanted, and nothing is free", "list allocation" },
	{ "a:bb b:uu", "node_draining", 1,
	  "no_capacity: 1 GPU wanted, and nothing is free", "list allocation" },
	/* The node is out. */
	{ "a:ffff", "mode=slice", 0, "not_ready: a baremetal node would fit on node 'a', but "
	  "the node is not usable (node_mode)", "node show a" },
	{ "a:ffbb", "mode=slice", 0, "not_ready: a baremetal node wanted, and the nearest "
	  "node 'a' is not usable (node_mode)", "node show a" },
	{ "a:ffbu", "mode=slice", 0, "not_ready: a baremetal node wanted, and the nearest "
	  "node 'a' is not usable (node_mode)", "node show a" },
	{ "a:vvuu", "unverified_since_restore", 1, "not_ready: 1 GPU would fit on node 'a', "
	  "but the node is not usable (unverified_since_restore)", "node show a" },
	{ "a:vvuu b:uuuu", "unverified_since_restore", 2, "not_ready: 2 GPUs would fit on "
	  "node 'a', but the node is not usable (unverified_since_restore)",
	  "node show a" },
	{ "a:bbuu", "maintenance", 1, "not_ready: 1 GPU wanted, and the nearest node 'a' "
	  "is not usable (maintenance)", "node show a" },
	{ "a:ff b:fff", "node_draining", 4, "no_capacity: 4 GPUs wanted, and 3 GPUs are "
	  "free in all", "list allocation" },
	{ "a:fff", "stale", 4, "not_ready: 4 GPUs wanted, and the nearest node 'a' is not "
	  "usable (stale)", "node show a" },
	{ "a:cf", "cordoned", 2,
	  "not_ready: 2 GPUs wanted, and the nearest node 'a' is not "
	  "usable (cordoned: noise)", "node show a" },
	/* Slots are blocked: the one that is nearest to sale is named. */
	{ "a:uvb", NULL, 1,
	  "not_ready: 1 GPU would fit on node 'a', but slots of it are not "
	  "available (unverified_since_restore)", "list attention" },
	{ "a:ubc", NULL, 1,
	  "not_ready: 1 GPU would fit on node 'a', but slots of it are not "
	  "available (cordoned: bad cable)", "'gpuaas-approve uncordon a-2'" },
	{ "a:ubb", NULL, 1, "fabric_blocked: 1 GPU would fit on node 'a', but slots of it "
	  "are not available (fabric_vf_shared)",
	  "list attention what to do; sold as baremetal (gpuaas-approve --mode "
	  "baremetal)" },
	{ "a:ubd", NULL, 1,
	  "not_ready: 1 GPU would fit on node 'a', but slots of it are not "
	  "available (cordoned: bad cable)", "'gpuaas-approve enable a-2 | gpuaas-wipe'" },
	{ "a:ukd", NULL, 2,
	  "not_ready: 2 GPUs would fit on node 'a', but slots of it are not "
	  "available (cordoned: bad cable)",
	  "'gpuaas-approve uncordon a-1' and 'gpuaas-approve enable a-1 a-2 | gpuaas-wipe' put "
	  "slots 1, 2 of it back on sale" },
	{ "a:fcuu b:f", NULL, 2, "no_single_node: 2 GPUs are free, but not 2 GPUs on one node: "
	  "node 'a' has 1", "a slice never spans nodes; when that is settled, "
	  "'gpuaas-approve uncordon a-1' puts slot 1 of node 'a' back on sale; or ask for fewer" },
	/* The blocker that no command lifts decides. */
	{ "a:cb b:uu", NULL, 2, "fabric_blocked: 2 GPUs would fit on node 'a', but slots of it "
	  "are not available (fabric_vf_shared)", "list attention" },
	{ "a:cbcc", NULL, 4, "fabric_blocked: 4 GPUs would fit on node 'a', but slots of it "
	  "are not available (fabric_vf_shared)", "list attention" },
	/* All slots that are needed are named, and no others. */
	{ "a:ccfc", NULL, 2,
	  "not_ready: 2 GPUs would fit on node 'a', but slots of it are not "
	  "available (cordoned: bad cable)",
	  "'gpuaas-approve uncordon a-0' puts slot 0 of it back on sale" },
	{ "a:dcfc", NULL, 4,
	  "not_ready: 4 GPUs would fit on node 'a', but slots of it are not "
	  "available (cordoned: bad cable)",
	  "'gpuaas-approve uncordon a-1 a-3' and 'gpuaas-approve enable a-0 | gpuaas-wipe' put "
	  "slots 1, 3, 0 of it back on sale" },
	{ "a:wcuu", NULL, 2,
	  "not_ready: 2 GPUs would fit on node 'a', but slots of it are not "
	  "available (cordoned: bad cable)", "'gpuaas-approve uncordon a-1' puts slot 1 of it "
	  "back on sale; gpuaas-wipe --pending on that host, too" },
	/* A reason that stands against slices alone is no reason against baremetal. */
	{ "a:ffb", "mode=baremetal", 0, "fabric_blocked: a baremetal node would fit on "
	  "node 'a', but slots of it are not available (fabric_vf_shared)",
	  "its slots were judged for slices" },
	{ "a:bb", "node_enrolled", 0, "fabric_blocked: a baremetal node would fit on node "
	  "'a', but slots of it are not available (fabric_vf_shared)",
	  "only slices need that" },
	{ "a:", "node_enrolled", 1, "no_capacity: 1 GPU wanted, and no slot is approved",
	  "gpuaas-discover | gpuaas-approve makes capacity" },
	{ "a:ffv", "mode=baremetal", 0, "not_ready: a baremetal node would fit on node "
	  "'a', but slots of it are not available (unverified_since_restore)",
	  "gpuaas-list attention what to do" },
	{ "a:udb", NULL, 1,
	  "not_ready: 1 GPU would fit on node 'a', but slots of it are not "
	  "available (cordoned: bad cable)", "'gpuaas-approve enable a-1 | gpuaas-wipe'" },
	{ "a:bbc b:bb", NULL, 4, "not_ready: 4 GPUs wanted, and slots of the nearest node "
	  "'a' are not available (cordoned: bad cable)", "list attention" },
	{ "a:b b:bb", NULL, 4, "fabric_blocked: 4 GPUs wanted, and slots of the nearest "
	  "node 'b' are not available (fabric_vf_shared)", "where node=b" },
};

/* A request names a node on which nothing was ever approved, beside one that has room. */
static void unapproved(void)
{
	struct ga_decision d;
	struct scene s;

	scene(&s, "a: b:f");
	s.fleet.nodes.v[0].why = ga_fleet_word(&s.fleet, "node_enrolled");
	s.request.count = 1;
	s.request.shape = word("slice");
	s.request.node = word("a");
	ga_place(&s.fleet, &s.request, &s.profile, false, &d);
	t_ok(!d.placed, "nothing is placed on it");
	t_str(d.refusal.code, "not_ready", "its code");
	t_str(d.refusal.sentence, "nothing is approved on node 'a', so nothing is placed there",
	      "approval is missing");
	t_ok(strstr(d.refusal.hint, "'gpuaas-discover | gpuaas-approve --all-ready"),
	     "how it is approved: %s", d.refusal.hint);
	ga_decision_release(&d);
	end(&s);
}

/* A pool with a typing error: the near one stands in the hint once. */
static void near_pool(void)
{
	struct ga_decision d;
	struct scene s;
	size_t i;

	scene(&s, "a:f b:f");
	for (i = 0; i < s.fleet.nodes.n; i++)
		s.fleet.nodes.v[i].pool = ga_fleet_word(&s.fleet, "h200");
	s.request.shape = word("slice");
	s.request.pool = word("h20");
	ga_place(&s.fleet, &s.request, &s.profile, false, &d);
	t_ok(!d.placed, "nothing is placed");
	t_str(d.refusal.hint, "near to it: 'h200'; 'gpuaas-list nodes' shows the pool of each",
	      "its hint");
	ga_decision_release(&d);
	end(&s);
}

static void nearest(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(near_rows); i++) {
		const char *out = near_rows[i].out;
		ga_autofree char *said = NULL;
		struct ga_fleet_node *a;
		struct ga_decision d;
		struct scene s;

		scene(&s, near_rows[i].nodes);
		a = &s.fleet.nodes.v[0];
		s.request.count = near_rows[i].count ? near_rows[i].count : GA_UNKNOWN;
		s.request.shape = word(near_rows[i].count ? "slice" : "baremetal");
		if (out && ga_starts(out, "mode="))
			a->mode = ga_fleet_word(&s.fleet, out + strlen("mode="));
		else
			a->why = ga_fleet_word(&s.fleet, out);
		a->why_detail = ga_streq(out, "cordoned") ? "noise" : NULL;
		ga_place(&s.fleet, &s.request, &s.profile, false, &d);
		said = d.placed ? ga_xprintf("placed on '%s'", d.node->id) :
				  ga_xprintf("%s: %s", d.refusal.code, d.refusal.sentence);
		t_str(said, near_rows[i].want, "%lld of '%s', %s", (long long)near_rows[i].count,
		      near_rows[i].nodes, out ? out : "in service");
		t_ok(!d.placed && strstr(d.refusal.hint, near_rows[i].hint), "its hint: %s",
		     d.placed ? "" : d.refusal.hint);
		ga_decision_release(&d);
		end(&s);
	}
}

/* Maintenance of node a begins so many seconds from now, and the request has a run time. */
static void maintenance_hints(void)
{
	static const struct {
		const char *nodes;
		int64_t begins, run, count;
		const char *hint;
	} rows[] = {
		{ "a:ff", 7200, 7201, 1, "--run-time 1h59m ends before that maintenance" },
		{ "a:ff", 7259, 86400, 2, "--run-time 1h59m ends before that maintenance" },
		{ "a:ff", 125, 3600, 1, "--run-time 1m ends before that maintenance" },
		/* No time is left, or not enough GPUs are free. */
		{ "a:ff", 119, 3600, 1, "gpuaas-node show a" },
		{ "a:fbb", 7200, 86400, 2, "gpuaas-node show a" },
	};
	const int64_t now = GA_SECOND * 1000;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_decision d;
		struct scene s;

		scene(&s, rows[i].nodes);
		s.fleet.now_micros = now;
		*ga_list_add(&s.fleet.nodes.v[0].windows) = (struct ga_fleet_window){
			.from = now + rows[i].begins * GA_SECOND,
			.to = now + (rows[i].begins + 3600) * GA_SECOND, .reason = "power",
		};
		s.request.count = rows[i].count;
		s.request.run_seconds = rows[i].run;
		ga_place(&s.fleet, &s.request, &s.profile, false, &d);
		t_ok(!d.placed && ga_starts(d.refusal.hint, rows[i].hint),
		     "%lld s of '%s', maintenance in %lld s: %s", (long long)rows[i].run,
		     rows[i].nodes, (long long)rows[i].begins, d.placed ? "" : d.refusal.hint);
		ga_decision_release(&d);
		end(&s);
	}
}

/* The steps that free a fabric partition of the right size. active: the number of a partition in
 * use, of a node that partitioned() draws; 0: none. */
static void partition_hints(void)
{
	static const struct {
		const char *nodes;
		int64_t count;
		size_t active;
		const char *want, *hint, *image; /* NULL: the node has it */
	} rows[] = {
		/* A wipe frees a slot, but no partition. */
		{ "a:cfff/uuwu", 4, 0, "not_ready: 4 GPUs would fit on node 'a', but slots of it "
		  "are not available (cordoned: bad cable)", "uncordon a-0' puts slot 0 of", NULL },
		{ "a:ufff/uuwu", 4, 0, "topology_blocked: 4 GPUs are not in use on node 'a', but "
		  "not as one fabric partition (topology_blocked)", "another count", NULL },
		{ "a:wfff/uuwu", 4, 0, "waiting_for_wipe: 4 GPUs would fit on node 'a' once its "
		  "slots are wiped", "gpuaas-wipe --pending", NULL },
		/* Until the wipe the released allocation has the partition. */
		{ "a:wwwu/uuuu", 2, 3, "waiting_for_wipe: 2 GPUs would fit on node 'a' once its "
		  "slots are wiped", "gpuaas-wipe --pending", NULL },
		/* Slot 3 makes a pair with slot 2, slot 1 does not. */
		{ "a:ucfc/ubub", 2, 0, "not_ready: 2 GPUs would fit on node 'a', but slots of it "
		  "are not available (cordoned: bad cable)",
		  "'gpuaas-approve uncordon a-3' puts slot 3 of it back on sale", NULL },
		{ "a:ucfc/ubub", 4, 0, "topology_blocked: 4 GPUs are not in use on node 'a', but "
		  "not as one fabric partition (topology_blocked)", "another count", NULL },
		{ "a:ccfb/ubub", 4, 0, "fabric_blocked: 4 GPUs would fit on node 'a', but slots of "
		  "it are not available (fabric_vf_shared)", "list attention", NULL },
		/* A later node where a command helps comes before. */
		{ "a:uubb/uuuu b:ucfc/uuuu", 2, 0, "not_ready: 2 GPUs would fit on node 'b', but "
		  "slots of it are not available (cordoned: bad cable)", "uncordon b-3'", NULL },
		/* Neither a wipe nor a command brings the image. */
		{ "a:ffwf/uuuu", 4, 0, "waiting_for_wipe: 4 GPUs would fit on node 'a' once its "
		  "slots are wiped and it has the image",
		  "gpuaas-wipe --pending on that host; bring the image", "big" },
		{ "a:ffwu/uuwu", 4, 0, "topology_blocked: 4 GPUs are not in use on node 'a', but "
		  "not as one fabric partition (topology_blocked)", "another count", "big" },
		{ "a:fccf/uuuu", 4, 0, "not_ready: 4 GPUs would fit on node 'a', but slots of it "
		  "are not available (cordoned: bad cable), and it lacks the image",
		  "uncordon a-1 a-2'", "big" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *said = NULL;
		struct ga_decision d;
		struct scene s;

		partitioned(&s, rows[i].nodes);
		s.request.count = rows[i].count;
		s.request.image = word(rows[i].image);
		if (rows[i].active)
			s.fleet.nodes.v[0].partitions.v[rows[i].active].active = 1;
		ga_place(&s.fleet, &s.request, &s.profile, false, &d);
		said = ga_xprintf("%s: %s", d.refusal.code, d.refusal.sentence);
		t_str(said, rows[i].want, "%lld of '%s'", (long long)rows[i].count,
		      rows[i].nodes);
		t_ok(!d.placed && strstr(d.refusal.hint, rows[i].hint), "its hint: %s",
		     d.placed ? "" : d.refusal.hint);
		t_int(ga_streq(d.refusal.nodes.v[0].code, "waiting_for_wipe"),
		      ga_streq(d.refusal.code, "waiting_for_wipe"), "the node says %s",
		      d.refusal.nodes.v[0].code);
		ga_decision_release(&d);
		end(&s);
	}
}

/* The answer of a node gives the code of the slot that is nearest to sale, and a person's words. */
static void answers(void)
{
	static const struct {
		const char *nodes, *code, *detail;
	} rows[] = {
		{ "a:uu", "in_use", NULL },
		{ "a:bu", "fabric_vf_shared", NULL },
		{ "a:bcu", "cordoned", "bad cable" },
		{ "a:bdu", "fabric_vf_shared", NULL },
		{ "a:dbu", "cordoned", "bad cable" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		const struct ga_node_answer *a;
		struct ga_decision d;
		struct scene s;

		scene(&s, rows[i].nodes);
		ga_place(&s.fleet, &s.request, &s.profile, true, &d);
		a = &d.refusal.nodes.v[0];
		t_str(a->code, rows[i].code, "the code of '%s'", rows[i].nodes);
		t_str(a->detail, rows[i].detail, "the detail of '%s'", rows[i].nodes);
		a = &d.explanation.nodes.v[0];
		t_str(a->code, rows[i].code, "the same in the explanation");
		t_str(a->detail, rows[i].detail, "with the same detail");
		ga_decision_release(&d);
		end(&s);
	}
}

static const struct {
	const char *nodes, *asked, *want;
} refused[] = {
	{ "a:ff b:FF", "profile-types=h200 type=a100",
	  "type_missing: profile 'p' does not have a100: it has h200" },
	{ "a:ff b:FF", "profile-types=h200 type=a100,x1 pool=nowhere",
	  "type_missing: profile 'p' does not have a100, x1: it has h200" },
	{ "a:ff", "type=a100", "type_missing: no slot of type a100 is there" },
	{ "a:ff", "profile-types=a100,x1",
	  "type_missing: no slot of type a100, x1 is there" },
	{ "a:ff b:FF", "profile-types=h200 node=b",
	  "type_missing: no slot of type h200 is on node 'b'" },
	{ "a:ff b:FF", "profile-types=h200 pool=b",
	  "type_missing: no slot of type h200 is in pool 'b'" },
	{ "a:ff", "type=a100 region=here",
	  "type_missing: no slot of type a100 is in region 'here'" },
	{ "a:ff b:FF", "profile-types=h200 pool=nowhere",
	  "other_pool_wanted: no node is in pool 'nowhere'" },
	{ "a:ff", "pool=nowhere", "other_pool_wanted: no node is in pool 'nowhere'" },
	{ "a:ff b:FF", "profile-types=h200 profile-pool=x",
	  "other_pool_wanted: no node is in pool 'x', which profile 'p' names" },
	{ "a:ff b:FF", "pool=b profile-pool=a",
	  "other_pool_wanted: the request names pool 'b', and profile 'p' names pool 'a'" },
	{ "a:ff b:FF", "profile-types=h200 node=a pool=b",
	  "other_pool_wanted: node 'a' is not in pool 'b'" },
	{ "a:ff b:FF", "profile-types=h200 region=far pool=nowhere",
	  "other_region_wanted: no node is in region 'far'" },
	{ "a:ff b:FF", "profile-types=h200 region=here pool=nowhere",
	  "other_pool_wanted: no node of region 'here' is in pool 'nowhere'" },
	{ "a:uuFF", "profile-types=h200",
	  "no_capacity: 1 GPU wanted, and none of type h200 is free (2 GPUs of other types "
	  "are)" },
	{ "a:uuF", "type=h200",
	  "no_capacity: 1 GPU wanted, and none of type h200 is free (1 GPU of other types "
	  "is)" },
	{ "a:uu b:UU", "profile-types=h200,a100 type=x1,h200",
	  "no_capacity: 1 GPU wanted, and none of type h200 is free" },
	{ "a:uu", "", "no_capacity: 1 GPU wanted, and nothing is free" },
	{ "a:uu b:ff", "node=a",
	  "no_capacity: 1 GPU wanted, and nothing is free on node 'a'" },
	{ "a:uuFF b:ff", "profile-types=h200 pool=a",
	  "no_capacity: 1 GPU wanted, and none of type h200 is free in pool 'a' (2 GPUs of "
	  "other types are)" },
	{ "", "profile-types=h200", "no_capacity: 1 GPU wanted, and no slot is approved" },
	{ "a: b:ff", "node=a",
	  "no_capacity: 1 GPU wanted, and no slot is approved on node 'a'" },
	{ "a:ff", "image=", "image_not_named: no image is named: neither by the request "
			    "nor by profile 'p'" },
	{ "a:uu", "image= type=x1", "image_not_named: no image is named: neither by the "
				    "request nor by profile 'p'" },
	{ "a:ff", "memory=81920",
	  "type_missing: no slot of any type with 80 GB or more is there" },
	{ "a:ff", "memory=100 profile-types=h200",
	  "type_missing: no slot of type h200 with 100 MiB or more is there" },
	{ "a:fF b:FF", "shape=baremetal profile-types=h200",
	  "type_missing: no machine of type h200 alone is there" },
	{ "a:fF b:FF", "shape=baremetal profile-types=h200 pool=a",
	  "type_missing: no machine of type h200 alone is in pool 'a'" },
	{ "a:fF b:fu", "shape=baremetal profile-types=h200 image=",
	  "no_capacity: a baremetal node wanted, and the nearest node 'b' is held by "
	  "slices" },
	{ "a:ff b:fff", "shape=baremetal count=4",
	  "no_capacity: a baremetal node of 4 GPUs or more wanted, and the largest "
	  "machine has 3 GPUs" },
	{ "a:ffff b:fff", "shape=baremetal count=4 pool=b",
	  "no_capacity: a baremetal node of 4 GPUs or more wanted, and the largest "
	  "machine in pool 'b' has 3 GPUs" },
	{ "a:ffff b:f", "shape=baremetal count=4 node=b",
	  "no_capacity: a baremetal node of 4 GPUs or more wanted, and node 'b' has 1 "
	  "GPU" },
	{ "a:FFFF b:ff c:fF", "shape=baremetal count=4 type=h200",
	  "no_capacity: a baremetal node of 4 GPUs or more wanted, and the largest "
	  "machine of type h200 has 2 GPUs" },
};

/* Every node is in a pool of its own name, and all are in region "here". */
static void reasons(void)
{
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(refused); i++) {
		ga_autofree char *said = NULL;
		struct asked asked;
		struct ga_decision d;
		struct scene s;

		scene(&s, refused[i].nodes);
		ask(&asked, &s, refused[i].asked);
		for (j = 0; j < s.fleet.nodes.n; j++) {
			s.fleet.nodes.v[j].pool = s.fleet.nodes.v[j].id;
			s.fleet.nodes.v[j].region = "here";
			s.fleet.nodes.v[j].mode = s.request.shape ? s.request.shape : "slice";
		}
		ga_place(&s.fleet, &s.request, &s.profile, false, &d);
		said = d.placed ? ga_xprintf("placed on '%s'", d.node->id) :
				  ga_xprintf("%s: %s", d.refusal.code, d.refusal.sentence);
		t_str(said, refused[i].want, "row %zu: '%s' of '%s'", i, refused[i].asked,
		      refused[i].nodes);
		t_ok(d.placed || d.refusal.hint, "row %zu has a hint", i);
		ga_decision_release(&d);
		end(&s);
	}
}

/* Every node is in a region of its own name; one whose name begins with "n" is in none. Declared: a
 * name, "+" for open or "-" for not. */
static const struct region_row {
	const char *nodes, *declared, *asked, *want, *hint;
} in_regions[] = {
	{ "a:ff b:ff", "", "region=b", "placed on 'b'", NULL },
	{ "a:ff b:ff", "a+ b+", "", "placed on 'a'", NULL },
	{ "a:ff b:ff", "a- b+", "", "placed on 'b'", NULL },
	{ "a:ff b:ff", "c- d-", "", "placed on 'a'", NULL },
	{ "a:ff b:uu", "a- b+", "", "not_ready: 1 GPU would fit on node 'a', but the node is "
	  "not usable (region_closed: why a)", "open regions: b;" },
	{ "a:ff b:ff", "a-", "region=a", "region_closed: region 'a' is not open: why a",
	  "open regions: b;" },
	{ "a:ff b:ff", "z- y+", "region=z", "region_closed: region 'z' is not open: why z",
	  "open regions: a, b, y;" },
	{ "", "z-", "region=z", "region_closed: region 'z' is not open: why z",
	  "no region is open;" },
	{ "a:ff b:ff", "a-", "profile-region=a", "region_closed: region 'a', which profile "
	  "'p' names, is not open: why a", "open regions: b;" },
	{ "a:ff b:ff", "a-", "node=a", "not_ready: 1 GPU would fit on node 'a', but the node "
	  "is not usable (region_closed: why a)", "open regions: b;" },
	{ "a:uu b:ff", "y+ a- b+", "region=xx",
	  "other_region_wanted: there is no region 'xx'", "open regions: b, y;" },
	{ "a:uu b:ff", "y+", "region=y", "other_region_wanted: no node is in region 'y'",
	  "open regions: a, b;" },
	{ "n:ff", "y+", "region=y", "other_region_wanted: no node is in region 'y'",
	  "leave out --region: 1 node has no region;" },
	{ "n:uu", "y+", "region=y", "other_region_wanted: no node is in region 'y'",
	  "no other region is open;" },
	{ "a:ff b:ff", "a- b-", "region=xx",
	  "other_region_wanted: there is no region 'xx'",
	  "no region is open;" },
	/* Without nodes, too; a region of a node counts like a declared one. */
	{ "", "west+ east-", "region=wset",
	  "other_region_wanted: there is no region 'wset'",
	  "near to it: 'west'; open regions: west;" },
	{ "west:ff", "mars+", "region=wets", "other_region_wanted: there is no region "
	  "'wets'", "near to it: 'west'; open regions: mars, west;" },
	{ "", "west+", "profile-region=mars", "other_region_wanted: there is no region "
	  "'mars', which profile 'p' names", "open regions: west;" },
	{ "", "west+", "region=west", "no_capacity: 1 GPU wanted, and no slot is approved "
	  "in region 'west'", "gpuaas-discover" },
	{ "", "", "region=west", "no_capacity: 1 GPU wanted, and no slot is approved "
	  "in region 'west'", "gpuaas-discover" },
	{ "a:uu", "west+", "region=west profile-region=a", "other_region_wanted: the "
	  "request names region 'west', and profile 'p' names region 'a'",
	  "open regions: a;" },
	{ "a:ff", "a-", "type=x1 region=a",
	  "region_closed: region 'a' is not open: why a", "no region is open;" },
	/* No region is open, and nodes without one would take it. */
	{ "a:ff n:ff", "a-", "region=a", "region_closed: region 'a' is not open: why a",
	  "leave out --region: 1 node has no region;" },
	{ "n:ff na:uu", "", "region=x", "other_region_wanted: no node is in region 'x'",
	  "leave out --region: 2 nodes have no region;" },
	{ "n:ff na:ff", "", "region=x node=na",
	  "other_region_wanted: node 'na' is not in region 'x'",
	  "leave out --region: 1 node has no region;" },
	{ "n:uu", "", "region=x", "other_region_wanted: no node is in region 'x'",
	  "no region is open;" },
	{ "n:ff", "", "profile-region=x", "other_region_wanted: no node is in region 'x', "
	  "which profile 'p' names", "no region is open;" },
	{ "n:ff", "", "region=x profile-region=x",
	  "other_region_wanted: no node is in region 'x'", "no region is open;" },
	{ "b:ff n:ff", "", "region=x", "other_region_wanted: no node is in region 'x'",
	  "open regions: b;" },
};

static void regions(void)
{
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(in_regions); i++) {
		const struct region_row *row = &in_regions[i];
		ga_autofree char *said = NULL;
		char name[8], open;
		const char *at;
		struct asked asked;
		struct ga_decision d;
		struct scene s;
		int used;

		scene(&s, row->nodes);
		ask(&asked, &s, row->asked);
		for (j = 0; j < s.fleet.nodes.n; j++)
			s.fleet.nodes.v[j].region =
				ga_starts(s.fleet.nodes.v[j].id, "n") ?
					NULL :
					ga_fleet_word(&s.fleet, s.fleet.nodes.v[j].id);
		for (at = row->declared; sscanf(at, "%7[a-z]%c %n", name, &open, &used) == 2;
		     at += used) {
			ga_autofree char *why = ga_xprintf("why %s", name);

			*ga_list_add(&s.fleet.regions) = (struct ga_fleet_region){
				.name = ga_fleet_word(&s.fleet, name), .open = open == '+',
				.reason = ga_fleet_word(&s.fleet, open == '+' ? NULL : why),
			};
		}
		ga_place(&s.fleet, &s.request, &s.profile, false, &d);
		said = d.placed ? ga_xprintf("placed on '%s'", d.node->id) :
				  ga_xprintf("%s: %s", d.refusal.code, d.refusal.sentence);
		t_str(said, row->want, "row %zu: '%s' of '%s', declared '%s'", i, row->asked,
		      row->nodes, row->declared);
		t_ok(!row->hint || (d.refusal.hint && ga_starts(d.refusal.hint, row->hint)),
		     "its hint: %s", d.refusal.hint ? d.refusal.hint : "none");
		ga_decision_release(&d);
		end(&s);
	}
}

/* Why no machine is free. taken: a baremetal tenant has node a. */
static void machines(void)
{
	static const struct {
		const char *nodes;
		bool taken;
		int64_t count;
		const char *node; /* named by the request */
		const char *want, *hint;
	} rows[] = {
		/* Slices hold the machines that are large enough: the one with the fewest. */
		{ "a:fffu", false, 1, NULL, "the nearest node 'a' is held by slices",
		  "'gpuaas-list claims --where node=a --where live=true' shows them; gpuaas-node "
		  "drain keeps new ones away" },
		{ "a:ffuu b:ffuf", false, 1, NULL, "the nearest node 'b' is held by slices",
		  "node=b " },
		{ "a:ffuu b:ffuf", false, 1, "a", "node 'a' is held by slices", "node=a " },
		{ "a:fu b:fuuu", false, 4, NULL, "the nearest node 'b' is held by slices",
		  "node=b " },
		{ "a:uuuu b:ffuf", true, 4, NULL, "the nearest node 'b' is held by slices",
		  "node=b " },
		/* No machine has so many. */
		{ "a:ff b:ffff", false, 5, NULL, "the largest machine has 4 GPUs",
		  "ask for at most 4" },
		{ "a:ff b:uuuu", false, 5, NULL, "the largest machine has 4 GPUs",
		  "ask for at most 4" },
		{ "a:bb", false, 5, NULL, "the largest machine has 2 GPUs", "ask for at most 2" },
		{ "a:uuuu b:ff", true, 5, NULL, "the largest machine has 4 GPUs",
		  "ask for at most 4" },
		/* A tenant has the machine with so many. */
		{ "a:uuuu b:ff c:f", true, 3, NULL, "the largest free machine has 2 GPUs",
		  "ask for at most 2, or wait: gpuaas-list allocation shows which project has "
		  "the larger ones" },
		{ "a:uuuu b:fb", true, 3, NULL, "no machine is free", "gpuaas-list allocation" },
		{ "a:uuuu b:uu", true, 3, NULL, "nothing is free", "gpuaas-list allocation" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *want =
			ga_xprintf("a baremetal node of %lld GPU%s or more wanted, and %s",
				   (long long)rows[i].count, rows[i].count == 1 ? "" : "s",
				   rows[i].want);
		struct ga_decision d;
		struct scene s;

		scene(&s, rows[i].nodes);
		s.profile.shape = word("baremetal");
		s.request.count = rows[i].count;
		s.request.node = word(rows[i].node);
		s.fleet.nodes.v[0].why = rows[i].taken ? "held_by_baremetal" : NULL;
		ga_place(&s.fleet, &s.request, &s.profile, false, &d);
		t_str(d.refusal.code, "no_capacity", "%lld of '%s'", (long long)rows[i].count,
		      rows[i].nodes);
		t_str(d.refusal.sentence, want, "its sentence");
		t_ok(d.refusal.hint && strstr(d.refusal.hint, rows[i].hint), "its hint: %s",
		     d.refusal.hint ? d.refusal.hint : "none");
		ga_decision_release(&d);
		end(&s);
	}
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
	check(&s, "a:0,1,2,3", "unless the request has more GPUs");
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
	scene(&s, "a:Ff b:uu");
	s.profile.shape = word("baremetal");
	s.request.node = word("b");
	check(&s, "no_capacity|a baremetal node on node a now",
	      "a machine with GPUs of several types is an alternative, and of no one type");
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

/* The order of preference, and the words where the first type was not taken. */
static void preference(void)
{
	static const char *const order[] = { "h200", "a100" };
	static const char *const three[] = { "x1", "h200", "a100" };
	static const struct {
		const char *nodes;
		int64_t count;
		size_t types; /* of which order: 2 or 3 */
		const char *want, *reason;
		const char *why; /* the second node is out */
	} rows[] = {
		{ "a:FF b:ff", 1, 2, "b:0", NULL, NULL },
		{ "a:FF b:ff", 1, 2, "a:0",
		  "h200 was free on no usable node (maintenance on 'b'): a100 is second "
		  "in the order", "maintenance" },
		{ "a:FF b:uu", 1, 2, "a:0",
		  "h200 had no free slot on any node: a100 is second in the order", "maintenance" },
		{ "a:FF b:ff c:fu", 2, 2, "a:0,1",
		  "h200 had at most 1 free on one node, not 2: a100 is second in the order",
		  "maintenance" },
		{ "a:FF b:uu", 1, 2, "a:0",
		  "h200 had no free slot on any node: a100 is second in the order", NULL },
		{ "a:FF", 1, 2, "a:0", "no node has h200: a100 is second in the order", NULL },
		{ "a:FF b:fu", 2, 2, "a:0,1",
		  "h200 had at most 1 free on one node, not 2: a100 is second in the order",
		  NULL },
		{ "a:FFfu", 2, 2, "a:0,1",
		  "h200 had at most 1 free on one node, not 2: a100 is second in the order",
		  NULL },
		{ "a:FF b:ww", 1, 2, "a:0",
		  "h200 had no free slot on any node: a100 is second in the order", NULL },
		{ "a:FF b:uu", 1, 3, "a:0",
		  "no node has x1; h200 had no free slot on any node: a100 is third in the order",
		  NULL },
		{ "a:UU b:uu", 1, 2, NULL, NULL, NULL },
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
		if (rows[i].why)
			s.fleet.nodes.v[1].why = word(rows[i].why);
		ga_place(&s.fleet, &s.request, &s.profile, false, &d);
		t_str(d.type_reason, rows[i].reason, "why not the first of '%s'", rows[i].nodes);
		ga_decision_release(&d);
		got = outcome(&s);
		if (rows[i].want)
			t_str(got, rows[i].want, "by preference of '%s'", rows[i].nodes);
		end(&s);
	}
}

static void crossing(void)
{
	static const struct {
		uint64_t masks[4]; /* of modules, a partition each */
		bool cross;
		const char *what;
	} rows[] = {
		{ { 0 }, false, "no partitions" },
		{ { 0xff, 0x0f, 0xf0, 0x03 }, false, "halves of halves" },
		{ { 0x03, 0x0c, 0x0f }, false, "smaller ones first" },
		{ { 0x03, 0x03 }, false, "the same modules twice" },
		{ { 0x03, 0x06 }, true, "a module of both, one of each alone" },
		{ { 0x0f, 0x03, 0x3c }, true, "not the first pair" },
		{ { UINT64_C(1) << 40 | 1, 0x03 }, true, "high modules" },
	};
	size_t i, k;
	int m;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_fleet_node n = { 0 };

		for (k = 0; k < GA_ARRAY_SIZE(rows[i].masks) && rows[i].masks[k]; k++) {
			struct ga_partition *p = ga_list_add(&n.partitions);

			p->id = (int64_t)k;
			for (m = 0; m < 64; m++)
				if (rows[i].masks[k] & UINT64_C(1) << m)
					*ga_list_add(&p->module_ids) = m;
		}
		t_int(ga_fleet_partitions_cross(&n), rows[i].cross, "crossing: %s", rows[i].what);
		ga_fleet_node_release(&n);
	}
}

int main(void)
{
	slices();
	constraints();
	types();
	reasons();
	regions();
	nearest();
	unapproved();
	near_pool();
	partition_hints();
	maintenance_hints();
	answers();
	preference();
	baremetal();
	machines();
	partitions();
	crossing();
	return t_done();
}
