/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of records: one JSON object a line, UTF-8, "\n" (gpuaas-records(5)).
 *
 * Reading is bounded (GA_LINE_MAX a line, one parse a line, depth and duplicate keys checked by
 * jansson). Anything that is not one gpuaas record a line is GA_BADREC with the line's number.
 */
#ifndef GA_RECORD_REC_H
#define GA_RECORD_REC_H

#include <jansson.h>

#include "base/ga.h"
#include "base/str.h"
#include "record/kind.h"

#define GA_LINE_MAX (1 << 20)

struct ga_rec {
	const struct ga_schema *shape; /* of the kind; NULL for a gpuaas kind this version lacks */
	json_t *json; /* without its signature */
	json_t *signature; /* of a result, or NULL */
	const char *raw; /* the bytes read, without the newline; valid until the next read */
	size_t raw_len;
	uint64_t line; /* from 1 */
};

struct ga_reader;

/* Reads from a descriptor, which stays the caller's; name is for messages ("standard input"). */
struct ga_reader *ga_reader_open(int fd, const char *name);
/* 1 with a record (owned by the reader until the next call), 0 at the end, -1 on error. */
GA_MUST_CHECK int ga_reader_next(struct ga_reader *r, struct ga_rec *rec, struct ga_err *err);
/* Whether a whole further line is buffered already, so that reading it will not block: lets a
 * program put what is waiting into one transaction. */
bool ga_reader_has_line(const struct ga_reader *r);
void ga_reader_close(struct ga_reader *r);
void ga_cleanup_reader(struct ga_reader **r);
#define ga_autoreader ga_cleanup(ga_cleanup_reader)

/* One line, without its newline, as a record; ret->json is the caller's to free and is NULL after
 * an error. GA_BADREC says what is wrong in words to follow "the line is ". */
GA_MUST_CHECK int ga_rec_of_line(const char *line, size_t len, struct ga_rec *ret,
				 struct ga_err *err);

/* Whether the record is of the shape's kind. */
bool ga_rec_is(const struct ga_rec *rec, const struct ga_schema *schema);
/* Reads the record into its struct; the message gets the line and the kind in front. */
GA_MUST_CHECK int ga_rec_parse(const struct ga_rec *rec, const struct ga_schema *schema, void *ret,
			       struct ga_err *err);

/* One line of JSON that a version of this library wrote (a record on disk or in a column) into a
 * struct, the short way where that can be (shape_read.h). A number beyond today's bounds counts as
 * the bound: what was taken then must not become unreadable. */
GA_MUST_CHECK int ga_rec_parse_bytes(const char *text, size_t len, const struct ga_schema *schema,
				     void *ret, struct ga_err *err);
GA_MUST_CHECK int ga_rec_parse_text(const char *text, const struct ga_schema *schema, void *ret,
				    struct ga_err *err);
/* The struct as one compact line without newline, allocated. */
char *ga_rec_format_text(const struct ga_schema *schema, const void *obj);
/* json as one compact line, members in their order. */
void ga_rec_dump(json_t *json, struct ga_str *out);
/* SHA-256 over the compact text of the struct with the member named skip left out. */
void ga_rec_digest(const struct ga_schema *schema, const void *obj, const char *skip, char *out);

void ga_cleanup_json(json_t **json);
#define ga_autojson ga_cleanup(ga_cleanup_json)

#endif
