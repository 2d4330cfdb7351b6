/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One parser a file, as libFuzzer wants it. `make fuzz-smoke` runs each with libFuzzer; replay.c
 * gives the same function a main that reads files, so that `make check` replays the corpora
 * without clang.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdlib.h>

#include "base/ga.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that does not hold is a crash, which is what a fuzzer looks for. */
#define fuzz_check(cond) \
	do { \
		if (!(cond)) \
			abort(); \
	} while (0)

/* The input as text; it ends at its first NUL. Free with free(3). */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	return ga_xstrndup((const char *)data, size);
}

#endif
