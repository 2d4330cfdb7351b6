/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-place: reads requests, writes plans. It commits the claims of a plan before it writes the
 * plan; a refusal gives the reason for every node, and alternatives that would fit.
 */
#include "cli/frame/cli.h"
#include "cli/frame/result.h"
#include "cli/place/guide.h"
#include "cli/place/place.h"
#include "record/plan.h"
#include "record/time.h"
#include "state/db/audit.h"

static struct ga_place_opts opt = { .gpus = GA_UNKNOWN, .priority = GA_UNKNOWN, .expires = 900,
				    .run_time = GA_UNKNOWN };

static const struct ga_opt opts[] = {
	{ .name = "profile", .type = GA_O_TEXT, .var = &opt.profile, .arg = "PROFILE",
	  .help = "hardware profile; without it requests are read from standard input" },
	{ .name = "gpus", .type = GA_O_INT, .var = &opt.gpus, .arg = "N", .min = 1, .max = 64,
	  .help = "GPUs of the slice (default 1); baremetal: at least so many" },
	{ .name = "baremetal", .type = GA_O_FLAG, .var = &opt.baremetal,
	  .help = "place on a baremetal node" },
	{ .name = "project", .type = GA_O_TEXT, .var = &opt.project, .arg = "PROJECT",
	  .help = "project that gets the allocation (default \"default\")" },
	{ .name = "name", .type = GA_O_TEXT, .var = &opt.name, .arg = "NAME",
	  .help = "name of the allocation" },
	{ .name = "priority", .type = GA_O_INT, .var = &opt.priority, .arg = "N", .min = 0,
	  .max = 1000,
	  .help = "kept with the allocation (default 100); nothing is ordered by it yet" },
	{ .name = "region", .type = GA_O_TEXT, .var = &opt.region, .arg = "REGION",
	  .help = "place only in this region (gpuaas-list regions)" },
	{ .name = "pool", .type = GA_O_TEXT, .var = &opt.pool, .arg = "POOL",
	  .help = "place only in this pool" },
	{ .name = "node", .type = GA_O_TEXT, .var = &opt.node, .arg = "NODE",
	  .help = "place only on this node" },
	{ .name = "type", .type = GA_O_TEXTS, .var = &opt.types, .arg = "TYPE",
	  .help = "accelerator type (several times: best first)" },
	{ .name = "min-memory", .type = GA_O_TEXT, .var = &opt.min_memory, .arg = "SIZE",
	  .help = "least memory of one accelerator, as its maker writes it: 80GB" },
	{ .name = "image", .type = GA_O_TEXT, .var = &opt.image, .arg = "IMAGE",
	  .help = "image (default: the profile's)" },
	{ .name = "app", .type = GA_O_TEXT, .var = &opt.app, .arg = "APP",
	  .help = "app to run: only a machine that its manifest allows (gpuaas-list apps)" },
	{ .name = "key", .type = GA_O_TEXTS, .var = &opt.keys, .arg = "FILE|KEY",
	  .help = "ssh public key, or a file of them" },
	{ .name = "user-data", .type = GA_O_PATH, .var = &opt.data, .arg = "FILE",
	  .help = "cloud-init user-data; stays on this machine until provisioning" },
	{ .name = "run-time", .type = GA_O_DURATION, .var = &opt.run_time, .arg = "DURATION",
	  .help = "planned run time" },
	{ .name = "preemptible", .type = GA_O_FLAG, .var = &opt.preemptible,
	  .help = "kept with the request; nothing stops an allocation for others yet" },
	{ .name = "request-id", .type = GA_O_TEXT, .var = &opt.request_id, .arg = "KEY",
	  .help = "idempotency key: the same request again gives the same plan" },
	{ .name = "expires", .type = GA_O_DURATION, .var = &opt.expires, .arg = "DURATION",
	  .help = "time after which a plan that no host started is freed (default 15m)" },
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &opt.dry_run,
	  .help = "show the plan, claim nothing" },
	{ .name = "explain", .type = GA_O_FLAG, .var = &opt.explain,
	  .help = "show also every node's score, or the first reason against it" },
	{ .name = "guide", .type = GA_O_FLAG, .var = &opt.guide,
	  .help = "ask for what is not given, and print the command; claim nothing" },
	GA_OPTS_END,
};

static const struct ga_prog prog = {
	.name = "gpuaas-place",
	.abstract = "claim slots for a request and write its plan",
	.opts = opts,
	.consumes = (const struct ga_schema *const[]){ &ga_request_schema, NULL },
	.produces = (const struct ga_schema *const[]){ &ga_plan_schema, &ga_refusal_schema,
						       &ga_explanation_schema, NULL },
	.examples = (const char *const[]){
		"gpuaas-place --profile h200-slice --gpus 2 --image debian-12 --project vision | "
		"gpuaas-provision",
		"gpuaas-place --profile h200-slice --gpus 2 --image debian-12 --dry-run --explain",
		"gpuaas-place --profile h200-baremetal --baremetal --node h7",
		"gpuaas-place --profile h200-slice --image cuda-570 --app vllm "
		"--user-data vllm.yaml --key me.pub",
		"gpuaas-place --guide", "gpuaas-place < requests.ndjson", NULL },
	.needs_state = true,
	.acts = true,
};

struct batch {
	struct ga_request v[GA_PLACER_BATCH];
	size_t n;
	bool saw_request, saw_match;
};

/* Places the gathered requests; writes their records even if a later request is an error. */
static int flush(struct ga_placer *p, struct batch *b, struct ga_err *err)
{
	struct ga_err later = GA_ERR_INIT;
	int r = b->n ? ga_placer_run(p, b->v, b->n, err) : 0;

	if (b->n && ga_placer_emit(p, r < 0 ? &later : err) < 0)
		r = -1;
	while (b->n)
		ga_schema_release(&ga_request_schema, &b->v[--b->n]);
	return r;
}

static int take(struct ga_placer *p, struct batch *b, const struct ga_rec *rec,
		struct ga_err *err)
{
	b->saw_match |= ga_rec_is(rec, &ga_match_schema);
	if (!ga_rec_is(rec, &ga_request_schema)) {
		ga_cli_stream_passed(rec);
		return ga_emit_raw(rec, err);
	}
	ga_cli_stream_took();
	b->saw_request = true;
	if (ga_rec_parse(rec, &ga_request_schema, &b->v[b->n], err) < 0)
		return -1;
	ga_request_complete(&b->v[b->n++]);
	return b->n == GA_PLACER_BATCH ? flush(p, b, err) : 0;
}

static int run_stream(struct ga_placer *p, struct batch *b, struct ga_err *err)
{
	ga_autoreader struct ga_reader *reader = ga_reader_open(0, "standard input");
	struct ga_err later = GA_ERR_INIT;
	struct ga_rec rec;
	int more, r = 0;

	if (ga_request_needs_profile(opts, err) < 0 || ga_cli_need_pipe("requests", err) < 0)
		return -1;
	ga_cli_stream_began("standard input",
			    (const struct ga_schema *const[]){ &ga_request_schema, NULL });
	while (r == 0 && (more = ga_reader_next(reader, &rec, err)) != 0) {
		r = more < 0 ? -1 : take(p, b, &rec, err);
		/* Answer the requests so far before a read that may block: the sender may wait. */
		if (r == 0 && !ga_reader_has_line(reader))
			r = flush(p, b, err);
	}
	/* Requests before a bad line are placed. */
	if (flush(p, b, r < 0 ? &later : err) < 0)
		r = -1;
	if (r < 0 || b->saw_request || !b->saw_match)
		return r;
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("the input has matches and no request: nothing is placed"),
			 ("gpuaas-match --request writes the request of the best match"));
}

static int run(struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	struct ga_placer placer = { .fleet = { .version = GA_FLEET_UNREAD },
				    .explain = opt.explain, .dry_run = opt.dry_run,
				    .keeps_refusals = true,
				    .once = opt.profile != NULL,
				    .maker.expires_seconds = opt.expires };
	static struct batch b; /* large */
	int r;

	ga_audit_program(prog.name);
	r = ga_cli_stale_after(&placer.stale_seconds, err);
	if (r == 0)
		r = ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, err);
	placer.db = db;
	if (r == 0 && !opt.profile)
		r = run_stream(&placer, &b, err);
	else if (r == 0)
		r = ga_request_of(&opt, &b.v[b.n++], err) < 0 ? -1 : flush(&placer, &b, err);
	while (b.n)
		ga_schema_release(&ga_request_schema, &b.v[--b.n]);
	/* Removes the user-data of a refused request and of expired plans. */
	if (db && !opt.dry_run && (opt.data || placer.has_expired))
		ga_request_tidy(db);
	ga_placer_release(&placer);
	return r;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = opt.guide ? ga_cli_guide(&opt, argv, &err) : run(&err);
	return ga_cli_finish(&prog, r, &err);
}
