/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that need a person because time or disk space runs out. */
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/quote.h"
#include "record/size.h"
#include "record/time.h"
#include "state/allocation/allocation.h"
#include "state/allocation/move.h"
#include "state/db/attend.h"
#include "state/db/invariant.h"
#include "state/db/json.h"
#include "state/db/row.h"
#include "state/watch/expiring.h"

#define AHEAD_MICROS (86400 * GA_SECOND)	   /* maintenance that begins within this time */
#define ENDING_MICROS (3600 * GA_SECOND)	   /* run time that is over within this time */
#define FREE_LEAST (INT64_C(128) << 20)		   /* bytes free on the state's file system */

/* ---- run times ---- */

static int attend_run(const struct ga_rows *r, int64_t now, const struct ga_attend_to *to,
		      struct ga_err *err)
{
	const char *id = ga_rows_text(r, 0);
	struct ga_attend f = {
		.object = id,
		.object_kind = "allocation",
		.state = ga_rows_text(r, 1),
		.node = ga_rows_text(r, 2),
		.project = ga_rows_text(r, 3),
		.from_here = ga_streq(ga_rows_text(r, 6), "baremetal"),
	};
	char until[GA_TIME_SIZE];
	int64_t end;

	if (!ga_time_read(ga_rows_text(r, 4), &end))
		return 0;
	end = ga_time_after(end, ga_rows_int(r, 5));
	if (end - now > ENDING_MICROS)
		return 0;
	ga_time_format(end, until);
	f.code = end <= now ? "run_time_over" : "run_time_ends";
	f.since = end <= now ? until : ga_rows_text(r, 4);
	f.sentence = ga_xprintf("it was meant to run until %s%s", until,
				end <= now ? ", and still runs" : "");
	/* No command ends the work of a tenant before its time is over. */
	f.command = end <= now ? ga_store_leave(GA_M_ALLOCATION, f.state, ga_rows_text(r, 6), id) :
				 ga_xprintf("gpuaas-show %s", id);
	return ga_attention_emit(&f, to, err);
}

static int attend_runs(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int64_t now = ga_clock_micros();
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT a.id, a.state, a.node_id, a.project, " GA_SQL_RUN_BEGAN ", "
			GA_SQL_RUN_SECONDS ", a.shape FROM allocation a WHERE a.state = 'active' "
			"AND " GA_SQL_RUN_SECONDS " IS NOT NULL ORDER BY a.created_at, a.id",
			"") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		if (attend_run(rows, now, to, err) < 0)
			return -1;
	return r;
}

/* A host that a baremetal tenant has is not discovered, and what it showed before is over. */
#define NO_TENANT "(n.held_by IS NULL OR n.held_by = 'slices') "

/* ---- drains and maintenance ---- */

#define IN_USE "EXISTS (SELECT 1 FROM claim c WHERE c.node_id = n.id AND c.held_by IS NOT NULL)"

static int attend_drains(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT n.id, n.state, n.drain_deadline, n.cordon_reason, "
			"(SELECT count(*) FROM claim c WHERE c.node_id = n.id "
			"AND c.held_by IS NOT NULL) FROM node n "
			"WHERE n.state = 'draining' AND n.drain_deadline < " GA_SQL_NOW
			" AND " IN_USE " ORDER BY n.id",
			"") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		const char *node = ga_rows_text(rows, 0), *reason = ga_rows_text(rows, 3);
		struct ga_attend f = {
			.object = node,
			.object_kind = "node",
			.state = ga_rows_text(rows, 1),
			.code = "drain_overdue",
			.since = ga_rows_text(rows, 2),
			.node = node,
			.sentence = ga_xprintf("its drain (%s) is past its deadline, and %lld "
					       "claim%s left",
					       reason ? reason : "without a reason",
					       (long long)ga_rows_int(rows, 4),
					       ga_rows_int(rows, 4) == 1 ? " is" : "s are"),
			.command = ga_command("gpuaas-node drain %s", node),
		};

		if (ga_attention_emit(&f, to, err) < 0)
			return -1;
	}
	return r;
}

/* A node that is being drained needs no reminder; its deadline shows when the drain is late. */
static int attend_maintenance(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	char soon[GA_TIME_SIZE];
	int r;

	ga_time_format(ga_clock_micros() + AHEAD_MICROS, soon);
	if (ga_db_query(db, &rows, err,
			"SELECT n.id, n.state, m.created_at, m.from_at, m.reason, "
			"m.from_at <= " GA_SQL_NOW ", (SELECT count(*) FROM claim c WHERE "
			"c.node_id = n.id AND c.held_by IS NOT NULL) "
			"FROM maintenance m JOIN node n ON n.id = m.node_id "
			"WHERE m.ended_at IS NULL AND m.to_at > " GA_SQL_NOW " AND m.from_at <= ?1 "
			"AND " IN_USE " AND (n.state = 'active' OR m.from_at <= " GA_SQL_NOW ") "
			"ORDER BY m.from_at, m.id",
			"s", soon) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		const char *node = ga_rows_text(rows, 0), *from = ga_rows_text(rows, 3);
		bool open = ga_rows_bool(rows, 5);
		struct ga_attend f = {
			.object = node,
			.object_kind = "node",
			.state = ga_rows_text(rows, 1),
			.code = open ? "maintenance" : "maintenance_ahead",
			.since = open ? from : ga_rows_text(rows, 2),
			.node = node,
			.sentence = ga_xprintf("maintenance (%s) %s %s, and %lld claim%s on it",
					       ga_rows_text(rows, 4), open ? "began" : "begins",
					       from, (long long)ga_rows_int(rows, 6),
					       ga_rows_int(rows, 6) == 1 ? " is" : "s are"),
			.command = ga_command("gpuaas-node drain %s --reason maintenance", node),
		};

		if (ga_attention_emit(&f, to, err) < 0)
			return -1;
	}
	return r;
}

int ga_attend_expiring(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	if (attend_runs(db, to, err) < 0 || attend_drains(db, to, err) < 0)
		return -1;
	return attend_maintenance(db, to, err);
}

int ga_attend_stale(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	char before[GA_TIME_SIZE];
	int r;

	if (!to->stale_seconds)
		return 0;
	ga_time_format(ga_time_after(ga_clock_micros(), -to->stale_seconds), before);
	if (ga_db_query(db, &rows, err,
			"SELECT n.id, n.state, n.since, n.observed_at FROM node n "
			"WHERE n.state = 'active' AND coalesce(n.observed_at, '') < ?1 AND "
			NO_TENANT "AND EXISTS "
			"(SELECT 1 FROM slot s WHERE s.node_id = n.id AND s.retired = 0) "
			"ORDER BY n.id",
			"s", before) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		const char *node = ga_rows_text(rows, 0), *seen = ga_rows_text(rows, 3);
		struct ga_attend f = {
			.object = node,
			.object_kind = "node",
			.state = ga_rows_text(rows, 1),
			.code = "stale",
			.since = seen ? seen : ga_rows_text(rows, 2),
			.node = node,
			.sentence = ga_xprintf("its last discovery: %s; nothing is placed on it",
					       seen ? seen : "never"),
			.command = ga_xstrdup("gpuaas-discover | gpuaas-approve "
					      "--record-only"),
		};

		if (ga_attention_emit(&f, to, err) < 0)
			return -1;
	}
	return r;
}

/* ---- disk space ---- */

/* Nobody recorded when it became full: since is the present. */
static int attend_state_disk(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	const char *path = ga_db_path(db);
	ga_autofree char *folder = ga_file_folder(path);
	char size[GA_SIZE_SIZE];
	struct statvfs v;
	struct ga_attend f = {
		.object = path,
		.object_kind = "state",
		.state = "present",
		.code = "disk_full",
		.since = now,
	};

	if (statvfs(folder, &v) < 0)
		return ga_fail_sys(err, "looking at '%s' failed", folder);
	if ((int64_t)(v.f_bavail * v.f_frsize) >= FREE_LEAST)
		return 0;
	f.sentence = ga_xprintf("its file system has %s left; full, it takes no order",
				ga_size_format((int64_t)(v.f_bavail * v.f_frsize), size));
	f.command = ga_command("df -h %s", folder);
	return ga_attention_emit(&f, to, err);
}

int ga_attend_disks(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	/* Records are large: only those with these words are parsed. */
	if (attend_state_disk(db, to, err) < 0 ||
	    ga_db_query(db, &rows, err,
			"SELECT n.id, n.state, n.observed_at, json_extract(p.value, '$.evidence'), "
			"json_extract(p.value, '$.hint') FROM node n "
			"JOIN node_observation o ON o.node_id = n.id, "
			"json_each(" GA_SQL_OBJECT("o.record") ", '$.prerequisites') p "
			"WHERE n.state <> 'retired' AND (SELECT lab FROM meta) = 0 "
			"AND instr(o.record, '\"free_space\",\"state\":\"missing\"') > 0 "
			"AND p.type = 'object' AND json_extract(p.value, '$.name') = 'free_space' "
			"AND json_extract(p.value, '$.state') = 'missing' AND " NO_TENANT
			"ORDER BY n.id",
			"") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		const char *node = ga_rows_text(rows, 0), *hint = ga_rows_text(rows, 4);
		const char *evidence = ga_rows_text(rows, 3);
		struct ga_attend f = {
			.object = node,
			.object_kind = "node",
			.state = ga_rows_text(rows, 1),
			.code = "disk_full",
			.since = ga_rows_text(rows, 2),
			.node = node,
			.sentence = ga_attend_why(evidence ? evidence : "no room is left", hint),
			.command = ga_xstrdup("gpuaas-discover | gpuaas-approve "
					      "--record-only"),
		};

		if (ga_attention_emit(&f, to, err) < 0)
			return -1;
	}
	return r;
}
