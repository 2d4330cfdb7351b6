/* SPDX-License-Identifier: Apache-2.0 */
/* What every program of `make cover` is linked with (--wrap=_exit): workers and children end by
 * _exit, which writes no counts. The same ld option names the two functions. */
#include <gcov.h>

void __wrap__exit(int status) __attribute__((noreturn));
void __real__exit(int status) __attribute__((noreturn));

void __wrap__exit(int status)
{
	__gcov_dump();
	__real__exit(status);
}
