/* SPDX-License-Identifier: Apache-2.0 */
/* A device of a ResourceSlice. */
#include "exchange/kube/device.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define TEXT_MOST 128

/* AMD's deviceID is the number of the board, not a PCI id, and AMD's memory may be made up. */
static const struct ga_kube_driver drivers[] = {
	{ "gpu.nvidia.com", "NVIDIA", "productName", "deviceID", { NULL }, "gpu", GA_NAME_NVIDIA,
	  0x10de, true },
	{ "gpu.amd.com", "AMD", "productName", NULL, { NULL }, "amdgpu", GA_NAME_AMD, 0x1002,
	  false },
	{ "gpu.intel.com", "Intel", NULL, "pciId", { NULL }, "gpu", GA_NAME_INTEL, 0x8086, false },
	{ "gaudi.intel.com", "Intel Habana", "model", NULL, { "Gaudi", "Gaudi2", "Gaudi3" }, NULL,
	  GA_NAME_PEOPLE, 0x1da3, false },
};

const struct ga_kube_driver *ga_kube_driver_named(const char *name)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(drivers); i++)
		if (ga_streq(name, drivers[i].name))
			return &drivers[i];
	return NULL;
}

void ga_kube_device_release(struct ga_kube_says *s)
{
	free(s->slug);
	free(s->product);
	memset(s, 0, sizeof(*s));
}

/* v1beta1 has these members in basic; later versions have them in the device itself. */
static json_t *member(json_t *device, const char *key)
{
	json_t *value = json_object_get(device, key);

	return value ? value : json_object_get(json_object_get(device, "basic"), key);
}

/* A name without a domain belongs to the driver's domain; the attribute may also carry that
 * domain. */
static const char *attribute(const struct ga_kube_driver *driver, json_t *attributes,
			     const char *name)
{
	json_t *value = json_object_get(attributes, name);
	const char *text;

	if (!value && !strchr(name, '/')) {
		ga_autofree char *whole = ga_xprintf("%s/%s", driver->name, name);

		value = json_object_get(attributes, whole);
	}
	text = json_string_value(json_object_get(value, "string"));
	return text && *text ? text : NULL;
}

static char *kept(const char *text)
{
	return text ? ga_printable(ga_xstrndup(text, TEXT_MOST)) : NULL;
}

/* Reads "0x2335"; GA_UNKNOWN: another form. */
static int64_t device_id(const char *text)
{
	size_t i;

	if (!text || !ga_starts(text, "0x") || strlen(text) != 6)
		return GA_UNKNOWN;
	for (i = 2; i < 6; i++)
		if (!isxdigit((unsigned char)text[i]))
			return GA_UNKNOWN;
	return strtol(text, NULL, 16);
}

/* Intel's driver writes Unknown for an unknown product. */
static const char *product(const struct ga_kube_driver *driver, json_t *attributes)
{
	const char *text = attribute(driver, attributes, driver->product);

	return ga_streq(text, "Unknown") ? NULL : text;
}

void ga_kube_device(const struct ga_kube_driver *driver, json_t *device, struct ga_kube_says *ret)
{
	json_t *attributes = member(device, "attributes");
	json_t *memory = json_object_get(member(device, "capacity"), "memory");
	const char *type = attribute(driver, attributes, "type");

	*ret = (struct ga_kube_says){ .device_id = GA_UNKNOWN, .memory_mib = GA_UNKNOWN };
	ret->slug = kept(attribute(driver, attributes, GA_KUBE_OWN_TYPE));
	if (driver->product)
		ret->product = kept(product(driver, attributes));
	if (driver->pci_id)
		ret->device_id = device_id(attribute(driver, attributes, driver->pci_id));
	ret->mig = ga_streq(type, "mig");
	if (driver->has_memory && ga_streq(type, "gpu"))
		ret->memory_mib = ga_kube_memory_mib(memory, "value");
}

void ga_kube_device_view(const struct ga_accels *list, const struct ga_kube_driver *driver,
			 const struct ga_kube_says *says, struct ga_node_view *ret)
{
	struct ga_census g = { .list = list, .view = ret };
	struct ga_node_type *t;

	ga_schema_init(&ga_node_view_schema, ret);
	t = ga_census_add(&g, 1, says->memory_mib);
	if (says->device_id != GA_UNKNOWN) {
		ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };
		ga_autofree char *id =
			ga_xprintf("%04x:%04x", driver->pci_vendor, (unsigned int)says->device_id);

		ga_accels_find(list, driver->pci_vendor, (unsigned int)says->device_id, GA_UNKNOWN,
			       GA_UNKNOWN, &a);
		ga_type_said(t, "pci", id, a.slug ? &a.slug : a.may_be.v,
			     a.slug ? 1 : a.may_be.n);
	}
	if (says->slug) {
		const struct ga_accel_type *own = ga_accels_type(list, says->slug);
		ga_autofree char *said = ga_xprintf(GA_KUBE_OWN_TYPE "=%s", says->slug);

		ga_type_said(t, "override", said, own ? (const char *const *)&own->slug : NULL,
			     own ? 1 : 0);
	}
	if (says->product) {
		ga_autonamed struct ga_accel_named n = { 0 };
		ga_autofree char *said = ga_xprintf("%s=%s", driver->product, says->product);

		ga_accels_named(list, driver->family, says->product, &n);
		ga_type_said(t, "label", said, n.types.v, n.types.n);
	}
	ga_census_done(&g);
}

/* ---- from type to attribute values ---- */

/* Adds the value, if a device with this value is of the type. */
static void add_value(const struct ga_accels *list, const struct ga_kube_driver *driver,
		      const struct ga_accel_type *type, char *value, json_t *to)
{
	struct ga_kube_says says = { .device_id = GA_UNKNOWN, .memory_mib = GA_UNKNOWN };
	struct ga_node_view view;

	if (driver->product)
		says.product = value;
	else
		says.device_id = device_id(value);
	ga_kube_device_view(list, driver, &says, &view);
	if (ga_streq(view.types.v[0].type, type->slug))
		json_array_append_new(to, json_string(value));
	ga_schema_release(&ga_node_view_schema, &view);
}

json_t *ga_kube_device_values(const struct ga_accels *list, const struct ga_kube_driver *driver,
			      const struct ga_accel_type *type, const char **name)
{
	const struct ga_accel_labels *l = &type->labels;
	json_t *values = json_array();
	size_t i;

	*name = driver->product ? driver->product : driver->pci_id;
	for (i = 0; driver->family == GA_NAME_NVIDIA && i < l->driver_names.n; i++)
		add_value(list, driver, type, l->driver_names.v[i], values);
	for (i = 0; driver->family == GA_NAME_AMD && i < l->amd_product_name.n; i++)
		add_value(list, driver, type, l->amd_product_name.v[i], values);
	for (i = 0; i < GA_ARRAY_SIZE(driver->models) && driver->models[i]; i++) {
		ga_autofree char *model = ga_xstrdup(driver->models[i]);

		add_value(list, driver, type, model, values);
	}
	for (i = 0; !driver->product && i < type->pci.n; i++) {
		ga_autofree char *id = ga_xprintf("0x%s", type->pci.v[i].device_id);

		add_value(list, driver, type, id, values);
	}
	return values;
}
