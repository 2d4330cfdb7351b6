/* SPDX-License-Identifier: Apache-2.0 */
/* Records: the line reader, then the shape of each kind; what is read is written and read again. */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "record/rec.h"
#include "record/schema_read.h"

/* The short way reads the same as jansson and the schema. */
static void short_way(const struct ga_rec *rec)
{
	ga_autofree void *a = ga_xcalloc(1, rec->schema->size);
	ga_autofree void *b = ga_xcalloc(1, rec->schema->size);
	ga_autofree char *one = NULL, *two = NULL;
	struct ga_err err = GA_ERR_INIT;

	if (!ga_schema_read(rec->schema, rec->raw, rec->raw_len, a))
		return;
	fuzz_check(!ga_rec_parse(rec, rec->schema, b, &err));
	one = ga_rec_format_text(rec->schema, a);
	two = ga_rec_format_text(rec->schema, b);
	fuzz_check(ga_streq(one, two));
	ga_schema_release(rec->schema, a);
	ga_schema_release(rec->schema, b);
}

static void schema_again(const struct ga_rec *rec)
{
	ga_autofree void *obj = ga_xcalloc(1, rec->schema->size);
	ga_autofree void *back = ga_xcalloc(1, rec->schema->size);
	ga_autofree char *one = NULL, *two = NULL;
	struct ga_err err = GA_ERR_INIT;

	if (ga_rec_parse(rec, rec->schema, obj, &err) < 0) {
		fuzz_check(err.code == GA_BADREC && err.msg[0]);
		return;
	}
	one = ga_rec_format_text(rec->schema, obj);
	ga_schema_copy(rec->schema, obj, back);
	ga_schema_release(rec->schema, obj);
	ga_schema_release(rec->schema, back);
	fuzz_check(!ga_rec_parse_text(one, rec->schema, obj, &err));
	two = ga_rec_format_text(rec->schema, obj);
	fuzz_check(ga_streq(one, two));
	ga_schema_release(rec->schema, obj);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofd int fd = memfd_create("fuzz", MFD_CLOEXEC);
	ga_autoreader struct ga_reader *r = ga_reader_open(fd, "input");
	struct ga_err err = GA_ERR_INIT;
	struct ga_rec rec;
	int more;

	if (fd < 0 || ga_write_all(fd, data, size) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	while ((more = ga_reader_next(r, &rec, &err)) > 0) {
		fuzz_check(rec.raw_len <= GA_LINE_MAX && !memchr(rec.raw, '\n', rec.raw_len));
		if (rec.schema) {
			short_way(&rec);
			schema_again(&rec);
		}
	}
	fuzz_check(more == 0 || (err.code == GA_BADREC && err.msg[0]));
	return 0;
}
