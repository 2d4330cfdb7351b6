/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods, nodes, claims and slices of kubectl: what a pod asks for and what its claims gave it, and
 * the patch of every pod with every node. The order in which claims and slices come tells nothing.
 */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "exchange/kube/pod.h"
#include "record/rec.h"

#define MOST 16
#define ITEMS 64

static struct ga_accels *list;

struct seen {
	struct ga_kube_pod pods[MOST];
	struct ga_node_view nodes[MOST];
	json_t *others[ITEMS]; /* claims and slices */
	struct ga_kube_claims *claims;
	size_t n_pods, n_nodes, n_others;
};

static int take(json_t *item, size_t number, void *arg, struct ga_err *err)
{
	struct seen *s = arg;
	struct ga_kube_node node;
	struct ga_kube_pod pod;
	int r = s->n_others < ITEMS ? ga_kube_claims_take(s->claims, item, err) : 0;

	(void)number;
	if (r > 0)
		s->others[s->n_others++] = json_incref(item);
	if (r)
		return r < 0 ? -1 : 0;
	if (ga_streq(json_string_value(json_object_get(item, "kind")), "Node")) {
		if (ga_kube_node(item, &node, err) < 0)
			return -1;
		if (s->n_nodes < MOST)
			ga_kube_view(list, &node, NULL, 1795363200000000,
				     &s->nodes[s->n_nodes++]);
		return 0;
	}
	if (ga_kube_pod(item, &pod, err) < 0 || s->n_pods == MOST) {
		ga_kube_pod_release(&pod);
		return err->code ? -1 : 0;
	}
	s->pods[s->n_pods++] = pod;
	return 0;
}

static const struct ga_node_view *node_of(char *name, void *arg)
{
	const struct seen *s = arg;
	size_t i;

	for (i = 0; i < s->n_nodes; i++)
		if (!strcmp(s->nodes[i].node, name))
			return &s->nodes[i];
	return NULL;
}

/* The same claims and slices, the last first; NULL when they are refused. */
static struct ga_kube_claims *backwards(struct seen *s)
{
	struct ga_kube_claims *c = ga_kube_claims_new();
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	for (i = s->n_others; i > 0; i--)
		fuzz_check(ga_kube_claims_take(c, s->others[i - 1], &err) == 1);
	if (ga_kube_claims_judge(c, list, node_of, s, &err) == 0)
		return c;
	ga_kube_claims_free(c);
	return NULL;
}

/* The type, the basis and the first warning, allocated. */
static char *decide(const struct ga_kube_pod *pod, const struct ga_node_view *node,
		    const struct ga_kube_claims *claims)
{
	struct ga_pod_patch patch, back;
	struct ga_err err = GA_ERR_INIT;
	ga_autojson json_t *json = NULL;
	char *said;

	if (!ga_kube_pod_counts(pod, claims))
		return ga_xstrdup("");
	ga_kube_pod_patch(list, pod, node, claims, &patch);
	/* Never a patch without a type, nor a type without its basis; and no silence. */
	fuzz_check(!patch.patch || patch.type);
	fuzz_check(!patch.type == !patch.basis);
	fuzz_check(patch.type || patch.warnings.n);
	json = ga_schema_format(&ga_pod_patch_schema, &patch);
	fuzz_check(!ga_schema_parse(&ga_pod_patch_schema, json, &back, &err));
	said = ga_xprintf("%s %s %s", patch.type ? patch.type : "", patch.basis ? patch.basis : "",
			  patch.warnings.n ? patch.warnings.v[0].code : "");
	ga_schema_release(&ga_pod_patch_schema, &back);
	ga_schema_release(&ga_pod_patch_schema, &patch);
	return said;
}

static void decide_all(struct seen *s)
{
	struct ga_err err = GA_ERR_INIT;
	bool good = ga_kube_claims_judge(s->claims, list, node_of, s, &err) == 0;
	struct ga_kube_claims *again = backwards(s);
	size_t i, k;

	fuzz_check(good == (again != NULL));
	for (i = 0; i < s->n_pods; i++) {
		for (k = 0; k <= s->n_nodes; k++) {
			const struct ga_node_view *node = k ? &s->nodes[k - 1] : NULL;
			ga_autofree char *alone = decide(&s->pods[i], node, NULL);
			ga_autofree char *said = good ? decide(&s->pods[i], node, s->claims) : NULL;
			ga_autofree char *same = good ? decide(&s->pods[i], node, again) : NULL;

			fuzz_check(!*alone || s->pods[i].resources.n);
			fuzz_check(!good || !strcmp(said, same));
		}
	}
	ga_kube_claims_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofd int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct seen s = { .claims = ga_kube_claims_new() };
	struct ga_err err = GA_ERR_INIT;
	size_t i;
	int r;

	ga_accels_drop_ins(NULL);
	if (!list && ga_accels_open(NULL, &list, &err) < 0)
		abort();
	if (fd < 0 || ga_write_all(fd, data, size) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	r = ga_kube_items(fd, "input", take, &s, &err);
	fuzz_check(r == 0 || (err.code == GA_BADREC && err.msg[0]));
	if (r == 0)
		decide_all(&s);
	ga_kube_claims_free(s.claims);
	for (i = 0; i < s.n_others; i++)
		json_decref(s.others[i]);
	for (i = 0; i < s.n_pods; i++)
		ga_kube_pod_release(&s.pods[i]);
	for (i = 0; i < s.n_nodes; i++)
		ga_schema_release(&ga_node_view_schema, &s.nodes[i]);
	return 0;
}
