/* SPDX-License-Identifier: Apache-2.0 */
/* --help and --introspect-cli: descriptions of a program's command line. Private to cli/frame. */
#ifndef GA_CLI_FRAME_HELP_H
#define GA_CLI_FRAME_HELP_H

#include "cli/frame/cli.h"

/* Prints --help of the program, or of one of its commands (NULL: none). */
void ga_cli_help(const struct ga_prog *prog, const struct ga_cmd *cmd);
/* Adds the commands of the program, a line each. */
void ga_cli_list_commands(const struct ga_prog *prog, struct ga_str *out);
/* Prints the document of the UAPI.18 draft "CLI introspection". */
void ga_cli_introspect(const struct ga_prog *prog);
/* The option tables of the program and the command, those of the command first, NULL-terminated; in
 * static memory that the next call overwrites. */
const struct ga_opt *const *ga_cli_tables(const struct ga_prog *prog, const struct ga_cmd *cmd);
/* Whether help, introspection and completion show the option: those of records are refused where
 * the command prints text. */
bool ga_cli_is_offered(const struct ga_prog *prog, const struct ga_cmd *cmd,
		       const struct ga_opt *o);
/* The option with that long name (of len bytes), or with that short name if name is NULL; NULL:
 * there is none. */
const struct ga_opt *ga_cli_find_opt(const struct ga_prog *prog, const struct ga_cmd *cmd,
				     const char *name, size_t len, char short_name);

#endif
