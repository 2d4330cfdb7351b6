/* SPDX-License-Identifier: Apache-2.0 */
/* Linked into every program of `make cover` (ld's --wrap=_exit, which names the two
 * functions): workers and children end by _exit, which writes no counts. */
#include <gcov.h>

void __wrap__exit(int status) __attribute__((noreturn));
void __real__exit(int status) __attribute__((noreturn));

void __wrap__exit(int status)
{
	__gcov_dump();
	__real__exit(status);
}
