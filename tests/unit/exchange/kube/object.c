/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DeviceClasses: the attribute values by which each selects devices of its driver's own slices.
 * Each value must mean this type alone when a device has it. tests/export-formats.bats has objects.
 */
#include "exchange/kube/object.h"

#include <string.h>

#include "exchange/kube/device.h"
#include "record/rec.h"
#include "t.h"

#define OWN "\"type\" in device.attributes[\"accelerator.gpuaas\"]"
#define OWN_IS(slug) "device.attributes[\"accelerator.gpuaas\"].type == \"" slug "\""
/* A whole GPU: what is no part in MIG, no partition and no virtual function. */
#define WHOLE(driver, type) \
	"\"type\" in device.attributes[\"" driver "\"] && device.attributes[\"" driver \
	"\"].type == \"" type "\" && "
#define CLASS(driver, slug, whole, name, values) \
	"device.driver == \"" driver "\" && (" OWN " ? " OWN_IS(slug) " : " whole "\"" name \
	"\" in device.attributes[\"" driver "\"] && device.attributes[\"" driver "\"]." name \
	" in [" values "])"
#define ONLY_OWN(driver, slug) \
	"device.driver == \"" driver "\" && (" OWN " ? " OWN_IS(slug) " : false)"

static char *expression(const struct ga_accels *list, const struct ga_accel_type *type,
			bool *only_own)
{
	ga_autojson json_t *made = ga_kube_class(list, type, only_own);
	json_t *spec = json_object_get(made, "spec");
	json_t *one = json_array_get(json_object_get(spec, "selectors"), 0);

	return ga_strdup0(json_string_value(
		json_object_get(json_object_get(one, "cel"), "expression")));
}

static void expressions(const struct ga_accels *list)
{
	static const struct {
		const char *slug, *want; /* want NULL: no class */
		bool only_own;
	} rows[] = {
		{ "nvidia-h200-141gb",
		  CLASS("gpu.nvidia.com", "nvidia-h200-141gb",
			WHOLE("gpu.nvidia.com", "gpu"),
			"productName", "\"NVIDIA H200\""),
		  false },
		{ "amd-mi300x-192gb",
		  CLASS("gpu.amd.com", "amd-mi300x-192gb",
			WHOLE("gpu.amd.com", "amdgpu"),
			"productName", "\"AMD_Instinct_MI300X_OAM\", \"AMD_Instinct_MI300X\""),
		  false },
		/* No vGPU's name: GRID T4-1B4 is a guest's share of one. */
		{ "nvidia-t4-16gb",
		  CLASS("gpu.nvidia.com", "nvidia-t4-16gb",
			WHOLE("gpu.nvidia.com", "gpu"),
			"productName", "\"Tesla T4\""),
		  false },
		/* A MI250X calls itself what a MI250 does. */
		{ "amd-mi250x-128gb", ONLY_OWN("gpu.amd.com", "amd-mi250x-128gb"), true },
		{ "intel-flex-170-16gb",
		  CLASS("gpu.intel.com", "intel-flex-170-16gb",
			WHOLE("gpu.intel.com", "gpu"), "pciId",
			"\"0x56c0\", \"0x56c2\""),
		  false },
		/* 0x0bd6 may be a Max 1450 as well. */
		{ "intel-max-1550-128gb",
		  CLASS("gpu.intel.com", "intel-max-1550-128gb",
			WHOLE("gpu.intel.com", "gpu"), "pciId",
			"\"0x0bd5\""), false },
		{ "intel-gaudi2-96gb",
		  CLASS("gaudi.intel.com", "intel-gaudi2-96gb", "", "model", "\"Gaudi2\""), false },
		/* OAM and PCIe are one model. */
		{ "intel-gaudi3-128gb", ONLY_OWN("gaudi.intel.com", "intel-gaudi3-128gb"), true },
		{ "aws-trainium2-96gb", NULL, false },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		const struct ga_accel_type *type = ga_accels_type(list, rows[i].slug);
		bool only_own = false;
		ga_autofree char *said = type ? expression(list, type, &only_own) : NULL;

		t_ok(type != NULL, "%s is there", rows[i].slug);
		t_str(said, rows[i].want, "%s: its class", rows[i].slug);
		t_int(only_own, rows[i].only_own, "%s: only our own slices", rows[i].slug);
	}
}

/* The type of a device that says this and nothing else, or NULL. */
static char *type_of(const struct ga_accels *list, const struct ga_kube_driver *driver,
		     const char *name, json_t *value)
{
	ga_autojson json_t *device = json_pack("{s:s,s:{s:{s:O}}}", "name", "d", "attributes",
					       name, "string", value);
	struct ga_kube_says says;
	struct ga_node_view view;
	char *type;

	ga_kube_device(driver, device, &says);
	ga_kube_device_view(list, driver, &says, &view);
	type = ga_strdup0(view.types.v[0].type);
	ga_schema_release(&ga_node_view_schema, &view);
	ga_kube_device_release(&says);
	return type;
}

static void every_type(const struct ga_accels *list)
{
	size_t i, k;

	for (i = 0; i < ga_accels_count(list); i++) {
		const struct ga_accel_type *t = ga_accels_at(list, i);
		const struct ga_kube_driver *driver = ga_kube_driver_named(ga_kube_driver(t));
		bool only_own = false;
		ga_autofree char *said = driver ? expression(list, t, &only_own) : NULL;
		char *values = said ? strstr(said, " in [") : NULL, *end;
		ga_autojson json_t *array = NULL;
		json_t *value;

		if (!driver)
			continue;
		t_int(only_own, !values, "%s: a warning where nothing of the driver is selected",
		      t->slug);
		if (!values)
			continue;
		end = strrchr(values, ']');
		array = json_loadb(values + 4, (size_t)(end + 1 - values - 4), 0, NULL);
		t_ok(json_array_size(array) > 0, "%s: values that are JSON's", t->slug);
		json_array_foreach(array, k, value) {
			ga_autofree char *type =
				type_of(list, driver,
					driver->product ? driver->product : driver->pci_id, value);

			t_str(type, t->slug, "%s: a device that says %s", t->slug,
			      json_string_value(value));
		}
	}
}

/* A slice names its devices as the maker's driver does on nearly all nodes. */
static void products(const struct ga_accels *list)
{
	static const struct {
		const char *slug, *product;
	} rows[] = {
		{ "nvidia-t4-16gb", "Tesla T4" },
		{ "nvidia-a100-sxm4-40gb", "NVIDIA A100-SXM4-40GB" },
		{ "nvidia-a100-sxm4-80gb", "NVIDIA A100-SXM4-80GB" },
		{ "nvidia-gh200-96gb", "NVIDIA GH200 480GB" },
		{ "nvidia-h100-sxm5-80gb", "NVIDIA H100 80GB HBM3" },
		{ "nvidia-h200-141gb", "NVIDIA H200" },
		{ "amd-mi300x-192gb", "AMD_Instinct_MI300X_OAM" },
		{ "amd-mi325x-256gb", "AMD_Instinct_MI325_OAM" },
		{ "amd-mi210-64gb", "Instinct_MI210" },
		{ "intel-gaudi2-96gb", "Intel Gaudi 2 96GB" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_kube_device d = { 0, ga_accels_type(list, rows[i].slug), NULL, -1 };
		ga_autojson json_t *slice = ga_kube_slice("n", "d", &d, 1, 0, 1);
		json_t *devices = json_object_get(json_object_get(slice, "spec"), "devices");
		json_t *attributes =
			json_object_get(json_array_get(devices, 0), "attributes");
		json_t *product = json_object_get(attributes, "productName");

		t_str(json_string_value(json_object_get(product, "string")), rows[i].product,
		      "%s: its product name", rows[i].slug);
	}
}

/* A list is what jansson would write of it whole. */
static void lists(void)
{
	static const char *const texts[] = { "{\"a\": [1, {\"b\": \"x\\ny\"}], \"c\": {}}", "[]",
					     "{\"d\": [[true]]}" };
	size_t n, i;

	for (n = 0; n <= GA_ARRAY_SIZE(texts); n++) {
		ga_autostr struct ga_str list = GA_STR_INIT, want = GA_STR_INIT;
		json_t *items = json_array();
		ga_autojson json_t *all = json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind",
						    "List", "items", items);
		ga_autofree char *whole = NULL;

		for (i = 0; i < n; i++) {
			json_t *item = json_loads(texts[i], 0, NULL);

			json_array_append(items, item);
			ga_kube_list_add(&list, item);
		}
		ga_kube_list_end(&list);
		whole = json_dumps(all, JSON_INDENT(1));
		ga_str_addf(&want, "%s\n", whole);
		t_str(list.buf, want.buf, "a list of %zu", n);
	}
}

int main(void)
{
	ga_autoaccels struct ga_accels *list = NULL;
	struct ga_err err = GA_ERR_INIT;

	ga_accels_drop_ins(NULL);
	if (ga_accels_open(NULL, &list, &err) < 0)
		return 1;
	expressions(list);
	every_type(list);
	products(list);
	lists();
	return t_done();
}
