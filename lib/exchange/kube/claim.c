/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ResourceClaims and ResourceSlices. */
#include "exchange/kube/claim.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "exchange/kube/device.h"

#define NAME_MOST 253

/* A device that a claim has. */
struct result {
	const struct ga_kube_driver *driver;
	char *pool, *name;
};

struct claim {
	char *namespace, *name;
	GA_LIST(struct result) results;
	bool allocated;
	struct ga_kube_claimed claimed;
};

struct slice {
	const struct ga_kube_driver *driver;
	char *pool, *node; /* node NULL: its devices belong to no node */
	int64_t generation;
};

struct device {
	const struct slice *slice;
	char *name, *node; /* node NULL: the node of the slice */
	struct ga_kube_says says;
};

struct ga_kube_claims {
	GA_LIST(struct claim) claims;
	GA_LIST(struct slice *) slices;
	GA_LIST(struct device) devices;
	size_t results;
	bool any;
};

struct ga_kube_claims *ga_kube_claims_new(void)
{
	return ga_xcalloc(1, sizeof(struct ga_kube_claims));
}

void ga_kube_claims_free(struct ga_kube_claims *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->claims.n; i++) {
		struct claim *claim = &c->claims.v[i];
		size_t j;

		for (j = 0; j < claim->results.n; j++) {
			free(claim->results.v[j].pool);
			free(claim->results.v[j].name);
		}
		ga_list_release(&claim->results);
		free(claim->namespace);
		free(claim->name);
		ga_kube_answer_release(&claim->claimed.answer);
	}
	for (i = 0; i < c->slices.n; i++) {
		free(c->slices.v[i]->pool);
		free(c->slices.v[i]->node);
		free(c->slices.v[i]);
	}
	for (i = 0; i < c->devices.n; i++) {
		free(c->devices.v[i].name);
		free(c->devices.v[i].node);
		ga_kube_device_release(&c->devices.v[i].says);
	}
	ga_list_release(&c->claims);
	ga_list_release(&c->slices);
	ga_list_release(&c->devices);
	free(c);
}

bool ga_kube_claims_any(const struct ga_kube_claims *c)
{
	return c->any;
}

/* ---- reading ---- */

static char *text_of(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && *text ? ga_printable(ga_xstrndup(text, NAME_MOST)) : NULL;
}

static int too_many(struct ga_err *err, const char *of)
{
	return ga_refuse(err, GA_BADREC, NULL, NULL,
			 ("more than 1000000 devices of %s", of),
			 ("give them in parts: kubectl get … -l KEY=VALUE -o json"));
}

/* Skips devices with adminAccess, which only observe. Refuses a device without pool or name. */
static int take_result(struct ga_kube_claims *c, struct claim *claim, json_t *one,
		       struct ga_err *err)
{
	const struct ga_kube_driver *driver =
		ga_kube_driver_named(json_string_value(json_object_get(one, "driver")));
	struct result *r;

	if (!driver || json_is_true(json_object_get(one, "adminAccess")))
		return 0;
	if (++c->results > GA_KUBE_DEVICES)
		return too_many(err, "claims");
	r = ga_list_add(&claim->results);
	r->driver = driver;
	r->pool = text_of(one, "pool");
	r->name = text_of(one, "device");
	if (!r->pool || !r->name)
		return ga_fail(err, GA_BADREC, "a device of it has no pool or no name");
	return 0;
}

static int take_claim(struct ga_kube_claims *c, json_t *item, struct ga_err *err)
{
	json_t *metadata = json_object_get(item, "metadata"), *one;
	json_t *allocation = json_object_get(json_object_get(item, "status"), "allocation");
	struct claim *claim = ga_list_add(&c->claims);
	size_t i;

	claim->namespace = text_of(metadata, "namespace");
	if (!claim->namespace)
		claim->namespace = ga_xstrdup("default");
	claim->name = text_of(metadata, "name");
	claim->allocated = json_is_object(allocation);
	if (!claim->name) {
		claim->name = ga_xstrdup("");
		return ga_fail(err, GA_BADREC, "it has no name");
	}
	json_array_foreach(json_object_get(json_object_get(allocation, "devices"), "results"), i,
			   one)
		if (take_result(c, claim, one, err) < 0)
			return -1;
	return 0;
}

static int take_device(struct ga_kube_claims *c, const struct slice *slice, json_t *one,
		       struct ga_err *err)
{
	struct device *d;

	if (c->devices.n >= GA_KUBE_DEVICES)
		return too_many(err, "slices");
	d = ga_list_add(&c->devices);
	d->slice = slice;
	d->name = text_of(one, "name");
	d->node = text_of(one, "nodeName");
	if (!d->node)
		d->node = text_of(json_object_get(one, "basic"), "nodeName");
	if (!d->name) {
		d->name = ga_xstrdup("");
		return ga_fail(err, GA_BADREC, "a device of it has no name");
	}
	ga_kube_device(slice->driver, one, &d->says);
	return 0;
}

static int take_slice(struct ga_kube_claims *c, json_t *item, struct ga_err *err)
{
	json_t *spec = json_object_get(item, "spec"), *pool = json_object_get(spec, "pool"), *one;
	const struct ga_kube_driver *driver =
		ga_kube_driver_named(json_string_value(json_object_get(spec, "driver")));
	struct slice *slice;
	size_t i;

	if (!driver)
		return 0;
	slice = ga_xcalloc(1, sizeof(*slice));
	*ga_list_add(&c->slices) = slice;
	slice->driver = driver;
	slice->pool = text_of(pool, "name");
	slice->node = text_of(spec, "nodeName");
	slice->generation = json_integer_value(json_object_get(pool, "generation"));
	if (!slice->pool) {
		slice->pool = ga_xstrdup("");
		return ga_fail(err, GA_BADREC, "its pool has no name");
	}
	json_array_foreach(json_object_get(spec, "devices"), i, one)
		if (take_device(c, slice, one, err) < 0)
			return -1;
	return 0;
}

int ga_kube_claims_take(struct ga_kube_claims *c, json_t *item, struct ga_err *err)
{
	const char *kind = json_string_value(json_object_get(item, "kind"));
	bool claim = ga_streq(kind, "ResourceClaim");

	if (!claim && !ga_streq(kind, "ResourceSlice"))
		return 0;
	c->any = true;
	return (claim ? take_claim(c, item, err) : take_slice(c, item, err)) < 0 ? -1 : 1;
}

/* ---- sorting and searching ---- */

static int by_name(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;
	int order = strcmp(x->namespace, y->namespace);

	return order ? order : strcmp(x->name, y->name);
}

static int by_pool(const struct slice *x, const struct slice *y)
{
	int order = strcmp(x->driver->name, y->driver->name);

	return order ? order : strcmp(x->pool, y->pool);
}

/* Newest generation first. */
static int by_generation(const void *a, const void *b)
{
	const struct slice *const *x = a, *const *y = b;
	int order = by_pool(*x, *y);

	if (!order)
		order = ((*x)->generation < (*y)->generation) -
			((*x)->generation > (*y)->generation);
	return order;
}

static int by_device(const void *a, const void *b)
{
	const struct device *x = a, *y = b;
	int order = by_generation(&x->slice, &y->slice);

	return order ? order : strcmp(x->name, y->name);
}

/* The newest slice of a pool, or NULL. */
static const struct slice *newest(const struct ga_kube_claims *c, const struct result *r)
{
	const struct slice key = { .driver = r->driver, .pool = r->pool };
	size_t lo = 0, hi = c->slices.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_pool(c->slices.v[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->slices.n && !by_pool(c->slices.v[lo], &key) ? c->slices.v[lo] : NULL;
}

/* Counts the devices with the name in the newest generation, at most 2; *ret is the first one. */
static size_t find_device(const struct ga_kube_claims *c, const struct result *r,
			  const struct device **ret)
{
	const struct device key = { .slice = newest(c, r), .name = r->name };
	size_t lo = 0, hi = key.slice ? c->devices.n : 0, n = 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_device(&c->devices.v[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (key.slice && n < 2 && lo + n < c->devices.n &&
	       !by_device(&c->devices.v[lo + n], &key))
		n++;
	*ret = n ? &c->devices.v[lo] : NULL;
	return n;
}

/* ---- the decision ---- */

struct judge {
	struct ga_kube_claims *claims;
	const struct ga_accels *list;
	ga_kube_node_of node_of;
	void *arg;
};

/* The attributes leave the type open: the node decides. */
static void by_node(const struct judge *j, const struct claim *claim, const struct device *d,
		    const struct ga_node_type *t, struct ga_kube_answer *ret)
{
	const struct ga_kube_driver *driver = d->slice->driver;
	char *name = d->node ? d->node : d->slice->node;
	const struct ga_node_view *node = name ? j->node_of(name, j->arg) : NULL;
	ga_autofree char *what = ga_xprintf("a device of %s", driver->name);
	struct ga_kube_want want = { .what = what, .vendor = driver->vendor, .mig = d->says.mig,
				     .one_of = t };

	if (node)
		ga_kube_settle(j->list, &want, node, ret);
	else if (name)
		ga_kube_tell(ret, "node_missing", "the type of device '%s' of its claim '%s' comes "
			     "from node '%s', which is not in the document", d->name,
			     claim->name, name);
	else
		ga_kube_tell(ret, "type_unknown", "the type of device '%s' of its claim '%s' is "
			     "not known", d->name, claim->name);
}

static void judge_device(const struct judge *j, const struct claim *claim, const struct result *r,
			 struct ga_kube_answer *ret)
{
	const struct device *d;
	size_t n = find_device(j->claims, r, &d);
	struct ga_node_view view;
	const struct ga_node_type *t;

	memset(ret, 0, sizeof(*ret));
	if (n != 1) {
		ga_kube_tell(ret, n ? "device_repeated" : "device_missing", "device '%s' of its "
			     "claim '%s' is %s pool '%s' of %s", r->name, claim->name,
			     n ? "more than once in" : "in no ResourceSlice of", r->pool,
			     r->driver->name);
		return;
	}
	ga_kube_device_view(j->list, r->driver, &d->says, &view);
	t = &view.types.v[0];
	if (t->type) {
		ret->type = ga_accels_type(j->list, t->type)->slug;
		ret->basis = "device";
	} else if (!t->evidence.n || t->may_be.n) {
		by_node(j, claim, d, t, ret);
	} else {
		ga_kube_tell(ret, "type_unknown", "the type of device '%s' of its claim '%s' is "
			     "not known (%s)", d->name, claim->name, t->name);
	}
	ga_schema_release(&ga_node_view_schema, &view);
}

int ga_kube_claims_judge(struct ga_kube_claims *c, const struct ga_accels *list,
			 ga_kube_node_of node_of, void *arg, struct ga_err *err)
{
	struct judge j = { c, list, node_of, arg };
	size_t i;

	if (c->claims.n)
		qsort(c->claims.v, c->claims.n, sizeof(*c->claims.v), by_name);
	if (c->slices.n)
		qsort(c->slices.v, c->slices.n, sizeof(*c->slices.v), by_generation);
	if (c->devices.n)
		qsort(c->devices.v, c->devices.n, sizeof(*c->devices.v), by_device);
	for (i = 1; i < c->claims.n; i++)
		if (!by_name(&c->claims.v[i - 1], &c->claims.v[i]))
			return ga_fail(err, GA_BADREC, "ResourceClaim '%s/%s' is in the document "
				       "more than once", c->claims.v[i].namespace,
				       c->claims.v[i].name);
	for (i = 0; i < c->claims.n; i++) {
		struct claim *claim = &c->claims.v[i];
		struct ga_kube_answer *answer = &claim->claimed.answer;
		size_t k;

		if (!claim->allocated)
			ga_kube_tell(answer, "claim_unallocated", "its claim '%s' is not allocated",
				     claim->name);
		if (claim->results.n)
			claim->claimed.driver = claim->results.v[0].driver->name;
		for (k = 0; k < claim->results.n && !answer->code; k++) {
			struct ga_kube_answer one;

			judge_device(&j, claim, &claim->results.v[k], &one);
			ga_kube_answer_join(answer, &one, GA_KUBE_BY_CLAIMS);
		}
	}
	return 0;
}

const struct ga_kube_claimed *ga_kube_claims_find(const struct ga_kube_claims *c,
						  char *namespace, char *name)
{
	const struct claim key = { .namespace = namespace, .name = name };
	const struct claim *found =
		c->claims.n ? bsearch(&key, c->claims.v, c->claims.n, sizeof(key), by_name) : NULL;

	return found ? &found->claimed : NULL;
}
