/* SPDX-License-Identifier: Apache-2.0 */
/* Pods and nodes of kubectl: what a pod asks for, and the patch of every pod with every node. */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "file.h"
#include "kube_pod.h"
#include "rec.h"

#define MOST 16

static struct ga_accels *list;

struct seen {
	struct ga_kube_pod pods[MOST];
	struct ga_node_view nodes[MOST];
	size_t n_pods, n_nodes;
};

static int take(json_t *item, size_t number, void *arg, struct ga_err *err)
{
	struct seen *s = arg;
	struct ga_kube_node node;
	struct ga_kube_pod pod;

	(void)number;
	if (ga_streq(json_string_value(json_object_get(item, "kind")), "Node")) {
		if (ga_kube_node(item, &node, err) < 0)
			return -1;
		if (s->n_nodes < MOST)
			ga_kube_view(list, &node, NULL, 1795363200000000,
				     &s->nodes[s->n_nodes++]);
		return 0;
	}
	if (ga_kube_pod(item, &pod, err) < 0 || !pod.resource || s->n_pods == MOST) {
		ga_kube_pod_release(&pod);
		return err->code ? -1 : 0;
	}
	s->pods[s->n_pods++] = pod;
	return 0;
}

static void decide(const struct ga_kube_pod *pod, const struct ga_node_view *node)
{
	struct ga_pod_patch patch, back;
	struct ga_err err = GA_ERR_INIT;
	ga_autojson json_t *json = NULL;

	ga_kube_pod_patch(list, pod, node, &patch);
	/* Never a patch without a type, nor a type without its basis. */
	fuzz_check(!patch.patch || patch.type);
	fuzz_check(!patch.type == !patch.basis);
	json = ga_shape_format(&ga_pod_patch_shape, &patch);
	fuzz_check(!ga_shape_parse(&ga_pod_patch_shape, json, &back, &err));
	ga_shape_release(&ga_pod_patch_shape, &back);
	ga_shape_release(&ga_pod_patch_shape, &patch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofd int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct seen s = { .n_pods = 0 };
	struct ga_err err = GA_ERR_INIT;
	size_t i, k;
	int r;

	ga_accels_drop_ins(NULL);
	if (!list && ga_accels_open(NULL, &list, &err) < 0)
		abort();
	if (fd < 0 || ga_write_all(fd, data, size) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	r = ga_kube_items(fd, "input", take, &s, &err);
	fuzz_check(r == 0 || (err.code == GA_BADREC && err.msg[0]));
	for (i = 0; i < s.n_pods; i++) {
		decide(&s.pods[i], NULL);
		for (k = 0; k < s.n_nodes; k++)
			decide(&s.pods[i], &s.nodes[k]);
		ga_kube_pod_release(&s.pods[i]);
	}
	for (k = 0; k < s.n_nodes; k++)
		ga_shape_release(&ga_node_view_shape, &s.nodes[k]);
	return 0;
}
