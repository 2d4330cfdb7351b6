/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of accelerator types: loads the built-in text and finds a type in it. */
#include "catalog/internal.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "record/app.h"
#include "record/rec.h"

__asm__(".section .rodata\n"
	".global ga_accel_builtin\n"
	".global ga_accel_builtin_end\n"
	"ga_accel_builtin:\n"
	".incbin \"" GA_SOURCE_DIR "/share/accelerators.json\"\n"
	"ga_accel_builtin_end:\n"
	".byte 0\n"
	".previous\n");
extern const char ga_accel_builtin[], ga_accel_builtin_end[];

#define TYPES_BEGIN "\n],\"accelerators\":[\n"
#define LINE_BEGIN "{\"slug\":\""

static const char *drop_ins = "/etc/gpuaas/accelerators.d";

void ga_accels_drop_ins(const char *folder)
{
	drop_ins = folder;
}

/* ---- the built-in text ---- */

static const char *find(const char *text, size_t len, const char *what)
{
	return memmem(text, len, what, strlen(what));
}

void ga_accels_index(struct ga_accels *list, const char *text, size_t len)
{
	const char *end = text + len, *line = find(text, len, TYPES_BEGIN);

	if (!line)
		abort(); /* unit tests read the built-in text */
	list->head = text;
	list->head_len = (size_t)(line - text);
	line += strlen(TYPES_BEGIN);
	while (line < end && !strncmp(line, LINE_BEGIN, strlen(LINE_BEGIN))) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		const char *slug = line + strlen(LINE_BEGIN);
		size_t n = stop ? (size_t)(stop - line) : (size_t)(end - line);

		*ga_list_add(&list->entries) = (struct ga_accel_entry){
			.slug = ga_xstrndup(slug, strcspn(slug, "\"")),
			.text = line,
			.len = n - (line[n - 1] == ','),
			.origin = "built-in",
		};
		line += n + 1;
	}
}

/* Parses a built-in line on first use. The build has checked the text of the line. */
static const struct ga_accel_type *type_of(struct ga_accel_entry *e)
{
	struct ga_err err = GA_ERR_INIT;

	if (e->type)
		return e->type;
	e->type = ga_xcalloc(1, sizeof(*e->type));
	if (ga_rec_parse_bytes(e->text, e->len, &ga_accel_type_schema, e->type, &err) < 0)
		abort();
	e->type->origin = ga_xstrdup(e->origin);
	return e->type;
}

/* ---- opening ---- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_json(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return d->d_name[0] != '.' && n > 5 && !strcmp(d->d_name + n - 5, ".json");
}

static int load_drop_ins(struct ga_accels *list, struct ga_err *err)
{
	struct dirent **names = NULL;
	int i, n = drop_ins ? scandir(drop_ins, &names, is_json, by_name) : 0, r = 0;

	if (n < 0)
		return errno == ENOENT || errno == ENOTDIR ?
			       0 :
			       ga_fail_sys(err, "cannot read the catalogue drop-ins in '%s'",
					   drop_ins);
	for (i = 0; i < n; i++) {
		ga_autofree char *path = ga_xprintf("%s/%s", drop_ins, names[i]->d_name);
		struct stat st;

		/* Reading a pipe would wait for its writer. */
		if (r == 0 && stat(path, &st) == 0 && !S_ISREG(st.st_mode))
			r = ga_fail(err, GA_BADREC, "catalogue '%s' is no regular file", path);
		else if (r == 0)
			r = ga_accels_load(list, path, true, err);
		free(names[i]);
	}
	free(names);
	return r;
}

int ga_accels_open(const char *file, struct ga_accels **ret, struct ga_err *err)
{
	ga_autoaccels struct ga_accels *list = ga_xcalloc(1, sizeof(*list));

	list->lazy = ga_xcalloc(1, sizeof(*list->lazy));
	if (!file)
		ga_accels_index(list, ga_accel_builtin,
				(size_t)(ga_accel_builtin_end - ga_accel_builtin));
	else if (ga_accels_load(list, file, false, err) < 0)
		return -1;
	if (load_drop_ins(list, err) < 0 || ga_accels_check_slugs(list, err) < 0)
		return -1;
	*ret = GA_TAKE(list);
	return 0;
}

int ga_accels_add_files(struct ga_accels *list, char *const *files, int n, struct ga_err *err)
{
	int i;

	for (i = 0; i < n; i++)
		if (ga_accels_load(list, files[i], true, err) < 0)
			return -1;
	return ga_accels_check_slugs(list, err);
}

void ga_accels_close(struct ga_accels *list)
{
	size_t i;

	if (!list)
		return;
	for (i = 0; i < list->entries.n; i++) {
		struct ga_accel_entry *e = &list->entries.v[i];

		if (e->type)
			ga_schema_release(&ga_accelerator_schema, e->type);
		free(e->type);
		free(e->slug);
	}
	for (i = 0; i < list->files.n; i++)
		free(list->files.v[i].name);
	ga_accels_forget_words(list);
	ga_accels_rest_release(&list->lazy->rest);
	ga_list_release(&list->entries);
	ga_list_release(&list->lazy->refs);
	ga_list_release(&list->files);
	free(list->lazy);
	free(list);
}

void ga_cleanup_accels(struct ga_accels **list)
{
	ga_accels_close(*list);
}

/* ---- types ---- */

struct ga_accel_entry *ga_accels_entry(const struct ga_accels *list, const char *slug)
{
	size_t lo = 0, hi = list->entries.n;

	while (slug && lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = strcmp(slug, list->entries.v[mid].slug);

		if (!order)
			return &list->entries.v[mid];
		if (order < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

void ga_accels_put(struct ga_accels *list, struct ga_accel_type *type, const char *origin)
{
	struct ga_accel_entry *e = ga_accels_entry(list, type->slug);
	size_t at;

	if (e && e->type) {
		ga_schema_release(&ga_accelerator_schema, e->type);
		free(e->type);
	}
	if (!e) {
		(void)ga_list_add(&list->entries);
		for (at = list->entries.n - 1;
		     at && strcmp(list->entries.v[at - 1].slug, type->slug) > 0; at--)
			list->entries.v[at] = list->entries.v[at - 1];
		e = &list->entries.v[at];
		*e = (struct ga_accel_entry){ .slug = ga_xstrdup(type->slug) };
	}
	list->lazy->has_refs = false;
	list->lazy->refs.n = 0;
	e->type = type;
	e->text = NULL;
	e->origin = origin;
	free(type->origin);
	type->origin = ga_xstrdup(origin);
}

const struct ga_accel_type *ga_accels_type(const struct ga_accels *list, const char *slug)
{
	struct ga_accel_entry *e = ga_accels_entry(list, slug);

	return e ? type_of(e) : NULL;
}

int64_t ga_accel_of_gpu(const struct ga_accel_type *type, int64_t figure)
{
	if (figure == GA_UNKNOWN || !ga_streq(type->figures_per, "card") ||
	    type->gpus_per_card == GA_UNKNOWN || type->gpus_per_card < 2)
		return figure;
	return figure / type->gpus_per_card;
}

/* The first compute capability of NVIDIA that has the precision (CUDA C++ Programming Guide,
 * features by compute capability; PTX ISA, mma), and the architectures of AMD that have it (ROCm,
 * data types and precision support). */
static const struct {
	const char *precision, *capability;
	const char *amd[5];
} precisions[] = {
	{ "fp16", "5.3", { "GCN", "CDNA", "CDNA2", "CDNA3", "CDNA4" } },
	{ "bf16", "8.0", { "CDNA", "CDNA2", "CDNA3", "CDNA4" } },
	{ "tf32", "8.0", { "CDNA3" } },
	{ "fp8", "8.9", { "CDNA3", "CDNA4" } },
	{ "fp4", "10.0", { "CDNA4" } },
};

static int64_t dense_of(const struct ga_accel_type *type, const char *precision)
{
	const struct ga_accel_dense *d = &type->dense;

	return ga_streq(precision, "fp16") ? d->fp16_gflops :
	       ga_streq(precision, "bf16") ? d->bf16_gflops :
	       ga_streq(precision, "tf32") ? d->tf32_gflops :
	       ga_streq(precision, "fp8")  ? d->fp8_gflops :
	       ga_streq(precision, "fp4")  ? d->fp4_gflops :
					     GA_UNKNOWN;
}

int ga_accel_has_precision(const struct ga_accel_type *type, const char *precision)
{
	const struct ga_accel_architecture *a = &type->architecture;
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(precisions); i++)
		if (ga_streq(precisions[i].precision, precision))
			break;
	/* A speed that a source states proves it; a missing one proves nothing. */
	if (i == GA_ARRAY_SIZE(precisions) || dense_of(type, precision) > 0)
		return 1;
	if (ga_streq(type->vendor, "NVIDIA"))
		return a->compute_capability ?
			       ga_version_meets(a->compute_capability, precisions[i].capability) :
			       -1;
	if (!ga_streq(type->vendor, "AMD") || !a->name ||
	    (!ga_starts(a->name, "CDNA") && !ga_starts(a->name, "GCN")))
		return -1;
	for (j = 0; j < 5 && precisions[i].amd[j]; j++)
		if (ga_streq(precisions[i].amd[j], a->name) ||
		    (ga_streq(precisions[i].amd[j], "GCN") && ga_starts(a->name, "GCN")))
			return 1;
	return 0;
}

size_t ga_accels_count(const struct ga_accels *list)
{
	return list->entries.n;
}

const struct ga_accel_type *ga_accels_at(const struct ga_accels *list, size_t i)
{
	return type_of(&list->entries.v[i]);
}

/* ---- PCI ids ---- */

/* The value of the first member KEY of a line: four hex digits, or -1. */
static int64_t hex_member(const char *line, size_t len, const char *key, const char **behind)
{
	const char *at = find(line, len, key);

	if (!at || (size_t)(line + len - at) < strlen(key) + 5)
		return -1;
	at += strlen(key);
	*behind = at;
	return *at == '"' ? strtol(at + 1, NULL, 16) : -1;
}

static void add_ref(struct ga_accel_lazy *lazy, int64_t vendor, int64_t device, size_t entry)
{
	*ga_list_add(&lazy->refs) =
		(struct ga_accel_ref){ (unsigned int)vendor, (unsigned int)device, entry };
}

/* Added types come after the built-in ones. */
const struct ga_accel_lazy *ga_accels_refs(const struct ga_accels *list)
{
	const struct ga_accel_entry *e = list->entries.v;
	struct ga_accel_lazy *lazy = list->lazy;
	size_t i;

	if (lazy->has_refs)
		return lazy;
	for (i = 0; i < list->entries.n; i++)
		if (e[i].text) {
			/* The line is not parsed yet. */
			const char *end = e[i].text + e[i].len, *at = e[i].text;
			int64_t vendor = hex_member(at, e[i].len, "\"vendor_id\":", &at), device;

			while (vendor >= 0 && (device = hex_member(at, (size_t)(end - at),
								   "\"device_id\":", &at)) >= 0)
				add_ref(lazy, vendor, device, i);
		}
	for (i = 0; i < list->entries.n; i++)
		if (!e[i].text) {
			const struct ga_accel_type *type = e[i].type;
			size_t j;

			for (j = 0; type->vendor_id && j < type->pci.n; j++)
				add_ref(lazy, strtol(type->vendor_id, NULL, 16),
					strtol(type->pci.v[j].device_id, NULL, 16), i);
		}
	lazy->has_refs = true;
	return lazy;
}

bool ga_accels_has(const struct ga_accels *list, unsigned int vendor, unsigned int device)
{
	const struct ga_accel_lazy *lazy = ga_accels_refs(list);
	size_t i;

	for (i = 0; i < lazy->refs.n; i++)
		if (lazy->refs.v[i].vendor == vendor && lazy->refs.v[i].device == device)
			return true;
	return false;
}

int64_t ga_accels_memory_mib(const struct ga_accels *list, const char *slug)
{
	const struct ga_accel_type *type = ga_accels_type(list, slug);

	if (!type)
		return 0;
	if (type->memory.gpu_gb != GA_UNKNOWN)
		return type->memory.gpu_gb * 1024;
	return type->memory.reported_mib != GA_UNKNOWN ? type->memory.reported_mib : 0;
}
