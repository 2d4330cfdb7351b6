/* SPDX-License-Identifier: Apache-2.0 */
/* Labels by their keys: numbers, words, what clouds say, and keys that nothing reads. */
#include "exchange/kube/internal.h"

#include <string.h>

#include "base/str.h"
#include "record/near.h"

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

static void check_number(struct ga_label_telling *t, const char *key)
{
	struct ga_label_told w = { .label = key, .value = ga_kube_label(t->node, key) };
	int64_t n;
	bool is_bytes = false;
	int r = ga_kube_number(t->node->labels, key, &n);

	if (!r)
		return;
	if (r > 0 && !strcmp(key, "nvidia.com/gpu.memory"))
		(void)ga_kube_nvidia_memory(n, &is_bytes);
	w.severity = r < 0 ? "error" : is_bytes ? "warning" : "info";
	w.code = r < 0 ? "number_malformed" : is_bytes ? "memory_unit" : "present";
	ga_label_tell(t, &w, "%s",
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

static void check_words(struct ga_label_telling *t, const struct words *row)
{
	struct ga_label_told w = { .label = row->key, .value = ga_kube_label(t->node, row->key) };
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
		ga_label_tell(t, &w, "it says whose they are, and not of which type");
	else
		ga_label_tell(t, &w, known ? "one of %s" : "whoever writes it writes %s", all.buf);
}

/* Whether what the view shows, all of it of known types, has none of the maker's. */
static bool has_none_of(const struct ga_label_telling *t, const struct ga_node_view *v,
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

void ga_label_makers(struct ga_label_telling *t, const struct ga_node_view *view)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(words); i++) {
		const char *key = words[i].key, *maker = ga_kube_label(t->node, key);
		struct ga_label_told w = { "error", "contradicts", key, maker, NULL, NULL };

		if (words[i].maker && maker && has_word(&words[i], maker) &&
		    has_none_of(t, view, maker))
			ga_label_tell(t, &w, "the node has none of that maker, but %s",
				      view->summary);
	}
}

/* ---- clouds ---- */

static void check_cloud(struct ga_label_telling *t, const char *key)
{
	struct ga_label_told w = { .label = key, .value = ga_kube_label(t->node, key) };
	const struct ga_accel_platform_label *l =
		w.value ? ga_accels_platform_label(t->list, key, w.value) : NULL;

	if (!w.value)
		return;
	w.severity = l ? "info" : "warning";
	w.code = !l ? "unknown_value" : l->types.n > 1 ? "ambiguous" : "present";
	w.type = l && l->types.n == 1 ? l->types.v[0] : NULL;
	ga_label_tell(t, &w, "%s", !l		  ? "the catalogue does not know the value" :
				   l->types.n > 1 ? "it leaves the type open" :
						    "it means one type");
}

static void check_machine(struct ga_label_telling *t)
{
	static const char *const keys[] = { "node.kubernetes.io/instance-type",
					    "beta.kubernetes.io/instance-type" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(keys); i++) {
		struct ga_label_told w = { "info", "machine", keys[i],
					   ga_kube_label(t->node, keys[i]), NULL, NULL };
		const struct ga_accel_instance *one =
			w.value ? ga_accels_instance(t->list, w.value) : NULL;

		if (!one)
			continue;
		w.type = one->types.n == 1 ? one->types.v[0] : NULL;
		ga_label_tell(t, &w, "a machine of %s with %lld accelerators", one->provider,
			      (long long)one->count);
		return;
	}
}

/* ---- keys that nothing reads ---- */

static const struct {
	const char *key, *hint;
} unpublished[] = {
	{ "amd.com/gpu.product", "AMD's node labeller writes amd.com/gpu.product-name" },
	{ "intel.com/gpu.product", "Intel's NFD rules write gpu.intel.com/product" },
	{ "nvidia.com/gpu.product-name", "GFD writes nvidia.com/gpu.product" },
};

/* What dashboards look for and no labeller puts there. */
static void check_unpublished(struct ga_label_telling *t)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(unpublished); i++) {
		const char *key = unpublished[i].key;
		struct ga_label_told w = { "warning", "never_published", key,
					   ga_kube_label(t->node, key), NULL,
					   unpublished[i].hint };

		if (json_object_get(t->node->labels, key))
			ga_label_tell(t, &w,
				      "no labeller publishes this key: nothing reads it here");
	}
}

/* Keys with words or texts that are not in the tables above; the last are read by nobody here, and
 * are near to one that is. */
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
	struct ga_near near;
	size_t far;
	bool known;
};

/* The same domain, and at most two letters wrong, missing or too many; with more behind a dot it is
 * another key. */
static void look(struct search *s, const char *key)
{
	size_t domain = strcspn(key, "/") + 1, asked = strlen(s->asked), n = strlen(key), far;

	s->known = s->known || !strcmp(s->asked, key);
	if (strncmp(s->asked, key, domain) != 0 || asked > n + 2 || n > asked + 2 ||
	    (ga_starts(s->asked, key) && s->asked[n] == '.'))
		return;
	far = ga_near_spelling(&s->near, key, GA_NEAR_FAR);
	if (far > 4 || far >= s->far)
		return;
	s->far = far;
	s->nearest = key;
}

static void check_spelling(struct ga_label_telling *t, const char *key)
{
	struct search s = { .asked = key, .far = GA_NEAR_FAR };
	struct ga_label_told w = { .severity = "warning", .code = "misspelled", .label = key,
				   .value = ga_kube_label(t->node, key) };
	struct ga_kube_amd_label amd;
	size_t i;

	ga_near_begin(&s.near, key);
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
	w.hint = "labellers spell theirs right: somebody wrote it, or another program reads it";
	ga_label_tell(t, &w, "nothing here reads this key, which is nearly '%s'", s.nearest);
}

void ga_label_keys(struct ga_label_telling *t)
{
	const char *key;
	json_t *ignored;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(numbers); i++)
		check_number(t, numbers[i]);
	for (i = 0; i < GA_ARRAY_SIZE(words); i++)
		check_words(t, &words[i]);
	check_unpublished(t);
	json_object_foreach(t->node->labels, key, ignored)
		check_spelling(t, key);
	for (i = 0; ga_kube_cloud_keys[i]; i++)
		check_cloud(t, ga_kube_cloud_keys[i]);
	check_machine(t);
}
