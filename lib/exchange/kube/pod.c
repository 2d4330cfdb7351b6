/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the type of a pod's accelerators. */
#include "exchange/kube/pod.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "record/rec.h"

#define NAME_MOST 253

void ga_kube_pod_release(struct ga_kube_pod *p)
{
	size_t i;

	free(p->namespace);
	free(p->name);
	free(p->uid);
	free(p->node);
	free(p->annotated);
	free(p->served);
	free(p->unmade);
	for (i = 0; i < p->claims.n; i++)
		free(p->claims.v[i]);
	for (i = 0; i < p->resources.n; i++)
		free(p->resources.v[i]);
	ga_list_release(&p->claims);
	ga_list_release(&p->resources);
	memset(p, 0, sizeof(*p));
}

/* ---- the resources and claims of a pod ---- */

static char *plain(const char *text)
{
	return ga_printable(ga_xstrndup(text, NAME_MOST));
}

/* Adds each requested resource; the amount does not matter. */
static void read_resources(json_t *object, struct ga_kube_pod *ret)
{
	const char *key;
	json_t *ignored;
	size_t i;

	json_object_foreach(object, key, ignored) {
		int64_t n;

		if (!ga_kube_vendor(key) || ga_kube_number(object, key, &n) <= 0 || !n)
			continue;
		ga_autofree char *name = plain(key);
		for (i = 0; i < ret->resources.n && strcmp(ret->resources.v[i], name) != 0; i++)
			;
		if (i < ret->resources.n)
			continue;
		if (i < GA_KUBE_POD_RESOURCES)
			*ga_list_add(&ret->resources) = GA_TAKE(name);
		else
			ret->more_resources = true;
	}
}

/* For extended resources, limits and requests are equal where both exist. */
static void read_containers(json_t *list, struct ga_kube_pod *ret)
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one) {
		json_t *asked = json_object_get(one, "resources");

		read_resources(json_object_get(asked, "limits"), ret);
		read_resources(json_object_get(asked, "requests"), ret);
	}
}

static char *text_of(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && *text ? plain(text) : NULL;
}

/* The names of ResourceClaims that were made for the pod, by the pod's names for them. */
static json_t *made_claims(json_t *status)
{
	json_t *made = json_object(), *one;
	size_t i;

	json_array_foreach(json_object_get(status, "resourceClaimStatuses"), i, one) {
		const char *name = json_string_value(json_object_get(one, "name"));
		json_t *claim = json_object_get(one, "resourceClaimName");

		if (name)
			json_object_set_new(made, name, claim ? json_incref(claim) : json_null());
	}
	return made;
}

/* A claim has a name, or is made from a template. A status entry without a name: the pod needs
 * none. */
static void read_claims(json_t *spec, json_t *status, struct ga_kube_pod *ret)
{
	ga_autojson json_t *made = made_claims(status);
	json_t *one;
	size_t i;

	ret->served = text_of(json_object_get(status, "extendedResourceClaimStatus"),
			      "resourceClaimName");
	json_array_foreach(json_object_get(spec, "resourceClaims"), i, one) {
		const char *name = json_string_value(json_object_get(one, "name"));
		char *claim = text_of(one, "resourceClaimName");

		if (!claim && name)
			claim = text_of(made, name);
		if (claim)
			*ga_list_add(&ret->claims) = claim;
		else if (!ret->unmade && name && !json_object_get(made, name))
			ret->unmade = plain(name);
	}
}

int ga_kube_pod(json_t *item, struct ga_kube_pod *ret, struct ga_err *err)
{
	json_t *metadata = json_object_get(item, "metadata"), *spec = json_object_get(item, "spec");
	json_t *status = json_object_get(item, "status");
	const char *kind = json_string_value(json_object_get(item, "kind"));

	memset(ret, 0, sizeof(*ret));
	if (!ga_streq(kind, "Pod"))
		return ga_refuse(err, GA_BADREC, NULL, NULL,
				 ("it is a %.32s, not a Pod", kind ? kind : "thing"),
				 ("kubectl get pods,nodes -A -o json"));
	ret->name = text_of(metadata, "name");
	if (!ret->name)
		return ga_fail(err, GA_BADREC, "it has no name");
	ret->namespace = text_of(metadata, "namespace");
	if (!ret->namespace)
		ret->namespace = ga_xstrdup("default");
	ret->uid = text_of(metadata, "uid");
	ret->node = text_of(spec, "nodeName");
	ret->annotated = text_of(json_object_get(metadata, "annotations"), GA_KUBE_TYPE);
	ret->running = ga_streq(json_string_value(json_object_get(status, "phase")), "Running");
	read_containers(json_object_get(spec, "containers"), ret);
	read_containers(json_object_get(spec, "initContainers"), ret);
	read_claims(spec, status, ret);
	return 0;
}

/* ---- the decision ---- */

static void warn(struct ga_pod_patch *p, const char *code, const char *fmt, ...) GA_PRINTF(3, 4);

static void warn(struct ga_pod_patch *p, const char *code, const char *fmt, ...)
{
	struct ga_pod_warning *w = ga_list_add(&p->warnings);
	char buf[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	w->code = ga_xstrdup(code);
	w->sentence = ga_printable(ga_xstrdup(buf));
}

static const char *state_of(const struct ga_pod_patch *p)
{
	if (!p->type)
		return "unknown";
	if (!p->annotated)
		return "missing";
	return strcmp(p->annotated, p->type) ? "wrong" : "right";
}

/* Joins the result of one claim to the results of the others. */
static void join_claim(const struct ga_kube_claimed *c, const char *name,
		       struct ga_kube_answer *ret, const char **driver)
{
	struct ga_kube_answer one = { 0 };

	if (!c) {
		ga_kube_tell(&one, "claim_missing", "its claim '%s' is not in the document", name);
	} else {
		one = c->answer;
		one.sentence = ga_strdup0(one.sentence);
		*driver = *driver ? *driver : c->driver;
	}
	ga_kube_answer_join(ret, &one, GA_KUBE_BY_CLAIMS);
}

/* Joins the results of the pod's claims. Returns the driver of its accelerators, or NULL. */
static const char *answer_by_claims(const struct ga_kube_pod *pod,
				    const struct ga_kube_claims *claims,
				    struct ga_kube_answer *ret)
{
	const char *driver = NULL;
	size_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; claims && i < pod->claims.n && !ret->code; i++)
		join_claim(ga_kube_claims_find(claims, pod->namespace, pod->claims.v[i]),
			   pod->claims.v[i], ret, &driver);
	if (claims && pod->unmade && !ret->code)
		ga_kube_tell(ret, "claim_missing", "no ResourceClaim was made yet for its claim "
			     "'%s'", pod->unmade);
	return driver;
}

bool ga_kube_pod_counts(const struct ga_kube_pod *pod, const struct ga_kube_claims *claims)
{
	struct ga_kube_answer answer;
	bool counts;

	if (!pod->running || pod->resources.n)
		return pod->running;
	(void)answer_by_claims(pod, claims, &answer);
	counts = answer.type || answer.code;
	ga_kube_answer_release(&answer);
	return counts;
}

static void answer_by_node(const struct ga_accels *list, const struct ga_kube_pod *pod,
			   const char *resource, const struct ga_node_view *node,
			   struct ga_kube_answer *ret)
{
	struct ga_kube_want want = {
		.what = resource,
		.vendor = ga_kube_vendor(resource),
		.mig = ga_starts(resource, "nvidia.com/mig-"),
	};

	memset(ret, 0, sizeof(*ret));
	if (node)
		ga_kube_settle(list, &want, node, ret);
	else if (pod->node)
		ga_kube_tell(ret, "node_missing", "its node '%s' is not in the document",
			     pod->node);
	else
		ga_kube_tell(ret, "node_missing", "it runs, and no spec.nodeName says on which "
			     "node");
}

/* Whether a driver serves the pod's resource: then the pod's devices are those of that claim. */
static bool answer_by_service(const struct ga_kube_pod *pod, const struct ga_kube_claims *claims,
			      struct ga_kube_answer *ret)
{
	const struct ga_kube_claimed *c =
		claims && pod->served ? ga_kube_claims_find(claims, pod->namespace, pod->served) :
					NULL;
	const char *driver = NULL;

	if (!c || !c->driver)
		return false;
	join_claim(c, pod->served, ret, &driver);
	return true;
}

/* Reports that resources or drivers of a pod are not known to be of one type. */
static void tell_several(const struct ga_kube_pod *pod, const char *driver,
			 struct ga_kube_answer *answer)
{
	ga_autofree char *why = GA_TAKE(answer->sentence);
	ga_autostr struct ga_str all = GA_STR_INIT;
	size_t i, n = pod->resources.n + (driver != NULL);

	for (i = 0; i < n; i++)
		ga_str_addf(&all, "%s%s", !i ? "" : i == n - 1 ? " and " : ", ",
			    i < pod->resources.n ? pod->resources.v[i] : driver);
	*answer = (struct ga_kube_answer){ 0 };
	ga_kube_tell(answer, "several_resources", "it has %.256s, and %s", all.buf, why);
}

/* Sets the type, or the reason why there is none. ret->resource is the first resource of the pod.
 * With several resources it is not known which of them a driver serves, so the node is checked for
 * each. */
static void tell(const struct ga_accels *list, const struct ga_kube_pod *pod,
		 const struct ga_node_view *node, const struct ga_kube_claims *claims,
		 struct ga_pod_patch *ret, struct ga_kube_answer *answer)
{
	const char *driver = answer_by_claims(pod, claims, answer);
	size_t i, n = pod->resources.n;
	bool served;

	ret->resource = ga_strdup0(n ? pod->resources.v[0] : driver);
	if (!n || (answer->code && !driver))
		return;
	served = !answer->code && answer_by_service(pod, claims, answer);
	for (i = 0; i < n && !(served && n == 1); i++) {
		struct ga_kube_answer one;

		answer_by_node(list, pod, pod->resources.v[i], node, &one);
		ga_kube_answer_join(answer, &one, "they are");
	}
	if (pod->more_resources && !answer->code)
		ga_kube_tell(answer, "several_resources", "it requests more than these");
	if (answer->code && n + (driver != NULL) > 1)
		tell_several(pod, driver, answer);
}

void ga_kube_pod_patch(const struct ga_accels *list, const struct ga_kube_pod *pod,
		       const struct ga_node_view *node, const struct ga_kube_claims *claims,
		       struct ga_pod_patch *ret)
{
	struct ga_kube_answer answer;

	ga_schema_init(&ga_pod_patch_schema, ret);
	ret->namespace = ga_xstrdup(pod->namespace);
	ret->name = ga_xstrdup(pod->name);
	ret->uid = ga_strdup0(pod->uid);
	ret->node = ga_strdup0(pod->node);
	ret->annotated = ga_strdup0(pod->annotated);
	tell(list, pod, node, claims, ret, &answer);
	if (answer.code)
		warn(ret, answer.code, "%s", answer.sentence);
	ret->type = ga_strdup0(answer.type);
	ret->basis = ga_strdup0(answer.basis);
	ret->state = ga_xstrdup(state_of(ret));
	if (ga_streq(ret->state, "wrong"))
		warn(ret, "annotation_wrong", "its annotation says '%s'", ret->annotated);
	else if (!ret->type && ret->annotated)
		warn(ret, "annotation_unproven", "its annotation says '%s', which nothing here "
						 "shows", ret->annotated);
	if (ret->type && !ga_streq(ret->state, "right")) {
		struct ga_pod_change *patch = ga_xcalloc(1, sizeof(*patch));

		patch->metadata.annotations = json_pack("{s:s}", GA_KUBE_TYPE, ret->type);
		ret->patch = patch;
	}
	ga_kube_answer_release(&answer);
}
