/* SPDX-License-Identifier: Apache-2.0 */
/* Holding an allocation and undoing the hold: the intent of the state side. */
#include "state/allocation/hold.h"

#include "base/clock.h"
#include "base/quote.h"
#include "base/texts.h"
#include "record/rec.h"
#include "record/release.h"
#include "record/state.h"
#include "record/time.h"
#include "state/allocation/move.h"
#include "state/db/attend.h"
#include "state/db/audit.h"
#include "state/db/controller.h"
#include "state/db/json.h"
#include "state/db/row.h"

/* The columns of an allocation that struct ga_allocation_row lacks. */
struct facts {
	char *name, *profile, *record, *power_wanted, *power_observed, *expires_at;
};

static void clear_facts(struct facts *f)
{
	free(f->name);
	free(f->profile);
	free(f->record);
	free(f->power_wanted);
	free(f->power_observed);
	free(f->expires_at);
}
#define autofacts ga_cleanup(clear_facts)

/* hold and graceful: seconds of the profile's version that the allocation was placed with. */
static int profile_seconds(const char *allocation, const struct facts *f, int64_t *hold,
			   int64_t *graceful, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	struct ga_profile p;

	*hold = 0;
	*graceful = 60;
	if (!f->record)
		return 0;
	if (ga_rec_parse_text(f->record, &ga_profile_schema, &p, &why) < 0)
		return ga_refuse(err, GA_BADREC, "profile_unreadable", allocation,
				 ("profile '%s', as allocation '%s' was placed with it, cannot be "
				  "read: %s", f->profile ? f->profile : "?", allocation, why.msg),
				 ("it is unknown whether to hold it; 'gpuaas-release %s --hold 0' "
				  "releases it at once", allocation));
	if (p.hold_seconds != GA_UNKNOWN)
		*hold = p.hold_seconds;
	if (p.graceful_seconds != GA_UNKNOWN)
		*graceful = p.graceful_seconds;
	ga_schema_release(&ga_profile_schema, &p);
	return 0;
}

static int find(struct ga_db *db, const char *id, struct ga_allocation_row *h, struct facts *f,
		struct ga_err *err)
{
	int r = ga_store_allocation_row(db, id, h, err);

	if (r < 0)
		return -1;
	if (!r)
		return ga_fail_for(err, GA_NOTFOUND, "no_allocation",
				   "there is no allocation '%s'", id);
	return ga_db_get(db, err,
			 "SELECT name, profile, profile_record, power_wanted, "
			 "power_observed, expires_at FROM allocation WHERE id = ?1",
			 "sSSSSSS", id, &f->name, &f->profile, &f->record, &f->power_wanted,
			 &f->power_observed, &f->expires_at);
}

/* ---- the effect of a release ---- */

void ga_release_outlook_clear(struct ga_release_outlook *o)
{
	free(o->allocation);
	free(o->name);
	free(o->state);
	*o = (struct ga_release_outlook){ 0 };
}

int ga_store_release_outlook(struct ga_db *db, const char *allocation, bool by_profile,
			     struct ga_release_outlook *ret, struct ga_err *err)
{
	ga_autoallocation struct ga_allocation_row h = { 0 };
	autofacts struct facts f = { 0 };
	int64_t hold = 0, graceful;
	bool used;

	if (find(db, allocation, &h, &f, err) < 0)
		return -1;
	if (by_profile && ga_streq(h.state, "active") && ga_streq(h.shape, "slice") &&
	    profile_seconds(h.id, &f, &hold, &graceful, err) < 0)
		return -1;
	used = ga_streq(h.state, "active") || ga_streq(h.state, "held") ||
	       ga_streq(h.state, "preempting");
	*ret = (struct ga_release_outlook){
		.allocation = GA_TAKE(h.id),
		.name = GA_TAKE(f.name),
		.state = GA_TAKE(h.state),
		.hold_seconds = hold,
		.loses_data = used,
	};
	return 0;
}

/* ---- the orders ---- */

static int fill(struct ga_db *db, const struct ga_allocation_row *h, const struct facts *f,
		const char *action, const char *at, const char *until, struct ga_hold_order *o,
		struct ga_err *err)
{
	char controller[GA_CONTROLLER_SIZE];
	int64_t hold, graceful = 60; /* an undo stops nothing */

	if (ga_store_controller(db, controller, err) < 0 ||
	    (ga_streq(action, "hold") &&
	     profile_seconds(h->id, f, &hold, &graceful, err) < 0))
		return -1;
	o->allocation = ga_xstrdup(h->id);
	o->node = ga_xstrdup(h->node);
	o->generation = h->attempt_generation;
	o->attempt = ga_xstrdup(h->attempt);
	o->issued_at = ga_xstrdup(at);
	o->action = ga_xstrdup(action);
	o->until = ga_strdup0(until);
	o->graceful_seconds = graceful;
	o->lab = ga_db_is_lab(db);
	o->epoch = ga_db_epoch(db);
	o->controller = ga_xstrdup(controller);
	return 0;
}

static int wrong_state(const struct ga_allocation_row *h, const char *what, struct ga_err *err)
{
	return ga_refuse(err, GA_CONFLICT, "wrong_state", h->id,
			 ("allocation '%s' is %s: %s", h->id, h->state, what),
			 ("gpuaas-show %s shows what became of it", h->id));
}

int ga_store_hold(struct ga_db *db, const char *allocation, int64_t seconds, const char *reason,
		  struct ga_hold_order *ret, struct ga_err *err)
{
	ga_autoallocation struct ga_allocation_row h = { 0 };
	autofacts struct facts f = { 0 };
	ga_autofree char *at = ga_time_now();
	char until[GA_TIME_SIZE];
	bool held;

	ga_schema_init(&ga_hold_order_schema, ret);
	if (find(db, allocation, &h, &f, err) < 0)
		return -1;
	held = ga_streq(h.state, "held");
	if (!held && !ga_streq(h.state, "active"))
		return wrong_state(&h, "only what is in use can be held", err);
	if (!ga_streq(h.shape, "slice"))
		return ga_fail_for(err, GA_CONFLICT, "no_vm",
				   "allocation '%s' is baremetal: it has no VM to stop",
				   h.id);
	ga_time_format(ga_time_after(ga_clock_micros(), seconds), until);
	if (ga_db_change(db, err,
			 "UPDATE allocation SET state = 'held', "
			 "since = CASE state WHEN 'held' THEN since ELSE ?2 END, reason = ?3, "
			 "expires_at = ?4, power_wanted = 'off', generation = generation + 1 "
			 "WHERE id = ?1",
			 "ssss", h.id, at, reason, until) < 0 ||
	    (!held && ga_store_usage_open(db, h.id, "hold", at, err) < 0) ||
	    ga_audit_add(db, held ? "hold_changed" : "held", h.id,
			 json_pack("{s:s?, s:s, s:s?}", "reason", reason, "until", until, "before",
				   held ? f.expires_at : NULL),
			 err) < 0)
		return -1;
	return fill(db, &h, &f, "hold", at, until, ret, err);
}

int ga_store_unhold(struct ga_db *db, const char *allocation, const char *reason,
		    struct ga_hold_order *ret, struct ga_err *err)
{
	ga_autoallocation struct ga_allocation_row h = { 0 };
	autofacts struct facts f = { 0 };
	ga_autofree char *at = ga_time_now();

	ga_schema_init(&ga_hold_order_schema, ret);
	if (find(db, allocation, &h, &f, err) < 0)
		return -1;
	if (!ga_streq(h.state, "held")) {
		if (!ga_streq(h.state, "active") || !ga_streq(h.order_kind, "plan") ||
		    !ga_streq(f.power_wanted, "on") || !ga_streq(f.power_observed, "off"))
			return wrong_state(&h, "there is no hold to end", err);
	} else if (ga_db_change(db, err,
				"UPDATE allocation SET state = 'active', since = ?2, "
				"reason = NULL, expires_at = NULL, power_wanted = 'on', "
				"generation = generation + 1 WHERE id = ?1",
				"ss", h.id, at) < 0 ||
		   ga_store_usage_open(db, h.id, "active", at, err) < 0 ||
		   ga_audit_add(db, "hold_undone", h.id,
				json_pack("{s:s?, s:s?}", "reason", reason, "until", f.expires_at),
				err) < 0) {
		return -1;
	}
	return fill(db, &h, &f, "undo", at, NULL, ret, err);
}

/* ---- expired holds ---- */

int ga_store_hold_over(struct ga_db *db, struct ga_texts *ret, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	return ga_db_texts(db, ret, err,
			   "SELECT id FROM allocation WHERE state = 'held' AND expires_at <= ?1 "
			   "ORDER BY expires_at, id",
			   "s", now);
}

int ga_store_hold_is_over(struct ga_db *db, const char *allocation, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	return ga_db_one(db, err,
			 "SELECT 1 FROM allocation WHERE id = ?1 AND state = 'held' "
			 "AND expires_at <= ?2",
			 "ss", allocation, now);
}

/* ---- failed holds ---- */

int ga_attend_holds(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	/* An order or observation after the failure settles it. The audit's order counts, because
	 * the clocks of hosts may be wrong. */
	if (ga_db_query(db, &rows, err,
			"SELECT a.id, a.state, a.node_id, a.project, f.at, "
			"json_extract(" GA_SQL_OBJECT("f.detail") ", '$.sentence') "
			"FROM allocation a "
			"JOIN audit f ON f.seq = (SELECT max(seq) FROM audit WHERE object = a.id "
			"AND action IN ('held', 'hold_changed', 'hold_undone', 'hold_failed', "
			"'power')) WHERE f.action = 'hold_failed' AND "
			"((a.state = 'held' AND a.power_observed IS NOT 'off') OR "
			"(a.state = 'active' AND a.power_wanted = 'on' AND "
			"a.power_observed = 'off')) ORDER BY a.created_at, a.id",
			"") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		const char *id = ga_rows_text(rows, 0), *state = ga_rows_text(rows, 1);
		bool held = ga_streq(state, "held");
		struct ga_attend f = {
			.object = id,
			.object_kind = "allocation",
			.state = state,
			.node = ga_rows_text(rows, 2),
			.project = ga_rows_text(rows, 3),
			.since = ga_rows_text(rows, 4),
			.code = held ? "hold_failed" : "undo_failed",
			.sentence = ga_xprintf("%s: %s", held ? "its VM could not be stopped" :
						       "its VM could not be started again",
					       ga_rows_text(rows, 5)),
			.command = ga_command(held ? "gpuaas-vm stop %s" :
						     "gpuaas-release --undo %s", id),
		};

		if (ga_attention_emit(&f, to, err) < 0)
			return -1;
	}
	return r;
}
