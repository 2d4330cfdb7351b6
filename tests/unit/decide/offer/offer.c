/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs of a profile in small fleets drawn as text (fleet_world.h), and the time of more
 * GPUs. */
#include "decide/offer/offer.h"
#include "fleet_world.h"
#include "record/state.h"
#include "t.h"

#define NOW INT64_C(1000000000)
#define MINUTE INT64_C(60000000)

/* "available/total largest; type available/total, …" */
static char *text_of(const struct ga_offer_numbers *n)
{
	struct ga_str out = GA_STR_INIT;
	size_t i;

	ga_str_addf(&out, "%lld/%lld %lld", (long long)n->available, (long long)n->total,
		    (long long)n->largest);
	if (n->unknown)
		ga_str_addf(&out, " unknown %lld", (long long)n->unknown);
	for (i = 0; i < n->types.n; i++)
		ga_str_addf(&out, "%s%s %lld/%lld", i ? ", " : "; ", n->types.v[i].type,
			    (long long)n->types.v[i].available, (long long)n->types.v[i].total);
	return ga_str_take(&out);
}

static char *numbers(const struct scene *s)
{
	ga_autooffer struct ga_offer_numbers n;

	ga_offer_count(&s->fleet, &s->profile, &n);
	return text_of(&n);
}

static void only(struct scene *s, const char *type)
{
	*ga_list_add(&s->profile.types) = word(type);
}

static void counted(void)
{
	static const struct {
		const char *nodes, *type, *want;
	} rows[] = {
		{ "a:ffff", NULL, "4/4 4; h200 4/4" },
		{ "a:ffff b:ffuu", NULL, "6/8 4; h200 6/8" },
		{ "a:fff", NULL, "3/3 2; h200 3/3" }, /* a request of 2 and one of 1 */
		{ "a:uuuu", NULL, "0/4 0; h200 0/4" },
		{ "a:fwbf", NULL, "2/4 2; h200 2/4" },
		{ "a:ffFF", NULL, "4/4 2; a100 2/2, h200 2/2" },
		{ "a:ffFF", "a100", "2/2 2; a100 2/2" },
		{ "a:ffff", "a100", "0/0 0" },
		{ "", NULL, "0/0 0" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *got = NULL;
		struct scene s;

		scene(&s, rows[i].nodes);
		if (rows[i].type)
			only(&s, rows[i].type);
		got = numbers(&s);
		t_str(got, rows[i].want, "%s of '%s'", rows[i].type ? rows[i].type : "anything",
		      rows[i].nodes);
		ga_list_release(&s.profile.types);
		end(&s);
	}
}

/* The counts of a fleet of one node when a part of it, or of the profile, is otherwise. */
static void otherwise(void)
{
	static const struct {
		const char *name, *why, *slot_why, *pool;
		int64_t only_count;
		bool retired, no_image, stale, baremetal;
		const char *want;
	} rows[] = {
		{ .name = "a retired node", .why = "node_retired", .want = "0/0 0" },
		{ .name = "a node only enrolled", .why = "node_enrolled", .want = "0/0 0" },
		{ .name = "a node that drains", .why = "node_draining",
		  .want = "0/4 0; h200 0/4" },
		{ .name = "a slot that was not approved", .slot_why = "disabled",
		  .want = "3/3 2; h200 3/3" },
		{ .name = "a profile of another pool", .pool = "west", .want = "0/0 0" },
		{ .name = "a profile of threes", .only_count = 3, .want = "3/4 3; h200 3/4" },
		{ .name = "a profile of eights", .only_count = 8, .want = "0/4 0; h200 0/4" },
		{ .name = "a retired profile", .retired = true, .want = "0/0 0" },
		{ .name = "a node without the image", .no_image = true,
		  .want = "0/4 0; h200 0/4" },
		{ .name = "a node not seen for long", .stale = true,
		  .want = "0/4 0 unknown 4; h200 0/4" },
		{ .name = "a whole machine", .baremetal = true, .want = "4/4 4; h200 4/4" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *got = NULL;
		struct ga_fleet_node *n;
		struct scene s;

		scene(&s, "a:ffff");
		n = &s.fleet.nodes.v[0];
		n->why = ga_fleet_word(&s.fleet, rows[i].why);
		n->pool = ga_fleet_word(&s.fleet, "east");
		s.profile.pool = word(rows[i].pool);
		s.profile.retired = rows[i].retired;
		if (rows[i].slot_why) {
			n->slots.v[1].free = false;
			n->slots.v[1].why = ga_fleet_word(&s.fleet, rows[i].slot_why);
		}
		if (rows[i].only_count) {
			s.profile.counts.n = 1;
			s.profile.counts.v[0] = rows[i].only_count;
		}
		if (rows[i].no_image)
			s.profile.image = word("cuda");
		if (rows[i].stale)
			s.fleet.stale_micros = 2;
		if (rows[i].baremetal)
			s.profile.shape = word("baremetal");
		got = numbers(&s);
		t_str(got, rows[i].want, "%s", rows[i].name);
		end(&s);
	}
}

/* The GPUs that a request leaves. Node a is in region and pool "here" and has maintenance in an
 * hour; an h200 has 141 GB, an a100 80. */
static void within(void)
{
	static const struct {
		const char *node, *region, *pool, *type;
		int64_t memory_mib, run_seconds;
		const char *want;
	} rows[] = {
		{ .want = "6/8 2; a100 2/2, h200 4/6" },
		{ .node = "b", .want = "2/4 2; h200 2/4" },
		{ .region = "here", .want = "4/4 2; a100 2/2, h200 2/2" },
		{ .pool = "there", .want = "0/0 0" },
		{ .type = "a100", .want = "2/2 2; a100 2/2" },
		{ .memory_mib = 100 * 1024, .want = "4/6 2; h200 4/6" },
		{ .run_seconds = 7200, .want = "2/8 2; a100 0/2, h200 2/6" },
		{ .run_seconds = 60, .want = "6/8 2; a100 2/2, h200 4/6" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *got = NULL;
		struct ga_offer_numbers n;
		struct ga_request r;
		struct scene s;

		scene(&s, "a:ffFF b:ffuu");
		s.fleet.now_micros = NOW;
		s.fleet.nodes.v[0].region = s.fleet.nodes.v[0].pool = "here";
		*ga_list_add(&s.fleet.nodes.v[0].windows) = (struct ga_fleet_window){
			NOW + 60 * MINUTE, NOW + 120 * MINUTE, "new fans" };
		*ga_list_add(&s.fleet.types) = (struct ga_fleet_type){ "h200", 141 * 1024 };
		*ga_list_add(&s.fleet.types) = (struct ga_fleet_type){ "a100", 80 * 1024 };
		ga_schema_init(&ga_request_schema, &r);
		r.node = ga_strdup0(rows[i].node);
		r.region = ga_strdup0(rows[i].region);
		r.pool = ga_strdup0(rows[i].pool);
		if (rows[i].type)
			ga_texts_add(&r.types, rows[i].type);
		if (rows[i].memory_mib)
			r.min_memory_mib = rows[i].memory_mib;
		if (rows[i].run_seconds)
			r.run_seconds = rows[i].run_seconds;
		ga_offer_count_within(&s.fleet, &s.profile, &r, NULL, &n);
		got = text_of(&n);
		t_str(got, rows[i].want, "row %zu", i);
		ga_offer_numbers_release(&n);
		ga_schema_release(&ga_request_schema, &r);
		end(&s);
	}
}

/* The limits of an app, on a profile of 1, 2 and 4 GPUs, or of any number. */
static void limited(void)
{
	static const char *const h200[] = { "h200" };
	static const int64_t three[] = { 3 }, four[] = { 4 };
	static const struct {
		const char *shape;
		bool any_count;
		struct ga_place_limits limits;
		const char *want;
	} rows[] = {
		{ "slice", false, { .any_type = true }, "7/8 4; a100 2/2, h200 5/6" },
		{ "slice", false, { .types = h200, .n_types = 1 }, "5/6 4; h200 5/6" },
		{ "slice", false, { .any_type = true, .counts = four, .n_counts = 1 },
		  "4/8 4; a100 0/2, h200 4/6" },
		{ "slice", false, { .any_type = true, .counts = three, .n_counts = 1 },
		  "0/8 0; a100 0/2, h200 0/6" },
		{ "slice", true, { .any_type = true, .counts = three, .n_counts = 1 },
		  "3/8 3; a100 0/2, h200 3/6" },
		{ "baremetal", true, { .any_type = true, .counts = four, .n_counts = 1 },
		  "0/8 0; a100 0/2, h200 0/6" },
		{ "baremetal", true, { .types = h200, .n_types = 1 }, "0/5 0; h200 0/5" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *got = NULL;
		struct ga_offer_numbers n;
		struct scene s;

		scene(&s, "a:fFF b:ffffu");
		s.profile.shape = word(rows[i].shape);
		if (rows[i].any_count)
			s.profile.counts.n = 0;
		ga_offer_count_within(&s.fleet, &s.profile, NULL, &rows[i].limits, &n);
		got = text_of(&n);
		t_str(got, rows[i].want, "limits %zu", i);
		ga_offer_numbers_release(&n);
		end(&s);
	}
}

/* Counts of a profile, 0 at the end; none: any. */
static void only_counts(struct scene *s, const int64_t *counts)
{
	s->profile.counts.n = 0;
	while (*counts)
		*ga_list_add(&s->profile.counts) = *counts++;
}

static void add_numbers(struct ga_str *to, const int64_t *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		ga_str_addf(to, "%s%lld", i ? " " : "", (long long)v[i]);
}

/* "all; of the first type; …": the counts that one request would get. */
static char *counts(const struct scene *s)
{
	ga_autooffer struct ga_offer_numbers n;
	struct ga_str out = GA_STR_INIT;
	size_t i;

	ga_offer_count(&s->fleet, &s->profile, &n);
	add_numbers(&out, n.counts.v, n.counts.n);
	for (i = 0; i < n.types.n; i++) {
		ga_str_add(&out, "; ");
		add_numbers(&out, n.types.v[i].counts.v, n.types.v[i].counts.n);
	}
	return ga_str_take(&out);
}

/* On nodes that are run by fabric partitions a slice is a whole partition. */
static void in_partitions(void)
{
	static const struct {
		const char *name, *nodes;
		int64_t counts[5], active; /* active: of the first node, as id + 1 */
		const char *want, *at_once;
	} rows[] = {
		{ "all of them", "a:ffff/ffff", { 1, 2, 4, 8 }, 0, "8/8 8; h200 8/8",
		  "1 2 4 8; 1 2 4 8" },
		{ "a four of 5 to 8, and 2 and 3 apart", "a:uffu/ffff", { 1, 2, 4, 8 }, 0,
		  "6/8 4; h200 6/8", "1 2 4; 1 2 4" },
		{ "2 and 3 are no pair", "a:uffu/uffu", { 2 }, 0, "0/8 0; h200 0/8", "; " },
		{ "nor is a pair in each of two halves a four", "a:uuff/uuff", { 4 }, 0,
		  "0/8 0; h200 0/8", "; " },
		{ "threes are in no partition", "a:ffff/ffff", { 3 }, 0, "0/8 0; h200 0/8", "; " },
		{ "nor beside eights", "a:ffff/ffff", { 8, 3 }, 0, "8/8 8; h200 8/8", "8; 8" },
		{ "any number", "a:ffff/uuuf", { 0 }, 0, "5/8 4; h200 5/8", "1 2 4; 1 2 4" },
		{ "the half of an active one is out", "a:ffff/ffff", { 1, 2, 4, 8 }, 2,
		  "4/8 4; h200 4/8", "1 2 4; 1 2 4" },
		{ "two nodes", "a:uuuu/ffff b:ffff/ffff", { 1, 2, 4, 8 }, 0,
		  "12/16 8; h200 12/16", "1 2 4 8; 1 2 4 8" },
		{ "a pair on one, a four on the other", "a:ffuu/uuuu b:fuuu/ffff",
		  { 1, 2, 4, 8 }, 0, "7/16 4; h200 7/16", "1 2 4; 1 2 4" },
		{ "a partition is of one type", "a:ffff/FFFF", { 1, 2, 4, 8 }, 0,
		  "8/8 4; a100 4/4, h200 4/4", "1 2 4; 1 2 4; 1 2 4" },
		{ "twos of one type, a four of the other", "a:uffu/FFFF b:ffuu/uuuu",
		  { 2, 4 }, 0, "6/16 4; a100 4/4, h200 2/12", "2 4; 2 4; 2" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *got = NULL, *at_once = NULL;
		struct scene s;

		partitioned(&s, rows[i].nodes);
		only_counts(&s, rows[i].counts);
		if (rows[i].active)
			s.fleet.nodes.v[0].partitions.v[rows[i].active - 1].active = 1;
		got = numbers(&s);
		t_str(got, rows[i].want, "partitions: %s", rows[i].name);
		at_once = counts(&s);
		t_str(at_once, rows[i].at_once, "counts: %s", rows[i].name);
		end(&s);
	}
}

/* Run by partitions that nobody has read yet: placement refuses, and nothing is offered. */
static void partitions_unknown(void)
{
	ga_autofree char *got = NULL;
	struct scene s;

	scene(&s, "a:ffff");
	s.fleet.nodes.v[0].partitions_in_use = true;
	got = numbers(&s);
	t_str(got, "0/4 0; h200 0/4", "partitions that nobody knows");
	end(&s);
}

/* Why nothing is available, for one profile after the other: the image of one is not that of the
 * next. */
static void refused(void)
{
	static const struct {
		const char *nodes, *type, *image, *want;
	} rows[] = {
		{ "a:ffff", "h200", NULL, NULL },
		{ "a:ffff b:ffff", "a100", NULL, "type_missing" },
		{ "a:ffff", "h200", "nowhere", "image_missing" },
		{ "a:uuFF", "a100", NULL, NULL },
	};
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_offer_refuser r = { 0 };
		struct scene s;

		scene(&s, rows[i].nodes);
		r.fleet = &s.fleet;
		only(&s, rows[i].type);
		for (j = 0; j < 4; j++) {
			char *named = s.profile.image;
			ga_autofree char *got = NULL, *of_type = NULL;
			const char *want = j % 2 && ga_streq(rows[i].want, "image_missing") ?
						   NULL : rows[i].want;

			s.profile.image = j % 2 ? NULL :
					  rows[i].image ? word(rows[i].image) : named;
			got = ga_offer_refusal(&r, &s.profile, NULL, GA_UNKNOWN);
			of_type = ga_offer_refusal(&r, &s.profile, rows[i].type, GA_UNKNOWN);
			t_str(got, want, "refused %zu, image %s", i, j % 2 ? "any" : "named");
			t_str(of_type, want, "refused %zu, of its only type", i);
			s.profile.image = named;
		}
		ga_offer_refuser_release(&r);
		ga_list_release(&s.profile.types);
		end(&s);
	}
}

/* Why the smallest request (count 0), or one for so many GPUs, gets nothing; mixed: the nodes with
 * GPUs of several types, of a profile for baremetal. */
static void why_none(void)
{
	static const struct {
		const char *name, *nodes;
		int64_t counts[3], count;
		const char *shape, *why, *type, *want, *mixed;
		bool retired, stale;
	} rows[] = {
		{ .name = "some are free, fewer than any request wants", .nodes = "a:fuuu b:uuuu",
		  .counts = { 4, 2 }, .want = "no_capacity" },
		{ .name = "enough, on two nodes", .nodes = "a:fuuu b:fuuu", .counts = { 2 },
		  .want = "no_single_node" },
		{ .name = "enough, on three equal nodes", .nodes = "a:fuuu b:fuuu c:fuuu",
		  .counts = { 3 }, .want = "no_single_node" },
		{ .name = "more than are free", .nodes = "a:ffuu", .counts = { 1, 2, 4 },
		  .count = 4, .want = "no_capacity" },
		{ .name = "more than the profile allows", .nodes = "a:ffff", .counts = { 1, 2 },
		  .count = 4, .want = "count_not_allowed" },
		{ .name = "as many as are free", .nodes = "a:ffuu", .counts = { 1, 2, 4 },
		  .count = 2 },
		{ .name = "any number, more than a node has", .nodes = "a:ff b:ff", .count = 3,
		  .want = "no_single_node" },
		{ .name = "all in use", .nodes = "a:uuuu b:uu", .want = "no_capacity" },
		{ .name = "waiting for wipes", .nodes = "a:wuuu b:uu", .want = "waiting_for_wipe" },
		{ .name = "all are cordoned", .nodes = "a:cccc b:cccc", .want = "cordoned" },
		{ .name = "another is in use", .nodes = "a:cccc b:uuuu", .want = "not_ready" },
		{ .name = "a draining node", .nodes = "a:ffff", .why = "node_draining",
		  .want = "node_draining" },
		{ .name = "nodes not seen for long", .nodes = "a:ffff b:ff", .stale = true,
		  .want = "stale" },
		{ .name = "no node", .nodes = "", .want = "no_capacity" },
		{ .name = "a retired profile", .nodes = "a:ffff", .retired = true,
		  .want = "profile_retired" },
		{ .name = "the free ones are of another type", .nodes = "a:uuFF", .type = "h200",
		  .want = "no_capacity" },
		{ .name = "a machine in use", .nodes = "a:fffu", .shape = "baremetal",
		  .want = "no_capacity" },
		{ .name = "a larger machine than is free", .nodes = "a:uuuu b:ff", .count = 4,
		  .shape = "baremetal", .want = "no_capacity" },
		{ .name = "a type that only mixed machines have", .nodes = "a:ffFF", .type = "a100",
		  .shape = "baremetal", .want = "type_missing" },
		{ .name = "a mixed machine in use, beside a free one of one type",
		  .nodes = "a:fuFF b:ff", .shape = "baremetal", .mixed = "no_capacity" },
		{ .name = "a large mixed machine drains, beside one of one type and a small one",
		  .nodes = "a:ffFF b:fF c:ffff", .why = "node_draining", .count = 4,
		  .shape = "baremetal", .mixed = "not_ready" },
		{ .name = "more than any mixed machine has", .nodes = "a:ffFF c:ffffff", .count = 6,
		  .shape = "baremetal", .mixed = "no_capacity" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *got = NULL, *mixed = NULL;
		struct ga_offer_refuser r = { 0 };
		struct scene s;

		scene(&s, rows[i].nodes);
		r.fleet = &s.fleet;
		only_counts(&s, rows[i].counts);
		s.profile.retired = rows[i].retired;
		s.fleet.stale_micros = rows[i].stale ? 2 : 0;
		if (rows[i].why)
			s.fleet.nodes.v[0].why = ga_fleet_word(&s.fleet, rows[i].why);
		if (rows[i].shape)
			s.profile.shape = word(rows[i].shape);
		got = ga_offer_refusal(&r, &s.profile, rows[i].type,
				       rows[i].count ? rows[i].count : GA_UNKNOWN);
		t_str(got, rows[i].want, "why none: %s", rows[i].name);
		mixed = rows[i].mixed ? ga_offer_mixed_refusal(&r, &s.profile,
							       rows[i].count ? rows[i].count :
									       GA_UNKNOWN) :
					NULL;
		t_str(mixed, rows[i].mixed, "why no mixed machine: %s", rows[i].name);
		ga_offer_refuser_release(&r);
		end(&s);
	}
}

/* A machine is sold whole or not at all. */
static void baremetal_nodes(void)
{
	static const struct {
		const char *name, *nodes, *type, *mode, *why, *want;
	} rows[] = {
		{ .name = "one request, one machine", .nodes = "a:ffff b:ff",
		  .want = "6/6 4; h200 6/6" },
		{ .name = "one GPU in use", .nodes = "a:fffu", .want = "0/4 0; h200 0/4" },
		{ .name = "one GPU to be wiped", .nodes = "a:fffw b:ff",
		  .want = "2/6 2; h200 2/6" },
		{ .name = "a machine that somebody has", .nodes = "a:uuuu",
		  .why = "held_by_baremetal", .want = "0/4 0; h200 0/4" },
		{ .name = "a machine sold in slices", .nodes = "a:ffff", .mode = "slice",
		  .want = "4/4 4; h200 4/4" },
		{ .name = "two types, any will do", .nodes = "a:ffFF",
		  .want = "4/4 4; a100 2/2, h200 2/2" },
		{ .name = "two types, one of them is not the profile's", .nodes = "a:ffFF b:FF",
		  .type = "a100", .want = "2/2 2; a100 2/2" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *got = NULL;
		struct scene s;

		scene(&s, rows[i].nodes);
		s.profile.shape = word("baremetal");
		s.profile.image = NULL;
		only_counts(&s, (const int64_t[]){ 0 });
		s.fleet.nodes.v[0].mode = ga_fleet_word(
			&s.fleet, rows[i].mode ? rows[i].mode : "baremetal");
		s.fleet.nodes.v[0].why = ga_fleet_word(&s.fleet, rows[i].why);
		if (rows[i].type)
			only(&s, rows[i].type);
		got = numbers(&s);
		t_str(got, rows[i].want, "whole machines: %s", rows[i].name);
		ga_list_release(&s.profile.types);
		end(&s);
	}
}

/* "type largest, …": what one request that names the type gets at most. */
static char *largest_of_types(const struct scene *s)
{
	ga_autooffer struct ga_offer_numbers n;
	struct ga_str out = GA_STR_INIT;
	size_t i;

	ga_offer_count(&s->fleet, &s->profile, &n);
	for (i = 0; i < n.types.n; i++)
		ga_str_addf(&out, "%s%s %lld", i ? ", " : "", n.types.v[i].type,
			    (long long)n.types.v[i].largest);
	return ga_str_take(&out);
}

static void by_type(void)
{
	static const struct {
		const char *name, *nodes, *shape, *want;
	} rows[] = {
		{ "seven on two nodes are no eight", "a:FFFFFFFU b:FFFFFFFU c:ffffffff", "slice",
		  "a100 4, h200 8" },
		{ "two types on one node", "a:fFFf", "slice", "a100 2, h200 2" },
		{ "nothing free of one", "a:uuFF", "slice", "a100 2, h200 0" },
		{ "machines of two sizes", "a:FFFF b:FFFF c:ffffffff", "baremetal",
		  "a100 4, h200 8" },
		{ "a machine of two types is had by who names none", "a:ffFF", "baremetal",
		  "a100 0, h200 0" },
		{ "beside one of one type", "a:ffFF b:F", "baremetal", "a100 1, h200 0" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *got = NULL;
		struct scene s;

		scene(&s, rows[i].nodes);
		s.profile.shape = word(rows[i].shape);
		got = largest_of_types(&s);
		t_str(got, rows[i].want, "by type: %s", rows[i].name);
		end(&s);
	}
}

/* ---- what is shown is given ---- */

#define FLEETS 300

static uint64_t rnd;

static int64_t below(int64_t n)
{
	return (int64_t)(t_random(&rnd) % (uint64_t)n);
}

/* Of one to four nodes; all have eight slots where they are run by partitions. */
static char *drawing(bool partitions)
{
	struct ga_str out = GA_STR_INIT;
	int64_t nodes = 1 + below(4), slots, i, j;

	for (i = 0; i < nodes; i++) {
		const char *slot = (const char *const[]){ "ffffuw", "FFFFUW", "fffFFu" }[below(3)];

		slots = partitions ? 8 : 1 + below(8);
		ga_str_addf(&out, "%s%c:", i ? " " : "", (char)('a' + i));
		for (j = 0; j < slots; j++)
			ga_str_addf(&out, "%s%c", j == 4 ? "/" : "",
				    below(2) ? slot[0] : slot[below(6)]);
	}
	return ga_str_take(&out);
}

/* GPUs that a request of the count gets, all of the type where one is named; 0: it is refused. */
static int64_t given(const struct scene *s, const char *type, int64_t count)
{
	char *types[] = { word(type) };
	struct ga_request r = s->request;
	struct ga_decision d;
	int64_t n = 0;
	size_t i;

	r.types.v = types;
	r.types.n = type != NULL;
	r.count = count;
	ga_place(&s->fleet, &r, &s->profile, false, &d);
	for (i = 0; d.placed && i < d.slots.n; i++)
		n += !type || ga_streq(d.slots.v[i]->type, type);
	n = d.placed && n == (int64_t)d.slots.n ? n : 0;
	ga_decision_release(&d);
	return n;
}

/* No more than the largest is given, and of machines exactly that; of slices the counts told. */
static bool holds(const struct scene *s, const char *type, int64_t largest, const int64_t *told,
		  size_t n_told)
{
	static const int64_t all[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	bool baremetal = ga_place_is_baremetal(&s->request, &s->profile);
	const int64_t *counts = s->profile.counts.n ? s->profile.counts.v : all;
	size_t n = s->profile.counts.n ? s->profile.counts.n : GA_ARRAY_SIZE(all), i, j;

	for (i = 0; i < n; i++) {
		int64_t want = baremetal && counts[i] <= largest ? counts[i] : 0;

		for (j = 0; j < n_told; j++)
			want = told[j] == counts[i] && counts[i] <= largest ? counts[i] : want;
		if ((!baremetal || counts[i] >= largest) && given(s, type, counts[i]) != want)
			return false;
	}
	return !baremetal || !n_told;
}

/* For every fleet and profile placement gives what is shown of each type, and of all. */
static void told_is_given(void)
{
	static const int64_t sets[][5] = { { 1, 2, 4, 8 }, { 2, 8 }, { 4 }, { 1, 3, 5 }, { 0 } };
	static const char *const shapes[] = { "slice", "slice", "baremetal" };
	int i;

	for (i = 0; i < FLEETS; i++) {
		ga_autooffer struct ga_offer_numbers n;
		bool partitions = !below(3), good;
		const int64_t *counts = sets[below(5)];
		const char *shape = shapes[below(3)];
		ga_autofree char *nodes = drawing(partitions);
		int64_t types = below(4);
		struct scene s;
		size_t k;

		(partitions ? partitioned : scene)(&s, nodes);
		s.profile.shape = word(shape);
		only_counts(&s, ga_streq(shape, "baremetal") ? sets[4] : counts);
		if (types & 1)
			only(&s, "a100");
		if (types & 2)
			only(&s, "h200");
		ga_offer_count(&s.fleet, &s.profile, &n);
		good = holds(&s, NULL, n.largest, n.counts.v, n.counts.n);
		for (k = 0; k < n.types.n; k++)
			good = good && holds(&s, n.types.v[k].type, n.types.v[k].largest,
					     n.types.v[k].counts.v, n.types.v[k].counts.n);
		t_ok(good, "what is shown is given: %s of %s%s, types %d, counts from %d", shape,
		     nodes, partitions ? " in partitions" : "", (int)types, (int)counts[0]);
		ga_list_release(&s.profile.types);
		end(&s);
	}
}

/* A node that is only sold whole has nothing for slices. */
static void not_in_slices(void)
{
	ga_autofree char *got = NULL;
	struct scene s;

	scene(&s, "a:ffff");
	s.fleet.nodes.v[0].mode = ga_fleet_word(&s.fleet, "baremetal");
	got = numbers(&s);
	t_str(got, "0/0 0", "slices of a node that is only sold whole");
	end(&s);
}

/* ---- when there is something again ---- */

static void expected(void)
{
	static const struct {
		const char *name, *nodes;
		int64_t count; /* the only one of the profile */
		struct {
			const char *slot;
			int64_t minutes;
			const char *basis;
		} soon[3]; /* in the order of slots */
		struct {
			int64_t from, to;
		} windows[3]; /* of maintenance, in minutes, by their beginning */
		int64_t minutes; /* -1: nobody knows */
		const char *basis;
	} rows[] = {
		{ "nothing ends", "a:uu", 1, { { 0 } }, { { 0 } }, -1, NULL },
		{ "a wipe", "a:wu", 1, { { "a-0", 3, "wiping" } }, { { 0 } }, 3, "wiping" },
		{ "the earlier of two", "a:wu", 1,
		  { { "a-0", 9, "wiping" }, { "a-1", 4, "hold_ending" } }, { { 0 } }, 4,
		  "hold_ending" },
		{ "both are needed", "a:wu", 2,
		  { { "a-0", 9, "wiping" }, { "a-1", 4, "hold_ending" } }, { { 0 } }, 9,
		  "wiping" },
		{ "one beside a free one", "a:fw", 2, { { "a-1", 2, "wiping" } }, { { 0 } }, 2,
		  "wiping" },
		{ "two nodes do not add up", "a:w b:w", 2,
		  { { "a-0", 1, "wiping" }, { "b-0", 1, "wiping" } }, { { 0 } }, -1, NULL },
		{ "of another type", "a:W", 1, { { "a-0", 1, "wiping" } }, { { 0 } }, -1, NULL },
		{ "never before now", "a:w", 1, { { "a-0", -5, "wiping" } }, { { 0 } }, 0,
		  "wiping" },
		{ "a window that ends", "a:ff", 1, { { 0 } }, { { -10, 20 } }, 20,
		  "maintenance_ending" },
		{ "a wipe that ends in a window", "a:w", 1, { { "a-0", 5, "wiping" } },
		  { { 0, 30 } }, 30, "maintenance_ending" },
		{ "a wipe behind a window", "a:w", 1, { { "a-0", 40, "wiping" } }, { { 0, 30 } },
		  40, "wiping" },
		{ "a window that another touches", "a:f", 1, { { 0 } },
		  { { -10, 20 }, { 20, 50 } }, 50, "maintenance_ending" },
		{ "windows that overlap, twice", "a:f", 1, { { 0 } },
		  { { -10, 60 }, { 30, 300 }, { 200, 400 } }, 400, "maintenance_ending" },
		{ "a window within another", "a:f", 1, { { 0 } }, { { -10, 60 }, { -5, 30 } }, 60,
		  "maintenance_ending" },
		{ "a gap between two windows", "a:f", 1, { { 0 } }, { { -10, 20 }, { 21, 50 } },
		  20, "maintenance_ending" },
		{ "a wipe that ends in the first of two", "a:w", 1, { { "a-0", 10, "wiping" } },
		  { { 5, 20 }, { 15, 50 } }, 50, "maintenance_ending" },
	};
	size_t i, k;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_offer_soon soon[3] = { { 0 } };
		struct ga_offer_expected e;
		struct scene s;
		size_t n = 0;

		scene(&s, rows[i].nodes);
		only(&s, "h200");
		s.fleet.now_micros = NOW;
		s.profile.counts.n = 1;
		s.profile.counts.v[0] = rows[i].count;
		for (k = 0; k < 3 && rows[i].soon[k].slot; k++)
			soon[n++] = (struct ga_offer_soon){
				word(rows[i].soon[k].slot),
				NOW + rows[i].soon[k].minutes * MINUTE, rows[i].soon[k].basis };
		for (k = 0; k < 3 && rows[i].windows[k].to; k++)
			*ga_list_add(&s.fleet.nodes.v[0].windows) = (struct ga_fleet_window){
				NOW + rows[i].windows[k].from * MINUTE,
				NOW + rows[i].windows[k].to * MINUTE, "fans" };
		ga_offer_expect(&s.fleet, &s.profile, soon, n, &e);
		t_int(e.at_micros,
		      rows[i].minutes < 0 ? GA_UNKNOWN : NOW + rows[i].minutes * MINUTE,
		      "%s: when", rows[i].name);
		t_str(e.basis, rows[i].basis, "%s: why then", rows[i].name);
		ga_list_release(&s.profile.types);
		end(&s);
	}
}

/* "MINUTES BASIS", or "nobody knows" */
static char *expectation(const struct scene *s, const struct ga_offer_soon *soon, size_t n)
{
	struct ga_offer_expected e;

	ga_offer_expect(&s->fleet, &s->profile, soon, n, &e);
	if (e.at_micros == GA_UNKNOWN)
		return ga_xstrdup("nobody knows");
	return ga_xprintf("%lld %s", (long long)((e.at_micros - NOW) / MINUTE), e.basis);
}

/* The GPUs of a region that is not open are not on offer, and do not become so by themselves. */
static void regions(void)
{
	static const struct {
		bool open;
		const char *numbers, *expected;
	} rows[] = {
		{ true, "2/3 2; h200 2/3", "10 wiping" },
		{ false, "0/0 0", "nobody knows" },
	};
	struct ga_offer_soon soon[] = { { word("a-0"), NOW + 10 * MINUTE, "wiping" } };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *is = NULL, *when = NULL;
		struct scene s;

		scene(&s, "a:wff");
		s.fleet.now_micros = NOW;
		s.fleet.nodes.v[0].region = ga_fleet_word(&s.fleet, "west");
		*ga_list_add(&s.fleet.regions) = (struct ga_fleet_region){
			ga_fleet_word(&s.fleet, "west"), rows[i].open, NULL };
		is = numbers(&s);
		t_str(is, rows[i].numbers, "a region that is %sopen", rows[i].open ? "" : "not ");
		s.fleet.nodes.v[0].slots.v[1].free = s.fleet.nodes.v[0].slots.v[2].free = false;
		when = expectation(&s, soon, 1);
		t_str(when, rows[i].expected, "and when something of it is free");
		end(&s);
	}
}

/* An allocation holds its partition too, and both end together. */
static void partitions_expected(void)
{
	static const struct {
		const char *name, *nodes;
		int64_t count, active; /* active: as id + 1 */
		struct {
			const char *slot;
			int64_t minutes;
			const char *basis;
		} soon[3];
		const char *want;
	} rows[] = {
		{ "a wipe, its partition given back", "a:uuuu/uuwu", 1, 0,
		  { { "a-6", 3, "wiping" } }, "3 wiping" },
		{ "a pair that is held", "a:uuuu/uuuu", 2, 7,
		  { { "a-6", 5, "hold_ending" }, { "a-7", 6, "hold_ending" } }, "6 hold_ending" },
		{ "half of a held pair", "a:uuuu/uuuu", 1, 7, { { "a-6", 5, "hold_ending" } },
		  "nobody knows" },
		{ "no pair of two halves", "a:uuuu/uuuu", 2, 0,
		  { { "a-5", 5, "wiping" }, { "a-6", 6, "wiping" } }, "nobody knows" },
		{ "an active one that nothing ends", "a:ffuu/uuuu", 2, 4, { { 0 } },
		  "nobody knows" },
	};
	size_t i, k;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_offer_soon soon[3] = { { 0 } };
		ga_autofree char *got = NULL;
		struct scene s;
		size_t n = 0;

		partitioned(&s, rows[i].nodes);
		only_counts(&s, (const int64_t[]){ rows[i].count, 0 });
		s.fleet.now_micros = NOW;
		if (rows[i].active)
			s.fleet.nodes.v[0].partitions.v[rows[i].active - 1].active = 1;
		for (k = 0; k < 3 && rows[i].soon[k].slot; k++)
			soon[n++] = (struct ga_offer_soon){
				word(rows[i].soon[k].slot),
				NOW + rows[i].soon[k].minutes * MINUTE, rows[i].soon[k].basis };
		got = expectation(&s, soon, n);
		t_str(got, rows[i].want, "partitions: %s", rows[i].name);
		end(&s);
	}
}

/* A whole machine is had when the last of it is wiped, whoever had it. */
static void machine_expected(void)
{
	static const struct {
		const char *name, *nodes, *why, *want;
	} rows[] = {
		{ "after slices", "a:fw", NULL, "3 wiping" },
		{ "after a tenant who had it whole", "a:ww", "held_by_baremetal", "7 wiping" },
		{ "with one GPU in use", "a:wu", NULL, "nobody knows" },
		{ "on a node that drains", "a:ww", "node_draining", "nobody knows" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		const struct ga_offer_soon soon[] = {
			{ word("a-0"), NOW + 7 * MINUTE, "wiping" },
			{ word("a-1"), NOW + 3 * MINUTE, "wiping" },
		};
		bool first = rows[i].nodes[2] == 'w';
		ga_autofree char *got = NULL;
		struct scene s;

		scene(&s, rows[i].nodes);
		s.profile.shape = word("baremetal");
		only_counts(&s, (const int64_t[]){ 0 });
		s.fleet.now_micros = NOW;
		s.fleet.nodes.v[0].clean = false; /* the claim lives until the wipe is over */
		s.fleet.nodes.v[0].why = ga_fleet_word(&s.fleet, rows[i].why);
		got = expectation(&s, first ? soon : soon + 1,
				  1 + (first && rows[i].nodes[3] == 'w'));
		t_str(got, rows[i].want, "a whole machine %s", rows[i].name);
		end(&s);
	}
}

static void titles(void)
{
	static const struct {
		const char *name, *title;
	} rows[] = {
		{ "premium-gpu", "Premium GPU" }, { "h200x2", "H200X2" },
		{ "llm_training", "LLM Training" }, { "a", "A" }, { "my--odd", "My  Odd" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *title = ga_offer_title(rows[i].name);

		t_str(title, rows[i].title, "%s for people", rows[i].name);
	}
}

/* "2 4" */
static void add_sizes(const struct ga_ints *sizes, struct ga_str *to)
{
	size_t i;

	for (i = 0; i < sizes->n; i++)
		ga_str_addf(to, " %lld", (long long)sizes->v[i]);
}

/* How large the machines are, the busy ones too. */
static void machine_sizes(void)
{
	static const struct {
		const char *nodes, *shape, *why, *want;
	} rows[] = {
		{ "a:uuff b:FF", "baremetal", NULL, "a100 2 free 2, h200 4 free; mixed free" },
		{ "a:uu b:ffff c:f", "baremetal", NULL, "h200 1 2 4 free 1 4; mixed free" },
		{ "a:uuuu", "baremetal", "held_by_baremetal", "h200 4 free; mixed free" },
		{ "a:ffff", "baremetal", "node_retired", "; mixed free" },
		{ "a:ffFF", "baremetal", NULL, "a100 free, h200 free; mixed h200 a100 4 free 4" },
		{ "a:ffF b:uuFFF c:FF", "baremetal", NULL,
		  "a100 2 free 2, h200 free; mixed h200 a100 3 5 free 3" },
		{ "a:ffff", "slice", NULL, "h200 free; mixed free" },
	};
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autostr struct ga_str got = GA_STR_INIT;
		ga_autooffer struct ga_offer_numbers n;
		struct scene s;

		scene(&s, rows[i].nodes);
		s.profile.shape = word(rows[i].shape);
		s.fleet.nodes.v[0].why = ga_fleet_word(&s.fleet, rows[i].why);
		ga_offer_count(&s.fleet, &s.profile, &n);
		for (j = 0; j < n.types.n; j++) {
			ga_str_addf(&got, "%s%s", j ? ", " : "", n.types.v[j].type);
			add_sizes(&n.types.v[j].machines, &got);
			ga_str_add(&got, " free");
			add_sizes(&n.types.v[j].machines_now, &got);
		}
		ga_str_add(&got, "; mixed");
		for (j = 0; j < n.mixed.types.n; j++)
			ga_str_addf(&got, " %s", n.mixed.types.v[j]);
		add_sizes(&n.mixed.machines, &got);
		ga_str_add(&got, " free");
		add_sizes(&n.mixed.machines_now, &got);
		t_str(got.buf ? got.buf : "", rows[i].want, "machines of %s", rows[i].nodes);
		end(&s);
	}
}

int main(void)
{
	rnd = t_seed() | 1;
	counted();
	otherwise();
	within();
	in_partitions();
	partitions_unknown();
	refused();
	why_none();
	baremetal_nodes();
	by_type();
	told_is_given();
	not_in_slices();
	expected();
	regions();
	partitions_expected();
	machine_expected();
	titles();
	machine_sizes();
	limited();
	return t_done();
}
