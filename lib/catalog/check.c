/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The consistency check of the catalogue: each name means one thing, sizes agree, each fact has a
 * source and each source has a fact.
 */
#include "base/texts.h"
#include "catalog/internal.h"
#include "catalog/name.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* How far a source may be trusted (gpuaas-accelerators(7)). */
static const char *const trust_words[] = { "vendor",	"vendor-coauthored",
					   "registry",	"secondary, vendor-linked",
					   "secondary", "consumer",
					   "weak",	"observed",
					   NULL };

/* Labels that several types really share (gpuaas-accelerators(7)). */
static const char *const shared_labels[] = { "NVIDIA-H100", NULL };

struct check {
	const struct ga_accels *list;
	int (*each)(const char *object, const char *check, const char *sentence, void *arg);
	void *arg;
	int found;
};

static void tell(struct check *c, const char *object, const char *check, const char *fmt, ...)
	GA_PRINTF(4, 5);

static void tell(struct check *c, const char *object, const char *check, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (c->found >= 0)
		c->found = c->each(object, check, buf, c->arg) < 0 ? -1 : c->found + 1;
}

static bool is_in(const char *const *list, const char *text)
{
	for (; *list; list++)
		if (!strcmp(*list, text))
			return true;
	return false;
}

/* ---- facts and sources ---- */

static void fact(struct check *c, const char *slug, const char *what, bool known,
		 const struct ga_texts *sources)
{
	const struct ga_accel_rest *rest = ga_accels_rest(c->list);
	size_t i, j;

	if (known && !sources->n)
		tell(c, slug, "no_source", "%s is known, and has no source", what);
	if (!known && sources->n)
		tell(c, slug, "no_fact", "%s has a source (%s) and is not known", what,
		     sources->v[0]);
	for (i = 0; i < sources->n; i++) {
		for (j = 0; j < rest->sources.n; j++)
			if (!strcmp(rest->sources.v[j].name, sources->v[i]))
				break;
		if (j == rest->sources.n)
			tell(c, slug, "unknown_source", "%s comes from '%s', which is described "
			     "nowhere", what, sources->v[i]);
	}
}

#define HAS(n) ((n) != GA_UNKNOWN)

static void check_facts(struct check *c, const struct ga_accel_type *t)
{
	const struct ga_accel_memory *m = &t->memory;
	const struct ga_accel_dense *d = &t->dense;
	const struct ga_accel_parts *p = &t->partitioning;

	fact(c, t->slug, "the PCI ids", t->pci.n > 0, &t->pci_sources);
	fact(c, t->slug, "the size of the memory", HAS(m->nominal_gb), &m->size_sources);
	fact(c, t->slug, "the bandwidth", HAS(m->bandwidth_mb_s), &m->bandwidth_sources);
	fact(c, t->slug, "the reported memory", HAS(m->reported_mib), &m->reported_sources);
	if (m->type && !m->size_sources.n && !m->bandwidth_sources.n)
		tell(c, t->slug, "no_source", "the kind of memory is known, and has no source");
	fact(c, t->slug, "the architecture",
	     t->architecture.name || t->architecture.compute_capability, &t->architecture.sources);
	fact(c, t->slug, "the speed",
	     HAS(d->fp64_gflops) || HAS(d->fp32_gflops) || HAS(d->tf32_gflops) ||
		     HAS(d->fp16_gflops) || HAS(d->bf16_gflops) || HAS(d->fp8_gflops) ||
		     HAS(d->int8_gflops) || HAS(d->fp4_gflops),
	     &d->sources);
	fact(c, t->slug, "the measured speed", HAS(t->measured_matmul.bf16_gflops),
	     &t->measured_matmul.sources);
	fact(c, t->slug, "the link",
	     t->interconnect.kind || HAS(t->interconnect.gb_s_bidirectional),
	     &t->interconnect.sources);
	fact(c, t->slug, "the power", HAS(t->power.tdp_w), &t->power.sources);
	fact(c, t->slug, "how it divides",
	     HAS(p->mig) || HAS(p->vgpu) || HAS(p->vgpu_sriov) || HAS(p->mig_max_instances) ||
		     p->mig_balanced_profiles.n || p->compute_modes.n,
	     &p->sources);
}

/* ---- sizes ---- */

/* The number of "…-141gb", or GA_UNKNOWN. */
static int64_t suffix_of(const char *slug)
{
	const char *dash = strrchr(slug, '-');
	char *end = NULL;
	int64_t n;

	if (!dash || !isdigit((unsigned char)dash[1]))
		return GA_UNKNOWN;
	n = strtol(dash + 1, &end, 10);
	return strcmp(end, "gb") ? GA_UNKNOWN : n;
}

static void check_sizes(struct check *c, const struct ga_accel_type *t)
{
	const struct ga_accel_memory *m = &t->memory;
	int64_t suffix = suffix_of(t->slug), cards;

	if (HAS(suffix) && HAS(m->nominal_gb) && suffix != m->nominal_gb)
		tell(c, t->slug, "suffix", "its name says %lld GB, its memory is %lld GB",
		     (long long)suffix, (long long)m->nominal_gb);
	if (HAS(m->nominal_gb) && !HAS(m->gpu_gb))
		tell(c, t->slug, "gpu_memory", "the memory of one GPU is missing");
	cards = ga_streq(t->figures_per, "card") && HAS(t->gpus_per_card) ? t->gpus_per_card : 1;
	if (HAS(m->nominal_gb) && HAS(m->gpu_gb) && m->gpu_gb * cards != m->nominal_gb)
		tell(c, t->slug, "gpu_memory", "%lld GPUs of %lld GB are not %lld GB",
		     (long long)cards, (long long)m->gpu_gb, (long long)m->nominal_gb);
	if (!HAS(m->gpu_gb) || !HAS(m->reported_mib))
		return;
	if (m->reported_mib * 100 < m->gpu_gb * 1024 * 92 ||
	    m->reported_mib * 100 > m->gpu_gb * 1024 * 102)
		tell(c, t->slug, "memory_ratio", "%lld MiB reported are not within 0.92 .. 1.02 of "
		     "%lld GB", (long long)m->reported_mib, (long long)m->gpu_gb);
}

/* ---- names ---- */

static void check_name(struct check *c, const struct ga_accel_type *t, const char *name,
		       enum ga_name_family family, bool may_share)
{
	ga_autonamed struct ga_accel_named n = { 0 };
	size_t i;
	bool own = false;

	ga_accels_named(c->list, family, name, &n);
	for (i = 0; i < n.types.n; i++)
		own = own || !strcmp(n.types.v[i], t->slug);
	if (!own)
		tell(c, t->slug, "name", "'%s' does not mean it", name);
	if (n.types.n > 1 && !may_share)
		tell(c, t->slug, "name", "'%s' also means '%s'", name,
		     strcmp(n.types.v[0], t->slug) ? n.types.v[0] : n.types.v[1]);
}

static void check_names(struct check *c, const struct ga_accel_type *t,
			const struct ga_texts *names, enum ga_name_family family)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		check_name(c, t, names->v[i], family, is_in(shared_labels, names->v[i]));
}

/* A revision that both entries have; "" when both are for all revisions; NULL: none. */
static const char *same_revision(const struct ga_accel_pci *a, const struct ga_accel_pci *b)
{
	size_t i, j;

	if (!a->revisions.n && !b->revisions.n)
		return "";
	for (i = 0; i < a->revisions.n; i++)
		for (j = 0; j < b->revisions.n; j++)
			if (strtol(a->revisions.v[i], NULL, 16) ==
			    strtol(b->revisions.v[j], NULL, 16))
				return a->revisions.v[i];
	return NULL;
}

/* Each id, with its revision, is in one place of the catalogue. */
static void check_ids(struct check *c, const struct ga_accel_type *t)
{
	const char *revision;
	size_t i, j;

	for (i = 0; i < t->pci.n; i++)
		for (j = 0; j < i; j++) {
			const struct ga_accel_pci *a = &t->pci.v[i], *b = &t->pci.v[j];

			revision = strcmp(a->device_id, b->device_id) ? NULL : same_revision(a, b);
			if (revision)
				tell(c, t->slug, "pci", "%s:%s%s%s is there twice",
				     t->vendor_id ? t->vendor_id : "?", a->device_id,
				     *revision ? " revision " : "", revision);
		}
}

/* An id that is not marked as shared belongs to one type only: otherwise each GPU with the id would
 * be ambiguous. For an entry with revisions this holds for each revision. */
static void check_id(struct check *c, const struct ga_accel_type *t, const struct ga_accel_pci *p,
		     int64_t revision)
{
	ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };
	struct ga_accel_clue clue = {
		(unsigned int)strtoul(t->vendor_id, NULL, 16),
		(unsigned int)strtoul(p->device_id, NULL, 16),
		GA_UNKNOWN, GA_UNKNOWN, revision, GA_UNKNOWN, GA_UNKNOWN, GA_UNKNOWN };

	ga_accels_detect(c->list, &clue, &a);
	if (!ga_streq(a.slug, t->slug))
		tell(c, t->slug, "pci", "%s:%s means others too, and is not marked ambiguous: %s",
		     t->vendor_id, p->device_id, a.name);
}

static void check_golden(struct check *c, const struct ga_accel_type *t)
{
	size_t i, j;

	for (i = 0; t->vendor_id && i < t->pci.n; i++) {
		const struct ga_accel_pci *p = &t->pci.v[i];

		if (p->ambiguous)
			continue;
		if (!p->revisions.n)
			check_id(c, t, p, GA_UNKNOWN);
		for (j = 0; j < p->revisions.n; j++)
			check_id(c, t, p, strtol(p->revisions.v[j], NULL, 16));
	}
}

/* An alias means one type, unless it is the bare name of a product: that means all its forms. */
static void check_aliases(struct check *c, const struct ga_accel_type *t)
{
	ga_autofree char *bare = ga_accel_short_name(t);
	size_t i;

	for (i = 0; i < t->aliases.n; i++)
		check_name(c, t, t->aliases.v[i], GA_NAME_PEOPLE,
			   !strcasecmp(t->aliases.v[i], bare));
}

/* The subsystem of a board decides on one type. */
static void check_boards(struct check *c, const struct ga_accel_type *t)
{
	size_t i, j;

	for (i = 0; t->vendor_id && i < t->pci.n; i++) {
		const struct ga_accel_pci *p = &t->pci.v[i];

		for (j = 0; j < p->subsystems.n; j++) {
			ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };
			const char *id = p->subsystems.v[j].id;

			ga_accels_find(c->list, (unsigned int)strtoul(t->vendor_id, NULL, 16),
				       (unsigned int)strtoul(p->device_id, NULL, 16),
				       strtol(id, NULL, 16), strtol(id + 5, NULL, 16), &a);
			if (!ga_streq(a.slug, t->slug))
				tell(c, t->slug, "subsystem", "%s:%s with subsystem %s is '%s'",
				     t->vendor_id, p->device_id, id,
				     a.slug ? a.slug : "unknown");
		}
	}
}

static void check_types(struct check *c, const char *object, const struct ga_texts *types)
{
	size_t i;

	if (!types->n)
		tell(c, object, "no_type", "it means no type");
	for (i = 0; i < types->n; i++)
		if (!ga_accels_type(c->list, types->v[i]))
			tell(c, object, "no_type", "there is no type '%s'", types->v[i]);
}

static void check_rest(struct check *c)
{
	const struct ga_accel_rest *r = ga_accels_rest(c->list);
	size_t i, j;

	for (i = 0; i < r->sources.n; i++)
		if (!is_in(trust_words, r->sources.v[i].trust))
			tell(c, r->sources.v[i].name, "trust", "'%s' is no level of trust",
			     r->sources.v[i].trust);
	for (i = 0; i < r->groups.n; i++) {
		check_types(c, r->groups.v[i].name, &r->groups.v[i].types);
		if (ga_accels_type(c->list, r->groups.v[i].name))
			tell(c, r->groups.v[i].name, "name", "a type has the name of the group");
		for (j = 0; j < i; j++)
			if (!strcasecmp(r->groups.v[j].name, r->groups.v[i].name))
				tell(c, r->groups.v[i].name, "name", "two groups have the name");
	}
	for (i = 0; i < r->instances.n; i++) {
		const struct ga_accel_instance *one = &r->instances.v[i];

		check_types(c, one->name, &one->types);
		fact(c, one->name, "the machine", true, &one->sources);
		if (ga_accels_instance(c->list, one->name) != one)
			tell(c, one->name, "name", "two machines have the name");
	}
	for (i = 0; i < r->platform_labels.n; i++) {
		const struct ga_accel_platform_label *one = &r->platform_labels.v[i];

		check_types(c, one->value, &one->types);
		fact(c, one->value, "the label", true, &one->sources);
		if (ga_accels_platform_label(c->list, one->key, one->value) != one)
			tell(c, one->value, "name", "the label is there twice");
	}
}

int ga_accels_check(const struct ga_accels *list,
		    int (*each)(const char *object, const char *check, const char *sentence,
				void *arg),
		    void *arg)
{
	struct check c = { .list = list, .each = each, .arg = arg };
	size_t i;

	for (i = 0; i < ga_accels_count(list) && c.found >= 0; i++) {
		const struct ga_accel_type *t = ga_accels_at(list, i);

		check_facts(&c, t);
		check_sizes(&c, t);
		check_name(&c, t, t->slug, GA_NAME_PEOPLE, false);
		check_aliases(&c, t);
		check_names(&c, t, &t->labels.nvidia_product, GA_NAME_NVIDIA);
		check_names(&c, t, &t->labels.amd_product_name, GA_NAME_AMD);
		check_names(&c, t, &t->labels.intel_product, GA_NAME_INTEL);
		check_ids(&c, t);
		check_golden(&c, t);
		check_boards(&c, t);
	}
	check_rest(&c);
	return c.found;
}
