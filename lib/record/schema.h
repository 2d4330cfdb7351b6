/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schemas: one table for each kind of record. The table drives everything: reading (messages name
 * the member), writing (members always in table order), releasing, the JSON Schemas in share/schema
 * (lib/record/json_schema.c) and the checks of gpuaas-records(5).
 *
 * A C struct mirrors a record: member names are the JSON names. Texts are char * owned by the
 * struct; lists are GA_LIST(type); a nullable object is a pointer to its struct.
 *
 *   presence   in C                                        in JSON
 *   GA_REQ     text != NULL                                always there, never null
 *   GA_NULLOK  text == NULL, number == GA_UNKNOWN,         always there, null when unknown
 *              object pointer == NULL
 *   GA_OPT     as GA_NULLOK                                missing when absent (only in kinds that
 *                                                          people write: request, profile, …)
 *
 * Every text has at most GA_TEXT_MAX bytes and no control characters, and matches its format.
 * Reading refuses a member that the schema does not name: a schema is fixed, and a change of it is
 * a new version of the kind.
 */
#ifndef GA_RECORD_SCHEMA_H
#define GA_RECORD_SCHEMA_H

#include <jansson.h>

#include "base/ga.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/size.h"
#include "record/time.h"

#define GA_TEXT_MAX 16384
#define GA_UNKNOWN INT64_MIN /* a number, or a tristate, that is null */

enum ga_field_type {
	GA_F_TEXT, /* char *; format below */
	GA_F_INT,  /* int64_t within [min, max] */
	GA_F_BOOL, /* bool */
	GA_F_DECIMAL, /* int64_t in units of the last digit: 989500 with 3 digits is 989.5 in JSON;
			 read to the nearest unit, written exactly */
	GA_F_TRI,  /* int64_t 0, 1 or GA_UNKNOWN: true, false, null */
	GA_F_OBJ,  /* struct, or pointer to it when GA_NULLOK or GA_OPT */
	GA_F_LIST, /* GA_LIST(struct …), element schema in sub */
	GA_F_TEXTS, /* struct ga_texts */
	GA_F_INTS, /* struct ga_ints */
	GA_F_JSON, /* json_t *, an object of free form */
};

enum ga_presence { GA_REQ, GA_NULLOK, GA_OPT };

/* The format of a text. */
enum ga_format {
	GA_T_ANY,
	GA_T_ID,     /* ga_id_is_valid */
	GA_T_NAME,   /* ga_name_is_valid */
	GA_T_CODE,   /* [a-z0-9_]+, a stable machine word */
	GA_T_TIME,   /* ga_time_parse, in its canonical form */
	GA_T_DIGEST, /* ga_digest_is_valid */
	GA_T_PCI,    /* ga_pciaddr_parse, in lower case */
	GA_T_MAC,
	GA_T_IP,
	GA_T_CPUS, /* ga_cpuset_parse */
	GA_T_HEX,  /* [0-9a-f]+ */
	GA_T_WORD, /* ga_is_word: an identity or kernel name, such as a wwid or an interface */
	GA_T_ADDRESS, /* ga_is_address */
	GA_T_PERSON, /* ga_person_check: a text that a person gives */
	GA_T_MULTILINE, /* newlines and tabs allowed */
};

struct ga_schema;

struct ga_field {
	const char *name;
	/* Packed: there are thousands of fields, and each process has a copy of their pages. */
	enum ga_field_type type : 8;
	enum ga_presence presence : 8;
	enum ga_format format : 8;
	unsigned int digits : 8; /* of GA_F_DECIMAL: digits after the point, 1 .. 6 */
	uint32_t offset;
	const char *const *values;  /* the allowed words of a text, NULL-terminated, or NULL */
	const char *beside; /* of a closed set: a GA_F_TRI member of the same schema, which tables
			     * show after the value when it is true: "available, cordoned"; NULL:
			     * none. Conditions take both forms, and the name alone */
	const struct ga_schema *sub; /* of GA_F_OBJ and GA_F_LIST */
	int64_t min, max;	    /* of GA_F_INT and of each of GA_F_INTS; always set both */
	const char *doc;	    /* one line for the schema and gpuaas-records(5) */
};

struct ga_schema {
	const char *kind; /* "gpuaas.slot/1", or NULL for a schema inside another */
	const char *doc;
	size_t size; /* sizeof the struct */
	const struct ga_field *fields; /* ends with a field without name */
	bool is_signed; /* a host signs this kind: the member "signature" may follow the others. It
			   is not in the struct (sign.h); readers keep it separate (rec.h) */
};

/* Table entries. s is the struct tag, m the member. */
#define GA_FIELD(s, m, ty, pr, ...) \
	{ .name = #m, .type = (ty), .presence = (pr), .offset = offsetof(struct s, m), __VA_ARGS__ }
#define GA_TEXT(s, m, pr, fmt, d) GA_FIELD(s, m, GA_F_TEXT, pr, .format = (fmt), .doc = (d))
#define GA_ENUM(s, m, pr, vals, d) GA_FIELD(s, m, GA_F_TEXT, pr, .values = (vals), .doc = (d))
#define GA_INT_IN(s, m, pr, lo, hi, d) \
	GA_FIELD(s, m, GA_F_INT, pr, .min = (lo), .max = (hi), .doc = (d))
#define GA_INTS_IN(s, m, pr, lo, hi, d) \
	GA_FIELD(s, m, GA_F_INTS, pr, .min = (lo), .max = (hi), .doc = (d))
/* Every number has bounds, and its unit decides which. With these bounds, seconds fit in 63 bits as
 * microseconds, and MiB and KiB fit as bytes, also when multiplied by a thousand. */
#define GA_BYTES_MAX (INT64_C(1) << 50)
#define GA_COUNT_MAX INT64_C(1000000000)
#define GA_SECONDS(s, m, pr, d) GA_SECONDS_IN(s, m, pr, 0, GA_SECONDS_MAX, d)
/* Seconds with bounds of their own, within those of GA_SECONDS. */
#define GA_SECONDS_IN(s, m, pr, lo, hi, d) GA_INT_IN(s, m, pr, lo, hi, d)
/* An age, or an estimated duration of work, in seconds. */
#define GA_SPAN(s, m, pr, d) GA_INT_IN(s, m, pr, 0, GA_TIME_SPAN_MAX, d)
#define GA_BYTES(s, m, pr, d) GA_INT_IN(s, m, pr, 0, GA_BYTES_MAX, d)
#define GA_KIB(s, m, pr, d) GA_INT_IN(s, m, pr, 0, GA_BYTES_MAX >> 10, d)
#define GA_MIB(s, m, pr, d) GA_INT_IN(s, m, pr, 0, GA_BYTES_MAX >> 20, d)
#define GA_COUNT(s, m, pr, d) GA_INT_IN(s, m, pr, 0, GA_COUNT_MAX, d)
#define GA_COUNTS(s, m, pr, d) GA_INTS_IN(s, m, pr, 0, GA_COUNT_MAX, d)
/* An index or number that the kernel or PCI assigns. */
#define GA_NUMBER(s, m, pr, d) GA_INT_IN(s, m, pr, 0, UINT32_MAX, d)
#define GA_NUMBERS(s, m, pr, d) GA_INTS_IN(s, m, pr, 0, UINT32_MAX, d)
/* A counter that grows with each change: only compare it, never calculate with it. */
#define GA_SERIAL(s, m, pr, d) GA_INT_IN(s, m, pr, 0, GA_INT_MAX_SAFE, d)
/* Money, elapsed microseconds, rates, and sums of them: calculations use 128 bits
 * (money.h). */
#define GA_AMOUNT(s, m, pr, d) GA_INT_IN(s, m, pr, 0, GA_INT_MAX_SAFE, d)
#define GA_BOOL(s, m, d) GA_FIELD(s, m, GA_F_BOOL, GA_REQ, .doc = (d))
#define GA_BOOL_OPT(s, m, d) GA_FIELD(s, m, GA_F_BOOL, GA_OPT, .doc = (d))
#define GA_TRI(s, m, d) GA_FIELD(s, m, GA_F_TRI, GA_NULLOK, .doc = (d))
#define GA_OBJ(s, m, pr, sh, d) GA_FIELD(s, m, GA_F_OBJ, pr, .sub = (sh), .doc = (d))
#define GA_LISTOF(s, m, sh, d) GA_FIELD(s, m, GA_F_LIST, GA_REQ, .sub = (sh), .doc = (d))
#define GA_TEXTS(s, m, pr, fmt, d) GA_FIELD(s, m, GA_F_TEXTS, pr, .format = (fmt), .doc = (d))
#define GA_JSON(s, m, pr, d) GA_FIELD(s, m, GA_F_JSON, pr, .doc = (d))
/* A member whose JSON name differs from its C name, for other systems: "memoryGb" for memory_gb. */
#define GA_AS(s, m, as, ty, pr, ...) \
	{ .name = (as), .type = (ty), .presence = (pr), .offset = offsetof(struct s, m), \
	  __VA_ARGS__ }
#define GA_FIELDS_END { .name = NULL }

/* The field that a path names from the schema down ("gpu.uuid"), also through lists, or NULL. */
const struct ga_field *ga_schema_member(const struct ga_schema *schema, const char *path);
/* Reads a JSON object into a zeroed struct. On error the struct is released and zeroed again, and
 * the message names the member ("member 'gpu.pci_address' …"); code GA_BADREC. */
GA_MUST_CHECK int ga_schema_parse(const struct ga_schema *schema, json_t *json, void *ret,
				  struct ga_err *err);
/* Sets each number of json that is outside its bounds to the nearest bound: for records that an
 * older version of this library wrote with other bounds. Leaves a value that should be a number but
 * is none; ga_schema_parse refuses it. */
void ga_schema_clamp(const struct ga_schema *schema, json_t *json);
/* Drops the members that the schema does not name, and a null of an optional one: for messages of
 * programs that are not ours, whose later versions say more. */
void ga_schema_trim(const struct ga_schema *schema, json_t *json);
/* Returns n, or the bound of the field nearest to n. */
int64_t ga_field_clamp(const struct ga_field *f, int64_t n);
/* Writes a struct as a new JSON object; "kind" first when the schema has one. Never fails: a GA_REQ
 * text that is NULL is a programming error and ends the process. */
json_t *ga_schema_format(const struct ga_schema *schema, const void *obj);
/* Checks that ga_schema_parse would accept the texts and numbers of a struct that code filled
 * member by member; skips absent members. GA_BADREC. */
GA_MUST_CHECK int ga_schema_check(const struct ga_schema *schema, const void *obj,
				  struct ga_err *err);
/* Frees the memory that the struct owns and zeroes it. In a zeroed struct GA_NULLOK numbers are 0,
 * not GA_UNKNOWN: call ga_schema_init before you fill a struct member by member. */
void ga_schema_release(const struct ga_schema *schema, void *obj);
/* Zeroes the struct and sets every nullable number to GA_UNKNOWN. */
void ga_schema_init(const struct ga_schema *schema, void *obj);
/* A deep copy into dst (overwritten, not released). */
void ga_schema_copy(const struct ga_schema *schema, const void *src, void *dst);

/* The JSON Schema (2020-12) of a schema, as a new object. */
json_t *ga_json_schema_of(const struct ga_schema *schema);

#endif
