/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small reads of /sys and /proc, as texts fit for a record: bounded, trimmed, with '?' for every
 * byte that is not printable ASCII. Absent and unreadable are the same here: NULL or GA_UNKNOWN.
 */
#ifndef GA_LOOK_SYS_H
#define GA_LOOK_SYS_H

#include "base/ga.h"
#include "base/texts.h"
#include "record/schema.h"

/* An attribute in a directory, allocated, without blanks at either end; NULL when empty. */
char *ga_sys_attr(const char *dir, const char *name);
/* The same as a number (decimal; 0x… is hex), or GA_UNKNOWN. A negative number is GA_UNKNOWN:
 * numa_node has -1 for "unknown". */
int64_t ga_sys_attr_int(const char *dir, const char *name);
/* The last part of the target of a link in a directory, allocated, or NULL. */
char *ga_sys_link(const char *dir, const char *name);
/* The real path of a link of /sys/class or /sys/bus ("../../../devices/…"), allocated, or NULL: one
 * readlink, where realpath(3) needs one for each component. */
char *ga_sys_real(const char *dir, const char *name);
/* The names in a directory (not "." and ".."), sorted; none when it cannot be read. */
void ga_sys_list(const char *dir, struct ga_texts *ret);
/* Real sysfs paths of the devices of a subsystem ("block", "net", "infiniband"), by libudev. */
GA_MUST_CHECK int ga_sys_devices(const char *subsystem, struct ga_texts *ret, struct ga_err *err);
/* Makes a text fit for a record, in place, and returns it. */
char *ga_sys_tidy(char *text);
/* A number of text (decimal or 0x…), or GA_UNKNOWN. */
int64_t ga_sys_number(const char *text);
/* Whether a path exists (stat). */
bool ga_sys_exists(const char *path);
/* Whether a program is installed: an executable file in the folders in which base/proc.h looks for
 * programs. For programs that are optional, or whose absence the caller handles itself. */
bool ga_sys_has_program(const char *name);

#endif
