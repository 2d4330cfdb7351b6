/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of records: one JSON object a line, UTF-8, "\n" (gpuaas-records(5)).
 *
 * Reading is bounded: at most GA_LINE_MAX bytes a line, one parse a line; jansson checks depth and
 * duplicate keys. A line that is not one gpuaas record is GA_BADREC with the line's number.
 */
#ifndef GA_RECORD_REC_H
#define GA_RECORD_REC_H

#include <jansson.h>

#include "base/ga.h"
#include "base/str.h"
#include "record/kind.h"

#define GA_LINE_MAX (1 << 20)

struct ga_rec {
	const struct ga_schema *schema; /* the kind's schema; NULL: this program does not know it */
	json_t *json; /* without the member "signature" */
	json_t *signature; /* of a result, or NULL */
	const char *raw; /* the bytes read, without the newline; valid until the next read */
	size_t raw_len;
	uint64_t line; /* from 1 */
};

struct ga_reader;

/* Reads from a descriptor, which the caller still owns; name is for messages ("standard input"). */
struct ga_reader *ga_reader_open(int fd, const char *name);
/* 1 with a record (owned by the reader until the next call), 0 at the end, -1 on error. */
GA_MUST_CHECK int ga_reader_next(struct ga_reader *r, struct ga_rec *rec, struct ga_err *err);
/* Whether a further complete line is in the buffer, so that reading it does not block: lets a
 * program put all waiting records into one transaction. */
bool ga_reader_has_line(const struct ga_reader *r);
void ga_reader_close(struct ga_reader *r);
void ga_cleanup_reader(struct ga_reader **r);
#define ga_autoreader ga_cleanup(ga_cleanup_reader)

/* Reads one line, without its newline, as a record. The caller frees ret->json; it is NULL after an
 * error. The message of GA_BADREC continues "the line is ". */
GA_MUST_CHECK int ga_rec_of_line(const char *line, size_t len, struct ga_rec *ret,
				 struct ga_err *err);

/* Whether the record is of the schema's kind. */
bool ga_rec_is(const struct ga_rec *rec, const struct ga_schema *schema);
/* Reads the record into its struct; the message begins with the line and the kind. */
GA_MUST_CHECK int ga_rec_parse(const struct ga_rec *rec, const struct ga_schema *schema, void *ret,
			       struct ga_err *err);

/* Reads one line of JSON that a version of this library wrote (a record on disk or in a column)
 * into a struct, by the fast way where possible (schema_read.h). A number outside today's bounds is
 * set to the bound: a record that an older version accepted must stay readable. */
GA_MUST_CHECK int ga_rec_parse_bytes(const char *text, size_t len, const struct ga_schema *schema,
				     void *ret, struct ga_err *err);
GA_MUST_CHECK int ga_rec_parse_text(const char *text, const struct ga_schema *schema, void *ret,
				    struct ga_err *err);
/* Returns the struct as one compact line without newline, allocated. */
char *ga_rec_format_text(const struct ga_schema *schema, const void *obj);
/* Adds json to out as one compact line, members in their order. */
void ga_rec_dump(json_t *json, struct ga_str *out);
/* Writes to out the SHA-256 of the compact text of the struct without the member named skip. */
void ga_rec_digest(const struct ga_schema *schema, const void *obj, const char *skip, char *out);

void ga_cleanup_json(json_t **json);
#define ga_autojson ga_cleanup(ga_cleanup_json)

#endif
