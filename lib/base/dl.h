/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that we load at first use, with dlopen(3): many runs do not need them, and some
 * machines do not have them. */
#ifndef GA_BASE_DL_H
#define GA_BASE_DL_H

#include "base/ga.h"

/* Loads a library by its soname or path. GA_NOTFOUND with the message of dlerror(3). The caller
 * closes *ret with dlclose(3), or keeps it for the life of the process. */
GA_MUST_CHECK int ga_dl_open(const char *name, void **ret, struct ga_err *err);
/* Whether the library has the function. If so, stores it in *pointer, a pointer to a function; if
 * not, dlerror(3) gives the reason. */
bool ga_dl_find(void *library, const char *name, void *pointer);

#endif
