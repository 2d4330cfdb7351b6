/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-profile: accelerator types, and the hardware profiles that offer them.
 *
 * Shows and checks the catalogue of types; shows the accelerators of each node and how certain they
 * are, findings about the labels of Kubernetes nodes, and the profiles with their free GPUs; makes,
 * shows and changes profiles.
 */
#include "cli/frame/cli.h"
#include "cli/offer.h"
#include "cli/profile/make.h"
#include "cli/profile/profile.h"
#include "record/offer.h"
#include "record/state.h"

static struct ga_nodes_opts nodes;
static struct ga_offer_opts offers;

static const struct ga_opt no_opts[] = { GA_OPTS_END };
static const struct ga_opt nodes_opts[] = {
	{ .name = "type", .type = GA_O_TEXTS, .var = &nodes.types, .arg = "TYPE",
	  .help = "only nodes with this type, or that may have it; several: any of them" },
	{ .name = "unknown", .type = GA_O_FLAG, .var = &nodes.unknown,
	  .help = "only nodes with GPUs whose type is not known" },
	{ .name = "reason", .type = GA_O_PERSON, .var = &nodes.reason, .arg = "TEXT",
	  .help = "source of the recorded type" },
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &nodes.dry_run,
	  .help = "show the changes; change nothing" },
	GA_OPTS_END,
};

static const struct ga_opt list_opts[] = {
	{ .name = "public", .type = GA_O_FLAG, .var = &offers.is_public,
	  .help = "only what everybody may see" },
	{ .name = "type", .type = GA_O_TEXTS, .var = &offers.types, .arg = "TYPE",
	  .help = "only profiles that name this accelerator type; several: any of them" },
	{ .name = "team", .type = GA_O_TEXT, .var = &offers.team, .arg = "TEAM",
	  .help = "only profiles that this team may use" },
	{ .name = "all", .type = GA_O_FLAG, .var = &offers.all, .help = "retired profiles too" },
	{ .name = "output", .type = GA_O_PATH, .var = &offers.output, .arg = "FILE",
	  .help = "write the public view to this file, replaced at once, readable by everybody" },
	GA_OPTS_END,
};

static int run_list(struct ga_err *err)
{
	return ga_cli_offers(&offers, err);
}

static int run_nodes(struct ga_err *err)
{
	return ga_cli_nodes(&nodes, err);
}

static const struct ga_cmd cmds[] = {
	{ "catalog", "list or search the known accelerator types, or check a drop-in",
	  "[SEARCH…|check FILE…]", 0, -1, no_opts, ga_cli_catalog,
	  .prints = &ga_accelerator_schema, .word = "check",
	  .word_prints = &ga_finding_schema },
	{ "list", "list profiles and their available GPUs", NULL, 0, 0, list_opts, run_list,
	  .prints = &ga_hardware_profile_schema },
	{ "nodes", "list the GPUs of each node with the evidence; record a type by hand",
	  "[FILE|-|set NODE TYPE…|clear NODE]", 0, -1, nodes_opts, run_nodes,
	  .prints = &ga_node_view_schema },
	{ "labels", "check the labels of Kubernetes nodes", "check [FILE|-]", 1, 2,
	  no_opts, ga_cli_labels, .prints = &ga_label_finding_schema },
	{ "create", "make a profile by hand or from nodes, or suggest some", "[NAME [NODE…]]", 0,
	  -1, ga_profile_create_opts, ga_cli_profile_create, .prints = &ga_profile_schema },
	{ "show", "show a profile, the current version or another", "PROFILE[@VERSION]", 1, 1,
	  ga_profile_show_opts, ga_cli_profile_show, .prints = &ga_profile_schema,
	  .example = "gpuaas-profile show h200-slice" },
	{ "set", "change a profile: make a new version; allocations keep theirs", "PROFILE", 1, 1,
	  ga_profile_set_opts, ga_cli_profile_set, .prints = &ga_profile_schema },
	{ "retire", "retire a profile: it takes no new work", "PROFILE", 1, 1,
	  ga_profile_retire_opts, ga_cli_profile_retire, .prints = &ga_profile_schema,
	  .example = "gpuaas-profile retire h200-slice --dry-run" },
	{ "teams", "set the teams that may use a profile", "PROFILE", 1, 1, ga_profile_teams_opts,
	  ga_cli_profile_teams, .prints = &ga_profile_schema,
	  .example = "gpuaas-profile teams h200-slice --everyone" },
	{ .name = NULL },
};

static const struct ga_prog prog = {
	.name = "gpuaas-profile",
	.abstract = "accelerator types, the GPUs of nodes, and the profiles to sell them",
	.cmds = cmds,
	.produces = (const struct ga_schema *const[]){
		&ga_accelerator_schema, &ga_finding_schema, &ga_node_view_schema,
		&ga_label_finding_schema, &ga_hardware_profile_schema, &ga_profile_schema, NULL },
	.consumes = (const struct ga_schema *const[]){ &ga_node_view_schema, NULL },
	.examples = (const char *const[]){ "gpuaas-profile catalog h100",
					   "gpuaas-profile catalog p5.48xlarge",
					   "gpuaas-profile catalog check own.json",
					   "gpuaas-profile list --type h200",
					   "gpuaas-profile list --public --team physics --json",
					   "gpuaas-profile nodes --sort -gpus",
					   "kubectl get nodes -o json | gpuaas-profile nodes -",
					   "gpuaas-profile nodes set h7 8xH200 --reason invoice",
					   "gpuaas-profile labels check nodes.json",
					   "gpuaas-profile create h200 --from-nodes h7 "
					   "--price 10.50 --image debian-12",
					   "gpuaas-profile create --suggest | gpuaas-state apply -",
					   "gpuaas-profile set premium --price 9.90", NULL },
	.needs_state = true,
	.acts = true,
	.looks = "catalog list nodes labels show",
};

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ga_cli_command()->run(&err);
	return ga_cli_finish(&prog, r, &err);
}
