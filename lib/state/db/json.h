/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that hold JSON, read so that a row which a foreign hand damaged stops no other row.
 * SQLite's functions fail the whole statement where a text is no JSON. Private to the store. */
#ifndef GA_STATE_DB_JSON_H
#define GA_STATE_DB_JSON_H

/* 1 where the column has something that is no JSON object; NULL is none and no fault. */
#define GA_SQL_NOT_OBJECT(c) \
	"(CASE WHEN " c " IS NULL THEN 0 WHEN NOT json_valid(" c ") THEN 1 " \
	"ELSE json_type(" c ") <> 'object' END)"
/* The object, or the empty one. */
#define GA_SQL_OBJECT(c) \
	"(CASE WHEN NOT json_valid(" c ") THEN '{}' WHEN json_type(" c ") = 'object' THEN " c " " \
	"ELSE '{}' END)"

/* 1 where blockers are no list of reasons: '[]' is the one way to write that there is none. */
#define GA_SQL_NOT_REASONS(c) \
	"(CASE WHEN " c " = '[]' THEN 0 WHEN NOT json_valid(" c ") THEN 1 " \
	"WHEN json_type(" c ") <> 'array' THEN 1 WHEN json_array_length(" c ") = 0 THEN 1 " \
	"ELSE EXISTS (SELECT 1 FROM json_each(" c ") r WHERE CASE WHEN r.type <> 'object' THEN 1 " \
	"WHEN json_type(r.value, '$.code') IS NOT 'text' THEN 1 ELSE EXISTS (SELECT 1 FROM " \
	"json_each(r.value) m WHERE m.key IN ('subject', 'evidence', 'hint') AND " \
	"m.type NOT IN ('text', 'null')) END) END)"
/* The reasons, or the one that they cannot be read, which blocks as they may have done. */
#define GA_SQL_REASONS(c) \
	"(CASE WHEN " GA_SQL_NOT_REASONS(c) " THEN '[{\"code\":\"row_damaged\"," \
	"\"subject\":null,\"evidence\":\"" GA_DAMAGED_REASONS "\",\"hint\":null}]' ELSE " c " END)"
#define GA_DAMAGED_REASONS "its blockers are not a list of reasons"

/* Generations are numbers of records, which end at 2^53 - 1; a change needs the one that
 * follows. */
#define GA_SQL_GENERATION_LAST "9007199254740990"
#define GA_SQL_CAN_CHANGE(row) "(" row ".generation BETWEEN 0 AND " GA_SQL_GENERATION_LAST ")"

#endif
