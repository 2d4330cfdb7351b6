/* SPDX-License-Identifier: Apache-2.0 */
/* The options of gpuaas-profile create and set, over a profile. */
#include <stdlib.h>
#include <string.h>

#include "cli_profile_make.h"
#include "cost.h"
#include "size.h"
#include "str.h"

void ga_profile_words(const void *texts, void *ret)
{
	const GA_LIST(const char *) *list = texts;
	GA_LIST(char *) *words = ret;
	size_t i;

	for (i = 0; i < list->n; i++) {
		const char *p = list->v[i];

		for (;; p++) {
			size_t len = strcspn(p, ",");

			*(char **)ga_list_grow((struct ga_any_list *)(void *)words,
					       sizeof(char *)) = ga_xstrndup(p, len);
			p += len;
			if (!*p)
				break;
		}
	}
}

void ga_profile_blank(const char *name, bool lab, struct ga_profile *ret)
{
	ga_shape_init(&ga_profile_shape, ret);
	ret->name = ga_xstrdup(name);
	ret->shape = ga_xstrdup("slice");
	ret->price_micros = 0;
	ret->wipe = (struct ga_wipe_policy){
		.minimum_class = ga_xstrdup(lab ? "clear" : "purge"),
		.verify = ga_xstrdup("full"),
		.gpu_memory = ga_xstrdup(lab ? "if_supported" : "required"),
	};
}

/* An option that was given replaces; an empty one takes away. */
static void set_text(char **member, const char *value)
{
	if (!value)
		return;
	free(*member);
	*member = *value ? ga_xstrdup(value) : NULL;
}

static void empty(void *texts)
{
	GA_LIST(char *) *list = texts;
	size_t i;

	for (i = 0; i < list->n; i++)
		free(list->v[i]);
	free(list->v);
	list->v = NULL;
	list->n = 0;
}

static int set_counts(const struct ga_profile_opts *o, struct ga_profile *p, struct ga_err *err)
{
	GA_LIST(char *) words = { NULL, 0 };
	int64_t count;
	size_t i;
	int r = 0;

	if (!o->counts.n)
		return 0;
	ga_list_release(&p->counts);
	ga_profile_words(&o->counts, &words);
	for (i = 0; r == 0 && i < words.n; i++) {
		r = ga_int_parse(words.v[i], "--count", 1, GA_REQUEST_GPUS, &count, err);
		if (r == 0)
			*ga_list_add(&p->counts) = count;
	}
	empty(&words);
	return r;
}

static int set_price(const struct ga_profile_opts *o, struct ga_profile *p, struct ga_err *err)
{
	if (!o->price || ga_price_parse(o->price, &p->price_micros))
		return 0;
	(void)ga_fail(err, GA_USAGE, "--price '%.64s' is no price of a GPU hour", o->price);
	return ga_hint(err, "3.50, or 0 for nothing; at most %lld, and six digits behind the point",
		       (long long)(GA_PRICE_MAX / 1000000));
}

static int set_sizes(const struct ga_profile_opts *o, struct ga_profile *p, struct ga_err *err)
{
	if (o->vcpus != GA_UNKNOWN)
		p->vcpus_per_gpu = o->vcpus;
	if (o->memory_bytes != GA_UNKNOWN) {
		if (o->memory_bytes < 1 << 20 || o->memory_bytes % (1 << 20))
			return ga_fail(err, GA_USAGE, "--memory-per-gpu is in whole MiB: 64G, or "
				       "512M");
		p->memory_mib_per_gpu = o->memory_bytes >> 20;
	}
	if (o->hugepage_bytes != GA_UNKNOWN) {
		if (o->hugepage_bytes % 1024 ||
		    (o->hugepage_bytes & (o->hugepage_bytes - 1)))
			return ga_fail(err, GA_USAGE, "--hugepages is a size of pages: 2M, 1G, or "
				       "0 for ordinary ones");
		p->hugepage_kib = o->hugepage_bytes ? o->hugepage_bytes >> 10 : GA_UNKNOWN;
	}
	if (o->hold != GA_UNKNOWN)
		p->hold_seconds = o->hold;
	if (o->graceful != GA_UNKNOWN)
		p->graceful_seconds = o->graceful;
	return 0;
}

static void set_types(const struct ga_profile_opts *o, struct ga_profile *p)
{
	size_t i;

	if (o->slugs.n || o->generic)
		empty(&p->types);
	for (i = 0; i < o->slugs.n; i++)
		ga_texts_add(&p->types, o->slugs.v[i]);
}

int ga_profile_flags(const struct ga_profile_opts *o, struct ga_profile *p, struct ga_err *err)
{
	set_types(o, p);
	set_text(&p->shape, o->shape);
	set_text(&p->image, o->image);
	set_text(&p->region, o->region);
	set_text(&p->pool, o->pool);
	set_text(&p->domain_type, o->domain_type);
	set_text(&p->wipe.minimum_class, o->wipe);
	set_text(&p->wipe.verify, o->wipe_verify);
	set_text(&p->wipe.gpu_memory, o->wipe_gpu_memory);
	if (o->teams.n) {
		empty(&p->teams);
		ga_profile_words(&o->teams, &p->teams);
	}
	if (set_counts(o, p, err) < 0 || set_price(o, p, err) < 0 || set_sizes(o, p, err) < 0)
		return -1;
	/* What is sold whole has what the machine has. */
	if (o->shape && ga_streq(o->shape, "baremetal") && !o->counts.n)
		ga_list_release(&p->counts);
	return 0;
}
