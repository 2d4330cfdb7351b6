/* SPDX-License-Identifier: Apache-2.0 */
/* The label families of NVIDIA and Intel, and what all families share. */
#include "exchange/kube/family.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "catalog/name.h"
#include "exchange/kube/nfd.h"

/* A number of an object, with a warning when it is none. */
static int64_t number_of(struct ga_gather *g, json_t *object, const char *key)
{
	int64_t n;

	if (ga_kube_number(object, key, &n) < 0)
		ga_view_malformed(g->view, object, key);
	return n;
}

int64_t ga_family_count(struct ga_gather *g, json_t *object, const char *key)
{
	int64_t n = number_of(g, object, key);

	if (n == GA_UNKNOWN || n <= 1000000)
		return n;
	ga_view_malformed(g->view, object, key);
	return GA_UNKNOWN;
}

bool ga_family_offers(const struct ga_kube_node *node, const char *key)
{
	int64_t n;
	int r = ga_kube_number(node->capacity, key, &n);

	return r < 0 || (r > 0 && n);
}

int64_t ga_or_zero(int64_t n)
{
	return n == GA_UNKNOWN ? 0 : n;
}

void ga_family_part(struct ga_gather *g, const char *profile, int64_t count)
{
	struct ga_node_part *p = ga_list_add(&g->view->parts);

	p->profile = ga_printable(ga_xstrdup(profile));
	p->count = count;
}

/* ---- NVIDIA ---- */

int64_t ga_kube_nvidia_memory(int64_t number, bool *is_bytes)
{
	*is_bytes = number != GA_UNKNOWN && number > 100000000;
	return *is_bytes ? number >> 20 : number;
}

struct nvidia {
	const char *product;
	struct ga_accel_named named;
	int64_t count, replicas, memory_mib, capacity, shared;
	bool has_parts; /* MIG resources beside whole GPUs */
	bool offered;	/* whole or shared ones */
};

static void nvidia_parts(struct ga_gather *g, const struct ga_kube_node *node, struct nvidia *n)
{
	const char *key;
	json_t *value;

	json_object_foreach(node->capacity, key, value) {
		int64_t count;

		if (ga_gather_is_full(g))
			return;
		if (!ga_starts(key, "nvidia.com/mig-"))
			continue;
		count = ga_family_count(g, node->capacity, key);
		n->has_parts = n->has_parts || ga_family_offers(node, key);
		if (count == GA_UNKNOWN || !count)
			continue;
		ga_autofree char *profile = ga_xprintf("MIG %.32s", key + 15);
		ga_family_part(g, profile, count);
	}
}

static void read_nvidia(struct ga_gather *g, const struct ga_kube_node *node, struct nvidia *n)
{
	bool is_bytes;

	n->product = ga_kube_label(node, "nvidia.com/gpu.product");
	if (n->product)
		ga_accels_named(g->list, GA_NAME_NVIDIA, n->product, &n->named);
	n->count = ga_family_count(g, node->labels, "nvidia.com/gpu.count");
	n->replicas = ga_family_count(g, node->labels, "nvidia.com/gpu.replicas");
	n->memory_mib = ga_kube_nvidia_memory(
		number_of(g, node->labels, "nvidia.com/gpu.memory"), &is_bytes);
	if (is_bytes)
		ga_view_warn(g->view, "memory_unit",
			     "nvidia.com/gpu.memory is too large for MiB: taken as bytes");
	n->capacity = ga_family_count(g, node->capacity, "nvidia.com/gpu");
	n->shared = ga_family_count(g, node->capacity, "nvidia.com/gpu.shared");
	n->offered = ga_family_offers(node, "nvidia.com/gpu") ||
		     ga_family_offers(node, "nvidia.com/gpu.shared");
	nvidia_parts(g, node, n);
}

/* Resources by replicas: what one GPU is offered as. */
static int64_t offered_as(const struct nvidia *n)
{
	return n->replicas != GA_UNKNOWN && n->replicas > 1 ? n->replicas : 1;
}

/* Whether how often each GPU is offered is not told, though it is offered several times. */
static bool is_shared_somehow(const struct nvidia *n)
{
	return n->named.shared && n->replicas == GA_UNKNOWN;
}

/* GPUs that are there beside those the labels tell of; GFD tells of one model of a node only. */
static int64_t untold(struct ga_gather *g, const struct nvidia *n)
{
	int64_t offers = ga_or_zero(n->capacity) + ga_or_zero(n->shared);
	int64_t each = offered_as(n);

	if (n->count == GA_UNKNOWN || n->has_parts || n->named.part || is_shared_somehow(n) ||
	    (n->capacity == GA_UNKNOWN && n->shared == GA_UNKNOWN) || offers == n->count * each)
		return 0;
	ga_view_warn(g->view, "count_mismatch",
		     "labels tell of %lld GPUs, each offered %lld times, and the node offers %lld",
		     (long long)n->count, (long long)each, (long long)offers);
	return offers > n->count * each ? (offers - n->count * each) / each : 0;
}

static int64_t nvidia_count(struct ga_gather *g, const struct nvidia *n)
{
	int64_t offers = ga_or_zero(n->capacity) + ga_or_zero(n->shared);

	/* With one MIG profile for all, count and capacity are of parts. */
	if (n->named.part) {
		ga_family_part(g, n->named.part, n->count != GA_UNKNOWN ? n->count :
								     offers / offered_as(n));
		return GA_UNKNOWN;
	}
	if (n->count != GA_UNKNOWN)
		return n->count;
	return offers && !is_shared_somehow(n) ? offers / offered_as(n) : GA_UNKNOWN;
}

void ga_kube_nvidia(struct ga_gather *g, const struct ga_kube_node *node)
{
	struct nvidia n = { 0 };
	struct ga_node_type *t;
	size_t first = g->view->types.n;
	int64_t more, offers;

	read_nvidia(g, node, &n);
	offers = ga_or_zero(n.capacity) + ga_or_zero(n.shared);
	if (n.product || n.offered || n.has_parts || ga_or_zero(n.count)) {
		more = untold(g, &n);
		t = ga_gather_add(g, nvidia_count(g, &n),
				  n.named.part ? GA_UNKNOWN : n.memory_mib);
		if (n.product) {
			ga_autofree char *said =
				ga_xprintf("nvidia.com/gpu.product=%.128s", n.product);
			ga_type_said(t, "label", said, n.named.types.v, n.named.types.n);
		} else {
			ga_type_said(t, "resource", "nvidia.com/gpu", NULL, 0);
		}
		if (n.product && !n.named.types.n)
			ga_view_warn(g->view, "label_unknown",
				     "nvidia.com/gpu.product is '%.128s', which is no type of the "
				     "catalogue", n.product);
		if ((offered_as(&n) > 1 || is_shared_somehow(&n)) && !n.named.part && offers)
			ga_family_part(g, "shared", offers);
		if (more)
			ga_type_said(ga_gather_add(g, more, GA_UNKNOWN), "resource",
					"nvidia.com/gpu", NULL, 0);
	}
	ga_kube_nfd(g, node, 0x10de, first);
	ga_accel_named_release(&n.named);
}

/* ---- products of AMD and Intel ---- */

/* The device that a product's name means, or the only one there is. */
static struct ga_node_type *device_of(struct ga_gather *g, const struct ga_devices *d,
				      const struct ga_accel_named *n)
{
	size_t i, k;

	for (i = d->first; i < d->first + d->n; i++)
		for (k = 0; k < n->types.n; k++)
			if (ga_gather_says(&g->view->types.v[i], n->types.v[k]))
				return &g->view->types.v[i];
	return d->n == 1 && d->all ? &g->view->types.v[d->first] : NULL;
}

void ga_family_product(struct ga_gather *g, const struct ga_devices *d, enum ga_name_family family,
		       const char *key, const char *text, int64_t count)
{
	ga_autonamed struct ga_accel_named n = { 0 };
	ga_autofree char *said = ga_xprintf("%s=%.128s", key, text);
	struct ga_node_type *to;

	ga_accels_named(g->list, family, text, &n);
	if (!n.types.n)
		ga_view_warn(g->view, "label_unknown", "%s is '%.128s', which is no type of the "
			     "catalogue", key, text);
	to = device_of(g, d, &n);
	if (!to && !d->all)
		to = ga_gather_add(g, count, GA_UNKNOWN);
	else if (!to && n.types.n)
		to = &g->view->types.v[d->first];
	if (to)
		ga_type_said(to, "label", said, n.types.v, n.types.n);
}

int64_t ga_family_sum(const struct ga_gather *g, size_t first)
{
	int64_t sum = 0;
	size_t i;

	for (i = first; i < g->view->types.n; i++)
		sum += ga_or_zero(g->view->types.v[i].count);
	return sum;
}

size_t ga_family_uncounted(const struct ga_gather *g, size_t first)
{
	size_t i, n = 0;

	for (i = first; i < g->view->types.n; i++)
		n += g->view->types.v[i].count == GA_UNKNOWN;
	return n;
}

/* ---- Intel ---- */

bool ga_kube_intel_label(const char *key, unsigned int *device, char **count)
{
	static const char prefix[] = "gpu.intel.com/device-id.";
	const char *dash = ga_starts(key, prefix) ? strchr(key + sizeof(prefix) - 1, '-') : NULL;

	if (!dash || strspn(dash + 1, "0123456789abcdef") != 4 ||
	    strcmp(dash + 5, ".present") != 0)
		return false;
	*device = (unsigned int)strtoul(dash + 1, NULL, 16);
	*count = ga_xprintf("%.*s.count", (int)(dash + 5 - key), key);
	return true;
}

/* What is left of all GPUs for the one id of which no label says how many; of several such ids
 * nobody knows. */
static void intel_rest(struct ga_gather *g, size_t first, int64_t gpus)
{
	int64_t rest = gpus == GA_UNKNOWN ? GA_UNKNOWN : gpus - ga_family_sum(g, first);
	size_t i;

	for (i = first; rest > 0 && ga_family_uncounted(g, first) == 1 && i < g->view->types.n; i++)
		if (g->view->types.v[i].count == GA_UNKNOWN)
			g->view->types.v[i].count = rest;
}

static void intel_devices(struct ga_gather *g, const struct ga_kube_node *node, int64_t gpus)
{
	size_t first = g->view->types.n;
	unsigned int device;
	const char *key;
	json_t *ignored;

	json_object_foreach(node->labels, key, ignored) {
		ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };
		ga_autofree char *said = NULL, *count = NULL;

		if (ga_gather_is_full(g))
			return;
		if (!ga_kube_intel_label(key, &device, &count))
			continue;
		said = ga_xprintf("8086:%04x", device);
		ga_accels_find(g->list, 0x8086, device, GA_UNKNOWN, GA_UNKNOWN, &a);
		ga_type_said(ga_gather_add(g, ga_family_count(g, node->labels, count), GA_UNKNOWN),
				"pci", said, a.slug ? &a.slug : a.may_be.v,
				a.slug ? 1 : a.may_be.n);
	}
	intel_rest(g, first, gpus);
}

void ga_kube_intel(struct ga_gather *g, const struct ga_kube_node *node)
{
	const char *product = ga_kube_label(node, "gpu.intel.com/product");
	int64_t i915 = ga_family_count(g, node->capacity, "gpu.intel.com/i915");
	int64_t xe = ga_family_count(g, node->capacity, "gpu.intel.com/xe");
	int64_t count = ga_family_count(g, node->labels, "gpu.intel.com/device.count");
	int64_t offers = i915 == GA_UNKNOWN && xe == GA_UNKNOWN ? GA_UNKNOWN :
								  ga_or_zero(i915) + ga_or_zero(xe);
	/* A plugin may offer each GPU several times. */
	int64_t gpus = count != GA_UNKNOWN ? count : offers;
	struct ga_devices d = { .first = g->view->types.n };

	intel_devices(g, node, gpus);
	d.n = g->view->types.n - d.first;
	d.all = d.n > 0;
	if (product)
		ga_family_product(g, &d, GA_NAME_INTEL, "gpu.intel.com/product", product, gpus);
	else if (!d.n && (ga_or_zero(gpus) || ga_family_offers(node, "gpu.intel.com/i915") ||
			  ga_family_offers(node, "gpu.intel.com/xe")))
		ga_type_said(ga_gather_add(g, gpus, GA_UNKNOWN), "resource", "gpu.intel.com", NULL,
				0);
	ga_kube_nfd(g, node, 0x8086, d.first);
	if (count != GA_UNKNOWN && offers != GA_UNKNOWN && count != offers &&
	    g->view->types.n > d.first)
		ga_view_warn(g->view, "count_mismatch",
			     "gpu.intel.com/device.count is %lld, the node offers %lld",
			     (long long)count, (long long)offers);
}
