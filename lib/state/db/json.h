/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON columns so that a row damaged from outside stops no other row. SQLite's own functions
 * fail the whole statement when a text is not JSON. Private to lib/state. */
#ifndef GA_STATE_DB_JSON_H
#define GA_STATE_DB_JSON_H

/* 1 when the column has a text that is not a JSON object; NULL is no object and no fault. */
#define GA_SQL_NOT_OBJECT(c) \
	"(CASE WHEN " c " IS NULL THEN 0 WHEN NOT json_valid(" c ") THEN 1 " \
	"ELSE json_type(" c ") <> 'object' END)"
/* The object, or the empty object. */
#define GA_SQL_OBJECT(c) \
	"(CASE WHEN NOT json_valid(" c ") THEN '{}' WHEN json_type(" c ") = 'object' THEN " c " " \
	"ELSE '{}' END)"

/* 1 when blockers are not a list of reasons: '[]' is the only valid form of no reasons. */
#define GA_SQL_NOT_REASONS(c) \
	"(CASE WHEN " c " = '[]' THEN 0 WHEN NOT json_valid(" c ") THEN 1 " \
	"WHEN json_type(" c ") <> 'array' THEN 1 WHEN json_array_length(" c ") = 0 THEN 1 " \
	"ELSE EXISTS (SELECT 1 FROM json_each(" c ") r WHERE CASE WHEN r.type <> 'object' THEN 1 " \
	"WHEN json_type(r.value, '$.code') IS NOT 'text' THEN 1 ELSE EXISTS (SELECT 1 FROM " \
	"json_each(r.value) m WHERE m.key IN ('subject', 'evidence', 'hint') AND " \
	"m.type NOT IN ('text', 'null')) END) END)"
/* The reasons; or one reason that they cannot be read, which blocks as the lost reasons may have
 * done. */
#define GA_SQL_REASONS(c) \
	"(CASE WHEN " GA_SQL_NOT_REASONS(c) " THEN '[{\"code\":\"row_damaged\"," \
	"\"subject\":null,\"evidence\":\"" GA_DAMAGED_REASONS "\",\"hint\":null}]' ELSE " c " END)"
#define GA_DAMAGED_REASONS "its blockers are not a list of reasons"

/* Generations are numbers of records, which end at 2^53 - 1; a change needs the next number. */
#define GA_SQL_GENERATION_LAST "9007199254740990"
#define GA_SQL_CAN_CHANGE(row) "(" row ".generation BETWEEN 0 AND " GA_SQL_GENERATION_LAST ")"

#endif
