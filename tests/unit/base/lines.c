/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lines from a descriptor, with every split into pieces. */
#include "t.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lines.h"

/* The lines of a text that comes in pieces of so many bytes: "line|", "cut~", "TOO LONG|". */
static void read_in_pieces(const char *text, size_t piece, size_t max, struct ga_str *out)
{
	size_t len = strlen(text), done = 0;
	struct ga_lines l;
	const char *line;
	bool whole;
	int pipe_fds[2], r;

	if (pipe(pipe_fds) < 0)
		abort();
	ga_lines_init(&l, max);
	do {
		size_t n = len - done < piece ? len - done : piece;

		if (n && ga_write_all(pipe_fds[1], text + done, n) < 0)
			abort();
		done += n;
		if (!n)
			close(pipe_fds[1]);
		t_int(ga_lines_read(&l, pipe_fds[0]), n > 0, "something came");
		while ((r = ga_lines_next(&l, &line, &n, &whole)) != 0) {
			if (r < 0)
				ga_str_add(out, "TOO LONG|");
			else
				ga_str_addf(out, "%.*s%c", (int)n, line, whole ? '|' : '~');
		}
	} while (!l.at_end);
	close(pipe_fds[0]);
	ga_lines_release(&l);
}

static void pieces(void)
{
	static const struct {
		const char *text, *lines;
	} cases[] = {
		{ "", "" },
		{ "a\n", "a|" },
		{ "a\nb\n", "a|b|" },
		{ "\n\n", "||" },
		{ "a\nb", "a|b~" },
		{ "12345678\n", "12345678|" },
		{ "123456789\n", "TOO LONG|" },
		{ "123456789012345678901234567890\nb\n", "TOO LONG|b|" },
		{ "a\n123456789012345678901234567890", "a|TOO LONG|" },
		{ "123456789\n123456789\nb", "TOO LONG|TOO LONG|b~" },
	};
	size_t i, piece;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		for (piece = 1; piece < 40; piece++) {
			ga_autostr struct ga_str out = GA_STR_INIT;

			read_in_pieces(cases[i].text, piece, 8, &out);
			t_str(out.buf, cases[i].lines, "case %zu in pieces of %zu", i, piece);
		}
	}
}

static void nothing_now(void)
{
	struct ga_lines l;
	int fds[2];

	if (pipe2(fds, O_NONBLOCK) < 0)
		abort();
	ga_lines_init(&l, 8);
	t_int(ga_lines_read(&l, fds[0]), -1, "nothing yet");
	t_int(errno, EAGAIN, "and no error");
	t_int(l.at_end, false, "nor the end");
	close(fds[0]);
	close(fds[1]);
	ga_lines_release(&l);
}

int main(void)
{
	pieces();
	nothing_now();
	return t_done();
}
