/* SPDX-License-Identifier: Apache-2.0 */
/* The options of gpuaas-profile create and set, applied to a profile. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/texts.h"
#include "base/vec.h"
#include "cli/profile/make.h"
#include "record/bundle.h"
#include "record/money.h"
#include "record/request.h"
#include "record/size.h"
#include "record/state.h"
#include "record/time.h"
#include "state/capacity/profile.h"

void ga_profile_words(const struct ga_borrowed_texts *texts, struct ga_texts *ret)
{
	size_t i;

	for (i = 0; i < texts->n; i++) {
		const char *p = texts->v[i];

		for (;; p++) {
			size_t len = strcspn(p, ",");

			*ga_list_add(ret) = ga_xstrndup(p, len);
			p += len;
			if (!*p)
				break;
		}
	}
}

void ga_profile_blank(const char *name, bool lab, struct ga_profile *ret)
{
	ga_schema_init(&ga_profile_schema, ret);
	ret->name = ga_xstrdup(name);
	ret->shape = ga_xstrdup("slice");
	ret->price_micros = 0;
	ret->wipe = (struct ga_wipe_policy){
		.minimum_class = ga_xstrdup(lab ? "clear" : "purge"),
		.verify = ga_xstrdup("full"),
		.gpu_memory = ga_xstrdup(lab ? "if_supported" : "required"),
	};
}

/* A given option replaces the member; an empty one removes it. */
static void set_text(char **member, const char *value)
{
	if (!value)
		return;
	free(*member);
	*member = *value ? ga_xstrdup(value) : NULL;
}

/* Whether there is a number to read; an empty text removes the member. */
static bool has_number(const char *text, int64_t *member)
{
	if (text && !*text)
		*member = GA_UNKNOWN;
	return text && *text;
}

static int set_time(const char *text, const char *option, int64_t *member, struct ga_err *err)
{
	if (has_number(text, member) && ga_duration_parse(text, member, err) < 0)
		return ga_wrap(err, "%s", option);
	return 0;
}

/* Refuses an empty team name: a profile without teams is open to every team, which needs an
 * explicit option. */
static int set_teams(const struct ga_profile_opts *o, struct ga_profile *p, struct ga_err *err)
{
	size_t i;

	if (!o->teams.n)
		return 0;
	ga_texts_release(&p->teams);
	ga_profile_words(&o->teams, &p->teams);
	for (i = 0; i < p->teams.n; i++) {
		if (*p->teams.v[i])
			continue;
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--team names no team"),
				 ("'gpuaas-profile teams %s --everyone' opens it to every team",
				  p->name));
	}
	return 0;
}

int ga_profile_flags(const struct ga_profile_opts *o, struct ga_profile *p, struct ga_err *err)
{
	struct ga_texts words = { NULL, 0 };
	bool takes_away;
	int64_t count, bytes;
	size_t i, j;
	int r = 0;

	if (o->slugs.n || o->generic)
		ga_texts_release(&p->types);
	for (i = 0; i < o->slugs.n; i++)
		ga_texts_add(&p->types, o->slugs.v[i]);
	set_text(&p->shape, o->shape);
	set_text(&p->image, o->image);
	set_text(&p->region, o->region);
	set_text(&p->pool, o->pool);
	set_text(&p->domain_type, o->domain_type);
	set_text(&p->wipe.minimum_class, o->wipe);
	set_text(&p->wipe.verify, o->wipe_verify);
	set_text(&p->wipe.gpu_memory, o->wipe_gpu_memory);
	if (set_teams(o, p, err) < 0)
		return -1;
	if (o->counts.n) {
		ga_list_release(&p->counts);
		ga_profile_words(&o->counts, &words);
		takes_away = words.n == 1 && !*words.v[0];
		for (i = 0; r == 0 && !takes_away && i < words.n; i++) {
			r = ga_int_parse(words.v[i], "--count", 1, GA_REQUEST_GPUS, &count, err);
			for (j = 0; r == 0 && j < p->counts.n; j++)
				if (p->counts.v[j] == count)
					r = ga_fail(err, GA_USAGE, "--count %lld is given twice",
						    (long long)count);
			if (r == 0)
				*ga_list_add(&p->counts) = count;
		}
		ga_texts_release(&words);
		if (r < 0)
			return -1;
	}
	if (o->price && !ga_price_parse(o->price, &p->price_micros))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--price '%.64s' is no price of a GPU hour", o->price),
				 ("3.50, or 0 for nothing; at most %lld, and six digits after the "
				  "point",
				  (long long)(GA_PRICE_MAX / 1000000)));
	if (has_number(o->vcpus, &p->vcpus_per_gpu) &&
	    ga_int_parse(o->vcpus, "--vcpus-per-gpu", 1, 4096, &p->vcpus_per_gpu, err) < 0)
		return -1;
	if (has_number(o->memory, &p->memory_mib_per_gpu)) {
		if (ga_size_parse(o->memory, &bytes, err) < 0)
			return ga_wrap(err, "--memory-per-gpu");
		if (bytes < 1 << 20 || bytes % (1 << 20))
			return ga_fail(err, GA_USAGE,
				       "--memory-per-gpu is in whole MiB: 64G, or 512M");
		p->memory_mib_per_gpu = bytes >> 20;
	}
	if (has_number(o->hugepages, &p->hugepage_kib)) {
		if (ga_size_parse(o->hugepages, &bytes, err) < 0)
			return ga_wrap(err, "--hugepages");
		if (bytes && bytes != 2 << 20 && bytes != 1 << 30)
			return ga_fail(err, GA_USAGE,
				       "--hugepages is a size of pages: 2M, 1G, or 0 for ordinary "
				       "ones");
		p->hugepage_kib = bytes ? bytes >> 10 : GA_UNKNOWN;
	}
	if (set_time(o->hold, "--hold", &p->hold_seconds, err) < 0)
		return -1;
	if (set_time(o->graceful, "--graceful", &p->graceful_seconds, err) < 0)
		return -1;
	/* A baremetal profile has no counts: the machine decides the number of GPUs. */
	if (o->shape && ga_streq(o->shape, "baremetal") && !o->counts.n)
		ga_list_release(&p->counts);
	return 0;
}

int ga_profile_check(const struct ga_profile *p, struct ga_err *err)
{
	ga_autojson json_t *json = ga_schema_format(&ga_profile_schema, p);
	struct ga_profile unused;
	int r;

	if (ga_streq(p->shape, "slice") && !p->counts.n)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--count is missing: how many GPUs a slice may have"),
				 ("--count 1,2,4,8; or --shape baremetal"));
	r = ga_schema_parse(&ga_profile_schema, json, &unused, err);
	if (r == 0) {
		ga_schema_release(&ga_profile_schema, &unused);
		r = ga_store_profile_check(p, err);
	}
	if (r < 0)
		err->code = GA_USAGE;
	return r;
}
