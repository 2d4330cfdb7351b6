/* SPDX-License-Identifier: Apache-2.0 */
/* The images that a node keeps: list, record, mark, remove. */
#include "act/image/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/image/internal.h"
#include "base/file.h"
#include "base/texts.h"
#include "record/id.h"
#include "record/rec.h"
#include "state/host/list.h"

#define RECORDS_MAX 65536
#define IN_PLACE ".in-place"
#define WITHDRAWN ".withdrawn"

void ga_stored_image_release(struct ga_stored_image *s)
{
	ga_schema_release(&ga_image_schema, &s->image);
	ga_schema_release(&ga_node_image_schema, &s->copy);
}

void ga_stored_images_release(struct ga_stored_images *list)
{
	for (size_t i = 0; i < list->n; i++)
		ga_stored_image_release(&list->v[i]);
	ga_list_release(list);
}

/* ---- names ---- */

char *ga_image_file_path(const char *dir, const char *name, const char *digest, const char *suffix)
{
	return ga_xprintf("%s/%s/%s%s", dir, name, digest + strlen("sha256:"), suffix);
}

int ga_image_dir_lock(const char *dir, struct ga_err *err)
{
	ga_autofd int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	while (fd >= 0 && flock(fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return ga_fail_sys(err, "cannot lock '%s'", dir);
	if (fd < 0)
		return ga_fail_sys(err, "cannot open '%s'", dir);
	return GA_TAKE_FD(fd);
}

/* ---- the records of a copy ---- */

int ga_store_write_records(const char *dir, const struct ga_stored_image *s, struct ga_err *err)
{
	ga_autofree char *path = ga_image_file_path(dir, s->image.name, s->image.digest,
						    s->in_place ? IN_PLACE : ".records");
	ga_autofree char *image = ga_rec_format_text(&ga_image_schema, &s->image);
	ga_autofree char *copy = ga_rec_format_text(&ga_node_image_schema, &s->copy);
	ga_autofree char *text = ga_xprintf("%s\n%s\n", image, copy);

	return ga_file_replace(path, text, strlen(text), 0600, err);
}

int ga_image_store_mark(const char *dir, const struct ga_stored_image *s, struct ga_err *err)
{
	ga_autofd int lock = ga_image_dir_lock(dir, err);

	return lock < 0 ? -1 : ga_store_write_records(dir, s, err);
}

/* 1 read, 0 the file is gone meanwhile. */
static int read_records(const char *path, struct ga_stored_image *ret, struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err why = GA_ERR_INIT;
	char *second;

	*ret = (struct ga_stored_image){ 0 };
	if (ga_file_read(path, RECORDS_MAX, &text, &why) < 0) {
		if (why.code == GA_NOTFOUND)
			return 0;
		*err = why;
		return -1;
	}
	second = text.len ? strchr(text.buf, '\n') : NULL;
	if (!second)
		return ga_fail(err, GA_BADREC, "'%s' does not hold two records", path);
	*second++ = '\0';
	second[strcspn(second, "\n")] = '\0';
	if (ga_rec_parse_text(text.buf, &ga_image_schema, &ret->image, err) < 0 ||
	    ga_rec_parse_text(second, &ga_node_image_schema, &ret->copy, err) < 0) {
		ga_stored_image_release(ret);
		return ga_wrap(err, "'%s'", path);
	}
	ga_texts_release(&ret->copy.used_by); /* of an earlier time */
	return 1;
}

/* ---- the list ---- */

static bool has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), k = strlen(suffix);

	return n > k && !strcmp(s + n - k, suffix);
}

static int list_name(const char *dir, const char *name, const char *node,
		     struct ga_stored_images *ret, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s/%s", dir, name);
	ga_autodir DIR *d = opendir(path);
	const struct dirent *e;

	if (!d)
		return errno == ENOENT || errno == ENOTDIR ?
			       0 :
			       ga_fail_sys(err, "cannot read '%s'", path);
	while ((e = readdir(d))) {
		ga_autofree char *file = ga_xprintf("%s/%s", path, e->d_name);
		struct ga_stored_image s;
		int r;

		if (!has_suffix(e->d_name, ".records") && !has_suffix(e->d_name, IN_PLACE))
			continue;
		r = read_records(file, &s, err);
		if (r < 0)
			return -1;
		if (!r)
			continue;
		/* The folder may have been moved here from another node, or be shared with it. */
		free(s.copy.node);
		s.copy.node = ga_xstrdup(node);
		s.copy.file_bytes = s.image.file_bytes;
		s.in_place = has_suffix(e->d_name, IN_PLACE);
		if (!s.in_place) {
			free(s.copy.path);
			s.copy.path =
				ga_image_file_path(dir, s.image.name, s.image.digest, ".image");
		}
		*ga_list_add(ret) = s;
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct ga_stored_image *x = a, *y = b;
	int r = strcmp(x->image.name, y->image.name);

	return r ? r : strcmp(x->image.digest, y->image.digest);
}

int ga_image_store_list(const char *dir, const char *name, const char *node,
			struct ga_stored_images *ret, struct ga_err *err)
{
	ga_autodir DIR *d = NULL;
	const struct dirent *e;
	int r = 0;

	*ret = (struct ga_stored_images){ 0 };
	if (name && !ga_name_is_valid(name))
		return 0;
	if (name) {
		r = list_name(dir, name, node, ret, err);
	} else {
		d = opendir(dir);
		if (!d)
			return errno == ENOENT ? 0 : ga_fail_sys(err, "cannot read '%s'", dir);
		while (r >= 0 && (e = readdir(d)))
			if (ga_name_is_valid(e->d_name))
				r = list_name(dir, e->d_name, node, ret, err);
	}
	if (r < 0) {
		ga_stored_images_release(ret);
		return -1;
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_name);
	return 0;
}

/* ---- images in place ---- */

int ga_image_store_note(const char *dir, const struct ga_stored_image *s, struct ga_err *err)
{
	ga_autofree char *folder = ga_xprintf("%s/%s", dir, s->image.name);
	ga_autostoredlist struct ga_stored_images list = { 0 };
	ga_autofd int lock = -1;

	if (ga_file_mkdirs(dir, 0700, err) < 0 || ga_file_mkdirs(folder, 0700, err) < 0)
		return ga_hint(err, "GPUAAS_IMAGES names the folder in which this node notes its "
				    "images");
	lock = ga_image_dir_lock(dir, err);
	if (lock < 0 || ga_image_store_list(dir, s->image.name, s->copy.node, &list, err) < 0)
		return -1;
	/* A copy of the same bytes has its own records, which 'gpuaas-image rm' finds: write no
	 * others beside them. */
	for (size_t i = 0; i < list.n; i++)
		if (!list.v[i].in_place && !list.v[i].copy.withdrawn_at &&
		    ga_streq(list.v[i].image.digest, s->image.digest))
			return 0;
	if (ga_store_write_records(dir, s, err) < 0)
		return -1;
	/* The file has other bytes now: it is no longer the image of the record. */
	for (size_t i = 0; i < list.n; i++) {
		const struct ga_stored_image *old = &list.v[i];
		ga_autofree char *noted =
			ga_image_file_path(dir, old->image.name, old->image.digest, IN_PLACE);

		if (old->in_place && ga_streq(old->copy.path, s->copy.path) &&
		    !ga_streq(old->image.digest, s->image.digest) && unlink(noted) < 0)
			return ga_fail_sys(err, "cannot remove '%s'", noted);
	}
	return 0;
}

/* ---- removal ---- */

int ga_store_remove_files(const char *dir, const char *name, const char *digest,
			  struct ga_err *err)
{
	static const char *const suffixes[] = { IN_PLACE, ".image", ".image.chunks", ".records" };

	for (size_t i = 0; i < GA_ARRAY_SIZE(suffixes); i++) {
		ga_autofree char *path = ga_image_file_path(dir, name, digest, suffixes[i]);

		if (unlink(path) < 0 && errno != ENOENT)
			return ga_fail_sys(err, "cannot remove '%s'", path);
	}
	return 0;
}

int ga_image_store_remove(const char *dir, const struct ga_stored_image *s, struct ga_err *err)
{
	ga_autofree char *folder = ga_xprintf("%s/%s", dir, s->image.name);
	ga_autofree char *noted = ga_image_file_path(dir, s->image.name, s->image.digest, IN_PLACE);
	ga_autofree char *withdrawn =
		ga_image_file_path(dir, s->image.name, s->image.digest, WITHDRAWN);
	ga_autofd int lock = ga_image_dir_lock(dir, err);

	if (lock < 0)
		return -1;
	if (!s->in_place && ga_store_remove_files(dir, s->image.name, s->image.digest, err) < 0)
		return -1;
	/* The file stays, so that a plan that was placed before still finds it. */
	if (s->in_place && rename(noted, withdrawn) < 0 && errno != ENOENT)
		return ga_fail_sys(err, "cannot rename '%s'", noted);
	if (rmdir(folder) < 0 && errno != ENOTEMPTY && errno != EEXIST)
		return ga_fail_sys(err, "cannot remove '%s'", folder);
	return 0;
}

int ga_image_store_withdrawn(const char *dir, const char *name, const char *digest, char **since,
			     struct ga_err *err)
{
	ga_autostoredlist struct ga_stored_images list = { 0 };
	ga_autostored struct ga_stored_image s = { 0 };
	ga_autofree char *path = NULL;
	int r;

	*since = NULL;
	if (ga_image_store_list(dir, name, "", &list, err) < 0)
		return -1;
	for (size_t i = 0; i < list.n; i++) {
		const struct ga_stored_image *kept = &list.v[i];

		if (!ga_streq(kept->image.digest, digest))
			continue;
		free(*since);
		*since = ga_strdup0(kept->copy.withdrawn_at);
		if (!*since)
			return 0;
	}
	if (*since || !ga_name_is_valid(name) || !ga_starts(digest, "sha256:"))
		return *since != NULL;
	path = ga_image_file_path(dir, name, digest, WITHDRAWN);
	r = read_records(path, &s, err);
	if (r > 0)
		*since = ga_strdup0(s.copy.withdrawn_at);
	return r < 0 ? -1 : *since != NULL;
}

/* ---- allocations that use an image ---- */

/* Whether the order (a plan) names the image; another one may have the same bytes. */
static bool order_names(const char *order, const struct ga_image *wanted)
{
	ga_autojson json_t *plan = json_loads(order ? order : "", 0, NULL);
	const json_t *image = json_object_get(plan, "image");

	return ga_streq(json_string_value(json_object_get(image, "name")), wanted->name) &&
	       ga_streq(json_string_value(json_object_get(image, "digest")), wanted->digest);
}

/* Whether an allocation is being made, or its domain is defined here. */
static int is_live(struct ga_hostdb *h, const struct ga_attempt *a, struct ga_err *err)
{
	ga_autojournal struct ga_journal journal = { 0 };

	if (ga_streq(a->state, "working"))
		return 1;
	if (ga_journal_open_entries(h, a->object, &journal, err) < 0)
		return -1;
	for (size_t i = 0; i < journal.n; i++)
		if (ga_streq(journal.v[i].op, "domain"))
			return 1;
	return 0;
}

/* Adds the allocation to used_by of its image while it is live. */
static int note_use(struct ga_hostdb *h, const char *object, struct ga_stored_images *list,
		    struct ga_err *err)
{
	ga_autoattempt struct ga_attempt a = { 0 };
	int r = ga_attempt_find(h, "provision", object, &a, err), live = -1;

	for (size_t i = 0; r > 0 && i < list->n; i++) {
		if (!order_names(a.order, &list->v[i].image))
			continue;
		if (live < 0)
			live = is_live(h, &a, err);
		if (live < 0)
			return -1;
		if (live)
			ga_texts_add(&list->v[i].copy.used_by, object);
	}
	return r < 0 ? -1 : 0;
}

int ga_image_store_uses(const char *host_dir, struct ga_stored_images *list, struct ga_err *err)
{
	ga_autofree char *file = ga_xprintf("%s/host.db", host_dir);
	ga_autoattempts struct ga_attempts attempts = { 0 };
	ga_autohostdb struct ga_hostdb h = { 0 };

	if (access(file, R_OK | W_OK) < 0)
		return errno == ENOENT; /* no host.db yet: no allocation was made here; else only
					   root may read it */
	if (ga_hostdb_open_or_make(host_dir, &h, err) < 0 ||
	    ga_attempts_newest(&h, &attempts, err) < 0)
		return -1;
	for (size_t i = 0; i < attempts.n; i++)
		if (note_use(&h, attempts.v[i].object, list, err) < 0)
			return -1;
	return 1;
}
