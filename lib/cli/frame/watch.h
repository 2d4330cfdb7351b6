/* SPDX-License-Identifier: Apache-2.0 */
/* --watch: the output of a program on the whole terminal, drawn anew when the state changes. */
#ifndef GA_CLI_FRAME_WATCH_H
#define GA_CLI_FRAME_WATCH_H

#include "base/ga.h"

/*
 * Calls draw, which prints as usual, and shows as much of that as fits the terminal below a line
 * with the program, its operands and the time; messages on stderr too. Draws anew when the state
 * at path has another version (inotify shows that a file changed, SQLite's data_version that it was
 * a commit), when the terminal gets another size, and each minute, because tables have times such
 * as "5m ago"; every 10 seconds while one is in seconds.
 *
 * Ends with 0 at q, SIGINT, SIGTERM and SIGHUP, and with the error of draw. The terminal is then as
 * it was before. GA_USAGE when standard output is no terminal, or gets no table.
 */
GA_MUST_CHECK int ga_watch(const char *path, int (*draw)(struct ga_err *err), struct ga_err *err);

#endif
