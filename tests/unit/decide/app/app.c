/* SPDX-License-Identifier: Apache-2.0 */
/* The predicate of apps: a table of manifests, machines and the reasons between them. */
#include "decide/app/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/accel.h"
#include "record/rec.h"
#include "t.h"

#define APP(members) \
	"{\"kind\":\"gpuaas.app/1\",\"name\":\"a\",\"title\":\"t\",\"runtime\":\"oci\"," \
	"\"span\":\"single_node\",\"shapes\":[\"slice\"]" members "}"
#define ON(shapes, span) \
	"{\"kind\":\"gpuaas.app/1\",\"name\":\"a\",\"title\":\"t\",\"runtime\":\"slurm\"," \
	"\"span\":\"" span "\",\"shapes\":[" shapes "]}"
#define IMAGE(members) \
	"{\"kind\":\"gpuaas.image/1\",\"name\":\"i\",\"digest\":\"sha256:" \
	"0000000000000000000000000000000000000000000000000000000000000000\"," \
	"\"format\":\"raw\",\"file_bytes\":1,\"size_bytes\":1,\"firmware\":\"efi\"," \
	"\"probe\":\"ssh\"" members "}"
#define H200 "nvidia-h200-141gb"
#define MI300 "amd-mi300x-192gb"
#define V100 "nvidia-v100-sxm2-16gb"

static struct ga_accels *accels;

/* "code code" of the reasons. */
static const char *codes_of(const struct ga_match_reasons *list)
{
	static char text[512];
	size_t i, at = 0;

	text[0] = '\0';
	for (i = 0; i < list->n && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i ? " " : "",
				       list->v[i].code);
	return text;
}

static const struct {
	const char *app, *shape;
	int64_t count;
	const char *type, *image; /* image "": named, without a record; "replaced": with
				    * that of another; NULL: not named */
	const char *codes;
	const char *says; /* in a sentence; NULL: not looked at */
} judged[] = {
	{ APP(""), "slice", 1, H200, NULL, "", NULL },
	{ APP(""), "slice", 1, NULL, NULL, "", NULL },
	{ APP(""), "baremetal", 8, H200, NULL, "app_shape", "on slice, not on baremetal" },
	{ ON("\"baremetal\"", "multi_node"), "slice", 1, H200, NULL, "app_shape",
	  "its nodes must reach each other" },
	{ ON("\"baremetal\"", "multi_node"), "baremetal", 8, H200, NULL, "", NULL },
	{ ON("\"slice\",\"baremetal\"", "single_node"), "baremetal", 8, H200, NULL, "",
	  NULL },
	{ APP(",\"retired\":true"), "slice", 1, H200, NULL, "app_retired", NULL },
	{ APP(",\"counts\":[2,4,8]"), "slice", 4, H200, NULL, "", NULL },
	{ APP(",\"counts\":[2,4,8]"), "slice", 1, H200, NULL, "app_count",
	  "runs on 2, 4 or 8 GPUs, not on 1" },
	{ APP(",\"counts\":[1]"), "slice", 2, H200, NULL, "app_count",
	  "runs on 1 GPU, not on 2" },
	{ APP(",\"counts\":[2]"), "slice", GA_UNKNOWN, H200, NULL, "", NULL },
	{ APP(",\"vendors\":[\"nvidia\"]"), "slice", 1, H200, NULL, "", NULL },
	{ APP(",\"vendors\":[\"AMD\",\"NVIDIA\"]"), "slice", 1, MI300, NULL, "", NULL },
	{ APP(",\"vendors\":[\"NVIDIA\"]"), "slice", 1, MI300, NULL, "app_vendor",
	  "of NVIDIA, not of AMD" },
	{ APP(",\"stack\":\"rocm\""), "slice", 1, MI300, NULL, "", NULL },
	{ APP(",\"stack\":\"cuda\""), "slice", 1, MI300, NULL, "app_vendor",
	  "built for cuda" },
	{ APP(",\"stack\":\"cuda\""), "slice", 1, NULL, NULL, "app_type_unknown",
	  "gpuaas-profile nodes set" },
	{ APP(",\"stack\":\"cuda\""), "slice", 1, "own-1gb", NULL, "app_type_unknown",
	  "does not have own-1gb" },
	{ APP(",\"types\":[\"own-1gb\"]"), "slice", 1, "own-1gb", NULL, "", NULL },
	{ APP(",\"types\":[\"" H200 "\"]"), "slice", 1, H200, NULL, "", NULL },
	{ APP(",\"types\":[\"" H200 "\"]"), "slice", 1, V100, NULL, "app_type",
	  "runs on " H200 ", not on " V100 },
	{ APP(",\"types\":[\"" H200 "\"]"), "slice", 1, NULL, NULL, "app_type_unknown",
	  NULL },
	{ APP(",\"min_memory_mib\":144384"), "slice", 1, H200, NULL, "", NULL },
	{ APP(",\"min_memory_mib\":144385"), "slice", 1, H200, NULL, "app_memory",
	  "with 144385 MiB of memory, and nvidia-h200-141gb has 141 GB" },
	{ APP(",\"min_memory_mib\":0"), "slice", 1, NULL, NULL, "", NULL },
	{ APP(",\"min_compute_capability\":\"9.0\""), "slice", 1, H200, NULL, "", NULL },
	{ APP(",\"min_compute_capability\":\"9.0\""), "slice", 1, V100, NULL,
	  "app_capability", "has 7.0" },
	{ APP(",\"min_compute_capability\":\"7.0\""), "slice", 1, MI300, NULL,
	  "app_capability", "of AMD have none" },
	{ APP(",\"driver_min\":\"550.54\""), "slice", 1, H200, NULL, "app_image_unknown",
	  "none is named" },
	{ APP(",\"driver_min\":\"550.54\""), "slice", 1, H200, "", "app_image_unknown",
	  "what is in image 'i'" },
	{ APP(",\"driver_min\":\"550.54\""), "slice", 1, H200, "replaced", "app_image_unknown",
	  "image 'i' was replaced since" },
	{ APP(",\"driver_min\":\"550.54\""), "slice", 1, H200, IMAGE(""), "app_driver",
	  "not known" },
	{ APP(",\"driver_min\":\"550.54\""), "slice", 1, H200,
	  IMAGE(",\"driver_version\":\"550.54\""), "", NULL },
	{ APP(",\"driver_min\":\"550.54\""), "slice", 1, H200,
	  IMAGE(",\"driver_version\":\"550.54.15\""), "", NULL },
	{ APP(",\"driver_min\":\"550.54\""), "slice", 1, H200,
	  IMAGE(",\"driver_version\":\"1000.1\""), "", NULL },
	{ APP(",\"driver_min\":\"550.54.15\""), "slice", 1, H200,
	  IMAGE(",\"driver_version\":\"550.54\""), "app_driver", "image 'i' has 550.54" },
	{ APP(",\"driver_min\":\"550\""), "slice", 1, H200,
	  IMAGE(",\"driver_version\":\"open\""), "app_driver", "no version" },
	{ APP(",\"cuda_min\":\"12.4\""), "slice", 1, H200,
	  IMAGE(",\"cuda_version\":\"12.10\""), "", NULL },
	{ APP(",\"cuda_min\":\"12.4\""), "slice", 1, H200,
	  IMAGE(",\"driver_version\":\"570.1\""), "app_cuda", "--cuda-version" },
	{ APP(",\"cuda_min\":\"12.4\""), "slice", 1, H200,
	  IMAGE(",\"cuda_version\":\"12.3\""), "app_cuda", "has 12.3" },
	{ APP(",\"image_features\":[\"docker\",\"slurm\"]"), "slice", 1, H200,
	  IMAGE(",\"features\":[\"docker\"]"), "app_feature", "with slurm" },
	{ APP(",\"image_features\":[\"docker\",\"slurm\"]"), "slice", 1, H200, IMAGE(""),
	  "app_feature app_feature", "--feature docker" },
	{ APP(",\"image_features\":[\"docker\"]"), "slice", 1, H200,
	  IMAGE(",\"features\":[\"slurm\",\"docker\"]"), "", NULL },
	{ APP(",\"counts\":[2],\"stack\":\"cuda\",\"min_memory_mib\":999999,"
	      "\"min_compute_capability\":\"8.0\",\"cuda_min\":\"12.4\",\"retired\":true"),
	  "baremetal", 1, MI300, NULL,
	  "app_retired app_shape app_count app_vendor app_memory app_capability "
	  "app_image_unknown", NULL },
};

static void reasons(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(judged); i++) {
		const char *type = judged[i].type, *text = judged[i].image;
		ga_autoreasons struct ga_match_reasons found = { 0 };
		struct ga_app_target target = { .shape = judged[i].shape, .count = judged[i].count,
						.type = type, .image_name = text ? "i" : NULL };
		struct ga_err err = GA_ERR_INIT;
		struct ga_image image;
		bool said = !judged[i].says;
		struct ga_app app;
		size_t j;

		t_ok(ga_rec_parse_text(judged[i].app, &ga_app_schema, &app, &err) == 0 &&
		     ga_app_check(&app, &err) == 0, "case %zu: a manifest: %s", i, err.msg);
		target.image_replaced = ga_streq(text, "replaced");
		if (text && *text && !target.image_replaced) {
			t_ok(ga_rec_parse_text(text, &ga_image_schema, &image, &err) == 0,
			     "case %zu: an image: %s", i, err.msg);
			target.image = &image;
		}
		target.facts = type ? ga_accels_type(accels, type) : NULL;
		target.memory_mib = type ? ga_accels_memory_mib(accels, type) : 0;
		t_int((int64_t)ga_app_blockers(&app, &target, &found), (int64_t)found.n,
		      "case %zu: their number", i);
		t_str(codes_of(&found), judged[i].codes, "case %zu", i);
		for (j = 0; j < found.n && !said; j++)
			said = strstr(found.v[j].sentence, judged[i].says) != NULL;
		t_ok(said, "case %zu says '%s'", i, judged[i].says ? judged[i].says : "");
		if (target.image)
			ga_schema_release(&ga_image_schema, &image);
		ga_schema_release(&ga_app_schema, &app);
	}
}

/* Of machines of several sizes one that suits is enough. */
static void sizes(void)
{
	static const struct {
		int64_t allowed, sizes[3], least, want;
	} rows[] = {
		{ 1, { 1, 2 }, GA_UNKNOWN, 1 },
		{ 2, { 1, 2, 4 }, GA_UNKNOWN, 2 },
		{ 2, { 1, 2, 4 }, 4, 4 },
		{ 3, { 1, 2, 4 }, GA_UNKNOWN, 1 },
		{ 3, { 1, 2, 4 }, 2, 2 },
		{ 1, { 1, 2 }, 8, GA_UNKNOWN },
		{ 1, { 0 }, GA_UNKNOWN, GA_UNKNOWN },
	};
	size_t i, n;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_app app = { .name = (char *)(uintptr_t) "a" };
		int64_t allowed = rows[i].allowed;

		app.counts.v = &allowed;
		app.counts.n = 1;
		for (n = 0; n < 3 && rows[i].sizes[n]; n++)
			;
		t_int(ga_app_size_of(&app, rows[i].sizes, n, rows[i].least), rows[i].want,
		      "sizes %zu", i);
	}
}

static void manifests(void)
{
	static const struct {
		const char *text, *member; /* member: in the refusal; NULL: the manifest is good */
	} cases[] = {
		{ APP(",\"counts\":[1,64]"), NULL },
		{ APP(",\"counts\":[2,2]"), "counts" },
		{ APP(",\"types\":[\"x\",\"x\"]"), "types" },
		{ APP(",\"vendors\":[\"\"]"), "vendors" },
		{ APP(",\"image_features\":[\"Docker\"]"), "image_features" },
		{ APP(",\"driver_min\":\"550.x\""), "driver_min" },
		{ APP(",\"driver_min\":\"\""), "driver_min" },
		{ APP(",\"cuda_min\":\"12.\""), "cuda_min" },
		{ APP(",\"min_compute_capability\":\"a\""), "min_compute_capability" },
		{ APP(",\"stack\":\"opencl\""), "stack" },
		{ ON("", "single_node"), "shapes" },
		{ ON("\"whole\"", "single_node"), "shapes" },
		{ ON("\"slice\",\"slice\"", "single_node"), "shapes" },
		{ ON("\"slice\"", "multi_node"), "shapes" },
		{ ON("\"slice\",\"baremetal\"", "multi_node"), "shapes" },
		{ ON("\"baremetal\"", "multi_node"), NULL },
		{ "{\"kind\":\"gpuaas.app/1\",\"name\":\"x\",\"title\":\"t\",\"runtime\":"
		  "\"system_vm\",\"span\":\"single_node\",\"shapes\":[\"slice\"]}", NULL },
		{ "{\"kind\":\"gpuaas.app/1\",\"name\":\"x\",\"title\":\"t\",\"runtime\":"
		  "\"system_vm\",\"span\":\"single_node\",\"shapes\":[\"baremetal\"]}", "shapes" },
		{ "{\"kind\":\"gpuaas.app/1\",\"name\":\"cuda\",\"title\":\"t\",\"runtime\":"
		  "\"oci\",\"span\":\"single_node\",\"shapes\":[\"slice\"]}", "name" },
		{ "{\"kind\":\"gpuaas.app/1\",\"name\":\"x\",\"title\":\"\",\"runtime\":"
		  "\"oci\",\"span\":\"single_node\",\"shapes\":[\"slice\"]}", "title" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		struct ga_app app;
		int r = ga_rec_parse_text(cases[i].text, &ga_app_schema, &app, &err);

		if (r == 0) {
			r = ga_app_check(&app, &err);
			ga_schema_release(&ga_app_schema, &app);
		}
		t_int(r, cases[i].member ? -1 : 0, "manifest %zu: %s", i, err.msg);
		t_ok(!cases[i].member || strstr(err.msg, cases[i].member), "manifest %zu: '%s'", i,
		     err.msg);
	}
}

static void versions(void)
{
	static const struct {
		const char *have, *want;
		int meets;
	} cases[] = {
		{ "12.4", "12.4", 1 },	   { "12.10", "12.9", 1 },  { "12.4", "12.10", 0 },
		{ "12", "12.0.0", 1 },	   { "12.0.1", "12", 1 },   { "11.99", "12", 0 },
		{ "550.54.15", "550", 1 }, { "550", "550.1", 0 },   { "v1", "1", -1 },
		{ "1", "1.", -1 },	   { "1..2", "1", -1 },	    { "", "1", -1 },
		{ NULL, "1", -1 },	   { "1.2", "1.2-3", -1 },  { "2.x", "1", -1 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++)
		t_int(ga_version_meets(cases[i].have, cases[i].want), cases[i].meets, "%s for %s",
		      cases[i].have ? cases[i].have : "-", cases[i].want);
}

int main(void)
{
	struct ga_err err = GA_ERR_INIT;

	ga_accels_drop_ins(NULL);
	if (ga_accels_open(NULL, &accels, &err) < 0) {
		printf("Bail out! %s\n", err.msg);
		return 1;
	}
	reasons();
	sizes();
	manifests();
	versions();
	ga_accels_close(accels);
	return t_done();
}
