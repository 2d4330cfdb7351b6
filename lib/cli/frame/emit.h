/* SPDX-License-Identifier: Apache-2.0 */
/* stdout: records or a table. Private to the glue; programs use cli.h. */
#ifndef GA_CLI_FRAME_EMIT_H
#define GA_CLI_FRAME_EMIT_H

#include "cli/frame/cli.h"

/* only_looks: the program shows what is there; the status in a record of its own is that of the
 * work the record is about, and not the program's. What passes through counts all the same. */
void ga_emit_open(bool table, bool only_looks);
/* Prints what the table still holds. -1 when a write to stdout failed now or before. */
GA_MUST_CHECK int ga_emit_close(struct ga_err *err);
int ga_emit_status(void);
/* For a child that shares stdout with others: records go to fd (a file of its own, when the parent
 * collects a table) or to stdout whole line by whole line, under a lock on lock_fd (-1: none). Rows
 * that the parent had collected are forgotten. */
void ga_emit_in_child(int fd, int lock_fd);
/* The same lock for the parent's own lines. */
void ga_emit_share(int lock_fd);
/* The error as a gpuaas.error record on stderr. */
void ga_emit_error(const char *program, const struct ga_err *err);
/* Notes the status member of a refusal, failure or evidence record. */
void ga_emit_note(const struct ga_shape *shape, json_t *json);

/* The rows of one kind, printed aligned (table.c). */
void ga_table_add(const struct ga_shape *shape, json_t *json);
void ga_table_flush(void);
void ga_table_forget(void); /* drops the rows unprinted */

#endif
