/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of equal nodes and profiles for them, from tables of cases; nodes are drawn as text. */
#include "decide/place/suggest.h"

#include <string.h>

#include "base/str.h"
#include "record/schema.h"
#include "record/state.h"
#include "t.h"

#define NODES 8

/* "name mode memory vcpus type:count[,type:count]", one a line. */
struct drawn {
	struct ga_suggest_node v[NODES];
	size_t n;
	char words[NODES][6][32];
};

static int64_t gb_of(const char *type)
{
	return !strcmp(type, "v-h200") ? 141 : !strcmp(type, "v-a100") ? 80 : 80;
}

static void draw(struct drawn *d, const char *text)
{
	memset(d, 0, sizeof(*d));
	while (*text) {
		char (*w)[32] = d->words[d->n];
		struct ga_suggest_node *node = &d->v[d->n++];
		long long memory, vcpus;
		int used, count, more, slot = 2;

		t_int(sscanf(text, "%31s %31s %lld %lld %n", w[0], w[1], &memory, &vcpus, &used),
		      4, "a node is drawn");
		*node = (struct ga_suggest_node){ .node = w[0], .mode = w[1], .numa = "0:4 1:4",
						  .memory_mib = memory, .vcpus_per_gpu = vcpus,
						  .hugepage_kib = GA_UNKNOWN,
						  .memory_mib_per_gpu = memory / 8 };
		for (text += used; sscanf(text, "%31[^:]:%d%n", w[slot], &count, &more) == 2;
		     text += more + (text[more] == ','), slot++) {
			*ga_list_add(&node->types) = (struct ga_suggest_type){
				w[slot], count, gb_of(w[slot]) };
			if (text[more] != ',') {
				text += more;
				break;
			}
		}
		text += *text == '\n';
	}
}

static void rub_out(struct drawn *d)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		ga_list_release(&d->v[i].types);
}

/* "a b|c": the groups in their order. */
static char *groups_of(struct drawn *d)
{
	struct ga_str out = GA_STR_INIT;
	size_t i;

	(void)ga_suggest_groups(d->v, d->n);
	for (i = 0; i < d->n; i++)
		ga_str_addf(&out, "%s%s", !i ? "" : d->v[i].group == d->v[i - 1].group ? " " : "|",
			    d->v[i].node);
	return ga_str_take(&out);
}

static void groups(void)
{
	static const struct {
		const char *nodes, *want, *name;
	} rows[] = {
		{ "b slice 80000 8 v-h200:8\na slice 80000 8 v-h200:8", "a b", "alike" },
		{ "a slice 80000 8 v-h200:8\nb slice 80000 8 v-a100:8", "b|a", "by type" },
		{ "a slice 80000 8 v-h200:4\nb slice 80000 8 v-h200:8", "b|a", "larger first" },
		{ "a baremetal 80000 8 v-h200:8\nb slice 80000 8 v-h200:8", "b|a", "by mode" },
		{ "a slice 80000 8 v-h200:8\nb slice 81500 8 v-h200:8", "a b", "memory by 2 %" },
		{ "a slice 80000 8 v-h200:8\nb slice 81700 8 v-h200:8", "a|b", "more memory" },
		{ "a slice 80000 8 v-h200:8\nb slice 81500 8 v-h200:8\nc slice 82900 8 v-h200:8",
		  "a b|c", "no chain of small steps" },
		{ "a slice 80000 8 v-h200:4,v-a100:4\nb slice 80000 8 v-a100:4,v-h200:4", "a b",
		  "the order of types does not matter" },
		{ "a slice 80000 8 v-h200:4,v-a100:2\nb slice 80000 8 v-h200:2,v-a100:4", "a|b",
		  "counts of each" },
		{ "", "", "no node at all" },
	};
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *got = NULL, *again = NULL;
		struct drawn d;

		draw(&d, rows[i].nodes);
		got = groups_of(&d);
		t_str(got, rows[i].want, "%s", rows[i].name);
		for (j = 0; j < d.n / 2; j++) {
			struct ga_suggest_node n = d.v[j];

			d.v[j] = d.v[d.n - 1 - j];
			d.v[d.n - 1 - j] = n;
		}
		again = groups_of(&d);
		t_str(again, rows[i].want, "%s, drawn the other way round", rows[i].name);
		rub_out(&d);
	}
}

static char *profile_of(struct drawn *d, const char *shape, const char *only)
{
	struct ga_str out = GA_STR_INIT;
	struct ga_profile p;
	const char *why;
	size_t i;

	ga_schema_init(&ga_profile_schema, &p);
	why = ga_suggest_profile(d->v, d->n, shape, only, &p);
	if (why)
		ga_str_add(&out, why);
	else
		ga_str_add(&out, p.shape);
	for (i = 0; i < p.types.n; i++)
		ga_str_addf(&out, "%s%s", i ? "," : " ", p.types.v[i]);
	for (i = 0; i < p.counts.n; i++)
		ga_str_addf(&out, "%s%lld", i ? "," : " ", (long long)p.counts.v[i]);
	if (p.vcpus_per_gpu != GA_UNKNOWN)
		ga_str_addf(&out, " %lld %lld", (long long)p.vcpus_per_gpu,
			    (long long)p.memory_mib_per_gpu);
	ga_schema_release(&ga_profile_schema, &p);
	return ga_str_take(&out);
}

static void profiles(void)
{
	static const struct {
		const char *nodes, *shape, *only, *want;
	} rows[] = {
		{ "a slice 80000 8 v-h200:8", NULL, NULL, "slice v-h200 1,2,4,8 8 9216" },
		{ "a slice 80000 8 v-h200:6", NULL, NULL, "slice v-h200 1,2,4,6 8 9216" },
		{ "a slice 80000 8 v-h200:1", NULL, NULL, "slice v-h200 1 8 9216" },
		{ "a slice 9000 8 v-h200:2", NULL, NULL, "slice v-h200 1,2 8 1125" },
		{ "a slice 80000 8 v-h200:8\nb slice 90000 4 v-h200:4", NULL, NULL,
		  "slice v-h200 1,2,4,8 4 9216" },
		{ "a slice 80000 8 v-a100:4,v-h200:2", NULL, NULL,
		  "slice v-h200,v-a100 1,2,4 8 9216" },
		{ "a slice 80000 8 v-z:4,v-a100:2", NULL, NULL, "slice v-a100,v-z 1,2,4 8 9216" },
		{ "a slice 80000 8 v-a100:4,v-h200:2", NULL, "v-h200", "slice v-h200 1,2 8 9216" },
		{ "a baremetal 80000 8 v-a100:4,v-h200:2", NULL, NULL, "baremetal v-h200,v-a100" },
		{ "a baremetal 80000 8 v-h200:8\nb slice 80000 8 v-h200:8", NULL, NULL, "modes" },
		{ "a baremetal 80000 8 v-h200:8\nb slice 80000 8 v-h200:8", "slice", NULL,
		  "slice v-h200 1,2,4,8 8 9216" },
		{ "a slice 80000 8 v-h200:0", NULL, NULL, "no_gpu" },
		{ "", NULL, NULL, "no_gpu" },
		{ "a slice 80000 8 v-h200:100", NULL, NULL,
		  "slice v-h200 1,2,4,8,16,32,64 8 9216" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *got = NULL;
		struct drawn d;

		draw(&d, rows[i].nodes);
		got = profile_of(&d, rows[i].shape, rows[i].only);
		t_str(got, rows[i].want, "a profile from '%s'", rows[i].nodes);
		rub_out(&d);
	}
}

/* Pages go with what a GPU has: whole ones, or none where a page is more than that. */
static void pages(void)
{
	static const struct {
		int64_t kib, mib, want_kib, want_mib;
	} rows[] = {
		{ 1048576, 1536, 1048576, 1024 }, { 1048576, 1000, GA_UNKNOWN, 1000 },
		{ 2048, 1001, 2048, 1000 },	  { 2048, 1, GA_UNKNOWN, 1 },
		{ 1048576, GA_UNKNOWN, 1048576, GA_UNKNOWN },
		{ GA_UNKNOWN, 1001, GA_UNKNOWN, 1001 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_profile p;
		struct drawn d;

		draw(&d, "a slice 80000 8 v-h200:2");
		d.v[0].hugepage_kib = rows[i].kib;
		d.v[0].memory_mib_per_gpu = rows[i].mib;
		ga_schema_init(&ga_profile_schema, &p);
		(void)ga_suggest_profile(d.v, d.n, NULL, NULL, &p);
		t_int(p.hugepage_kib, rows[i].want_kib, "row %zu: pages", i);
		t_int(p.memory_mib_per_gpu, rows[i].want_mib, "row %zu: memory", i);
		ga_schema_release(&ga_profile_schema, &p);
		rub_out(&d);
	}
}

static bool is_in(const char *name, void *arg)
{
	const char *const *v = arg;

	for (; *v; v++)
		if (!strcmp(*v, name))
			return true;
	return false;
}

static void names(void)
{
	static const char *taken[] = { "h200-141gb", "h200-141gb-2", "x1-baremetal", NULL };
	static const struct {
		const char *slug;
		bool baremetal;
		const char *want;
	} rows[] = {
		{ "nvidia-h100-80gb", false, "h100-80gb" },
		{ "nvidia-h100-80gb", true, "h100-80gb-baremetal" },
		{ "nvidia-h200-141gb", false, "h200-141gb-3" },
		{ "acme-x1", true, "x1-baremetal-2" },
		{ "gpu", false, "gpu" },
		{ "v-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", true,
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-baremetal" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *got = ga_suggest_name(rows[i].slug, rows[i].baremetal, is_in,
							(void *)taken);

		t_str(got, rows[i].want, "a name of '%s'", rows[i].slug);
	}
}

int main(void)
{
	groups();
	profiles();
	pages();
	names();
	return t_done();
}
