/* SPDX-License-Identifier: Apache-2.0 */
/* The first rungs of detection: PCI ids with subsystem and revision, then memory and compute
 * units. */
#include "catalog/internal.h"

#include <stdio.h>

/* An entry of a type that has the device id; the entries of one type are adjacent. */
struct found {
	const struct ga_accel_type *type;
	const struct ga_accel_pci *pci;
	bool settled;  /* its revision decides for it */
	bool excluded; /* its revision, or a known fact of the type, excludes it */
	bool open;     /* matches by the id alone, which does not decide */
};
struct founds {
	struct found *v;
	size_t n;
};

void ga_accel_release(struct ga_accel *a)
{
	free(a->name);
	free(a->part);
	ga_list_release(&a->may_be);
	*a = (struct ga_accel){ .match = GA_ACCEL_UNKNOWN };
}

static bool has_revision(const struct ga_accel_pci *p, int64_t revision)
{
	size_t i;

	for (i = 0; i < p->revisions.n; i++)
		if (strtol(p->revisions.v[i], NULL, 16) == revision)
			return true;
	return false;
}

static void add_entries(const struct ga_accel_type *type, const struct ga_accel_clue *c,
			struct founds *ret)
{
	size_t i;

	for (i = 0; i < type->pci.n; i++) {
		const struct ga_accel_pci *p = &type->pci.v[i];
		bool by_revision = p->revisions.n && c->revision >= 0;
		bool has = by_revision && has_revision(p, c->revision);

		if (strtoul(p->device_id, NULL, 16) == c->device)
			*ga_list_add(ret) = (struct found){
				.type = type,
				.pci = p,
				.settled = has,
				.excluded = by_revision && !has,
				.open = p->ambiguous && !by_revision,
			};
	}
}

/* A reference is for an entry, and a type may have several entries with one id. Adds each type
 * once. */
static void look_up(const struct ga_accels *list, const struct ga_accel_clue *c,
		    struct founds *ret)
{
	const struct ga_accel_lazy *lazy = ga_accels_refs(list);
	size_t i, j;

	for (i = 0; i < lazy->refs.n; i++) {
		const struct ga_accel_ref *r = &lazy->refs.v[i];
		const struct ga_accel_type *type;

		if (r->vendor != c->vendor || r->device != c->device)
			continue;
		type = ga_accels_at(list, r->entry);
		for (j = 0; j < ret->n && ret->v[j].type != type; j++)
			;
		if (j == ret->n)
			add_entries(type, c, ret);
	}
}

/* Leaves one entry for each type; the type stays if any of its entries stays. */
static void join_entries(struct founds *all)
{
	size_t i, n = 0;

	for (i = 0; i < all->n; i++) {
		struct found *f = &all->v[i], *last = n ? &all->v[n - 1] : NULL;

		if (!last || last->type != f->type) {
			all->v[n++] = *f;
			continue;
		}
		last->settled = last->settled || f->settled;
		last->excluded = last->excluded && f->excluded;
		last->open = last->open || f->open;
	}
	all->n = n;
}

static const struct ga_accel_board *board_of(const void *list, const char *id)
{
	const GA_LIST(struct ga_accel_board) *boards = list;
	size_t i;

	for (i = 0; i < boards->n; i++)
		if (ga_streq(boards->v[i].id, id))
			return &boards->v[i];
	return NULL;
}

static void know(struct ga_accel *ret, const struct ga_accel_type *type, const char *rung)
{
	ret->match = GA_ACCEL_KNOWN;
	ret->slug = type->slug;
	ret->name = ga_xstrdup(type->name);
	ret->rung = rung;
}

/* Whether the subsystem decides: a board of the type, a part of a board, or another product. */
static bool by_subsystem(const struct founds *all, const struct ga_accel_clue *c,
			 struct ga_accel *ret)
{
	const struct ga_accel_board *b;
	ga_autofree char *id = NULL;
	size_t i;

	if (c->sub_vendor < 0 || c->sub_device < 0)
		return false;
	id = ga_xprintf("%04llx:%04llx", (unsigned long long)c->sub_vendor,
			(unsigned long long)c->sub_device);
	for (i = 0; i < all->n; i++) {
		const struct ga_accel_pci *p = all->v[i].pci;

		if (board_of(&p->subsystems, id)) {
			know(ret, all->v[i].type, "subsystem");
			return true;
		}
		b = board_of(&p->vgpu_subsystems, id);
		if (b) {
			know(ret, all->v[i].type, "subsystem");
			ret->part = ga_xstrdup(b->name ? b->name : "vGPU");
			return true;
		}
		b = board_of(&p->other_subsystems, id);
		if (b) {
			ret->name = ga_xprintf("%s, no accelerator type (%04x:%04x)",
					       b->name ? b->name : "another product", c->vendor,
					       c->device);
			return true;
		}
	}
	return false;
}

bool ga_accel_memory_fits(const struct ga_accel_type *type, int64_t mib)
{
	int64_t gb = type->memory.gpu_gb, seen = type->memory.reported_mib;

	if (mib == GA_UNKNOWN || (gb == GA_UNKNOWN && seen == GA_UNKNOWN))
		return true;
	if (seen != GA_UNKNOWN && mib * 100 >= seen * 98 && mib * 100 <= seen * 102)
		return true;
	return gb != GA_UNKNOWN && mib * 100 >= gb * 1024 * 92 && mib * 100 <= gb * 1024 * 102;
}

/* Compares compute units for one GPU or for one card: some tools report those of a card of several
 * GPUs. */
static bool units_fit(const struct ga_accel_type *type, int64_t units)
{
	int64_t known = type->architecture.compute_units;

	if (units == GA_UNKNOWN || known == GA_UNKNOWN || units == known)
		return true;
	return ga_streq(type->figures_per, "card") && type->gpus_per_card > 1 &&
	       units * type->gpus_per_card == known;
}

static size_t drop(struct founds *all, const struct ga_accel_clue *c)
{
	size_t i, left = 0, fit = 0;

	for (i = 0; i < all->n; i++) {
		bool fits = ga_accel_memory_fits(all->v[i].type, c->memory_mib) &&
			    units_fit(all->v[i].type, c->compute_units);

		left += !all->v[i].excluded;
		fit += !all->v[i].excluded && fits;
	}
	/* Where no type fits, the figure excludes none. */
	for (i = 0; fit && fit < left && i < all->n; i++)
		if (!ga_accel_memory_fits(all->v[i].type, c->memory_mib) ||
		    !units_fit(all->v[i].type, c->compute_units))
			all->v[i].excluded = true;
	return fit ? fit : left;
}

static void either(const struct founds *all, const struct ga_accel_clue *c, struct ga_accel *ret)
{
	ga_autostr struct ga_str out = GA_STR_INIT;
	size_t i, n = 0;

	for (i = 0; i < all->n; i++) {
		if (all->v[i].excluded)
			continue;
		ga_str_addf(&out, "%s%s", n++ ? " or " : "", all->v[i].type->name);
		*ga_list_add(&ret->may_be) = all->v[i].type->slug;
	}
	ga_str_addf(&out, "%s (%04x:%04x)", n > 1 ? "" : " or another", c->vendor, c->device);
	ret->match = GA_ACCEL_AMBIGUOUS;
	ret->name = ga_str_take(&out);
}

static void by_device(struct founds *all, const struct ga_accel_clue *c, struct ga_accel *ret)
{
	const struct found *one = NULL;
	size_t i, left = 0, fit;
	bool open = false;

	join_entries(all);
	for (i = 0; i < all->n; i++)
		left += !all->v[i].excluded;
	fit = drop(all, c);
	for (i = 0; i < all->n; i++) {
		if (all->v[i].excluded)
			continue;
		open = open || (all->v[i].open && !all->v[i].settled);
		one = &all->v[i];
	}
	if (!one)
		return;
	if (fit > 1 || (left == 1 && open))
		either(all, c, ret);
	else
		know(ret, one->type, left > 1 ? "memory" : "pci");
}

void ga_accels_detect(const struct ga_accels *list, const struct ga_accel_clue *clue,
		      struct ga_accel *ret)
{
	struct founds all = { NULL, 0 };

	*ret = (struct ga_accel){ .match = GA_ACCEL_UNKNOWN, .rung = "none" };
	look_up(list, clue, &all);
	/* The system reports PF or VF. Where it does not, as in a guest, the id decides. */
	if (clue->is_virtual != GA_UNKNOWN)
		ret->function = clue->is_virtual ? "virtual" : "physical";
	else
		ret->function = all.n ? all.v[0].pci->function : NULL;
	if (!by_subsystem(&all, clue, ret))
		by_device(&all, clue, ret);
	if (!ret->name && all.n)
		ret->name = ga_xprintf("type unknown (%04x:%04x revision %02x)", clue->vendor,
				       clue->device, (unsigned int)clue->revision);
	else if (!ret->name)
		ret->name = ga_xprintf("type unknown (%04x:%04x)", clue->vendor, clue->device);
	ga_list_release(&all);
}

void ga_accels_find(const struct ga_accels *list, unsigned int vendor, unsigned int device,
		    int64_t sub_vendor, int64_t sub_device, struct ga_accel *ret)
{
	struct ga_accel_clue clue = { vendor,	  device,     sub_vendor, sub_device,
				      GA_UNKNOWN, GA_UNKNOWN, GA_UNKNOWN, GA_UNKNOWN };

	ga_accels_detect(list, &clue, ret);
}
