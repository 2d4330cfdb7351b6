/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a member of a record: for people, with units, and as data. */
#ifndef GA_CLI_FRAME_CELL_H
#define GA_CLI_FRAME_CELL_H

#include <jansson.h>

#include "base/str.h"

/* The member at a path ("gpu.type_name"), borrowed; NULL when the record does not have it. */
json_t *ga_cell_member(json_t *json, const char *path);
/* Adds the member as a table shows it: with a unit for people, a range as "2 (1.8-3)", reasons by
 * their codes; "-" when it is null, empty or absent. A time is shown as it is seen from the time
 * now, in microseconds ("5m ago"), or to the second when now is 0; in a sentence always to the
 * second, and in the member "command", which is copied, as it is. */
void ga_cell_show(json_t *json, const char *path, int64_t now, struct ga_str *ret);
/* The same of the value that the member at the path has, with an exact time. */
void ga_cell_show_member(const char *path, json_t *value, struct ga_str *ret);
/* Adds a value as it stands in a record, without quotation marks: elements of a list separated by
 * commas, anything else in a list or object as JSON, null (or NULL) as nothing. */
void ga_cell_data(json_t *value, struct ga_str *ret);
/* The order of two members: numbers by value, texts by their bytes (which for times is the order of
 * time), no before yes, null last. */
int ga_cell_compare(json_t *a, json_t *b);
/* Columns that a text takes on a terminal, in the locale of the process. */
int ga_cell_width(const char *text);

#endif
