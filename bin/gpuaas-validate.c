/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-validate: runs the scenarios of the validation suite against a scheduling technology
 * through an adapter, and judges what was seen.
 */
#include "base/err.h"
#include "cli/frame/cli.h"
#include "cli/validate/validate.h"
#include "record/matrix.h"

static struct ga_validate_opts o = { .seed = GA_UNKNOWN };

#define SCENARIOS \
	{ .name = "scenarios", .type = GA_O_PATH, .var = &o.scenarios, .arg = "DIR", \
	  .help = "folder of scenarios, in place of those that come with gpuaas" }
#define ADAPTER \
	{ .name = "adapter", .type = GA_O_PATH, .var = &o.adapter, .arg = "FILE", \
	  .help = "program that speaks for the technology: gpuaas-adapter(7)" }
#define BY \
	{ .name = "by", .type = GA_O_PERSON, .var = &o.by, .arg = "NAME", \
	  .help = "person who does it" }
#define REASON \
	{ .name = "reason", .type = GA_O_PERSON, .var = &o.reason, .arg = "TEXT", \
	  .help = "reason of the person" }
#define SIGN \
	{ .name = "sign", .type = GA_O_PATH, .var = &o.sign, .arg = "FILE", \
	  .help = "sign with this private key: ed25519 in PEM" }

static const struct ga_opt list_opts[] = { SCENARIOS, GA_OPTS_END };
static const struct ga_opt plan_opts[] = {
	{ .name = "approve", .type = GA_O_FLAG, .var = &o.approve,
	  .help = "print the approval of the plan by a person",
	  .prints = &ga_plan_approval_schema },
	{ .name = "agreed", .type = GA_O_PERSON, .var = &o.agreed, .arg = "TEXT",
	  .help = "print what people agreed on", .prints = &ga_alignment_schema },
	BY,
	{ .name = "with", .type = GA_O_TEXTS, .var = &o.with, .arg = "NAME",
	  .help = "another person who agreed; may repeat" },
	REASON,
	SIGN,
	SCENARIOS,
	GA_OPTS_END,
};
static const struct ga_opt run_opts[] = {
	ADAPTER,
	{ .name = "only", .type = GA_O_TEXTS, .var = &o.only, .arg = "SCENARIO",
	  .help = "run only this scenario; may repeat" },
	{ .name = "out", .type = GA_O_PATH, .var = &o.out, .arg = "FILE",
	  .help = "write the evidence as a bundle (.tar.zst) to this new file" },
	BY,
	{ .name = "attach", .type = GA_O_TEXTS, .var = &o.attach, .arg = "FILE",
	  .help = "put this file into the bundle; may repeat" },
	SIGN,
	{ .name = "seed", .type = GA_O_INT, .var = &o.seed, .arg = "N", .min = 0,
	  .max = GA_INT_MAX_SAFE, .help = "number that the adapter gets for its chance" },
	{ .name = "param", .type = GA_O_PATH, .var = &o.param, .arg = "FILE",
	  .help = "parameters that the adapter gets: a JSON object" },
	SCENARIOS,
	GA_OPTS_END,
};
static const struct ga_opt verify_opts[] = {
	{ .name = "key", .type = GA_O_TEXT, .var = &o.key, .arg = "KEY",
	  .help = "public key that must have signed the bundles" },
	{ .name = "rerun", .type = GA_O_FLAG, .var = &o.rerun,
	  .help = "run the scenarios of the bundles again and compare the outcomes" },
	ADAPTER,
	{ .name = "only", .type = GA_O_TEXTS, .var = &o.only, .arg = "SCENARIO",
	  .help = "rerun or review only this scenario; may repeat" },
	{ .name = "review", .type = GA_O_FLAG, .var = &o.review,
	  .help = "write the bundle with a signed review to --out" },
	BY,
	{ .name = "verdict", .type = GA_O_WORD, .var = &o.verdict, .arg = "VERDICT",
	  .values = ga_review_words, .help = "opinion of the reviewer" },
	REASON,
	SIGN,
	{ .name = "out", .type = GA_O_PATH, .var = &o.out, .arg = "FILE",
	  .help = "new file for the bundle with its review" },
	SCENARIOS,
	GA_OPTS_END,
};

static const struct ga_opt matrix_opts[] = {
	{ .name = "markdown", .type = GA_O_FLAG, .var = &o.markdown,
	  .help = "print Markdown", .prints = &ga_prints_text },
	{ .name = "html", .type = GA_O_FLAG, .var = &o.html,
	  .help = "print one HTML page", .prints = &ga_prints_text },
	{ .name = "requirements", .type = GA_O_PATH, .var = &o.requirements, .arg = "FILE",
	  .help = "requirements, in place of those that come with gpuaas" },
	{ .name = "approval", .type = GA_O_PATH, .var = &o.approval, .arg = "FILE",
	  .help = "approval of the plan; without it the matrix is a draft" },
	SCENARIOS,
	GA_OPTS_END,
};
static const struct ga_opt new_opts[] = {
	{ .name = "dir", .type = GA_O_PATH, .var = &o.dir, .arg = "DIR",
	  .help = "make this folder; default: one with the name, here" },
	GA_OPTS_END,
};

static int list(struct ga_err *err)
{
	return ga_cli_validate_list(&o, err);
}

static int plan(struct ga_err *err)
{
	return ga_cli_validate_plan(&o, err);
}

static int run(struct ga_err *err)
{
	return ga_cli_validate_run(&o, err);
}

static int verify(struct ga_err *err)
{
	int n;
	char *const *bundles = ga_cli_args(&n);

	return ga_cli_validate_verify(&o, bundles, n, err);
}

static int matrix(struct ga_err *err)
{
	int n;
	char *const *bundles = ga_cli_args(&n);

	return ga_cli_validate_matrix(&o, bundles, n, err);
}

static int make_new(struct ga_err *err)
{
	int n;

	return ga_cli_validate_new(&o, ga_cli_args(&n)[0], err);
}

static const struct ga_cmd cmds[] = {
	{ .name = "list", .abstract = "list the scenarios", .opts = list_opts, .run = list,
	  .prints = &ga_scenario_schema },
	{ .name = "plan", .abstract = "print the test plan, or the approval of it",
	  .opts = plan_opts, .run = plan, .prints = &ga_test_plan_schema },
	{ .name = "run", .abstract = "run scenarios through an adapter and judge what was seen",
	  .opts = run_opts, .run = run, .prints = &ga_verdict_schema },
	{ .name = "verify", .abstract = "check bundles of evidence and judge them again",
	  .args = "FILE…", .args_min = 1, .args_max = -1, .opts = verify_opts, .run = verify,
	  .prints = &ga_bundle_finding_schema },
	{ .name = "matrix", .abstract = "show which requirements the bundles show as supported",
	  .args = "FILE…", .args_min = 1, .args_max = -1, .opts = matrix_opts, .run = matrix,
	  .prints = &ga_matrix_schema },
	{ .name = "new", .abstract = "make the beginning of an adapter", .args = "TECHNOLOGY",
	  .args_min = 1, .args_max = 1, .opts = new_opts, .run = make_new,
	  .prints = &ga_prints_text },
	{ .name = NULL },
};

static const char *const examples[] = {
	"gpuaas-validate list",
	"gpuaas-validate plan --approve --by 'Anna Lee' > approval.json",
	"gpuaas-validate run --adapter ./adapter --only PRI-04",
	"gpuaas-validate run --adapter ./adapter --out slurm.tar.zst --by 'Anna Lee'",
	"gpuaas-validate verify slurm.tar.zst",
	"gpuaas-validate matrix --approval approval.json --html slurm.tar.zst > matrix.html",
	"gpuaas-validate new htcondor",
	NULL,
};

static const struct ga_prog prog = {
	.name = "gpuaas-validate",
	.abstract = "run the same scenarios against any scheduling technology",
	.cmds = cmds,
	.looks = "list plan matrix",
	.produces = (const struct ga_schema *const[]){
		&ga_scenario_schema, &ga_test_plan_schema, &ga_plan_approval_schema,
		&ga_alignment_schema, &ga_verdict_schema, &ga_bundle_finding_schema,
		&ga_matrix_schema, NULL },
	.examples = examples,
};

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ga_cli_command()->run(&err);
	return ga_cli_finish(&prog, r, &err);
}
