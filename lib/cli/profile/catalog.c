/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-profile catalog: shows, searches and checks the catalogue of accelerator types. */
#include "cli/profile/profile.h"

#include <string.h>

#include "base/texts.h"
#include "catalog/name.h"
#include "cli/frame/cli.h"
#include "cli/frame/types.h"
#include "record/state.h"

/* ---- searching ---- */

static bool has(const char *text, const char *part)
{
	return text && strcasestr(text, part);
}

static bool any_has(const struct ga_texts *list, const char *part)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (has(list->v[i], part))
			return true;
	return false;
}

static bool pci_has(const struct ga_accel_type *t, const char *part)
{
	size_t i, j;

	for (i = 0; t->vendor_id && i < t->pci.n; i++) {
		const struct ga_accel_pci *p = &t->pci.v[i];
		ga_autofree char *id = ga_xprintf("%s:%s", t->vendor_id, p->device_id);

		if (has(id, part))
			return true;
		for (j = 0; j < p->subsystems.n; j++)
			if (has(p->subsystems.v[j].id, part))
				return true;
	}
	return false;
}

static bool is_named(const struct ga_accel_named *n, const char *slug)
{
	size_t i;

	for (i = 0; i < n->types.n; i++)
		if (!strcmp(n->types.v[i], slug))
			return true;
	return false;
}

/* A search term, with its meanings as a name; it also matches as a part of texts. */
struct term {
	const char *text;
	struct ga_accel_named named;
	const struct ga_accel_instance *instance;
};

static bool matches(const struct ga_accel_type *t, const struct term *term)
{
	const char *s = term->text;

	return is_named(&term->named, t->slug) ||
	       (term->instance && ga_texts_has(&term->instance->types, t->slug)) ||
	       has(t->slug, s) || has(t->name, s) || has(t->vendor, s) ||
	       has(t->architecture.name, s) || any_has(&t->aliases, s) ||
	       any_has(&t->labels.driver_names, s) || any_has(&t->labels.nvidia_product, s) ||
	       any_has(&t->labels.amd_product_name, s) || any_has(&t->labels.intel_product, s) ||
	       pci_has(t, s);
}

static void tell_instance(const struct ga_accel_instance *one)
{
	ga_autostr struct ga_str types = GA_STR_INIT;
	size_t i;

	for (i = 0; i < one->types.n; i++)
		ga_str_addf(&types, "%s%s", i ? " or " : "", one->types.v[i]);
	ga_say("'%s' is a machine of %s with %lld: %s", one->name, one->provider,
	       (long long)one->count, types.buf);
}

/* Prints the types that a term means as a name. */
static void tell_name(const struct term *term)
{
	ga_autostr struct ga_str types = GA_STR_INIT;
	size_t i;

	for (i = 0; i < term->named.types.n; i++)
		ga_str_addf(&types, "%s%s", i ? " or " : "", term->named.types.v[i]);
	ga_say("'%s' as a name means %s%s%s", term->text, types.buf,
	       term->named.part ? ", in parts: " : "", term->named.part ? term->named.part : "");
}

/* Reports that no type matches all words; with several words, no single one is at fault. */
static int tell_nothing(char *const *words, int n, struct ga_err *err)
{
	ga_autostr struct ga_str all = GA_STR_INIT;
	int i;

	for (i = 0; i < n; i++)
		ga_str_addf(&all, "%s'%.64s'", !i ? "" : i + 1 < n ? ", " : " and ", words[i]);
	return ga_refuse(err, GA_NO, NULL, NULL,
			 (n ? "no accelerator type of the catalogue %s %s" :
			  "the catalogue has no accelerator type", n > 1 ? "has all of" : "matches",
			  all.buf),
			 ("a drop-in can add one: gpuaas-accelerators(7)"));
}

static int search(const struct ga_accels *list, char *const *words, int n, struct ga_err *err)
{
	struct term *terms = ga_xcalloc((size_t)n + 1, sizeof(*terms));
	size_t i, found = 0;
	int r = 0, j;

	for (j = 0; j < n; j++) {
		terms[j].text = words[j];
		ga_accels_named(list, GA_NAME_PEOPLE, words[j], &terms[j].named);
		terms[j].instance = ga_accels_instance(list, words[j]);
		if (terms[j].instance)
			tell_instance(terms[j].instance);
		else if (terms[j].named.types.n)
			tell_name(&terms[j]);
	}
	for (i = 0; r == 0 && i < ga_accels_count(list); i++) {
		const struct ga_accel_type *t = ga_accels_at(list, i);

		for (j = 0; j < n && matches(t, &terms[j]); j++)
			;
		if (j < n)
			continue;
		found++;
		r = ga_emit(&ga_accelerator_schema, t, err);
	}
	for (j = 0; j < n; j++)
		ga_accel_named_release(&terms[j].named);
	free(terms);
	return r < 0 || found ? r : tell_nothing(words, n, err);
}

/* ---- checking ---- */

static int show_finding(const char *object, const char *check, const char *sentence, void *arg)
{
	struct ga_finding f = {
		.check = (char *)(uintptr_t)check,
		.object = (char *)(uintptr_t)object,
		.sentence = (char *)(uintptr_t)sentence,
	};

	return ga_emit(&ga_finding_schema, &f, arg);
}

static int check(char *const *files, int n, struct ga_err *err)
{
	ga_autoaccels struct ga_accels *list = NULL;
	int found;

	if (n)
		ga_accels_drop_ins(NULL);
	if ((n ? ga_accels_open(NULL, &list, err) : ga_cli_catalogue(&list, err)) < 0 ||
	    ga_accels_add_files(list, files, n, err) < 0)
		return -1;
	found = ga_accels_check(list, show_finding, err);
	if (found == 0)
		ga_say("%zu types, nothing is wrong", ga_accels_count(list));
	return found < 0 ? -1 : found > 0;
}

int ga_cli_catalog(struct ga_err *err)
{
	ga_autoaccels struct ga_accels *list = NULL;
	char *const *args;
	int n;

	args = ga_cli_args(&n);
	if (n && !strcmp(args[0], "check"))
		return check(args + 1, n - 1, err);
	if (ga_cli_catalogue(&list, err) < 0)
		return -1;
	return search(list, args, n, err);
}
