/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA Fabric Manager by dlopen. */
#include "look/nvfm.h"

#include <dlfcn.h>

#include "base/dl.h"
#include "look/nvfm_abi.h"
#include "look/sys.h"
#include "record/pciaddr.h"

#define CONNECT_TIMEOUT_MS 1000
#define DEFAULT_ADDRESS "127.0.0.1"
#define DEFAULT_PORT "6666"

typedef int (*fn_void)(void);
typedef int (*fn_connect)(void *params, void **handle);
typedef int (*fn_disconnect)(void *handle);
typedef int (*fn_list)(void *handle, struct ga_nvfm_list *list);

struct ga_nvfm {
	char *name; /* of the library */
	void *library, *handle;
	bool started;
	fn_void init, shutdown;
	fn_connect connect;
	fn_disconnect disconnect;
	fn_list list;
};

static const struct {
	int code;
	const char *reason, *sentence;
	bool retry;
} codes[] = {
	{ GA_NVFM_BADPARAM, "fm_bad_parameter", "it does not know this partition", false },
	{ GA_NVFM_GENERIC, "fm_generic", "an error it does not name; see its log", false },
	{ GA_NVFM_NOT_SUPPORTED, "fm_not_supported", "not in this FABRIC_MODE", false },
	{ GA_NVFM_UNINITIALIZED, "fm_uninitialized", "its library is not initialized", false },
	{ GA_NVFM_TIMEOUT, "fm_timeout", "it did not answer in time", true },
	{ GA_NVFM_VERSION_MISMATCH, "fm_version_mismatch", "its version differs", false },
	{ GA_NVFM_IN_USE, "fm_in_use", "the partition or a GPU of it is in use", false },
	{ GA_NVFM_NOT_CONFIGURED, "fm_not_configured", "it is still starting", true },
	{ GA_NVFM_CONNECTION, "fm_connection", "the connection is gone", true },
	{ GA_NVFM_NVLINK, "fm_nvlink_error", "NVLink training failed: hardware", false },
	{ GA_NVFM_RESOURCE_BAD, "fm_resource_bad", "a GPU or NVSwitch is bad", false },
	{ GA_NVFM_RESOURCE_IN_USE, "fm_resource_in_use", "a GPU is in use", false },
	{ GA_NVFM_RESOURCE_NOT_IN_USE, "fm_resource_not_in_use", "a GPU is not in use", false },
	{ GA_NVFM_RESOURCE_EXHAUSTED, "fm_resource_exhausted", "no resource is left", false },
	{ GA_NVFM_RESOURCE_NOT_READY, "fm_resource_not_ready", "a GPU is not ready", true },
	{ GA_NVFM_PARTITION_EXISTS, "fm_partition_exists", "the partition exists", false },
	{ GA_NVFM_PARTITION_IN_USE, "fm_partition_in_use", "the partition is active", false },
	{ GA_NVFM_PARTITION_NOT_IN_USE, "fm_partition_not_in_use", "the partition is not active",
	  false },
	{ GA_NVFM_NOT_READY, "fm_not_ready", "it is not ready", true },
	{ GA_NVFM_USED_HERE, "fm_used_in_this_partition", "a GPU is used in this partition",
	  false },
	{ GA_NVFM_USED_ELSEWHERE, "fm_used_in_another_partition",
	  "a GPU is used in another partition", false },
};

int ga_nvfm_failed(int code, const char *what, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(codes); i++)
		if (codes[i].code == code)
			return ga_fail_for(err, GA_EXTERNAL, codes[i].reason,
					   "Fabric Manager: cannot %s: %s (%d)", what,
					   codes[i].sentence, code);
	return ga_fail_for(err, GA_EXTERNAL, "fm_other", "Fabric Manager: cannot %s: code %d", what,
			   code);
}

bool ga_nvfm_retry(const struct ga_err *err)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(codes); i++)
		if (ga_streq(err->reason, codes[i].reason))
			return codes[i].retry;
	return false;
}

void ga_nvfm_close(struct ga_nvfm *fm)
{
	if (!fm)
		return;
	if (fm->handle)
		fm->disconnect(fm->handle);
	if (fm->started)
		fm->shutdown();
	if (fm->library)
		dlclose(fm->library);
	free(fm->name);
	free(fm);
}

void ga_cleanup_nvfm(struct ga_nvfm **fm)
{
	ga_nvfm_close(*fm);
}

int ga_nvfm_find(const struct ga_nvfm *fm, const char *name, void *function, struct ga_err *err)
{
	if (!ga_dl_find(fm->library, name, function))
		return ga_fail(err, GA_HOST, "'%s' is not the Fabric Manager library: %s",
			       fm->name, dlerror());
	return 0;
}

void *ga_nvfm_handle(const struct ga_nvfm *fm)
{
	return fm->handle;
}

static int load(struct ga_nvfm *fm, const char *library, struct ga_err *err)
{
	fn_void command;

	fm->name = ga_xstrdup(library);
	if (ga_dl_open(library, &fm->library, err) < 0)
		return ga_hint(err, "it comes with NVIDIA's nvidia-fabricmanager-dev package; "
			       "needed on hosts with NVSwitches only");
	if (ga_nvfm_find(fm, "fmLibInit", &fm->init, err) < 0 ||
	    ga_nvfm_find(fm, "fmLibShutdown", &fm->shutdown, err) < 0 ||
	    ga_nvfm_find(fm, "fmConnect", &fm->connect, err) < 0 ||
	    ga_nvfm_find(fm, "fmDisconnect", &fm->disconnect, err) < 0 ||
	    ga_nvfm_find(fm, "fmGetSupportedFabricPartitions", &fm->list, err) < 0)
		return -1;
	/* A library without the commands is refused here, before a slot is sold that needs them. */
	if (ga_nvfm_find(fm, "fmActivateFabricPartition", &command, err) < 0 ||
	    ga_nvfm_find(fm, "fmDeactivateFabricPartition", &command, err) < 0)
		return -1;
	return 0;
}

/* Libraries before 2024 know only the first form of the parameters. */
static int connect_to(struct ga_nvfm *fm, const char *address)
{
	bool is_unix = address[0] == '/';
	struct ga_nvfm_connect_v2 p2 = {
		.version = GA_NVFM_VERSION(struct ga_nvfm_connect_v2, 2),
		.timeout_ms = CONNECT_TIMEOUT_MS,
		.is_unix = is_unix,
		.address_type = is_unix ? GA_NVFM_UNIX : GA_NVFM_INET,
	};
	struct ga_nvfm_connect_v1 p1 = {
		.version = GA_NVFM_VERSION(struct ga_nvfm_connect_v1, 1),
		.timeout_ms = CONNECT_TIMEOUT_MS,
		.is_unix = is_unix,
	};
	int r;

	snprintf(p2.address, sizeof(p2.address), "%s%s", address,
		 is_unix || strchr(address, ':') ? "" : ":" DEFAULT_PORT);
	snprintf(p1.address, sizeof(p1.address), "%s", address);
	r = fm->connect(&p2, &fm->handle);
	if (r == GA_NVFM_VERSION_MISMATCH)
		r = fm->connect(&p1, &fm->handle);
	if (r)
		fm->handle = NULL;
	return r;
}

int ga_nvfm_open(const char *library, const char *address, struct ga_nvfm **ret,
		 struct ga_err *err)
{
	ga_autonvfm struct ga_nvfm *fm = ga_xcalloc(1, sizeof(*fm));
	int r;

	if (load(fm, library ? library : "libnvfm.so.1", err) < 0)
		return -1;
	r = fm->init();
	if (r)
		return ga_nvfm_failed(r, "initialize its library", err);
	fm->started = true;
	r = connect_to(fm, address ? address : DEFAULT_ADDRESS);
	if (r) {
		(void)ga_nvfm_failed(r, "connect to it", err);
		err->code = GA_HOST;
		return ga_hint(err, "check 'systemctl status nvidia-fabricmanager' and that "
			       "FABRIC_MODE is 1 in /usr/share/nvidia/nvswitch/fabricmanager.cfg");
	}
	*ret = GA_TAKE(fm);
	return 0;
}

/* Converts "00000000:18:00.0" to Linux's form; "" when it is empty or zero. */
static void read_address(const char *bus_id, char out[GA_PCIADDR_SIZE])
{
	struct ga_err ignored = GA_ERR_INIT;
	char text[32];
	struct ga_pciaddr a;

	snprintf(text, sizeof(text), "%.31s", bus_id);
	out[0] = '\0';
	if (ga_pciaddr_parse(text, &a, &ignored) == 0 && (a.domain || a.bus || a.device))
		ga_pciaddr_format(&a, out);
}

static int by_module(const void *a, const void *b)
{
	const struct ga_nvfm_gpu *x = a, *y = b;

	return x->module_id < y->module_id ? -1 : x->module_id > y->module_id;
}

static int by_id(const void *a, const void *b)
{
	const struct ga_nvfm_partition *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void read_partition(const struct ga_nvfm_partition_info *info,
			   struct ga_nvfm_partition *ret)
{
	unsigned int i;

	*ret = (struct ga_nvfm_partition){ .id = info->id, .active = info->active != 0 };
	for (i = 0; i < info->n_gpus && i < GA_NVFM_GPUS; i++) {
		struct ga_nvfm_gpu *gpu = ga_list_add(&ret->gpus);

		gpu->module_id = info->gpu[i].physical_id;
		read_address(info->gpu[i].pci_bus_id, gpu->pci_address);
		snprintf(gpu->uuid, sizeof(gpu->uuid), "%.79s", info->gpu[i].uuid);
		ga_sys_tidy(gpu->uuid);
	}
	if (ret->gpus.n)
		qsort(ret->gpus.v, ret->gpus.n, sizeof(*ret->gpus.v), by_module);
}

int ga_nvfm_partitions(struct ga_nvfm *fm, struct ga_nvfm_partitions *ret, struct ga_err *err)
{
	ga_autofree struct ga_nvfm_list *list = ga_xcalloc(1, sizeof(*list));
	unsigned int i;
	int r;

	*ret = (struct ga_nvfm_partitions){ 0 };
	list->version = GA_NVFM_VERSION(struct ga_nvfm_list, 1);
	r = fm->list(fm->handle, list);
	if (r)
		return ga_nvfm_failed(r, "list the partitions", err);
	if (list->n > GA_NVFM_PARTITIONS)
		return ga_fail(err, GA_EXTERNAL, "Fabric Manager reports %u partitions, and at "
			       "most %d are possible", list->n, GA_NVFM_PARTITIONS);
	for (i = 0; i < list->n; i++)
		read_partition(&list->partition[i], ga_list_add(ret));
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_id);
	return 0;
}

void ga_nvfm_partitions_release(struct ga_nvfm_partitions *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_list_release(&list->v[i].gpus);
	ga_list_release(list);
}
