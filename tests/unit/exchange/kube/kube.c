/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of labels and resources: the valid numbers, and the resources that are accelerators. */
#include "exchange/kube/kube.h"

#include <inttypes.h>
#include <string.h>

#include "exchange/kube/view.h"
#include "record/rec.h"
#include "t.h"

static json_t *parsed(const char *text)
{
	json_error_t why;
	json_t *json = json_loads(text, JSON_DECODE_ANY, &why);

	t_ok(json != NULL, "%s is JSON", text);
	return json;
}

/* r as ga_kube_number has it; n and mib GA_UNKNOWN where there is none. */
static void quantities(void)
{
	static const struct {
		const char *text;
		int r;
		int64_t n, mib;
	} rows[] = {
		{ "8", 1, 8, 0 },
		{ "\"8\"", 1, 8, 0 },
		{ "0", 1, 0, 0 },
		{ "\"1k\"", 1, 1000, 0 },
		{ "\"64Gi\"", 1, INT64_C(68719476736), 65536 },
		{ "\"2113000000Ki\"", 1, INT64_C(2163712000000), 2063476 },
		{ "\"1.5e9\"", 1, 1500000000, 1430 },
		{ "\"1500m\"", -1, GA_UNKNOWN, 0 },
		{ "\"1.5\"", -1, GA_UNKNOWN, 0 },
		/* The largest, and what is beyond, as numbers and as texts. */
		{ "9007199254740991", 1, INT64_C(9007199254740991), INT64_C(8589934591) },
		{ "\"9007199254740991\"", 1, INT64_C(9007199254740991), INT64_C(8589934591) },
		{ "9007199254740992", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "\"9007199254740992\"", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "9000000000000000000", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "9223372036854775807", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "\"9223372036854775807\"", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "\"9000P\"", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "\"1e400\"", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "-1", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "-9223372036854775808", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "\"-1\"", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "1.0", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "\"\"", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "\"8 \"", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "\"0x10\"", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "\"nan\"", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "true", -1, GA_UNKNOWN, GA_UNKNOWN },
		{ "[8]", -1, GA_UNKNOWN, GA_UNKNOWN },
	};
	int64_t n;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autojson json_t *object = json_pack("{s:o}", "x", parsed(rows[i].text));

		t_int(ga_kube_number(object, "x", &n), rows[i].r, "%s: a number", rows[i].text);
		t_int(n, rows[i].n, "%s: which", rows[i].text);
		t_int(ga_kube_memory_mib(object, "x"), rows[i].mib, "%s: MiB", rows[i].text);
		t_int(ga_kube_number(object, "y", &n), 0, "%s: nothing of another name",
		      rows[i].text);
	}
}

/* The view of a node with these labels and these resources, in which ' stands for ". */
static void view_of(const struct ga_accels *list, const char *labels, const char *has,
		    struct ga_node_view *ret)
{
	static const struct ga_manual_types none = { NULL, 0 };
	ga_autofree char *text = ga_xprintf(
		"{'metadata':{'name':'n','labels':{%s}},'status':{'capacity':{%s},"
		"'allocatable':{%s}}}", labels, has, has);
	ga_autojson json_t *item = NULL;
	struct ga_err err = GA_ERR_INIT;
	struct ga_kube_node node;
	char *p;

	for (p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	item = parsed(text);
	t_ok(!ga_kube_node(item, &node, &err), "a node: %s", err.msg);
	ga_kube_view(list, &node, &none, 0, ret);
}

static int64_t or_none(int64_t n)
{
	return n == GA_UNKNOWN ? -1 : n;
}

/* "GPUs, allocatable, type of the first, first warning". */
static char *said_of(const struct ga_accels *list, const char *labels, const char *has)
{
	struct ga_node_view v;
	char *said;

	view_of(list, labels, has, &v);
	said = ga_xprintf("%" PRId64 " %" PRId64 " %s %s",
			  or_none(v.gpus), or_none(v.allocatable),
			  v.types.n && v.types.v[0].type ? v.types.v[0].type : "-",
			  v.warnings.n ? v.warnings.v[0].code : "-");
	ga_schema_release(&ga_node_view_schema, &v);
	return said;
}

#define H200 "'nvidia.com/gpu.product':'NVIDIA-H200'"
#define MI250 "'amd.com/gpu.device-id':'740c'"

/* Impossible numbers are reported, and do not count. */
static void absurd(const struct ga_accels *list)
{
	static const struct {
		const char *labels, *has, *want;
	} rows[] = {
		{ H200, "'nvidia.com/gpu':'8'", "8 8 nvidia-h200-141gb -" },
		{ H200, "'nvidia.com/gpu':9223372036854775807",
		  "-1 -1 nvidia-h200-141gb number_malformed" },
		{ H200, "'nvidia.com/gpu':9007199254740991",
		  "-1 -1 nvidia-h200-141gb number_malformed" },
		{ H200, "'nvidia.com/gpu':1000001", "-1 -1 nvidia-h200-141gb number_malformed" },
		{ H200 ",'nvidia.com/gpu.count':9000000000000000000", "'nvidia.com/gpu':'8'",
		  "8 8 nvidia-h200-141gb number_malformed" },
		{ H200 ",'nvidia.com/gpu.replicas':9000000000000000000", "'nvidia.com/gpu':'8'",
		  "8 8 nvidia-h200-141gb number_malformed" },
		{ H200 ",'nvidia.com/gpu.memory':9223372036854775807", "'nvidia.com/gpu':'8'",
		  "8 8 nvidia-h200-141gb number_malformed" },
		{ H200 ",'nvidia.com/gpu.memory':'9007199254740991'", "'nvidia.com/gpu':'8'",
		  "8 8 nvidia-h200-141gb memory_unit" },
		{ MI250 ",'amd.com/gpu.cu-count':'104','amd.com/gpu.vram':'64G'",
		  "'amd.com/gpu':'4'", "4 4 amd-mi250-128gb -" },
		{ MI250 ",'amd.com/gpu.cu-count':9000000000000000000", "'amd.com/gpu':'4'",
		  "4 4 - number_malformed" },
		{ MI250 ",'amd.com/gpu.cu-count':'9007199254740991'", "'amd.com/gpu':'4'",
		  "4 4 - number_malformed" },
		{ MI250 ",'amd.com/gpu.vram':'999999G'", "'amd.com/gpu':'4'",
		  "4 4 - memory_ratio" },
		{ MI250 ",'amd.com/gpu.vram':'9999999G'", "'amd.com/gpu':'4'",
		  "4 4 - number_malformed" },
		/* Offered devices are there, however many. */
		{ "", "'habana.ai/gaudi':9223372036854775807", "-1 -1 - number_malformed" },
		{ "", "'habana.ai/gaudi':'eight'", "-1 -1 - number_malformed" },
		{ "", "'nvidia.com/gpu':'-4'", "-1 -1 - number_malformed" },
		{ "", "'nvidia.com/gpu.shared':'1e12'", "-1 -1 - number_malformed" },
		{ "", "'nvidia.com/mig-1g.10gb':'x'", "-1 -1 - number_malformed" },
		{ "", "'amd.com/gpu':'8.5'", "-1 -1 - number_malformed" },
		{ "", "'gpu.intel.com/i915':-1", "-1 -1 - number_malformed" },
		{ "", "'gpu.intel.com/xe':null", "-1 -1 - number_malformed" },
		{ "", "'nvidia.com/gpu':'0','amd.com/gpu':0,'gpu.intel.com/xe':'0'", "0 0 - -" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *said = said_of(list, rows[i].labels, rows[i].has);

		t_str(said, rows[i].want, "%s %s", rows[i].labels, rows[i].has);
	}
}

/* A resource beside accelerators is none, and two names of the same ones count once. */
static void resources(const struct ga_accels *list)
{
	static const struct {
		const char *has, *want;
	} rows[] = {
		{ "'gpu.intel.com/i915':'2','gpu.intel.com/i915_monitoring':'1',"
		  "'gpu.intel.com/millicores':'2000','gpu.intel.com/memory.max':'32000000000',"
		  "'gpu.intel.com/tiles':'2'", "2 2 - label_missing" },
		{ "'gpu.intel.com/xe':'2','gpu.intel.com/monitoring':'1'", "2 2 - label_missing" },
		{ "'gpu.intel.com/monitoring':'1'", "0 -1 - -" },
		{ "'nvidia.com/gpu':'4','nvidia.com/gpumem':'65536'", "4 4 - label_missing" },
		{ "'nvidia.com/gpu':'4','nvidia.com/mig-1g.10gb':'7'", "4 11 - label_missing" },
		{ "'aws.amazon.com/neuron':'16','aws.amazon.com/neuroncore':'32',"
		  "'aws.amazon.com/neurondevice':'16'", "16 16 - -" },
		{ "'aws.amazon.com/neurondevice':'16'", "16 16 - -" },
		{ "'aws.amazon.com/neuroncore':'32'", "0 -1 - -" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *said = said_of(list, "", rows[i].has);

		t_str(said, rows[i].want, "%s", rows[i].has);
	}
}

#define AMD "amd.com/gpu."
#define INTEL "gpu.intel.com/device-id.0380-"
#define PRODUCT "'nvidia.com/gpu.product':"

/* Summary, number of GPUs and warnings of what labels tell of GPUs and of parts of them. */
static const struct {
	const char *labels, *has, *want;
} family_rows[] = {
	/* AMD: a product that nobody knows is none of the GPUs that ids tell of. */
	{ "'"AMD"device-id.74a1':'4','"AMD"device-id.75a3':'4',"
	  "'"AMD"product-name.AMD_Instinct_MI300X_OAM':'4',"
	  "'"AMD"product-name.XX':'4'",
	  "'amd.com/gpu':'8'", "Mixed (4x MI300X, 4x MI355X), 8 label_unknown" },
	{ "'"AMD"device-id.74a1':'4','"AMD"product-name.XX':'4'",
	  "'amd.com/gpu':'8'",
	  "Mixed (4x MI300X, "
	  "4x GPU - type unknown (amd.com/gpu.product-name=XX)), 8 label_unknown" },
	{ "'"AMD"device-id.74a1':'4'",
	  "'amd.com/gpu':'8'",
	  "Mixed (4x MI300X, "
	  "4x GPU - type unknown (amd.com/gpu)), 8 count_mismatch label_missing" },
	{ "'"AMD"device-id.74a1':'4','"AMD"device-id.740f':'4',"
	  "'"AMD"product-name.AMD_Instinct_MI325X':'4'",
	  "'amd.com/gpu':'8'", "Mixed (4x MI300X, 4x MI210), 8 type_conflict" },
	{ "'"AMD"product-name.AMD_Instinct_MI300X_OAM':'4',"
	  "'"AMD"product-name.XX':'4'",
	  "'amd.com/gpu':'8'",
	  "Mixed (4x MI300X, "
	  "4x GPU - type unknown (amd.com/gpu.product-name=XX)), 8 label_unknown" },
	{ "'"AMD"device-id.74a1':'many','"AMD"device-id.740f':'4'",
	  "'amd.com/gpu':'8'", "Mixed (MI300X, 4x MI210), -1 number_malformed" },
	{ "'"AMD"device-id':'0x74A1'",
	  "'amd.com/gpu':'8'", "8x AMD Instinct MI300X 192GB, 8" },
	{ "'"AMD"device-id':'zz'",
	  "'amd.com/gpu':'8'",
	  "8x GPU - type unknown (amd.com/gpu.device-id=zz), 8 number_malformed" },
	/* Divided ones: the node offers parts. */
	{ "'"AMD"device-id':'74a1','"AMD"vram':'24G','"AMD"cu-count':'38',"
	  "'"AMD"compute-memory-partition':'cpx_nps4'",
	  "'amd.com/gpu':'64'", "AMD Instinct MI300X 192GB in 64x cpx_nps4, -1" },
	{ "'"AMD"device-id':'74a1','"AMD"compute-memory-partition':'spx_nps1'",
	  "'amd.com/gpu':'8'", "8x AMD Instinct MI300X 192GB, 8" },
	{ "'beta."AMD"device-id.74a1':'36',"
	  "'beta."AMD"compute-memory-partition.cpx_nps4':'32',"
	  "'beta."AMD"compute-memory-partition.spx_nps1':'4'",
	  "'amd.com/gpu':'36'", "AMD Instinct MI300X 192GB in 32x cpx_nps4, -1" },
	{ "'"AMD"compute-memory-partition':'cpx_nps4'",
	  "'amd.com/gpu':'64'",
	  "GPU - type unknown (amd.com/gpu) in 64x cpx_nps4, -1 label_missing" },
	/* Intel: each id has a count of its own, and a plugin may offer a GPU often. */
	{ "'"INTEL"0bd5.present':'true','"INTEL"56c0.present':'true',"
	  "'gpu.intel.com/product':'Flex_170'",
	  "'gpu.intel.com/i915':'4'", "Mixed (Max 1550, Flex 170), -1" },
	{ "'"INTEL"0bd5.present':'true','"INTEL"0bd5.count':'1',"
	  "'"INTEL"56c0.present':'true','gpu.intel.com/product':'Flex_170'",
	  "'gpu.intel.com/i915':'4'", "Mixed (1x Max 1550, 3x Flex 170), 4" },
	{ "'"INTEL"0bd5.present':'true','gpu.intel.com/device.count':'2'",
	  "'gpu.intel.com/i915':'20'",
	  "2x Intel Data Center GPU Max 1550 128GB, 2 count_mismatch" },
	{ "'"INTEL"0bd5.present':'true','"INTEL"56c0.present':'true',"
	  "'gpu.intel.com/product':'XX'",
	  "'gpu.intel.com/xe':'4'", "Mixed (Max 1550, Flex 170), -1 label_unknown" },
	{ "'"INTEL"zzzz.present':'true'",
	  "'gpu.intel.com/xe':'4'",
	  "4x GPU - type unknown (gpu.intel.com), 4 label_missing" },
	/* NVIDIA: parts in MIG may be shared; how often one is may be unknown. */
	{ PRODUCT "'NVIDIA-H100-80GB-HBM3-MIG-1g.10gb-SHARED',"
	  "'nvidia.com/gpu.count':'56','nvidia.com/gpu.replicas':'2'",
	  "'nvidia.com/gpu':'112'", "NVIDIA H100 80GB in 56x MIG 1g.10gb, -1" },
	{ PRODUCT "'NVIDIA-H100-80GB-HBM3-MIG-1g.10gb-SHARED',"
	  "'nvidia.com/gpu.replicas':'2'",
	  "'nvidia.com/gpu':'112'", "NVIDIA H100 80GB in 56x MIG 1g.10gb, -1" },
	{ PRODUCT "'NVIDIA-A100-SXM4-80GB-SHARED','nvidia.com/gpu.count':'4'",
	  "'nvidia.com/gpu':'40'", "4x NVIDIA A100 80GB in 40x shared, 4" },
	{ PRODUCT "'NVIDIA-A100-SXM4-80GB-SHARED'",
	  "'nvidia.com/gpu':'40'", "NVIDIA A100 80GB in 40x shared, -1" },
	/* A fault of two elements is reported once. */
	{ "'nvidia.com/gpu.count':'4'", "'nvidia.com/gpu':'8'",
	  "Mixed (4x GPU - type unknown (nvidia.com/gpu), "
	  "4x GPU - type unknown (nvidia.com/gpu)), 8 count_mismatch label_missing" },
	/* Times that are none. */
	{ "'nvidia.com/gfd.timestamp':'yesterday'",
	  "", "no GPU, 0 number_malformed" },
};

static void families(const struct ga_accels *list)
{
	size_t i, k;

	for (i = 0; i < GA_ARRAY_SIZE(family_rows); i++) {
		ga_autostr struct ga_str said = GA_STR_INIT;
		struct ga_node_view v;

		view_of(list, family_rows[i].labels, family_rows[i].has, &v);
		ga_str_addf(&said, "%s, %" PRId64, v.summary, or_none(v.gpus));
		for (k = 0; k < v.warnings.n; k++)
			ga_str_addf(&said, " %s", v.warnings.v[k].code);
		t_str(said.buf, family_rows[i].want, "%s %s", family_rows[i].labels,
		      family_rows[i].has);
		ga_schema_release(&ga_node_view_schema, &v);
	}
}

/* 200 of what labels and resources may have any number of make a view of less. */
static void most(const struct ga_accels *list)
{
	static const struct {
		const char *before, *after;
		bool resource;
	} rows[] = {
		{ "beta.amd.com/gpu.device-id.", "", false },
		{ "amd.com/gpu.product-name.X", "", false },
		{ "amd.com/gpu.compute-memory-partition.x", "", false },
		{ "gpu.intel.com/device-id.0380-", ".present", false },
		{ "feature.node.kubernetes.io/pci-1200_10de_", ".present", false },
		{ "nvidia.com/mig-", "", true },
	};
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autostr struct ga_str text = GA_STR_INIT;
		struct ga_node_view v;
		size_t told = 0;

		for (j = 0; j < 200; j++)
			ga_str_addf(&text, "%s'%s%04zx%s':'%s'", j ? "," : "", rows[i].before,
				    j + 1, rows[i].after, *rows[i].after ? "true" : "1");
		view_of(list, rows[i].resource ? "" : text.buf, rows[i].resource ? text.buf : "",
			&v);
		for (j = 0; j < v.warnings.n; j++)
			told += !strcmp(v.warnings.v[j].code, "too_many");
		t_int((int64_t)told, 1, "%s: told once", rows[i].before);
		t_ok(v.types.n <= 66 && v.parts.n <= 66 && v.warnings.n <= 70, "%s: %zu, %zu, %zu",
		     rows[i].before, v.types.n, v.parts.n, v.warnings.n);
		t_int(v.gpus, GA_UNKNOWN, "%s: and how many GPUs is not known", rows[i].before);
		ga_schema_release(&ga_node_view_schema, &v);
	}
}

int main(void)
{
	ga_autoaccels struct ga_accels *list = NULL;
	struct ga_err err = GA_ERR_INIT;

	ga_accels_drop_ins(NULL);
	if (ga_accels_open(NULL, &list, &err) < 0)
		return 1;
	quantities();
	absurd(list);
	resources(list);
	families(list);
	most(list);
	return t_done();
}
