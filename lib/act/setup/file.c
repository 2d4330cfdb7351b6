/* SPDX-License-Identifier: Apache-2.0 */
/* Files, folders and links: the journal has their old content, which undo restores byte for
 * byte. */
#include <ctype.h>
#include <errno.h>
#include <unistd.h>

#include "act/setup/internal.h"
#include "record/digest.h"

#define FILE_MAX (1 << 20)

/* ---- content in the journal: text where it is text, else hex ---- */

static json_t *pack_bytes(const struct ga_str *text)
{
	bool plain = strlen(text->buf) == text->len;
	json_t *as_text = plain ? json_stringn(text->buf, text->len) : NULL;
	ga_autostr struct ga_str hex = GA_STR_INIT;
	size_t i;

	if (as_text)
		return json_pack("{s:o}", "text", as_text);
	for (i = 0; i < text->len; i++)
		ga_str_addf(&hex, "%02x", (unsigned char)text->buf[i]);
	return json_pack("{s:s}", "hex", hex.buf);
}

static int nibble(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : c - 'a' + 10;
}

static void unpack_bytes(json_t *content, struct ga_str *out)
{
	const char *text = json_string_value(json_object_get(content, "text"));
	const char *hex = json_string_value(json_object_get(content, "hex"));

	if (text)
		ga_str_add(out, text);
	for (; !text && hex && hex[0] && hex[1]; hex += 2)
		ga_str_addc(out, (char)(nibble(hex[0]) << 4 | nibble(hex[1])));
}

static char *digest_of(const struct ga_str *text, bool there)
{
	char out[GA_DIGEST_SIZE];

	return there ? ga_xstrdup(ga_digest_of(text->buf, text->len, out)) : ga_xstrdup("absent");
}

/* ---- folders ---- */

static int make_folder(const struct ga_setup_doer *d, const char *path, unsigned int mode,
		       bool widen, struct ga_err *err)
{
	struct stat st = { 0 };
	int r = ga_root_stat(d->root, path, &st, err);
	int64_t seq;

	if (r < 0)
		return -1;
	if (r > 0 && (!widen || (S_ISDIR(st.st_mode) && (st.st_mode & 07777) == mode)))
		return 0;
	if (ga_setup_intend(d, "etc_folder", path,
			    json_pack("{s:b,s:I,s:I}", "existed", r > 0, "mode",
				      (json_int_t)(st.st_mode & 07777), "ours",
				      (json_int_t)mode),
			    &seq, err) < 0 ||
	    ga_root_mkdir(d->root, path, mode, err) < 0)
		return -1;
	return ga_journal_done(d->h, seq, err);
}

/* The folders above a path. */
static int make_parents(const struct ga_setup_doer *d, const char *path, struct ga_err *err)
{
	const char *p = path;

	while ((p = strchr(p + 1, '/'))) {
		ga_autofree char *folder = ga_xstrndup(path, (size_t)(p - path));

		if (make_folder(d, folder, 0755, false, err) < 0)
			return -1;
	}
	return 0;
}

int ga_setup_do_folder(const struct ga_setup_doer *d, const struct ga_setup_step *s,
		       struct ga_err *err)
{
	if (make_parents(d, s->say.subject, err) < 0)
		return -1;
	return make_folder(d, s->say.subject, (unsigned int)s->number, true, err);
}

int ga_setup_undo_folder(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	bool existed = json_is_true(json_object_get(u->inverse, "existed"));
	json_int_t mode = json_integer_value(json_object_get(u->inverse, "mode"));
	json_int_t ours = json_integer_value(json_object_get(u->inverse, "ours"));
	struct stat st;
	int r = existed ? ga_root_stat(u->d->root, u->e->subject, &st, err) : 0;

	if (r < 0)
		return -1;
	if (existed && (!r || (st.st_mode & 07777) != ours)) {
		u->why = ga_xstrdup("somebody else changed its mode, or removed it, since");
		return 0;
	}
	if (existed)
		return ga_root_chmod(u->d->root, u->e->subject, (unsigned int)mode, err) < 0 ?
			       -1 : 1;
	r = ga_root_rmdir(u->d->root, u->e->subject, err);
	if (!r)
		u->why = ga_xstrdup("something else is in it");
	return r;
}

/* ---- files ---- */

/* The name of a further change of the same file: each has its own inverse. */
static int next_subject(const struct ga_setup_doer *d, const char *path, char **ret,
			struct ga_err *err)
{
	ga_autojournal struct ga_journal j = { 0 };
	size_t i, n = 0, len = strlen(path);

	if (ga_journal_open_entries(d->h, GA_SETUP_OBJECT, &j, err) < 0)
		return -1;
	for (i = 0; i < j.n; i++)
		n += ga_streq(j.v[i].op, "etc_file") && !strncmp(j.v[i].subject, path, len) &&
		     (j.v[i].subject[len] == '\0' || j.v[i].subject[len] == '#');
	*ret = n ? ga_xprintf("%s#%zu", path, n + 1) : ga_xstrdup(path);
	return 0;
}

int ga_setup_do_file(const struct ga_setup_doer *d, const struct ga_setup_step *s,
		     struct ga_err *err)
{
	const char *path = s->say.subject;
	ga_autostr struct ga_str now = GA_STR_INIT;
	ga_autofree char *subject = NULL, *before = NULL;
	char after[GA_DIGEST_SIZE];
	struct stat st = { 0 };
	int64_t seq;
	int there;

	if (make_parents(d, path, err) < 0)
		return -1;
	there = ga_root_read(d->root, path, FILE_MAX, &now, &st, err);
	if (there < 0 || next_subject(d, path, &subject, err) < 0)
		return -1;
	before = digest_of(&now, there);
	ga_digest_of(s->text, s->len, after);
	if (ga_setup_intend(d, "etc_file", subject,
			    json_pack("{s:s,s:b,s:I,s:I,s:I,s:o,s:s,s:s}", "path", path, "existed",
				      there, "mode", (json_int_t)(st.st_mode & 07777), "uid",
				     (json_int_t)st.st_uid, "gid", (json_int_t)st.st_gid, "content",
				      pack_bytes(&now), "before", before, "after", after),
			    &seq, err) < 0 ||
	    ga_root_replace(d->root, path, s->text, s->len, there ? &st : NULL,
			    (unsigned int)s->number, err) < 0)
		return -1;
	return ga_journal_done(d->h, seq, err);
}

static const char *member(json_t *inverse, const char *name)
{
	const char *text = json_string_value(json_object_get(inverse, name));

	return text ? text : "";
}

int ga_setup_file_stands(const struct ga_setup_doer *d, json_t *inverse, struct ga_err *err)
{
	ga_autostr struct ga_str now = GA_STR_INIT;
	ga_autofree char *digest = NULL;
	struct stat st;
	int there = ga_root_read(d->root, member(inverse, "path"), FILE_MAX, &now, &st, err);

	if (there < 0)
		return -1;
	digest = digest_of(&now, there);
	return ga_streq(digest, member(inverse, "after"))  ? 1 :
	       ga_streq(digest, member(inverse, "before")) ? 0 : -2;
}

/* Somebody has changed the file since. If our block is still in it, the block can be removed. */
static int undo_block(struct ga_setup_undo_ctx *u, const struct ga_str *now, const struct stat *st,
		      struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT;

	if (!strstr(now->buf, GA_SETUP_BEGIN) ||
	    ga_setup_text_block(now->buf, now->len, NULL, &text) < 0) {
		u->why = ga_xstrdup("somebody else changed it since");
		return 0;
	}
	return ga_root_replace(u->d->root, member(u->inverse, "path"), text.buf, text.len, st,
			       st->st_mode & 07777, err) < 0 ? -1 : 1;
}

int ga_setup_undo_file(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	const char *path = member(u->inverse, "path");
	bool existed = json_is_true(json_object_get(u->inverse, "existed"));
	ga_autostr struct ga_str now = GA_STR_INIT, text = GA_STR_INIT;
	ga_autofree char *digest = NULL;
	struct stat st = { 0 };
	int there = ga_root_read(u->d->root, path, FILE_MAX, &now, &st, err);
	json_int_t mode;

	if (there < 0)
		return -1;
	digest = digest_of(&now, there);
	if (ga_streq(digest, member(u->inverse, "before")))
		return 1;
	if (!ga_streq(digest, member(u->inverse, "after"))) {
		if (there)
			return undo_block(u, &now, &st, err);
		u->why = ga_xstrdup("somebody else removed it since");
		return 0;
	}
	if (!existed)
		return ga_root_remove(u->d->root, path, err) < 0 ? -1 : 1;
	unpack_bytes(json_object_get(u->inverse, "content"), &text);
	mode = json_integer_value(json_object_get(u->inverse, "mode"));
	st.st_uid = (uid_t)json_integer_value(json_object_get(u->inverse, "uid"));
	st.st_gid = (gid_t)json_integer_value(json_object_get(u->inverse, "gid"));
	return ga_root_replace(u->d->root, path, text.buf, text.len, &st, (unsigned int)mode,
			       err) < 0 ? -1 : 1;
}

/* ---- links ---- */

int ga_setup_do_link(const struct ga_setup_doer *d, const struct ga_setup_step *s,
		     struct ga_err *err)
{
	ga_autofree char *target = ga_root_link(d->root, s->say.subject);
	int64_t seq;

	if (!target)
		return 0;
	if (ga_setup_intend(d, "etc_link", s->say.subject, json_pack("{s:s}", "target", target),
			    &seq, err) < 0 ||
	    ga_root_remove(d->root, s->say.subject, err) < 0)
		return -1;
	return ga_journal_done(d->h, seq, err);
}

int ga_setup_undo_link(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	const char *target = member(u->inverse, "target");
	ga_autofree char *now = ga_root_link(u->d->root, u->e->subject);
	struct stat st;
	int r;

	if (ga_streq(now, target))
		return 1;
	r = ga_root_stat(u->d->root, u->e->subject, &st, err);
	if (r < 0)
		return -1;
	if (r) {
		u->why = ga_xstrdup("somebody else made one since");
		return 0;
	}
	return ga_root_symlink(u->d->root, u->e->subject, target, err) < 0 ? -1 : 1;
}
