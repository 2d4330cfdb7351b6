/* SPDX-License-Identifier: Apache-2.0 */
/* Weighs evidence. */
#include "catalog/weigh.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/texts.h"
#include "catalog/name.h"

/* Labels come from other machines: replaces characters that a terminal would obey by '?'. */
static char *plain(const char *text)
{
	char *copy = ga_xstrdup(*text ? text : "(empty)"), *p;

	for (p = copy; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	return copy;
}

struct ga_type_evidence *ga_type_said(struct ga_node_type *t, const char *source,
					 const char *said, const char *const *types, size_t n)
{
	struct ga_type_evidence *e = ga_list_add(&t->evidence);
	size_t i;

	e->source = ga_xstrdup(source);
	e->said = plain(said);
	for (i = 0; i < n; i++)
		ga_texts_add(&e->types, types[i]);
	return e;
}

struct ga_node_type *ga_view_add(struct ga_node_view *v, int64_t count)
{
	struct ga_node_type *t = ga_list_add(&v->types);

	t->count = count;
	t->memory_gb = GA_UNKNOWN;
	return t;
}

void ga_view_warn(struct ga_node_view *v, const char *code, const char *fmt, ...)
{
	ga_autofree char *sentence = NULL;
	struct ga_view_warning *w;
	char buf[768];
	va_list ap;
	size_t i;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	sentence = plain(buf);
	for (i = 0; i < v->warnings.n; i++)
		if (!strcmp(v->warnings.v[i].code, code) &&
		    !strcmp(v->warnings.v[i].sentence, sentence))
			return;
	w = ga_list_add(&v->warnings);
	w->code = ga_xstrdup(code);
	w->sentence = GA_TAKE(sentence);
}

char *ga_unknown_name(const char *raw)
{
	return ga_xprintf("GPU - type unknown (%s)", raw);
}

/* ---- one answer ---- */

/* A set of slugs, borrowed from the catalogue or from evidence. */
struct set {
	const char **v;
	size_t n;
};

static int rank_of(const char *source)
{
	static const char *const order[] = { "resource", "instance", "label",
					     "manual",	 "override", "pci" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(order); i++)
		if (!strcmp(order[i], source))
			return (int)i;
	return -1;
}

static bool set_has(const struct set *s, const char *slug)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (!strcmp(s->v[i], slug))
			return true;
	return false;
}

/* Those types of the evidence that the catalogue has. */
static void set_of(const struct ga_accels *list, const struct ga_type_evidence *e,
		   struct set *ret)
{
	size_t i;

	for (i = 0; i < e->types.n; i++)
		if (ga_accels_type(list, e->types.v[i]))
			*ga_list_add(ret) = e->types.v[i];
}

/* Leaves the types that both sets have. Returns false, and changes nothing, when they share
 * none. */
static bool narrow(struct set *s, const struct set *by)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		n += set_has(by, s->v[i]);
	if (!n)
		return false;
	for (i = n = 0; i < s->n; i++)
		if (set_has(by, s->v[i]))
			s->v[n++] = s->v[i];
	s->n = n;
	return true;
}

/* The next evidence that counts, the best rank first; within a rank, in the order of arrival. */
static const struct ga_type_evidence *next_best(const struct ga_node_type *t, int *rank,
						size_t *after)
{
	for (; *rank >= 0; --*rank, *after = 0)
		for (; *after < t->evidence.n; ++*after) {
			const struct ga_type_evidence *e = &t->evidence.v[*after];

			if (rank_of(e->source) == *rank && e->types.n) {
				++*after;
				return e;
			}
		}
	return NULL;
}

static void settle_by_memory(const struct ga_accels *list, struct ga_node_view *v,
			     struct ga_node_type *t, struct set *s, int64_t mib)
{
	struct set fit = { NULL, 0 };
	size_t i;

	for (i = 0; i < s->n; i++)
		if (ga_accel_memory_fits(ga_accels_type(list, s->v[i]), mib))
			*ga_list_add(&fit) = s->v[i];
	if (s->n && !fit.n)
		ga_view_warn(v, "memory_ratio", "%lld MiB of memory do not fit '%s'",
			     (long long)mib, s->v[0]);
	else if (fit.n < s->n && narrow(s, &fit) && s->n == 1) {
		free(t->rung);
		t->rung = ga_xstrdup("memory");
	}
	ga_list_release(&fit);
}

static const char *rung_of(const struct ga_type_evidence *e)
{
	if (!strcmp(e->source, "pci"))
		return strstr(e->said, "/") ? "subsystem" : "pci";
	if (!strcmp(e->source, "override"))
		return "manual";
	return strcmp(e->source, "resource") ? e->source : "none";
}

static void name_it(const struct ga_accels *list, struct ga_node_type *t, const struct set *s)
{
	ga_autostr struct ga_str out = GA_STR_INIT;
	const struct ga_accel_type *type = s->n ? ga_accels_type(list, s->v[0]) : NULL;
	size_t i;

	if (s->n == 1) {
		t->type = ga_xstrdup(type->slug);
		t->name = ga_xstrdup(type->name);
		t->memory_gb = type->memory.gpu_gb;
		return;
	}
	for (i = 0; i < s->n; i++) {
		const struct ga_accel_type *one = ga_accels_type(list, s->v[i]);

		ga_texts_add(&t->may_be, one->slug);
		ga_str_addf(&out, "%s%s", i ? " or " : "", one->name);
		if (one->memory.gpu_gb != type->memory.gpu_gb)
			type = NULL;
		if (!type)
			break;
	}
	/* Joins all names, and adds the size when all have the same size. */
	for (; ++i < s->n;) {
		ga_texts_add(&t->may_be, ga_accels_type(list, s->v[i])->slug);
		ga_str_addf(&out, " or %s", ga_accels_type(list, s->v[i])->name);
	}
	if (type)
		t->memory_gb = type->memory.gpu_gb;
	t->name = s->n ? ga_str_take(&out) :
			 ga_unknown_name(t->evidence.n ? t->evidence.v[0].said : "no id");
}

static void decide(const struct ga_accels *list, struct ga_node_view *v, struct ga_node_type *t,
		   int64_t mib)
{
	const struct ga_type_evidence *best, *e;
	struct set s = { NULL, 0 };
	int rank = 5;
	size_t after = 0;

	best = next_best(t, &rank, &after);
	if (best)
		set_of(list, best, &s);
	t->rung = ga_xstrdup(best ? rung_of(best) : "none");
	while (best && (e = next_best(t, &rank, &after)) != NULL) {
		struct set other = { NULL, 0 };

		set_of(list, e, &other);
		if (!narrow(&s, &other))
			ga_view_warn(v, "type_conflict",
				     "%s says '%.120s', %s says '%.120s': the first counts",
				     best->source, best->said, e->source, e->said);
		ga_list_release(&other);
	}
	if (mib != GA_UNKNOWN)
		settle_by_memory(list, v, t, &s, mib);
	name_it(list, t, &s);
	ga_list_release(&s);
}

/* ---- the node ---- */

/* Merges GPUs of one type that were found in two ways. */
static void merge(struct ga_node_view *v)
{
	size_t i, j, k, n = 0;

	for (i = 0; i < v->types.n; i++) {
		struct ga_node_type *t = &v->types.v[i];
		struct ga_node_view merged = { 0 };

		for (j = 0; j < n && !(t->type && ga_streq(v->types.v[j].type, t->type)); j++)
			;
		if (j == n) {
			v->types.v[n++] = *t;
			continue;
		}
		if (t->count == GA_UNKNOWN || v->types.v[j].count == GA_UNKNOWN)
			v->types.v[j].count = GA_UNKNOWN;
		else
			v->types.v[j].count += t->count;
		for (k = 0; k < t->evidence.n; k++)
			*ga_list_add(&v->types.v[j].evidence) = t->evidence.v[k];
		t->evidence.n = 0;
		/* The record's schema releases what the element owns. */
		*ga_list_add(&merged.types) = *t;
		ga_schema_release(&ga_node_view_schema, &merged);
	}
	v->types.n = n;
}

/* The short name, unless two types of the node share it. */
static char *label_of(const struct ga_accels *list, const struct ga_node_view *v, size_t at)
{
	const struct ga_accel_type *type = ga_accels_type(list, v->types.v[at].type);
	ga_autofree char *own = type ? ga_accel_short_name(type) : NULL;
	size_t i;

	for (i = 0; own && i < v->types.n; i++) {
		const struct ga_accel_type *other = ga_accels_type(list, v->types.v[i].type);
		ga_autofree char *name = other ? ga_accel_short_name(other) : NULL;

		if (i != at && ga_streq(own, name))
			return ga_xstrdup(v->types.v[at].name);
	}
	return ga_xstrdup(own ? own : v->types.v[at].name);
}

static void summarize(const struct ga_accels *list, struct ga_node_view *v)
{
	ga_autostr struct ga_str out = GA_STR_INIT;
	size_t i;

	v->mixed = v->types.n > 1;
	v->gpus = 0;
	for (i = 0; i < v->types.n; i++) {
		ga_autofree char *name = label_of(list, v, i);

		ga_str_add(&out, i ? ", " : v->mixed ? "Mixed (" : "");
		if (v->types.v[i].count != GA_UNKNOWN)
			ga_str_addf(&out, "%lldx ", (long long)v->types.v[i].count);
		ga_str_add(&out, v->mixed ? name : v->types.v[i].name);
		if (v->types.v[i].count == GA_UNKNOWN)
			v->gpus = GA_UNKNOWN;
		else if (v->gpus != GA_UNKNOWN)
			v->gpus += v->types.v[i].count;
	}
	if (v->mixed)
		ga_str_addc(&out, ')');
	for (i = 0; i < v->parts.n; i++)
		ga_str_addf(&out, "%s%lldx %s", i ? ", " : v->types.n ? " in " : "",
			    (long long)v->parts.v[i].count, v->parts.v[i].profile);
	v->summary = out.len ? ga_str_take(&out) : ga_xstrdup("no GPU");
}

void ga_accels_weigh(const struct ga_accels *list, struct ga_node_view *view,
		     const int64_t *memory_mib)
{
	size_t i;

	for (i = 0; i < view->types.n; i++)
		decide(list, view, &view->types.v[i], memory_mib ? memory_mib[i] : GA_UNKNOWN);
	merge(view);
	summarize(list, view);
}
