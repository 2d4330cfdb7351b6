/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-image: images on this node. "add" reads a file whole, keeps the digests of its chunks
 * beside it and emits the records that make it known (gpuaas-image add … | gpuaas-state apply -);
 * "verify" reads it again and says whether it is still what was added.
 */
#include <limits.h>
#include <unistd.h>

#include "cli.h"
#include "clock.h"
#include "host.h"
#include "image.h"
#include "kind_state.h"
#include "stop.h"
#include "time.h"

static const char *name, *probe = "ssh", *firmware = "efi", *user, *driver, *expected;
static const char *progress = "auto";
static int64_t started;

static int run_add(struct ga_err *err);
static int run_verify(struct ga_err *err);

static const struct ga_opt add_opts[] = {
	{ .name = "name", .type = GA_O_TEXT, .var = &name, .arg = "NAME",
	  .help = "what plans and profiles call it" },
	{ .name = "probe", .type = GA_O_WORD, .var = &probe, .arg = "PROBE",
	  .values = ga_probe_words, .help = "how readiness is proved (default ssh)" },
	{ .name = "firmware", .type = GA_O_WORD, .var = &firmware, .arg = "WHICH",
	  .values = ga_firmware_words, .help = "firmware it boots with (default efi)" },
	{ .name = "user", .type = GA_O_TEXT, .var = &user, .arg = "LOGIN",
	  .help = "login of the guest" },
	{ .name = "driver-version", .type = GA_O_TEXT, .var = &driver, .arg = "VERSION",
	  .help = "GPU driver inside" },
	{ .name = "progress", .type = GA_O_WORD, .var = &progress, .arg = "HOW",
	  .values = ga_progress_words, .help = "auto, json or none" },
	GA_OPTS_END,
};

static const struct ga_opt verify_opts[] = {
	{ .name = "digest", .type = GA_O_TEXT, .var = &expected, .arg = "DIGEST",
	  .help = "digest of the file, as the image's record names it" },
	{ .name = "progress", .type = GA_O_WORD, .var = &progress, .arg = "HOW",
	  .values = ga_progress_words, .help = "auto, json or none" },
	GA_OPTS_END,
};

static const struct ga_cmd cmds[] = {
	{ .name = "add", .abstract = "read a file and make it known as an image of this node",
	  .args = "FILE", .args_min = 1, .args_max = 1, .opts = add_opts, .run = run_add },
	{ .name = "verify", .abstract = "read an image again and compare with what was added",
	  .args = "FILE", .args_min = 1, .args_max = 1, .opts = verify_opts, .run = run_verify },
	{ .name = NULL },
};

static const struct ga_prog prog = {
	.name = "gpuaas-image",
	.abstract = "images on this node",
	.cmds = cmds,
	.produces = (const struct ga_shape *const[]){ &ga_image_shape, &ga_node_image_shape, NULL },
	.examples = (const char *const[]){
		"gpuaas-image add /srv/images/ubuntu.raw --name ubuntu | gpuaas-state apply -",
		"gpuaas-image verify /srv/images/ubuntu.raw", NULL },
	.acts = true,
};

static int on_bytes(int64_t done, int64_t total, void *arg, struct ga_err *err)
{
	ga_cli_progress(progress, arg, done, total, started);
	return ga_stop_check("reading the image", err);
}

/* The file that was named, by its real path, and its facts. */
static int read_image(char path[PATH_MAX], struct ga_image_facts *facts, struct ga_err *err)
{
	int n, r;
	char *const *args = ga_cli_args(&n);

	if (!realpath(args[0], path))
		return ga_fail_sys(err, "cannot find image '%s'", args[0]);
	ga_stop_install();
	started = ga_clock_mono_micros();
	r = ga_image_digest(path, on_bytes, path, facts, err);
	ga_cli_progress_end();
	return r;
}

static char *text(const char *s)
{
	return (char *)(uintptr_t)s; /* the records below are borrowed views */
}

static int run_add(struct ga_err *err)
{
	ga_autofacts struct ga_image_facts f = { 0 };
	ga_autofree char *node = NULL, *now = NULL;
	char path[PATH_MAX], chunks[GA_DIGEST_SIZE];
	struct ga_image image;
	struct ga_node_image here;

	if (!name)
		return ga_fail(err, GA_USAGE, "gpuaas-image add needs --name NAME");
	if (ga_host_node_id(ga_cli_setting("GPUAAS_NODE", NULL), &node, err) < 0 ||
	    read_image(path, &f, err) < 0 || ga_chunks_write(path, &f.chunks, chunks, err) < 0)
		return -1;
	now = ga_time_now();
	image = (struct ga_image){ .name = text(name), .digest = f.digest, .chunks_digest = chunks,
				   .format = f.format, .file_bytes = f.file_bytes,
				   .size_bytes = f.size_bytes, .firmware = text(firmware),
				   .probe = text(probe), .user = text(user),
				   .driver_version = text(driver) };
	here = (struct ga_node_image){ .node = node, .image = text(name), .digest = f.digest,
				       .path = path, .verified_at = now };
	return ga_emit(&ga_image_shape, &image, err) < 0 ||
			       ga_emit(&ga_node_image_shape, &here, err) < 0 ?
		       -1 :
		       0;
}

static int changed(const char *path, const char *what, struct ga_err *err)
{
	ga_err_set(err, GA_NO, "image '%s' is not what was added: %s", path, what);
	ga_err_reason(err, "image_digest");
	return ga_hint(err, "replace it by a good copy, or add it anew under another name");
}

static int run_verify(struct ga_err *err)
{
	ga_autofacts struct ga_image_facts f = { 0 };
	ga_autochunks struct ga_chunks known = { 0 };
	char path[PATH_MAX];
	size_t i;

	if (read_image(path, &f, err) < 0 || ga_chunks_read(path, NULL, &known, err) < 0)
		return -1;
	if (expected && !ga_streq(expected, f.digest))
		return changed(path, "the file has another digest", err);
	if (known.size_bytes != f.size_bytes || known.v.n != f.chunks.v.n)
		return changed(path, "it makes a disk of another size", err);
	for (i = 0; i < known.v.n; i++)
		if (!ga_streq(known.v.v[i], f.chunks.v.v[i]))
			return changed(path, "a chunk has another digest", err);
	ga_say("'%s' is what was added: %s", path, f.digest);
	return 0;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ga_cli_command()->run(&err);
	return ga_cli_finish(&prog, r, &err);
}
