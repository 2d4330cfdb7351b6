/* SPDX-License-Identifier: Apache-2.0 */
/* The store: searches, declarative objects, orders, expectations and every listing. */
#include "state_world.h"

#include "base/clock.h"
#include "record/expectation.h"
#include "record/wipe.h"
#include "state/allocation/wipe.h"
#include "state/capacity/offer.h"
#include "state/capacity/profile.h"
#include "state/db/fsm.h"
#include "state/node/expect.h"
#include "state/node/image.h"
#include "state/node/node.h"
#include "state/node/settings.h"
#include "state/query/find.h"
#include "state/query/list.h"
#include "state/query/where.h"

static int resolve(struct ga_db *db, const char *kind, const char *text, char **id,
		   const char **found, struct ga_err *err)
{
	ga_err_clear(err);
	return ga_store_resolve(db, kind, text, id, found, err);
}

static void finding(void)
{
	struct ga_db *db = sw_open(2);
	struct ga_err err = GA_ERR_INIT;
	const char *kind = NULL;
	char *id = NULL;

	sw_ready(db, 1);
	sw_place(db, 1, 1, 1);
	t_int(resolve(db, NULL, "a0000001", &id, &kind, &err), 0, "by id");
	t_str(kind, "allocation", "its kind is found");
	free(id);
	t_int(resolve(db, NULL, "a0", &id, &kind, &err), 0, "by prefix");
	t_str(id, "a0000001", "the whole id");
	free(id);
	t_int(resolve(db, NULL, "job1", &id, &kind, &err), 0, "by name");
	t_str(id, "a0000001", "of an allocation");
	free(id);
	t_int(resolve(db, "node", "h7", &id, &kind, &err), 0, "a node by name");
	t_str(id, "n1", "its id");
	free(id);
	t_code(resolve(db, "slot", "s00", &id, &kind, &err), &err, GA_USAGE,
	       "could be slot s0000001, slot s0000002", "an ambiguous prefix names the matches");
	t_code(resolve(db, "slot", "a0000001", &id, &kind, &err), &err, GA_NOTFOUND, "no slot",
	       "an allocation is no slot");
	t_code(resolve(db, "slot", "0", &id, &kind, &err), &err, GA_USAGE,
	       "'0' may be the number of a slot on its node", "a number is no beginning of an id");
	t_code(resolve(db, NULL, "", &id, &kind, &err), &err, GA_NOTFOUND, "", "no text is no "
		"prefix");
	t_code(resolve(db, NULL, "%", &id, &kind, &err), &err, GA_NOTFOUND, "", "no pattern "
		"either");
	sw_close(db);
}

/* ---- declarative objects ---- */

static struct ga_profile a_profile(void)
{
	static int64_t counts[] = { 1, 2 };

	return (struct ga_profile){
		.name = TXT("lab"), .version = GA_UNKNOWN, .shape = TXT("slice"),
		.counts = { counts, 2 }, .vcpus_per_gpu = 1, .memory_mib_per_gpu = 1000,
		.hugepage_kib = GA_UNKNOWN, .price_micros = 5, .hold_seconds = GA_UNKNOWN,
		.graceful_seconds = GA_UNKNOWN,
		.wipe = { TXT("clear"), TXT("full"), TXT("if_supported") } };
}

static void profiles(void)
{
	struct ga_db *db = sw_open(0);
	struct ga_err err = GA_ERR_INIT;
	struct ga_profile p = a_profile(), read;

	sw_begin(db);
	t_int(ga_store_apply_profile(db, &p, &err), 1, "a new profile");
	t_int(ga_store_apply_profile(db, &p, &err), 0, "the same again");
	p.price_micros = 6;
	t_int(ga_store_apply_profile(db, &p, &err), 1, "another price");
	p.version = 77;
	t_int(ga_store_apply_profile(db, &p, &err), 0, "the version is the state's to say");
	t_int(ga_store_profile(db, "lab", &read, &err), 0, "it reads back");
	t_int(read.version, 2, "as its second version");
	t_int(read.price_micros, 6, "with the price");
	ga_schema_release(&ga_profile_schema, &read);
	t_code(ga_store_profile(db, "none", &read, &err), &err, GA_NOTFOUND, "no profile",
	       "an unknown one");
	t_str(sw_get(db, "SELECT count(*) || sum(current) FROM profile"), "21", "both versions "
		"stay");
	t_str(sw_get(db, "SELECT count(*) FROM audit WHERE action = 'profile_applied'"),
	      "2", "two changes, two audit rows");
	sw_commit(db);
	sw_close(db);
}

static void images(void)
{
	struct ga_db *db = sw_open(0);
	struct ga_err err = GA_ERR_INIT;
	struct ga_image i = { .name = TXT("tiny"), .digest = TXT(SW_FINGERPRINT),
			      .format = TXT("raw"), .file_bytes = 1, .size_bytes = 1,
			      .firmware = TXT("bios"), .probe = TXT("running") };
	struct ga_node_image n = { .node = TXT("n1"), .image = TXT("tiny"),
				   .digest = TXT(SW_FINGERPRINT), .path = TXT("/i"),
				   .verified_at = TXT("2026-01-01T00:00:00.000000Z") };

	sw_begin(db);
	t_code(ga_store_apply_node_image(db, &n, &err), &err, GA_NOTFOUND, "no image",
	       "a copy of an unknown image");
	t_int(ga_store_apply_image(db, &i, &err), 1, "a new image");
	t_int(ga_store_apply_image(db, &i, &err), 0, "the same again");
	t_int(ga_store_apply_node_image(db, &n, &err), 1, "a copy");
	t_int(ga_store_apply_node_image(db, &n, &err), 0, "the same again");
	i.digest = TXT("sha256:2222222222222222222222222222222222222222222222222222222222222222");
	t_int(ga_store_apply_image(db, &i, &err), 1, "another image of that name");
	t_str(sw_get(db, "SELECT count(*) FROM node_image"), "0", "the old copy no longer counts");
	ga_err_clear(&err);
	t_code(ga_store_apply_node_image(db, &n, &err), &err, GA_CONFLICT, "digest",
	       "a copy of the old one is refused");
	sw_commit(db);
	sw_close(db);
}

static void settings(void)
{
	struct ga_db *db = sw_open(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_node_settings s = { .node = TXT("n1"), .pool = TXT("spare"),
				      .reserved_memory_mib = GA_UNKNOWN };
	struct ga_node node;

	sw_ready(db, 1);
	sw_place(db, 1, 1, 1);
	sw_begin(db);
	t_int(ga_store_apply_node_settings(db, &s, &err), 1, "another pool");
	t_int(ga_store_apply_node_settings(db, &s, &err), 0, "the same again");
	sw_must(ga_store_node(db, "n1", &node, &err));
	t_str(node.region, "west", "what was left out stays");
	t_str(node.pool, "spare", "what was given is set");
	ga_schema_release(&ga_node_schema, &node);
	s.reserved_memory_mib = 2000;
	t_int(ga_store_apply_node_settings(db, &s, &err), 1, "a reserve");
	t_str(sw_get(db, "SELECT reserve_mib FROM node_memory"), "2000", "reaches the NUMA nodes");
	sw_sql(db, "INSERT INTO node_memory (node_id, numa_node, memory_mib) VALUES "
		   "('n1', 1, 1048576), ('n1', -1, 2097152)");
	s.reserved_memory_mib = 2001;
	t_int(ga_store_apply_node_settings(db, &s, &err), 1, "another reserve");
	t_str(sw_get(db, "SELECT group_concat(reserve_mib) FROM (SELECT reserve_mib FROM "
			 "node_memory WHERE node_id = 'n1' ORDER BY numa_node)"),
	      "2001,1001,1001", "all of it off the host, half off each of its NUMA nodes");
	s.mode = TXT("baremetal");
	t_code(ga_store_apply_node_settings(db, &s, &err), &err, GA_CONFLICT, "in use",
	       "the mode of a node in use");
	s.node = TXT("n2");
	t_int(ga_store_apply_node_settings(db, &s, &err), 1, "a node not seen yet");
	t_str(sw_get(db, "SELECT state FROM node WHERE id = 'n2'"), "enrolled", "is enrolled");
	sw_commit(db);
	sw_close(db);
}

/* ---- orders and expectations ---- */

static void orders(void)
{
	struct ga_db *db = sw_open(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_expectation e;
	struct ga_release_order o;
	struct ga_wipe_order w;
	bool has_order;

	sw_sql(db, "UPDATE device SET destroy_data_by = 'me' WHERE id = 'd1'");
	t_int(ga_store_wipe_order(db, "s0000001", &w, &err), 0, "the first wipe that waits");
	t_str(w.attempt, "wf000001", "with its attempt");
	t_str(w.destroy_data, "d1", "and leave to destroy what is on it");
	ga_schema_release(&ga_wipe_order_schema, &w);
	sw_ready(db, 1);
	t_str(sw_get(db, "SELECT destroy_data_by FROM device WHERE id = 'd1'"), "",
	      "that leave was for one wipe");
	t_code(ga_store_wipe_order(db, "s0000001", &w, &err), &err, GA_CONFLICT, "no wipe is "
		"ordered",
	       "of an available slot");
	sw_place(db, 1, 1, 1);
	sw_must(sw_active(db, 1, &err));
	sw_must(sw_release(db, 1, &o, &has_order, &err));
	sw_must(ga_store_expectation(db, "n1", &e, &err));
	t_int((int64_t)e.slots.n, 1, "a slot is expected");
	t_str(e.slots.v[0].state, "releasing", "as it is");
	t_str(e.slots.v[0].bundle.wipe_attempt, o.bundles.v[0].wipe_attempt, "with its wipe to "
		"come");
	t_int((int64_t)e.allocations.n, 1, "its allocation too");
	t_str(e.allocations.v[0].power, "off", "switched off");
	t_str(e.allocations.v[0].attempt, o.attempt, "with the order in force");
	t_str(e.allocations.v[0].domain, "gpuaas-a0000001", "and its domain");
	ga_schema_release(&ga_expectation_schema, &e);
	sw_must(sw_released(db, &o, &err));
	t_int(ga_store_wipe_order(db, "s0000001", &w, &err), 0, "the wipe after release");
	t_str(w.attempt, o.bundles.v[0].wipe_attempt, "is the one of the release-order");
	t_int(w.generation, o.bundles.v[0].generation, "of the same generation");
	t_str(w.allocation, "a0000001", "and says whose data it is");
	ga_schema_release(&ga_wipe_order_schema, &w);
	ga_schema_release(&ga_release_order_schema, &o);
	t_code(ga_store_expectation(db, "n9", &e, &err), &err, GA_NOTFOUND, "no node",
	       "of an unknown node");
	sw_close(db);
}

/* ---- listing ---- */

struct seen {
	struct ga_str text; /* a member of each, with commas */
	const char *member;
	int n;
};

static int see(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	struct seen *s = arg;
	const char *text = ga_where_text(schema, obj, s->member);

	(void)err;
	ga_str_addf(&s->text, "%s%s", s->n++ ? "," : "", text ? text : "-");
	return 0;
}

/* The conditions, until the next call. */
static const struct ga_wheres *conditions(const struct ga_schema *schema, const char *const *texts)
{
	static struct ga_wheres list;
	struct ga_err err = GA_ERR_INIT;

	ga_wheres_release(&list);
	for (; *texts; texts++)
		t_int(ga_where_parse(schema, *texts, 0, ga_list_add(&list), &err), 0, "%s", *texts);
	return &list;
}

/* The values of a member in a listing; "" with *err filled when it is refused. */
static const char *list(struct ga_db *db, const struct ga_list_query *q, const char *member,
			struct ga_err *err)
{
	static char out[4096];
	struct seen s = { .text = GA_STR_INIT, .member = member };

	ga_err_clear(err);
	out[0] = '\0';
	if (ga_store_list(db, q, see, &s, err) == 0)
		snprintf(out, sizeof(out), "%s", s.text.buf);
	ga_str_release(&s.text);
	return out;
}

#define LIST(db, member, ...) \
	list(db, &(struct ga_list_query){ __VA_ARGS__ }, member, &err)
#define WHERE_OF(schema, ...) \
	.where = conditions(&schema, (const char *const[]){ __VA_ARGS__, NULL })
#define WHERE(...) WHERE_OF(ga_slot_schema, __VA_ARGS__)

static void listing(void)
{
	struct ga_db *db = sw_open(4);
	struct ga_err err = GA_ERR_INIT;

	sw_ready(db, 1);
	sw_ready(db, 2);
	sw_place(db, 1, 2, 1);
	t_str(LIST(db, "slot", .kind = "slots"), "s0000001,s0000002,s0000003,s0000004",
	      "slots by node and index");
	t_str(LIST(db, "slot", .kind = "slot", WHERE("state=wiping")), "s0000003,s0000004",
	      "a condition");
	t_str(LIST(db, "slot", .kind = "slot", WHERE("state=wiping", "slot_index=4")), "s0000004",
	      "two conditions");
	t_str(LIST(db, "slot", .kind = "slot", WHERE("wipe.verify=full"), .limit = 2),
	      "s0000001,s0000002", "an inner member, and a limit");
	t_str(LIST(db, "slot", .kind = "slot", WHERE("allocation=null"), .after = "s0000001"),
	      "s0000003,s0000004", "null, and what is behind an id");
	t_str(LIST(db, "slot", .kind = "slot", WHERE("tainted=true")), "s0000003,s0000004",
	      "a truth value");
	t_str(LIST(db, "allocation", .kind = "allocations",
		   WHERE_OF(ga_allocation_schema, "slots=s0000002")), "a0000001",
	      "an element of a list");
	t_str(LIST(db, "slot", .kind = "slots", .since = "2026-02-01T00:00:00Z"),
	      "s0000001,s0000002", "since a time");
	LIST(db, "slot", .kind = "slots", .newest = true);
	t_int(err.code, GA_USAGE, "newest first, of no history");
	LIST(db, "slot", .kind = "things");
	t_int(err.code, GA_USAGE, "an unknown kind");
	LIST(db, "slot", .kind = "slots", .after = "zzzzzzzz");
	t_int(err.code, GA_NOTFOUND, "behind an id that is not there");
	LIST(db, "slot", .kind = "slots", .since = "yesterday");
	t_int(err.code, GA_USAGE, "since no time");
	sw_close(db);
}

/* Histories, forwards and backwards, in pages of which each begins after the last row before. */
static void histories(void)
{
	static const struct {
		const char *kind, *member, *after, *oldest, *newest; /* newest: the last page */
	} rows[] = {
		{ "tasks", "phase", "2", "c,d", "a" },
		{ "usage", "allocation", "1", "a0000002", "" },
		{ "audit", "action", "2", "wiped,provisioning,provisioning", "state_made" },
		{ "events", "action", "2", "wiped,provisioning,provisioning", "state_made" },
		{ "evidence", "object", NULL, "s0000001,s0000002", "s0000002,s0000001" },
	};
	static const char *const phases[] = { "a", "b", "c", "d" };
	struct ga_db *db = sw_open(2);
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	sw_ready(db, 1);
	sw_ready(db, 2);
	sw_place(db, 1, 1, 1);
	sw_place(db, 2, 2, 1);
	for (i = 0; i < GA_ARRAY_SIZE(phases); i++)
		sw_must(sw_progress(db, 1, phases[i], "started", &err));
	sw_must(sw_progress(db, 2, "a", "started", &err));
	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		const char *kind = rows[i].kind, *member = rows[i].member;
		int64_t limit = i ? 0 : 2;

		t_str(LIST(db, member, .kind = kind, .after = rows[i].after, .limit = limit),
		      rows[i].oldest, "%s, oldest first", kind);
		t_str(LIST(db, member, .kind = kind, .after = rows[i].after, .newest = true),
		      rows[i].newest, "%s, newest first", kind);
	}
	t_str(LIST(db, "phase", .kind = "tasks", .newest = true, .limit = 2), "a,d",
	      "the newest two");
	t_str(LIST(db, "phase", .kind = "tasks", .newest = true, .after = "5", .limit = 2), "d,c",
	      "and the two before");
	t_str(LIST(db, "phase", .kind = "tasks", .since = "2096-01-01T00:00:00Z"), "",
	      "none since then");
	LIST(db, "phase", .kind = "tasks", .after = "x");
	t_int(err.code, GA_USAGE, "a number that is none");
	sw_close(db);
}

static void every_kind(void)
{
	static const struct {
		const char *kind, *member, *text;
	} cases[] = {
		{ "nodes", "node", "n1" },
		{ "claims", "claim", "c0000012" },
		{ "tasks", "phase", "clone" },
		{ "usage", "usage_kind", "provisioning" },
		{ "evidence", "object", "s0000001,s0000002" },
		{ "audit", "action", "state_made,wiped" },
		{ "plans", "allocation", "a0000001" },
		{ "candidates", "node", "" },
		{ "images", "name", "" },
		{ "node-images", "node", "" },
		{ "profiles", "name", "lab" },
		{ "pools", "pool", "prod" },
		{ "regions", "name", "west" },
		{ "attention", "object", "s0000003,n1" },
	};
	struct ga_db *db = sw_open(3);
	struct ga_err err = GA_ERR_INIT;
	struct ga_profile p = a_profile();
	size_t i;

	sw_ready(db, 1);
	sw_ready(db, 2);
	sw_place(db, 1, 2, 1);
	sw_must(sw_progress(db, 1, "clone", "started", &err));
	sw_begin(db);
	sw_must(ga_store_apply_profile(db, &p, &err));
	sw_commit(db);
	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		bool audit = !strcmp(cases[i].kind, "audit");
		const char *is = LIST(db, cases[i].member, .kind = cases[i].kind,
				      .limit = audit ? 2 : 0);

		t_str(is, cases[i].text, "list %s", cases[i].kind);
	}
	t_str(LIST(db, "action", .kind = "audit", .after = "4"), "profile_applied",
	      "the audit behind a number");
	sw_close(db);
}

static int keep_plan(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	(void)err;
	*(char **)arg = ga_rec_format_text(schema, obj);
	return 0;
}

static void plans(void)
{
	struct ga_db *db = sw_open(1);
	struct ga_err err = GA_ERR_INIT;
	ga_autofree char *text = NULL;

	sw_ready(db, 1);
	sw_place(db, 1, 1, 1);
	sw_must(ga_store_list(db, &(struct ga_list_query){ .kind = "plan" }, keep_plan, &text,
		&err));
	t_str(text, sw_get(db, "SELECT plan FROM allocation"), "a plan is printed byte for byte");
	sw_must(sw_active(db, 1, &err));
	t_str(LIST(db, "allocation", .kind = "plan"), "", "until it was taken up");
	sw_close(db);
}

/* ---- numbers and what needs a person ---- */

struct pool_is {
	struct ga_pool p;
	struct ga_hardware_profile view;
};

static int keep_numbers(const struct ga_schema *schema, const void *obj, void *arg,
			struct ga_err *err)
{
	struct pool_is *is = arg;

	(void)err;
	if (schema == &ga_pool_schema)
		is->p = *(const struct ga_pool *)obj;
	else
		is->view = *(const struct ga_hardware_profile *)obj;
	return 0;
}

/* The part of a pool that fits is what would be placed now. */
static void pool_now(struct ga_db *db)
{
	static const struct {
		const char *sql;
		int64_t stale_seconds, largest;
		const char *why;
	} cases[] = {
		{ "SELECT 1", 60, 0, "nobody has looked at the node for a minute" },
		{ "UPDATE node SET observed_at = '2999-01-01T00:00:00.000000Z', "
		  "generation = generation + 1", 60, 2, "somebody has" },
		{ "INSERT INTO maintenance (id, node_id, from_at, to_at, reason, created_at, "
		  "created_by) VALUES ('w1', 'n1', '2026-01-01T00:00:00.000000Z', "
		  "'2999-01-01T00:00:00.000000Z', 'fans', 'x', 'me')", 60, 0,
		  "the node is in maintenance" },
		{ "UPDATE maintenance SET ended_at = '2026-01-02T00:00:00.000000Z'", 60, 2,
		  "somebody ended it" },
		{ "UPDATE slot SET cordon = 'fans', generation = generation + 1 "
		  "WHERE state = 'available'", 60, 0, "a plan has the only good slot" },
		{ "UPDATE allocation SET expires_at = '2026-01-01T00:00:00.000000Z', "
		  "generation = generation + 1", 60, 1, "its time is over" },
	};
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_list_query q = { .kind = "pool",
					   .stale_seconds = cases[i].stale_seconds };
		struct pool_is is = { 0 };

		sw_sql(db, cases[i].sql);
		sw_must(ga_store_list(db, &q, keep_numbers, &is, &err));
		t_int(is.p.largest, cases[i].largest, "the largest slice where %s", cases[i].why);
	}
}

static void pools(void)
{
	struct ga_db *db = sw_open(5);
	struct ga_err err = GA_ERR_INIT;
	struct ga_profile p = a_profile();
	struct pool_is is = { 0 };
	struct ga_accels *accels = NULL;
	int i;

	for (i = 1; i <= 4; i++)
		sw_ready(db, i);
	sw_place(db, 1, 4, 1);
	sw_begin(db);
	sw_must(ga_store_apply_profile(db, &p, &err));
	sw_sql(db, "INSERT INTO image VALUES ('tiny', 'sha256:1', '{}', "
		   "'2026-01-01T00:00:00.000000Z')");
	sw_sql(db, "INSERT INTO node_image VALUES ('n1', 'tiny', 'sha256:1', '/tiny.raw', "
		   "'2026-01-01T00:00:00.000000Z')");
	sw_commit(db);
	sw_must(ga_store_list(db, &(struct ga_list_query){ .kind = "pool" }, keep_numbers, &is,
		&err));
	t_int(is.p.slots, 5, "slots of the pool");
	t_int(is.p.available, 3, "available");
	t_int(is.p.reserved, 1, "reserved");
	t_int(is.p.cleaning, 1, "cleaning");
	t_int(is.p.largest, 2, "the largest slice is what a profile allows");
	t_int(is.p.fragmentation_ppm, 0, "nothing is scattered");
	ga_accels_drop_ins(NULL);
	sw_must(ga_accels_open(NULL, &accels, &err));
	sw_must(ga_store_offers(db, &(struct ga_offer_query){ .accels = accels,
							      .now_micros = ga_clock_micros() },
				keep_numbers, &is, &err));
	t_int(is.view.available_count, 3, "a user sees the number");
	t_int(is.view.price_micros, 5, "and the price");
	ga_accels_close(accels);
	pool_now(db);
	sw_close(db);
}

static int keep_command(const struct ga_schema *schema, const void *obj, void *arg,
			struct ga_err *err)
{
	const struct ga_attention *a = obj;

	(void)schema;
	(void)err;
	ga_str_addf(arg, "%s %s %s: %s\n", a->object, a->code, a->project ? a->project : "-",
		    a->command);
	return 0;
}

static const char *attention(struct ga_db *db)
{
	static char out[4096];
	ga_autostr struct ga_str text = GA_STR_INIT;

	sw_must(ga_store_list(db, &(struct ga_list_query){ .kind = "attention" }, keep_command,
		&text,
			      &sw_err));
	snprintf(out, sizeof(out), "%s", text.buf);
	return out;
}

static void needs_a_person(void)
{
	struct ga_db *db = sw_open(3);
	struct ga_err err = GA_ERR_INIT;
	struct ga_wipe_evidence e;

	sw_ready(db, 1);
	sw_ready(db, 2);
	sw_evidence(3, "wf000003", 2, &e);
	free(e.outcome);
	e.outcome = ga_xstrdup("unknown");
	ga_wipe_evidence_seal(&e);
	sw_must(sw_fold(db, &ga_wipe_evidence_schema, &e, &err));
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	t_str(attention(db), "s0000003 wipe_unknown -: gpuaas-approve repair s0000003 --reason "
		"TEXT "
			     "| gpuaas-wipe\n"
			     "n1 node_without_key -: gpuaas-wipe --pending && gpuaas-discover | "
			     "gpuaas-approve --record-only\n",
	      "a wipe that nobody can vouch for");
	sw_place(db, 1, 1, 1);
	sw_begin(db);
	sw_sql(db, "UPDATE allocation SET expires_at = '2026-03-01T00:15:00.000000Z', "
		   "generation = generation + 1");
	sw_commit(db);
	t_ok(strstr(attention(db), "a0000001 plan_expired vision: gpuaas-release "
		"a0000001\n") != NULL,
	     "a plan that nobody took up");
	sw_must(sw_failure(db, 1, "provision", "pa000001", 2, "clone", &err));
	t_ok(strstr(attention(db), "a0000001 failed vision: gpuaas-release a0000001 | "
		"gpuaas-wipe\n") !=
		     NULL,
	     "an allocation that failed");
	t_ok(strstr(attention(db),
		    "s0000001 provision_failed vision: gpuaas-release a0000001 | "
		    "gpuaas-wipe\n") != NULL,
	     "and its slot, which that frees");
	sw_begin(db);
	sw_must(ga_store_node_lost(db, "n1", "gone", &err));
	sw_commit(db);
	t_ok(strstr(attention(db), "n1 quarantined -: gpuaas-list slots --where node=n1\n") != NULL,
	     "a node that was lost, whose slots are retired first");
	sw_close(db);
}

/* One of the machine that has been in each of its states for years. */
static void for_years(struct ga_db *db, enum ga_machine m, const char *table, const char *id)
{
	const struct ga_fsm_state *s;

	for (s = ga_fsm_states(m); s->name; s++) {
		ga_autofree char *told = ga_xprintf("\n%s ", id), *all = NULL;
		ga_autofree char *sql = ga_xprintf(
			"UPDATE %s SET state = '%s', since = '2020-01-01T00:00:00.000000Z' "
			"WHERE id = '%s'", table, s->name, id);
		/* A clean slot that nobody keeps out of use, too. */
		bool always = m == GA_M_SLOT && (!strcmp(s->name, "quarantined") ||
						 !strcmp(s->name, "disabled"));

		if (!strcmp(s->name, "retired"))
			continue; /* that is its end */
		sw_sql(db, sql);
		all = ga_xprintf("\n%s", attention(db));
		t_int(strstr(all, told) != NULL, s->limit_seconds || always,
		      "%s: one that is %s for years", table, s->name);
	}
}

static void too_long(void)
{
	struct ga_db *db = sw_open(1);
	const char *name;

	sw_ready(db, 1);
	sw_place(db, 1, 1, 1);
	while (*(name = sw_get(db, "SELECT name FROM sqlite_schema WHERE type = 'trigger' "
				   "LIMIT 1"))) {
		ga_autofree char *sql = ga_xprintf("DROP TRIGGER %s", name);

		sw_sql(db, sql);
	}
	sw_sql(db, "UPDATE allocation SET expires_at = NULL, reason = NULL");
	for_years(db, GA_M_ALLOCATION, "allocation", "a0000001");
	/* A claim on what is available has a row of its own. */
	sw_sql(db, "UPDATE claim SET live = 0, held_by = NULL, ended_at = created_at");
	for_years(db, GA_M_SLOT, "slot", "s0000001");
	sw_close(db);
}

int main(void)
{
	finding();
	profiles();
	images();
	settings();
	orders();
	listing();
	histories();
	every_kind();
	plans();
	pools();
	needs_a_person();
	too_long();
	return t_done();
}
