/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pager for output that is longer than the terminal, as git and systemctl have it. The output of
 * a program that only looks is kept until its end, so that no transaction waits for a reader, and
 * the status of the program does not depend on when the reader leaves.
 */
#ifndef GA_CLI_FRAME_PAGER_H
#define GA_CLI_FRAME_PAGER_H

#include "base/ga.h"

/* From now on standard output is kept, if it is a terminal that can move its cursor. */
void ga_pager_begin(void);
/* Whether standard output is kept for a terminal. */
bool ga_pager_is_on(void);
/* Standard output is the terminal again; what is kept goes to it, by the pager when it is longer
 * than the screen. -1 with errno when the terminal cannot be written to. */
GA_MUST_CHECK int ga_pager_end(void);

#endif
