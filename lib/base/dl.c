/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries by dlopen. */
#include "base/dl.h"

#include <dlfcn.h>

int ga_dl_open(const char *name, void **ret, struct ga_err *err)
{
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	const char *why;

	if (!library) {
		why = dlerror();
		return ga_fail(err, GA_NOTFOUND, "cannot load '%s': %s", name, why ? why : "?");
	}
	*ret = library;
	return 0;
}

/* dlsym(3) of POSIX returns functions as object pointers; only this place converts them. */
bool ga_dl_find(void *library, const char *name, void *pointer)
{
	void *symbol = dlsym(library, name);

	memcpy(pointer, &symbol, sizeof(symbol));
	return symbol;
}
