/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-provision: turns plans into running allocations on this host.
 *
 * Reads plans from the pipe and answers each with a gpuaas.allocation record, or with a
 * gpuaas.failure that names the phase and the reason. After a kill at any point, run it again with
 * the same plan or with --resume: it continues at the same point.
 */
#include <unistd.h>

#include "act/device/virt.h"
#include "act/image/userdata.h"
#include "act/vm/provision.h"
#include "base/stop.h"
#include "cli/discover.h"
#include "cli/frame/cli.h"
#include "cli/frame/result.h"
#include "look/host/host.h"
#include "record/plan.h"
#include "record/schema.h"

static const char *resume_id, *user_data_dir;
static const char *progress = "auto";
static bool dry_run;
static int64_t jobs = 1;
static char *node;
static struct ga_user_datas user_data;

static const struct ga_opt opts[] = {
	{ .name = "resume", .type = GA_O_TEXT, .var = &resume_id, .arg = "ALLOCATION",
	  .help = "continue an allocation that this host has begun" },
	{ .name = "user-data-dir", .type = GA_O_PATH, .var = &user_data_dir, .arg = "DIR",
	  .help = "folder of user-data, named by digest (default: HOST_DIR/user-data, then beside "
		  "the state)" },
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &dry_run,
	  .help = "check everything and print the changes; change nothing" },
	{ .name = "jobs", .type = GA_O_INT, .var = &jobs, .arg = "N", .min = 1, .max = 64,
	  .help = "plans at a time (default 1)" },
	{ .name = "progress", .type = GA_O_WORD, .var = &progress, .arg = "HOW",
	  .values = ga_progress_words, .help = "auto, json or none" },
	GA_OPTS_END,
};

static const struct ga_prog prog = {
	.name = "gpuaas-provision",
	.abstract = "turn plans into running allocations on this host",
	.args = "[FILE|-]",
	.args_max = 1,
	.opts = opts,
	.consumes = (const struct ga_schema *const[]){ &ga_plan_schema, &ga_user_data_schema,
						      NULL },
	.produces = (const struct ga_schema *const[]){ &ga_allocation_schema, &ga_progress_schema,
						      &ga_failure_schema, NULL },
	.examples = (const char *const[]){
		"gpuaas-place --profile h200-slice --gpus 2 --image debian-12 | gpuaas-provision",
		"gpuaas-list plan | gpuaas-provision --jobs 4",
		"gpuaas-provision --resume job1", NULL },
	.needs_state = true,
	.acts = true,
};

static void say(const char *line)
{
	ga_say("%s", line);
}

static int on_progress(const struct ga_progress *p, struct ga_err *err)
{
	ga_cli_progress_end();
	return ga_result_progress(p, ga_streq(progress, "json"), err);
}

static void moving(const char *what, int64_t done, int64_t total, int64_t started)
{
	ga_cli_progress(progress, what, done, total, started);
}

/* A dry run shows the record and does not commit it to the state. */
static int on_result(const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	return dry_run ? ga_emit(schema, obj, err) : ga_result_emit(schema, obj, err);
}

static struct ga_provision_opts options(char **data_dir, char **state_dir)
{
	const char *state = ga_cli_state_path(), *slash = strrchr(state, '/');

	*data_dir = ga_xprintf("%s/user-data", ga_cli_host_dir());
	*state_dir = ga_xprintf("%.*suser-data", slash ? (int)(slash - state) + 1 : 0, state);
	return (struct ga_provision_opts){
		.program = prog.name,
		.node = node,
		.host_dir = ga_cli_host_dir(),
		.user_data_dir = user_data_dir ? user_data_dir : *data_dir,
		.user_data_given = &user_data,
		.user_data_from = user_data_dir ? NULL : *state_dir,
		.images_dir = ga_cli_images_dir(),
		.libvirt_uri = ga_cli_setting("GPUAAS_LIBVIRT_URI", GA_VIRT_URI),
		.fabric = { ga_cli_setting("GPUAAS_LIBNVFM", NULL),
			    ga_cli_setting("GPUAAS_FABRIC_ADDRESS", NULL) },
		.fabric_manager = ga_cli_setting("GPUAAS_FABRIC_MANAGER", "nv-fabricmanager"),
		.baremetal_dir = ga_cli_setting("GPUAAS_BAREMETAL_DIR", "/etc/gpuaas/baremetal.d"),
		.holds_state = access(ga_cli_state_path(), F_OK) == 0,
		.dry_run = dry_run,
		.to = { .result = on_result, .progress = on_progress, .say = say,
			.moving = moving },
	};
}

static int take_plan(const struct ga_rec *rec, struct ga_err *err)
{
	ga_autofree char *data_dir = NULL, *state_dir = NULL;
	struct ga_provision_opts o = options(&data_dir, &state_dir);
	struct ga_plan plan;
	int r;

	if (ga_rec_parse(rec, &ga_plan_schema, &plan, err) < 0)
		return -1;
	r = ga_provision(&plan, &o, err);
	ga_schema_release(&ga_plan_schema, &plan);
	return r;
}

static int take_user_data(const struct ga_rec *rec, struct ga_err *err)
{
	struct ga_user_data piece;
	int r;

	if (ga_rec_parse(rec, &ga_user_data_schema, &piece, err) < 0)
		return -1;
	r = ga_user_data_take(&user_data, &piece, err);
	if (piece.base64)
		explicit_bzero(piece.base64, strlen(piece.base64));
	ga_schema_release(&ga_user_data_schema, &piece);
	return r;
}

static const struct ga_consumer consumers[] = {
	{ &ga_plan_schema, take_plan },
	{ NULL, NULL },
};

static const struct ga_consumer in_front[] = {
	{ &ga_user_data_schema, take_user_data },
	{ NULL, NULL },
};

static int take_stream(struct ga_err *err)
{
	int n;
	char *const *args = ga_cli_args(&n);
	const char *from = n ? args[0] : "-";
	int fd, r;

	if (ga_streq(from, "-") && ga_cli_need_pipe("plans", err) < 0)
		return -1;
	fd = ga_cli_open(from, err);
	if (fd < 0)
		return -1;
	r = ga_cli_stream_jobs_here(fd, from, consumers, in_front, (int)jobs, err);
	if (fd)
		close(fd);
	return r;
}

static int run(struct ga_err *err)
{
	ga_autofree char *data_dir = NULL, *state_dir = NULL;
	struct ga_provision_opts o;
	int r;

	if (ga_host_node_id(ga_cli_setting("GPUAAS_NODE", NULL), &node, err) < 0 ||
	    ga_cli_accelerators(err) < 0 || ga_result_open(ga_cli_state_path(), err) < 0)
		return -1;
	ga_stop_install();
	o = options(&data_dir, &state_dir);
	r = resume_id ? ga_provision_resume(resume_id, &o, err) : take_stream(err);
	if (!dry_run)
		ga_result_tidy(); /* cancels plans that this host refused */
	ga_result_close();
	ga_user_datas_release(&user_data);
	free(node);
	return r;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = run(&err);
	return ga_cli_finish(&prog, r, &err);
}
