/* SPDX-License-Identifier: Apache-2.0 */
/* Labels, resource and driver of a type in Kubernetes. */
#include "exchange/kube/select.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "catalog/name.h"
#include "exchange/kube/view.h"

void ga_kube_select_release(struct ga_kube_select *s)
{
	json_decref(s->labels);
	free(s->note);
	*s = (struct ga_kube_select){ 0 };
}

/* ---- labels ---- */

struct family {
	const char *key;
	enum ga_name_family family;
	char *const *names;
	size_t n;
};

static struct family family_of(const struct ga_accel_type *type)
{
	const struct ga_accel_labels *l = &type->labels;

	if (l->nvidia_product.n)
		return (struct family){ "nvidia.com/gpu.product", GA_NAME_NVIDIA,
					l->nvidia_product.v, l->nvidia_product.n };
	if (l->amd_product_name.n)
		return (struct family){ "amd.com/gpu.product-name", GA_NAME_AMD,
					l->amd_product_name.v, l->amd_product_name.n };
	return (struct family){ "gpu.intel.com/product", GA_NAME_INTEL, l->intel_product.v,
				l->intel_product.n };
}

/* Label values of Kubernetes have at most 63 bytes, only these characters, and are empty or begin
 * and end with a letter or digit. Names in a drop-in may have other characters. */
static bool is_value(const char *text)
{
	size_t n = strlen(text), i;

	for (i = 0; i < n; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("-_.", text[i]))
			return false;
	return n && n <= 63 && isalnum((unsigned char)text[0]) &&
	       isalnum((unsigned char)text[n - 1]);
}

/* 2: means only this type, in the spelling of today's drivers; 1: means several types, this one
 * included; else 0. */
static int worth(const struct ga_accels *list, const struct family *f, size_t i,
		 const struct ga_accel_type *type)
{
	ga_autonamed struct ga_accel_named n = { 0 };
	size_t k;

	if (!is_value(f->names[i]))
		return 0;
	ga_accels_named(list, f->family, f->names[i], &n);
	if (n.part || n.shared || n.old_name || n.by_hand)
		return 0;
	for (k = 0; k < n.types.n; k++)
		if (!strcmp(n.types.v[k], type->slug))
			return n.types.n == 1 ? 2 : 1;
	return 0;
}

static void set(struct ga_kube_select *s, const char *key, const char *value)
{
	json_object_set_new(s->labels, key, json_string(value));
}

static void by_hand(const struct ga_accel_type *type, const char *ambiguous,
		    struct ga_kube_select *ret)
{
	set(ret, GA_KUBE_OVERRIDE, type->slug);
	if (ambiguous)
		ret->note = ga_xprintf("the label '%s' does not distinguish it from other types: "
				       "put the "
				       "label " GA_KUBE_OVERRIDE "=%s on its nodes", ambiguous,
				       type->slug);
	else
		ret->note = ga_xprintf("no labeller is known to write a label that means it: put "
				       "the label " GA_KUBE_OVERRIDE "=%s on its nodes",
				       type->slug);
}

void ga_kube_select(const struct ga_accels *list, const struct ga_accel_type *type,
		    struct ga_kube_select *ret)
{
	struct family f = family_of(type);
	const char *one = NULL, *ambiguous = NULL;
	ga_autostr struct ga_str others = GA_STR_INIT;
	size_t i;

	*ret = (struct ga_kube_select){ .labels = json_object() };
	for (i = 0; i < f.n; i++) {
		int w = worth(list, &f, i, type);

		if (w == 2 && one)
			ga_str_addf(&others, "%s%s", others.len ? ", " : "", f.names[i]);
		else if (w == 2)
			one = f.names[i];
		else if (w == 1 && !ambiguous)
			ambiguous = f.names[i];
	}
	if (one || ambiguous)
		set(ret, f.key, one ? one : ambiguous);
	if (!one)
		by_hand(type, ambiguous, ret);
	else if (others.len)
		ret->note = ga_xprintf("nodes whose %s is another spelling of it (%s) are not "
				       "selected", f.key, others.buf);
}

/* ---- resource and driver ---- */

static const struct {
	const char *vendor, *resource, *driver;
} vendors[] = {
	{ "NVIDIA", "nvidia.com/gpu", "gpu.nvidia.com" },
	{ "AMD", "amd.com/gpu", "gpu.amd.com" },
	{ "Intel", "gpu.intel.com/i915", "gpu.intel.com" },
	{ "Intel Habana", "habana.ai/gaudi", "gaudi.intel.com" },
	{ "AWS", "aws.amazon.com/neuron", NULL },
	{ "Google", "google.com/tpu", NULL },
	{ "Qualcomm", "qualcomm.com/qaic", NULL },
};

const char *ga_kube_resource(const struct ga_accel_type *type)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(vendors); i++)
		if (ga_streq(type->vendor, vendors[i].vendor))
			return vendors[i].resource;
	return NULL;
}

const char *ga_kube_driver(const struct ga_accel_type *type)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(vendors); i++)
		if (ga_streq(type->vendor, vendors[i].vendor))
			return vendors[i].driver;
	return NULL;
}

bool ga_kube_name_is_valid(const char *name)
{
	size_t n = strlen(name), i;

	if (!n || n > 253)
		return false;
	for (i = 0; i < n; i++) {
		bool edge = i == 0 || i == n - 1 || name[i - 1] == '.' || name[i + 1] == '.';
		char c = name[i];

		if ((c < 'a' || c > 'z') && (c < '0' || c > '9') &&
		    (edge || (c != '-' && c != '.')))
			return false;
	}
	return true;
}
