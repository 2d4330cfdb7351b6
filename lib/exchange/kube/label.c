/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the labels of a Kubernetes node. */
#include "exchange/kube/label.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "catalog/name.h"
#include "exchange/kube/internal.h"
#include "record/closest.h"

struct telling {
	const struct ga_accels *list;
	const struct ga_kube_node *node;
	const char *platform;
	ga_label_each each;
	void *arg;
	struct ga_err *err;
	int bad; /* warnings and errors so far; -1: stop */
};

/* A finding about one label; value NULL: it is no text. */
struct finding {
	const char *severity, *code, *label, *value, *type, *hint;
};

static char *borrow(const char *text)
{
	return (char *)(uintptr_t)text;
}

/* A copy without characters that a terminal would obey, cut to the length that a record allows. */
static char *plain(const char *text)
{
	return ga_printable(ga_xstrndup(text && *text ? text : "(empty)", 512));
}

static void tell(struct telling *t, const struct finding *what, const char *fmt, ...)
	GA_PRINTF(3, 4);

static void tell(struct telling *t, const struct finding *what, const char *fmt, ...)
{
	ga_autofree char *node = plain(t->node->name);
	ga_autofree char *label = what->label ? plain(what->label) : NULL;
	ga_autofree char *value = what->value ? plain(what->value) : NULL;
	ga_autofree char *text = NULL;
	struct ga_label_finding f = {
		.node = node,
		.platform = borrow(t->platform),
		.severity = borrow(what->severity),
		.code = borrow(what->code),
		.label = label,
		.value = value,
		.type = borrow(what->type),
		.hint = borrow(what->hint),
	};
	char buf[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	f.sentence = text = plain(buf);
	if (t->bad < 0)
		return;
	if (t->each(&f, t->arg, t->err) < 0)
		t->bad = -1;
	else if (strcmp(what->severity, "info") != 0)
		t->bad++;
}

const char *ga_kube_platform(const struct ga_kube_node *node)
{
	static const struct {
		const char *prefix, *platform;
	} marks[] = {
		{ "eks.amazonaws.com/", "eks" },	{ "alpha.eksctl.io/", "eks" },
		{ "karpenter.k8s.aws/", "eks" },	{ "cloud.google.com/gke-", "gke" },
		{ "kubernetes.azure.com/", "aks" },	{ "node.openshift.io/", "openshift" },
		{ "machineconfiguration.openshift.io/", "openshift" },
	};
	const char *key;
	json_t *ignored;
	size_t i;

	/* OpenShift also runs on the clouds, so its own labels decide first. */
	for (i = GA_ARRAY_SIZE(marks); i-- > 0;)
		json_object_foreach(node->labels, key, ignored)
			if (ga_starts(key, marks[i].prefix))
				return marks[i].platform;
	return "kubernetes";
}

/* ---- products ---- */

/* Reports a product label that means one type, with the facts that it leaves open. */
static void tell_worth(struct telling *t, struct finding *w,
		       const struct ga_accel_named *n, const char *name)
{
	const struct ga_accel_type *type = ga_accels_type(t->list, n->types.v[0]);
	ga_autofree char *size = type->memory.nominal_gb == GA_UNKNOWN ?
					 NULL :
					 ga_xprintf("%lld", (long long)type->memory.nominal_gb);

	w->type = type->slug;
	if (n->old_name) {
		w->severity = "info";
		w->code = "old_spelling";
		tell(t, w, "drivers before 450 wrote it so; today it is NVIDIA-%s", name);
	} else if (n->by_hand) {
		w->severity = "warning";
		w->code = "written_by_hand";
		w->hint = "leave nvidia.com labels to GFD; say types by " GA_KUBE_OVERRIDE;
		tell(t, w, "no driver writes it so: somebody put it there");
	} else if (n->part || n->shared) {
		w->severity = "info";
		w->code = "parts";
		tell(t, w, "the node offers parts of %s (%s)", type->name,
		     n->part ? n->part : "shared");
	} else if (!size || !strstr(name, size)) {
		w->severity = "info";
		w->code = "lossy";
		tell(t, w, "it means %s; the label itself does not say the memory",
		     type->name);
	} else {
		w->severity = "info";
		w->code = "present";
		tell(t, w, "it means %s", type->name);
	}
}

/* Reports the meaning of a product name, the value of label w; fills w. */
static void tell_name(struct telling *t, struct finding *w, enum ga_name_family family,
		   const char *name)
{
	ga_autonamed struct ga_accel_named n = { 0 };

	ga_accels_named(t->list, family, name, &n);
	if (n.types.n == 1) {
		tell_worth(t, w, &n, name);
	} else if (n.types.n) {
		ga_autostr struct ga_str types = GA_STR_INIT;
		size_t i;

		for (i = 0; i < n.types.n; i++)
			ga_str_addf(&types, "%s%s", i ? " or " : "", n.types.v[i]);
		w->severity = "warning";
		w->code = "ambiguous";
		w->hint = "gpu.memory or PCI ids settle it, or " GA_KUBE_OVERRIDE;
		tell(t, w, "it may be %s", types.buf);
	} else {
		w->severity = "error";
		w->code = "unknown_value";
		w->hint = "gpuaas-profile catalog, or a drop-in: gpuaas-accelerators(7)";
		tell(t, w, "no type of the catalogue has this name");
	}
}

static void check_product(struct telling *t, const char *key, enum ga_name_family family)
{
	struct finding w = { .label = key, .value = ga_kube_label(t->node, key) };

	if (!json_object_get(t->node->labels, key))
		return;
	if (w.value) {
		tell_name(t, &w, family, w.value);
		return;
	}
	w.severity = "error";
	w.code = "no_text";
	tell(t, &w, "a label's value is text");
}

/* ---- numbers ---- */

static const char *const numbers[] = {
	"nvidia.com/gpu.count",
	"nvidia.com/gpu.memory",
	"nvidia.com/gpu.replicas",
	"nvidia.com/gpu.compute.major",
	"nvidia.com/gpu.compute.minor",
	"nvidia.com/gfd.timestamp",
	"amd.com/gpu.cu-count",
	"amd.com/gpu.simd-count",
	"gpu.intel.com/device.count",
	"karpenter.k8s.aws/instance-gpu-count",
	"karpenter.k8s.aws/instance-gpu-memory",
	"karpenter.k8s.aws/instance-accelerator-count",
	"eks.amazonaws.com/instance-gpu-count",
	"eks.amazonaws.com/instance-gpu-memory",
	"eks.amazonaws.com/instance-accelerator-count",
	"cloud.google.com/gke-accelerator-count",
};

static void check_number(struct telling *t, const char *key)
{
	struct finding w = { .label = key, .value = ga_kube_label(t->node, key) };
	int64_t n;
	bool is_bytes = false;
	int r = ga_kube_number(t->node->labels, key, &n);

	if (!r)
		return;
	if (r > 0 && !strcmp(key, "nvidia.com/gpu.memory"))
		(void)ga_kube_nvidia_memory(n, &is_bytes);
	w.severity = r < 0 ? "error" : is_bytes ? "warning" : "info";
	w.code = r < 0 ? "number_malformed" : is_bytes ? "memory_unit" : "present";
	tell(t, &w, "%s",
	     r < 0    ? "it is no whole number" :
	     is_bytes ? "it is too large for MiB, which it should be: taken as bytes" :
				 "a number");
}

/* ---- words ---- */

#define MOST_WORDS 3

static const struct words {
	const char *key, *words[MOST_WORDS];
	bool maker; /* the words are makers of accelerators */
} words[] = {
	{ "nvidia.com/gpu.present", { "true", "false" }, false },
	{ "nvidia.com/mig.strategy", { "none", "single", "mixed" }, false },
	{ "nvidia.com/mig.capable", { "true", "false" }, false },
	{ "nvidia.com/mps.capable", { "true", "false" }, false },
	{ "nvidia.com/vgpu.present", { "true", "false" }, false },
	{ "nvidia.com/gpu.sharing-strategy", { "none", "mps", "time-slicing" }, false },
	{ "karpenter.k8s.aws/instance-gpu-manufacturer", { "nvidia", "amd", "habana" }, true },
	{ "karpenter.k8s.aws/instance-accelerator-manufacturer", { "aws", "qualcomm" }, true },
	{ "eks.amazonaws.com/instance-gpu-manufacturer", { "nvidia", "amd", "habana" }, true },
	{ "eks.amazonaws.com/instance-accelerator-manufacturer", { "aws", "qualcomm" }, true },
	{ "kubernetes.azure.com/accelerator", { "nvidia" }, true },
};

static bool has_word(const struct words *row, const char *word)
{
	size_t i;

	for (i = 0; i < MOST_WORDS && row->words[i]; i++)
		if (!strcmp(row->words[i], word))
			return true;
	return false;
}

static void check_words(struct telling *t, const struct words *row)
{
	struct finding w = { .label = row->key, .value = ga_kube_label(t->node, row->key) };
	ga_autostr struct ga_str all = GA_STR_INIT;
	bool known = w.value && has_word(row, w.value);
	size_t i;

	if (!json_object_get(t->node->labels, row->key))
		return;
	for (i = 0; i < MOST_WORDS && row->words[i]; i++)
		ga_str_addf(&all, "%s%s", i ? " or " : "", row->words[i]);
	w.severity = known ? "info" : "warning";
	w.code = known ? "present" : "unknown_value";
	if (known && row->maker)
		tell(t, &w, "it names their maker, and not their type");
	else
		tell(t, &w, known ? "one of %s" : "its labeller writes %s", all.buf);
}

/* Whether all types of the view are known and none is the maker's. */
static bool has_none_of(const struct telling *t, const struct ga_node_view *v,
			const char *maker)
{
	size_t i;

	for (i = 0; i < v->types.n; i++) {
		const struct ga_accel_type *type =
			v->types.v[i].type ? ga_accels_type(t->list, v->types.v[i].type) : NULL;

		if (!type || strcasestr(type->vendor, maker))
			return false;
	}
	return v->types.n > 0;
}

/* Compares the makers in the clouds' labels with those in the view. */
static void check_makers(struct telling *t, const struct ga_node_view *view)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(words); i++) {
		const char *key = words[i].key, *maker = ga_kube_label(t->node, key);
		struct finding w = { "error", "contradicts", key, maker, NULL, NULL };

		if (words[i].maker && maker && has_word(&words[i], maker) &&
		    has_none_of(t, view, maker))
			tell(t, &w, "the node has none of that maker, but %s",
			     view->summary);
	}
}

/* ---- clouds ---- */

static void check_cloud(struct telling *t, const char *key)
{
	struct finding w = { .label = key, .value = ga_kube_label(t->node, key) };
	const struct ga_accel_platform_label *l =
		w.value ? ga_accels_platform_label(t->list, key, w.value) : NULL;

	if (!w.value)
		return;
	w.severity = l ? "info" : "warning";
	w.code = !l ? "unknown_value" : l->types.n > 1 ? "ambiguous" : "present";
	w.type = l && l->types.n == 1 ? l->types.v[0] : NULL;
	tell(t, &w, "%s", !l		  ? "the catalogue does not know the value" :
				   l->types.n > 1 ? "it leaves the type open" :
						    "it means one type");
}

static void check_machine(struct telling *t)
{
	static const char *const keys[] = { "node.kubernetes.io/instance-type",
					    "beta.kubernetes.io/instance-type" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(keys); i++) {
		struct finding w = { "info", "machine", keys[i],
				     ga_kube_label(t->node, keys[i]), NULL, NULL };
		const struct ga_accel_instance *one =
			w.value ? ga_accels_instance(t->list, w.value) : NULL;

		if (!one)
			continue;
		w.type = one->types.n == 1 ? one->types.v[0] : NULL;
		tell(t, &w, "a machine of %s with %lld accelerators", one->provider,
		     (long long)one->count);
		return;
	}
}

/* ---- keys that gpuaas does not read ---- */

static const struct {
	const char *key, *hint;
} unpublished[] = {
	{ "amd.com/gpu.product", "AMD's node labeller writes amd.com/gpu.product-name" },
	{ "intel.com/gpu.product", "Intel's NFD rules write gpu.intel.com/product" },
	{ "nvidia.com/gpu.product-name", "GFD writes nvidia.com/gpu.product" },
};

/* Keys with words or texts that are not in the tables above. gpuaas does not read the last two:
 * they are here because a key that it reads is close to them. */
static const char *const texts[] = {
	"nvidia.com/gpu.product",
	"nvidia.com/gpu.family",
	"amd.com/gpu.product-name",
	"amd.com/gpu.device-id",
	"amd.com/gpu.vram",
	"gpu.intel.com/product",
	"gpu.intel.com/family",
	GA_KUBE_OVERRIDE,
	GA_KUBE_OVERRIDE_OWNER,
	"karpenter.k8s.aws/instance-cpu-manufacturer",
	"eks.amazonaws.com/instance-cpu-manufacturer",
};

struct search {
	const char *asked, *nearest;
	struct ga_closest_names near;
	size_t far;
	bool known;
};

/* Compares two keys of one domain: at most two letters wrong, missing or too many. A key that
 * continues another key after a dot is a different key. */
static void look(struct search *s, const char *key)
{
	size_t domain = strcspn(key, "/") + 1, asked = strlen(s->asked), n = strlen(key), far;

	s->known = s->known || !strcmp(s->asked, key);
	if (strncmp(s->asked, key, domain) != 0 || asked > n + 2 || n > asked + 2 ||
	    (ga_starts(s->asked, key) && s->asked[n] == '.'))
		return;
	far = ga_closest_spelling(&s->near, key, GA_CLOSEST_FAR);
	if (far > 4 || far >= s->far)
		return;
	s->far = far;
	s->nearest = key;
}

static void check_spelling(struct telling *t, const char *key)
{
	struct search s = { .asked = key, .far = GA_CLOSEST_FAR };
	struct finding w = { .severity = "warning", .code = "misspelled", .label = key,
			     .value = ga_kube_label(t->node, key) };
	struct ga_kube_amd_label amd;
	size_t i;

	ga_closest_begin(&s.near, key);
	for (i = 0; i < GA_ARRAY_SIZE(numbers); i++)
		look(&s, numbers[i]);
	for (i = 0; i < GA_ARRAY_SIZE(words); i++)
		look(&s, words[i].key);
	for (i = 0; ga_kube_cloud_keys[i]; i++)
		look(&s, ga_kube_cloud_keys[i]);
	for (i = 0; i < GA_ARRAY_SIZE(texts); i++)
		look(&s, texts[i]);
	if (s.known || !s.nearest || ga_kube_amd_label(t->node, key, &amd))
		return;
	w.hint = "labellers do not misspell keys: somebody wrote it, or another program reads it";
	tell(t, &w, "nothing here reads this key, which is nearly '%s'", s.nearest);
}

static void check_keys(struct telling *t)
{
	const char *key;
	json_t *ignored;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(numbers); i++)
		check_number(t, numbers[i]);
	for (i = 0; i < GA_ARRAY_SIZE(words); i++)
		check_words(t, &words[i]);
	/* Keys that dashboards read and no labeller writes. */
	for (i = 0; i < GA_ARRAY_SIZE(unpublished); i++) {
		const char *dead = unpublished[i].key;
		struct finding w = { "warning", "never_published", dead,
				     ga_kube_label(t->node, dead), NULL, unpublished[i].hint };

		if (json_object_get(t->node->labels, dead))
			tell(t, &w, "no labeller publishes this key: nothing reads it here");
	}
	json_object_foreach(t->node->labels, key, ignored)
		check_spelling(t, key);
	for (i = 0; ga_kube_cloud_keys[i]; i++)
		check_cloud(t, ga_kube_cloud_keys[i]);
	check_machine(t);
}

/* ---- PCI ids, and AMD's labels, which may have values in their keys ---- */

static void tell_id(struct telling *t, struct finding *w, unsigned int vendor,
		    unsigned int device)
{
	ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };

	ga_accels_find(t->list, vendor, device, GA_UNKNOWN, GA_UNKNOWN, &a);
	w->severity = a.match == GA_ACCEL_UNKNOWN ? "warning" : "info";
	w->code = a.match == GA_ACCEL_UNKNOWN ? "unknown_value" :
		  a.slug		      ? "present" :
						"ambiguous";
	w->type = a.slug;
	if (a.match == GA_ACCEL_UNKNOWN)
		w->hint = "gpuaas-profile catalog, or a drop-in: gpuaas-accelerators(7)";
	tell(t, w, a.match == GA_ACCEL_UNKNOWN ?
				    "no type of the catalogue has the PCI id %04x:%04x" :
			    a.slug ? "the PCI id %04x:%04x means one type" :
				     "the PCI id %04x:%04x leaves the type open",
	     vendor, device);
}

/* Whether the label holds a count of devices; reports it when it does not. */
static bool is_count(struct telling *t, struct finding *w)
{
	int64_t n;

	if (ga_kube_number(t->node->labels, w->label, &n) >= 0)
		return true;
	w->severity = "error";
	w->code = "number_malformed";
	tell(t, w, "it is no whole number of devices");
	return false;
}

/* check_product reports a product that is not part of the key, as for the other makers. */
static void check_amd(struct telling *t, const char *key)
{
	struct finding w = { .label = key, .value = ga_kube_label(t->node, key) };
	struct ga_kube_amd_label l;

	if (!ga_kube_amd_label(t->node, key, &l) ||
	    (l.kind == GA_KUBE_AMD_PRODUCT && !l.counted))
		return;
	if (!l.counted || is_count(t, &w)) {
		if (l.kind == GA_KUBE_AMD_PRODUCT) {
			tell_name(t, &w, GA_NAME_AMD, l.value);
		} else if (l.kind == GA_KUBE_AMD_DEVICE && ga_kube_amd_is_id(l.value)) {
			tell_id(t, &w, 0x1002, (unsigned int)strtoul(l.value, NULL, 16));
		} else if (l.kind == GA_KUBE_AMD_VRAM && ga_kube_amd_vram(l.value) != GA_UNKNOWN) {
			w.severity = "info";
			w.code = "present";
			tell(t, &w, "the memory of one GPU");
		} else {
			w.severity = "error";
			w.code = "number_malformed";
			tell(t, &w, "'%.64s' is not as AMD's labeller writes it: %s", l.value,
			     l.kind == GA_KUBE_AMD_VRAM ? "192G" : "74a1");
		}
	}
}

static void check_ids(struct telling *t)
{
	const char *key;
	json_t *ignored;

	json_object_foreach(t->node->labels, key, ignored) {
		ga_autofree char *count = NULL;
		struct ga_kube_pci pci;
		unsigned int device;
		struct finding w;

		check_amd(t, key);
		w = (struct finding){ .label = key, .value = ga_kube_label(t->node, key) };
		if (ga_kube_intel_label(key, &device, &count)) {
			tell_id(t, &w, 0x8086, device);
			w = (struct finding){ .label = count,
					      .value = ga_kube_label(t->node, count) };
			(void)is_count(t, &w);
		}
		w = (struct finding){ .label = key, .value = ga_kube_label(t->node, key) };
		if (ga_kube_pci_label(t->list, t->node, key, &pci) && pci.device != GA_UNKNOWN)
			tell_id(t, &w, pci.vendor, (unsigned int)pci.device);
	}
}

/* ---- the node ---- */

/* Compares architecture and compute capability with the type of the product. */
static void check_against(struct telling *t, const struct ga_accel_type *type)
{
	struct finding w = { "error", "contradicts", "nvidia.com/gpu.family",
			     ga_kube_label(t->node, "nvidia.com/gpu.family"), type->slug,
			     "one of both was written by hand, or another GPU is there "
			     "too" };
	ga_autofree char *cc = NULL;
	int64_t major, minor;

	if (w.value && type->architecture.family && strcmp(w.value, type->architecture.family))
		tell(t, &w, "%s is of family %s", type->name, type->architecture.family);
	if (ga_kube_number(t->node->labels, "nvidia.com/gpu.compute.major", &major) <= 0 ||
	    ga_kube_number(t->node->labels, "nvidia.com/gpu.compute.minor", &minor) <= 0)
		return;
	cc = ga_xprintf("%lld.%lld", (long long)major, (long long)minor);
	w.label = "nvidia.com/gpu.compute.major";
	w.value = cc;
	if (type->architecture.compute_capability &&
	    strcmp(cc, type->architecture.compute_capability) != 0)
		tell(t, &w, "%s has compute capability %s", type->name,
		     type->architecture.compute_capability);
}

/* Whether the view's warning repeats a finding about a label. */
static bool is_found(const char *code)
{
	static const char *const codes[] = { "number_malformed", "memory_unit", "label_unknown" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(codes); i++)
		if (!strcmp(codes[i], code))
			return true;
	return false;
}

static void check_node(struct telling *t, int64_t now)
{
	struct ga_node_view v;
	size_t i;

	ga_kube_view(t->list, t->node, NULL, now, &v);
	for (i = 0; i < v.types.n; i++)
		if (v.types.v[i].type && ga_kube_label(t->node, "nvidia.com/gpu.product") &&
		    ga_starts(v.types.v[i].type, "nvidia-"))
			check_against(t, ga_accels_type(t->list, v.types.v[i].type));
	check_makers(t, &v);
	for (i = 0; i < v.warnings.n; i++) {
		const char *code = v.warnings.v[i].code;
		struct finding w = { .severity = strcmp(code, "not_allocatable") ? "warning" :
										     "info",
				     .code = code };

		if (!is_found(w.code))
			tell(t, &w, "%s", v.warnings.v[i].sentence);
	}
	ga_schema_release(&ga_node_view_schema, &v);
}

int ga_kube_labels(const struct ga_accels *list, const struct ga_kube_node *node,
		   int64_t now_micros, ga_label_each each, void *arg, struct ga_err *err)
{
	struct telling t = { list, node, ga_kube_platform(node), each, arg, err, 0 };

	check_product(&t, "nvidia.com/gpu.product", GA_NAME_NVIDIA);
	check_product(&t, "amd.com/gpu.product-name", GA_NAME_AMD);
	check_product(&t, "gpu.intel.com/product", GA_NAME_INTEL);
	check_keys(&t);
	check_ids(&t);
	check_node(&t, now_micros);
	return t.bad;
}
