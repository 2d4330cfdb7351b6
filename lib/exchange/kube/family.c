/* SPDX-License-Identifier: Apache-2.0 */
/* The label families of NVIDIA, AMD and Intel. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "catalog/name.h"
#include "exchange/kube/internal.h"

/* A number of an object; GA_UNKNOWN with a warning when it is no number. */
static int64_t number_of(struct ga_census *g, json_t *object, const char *key)
{
	int64_t n;

	if (ga_kube_number(object, key, &n) < 0)
		ga_view_malformed(g->view, object, key);
	return n;
}

/* A member's count of GPUs, or of parts or units of a GPU. GA_UNKNOWN: the member is missing, or,
 * with a warning, out of range. At most 1000000, so that products of counts fit. */
static int64_t family_count(struct ga_census *g, json_t *object, const char *key)
{
	int64_t n = number_of(g, object, key);

	if (n == GA_UNKNOWN || n <= 1000000)
		return n;
	ga_view_malformed(g->view, object, key);
	return GA_UNKNOWN;
}

/* Whether the node offers any. A malformed number counts as yes: it does not prove that there is
 * none. */
static bool offers_any(const struct ga_kube_node *node, const char *key)
{
	int64_t n;
	int r = ga_kube_number(node->capacity, key, &n);

	return r < 0 || (r > 0 && n);
}

static int64_t or_zero(int64_t n)
{
	return n == GA_UNKNOWN ? 0 : n;
}

static void add_part(struct ga_census *g, const char *profile, int64_t count)
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
	bool has_parts; /* the node has MIG resources as well as full GPUs */
	bool offered;	/* the node offers full or shared GPUs */
};

static void nvidia_parts(struct ga_census *g, const struct ga_kube_node *node, struct nvidia *n)
{
	const char *key;
	json_t *value;

	json_object_foreach(node->capacity, key, value) {
		int64_t count;

		if (ga_census_is_full(g))
			return;
		if (!ga_starts(key, "nvidia.com/mig-"))
			continue;
		count = family_count(g, node->capacity, key);
		n->has_parts = n->has_parts || offers_any(node, key);
		if (count == GA_UNKNOWN || !count)
			continue;
		ga_autofree char *profile = ga_xprintf("MIG %.32s", key + 15);
		add_part(g, profile, count);
	}
}

/* The number of resources that one GPU is offered as (replicas). */
static int64_t offered_as(const struct nvidia *n)
{
	return n->replicas != GA_UNKNOWN && n->replicas > 1 ? n->replicas : 1;
}

/* Whether GPUs are shared, but the number of replicas is not known. */
static bool is_shared_somehow(const struct nvidia *n)
{
	return n->named.shared && n->replicas == GA_UNKNOWN;
}

/* The number of GPUs that no label describes: GFD labels only one model of a node. */
static int64_t unlabelled(struct ga_census *g, const struct nvidia *n)
{
	int64_t offers = or_zero(n->capacity) + or_zero(n->shared);
	int64_t each = offered_as(n);

	if (n->count == GA_UNKNOWN || n->has_parts || n->named.part || is_shared_somehow(n) ||
	    (n->capacity == GA_UNKNOWN && n->shared == GA_UNKNOWN) || offers == n->count * each)
		return 0;
	ga_view_warn(g->view, "count_mismatch",
		     "labels report %lld GPUs, each offered %lld times, and the node offers %lld",
		     (long long)n->count, (long long)each, (long long)offers);
	return offers > n->count * each ? (offers - n->count * each) / each : 0;
}

static int64_t nvidia_count(struct ga_census *g, const struct nvidia *n)
{
	int64_t offers = or_zero(n->capacity) + or_zero(n->shared);

	/* With one MIG profile for all GPUs, count and capacity are numbers of parts. */
	if (n->named.part) {
		add_part(g, n->named.part, n->count != GA_UNKNOWN ? n->count :
								     offers / offered_as(n));
		return GA_UNKNOWN;
	}
	if (n->count != GA_UNKNOWN)
		return n->count;
	return offers && !is_shared_somehow(n) ? offers / offered_as(n) : GA_UNKNOWN;
}

void ga_kube_nvidia(struct ga_census *g, const struct ga_kube_node *node)
{
	struct nvidia n = { 0 };
	struct ga_node_type *t;
	size_t first = g->view->types.n;
	int64_t more, offers;
	bool is_bytes;

	n.product = ga_kube_label(node, "nvidia.com/gpu.product");
	if (n.product)
		ga_accels_named(g->list, GA_NAME_NVIDIA, n.product, &n.named);
	n.count = family_count(g, node->labels, "nvidia.com/gpu.count");
	n.replicas = family_count(g, node->labels, "nvidia.com/gpu.replicas");
	n.memory_mib = ga_kube_nvidia_memory(
		number_of(g, node->labels, "nvidia.com/gpu.memory"), &is_bytes);
	if (is_bytes)
		ga_view_warn(g->view, "memory_unit",
			     "nvidia.com/gpu.memory is too large for MiB: taken as bytes");
	n.capacity = family_count(g, node->capacity, "nvidia.com/gpu");
	n.shared = family_count(g, node->capacity, "nvidia.com/gpu.shared");
	n.offered = offers_any(node, "nvidia.com/gpu") ||
		     offers_any(node, "nvidia.com/gpu.shared");
	nvidia_parts(g, node, &n);
	offers = or_zero(n.capacity) + or_zero(n.shared);
	if (n.product || n.offered || n.has_parts || or_zero(n.count)) {
		more = unlabelled(g, &n);
		t = ga_census_add(g, nvidia_count(g, &n),
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
			add_part(g, "shared", offers);
		if (more)
			ga_type_said(ga_census_add(g, more, GA_UNKNOWN), "resource",
				     "nvidia.com/gpu", NULL, 0);
	}
	ga_kube_nfd(g, node, 0x10de, first);
	ga_accel_named_release(&n.named);
}

/* ---- products of AMD and Intel ---- */

/* The elements of a maker that were made from PCI ids. */
struct devices {
	size_t first, n;
	bool all; /* these are all GPUs of the maker on the node */
};

/* The element that the product name means, or the only one; NULL: none. */
static struct ga_node_type *device_of(struct ga_census *g, const struct devices *d,
				      const struct ga_accel_named *n)
{
	size_t i, k;

	for (i = d->first; i < d->first + d->n; i++)
		for (k = 0; k < n->types.n; k++)
			if (ga_census_says(&g->view->types.v[i], n->types.v[k]))
				return &g->view->types.v[i];
	return d->n == 1 && d->all ? &g->view->types.v[d->first] : NULL;
}

/* Adds a product to its element. A product without an element becomes a GPU of its own, unless all
 * GPUs are there: then a known product contradicts the first element, and an unknown one only gets
 * the warning label_unknown. */
static void add_product(struct ga_census *g, const struct devices *d, enum ga_name_family family,
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
		to = ga_census_add(g, count, GA_UNKNOWN);
	else if (!to && n.types.n)
		to = &g->view->types.v[d->first];
	if (to)
		ga_type_said(to, "label", said, n.types.v, n.types.n);
}

/* Sum of the known counts of the elements from first on. */
static int64_t sum_of(const struct ga_census *g, size_t first)
{
	int64_t sum = 0;
	size_t i;

	for (i = first; i < g->view->types.n; i++)
		sum += or_zero(g->view->types.v[i].count);
	return sum;
}

/* Number of elements from first on with an unknown count. */
static size_t uncounted(const struct ga_census *g, size_t first)
{
	size_t i, n = 0;

	for (i = first; i < g->view->types.n; i++)
		n += g->view->types.v[i].count == GA_UNKNOWN;
	return n;
}

/* ---- AMD ---- */

/* The label is in GiB, rounded. */
int64_t ga_kube_amd_vram(const char *text)
{
	char *end = NULL;
	long n = isdigit((unsigned char)*text) && strlen(text) < 8 ? strtol(text, &end, 10) : 0;

	if (n <= 0 || (strcmp(end, "G") != 0 && strcmp(end, "M") != 0))
		return GA_UNKNOWN;
	return *end == 'G' ? (int64_t)n * 1024 : n;
}

static int64_t vram_mib(struct ga_census *g, const struct ga_kube_node *node)
{
	const char *text = ga_kube_label(node, "amd.com/gpu.vram");
	int64_t mib = text ? ga_kube_amd_vram(text) : GA_UNKNOWN;

	if (text && mib == GA_UNKNOWN)
		ga_view_malformed(g->view, node->labels, "amd.com/gpu.vram");
	return mib;
}

bool ga_kube_amd_is_id(const char *text)
{
	size_t n;

	text += ga_starts(text, "0x") ? 2 : 0;
	n = strspn(text, "0123456789abcdefABCDEF");
	return n && n <= 8 && !text[n];
}

/* Adds the GPUs of one PCI id. alone: they are the only ones, so labels without an id describe
 * them. */
static void amd_device(struct ga_census *g, const struct ga_kube_node *node, const char *text,
		       int64_t count, bool alone)
{
	unsigned int id = (unsigned int)strtoul(text, NULL, 16);
	int64_t memory = alone ? vram_mib(g, node) : GA_UNKNOWN;
	struct ga_accel_clue clue = {
		.vendor = 0x1002,
		.device = id,
		.sub_vendor = GA_UNKNOWN,
		.sub_device = GA_UNKNOWN,
		.revision = GA_UNKNOWN,
		.is_virtual = GA_UNKNOWN,
		.memory_mib = memory,
		.compute_units = alone ? family_count(g, node->labels, "amd.com/gpu.cu-count") :
					 GA_UNKNOWN,
	};
	ga_autofree char *said = ga_xprintf("1002:%04x", id);
	ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };
	struct ga_node_type *t = ga_census_add(g, count, memory);

	ga_accels_detect(g->list, &clue, &a);
	ga_type_said(t, "pci", said, a.slug ? &a.slug : a.may_be.v, a.slug ? 1 : a.may_be.n);
}

/* "amd.com/gpu.KIND.VALUE" with a count: the form of labels on a node of several models. */
static bool counted(const char *key, const char *kind, const char **value)
{
	size_t n = strlen(kind);

	if (ga_starts(key, "beta."))
		key += 5;
	if (!ga_starts(key, "amd.com/gpu.") || strncmp(key + 12, kind, n) != 0 ||
	    key[12 + n] != '.')
		return false;
	*value = key + 12 + n + 1;
	return **value != '\0';
}

/* Whether the same label exists without "beta.": each value counts once. */
static bool is_repeated(const struct ga_kube_node *node, const char *key)
{
	return ga_starts(key, "beta.") && json_object_get(node->labels, key + 5);
}

bool ga_kube_amd_label(const struct ga_kube_node *node, const char *key,
		       struct ga_kube_amd_label *ret)
{
	static const char *const kinds[] = { "device-id", "product-name", "vram" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(kinds); i++) {
		ga_autofree char *plain = ga_xprintf("amd.com/gpu.%s", kinds[i]);
		const char *said = ga_kube_label(node, plain);

		ret->kind = (enum ga_kube_amd_kind)i;
		ret->value = said;
		ret->counted = counted(key, kinds[i], &ret->value);
		if (ret->counted)
			return !is_repeated(node, key) && !ga_streq(said, ret->value);
		if (!strcmp(key, plain))
			return said != NULL;
	}
	return false;
}

/* "cpx_nps4": the GPUs are divided, and the node's resources and label counts are numbers of
 * parts. */
static bool amd_parts(struct ga_census *g, const struct ga_kube_node *node, int64_t capacity)
{
	static const char name[] = "amd.com/gpu.compute-memory-partition";
	const char *plain = ga_kube_label(node, name), *key, *value;
	size_t before = g->view->parts.n;
	json_t *ignored;

	if (plain && strncasecmp(plain, "spx", 3) != 0) {
		/* The plugin may name its resource by the partition. */
		ga_autofree char *own = ga_xprintf("amd.com/%s", plain);

		add_part(g, plain,
			 or_zero(capacity == GA_UNKNOWN ?
						  family_count(g, node->capacity, own) :
						  capacity));
	}
	json_object_foreach(node->labels, key, ignored) {
		if (ga_census_is_full(g))
			break;
		if (!plain && counted(key, "compute-memory-partition", &value) &&
		    strncasecmp(value, "spx", 3) != 0 && !is_repeated(node, key))
			add_part(g, value,
				 or_zero(family_count(g, node->labels, key)));
	}
	return g->view->parts.n > before;
}

static void amd_devices(struct ga_census *g, const struct ga_kube_node *node, int64_t capacity,
			bool parts)
{
	const char *plain = ga_kube_label(node, "amd.com/gpu.device-id"), *key, *value;
	json_t *ignored;

	if (plain && ga_kube_amd_is_id(plain)) {
		amd_device(g, node, plain, capacity, !parts);
		return;
	}
	if (json_object_get(node->labels, "amd.com/gpu.device-id"))
		ga_view_malformed(g->view, node->labels, "amd.com/gpu.device-id");
	json_object_foreach(node->labels, key, ignored) {
		if (ga_census_is_full(g))
			return;
		if (counted(key, "device-id", &value) && ga_kube_amd_is_id(value) &&
		    !is_repeated(node, key))
			amd_device(g, node, value, parts ? GA_UNKNOWN :
							family_count(g, node->labels, key),
				   false);
	}
}

static void amd_products(struct ga_census *g, const struct ga_kube_node *node,
			 const struct devices *d, int64_t rest)
{
	static const char name[] = "amd.com/gpu.product-name";
	const char *plain = ga_kube_label(node, name), *key, *value;
	json_t *ignored;

	if (plain)
		add_product(g, d, GA_NAME_AMD, name, plain, rest);
	json_object_foreach(node->labels, key, ignored) {
		if (ga_census_is_full(g))
			return;
		if (!plain && counted(key, "product-name", &value) && !is_repeated(node, key))
			add_product(g, d, GA_NAME_AMD, name, value,
				    family_count(g, node->labels, key));
	}
}

void ga_kube_amd(struct ga_census *g, const struct ga_kube_node *node)
{
	int64_t capacity = family_count(g, node->capacity, "amd.com/gpu"), sum;
	struct devices d = { .first = g->view->types.n };
	bool parts;

	parts = amd_parts(g, node, capacity);
	if (parts)
		capacity = GA_UNKNOWN;
	amd_devices(g, node, capacity, parts);
	d.n = g->view->types.n - d.first;
	sum = sum_of(g, d.first);
	d.all = d.n && (uncounted(g, d.first) || sum >= or_zero(capacity));
	amd_products(g, node, &d, capacity == GA_UNKNOWN ? capacity : capacity - sum);
	if (g->view->types.n > d.first) {
		int64_t its_sum = sum_of(g, d.first);

		/* The node offers more GPUs than the labels describe. */
		if (!uncounted(g, d.first) && capacity != GA_UNKNOWN && its_sum != capacity) {
			ga_view_warn(g->view, "count_mismatch",
				     "labels report %lld AMD GPUs, the node offers %lld",
				     (long long)its_sum, (long long)capacity);
			if (its_sum < capacity)
				ga_type_said(ga_census_add(g, capacity - its_sum, GA_UNKNOWN),
					     "resource", "amd.com/gpu", NULL, 0);
		}
	} else if (offers_any(node, "amd.com/gpu")) {
		const char *id = ga_kube_label(node, "amd.com/gpu.device-id");
		ga_autofree char *said = ga_xprintf("amd.com/gpu.device-id=%.64s", id ? id : "");

		/* No label gives their type. A malformed id is then the only evidence. */
		ga_type_said(ga_census_add(g, capacity, GA_UNKNOWN), id ? "label" : "resource",
			     id ? said : "amd.com/gpu", NULL, 0);
	}
	ga_kube_nfd(g, node, 0x1002, d.first);
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

static void intel_devices(struct ga_census *g, const struct ga_kube_node *node, int64_t gpus)
{
	size_t first = g->view->types.n, i;
	unsigned int device;
	const char *key;
	json_t *ignored;
	int64_t rest;

	json_object_foreach(node->labels, key, ignored) {
		ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };
		ga_autofree char *said = NULL, *count = NULL;

		if (ga_census_is_full(g))
			return;
		if (!ga_kube_intel_label(key, &device, &count))
			continue;
		said = ga_xprintf("8086:%04x", device);
		ga_accels_find(g->list, 0x8086, device, GA_UNKNOWN, GA_UNKNOWN, &a);
		ga_type_said(ga_census_add(g, family_count(g, node->labels, count), GA_UNKNOWN),
			     "pci", said, a.slug ? &a.slug : a.may_be.v,
			     a.slug ? 1 : a.may_be.n);
	}
	/* The one id without a count gets the rest of the GPUs. With several such ids the split is
	 * unknown. */
	rest = gpus == GA_UNKNOWN ? GA_UNKNOWN : gpus - sum_of(g, first);
	for (i = first; rest > 0 && uncounted(g, first) == 1 && i < g->view->types.n; i++)
		if (g->view->types.v[i].count == GA_UNKNOWN)
			g->view->types.v[i].count = rest;
}

void ga_kube_intel(struct ga_census *g, const struct ga_kube_node *node)
{
	const char *product = ga_kube_label(node, "gpu.intel.com/product");
	int64_t i915 = family_count(g, node->capacity, "gpu.intel.com/i915");
	int64_t xe = family_count(g, node->capacity, "gpu.intel.com/xe");
	int64_t count = family_count(g, node->labels, "gpu.intel.com/device.count");
	int64_t offers = i915 == GA_UNKNOWN && xe == GA_UNKNOWN ? GA_UNKNOWN :
								  or_zero(i915) + or_zero(xe);
	/* A plugin may offer each GPU several times. */
	int64_t gpus = count != GA_UNKNOWN ? count : offers;
	struct devices d = { .first = g->view->types.n };

	intel_devices(g, node, gpus);
	d.n = g->view->types.n - d.first;
	d.all = d.n > 0;
	if (product)
		add_product(g, &d, GA_NAME_INTEL, "gpu.intel.com/product", product, gpus);
	else if (!d.n && (or_zero(gpus) || offers_any(node, "gpu.intel.com/i915") ||
			  offers_any(node, "gpu.intel.com/xe")))
		ga_type_said(ga_census_add(g, gpus, GA_UNKNOWN), "resource", "gpu.intel.com", NULL,
			     0);
	ga_kube_nfd(g, node, 0x8086, d.first);
	if (count != GA_UNKNOWN && offers != GA_UNKNOWN && count != offers &&
	    g->view->types.n > d.first)
		ga_view_warn(g->view, "count_mismatch",
			     "gpu.intel.com/device.count is %lld, the node offers %lld",
			     (long long)count, (long long)offers);
}
