/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch of requests: a refusal, a change during placement or an error of one request does not
 * affect the others; a dry run does not change the state.
 */
#include "state/capacity/profile.h"
#include "state/node/image.h"
#include "state/transaction/place.h"
#include "state_world.h"

static const struct ga_image tiny = { .name = TXT("tiny"), .digest = TXT(SW_FINGERPRINT),
				      .format = TXT("raw"), .file_bytes = 1, .size_bytes = 1,
				      .firmware = TXT("bios"), .probe = TXT("running") };

/* A state with slots on sale, a profile, and its image on the node. */
static struct ga_db *open_shop(int slots)
{
	static int64_t counts[] = { 1, 2 };
	const struct ga_profile lab = {
		.name = TXT("lab"), .version = GA_UNKNOWN, .shape = TXT("slice"),
		.counts = { counts, 2 }, .vcpus_per_gpu = 1, .memory_mib_per_gpu = 1000,
		.hugepage_kib = GA_UNKNOWN, .price_micros = 5, .hold_seconds = GA_UNKNOWN,
		.graceful_seconds = GA_UNKNOWN, .image = TXT("tiny"), .domain_type = TXT("test"),
		.wipe = { TXT("clear"), TXT("full"), TXT("if_supported") } };
	const struct ga_node_image copy = { .node = TXT("n1"), .image = TXT("tiny"),
					    .digest = TXT(SW_FINGERPRINT), .path = TXT("/i"),
					    .verified_at = TXT("2026-01-01T00:00:00.000000Z") };
	struct ga_db *db = sw_open(slots);
	int i;

	for (i = 1; i <= slots; i++)
		sw_ready(db, i);
	sw_begin(db);
	sw_must(ga_store_apply_image(db, &tiny, &sw_err));
	sw_must(ga_store_apply_node_image(db, &copy, &sw_err));
	sw_must(ga_store_apply_profile(db, &lab, &sw_err));
	sw_commit(db);
	return db;
}

static struct ga_placer placer(struct ga_db *db)
{
	return (struct ga_placer){ .db = db, .fleet = { .version = GA_FLEET_UNREAD },
				   .maker.expires_seconds = 900 };
}

static struct ga_request request(void)
{
	struct ga_request r;

	ga_schema_init(&ga_request_schema, &r);
	r.profile = TXT("lab");
	r.project = TXT("vision");
	r.count = 1;
	r.priority = 100;
	return r;
}

static const char *placed_now(struct ga_db *db)
{
	return sw_get(db, "SELECT count(*) FROM allocation WHERE state = 'placed'");
}

static const char *reserved_now(struct ga_db *db)
{
	return sw_get(db, "SELECT count(*) FROM slot WHERE state = 'reserved'");
}

static void refused_among_others(void)
{
	struct ga_db *db = open_shop(3);
	struct ga_request batch[] = { request(), request(), request(), request() };
	struct ga_placer p = placer(db);
	struct ga_err err = GA_ERR_INIT;

	batch[1].node = TXT("nowhere");
	batch[2].image = TXT("none");
	t_int(ga_placer_batch(&p, batch, 4, &err), 0, "a batch with two that cannot be placed");
	t_int((int64_t)p.results.n, 4, "each has its answer");
	t_ok(p.results.v[0].is_plan && p.results.v[3].is_plan, "the others are placed");
	t_str(p.results.v[0].plan.node, "n1", "on the node");
	t_ok(!p.results.v[1].is_plan, "the one for another node is refused");
	t_str(p.results.v[1].refusal.code, "node_missing", "for that");
	t_ok(strstr(p.results.v[1].refusal.sentence, "nowhere") != NULL, "and names it");
	t_str(p.results.v[2].refusal.code, "image_missing", "the one of another image too");
	t_ok(strstr(p.results.v[2].refusal.sentence, "none") != NULL, "and names the image");
	t_str(placed_now(db), "2", "two allocations are committed");
	t_str(reserved_now(db), "2", "with two slots");
	ga_placer_release(&p);
	sw_close(db);
}

static void error_among_others(void)
{
	struct ga_db *db = open_shop(3);
	struct ga_request batch[] = { request(), request(), request() };
	struct ga_placer p = placer(db);
	struct ga_err err = GA_ERR_INIT;

	batch[1].profile = TXT("unknown");
	t_code(ga_placer_batch(&p, batch, 3, &err), &err, GA_NOTFOUND, "unknown",
	       "a batch with one that is an error");
	t_int((int64_t)p.results.n, 1, "what came before it has its answer");
	t_str(placed_now(db), "1", "and is committed; what comes after is not begun");
	ga_placer_release(&p);
	sw_close(db);
}

/* Another connection changes a slot so that nothing tells the fleet in memory of it. */
static void changed_meanwhile(void)
{
	struct ga_db *db = open_shop(2), *other = NULL;
	struct ga_request batch[] = { request(), request() };
	struct ga_placer p = placer(db);
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_placer_batch(&p, batch, 1, &err), 0, "a first request");
	sw_must(ga_db_open(sw_path, GA_DB_STATE, GA_DB_WRITE, &other, &sw_err));
	sw_begin(other);
	sw_sql(other, "UPDATE slot SET generation = generation + 1 WHERE state = 'available'");
	sw_commit(other);
	t_int(ga_placer_batch(&p, batch, 2, &err), 0, "two more, of which one has room");
	t_int((int64_t)p.results.n, 2, "both have an answer");
	t_ok(p.results.v[0].is_plan, "the first is placed after a fresh look");
	t_ok(!p.results.v[1].is_plan, "the second is refused");
	t_str(sw_get(db, "SELECT count(*) FROM allocation"), "2",
	      "the try that failed left nothing");
	t_str(sw_get(db, "SELECT count(*) FROM claim"), "2", "no claim either");
	ga_placer_release(&p);
	ga_db_close(other);
	sw_close(db);
}

static void dry_run(void)
{
	struct ga_db *db = open_shop(2);
	struct ga_request batch[] = { request(), request(), request() };
	struct ga_placer p = placer(db);
	struct ga_err err = GA_ERR_INIT;
	ga_autofree char *audit = ga_xstrdup(sw_get(db, "SELECT count(*) FROM audit"));

	p.dry_run = true;
	t_int(ga_placer_batch(&p, batch, 3, &err), 0, "a dry run");
	t_int((int64_t)p.results.n, 3, "answers each");
	t_ok(p.results.v[1].is_plan && p.results.v[1].plan.dry_run, "with plans of a dry run");
	t_ok(strcmp(p.results.v[0].plan.bundles.v[0].slot, p.results.v[1].plan.bundles.v[0].slot) !=
		     0, "on slots of their own");
	t_ok(!p.results.v[2].is_plan, "and says when there is no more room");
	t_str(sw_get(db, "SELECT count(*) FROM allocation"), "0", "no allocation is made");
	t_str(reserved_now(db), "0", "no slot is taken");
	t_str(sw_get(db, "SELECT count(*) FROM audit"), audit, "and the audit has nothing of it");
	t_int(ga_placer_batch(&p, batch, 1, &err), 0, "once more");
	t_ok(p.results.v[0].is_plan, "there still is room");
	ga_placer_release(&p);
	sw_close(db);
}

static void again(void)
{
	struct ga_db *db = open_shop(2);
	struct ga_request r = request();
	struct ga_placer p = placer(db);
	struct ga_err err = GA_ERR_INIT;
	ga_autofree char *first = NULL, *id = NULL;

	r.request_id = TXT("one");
	sw_must(ga_placer_batch(&p, &r, 1, &err));
	first = ga_xstrdup(p.results.v[0].plan.digest);
	id = ga_xstrdup(p.results.v[0].plan.allocation);
	t_int(ga_placer_batch(&p, &r, 1, &err), 0, "the same request again");
	t_str(p.results.v[0].plan.digest, first, "has the same plan");
	t_str(placed_now(db), "1", "and no second allocation");
	r.count = 2;
	t_code(ga_placer_batch(&p, &r, 1, &err), &err, GA_CONFLICT, "another request",
	       "another request by that id");
	t_str(err.object, id, "names the allocation that has it");
	ga_placer_release(&p);
	sw_close(db);
}

/* ---- names of types ---- */

static int no_catalogue(struct ga_accels **ret, struct ga_err *err)
{
	(void)err;
	*ret = NULL;
	return 0;
}

static int type_means(const struct ga_placer *p, const char *name, struct ga_texts *ret,
		      struct ga_err *err)
{
	(void)p;
	if (!ga_streq(name, "Hopper"))
		return ga_fail(err, GA_USAGE, "'%s' is no type", name);
	ga_texts_add(ret, "h100");
	ga_texts_add(ret, "h200");
	return 0;
}

static void names_of_types(void)
{
	struct ga_db *db = open_shop(3);
	struct ga_request batch[] = { request(), request(), request() };
	char *names[] = { TXT("Hopper"), TXT("h200"), TXT("none") };
	struct ga_placer p = placer(db);
	struct ga_err err = GA_ERR_INIT;

	p.catalogue = no_catalogue;
	p.type_means = type_means;
	batch[0].types.v = &names[0];
	batch[1].types.v = &names[1];
	batch[2].types.v = &names[2];
	batch[0].types.n = batch[1].types.n = batch[2].types.n = 1;
	t_int(ga_placer_batch(&p, batch, 3, &err), 0, "types by their names");
	t_ok(p.results.v[0].is_plan, "the name of a group has room on one of its types");
	t_str(sw_get(db, "SELECT json_extract(request, '$.types') FROM allocation "
			 "ORDER BY rowid LIMIT 1"),
	      "[\"h100\",\"h200\"]", "and is stored as types");
	t_ok(p.results.v[1].is_plan, "a type that only a slot knows is one");
	t_str(p.results.v[2].refusal.code, "unknown_type", "a name of nothing is refused");
	p.once = true;
	t_code(ga_placer_batch(&p, &batch[2], 1, &err), &err, GA_USAGE, "no type",
	       "and an error of a single request");
	ga_placer_release(&p);
	sw_close(db);
}

/* ---- warnings ---- */

static void warnings(void)
{
	struct ga_db *db = open_shop(3);
	struct ga_request r = request();
	struct ga_placer p = placer(db);
	struct ga_err err = GA_ERR_INIT;

	sw_begin(db);
	sw_sql(db, "INSERT INTO maintenance (id, node_id, from_at, to_at, reason, created_at, "
		   "created_by) VALUES ('m1', 'n1', '2096-01-01T00:00:00.000000Z', "
		   "'2096-01-02T00:00:00.000000Z', 'new fans', "
		   "'2026-01-01T00:00:00.000000Z', 'me')");
	sw_commit(db);
	t_int(ga_placer_batch(&p, &r, 1, &err), 0, "a request without an end, before maintenance");
	t_int((int64_t)p.warnings.n, 1, "people are warned");
	t_ok(p.warnings.n && strstr(p.warnings.v[0], "new fans"), "of what it is for");
	t_int(ga_placer_batch(&p, &r, 1, &err), 0, "another one");
	t_int((int64_t)p.warnings.n, 0, "they are warned once");
	ga_placer_release(&p);
	sw_close(db);
}

int main(void)
{
	refused_among_others();
	error_among_others();
	changed_meanwhile();
	dry_run();
	again();
	names_of_types();
	warnings();
	return t_done();
}
