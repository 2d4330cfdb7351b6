/* SPDX-License-Identifier: Apache-2.0 */
/* Overrides that wait for a second person. */
#include "state/access/propose.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "base/clock.h"
#include "base/quote.h"
#include "record/id.h"
#include "record/rec.h"
#include "record/time.h"
#include "state/db/attend.h"
#include "state/db/audit.h"
#include "state/db/invariant.h"
#include "state/db/row.h"

/* In the order of ga_proposal_schema. */
#define PROPOSALS \
	"SELECT p.id, p.action, p.slot_id, s.node_id, p.device_id, " \
	"CASE WHEN p.confirmed_uid IS NOT NULL THEN 'confirmed' " \
	"WHEN p.decided_at IS NOT NULL THEN 'withdrawn' " \
	"WHEN p.expires_at <= " GA_SQL_NOW " THEN 'expired' ELSE 'pending' END, " \
	"p.reason, p.disposal, p.proposed_by, p.proposed_at, p.expires_at, p.decided_by, " \
	"p.decided_at, 0 FROM proposal p JOIN slot s ON s.id = p.slot_id "
#define WAITS "p.decided_at IS NULL AND p.expires_at > " GA_SQL_NOW " "

int ga_query_proposals(struct ga_db *db, const char *object, struct ga_rows **ret,
		       struct ga_err *err)
{
	if (object)
		return ga_db_query(db, ret, err,
				   PROPOSALS "WHERE p.slot_id = ?1 OR p.id = ?1 "
				   "ORDER BY p.proposed_at, p.id", "s", object);
	return ga_db_query(db, ret, err, PROPOSALS "ORDER BY p.proposed_at, p.id", "");
}

static void cleanup_proposal(struct ga_proposal *p)
{
	ga_schema_release(&ga_proposal_schema, p);
}

static int by_id(struct ga_db *db, const char *id, struct ga_proposal *ret, struct ga_err *err)
{
	struct ga_rows *rows = NULL;

	if (ga_db_query(db, &rows, err, PROPOSALS "WHERE p.id = ?1", "s", id) < 0)
		return -1;
	return ga_row_first(rows, &ga_proposal_schema, ret, err) > 0 ? 0 : -1;
}

int ga_store_proposal(struct ga_db *db, const char *text, struct ga_proposal *ret,
		      struct ga_err *err)
{
	ga_autotexts struct ga_texts ids = { 0 };

	if (*text && ga_db_texts(db, &ids, err,
				 "SELECT id FROM proposal WHERE id >= ?1 AND id < ?1 || '~' "
				 "LIMIT 2", "s", text) < 0)
		return -1;
	if (!ids.n)
		return ga_refuse(err, GA_NOTFOUND, NULL, text,
				 ("there is no proposal '%.64s'", text),
				 ("'gpuaas-list proposals' shows them"));
	if (ids.n > 1)
		return ga_fail(err, GA_USAGE, "'%.64s' begins the id of more than one proposal",
			       text);
	return by_id(db, ids.v[0], ret, err);
}

/* ---- persons ---- */

static int need_human(const char *object, struct ga_err *err)
{
	if (ga_who()->is_human)
		return 0;
	return ga_refuse(err, GA_DENIED, "no_person", object,
			 ("that needs two people, and %s can be anybody",
			  ga_audit_actor()),
			 ("log in as yourself and use sudo; where there is one operator only, "
			  "apply gpuaas.access-settings with two_people off: gpuaas-operations(7), "
			  "ACCESS"));
}

static char *humans_text(void)
{
	const struct ga_who *who = ga_who();
	struct ga_str out = GA_STR_INIT;
	size_t i;

	for (i = 0; i < who->humans.n; i++)
		ga_str_addf(&out, "%s%u", i ? "," : "[", (unsigned int)who->humans.v[i]);
	ga_str_add(&out, who->humans.n ? "]" : "[]");
	return ga_str_take(&out);
}

/* Whether one user took part in both the proposal and this act: 1, 0, -1. */
static int shares_humans(struct ga_db *db, const char *proposal, struct ga_err *err)
{
	ga_autofree char *mine = humans_text();

	return ga_db_one(db, err,
			 "SELECT 1 FROM proposal p, json_each(p.proposed_humans) a, json_each(?2) "
			 "b WHERE p.id = ?1 AND a.value = b.value LIMIT 1",
			 "ss", proposal, mine);
}

int ga_store_override(struct ga_db *db, const char *slot, const char *node, struct ga_err *err)
{
	ga_autorules struct ga_access_rules rules = { 0 };
	int r = slot ? ga_store_may_slot(db, "override", slot, err) :
		       ga_store_may_node(db, "override", node, err);

	if (r < 0 || ga_store_access_load(db, &rules, err) < 0)
		return -1;
	return !ga_access_needs_two(&rules);
}

int ga_store_destruction_check(struct ga_db *db, const char *wwid, struct ga_err *err)
{
	ga_autofree char *slot = NULL, *state = NULL;
	int r = ga_db_get(db, err,
			  "SELECT id, state FROM slot WHERE nvme_wwid = ?1 AND state IN "
			  "('provisioning', 'active', 'releasing')", "sSS", wwid, &slot, &state);

	if (r < 0 || !slot)
		return r < 0 ? -1 : 0;
	return ga_refuse(err, GA_CONFLICT, "wrong_state", slot,
			 ("slot '%s' is %s: the data on its disk '%.128s' is its tenant's", slot,
			  state, wwid),
			 ("nothing to do: the wipe after the release destroys it; "
			  "'gpuaas-show %s' shows the tenant", slot));
}

int ga_store_destruction_due(struct ga_db *db, const char *wwid, struct ga_err *err)
{
	return ga_db_one(db, err,
			 "SELECT 1 FROM device WHERE id = ?1 AND dirty_since IS NOT NULL "
			 "AND destroy_data_by IS NULL", "s", wwid);
}

int ga_store_destruction_allowed(struct ga_db *db, const char *wwid, struct ga_err *err)
{
	return ga_db_one(db, err,
			 "SELECT 1 FROM device WHERE id = ?1 AND destroy_data_by IS NOT NULL", "s",
			 wwid);
}

/* ---- proposing ---- */

static int insert(struct ga_db *db, const struct ga_proposal *p, struct ga_err *err)
{
	ga_autofree char *humans = humans_text();

	if (ga_db_change(db, err,
			 "INSERT INTO proposal (id, action, slot_id, device_id, reason, disposal, "
			 "proposed_by, proposed_uid, proposed_humans, proposed_at, expires_at) "
			 "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
			 "sssssssisss", p->proposal, p->action, p->object, p->device, p->reason,
			 p->disposal, p->proposed_by, (int64_t)ga_who()->person, humans,
			 p->proposed_at, p->expires_at) < 0)
		return -1;
	return ga_audit_add(db, "override_proposed", p->object,
			    json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s}", "proposal", p->proposal,
				      "override", p->action, "device", p->device, "reason",
				      p->reason, "disposal", p->disposal, "expires", p->expires_at),
			    err);
}

int ga_store_propose(struct ga_db *db, const char *action, const char *slot, const char *device,
		     const char *reason, const char *disposal, struct ga_proposal *ret,
		     struct ga_err *err)
{
	ga_cleanup(cleanup_proposal) struct ga_proposal old = { 0 };
	ga_autorules struct ga_access_rules rules = { 0 };
	char now[GA_TIME_SIZE], expires[GA_TIME_SIZE];
	ga_autofree char *id = ga_id_new();
	int64_t micros = ga_clock_micros();
	struct ga_rows *rows = NULL;
	struct ga_proposal p = {
		.proposal = id,
		.action = (char *)(uintptr_t)action,
		.object = (char *)(uintptr_t)slot,
		.device = (char *)(uintptr_t)device,
		.reason = (char *)(uintptr_t)reason,
		.disposal = (char *)(uintptr_t)disposal,
		.proposed_by = (char *)(uintptr_t)ga_audit_actor(),
		.proposed_at = ga_time_format(micros, now),
		.expires_at = expires,
	};
	int r;

	if (need_human(slot, err) < 0 || ga_store_access_load(db, &rules, err) < 0 ||
	    ga_db_query(db, &rows, err, PROPOSALS "WHERE p.slot_id = ?1 AND " WAITS "LIMIT 1", "s",
			slot) < 0)
		return -1;
	r = ga_row_first(rows, &ga_proposal_schema, &old, err);
	if (r < 0)
		return -1;
	if (r && (strcmp(old.action, action) || !ga_streq(old.reason, reason) ||
		  !ga_streq(old.disposal, disposal) || !ga_streq(old.device, device) ||
		  strcmp(old.proposed_by, p.proposed_by)))
		return ga_refuse(err, GA_CONFLICT, "proposed", old.object,
				 ("proposal '%s' of slot '%s' waits already: %s, by %s",
				  old.proposal, old.object, old.action, old.proposed_by),
				 ("gpuaas-approve confirm %s does it, by another person; "
				  "gpuaas-approve withdraw %s withdraws it", old.proposal,
				  old.proposal));
	ga_time_format(ga_time_after(micros, ga_access_confirm_seconds(&rules)), expires);
	if (!r && insert(db, &p, err) < 0)
		return -1;
	return by_id(db, r ? old.proposal : id, ret, err);
}

/* ---- deciding ---- */

static int check_waits(const struct ga_proposal *p, struct ga_err *err)
{
	bool expired = ga_streq(p->state, "expired");

	if (ga_streq(p->state, "pending"))
		return 0;
	return ga_refuse(err, GA_CONFLICT, "wrong_state", p->object,
			 ("proposal '%s' was %s %s %s", p->proposal,
			  expired ? "to be confirmed" : p->state, expired ? "before" : "by",
			  expired ? p->expires_at : p->decided_by),
			 ("propose again what is still wanted: gpuaas-show %s", p->object));
}

/* Refuses a proposal whose slot has another disk now. */
static int check_device(struct ga_db *db, const struct ga_proposal *p, struct ga_err *err)
{
	int r = ga_db_one(db, err, "SELECT 1 FROM slot WHERE id = ?1 AND nvme_wwid = ?2", "ss",
			  p->object, p->device);

	if (r)
		return r < 0 ? -1 : 0;
	return ga_refuse(err, GA_CONFLICT, "concurrent_update", p->object,
			 ("slot '%s' no longer has the disk '%.64s' that proposal '%s' is of",
			  p->object, p->device, p->proposal),
			 ("gpuaas-approve withdraw %s withdraws it", p->proposal));
}

static int check_other(struct ga_db *db, const struct ga_proposal *p, struct ga_err *err)
{
	int r = need_human(p->object, err) < 0 ? -1 : shares_humans(db, p->proposal, err);

	if (r <= 0)
		return r;
	return ga_refuse(err, GA_DENIED, "same_person", p->object,
			 ("proposal '%s' was made by %s: somebody else has to confirm it",
			  p->proposal, p->proposed_by),
			 ("another login, who may override (gpuaas-list grants --where "
			  "revoked=false): gpuaas-approve confirm %s", p->proposal));
}

/* Decides the proposal: uid NULL withdraws it. */
static int decide(struct ga_db *db, struct ga_proposal *p, int64_t uid, const char *audit,
		  struct ga_err *err)
{
	ga_autofree char *now = ga_time_now(), *id = ga_xstrdup(p->proposal);

	if (ga_db_change(db, err,
			 "UPDATE proposal SET confirmed_uid = ?2, decided_by = ?3, decided_at = ?4 "
			 "WHERE id = ?1 AND decided_at IS NULL",
			 "siss", id, uid, ga_audit_actor(), now) < 0 ||
	    ga_audit_add(db, audit, p->object,
			 json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s}", "proposal", id, "override",
				   p->action, "device", p->device, "reason", p->reason, "disposal",
				   p->disposal, "proposed_by", p->proposed_by),
			 err) < 0)
		return -1;
	ga_schema_release(&ga_proposal_schema, p);
	return by_id(db, id, p, err);
}

int ga_store_confirm(struct ga_db *db, const char *id, struct ga_proposal *ret, struct ga_err *err)
{
	if (ga_store_proposal(db, id, ret, err) < 0)
		return -1;
	if (ga_store_may_slot(db, "override", ret->object, err) == 0 &&
	    check_waits(ret, err) == 0 && check_other(db, ret, err) == 0 &&
	    check_device(db, ret, err) == 0 &&
	    decide(db, ret, ga_who()->person, "override_confirmed", err) == 0)
		return 0;
	ga_schema_release(&ga_proposal_schema, ret);
	return -1;
}

int ga_store_withdraw(struct ga_db *db, const char *id, struct ga_proposal *ret,
		      struct ga_err *err)
{
	int own;

	if (ga_store_proposal(db, id, ret, err) < 0)
		return -1;
	own = shares_humans(db, ret->proposal, err);
	if (own >= 0 && (own || ga_store_may_slot(db, "override", ret->object, err) == 0) &&
	    check_waits(ret, err) == 0 &&
	    decide(db, ret, GA_UNKNOWN, "override_withdrawn", err) == 0)
		return 0;
	ga_schema_release(&ga_proposal_schema, ret);
	return -1;
}

/* ---- attention ---- */

int ga_attend_proposals(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT p.slot_id, s.state, p.proposed_at, s.node_id, p.action, "
			"p.proposed_by, p.expires_at, p.id FROM proposal p "
			"JOIN slot s ON s.id = p.slot_id WHERE " WAITS
			"ORDER BY p.proposed_at, p.id", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		bool retire = ga_streq(ga_rows_text(rows, 4), GA_RETIRE_UNWIPED);
		struct ga_attend f = {
			.object_kind = "slot",
			.object = ga_rows_text(rows, 0),
			.state = ga_rows_text(rows, 1),
			.since = ga_rows_text(rows, 2),
			.node = ga_rows_text(rows, 3),
			.code = "second_person",
			.sentence = ga_xprintf("%s proposed to %s: another person confirms it "
					       "before %s", ga_rows_text(rows, 5),
					       retire ? "retire it unwiped" :
							"destroy the data on its disk",
					       ga_rows_text(rows, 6)),
			.command = ga_command(retire ? "gpuaas-approve confirm %s" :
						       "gpuaas-approve confirm %s | gpuaas-wipe",
					      ga_rows_text(rows, 7)),
		};

		if (ga_attention_emit(&f, to, err) < 0)
			return -1;
	}
	return r;
}
