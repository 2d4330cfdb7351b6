/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-image: manages the images on this node. "add" reads a complete file or stream, keeps the
 * digests of its chunks beside it and emits the records for the state (… | gpuaas-state apply -);
 * "prewarm" fetches images that the node lacks; "verify" reads copies again and reports whether
 * each is still identical to the image that was added; "list" and "rm" show and remove the copies.
 */
#include <inttypes.h>
#include <unistd.h>

#include "cli/frame/cli.h"
#include "cli/image.h"
#include "record/id.h"
#include "record/words.h"

static const char *name, *probe = "ssh", *firmware = "efi", *user, *driver, *cuda, *expected,
	*from;
static struct ga_texts features; /* borrows its texts from the arguments */
static const char *progress = "auto";
static bool copy, all;
static int64_t size, ready = GA_UNKNOWN;
static struct ga_image_run image_run;

static int run_add(struct ga_err *err);
static int run_prewarm(struct ga_err *err);
static int run_verify(struct ga_err *err);
static int run_list(struct ga_err *err);
static int run_rm(struct ga_err *err);

#define PROGRESS \
	{ .name = "progress", .type = GA_O_WORD, .var = &progress, .arg = "HOW", \
	  .values = ga_progress_words, .help = "auto, json or none" }
#define DIGEST \
	{ .name = "digest", .type = GA_O_TEXT, .var = &expected, .arg = "DIGEST", \
	  .help = "digest of the file, as in the record of the image" }

static const struct ga_opt add_opts[] = {
	{ .name = "name", .type = GA_O_TEXT, .var = &name, .arg = "NAME",
	  .help = "name of the image in plans and profiles" },
	{ .name = "copy", .type = GA_O_FLAG, .var = &copy,
	  .help = "keep a copy in the node's own folder (always for a stream)" },
	DIGEST,
	{ .name = "size", .type = GA_O_SIZE, .var = &size, .arg = "SIZE",
	  .help = "size of a stream, for the check of the free space" },
	{ .name = "probe", .type = GA_O_WORD, .var = &probe, .arg = "PROBE",
	  .values = ga_probe_words, .help = "how readiness is proved (default ssh)" },
	{ .name = "firmware", .type = GA_O_WORD, .var = &firmware, .arg = "WHICH",
	  .values = ga_firmware_words, .help = "firmware that the image boots with (default efi)" },
	{ .name = "user", .type = GA_O_TEXT, .var = &user, .arg = "LOGIN",
	  .help = "login of the guest" },
	{ .name = "driver-version", .type = GA_O_TEXT, .var = &driver, .arg = "VERSION",
	  .help = "version of the GPU driver in the image" },
	{ .name = "cuda-version", .type = GA_O_TEXT, .var = &cuda, .arg = "VERSION",
	  .help = "highest CUDA version of this driver, as nvidia-smi prints it" },
	{ .name = "feature", .type = GA_O_TEXTS, .var = &features, .arg = "NAME",
	  .help = "software in the image that apps require, such as docker (several times)" },
	{ .name = "ready", .type = GA_O_DURATION, .var = &ready, .arg = "DURATION",
	  .help = "time from start to readiness (default 3m); a plan adds time for memory and "
		  "GPUs" },
	PROGRESS, GA_OPTS_END,
};
static const struct ga_opt prewarm_opts[] = {
	{ .name = "from", .type = GA_O_PATH, .var = &from, .arg = "DIR",
	  .help = "folder to copy images from, such as another node's" },
	PROGRESS, GA_OPTS_END,
};
static const struct ga_opt verify_opts[] = {
	{ .name = "all", .type = GA_O_FLAG, .var = &all, .help = "every image of the node" },
	DIGEST, PROGRESS, GA_OPTS_END,
};
static const struct ga_opt rm_opts[] = { DIGEST, GA_OPTS_END };

static const struct ga_cmd cmds[] = {
	{ .name = "add", .abstract = "read a file or a stream and make it known as an image",
	  .args = "FILE|-", .args_min = 1, .args_max = 1, .opts = add_opts, .run = run_add },
	{ .name = "prewarm", .abstract = "copy the images of records that this node does not have",
	  .args = "FILE|-", .args_max = 1, .opts = prewarm_opts, .run = run_prewarm },
	{ .name = "verify", .abstract = "read images again and compare them with their digests",
	  .args = "IMAGE|FILE…", .args_max = -1, .opts = verify_opts, .run = run_verify,
	  .prints = &ga_node_image_schema },
	{ .name = "list", .abstract = "list the images of this node",
	  .args = "IMAGE…", .args_max = -1, .run = run_list,
	  .prints = &ga_node_image_schema, .example = "gpuaas-image list --table" },
	{ "rm", "withdraw and remove images that nothing uses", "IMAGE…", 1, -1, rm_opts, run_rm,
	  .prints = &ga_node_image_schema,
	  .example = "gpuaas-image rm ubuntu | gpuaas-state apply -" },
	{ .name = NULL },
};

static const struct ga_prog prog = {
	.name = "gpuaas-image",
	.abstract = "images on this node",
	.cmds = cmds,
	.consumes = (const struct ga_schema *const[]){ &ga_image_schema, NULL },
	.produces = (const struct ga_schema *const[]){ &ga_image_schema, &ga_node_image_schema,
						       NULL },
	.examples = (const char *const[]){
		"gpuaas-image add /srv/images/ubuntu.raw --name ubuntu | gpuaas-state apply -",
		"curl -fs URL | gpuaas-image add - --name ubuntu | gpuaas-state apply -",
		"gpuaas-list images | gpuaas-image prewarm --from /mnt/images | "
		"gpuaas-state apply -",
		"gpuaas-image verify --all | gpuaas-state apply -", NULL },
	.acts = true,
	.looks = "list",
};

static char *text(const char *s)
{
	return (char *)(uintptr_t)s; /* the record below is a borrowed view */
}

/* ---- add ---- */

static int run_add(struct ga_err *err)
{
	struct ga_image image;
	int n;
	const char *operand = ga_cli_args(&n)[0];

	if (!name)
		return ga_fail(err, GA_USAGE, "gpuaas-image add needs --name NAME");
	if (!ga_name_is_valid(name))
		return ga_fail(err, GA_USAGE,
			       "'%s' is no name: a-z, 0-9, '.', '_' and '-', at most 63, beginning "
			       "with a letter or digit",
			       name);
	image = (struct ga_image){ .name = text(name), .firmware = text(firmware),
				   .probe = text(probe), .user = text(user),
				   .driver_version = text(driver), .cuda_version = text(cuda),
				   .features = features, .ready_seconds = ready };
	if (ga_image_run_check(&image, err) < 0)
		return -1;
	if (ready != GA_UNKNOWN && (ready < 1 || ready > GA_READY_MAX))
		return ga_fail(err, GA_USAGE, "--ready is between 1s and 24h, not %" PRId64 "s",
			       ready);
	if (copy || ga_streq(operand, "-"))
		return ga_image_run_add(&image_run, operand, size, expected, &image, err);
	return ga_image_run_add_in_place(&image_run, operand, expected, &image, err);
}

/* ---- prewarm ---- */

static int prewarm(const struct ga_rec *rec, struct ga_err *err)
{
	struct ga_image image;
	int r;

	if (ga_rec_parse(rec, &ga_image_schema, &image, err) < 0)
		return -1;
	r = ga_image_run_prewarm(&image_run, &image, from, err);
	ga_schema_release(&ga_image_schema, &image);
	return r;
}

static int run_prewarm(struct ga_err *err)
{
	static const struct ga_consumer table[] = { { &ga_image_schema, prewarm }, { 0 } };
	int n;
	char *const *args = ga_cli_args(&n);

	if (!from)
		return ga_fail(err, GA_USAGE, "gpuaas-image prewarm needs --from DIR");
	return ga_cli_stream_from(n ? args[0] : NULL, "image records", table, err);
}

/* ---- stored images ---- */

static int run_verify(struct ga_err *err)
{
	int n, i;
	char *const *args = ga_cli_args(&n);

	if (all == (n > 0))
		return ga_fail(err, GA_USAGE, "name the images to verify, or give --all");
	if (all && ga_image_run_verify(&image_run, NULL, expected, err) < 0)
		return -1;
	for (i = 0; i < n; i++)
		if (ga_image_run_verify(&image_run, args[i], expected, err) < 0)
			return -1;
	return ga_image_run_verdict(&image_run, err);
}

/* Checks that each operand is a name of a stored image. */
static int with_names(ga_image_each act, struct ga_err *err)
{
	int n, i;
	char *const *args = ga_cli_args(&n);

	for (i = 0; i < n; i++)
		if (ga_image_run_named(&image_run, args[i], expected, act, err) < 0)
			return -1;
	return n;
}

static int run_list(struct ga_err *err)
{
	int n = with_names(ga_image_run_show, err);

	if (!n && !(n = ga_image_run_each(&image_run, NULL, NULL, ga_image_run_show, err)))
		ga_cli_say_none("image", "images", "");
	return n < 0 ? -1 : 0;
}

static int run_rm(struct ga_err *err)
{
	return with_names(ga_image_run_remove, err) < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0 && ga_image_run_init(&image_run, progress, &err) < 0)
		r = -1;
	if (r > 0)
		r = ga_cli_command()->run(&err);
	ga_image_run_release(&image_run);
	return ga_cli_finish(&prog, r, &err);
}
