/* SPDX-License-Identifier: Apache-2.0 */
/* The work of the commands of gpuaas-image on the image store. */
#include "cli/image.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "cli/frame/cli.h"
#include "look/host/host.h"
#include "record/app.h"
#include "record/closest.h"
#include "record/id.h"
#include "record/time.h"

static struct ga_image_run *drawn; /* the run whose progress is on the terminal */

int ga_image_run_init(struct ga_image_run *run, const char *progress, struct ga_err *err)
{
	*run = (struct ga_image_run){
		.dir = ga_cli_images_dir(),
		.progress = progress,
		.started = ga_clock_mono_micros(),
	};
	drawn = run;
	if (run->dir[0] != '/')
		return ga_fail(err, GA_USAGE, "GPUAAS_IMAGES '%s' is not a path from the root",
			       run->dir);
	ga_stop_install();
	return ga_host_node_id(ga_cli_setting("GPUAAS_NODE", NULL), &run->node, err);
}

void ga_image_run_release(struct ga_image_run *run)
{
	free(run->node);
	run->node = NULL;
}

int ga_image_run_bytes(int64_t done, int64_t total, void *what, struct ga_err *err)
{
	ga_cli_progress(drawn->progress, what, done, total, drawn->started);
	return ga_stop_check("reading the image", err);
}

/* ---- copying into the store ---- */

static void set(char **to, const char *from)
{
	free(*to);
	*to = ga_strdup0(from);
}

int ga_image_run_bring(struct ga_image_run *run, int fd, int64_t bytes, const char *expected,
		       bool other, struct ga_stored_image *s, struct ga_err *err)
{
	ga_autoincoming struct ga_incoming in = GA_INCOMING_INIT;
	ga_autofacts struct ga_image_facts f = { 0 };
	ga_autofree char *reading = NULL;
	ga_autofree char *digests = NULL;
	int r;

	run->started = ga_clock_mono_micros();
	if (ga_incoming_open(run->dir, bytes, &in, err) < 0)
		return -1;
	reading = ga_xprintf("%s: reading", s->image.name);
	digests = ga_xprintf("%s: digests", s->image.name);
	r = ga_incoming_fill(&in, fd, bytes, ga_image_run_bytes, reading, err);
	run->started = ga_clock_mono_micros();
	if (!r)
		r = ga_image_digest(in.path, ga_image_run_bytes, digests, &f, err);
	ga_cli_progress_end();
	if (r < 0)
		return -1;
	if (expected && !ga_streq(expected, f.digest))
		return ga_fail_for(err, GA_CONFLICT, "image_digest",
				   "the bytes received for image '%s' have digest %s instead of %s",
				   s->image.name, f.digest, expected);
	set(&s->image.digest, f.digest);
	set(&s->image.format, f.format);
	s->image.file_bytes = f.file_bytes;
	s->image.size_bytes = f.size_bytes;
	set(&s->copy.node, run->node);
	set(&s->copy.image, s->image.name);
	set(&s->copy.digest, f.digest);
	return ga_incoming_keep(&in, &f.chunks, other, s, err);
}

/* ---- add ---- */

static int emit_both(const struct ga_image *image, const struct ga_node_image *copy,
		     struct ga_err *err)
{
	return ga_emit(&ga_image_schema, image, err) < 0 ||
			       ga_emit(&ga_node_image_schema, copy, err) < 0 ?
		       -1 :
		       0;
}

static int no_such_file(const char *file, const char *hint, struct ga_err *err)
{
	bool absent = errno == ENOENT || errno == ENOTDIR;

	ga_err_set_sys(err, "cannot find image '%s'", file);
	if (absent)
		err->code = GA_NOTFOUND;
	return ga_hint(err, "%s", hint);
}

/* Refuses the key and the databases of the host under any name: a user who may add images by a
 * forced command must not get them. */
static int refuse_own(const char *file, const struct stat *of, struct ga_err *err)
{
	ga_autodir DIR *dir = opendir(ga_cli_host_dir());
	struct dirent *e;
	struct stat st;

	while (dir && (e = readdir(dir))) {
		if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode) || st.st_dev != of->st_dev || st.st_ino != of->st_ino)
			continue;
		return ga_fail_for(err, GA_DENIED, "not_allowed",
				   "'%s' is '%s' of '%s', which gpuaas itself needs, and is no "
				   "image", file, e->d_name, ga_cli_host_dir());
	}
	return 0;
}

int ga_image_run_add_in_place(struct ga_image_run *run, const char *file, const char *expected,
			      const struct ga_image *image, struct ga_err *err)
{
	ga_autofacts struct ga_image_facts f = { 0 };
	ga_autofree char *now = NULL;
	char path[PATH_MAX], chunks[GA_DIGEST_SIZE];
	struct ga_stored_image s = { .image = *image, .in_place = true }; /* borrows all */
	struct stat st;
	int r;

	if (!realpath(file, path) || stat(path, &st) < 0)
		return no_such_file(file, "name a file of this host, or '-' for standard input",
				    err);
	if (refuse_own(file, &st, err) < 0)
		return -1;
	r = ga_image_digest(path, ga_image_run_bytes, path, &f, err);
	ga_cli_progress_end();
	if (r < 0)
		return -1;
	if (expected && !ga_streq(expected, f.digest))
		return ga_fail_for(err, GA_CONFLICT, "image_digest",
				   "'%s' has digest %s instead of %s", path, f.digest, expected);
	if (ga_chunks_write(path, &f.chunks, chunks, err) < 0)
		return -1;
	now = ga_time_now();
	s.image.digest = f.digest;
	s.image.chunks_digest = chunks;
	s.image.format = f.format;
	s.image.file_bytes = f.file_bytes;
	s.image.size_bytes = f.size_bytes;
	s.copy = (struct ga_node_image){ .node = run->node, .image = s.image.name,
					 .digest = f.digest, .path = path, .verified_at = now,
					 .file_bytes = f.file_bytes };
	if (ga_image_store_note(run->dir, &s, err) < 0)
		return -1;
	return emit_both(&s.image, &s.copy, err);
}

int ga_image_run_check(const struct ga_image *image, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < image->features.n; i++)
		if (!ga_name_is_valid(image->features.v[i]))
			return ga_fail(err, GA_USAGE, "--feature '%.64s' is no name: a-z, 0-9, "
				       "'.', '_' and '-', such as docker", image->features.v[i]);
	if (image->cuda_version && ga_version_meets(image->cuda_version, image->cuda_version) < 0)
		return ga_fail(err, GA_USAGE, "--cuda-version '%.64s' is no version such as 12.4",
			       image->cuda_version);
	return 0;
}

static void name_as(const struct ga_image *image, struct ga_stored_image *s)
{
	size_t i;

	set(&s->image.name, image->name);
	set(&s->image.firmware, image->firmware);
	set(&s->image.probe, image->probe);
	set(&s->image.user, image->user);
	set(&s->image.driver_version, image->driver_version);
	set(&s->image.cuda_version, image->cuda_version);
	ga_texts_release(&s->image.features);
	for (i = 0; i < image->features.n; i++)
		ga_texts_add(&s->image.features, image->features.v[i]);
	s->image.ready_seconds = image->ready_seconds;
}

int ga_image_run_add(struct ga_image_run *run, const char *operand, int64_t bytes,
		     const char *expected, const struct ga_image *image, struct ga_err *err)
{
	ga_autostored struct ga_stored_image s = { 0 };
	int fd = ga_cli_open(operand, err), r;
	struct stat st;

	if (fd < 0 || (fd == 0 && ga_cli_need_pipe("an image", err) < 0))
		return -1;
	name_as(image, &s);
	r = fstat(fd, &st) < 0 ? ga_fail_sys(err, "cannot look at '%s'", operand) :
				 refuse_own(operand, &st, err);
	/* Keeps the holes of the file in the copy. */
	if (!r && !bytes && S_ISREG(st.st_mode))
		bytes = st.st_blocks * 512 < st.st_size ? st.st_blocks * 512 : st.st_size;
	if (!r)
		r = ga_image_run_bring(run, fd, bytes, expected, false, &s, err);
	if (fd)
		close(fd);
	if (r < 0)
		return -1;
	if (!r)
		ga_say("image '%s' was here already: %s", s.image.name, s.copy.path);
	return emit_both(&s.image, &s.copy, err);
}

/* ---- prewarm ---- */

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)))
		ga_cleanup_fd(&fd);
	return fd;
}

/* Opens a file of the folder that has the name of the image; its path is in ret. */
static int find_source(const struct ga_image *image, const char *from, char **ret)
{
	static const char *const kinds[] = { "", ".raw", ".img", ".qcow2" };
	static const char *const packed[] = { "", ".gz", ".xz", ".zst" };
	int fd;

	*ret = ga_xprintf("%s/%s/%s.image", from, image->name, image->digest + strlen("sha256:"));
	fd = open_file(*ret);
	for (size_t i = 0; fd < 0 && i < GA_ARRAY_SIZE(kinds) * GA_ARRAY_SIZE(packed); i++) {
		free(*ret);
		*ret = ga_xprintf("%s/%s%s%s", from, image->name,
				  kinds[i / GA_ARRAY_SIZE(packed)],
				  packed[i % GA_ARRAY_SIZE(packed)]);
		fd = open_file(*ret);
	}
	return fd;
}

static int copy_here(struct ga_image_run *run, const struct ga_image *image,
		     struct ga_node_image *ret, struct ga_err *err)
{
	ga_autostoredlist struct ga_stored_images list = { 0 };

	if (ga_image_store_list(run->dir, image->name, run->node, &list, err) < 0)
		return -1;
	for (size_t i = 0; i < list.n; i++)
		if (ga_streq(list.v[i].image.digest, image->digest) && !list.v[i].in_place &&
		    !list.v[i].copy.withdrawn_at) {
			*ret = list.v[i].copy;
			list.v[i].copy = (struct ga_node_image){ 0 };
			return 1;
		}
	return 0;
}

static int bring_from(struct ga_image_run *run, const struct ga_image *image, const char *from,
		      struct ga_stored_image *s, struct ga_err *err)
{
	ga_autofree char *path = NULL;
	ga_autofd int fd = find_source(image, from, &path);

	if (fd < 0)
		return ga_refuse(err, GA_NOTFOUND, "image_missing", image->name,
				 ("'%s' has no file for image '%s'", from, image->name),
				 ("it is looked for as %s/%s/DIGEST.image and as %s.raw, .img, "
				  ".qcow2, also with .gz, .xz or .zst", from, image->name,
				  image->name));
	name_as(image, s);
	if (ga_image_run_bring(run, fd, image->file_bytes, image->digest, true, s, err) < 0)
		return ga_wrap(err, "'%s'", path);
	if (image->chunks_digest && !ga_streq(image->chunks_digest, s->image.chunks_digest)) {
		/* Every clone would fail the check against this chunk list. */
		if (ga_image_store_remove(run->dir, s, err) < 0)
			return -1;
		return ga_fail_for(err, GA_CONFLICT, "image_digest",
				   "the chunk list of image '%s' is not the one its record names",
				   image->name);
	}
	return 0;
}

int ga_image_run_prewarm(struct ga_image_run *run, const struct ga_image *image, const char *from,
			 struct ga_err *err)
{
	ga_autostored struct ga_stored_image s = { 0 };
	struct ga_err why = GA_ERR_INIT;
	int r = copy_here(run, image, &s.copy, err);

	if (r < 0)
		return -1;
	if (!r && bring_from(run, image, from, &s, &why) < 0) {
		if (why.code != GA_NOTFOUND) {
			*err = why;
			return -1;
		}
		ga_say("%s", why.msg);
		ga_cli_note_status(GA_NOTFOUND);
		return 0;
	}
	return ga_emit(&ga_node_image_schema, &s.copy, err);
}

/* ---- stored images ---- */

int ga_image_run_each(struct ga_image_run *run, const char *name, const char *digest,
		      ga_image_each act, struct ga_err *err)
{
	ga_autostoredlist struct ga_stored_images list = { 0 };
	int uses, found = 0;

	if (ga_image_store_list(run->dir, name, run->node, &list, err) < 0)
		return -1;
	uses = ga_image_store_uses(ga_cli_host_dir(), &list, err);
	if (uses < 0)
		return -1;
	run->uses_known = uses;
	for (size_t i = 0; i < list.n; i++) {
		if (digest && !ga_streq(digest, list.v[i].image.digest))
			continue;
		found++;
		if (act(run, &list.v[i], err) < 0)
			return -1;
	}
	return found;
}

/* The start of a hint: the images of this node with a name near to it; "" without any. */
static char *near_images(const struct ga_image_run *run, const char *name)
{
	ga_autostoredlist struct ga_stored_images list = { 0 };
	struct ga_err ignored = GA_ERR_INIT; /* the image that is not there is the error */
	struct ga_closest_names near;
	size_t i;

	ga_closest_begin(&near, name);
	if (ga_image_store_list(run->dir, NULL, run->node, &list, &ignored) == 0)
		for (i = 0; i < list.n; i++)
			if (!i || strcmp(list.v[i].image.name, list.v[i - 1].image.name) != 0)
				ga_closest_word(&near, list.v[i].image.name);
	return ga_closest_hint(&near);
}

int ga_image_run_named(struct ga_image_run *run, const char *name, const char *digest,
		       ga_image_each act, struct ga_err *err)
{
	int found = ga_image_run_each(run, name, digest, act, err);
	ga_autofree char *near = found ? NULL : near_images(run, name);

	if (found)
		return found;
	return ga_refuse(err, GA_NOTFOUND, NULL, name,
			 ("this node has no image '%s'", name),
			 ("%sgpuaas-image list shows those it has", near));
}

int ga_image_run_show(struct ga_image_run *run, struct ga_stored_image *s, struct ga_err *err)
{
	(void)run;
	return ga_emit(&ga_node_image_schema, &s->copy, err);
}

/* ---- verify ---- */

static int changed(const char *path, const char *what, struct ga_err *err)
{
	return ga_refuse(err, GA_NO, "image_digest", NULL,
			 ("image '%s' is not what was added: %s", path, what),
			 ("replace it with a good copy, or add it again under another name"));
}

static int compare(struct ga_image_run *run, const char *path, const char *digest,
		   const char *chunks_digest, struct ga_err *err)
{
	ga_autofacts struct ga_image_facts f = { 0 };
	ga_autochunks struct ga_chunks known = { 0 };
	ga_autofree char *what = ga_xstrdup(path);
	struct ga_err why = GA_ERR_INIT;
	int r;

	run->started = ga_clock_mono_micros();
	r = ga_image_digest(path, ga_image_run_bytes, what, &f, err);
	ga_cli_progress_end();
	if (r < 0)
		return -1;
	if (ga_chunks_read(path, chunks_digest, &known, &why) < 0) {
		*err = why;
		return chunks_digest && (why.code == GA_CONFLICT || why.code == GA_BADREC) ?
			       changed(path, "its chunk list differs", err) :
			       -1;
	}
	if (digest && !ga_streq(digest, f.digest))
		return changed(path, "the digest of the file differs", err);
	if (known.size_bytes != f.size_bytes || known.v.n != f.chunks.v.n)
		return changed(path, "it makes a disk of another size", err);
	for (size_t i = 0; i < known.v.n; i++)
		if (!ga_streq(known.v.v[i], f.chunks.v.v[i]))
			return changed(path, "the digest of a chunk differs", err);
	return 0;
}

/* Whether the error shows that there is no good copy; a signal or an I/O error does not show it. */
static bool is_bad(const struct ga_err *err)
{
	return err->code == GA_NO || err->code == GA_NOTFOUND || err->code == GA_CONFLICT ||
	       err->code == GA_BADREC;
}

/* Keeps the first bad image for the verdict; -1 if the check itself failed. */
static int settle(struct ga_image_run *run, const char *path, int r, const struct ga_err *why,
		  struct ga_err *err)
{
	if (!r) {
		ga_say("'%s' is what was added", path);
	} else if (!is_bad(why)) {
		*err = *why;
		return -1;
	} else if (run->bad.code) {
		ga_say("%s", why->msg);
	} else {
		run->bad = *why;
	}
	return 0;
}

static int verify_copy(struct ga_image_run *run, struct ga_stored_image *s, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	int r = compare(run, s->copy.path, s->image.digest, s->image.chunks_digest, &why);

	if (settle(run, s->copy.path, r, &why, err) < 0)
		return -1;
	if (r < 0 && !s->copy.withdrawn_at)
		s->copy.withdrawn_at = ga_time_now();
	if (!r) {
		free(GA_TAKE(s->copy.withdrawn_at));
		free(s->copy.verified_at);
		s->copy.verified_at = ga_time_now();
	}
	if (ga_image_store_mark(run->dir, s, err) < 0)
		return -1;
	return ga_emit(&ga_node_image_schema, &s->copy, err);
}

int ga_image_run_verify(struct ga_image_run *run, const char *operand, const char *digest,
			struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	char path[PATH_MAX];
	int n = ga_image_run_each(run, operand, digest, verify_copy, err);

	if (n || !operand)
		return n < 0 ? -1 : 0;
	if (!realpath(operand, path)) {
		int saved = errno;
		ga_autofree char *near = near_images(run, operand);
		ga_autofree char *hint = ga_xprintf("%sgpuaas-image list shows what this node "
						    "keeps", near);

		errno = saved;
		return no_such_file(operand, hint, err);
	}
	return settle(run, path, compare(run, path, digest, NULL, &why), &why, err);
}

int ga_image_run_verdict(const struct ga_image_run *run, struct ga_err *err)
{
	if (!run->bad.code)
		return 0;
	*err = run->bad;
	return -1;
}

/* ---- rm ---- */

int ga_image_run_remove(struct ga_image_run *run, struct ga_stored_image *s, struct ga_err *err)
{
	if (!run->uses_known)
		return ga_fail(err, GA_DENIED,
			       "the disks made from image '%s' are noted in '%s/host.db', which "
			       "cannot be read",
			       s->image.name, ga_cli_host_dir());
	if (s->copy.used_by.n)
		return ga_refuse(err, GA_CONFLICT, "image_in_use", s->image.name,
				 ("image '%s' is in use on this host by allocation '%s'%s",
				  s->image.name, s->copy.used_by.v[0],
				  s->copy.used_by.n > 1 ? " and others" : ""),
				 ("release it first: gpuaas-release %s; 'gpuaas-image list' shows "
				  "who uses an image", s->copy.used_by.v[0]));
	/* Withdraw the copy before its removal, so that a killed run can be run again. */
	if (!s->copy.withdrawn_at) {
		s->copy.withdrawn_at = ga_time_now();
		if (ga_image_store_mark(run->dir, s, err) < 0)
			return -1;
	}
	if (ga_emit(&ga_node_image_schema, &s->copy, err) < 0 ||
	    ga_image_store_remove(run->dir, s, err) < 0)
		return -1;
	if (s->in_place)
		ga_say("image '%s' is withdrawn; its file stays: '%s'", s->image.name,
		       s->copy.path);
	return 0;
}
