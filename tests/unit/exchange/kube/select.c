/* SPDX-License-Identifier: Apache-2.0 */
/* Labels that select a type: a node with these labels is of that type, and no two types share
 * them. */
#include "exchange/kube/select.h"

#include <string.h>

#include "exchange/kube/kube.h"
#include "exchange/kube/view.h"
#include "record/rec.h"
#include "t.h"

/* Whether Kubernetes takes s as the value of a label. */
static bool is_label_value(const char *s)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t n = strlen(s), i;

	if (!n || n > 63 || !strchr(letters, s[0]) || !strchr(letters, s[n - 1]))
		return false;
	for (i = 0; i < n; i++)
		if (!strchr(letters, s[i]) && !strchr("-_.", s[i]))
			return false;
	return true;
}

static bool are_labels(json_t *labels)
{
	const char *key;
	json_t *value;

	json_object_foreach(labels, key, value)
		if (!json_is_string(value) || !is_label_value(json_string_value(value)) ||
		    !strchr(key, '/'))
			return false;
	return json_object_size(labels) > 0;
}

/* The type of a node with the labels that offers eight of the resource; NULL: not one. */
static char *type_of(const struct ga_accels *list, json_t *labels, const char *resource)
{
	static const struct ga_manual_types none = { NULL, 0 };
	ga_autojson json_t *item =
		json_pack("{s:s,s:{s:s,s:O},s:{s:{s:s}}}", "kind", "Node", "metadata", "name", "n",
			  "labels", labels, "status", "capacity", resource, "8");
	struct ga_err err = GA_ERR_INIT;
	struct ga_node_view view;
	struct ga_kube_node node;
	char *type = NULL;

	if (ga_kube_node(item, &node, &err) < 0)
		return NULL;
	ga_kube_view(list, &node, &none, 0, &view);
	if (view.types.n == 1 && view.types.v[0].count == 8)
		type = ga_strdup0(view.types.v[0].type);
	ga_schema_release(&ga_node_view_schema, &view);
	return type;
}

static void every_type(const struct ga_accels *list)
{
	size_t n = ga_accels_count(list), i, k;
	json_t **labels = ga_xcalloc(n, sizeof(json_t *));

	for (i = 0; i < n; i++) {
		const struct ga_accel_type *t = ga_accels_at(list, i);
		const char *resource = ga_kube_resource(t);
		ga_autoselect struct ga_kube_select s;
		ga_autofree char *type = NULL;
		bool alone = true;

		ga_kube_select(list, t, &s);
		labels[i] = json_incref(s.labels);
		t_ok(are_labels(s.labels), "%s: labels that Kubernetes takes", t->slug);
		for (k = 0; k < i; k++)
			alone = alone && !json_equal(labels[i], labels[k]);
		t_ok(alone, "%s: no other type is selected by the same", t->slug);
		if (!resource)
			continue;
		type = type_of(list, s.labels, resource);
		t_str(type, t->slug, "%s: a node with them is of it", t->slug);
	}
	for (i = 0; i < n; i++)
		json_decref(labels[i]);
	free(labels);
}

/* The name on nearly all nodes of a type, and no vGPU's name, nor that of one odd board. */
static void usual(const struct ga_accels *list)
{
	static const struct {
		const char *slug, *key, *value;
	} rows[] = {
		{ "nvidia-t4-16gb", "nvidia.com/gpu.product", "Tesla-T4" },
		{ "nvidia-a100-sxm4-40gb", "nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB" },
		{ "nvidia-a100-sxm4-80gb", "nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB" },
		{ "nvidia-a100-pcie-40gb", "nvidia.com/gpu.product", "NVIDIA-A100-PCIE-40GB" },
		{ "nvidia-a100-pcie-80gb", "nvidia.com/gpu.product", "NVIDIA-A100-80GB-PCIe" },
		{ "nvidia-a800-pcie-80gb", "nvidia.com/gpu.product", "NVIDIA-A800-80GB-PCIe" },
		{ "nvidia-h100-sxm5-80gb", "nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3" },
		{ "nvidia-h100-pcie-80gb", "nvidia.com/gpu.product", "NVIDIA-H100-PCIe" },
		{ "nvidia-h100-nvl-94gb", "nvidia.com/gpu.product", "NVIDIA-H100-NVL" },
		{ "nvidia-h200-141gb", "nvidia.com/gpu.product", "NVIDIA-H200" },
		{ "nvidia-gh200-96gb", "nvidia.com/gpu.product", "NVIDIA-GH200-480GB" },
		{ "nvidia-l4-24gb", "nvidia.com/gpu.product", "NVIDIA-L4" },
		{ "nvidia-l40s-48gb", "nvidia.com/gpu.product", "NVIDIA-L40S" },
		{ "nvidia-a10-24gb", "nvidia.com/gpu.product", "NVIDIA-A10" },
		{ "nvidia-v100-sxm2-16gb", "nvidia.com/gpu.product", "Tesla-V100-SXM2-16GB" },
		{ "nvidia-v100-pcie-32gb", "nvidia.com/gpu.product", "Tesla-V100-PCIE-32GB" },
		{ "nvidia-b200-180gb", "nvidia.com/gpu.product", "NVIDIA-B200" },
		{ "nvidia-b300-288gb", "nvidia.com/gpu.product", "NVIDIA-B300-SXM6-AC" },
		{ "amd-mi300x-192gb", "amd.com/gpu.product-name", "AMD_Instinct_MI300X_OAM" },
		{ "amd-mi325x-256gb", "amd.com/gpu.product-name", "AMD_Instinct_MI325_OAM" },
		{ "amd-mi210-64gb", "amd.com/gpu.product-name", "Instinct_MI210" },
		{ "intel-max-1550-128gb", "gpu.intel.com/product", "Max_1550" },
		{ "intel-flex-170-16gb", "gpu.intel.com/product", "Flex_170" },
		{ "intel-gaudi2-96gb", GA_KUBE_OVERRIDE, "intel-gaudi2-96gb" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		const struct ga_accel_type *t = ga_accels_type(list, rows[i].slug);
		ga_autoselect struct ga_kube_select s = { 0 };

		t_ok(t != NULL, "%s is there", rows[i].slug);
		if (!t)
			continue;
		ga_kube_select(list, t, &s);
		t_int((int64_t)json_object_size(s.labels), 1, "%s: one label", rows[i].slug);
		t_str(json_string_value(json_object_get(s.labels, rows[i].key)), rows[i].value,
		      "%s: the usual spelling of %s", rows[i].slug, rows[i].key);
	}
}

static void names(void)
{
	static const struct {
		const char *name;
		bool valid;
	} rows[] = {
		{ "h200", true }, { "a.b-c.d", true }, { "0", true },
		{ "", false }, { "-a", false }, { "a-", false }, { "a..b", false },
		{ ".a", false }, { "a.", false }, { "A", false }, { "a_b", false },
		{ "a/b", false }, { "a\n", false }, { "\xc3\xbc", false },
	};
	char longest[255] = "";
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++)
		t_ok(ga_kube_name_is_valid(rows[i].name) == rows[i].valid, "name %zu is %s", i,
		     rows[i].valid ? "one" : "none");
	for (i = 0; i < 253; i++)
		longest[i] = i % 64 == 63 ? '.' : 'a';
	t_ok(ga_kube_name_is_valid(longest), "253 characters");
	longest[253] = 'a';
	t_ok(!ga_kube_name_is_valid(longest), "254 characters");
}

int main(void)
{
	ga_autoaccels struct ga_accels *list = NULL;
	struct ga_err err = GA_ERR_INIT;

	ga_accels_drop_ins(NULL);
	if (ga_accels_open(NULL, &list, &err) < 0)
		return 1;
	every_type(list);
	usual(list);
	names();
	return t_done();
}
