/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a host's tuning, and its comparison with another one. */
#include "decide/setup/tuning.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/str.h"

int64_t ga_tuning_left(const struct ga_setup_plan *plan)
{
	int64_t left = 0;
	size_t i, k;

	for (i = 0; i < plan->n; i++)
		left += !ga_streq(plan->v[i].say.state, "ok");
	for (i = 0; i < plan->blockers.n; i++) {
		for (k = 0; k < plan->n; k++)
			if (ga_streq(plan->v[k].say.state, "blocked") &&
			    ga_streq(plan->v[k].say.subject, plan->blockers.v[i].subject))
				break;
		left += k == plan->n;
	}
	return left;
}

/* ---- settings ---- */

/* ok: tristate. Takes over none of the texts. */
static void add(struct ga_tuning *t, const char *name, const char *value, const char *wanted,
		int64_t ok)
{
	struct ga_tuning_setting *s = ga_list_add(&t->settings);

	s->name = ga_xstrdup(name);
	s->value = ga_strdup0(value);
	s->wanted = ga_strdup0(wanted);
	s->ok = wanted ? ok : GA_UNKNOWN;
}

static void add_arguments(const struct ga_setup_facts *f, struct ga_tuning *t)
{
	ga_autostr struct ga_str words = GA_STR_INIT, has = GA_STR_INIT;
	const char *p;

	ga_setup_arguments(f, &words);
	for (p = words.buf; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (ga_setup_has_word(f->cmdline, p, n))
			ga_str_addf(&has, "%s%.*s", has.len ? " " : "", (int)n, p);
		p += n;
	}
	add(t, "kernel arguments", has.len ? has.buf : NULL, words.buf,
	    ga_streq(has.buf, words.buf));
}

static void add_bound(const struct ga_setup_facts *f, struct ga_tuning *t)
{
	ga_autofree char *value = NULL, *wanted = NULL;
	size_t i, n = 0, bound = 0;

	for (i = 0; i < f->devs.n; i++) {
		n += !f->devs.v[i].code;
		bound += !f->devs.v[i].code && ga_streq(f->devs.v[i].driver, "vfio-pci");
	}
	value = ga_xprintf("%zu", bound);
	wanted = ga_xprintf("%zu", n);
	add(t, "devices bound to vfio-pci", value, wanted, bound == n);
}

void ga_tuning_settings(const struct ga_setup_facts *f, struct ga_tuning *t)
{
	ga_autofree char *groups = ga_xprintf("%" PRId64, f->iommu_groups);
	size_t i;

	add_arguments(f, t);
	add(t, "IOMMU groups", groups, "1 or more", f->iommu_groups > 0);
	for (i = 0; i < f->modules.n; i++) {
		ga_autofree char *name = ga_xprintf("module %s", f->modules.v[i].key);

		add(t, name, f->modules.v[i].value, "loaded", f->modules.v[i].value != NULL);
	}
	add_bound(f, t);
	for (i = 0; i < f->pages.n; i++) {
		ga_autofree char *name = ga_xprintf("hugepages of %" PRId64 " KiB",
						    f->pages.v[i].size_kib);
		ga_autofree char *count = ga_xprintf("%" PRId64, f->pages.v[i].count);

		add(t, name, count, NULL, GA_UNKNOWN);
	}
	add(t, "transparent hugepages", f->thp, NULL, GA_UNKNOWN);
	add(t, "CPU governor", f->governor, NULL, GA_UNKNOWN);
	if (f->tuned)
		add(t, "tuned profile", f->tuned_profile, "gpuaas-slice",
		    ga_streq(f->tuned_profile, "gpuaas-slice"));
	for (i = 0; ga_setup_sysctls[i].key; i++) {
		const struct ga_setup_setting *w = &ga_setup_sysctls[i];
		const char *now = NULL;
		size_t k;

		for (k = 0; k < f->sysctls.n; k++)
			if (ga_streq(f->sysctls.v[k].key, w->key))
				now = f->sysctls.v[k].value;
		/* A kernel without the setting needs no change. */
		add(t, w->key, now, now ? w->value : NULL,
		    now && ga_setup_same_value(now, w->value));
	}
}

/* ---- rates ---- */

/* Whole numbers: a rate is compared without dividing. */
static int by_rate(const void *a, const void *b)
{
	const struct ga_tuning_run *x = a, *y = b;
	__int128 left = (__int128)x->bytes * y->micros, right = (__int128)y->bytes * x->micros;

	return (left > right) - (left < right);
}

void ga_tuning_median(struct ga_tuning_run *runs, size_t n, struct ga_tuning_measure *m)
{
	const struct ga_tuning_run *r;

	qsort(runs, n, sizeof(*runs), by_rate);
	r = &runs[(n - 1) / 2];
	m->bytes = r->bytes;
	m->micros = r->micros;
	m->mib_s_tenths = (int64_t)((__int128)r->bytes * 10000000 / ((__int128)r->micros << 20));
	m->runs = (int64_t)n;
}

/* ---- the comparison ---- */

void ga_tuning_rows_release(struct ga_tuning_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->n; i++) {
		free(rows->v[i].name);
		free(rows->v[i].untuned);
		free(rows->v[i].tuned);
		free(rows->v[i].difference);
	}
	ga_list_release(rows);
}

static char *rate(const struct ga_tuning_measure *m)
{
	if (!m)
		return ga_xstrdup("-");
	if (m->mib_s_tenths == GA_UNKNOWN)
		return ga_xstrdup("not measured");
	return ga_xprintf("%" PRId64 ".%" PRId64, m->mib_s_tenths / 10, m->mib_s_tenths % 10);
}

static char *rate_difference(const struct ga_tuning_measure *u, const struct ga_tuning_measure *t)
{
	int64_t tenths;

	if (!u || !t || t->mib_s_tenths == GA_UNKNOWN || u->mib_s_tenths == GA_UNKNOWN ||
	    u->mib_s_tenths == 0)
		return ga_xstrdup("");
	if (!ga_streq(u->target, t->target))
		return ga_xstrdup("other target");
	tenths = (int64_t)((__int128)(t->mib_s_tenths - u->mib_s_tenths) * 1000 /
			   u->mib_s_tenths);
	return ga_xprintf("%c%" PRId64 ".%" PRId64 " %%", tenths < 0 ? '-' : '+',
			  (tenths < 0 ? -tenths : tenths) / 10,
			  (tenths < 0 ? -tenths : tenths) % 10);
}

static const struct ga_tuning_measure *measure(const struct ga_tuning *t, const char *name)
{
	size_t i;

	for (i = 0; t && i < t->measured.n; i++)
		if (ga_streq(t->measured.v[i].name, name))
			return &t->measured.v[i];
	return NULL;
}

static const struct ga_tuning_setting *setting(const struct ga_tuning *t, const char *name)
{
	size_t i;

	for (i = 0; t && i < t->settings.n; i++)
		if (ga_streq(t->settings.v[i].name, name))
			return &t->settings.v[i];
	return NULL;
}

static char *value(const struct ga_tuning_setting *s)
{
	return !s ? ga_xstrdup("-") : ga_xstrdup(s->value ? s->value : "none");
}

/* Adds the lines for what of has; other is the other record, or NULL. first: of is the untuned
 * one. Without first, adds only lines that other does not have. */
static void add_rows(const struct ga_tuning *of, const struct ga_tuning *other, bool first,
		     struct ga_tuning_rows *ret)
{
	size_t i;

	for (i = 0; of && i < of->measured.n; i++) {
		const struct ga_tuning_measure *m = &of->measured.v[i];
		const struct ga_tuning_measure *o = measure(other, m->name);
		struct ga_tuning_row *row = !first && o ? NULL : ga_list_add(ret);

		if (!row)
			continue;
		row->name = ga_xprintf("%s MiB/s", m->name);
		row->untuned = rate(first ? m : o);
		row->tuned = rate(first ? o : m);
		row->difference = rate_difference(first ? m : o, first ? o : m);
	}
	for (i = 0; of && i < of->settings.n; i++) {
		const struct ga_tuning_setting *s = &of->settings.v[i];
		const struct ga_tuning_setting *o = setting(other, s->name);
		struct ga_tuning_row *row = !first && o ? NULL : ga_list_add(ret);
		bool same = !o || (!s->value && !o->value) ||
			    (s->value && o->value && ga_setup_same_value(s->value, o->value));

		if (!row)
			continue;
		row->name = ga_xstrdup(s->name);
		row->untuned = value(first ? s : o);
		row->tuned = value(first ? o : s);
		row->difference = ga_xstrdup(same ? "" : "changed");
	}
}

void ga_tuning_compare(const struct ga_tuning *untuned, const struct ga_tuning *tuned,
		       struct ga_tuning_rows *ret)
{
	*ret = (struct ga_tuning_rows){ 0 };
	add_rows(untuned, tuned, true, ret);
	add_rows(tuned, untuned, false, ret);
}
