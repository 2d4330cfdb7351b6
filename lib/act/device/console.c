/* SPDX-License-Identifier: Apache-2.0 */
/* Carries bytes between a terminal and a guest's serial console. */
#include "act/device/console.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"

#define CHUNK 4096

struct pump {
	const struct ga_console_io *io;
	struct ga_console_end *end;
	struct ga_digest *digest;
	bool typing; /* in has not ended yet */
	bool over;
	char pending[CHUNK]; /* typed, and not read by the guest yet */
	size_t n_pending;
	struct termios before;
	bool raw;
};

static int begin(struct pump *p, struct ga_err *err)
{
	int flags = fcntl(p->io->wire, F_GETFL);
	struct termios t;

	if (flags < 0 || fcntl(p->io->wire, F_SETFL, flags | O_NONBLOCK) < 0)
		return ga_fail_sys(err, "cannot set the console up");
	if (!isatty(p->io->in))
		return 0;
	if (tcgetattr(p->io->in, &p->before) < 0)
		return ga_fail_sys(err, "cannot read the settings of the terminal");
	t = p->before;
	cfmakeraw(&t);
	if (tcsetattr(p->io->in, TCSAFLUSH, &t) < 0)
		return ga_fail_sys(err, "cannot set the terminal");
	p->raw = true;
	return 0;
}

/* Records output before it shows it, so that the recording has everything that was ever shown. */
static int show(struct pump *p, const char *buf, size_t n, struct ga_err *err)
{
	if (ga_write_all(p->io->recording, buf, n) < 0)
		return ga_fail_sys(err, "cannot write the recording of the console");
	ga_digest_add(p->digest, buf, n);
	p->end->bytes += (int64_t)n;
	if (p->io->out >= 0 && ga_write_all(p->io->out, buf, n) < 0)
		return ga_fail_sys(err, "cannot show the console");
	return 0;
}

static int take_output(struct pump *p, struct ga_err *err)
{
	char buf[CHUNK];
	ssize_t n = read(p->io->wire, buf, sizeof(buf));

	if (n > 0)
		return show(p, buf, (size_t)n, err);
	/* A pty reports EIO when its other side is closed. */
	if (n == 0 || errno == EIO || errno == ECONNRESET)
		p->over = true;
	else if (errno != EAGAIN && errno != EINTR)
		return ga_fail_sys(err, "cannot read the console");
	return 0;
}

/* Handles typed input. The operator can always leave, also when the guest reads nothing: input that
 * the guest does not read is dropped, and the escape always works. */
static int take_input(struct pump *p, struct ga_err *err)
{
	char buf[CHUNK], *escape;
	ssize_t n = read(p->io->in, buf, sizeof(buf));
	size_t len, room = sizeof(p->pending) - p->n_pending;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0 && errno != EIO)
		return ga_fail_sys(err, "cannot read what is typed");
	if (n <= 0) {
		p->typing = false;
		return 0;
	}
	escape = memchr(buf, GA_CONSOLE_ESCAPE, (size_t)n);
	len = escape ? (size_t)(escape - buf) : (size_t)n;
	len = len < room ? len : room;
	memcpy(p->pending + p->n_pending, buf, len);
	p->n_pending += len;
	if (escape)
		p->end->escaped = p->over = true;
	return 0;
}

static int give_input(struct pump *p, struct ga_err *err)
{
	ssize_t n = write(p->io->wire, p->pending, p->n_pending);

	if (n > 0) {
		p->n_pending -= (size_t)n;
		memmove(p->pending, p->pending + n, p->n_pending);
	} else if (n < 0 && (errno == EPIPE || errno == EIO || errno == ECONNRESET)) {
		p->n_pending = 0; /* the wire's end shows when it is read, not when it is written */
	} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
		return ga_fail_sys(err, "cannot write to the console");
	}
	return 0;
}

static int turn(struct pump *p, struct ga_err *err)
{
	struct pollfd fds[2] = {
		{ .fd = p->io->wire, .events = (short)(POLLIN | (p->n_pending ? POLLOUT : 0)) },
		{ .fd = p->typing ? p->io->in : -1, .events = POLLIN },
	};

	if (ga_stop_asked()) {
		p->end->escaped = p->over = true;
		return 0;
	}
	if (poll(fds, 2, 1000) < 0 && errno != EINTR)
		return ga_fail_sys(err, "cannot wait for the console");
	if ((fds[0].revents & (POLLIN | POLLHUP | POLLERR)) && take_output(p, err) < 0)
		return -1;
	if ((fds[1].revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) && take_input(p, err) < 0)
		return -1;
	return p->n_pending ? give_input(p, err) : 0;
}

int ga_console_run(const struct ga_console_io *io, struct ga_console_end *ret, struct ga_err *err)
{
	struct pump p = { .io = io, .end = ret, .digest = ga_digest_open(), .typing = true };
	int r;

	*ret = (struct ga_console_end){ 0 };
	r = begin(&p, err);
	while (r == 0 && !p.over)
		r = turn(&p, err);
	if (p.raw)
		tcsetattr(io->in, TCSAFLUSH, &p.before);
	ga_digest_close(p.digest, ret->digest);
	return r;
}
