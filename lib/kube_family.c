/* SPDX-License-Identifier: Apache-2.0 */
/* The label families of NVIDIA, AMD and Intel. */
#include "kube_view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "accel_name.h"
#include "kube_nfd.h"
#include "str.h"

static void malformed(struct ga_gather *g, json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	ga_view_warn(g->view, "number_malformed", "%s is '%.64s', which cannot be", key,
		     json_is_string(value) ? json_string_value(value) : "no text");
}

/* A number of an object, with a warning when it is none. */
static int64_t number_of(struct ga_gather *g, json_t *object, const char *key)
{
	int64_t n;

	if (ga_kube_number(object, key, &n) < 0)
		malformed(g, object, key);
	return n;
}

/* How many GPUs, or parts or units of one: nothing has a million, and their products fit. */
static int64_t count_of(struct ga_gather *g, json_t *object, const char *key)
{
	int64_t n = number_of(g, object, key);

	if (n == GA_UNKNOWN || n <= 1000000)
		return n;
	malformed(g, object, key);
	return GA_UNKNOWN;
}

static int64_t or_zero(int64_t n)
{
	return n == GA_UNKNOWN ? 0 : n;
}

static void add_part(struct ga_gather *g, const char *profile, int64_t count)
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
};

static void nvidia_parts(struct ga_gather *g, const struct ga_kube_node *node, struct nvidia *n)
{
	const char *key;
	json_t *value;

	json_object_foreach(node->capacity, key, value) {
		int64_t count;

		if (!ga_starts(key, "nvidia.com/mig-"))
			continue;
		count = count_of(g, node->capacity, key);
		if (count == GA_UNKNOWN || !count)
			continue;
		n->has_parts = true;
		ga_autofree char *profile = ga_xprintf("MIG %.32s", key + 15);
		add_part(g, profile, count);
	}
}

static void read_nvidia(struct ga_gather *g, const struct ga_kube_node *node, struct nvidia *n)
{
	bool is_bytes;

	n->product = ga_kube_label(node, "nvidia.com/gpu.product");
	if (n->product)
		ga_accels_named(g->list, GA_NAME_NVIDIA, n->product, &n->named);
	n->count = count_of(g, node->labels, "nvidia.com/gpu.count");
	n->replicas = count_of(g, node->labels, "nvidia.com/gpu.replicas");
	n->memory_mib = ga_kube_nvidia_memory(
		number_of(g, node->labels, "nvidia.com/gpu.memory"), &is_bytes);
	if (is_bytes)
		ga_view_warn(g->view, "memory_unit",
			     "nvidia.com/gpu.memory is too large for MiB: taken as bytes");
	n->capacity = count_of(g, node->capacity, "nvidia.com/gpu");
	n->shared = count_of(g, node->capacity, "nvidia.com/gpu.shared");
	nvidia_parts(g, node, n);
}

/* Resources by replicas: what one GPU is offered as. */
static int64_t offered_as(const struct nvidia *n)
{
	return n->replicas != GA_UNKNOWN && n->replicas > 1 ? n->replicas : 1;
}

/* GPUs that are there beside those the labels tell of; GFD tells of one model of a node only. */
static int64_t untold(struct ga_gather *g, const struct nvidia *n)
{
	int64_t offers = or_zero(n->capacity) + or_zero(n->shared);
	int64_t each = offered_as(n);

	if (n->count == GA_UNKNOWN || n->has_parts || n->named.part ||
	    (n->capacity == GA_UNKNOWN && n->shared == GA_UNKNOWN) || offers == n->count * each)
		return 0;
	ga_view_warn(g->view, "count_mismatch",
		     "labels tell of %lld GPUs, each offered %lld times, and the node offers %lld",
		     (long long)n->count, (long long)each, (long long)offers);
	return offers > n->count * each ? (offers - n->count * each) / each : 0;
}

static int64_t nvidia_count(struct ga_gather *g, const struct nvidia *n)
{
	int64_t offers = or_zero(n->capacity) + or_zero(n->shared);

	/* With one MIG profile for all, count and capacity are of parts. */
	if (n->named.part) {
		add_part(g, n->named.part, n->count != GA_UNKNOWN ? n->count : offers);
		return GA_UNKNOWN;
	}
	if (n->count != GA_UNKNOWN)
		return n->count;
	return offers ? offers / offered_as(n) : GA_UNKNOWN;
}

void ga_kube_nvidia(struct ga_gather *g, const struct ga_kube_node *node)
{
	struct nvidia n = { 0 };
	struct ga_node_type *t;
	size_t first = g->view->types.n;
	int64_t more, offers;

	read_nvidia(g, node, &n);
	offers = or_zero(n.capacity) + or_zero(n.shared);
	if (n.product || offers || n.has_parts || or_zero(n.count)) {
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
		if (offered_as(&n) > 1 && !n.named.part)
			add_part(g, "shared", offers);
		if (more)
			ga_type_said(ga_gather_add(g, more, GA_UNKNOWN), "resource",
					"nvidia.com/gpu", NULL, 0);
	}
	ga_kube_nfd(g, node, 0x10de, first);
	ga_accel_named_release(&n.named);
}

/* ---- AMD ---- */

/* It is GiB, rounded. */
int64_t ga_kube_amd_vram(const char *text)
{
	char *end = NULL;
	long n = isdigit((unsigned char)*text) && strlen(text) < 8 ? strtol(text, &end, 10) : 0;

	if (n <= 0 || (strcmp(end, "G") != 0 && strcmp(end, "M") != 0))
		return GA_UNKNOWN;
	return *end == 'G' ? (int64_t)n * 1024 : n;
}

static int64_t vram_mib(struct ga_gather *g, const struct ga_kube_node *node)
{
	const char *text = ga_kube_label(node, "amd.com/gpu.vram");
	int64_t mib = text ? ga_kube_amd_vram(text) : GA_UNKNOWN;

	if (text && mib == GA_UNKNOWN)
		malformed(g, node->labels, "amd.com/gpu.vram");
	return mib;
}

static void amd_device(struct ga_gather *g, const struct ga_kube_node *node, const char *id,
		       int64_t count, bool alone)
{
	int64_t memory = alone ? vram_mib(g, node) : GA_UNKNOWN;
	struct ga_accel_clue clue = {
		.vendor = 0x1002,
		.device = (unsigned int)strtoul(id, NULL, 16),
		.sub_vendor = GA_UNKNOWN,
		.sub_device = GA_UNKNOWN,
		.revision = GA_UNKNOWN,
		.is_virtual = GA_UNKNOWN,
		.memory_mib = memory,
		.compute_units =
			alone ? count_of(g, node->labels, "amd.com/gpu.cu-count") : GA_UNKNOWN,
	};
	ga_autofree char *said = ga_xprintf("1002:%.8s", id);
	ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };
	struct ga_node_type *t = ga_gather_add(g, count, memory);

	ga_accels_detect(g->list, &clue, &a);
	ga_type_said(t, "pci", said, a.slug ? &a.slug : a.may_be.v, a.slug ? 1 : a.may_be.n);
}

/* The product of an element of AMD's, which are those from first on: its names mean its types, or
 * it is the only one. */
static void amd_product(struct ga_gather *g, size_t first, const char *text, int64_t count)
{
	ga_autonamed struct ga_accel_named n = { 0 };
	ga_autofree char *said = ga_xprintf("amd.com/gpu.product-name=%.128s", text);
	struct ga_node_type *to = NULL;
	size_t i, j, k;

	ga_accels_named(g->list, GA_NAME_AMD, text, &n);
	for (i = first; !to && i < g->view->types.n; i++) {
		struct ga_node_type *t = &g->view->types.v[i];

		for (j = 0; t->evidence.n && j < t->evidence.v[0].types.n; j++)
			for (k = 0; k < n.types.n; k++)
				if (!strcmp(t->evidence.v[0].types.v[j], n.types.v[k]))
					to = t;
	}
	if (!to && g->view->types.n == first + 1)
		to = &g->view->types.v[first];
	if (!to)
		to = ga_gather_add(g, count, GA_UNKNOWN);
	ga_type_said(to, "label", said, n.types.v, n.types.n);
}

bool ga_kube_amd_is_id(const char *text)
{
	return *text && strlen(text) <= 8 && text[strspn(text, "0123456789abcdef")] == '\0';
}

/* "amd.com/gpu.KIND.VALUE" with a count: how a node of several models is labelled. */
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

/* Each value once, though it stands with and without beta. */
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

static size_t amd_devices(struct ga_gather *g, const struct ga_kube_node *node)
{
	const char *id = ga_kube_label(node, "amd.com/gpu.device-id"), *key, *value;
	int64_t capacity = count_of(g, node->capacity, "amd.com/gpu");
	size_t before = g->view->types.n;
	json_t *ignored;

	if (id && ga_kube_amd_is_id(id)) {
		amd_device(g, node, id, capacity, true);
		return 1;
	}
	json_object_foreach(node->labels, key, ignored)
		if (counted(key, "device-id", &value) && ga_kube_amd_is_id(value) && !is_repeated(node, key))
			amd_device(g, node, value, count_of(g, node->labels, key), false);
	return g->view->types.n - before;
}

void ga_kube_amd(struct ga_gather *g, const struct ga_kube_node *node)
{
	const char *product = ga_kube_label(node, "amd.com/gpu.product-name"), *key, *value;
	int64_t capacity = count_of(g, node->capacity, "amd.com/gpu"), sum = 0;
	size_t first = g->view->types.n, i, devices = amd_devices(g, node);
	json_t *ignored;

	if (product)
		amd_product(g, first, product, capacity);
	json_object_foreach(node->labels, key, ignored)
		if (!product && counted(key, "product-name", &value) && !is_repeated(node, key))
			amd_product(g, first, value, count_of(g, node->labels, key));
	if (g->view->types.n == first && or_zero(capacity))
		ga_type_said(ga_gather_add(g, capacity, GA_UNKNOWN), "resource", "amd.com/gpu",
				NULL, 0);
	ga_kube_nfd(g, node, 0x1002, first);
	for (i = first; i < g->view->types.n; i++)
		sum += or_zero(g->view->types.v[i].count);
	if (devices > 1 && capacity != GA_UNKNOWN && sum != capacity)
		ga_view_warn(g->view, "count_mismatch",
			     "labels tell of %lld AMD GPUs, the node offers %lld", (long long)sum,
			     (long long)capacity);
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

static void intel_devices(struct ga_gather *g, const struct ga_kube_node *node, int64_t capacity)
{
	const char *key;
	json_t *ignored;

	json_object_foreach(node->labels, key, ignored) {
		ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };
		ga_autofree char *said = NULL, *count = NULL;
		unsigned int device;
		int64_t n;

		if (!ga_kube_intel_label(key, &device, &count))
			continue;
		n = count_of(g, node->labels, count);
		said = ga_xprintf("8086:%04x", device);
		ga_accels_find(g->list, 0x8086, device, GA_UNKNOWN, GA_UNKNOWN, &a);
		ga_type_said(ga_gather_add(g, n != GA_UNKNOWN ? n : capacity, GA_UNKNOWN),
				"pci", said, a.slug ? &a.slug : a.may_be.v,
				a.slug ? 1 : a.may_be.n);
	}
}

void ga_kube_intel(struct ga_gather *g, const struct ga_kube_node *node)
{
	const char *product = ga_kube_label(node, "gpu.intel.com/product");
	int64_t i915 = count_of(g, node->capacity, "gpu.intel.com/i915");
	int64_t xe = count_of(g, node->capacity, "gpu.intel.com/xe");
	int64_t count = count_of(g, node->labels, "gpu.intel.com/device.count");
	int64_t capacity = i915 == GA_UNKNOWN && xe == GA_UNKNOWN ? count :
								    or_zero(i915) + or_zero(xe);
	size_t first = g->view->types.n;

	intel_devices(g, node, capacity);
	if (product) {
		ga_autonamed struct ga_accel_named n = { 0 };
		ga_autofree char *said = ga_xprintf("gpu.intel.com/product=%.128s", product);

		ga_accels_named(g->list, GA_NAME_INTEL, product, &n);
		ga_type_said(g->view->types.n > first ? &g->view->types.v[first] :
							   ga_gather_add(g, capacity, GA_UNKNOWN),
				"label", said, n.types.v, n.types.n);
	} else if (g->view->types.n == first && or_zero(capacity)) {
		ga_type_said(ga_gather_add(g, capacity, GA_UNKNOWN), "resource",
				"gpu.intel.com", NULL, 0);
	}
	ga_kube_nfd(g, node, 0x8086, first);
	if (count != GA_UNKNOWN && g->view->types.n > first &&
	    (i915 != GA_UNKNOWN || xe != GA_UNKNOWN) && count != or_zero(i915) + or_zero(xe))
		ga_view_warn(g->view, "count_mismatch",
			     "gpu.intel.com/device.count is %lld, the node offers %lld",
			     (long long)count, (long long)(or_zero(i915) + or_zero(xe)));
}
