/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The completion of the word under the cursor: "PROGRAM --complete WORD…" prints it for the
 * shell.
 * The words of --help say what a value is ("NODE", "ALLOCATION", "FILE"), so that --help, the
 * completions and --introspect-cli cannot differ.
 */
#ifndef GA_CLI_FRAME_COMPLETE_H
#define GA_CLI_FRAME_COMPLETE_H

#include "base/texts.h"
#include "cli/frame/cli.h"

#define GA_COMPLETE "--complete"

/* Prints what can stand for the last of the n words, which may be empty; the words before it are
 * those between the name of the program and the cursor. A line is a word, a tab and a description,
 * or a tab and an instruction for the shell: "files", "folders", "commands" (offer those of the
 * machine too), "nospace" (a word goes on). Asks gpuaas-list for names of objects; prints none if
 * that fails or takes longer than 3 seconds. Omits words that a shell would not take literally. */
void ga_cli_complete(const struct ga_prog *prog, char *const *words, int n);
/* One line of that. description may be NULL; begin is the word under the cursor: words that do not
 * begin with it are left out. */
void ga_cli_offer(const char *word, const char *description, const char *begin);

/* The kind of object that the values of a member name: "node", "slot", "allocation", "profile",
 * "image", "region", "pool", "project", "team", "app", or "type"; NULL: other values. With the
 * schema of the record, its own name is one, too. */
const char *ga_cli_member_means(const struct ga_schema *schema, const struct ga_field *field);
/* Of the kinds that a program writes, that of the operand KIND: "slot", "slots" or "evidence" (of
 * wipe-evidence); NULL: none. */
const struct ga_schema *ga_cli_listed(const struct ga_prog *prog, const char *word);
/* The meaning of a word of --help, for --introspect-cli: "node", "slot", …, "file", "text", or NULL
 * for a word without a meaning, which a test refuses. A list ("TEAM,…") means its element. */
const char *ga_cli_meaning(const char *word);

#endif
