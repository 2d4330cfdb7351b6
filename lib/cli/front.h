/* SPDX-License-Identifier: Apache-2.0 */
/* "gpuaas help": the programs by the life of capacity. */
#ifndef GA_CLI_FRONT_H
#define GA_CLI_FRONT_H

#include "base/str.h"
#include "base/texts.h"

/* Adds the help of gpuaas: of the programs that are there ("gpuaas-list"), each with a line in its
 * group; programs that are not ours come last. */
void ga_front_help(const struct ga_texts *programs, struct ga_str *ret);
/* The program, or program and command, that users of kubectl, virsh, Slurm and shells mean by a
 * word that is no program ("get": "list"); NULL: not known. */
const char *ga_front_meant(const char *word);

#endif
