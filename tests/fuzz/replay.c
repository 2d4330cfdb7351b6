/* SPDX-License-Identifier: Apache-2.0 */
/* A main for a fuzz target: every file given goes through it once, as TAP. */
#include <stdio.h>

#include "base/file.h"
#include "fuzz.h"

int main(int argc, char **argv)
{
	int i, n = 0;

	setbuf(stdout, NULL); /* the name of the file that crashes stands last */
	for (i = 1; i < argc; i++) {
		ga_autostr struct ga_str s = GA_STR_INIT;
		struct ga_err err = GA_ERR_INIT;

		printf("# %s\n", argv[i]);
		if (ga_file_read(argv[i], 16 << 20, &s, &err) < 0) {
			printf("not ok %d - %s\n", ++n, err.msg);
			return 1;
		}
		LLVMFuzzerTestOneInput((const uint8_t *)s.buf, s.len);
		printf("ok %d - %s\n", ++n, argv[i]);
	}
	printf("1..%d\n", n);
	return !n;
}
