/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads lines from a descriptor when poll(2) reports data: for a program that waits for many
 * descriptors. A line longer than the limit is reported once and skipped up to its newline.
 */
#ifndef GA_BASE_LINES_H
#define GA_BASE_LINES_H

#include "base/ga.h"
#include "base/str.h"

struct ga_lines {
	struct ga_str buf; /* bytes read but not yet returned start at pos */
	size_t pos;
	size_t max; /* longest line, in bytes without its newline */
	bool skipping; /* drops bytes up to the end of a line that is too long */
	bool at_end;
	uint64_t line; /* number of the line returned last, from 1 */
};

/* Prepares l. max: the longest line in bytes, without its newline. Release it with
 * ga_lines_release. */
void ga_lines_init(struct ga_lines *l, size_t max);
/* Reads once. 1: got data; 0: the end (at_end is set); -1: no data now (EAGAIN, EINTR) or, with
 * another errno, an error. */
GA_MUST_CHECK int ga_lines_read(struct ga_lines *l, int fd);
/* Returns 1 with the next line, which is valid until the next call of either function; 0: no
 * complete line; -1: the line is too long. After the end, a last line without newline counts as a
 * line, and *whole is false for it. */
GA_MUST_CHECK int ga_lines_next(struct ga_lines *l, const char **line, size_t *len, bool *whole);
void ga_lines_release(struct ga_lines *l);

#endif
