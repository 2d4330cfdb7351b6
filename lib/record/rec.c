/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of records. */
#include "record/rec.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "record/digest.h"
#include "record/schema_read.h"
#include "record/schema_write.h"

struct ga_reader {
	int fd;
	char *name;
	struct ga_str buf; /* bytes read but not yet returned start at pos */
	size_t pos;
	bool at_end;
	uint64_t line;
	json_t *json, *signature;
};

struct ga_reader *ga_reader_open(int fd, const char *name)
{
	struct ga_reader *r = ga_xcalloc(1, sizeof(*r));

	r->fd = fd;
	r->name = ga_xstrdup(ga_streq(name, "-") ? "standard input" : name);
	r->buf = (struct ga_str)GA_STR_INIT;
	return r;
}

void ga_reader_close(struct ga_reader *r)
{
	if (!r)
		return;
	json_decref(r->json);
	json_decref(r->signature);
	ga_str_release(&r->buf);
	free(r->name);
	free(r);
}

void ga_cleanup_reader(struct ga_reader **r)
{
	ga_reader_close(*r);
}

void ga_cleanup_json(json_t **json)
{
	json_decref(*json);
}

static const char *newline(const struct ga_reader *r)
{
	if (r->pos == r->buf.len)
		return NULL;
	return memchr(r->buf.buf + r->pos, '\n', r->buf.len - r->pos);
}

bool ga_reader_has_line(const struct ga_reader *r)
{
	return newline(r) != NULL;
}

static int bad_line(const struct ga_reader *r, struct ga_err *err, const char *why)
{
	return ga_fail(err, GA_BADREC, "%s, line %" PRIu64 ": %s", r->name, r->line, why);
}

/* Reads one more chunk into the buffer; 0 at the end of the stream. */
static int fill(struct ga_reader *r, struct ga_err *err)
{
	ssize_t n;

	if (r->pos) {
		memmove(r->buf.buf, r->buf.buf + r->pos, r->buf.len - r->pos);
		r->buf.len -= r->pos;
		r->pos = 0;
	}
	ga_str_reserve(&r->buf, 65536);
	do
		n = read(r->fd, r->buf.buf + r->buf.len, 65536);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return ga_fail_sys(err, "cannot read %s", r->name);
	r->buf.len += (size_t)n;
	r->buf.buf[r->buf.len] = '\0';
	return n > 0;
}

/* Finds the next line; 0 at the end. */
static int next_line(struct ga_reader *r, const char **line, size_t *len, struct ga_err *err)
{
	const char *end;

	r->line++;
	while (!(end = newline(r))) {
		int more;

		if (r->buf.len - r->pos > GA_LINE_MAX)
			return bad_line(r, err, "the line is longer than 1 MiB");
		more = r->at_end ? 0 : fill(r, err);
		if (more < 0)
			return -1;
		if (more)
			continue;
		r->at_end = true;
		if (r->pos == r->buf.len)
			return 0;
		end = r->buf.buf + r->buf.len; /* a last line without its newline */
		break;
	}
	*line = r->buf.buf + r->pos;
	*len = (size_t)(end - *line);
	r->pos += *len + (r->pos + *len < r->buf.len);
	if (*len > GA_LINE_MAX)
		return bad_line(r, err, "the line is longer than 1 MiB");
	return 1;
}

/* Reports the error in a line that is no JSON object. */
static int not_json(struct ga_reader *r, const char *line, size_t len, const json_error_t *why,
		    struct ga_err *err)
{
	int code = (int)json_error_code(why);

	if (code == json_error_premature_end_of_input ||
	    (code == json_error_invalid_syntax && len && (line[0] == '{' || line[0] == '}' ||
							   line[0] == ' ' || line[0] == '"'))) {
		(void)bad_line(r, err, "not one whole JSON object a line");
		return ga_hint(err, "when objects span lines, put 'jq -c .' in front");
	}
	if (code == json_error_end_of_input_expected)
		return bad_line(r, err, "more than one JSON document on the line");
	return ga_fail(err, GA_BADREC, "%s, line %" PRIu64 ": not JSON: %s", r->name, r->line,
		       why->text);
}

int ga_reader_next(struct ga_reader *r, struct ga_rec *rec, struct ga_err *err)
{
	const char *line, *kind;
	json_error_t why;
	size_t len;
	int more;

	json_decref(GA_TAKE(r->json));
	json_decref(GA_TAKE(r->signature));
	do {
		more = next_line(r, &line, &len, err);
		if (more <= 0)
			return more;
	} while (!len);
	r->json = json_loadb(line, len, JSON_REJECT_DUPLICATES, &why);
	if (!r->json)
		return not_json(r, line, len, &why, err);
	kind = json_string_value(json_object_get(r->json, "kind"));
	if (!json_is_object(r->json) || !kind)
		return bad_line(r, err, "a JSON document without \"kind\" is not a record");
	*rec = (struct ga_rec){ .json = r->json, .raw = line, .raw_len = len, .line = r->line };
	if (ga_kind_find(kind, &rec->schema, err) < 0)
		return ga_wrap(err, "%s, line %" PRIu64, r->name, r->line);
	if (rec->schema && rec->schema->is_signed) {
		rec->signature = r->signature = json_incref(json_object_get(r->json, "signature"));
		/* The other members keep their order, because the signature covers their text. */
		if (r->signature)
			json_object_del(r->json, "signature");
	}
	return 1;
}

int ga_rec_of_line(const char *line, size_t len, struct ga_rec *ret, struct ga_err *err)
{
	const char *kind;
	json_error_t why;

	*ret = (struct ga_rec){ .json = json_loadb(line, len, JSON_REJECT_DUPLICATES, &why),
				.raw = line, .raw_len = len };
	if (!ret->json)
		return ga_fail(err, GA_BADREC, "no JSON");
	kind = json_string_value(json_object_get(ret->json, "kind"));
	if (kind && ga_kind_find(kind, &ret->schema, err) == 0)
		return 0;
	json_decref(GA_TAKE(ret->json));
	return kind ? ga_wrap(err, "no record of this version") :
		      ga_fail(err, GA_BADREC, "no record: it has no \"kind\"");
}

bool ga_rec_is(const struct ga_rec *rec, const struct ga_schema *schema)
{
	return rec->schema == schema;
}

int ga_rec_parse(const struct ga_rec *rec, const struct ga_schema *schema, void *ret,
		 struct ga_err *err)
{
	if (ga_schema_parse(schema, rec->json, ret, err) < 0)
		return ga_wrap(err, "line %" PRIu64 ", %s", rec->line, schema->kind);
	return 0;
}

int ga_rec_parse_bytes(const char *text, size_t len, const struct ga_schema *schema, void *ret,
		       struct ga_err *err)
{
	ga_autojson json_t *json = NULL;
	json_error_t why;

	if (ga_schema_read(schema, text, len, ret))
		return 0;
	json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	if (!json)
		return ga_fail(err, GA_BADREC, "not JSON: %s", why.text);
	ga_schema_clamp(schema, json);
	return ga_schema_parse(schema, json, ret, err);
}

int ga_rec_parse_text(const char *text, const struct ga_schema *schema, void *ret,
		      struct ga_err *err)
{
	return ga_rec_parse_bytes(text, strlen(text), schema, ret, err);
}

static int dump_to(const char *p, size_t n, void *out)
{
	ga_str_add_bytes(out, p, n);
	return 0;
}

void ga_rec_dump(json_t *json, struct ga_str *out)
{
	if (json_dump_callback(json, dump_to, out, JSON_COMPACT | JSON_REAL_PRECISION(15)) < 0)
		abort(); /* only for a value that is no JSON; schema.c never makes one */
}

char *ga_rec_format_text(const struct ga_schema *schema, const void *obj)
{
	struct ga_str out = GA_STR_INIT;

	ga_schema_write(schema, obj, &out);
	return ga_str_take(&out);
}

void ga_rec_digest(const struct ga_schema *schema, const void *obj, const char *skip, char *out)
{
	ga_autostr struct ga_str text = GA_STR_INIT;

	ga_schema_write_without(schema, obj, skip, &text);
	ga_digest_of(text.buf, text.len, out);
}
