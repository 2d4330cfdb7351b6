/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lab state for tests of the store and the fold, filled as approve and place fill it: node n1
 * with slots s0000001…, whose first wipe is due; sw_ready folds that wipe. The functions here make
 * good records of every kind that a host sends; the test then spoils them.
 */
#ifndef STATE_WORLD_H
#define STATE_WORLD_H

#include <inttypes.h>
#include <unistd.h>

#include "base/texts.h"
#include "evidence_world.h"
#include "record/bundle.h"
#include "record/plan.h"
#include "record/rec.h"
#include "record/release.h"
#include "record/result.h"
#include "record/state.h"
#include "record/time.h"
#include "state/allocation/release.h"
#include "state/db/db.h"
#include "state/db/row.h"
#include "state/fold/fold.h"
#include "t.h"

#define SW_PROFILE \
	"{\"kind\":\"gpuaas.profile/1\",\"name\":\"lab\",\"shape\":\"slice\",\"price_micros\":5," \
	"\"wipe\":{\"minimum_class\":\"clear\",\"verify\":\"full\",\"gpu_memory\":" \
	"\"if_supported\"}}"
#define SW_FINGERPRINT \
	"sha256:1111111111111111111111111111111111111111111111111111111111111111"
#define TXT(s) ((char *)(uintptr_t)(s))

static char sw_dir[64], sw_path[96];
static struct ga_err sw_err;

/* A call of the world itself that must succeed. */
__attribute__((unused)) static int sw_must(int r)
{
	if (r >= 0)
		return r;
	printf("Bail out! %s (%s)\n", sw_err.msg, sw_err.reason);
	exit(1);
}

/* Statements are cached by their text's address: each text is kept until the state is closed. */
static struct ga_texts sw_kept;

__attribute__((unused)) static const char *sw_keep(const char *sql)
{
	return *ga_list_add(&sw_kept) = ga_xstrdup(sql);
}

__attribute__((unused)) static void sw_sql(struct ga_db *db, const char *sql)
{
	sw_must(ga_db_exec(db, &sw_err, sw_keep(sql), ""));
}

/* The first column of the first row; "" for NULL or none. */
__attribute__((unused)) static const char *sw_get(struct ga_db *db, const char *sql)
{
	static char out[8][4096];
	static int turn;
	char *to = out[turn++ % 8];
	ga_autorows struct ga_rows *rows = NULL;

	to[0] = '\0';
	sw_must(ga_db_query(db, &rows, &sw_err, sw_keep(sql), ""));
	if (sw_must(ga_rows_next(rows, &sw_err)) && ga_rows_text(rows, 0))
		snprintf(to, sizeof(out[0]), "%s", ga_rows_text(rows, 0));
	return to;
}

__attribute__((unused)) static const char *sw_slot_is(struct ga_db *db, int i)
{
	ga_autofree char *sql = ga_xprintf("SELECT state FROM slot WHERE id = 's000000%d'", i);

	return sw_get(db, sql);
}

__attribute__((unused)) static const char *sw_allocation_is(struct ga_db *db, int i)
{
	ga_autofree char *sql = ga_xprintf("SELECT state FROM allocation WHERE id = 'a000000%d'",
		i);

	return sw_get(db, sql);
}

__attribute__((unused)) static void sw_begin(struct ga_db *db)
{
	sw_must(ga_db_begin(db, "test", &sw_err));
}

__attribute__((unused)) static void sw_commit(struct ga_db *db)
{
	sw_must(ga_db_commit(db, &sw_err));
}

/* Folds in a transaction of its own; a refusal undoes it. */
__attribute__((unused)) static int sw_fold(struct ga_db *db, const struct ga_schema *schema,
					   const void *obj, struct ga_err *err)
{
	int r;

	sw_begin(db);
	ga_err_clear(err);
	r = ga_fold(db, schema, obj, err);
	if (r < 0)
		ga_db_rollback(db);
	else
		sw_commit(db);
	return r;
}

/* A slot as approve leaves it: tainted, wiping, its first wipe ordered as attempt wf00000I. */
__attribute__((unused)) static void sw_slot(struct ga_db *db, int i)
{
	ga_autofree char *device = ga_xprintf(
		"INSERT INTO device (id, device_kind, node_id, dirty_since, dirtied_by, "
		"first_seen_at) VALUES ('d%d', 'disk', 'n1', '2026-01-01T00:00:00.000000Z', "
		"'first', "
		"'2026-01-01T00:00:00.000000Z'), ('n1/g%d', 'gpu', 'n1', "
		"'2026-01-01T00:00:00.000000Z', 'first', '2026-01-01T00:00:00.000000Z')", i, i);
	ga_autofree char *slot = ga_xprintf(
		"INSERT INTO slot (id, node_id, slot_index, since, accelerator_type, type_name, "
		"gpu_id, gpu_identity, gpu_pci_address, gpu_device, nvme_wwid, nvme_serial, "
		"nvme_path, "
		"nvme_size_bytes, fabric_claim_mode, fabric_vf_pci_address, fabric_pf_pci_address, "
		"numa_node, cpuset, memory_mib, mac, private_ip, bridge, port, storage_ownership, "
		"wipe_minimum_class, wipe_verify, wipe_gpu_memory, health_state, fingerprint) "
		"VALUES "
		"('s000000%d', 'n1', %d, '2026-01-02T00:00:00.000000Z', 'h200', 'NVIDIA H200', "
		"'n1/g%d', 'g%d', '0000:1%d:00.0', '10de:2335', 'd%d', 'serial%d', "
		"'/dev/nvme%dn1', "
		"16777216, 'per_slot_vf', '0000:f0:00.%d', '0000:e0:00.0', 0, '%d', 1000, "
		"'02:00:00:00:00:0%d', '10.0.0.%d', 'br0', 'port%d', 'tenant_slice', 'clear', "
		"'full', "
		"'if_supported', 'ok', '" SW_FINGERPRINT "')",
		i, i, i, i, i, i, i, i, i, i, i, i, i);
	ga_autofree char *cpu = ga_xprintf("INSERT INTO slot_cpu (node_id, cpu, slot_id) VALUES "
					   "('n1', %d, 's000000%d')", i, i);
	ga_autofree char *wipe = ga_xprintf(
		"UPDATE slot SET state = 'wiping', since = '2026-01-03T00:00:00.000000Z', "
		"wipe_attempt = 'wf00000%d', wipe_generation = 2, wipe_cause = 'first', "
		"wipe_issued_at = '2026-01-03T00:00:00.000000Z', generation = 2 "
		"WHERE id = 's000000%d'", i, i);

	sw_sql(db, device);
	sw_sql(db, slot);
	sw_sql(db, cpu);
	sw_sql(db, wipe);
}

__attribute__((unused)) static struct ga_db *sw_open(int slots)
{
	struct ga_db *db = NULL;
	int i;

	snprintf(sw_dir, sizeof(sw_dir), "/dev/shm/ga-unit-XXXXXX");
	if (!mkdtemp(sw_dir))
		exit(1);
	snprintf(sw_path, sizeof(sw_path), "%s/state.db", sw_dir);
	sw_must(ga_db_init(sw_path, true, &db, &sw_err));
	sw_begin(db);
	sw_sql(db, "INSERT INTO node (id, name, since, region, pool, network) VALUES ('n1', 'h7', "
		   "'2026-01-01T00:00:00.000000Z', 'west', 'prod', '{}')");
	sw_sql(db, "INSERT INTO node_memory VALUES ('n1', 0, 16000, 1000)");
	sw_sql(db, "UPDATE node SET state = 'active', epoch_verified = 1, fingerprint = '"
		   SW_FINGERPRINT "', generation = 2");
	for (i = 1; i <= slots; i++)
		sw_slot(db, i);
	sw_commit(db);
	return db;
}

__attribute__((unused)) static void sw_close(struct ga_db *db)
{
	static const char *const files[] = { "", "-wal", "-shm", ".gate", ".lock" };
	size_t i;

	ga_db_close(db);
	for (i = 0; i < sw_kept.n; i++)
		free(sw_kept.v[i]);
	ga_list_release(&sw_kept);
	for (i = 0; i < GA_ARRAY_SIZE(files); i++) {
		ga_autofree char *name = ga_xprintf("%s%s", sw_path, files[i]);

		unlink(name);
	}
	rmdir(sw_dir);
}

/* Good evidence of slot i for an attempt; release it with ga_schema_release. */
__attribute__((unused)) static void sw_evidence(int i, const char *attempt, int64_t generation,
						struct ga_wipe_evidence *e)
{
	ga_autofree char *wwid = ga_xprintf("d%d", i);
	static int made;
	char now[GA_TIME_SIZE];

	ga_schema_init(&ga_wipe_evidence_schema, e);
	ga_time_format(ga_clock_micros(), now);
	e->evidence = ga_xprintf("ev%06d", ++made);
	e->node = ga_xstrdup("n1");
	e->object = ga_xprintf("s000000%d", i);
	e->generation = generation;
	e->attempt = ga_xstrdup(attempt);
	ew_prove(e, wwid, 16777216, now);
	/* The attempts of first wipes have a name of their own here (the fixture above). */
	if (!ga_starts(attempt, "wf")) {
		free(e->cause);
		e->cause = ga_xstrdup("release");
	}
	e->device.serial = ga_xprintf("serial%d", i);
	e->gpu_identity = ga_xprintf("g%d", i);
	ga_wipe_evidence_seal(e);
}

/* As the order of the slot says whose it is; seals it again. */
__attribute__((unused)) static void sw_whose(struct ga_db *db, int i, struct ga_wipe_evidence *e)
{
	ga_autofree char *of = ga_xprintf("FROM claim WHERE slot_id = 's000000%d' AND live = 1 "
					  "AND claim_kind = 'slot'", i);
	ga_autofree char *id = ga_xprintf("SELECT id %s", of);
	ga_autofree char *allocation = ga_xprintf("SELECT allocation_id %s", of);
	const char *claim = sw_get(db, id);

	if (!*claim)
		return;
	e->claim = ga_xstrdup(claim);
	e->allocation = ga_xstrdup(sw_get(db, allocation));
	ga_wipe_evidence_seal(e);
}

__attribute__((unused)) static int sw_wiped(struct ga_db *db, int i, const char *attempt,
					    int64_t generation)
{
	struct ga_wipe_evidence e;
	int r;

	sw_evidence(i, attempt, generation, &e);
	sw_whose(db, i, &e);
	r = sw_fold(db, &ga_wipe_evidence_schema, &e, &sw_err);
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	return r;
}

/* The first wipe of slot i came to a good end. */
__attribute__((unused)) static void sw_ready(struct ga_db *db, int i)
{
	ga_autofree char *attempt = ga_xprintf("wf00000%d", i);

	sw_must(sw_wiped(db, i, attempt, 2));
}

__attribute__((unused)) static char *sw_plan(int i, int first, int count)
{
	struct ga_plan p;
	char *text;
	int k;

	ga_schema_init(&ga_plan_schema, &p);
	p = (struct ga_plan){
		.allocation = ga_xprintf("a000000%d", i), .node = TXT("n1"), .generation = 2,
		.attempt = ga_xprintf("pa00000%d", i), .shape = TXT("slice"),
		.project = TXT("vision"),
		.profile = TXT("lab"), .profile_version = 1, .count = count,
		.created_at = TXT("2026-03-01T00:00:00.000000Z"),
		.expires_at = TXT("2096-03-01T00:15:00.000000Z"), .epoch = 1, .vcpus = 1,
		.memory_mib = 1000, .hugepage_kib = GA_UNKNOWN,
		.domain = ga_xprintf("gpuaas-a000000%d", i), .domain_type = TXT("test"),
		.fabric_partition = GA_UNKNOWN, .price_micros = 5, .lab = true,
		.network = { .prefix_bits = GA_UNKNOWN },
		.wipe = { TXT("clear"), TXT("full"), TXT("if_supported") },
		.digest = TXT(SW_FINGERPRINT),
	};
	for (k = first; k < first + count; k++)
		*ga_list_add(&p.bundles) = (struct ga_bundle){
			.slot = ga_xprintf("s000000%d", k), .slot_index = k, .generation = 4,
			.numa_node = 0, .module_id = GA_UNKNOWN, .memory_mib = 1000,
			.nvme_size_bytes = 16777216 };
	text = ga_rec_format_text(&ga_plan_schema, &p);
	for (k = 0; k < count; k++)
		free(p.bundles.v[k].slot);
	ga_list_release(&p.bundles);
	free(p.allocation);
	free(p.attempt);
	free(p.domain);
	return text;
}

/* Allocation i as place leaves it, on `count` slots from `first`: attempt pa00000I, generation 2.
 */
__attribute__((unused)) static void sw_place(struct ga_db *db, int i, int first, int count)
{
	ga_autofree char *plan = sw_plan(i, first, count);
	ga_autofree char *insert = ga_xprintf(
		"INSERT INTO allocation (id, name, request, project, shape, count, since, node_id, "
		"accelerator_type, profile, profile_version, profile_record, price_micros, plan, "
		"attempt, attempt_generation, order_kind, order_text, expires_at, created_at, "
		"created_by) VALUES ('a000000%d', 'job%d', '{}', 'vision', 'slice', %d, "
		"'2026-03-01T00:00:00.000000Z', 'n1', 'h200', 'lab', 1, '" SW_PROFILE "', 5, '%s', "
		"'pa00000%d', 2, "
		"'plan', '%s', '2096-03-01T00:15:00.000000Z', '2026-03-01T00:00:0%d.000000Z', "
		"'me')",
		i, i, count, plan, i, plan, i);
	ga_autofree char *placed = ga_xprintf("UPDATE allocation SET state = 'placed', generation "
		"= 2 "
					      "WHERE id = 'a000000%d'", i);
	int k;

	sw_begin(db);
	sw_sql(db, insert);
	sw_sql(db, "UPDATE node SET held_by = 'slices', generation = generation + 1 "
		   "WHERE held_by IS NULL");
	for (k = first; k < first + count; k++) {
		ga_autofree char *claim = ga_xprintf(
			"INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, "
			"held_by, created_at) VALUES ('c00000%d%d', 'a000000%d', 'n1', "
			"'s000000%d', "
			"'slot', 1, 'slices', '2026-03-01T00:00:00.000000Z')", i, k, i, k);
		ga_autofree char *reserve = ga_xprintf(
			"UPDATE slot SET state = 'reserved', since = "
			"'2026-03-01T00:00:00.000000Z', "
			"generation = generation + 1 WHERE id = 's000000%d'", k);

		sw_sql(db, claim);
		sw_sql(db, reserve);
	}
	sw_sql(db, placed);
	sw_commit(db);
}

__attribute__((unused)) static int sw_progress(struct ga_db *db, int i, const char *phase,
					       const char *state, struct ga_err *err)
{
	ga_autofree char *id = ga_xprintf("a000000%d", i), *attempt = ga_xprintf("pa00000%d", i);
	ga_autofree char *now = ga_time_now();
	struct ga_progress p = { .node = TXT("n1"), .object = id, .attempt = attempt,
				 .generation = 2, .phase = TXT(phase), .state = TXT(state),
				 .at = now,
				 .elapsed_micros = GA_UNKNOWN, .bytes = GA_UNKNOWN,
				 .total_bytes = GA_UNKNOWN };

	return sw_fold(db, &ga_progress_schema, &p, err);
}

/* The record that a good provisioning of allocation i ends with, with borrowed members. */
__attribute__((unused)) static struct ga_allocation sw_running(char *id, char *attempt)
{
	return (struct ga_allocation){
		.allocation = id, .node = TXT("n1"), .generation = 2, .attempt = attempt,
		.state = TXT("active"), .since = TXT("2026-03-01T00:05:00.000000Z"),
		.project = TXT("vision"), .profile = TXT("lab"), .shape = TXT("slice"),
		.profile_version = 1, .count = 1, .priority = 100, .power_wanted = TXT("on"),
		.power_observed = TXT("on"), .created_at = TXT("2026-03-01T00:00:00.000000Z"),
		.lab = true };
}

__attribute__((unused)) static int sw_active(struct ga_db *db, int i, struct ga_err *err)
{
	ga_autofree char *id = ga_xprintf("a000000%d", i), *attempt = ga_xprintf("pa00000%d", i);
	struct ga_allocation a = sw_running(id, attempt);

	return sw_fold(db, &ga_allocation_schema, &a, err);
}

__attribute__((unused)) static int sw_failure(struct ga_db *db, int i, const char *program,
					      const char *attempt, int64_t generation,
					      const char *phase, struct ga_err *err)
{
	ga_autofree char *id = ga_xprintf("a000000%d", i), *now = ga_time_now();
	struct ga_failure f = { .node = TXT("n1"), .object = id, .attempt = TXT(attempt),
				.generation = generation, .program = TXT(program),
				.phase = TXT(phase), .code = TXT("no_lease"),
				.sentence = TXT("no lease was seen"), .status = 9, .at = now };

	return sw_fold(db, &ga_failure_schema, &f, err);
}

/* Release of allocation i; release ret with its shape. */
__attribute__((unused)) static int sw_release(struct ga_db *db, int i, struct ga_release_order *ret,
					      bool *has_order, struct ga_err *err)
{
	ga_autofree char *id = ga_xprintf("a000000%d", i);
	int r;

	sw_begin(db);
	ga_err_clear(err);
	r = ga_store_release(db, id, "done", ret, has_order, err);
	if (r < 0)
		ga_db_rollback(db);
	else
		sw_commit(db);
	return r;
}

__attribute__((unused)) static int sw_released(struct ga_db *db, const struct ga_release_order *o,
					       struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	struct ga_released r = { .allocation = o->allocation, .node = o->node,
				 .generation = o->generation, .attempt = o->attempt, .at = now,
				 .lab = true };

	return sw_fold(db, &ga_released_schema, &r, err);
}

#endif
