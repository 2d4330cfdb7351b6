/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output: records or a table. Private to cli/frame and gpuaas-report; programs use
 * cli.h. */
#ifndef GA_CLI_FRAME_EMIT_H
#define GA_CLI_FRAME_EMIT_H

#include "cli/frame/cli.h"

/* Begins with the form that ga_form_choose chose. only_looks: the program only shows stored
 * records, so the status in such a record does not become its exit status; records that it passes
 * on still count. shows: so does this command, and -o name of a first record without a name is an
 * error. */
void ga_emit_open(bool only_looks, bool shows);
/* From now on, every record that this program makes and that has the member dry_run has it as true,
 * and tables and CSV have a column for it. ga_cli_parse calls this for --dry-run. */
void ga_emit_dry_run(void);
bool ga_emit_is_dry_run(void);
/* Prints the rows still in the table; -1 when a write to stdout fails. */
GA_MUST_CHECK int ga_emit_flush(struct ga_err *err);
/* The same at the end of the program, and shows what the pager has. -1 when a write to stdout
 * failed now or earlier. */
GA_MUST_CHECK int ga_emit_close(struct ga_err *err);
/* The first status that was noted; 0: none. */
int ga_emit_status(void);
/* Whether records are more than passed on as they come: they get another form, or an order. A
 * parent then collects those of its children. */
bool ga_emit_collects(void);
/* For a child that shares stdout with others: records go to fd (its own file, if the parent
 * collects them) or to stdout. It writes complete lines under a lock on lock_fd (-1: no lock).
 * The child drops the rows that the parent had collected. */
void ga_emit_in_child(int fd, int lock_fd);
/* The same lock for the parent's own lines. */
void ga_emit_share(int lock_fd);
/* Writes the error as a gpuaas.error record to stderr. */
void ga_emit_error(const char *program, const struct ga_err *err);
/* Notes the status member of a refusal, failure or evidence record. */
void ga_emit_note(const struct ga_schema *schema, json_t *json);

/* If the streams that were read had no record for this program, says so on stderr, with what came
 * instead. Says nothing when a refusal or failure came: the stage before had no order to give, and
 * its record says why. ga_cli_finish calls this unless the program failed. */
void ga_cli_stream_say(void);
/* For a child, whose parent reads the stream: ga_cli_stream_say says nothing. */
void ga_cli_stream_forget(void);

/* The table (table.c) keeps rows of one kind until a row of another kind comes, and then prints
 * them aligned. json is a record; the caller still owns it. */
void ga_table_add(const struct ga_schema *schema, json_t *json);
/* Prints the kept rows. */
void ga_table_flush(void);
/* Drops the kept rows. */
void ga_table_forget(void);

#endif
