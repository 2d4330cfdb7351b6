/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods with devices from claims: a table of documents with the expected result for each pod, read
 * forwards and backwards. Also our own slices, read back, for every type of the catalogue that has
 * a driver.
 */
#include "exchange/kube/claim.h"

#include <stdlib.h>
#include <string.h>

#include "exchange/kube/object.h"
#include "exchange/kube/pod.h"
#include "exchange/kube/select.h"
#include "record/rec.h"
#include "t.h"

/* Parts of documents, in which ' stands for ". */
#define POD_OF(name, spec, status) \
	"{'kind':'Pod','metadata':{'name':'" name "','namespace':'m'},'spec':{'nodeName':'n'," \
	spec "},'status':{'phase':'Running'" status "}}"
#define BY_NAME(claim) "{'name':'c-" claim "','resourceClaimName':'" claim "'}"
#define POD(name, claims) POD_OF(name, "'resourceClaims':[" claims "]", "")
#define ASKS(resource) "'containers':[{'resources':{'limits':{'" resource "':1}}}]"
#define CLAIM(name, results) \
	"{'kind':'ResourceClaim','metadata':{'name':'" name "','namespace':'m'},'status':" \
	"{'allocation':{'devices':{'results':[" results "]}}}}"
#define GETS(driver, pool, device) \
	"{'driver':'" driver "','pool':'" pool "','device':'" device "'}"
#define NV(device) GETS("gpu.nvidia.com", "n", device)
#define SLICE_OF(driver, pool, generation, where, devices) \
	"{'kind':'ResourceSlice','spec':{'driver':'" driver "','pool':{'name':'" pool \
	"','generation':" generation "}," where ",'devices':[" devices "]}}"
#define SLICE(devices) SLICE_OF("gpu.nvidia.com", "n", "1", "'nodeName':'n'", devices)
#define ATTR(name, text) "'" name "':{'string':'" text "'}"
#define DEV(name, attributes) "{'name':'" name "','attributes':{" attributes "}}"
#define NAMED(name, product) DEV(name, ATTR("type", "gpu") "," ATTR("productName", product))
#define NODE(labels, has) \
	"{'kind':'Node','metadata':{'name':'n','labels':{" labels "}},'status':{'capacity':{" has \
	"}}}"
#define PRODUCT(name) "'nvidia.com/gpu.product':'" name "'"

#define H200 "nvidia-h200-141gb"
#define FROM_H200 "missing " H200 " device - gpu.nvidia.com"

static const struct {
	const char *name, *document; /* without the brackets of the list */
	const char *want; /* of each pod: state type basis warning resource */
} cases[] = {
	{ "a claim of one device",
	  POD("a", BY_NAME("c")) "," CLAIM("c", NV("g")) "," SLICE(NAMED("g", "NVIDIA H200")),
	  "a " FROM_H200 },
	{ "two pods share a claim",
	  POD("a", BY_NAME("c")) "," POD("b", BY_NAME("c")) "," CLAIM("c", NV("g")) ","
	  SLICE(NAMED("g", "NVIDIA H200")),
	  "a " FROM_H200 "\nb " FROM_H200 },
	{ "from a template, by the status",
	  POD_OF("a", "'resourceClaims':[{'name':'x','resourceClaimTemplateName':'t'}]",
		 ",'resourceClaimStatuses':[{'name':'y','resourceClaimName':'d'},"
		 "{'name':'x','resourceClaimName':'c'}]") ","
	  CLAIM("c", NV("g")) "," CLAIM("d", NV("h")) ","
	  SLICE(NAMED("g", "NVIDIA H200") "," NAMED("h", "NVIDIA L4")),
	  "a " FROM_H200 },
	{ "from a template, none made yet",
	  POD_OF("a", "'resourceClaims':[{'name':'x','resourceClaimTemplateName':'t'}]", "") ","
	  SLICE(""),
	  "a unknown - - claim_missing -" },
	{ "from a template, none needed",
	  POD_OF("a", "'resourceClaims':[{'name':'x','resourceClaimTemplateName':'t'}]",
		 ",'resourceClaimStatuses':[{'name':'x'}]") ","
	  SLICE(""),
	  "" },
	{ "claims are of a namespace",
	  "{'kind':'Pod','metadata':{'name':'a','namespace':'other'},'spec':{'resourceClaims':["
	  BY_NAME("c") "]},'status':{'phase':'Running'}}," CLAIM("c", NV("g")) ","
	  SLICE(NAMED("g", "NVIDIA H200")),
	  "a unknown - - claim_missing -" },
	{ "a claim that is not there",
	  POD("a", BY_NAME("c")) "," SLICE(NAMED("g", "NVIDIA H200")),
	  "a unknown - - claim_missing -" },
	{ "no claim and no slice came at all", POD("a", BY_NAME("c")) "," NODE("", ""), "" },
	{ "a claim that is not allocated",
	  POD("a", BY_NAME("c")) ",{'kind':'ResourceClaim','metadata':{'name':'c','namespace':'m'},"
	  "'status':{}}",
	  "a unknown - - claim_unallocated -" },
	{ "a device in no slice",
	  POD("a", BY_NAME("c")) "," CLAIM("c", NV("h")) "," SLICE(NAMED("g", "NVIDIA H200")) ","
	  NODE(PRODUCT("NVIDIA-H200"), "'nvidia.com/gpu':1"),
	  "a unknown - - device_missing gpu.nvidia.com" },
	{ "another pool's, another driver's",
	  POD("a", BY_NAME("c")) "," POD("b", BY_NAME("d")) ","
	  CLAIM("c", GETS("gpu.nvidia.com", "o", "g")) ","
	  CLAIM("d", GETS("gpu.amd.com", "n", "g")) "," SLICE(NAMED("g", "NVIDIA H200")),
	  "a unknown - - device_missing gpu.nvidia.com\n"
	  "b unknown - - device_missing gpu.amd.com" },
	{ "devices of two types",
	  POD("a", BY_NAME("c")) "," CLAIM("c", NV("g") "," NV("h")) ","
	  SLICE(NAMED("g", "NVIDIA H200") "," NAMED("h", "NVIDIA L4")),
	  "a unknown - - several_types gpu.nvidia.com" },
	{ "two claims of one type, and of two",
	  POD("a", BY_NAME("c") "," BY_NAME("d")) "," POD("b", BY_NAME("c") "," BY_NAME("e")) ","
	  CLAIM("c", NV("g")) "," CLAIM("d", NV("h")) "," CLAIM("e", NV("i")) ","
	  SLICE(NAMED("g", "NVIDIA H200") "," NAMED("h", "NVIDIA H200") ","
		NAMED("i", "NVIDIA L4")),
	  "a " FROM_H200 "\nb unknown - - several_types gpu.nvidia.com" },
	{ "one claim told, one not there",
	  POD("a", BY_NAME("c") "," BY_NAME("d")) "," CLAIM("c", NV("g")) ","
	  SLICE(NAMED("g", "NVIDIA H200")),
	  "a unknown - - claim_missing gpu.nvidia.com" },
	{ "a claim of another kind of device beside it, before and behind",
	  POD("a", BY_NAME("x") "," BY_NAME("c")) "," POD("b", BY_NAME("c") "," BY_NAME("x")) ","
	  POD("x", BY_NAME("x")) ","
	  CLAIM("c", NV("g") "," GETS("nic.example", "n", "e")) ","
	  CLAIM("x", GETS("nic.example", "n", "e")) "," SLICE(NAMED("g", "NVIDIA H200")) ","
	  SLICE_OF("nic.example", "n", "1", "'nodeName':'n'", NAMED("e", "NVIDIA L4")),
	  "a " FROM_H200 "\nb " FROM_H200 },
	{ "who only watches a device does not have it",
	  POD("a", BY_NAME("c")) ","
	  CLAIM("c", "{'driver':'gpu.nvidia.com','pool':'n','device':'g','adminAccess':true}") ","
	  SLICE(NAMED("g", "NVIDIA H200")),
	  "" },
	{ "beside a resource",
	  POD_OF("a", ASKS("nvidia.com/gpu") ",'resourceClaims':[" BY_NAME("c") "]", "") ","
	  POD_OF("b", ASKS("nvidia.com/gpu") ",'resourceClaims':[" BY_NAME("x") "]", "") ","
	  POD_OF("d", ASKS("nvidia.com/gpu") ",'resourceClaims':[" BY_NAME("y") "]", "") ","
	  POD_OF("e", ASKS("nvidia.com/gpu") ",'resourceClaims':[" BY_NAME("l") "]", "") ","
	  CLAIM("c", NV("g")) "," CLAIM("l", NV("l")) ","
	  CLAIM("x", GETS("nic.example", "n", "e")) ","
	  SLICE(NAMED("g", "NVIDIA H200") "," NAMED("l", "NVIDIA L4")) ","
	  NODE(PRODUCT("NVIDIA-H200"), "'nvidia.com/gpu':1"),
	  "a missing " H200 " node - nvidia.com/gpu\n"
	  "b missing " H200 " node - nvidia.com/gpu\n"
	  "d unknown - - claim_missing nvidia.com/gpu\n"
	  "e unknown - - several_resources nvidia.com/gpu" },
	{ "a resource that a driver serves, beside another",
	  POD_OF("a", ASKS("nvidia.com/gpu':1,'nvidia.com/mig-1g.18gb"),
		 ",'extendedResourceClaimStatus':{'resourceClaimName':'c'}") ","
	  CLAIM("c", NV("g")) "," SLICE(NAMED("g", "NVIDIA L4")) ","
	  NODE(PRODUCT("NVIDIA-H200"), "'nvidia.com/gpu':1"),
	  "a unknown - - several_resources nvidia.com/gpu" },
	{ "a resource that a driver serves",
	  POD_OF("a", ASKS("nvidia.com/gpu"),
		 ",'extendedResourceClaimStatus':{'resourceClaimName':'c'}") ","
	  POD_OF("b", ASKS("nvidia.com/gpu"),
		 ",'extendedResourceClaimStatus':{'resourceClaimName':'x'}") ","
	  POD_OF("d", ASKS("nvidia.com/gpu"),
		 ",'extendedResourceClaimStatus':{'resourceClaimName':'gone'}") ","
	  CLAIM("c", NV("g")) "," CLAIM("x", GETS("nic.example", "n", "e")) ","
	  SLICE(NAMED("g", "NVIDIA L4")) "," NODE(PRODUCT("NVIDIA-H200"), "'nvidia.com/gpu':1"),
	  "a missing nvidia-l4-24gb device - nvidia.com/gpu\n"
	  "b missing " H200 " node - nvidia.com/gpu\n"
	  "d missing " H200 " node - nvidia.com/gpu" },
	{ "the highest generation of a pool counts, in all of its slices",
	  POD("a", BY_NAME("c")) "," POD("b", BY_NAME("d")) "," POD("e", BY_NAME("e")) ","
	  CLAIM("c", NV("g")) "," CLAIM("d", NV("h")) "," CLAIM("e", NV("i")) ","
	  SLICE_OF("gpu.nvidia.com", "n", "9", "'nodeName':'n'",
		   NAMED("g", "NVIDIA L4") "," NAMED("i", "NVIDIA L4")) ","
	  SLICE_OF("gpu.nvidia.com", "n", "10", "'nodeName':'n'", NAMED("g", "NVIDIA H200")) ","
	  SLICE_OF("gpu.nvidia.com", "n", "10", "'nodeName':'n'", NAMED("h", "NVIDIA H200")) ","
	  SLICE_OF("gpu.nvidia.com", "o", "11", "'nodeName':'n'", NAMED("g", "NVIDIA L4")),
	  "a " FROM_H200 "\nb " FROM_H200 "\n"
	  "e unknown - - device_missing gpu.nvidia.com" },
	{ "a newer slice without devices leaves none",
	  POD("a", BY_NAME("c")) "," CLAIM("c", NV("g")) "," SLICE(NAMED("g", "NVIDIA H200")) ","
	  SLICE_OF("gpu.nvidia.com", "n", "2", "'nodeName':'n'", ""),
	  "a unknown - - device_missing gpu.nvidia.com" },
	{ "a device that is twice in its pool",
	  POD("a", BY_NAME("c")) "," CLAIM("c", NV("g")) "," SLICE(NAMED("g", "NVIDIA H200")) ","
	  SLICE(NAMED("g", "NVIDIA L4")),
	  "a unknown - - device_repeated gpu.nvidia.com" },
	{ "v1beta1 has attributes in basic",
	  POD("a", BY_NAME("c")) "," CLAIM("c", NV("g")) ","
	  SLICE("{'name':'g','basic':{'attributes':{" ATTR("productName", "NVIDIA H200") "}}}"),
	  "a " FROM_H200 },
	{ "attributes in the driver's domain, and in another",
	  POD("a", BY_NAME("c")) "," POD("b", BY_NAME("d")) "," CLAIM("c", NV("g")) ","
	  CLAIM("d", NV("h")) ","
	  SLICE(DEV("g", ATTR("gpu.nvidia.com/productName", "NVIDIA H200")) ","
		DEV("h", ATTR("example.com/productName", "NVIDIA H200"))),
	  "a " FROM_H200 "\nb unknown - - node_missing gpu.nvidia.com" },
	{ "parts and passed-through GPUs",
	  POD("a", BY_NAME("c")) "," POD("b", BY_NAME("d")) "," CLAIM("c", NV("g")) ","
	  CLAIM("d", NV("h")) ","
	  SLICE(DEV("g", ATTR("type", "mig") "," ATTR("profile", "1g.18gb") ","
			 ATTR("productName", "NVIDIA H200")) ","
		DEV("h", ATTR("type", "vfio") "," ATTR("vendorID", "0x10de") ","
			 ATTR("deviceID", "0x2335"))),
	  "a " FROM_H200 "\nb " FROM_H200 },
	{ "memory settles a name of two, as long as it is the GPU's own",
	  POD("a", BY_NAME("c")) "," POD("b", BY_NAME("d")) "," CLAIM("c", NV("g")) ","
	  CLAIM("d", NV("h")) ","
	  SLICE("{'name':'g','attributes':{" ATTR("type", "gpu") ","
		ATTR("productName", "NVIDIA-H100") "},'capacity':{'memory':{'value':'95830Mi'}}},"
		"{'name':'h','attributes':{" ATTR("type", "mig") ","
		ATTR("productName", "NVIDIA-H100") "},'capacity':{'memory':{'value':'95830Mi'}}}"),
	  "a missing nvidia-h100-sxm5-94gb device - gpu.nvidia.com\n"
	  "b unknown - - node_missing gpu.nvidia.com" },
	{ "the node settles a name of two",
	  POD("a", BY_NAME("c")) "," CLAIM("c", NV("g")) "," SLICE(NAMED("g", "NVIDIA-H100")) ","
	  NODE("'accelerator.gpuaas/type-override':'nvidia-h100-sxm5-80gb'," PRODUCT("NVIDIA-H100"),
	       "'nvidia.com/gpu':1"),
	  "a missing nvidia-h100-sxm5-80gb node - gpu.nvidia.com" },
	{ "the node shows neither of the two",
	  POD("a", BY_NAME("c")) "," CLAIM("c", NV("g")) "," SLICE(NAMED("g", "NVIDIA-H100")) ","
	  NODE(PRODUCT("NVIDIA-H200"), "'nvidia.com/gpu':1"),
	  "a unknown - - nothing_there gpu.nvidia.com" },
	{ "a device that says nothing has the type of its node",
	  POD("a", BY_NAME("c")) "," CLAIM("c", NV("g")) "," SLICE("{'name':'g'}") ","
	  NODE(PRODUCT("NVIDIA-H200"), "'nvidia.com/gpu':1"),
	  "a missing " H200 " node - gpu.nvidia.com" },
	{ "and on a node of several types that of its maker, if that is one",
	  POD("a", BY_NAME("c")) "," POD("b", BY_NAME("d")) "," CLAIM("c", NV("g")) ","
	  CLAIM("d", NV("h") "," NV("g")) ","
	  SLICE("{'name':'g'}," NAMED("h", "NVIDIA H200")) ","
	  NODE(PRODUCT("NVIDIA-H200") ",'beta.amd.com/gpu.device-id.740f':'2'",
	       "'nvidia.com/gpu':1,'amd.com/gpu':2"),
	  "a missing " H200 " resource - gpu.nvidia.com\n"
	  "b missing " H200 " resource - gpu.nvidia.com" },
	{ "a part in MIG is of nothing that has none",
	  POD("a", BY_NAME("c")) "," CLAIM("c", NV("g")) ","
	  SLICE(DEV("g", ATTR("type", "mig"))) ","
	  NODE(PRODUCT("NVIDIA-L4"), "'nvidia.com/gpu':1"),
	  "a unknown - - nothing_there gpu.nvidia.com" },
	{ "a node of two types of its maker does not tell",
	  POD("a", BY_NAME("c")) "," CLAIM("c", GETS("gpu.amd.com", "n", "g")) ","
	  SLICE_OF("gpu.amd.com", "n", "1", "'nodeName':'n'", "{'name':'g'}") ","
	  NODE("'beta.amd.com/gpu.device-id.74a1':'4','beta.amd.com/gpu.device-id.740f':'4'",
	       "'amd.com/gpu':8"),
	  "a unknown - - mixed_node gpu.amd.com" },
	{ "the node of the device counts before that of the slice, in v1 and in basic",
	  POD("a", BY_NAME("c")) "," POD("b", BY_NAME("d")) "," CLAIM("c", NV("g")) ","
	  CLAIM("d", NV("h")) ","
	  SLICE_OF("gpu.nvidia.com", "n", "1", "'nodeName':'gone'",
		   "{'name':'g','nodeName':'n'},{'name':'h','basic':{'nodeName':'n'}}") ","
	  NODE(PRODUCT("NVIDIA-H200"), "'nvidia.com/gpu':1"),
	  "a missing " H200 " node - gpu.nvidia.com\n"
	  "b missing " H200 " node - gpu.nvidia.com" },
	{ "a device of no node that says nothing",
	  POD("a", BY_NAME("c")) "," CLAIM("c", NV("g")) ","
	  SLICE_OF("gpu.nvidia.com", "n", "1", "'allNodes':true", "{'name':'g'}") ","
	  NODE(PRODUCT("NVIDIA-H200"), "'nvidia.com/gpu':1"),
	  "a unknown - - type_unknown gpu.nvidia.com" },
	{ "a product that the catalogue does not have is not what the node has",
	  POD("a", BY_NAME("c")) "," CLAIM("c", NV("g")) "," SLICE(NAMED("g", "NVIDIA Z900")) ","
	  NODE(PRODUCT("NVIDIA-H200"), "'nvidia.com/gpu':1"),
	  "a unknown - - type_unknown gpu.nvidia.com" },
	{ "AMD's, by product; its deviceID is no PCI id",
	  POD("a", BY_NAME("c")) "," POD("b", BY_NAME("d")) ","
	  CLAIM("c", GETS("gpu.amd.com", "n", "g")) ","
	  CLAIM("d", GETS("gpu.amd.com", "n", "h")) ","
	  SLICE_OF("gpu.amd.com", "n", "1", "'nodeName':'n'",
		   DEV("g", ATTR("type", "amdgpu") "," ATTR("deviceID", "0x740f") ","
			    ATTR("productName", "AMD_Instinct_MI300X_OAM")) ","
		   DEV("h", ATTR("type", "amdgpu-partition") ","
			    ATTR("productName", "AMD_Instinct_MI300X_OAM"))),
	  "a missing amd-mi300x-192gb device - gpu.amd.com\n"
	  "b missing amd-mi300x-192gb device - gpu.amd.com" },
	{ "Intel's, by PCI id",
	  POD("a", BY_NAME("c")) "," POD("b", BY_NAME("d")) ","
	  CLAIM("c", GETS("gpu.intel.com", "n", "g")) ","
	  CLAIM("d", GETS("gpu.intel.com", "n", "h")) ","
	  SLICE_OF("gpu.intel.com", "n", "1", "'nodeName':'n'",
		   DEV("g", ATTR("model", "Flex 140") "," ATTR("pciId", "0x56c1")) ","
		   DEV("h", ATTR("model", "Unknown") "," ATTR("pciId", "0x7d67"))),
	  "a missing intel-flex-140-12gb device - gpu.intel.com\n"
	  "b unknown - - type_unknown gpu.intel.com" },
	{ "Gaudi's, by model; Unknown says nothing",
	  POD("a", BY_NAME("c")) "," POD("b", BY_NAME("d")) "," POD("e", BY_NAME("e")) ","
	  CLAIM("c", GETS("gaudi.intel.com", "n", "g")) ","
	  CLAIM("d", GETS("gaudi.intel.com", "n", "h")) ","
	  CLAIM("e", GETS("gaudi.intel.com", "n", "i")) ","
	  SLICE_OF("gaudi.intel.com", "n", "1", "'nodeName':'n'",
		   DEV("g", ATTR("model", "Gaudi2")) "," DEV("h", ATTR("model", "Gaudi3")) ","
		   DEV("i", ATTR("model", "Unknown"))) ","
	  NODE("'accelerator.gpuaas/type-override':'intel-gaudi3-128gb'", "'habana.ai/gaudi':8"),
	  "a missing intel-gaudi2-96gb device - gaudi.intel.com\n"
	  "b missing intel-gaudi3-128gb node - gaudi.intel.com\n"
	  "e missing intel-gaudi3-128gb node - gaudi.intel.com" },
};

/* ---- a document ---- */

struct seen {
	const struct ga_accels *list;
	struct ga_kube_claims *claims;
	GA_LIST(struct ga_kube_pod) pods;
	GA_LIST(struct ga_node_view) nodes;
};

static void release(struct seen *s)
{
	size_t i;

	for (i = 0; i < s->pods.n; i++)
		ga_kube_pod_release(&s->pods.v[i]);
	for (i = 0; i < s->nodes.n; i++)
		ga_schema_release(&ga_node_view_schema, &s->nodes.v[i]);
	ga_list_release(&s->pods);
	ga_list_release(&s->nodes);
	ga_kube_claims_free(s->claims);
}

static const struct ga_node_view *node_of(char *name, void *arg)
{
	const struct seen *s = arg;
	size_t i;

	for (i = 0; i < s->nodes.n; i++)
		if (!strcmp(s->nodes.v[i].node, name))
			return &s->nodes.v[i];
	return NULL;
}

static int take(struct seen *s, json_t *item, struct ga_err *err)
{
	int r = ga_kube_claims_take(s->claims, item, err);
	struct ga_kube_node node;

	if (r)
		return r < 0 ? -1 : 0;
	if (ga_streq(json_string_value(json_object_get(item, "kind")), "Pod"))
		return ga_kube_pod(item, ga_list_add(&s->pods), err);
	if (ga_kube_node(item, &node, err) < 0)
		return -1;
	ga_kube_view(s->list, &node, NULL, 0, ga_list_add(&s->nodes));
	return 0;
}

static void tell(const struct seen *s, const struct ga_kube_pod *pod, struct ga_str *out)
{
	const struct ga_kube_claims *claims = ga_kube_claims_any(s->claims) ? s->claims : NULL;
	struct ga_pod_patch p;

	if (!ga_kube_pod_counts(pod, claims))
		return;
	ga_kube_pod_patch(s->list, pod, pod->node ? node_of(pod->node, (void *)(uintptr_t)s) : NULL,
			  claims, &p);
	ga_str_addf(out, "%s%s %s %s %s %s %s", out->len ? "\n" : "", p.name, p.state,
		    p.type ? p.type : "-", p.basis ? p.basis : "-",
		    p.warnings.n ? p.warnings.v[0].code : "-", p.resource ? p.resource : "-");
	ga_schema_release(&ga_pod_patch_schema, &p);
}

/* The findings about the pods by their names; or the error. */
static char *told(const struct ga_accels *list, json_t *items, bool backwards)
{
	struct seen s = { .list = list, .claims = ga_kube_claims_new() };
	ga_autostr struct ga_str out = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	size_t i, n = json_array_size(items);
	int r = 0;

	for (i = 0; i < n && r == 0; i++)
		r = take(&s, json_array_get(items, backwards ? n - 1 - i : i), &err);
	if (r == 0)
		r = ga_kube_claims_judge(s.claims, list, node_of, &s, &err);
	if (r < 0)
		ga_str_add(&out, err.msg);
	for (i = 0; i < s.pods.n && r == 0; i++)
		tell(&s, &s.pods.v[backwards ? s.pods.n - 1 - i : i], &out);
	release(&s);
	return ga_str_take(&out);
}

static json_t *items_of(const char *document)
{
	ga_autofree char *text = ga_xprintf("[%s]", document);
	json_t *items;
	char *p;

	for (p = text; *p; p++)
		if (*p == '\'')
			*p = '"';
	items = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	t_ok(json_is_array(items), "a list");
	return items;
}

static void check(const struct ga_accels *list, const char *name, const char *document,
		  const char *want)
{
	ga_autojson json_t *items = items_of(document);
	ga_autofree char *forwards = told(list, items, false);
	ga_autofree char *backwards = told(list, items, true);

	t_str(forwards, want, "%s", name);
	t_str(backwards, want, "%s, backwards", name);
}

static void refused(const struct ga_accels *list)
{
	check(list, "a claim that came twice",
	      CLAIM("c", NV("g")) "," CLAIM("c", NV("h")),
	      "ResourceClaim 'm/c' is in the document more than once");
	check(list, "a claim without name", "{'kind':'ResourceClaim'}", "it has no name");
	check(list, "a device without pool", CLAIM("c", "{'driver':'gpu.nvidia.com','device':'g'}"),
	      "a device of it has no pool or no name");
	check(list, "a slice without pool", "{'kind':'ResourceSlice','spec':{'driver':"
	      "'gpu.nvidia.com'}}", "its pool has no name");
	check(list, "a device without name", SLICE("{}"), "a device of it has no name");
}

/* One item again and again: so many of its devices are taken, and one more is not. */
static void bounded(const char *document, size_t each, const char *want)
{
	struct ga_kube_claims *claims = ga_kube_claims_new();
	ga_autojson json_t *items = items_of(document);
	json_t *item = json_array_get(items, 0), *list, *one;
	struct ga_err err = GA_ERR_INIT;
	size_t i;
	int r = 1;

	list = json_object_get(json_object_get(item, "spec"), "devices");
	if (!list)
		list = json_object_get(json_object_get(json_object_get(json_object_get(
			item, "status"), "allocation"), "devices"), "results");
	one = json_array_get(list, 0);
	for (i = 1; i < each; i++)
		json_array_append(list, one);
	for (i = 0; i < GA_KUBE_DEVICES / each && r == 1; i++)
		r = ga_kube_claims_take(claims, item, &err);
	t_int(r, 1, "a million devices are taken: %s", err.msg);
	t_code(ga_kube_claims_take(claims, item, &err), &err, GA_BADREC, want, "and no more");
	ga_kube_claims_free(claims);
}

/* ---- our own slices ---- */

static void round_trip(const struct ga_accels *list, const struct ga_accel_type *type)
{
	const char *driver = ga_kube_driver(type);
	const struct ga_kube_device device = { 3, type, "0000:19:00.0", 0 };
	ga_autofree char *document = ga_xprintf(POD("a", BY_NAME("c")) ","
						CLAIM("c", GETS("%s", "n", "gpu-3")), driver);
	ga_autofree char *want = ga_xprintf("a missing %s device - %s", type->slug, driver);
	ga_autojson json_t *items = items_of(document);
	ga_autofree char *said = NULL;

	json_array_append_new(items, ga_kube_slice("n", driver, &device, 1, 0, 1));
	said = told(list, items, false);
	t_str(said, want, "%s: our own slice, read back", type->slug);
}

int main(void)
{
	ga_autoaccels struct ga_accels *list = NULL;
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	ga_accels_drop_ins(NULL);
	if (ga_accels_open(NULL, &list, &err) < 0)
		return 1;
	for (i = 0; i < GA_ARRAY_SIZE(cases); i++)
		check(list, cases[i].name, cases[i].document, cases[i].want);
	refused(list);
	bounded(SLICE("{'name':'g'}"), 10000, "more than 1000000 devices of slices");
	bounded(CLAIM("c", NV("g")), 10000, "more than 1000000 devices of claims");
	for (i = 0; i < ga_accels_count(list); i++)
		if (ga_kube_driver(ga_accels_at(list, i)))
			round_trip(list, ga_accels_at(list, i));
	return t_done();
}
