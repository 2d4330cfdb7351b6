/* SPDX-License-Identifier: Apache-2.0 */
/* libcrypto by dlopen. */
#include "record/crypto.h"

#include <dlfcn.h>
#include <pthread.h>

#include "base/dl.h"

/* The version must match the headers of the build: a struct that they define is on our stack. */
#define SONAME_OF(version) "libcrypto.so." #version
#define SONAME(version) SONAME_OF(version)

static struct ga_crypto crypto;

static const struct {
	const char *name;
	void *pointer;
} functions[] = {
#define ROW(name) { #name, &crypto.name },
	GA_CRYPTO_FUNCTIONS(ROW)
#undef ROW
};

static void fail(struct ga_err *err) __attribute__((noreturn));

static void fail(struct ga_err *err)
{
	err->code = GA_SYSTEM;
	(void)ga_hint(err, "it is OpenSSL's: install libssl3t64 or libssl3, whichever this system "
			   "has");
	ga_die(err);
}

static void load(void)
{
	static const char soname[] = SONAME(OPENSSL_SHLIB_VERSION);
	struct ga_err err = GA_ERR_INIT;
	void *library = NULL;
	size_t i;

	if (ga_dl_open(soname, &library, &err) < 0)
		fail(&err);
	for (i = 0; i < GA_ARRAY_SIZE(functions); i++)
		if (!ga_dl_find(library, functions[i].name, functions[i].pointer)) {
			ga_err_set(&err, GA_SYSTEM, "'%s' lacks a function: %s", soname, dlerror());
			fail(&err);
		}
}

const struct ga_crypto *ga_crypto(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return &crypto;
}
