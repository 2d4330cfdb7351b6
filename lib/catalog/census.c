/* SPDX-License-Identifier: Apache-2.0 */
/* The census: the evidence of a node's accelerators from labels, resources and people, before
 * weighing. */
#include "catalog/census.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define MOST 64

struct ga_node_type *ga_census_add(struct ga_census *g, int64_t count, int64_t memory_mib)
{
	*ga_list_add(&g->memory_mib) = memory_mib;
	return ga_view_add(g->view, count);
}

bool ga_census_is_full(struct ga_census *g)
{
	const struct ga_node_view *v = g->view;

	if (!g->full && (v->types.n >= MOST || v->parts.n >= MOST || v->warnings.n >= MOST)) {
		g->full = true;
		ga_view_warn(g->view, "too_many", "the node has more than %d types, parts of "
			     "GPUs or warnings: the rest is left out", MOST);
		ga_type_said(ga_census_add(g, GA_UNKNOWN, GA_UNKNOWN), "label",
				"more than are listed", NULL, 0);
	}
	return g->full;
}

void ga_view_malformed(struct ga_node_view *v, json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);
	ga_autofree char *text = json_is_string(value) ? ga_xstrdup(json_string_value(value)) :
							 json_dumps(value, JSON_ENCODE_ANY);

	ga_view_warn(v, "number_malformed", "%s is '%.64s', which is not valid", key,
		     text ? text : "?");
}

bool ga_census_says(const struct ga_node_type *t, const char *slug)
{
	size_t i, j;

	for (i = 0; i < t->evidence.n; i++)
		for (j = 0; j < t->evidence.v[i].types.n; j++)
			if (!strcmp(t->evidence.v[i].types.v[j], slug))
				return true;
	return false;
}

bool ga_census_says_nothing(const struct ga_node_type *t)
{
	size_t i;

	for (i = 0; i < t->evidence.n; i++)
		if (t->evidence.v[i].types.n)
			return false;
	return true;
}

void ga_census_done(struct ga_census *g)
{
	ga_accels_weigh(g->list, g->view, g->memory_mib.v);
	ga_list_release(&g->memory_mib);
	ga_list_release(&g->vendors);
}

/* ---- types that people recorded, assigned to the node's GPUs ---- */

void ga_manual_types_release(struct ga_manual_types *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].node);
		free(list->v[i].name);
		free(list->v[i].type);
		free(list->v[i].reason);
		free(list->v[i].by);
		free(list->v[i].at);
	}
	ga_list_release(list);
}

bool ga_type_is_settled(const struct ga_node_type *t)
{
	size_t i;

	for (i = 0; i < t->evidence.n; i++)
		if (!strcmp(t->evidence.v[i].source, "pci") && t->evidence.v[i].types.n == 1)
			return true;
	return false;
}

/* Whether a source names this type and no other. */
static bool is_named(const struct ga_node_type *t, const char *slug)
{
	size_t i;

	for (i = 0; i < t->evidence.n; i++)
		if (t->evidence.v[i].types.n == 1 && !strcmp(t->evidence.v[i].types.v[0], slug))
			return true;
	return false;
}

static bool is_manual(const struct ga_node_type *t)
{
	size_t i;

	for (i = 0; i < t->evidence.n; i++)
		if (!strcmp(t->evidence.v[i].source, "manual"))
			return true;
	return false;
}

/* Splits off the GPUs beyond count as an element of their own. */
static void split(struct ga_census *g, size_t at, int64_t count)
{
	struct ga_node_type *rest = ga_census_add(g, g->view->types.v[at].count - count,
						  g->memory_mib.v[at]);
	struct ga_node_type *t = &g->view->types.v[at];
	size_t i;

	t->count = count;
	for (i = 0; i < t->evidence.n; i++) {
		const struct ga_type_evidence *from = &t->evidence.v[i];
		struct ga_type_evidence *e =
			ga_type_said(rest, from->source, from->said,
				     (const char *const *)from->types.v, from->types.n);

		e->by = ga_strdup0(from->by);
		e->at = ga_strdup0(from->at);
	}
}

static void say(struct ga_census *g, struct ga_node_type *t, const struct ga_manual_type *m)
{
	const struct ga_accel_type *type = ga_accels_type(g->list, m->type);
	ga_autofree char *said = ga_xprintf("%s: %s", m->type, m->reason);
	struct ga_type_evidence *e =
		ga_type_said(t, "manual", said, type ? (const char *const *)&type->slug : NULL,
				type ? 1 : 0);

	e->by = ga_strdup0(m->by);
	e->at = ga_strdup0(m->at);
	if (!type)
		ga_view_warn(g->view, "manual_unknown", "'%s' was recorded by hand, and is no "
			     "type of the catalogue", m->type);
}

/* Adds the record to the first element without a record that the pass allows: 0 elements that may
 * be of the type, 1 elements without evidence, 2 any. Where the record is for fewer GPUs than the
 * element has, splits the element. */
static bool place(struct ga_census *g, const struct ga_manual_type *m, int pass)
{
	size_t i;

	for (i = 0; i < g->view->types.n; i++) {
		struct ga_node_type *t = &g->view->types.v[i];

		if (is_manual(t) || (pass == 0 && !ga_census_says(t, m->type)) ||
		    (pass == 1 && !ga_census_says_nothing(t)))
			continue;
		if (t->count == GA_UNKNOWN)
			t->count = m->count;
		if (m->count != GA_UNKNOWN && m->count != t->count && is_named(t, m->type))
			ga_view_warn(g->view, "count_mismatch", "%lld of '%s' were recorded by "
				     "hand, the node reports %lld", (long long)m->count, m->type,
				     (long long)t->count);
		if (m->count != GA_UNKNOWN && m->count < t->count && !ga_type_is_settled(t))
			split(g, i, m->count);
		say(g, &g->view->types.v[i], m);
		return true;
	}
	return false;
}

/* Adds a record that found no element. Where the node reports how many GPUs it has, there are no
 * further GPUs: the first element gets the record. If the record has no count and PCI ids leave the
 * type open, how many GPUs are of which type becomes unknown. */
static void place_more(struct ga_census *g, const struct ga_manual_type *m, bool reported)
{
	struct ga_node_type *t = g->view->types.n ? &g->view->types.v[0] : NULL;

	if (reported && t && (m->count != GA_UNKNOWN || ga_type_is_settled(t))) {
		say(g, t, m);
		return;
	}
	if (reported && t)
		t->count = GA_UNKNOWN;
	say(g, ga_census_add(g, m->count, GA_UNKNOWN), m);
}

/* Number of GPUs that the node reports; GA_UNKNOWN when it reports none. */
static int64_t sum_of(const struct ga_node_view *v)
{
	int64_t sum = v->types.n ? 0 : GA_UNKNOWN;
	size_t i;

	for (i = 0; i < v->types.n && sum != GA_UNKNOWN; i++)
		sum = v->types.v[i].count == GA_UNKNOWN ? GA_UNKNOWN : sum + v->types.v[i].count;
	return sum;
}

/* Whether the record is for the view's node: by the node's id, or by its name in Kubernetes, which
 * a node of the state has too. */
static bool is_for(const struct ga_node_view *v, const struct ga_manual_type *m)
{
	if (!strcmp(m->node, v->node))
		return true;
	return m->of_state ? !strcmp(v->source, "kubernetes") && ga_streq(m->name, v->node) :
			     ga_streq(v->name, m->node);
}

/* A person may record fewer GPUs than the node has, but not more. */
static void check_sum(struct ga_census *g, const struct ga_manual_types *manual, int64_t has)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < manual->n; i++) {
		if (!is_for(g->view, &manual->v[i]))
			continue;
		if (manual->v[i].count == GA_UNKNOWN)
			return;
		sum += manual->v[i].count;
	}
	if (has != GA_UNKNOWN && sum > has)
		ga_view_warn(g->view, "count_mismatch", "%lld GPUs were recorded by hand, the node "
			     "reports %lld", (long long)sum, (long long)has);
}

void ga_census_manual(struct ga_census *g, const struct ga_manual_types *manual)
{
	size_t i, n = manual ? manual->n : 0, before = g->view->warnings.n;
	ga_autofree bool *placed = ga_xcalloc(n + 1, sizeof(*placed));
	int64_t has = sum_of(g->view);
	int pass;

	for (pass = 0; pass < 3; pass++)
		for (i = 0; i < n; i++)
			if (!placed[i] && is_for(g->view, &manual->v[i]))
				placed[i] = place(g, &manual->v[i], pass);
	for (i = 0; i < n; i++)
		if (!placed[i] && is_for(g->view, &manual->v[i]))
			place_more(g, &manual->v[i], has != GA_UNKNOWN);
	if (n && before == g->view->warnings.n)
		check_sum(g, manual, has);
}
