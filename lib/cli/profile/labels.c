/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-profile labels: checks the labels of Kubernetes nodes. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/frame/cli.h"
#include "cli/frame/types.h"
#include "cli/profile/profile.h"
#include "exchange/kube/label.h"

struct checking {
	const struct ga_accels *list;
	int64_t now;
	size_t nodes, bad;
	GA_LIST(struct ga_label_finding) found; /* kept until the end of the input */
};

static int keep(const struct ga_label_finding *f, void *arg, struct ga_err *err)
{
	struct checking *c = arg;

	(void)err;
	ga_schema_copy(&ga_label_finding_schema, f, ga_list_add(&c->found));
	return 0;
}

static int take_item(json_t *item, size_t number, void *arg, struct ga_err *err)
{
	struct checking *c = arg;
	struct ga_kube_node node;
	int bad;

	(void)number;
	if (ga_kube_node(item, &node, err) < 0)
		return -1;
	bad = ga_kube_labels(c->list, &node, c->now, keep, c, err);
	if (bad < 0)
		return -1;
	c->nodes++;
	c->bad += (size_t)bad;
	return 0;
}

static int emit_all(struct checking *c, struct ga_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < c->found.n && r == 0; i++)
		r = ga_emit(&ga_label_finding_schema, &c->found.v[i], err);
	if (r < 0)
		return -1;
	ga_say("%zu node%s, %zu finding%s, %zu of them wrong", c->nodes, c->nodes == 1 ? "" : "s",
	       c->found.n, c->found.n == 1 ? "" : "s", c->bad);
	return c->bad > 0;
}

int ga_cli_labels(struct ga_err *err)
{
	char *const *args;
	int n, fd, r;
	const char *file;
	ga_autoaccels struct ga_accels *list = NULL;
	struct checking c;
	size_t i;

	args = ga_cli_args(&n);
	if (strcmp(args[0], "check") != 0)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("labels has no command '%.64s'", args[0]),
				 ("gpuaas-profile labels check"));
	file = n > 1 ? args[1] : "-";
	c = (struct checking){ .now = ga_clock_micros() };
	if (ga_cli_catalogue(&list, err) < 0 ||
	    (!strcmp(file, "-") && ga_cli_need_pipe("the nodes", err) < 0))
		return -1;
	c.list = list;
	fd = ga_cli_open(file, err);
	if (fd < 0)
		return -1;
	r = ga_kube_items(fd, file, take_item, &c, err);
	if (fd)
		close(fd);
	if (r == 0)
		r = emit_all(&c, err);
	for (i = 0; i < c.found.n; i++)
		ga_schema_release(&ga_label_finding_schema, &c.found.v[i]);
	ga_list_release(&c.found);
	return r;
}
