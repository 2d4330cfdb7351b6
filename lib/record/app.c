/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of app.h, and the rules of a manifest. */
#include "record/app.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record/id.h"
#include "record/request.h"
#include "record/words.h"

const char *const ga_stack_words[] = { "cuda", "rocm", "oneapi", "neuron", "synapse", "xla", NULL };

static const char *const runtimes[] = { "oci",	 "jupyter",    "vllm",	    "slurm",
					"kubernetes", "system_vm", NULL };
static const char *const spans[] = { "single_node", "multi_node", NULL };

#define S ga_app
const struct ga_schema ga_app_schema = {
	.kind = "gpuaas.app/1",
	.doc = "an app and the machine that it needs; gpuaas-state apply stores a changed one as a "
	       "new version",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME,
			"name of the app; no word of requirement.stack"),
		GA_SERIAL(S, version, GA_OPT, "version; gpuaas-state apply sets it"),
		GA_TEXT(S, title, GA_REQ, GA_T_ANY, "the app in one line, for people"),
		GA_ENUM(S, runtime, GA_REQ, runtimes,
			"software that runs the app; a system_vm is a VM of the operator, and runs "
			"on slices only"),
		GA_ENUM(S, span, GA_REQ, spans,
			"whether the app runs on one machine or on several; multi_node runs on "
			"baremetal only"),
		GA_FIELD(S, shapes, GA_F_TEXTS, GA_REQ, .values = ga_schema_words,
			 .doc = "shapes of the machines that the app runs on; one or more"),
		GA_INTS_IN(S, counts, GA_OPT, 1, GA_REQUEST_GPUS,
			   "numbers of GPUs that one machine can have; none: any number"),
		GA_TEXTS(S, vendors, GA_OPT, GA_T_ANY,
			 "vendors of accelerators, as the catalogue names them; none: any"),
		GA_TEXTS(S, types, GA_OPT, GA_T_NAME,
			 "accelerator types, as slugs of the catalogue; none: any"),
		GA_ENUM(S, stack, GA_OPT, ga_stack_words,
			"software platform that the app was built for"),
		GA_MIB(S, min_memory_mib, GA_OPT, "least memory of one GPU in MiB, nominal"),
		GA_TEXT(S, min_compute_capability, GA_OPT, GA_T_ANY,
			"lowest CUDA compute capability, such as 8.0"),
		GA_TEXT(S, driver_min, GA_OPT, GA_T_ANY,
			"lowest version of the GPU driver in the image, such as 550.54"),
		GA_TEXT(S, cuda_min, GA_OPT, GA_T_ANY,
			"lowest CUDA version that the driver in the image supports, such as 12.4"),
		GA_TEXTS(S, image_features, GA_OPT, GA_T_NAME,
			 "features of the image, all required; such as docker"),
		GA_BOOL_OPT(S, retired, "true: not for new allocations"),
		GA_FIELDS_END },
};
#undef S

#define S ga_app_fit
const struct ga_schema ga_app_fit_schema = {
	.kind = "gpuaas.app-fit/1",
	.doc = "whether an app can run on a live allocation (gpuaas-list allocations --explain)",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_NAME, "name of the allocation"),
		GA_ENUM(S, state, GA_REQ, ga_allocation_states, "state of the allocation"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node id"),
		GA_TEXT(S, project, GA_REQ, GA_T_NAME, "project"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "profile"),
		GA_TEXT(S, app, GA_REQ, GA_T_NAME, "app"),
		GA_SERIAL(S, app_version, GA_REQ, "version of the app"),
		GA_BOOL(S, fits, "true: the app can run on the allocation"),
		GA_LISTOF(S, reasons, &ga_match_reason_schema, "reasons why it cannot"),
		GA_FIELDS_END },
};
#undef S

/* "Intel Habana" makes Gaudi. */
static const char *const stack_vendors[][2] = {
	{ "cuda", "NVIDIA" },	{ "rocm", "AMD" },	     { "oneapi", "Intel" },
	{ "neuron", "AWS" },	{ "synapse", "Intel Habana" }, { "xla", "Google" },
};

const char *ga_stack_vendor(const char *stack)
{
	size_t i;

	for (i = 0; stack && i < GA_ARRAY_SIZE(stack_vendors); i++)
		if (!strcmp(stack_vendors[i][0], stack))
			return stack_vendors[i][1];
	return NULL;
}

/* Reads one number of a version and the dot after it; -1: there is none. */
static long next_number(const char **text)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)**text))
		return -1;
	n = strtol(*text, &end, 10);
	if (*end == '.' && isdigit((unsigned char)end[1]))
		end++;
	else if (*end)
		return -1;
	*text = end;
	return n;
}

int ga_version_meets(const char *have, const char *want)
{
	int order = 0;

	if (!have || !want || !*have || !*want)
		return -1;
	/* A number that is missing at the end is 0. */
	while (*have || *want) {
		long a = *have ? next_number(&have) : 0, b = *want ? next_number(&want) : 0;

		if (a < 0 || b < 0)
			return -1;
		if (!order)
			order = (a > b) - (a < b);
	}
	return order >= 0;
}

/* ---- the rules of a manifest ---- */

static int bad(const struct ga_app *app, const char *member, const char *why, const char *hint,
	       struct ga_err *err)
{
	return ga_refuse(err, GA_BADREC, NULL, app->name,
			 ("app '%s': member '%s' %s", app->name, member, why), ("%s", hint));
}

static int check_once(const struct ga_app *app, const char *member, const struct ga_texts *list,
		      struct ga_err *err)
{
	size_t i, j;

	for (i = 0; i < list->n; i++) {
		if (!*list->v[i])
			return bad(app, member, "has an empty text", "leave it out", err);
		for (j = 0; j < i; j++)
			if (!strcmp(list->v[j], list->v[i]))
				return bad(app, member, "has a text twice", "give each once", err);
	}
	return 0;
}

static int check_version(const struct ga_app *app, const char *member, const char *text,
			 const char *like, struct ga_err *err)
{
	ga_autofree char *hint = ga_xprintf("a version is such as %s", like);

	return !text || ga_version_meets(text, text) == 1 ?
		       0 :
		       bad(app, member, "is no version of numbers and dots", hint, err);
}

int ga_app_check(const struct ga_app *app, struct ga_err *err)
{
	size_t i, j;

	if (ga_stack_vendor(app->name))
		return bad(app, "name", "is a word for a software platform",
			   "give it another name; the member stack takes the platform", err);
	if (!*app->title)
		return bad(app, "title", "is empty", "one line for people", err);
	if (!app->shapes.n)
		return bad(app, "shapes", "is empty", "[\"slice\"], [\"baremetal\"] or both", err);
	if (!strcmp(app->span, "multi_node") &&
	    (app->shapes.n != 1 || strcmp(app->shapes.v[0], "baremetal")))
		return bad(app, "shapes", "for span multi_node can only be [\"baremetal\"]",
			   "a slice reaches no other node; span single_node is for slices", err);
	if (!strcmp(app->runtime, "system_vm") &&
	    (app->shapes.n != 1 || strcmp(app->shapes.v[0], "slice")))
		return bad(app, "shapes", "for a system_vm can only be [\"slice\"]",
			   "gpuaas runs no VM on a baremetal node", err);
	for (i = 0; i < app->counts.n; i++)
		for (j = 0; j < i; j++)
			if (app->counts.v[j] == app->counts.v[i])
				return bad(app, "counts", "has a number twice", "give each once",
					   err);
	if (check_once(app, "shapes", &app->shapes, err) < 0 ||
	    check_once(app, "vendors", &app->vendors, err) < 0 ||
	    check_once(app, "types", &app->types, err) < 0 ||
	    check_once(app, "image_features", &app->image_features, err) < 0 ||
	    check_version(app, "min_compute_capability", app->min_compute_capability, "8.0", err) <
		    0 ||
	    check_version(app, "driver_min", app->driver_min, "550.54", err) < 0 ||
	    check_version(app, "cuda_min", app->cuda_min, "12.4", err) < 0)
		return -1;
	return 0;
}
