/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of labels and resources: which are numbers, and which resources are accelerators. */
#include "kube.h"

#include <inttypes.h>
#include <string.h>

#include "kube_view.h"
#include "rec.h"
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

static int64_t or_none(int64_t n)
{
	return n == GA_UNKNOWN ? -1 : n;
}

/* "GPUs, allocatable, type of the first, first warning" of a node with these labels and
 * these resources, in which ' stands for ". */
static char *said_of(const struct ga_accels *list, const char *labels, const char *has)
{
	static const struct ga_manual_types none = { NULL, 0 };
	ga_autofree char *text = ga_xprintf(
		"{'metadata':{'name':'n','labels':{%s}},'status':{'capacity':{%s},"
		"'allocatable':{%s}}}", labels, has, has);
	ga_autojson json_t *item = NULL;
	struct ga_err err = GA_ERR_INIT;
	struct ga_kube_node node;
	struct ga_node_view v;
	char *p, *said;

	for (p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	item = parsed(text);
	t_ok(!ga_kube_node(item, &node, &err), "a node: %s", err.msg);
	ga_kube_view(list, &node, &none, 0, &v);
	said = ga_xprintf("%" PRId64 " %" PRId64 " %s %s",
			  or_none(v.gpus), or_none(v.allocatable),
			  v.types.n && v.types.v[0].type ? v.types.v[0].type : "-",
			  v.warnings.n ? v.warnings.v[0].code : "-");
	ga_shape_release(&ga_node_view_shape, &v);
	return said;
}

#define H200 "'nvidia.com/gpu.product':'NVIDIA-H200'"
#define MI250 "'amd.com/gpu.device-id':'740c'"

/* Numbers that cannot be are told, and nothing is made of them. */
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
		{ "", "'habana.ai/gaudi':9223372036854775807", "0 -1 - -" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *said = said_of(list, rows[i].labels, rows[i].has);

		t_str(said, rows[i].want, "%s %s", rows[i].labels, rows[i].has);
	}
}

/* What goes beside accelerators is none, and a name of the same ones does not count twice. */
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
	return t_done();
}
