/* SPDX-License-Identifier: Apache-2.0 */
/* What a program says of its own command line. Private to the glue. */
#ifndef GA_CLI_FRAME_HELP_H
#define GA_CLI_FRAME_HELP_H

#include "cli/frame/cli.h"

void ga_cli_help(const struct ga_prog *prog, const struct ga_cmd *cmd);
/* The UAPI.18 draft "CLI introspection" document. */
void ga_cli_introspect(const struct ga_prog *prog);
/* The option tables in force, own ones first, NULL-terminated (static memory). */
const struct ga_opt *const *ga_cli_tables(const struct ga_prog *prog, const struct ga_cmd *cmd);

#endif
