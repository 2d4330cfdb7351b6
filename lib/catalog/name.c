/* SPDX-License-Identifier: Apache-2.0 */
/* Names of accelerators: one sorted index of all names, built on the first search. */
#include "catalog/name.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/texts.h"
#include "catalog/internal.h"

/* Kinds of names. */
enum sort { SLUG, ALIAS, GROUP, PRODUCT, DRIVER, NVIDIA, AMD, INTEL };

/* Lower case, and one dash for blanks and underlines: "Instinct_MI210" and "instinct mi210". */
static char *fold(const char *text)
{
	ga_autostr struct ga_str out = GA_STR_INIT;

	for (; *text; text++)
		ga_str_addc(&out, *text == ' ' || *text == '_' ?
					  '-' :
					  (char)tolower((unsigned char)*text));
	return ga_str_take(&out);
}

static int by_word(const void *a, const void *b)
{
	const struct ga_accel_word *x = a, *y = b;
	int order = strcmp(x->folded, y->folded);

	if (!order)
		order = x->sort - y->sort;
	return order ? order : (x->entry > y->entry) - (x->entry < y->entry);
}

static void add_word(struct ga_accel_lazy *lazy, const char *text, enum sort sort, size_t entry)
{
	*ga_list_add(&lazy->words) =
		(struct ga_accel_word){ fold(text), text, (int)sort, entry };
}

static void add_words(struct ga_accel_lazy *lazy, const struct ga_texts *list, enum sort sort,
		      size_t entry)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		add_word(lazy, list->v[i], sort, entry);
}

static void index_words(const struct ga_accels *list)
{
	const struct ga_accel_rest *rest = ga_accels_rest(list);
	struct ga_accel_lazy *lazy = list->lazy;
	size_t i;

	if (lazy->words.n)
		return;
	for (i = 0; i < list->entries.n; i++) {
		const struct ga_accel_type *t = ga_accels_at(list, i);
		ga_autofree char *bare = NULL;

		add_word(lazy, t->slug, SLUG, i);
		/* In people's words the bare name of a product means all its forms. Labels and
		 * clouds mean the form that had the name first: there "A100" is the one of 40
		 * GB. */
		bare = ga_accel_short_name(t);
		add_word(lazy, t->name, PRODUCT, i);
		*ga_list_add(&lazy->words) =
			(struct ga_accel_word){ fold(bare), t->name, PRODUCT, i };
		add_words(lazy, &t->aliases, ALIAS, i);
		add_words(lazy, &t->labels.driver_names, DRIVER, i);
		add_words(lazy, &t->labels.nvidia_product, NVIDIA, i);
		add_words(lazy, &t->labels.amd_product_name, AMD, i);
		add_words(lazy, &t->labels.intel_product, INTEL, i);
	}
	for (i = 0; i < rest->groups.n; i++)
		add_word(lazy, rest->groups.v[i].name, GROUP, i);
	qsort(lazy->words.v, lazy->words.n, sizeof(*lazy->words.v), by_word);
}

void ga_accels_forget_words(const struct ga_accels *list)
{
	size_t i;

	for (i = 0; i < list->lazy->words.n; i++)
		free(list->lazy->words.v[i].folded);
	ga_list_release(&list->lazy->words);
}

static size_t first_word(const struct ga_accel_lazy *lazy, const char *folded)
{
	size_t lo = 0, hi = lazy->words.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(lazy->words.v[mid].folded, folded) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Adds each type once; keeps the order. */
static void add_type(struct ga_accel_named *ret, const char *slug)
{
	size_t i, at = 0;

	while (at < ret->types.n && strcmp(ret->types.v[at], slug) < 0)
		at++;
	if (at < ret->types.n && !strcmp(ret->types.v[at], slug))
		return;
	(void)ga_list_add(&ret->types);
	for (i = ret->types.n - 1; i > at; i--)
		ret->types.v[i] = ret->types.v[i - 1];
	ret->types.v[at] = slug;
}

static bool takes(enum ga_name_family family, enum sort sort)
{
	switch (family) {
	case GA_NAME_NVIDIA:
		return sort == NVIDIA || sort == DRIVER;
	case GA_NAME_AMD:
		return sort == AMD;
	case GA_NAME_INTEL:
		return sort == INTEL;
	case GA_NAME_PEOPLE:
		break;
	}
	return true;
}

/* A label belongs to NVIDIA's family only if its type is NVIDIA's; an AMD driver name never
 * does. */
static bool is_of(const struct ga_accel_type *t, enum ga_name_family family)
{
	return family != GA_NAME_NVIDIA || ga_streq(t->vendor_id, "10de");
}

/* A label differs from a driver's name only in its blanks. */
static bool is_label_of(const char *name, const char *text)
{
	for (; *name && (*name == *text || (*name == ' ' && *text == '-')); name++, text++)
		;
	return !*name && !*text;
}

static bool is_spelled(const struct ga_accel_word *w, const char *text)
{
	return w->sort == DRIVER ? is_label_of(w->text, text) : !strcmp(w->text, text);
}

/* Adds the types with exactly this name. Labels are compared as written, with their case. */
static bool look_up(const struct ga_accels *list, enum ga_name_family family, const char *text,
		    struct ga_accel_named *ret)
{
	const struct ga_accel_lazy *lazy = list->lazy;
	ga_autofree char *folded = fold(text);
	size_t i, j;

	for (i = first_word(lazy, folded);
	     i < lazy->words.n && !strcmp(lazy->words.v[i].folded, folded); i++) {
		const struct ga_accel_word *w = &lazy->words.v[i];

		if (!takes(family, (enum sort)w->sort))
			continue;
		/* A slug means its own type. A text with blanks may be the product name of
		 * several. */
		if (w->sort == SLUG && !strchr(text, ' ')) {
			add_type(ret, list->entries.v[w->entry].slug);
			return true;
		}
		if (w->sort == GROUP) {
			const struct ga_accel_group *g =
				&ga_accels_rest(list)->groups.v[w->entry];

			for (j = 0; j < g->types.n; j++)
				add_type(ret, g->types.v[j]);
			continue;
		}
		if (family != GA_NAME_PEOPLE && !is_spelled(w, text))
			continue;
		if (is_of(ga_accels_at(list, w->entry), family))
			add_type(ret, list->entries.v[w->entry].slug);
	}
	return ret->types.n > 0;
}

/* ---- suffixes of nvidia.com/gpu.product ---- */

/* [0-9]+(c.[0-9]+)?g.[0-9]+gb(+me(.all)?|+gfx|-me)? */
static bool is_mig_profile(const char *s)
{
	static const char *const ends[] = { "", "+me", "+me.all", "+gfx", "-me" };
	size_t i, n = strspn(s, "0123456789");

	if (!n)
		return false;
	s += n;
	if (s[0] == 'c' && s[1] == '.') {
		n = strspn(s + 2, "0123456789");
		if (!n)
			return false;
		s += 2 + n;
	}
	if (s[0] != 'g' || s[1] != '.')
		return false;
	n = strspn(s + 2, "0123456789");
	if (!n || strncmp(s + 2 + n, "gb", 2) != 0)
		return false;
	for (i = 0; i < GA_ARRAY_SIZE(ends); i++)
		if (!strcmp(s + 4 + n, ends[i]))
			return true;
	return false;
}

static bool strip(char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);

	if (n <= m || strcmp(text + n - m, suffix) != 0)
		return false;
	text[n - m] = '\0';
	return true;
}

/* Removes the suffixes that GFD may add. Parts in MIG may be shared, too. */
static void strip_suffix(char *text, struct ga_accel_named *ret)
{
	char *mig = NULL, *at = text;

	ret->shared = strip(text, "-SHARED") || strip(text, "-PRIVATE");
	while ((at = strstr(at, "-MIG-")) != NULL)
		mig = at++;
	if (!mig || (strcmp(mig + 5, "INVALID") != 0 && !is_mig_profile(mig + 5)))
		return;
	ret->part = ga_xprintf("MIG %s", mig + 5);
	*mig = '\0';
}

/* The name of a GPU's share ends in a dash and its profile. A GeForce in a guest has the card's
 * name. */
static bool is_share(const char *name)
{
	const char *dash = name ? strrchr(name, '-') : NULL;

	return dash && isdigit((unsigned char)dash[1]);
}

/* A guest's driver has a name of its own for its share of a GPU. */
static void look_up_guest(const struct ga_accels *list, const char *text,
			  struct ga_accel_named *ret)
{
	size_t i, j, k;

	for (i = 0; i < list->entries.n; i++) {
		const struct ga_accel_type *t = ga_accels_at(list, i);

		for (j = 0; is_of(t, GA_NAME_NVIDIA) && j < t->pci.n; j++) {
			for (k = 0; k < t->pci.v[j].vgpu_subsystems.n; k++) {
				const char *name = t->pci.v[j].vgpu_subsystems.v[k].name;

				if (!is_share(name) || !is_label_of(name, text))
					continue;
				add_type(ret, t->slug);
				if (!ret->part)
					ret->part = ga_xstrdup(name);
			}
		}
	}
}

/* Explains a spelling that no driver of today writes. */
static void tell_spelling(const struct ga_accels *list, const char *text,
			  struct ga_accel_named *ret)
{
	size_t i, j;

	for (i = 0; i < ret->types.n; i++) {
		const struct ga_accel_type *t = ga_accels_type(list, ret->types.v[i]);

		for (j = 0; j < t->labels.driver_names.n; j++) {
			ga_autofree char *label = ga_xstrdup(t->labels.driver_names.v[j]);
			char *p;

			for (p = label; *p; p++)
				if (*p == ' ')
					*p = '-';
			if (!strcmp(label, text))
				return;
			if (ga_starts(label, "NVIDIA-") && !strcmp(label + 7, text))
				ret->old_name = true;
		}
	}
	ret->by_hand = !ret->old_name;
}

void ga_accels_named(const struct ga_accels *list, enum ga_name_family family, const char *text,
		     struct ga_accel_named *ret)
{
	ga_autofree char *base = ga_xstrdup(text);

	memset(ret, 0, sizeof(*ret));
	index_words(list);
	if (look_up(list, family, text, ret)) {
		if (family == GA_NAME_NVIDIA)
			tell_spelling(list, base, ret);
		return;
	}
	if (family != GA_NAME_NVIDIA && family != GA_NAME_PEOPLE)
		return;
	strip_suffix(base, ret);
	if ((ret->part || ret->shared) && look_up(list, family, base, ret) &&
	    family == GA_NAME_NVIDIA)
		tell_spelling(list, base, ret);
	if (family == GA_NAME_NVIDIA && !ret->part && !ret->types.n)
		look_up_guest(list, base, ret);
}

void ga_accel_named_release(struct ga_accel_named *n)
{
	ga_list_release(&n->types);
	free(n->part);
	memset(n, 0, sizeof(*n));
}

/* ---- clouds ---- */

const struct ga_accel_instance *ga_accels_instance(const struct ga_accels *list, const char *name)
{
	const struct ga_accel_rest *rest = ga_accels_rest(list);
	size_t i;

	if (ga_starts(name, "ml.")) /* SageMaker's name for the same machine */
		name += 3;
	for (i = 0; i < rest->instances.n; i++)
		if (!strcasecmp(rest->instances.v[i].name, name))
			return &rest->instances.v[i];
	return NULL;
}

const struct ga_accel_platform_label *ga_accels_platform_label(const struct ga_accels *list,
							       const char *key, const char *value)
{
	const struct ga_accel_rest *rest = ga_accels_rest(list);
	size_t i;

	for (i = 0; i < rest->platform_labels.n; i++)
		if (!strcmp(rest->platform_labels.v[i].key, key) &&
		    !strcmp(rest->platform_labels.v[i].value, value))
			return &rest->platform_labels.v[i];
	return NULL;
}

char *ga_accel_short_name(const struct ga_accel_type *type)
{
	static const char *const lines[] = { "Instinct ", "Data Center GPU " };
	const char *name = type->name, *last = strrchr(name, ' ');
	size_t i, n;

	if (type->vendor && ga_starts(name, type->vendor) && name[strlen(type->vendor)] == ' ')
		name += strlen(type->vendor) + 1;
	for (i = 0; i < GA_ARRAY_SIZE(lines); i++)
		if (ga_starts(name, lines[i]))
			name += strlen(lines[i]);
	n = last > name && isdigit((unsigned char)last[1]) &&
			    !strcmp(last + 1 + strspn(last + 1, "0123456789"), "GB") ?
		    (size_t)(last - name) :
		    strlen(name);
	return ga_xstrndup(name, n);
}

/* ---- types with a name close to an unknown name ---- */

static size_t far_from(const struct ga_closest_names *near, const struct ga_accel_type *t)
{
	ga_autofree char *shortest = ga_accel_short_name(t);
	size_t far = GA_CLOSEST_FAR, i;

	far = ga_closest_spelling(near, t->slug, far);
	far = ga_closest_spelling(near, t->name, far);
	far = ga_closest_spelling(near, shortest, far);
	for (i = 0; i < t->aliases.n; i++)
		far = ga_closest_spelling(near, t->aliases.v[i], far);
	return far;
}

void ga_accels_near(const struct ga_accels *list, const char *text, struct ga_closest_names *ret)
{
	size_t i;

	ga_closest_begin(ret, text);
	for (i = 0; i < ga_accels_count(list); i++)
		ga_closest_add(ret, ga_accels_at(list, i)->slug,
			       far_from(ret, ga_accels_at(list, i)));
}

bool ga_accel_is_vendor(const char *have, const char *want)
{
	size_t n = strlen(want);

	return !strncasecmp(have, want, n) && (!have[n] || have[n] == ' ');
}
