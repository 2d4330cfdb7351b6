/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-match: reads the needs of a model or of a training job and writes hardware profiles, the
 * best first, each with its speed or time, its cost, and the reasons against it. Only reads the
 * state.
 */
#include "catalog/throughput.h"
#include "cli/frame/cli.h"
#include "cli/match/match.h"
#include "record/app.h"
#include "record/request.h"

#define NUMBERS_MAX 1000000000

static struct ga_match_opts opt = {
	.layers = GA_UNKNOWN, .kv_heads = GA_UNKNOWN, .head_size = GA_UNKNOWN,
	.context = GA_UNKNOWN, .batch = GA_UNKNOWN, .sequence_tokens = GA_UNKNOWN,
	.epochs = GA_UNKNOWN, .checkpoints = GA_UNKNOWN, .tokens_per_second = GA_UNKNOWN,
	.p99_ms = GA_UNKNOWN, .gpus = GA_UNKNOWN, .estimator_seconds = 5,
};

#define TEXT(n, v, a, h) { .name = n, .type = GA_O_TEXT, .var = &opt.v, .arg = a, .help = h }
#define INT(n, v, lo, hi, h) \
	{ .name = n, .type = GA_O_INT, .var = &opt.v, .arg = "N", .min = (lo), .max = (hi), \
	  .help = h }

static const struct ga_opt opts[] = {
	TEXT("model", model, "MODEL", "name of the model in the measurements"),
	TEXT("model-params", params, "N", "number of parameters of the model: 7B, 1.5e9"),
	{ .name = "precision", .type = GA_O_WORD, .var = &opt.precision, .arg = "WORD",
	  .values = ga_precision_words,
	  .help = "precision of the weights, or of training (default 16 bits)" },
	INT("layers", layers, 1, 100000, "layers of the model"),
	INT("kv-heads", kv_heads, 1, 100000, "key-value heads in a layer"),
	INT("head-size", head_size, 1, 100000, "numbers in a head"),
	INT("context", context, 1, NUMBERS_MAX, "tokens in a sequence"),
	INT("batch", batch, 1, 1000000, "sequences processed at once (default 1)"),
	TEXT("memory", memory, "SIZE", "least memory of one GPU, as its maker writes it: 80GB"),
	{ .name = "architecture", .type = GA_O_TEXTS, .var = &opt.architectures, .arg = "NAME",
	  .help = "preferred architecture, such as Hopper (several times: best first)" },
	{ .name = "require-architecture", .type = GA_O_FLAG, .var = &opt.require_architecture,
	  .help = "accept no other architecture" },
	TEXT("min-compute-capability", min_compute_capability, "X.Y",
	     "least CUDA compute capability"),
	TEXT("vendor", vendor, "NAME", "only accelerators of this vendor"),
	TEXT("app", app, "APP", "app that the profile must suit (gpuaas-list apps)"),
	{ .name = "stack", .type = GA_O_WORD, .var = &opt.stack, .arg = "WORD",
	  .values = ga_stack_words, .help = "software platform of the program" },
	{ .name = "method", .type = GA_O_WORD, .var = &opt.method, .arg = "WORD",
	  .values = ga_method_words, .help = "method of training: all parameters, or LoRA" },
	TEXT("train-tokens", train_tokens, "N", "tokens to train on: 300M, 1.5e12"),
	TEXT("samples", samples, "N", "instead: samples, with --sequence-tokens and --epochs"),
	INT("sequence-tokens", sequence_tokens, 1, NUMBERS_MAX, "tokens in a sample"),
	INT("epochs", epochs, 1, 1000000, "how often training reads each sample (default 1)"),
	INT("checkpoints", checkpoints, 0, 1000000, "number of checkpoints, a minute each"),
	{ .name = "scenario", .type = GA_O_WORD, .var = &opt.scenario, .arg = "WORD",
	  .values = ga_scenario_words,
	  .help = "published measurement of inference that counts (default server)" },
	INT("tokens-per-second", tokens_per_second, 1, NUMBERS_MAX,
	    "least throughput of all GPUs together"),
	INT("max-latency-ms", p99_ms, 1, NUMBERS_MAX, "greatest 99th percentile of the latency"),
	{ .name = "latency", .type = GA_O_WORD, .var = &opt.latency, .arg = "WORD",
	  .values = ga_latency_words,
	  .help = "latency of a whole answer, to the first token, between tokens (default e2e)" },
	TEXT("max-cost-per-hour", max_cost, "PRICE",
	     "greatest cost an hour of all GPUs together: 3.50"),
	INT("gpus", gpus, 1, 64, "number of GPUs (default: the smallest that is enough)"),
	{ .name = "prefer", .type = GA_O_WORD, .var = &opt.prefer, .arg = "WORD",
	  .values = ga_prefer_words,
	  .help = "between equal answers: the shortest time, or the lowest cost (default)" },
	{ .name = "accept", .type = GA_O_TEXTS, .var = &opt.accept, .arg = "DOUBT",
	  .values = ga_accept_words,
	  .help = "no reason against an answer: precision (the type lacks it), headroom (no room "
		  "for a cache)" },
	TEXT("team", team, "TEAM", "only profiles that this team may use"),
	TEXT("project", project, "PROJECT", "project of the request"),
	TEXT("image", image, "IMAGE", "image of the request"),
	TEXT("name", name, "NAME", "name of the allocation"),
	{ .name = "key", .type = GA_O_TEXTS, .var = &opt.keys, .arg = "FILE|KEY",
	  .help = "ssh public key of the request, or a file of them" },
	{ .name = "measured", .type = GA_O_PATH, .var = &opt.measured, .arg = "FILE",
	  .help = "measurements of your own, in the format of model catalogues" },
	{ .name = "estimator", .type = GA_O_TEXTS, .var = &opt.estimators, .arg = "PATH",
	  .help = "program that estimates the time of a training (several times: in this order)" },
	INT("estimator-seconds", estimator_seconds, 1, 600,
	    "deadline of each estimator (default 5)"),
	{ .name = "request", .type = GA_O_FLAG, .var = &opt.request, .prints = &ga_request_schema,
	  .help = "write the request for the best answer that is free now, for gpuaas-place" },
	GA_OPTS_END,
};

static const struct ga_prog prog = {
	.name = "gpuaas-match",
	.abstract = "find the profiles that fit a model or a training, with speed and cost",
	.args = "[FILE|-]",
	.args_max = 1,
	.opts = opts,
	.consumes = (const struct ga_schema *const[]){ &ga_requirement_schema, NULL },
	.prints = &ga_match_schema,
	.produces = (const struct ga_schema *const[]){ &ga_match_schema, &ga_request_schema, NULL },
	.examples = (const char *const[]){
		"gpuaas-match",
		"gpuaas-match --model llama2-70b --precision fp8 --tokens-per-second 4000",
		"gpuaas-match --model-params 1.5B --method full --samples 100000 "
		"--sequence-tokens 1024 --epochs 3",
		"gpuaas-match --memory 80GB --stack cuda --image cuda-570 --request "
		"| gpuaas-place",
		"gpuaas-match --app vllm --image cuda-570 --request | gpuaas-place --dry-run",
		"gpuaas-match - < requirement.json", NULL },
	.needs_state = true,
	.looks = "*",
};

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ga_cli_match(&opt, &err);
	return ga_cli_finish(&prog, r, &err);
}
