/* SPDX-License-Identifier: Apache-2.0 */
/* `gpuaas-validate new`: the beginning of an adapter for a technology. */
#ifndef GA_CLI_VALIDATE_NEW_H
#define GA_CLI_VALIDATE_NEW_H

#include "base/ga.h"

/* The option of `gpuaas-validate new`. */
struct ga_validate_new {
	const char *dir; /* NULL: a folder with the name, here */
};

/* Makes a folder with an adapter that answers hello, setup and teardown, and a README.md, from
 * share/adapters/skeleton, and prints their paths. The operand is the name of the technology.
 * GA_CONFLICT: the folder exists; GA_USAGE: the name cannot be that of a technology. */
GA_MUST_CHECK int ga_validate_new(const struct ga_validate_new *o, struct ga_err *err);

#endif
