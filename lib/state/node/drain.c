/* SPDX-License-Identifier: Apache-2.0 */
/* Moves of nodes by an operator, and the objects that block a drain. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "decide/setup/remote.h"
#include "record/node.h"
#include "record/person.h"
#include "record/rec.h"
#include "record/release.h"
#include "record/state.h"
#include "record/time.h"
#include "state/allocation/allocation.h"
#include "state/allocation/move.h"
#include "state/db/audit.h"
#include "state/db/fsm.h"
#include "state/db/json.h"
#include "state/node/node.h"

static const struct verb {
	const char *name, *to, *audit;
	bool needs_reason;
} verbs[] = {
	{ "drain", "draining", "node_draining", true },
	{ "undrain", "active", "node_undrained", false },
	{ "quarantine", "quarantined", "node_quarantined", true },
	{ "retire", "retired", "node_retired", true },
	{ .name = NULL },
};

static void cleanup_node(struct ga_node *n)
{
	ga_schema_release(&ga_node_schema, n);
}

static int fail_state(const struct verb *v, const struct ga_node *n, struct ga_err *err)
{
	ga_fail_about(err, GA_CONFLICT, "wrong_state", n->node,
		      "node '%s' is %s: it cannot become %s", n->node, n->state, v->to);
	if (ga_streq(n->state, "enrolled"))
		return ga_hint(err, "nothing was approved on it yet, so nothing is placed there: "
				    "gpuaas-discover | gpuaas-approve --all-ready on that host, or "
				    "gpuaas-node retire %s --reason TEXT",
			       n->node);
	if (ga_streq(n->state, "active") && ga_streq(v->name, "retire"))
		return ga_hint(err, "gpuaas-node drain %s --reason TEXT first", n->node);
	if (ga_streq(n->state, "retired"))
		return ga_hint(err, "a retired node stays retired: the host comes back under "
				    "another node id (GPUAAS_NODE)");
	return ga_hint(err, "gpuaas-node show %s", n->node);
}

const char *ga_node_unwiped_disks(const char *reason)
{
	const char *words = reason ? strstr(reason, ": " GA_DISK_IN_NO_SLOT) : NULL, *at;

	for (at = words; at && at > reason; at--)
		if (ga_starts(at, "disk "))
			break;
	return at;
}

char *ga_node_reason(const char *old, const char *reason)
{
	const char *disks = ga_node_unwiped_disks(old);
	size_t n = !old ? 0 : disks ? (size_t)(disks - old) : strlen(old);
	ga_autofree char *before = ga_xstrndup(old ? old : "", n), *both = NULL;

	while (n && strchr("; ", before[n - 1]))
		before[--n] = '\0';
	both = ga_person_put_reason(before, reason);
	return disks && !strstr(both, disks) ? ga_xprintf("%s; %s", both, disks) : GA_TAKE(both);
}

/* Refuses an undrain without a reason where a person must say what was done. */
static int refuse_undrain(const struct ga_node *n, const char *disks, struct ga_err *err)
{
	if (disks)
		return ga_refuse(err, GA_CONFLICT, "tainted", n->node,
				 ("node '%s' is not sold: %s", n->node, disks),
				 ("erase it as in gpuaas-host(7), BAREMETAL, or remove it; then "
				  "gpuaas-node undrain %s --reason TEXT says how", n->node));
	if (ga_streq(n->state, "quarantined"))
		return ga_refuse(err, GA_CONFLICT, "wrong_state", n->node,
				 ("node '%s' is quarantined until a person has checked it: %s",
				  n->node, n->cordon_reason ? n->cordon_reason :
							      "no reason is known"),
				 ("gpuaas-node undrain %s --reason TEXT says what was checked",
				  n->node));
	return 0;
}

int ga_store_node_move(struct ga_db *db, const char *node, const struct ga_node_move *move,
		       struct ga_node *ret, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	ga_cleanup(cleanup_node) struct ga_node n = { 0 };
	ga_autofree char *reason = NULL, *fits = NULL;
	const struct verb *v = verbs;
	const char *deadline, *disks, *to;
	bool there, retire, undrain, drain;

	while (v->name && !ga_streq(v->name, move->verb))
		v++;
	if (!v->name)
		return ga_fail(err, GA_USAGE, "unknown command '%.32s'", move->verb);
	if (ga_store_node(db, node, &n, err) < 0)
		return -1;
	drain = ga_streq(v->name, "drain");
	/* Only an undrain ends what a person ordered by a quarantine. */
	to = drain && ga_streq(n.state, "quarantined") ? n.state : v->to;
	there = ga_streq(to, n.state);
	if (drain && there && move->deadline && ga_streq(n.state, "quarantined"))
		return ga_refuse(err, GA_CONFLICT, "wrong_state", n.node,
				 ("node '%s' is quarantined, so its drain has no deadline", n.node),
				 ("leave --deadline out: it takes no work already"));
	if (v->needs_reason && !(there && n.cordon_reason) && (!move->reason || !*move->reason))
		return ga_fail(err, GA_USAGE, "%s needs --reason", v->name);
	if (move->generation != GA_UNKNOWN && move->generation != n.generation)
		return ga_fail_about(err, GA_CONFLICT, "concurrent_update", n.node,
				     "node '%s' has changed: expected generation %" PRId64
				     ", found %" PRId64, n.node, move->generation, n.generation);
	retire = ga_streq(v->name, "retire");
	/* Only an approval makes capacity of a new node; the node may be retired. */
	if (!there && (ga_streq(n.state, "enrolled") ? !retire :
						       !ga_fsm_is_edge(GA_M_NODE, n.state, to)))
		return fail_state(v, &n, err);
	/* Devices and addresses stand in its slots: another node could not use them. */
	if (retire && n.slots)
		return ga_refuse(err, GA_CONFLICT, "has_slots", n.node,
				 ("node '%s' still has %" PRId64 " slot%s not retired", n.node,
				  n.slots, n.slots == 1 ? " that is" : "s that are"),
				 ("gpuaas-list slots --where node=%s shows them; gpuaas-approve "
				  "disable and gpuaas-approve retire remove each", n.node));
	/* The reason stays while the node is out of placement, and is removed with its return. */
	undrain = ga_streq(v->name, "undrain");
	disks = ga_node_unwiped_disks(n.cordon_reason);
	reason = undrain      ? NULL :
		 move->reason ? ga_node_reason(n.cordon_reason, move->reason) :
				ga_strdup0(n.cordon_reason);
	fits = there && move->reason ? ga_person_add_reason(n.cordon_reason, move->reason) : NULL;
	if (there && move->reason && !fits && !ga_node_unwiped_disks(move->reason))
		return ga_refuse(err, GA_CONFLICT, "wrong_state", n.node,
				 ("node '%s' is %s for so many reasons that no other fits", n.node,
				  n.state),
				 ("it stays so until they are settled: gpuaas-node show %s has "
				  "them", n.node));
	if (there && (!move->reason || ga_streq(reason, n.cordon_reason)) &&
	    (!move->deadline || ga_streq(move->deadline, n.drain_deadline)))
		return ga_store_node(db, node, ret, err);
	if (undrain && (!move->reason || !*move->reason) && refuse_undrain(&n, disks, err) < 0)
		return -1;
	deadline = !drain || !ga_streq(to, "draining") ? NULL :
		   move->deadline	       ? move->deadline :
		   there		       ? n.drain_deadline :
						 NULL;
	if (ga_db_change(db, err,
			 "UPDATE node SET state = ?2, "
			 "since = CASE state WHEN ?2 THEN since ELSE ?3 END, cordon_reason = ?4, "
			 "drain_deadline = ?5, generation = generation + 1 WHERE id = ?1",
			 "sssss", n.node, to, now, reason, deadline) < 0)
		return ga_streq(err->reason, "has_claims") ?
			       ga_hint(err, "gpuaas-node show %s shows what is on it", node) :
			       -1;
	if (ga_audit_add(db, v->audit, node,
			 json_pack("{s:s, s:s, s:s?, s:s?, s:s*, s:s*}", "from", n.state, "to", to,
				   "reason", move->reason, "deadline", move->deadline, "disks",
				   undrain ? disks : NULL, "ended",
				   undrain ? n.cordon_reason : NULL),
			 err) < 0)
		return -1;
	if (move->ended && undrain)
		*move->ended = ga_strdup0(n.cordon_reason);
	return ga_store_node(db, node, ret, err) < 0 ? -1 : 1;
}

/* ---- blockers of a drain ---- */

/* The columns of the query below. */
enum { B_ID, B_KIND, B_STATE, B_SINCE, B_PROJECT, B_OWNER, B_RUN, B_STARTED, B_NAME, B_SHAPE,
       B_OTHERS, B_DEADLINE, B_DRAINS, B_BILLED, B_SLOTS, B_EXPIRES };

static const char *code_of(const char *kind, const char *state)
{
	static const char *const codes[][2] = {
		{ "placed", "not_taken_up" },	{ "provisioning", "provisioning" },
		{ "releasing", "releasing" },	{ "wiping", "waiting_for_wipe" },
		{ "failed", "blocked" },	{ "release_failed", "blocked" },
		{ "cleanup_blocked", "blocked" }, { "quarantined", "blocked" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(codes); i++)
		if (ga_streq(codes[i][0], state))
			return codes[i][1];
	return ga_streq(kind, "slot") ? "blocked" : "in_use";
}

static bool is_held(const struct ga_rows *r)
{
	return ga_streq(ga_rows_text(r, B_STATE), "held");
}

/* When the object ends by itself: a hold and a plan have a time of their own, which comes before
 * the run time. Writes to text where it computes the time. NULL: unknown. */
static const char *end_of(const struct ga_rows *r, const char *code, char text[GA_TIME_SIZE])
{
	int64_t run = ga_rows_int(r, B_RUN), started;

	if (is_held(r) || ga_streq(code, "not_taken_up"))
		return ga_rows_text(r, B_EXPIRES);
	if (run == GA_UNKNOWN || !ga_time_read(ga_rows_text(r, B_STARTED), &started))
		return NULL;
	return ga_time_format(ga_time_after(started, run), text);
}

/* That end, seen by a drain. */
enum ends { ENDS_LATE, ENDS_IN_TIME, HAS_ENDED };

static enum ends when_ends(const struct ga_rows *r, const char *until)
{
	const char *deadline = ga_rows_text(r, B_DEADLINE);
	ga_autofree char *now = ga_time_now();

	if (!until)
		return ENDS_LATE;
	if (strcmp(until, now) <= 0)
		return HAS_ENDED;
	return deadline && strcmp(until, deadline) <= 0 ? ENDS_IN_TIME : ENDS_LATE;
}

/* The rest of the sentence: the slots of an allocation that failed, or the end of one in use. */
static char *outlook_of(const struct ga_rows *r, const char *code, const char *until,
			enum ends ends)
{
	const char *slots = ga_rows_text(r, B_SLOTS);

	if (ga_streq(code, "blocked"))
		return ga_xprintf("%s%s%s", ga_rows_bool(r, B_BILLED) ? "" : ", not billed",
				  slots ? ", its slots: " : "", slots ? slots : "");
	if (!ga_streq(code, "in_use"))
		return ga_xstrdup("");
	if (ends == HAS_ENDED)
		return ga_xstrdup(is_held(r) ? ": its hold is over" : ": its time is over");
	if (ends == ENDS_IN_TIME)
		return ga_xstrdup(": wait for it");
	if (ga_rows_bool(r, B_DRAINS) && ga_rows_bool(r, B_OTHERS))
		return ga_xstrdup("");
	return ga_xprintf(": only its owner ends it%s", until ? " before then" : "");
}

static char *sentence_of(const struct ga_rows *r, const char *code, const char *until,
			 enum ends ends)
{
	ga_autofree char *outlook = outlook_of(r, code, until, ends);
	const char *name = ga_rows_text(r, B_NAME), *since = ga_rows_text(r, B_SINCE);

	if (ga_streq(ga_rows_text(r, B_KIND), "slot"))
		return ga_xprintf("its wipe is not done: %s since %s", ga_rows_text(r, B_STATE),
				  since);
	if (ga_streq(code, "not_taken_up") && ends == HAS_ENDED)
		return ga_xprintf("a plan of project %s that was not begun before %s",
				  ga_rows_text(r, B_PROJECT), until);
	if (ga_streq(code, "not_taken_up"))
		return ga_xprintf("a plan of project %s that is not begun yet: gpuaas-release %s "
				  "ends it before it expires", ga_rows_text(r, B_PROJECT),
				  ga_rows_text(r, B_ID));
	return ga_xprintf("%s%s%s of project %s, requested by %s, is %s since %s%s%s%s",
			  name ? "'" : "an allocation", name ? name : "", name ? "'" : "",
			  ga_rows_text(r, B_PROJECT), ga_rows_text(r, B_OWNER),
			  ga_rows_text(r, B_STATE), since,
			  !until     ? "" :
			  is_held(r) ? ", until " :
				       ", meant to run until ",
			  until ? until : "", outlook);
}

/* For the command of a state, see ga_store_leave(). No command ends an allocation before its run
 * time is over: on a node that drains, people wait for one that ends before the deadline, and
 * another one moves with the consent of its owner, where there is another node. A plan that is not
 * begun, and has not expired, is only shown: to begin it would start new work on the node. On
 * a node that does not drain nothing is in the way, so what the tenants have is only shown. */
static char *command_of(const struct ga_rows *r, const char *code, const char *node,
			enum ends ends)
{
	const char *id = ga_rows_text(r, B_ID), *state = ga_rows_text(r, B_STATE);
	const char *shape = ga_rows_text(r, B_SHAPE);
	bool drains = ga_rows_bool(r, B_DRAINS), in_use = ga_streq(code, "in_use");
	bool keeps = (in_use || ga_streq(code, "not_taken_up")) && ends != HAS_ENDED;

	if (ga_streq(ga_rows_text(r, B_KIND), "slot"))
		return ga_streq(code, "waiting_for_wipe") ?
			       ga_xstrdup("gpuaas-wipe --pending") :
			       ga_store_leave(GA_M_SLOT, state, shape, id);
	if (drains && in_use && ends == ENDS_IN_TIME)
		return ga_command("gpuaas-node drain %s", node);
	if (drains && in_use && ends == ENDS_LATE && ga_rows_bool(r, B_OTHERS))
		return ga_command("gpuaas-node drain %s --evacuate --consent %s", node, id);
	/* One whose release began or failed is over for its tenant on any node. */
	if (drains ? keeps : !ga_streq(state, "releasing") && !ga_streq(state, "release_failed"))
		return ga_command("gpuaas-show %s", id);
	if (is_held(r)) /* its hold is over */
		return ga_xstrdup("gpuaas-release --pending | gpuaas-wipe");
	if (ga_streq(code, "not_taken_up")) /* it has expired */
		return ga_command("gpuaas-release %s", id);
	return ga_store_leave(GA_M_ALLOCATION, state, shape, id);
}

#define OTHERS "EXISTS (SELECT 1 FROM node o WHERE o.id <> ?1 AND o.state = 'active')"
#define BILLED \
	"EXISTS (SELECT 1 FROM usage o WHERE o.allocation_id = a.id AND o.ended_at IS NULL)"
#define SLOTS \
	"(SELECT group_concat(said, ', ') FROM (SELECT s.id || ' ' || s.state AS said " \
	"FROM claim k JOIN slot s ON s.id = k.slot_id WHERE k.allocation_id = a.id " \
	"AND k.held_by IS NOT NULL ORDER BY s.slot_index) AS t)"
#define DRAINS "(SELECT d.state IN ('draining', 'quarantined') FROM node d WHERE d.id = ?1)"
#define DEADLINE "(SELECT d.drain_deadline FROM node d WHERE d.id = ?1)"

int ga_store_drain_blockers(struct ga_db *db, const char *node, const char *here,
			    ga_store_each each, void *arg, struct ga_err *err)
{
	bool elsewhere = here && strcmp(node, here) != 0;
	ga_autorows struct ga_rows *rows = NULL;
	int r, n = 0;

	/* An allocation stands for its claims; an ended allocation has slots that wait for
	 * a wipe. */
	if (ga_db_query(db, &rows, err,
			"SELECT DISTINCT a.id, 'allocation', a.state, a.since, a.project, "
			"a.created_by, " GA_SQL_RUN_SECONDS ", " GA_SQL_RUN_BEGAN ", "
			"a.name, a.shape, " OTHERS ", " DEADLINE ", " DRAINS ", " BILLED ", " SLOTS
			", a.expires_at FROM claim c "
			"JOIN allocation a ON a.id = c.allocation_id "
			"WHERE c.node_id = ?1 AND c.held_by IS NOT NULL AND a.state <> 'released' "
			"UNION ALL SELECT s.id, 'slot', s.state, s.since, a.project, a.created_by, "
			"NULL, NULL, NULL, a.shape, 0, NULL, 0, 0, NULL, NULL FROM claim c "
			"JOIN allocation a ON a.id = c.allocation_id "
			"JOIN slot s ON s.id = c.slot_id WHERE c.node_id = ?1 "
			"AND c.held_by IS NOT NULL AND a.state = 'released' ORDER BY 2, 4, 1",
			"s", node) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		const char *kind = ga_rows_text(rows, B_KIND), *state = ga_rows_text(rows, B_STATE);
		char until_text[GA_TIME_SIZE];
		const char *code = code_of(kind, state), *until = end_of(rows, code, until_text);
		bool baremetal = ga_streq(ga_rows_text(rows, B_SHAPE), "baremetal");
		ga_autofree char *sentence = NULL, *command = NULL;
		enum ends ends = when_ends(rows, until);
		struct ga_drain_blocker b;

		command = command_of(rows, code, node, ends);
		sentence = ga_time_shorten(sentence_of(rows, code, until, ends));
		if (elsewhere && !baremetal) {
			ga_autofree char *there = GA_TAKE(command);

			command = ga_remote_command(there, node);
		}
		b = (struct ga_drain_blocker){
			.node = (char *)(uintptr_t)node,
			.object = (char *)(uintptr_t)ga_rows_text(rows, B_ID),
			.object_kind = (char *)(uintptr_t)kind,
			.state = (char *)(uintptr_t)state,
			.code = (char *)(uintptr_t)code,
			.project = (char *)(uintptr_t)ga_rows_text(rows, B_PROJECT),
			.owner = (char *)(uintptr_t)ga_rows_text(rows, B_OWNER),
			.since = (char *)(uintptr_t)ga_rows_text(rows, B_SINCE),
			.until = (char *)(uintptr_t)until,
			.sentence = sentence,
			.command = command ? command : (char *)(uintptr_t) "gpuaas-state check",
		};
		if (each(&ga_drain_blocker_schema, &b, arg, err) < 0)
			return -1;
		n++;
	}
	return r < 0 ? -1 : n;
}

/* ---- evacuation ---- */

int ga_store_evacuation(struct ga_db *db, const char *node, const char *allocation,
			struct ga_request *ret, struct ga_err *err)
{
	ga_autofree char *request = NULL, *state = NULL, *where = NULL;
	int64_t before;
	int r = ga_db_one(db, err,
			  "SELECT request, state, node_id FROM allocation WHERE id = ?1", "sSSS",
			  allocation, &request, &state, &where);

	if (r <= 0)
		return r < 0 ? -1 : ga_fail(err, GA_NOTFOUND, "there is no allocation '%s'",
					    allocation);
	if (!ga_streq(node, where))
		return ga_refuse(err, GA_CONFLICT, "not_here", allocation,
				 ("allocation '%s' is not on node '%s'%s%s%s", allocation, node,
				  where ? " but on '" : "", where ? where : "", where ? "'" : ""),
				 ("gpuaas-node show %s shows what is on it", node));
	if (!ga_streq(state, "active") && !ga_streq(state, "held"))
		return ga_refuse(err, GA_CONFLICT, "wrong_state", allocation,
				 ("allocation '%s' is %s: only one that is active or held is "
				  "stopped and made again elsewhere", allocation, state),
				 ("gpuaas-release %s | gpuaas-wipe ends it", allocation));
	if (ga_rec_parse_text(request, &ga_request_schema, ret, err) < 0)
		return ga_wrap(err, "the stored request of '%s'", allocation);
	free(GA_TAKE(ret->name));
	free(GA_TAKE(ret->request_id));
	if (ga_streq(ret->node, node))
		free(GA_TAKE(ret->node));
	/* A new key for each try: when a plan was not begun, its request ended with it. */
	if (ga_db_get(db, err,
		      "SELECT count(*) FROM allocation "
		      "WHERE request_id >= 'evacuate-' || ?1 || '-' "
		      "AND request_id < 'evacuate-' || ?1 || '.' "
		      "AND state IN " GA_SQL_ENDED,
		      "sI", allocation, &before) < 0) {
		ga_schema_release(&ga_request_schema, ret);
		return -1;
	}
	ret->request_id = ga_xprintf("evacuate-%s-%" PRId64, allocation, before + 1);
	return 0;
}
