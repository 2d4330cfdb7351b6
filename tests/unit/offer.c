/* SPDX-License-Identifier: Apache-2.0 */
/* What a profile could get of small fleets drawn as text (fleet_world.h), and when it is more. */
#include "fleet_world.h"
#include "offer.h"
#include "t.h"

#define NOW INT64_C(1000000000)
#define MINUTE INT64_C(60000000)

/* "available/total largest; type available/total, …" */
static char *numbers(const struct scene *s)
{
	ga_autooffer struct ga_offer_numbers n;
	struct ga_str out = GA_STR_INIT;
	size_t i;

	ga_offer_count(&s->fleet, &s->profile, &n);
	ga_str_addf(&out, "%lld/%lld %lld", (long long)n.available, (long long)n.total,
		    (long long)n.largest);
	if (n.unknown)
		ga_str_addf(&out, " unknown %lld", (long long)n.unknown);
	for (i = 0; i < n.types.n; i++)
		ga_str_addf(&out, "%s%s %lld/%lld", i ? ", " : "; ", n.types.v[i].type,
			    (long long)n.types.v[i].available, (long long)n.types.v[i].total);
	return ga_str_take(&out);
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
		{ "a:ffFF", NULL, "4/4 2; h200 2/2, a100 2/2" },
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

/* What of a fleet of one node counts when something of it, or of the profile, is otherwise. */
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
		int64_t from, to; /* a window of maintenance, in minutes; 0, 0: none */
		int64_t minutes; /* -1: nobody knows */
		const char *basis;
	} rows[] = {
		{ "nothing ends", "a:uu", 1, { { 0 } }, 0, 0, -1, NULL },
		{ "a wipe", "a:wu", 1, { { "a-0", 3, "wiping" } }, 0, 0, 3, "wiping" },
		{ "the earlier of two", "a:wu", 1,
		  { { "a-0", 9, "wiping" }, { "a-1", 4, "hold_ending" } }, 0, 0, 4,
		  "hold_ending" },
		{ "both are needed", "a:wu", 2,
		  { { "a-0", 9, "wiping" }, { "a-1", 4, "hold_ending" } }, 0, 0, 9, "wiping" },
		{ "one beside a free one", "a:fw", 2, { { "a-1", 2, "wiping" } }, 0, 0, 2,
		  "wiping" },
		{ "two nodes do not add up", "a:w b:w", 2,
		  { { "a-0", 1, "wiping" }, { "b-0", 1, "wiping" } }, 0, 0, -1, NULL },
		{ "of another type", "a:W", 1, { { "a-0", 1, "wiping" } }, 0, 0, -1, NULL },
		{ "never before now", "a:w", 1, { { "a-0", -5, "wiping" } }, 0, 0, 0, "wiping" },
		{ "a window that ends", "a:ff", 1, { { 0 } }, -10, 20, 20, "maintenance_ending" },
		{ "a wipe that ends in a window", "a:w", 1, { { "a-0", 5, "wiping" } }, 0, 30, 30,
		  "maintenance_ending" },
		{ "a wipe behind a window", "a:w", 1, { { "a-0", 40, "wiping" } }, 0, 30, 40,
		  "wiping" },
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
		if (rows[i].to)
			*ga_list_add(&s.fleet.nodes.v[0].windows) = (struct ga_fleet_window){
				NOW + rows[i].from * MINUTE, NOW + rows[i].to * MINUTE, "fans" };
		ga_offer_expect(&s.fleet, &s.profile, soon, n, &e);
		t_int(e.at_micros,
		      rows[i].minutes < 0 ? GA_UNKNOWN : NOW + rows[i].minutes * MINUTE,
		      "%s: when", rows[i].name);
		t_str(e.basis, rows[i].basis, "%s: why then", rows[i].name);
		ga_list_release(&s.profile.types);
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

int main(void)
{
	counted();
	otherwise();
	expected();
	titles();
	return t_done();
}
