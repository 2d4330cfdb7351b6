/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals: finds the reason why a request fails, words it, and adds alternatives that would
 * fit. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/texts.h"
#include "decide/place/score.h"
#include "decide/place/tally.h"
#include "decide/slot/verdict.h"
#include "record/closest.h"
#include "record/state.h"
#include "record/time.h"

/* The code of the refusal that a slot's reason leads to. */
static const char *class_of(const char *why)
{
	if (ga_starts(why, "nvme_") || ga_starts(why, "storage_") || ga_starts(why, "wipe_") ||
	    ga_streq(why, "missing_nvme") || ga_streq(why, "no_wipe_policy") ||
	    ga_streq(why, "disk_autoactivation"))
		return "storage_blocked";
	if (ga_starts(why, "fabric_") || ga_streq(why, "missing_fabric_vf") ||
	    ga_streq(why, "pf_vf_conflict"))
		return "fabric_blocked";
	return "not_ready";
}

static void say(struct ga_refusal *ret, const char *code, char *sentence, char *hint)
{
	ret->code = ga_xstrdup(code);
	ret->sentence = sentence;
	ret->hint = hint;
}

/* The request in words: "4 GPUs", "a baremetal node" or "a baremetal node of 4 GPUs or more". */
static char *asked_for(const struct ga_place_ask *ask)
{
	if (ask->baremetal && ask->request->count == GA_UNKNOWN)
		return ga_xstrdup("a baremetal node");
	if (ask->baremetal)
		return ga_xprintf("a baremetal node of %" PRId64 " GPU%s or more", ask->count,
				  ask->count == 1 ? "" : "s");
	return ga_xprintf("%" PRId64 " GPU%s", ask->count, ask->count == 1 ? "" : "s");
}

#define BRING_IMAGE "bring the image to the node (gpuaas-image prewarm), or name another"

/* The slots of the node would do, but for its fabric partitions. are: the state of the slots, with
 * the verb. */
static void refuse_topology(const char *node, const char *why, const char *are, const char *what,
			    struct ga_refusal *ret)
{
	if (ga_streq(why, "fabric_partition_unknown"))
		say(ret, "fabric_blocked",
		    ga_xprintf("%s %s on node '%s', but no fabric partition of that size is "
			       "known there", what, are, node),
		    ga_xstrdup("gpuaas-discover on the host shows the partitions; then approve"));
	else
		say(ret, "topology_blocked",
		    ga_xprintf("%s %s on node '%s', but not as one fabric partition (%s)",
			       what, are, node, why),
		    ga_xstrdup("another count, or wait until a larger partition is free again"));
}

static bool refuse_in_the_way(const struct ga_place_ask *ask, const struct tally *t,
			      const char *what, struct ga_refusal *ret)
{
	if (t->enough_topology) {
		refuse_topology(t->enough_topology, t->topology_why,
				ask->count == 1 ? "is free" : "are free", what, ret);
	} else if (t->enough_image) {
		say(ret, "image_missing",
		    ga_xprintf(
			    "%s would fit on node '%s', but it has no verified copy of the image",
			    what, t->enough_image),
		    ga_xstrdup(BRING_IMAGE));
	} else if (t->enough_waiting) {
		say(ret, "waiting_for_wipe",
		    ga_xprintf("%s would fit on node '%s' once its slots are wiped%s", what,
			       t->enough_waiting,
			       t->waiting_no_image ? " and it has the image" : ""),
		    ga_xprintf("gpuaas-wipe --pending on that host%s%s",
			       t->waiting_no_image ? "; " : "",
			       t->waiting_no_image ? BRING_IMAGE : ""));
	} else {
		return false;
	}
	return true;
}

/* ---- the wanted types and place ---- */

static bool wants_memory(const struct ga_place_ask *ask)
{
	return ask->request->min_memory_mib != GA_UNKNOWN;
}

/* A request gets only types that the profile has too. */
static bool is_sold(const struct ga_place_ask *ask, const char *type)
{
	const struct ga_profile *p = ask->profile;

	return !p->types.n || ga_texts_has(&p->types, type);
}

static bool wants_nothing(const struct ga_place_ask *ask)
{
	size_t i;

	for (i = 0; i < ask->n_types; i++)
		if (is_sold(ask, ask->types[i]))
			return false;
	return ask->n_types > 0;
}

/* "type a, b with 80 GB or more" */
static char *type_list(const struct ga_place_ask *ask)
{
	int64_t mib = ask->request->min_memory_mib;
	struct ga_str s = GA_STR_INIT;
	bool any = false;
	size_t i;

	ga_str_add(&s, ask->n_types ? "type " : "any type");
	for (i = 0; i < ask->n_types; i++) {
		if (!is_sold(ask, ask->types[i]) || !ga_place_allows_type(ask, ask->types[i]))
			continue;
		ga_str_addf(&s, "%s%s", any ? ", " : "", ask->types[i]);
		any = true;
	}
	if (ask->limits && !ask->n_types && !ask->limits->any_type)
		ga_str_addf(&s, " that app '%s' runs on", ask->limits->app);
	if (wants_memory(ask))
		ga_str_addf(&s, " with %" PRId64 " %s or more", mib % 1024 ? mib : mib / 1024,
			    mib % 1024 ? "MiB" : "GB");
	return ga_str_take(&s);
}

static const char *either(const char *asked, const char *own)
{
	return asked ? asked : own;
}

/* " on node 'a'", " in pool 'p'"; "" when the request names no place. */
static char *place_wanted(const struct ga_place_ask *ask)
{
	const struct ga_request *r = ask->request;
	const char *pool = either(r->pool, ask->profile->pool);
	const char *region = either(r->region, ask->profile->region);

	if (r->node)
		return ga_xprintf(" on node '%s'", r->node);
	if (pool || region)
		return ga_xprintf(" in %s '%s'", pool ? "pool" : "region", either(pool, region));
	return ga_xstrdup("");
}

/* No node is left, because of what the app allows. */
static void refuse_app(const struct ga_place_ask *ask, const char *why, struct ga_refusal *ret)
{
	ga_autofree char *what = asked_for(ask), *place = place_wanted(ask);

	say(ret, why,
	    ga_streq(why, "app_count") ?
		    ga_xprintf("%s wanted, and no node%s has a number of GPUs that app '%s' "
			       "allows", what, place, ask->limits->app) :
		    ga_xprintf("%s wanted, and no node%s has %sGPUs that app '%s' runs on", what,
			       place, ask->baremetal ? "only " : "", ask->limits->app),
	    ga_xprintf("'gpuaas-match --app %s' shows the profiles that fit", ask->limits->app));
}

/* The request names only types that the profile does not have. */
static void refuse_types(const struct ga_place_ask *ask, struct ga_refusal *ret)
{
	ga_autostr struct ga_str asked = GA_STR_INIT, own = GA_STR_INIT;
	const struct ga_profile *p = ask->profile;
	size_t i;

	for (i = 0; i < ask->n_types; i++)
		ga_str_addf(&asked, "%s%s", i ? ", " : "", ask->types[i]);
	for (i = 0; i < p->types.n; i++)
		ga_str_addf(&own, "%s%s", i ? ", " : "", p->types.v[i]);
	say(ret, "type_missing",
	    ga_xprintf("profile '%s' does not have %s: it has %s", p->name, asked.buf, own.buf),
	    ga_xstrdup("one of its types, or another profile: 'gpuaas-profile list' shows them"));
}

/* The sentence that no node is in the wanted place. */
static char *nowhere(const struct ga_place_ask *ask, bool is_pool)
{
	const struct ga_request *r = ask->request;
	const struct ga_profile *p = ask->profile;
	const char *what = is_pool ? "pool" : "region";
	const char *asked = is_pool ? r->pool : r->region, *own = is_pool ? p->pool : p->region;
	const char *place = either(asked, own), *region = either(r->region, p->region);
	ga_autofree char *by = own && !asked ? ga_xprintf(", which profile '%s' names", p->name) :
					       ga_xstrdup("");

	if (asked && own && strcmp(asked, own) != 0)
		return ga_xprintf("the request names %s '%s', and profile '%s' names %s '%s'", what,
				  asked, p->name, what, own);
	if (r->node)
		return ga_xprintf("node '%s' is not in %s '%s'%s", r->node, what, place, by);
	if (is_pool && region)
		return ga_xprintf("no node of region '%s' is in pool '%s'%s", region, place, by);
	return ga_xprintf("no node is in %s '%s'%s", what, place, by);
}

/* The pools near to one that no node is in. */
static char *pool_hint(const struct ga_place_ask *ask)
{
	const char *pool = either(ask->request->pool, ask->profile->pool);
	const struct ga_fleet *f = ask->fleet;
	ga_autofree char *hint = NULL;
	struct ga_closest_names near;
	size_t i;

	ga_closest_begin(&near, pool);
	for (i = 0; i < f->nodes.n && !ga_streq(f->nodes.v[i].pool, pool); i++)
		if (f->nodes.v[i].pool)
			ga_closest_word(&near, f->nodes.v[i].pool);
	hint = i < f->nodes.n ? ga_xstrdup("") : ga_closest_hint(&near);
	return ga_xprintf("%s'gpuaas-list nodes' shows the pool of each", hint);
}

/* The request or its profile names a region that is not open. */
static bool refuse_closed(const struct ga_place_ask *ask, struct ga_refusal *ret)
{
	const struct ga_fleet_region *r = ga_fleet_closed(ask->fleet, ask->request->region);
	bool by_profile = !r;

	r = r ? r : ga_fleet_closed(ask->fleet, ask->profile->region);
	if (!r)
		return false;
	say(ret, "region_closed",
	    ga_xprintf("region '%s'%s%s%s is not open%s%s", r->name,
		       by_profile ? ", which profile '" : "",
		       by_profile ? ask->profile->name : "", by_profile ? "' names," : "",
		       r->reason ? ": " : "", r->reason ? r->reason : ""),
	    ga_place_open_regions(ask));
	return true;
}

/* Regions are declared, and the request or its profile names one that does not exist. */
static bool refuse_region(const struct ga_place_ask *ask, struct ga_refusal *ret)
{
	const struct ga_fleet *f = ask->fleet;
	const char *asked = ask->request->region;
	bool by_profile = !asked || ga_fleet_has_region(f, asked);
	const char *region = by_profile ? ask->profile->region : asked;
	ga_autofree char *open = NULL, *hint = NULL;
	struct ga_closest_names near;
	size_t i;

	if (!f->regions.n || !region || ga_fleet_has_region(f, region))
		return false;
	ga_closest_begin(&near, region);
	for (i = 0; i < f->regions.n; i++)
		ga_closest_word(&near, f->regions.v[i].name);
	for (i = 0; i < f->nodes.n; i++)
		if (f->nodes.v[i].region)
			ga_closest_word(&near, f->nodes.v[i].region);
	open = ga_place_open_regions(ask);
	hint = ga_closest_hint(&near);
	say(ret, "other_region_wanted",
	    ga_xprintf("there is no region '%s'%s%s%s", region,
		       by_profile ? ", which profile '" : "", by_profile ? ask->profile->name : "",
		       by_profile ? "' names" : ""),
	    ga_xprintf("%s%s", hint, open));
	return true;
}

/* " of type a, b"; "" when the request wants all types. */
static char *of_types(const struct ga_place_ask *ask)
{
	bool narrow = ask->n_types || wants_memory(ask) ||
		      (ask->limits && !ask->limits->any_type);
	ga_autofree char *types = type_list(ask);

	return narrow ? ga_xprintf(" of %s", types) : ga_xstrdup("");
}

/* GPUs of the largest machine in the wanted place that has only wanted types; 0: there is none.
 * free: of those that the request could have if it named no count. */
static int64_t largest_machine(const struct ga_place_ask *ask, bool free)
{
	struct ga_request any = *ask->request;
	struct ga_place_ask wider = *ask;
	int64_t ret = 0, rank;
	size_t i, j;

	any.count = GA_UNKNOWN;
	wider.request = &any;
	for (i = 0; i < ask->fleet->nodes.n; i++) {
		const struct ga_fleet_node *node = &ask->fleet->nodes.v[i];
		struct ga_place_option o;

		if (free ? ga_place_offer(&wider, node, &o) != NULL :
			   ga_starts(ga_place_node_reason(ask, node), "other_"))
			continue;
		for (j = 0; j < node->slots.n; j++)
			if (!ga_place_wants_type(ask, node->slots.v[j].type, &rank))
				break;
		if (j == node->slots.n && (int64_t)j > ret)
			ret = (int64_t)j;
	}
	return ret;
}

/* A baremetal request takes a machine with all its GPUs: the number that is free in all nodes is
 * no reason. Returns false when no machine is free for another reason. */
static bool refuse_machine(const struct ga_place_ask *ask, const struct tally *t, const char *what,
			   struct ga_refusal *ret)
{
	ga_autofree char *of = of_types(ask), *place = place_wanted(ask), *whose = NULL;
	const char *node = ask->request->node;
	bool too_many;
	int64_t n;

	if (!ask->baremetal || !t->slots)
		return false;
	n = largest_machine(ask, false);
	too_many = ask->request->count > n;
	n = too_many ? n : largest_machine(ask, true);
	whose = node ? ga_xprintf("node '%s'", node) :
		       ga_xprintf("the largest %smachine%s%s", too_many ? "" : "free ", of, place);
	if (t->held)
		say(ret, "no_capacity",
		    ga_xprintf("%s wanted, and %snode '%s' is held by slices", what,
			       node ? "" : "the nearest ", t->held),
		    ga_xprintf("'gpuaas-list claims --where node=%s --where live=true' shows them; "
			       "gpuaas-node drain keeps new ones away", t->held));
	else if (n)
		say(ret, "no_capacity",
		    ga_xprintf("%s wanted, and %s has %" PRId64 " GPU%s", what, whose, n,
			       n == 1 ? "" : "s"),
		    ga_xprintf("ask for at most %" PRId64 "%s", n,
			       too_many ? "" : ", or wait: gpuaas-list allocation shows which "
					       "project has the larger ones"));
	return t->held || n;
}

static void refuse_full(const struct ga_place_ask *ask, const struct tally *t, const char *what,
			struct ga_refusal *ret)
{
	ga_autofree char *of = of_types(ask), *place = place_wanted(ask);
	ga_autofree char *other =
		t->other ? ga_xprintf(" (%" PRId64 " GPU%s of other types %s)", t->other,
				      t->other == 1 ? "" : "s", t->other == 1 ? "is" : "are") :
			   ga_xstrdup("");

	if (!t->slots) {
		say(ret, "no_capacity",
		    ga_xprintf("%s wanted, and no slot is approved%s", what, place),
		    ga_xstrdup("gpuaas-discover | gpuaas-approve makes capacity"));
		return;
	}
	say(ret, "no_capacity",
	    t->free && !ask->baremetal ?
		    ga_xprintf("%s wanted, and %" PRId64 " GPU%s%s %s free%s in all", what,
			       t->free, t->free == 1 ? "" : "s", of, t->free == 1 ? "is" : "are",
			       place) :
	    t->free ? ga_xprintf("%s wanted, and no machine%s is free%s", what, of, place) :
	    *of	    ? ga_xprintf("%s wanted, and none%s is free%s%s", what, of, place, other) :
		      ga_xprintf("%s wanted, and nothing is free%s", what, place),
	    ga_xstrdup("gpuaas-list allocation shows which project has what"));
}

/* A machine that is sold as baremetal does not have the state. */
#define LOOK_AGAIN \
	"'gpuaas-on --nodes node=%s gpuaas-discover | gpuaas-approve --all-ready%s | gpuaas-on " \
	"gpuaas-wipe | gpuaas-state fold -"

/* "'gpuaas-approve VERB SLOT…'" of the slots that need it; NULL: none does. A slot that is disabled
 * and cordoned needs both. */
static char *put_back(const struct tally *t, bool uncordon)
{
	const char *verb = uncordon ? "gpuaas-approve uncordon" : "gpuaas-approve enable";
	struct ga_str s = GA_STR_INIT;
	size_t i;

	for (i = 0; i < t->n_lift; i++) {
		if (uncordon ? !t->lift[i]->cordon : t->lift[i]->available)
			continue;
		ga_str_addf(&s, "%s%s %s", s.len ? "" : "'", s.len ? "" : verb, t->lift[i]->id);
	}
	if (s.len)
		ga_str_add(&s, uncordon ? "'" : " | gpuaas-wipe'");
	return s.len ? ga_str_take(&s) : NULL;
}

/* The commands that free the slots that the request needs; of: the node. */
static char *lift_hint(const struct tally *t, const char *of)
{
	ga_autofree char *uncordon = put_back(t, true), *enable = put_back(t, false);
	ga_autostr struct ga_str slots = GA_STR_INIT, why = GA_STR_INIT;
	bool both = uncordon && enable;
	size_t i;

	/* Each person's reason is shown before somebody ends it. */
	for (i = 0; i < t->n_lift; i++) {
		const struct ga_fleet_slot *s = t->lift[i];
		bool two = s->cordon && !ga_streq(s->cordon, s->cordon_reason);

		ga_str_addf(&slots, "%s%" PRId64, i ? ", " : "", s->slot_index);
		ga_str_addf(&why, "; slot %" PRId64 ": %s%s%s", s->slot_index,
			    s->cordon_reason ? s->cordon_reason : "no reason", two ? "; " : "",
			    two ? s->cordon : "");
	}
	return ga_xprintf("when that is settled, %s%s%s %s slot%s %s of %s back on sale%s%s",
			  uncordon ? uncordon : "", both ? " and " : "", enable ? enable : "",
			  both ? "put" : "puts", t->n_lift > 1 ? "s" : "", slots.buf, of,
			  t->lift_wipe ? "; gpuaas-wipe --pending on that host, too" : "",
			  t->n_lift > 1 ? why.buf : "");
}

/* The longest run time in whole minutes that ends before the next maintenance of the node, with a
 * minute to ask for it. 0: even that does not place the request. */
static int64_t shorter_run(const struct ga_place_ask *ask, const struct ga_fleet_node *node)
{
	const struct ga_fleet_window *w =
		ga_fleet_window_in_way(ask->fleet, node, ask->request->run_seconds);
	struct ga_request request = *ask->request;
	struct ga_place_ask shorter = *ask;
	struct ga_place_option o;
	int64_t minutes = w ? (w->from - ask->fleet->now_micros) / GA_SECOND / 60 - 1 : 0;

	request.run_seconds = minutes * 60;
	shorter.request = &request;
	return minutes > 0 && !ga_place_offer(&shorter, node, &o) ? request.run_seconds : 0;
}

/* The hint for the reason against the node. */
static char *nearest_hint(const struct ga_place_ask *ask, const struct tally *t,
			  const struct nearest *near)
{
	const struct ga_fleet_slot *s = near->slot;
	int64_t run = !s && ga_streq(near->why, "maintenance_ahead") ?
			      shorter_run(ask, near->node) : 0;
	char text[GA_SPAN_SIZE];

	if (run)
		return ga_xprintf("--run-time %s ends before that maintenance, and fits; "
				  "gpuaas-node show %s", ga_duration_format(run, text),
				  near->node->id);
	if (ga_streq(near->why, "region_closed"))
		return ga_place_open_regions(ask);
	if (!s && ga_streq(near->why, "node_draining"))
		return ga_xprintf("when the reason is settled: gpuaas-node undrain %s",
				  near->node->id);
	if (!s)
		return ga_xprintf("gpuaas-node show %s", near->node->id);
	/* The slots are available, but smaller than the profile requires. */
	if (ga_streq(near->why, "slot_cpus_few") || ga_streq(near->why, "slot_memory_small"))
		return ga_xprintf("gpuaas-profile show %s shows what it needs of a slot, "
				  "gpuaas-list slot what slots have", ask->profile->name);
	if (near == &t->blocked && t->n_lift)
		return lift_hint(t, "it");
	/* The node became baremetal after its slots were judged for slices. */
	if (ga_verdict_is_of_vms(near->why) && ga_streq(near->node->mode, "baremetal"))
		return ga_xprintf("its slots were judged for slices; to judge them again: "
				  LOOK_AGAIN "'", near->node->id, "");
	/* The node is in mode slice: its slots are judged for VMs. */
	if (ga_verdict_is_of_vms(near->why) && ask->baremetal)
		return ga_xprintf("only slices need that; to sell the node as baremetal: "
				  LOOK_AGAIN "'", near->node->id, " --mode baremetal");
	return ga_xprintf("gpuaas-list slots --where node=%s shows them, gpuaas-list attention "
			  "what to do%s", near->node->id,
			  ga_verdict_is_of_vms(near->why) ?
				  "; sold as baremetal (gpuaas-approve --mode baremetal) the node "
				  "does not need that" : "");
}

static char *no_single_node_hint(const struct tally *t)
{
	const struct ga_fleet_node *node = t->blocked.node; /* of the slots that commands free */
	ga_autofree char *of = node && t->n_lift ? ga_xprintf("node '%s'", node->id) : NULL;
	ga_autofree char *lift = of ? lift_hint(t, of) : NULL;

	return ga_xprintf("a slice never spans nodes; %s%s%sask for fewer GPUs a slice",
			  lift ? lift : "", lift && t->blocked.no_image ? "; " BRING_IMAGE : "",
			  lift ? "; or " : "");
}

static void refuse_rest(const struct ga_place_ask *ask, const struct tally *t, const char *what,
			struct ga_refusal *ret)
{
	const struct nearest *near = t->out.node	? &t->out :
				     t->blocked.node ? &t->blocked :
				     t->most.node && !t->free && !t->used ? &t->most : NULL;
	ga_autofree char *why = near ? ga_xprintf("%s%s%s", near->why, near->detail ? ": " : "",
						  near->detail ? near->detail : "") :
				       NULL;
	const char *node = near ? near->node->id : NULL;

	if (!ask->baremetal && t->free >= ask->count)
		say(ret, "no_single_node",
		    ga_xprintf("%" PRId64 " GPUs are free, but not %s on one node: node '%s' has "
			       "%" PRId64, t->free, what, t->most_node, t->most_free),
		    no_single_node_hint(t));
	else if ((!near || near == &t->most) && t->idle)
		refuse_topology(t->idle, t->idle_why,
				ask->count == 1 ? "is not in use" : "are not in use", what, ret);
	else if ((!near || near == &t->most) && refuse_machine(ask, t, what, ret))
		return;
	else if (!near)
		refuse_full(ask, t, what, ret);
	else
		say(ret, near->slot ? class_of(near->why) : "not_ready",
		    near == &t->out ?
			    ga_xprintf("%s would fit on node '%s', but the node is not usable "
				       "(%s)", what, node, why) :
		    near == &t->blocked ?
			    ga_xprintf("%s would fit on node '%s', but slots of it are not "
				       "available (%s)%s", what, node, why,
				       near->no_image ? ", and it lacks the image" : "") :
		    near->slot ?
			    ga_xprintf("%s wanted, and slots of the nearest node '%s' are not "
				       "available (%s)", what, node, why) :
			    ga_xprintf("%s wanted, and the nearest node '%s' is not usable (%s)",
				       what, node, why),
		    nearest_hint(ask, t, near));
}

/* The node that the request names; NULL: it names none, or one that is retired or unknown. */
static const struct ga_fleet_node *named_node(const struct ga_place_ask *ask)
{
	size_t i;

	for (i = 0; ask->request->node && i < ask->fleet->nodes.n; i++)
		if (ga_streq(ask->fleet->nodes.v[i].id, ask->request->node))
			return &ask->fleet->nodes.v[i];
	return NULL;
}

/* Nothing was ever approved on the named node: whatever else the request wants, it has no slot. */
static bool refuse_unapproved(const struct ga_place_ask *ask, struct ga_refusal *ret)
{
	const struct ga_fleet_node *node = named_node(ask);

	if (!node || node->slots.n || !ga_streq(node->why, "node_enrolled"))
		return false;
	say(ret, "not_ready",
	    ga_xprintf("nothing is approved on node '%s', so nothing is placed there", node->id),
	    ga_xprintf("approve it: on that host, 'gpuaas-discover | gpuaas-approve --all-ready | "
		       "gpuaas-wipe'"));
	return true;
}

/* The first node by id that has that many GPUs for the request now, or NULL. */
static const struct ga_fleet_node *node_for(const struct ga_place_ask *ask, int64_t count)
{
	const struct ga_fleet_node *where = NULL;
	struct ga_place_ask other = *ask;
	size_t i;

	other.count = count;
	for (i = 0; i < ask->fleet->nodes.n; i++) {
		const struct ga_fleet_node *node = &ask->fleet->nodes.v[i];
		struct ga_place_option o;

		if ((!where || strcmp(node->id, where->id) < 0) &&
		    !ga_place_offer(&other, node, &o))
			where = node;
	}
	return where;
}

static void add_count(int64_t count, const struct ga_fleet_node *where, struct ga_refusal *ret)
{
	*ga_list_add(&ret->alternatives) =
		ga_xprintf("%" PRId64 " GPU%s on node %s now", count, count == 1 ? "" : "s",
			   where->id);
}

/* Adds the largest smaller count that is allowed and fits now. */
static void alternative_count(const struct ga_place_ask *ask, struct ga_refusal *ret)
{
	const struct ga_fleet_node *where = NULL;
	int64_t best = 0;
	size_t i;

	for (i = 0; !ask->baremetal && i < ask->profile->counts.n; i++) {
		int64_t count = ask->profile->counts.v[i];
		const struct ga_fleet_node *node =
			count < ask->count && count > best ? node_for(ask, count) : NULL;

		if (!node)
			continue;
		where = node;
		best = count;
	}
	if (where)
		add_count(best, where, ret);
}

/* Adds a node that fits without the constraints that a request can drop. */
static void alternative_place(const struct ga_place_ask *ask, const char *what,
			      struct ga_refusal *ret)
{
	struct ga_request anywhere = *ask->request;
	struct ga_place_ask wider = *ask;
	const struct ga_fleet_node *where = NULL;
	struct ga_place_option o;
	size_t i;

	anywhere.node = anywhere.region = anywhere.pool = NULL;
	wider.request = &anywhere;
	if (ask->request->types.n) {
		wider.types = (const void *)ask->profile->types.v;
		wider.n_types = ask->profile->types.n;
	}
	for (i = 0; i < ask->fleet->nodes.n; i++) {
		const struct ga_fleet_node *node = &ask->fleet->nodes.v[i];

		if ((!where || strcmp(node->id, where->id) < 0) &&
		    !ga_place_offer(&wider, node, &o))
			where = node;
	}
	/* o.type is NULL for a baremetal node with several types. */
	if (where && !ga_place_offer(&wider, where, &o))
		*ga_list_add(&ret->alternatives) =
			ga_xprintf("%s%s%s on node %s now", what, o.type ? " of type " : "",
				   o.type ? o.type : "", where->id);
}

static void begin(const struct ga_place_ask *ask, struct ga_refusal *ret)
{
	ret->status = GA_NO;
	ret->request_id = ga_strdup0(ask->request->request_id);
	ret->project = ga_strdup0(ask->request->project);
	ret->profile = ga_xstrdup(ask->profile->name);
	ret->shape = ga_xstrdup(ask->baremetal ? "baremetal" : "slice");
	ret->count = ask->baremetal ? ask->request->count : ask->count;
}

/* The code of the refusal and its words. what: the request, for people. */
static void refuse_by(const struct ga_place_ask *ask, const struct tally *t, const char *what,
		      struct ga_refusal *ret)
{
	if (ask->request->node && !named_node(ask)) {
		say(ret, "node_missing",
		    ga_xprintf("node '%s' is retired, or was never there", ask->request->node),
		    ga_xstrdup("'gpuaas-list nodes' shows them"));
	} else if (wants_nothing(ask)) {
		refuse_types(ask, ret);
	} else if (refuse_unapproved(ask, ret)) {
		; /* also where its mode, region or types are not known yet */
	} else if (refuse_closed(ask, ret) || refuse_region(ask, ret)) {
		; /* whatever the nodes of the region have */
	} else if (!t->here && ask->fleet->nodes.n) {
		if (t->in_region)
			say(ret, "other_pool_wanted", nowhere(ask, true), pool_hint(ask));
		else
			say(ret, "other_region_wanted", nowhere(ask, false),
			    ga_place_open_regions(ask));
	} else if (!t->slots && t->app_why) {
		refuse_app(ask, t->app_why, ret);
	} else if (!t->slots && ask->fleet->nodes.n && (ask->n_types || wants_memory(ask))) {
		ga_autofree char *types = type_list(ask), *place = place_wanted(ask);

		say(ret, "type_missing",
		    ga_xprintf("no %s of %s%s is%s", ask->baremetal ? "machine" : "slot", types,
			       ask->baremetal ? " alone" : "", *place ? place : " there"),
		    ga_xstrdup("'gpuaas-list slots' shows the types there are"));
	} else if (!refuse_in_the_way(ask, t, what, ret)) {
		refuse_rest(ask, t, what, ret);
	}
}

char *ga_place_refusal_code(const struct ga_place_ask *ask)
{
	ga_autofree char *what = asked_for(ask);
	struct ga_refusal refusal;
	struct tally t;
	char *code = NULL;

	ga_place_tally(ask, &t, NULL);
	if (t.taken)
		return NULL;
	ga_schema_init(&ga_refusal_schema, &refusal);
	refuse_by(ask, &t, what, &refusal);
	/* "Not ready" says less than the reason that every node has. */
	code = ga_streq(refusal.code, "not_ready") && t.common ? ga_xstrdup(t.common) :
								 GA_TAKE(refusal.code);
	ga_schema_release(&ga_refusal_schema, &refusal);
	return code;
}

void ga_place_refuse(const struct ga_place_ask *ask, struct ga_refusal *ret)
{
	ga_autofree char *what = asked_for(ask);
	struct tally t;

	begin(ask, ret);
	ga_place_tally(ask, &t, ret);
	refuse_by(ask, &t, what, ret);
	alternative_count(ask, ret);
	alternative_place(ask, what, ret);
}

void ga_place_refuse_count(const struct ga_place_ask *ask, struct ga_refusal *ret)
{
	ga_autostr struct ga_str counts = GA_STR_INIT;
	size_t i, n = ask->profile->counts.n;

	begin(ask, ret);
	for (i = 0; i < n; i++)
		ga_str_addf(&counts, "%s%" PRId64, !i ? "" : i + 1 < n ? ", " : " or ",
			    ask->profile->counts.v[i]);
	say(ret, "count_not_allowed",
	    ga_xprintf("profile '%s' does not allow %" PRId64 " GPUs", ask->profile->name,
		       ask->count),
	    ga_xprintf("ask for %s", counts.buf));
	for (i = 0; i < n; i++) {
		const struct ga_fleet_node *node = node_for(ask, ask->profile->counts.v[i]);

		if (node)
			add_count(ask->profile->counts.v[i], node, ret);
	}
}

void ga_place_refuse_image(const struct ga_place_ask *ask, struct ga_refusal *ret)
{
	begin(ask, ret);
	say(ret, "image_not_named",
	    ga_xprintf("no image is named: neither by the request nor by profile '%s'",
		       ask->profile->name),
	    ga_xprintf("--image NAME; 'gpuaas-profile set %s --image NAME' for all requests",
		       ask->profile->name));
}
