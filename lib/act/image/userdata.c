/* SPDX-License-Identifier: Apache-2.0 */
/* User-data to records and back. */
#include "act/image/userdata.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "record/crypto.h"
#include "record/digest.h"
#include "record/plan.h"
#include "record/rec.h"

/* A multiple of 3: only the last piece is padded. */
#define PIECE 12288 /* 16384 letters, the longest text of a record */
#define GIVEN_MAX 256

static void wipe_str(struct ga_str *s)
{
	if (s->len)
		explicit_bzero(s->buf, s->len);
	ga_str_release(s);
}

/* ---- as files ---- */

int ga_user_data_read(const char *dir, const char *digest, struct ga_str *out, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s/%s", dir, digest + strlen("sha256:"));
	char found[GA_DIGEST_SIZE];

	if (ga_file_read(path, GA_USER_DATA_MAX, out, err) < 0) {
		if (err->code == GA_NOTFOUND)
			ga_err_about(err, "user_data_missing", NULL);
		return ga_hint(err,
			       "bring the user-data to this host under the name of its digest, "
			       "0600, or name its folder with --user-data-dir");
	}
	if (!ga_streq(ga_digest_of(out->buf, out->len, found), digest))
		return ga_fail_for(err, GA_CONFLICT, "user_data_digest",
				   "'%s' does not have the digest of its name", path);
	return 0;
}

/* ---- as records ---- */

static void add_piece(const struct ga_str *bytes, size_t offset, const char *digest,
		      struct ga_str *out)
{
	size_t n = bytes->len - offset < PIECE ? bytes->len - offset : PIECE;
	ga_autofree char *text = ga_xcalloc(1, (n + 2) / 3 * 4 + 1);
	const struct ga_user_data piece = {
		.digest = (char *)(uintptr_t)digest,
		.offset_bytes = (int64_t)offset,
		.total_bytes = (int64_t)bytes->len,
		.base64 = n ? text : NULL,
	};
	char *line;

	ga_crypto()->EVP_EncodeBlock((unsigned char *)text,
				     (const unsigned char *)bytes->buf + offset, (int)n);
	line = ga_rec_format_text(&ga_user_data_schema, &piece);
	ga_str_add(out, line);
	ga_str_addc(out, '\n');
	explicit_bzero(line, strlen(line));
	explicit_bzero(text, strlen(text));
	free(line);
}

int ga_user_data_lines(const char *dir, const char *digest, struct ga_str *out, struct ga_err *err)
{
	struct ga_str bytes = GA_STR_INIT;
	size_t offset = 0;
	int r = ga_user_data_read(dir, digest, &bytes, err);

	if (r == 0)
		do
			add_piece(&bytes, offset, digest, out);
		while ((offset += PIECE) < bytes.len);
	wipe_str(&bytes);
	return r;
}

static struct ga_user_data_given *find(const struct ga_user_datas *list, const char *digest)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!strcmp(list->v[i].digest, digest))
			return &list->v[i];
	return NULL;
}

static int bad(struct ga_user_data_given *g, const char *digest, const char *what,
	       struct ga_err *err)
{
	if (g && !g->whole)
		wipe_str(&g->bytes);
	return ga_fail_for(err, GA_BADREC, "user_data", "user-data %s: %s", digest, what);
}

/* Adds the bytes of a piece to those of earlier pieces. */
static int add_bytes(struct ga_user_data_given *g, const struct ga_user_data *piece,
		     struct ga_err *err)
{
	const char *text = piece->base64 ? piece->base64 : "";
	size_t len = strlen(text), pad = 0;
	ga_autofree unsigned char *bytes = ga_xcalloc(1, len / 4 * 3 + 4);
	int n = ga_crypto()->EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)len);

	while (pad < 2 && pad < len && text[len - 1 - pad] == '=')
		pad++;
	if (n < 0 || len % 4 || n < (int)pad)
		return bad(g, piece->digest, "not base64", err);
	ga_str_add_bytes(&g->bytes, bytes, (size_t)n - pad);
	explicit_bzero(bytes, (size_t)n);
	return 0;
}

int ga_user_data_take(struct ga_user_datas *list, const struct ga_user_data *piece,
		      struct ga_err *err)
{
	struct ga_user_data_given *g = find(list, piece->digest);
	char digest[GA_DIGEST_SIZE];

	if (g && g->whole)
		return 0;
	if (piece->total_bytes > GA_USER_DATA_MAX || (!g && list->n == GIVEN_MAX))
		return bad(g, piece->digest, "more than is accepted", err);
	if (!g) {
		g = ga_list_add(list);
		*g = (struct ga_user_data_given){ .digest = ga_xstrdup(piece->digest),
						  .bytes = GA_STR_INIT };
	}
	if ((int64_t)g->bytes.len != piece->offset_bytes)
		return bad(g, piece->digest, "a piece is missing", err);
	if (add_bytes(g, piece, err) < 0)
		return -1;
	if ((int64_t)g->bytes.len < piece->total_bytes)
		return 0;
	ga_digest_of(g->bytes.buf, g->bytes.len, digest);
	if ((int64_t)g->bytes.len > piece->total_bytes || strcmp(digest, g->digest))
		return bad(g, piece->digest, "its bytes do not have this digest", err);
	g->whole = true;
	return 0;
}

const struct ga_str *ga_user_data_find(const struct ga_user_datas *list, const char *digest)
{
	const struct ga_user_data_given *g = list ? find(list, digest) : NULL;

	return g && g->whole ? &g->bytes : NULL;
}

int ga_user_data_get(const struct ga_user_datas *given, const char *dir, const char *other,
		     const char *digest, struct ga_str *out, struct ga_err *err)
{
	const struct ga_str *bytes = ga_user_data_find(given, digest);
	struct ga_err ignored = GA_ERR_INIT;

	if (bytes) {
		ga_str_add_bytes(out, bytes->buf, bytes->len);
		return 0;
	}
	if (ga_user_data_read(dir, digest, out, err) == 0)
		return 0;
	if (err->code != GA_NOTFOUND || !other ||
	    ga_user_data_read(other, digest, out, &ignored) < 0)
		return -1;
	ga_err_clear(err);
	return 0;
}

void ga_user_datas_release(struct ga_user_datas *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		wipe_str(&list->v[i].bytes);
		free(list->v[i].digest);
	}
	ga_list_release(list);
}
