/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-export slurm: NodeName lines of slurm.conf and gres.conf. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/export/export.h"
#include "cli/frame/types.h"
#include "exchange/slurm.h"
#include "state/capacity/view.h"
#include "state/watch/export.h"

static bool only_gres, only_nodes, files;

const struct ga_opt ga_cli_slurm_opts[] = {
	{ .name = "gres", .type = GA_O_FLAG, .var = &only_gres, .help = "only gres.conf" },
	{ .name = "nodes", .type = GA_O_FLAG, .var = &only_nodes,
	  .help = "only the NodeName lines of slurm.conf" },
	{ .name = "device-files", .type = GA_O_FLAG, .var = &files,
	  .help = "File=/dev/nvidia[0-7] where all GPUs of a node are of one NVIDIA type" },
	GA_OPTS_END,
};

struct slurm {
	struct ga_db *db;
	struct ga_str nodes, gres;
	int64_t without; /* nodes with GPUs that have no File= */
	char *first;	 /* name of the first such node */
};

static int unfit(const char *what, const char *name, struct ga_err *err)
{
	return ga_cli_export_unfit(what, name, "Slurm",
				   "letters, digits, '.', '_' and '-', and neither DEFAULT nor ALL",
				   err);
}

static int add_node(struct ga_node_view *view, void *arg, struct ga_err *err)
{
	struct slurm *s = arg;
	int64_t cpus = GA_UNKNOWN, unknown = 0;
	size_t i;

	if (!view->types.n)
		return 0;
	if (!ga_slurm_name_is_valid(view->node))
		return unfit("node", view->node, err);
	if (view->name && !ga_slurm_name_is_valid(view->name))
		return unfit("node", view->name, err);
	for (i = 0; i < view->types.n; i++) {
		const struct ga_node_type *t = &view->types.v[i];

		if (t->type && !ga_slurm_name_is_valid(t->type))
			return unfit("type", t->type, err);
		if (!t->type || t->count == GA_UNKNOWN)
			unknown++;
	}
	if (unknown) {
		ga_cli_export_left_out("of node", view->node,
				       "GPUs whose type or number is not known");
	}
	if (!only_gres && ga_store_export_cpus(s->db, view->node, &cpus, err) < 0)
		return -1;
	ga_slurm_node(view, cpus, &s->nodes);
	if (!ga_slurm_gres(view, files, &s->gres) && !s->without++)
		s->first = ga_xstrdup(view->node);
	return 0;
}

int ga_cli_slurm(struct ga_err *err)
{
	ga_autoaccels struct ga_accels *list = NULL;
	ga_autodb struct ga_db *db = NULL;
	struct slurm s = { NULL, GA_STR_INIT, GA_STR_INIT, 0, NULL };
	int r;

	if (only_gres && only_nodes)
		return ga_fail(err, GA_USAGE, "--gres and --nodes: each means 'only'; without "
					      "both it is both");
	if (ga_cli_catalogue(&list, err) < 0 || ga_cli_export_open(&db, err) < 0)
		return -1;
	s.db = db;
	r = ga_store_node_views(db, list, ga_clock_micros(), add_node, &s, err);
	if (r == 0) {
		ga_autostr struct ga_str text = GA_STR_INIT;

		if (!only_gres)
			ga_str_addf(&text,
				    "# slurm.conf: nodes; GresTypes=gpu belongs there too\n%s",
				    s.nodes.len ? s.nodes.buf : "");
		if (!only_nodes)
			ga_str_addf(&text, "# gres.conf\n%s", s.gres.len ? s.gres.buf : "");
		r = ga_cli_export_write(&text, err);
	}
	if (r == 0) {
		ga_autofree char *others = NULL;

		/* Warn users who copy these lines unchanged. */
		if (s.without && !only_nodes) {
			others = s.without > 1 ?
					 ga_xprintf(" and %lld other%s", (long long)s.without - 1,
						    s.without > 2 ? "s" : "") :
					 ga_xstrdup("");
			ga_say("gres.conf: no File= for the GPUs of '%s'%s: slurmd drops them, and "
			       "Slurm drains a node that has fewer than slurm.conf says; %s",
			       s.first, others,
			       files ? "add their device files by hand" :
				       "--device-files names NVIDIA's, others are added by hand");
		}
	}
	ga_str_release(&s.nodes);
	ga_str_release(&s.gres);
	free(s.first);
	return r;
}
