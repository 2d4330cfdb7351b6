/* SPDX-License-Identifier: Apache-2.0 */
/* Labels that hold PCI ids, and AMD's, which have values in their keys. */
#include "exchange/kube/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "exchange/kube/nfd.h"

static void tell_id(struct ga_label_telling *t, struct ga_label_told *w, unsigned int vendor,
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
	ga_label_tell(t, w, a.match == GA_ACCEL_UNKNOWN ?
				    "no type of the catalogue has the PCI id %04x:%04x" :
			    a.slug ? "the PCI id %04x:%04x means one type" :
				     "the PCI id %04x:%04x leaves the type open",
		      vendor, device);
}

/* The count of devices that a label holds; told where it is none. */
static bool is_count(struct ga_label_telling *t, struct ga_label_told *w)
{
	int64_t n;

	if (ga_kube_number(t->node->labels, w->label, &n) >= 0)
		return true;
	w->severity = "error";
	w->code = "number_malformed";
	ga_label_tell(t, w, "it is no whole number of devices");
	return false;
}

static void check_amd_value(struct ga_label_telling *t, struct ga_label_told *w,
			    const struct ga_kube_amd_label *l)
{
	if (l->kind == GA_KUBE_AMD_PRODUCT) {
		ga_label_name(t, w, GA_NAME_AMD, l->value);
	} else if (l->kind == GA_KUBE_AMD_DEVICE && ga_kube_amd_is_id(l->value)) {
		tell_id(t, w, 0x1002, (unsigned int)strtoul(l->value, NULL, 16));
	} else if (l->kind == GA_KUBE_AMD_VRAM && ga_kube_amd_vram(l->value) != GA_UNKNOWN) {
		w->severity = "info";
		w->code = "present";
		ga_label_tell(t, w, "the memory of one GPU");
	} else {
		w->severity = "error";
		w->code = "number_malformed";
		ga_label_tell(t, w, "'%.64s' is not as AMD's labeller writes it: %s", l->value,
			      l->kind == GA_KUBE_AMD_VRAM ? "192G" : "74a1");
	}
}

/* A product that is no part of the key is told with those of the other makers. */
static void check_amd(struct ga_label_telling *t, const char *key)
{
	struct ga_label_told w = { .label = key, .value = ga_kube_label(t->node, key) };
	struct ga_kube_amd_label l;

	if (!ga_kube_amd_label(t->node, key, &l) ||
	    (l.kind == GA_KUBE_AMD_PRODUCT && !l.counted))
		return;
	if (!l.counted || is_count(t, &w))
		check_amd_value(t, &w, &l);
}

static void check_intel(struct ga_label_telling *t, const char *key)
{
	struct ga_label_told w = { .label = key, .value = ga_kube_label(t->node, key) };
	ga_autofree char *count = NULL;
	unsigned int device;

	if (!ga_kube_intel_label(key, &device, &count))
		return;
	tell_id(t, &w, 0x8086, device);
	w = (struct ga_label_told){ .label = count, .value = ga_kube_label(t->node, count) };
	(void)is_count(t, &w);
}

static void check_nfd(struct ga_label_telling *t, const char *key)
{
	struct ga_label_told w = { .label = key, .value = ga_kube_label(t->node, key) };
	struct ga_kube_pci pci;

	if (ga_kube_pci_label(t->list, t->node, key, &pci) && pci.device != GA_UNKNOWN)
		tell_id(t, &w, pci.vendor, (unsigned int)pci.device);
}

void ga_label_ids(struct ga_label_telling *t)
{
	const char *key;
	json_t *ignored;

	json_object_foreach(t->node->labels, key, ignored) {
		check_amd(t, key);
		check_intel(t, key);
		check_nfd(t, key);
	}
}
