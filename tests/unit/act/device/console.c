/* SPDX-License-Identifier: Apache-2.0 */
/* The pump of a console: it records output, never input, and lets the user leave. */
#include "t.h"

#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "act/device/console.h"
#include "base/file.h"

#define DEADLINE INT64_C(20000000)

struct ends {
	int in[2], out[2], wire[2]; /* ours second (in: what we type), wire[1] is the guest */
	int recording;
	struct ga_console_end end;
	struct ga_err err;
};

static void make(struct ends *e)
{
	*e = (struct ends){ .recording = memfd_create("recording", MFD_CLOEXEC) };
	if (pipe(e->in) < 0 || pipe(e->out) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, e->wire) < 0 || e->recording < 0)
		abort();
}

static void drop(struct ends *e)
{
	int *fds[] = { &e->in[0], &e->in[1], &e->out[0], &e->out[1], &e->wire[0], &e->wire[1],
		       &e->recording };

	for (size_t i = 0; i < GA_ARRAY_SIZE(fds); i++)
		if (*fds[i] >= 0)
			close(*fds[i]);
}

static int run(struct ends *e)
{
	return ga_console_run(&(const struct ga_console_io){ .in = e->in[0], .out = e->out[1],
							     .wire = e->wire[0],
							     .recording = e->recording },
			      &e->end, &e->err);
}

static void put(int fd, const char *text)
{
	if (ga_write_all(fd, text, strlen(text)) < 0)
		abort();
}

static char *got(int fd)
{
	char *buf = ga_xcalloc(1, 65536);
	ssize_t n = read(fd, buf, 65535);

	buf[n > 0 ? n : 0] = '\0';
	return buf;
}

static char *recorded(struct ends *e)
{
	lseek(e->recording, 0, SEEK_SET);
	return got(e->recording);
}

static void to_the_end(void)
{
	ga_autofree char *shown = NULL, *kept = NULL;
	char digest[GA_DIGEST_SIZE];
	struct ends e;

	make(&e);
	put(e.wire[1], "login: \x1d not typed, but printed\r\n");
	close(e.wire[1]);
	e.wire[1] = -1;
	close(e.in[1]); /* nobody types: what comes is shown all the same */
	e.in[1] = -1;
	t_int(run(&e), 0, "the guest's side ends");
	shown = got(e.out[0]);
	kept = recorded(&e);
	t_str(shown, "login: \x1d not typed, but printed\r\n", "all of it was shown");
	t_str(kept, shown, "and recorded");
	t_int(e.end.bytes, (int64_t)strlen(shown), "its length");
	t_str(e.end.digest, ga_digest_of(shown, strlen(shown), digest), "its digest");
	t_ok(!e.end.escaped, "and nobody left");
	drop(&e);
}

static void escape(void)
{
	ga_autofree char *typed = NULL, *kept = NULL;
	struct ends e;

	make(&e);
	put(e.in[1], "secret\r\x1d and this is for the shell");
	t_int(run(&e), 0, "the escape ends it");
	t_ok(e.end.escaped, "as such");
	typed = got(e.wire[1]);
	t_str(typed, "secret\r", "what was typed before went to the guest");
	kept = recorded(&e);
	t_str(kept, "", "and is in no recording");
	t_int(e.end.bytes, 0, "which is empty");
	drop(&e);
}

static void *type_much(void *arg)
{
	const struct ends *e = arg;
	char block[4096];

	memset(block, 'x', sizeof(block));
	for (int i = 0; i < 512; i++)
		if (ga_write_all(e->in[1], block, sizeof(block)) < 0)
			return NULL;
	put(e->in[1], "\x1d");
	return NULL;
}

/* A guest that has stopped reading its serial port. */
static void deaf(void)
{
	pthread_t thread;
	struct ends e;

	make(&e);
	if (pthread_create(&thread, NULL, type_much, &e))
		abort();
	t_int(run(&e), 0, "a guest that reads nothing keeps nobody");
	t_ok(e.end.escaped, "the escape is seen behind 2 MiB");
	pthread_join(thread, NULL);
	drop(&e);
}

struct terminal {
	int master, slave;
	bool was_raw;
};

static void *type_when_raw(void *arg)
{
	struct terminal *t = arg;
	int64_t deadline = ga_clock_mono_micros() + DEADLINE;
	struct termios now;

	/* Going raw drops what was typed before. */
	do {
		if (tcgetattr(t->slave, &now) < 0)
			abort();
		t->was_raw = !(now.c_lflag & (ICANON | ECHO | ISIG));
	} while (!t->was_raw && ga_clock_wait(deadline, 1000));
	put(t->master, "q\x03\x1d");
	return NULL;
}

static void terminal(void)
{
	struct terminal t = { 0 };
	struct termios before, after;
	ga_autofree char *typed = NULL;
	pthread_t thread;
	struct ends e;

	make(&e);
	if (openpty(&t.master, &t.slave, NULL, NULL, NULL) < 0 ||
	    tcgetattr(t.slave, &before) < 0 || dup2(t.slave, e.in[0]) < 0 ||
	    pthread_create(&thread, NULL, type_when_raw, &t))
		abort();
	t_int(run(&e), 0, "at a terminal");
	pthread_join(thread, NULL);
	typed = got(e.wire[1]);
	t_ok(t.was_raw, "it is raw meanwhile");
	t_str(typed, "q\x03", "keys go to the guest, ^C too");
	t_ok(tcgetattr(t.slave, &after) == 0 && after.c_lflag == before.c_lflag &&
		     after.c_iflag == before.c_iflag && after.c_oflag == before.c_oflag,
	     "and put back");
	close(t.master);
	close(t.slave);
	drop(&e);
}

/* A pty as the wire, as QEMU has it: its end is EIO. */
static void pty_wire(void)
{
	ga_autofree char *kept = NULL;
	struct termios raw;
	struct ends e;
	int slave;

	make(&e);
	close(e.wire[0]);
	if (openpty(&e.wire[0], &slave, NULL, NULL, NULL) < 0 || tcgetattr(slave, &raw) < 0)
		abort();
	cfmakeraw(&raw);
	tcsetattr(slave, TCSANOW, &raw);
	put(slave, "panic\n");
	close(slave);
	t_int(run(&e), 0, "a pty whose other side is closed is an end");
	kept = recorded(&e);
	t_str(kept, "panic\n", "after what it had printed");
	drop(&e);
}

/* Nothing is shown that is not recorded. */
static void full(void)
{
	ga_autofree char *shown = NULL;
	struct ends e;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	make(&e);
	if (fd < 0 || dup2(fd, e.recording) < 0)
		abort();
	close(fd);
	put(e.wire[1], "unseen");
	t_code(run(&e), &e.err, GA_SYSTEM, "recording", "a recording that cannot be written");
	close(e.out[1]);
	e.out[1] = -1;
	shown = got(e.out[0]);
	t_str(shown, "", "shows nothing");
	t_int(e.end.bytes, 0, "and counts nothing");
	drop(&e);
}

int main(void)
{
	to_the_end();
	escape();
	deaf();
	terminal();
	pty_wire();
	full();
	return t_done();
}
