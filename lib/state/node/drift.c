/* SPDX-License-Identifier: Apache-2.0 */
/* Lasting drift, and wipes that could not prove everything, as rows for attention. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/quote.h"
#include "decide/drift/drift.h"
#include "record/result.h"
#include "record/time.h"
#include "state/db/attend.h"
#include "state/db/fsm.h"
#include "state/db/json.h"
#include "state/db/row.h"
#include "state/node/drift.h"
#include "state/node/health.h"

/* ---- keeping ---- */

/* The latest time that counts. An older version may have stored a later time, from a clock that was
 * ahead: it does not count (ga_time_is_ahead). */
static void latest_time(char ret[GA_TIME_SIZE])
{
	ga_time_format(ga_time_after(ga_clock_micros(), GA_TIME_AHEAD_SECONDS), ret);
}

int ga_store_drift(struct ga_db *db, const struct ga_drift *d, struct ga_err *err)
{
	const char *object = d->object ? d->object : d->node;
	bool stays = !d->repaired && strcmp(d->severity, "info") &&
		     strcmp(d->observation, "unknown");
	char latest[GA_TIME_SIZE];

	latest_time(latest);
	if (!stays)
		return ga_db_change(db, err,
				    "DELETE FROM node_drift WHERE node_id = ?1 AND object = ?2 "
				    "AND code = ?3 AND (seen_at <= ?4 OR seen_at > ?5)",
				    "sssss", d->node, object, d->code, d->at, latest);
	/* The node must be known: a drift of an unknown node is not kept. */
	return ga_db_change(db, err,
			    "INSERT INTO node_drift (node_id, object, code, severity, since, "
			    "seen_at, expected, observed, command) "
			    "SELECT id, ?2, ?3, ?5, ?4, ?4, ?6, ?7, ?8 FROM node WHERE id = ?1 "
			    "AND NOT EXISTS (SELECT 1 FROM node_reconciled "
			    "WHERE node_id = ?1 AND at > ?4 AND at <= ?9) "
			    "ON CONFLICT (node_id, object, code) DO UPDATE SET "
			    "seen_at = excluded.seen_at, severity = excluded.severity, "
			    "expected = excluded.expected, observed = excluded.observed, "
			    "command = excluded.command "
			    "WHERE node_drift.seen_at <= excluded.seen_at "
			    "OR node_drift.seen_at > ?9",
			    "sssssssss", d->node, object, d->code, d->at, d->severity,
			    d->expected, d->observed, d->repair ? NULL : d->command, latest);
}

int ga_store_drift_end(struct ga_db *db, const struct ga_observation *o, struct ga_err *err)
{
	char latest[GA_TIME_SIZE];
	int n;

	latest_time(latest);
	n = ga_db_exec(db, err,
		       "INSERT INTO node_reconciled (node_id, at, agreed, drifts) "
		       "VALUES (?1, ?2, ?3, ?4) ON CONFLICT (node_id) DO UPDATE SET "
		       "at = excluded.at, agreed = excluded.agreed, drifts = excluded.drifts "
		       "WHERE node_reconciled.at <= excluded.at OR node_reconciled.at > ?5",
		       "ssbis", o->node, o->at, (int)o->agreed, o->drifts, latest);
	/* A late observation does not remove drift found after it. */
	if (n <= 0)
		return n;
	return ga_db_change(db, err,
			    "DELETE FROM node_drift WHERE node_id = ?1 "
			    "AND (seen_at < ?2 OR seen_at > ?3)",
			    "sss", o->node, o->at, latest);
}

/* ---- attention ---- */

/* The row about the slot's health already names the lost GPU, or a later discovery saw it well. */
#define LOST_IS_TOLD \
	"((s.health_state = 'failed' AND s.health_detail GLOB 'gpu_lost: *') OR " \
	"coalesce(" GA_SQL_SEEN_WELL("s") " > d.seen_at, 0))"

enum { D_OBJECT, D_KIND, D_STATE, D_CODE, D_SINCE, D_NODE, D_PROJECT, D_EXPECTED, D_OBSERVED,
       D_COMMAND };

static int attend(const struct ga_rows *r, const struct ga_attend_to *to, struct ga_err *err)
{
	const char *expected = ga_rows_text(r, D_EXPECTED), *observed = ga_rows_text(r, D_OBSERVED);
	const char *node = ga_rows_text(r, D_NODE), *object = ga_rows_text(r, D_OBJECT);
	const char *command = ga_rows_text(r, D_COMMAND);
	bool known = ga_rows_text(r, D_KIND) != NULL, fit = ga_drift_is_command(command);
	struct ga_attend f = {
		.object = known ? object : node,
		.object_kind = known ? ga_rows_text(r, D_KIND) : "node",
		.state = ga_rows_text(r, D_STATE),
		.code = ga_rows_text(r, D_CODE),
		.since = ga_rows_text(r, D_SINCE),
		.node = node,
		.project = ga_rows_text(r, D_PROJECT),
		/* Another text than a command of the usual form is not for pasting. */
		.sentence = ga_xprintf("%s%sexpected %s, and the host shows %s%s%s",
				       known ? "" : object, known ? "" : ": ",
				       expected ? expected : "nothing",
				       observed ? observed : "nothing",
				       command && !fit ? "; the host advises: " : "",
				       command && !fit ? command : ""),
		.command = ga_xstrdup(fit ? command : "gpuaas-reconcile --repair"),
	};

	return ga_attention_emit(&f, to, err);
}

int ga_attend_drift(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	/* Remains on a host of an allocation that ended belong to its node: no command for the
	 * allocation removes them. */
	if (ga_db_query(db, &rows, err,
			"SELECT d.object, CASE WHEN a.id IS NOT NULL THEN 'allocation' "
			"WHEN s.id IS NOT NULL THEN 'slot' WHEN d.object = n.id THEN 'node' END, "
			"coalesce(a.state, s.state, n.state), d.code, d.since, d.node_id, "
			"a.project, d.expected, d.observed, "
			"CASE WHEN e.id IS NULL THEN d.command END "
			"FROM node_drift d JOIN node n ON n.id = d.node_id "
			"LEFT JOIN allocation a ON a.id = d.object "
			"AND a.state NOT IN " GA_SQL_ENDED
			" LEFT JOIN allocation e ON e.id = d.object AND e.state IN " GA_SQL_ENDED
			" LEFT JOIN slot s ON s.id = d.object WHERE n.state <> 'retired' "
			"AND NOT (d.code = 'fingerprint_changed' AND d.observed IS n.fingerprint) "
			"AND NOT (d.code = 'gpu_lost' AND s.id IS NOT NULL AND " LOST_IS_TOLD ") "
			"ORDER BY d.severity, d.node_id, d.object, d.code",
			"") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		if (attend(rows, to, err) < 0)
			return -1;
	return r;
}

int ga_attend_unproven(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_is_lab(db))
		return 0;
	if (ga_db_query(db, &rows, err,
			"SELECT s.node_id, max(n.state), min(e.finished_at), count(*), "
			"max(json_extract(" GA_SQL_OBJECT("e.record")
			", '$.gpu_memory.detail')) FROM slot s "
			"JOIN wipe_evidence e ON e.id = s.wipe_evidence_id "
			"JOIN node n ON n.id = s.node_id WHERE s.retired = 0 "
			"AND e.gpu_memory = 'not_proven' GROUP BY s.node_id ORDER BY s.node_id",
			"") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		const char *node = ga_rows_text(rows, 0), *detail = ga_rows_text(rows, 4);
		struct ga_attend f = {
			.object = node,
			.object_kind = "node",
			.state = ga_rows_text(rows, 1),
			.code = "gpu_memory_not_proven",
			.since = ga_rows_text(rows, 2),
			.node = node,
			.sentence = ga_xprintf("GPU memory of %" PRId64 " slot%s was not proven "
					       "clean: %s",
					       ga_rows_int(rows, 3),
					       ga_rows_int(rows, 3) == 1 ? "" : "s",
					       detail ? detail : "no detail"),
			.command = ga_command("gpuaas-list slots --where node=%s --where "
					      "gpu_memory=not_proven", node),
		};

		if (ga_attention_emit(&f, to, err) < 0)
			return -1;
	}
	return r;
}
