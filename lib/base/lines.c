/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of many descriptors, bounded. */
#include "base/lines.h"

#include <string.h>
#include <unistd.h>

#define CHUNK 65536

void ga_lines_init(struct ga_lines *l, size_t max)
{
	memset(l, 0, sizeof(*l));
	l->buf = (struct ga_str)GA_STR_INIT;
	l->max = max;
}

int ga_lines_read(struct ga_lines *l, int fd)
{
	ssize_t n;

	if (l->pos) {
		memmove(l->buf.buf, l->buf.buf + l->pos, l->buf.len - l->pos);
		l->buf.len -= l->pos;
		l->pos = 0;
	}
	ga_str_reserve(&l->buf, CHUNK);
	n = read(fd, l->buf.buf + l->buf.len, CHUNK);
	if (n < 0)
		return -1;
	l->buf.len += (size_t)n;
	l->buf.buf[l->buf.len] = '\0';
	l->at_end = n == 0;
	return n > 0;
}

/* Drops the rest of a line that is too long; true when its end was found. */
static bool skip(struct ga_lines *l)
{
	const char *from = l->buf.buf + l->pos;
	const char *end = l->pos < l->buf.len ? memchr(from, '\n', l->buf.len - l->pos) : NULL;

	l->pos = end ? (size_t)(end - l->buf.buf) + 1 : l->buf.len;
	return end != NULL;
}

int ga_lines_next(struct ga_lines *l, const char **line, size_t *len, bool *whole)
{
	const char *end;
	size_t left;

	if (l->skipping && !skip(l))
		return 0;
	l->skipping = false;
	left = l->buf.len - l->pos;
	end = left ? memchr(l->buf.buf + l->pos, '\n', left) : NULL;
	if (!end && left <= l->max && (!l->at_end || !left))
		return 0;
	*whole = end != NULL;
	*line = l->buf.buf + l->pos;
	*len = end ? (size_t)(end - *line) : left;
	l->line++;
	if (*len > l->max) {
		l->skipping = !end;
		l->pos += *len + (end != NULL);
		return -1;
	}
	l->pos += *len + (end != NULL);
	return 1;
}

void ga_lines_release(struct ga_lines *l)
{
	ga_str_release(&l->buf);
}
