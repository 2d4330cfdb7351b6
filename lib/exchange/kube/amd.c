/* SPDX-License-Identifier: Apache-2.0 */
/* The label family of AMD. */
#include "exchange/kube/family.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "exchange/kube/nfd.h"

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

/* What is known of GPUs of one id; alone: labels that stand once are of them. */
static void amd_device(struct ga_gather *g, const struct ga_kube_node *node, const char *text,
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
		.compute_units = alone ? ga_family_count(g, node->labels, "amd.com/gpu.cu-count") :
					 GA_UNKNOWN,
	};
	ga_autofree char *said = ga_xprintf("1002:%04x", id);
	ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };
	struct ga_node_type *t = ga_gather_add(g, count, memory);

	ga_accels_detect(g->list, &clue, &a);
	ga_type_said(t, "pci", said, a.slug ? &a.slug : a.may_be.v, a.slug ? 1 : a.may_be.n);
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

/* "cpx_nps4": GPUs are divided, and what the node offers and labels count are parts. */
static bool amd_parts(struct ga_gather *g, const struct ga_kube_node *node, int64_t capacity)
{
	static const char name[] = "amd.com/gpu.compute-memory-partition";
	const char *plain = ga_kube_label(node, name), *key, *value;
	size_t before = g->view->parts.n;
	json_t *ignored;

	if (plain && strncasecmp(plain, "spx", 3) != 0) {
		/* The plugin may call what it offers by the partition. */
		ga_autofree char *own = ga_xprintf("amd.com/%s", plain);

		ga_family_part(g, plain,
			       ga_or_zero(capacity == GA_UNKNOWN ?
						  ga_family_count(g, node->capacity, own) :
						  capacity));
	}
	json_object_foreach(node->labels, key, ignored) {
		if (ga_gather_is_full(g))
			break;
		if (!plain && counted(key, "compute-memory-partition", &value) &&
		    strncasecmp(value, "spx", 3) != 0 && !is_repeated(node, key))
			ga_family_part(g, value,
				       ga_or_zero(ga_family_count(g, node->labels, key)));
	}
	return g->view->parts.n > before;
}

static void amd_devices(struct ga_gather *g, const struct ga_kube_node *node, int64_t capacity,
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
		if (ga_gather_is_full(g))
			return;
		if (counted(key, "device-id", &value) && ga_kube_amd_is_id(value) &&
		    !is_repeated(node, key))
			amd_device(g, node, value, parts ? GA_UNKNOWN :
							ga_family_count(g, node->labels, key),
				   false);
	}
}

static void amd_products(struct ga_gather *g, const struct ga_kube_node *node,
			 const struct ga_devices *d, int64_t rest)
{
	static const char name[] = "amd.com/gpu.product-name";
	const char *plain = ga_kube_label(node, name), *key, *value;
	json_t *ignored;

	if (plain)
		ga_family_product(g, d, GA_NAME_AMD, name, plain, rest);
	json_object_foreach(node->labels, key, ignored) {
		if (ga_gather_is_full(g))
			return;
		if (!plain && counted(key, "product-name", &value) && !is_repeated(node, key))
			ga_family_product(g, d, GA_NAME_AMD, name, value,
					  ga_family_count(g, node->labels, key));
	}
}

/* What the node offers beyond what labels tell of, which tell of some. */
static void amd_rest(struct ga_gather *g, const struct ga_devices *d, int64_t capacity)
{
	int64_t sum = ga_family_sum(g, d->first);

	if (ga_family_uncounted(g, d->first) || capacity == GA_UNKNOWN || sum == capacity)
		return;
	ga_view_warn(g->view, "count_mismatch",
		     "labels tell of %lld AMD GPUs, the node offers %lld", (long long)sum,
		     (long long)capacity);
	if (sum < capacity)
		ga_type_said(ga_gather_add(g, capacity - sum, GA_UNKNOWN), "resource",
				"amd.com/gpu", NULL, 0);
}

/* Nothing tells of which type they are; an id that cannot be is all that is known then. */
static void amd_untold(struct ga_gather *g, const struct ga_kube_node *node, int64_t capacity)
{
	const char *id = ga_kube_label(node, "amd.com/gpu.device-id");
	ga_autofree char *said = ga_xprintf("amd.com/gpu.device-id=%.64s", id ? id : "");

	ga_type_said(ga_gather_add(g, capacity, GA_UNKNOWN), id ? "label" : "resource",
			id ? said : "amd.com/gpu", NULL, 0);
}

void ga_kube_amd(struct ga_gather *g, const struct ga_kube_node *node)
{
	int64_t capacity = ga_family_count(g, node->capacity, "amd.com/gpu"), sum;
	struct ga_devices d = { .first = g->view->types.n };
	bool parts;

	parts = amd_parts(g, node, capacity);
	if (parts)
		capacity = GA_UNKNOWN;
	amd_devices(g, node, capacity, parts);
	d.n = g->view->types.n - d.first;
	sum = ga_family_sum(g, d.first);
	d.all = d.n && (ga_family_uncounted(g, d.first) || sum >= ga_or_zero(capacity));
	amd_products(g, node, &d, capacity == GA_UNKNOWN ? capacity : capacity - sum);
	if (g->view->types.n > d.first)
		amd_rest(g, &d, capacity);
	else if (ga_family_offers(node, "amd.com/gpu"))
		amd_untold(g, node, capacity);
	ga_kube_nfd(g, node, 0x1002, d.first);
}
