/* SPDX-License-Identifier: Apache-2.0 */
/* Groups equal nodes, and suggests profiles for them. */
#include "decide/place/suggest.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/texts.h"
#include "record/request.h"
#include "record/state.h"

#define ROUND_FROM_MIB 4096
#define NAME_MAX_LEN 63

/* ---- orders ---- */

static int cmp_int(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_worth(const void *a, const void *b)
{
	const struct ga_suggest_type *x = a, *y = b;
	int order = cmp_int(y->memory_gb, x->memory_gb);

	return order ? order : strcmp(x->type, y->type);
}

void ga_suggest_order(struct ga_suggest_type *types, size_t n)
{
	if (n)
		qsort(types, n, sizeof(*types), by_worth);
}

static int64_t gpus_of(const struct ga_suggest_node *node)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < node->types.n; i++)
		sum += node->types.v[i].count;
	return sum;
}

/* Orders nodes by the properties that are equal within a group; the types of both are sorted. */
static int cmp_kind(const struct ga_suggest_node *x, const struct ga_suggest_node *y)
{
	int order = 0;
	size_t i;

	for (i = 0; !order && i < x->types.n && i < y->types.n; i++)
		order = strcmp(x->types.v[i].type, y->types.v[i].type);
	if (!order)
		order = (x->types.n > y->types.n) - (x->types.n < y->types.n);
	if (!order)
		order = cmp_int(gpus_of(y), gpus_of(x));
	for (i = 0; !order && i < x->types.n; i++)
		order = cmp_int(y->types.v[i].count, x->types.v[i].count);
	if (!order)
		order = -strcmp(x->mode, y->mode);
	if (!order)
		order = strcmp(x->numa, y->numa);
	return order ? order : cmp_int(y->hugepage_kib, x->hugepage_kib);
}

static int by_kind(const void *a, const void *b)
{
	const struct ga_suggest_node *x = a, *y = b;
	int order = cmp_kind(x, y);

	if (!order)
		order = cmp_int(x->memory_mib, y->memory_mib);
	return order ? order : strcmp(x->node, y->node);
}

static int by_group(const void *a, const void *b)
{
	const struct ga_suggest_node *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return strcmp(x->node, y->node);
}

/* Whether a larger memory counts as equal: within 2 %. */
static bool is_near(int64_t least, int64_t mib)
{
	return least == mib || (least > 0 && mib - least <= least / 50);
}

size_t ga_suggest_groups(struct ga_suggest_node *nodes, size_t n)
{
	size_t i, groups = 0, first = 0;

	for (i = 0; i < n; i++)
		ga_suggest_order(nodes[i].types.v, nodes[i].types.n);
	if (n)
		qsort(nodes, n, sizeof(*nodes), by_kind);
	for (i = 0; i < n; i++) {
		if (!i || cmp_kind(&nodes[first], &nodes[i]) ||
		    !is_near(nodes[first].memory_mib, nodes[i].memory_mib)) {
			first = i;
			groups++;
		}
		nodes[i].group = groups - 1;
	}
	if (n)
		qsort(nodes, n, sizeof(*nodes), by_group);
	return groups;
}

/* ---- a profile ---- */

void ga_suggest_counts(int64_t most, struct ga_ints *counts)
{
	int64_t n;

	most = most > GA_REQUEST_GPUS ? GA_REQUEST_GPUS : most;
	for (n = 1; n < most; n *= 2)
		*ga_list_add(counts) = n;
	if (most > 0)
		*ga_list_add(counts) = most;
}

struct sum {
	GA_LIST(struct ga_suggest_type) types;
	int64_t most; /* most GPUs of one type on one node */
	int64_t vcpus, memory_mib, hugepage_kib;
	bool modes_differ;
};

static int64_t least(int64_t a, int64_t b)
{
	if (a == GA_UNKNOWN || b == GA_UNKNOWN)
		return a == GA_UNKNOWN ? b : a;
	return a < b ? a : b;
}

static void add_node(struct sum *s, const struct ga_suggest_node *node, const char *only)
{
	size_t i, before = s->types.n;
	bool has = false;

	for (i = 0; i < node->types.n; i++) {
		const struct ga_suggest_type *t;
		size_t j;

		if (!node->types.v[i].count || (only && strcmp(node->types.v[i].type, only) != 0))
			continue;
		t = &node->types.v[i];
		s->most = t->count > s->most ? t->count : s->most;
		for (j = 0; j < s->types.n && strcmp(s->types.v[j].type, t->type); j++)
			;
		if (j == s->types.n)
			*ga_list_add(&s->types) = *t;
		has = true;
	}
	if (!has)
		return;
	s->vcpus = least(s->vcpus, node->vcpus_per_gpu);
	s->memory_mib = least(s->memory_mib, node->memory_mib_per_gpu);
	/* Huge pages count only if all nodes have them. */
	if (!before)
		s->hugepage_kib = node->hugepage_kib;
	else if (s->hugepage_kib != node->hugepage_kib)
		s->hugepage_kib = GA_UNKNOWN;
}

/* A slice's memory is in whole GiB, and from huge pages in whole pages. */
static int64_t round_down(int64_t mib, int64_t hugepage_kib)
{
	int64_t unit = mib >= ROUND_FROM_MIB ? 1024 : 1;

	if (hugepage_kib != GA_UNKNOWN && hugepage_kib / 1024 > unit &&
	    mib >= hugepage_kib / 1024)
		unit = hugepage_kib / 1024;
	return mib == GA_UNKNOWN ? mib : mib - mib % unit;
}

static void fill(struct sum *s, const char *shape, struct ga_profile *ret)
{
	bool baremetal = ga_streq(shape, "baremetal");
	size_t i;

	ga_texts_release(&ret->types);
	ga_list_release(&ret->counts);
	free(ret->shape);
	ret->shape = ga_xstrdup(shape);
	ga_suggest_order(s->types.v, s->types.n);
	for (i = 0; i < s->types.n; i++)
		ga_texts_add(&ret->types, s->types.v[i].type);
	ret->vcpus_per_gpu = baremetal ? GA_UNKNOWN : s->vcpus;
	ret->memory_mib_per_gpu =
		baremetal ? GA_UNKNOWN : round_down(s->memory_mib, s->hugepage_kib);
	/* A page larger than the memory of a GPU cannot be used. */
	if (s->memory_mib != GA_UNKNOWN && s->hugepage_kib / 1024 > s->memory_mib)
		s->hugepage_kib = GA_UNKNOWN;
	ret->hugepage_kib = baremetal ? GA_UNKNOWN : s->hugepage_kib;
	if (!baremetal)
		ga_suggest_counts(s->most, &ret->counts);
}

const char *ga_suggest_profile(const struct ga_suggest_node *nodes, size_t n, const char *shape,
			       const char *only, struct ga_profile *ret)
{
	struct sum s = { .vcpus = GA_UNKNOWN, .memory_mib = GA_UNKNOWN,
			 .hugepage_kib = GA_UNKNOWN };
	const char *why = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		add_node(&s, &nodes[i], only);
		s.modes_differ = s.modes_differ || strcmp(nodes[0].mode, nodes[i].mode) != 0;
	}
	if (!s.types.n)
		why = "no_gpu";
	else if (s.modes_differ && !shape)
		why = "modes";
	else
		fill(&s, shape ? shape : nodes[0].mode, ret);
	ga_list_release(&s.types);
	return why;
}

/* ---- names ---- */

char *ga_suggest_name(const char *slug, bool baremetal, bool (*taken)(const char *name, void *arg),
		      void *arg)
{
	const char *dash = strchr(slug, '-'), *tail = baremetal ? "-baremetal" : "";
	const char *base = dash && dash[1] && strchr("-._", dash[1]) == NULL ? dash + 1 : slug;
	int64_t number;

	for (number = 1;; number++) {
		ga_autofree char *behind = number > 1 ? ga_xprintf("%s-%lld", tail,
								   (long long)number) :
							ga_xstrdup(tail);
		int room = (int)(NAME_MAX_LEN - strlen(behind));
		ga_autofree char *name = ga_xprintf("%.*s%s", room, base, behind);

		if (!taken || !taken(name, arg))
			return GA_TAKE(name);
	}
}

static bool same_texts(char *const *a, size_t n, char *const *b, size_t m)
{
	size_t i;

	for (i = 0; n == m && i < n; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return n == m;
}

bool ga_suggest_is_covered(const struct ga_profile *s, const struct ga_profile *by)
{
	return !by->retired && ga_streq(s->shape, by->shape) &&
	       same_texts(s->types.v, s->types.n, by->types.v, by->types.n) &&
	       s->counts.n == by->counts.n &&
	       (!s->counts.n || !memcmp(s->counts.v, by->counts.v,
					s->counts.n * sizeof(*s->counts.v))) &&
	       s->vcpus_per_gpu == by->vcpus_per_gpu &&
	       s->memory_mib_per_gpu == by->memory_mib_per_gpu &&
	       s->hugepage_kib == by->hugepage_kib;
}
