/* SPDX-License-Identifier: Apache-2.0 */
/* Placing requests in batches. */
#include "state/transaction/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "record/plan.h"
#include "record/time.h"
#include "state/allocation/plan.h"
#include "state/capacity/fleet.h"
#include "state/capacity/profile.h"
#include "state/capacity/refusal.h"
#include "state/capacity/view.h"
#include "state/db/near.h"
#include "state/node/image.h"
#include "state/query/find.h"
#include "state/transaction/app.h"

#define TRIES 4			  /* new reads of the fleet before giving up on a request */
#define EXPIRE_MICROS (2 * GA_SECOND) /* interval of freeing expired plans */

void ga_placer_clear(struct ga_placer *p)
{
	size_t i;

	for (i = 0; i < p->results.n; i++) {
		struct ga_placed *r = &p->results.v[i];

		free(r->text);
		if (r->is_plan)
			ga_schema_release(&ga_plan_schema, &r->plan);
		else
			ga_schema_release(&ga_refusal_schema, &r->refusal);
		ga_match_reasons_release(&r->reasons);
		ga_schema_release(&ga_explanation_schema, &r->explanation);
	}
	ga_list_release(&p->results);
	for (i = 0; i < p->refused.n; i++)
		ga_schema_release(&ga_kept_refusal_schema, &p->refused.v[i]);
	ga_list_release(&p->refused);
	ga_texts_release(&p->warnings);
}

static void forget_profile(struct ga_placer *p)
{
	if (p->has_profile)
		ga_schema_release(&ga_profile_schema, &p->profile);
	p->has_profile = false;
}

void ga_placer_release(struct ga_placer *p)
{
	ga_placer_clear(p);
	ga_texts_release(&p->warned);
	forget_profile(p);
	ga_plan_maker_release(&p->maker);
	ga_access_rules_release(&p->rules);
	ga_fleet_release(&p->fleet);
	ga_accels_close(p->accels);
	p->accels = NULL;
}

/* Within a transaction a profile's current version is fixed; a version never changes. */
static int need_profile(struct ga_placer *p, const char *name, struct ga_err *err)
{
	if (p->has_profile && ga_streq(p->profile.name, name)) {
		int r = p->profile_is_current ?
				1 :
				ga_store_profile_is_current(p->db, &p->profile, err);

		p->profile_is_current = r > 0;
		if (r)
			return r < 0 ? -1 : 0;
	}
	forget_profile(p);
	if (ga_store_profile(p->db, name, &p->profile, err) < 0)
		return -1;
	p->has_profile = p->profile_is_current = true;
	return 0;
}

static int need_catalogue(struct ga_placer *p, struct ga_err *err)
{
	return p->accels ? 0 : p->catalogue(&p->accels, err);
}

static int load_fleet(struct ga_placer *p, struct ga_err *err)
{
	p->left_out = false;
	return ga_store_fleet_load(p->db, &p->fleet, err);
}

static bool is_baremetal(const struct ga_placer *p)
{
	return ga_streq(p->profile.shape, "baremetal");
}

/* ---- one decision, committed ---- */

/* Takes slots that may not be sold out of the fleet, so that the next decision is made without
 * them; gpuaas-list attention shows their defects. */
static void leave_out(struct ga_placer *p, const struct ga_decision *d,
		      const struct ga_refused_slots *refused)
{
	struct ga_fleet_node *node = ga_store_fleet_node(&p->fleet, d->node->id);
	size_t i;

	for (i = 0; i < refused->n; i++) {
		const struct ga_reason *why = &refused->v[i].reasons.v[0];
		struct ga_fleet_slot *slot =
			ga_store_fleet_slot(node, d->slots.v[refused->v[i].slot]->id);

		slot->free = false;
		slot->why = ga_fleet_word(&p->fleet, why->code);
		*ga_list_add(&p->warnings) = ga_xprintf(
			"slot '%s' of node '%s' is left out: %s%s%s; %s", slot->id, node->id,
			why->code, why->evidence ? ": " : "", why->evidence ? why->evidence : "",
			refused->v[i].by_hint ? why->hint :
						"'gpuaas-list attention' shows what to do");
	}
	ga_fleet_touch(&p->fleet, node);
	p->left_out = true;
	p->left_out_baremetal = is_baremetal(p);
}

/* Commits the decision within a savepoint: 1 placed, 0 the fleet had changed, -1. */
static int commit_decision(struct ga_placer *p, const struct ga_request *request,
			   struct ga_decision *d, bool *fewer, struct ga_err *err)
{
	ga_cleanup(ga_refused_slots_release) struct ga_refused_slots refused = { 0 };
	const struct ga_fleet_window *w;
	struct ga_err why = GA_ERR_INIT;
	struct ga_placed *placed;
	char from[GA_TIME_SIZE];
	struct ga_plan plan;
	char *text;
	int r;

	if (ga_db_savepoint(p->db, err) < 0)
		return -1;
	r = ga_store_place(p->db, request, &p->profile, d, &p->maker, &plan, &text, &refused,
			   &why);
	if (!r) {
		ga_db_rollback_to(p->db);
		leave_out(p, d, &refused);
		*fewer = true;
		return 0;
	}
	if (r < 0) {
		ga_db_rollback_to(p->db);
		p->fleet.version = GA_FLEET_UNREAD;
		/* Others changed the fleet meanwhile: a new read answers. */
		if (why.code == GA_CONFLICT && (ga_streq(why.reason, "concurrent_update") ||
						ga_streq(why.reason, "sold_once") ||
						ga_streq(why.reason, "no_claim")))
			return 0;
		*err = why;
		return -1;
	}
	if (ga_db_release(p->db, err) < 0) {
		ga_schema_release(&ga_plan_schema, &plan);
		free(text);
		return -1;
	}
	/* A request without a run time cannot be kept clear of maintenance: warn people. */
	w = ga_fleet_window_in_way(&p->fleet, d->node, request->run_seconds);
	if (w)
		*ga_list_add(&p->warnings) =
			ga_xprintf("node '%s' has maintenance from %s (%s), and a request without "
				   "a run time was placed on it",
				   d->node->id, ga_time_format(w->from, from), w->reason);
	ga_fleet_take(&p->fleet, d);
	if (p->dry_run) {
		plan.dry_run = true;
		free(text);
		text = ga_store_plan_seal(&plan);
	}
	placed = ga_list_add(&p->results);
	*placed = (struct ga_placed){ .is_plan = true, .text = text, .plan = plan,
				      .explanation = d->explanation };
	free(placed->explanation.allocation);
	placed->explanation.allocation = ga_xstrdup(plan.allocation);
	memset(&d->explanation, 0, sizeof(d->explanation));
	return 1;
}

/* Decides and commits: 1 answered, 0 try again, -1. fewer: try again without the slots that the
 * predicate refused. */
static int decide(struct ga_placer *p, const struct ga_request *request,
		  const struct ga_place_limits *limits, bool *fewer, struct ga_err *err)
{
	struct ga_placed *refused;
	struct ga_decision d;
	int r = 1;

	*fewer = false;
	ga_place_within(&p->fleet, request, &p->profile, limits, p->explain, &d);
	if (d.placed && (d.beats_clean || !p->fleet.held_only)) {
		r = commit_decision(p, request, &d, fewer, err);
	} else if (p->fleet.whole) {
		refused = ga_list_add(&p->results);
		refused->refusal = d.refusal;
		refused->explanation = d.explanation;
		memset(&d.refusal, 0, sizeof(d.refusal));
		memset(&d.explanation, 0, sizeof(d.explanation));
	} else {
		/* A refusal counts only after a read of the whole fleet. */
		p->fleet.version = GA_FLEET_UNREAD;
		r = 0;
	}
	ga_decision_release(&d);
	return r;
}

/* ---- one request ---- */

static int add_type_memory(struct ga_placer *p, struct ga_err *err)
{
	if (need_catalogue(p, err) < 0)
		return -1;
	ga_store_fleet_memory(&p->fleet, p->accels);
	return 0;
}

/* A refusal before any node was looked at: the caller sets sentence and hint. */
static struct ga_refusal *refuse(struct ga_placer *p, const struct ga_request *request, int status,
				 const char *code)
{
	struct ga_placed *placed = ga_list_add(&p->results);
	struct ga_refusal *r = &placed->refusal;

	ga_schema_init(&ga_refusal_schema, r);
	ga_schema_init(&ga_explanation_schema, &placed->explanation);
	placed->explanation.request_id = ga_strdup0(request->request_id);
	r->request_id = ga_strdup0(request->request_id);
	r->project = ga_strdup0(request->project);
	r->profile = ga_xstrdup(request->profile);
	r->count = request->count;
	r->status = status;
	r->code = ga_xstrdup(code);
	return r;
}

/* Reads the app of the request: 1, 0 refused since the state has none of that name, -1. */
static int need_app(struct ga_placer *p, const struct ga_request *request,
		    struct ga_app_choice *choice, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	struct ga_refusal *r;

	if (need_catalogue(p, err) < 0)
		return -1;
	choice->request = request;
	choice->profile = &p->profile;
	choice->fleet = &p->fleet;
	choice->accels = p->accels;
	if (ga_app_choice_read(p->db, choice, &why) == 0)
		return 1;
	if (why.code != GA_NOTFOUND) {
		*err = why;
		return -1;
	}
	r = refuse(p, request, GA_NOTFOUND, "no_app");
	r->sentence = ga_xstrdup(why.msg);
	r->hint = ga_xstrdup(why.hint);
	return 0;
}

/* No node is looked at: each gets the first reason of the app. */
static void explain_app(const struct ga_placer *p, const struct ga_match_reasons *reasons,
			struct ga_explanation *ret)
{
	size_t i;

	for (i = 0; p->explain && i < p->fleet.nodes.n; i++) {
		struct ga_node_answer *answer = ga_list_add(&ret->nodes);

		answer->node = ga_xstrdup(p->fleet.nodes.v[i].id);
		answer->code = ga_xstrdup(reasons->v[0].code);
		answer->detail = ga_xstrdup(reasons->v[0].sentence);
	}
}

/* Finds what the app allows of the fleet as it is now: 1, 0 refused as it allows nothing, -1. */
static int choose_app(struct ga_placer *p, struct ga_app_choice *choice, struct ga_err *err)
{
	ga_autoreasons struct ga_match_reasons reasons = { 0 };
	struct ga_placed *placed;
	struct ga_refusal *r;

	if (ga_app_choose(choice, &reasons))
		return 1;
	r = refuse(p, choice->request, GA_NO, reasons.v[0].code);
	placed = &p->results.v[p->results.n - 1];
	placed->reasons = reasons;
	reasons = (struct ga_match_reasons){ 0 };
	explain_app(p, &placed->reasons, &placed->explanation);
	return ga_app_refuse(p->db, choice, &placed->reasons, &p->rules, r, err);
}

/* Whether the user may place the request: 1, 0 refused, -1. The refusal is a normal answer, and
 * goes into the audit; the other requests of the batch are answered all the same. */
static int admit(struct ga_placer *p, const struct ga_request *request, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	struct ga_refusal *r;

	if (p->admitted || ga_store_may_place(p->db, &p->rules, request, &p->profile, &why) == 0)
		return 1;
	if (!ga_store_access_is_refusal(&why)) {
		*err = why;
		return -1;
	}
	r = refuse(p, request, GA_DENIED, why.reason);
	r->sentence = ga_xstrdup(why.msg);
	r->hint = ga_xstrdup(why.hint);
	return p->dry_run ? 0 : ga_store_access_audit(p->db, &why, err);
}

static const char *wanted_image(const struct ga_placer *p, const struct ga_request *request)
{
	return request->image ? request->image : p->profile.image;
}

static const char no_image_hint[] =
	"'gpuaas-list images' shows them; 'gpuaas-image add' makes one";

/* For baremetal, where no node needs a copy, and where an app is judged by the image that the
 * request names: 1, 0 refused as the state has no such image, -1. Else placement finds that no node
 * has it. */
static int need_image(struct ga_placer *p, const struct ga_request *request, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	bool baremetal = ga_place_is_baremetal(request, &p->profile);
	const char *image = baremetal ? wanted_image(p, request) :
			    request->app ? request->image :
					   NULL;
	ga_autofree char *near = NULL;
	struct ga_refusal *r;

	if (!image || ga_store_image_known(p->db, image, &why) == 0)
		return 1;
	if (why.code != GA_NOTFOUND) {
		*err = why;
		return -1;
	}
	r = refuse(p, request, GA_NO, "image_missing");
	r->shape = ga_xstrdup(baremetal ? "baremetal" : "slice");
	r->sentence = ga_xstrdup(why.msg);
	near = ga_db_near(p->db, "image", image);
	r->hint = ga_xprintf("%s%s", near, no_image_hint);
	return 0;
}

static int place_one(struct ga_placer *p, const struct ga_request *request, struct ga_err *err)
{
	struct ga_refusal *refused;
	struct ga_placed *placed;
	struct ga_plan plan;
	ga_autochoice struct ga_app_choice choice = { 0 };
	bool fewer = false;
	int r, tries;

	r = ga_store_placed_before(p->db, request, &plan, err);
	if (r > 0) {
		placed = ga_list_add(&p->results);
		placed->is_plan = true;
		placed->plan = plan;
	}
	if (r)
		return r < 0 ? -1 : 0;
	if (need_profile(p, request->profile, err) < 0)
		return -1;
	r = admit(p, request, err);
	if (r <= 0)
		return r;
	if (p->profile.retired) {
		refused = refuse(p, request, GA_NO, "profile_retired");
		refused->sentence = ga_xprintf("profile '%s' is retired: it takes no new work",
					       request->profile);
		refused->hint = ga_xstrdup("gpuaas-list profile shows the others");
		return 0;
	}
	/* Its price is of that shape, and whoever sets it decides who gets root on a machine. */
	if (request->shape && !ga_streq(request->shape, p->profile.shape)) {
		refused = refuse(p, request, GA_NO, "profile_shape");
		refused->sentence = ga_xprintf("profile '%s' is of the shape %s, and the request "
					       "of %s", request->profile, p->profile.shape,
					       request->shape);
		refused->hint = ga_xstrdup("'gpuaas-profile list' shows the shape of each; without "
					   "a shape the request has its profile's");
		return 0;
	}
	r = need_image(p, request, err);
	if (r > 0 && request->app)
		r = need_app(p, request, &choice, err);
	if (r <= 0)
		return r;
	/* Slots that were left out for the other shape may be sold in this one. */
	if (p->left_out && p->left_out_baremetal != is_baremetal(p))
		p->fleet.version = GA_FLEET_UNREAD;
	for (tries = 0, r = 0; !r && tries < TRIES; tries += !fewer) {
		if (p->fleet.version == GA_FLEET_UNREAD && load_fleet(p, err) < 0)
			return -1;
		if (request->min_memory_mib != GA_UNKNOWN && add_type_memory(p, err) < 0)
			return -1;
		r = request->app ? choose_app(p, &choice, err) : 1;
		if (r <= 0)
			return r;
		r = decide(p, request, request->app ? &choice.limits : NULL, &fewer, err);
	}
	if (r)
		return r < 0 ? -1 : 0;
	return ga_refuse(err, GA_BUSY, "concurrent_update", NULL,
			 ("the fleet kept changing while a request for '%s' was decided",
			  request->profile),
			 ("run it again; if it happens again: gpuaas-state check"));
}

/* ---- names of nodes, types and images ---- */

/* Adds the types that a name means, each once: 1, 0 the request was refused, -1. A name that this
 * machine's catalogue lacks is a type all the same when the profile or a slot has it. */
static int resolve_type(struct ga_placer *p, const struct ga_request *request, const char *name,
		    struct ga_texts *ret, struct ga_err *err)
{
	ga_autotexts struct ga_texts meant = { NULL, 0 };
	struct ga_err why = GA_ERR_INIT;
	struct ga_refusal *r;
	int here = 1;
	size_t i;

	if (p->type_means(p, name, &meant, &why) < 0) {
		if (need_profile(p, request->profile, err) < 0)
			return -1;
		for (i = 0; i < p->profile.types.n; i++)
			if (ga_streq(p->profile.types.v[i], name))
				break;
		if (i == p->profile.types.n)
			here = ga_store_has_type(p->db, name, err);
		if (here < 0)
			return -1;
		ga_texts_release(&meant);
		ga_texts_add(&meant, name);
	}
	if (!here && p->once) {
		*err = why;
		return -1;
	}
	if (!here) {
		r = refuse(p, request, GA_USAGE, "unknown_type");
		r->sentence = ga_xstrdup(why.msg);
		r->hint = ga_strdup0(*why.hint ? why.hint : NULL);
		return 0;
	}
	for (i = 0; i < meant.n; i++)
		if (!ga_texts_has(ret, meant.v[i]))
			ga_texts_add(ret, meant.v[i]);
	return 1;
}

/* The last answer, if it is a refusal with that code. */
static struct ga_refusal *refused_as(struct ga_placer *p, const char *code)
{
	struct ga_placed *last = p->results.n ? &p->results.v[p->results.n - 1] : NULL;

	return last && !last->is_plan && ga_streq(last->refusal.code, code) ? &last->refusal :
									      NULL;
}

/* The requested object does not exist, or the name is ambiguous: the refusal names it. */
static void say_which(struct ga_refusal *r, const struct ga_err *why, const char *hint)
{
	free(r->sentence);
	free(r->hint);
	r->sentence = ga_xstrdup(why->msg);
	r->hint = ga_xstrdup(hint);
}

/* Notes the last answer, if it is a refusal, for the state to keep. */
static void note_refusal(struct ga_placer *p, const struct ga_request *request)
{
	const struct ga_placed *last = p->results.n ? &p->results.v[p->results.n - 1] : NULL;
	bool known = p->has_profile && ga_streq(p->profile.name, request->profile);

	if (!p->keeps_refusals || p->dry_run || !last || last->is_plan)
		return;
	ga_store_refusal_of(request, known ? &p->profile : NULL, &last->refusal,
			    ga_list_add(&p->refused));
}

/* A request may give a node by its name, and a type by any of its names; the stored request has id
 * and slugs. A text that names no node is kept, and the request is refused. */
static int place_named(struct ga_placer *p, const struct ga_request *request, struct ga_err *err)
{
	ga_autotexts struct ga_texts types = { NULL, 0 };
	struct ga_err no_node = GA_ERR_INIT, no_image = GA_ERR_INIT;
	struct ga_request named = *request; /* borrows every member */
	ga_autofree char *id = NULL, *near = NULL, *hint = NULL;
	struct ga_refusal *refusal;
	size_t i;
	int r;

	if (request->types.n && need_catalogue(p, err) < 0)
		return -1;
	for (i = 0; i < request->types.n; i++) {
		r = resolve_type(p, request, request->types.v[i], &types, err);
		if (!r)
			note_refusal(p, request);
		if (r <= 0)
			return r;
	}
	named.types.v = types.v;
	named.types.n = types.n;
	if (request->node &&
	    ga_store_resolve(p->db, "node", request->node, &id, NULL, &no_node) == 0)
		named.node = id;
	if (no_node.code && no_node.code != GA_NOTFOUND && no_node.code != GA_USAGE) {
		*err = no_node;
		return -1;
	}
	if (place_one(p, &named, err) < 0)
		return -1;
	refusal = no_node.code ? refused_as(p, "node_missing") : NULL;
	if (refusal)
		say_which(refusal, &no_node, no_node.hint);
	/* An image that no node has may not exist at all. */
	refusal = refused_as(p, "image_missing");
	if (refusal && ga_store_image_known(p->db, wanted_image(p, request), &no_image) < 0) {
		if (no_image.code != GA_NOTFOUND) {
			*err = no_image;
			return -1;
		}
		near = ga_db_near(p->db, "image", wanted_image(p, request));
		hint = ga_xprintf("%s%s", near, no_image_hint);
		say_which(refusal, &no_image, hint);
	}
	note_refusal(p, &named);
	return 0;
}

/* ---- a batch ---- */

/* The long read of the whole fleet comes before the writers' queue, so that nobody waits for it.
 * For a single request, the nodes that slices hold may be enough. */
static int look_before(struct ga_placer *p, const struct ga_request *request, struct ga_err *err)
{
	struct ga_decision d;
	int enough = 0;

	if (ga_db_begin_read(p->db, err) < 0)
		return -1;
	if (p->once && !p->explain && !request->app) {
		enough = ga_store_fleet_load_held(p->db, &p->fleet, err);
		if (enough > 0 && need_profile(p, request->profile, err) < 0)
			return -1;
		if (enough > 0) {
			ga_place(&p->fleet, request, &p->profile, false, &d);
			enough = d.placed && d.beats_clean;
			ga_decision_release(&d);
		}
	}
	if (enough < 0 || (!enough && load_fleet(p, err) < 0))
		return -1;
	p->profile_is_current = false;
	return ga_db_commit(p->db, err);
}

/* The write transaction, with rules, plans and fleet as they are now. */
static int take_turn(struct ga_placer *p, const struct ga_request *first, struct ga_err *err)
{
	int64_t mono = ga_clock_mono_micros();
	int expired = 0;

	p->fleet.now_micros = ga_clock_micros();
	p->fleet.stale_micros =
		p->stale_seconds ? ga_time_after(p->fleet.now_micros, -p->stale_seconds) : 0;
	if (p->fleet.version == GA_FLEET_UNREAD && look_before(p, first, err) < 0)
		return -1;
	if (ga_store_begin(p->db, "gpuaas-place", err) < 0)
		return -1;
	ga_access_rules_release(&p->rules);
	if (!ga_who()->is_root && ga_store_access_load(p->db, &p->rules, err) < 0)
		return -1;
	if (!p->expired_micros || mono - p->expired_micros > EXPIRE_MICROS) {
		expired = ga_store_expire_plans(p->db, err);
		p->expired_micros = mono;
	}
	if (expired > 0) {
		p->fleet.version = GA_FLEET_UNREAD;
		p->has_expired = true;
	}
	if (expired < 0 || (!expired && ga_store_fleet_refresh(p->db, &p->fleet, err) < 0))
		return -1;
	return 0;
}

static void warn_not_kept(struct ga_placer *p, const struct ga_err *why)
{
	*ga_list_add(&p->warnings) = ga_xprintf("the refusal is not kept in the state, so "
						"'gpuaas-list refusals' lacks it: %s", why->msg);
}

static int keep_each(struct ga_placer *p, struct ga_err *why)
{
	size_t i;

	for (i = 0; i < p->refused.n; i++)
		if (ga_store_refusal_keep(p->db, &p->refused.v[i], why) < 0)
			return -1;
	return 0;
}

/* A batch without a plan keeps its refusals in its own transaction: nobody's plan can fail with
 * them, and a second commit would cost as much as the first. Whether they are in it. */
static bool keep_within(struct ga_placer *p)
{
	struct ga_err why = GA_ERR_INIT;
	size_t i;

	for (i = 0; i < p->results.n; i++)
		if (p->results.v[i].is_plan)
			return false;
	if (!p->refused.n || ga_db_savepoint(p->db, &why) < 0)
		return false;
	if (keep_each(p, &why) == 0 && ga_db_release(p->db, &why) == 0)
		return true;
	ga_db_rollback_to(p->db);
	return false;
}

/* After the commit of the batch, so that no plan waits for it, or fails with it. */
static void keep_after(struct ga_placer *p)
{
	struct ga_err why = GA_ERR_INIT;

	if (!p->refused.n)
		return;
	if (ga_db_begin(p->db, "gpuaas-place: refusals", &why) == 0 && keep_each(p, &why) == 0 &&
	    ga_db_commit(p->db, &why) == 0)
		return;
	ga_db_rollback(p->db);
	warn_not_kept(p, &why);
}

/* Commits the batch. A refusal needs no commit: when one with refusals alone fails, the answers
 * stand, and are not kept. */
static int commit(struct ga_placer *p, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	bool within;

	if (ga_store_fleet_seen(p->db, &p->fleet, err) < 0)
		return -1;
	within = keep_within(p);
	if (ga_db_commit(p->db, within ? &why : err) < 0) {
		if (!within)
			return -1;
		ga_db_rollback(p->db);
		p->fleet.version = GA_FLEET_UNREAD;
		p->has_expired = false;
		warn_not_kept(p, &why);
	} else if (!within) {
		keep_after(p);
	}
	return 0;
}

int ga_placer_batch(struct ga_placer *p, const struct ga_request *requests, size_t n,
		    struct ga_err *err)
{
	struct ga_texts warnings = { NULL, 0 };
	struct ga_err later = GA_ERR_INIT;
	size_t i;
	int r = 0;

	ga_placer_clear(p);
	p->profile_is_current = false;
	if (take_turn(p, requests, err) < 0) {
		ga_db_rollback(p->db);
		p->fleet.version = GA_FLEET_UNREAD;
		return -1;
	}
	for (i = 0; i < n && r == 0; i++)
		r = place_named(p, &requests[i], err);

	/* When a request is an error, the requests before it stay placed. */
	if (p->dry_run) {
		ga_db_rollback(p->db);
		p->fleet.version = GA_FLEET_UNREAD;
	} else if (commit(p, r < 0 ? &later : err) < 0) {
		ga_db_rollback(p->db);
		p->fleet.version = GA_FLEET_UNREAD;
		ga_placer_clear(p);
		if (r < 0)
			(void)ga_wrap(err, "nothing of the batch was committed (%s)", later.msg);
		return -1;
	}

	/* Each read of the fleet leaves such a slot out again: warn once. */
	for (i = 0; i < p->warnings.n; i++) {
		if (ga_texts_has(&p->warned, p->warnings.v[i]))
			continue;
		ga_texts_add(&p->warned, p->warnings.v[i]);
		ga_texts_add(&warnings, p->warnings.v[i]);
	}
	ga_texts_release(&p->warnings);
	p->warnings = warnings;
	return r;
}
