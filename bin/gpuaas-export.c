/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-export: writes the state in the formats of other systems, one command for each format. It
 * only reads the state and writes data; it changes no other system.
 */
#include "cli/export/export.h"
#include "record/pod.h"

static const struct ga_cmd cmds[] = {
	{ .name = "openmetrics",
	  .abstract = "metrics for Prometheus, in the format of node_exporter",
	  .opts = ga_cli_openmetrics_opts, .run = ga_cli_openmetrics,
	  .prints = &ga_prints_text },
	{ .name = "kueue", .abstract = "a ResourceFlavor of Kueue for each accelerator type",
	  .run = ga_cli_kueue, .prints = &ga_prints_json },
	{ .name = "odh", .abstract = "a HardwareProfile of Open Data Hub for each profile",
	  .opts = ga_cli_odh_opts, .run = ga_cli_odh, .prints = &ga_prints_json },
	{ .name = "dra", .abstract = "ResourceSlices of nodes, or DeviceClasses of types",
	  .opts = ga_cli_dra_opts, .run = ga_cli_dra, .prints = &ga_prints_json },
	{ .name = "slurm", .abstract = "NodeName lines of slurm.conf, and gres.conf",
	  .opts = ga_cli_slurm_opts, .run = ga_cli_slurm, .prints = &ga_prints_text },
	{ .name = "pods",
	  .abstract = "the accelerator types of running Kubernetes pods, as patches",
	  .args = "[FILE|-]", .args_max = 1, .opts = ga_cli_pods_opts, .run = ga_cli_pods },
	{ .name = NULL },
};

static const char *const examples[] = {
	"gpuaas-export openmetrics | grep gpuaas_attention",
	"gpuaas-export openmetrics --output /var/lib/prometheus/node-exporter/gpuaas.prom",
	"gpuaas-export kueue > flavors.json",
	"gpuaas-export odh --local-queue gpus > profiles.json",
	"gpuaas-export dra --classes > classes.json",
	"gpuaas-export slurm --gres --device-files --output /etc/slurm/gres.conf",
	"kubectl get pods,nodes -A -o json | gpuaas-export pods",
	"kubectl get pods,nodes,resourceclaims,resourceslices -A -o json | gpuaas-export pods",
	NULL,
};

static const struct ga_prog prog = {
	.name = "gpuaas-export",
	.abstract = "export the state to other systems in their formats",
	.opts = ga_cli_export_opts,
	.cmds = cmds,
	.produces = (const struct ga_schema *const[]){ &ga_pod_patch_schema, NULL },
	.examples = examples,
	.needs_state = true,
	.looks = "*",
};

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ga_cli_command()->run(&err);
	return ga_cli_finish(&prog, r, &err);
}
