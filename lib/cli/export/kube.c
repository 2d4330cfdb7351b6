/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-export kueue, odh and dra: objects for Kubernetes from nodes and profiles. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/export/export.h"
#include "cli/frame/types.h"
#include "exchange/kube/object.h"
#include "record/rec.h"
#include "record/state.h"
#include "state/capacity/view.h"
#include "state/db/row.h"
#include "state/query/list.h"
#include "state/watch/export.h"

static const char *namespace, *queue;
static bool classes;

const struct ga_opt ga_cli_odh_opts[] = {
	{ .name = "namespace", .type = GA_O_TEXT, .var = &namespace, .arg = "NAME",
	  .help = "namespace of the profiles (default opendatahub)" },
	{ .name = "local-queue", .type = GA_O_TEXT, .var = &queue, .arg = "NAME",
	  .help = "schedule by this LocalQueue of Kueue, not by labels of nodes" },
	GA_OPTS_END,
};
const struct ga_opt ga_cli_dra_opts[] = {
	{ .name = "classes", .type = GA_O_FLAG, .var = &classes,
	  .help = "the DeviceClass of each type, not the slices of nodes" },
	GA_OPTS_END,
};

struct export {
	struct ga_db *db;
	struct ga_accels *list;
	GA_LIST(const struct ga_accel_type *) types; /* of nodes and profiles, sorted by slug */
	GA_LIST(const struct ga_accel_type *) of_nodes;
	struct ga_str made; /* the list of objects */
};

#define EXPORT_INIT { .made = GA_STR_INIT }

static void cleanup_export(struct export *e)
{
	ga_str_release(&e->made);
	ga_list_release(&e->types);
	ga_list_release(&e->of_nodes);
	ga_accels_close(e->list);
	ga_db_leave(e->db);
}

static int unfit(const char *what, const char *name, struct ga_err *err)
{
	return ga_cli_export_unfit(what, name, "Kubernetes",
				   "small letters, digits, '-' and '.', with letters or digits at "
				   "the ends and beside dots", err);
}

static void add_type(struct export *e, const char *slug, bool of_node)
{
	const struct ga_accel_type *type = slug ? ga_accels_type(e->list, slug) : NULL;
	size_t i;

	for (i = 0; type && i < e->types.n && e->types.v[i] != type; i++)
		;
	if (type && i == e->types.n)
		*ga_list_add(&e->types) = type;
	for (i = 0; type && i < e->of_nodes.n && e->of_nodes.v[i] != type; i++)
		;
	if (type && of_node && i == e->of_nodes.n)
		*ga_list_add(&e->of_nodes) = type;
}

static int types_of_node(struct ga_node_view *view, void *arg, struct ga_err *err)
{
	size_t i;

	(void)err;
	for (i = 0; i < view->types.n; i++)
		add_type(arg, view->types.v[i].type, true);
	return 0;
}

/* The same, for formats in which each type needs an object. */
static int checked_types_of_node(struct ga_node_view *view, void *arg, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < view->types.n && view->types.v[i].type; i++)
		;
	if (i < view->types.n)
		ga_cli_export_left_out("of node", view->node, "GPUs whose type is not known");
	return types_of_node(view, arg, err);
}

static int types_of_profile(const struct ga_schema *schema, const void *obj, void *arg,
			    struct ga_err *err)
{
	const struct ga_profile *p = obj;
	size_t i;

	(void)schema;
	(void)err;
	for (i = 0; i < p->types.n && !p->retired; i++) {
		add_type(arg, p->types.v[i], false);
		if (!ga_accels_type(((struct export *)arg)->list, p->types.v[i]))
			ga_cli_export_left_out("type", p->types.v[i],
					       "the catalogue does not have it");
	}
	return 0;
}

static int by_slug(const void *a, const void *b)
{
	const struct ga_accel_type *const *x = a, *const *y = b;

	return strcmp((*x)->slug, (*y)->slug);
}

static int begin(struct export *e, struct ga_err *err)
{
	return ga_cli_catalogue(&e->list, err) < 0 ? -1 : ga_cli_export_open(&e->db, err);
}

static int each_node(struct export *e,
		     int (*each)(struct ga_node_view *view, void *arg, struct ga_err *err),
		     struct ga_err *err)
{
	return ga_store_node_views(e->db, e->list, ga_clock_micros(), each, e, err);
}

static int each_profile(struct export *e, ga_store_each each, struct ga_err *err)
{
	return ga_store_list(e->db, &(struct ga_list_query){ .kind = "profile" }, each, e, err);
}

static int read_types(struct export *e, struct ga_err *err)
{
	if (each_node(e, checked_types_of_node, err) < 0 ||
	    each_profile(e, types_of_profile, err) < 0)
		return -1;
	if (e->types.n)
		qsort(e->types.v, e->types.n, sizeof(*e->types.v), by_slug);
	return 0;
}

static int finish(struct export *e, struct ga_err *err)
{
	ga_kube_list_end(&e->made);
	return ga_cli_export_write(&e->made, err);
}

/* ---- kueue ---- */

int ga_cli_kueue(struct ga_err *err)
{
	ga_cleanup(cleanup_export) struct export e = EXPORT_INIT;
	size_t i;

	if (begin(&e, err) < 0 || read_types(&e, err) < 0)
		return -1;
	for (i = 0; i < e.types.n; i++) {
		ga_autoselect struct ga_kube_select select = { 0 };

		if (!ga_kube_name_is_valid(e.types.v[i]->slug))
			return unfit("type", e.types.v[i]->slug, err);
		ga_kube_select(e.list, e.types.v[i], &select);
		if (select.note)
			ga_say("%s: %s", e.types.v[i]->slug, select.note);
		ga_kube_list_add(&e.made, ga_kube_flavor(e.types.v[i], &select));
	}
	return finish(&e, err);
}

/* ---- odh ---- */

/* For a profile without types: the resource that all nodes have in common, or NULL. */
static const char *common_resource(const struct export *e)
{
	const char *one = NULL;
	size_t i;

	for (i = 0; i < e->of_nodes.n; i++) {
		const char *resource = ga_kube_resource(e->of_nodes.v[i]);

		if (!resource || (one && strcmp(one, resource) != 0))
			return NULL;
		one = resource;
	}
	return one;
}

/* Chooses the profile's first type; reports it if it is not in the catalogue or if Kubernetes has
 * no resource for it. */
static int choose(struct export *e, const struct ga_profile *p, struct ga_kube_hardware *h)
{
	if (!p->types.n) {
		h->resource = common_resource(e);
		if (!h->resource)
			ga_cli_export_left_out("profile", p->name, "it takes any type, and the "
					       "nodes do not have one resource for all");
		return h->resource != NULL;
	}
	h->type = ga_accels_type(e->list, p->types.v[0]);
	h->resource = h->type ? ga_kube_resource(h->type) : NULL;
	if (!h->type)
		ga_cli_export_left_out("profile", p->name,
				       "the catalogue does not have its first type");
	else if (!h->resource)
		ga_cli_export_left_out("profile", p->name, "no device plugin of its type is known");
	return h->resource != NULL;
}

static int add_hardware(const struct ga_schema *schema, const void *obj, void *arg,
			struct ga_err *err)
{
	ga_autoselect struct ga_kube_select select = { 0 };
	const struct ga_profile *p = obj;
	struct export *e = arg;
	struct ga_kube_hardware h = { .profile = p, .queue = queue,
				      .namespace = namespace ? namespace : "opendatahub" };

	(void)schema;
	if (p->retired || !choose(e, p, &h))
		return 0;
	if (!ga_kube_name_is_valid(p->name))
		return unfit("profile", p->name, err);
	if (h.type && !queue) {
		ga_kube_select(e->list, h.type, &select);
		h.select = &select;
		if (select.note)
			ga_say("%s: %s", p->name, select.note);
	}
	if (h.type && p->types.n > 1 && !queue)
		ga_say("%s: labels of nodes select one type: only its first, %s", p->name,
		       h.type->slug);
	/* A queue may assign any of the types, so the type is unknown here. */
	if (p->types.n > 1 && queue)
		h.type = NULL;
	ga_kube_list_add(&e->made, ga_kube_hardware_profile(&h));
	return 0;
}

int ga_cli_odh(struct ga_err *err)
{
	ga_cleanup(cleanup_export) struct export e = EXPORT_INIT;

	if ((namespace && !ga_kube_name_is_valid(namespace)) ||
	    (queue && !ga_kube_name_is_valid(queue)))
		return ga_fail(err, GA_USAGE, "'%.64s' is no name of Kubernetes",
			       namespace && !ga_kube_name_is_valid(namespace) ? namespace : queue);
	if (begin(&e, err) < 0 || each_node(&e, types_of_node, err) < 0 ||
	    each_profile(&e, add_hardware, err) < 0)
		return -1;
	return finish(&e, err);
}

/* ---- dra ---- */

/* Copies the GPUs of a node that belong to one driver; ret has room for all of gpus. */
static size_t of_driver(const struct export *e, const struct ga_export_gpus *gpus,
			const char *driver, struct ga_kube_device *ret)
{
	size_t i, n = 0;

	for (i = 0; i < gpus->n; i++) {
		const struct ga_export_gpu *g = &gpus->v[i];
		const struct ga_accel_type *type = g->type ? ga_accels_type(e->list, g->type) :
							     NULL;

		if (type && ga_streq(ga_kube_driver(type), driver))
			ret[n++] = (struct ga_kube_device){ g->index, type, g->pci_address,
							    g->numa_node };
	}
	return n;
}

static void add_slices(struct export *e, const char *node, const struct ga_export_gpus *gpus,
		       const char *driver)
{
	ga_autofree struct ga_kube_device *devices =
		ga_xcalloc(gpus->n + 1, sizeof(*devices));
	size_t n = of_driver(e, gpus, driver, devices), i;
	size_t parts = (n + GA_KUBE_SLICE_DEVICES - 1) / GA_KUBE_SLICE_DEVICES;

	for (i = 0; i < parts; i++) {
		size_t from = i * GA_KUBE_SLICE_DEVICES, left = n - from;

		if (left > GA_KUBE_SLICE_DEVICES)
			left = GA_KUBE_SLICE_DEVICES;
		ga_kube_list_add(&e->made,
				 ga_kube_slice(node, driver, devices + from, left, i, parts));
	}
}

static int add_node(struct ga_node_view *view, void *arg, struct ga_err *err)
{
	static const char *const drivers[] = { "gpu.nvidia.com", "gpu.amd.com", "gpu.intel.com",
					       "gaudi.intel.com" };
	ga_autogpus struct ga_export_gpus gpus = { NULL, 0 };
	/* A kubelet uses the name of the host as the name of its node. */
	const char *node = view->name ? view->name : view->node;
	struct export *e = arg;
	size_t i, unknown = 0;

	if (ga_store_export_gpus(e->db, view, &gpus, err) < 0)
		return -1;
	if (gpus.n && !ga_kube_name_is_valid(node))
		return unfit("node", node, err);
	for (i = 0; i < gpus.n; i++) {
		const struct ga_accel_type *type =
			gpus.v[i].type ? ga_accels_type(e->list, gpus.v[i].type) : NULL;

		unknown += !type || !ga_kube_driver(type);
	}
	if (unknown) {
		ga_autofree char *why = ga_xprintf("%zu of its GPUs: type or driver is not known",
						   unknown);

		ga_cli_export_left_out("of node", view->node, why);
	}
	for (i = 0; i < GA_ARRAY_SIZE(drivers); i++)
		add_slices(e, node, &gpus, drivers[i]);
	return 0;
}

static int add_classes(struct export *e, struct ga_err *err)
{
	size_t i;

	if (read_types(e, err) < 0)
		return -1;
	for (i = 0; i < e->types.n; i++) {
		bool only_own = false;
		json_t *made = ga_kube_class(e->list, e->types.v[i], &only_own);

		if (!ga_kube_name_is_valid(e->types.v[i]->slug)) {
			json_decref(made);
			return unfit("type", e->types.v[i]->slug, err);
		}
		if (made)
			ga_kube_list_add(&e->made, made);
		else
			ga_cli_export_left_out("type", e->types.v[i]->slug,
					       "no DRA driver of it is known");
		if (only_own)
			ga_say("%s: its class selects devices of our own slices only: nothing that "
			       "%s says of a device is known to mean this type alone",
			       e->types.v[i]->slug, ga_kube_driver(e->types.v[i]));
	}
	return 0;
}

int ga_cli_dra(struct ga_err *err)
{
	ga_cleanup(cleanup_export) struct export e = EXPORT_INIT;

	if (begin(&e, err) < 0 ||
	    (classes ? add_classes(&e, err) : each_node(&e, add_node, err)) < 0)
		return -1;
	return finish(&e, err);
}
