/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remembers the offers of all nodes to the last kinds of request. A placement changes one node of
 * thousands, so that the next request of the same kind needs new offers only from the nodes that
 * changed since. A request that names a node, a place or a type is computed for every node each
 * time.
 */
#include <stdlib.h>
#include <string.h>

#include "decide/place/score.h"
#include "record/state.h"

#define KINDS 8 /* a stream of requests has few kinds: profiles and their counts */

struct offer {
	uint64_t change; /* the node's change number at the time of the offer; 0: no offer */
	bool any;
	int64_t terms[GA_TERM_COUNT];
};

/* A kind of request: the values that decide its offers. */
struct kind {
	char *profile, *image; /* profile NULL: none yet */
	char *app;
	int64_t version, count, app_version;
	bool baremetal;
	struct offer *offers; /* one for each node, in the fleet's order */
	size_t n;
};

struct ga_place_memo {
	struct kind kinds[KINDS]; /* the most recent first */
};

static void release(struct kind *k)
{
	free(k->profile);
	free(k->image);
	free(k->app);
	free(k->offers);
}

void ga_place_memo_release(struct ga_place_memo *memo)
{
	size_t i;

	for (i = 0; memo && i < KINDS; i++)
		release(&memo->kinds[i]);
	free(memo);
}

void ga_fleet_touch(struct ga_fleet *f, struct ga_fleet_node *node)
{
	if (!f->memo)
		f->memo = ga_xcalloc(1, sizeof(*f->memo));
	node->change = ++f->changes;
}

static bool is_plain(const struct ga_request *r)
{
	return !r->node && !r->region && !r->pool && !r->types.n &&
	       (r->min_memory_mib == GA_UNKNOWN || r->min_memory_mib <= 0);
}

static bool is_for_app(const struct kind *m, const struct ga_place_limits *limits)
{
	return limits ? m->app && !strcmp(m->app, limits->app) &&
				m->app_version == limits->version :
			!m->app;
}

/* A version of a profile or an app never changes: its name and number identify it. */
static bool is_of_kind(const struct kind *m, const struct ga_place_ask *ask)
{
	return m->profile && !strcmp(m->profile, ask->profile->name) &&
	       m->version == ask->profile->version && m->count == ask->request->count &&
	       m->baremetal == ask->baremetal && m->n == ask->fleet->nodes.n &&
	       is_for_app(m, ask->limits) &&
	       (m->image ? ask->image && !strcmp(m->image, ask->image) : !ask->image);
}

/* Makes the kind of that request the first. A new kind replaces the last one. */
static const struct kind *kind_of(struct ga_place_memo *memo, const struct ga_place_ask *ask)
{
	struct kind it;
	size_t i;

	for (i = 0; i < KINDS - 1 && !is_of_kind(&memo->kinds[i], ask); i++)
		;
	it = memo->kinds[i];
	memmove(&memo->kinds[1], &memo->kinds[0], i * sizeof(it));
	if (!is_of_kind(&it, ask)) {
		release(&it);
		it.profile = ga_xstrdup(ask->profile->name);
		it.image = ga_strdup0(ask->image);
		it.version = ask->profile->version;
		it.app = ask->limits ? ga_xstrdup(ask->limits->app) : NULL;
		it.app_version = ask->limits ? ask->limits->version : 0;
		it.count = ask->request->count;
		it.baremetal = ask->baremetal;
		it.n = ask->fleet->nodes.n;
		it.offers = ga_xcalloc(it.n + 1, sizeof(*it.offers));
	}
	memo->kinds[0] = it;
	return &memo->kinds[0];
}

/* Offers of two nodes never tie on slots: the node ids differ. */
static bool is_better(const struct offer *a, const struct ga_fleet_node *x, const struct offer *b,
		      const struct ga_fleet_node *y)
{
	size_t i;

	for (i = 0; i < GA_TERM_COUNT; i++)
		if (a->terms[i] != b->terms[i])
			return a->terms[i] < b->terms[i];
	return strcmp(x->id, y->id) < 0;
}

const struct ga_fleet_node *ga_place_memo_best(const struct ga_place_ask *ask, bool *knows)
{
	const struct ga_fleet_node *best = NULL;
	const struct offer *its = NULL;
	const struct kind *m;
	size_t i;

	*knows = ask->fleet->memo && is_plain(ask->request);
	if (!*knows)
		return NULL;
	m = kind_of(ask->fleet->memo, ask);
	for (i = 0; i < m->n; i++) {
		const struct ga_fleet_node *node = &ask->fleet->nodes.v[i];
		struct offer *offer = &m->offers[i];

		if (!offer->change || offer->change != node->change) {
			struct ga_place_option o;

			offer->any = !ga_place_offer(ask, node, &o);
			if (offer->any)
				memcpy(offer->terms, o.terms, sizeof(offer->terms));
			/* Do not remember offers of stale nodes or of nodes with windows: they
			 * depend on the current time and on the run time. */
			offer->change =
				ga_place_is_stale(ask, node) || node->windows.n ? 0 : node->change;
		}
		if (!offer->any || (best && !is_better(offer, node, its, best)) ||
		    ga_place_is_stale(ask, node))
			continue;
		best = node;
		its = offer;
	}
	return best;
}
