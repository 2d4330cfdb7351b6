/* SPDX-License-Identifier: Apache-2.0 */
/* Makes objects for Kubernetes. */
#include "exchange/kube/object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/kube/device.h"
#include "record/rec.h"
#include "record/state.h"

static json_t *text(const char *value)
{
	json_t *json = json_string(value);

	/* JSON cannot hold a text that is no UTF-8. */
	return json ? json : json_string("?");
}

static json_t *object(const char *version, const char *kind, const char *name)
{
	return json_pack("{s:s, s:s, s:{s:o}}", "apiVersion", version, "kind", kind, "metadata",
			 "name", text(name));
}

/* Adds the member unless value is NULL (unknown). */
static void put(json_t *to, const char *key, json_t *value)
{
	if (value)
		json_object_set_new(to, key, value);
}

#define LIST "{\n \"apiVersion\": \"v1\",\n \"kind\": \"List\",\n \"items\": ["

void ga_kube_list_add(struct ga_str *list, json_t *item)
{
	ga_autofree char *json = json_dumps(item, JSON_INDENT(1));
	const char *line, *end;

	ga_str_add(list, list->len ? "," : LIST);
	for (line = json; line; line = *end ? end + 1 : NULL) {
		end = strchrnul(line, '\n');
		ga_str_add(list, "\n  ");
		ga_str_add_bytes(list, line, (size_t)(end - line));
	}
	json_decref(item);
}

void ga_kube_list_end(struct ga_str *list)
{
	ga_str_add(list, list->len ? "\n ]\n}\n" : LIST "]\n}\n");
}

/* Device plugins taint nodes with their resource. A toleration without a taint is harmless. */
static json_t *tolerations(const char *resource)
{
	return json_pack("[{s:s, s:s, s:s}]", "key", resource, "operator", "Exists", "effect",
			 "NoSchedule");
}

json_t *ga_kube_flavor(const struct ga_accel_type *type, const struct ga_kube_select *select)
{
	json_t *flavor = object("kueue.x-k8s.io/v1beta2", "ResourceFlavor", type->slug);
	json_t *spec = json_pack("{s:O}", "nodeLabels", select->labels);
	const char *resource = ga_kube_resource(type);

	if (resource)
		put(spec, "tolerations", tolerations(resource));
	put(flavor, "spec", spec);
	return flavor;
}

/* ---- HardwareProfile ---- */

static void counts_of(const struct ga_profile *p, int64_t *least, int64_t *most)
{
	size_t i;

	*least = p->counts.n ? p->counts.v[0] : 1;
	*most = p->counts.n ? p->counts.v[0] : GA_UNKNOWN;
	for (i = 0; i < p->counts.n; i++) {
		*least = p->counts.v[i] < *least ? p->counts.v[i] : *least;
		*most = p->counts.v[i] > *most ? p->counts.v[i] : *most;
	}
}

/* each: amount for one GPU; unit "": a number, else a quantity. */
static void add_identifier(json_t *to, const char *resource, const char *name, const char *kind,
			   int64_t each, const char *unit, const struct ga_profile *p)
{
	json_t *one;
	int64_t counts[2], i;
	json_t *amount[2] = { NULL, NULL };

	if (each == GA_UNKNOWN || each <= 0)
		return;
	counts_of(p, &counts[0], &counts[1]);
	for (i = 0; i < 2; i++) {
		if (counts[i] == GA_UNKNOWN)
			continue;
		ga_autofree char *quantity =
			ga_xprintf("%" PRId64 "%s", each * counts[i], unit);
		amount[i] = *unit ? json_string(quantity) : json_integer(each * counts[i]);
	}
	one = json_pack("{s:s, s:o, s:s, s:O, s:o}", "identifier", resource, "displayName",
			text(name), "resourceType", kind, "minCount", amount[0], "defaultCount",
			amount[0]);
	put(one, "maxCount", amount[1]);
	json_array_append_new(to, one);
}

static json_t *annotations(const struct ga_kube_hardware *h)
{
	const struct ga_profile *p = h->profile;
	ga_autofree char *name = h->type ? ga_xprintf("%s (%s)", p->name, h->type->name) :
					   ga_xstrdup(p->name);
	json_t *a = json_pack("{s:o, s:s}", "opendatahub.io/display-name", text(name),
			      "opendatahub.io/disabled", "false");
	ga_autofree char *memory = NULL;

	if (!h->type)
		return a;
	put(a, GA_KUBE_TYPE, text(h->type->slug));
	if (h->type->memory.gpu_gb != GA_UNKNOWN && h->type->memory.gpu_gb > 0) {
		memory = ga_xprintf("%" PRId64 "GB", h->type->memory.gpu_gb);
		put(a, "accelerator.opendatahub.io/memory", text(memory));
	}
	if (h->type->architecture.name)
		put(a, "accelerator.opendatahub.io/architecture",
		    text(h->type->architecture.name));
	return a;
}

static json_t *scheduling(const struct ga_kube_hardware *h)
{
	if (h->queue)
		return json_pack("{s:s, s:{s:o}}", "type", "Queue", "kueue", "localQueueName",
				 text(h->queue));
	return json_pack("{s:s, s:{s:o, s:o}}", "type", "Node", "node", "nodeSelector",
			 h->select ? json_incref(h->select->labels) : json_object(),
			 "tolerations", tolerations(h->resource));
}

json_t *ga_kube_hardware_profile(const struct ga_kube_hardware *h)
{
	const struct ga_profile *p = h->profile;
	json_t *made = object("infrastructure.opendatahub.io/v1", "HardwareProfile", p->name);
	json_t *metadata = json_object_get(made, "metadata"), *identifiers = json_array();

	put(metadata, "namespace", text(h->namespace));
	put(metadata, "annotations", annotations(h));
	add_identifier(identifiers, "cpu", "CPU", "CPU", p->vcpus_per_gpu, "", p);
	add_identifier(identifiers, "memory", "Memory", "Memory", p->memory_mib_per_gpu, "Mi", p);
	add_identifier(identifiers, h->resource, h->type ? h->type->name : "GPU", "Accelerator", 1,
		       "", p);
	put(made, "spec", json_pack("{s:o, s:o}", "identifiers", identifiers, "scheduling",
				    scheduling(h)));
	return made;
}

/* ---- dynamic resource allocation ---- */

#define TEXT_MOST 64 /* bytes of an attribute's value */
#define OWN_DOMAIN "accelerator.gpuaas"

static void put_attribute(json_t *to, const char *name, const char *kind, const char *value)
{
	if (value && *value && strlen(value) <= TEXT_MOST)
		put(to, name, json_pack("{s:o}", kind, text(value)));
}

/* AMD's driver spells the product as AMD's labeller does. */
static const char *product_of(const struct ga_accel_type *t)
{
	return t->labels.amd_product_name.n ? t->labels.amd_product_name.v[0] :
	       t->labels.driver_names.n	    ? t->labels.driver_names.v[0] :
					      t->name;
}

static json_t *attributes(const struct ga_kube_device *d)
{
	json_t *a = json_object();
	const struct ga_accel_architecture *arch = &d->type->architecture;
	ga_autofree char *capability =
		arch->compute_capability ? ga_xprintf("%s.0", arch->compute_capability) : NULL;

	put_attribute(a, "type", "string", "gpu");
	put_attribute(a, "productName", "string", product_of(d->type));
	put_attribute(a, "architecture", "string", arch->name);
	put_attribute(a, "cudaComputeCapability", "version", capability);
	put_attribute(a, "resource.kubernetes.io/pciBusID", "string", d->pci_address);
	put_attribute(a, OWN_DOMAIN "/type", "string", d->type->slug);
	if (d->numa_node >= 0)
		put(a, "numa", json_pack("{s:I}", "int", (json_int_t)d->numa_node));
	return a;
}

static json_t *device(const struct ga_kube_device *d)
{
	const struct ga_accel_memory *m = &d->type->memory;
	ga_autofree char *name = ga_xprintf("gpu-%" PRId64, d->index), *memory = NULL;
	json_t *one = json_pack("{s:s, s:o}", "name", name, "attributes", attributes(d));

	if (m->reported_mib != GA_UNKNOWN && m->reported_mib > 0)
		memory = ga_xprintf("%" PRId64 "Mi", m->reported_mib);
	else if (m->gpu_gb != GA_UNKNOWN && m->gpu_gb > 0)
		memory = ga_xprintf("%" PRId64 "G", m->gpu_gb);
	if (memory)
		put(one, "capacity", json_pack("{s:{s:s}}", "memory", "value", memory));
	return one;
}

json_t *ga_kube_slice(const char *node, const char *driver, const struct ga_kube_device *devices,
		      size_t n, size_t part, size_t parts)
{
	ga_autofree char *name = ga_xprintf("%s-%s-%zu", node, driver, part);
	json_t *slice = object("resource.k8s.io/v1", "ResourceSlice", name);
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(list, device(&devices[i]));
	put(slice, "spec",
	    json_pack("{s:s, s:o, s:{s:o, s:i, s:I}, s:o}", "driver", driver, "nodeName",
		      text(node), "pool", "name", text(node), "generation", 1,
		      "resourceSliceCount", (json_int_t)parts, "devices", list));
	return slice;
}

#define OWN "device.attributes[\"" OWN_DOMAIN "\"]"

/* CEL for a device of the driver's own slices: a full GPU with one of the values. It first checks
 * that the attribute exists, because CEL fails on a missing one. CEL also accepts JSON's quoting of
 * texts. */
static char *of_driver(const struct ga_kube_driver *driver, const char *name, json_t *values)
{
	ga_autofree char *list = json_dumps(values, 0);
	ga_autofree char *of = ga_xprintf("device.attributes[\"%s\"]", driver->name);
	ga_autostr struct ga_str cel = GA_STR_INIT;

	if (driver->whole)
		ga_str_addf(&cel, "\"type\" in %s && %s.type == \"%s\" && ", of, of,
			    driver->whole);
	ga_str_addf(&cel, "\"%s\" in %s && %s.%s in %s", name, of, of, name, list);
	return ga_str_take(&cel);
}

json_t *ga_kube_class(const struct ga_accels *list, const struct ga_accel_type *type,
		      bool *only_own)
{
	const struct ga_kube_driver *driver = ga_kube_driver_named(ga_kube_driver(type));
	const char *name;
	json_t *made;
	ga_autojson json_t *values = NULL;
	ga_autofree char *foreign = NULL, *cel = NULL;

	if (!driver)
		return NULL;
	values = ga_kube_device_values(list, driver, type, &name);
	*only_own = !json_array_size(values);
	foreign = *only_own ? ga_xstrdup("false") : of_driver(driver, name, values);
	cel = ga_xprintf("device.driver == \"%s\" && (\"type\" in " OWN " ? " OWN
			 ".type == \"%s\" : %s)", driver->name, type->slug, foreign);
	made = object("resource.k8s.io/v1", "DeviceClass", type->slug);
	put(made, "spec", json_pack("{s:[{s:{s:s}}]}", "selectors", "cel", "expression", cel));
	return made;
}
