/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preprocessor refuses these functions: no file of this tree may use them (after git's
 * banned.h). Use struct ga_str, ga_xprintf, ga_time_format, ga_proc_run or ga_size_parse instead.
 */
#ifndef GA_BASE_BANNED_H
#define GA_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GA_BANNED(fn) sorry_##fn##_is_a_banned_function

#undef strcpy
#define strcpy(x, y) GA_BANNED(strcpy)
#undef strcat
#define strcat(x, y) GA_BANNED(strcat)
#undef sprintf
#define sprintf(...) GA_BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) GA_BANNED(vsprintf)
#undef strtok
#define strtok(x, y) GA_BANNED(strtok)
#undef atoi
#define atoi(x) GA_BANNED(atoi)
#undef atol
#define atol(x) GA_BANNED(atol)
#undef gmtime
#define gmtime(t) GA_BANNED(gmtime)
#undef localtime
#define localtime(t) GA_BANNED(localtime)
#undef system
#define system(x) GA_BANNED(system)
#undef popen
#define popen(x, y) GA_BANNED(popen)
#undef alloca
#define alloca(x) GA_BANNED(alloca)
#undef mktemp
#define mktemp(x) GA_BANNED(mktemp)

#endif
