/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-export pods: the accelerator types of running pods of Kubernetes, as patches. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/export/export.h"
#include "cli/frame/types.h"
#include "exchange/kube/pod.h"

static bool all;

const struct ga_opt ga_cli_pods_opts[] = {
	{ .name = "all", .type = GA_O_FLAG, .var = &all,
	  .help = "also pods whose annotation is right already" },
	GA_OPTS_END,
};

/* kubectl prints pods before nodes, so we keep everything until the end; of pods, claims and slices
 * only a few texts. */
struct pods {
	struct ga_accels *list;
	struct ga_manual_types manual;
	int64_t now;
	GA_LIST(struct ga_kube_pod) pods;
	GA_LIST(struct ga_node_view) nodes; /* sorted after the end of the input */
	struct ga_kube_claims *claims;
};

static void cleanup_pods(struct pods *p)
{
	size_t i;

	for (i = 0; i < p->pods.n; i++)
		ga_kube_pod_release(&p->pods.v[i]);
	for (i = 0; i < p->nodes.n; i++)
		ga_schema_release(&ga_node_view_schema, &p->nodes.v[i]);
	ga_list_release(&p->pods);
	ga_list_release(&p->nodes);
	ga_kube_claims_free(p->claims);
	ga_manual_types_release(&p->manual);
	ga_accels_close(p->list);
}

static int take_item(json_t *item, size_t number, void *arg, struct ga_err *err)
{
	const char *kind = json_string_value(json_object_get(item, "kind"));
	struct pods *p = arg;
	struct ga_kube_pod pod;
	struct ga_kube_node node;
	int r = ga_kube_claims_take(p->claims, item, err);

	(void)number;
	if (r)
		return r < 0 ? -1 : 0;
	if (ga_streq(kind, "Node")) {
		if (ga_kube_node(item, &node, err) < 0)
			return -1;
		ga_kube_view(p->list, &node, &p->manual, p->now, ga_list_add(&p->nodes));
		return 0;
	}
	if (ga_kube_pod(item, &pod, err) < 0) {
		ga_kube_pod_release(&pod);
		return -1;
	}
	if (pod.running && (pod.resources.n || pod.claims.n || pod.unmade))
		*ga_list_add(&p->pods) = pod;
	else
		ga_kube_pod_release(&pod);
	return 0;
}

static int by_node(const void *a, const void *b)
{
	const struct ga_node_view *x = a, *y = b;

	return strcmp(x->node, y->node);
}

static const struct ga_node_view *node_of(char *name, void *arg)
{
	const struct ga_node_view key = { .node = name };
	const struct pods *p = arg;

	return p->nodes.n ? bsearch(&key, p->nodes.v, p->nodes.n, sizeof(key), by_node) : NULL;
}

static int emit_one(struct pods *p, const struct ga_kube_pod *pod, struct ga_err *err)
{
	const struct ga_kube_claims *claims = ga_kube_claims_any(p->claims) ? p->claims : NULL;
	const struct ga_node_view *node = pod->node ? node_of(pod->node, p) : NULL;
	struct ga_pod_patch patch;
	int r = 0;

	if (!ga_kube_pod_counts(pod, claims))
		return 0;
	ga_kube_pod_patch(p->list, pod, node, claims, &patch);
	if (all || !ga_streq(patch.state, "right"))
		r = ga_emit(&ga_pod_patch_schema, &patch, err);
	ga_schema_release(&ga_pod_patch_schema, &patch);
	return r;
}

int ga_cli_pods(struct ga_err *err)
{
	ga_cleanup(cleanup_pods) struct pods p = { .now = ga_clock_micros(),
						       .claims = ga_kube_claims_new() };
	char *const *args;
	size_t i;
	const char *file;
	int n, r, fd;

	args = ga_cli_args(&n);
	if (ga_cli_export_output())
		return ga_fail(err, GA_USAGE, "--output is for the other formats: records go to "
					      "standard output");
	if (ga_cli_catalogue(&p.list, err) < 0 || ga_cli_manual_types(&p.manual, err) < 0)
		return -1;
	file = n ? args[0] : "-";
	if (!strcmp(file, "-") && ga_cli_need_pipe("pods and nodes", err) < 0)
		return -1;
	fd = ga_cli_open(file, err);
	if (fd < 0)
		return -1;
	r = ga_kube_items(fd, file, take_item, &p, err);
	if (fd)
		close(fd);
	if (r < 0)
		return -1;
	if (p.nodes.n)
		qsort(p.nodes.v, p.nodes.n, sizeof(*p.nodes.v), by_node);
	if (ga_kube_claims_judge(p.claims, p.list, node_of, &p, err) < 0)
		return -1;
	for (i = 0; i < p.pods.n && r == 0; i++)
		r = emit_one(&p, &p.pods.v[i], err);
	return r;
}
