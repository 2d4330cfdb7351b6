/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines out of a descriptor that is read only when poll(2) says so: for a program that waits for
 * many at once. A line that is longer than the limit is reported once and skipped to its newline.
 */
#ifndef GA_BASE_LINES_H
#define GA_BASE_LINES_H

#include "base/ga.h"
#include "base/str.h"

struct ga_lines {
	struct ga_str buf; /* what was read and not yet handed out starts at pos */
	size_t pos;
	size_t max; /* bytes of a line without its newline */
	bool skipping; /* to the end of a line that is too long */
	bool at_end;
	uint64_t line; /* number of the line handed out last, from 1 */
};

void ga_lines_init(struct ga_lines *l, size_t max);
/* Reads once. 1: something came; 0: the end (at_end is set); -1: nothing now (EAGAIN, EINTR) or,
 * with another errno, an error. */
GA_MUST_CHECK int ga_lines_read(struct ga_lines *l, int fd);
/* 1 with the next line, valid until the next call of either function; 0 when there is none; -1 for
 * one that is too long. After the end a last line without its newline is a line; whole is false
 * for it. */
GA_MUST_CHECK int ga_lines_next(struct ga_lines *l, const char **line, size_t *len, bool *whole);
void ga_lines_release(struct ga_lines *l);

#endif
