/* SPDX-License-Identifier: Apache-2.0 */
/* User-data as records: every length comes back, and incomplete data is refused. */
#include "t.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "act/image/userdata.h"
#include "base/file.h"
#include "record/digest.h"
#include "record/plan.h"
#include "record/rec.h"

static char dir[] = "/tmp/ga-userdata.XXXXXX";

/* Feeds the lines; skip: a line to leave out, or -1. */
static int feed(struct ga_user_datas *list, const struct ga_str *lines, int skip,
		struct ga_err *err)
{
	char *p = lines->buf, *end;
	int i = 0, r = 0;

	for (; r >= 0 && (end = strchr(p, '\n')); p = end + 1, i++) {
		ga_autofree char *line = ga_xstrndup(p, (size_t)(end - p));
		struct ga_user_data piece;

		t_ok(strlen(line) <= GA_LINE_MAX, "a line that a reader takes");
		if (i == skip)
			continue;
		r = ga_rec_parse_text(line, &ga_user_data_schema, &piece, err);
		t_int(r, 0, "a record");
		if (r < 0)
			return r;
		r = ga_user_data_take(list, &piece, err);
		ga_schema_release(&ga_user_data_schema, &piece);
	}
	return r;
}

static void store(size_t len, char digest[GA_DIGEST_SIZE], struct ga_str *bytes)
{
	ga_autofree char *path = NULL;
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	for (i = 0; i < len; i++)
		ga_str_addc(bytes, (char)(i * 31 + i / 251));
	ga_digest_of(bytes->buf, bytes->len, digest);
	path = ga_xprintf("%s/%s", dir, digest + strlen("sha256:"));
	t_int(ga_file_replace(path, bytes->buf, bytes->len, 0600, &err), 0, "stored");
}

static void lengths(void)
{
	static const size_t cases[] = { 0, 1, 2, 3, 4, 12287, 12288, 12289, 24576, 100000,
					1 << 20 };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autostr struct ga_str lines = GA_STR_INIT, bytes = GA_STR_INIT;
		struct ga_user_datas list = { 0 };
		const struct ga_str *found;
		struct ga_err err = GA_ERR_INIT;
		char digest[GA_DIGEST_SIZE];

		store(cases[i], digest, &bytes);
		t_int(ga_user_data_lines(dir, digest, &lines, &err), 0, "lines of %zu bytes",
		      cases[i]);
		t_int(feed(&list, &lines, -1, &err), 0, "taken: %s", err.msg);
		t_int(feed(&list, &lines, -1, &err), 0, "taken twice");
		found = ga_user_data_find(&list, digest);
		t_ok(found && found->len == bytes.len &&
			     !memcmp(found->buf, bytes.buf, bytes.len),
		     "the same bytes");
		ga_user_datas_release(&list);
	}
}

static void not_whole(void)
{
	ga_autostr struct ga_str lines = GA_STR_INIT, bytes = GA_STR_INIT;
	struct ga_user_datas list = { 0 };
	struct ga_err err = GA_ERR_INIT;
	char digest[GA_DIGEST_SIZE];
	struct ga_user_data bad = { .digest = digest, .total_bytes = 3,
				    .base64 = (char[]){ "!!!!" } };

	store(1 << 20, digest, &bytes);
	t_int(ga_user_data_lines(dir, digest, &lines, &err), 0, "lines");
	t_int(feed(&list, &lines, 0, &err), -1, "without its first piece");
	t_int(err.code, GA_BADREC, "a bad record");
	t_ok(!ga_user_data_find(&list, digest), "nothing is given");
	ga_err_clear(&err);
	t_int(feed(&list, &lines, 85, &err), 0, "without its last piece");
	t_ok(!ga_user_data_find(&list, digest), "nothing is given yet");
	t_int(feed(&list, &lines, -1, &err), -1, "the first one again is out of order");
	t_int(feed(&list, &lines, -1, &err), 0, "from the beginning");
	t_ok(ga_user_data_find(&list, digest) != NULL, "it is given");
	ga_user_datas_release(&list);
	t_int(ga_user_data_take(&list, &bad, &err), -1, "not base64");
	bad.base64 = (char[]){ "AAAA" };
	t_int(ga_user_data_take(&list, &bad, &err), -1, "not its digest");
	bad.base64 = (char[]){ "AAA" };
	t_int(ga_user_data_take(&list, &bad, &err), -1, "not whole groups");
	bad.total_bytes = GA_USER_DATA_MAX + 1;
	t_int(ga_user_data_take(&list, &bad, &err), -1, "too much");
	t_ok(!ga_user_data_find(&list, digest), "nothing is given");
	t_ok(!ga_user_data_find(NULL, digest), "no list gives nothing");
	ga_user_datas_release(&list);
}

static void remove_files(void)
{
	ga_autodir DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	rmdir(dir);
}

int main(void)
{
	if (!mkdtemp(dir))
		abort();
	lengths();
	not_whole();
	remove_files();
	return t_done();
}
