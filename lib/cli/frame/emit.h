/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output: records or a table. Private to cli/frame and gpuaas-report; programs use
 * cli.h. */
#ifndef GA_CLI_FRAME_EMIT_H
#define GA_CLI_FRAME_EMIT_H

#include "cli/frame/cli.h"

/* Decides between a table and records. only_looks: the program only shows what is there, so that
 * the status in a record that it emits is not its own; records that pass through count all the
 * same. */
void ga_emit_open(bool table, bool only_looks);
/* Prints what the table still holds. -1 when a write to stdout failed now or before. */
GA_MUST_CHECK int ga_emit_close(struct ga_err *err);
/* The first status that was noted; 0: none. */
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
void ga_emit_note(const struct ga_schema *schema, json_t *json);

/* The table (table.c): rows of one kind are kept until one of another kind comes, and then printed
 * aligned. json is a record and stays the caller's. */
void ga_table_add(const struct ga_schema *schema, json_t *json);
/* Prints the rows that are kept. */
void ga_table_flush(void);
/* Drops them unprinted. */
void ga_table_forget(void);

#endif
