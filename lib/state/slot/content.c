/* SPDX-License-Identifier: Apache-2.0 */
/* The stored evidence, judged by its content. */
#include "state/slot/content.h"

#include "decide/wipe/judge.h"
#include "record/rec.h"
#include "record/result.h"

/* The evidence that keeps devices clean. */
#define CLEARED \
	"FROM device d JOIN wipe_evidence e ON e.id = d.cleared_by WHERE d.dirty_since IS NULL"
/* That evidence, and the evidence that slots were sold by, although a tenant has dirtied them
 * since; with the slot that still has the disk. For a slot on sale, the slot's policy must be met;
 * for any other slot, the policy of its wipe. */
#define JUDGED \
	"FROM wipe_evidence e LEFT JOIN slot s ON s.id = e.slot_id AND s.nvme_wwid = e.wwid " \
	"WHERE e.id IN (SELECT cleared_by FROM device WHERE dirty_since IS NULL " \
	"UNION SELECT wipe_evidence_id FROM slot WHERE retired = 0)"

static bool judge(const struct ga_rows *rows, bool lab, const struct ga_wipe_evidence *e,
		  struct ga_wipe_verdict *v)
{
	ga_autofree char *class = ga_rows_dup(rows, 3), *verify = ga_rows_dup(rows, 4);
	ga_autofree char *memory = ga_rows_dup(rows, 5), *serial = ga_rows_dup(rows, 7);
	ga_autofree char *cause = ga_rows_dup(rows, 8);
	const struct ga_wipe_asked asked = {
		.cause = cause,
		/* A rule of check_rules.c checks that these belong to the device. */
		.wwid = e->device.wwid,
		.gpu_identity = e->gpu_identity,
		.serial = serial,
		.size_bytes = ga_rows_int(rows, 6),
		.minimum_class = class ? class : e->policy.minimum_class,
		.verify = verify ? verify : e->policy.verify,
		.gpu_memory = memory ? memory : e->policy.gpu_memory,
		/* The wipe did not cover a fabric function that came later. */
		.fabric = GA_UNKNOWN,
		.lab = lab,
		/* The permission to destroy data was for that wipe, and is not kept. */
		.may_destroy = true,
	};

	return ga_wipe_proves(&asked, e, v);
}

static int look(struct ga_db *db, const struct ga_rows *rows, ga_doubt found, void *arg)
{
	ga_autofree char *id = ga_rows_dup(rows, 0), *slot = ga_rows_dup(rows, 9);
	ga_autofree char *state = ga_rows_dup(rows, 10);
	struct ga_doubted d = { .evidence = id, .slot = slot, .state = state };
	ga_autoverdict struct ga_wipe_verdict v = { 0 };
	struct ga_err unreadable = GA_ERR_INIT;
	struct ga_wipe_evidence e;
	int r = ga_rec_parse_text(ga_rows_text(rows, 1), &ga_wipe_evidence_schema, &e, &unreadable);

	if (r < 0) {
		d.sentence = unreadable.msg;
		return found(&d, arg);
	}
	r = 0;
	/*
	 * Evidence from before the rules is not judged: its record has no member "rules", and its
	 * row has no rules either. Neither decides alone: the row can be changed by hand, and a
	 * member can be removed from the record. Only the migration and the fold write a row
	 * without rules, and the fold lets such evidence clear nothing.
	 */
	if ((ga_rows_int(rows, 2) != GA_UNKNOWN || !ga_wipe_is_old(&e)) &&
	    !judge(rows, ga_db_is_lab(db), &e, &v)) {
		ga_autofree char *sentence = ga_xprintf("%s: %s", v.code, v.sentence);

		d.sentence = sentence;
		r = found(&d, arg);
	}
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	return r;
}

#define COLUMNS \
	"SELECT e.id, e.record, e.rules, " \
	"iif(s.state IN ('available', 'reserved'), s.wipe_minimum_class, NULL), " \
	"iif(s.state IN ('available', 'reserved'), s.wipe_verify, NULL), " \
	"iif(s.state IN ('available', 'reserved'), s.wipe_gpu_memory, NULL), " \
	"s.nvme_size_bytes, s.nvme_serial, " \
	/* The cause of an older order is not kept. */ \
	"iif(s.wipe_attempt = e.attempt, s.wipe_cause, NULL), s.id, s.state "
#define IN_ORDER "ORDER BY e.number"

static int look_at_all(struct ga_db *db, struct ga_rows *rows, ga_doubt found, void *arg,
		       struct ga_err *err)
{
	int r;

	while ((r = ga_rows_next(rows, err)) > 0)
		if (look(db, rows, found, arg) < 0)
			return -1;
	return r;
}

int ga_check_content(struct ga_db *db, ga_doubt found, void *arg, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;

	if (ga_db_query(db, &rows, err, COLUMNS JUDGED " " IN_ORDER, "") < 0)
		return -1;
	return look_at_all(db, rows, found, arg, err);
}

int ga_check_content_of(struct ga_db *db, const char *slot, ga_doubt found, void *arg,
			struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;

	if (ga_db_query(db, &rows, err,
			COLUMNS "FROM slot s JOIN wipe_evidence e ON e.wwid = s.nvme_wwid "
			"WHERE s.id = ?1 AND e.id IN (SELECT d.cleared_by FROM device d WHERE "
			"d.id IN (s.nvme_wwid, s.gpu_id) AND d.dirty_since IS NULL) " IN_ORDER,
			"s", slot) < 0)
		return -1;
	return look_at_all(db, rows, found, arg, err);
}

int ga_check_unjudged(struct ga_db *db, int64_t *ret, struct ga_err *err)
{
	return ga_db_get(db, err, "SELECT count(DISTINCT e.id) " CLEARED " AND e.rules IS NULL",
			 "I", ret);
}
