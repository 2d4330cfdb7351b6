/* SPDX-License-Identifier: Apache-2.0 */
/* A Kubernetes node as a view: other makers, clouds, overrides, and the age of the data. */
#include "exchange/kube/view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/texts.h"
#include "catalog/name.h"
#include "exchange/kube/internal.h"
#include "record/time.h"

/* ---- resources ---- */

static const struct resource {
	const char *name;  /* with '-' at the end: a prefix */
	const char *slugs; /* prefix of the slugs of the possible types; NULL: family.c handles
			    * the resource */
	const char *same;  /* another name for the same devices; that one counts if the node has
			    * both */
	unsigned int pci;  /* vendor of the devices; 0: family.c handles them, or there is none */
	bool part;	   /* a part of a device: its number does not give the number of devices */
} resources[] = {
	{ .name = "nvidia.com/gpu" },
	{ .name = "nvidia.com/gpu.shared" },
	{ .name = "nvidia.com/mig-" },
	{ .name = "amd.com/gpu" },
	{ .name = "gpu.intel.com/i915" },
	{ .name = "gpu.intel.com/xe" },
	{ .name = "habana.ai/gaudi", .slugs = "intel-gaudi", .pci = 0x1da3 },
	{ .name = "aws.amazon.com/neuron", .slugs = "aws-", .pci = 0x1d0f },
	{ .name = "aws.amazon.com/neurondevice", .slugs = "aws-", .same = "aws.amazon.com/neuron",
	  .pci = 0x1d0f },
	{ .name = "aws.amazon.com/neuroncore", .part = true },
	{ .name = "google.com/tpu", .slugs = "google-tpu-" },
	{ .name = "qualcomm.com/qaic", .slugs = "qualcomm-", .pci = 0x17cb },
};

static const struct resource *resource_named(const char *name)
{
	size_t i, n;

	for (i = 0; i < GA_ARRAY_SIZE(resources); i++) {
		n = strlen(resources[i].name);
		if (!strncmp(name, resources[i].name, n) &&
		    (!name[n] || resources[i].name[n - 1] == '-'))
			return &resources[i];
	}
	return NULL;
}

bool ga_kube_is_accelerator(const char *resource)
{
	return resource_named(resource) != NULL;
}

/* The number of devices in an object, with the results of ga_kube_number(); at most 1000000. */
static int devices_of(const struct resource *r, json_t *object, const char *key, int64_t *ret)
{
	int found;

	*ret = GA_UNKNOWN;
	if (r->part || (r->same && json_object_get(object, r->same)))
		return 0;
	found = ga_kube_number(object, key, ret);
	if (found <= 0 || *ret <= 1000000)
		return found;
	*ret = GA_UNKNOWN;
	return -1;
}

/* ---- other makers ---- */

void ga_kube_others(struct ga_census *g, const struct ga_kube_node *node)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(resources); i++) {
		const struct resource *r = &resources[i];
		int64_t n;
		struct ga_borrowed_texts types = { 0 };
		size_t j;

		if (!r->slugs || !devices_of(r, node->capacity, r->name, &n) || !n)
			continue;
		if (n == GA_UNKNOWN)
			ga_view_malformed(g->view, node->capacity, r->name);
		/* All types of the maker, by the prefix of their slugs. */
		for (j = 0; j < ga_accels_count(g->list); j++) {
			const char *slug = ga_accels_at(g->list, j)->slug;

			if (ga_starts(slug, r->slugs))
				*ga_list_add(&types) = slug;
		}
		ga_type_said(ga_census_add(g, n, GA_UNKNOWN), "resource", r->name, types.v,
				types.n);
		ga_list_release(&types);
		if (r->pci)
			ga_kube_nfd(g, node, r->pci, g->view->types.n - 1);
	}
}

/* ---- clouds ---- */

static void cloud_type(struct ga_census *g, const char *source, const char *said,
		       const struct ga_texts *types, int64_t count)
{
	size_t i;

	if (!g->view->types.n)
		(void)ga_census_add(g, count, GA_UNKNOWN);
	for (i = 0; i < g->view->types.n; i++)
		ga_type_said(&g->view->types.v[i], source, said,
				(const char *const *)types->v, types->n);
}

/* A count of accelerators from a cloud: it is used if there is no other count, and else
 * compared. */
static void cloud_count(struct ga_census *g, const char *what, const char *name, int64_t count)
{
	int64_t sum = 0;
	size_t i;

	if (g->view->types.n == 1 && g->view->types.v[0].count == GA_UNKNOWN && !g->view->parts.n)
		g->view->types.v[0].count = count;
	for (i = 0; i < g->view->types.n; i++) {
		if (g->view->types.v[i].count == GA_UNKNOWN)
			return;
		sum += g->view->types.v[i].count;
	}
	if (sum != count)
		ga_view_warn(g->view, "count_instance",
			     "by the %s '%.64s' there are %lld accelerators, the node reports "
			     "%lld", what, name, (long long)count, (long long)sum);
}

const char *const ga_kube_cloud_keys[] = {
	"cloud.google.com/gke-accelerator",
	"cloud.google.com/gke-tpu-accelerator",
	"karpenter.k8s.aws/instance-gpu-name",
	"karpenter.k8s.aws/instance-accelerator-name",
	"eks.amazonaws.com/instance-gpu-name",
	"eks.amazonaws.com/instance-accelerator-name",
	"k8s.amazonaws.com/accelerator",
	NULL,
};

void ga_kube_cloud(struct ga_census *g, const struct ga_kube_node *node)
{
	const char *name = ga_kube_label(node, "node.kubernetes.io/instance-type");
	const struct ga_accel_instance *one;
	bool nothing = !g->view->types.n;
	size_t i;
	static const char *const keys[] = { "karpenter.k8s.aws/instance-gpu-count",
					    "karpenter.k8s.aws/instance-accelerator-count",
					    "eks.amazonaws.com/instance-gpu-count",
					    "eks.amazonaws.com/instance-accelerator-count" };
	int64_t n;

	for (i = 0; ga_kube_cloud_keys[i]; i++) {
		const char *key = ga_kube_cloud_keys[i], *value = ga_kube_label(node, key);
		const struct ga_accel_platform_label *l =
			value ? ga_accels_platform_label(g->list, key, value) : NULL;
		ga_autofree char *said = value ? ga_xprintf("%s=%.64s", key, value) : NULL;

		if (l)
			cloud_type(g, "label", said, &l->types, GA_UNKNOWN);
	}
	if (!name)
		name = ga_kube_label(node, "beta.kubernetes.io/instance-type");
	one = name ? ga_accels_instance(g->list, name) : NULL;
	if (one)
		cloud_type(g, "instance", one->name, &one->types, one->count);
	if (one && nothing)
		ga_view_warn(g->view, "driver_missing",
			     "the machine '%s' has accelerators, and nothing on the node offers "
			     "them", one->name);
	/* Karpenter's labels: 0 stands for a part of a GPU. */
	if (one)
		cloud_count(g, "machine", one->name, one->count);
	for (i = 0; i < GA_ARRAY_SIZE(keys); i++)
		if (ga_kube_number(node->labels, keys[i], &n) > 0 && n && n <= 1000000 &&
		    (!one || one->count != n))
			cloud_count(g, "label", keys[i], n);
}

/* ---- the rest of the node ---- */

static void add_override(struct ga_census *g, const struct ga_kube_node *node)
{
	const char *slug = ga_kube_label(node, GA_KUBE_OVERRIDE), *by;
	const struct ga_accel_type *type;
	size_t i;

	if (!slug)
		slug = json_string_value(json_object_get(node->annotations, GA_KUBE_OVERRIDE));
	if (!slug)
		return;
	by = ga_kube_label(node, GA_KUBE_OVERRIDE_OWNER);
	if (!by)
		by = json_string_value(json_object_get(node->annotations,
						       GA_KUBE_OVERRIDE_OWNER));
	type = ga_accels_type(g->list, slug);
	if (!type)
		ga_view_warn(g->view, "override_unknown", GA_KUBE_OVERRIDE
			     " is '%.64s', which is no type of the catalogue", slug);
	if (!by)
		ga_view_warn(g->view, "override_without_owner", GA_KUBE_OVERRIDE
			     " is there, and " GA_KUBE_OVERRIDE_OWNER " does not name its maker");
	if (!g->view->types.n)
		(void)ga_census_add(g, GA_UNKNOWN, GA_UNKNOWN);
	for (i = 0; i < g->view->types.n; i++) {
		struct ga_node_type *t = &g->view->types.v[i];
		struct ga_type_evidence *e;

		/* With several types, the override is only for elements that may be of its type. */
		if (g->view->types.n > 1 && !ga_census_says_nothing(t) && !ga_census_says(t, slug))
			continue;
		e = ga_type_said(t, "override", slug,
				    type ? (const char *const *)&type->slug : NULL, type ? 1 : 0);
		e->by = ga_strdup0(by);
	}
}

static void sum_allocatable(const struct ga_kube_node *node, struct ga_node_view *v)
{
	int64_t n, capacity, may = 0, has = 0;
	bool known = false;
	const char *key;
	json_t *ignored;

	json_object_foreach(node->allocatable, key, ignored) {
		const struct resource *r = resource_named(key);

		if (!r || devices_of(r, node->allocatable, key, &n) <= 0)
			continue;
		known = true;
		may += n;
		if (devices_of(r, node->capacity, key, &capacity) < 0)
			continue;
		capacity = capacity == GA_UNKNOWN ? 0 : capacity;
		has += capacity > n ? capacity - n : 0;
		if (n > capacity)
			ga_view_warn(v, "count_mismatch", "it may hand out %lld of %.64s and has "
				     "%lld", (long long)n, key, (long long)capacity);
	}
	v->allocatable = known ? may : GA_UNKNOWN;
	if (has > 0)
		ga_view_warn(v, "not_allocatable",
			     "%lld of what the node has may not be handed out", (long long)has);
}

static void read_age(const struct ga_kube_node *node, int64_t now, struct ga_node_view *v)
{
	char buf[GA_TIME_SIZE];
	int64_t at = GA_UNKNOWN, seconds;
	int found = ga_kube_number(node->labels, "nvidia.com/gfd.timestamp", &seconds);

	if (found > 0 && seconds > 0 && seconds < INT64_C(253402300800))
		at = seconds * GA_SECOND;
	else if (found)
		ga_view_malformed(v, node->labels, "nvidia.com/gfd.timestamp");
	if (at == GA_UNKNOWN && node->heartbeat_at && !ga_time_read(node->heartbeat_at, &at)) {
		at = GA_UNKNOWN;
		ga_view_warn(v, "time_malformed", "lastHeartbeatTime is '%.64s', which is no time",
			     node->heartbeat_at);
	}
	v->age_seconds = GA_UNKNOWN;
	if (at == GA_UNKNOWN)
		return;
	v->observed_at = ga_xstrdup(ga_time_format(at, buf));
	if (at > now + 300 * GA_SECOND)
		ga_view_warn(v, "timestamp_future", "it was seen at %s, which is in the future",
			     v->observed_at);
	else
		v->age_seconds = at > now ? 0 : (now - at) / GA_SECOND;
}

/* Warns of resources without any evidence of their type. For a second model of NVIDIA GPUs, which
 * GFD does not label, count_mismatch is the warning. */
static void warn_unlabelled(const struct ga_kube_node *node, struct ga_node_view *v)
{
	size_t i;

	for (i = 0; i < v->types.n; i++) {
		const struct ga_node_type *t = &v->types.v[i];
		const struct ga_type_evidence *e = t->evidence.n ? t->evidence.v : NULL;

		if (t->type || !e || e->types.n || strcmp(e->source, "resource") != 0 ||
		    (!strcmp(e->said, "nvidia.com/gpu") &&
		     ga_kube_label(node, "nvidia.com/gpu.product")))
			continue;
		ga_view_warn(v, "label_missing", "%s is offered, and no label says of which type",
			     e->said);
	}
}

static char *state_of(const struct ga_kube_node *node)
{
	const char *state = ga_streq(node->ready, "True")    ? "Ready" :
			    ga_streq(node->ready, "False")   ? "NotReady" :
			    ga_streq(node->ready, "Unknown") ? "Unknown" :
							       NULL;

	if (!state)
		return node->cordoned ? ga_xstrdup("SchedulingDisabled") : NULL;
	return ga_xprintf("%s%s", state, node->cordoned ? ",SchedulingDisabled" : "");
}

void ga_kube_view(const struct ga_accels *list, const struct ga_kube_node *node,
		  const struct ga_manual_types *manual, int64_t now_micros,
		  struct ga_node_view *ret)
{
	struct ga_census g = { .list = list, .view = ret };

	ga_schema_init(&ga_node_view_schema, ret);
	ret->node = ga_printable(ga_xstrdup(node->name));
	ret->source = ga_xstrdup("kubernetes");
	ret->state = state_of(node);
	ret->node_memory_mib = ga_kube_memory_mib(node->capacity, "memory");
	ga_kube_nvidia(&g, node);
	ga_kube_amd(&g, node);
	ga_kube_intel(&g, node);
	ga_kube_others(&g, node);
	ga_kube_nfd_unoffered(&g, node);
	ga_kube_cloud(&g, node);
	add_override(&g, node);
	ga_census_manual(&g, manual);
	sum_allocatable(node, ret);
	read_age(node, now_micros, ret);
	ga_census_done(&g);
	warn_unlabelled(node, ret);
}
