/* SPDX-License-Identifier: Apache-2.0 */
/* PCI devices in the labels of Node Feature Discovery. */
#include "exchange/kube/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/texts.h"

#define SAID_MOST 64

/* Reads numbers of four hexadecimal digits, separated by "_" and followed by ".present". Returns
 * how many; 0: another form. */
static size_t numbers_of(const char *text, unsigned int ret[3])
{
	size_t n = 0;

	for (; n < 3; text += 5) {
		if (strspn(text, "0123456789abcdef") != 4)
			return 0;
		ret[n++] = (unsigned int)strtoul(text, NULL, 16);
		if (text[4] != '_')
			return strcmp(text + 4, ".present") ? 0 : n;
	}
	return 0;
}

/* Display and processing controllers, and coprocessors: NFD's own list. */
static bool is_accelerator(unsigned int class)
{
	return class >> 8 == 0x03 || class >> 8 == 0x12 || class == 0x0b40;
}

/* Whether a device may be an accelerator that the catalogue does not have. AMD's display
 * controllers are not: they are the graphics of processors. */
static bool may_be_new(const struct ga_kube_pci *pci)
{
	return pci->vendor == 0x10de || pci->vendor == 0x1da3 ||
	       (pci->vendor == 0x1002 && pci->class != 0x0300);
}

bool ga_kube_pci_label(const struct ga_accels *list, const struct ga_kube_node *node,
		       const char *key, struct ga_kube_pci *ret)
{
	static const char prefix[] = "feature.node.kubernetes.io/pci-";
	unsigned int number[3];
	size_t n = ga_starts(key, prefix) ? numbers_of(key + sizeof(prefix) - 1, number) : 0;

	if (!n || !ga_streq(ga_kube_label(node, key), "true"))
		return false;
	*ret = (struct ga_kube_pci){ GA_UNKNOWN, number[n > 1], GA_UNKNOWN };
	if (n > 1)
		ret->class = number[0];
	if (n > 2)
		ret->device = number[2];
	return (n > 2 && ga_accels_has(list, number[1], number[2])) ||
	       ((n == 1 || is_accelerator(number[0])) && may_be_new(ret));
}

static void find(const struct ga_accels *list, const struct ga_kube_pci *pci, struct ga_accel *ret)
{
	*ret = (struct ga_accel){ .match = GA_ACCEL_UNKNOWN };
	if (pci->device != GA_UNKNOWN)
		ga_accels_find(list, pci->vendor, (unsigned int)pci->device, GA_UNKNOWN,
			       GA_UNKNOWN, ret);
}

static const char *const *types_of(const struct ga_accel *a, size_t *n)
{
	*n = a->slug ? 1 : a->may_be.n;
	return a->slug ? &a->slug : a->may_be.v;
}

/* The types of all devices. unknown: a device is not in the catalogue, so any type is possible. */
struct seen {
	struct ga_borrowed_texts types;
	struct ga_str said;
	bool unknown;
};

static void add_seen(struct seen *s, const struct ga_accels *list, const struct ga_kube_pci *pci)
{
	ga_autoaccel struct ga_accel a;
	const char *const *types;
	size_t n, i, j;

	find(list, pci, &a);
	types = types_of(&a, &n);
	s->unknown = s->unknown || !n;
	if (s->said.len < SAID_MOST)
		ga_str_addf(&s->said, "%s%04x:%04x", s->said.len ? ", " : "", pci->vendor,
			    (unsigned int)pci->device);
	for (i = 0; i < n; i++) {
		for (j = 0; j < s->types.n && strcmp(s->types.v[j], types[i]) != 0; j++)
			;
		if (j == s->types.n)
			*ga_list_add(&s->types) = types[i];
	}
}

void ga_kube_nfd(struct ga_census *g, const struct ga_kube_node *node, unsigned int vendor,
		 size_t first)
{
	struct seen s = { .said = GA_STR_INIT };
	struct ga_kube_pci pci;
	const char *key;
	json_t *ignored;
	size_t i;

	if (first == g->view->types.n)
		return;
	*ga_list_add(&g->vendors) = vendor;
	json_object_foreach(node->labels, key, ignored)
		if (ga_kube_pci_label(g->list, node, key, &pci) && pci.vendor == vendor &&
		    pci.device != GA_UNKNOWN)
			add_seen(&s, g->list, &pci);
	for (i = first; s.said.len && i < g->view->types.n; i++)
		ga_type_said(&g->view->types.v[i], "pci", s.said.buf, s.types.v,
			     s.unknown ? 0 : s.types.n);
	ga_list_release(&s.types);
	ga_str_release(&s.said);
}

/* Devices with an element already. */
struct listed {
	GA_LIST(struct ga_kube_pci) pci;
};

/* Labels of one device may have its id or not, and may have several classes. */
static bool is_listed(const struct listed *t, const struct ga_kube_pci *pci)
{
	size_t i;

	for (i = 0; i < t->pci.n; i++)
		if (t->pci.v[i].vendor == pci->vendor &&
		    (pci->device == GA_UNKNOWN || t->pci.v[i].device == pci->device))
			return true;
	return false;
}

static bool is_offered(const struct ga_census *g, const struct ga_kube_pci *pci)
{
	size_t i;

	for (i = 0; i < g->vendors.n; i++)
		if (g->vendors.v[i] == pci->vendor)
			return true;
	return false;
}

static void tell_unoffered(struct ga_census *g, const struct ga_kube_node *node, bool with_id,
			   struct listed *listed)
{
	struct ga_kube_pci pci;
	const char *key;
	json_t *ignored;

	json_object_foreach(node->labels, key, ignored) {
		ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };
		ga_autofree char *said = NULL;
		const char *const *types;
		size_t n;

		if (!ga_kube_pci_label(g->list, node, key, &pci) || is_offered(g, &pci) ||
		    (pci.device != GA_UNKNOWN) != with_id || is_listed(listed, &pci))
			continue;
		if (ga_census_is_full(g))
			return;
		*ga_list_add(&listed->pci) = pci;
		said = pci.device == GA_UNKNOWN ?
				ga_xprintf("%04x", pci.vendor) :
				ga_xprintf("%04x:%04x", pci.vendor, (unsigned int)pci.device);
		find(g->list, &pci, &a);
		types = types_of(&a, &n);
		ga_type_said(ga_census_add(g, GA_UNKNOWN, GA_UNKNOWN), "pci", said, types, n);
		ga_view_warn(g->view, "driver_missing",
			     "a device %s is there, and nothing on the node offers it", said);
	}
}

void ga_kube_nfd_unoffered(struct ga_census *g, const struct ga_kube_node *node)
{
	struct listed listed = { { NULL, 0 } };

	tell_unoffered(g, node, true, &listed);
	tell_unoffered(g, node, false, &listed);
	ga_list_release(&listed.pci);
}
