/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are loaded at first use, by dlopen(3): not everybody who runs a program needs or
 * has them. */
#ifndef GA_BASE_DL_H
#define GA_BASE_DL_H

#include "base/ga.h"

/* Loads a library by its soname or path. GA_NOTFOUND with what dlerror(3) says. ret is closed with
 * dlclose(3), or kept for the life of the process. */
GA_MUST_CHECK int ga_dl_open(const char *name, void **ret, struct ga_err *err);
/* Whether the library has the function; then it is in the pointer to a function that pointer points
 * to. When not, dlerror(3) says why. */
bool ga_dl_find(void *library, const char *name, void *pointer);

#endif
