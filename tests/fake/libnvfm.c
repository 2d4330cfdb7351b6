/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Fabric Manager for tests, with the interface of libnvfm.so.1.
 *
 * GPUAAS_FAKE_FABRIC names a fabric.json ({"gpus":[{address,module_id}], "partitions":[{id,
 * module_ids}]}); without it nothing answers (FM_ST_CONNECTION_NOT_VALID). Active partitions are
 * kept beside it in FABRIC.json.active, one id a line, so that separate processes share them. A
 * file FABRIC.json.fail with a number makes every activation end with that code.
 */
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "look/nvfm_abi.h"

int fmLibInit(void);
int fmLibShutdown(void);
int fmConnect(void *params, void **handle);
int fmDisconnect(void *handle);
int fmGetSupportedFabricPartitions(void *handle, struct ga_nvfm_list *list);
int fmActivateFabricPartition(void *handle, unsigned int id);
int fmDeactivateFabricPartition(void *handle, unsigned int id);

static bool initialized;

struct fabric {
	json_t *json;
	int lock; /* descriptor of the file of active partitions, held exclusively */
	bool active[GA_NVFM_PARTITIONS];
};

int fmLibInit(void)
{
	initialized = true;
	return GA_NVFM_OK;
}

int fmLibShutdown(void)
{
	initialized = false;
	return GA_NVFM_OK;
}

int fmConnect(void *params, void **handle)
{
	const struct ga_nvfm_connect_v2 *p = params;
	static int token;

	if (!initialized)
		return GA_NVFM_UNINITIALIZED;
	if (p->version != GA_NVFM_VERSION(struct ga_nvfm_connect_v2, 2) &&
	    p->version != GA_NVFM_VERSION(struct ga_nvfm_connect_v1, 1))
		return GA_NVFM_VERSION_MISMATCH;
	if (!getenv("GPUAAS_FAKE_FABRIC"))
		return GA_NVFM_CONNECTION;
	*handle = &token;
	return GA_NVFM_OK;
}

int fmDisconnect(void *handle)
{
	return handle ? GA_NVFM_OK : GA_NVFM_BADPARAM;
}

static void path_of(const char *suffix, char *out, size_t size)
{
	snprintf(out, size, "%s%s", getenv("GPUAAS_FAKE_FABRIC"), suffix);
}

/* Opens and locks; the caller ends with drop(). */
static int take(struct fabric *f)
{
	char path[4096], text[4096];
	const char *p = text;
	ssize_t n;

	memset(f, 0, sizeof(*f));
	f->json = json_load_file(getenv("GPUAAS_FAKE_FABRIC"), 0, NULL);
	if (!f->json)
		return GA_NVFM_NOT_CONFIGURED;
	path_of(".active", path, sizeof(path));
	f->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (f->lock < 0 || flock(f->lock, LOCK_EX) < 0)
		return GA_NVFM_GENERIC;
	n = read(f->lock, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	while (*p) {
		unsigned long id = strtoul(p, NULL, 10);

		if (id < GA_NVFM_PARTITIONS)
			f->active[id] = true;
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	return GA_NVFM_OK;
}

static int drop(struct fabric *f, bool write_back)
{
	int i, r = GA_NVFM_OK;

	if (write_back) {
		if (ftruncate(f->lock, 0) < 0 || lseek(f->lock, 0, SEEK_SET) < 0)
			r = GA_NVFM_GENERIC;
		for (i = 0; i < GA_NVFM_PARTITIONS; i++)
			if (f->active[i] && dprintf(f->lock, "%d\n", i) < 0)
				r = GA_NVFM_GENERIC;
	}
	if (f->lock > 0)
		close(f->lock);
	json_decref(f->json);
	return r;
}

static json_t *partition(const struct fabric *f, unsigned int id)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(f->json, "partitions"), i, one)
		if (json_integer_value(json_object_get(one, "id")) == (json_int_t)id)
			return one;
	return NULL;
}

static void fill_gpu(const struct fabric *f, json_int_t module, struct ga_nvfm_gpu_info *out)
{
	json_t *gpu;
	size_t i;

	out->physical_id = (unsigned int)module;
	out->links_available = out->links_max = 18;
	out->line_rate_mbps = 26562;
	json_array_foreach(json_object_get(f->json, "gpus"), i, gpu)
		if (json_integer_value(json_object_get(gpu, "module_id")) == module)
			snprintf(out->pci_bus_id, sizeof(out->pci_bus_id), "0000%.24s",
				 json_string_value(json_object_get(gpu, "address")));
}

int fmGetSupportedFabricPartitions(void *handle, struct ga_nvfm_list *list)
{
	struct fabric f;
	json_t *one, *module;
	size_t i, j;
	int r;

	if (!handle || !list)
		return GA_NVFM_BADPARAM;
	if (list->version != GA_NVFM_VERSION(struct ga_nvfm_list, 1))
		return GA_NVFM_VERSION_MISMATCH;
	r = take(&f);
	if (r)
		return r;
	list->n = 0;
	list->max = GA_NVFM_PARTITIONS;
	json_array_foreach(json_object_get(f.json, "partitions"), i, one) {
		struct ga_nvfm_partition_info *p = &list->partition[list->n++];

		memset(p, 0, sizeof(*p));
		p->id = (unsigned int)json_integer_value(json_object_get(one, "id"));
		p->active = p->id < GA_NVFM_PARTITIONS && f.active[p->id];
		json_array_foreach(json_object_get(one, "module_ids"), j, module)
			fill_gpu(&f, json_integer_value(module), &p->gpu[p->n_gpus++]);
	}
	return drop(&f, false);
}

/* Whether the two partitions share a GPU. */
static bool overlap(json_t *a, json_t *b)
{
	json_t *x, *y;
	size_t i, j;

	json_array_foreach(json_object_get(a, "module_ids"), i, x)
		json_array_foreach(json_object_get(b, "module_ids"), j, y)
			if (json_equal(x, y))
				return true;
	return false;
}

static int forced_failure(void)
{
	char path[4096];
	FILE *file;
	int code = 0;

	path_of(".fail", path, sizeof(path));
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%d", &code) != 1)
		code = GA_NVFM_GENERIC;
	fclose(file);
	return code;
}

int fmActivateFabricPartition(void *handle, unsigned int id)
{
	struct fabric f;
	unsigned int other;
	int r = handle ? forced_failure() : GA_NVFM_BADPARAM;

	r = r ? r : take(&f);
	if (r)
		return r;
	if (id >= GA_NVFM_PARTITIONS || !partition(&f, id)) {
		drop(&f, false);
		return GA_NVFM_BADPARAM;
	}
	for (other = 0; other < GA_NVFM_PARTITIONS; other++) {
		if (!f.active[other] || !overlap(partition(&f, other), partition(&f, id)))
			continue;
		drop(&f, false);
		return other == id ? GA_NVFM_PARTITION_IN_USE : GA_NVFM_USED_ELSEWHERE;
	}
	f.active[id] = true;
	return drop(&f, true);
}

int fmDeactivateFabricPartition(void *handle, unsigned int id)
{
	struct fabric f;
	int r = handle ? take(&f) : GA_NVFM_BADPARAM;

	if (r)
		return r;
	if (id >= GA_NVFM_PARTITIONS || !f.active[id]) {
		drop(&f, false);
		return GA_NVFM_PARTITION_NOT_IN_USE;
	}
	f.active[id] = false;
	return drop(&f, true);
}
