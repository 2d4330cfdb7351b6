/* SPDX-License-Identifier: Apache-2.0 */
/* --watch: the output of a program on the whole terminal, drawn anew when the state changes. */
#include "cli/frame/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "cli/frame/cell.h"
#include "cli/frame/cli.h"
#include "cli/frame/emit.h"
#include "cli/frame/follow.h"
#include "cli/frame/form.h"
#include "cli/frame/pager.h"
#include "record/time.h"
#include "state/db/db.h"

#define ENTER "\033[?1049h\033[?25l" /* the other screen, without cursor */
#define LEAVE "\033[?25h\033[?1049l"
#define NEXT_MICROS (GA_SECOND / 4) /* not drawn more often than that */

struct watch {
	const char *path;
	char *title; /* owned */
	struct ga_db *db; /* open between the drawings: its data_version shows commits */
	dev_t dev;	  /* of that file */
	ino_t ino;
	int64_t version;
	int inotify; /* or -1 */
	bool keys;   /* standard input is a terminal, set to give single keys */
	bool entered;
	struct termios before, now; /* before it began; with single keys */
	sigset_t open; /* signals while it waits */
	int64_t drawn; /* monotonic microseconds */
	bool seconds;  /* a time in seconds is on the screen */
};

static volatile sig_atomic_t resized, quit, stopped, continued;

static void on_signal(int sig)
{
	switch (sig) {
	case SIGWINCH:
		resized = 1;
		break;
	case SIGQUIT:
		quit = 1;
		break;
	case SIGTSTP:
		stopped = 1;
		break;
	case SIGCONT:
		continued = 1;
		break;
	}
}

/* Gives the terminal back as it was. */
static void leave(struct watch *w)
{
	if (w->keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &w->before);
	/* After an error the terminal is gone. */
	if (w->entered)
		(void)!ga_write_all(STDOUT_FILENO, LEAVE, strlen(LEAVE));
	w->entered = false;
}

/* Takes the terminal again; the next drawing enters the other screen. In the background the kernel
 * stops the process here. */
static void take_again(struct watch *w)
{
	continued = 0;
	if (w->keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &w->now);
	w->entered = false;
	resized = 1;
}

/* Ctrl-Z: gives the terminal back, stops as the default of the signal does, and goes on when the
 * shell says so. Where nothing could continue it, the kernel does not stop it. */
static void stop(struct watch *w)
{
	struct sigaction now = { .sa_handler = SIG_DFL }, before;
	sigset_t stops;

	stopped = 0;
	leave(w);
	sigaction(SIGTSTP, &now, &before);
	sigemptyset(&stops);
	sigaddset(&stops, SIGTSTP);
	raise(SIGTSTP); /* it comes when it is let in */
	sigprocmask(SIG_UNBLOCK, &stops, NULL);
	sigprocmask(SIG_BLOCK, &stops, NULL);
	sigaction(SIGTSTP, &before, NULL);
	take_again(w);
}

static void cleanup_watch(struct watch *w)
{
	leave(w);
	ga_cleanup_fd(&w->inotify);
	ga_db_close(w->db);
	free(w->title);
	sigprocmask(SIG_SETMASK, &w->open, NULL);
}

/* ---- the screen ---- */

/* Runs draw with standard output and error in a file in memory, and adds what it printed. */
static int capture(int (*draw)(struct ga_err *err), struct ga_str *ret, struct ga_err *err)
{
	ga_autofd int fd = memfd_create("screen", MFD_CLOEXEC);
	ga_autofd int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	ga_autofd int to = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	struct ga_err flush = GA_ERR_INIT;
	int r;

	if (fd < 0 || out < 0 || to < 0 || dup2(fd, STDOUT_FILENO) < 0 ||
	    dup2(fd, STDERR_FILENO) < 0)
		return ga_fail_sys(err, "cannot keep a screen");
	r = draw(err);
	if (ga_emit_flush(&flush) < 0 && r == 0) {
		*err = flush;
		r = -1;
	}
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(to, STDERR_FILENO) < 0)
		return ga_fail_sys(err, "cannot go back to the terminal");
	if (r < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return -1;
	return ga_file_read_fd(fd, "the screen", 64 << 20, ret, err);
}

/* Adds as many lines of text as fit, and says how many do not. */
static void add_lines(const char *text, int rows, int width, struct ga_str *out)
{
	int left = rows, hidden = 0;
	const char *p;
	size_t n;

	for (p = text; *p; p += n + (p[n] == '\n')) {
		ga_autofree char *line = ga_xstrndup(p, n = strcspn(p, "\n"));
		bool last = !p[n] || !p[n + 1];
		int takes = (ga_cell_width(line) + width - 1) / width;

		takes = takes ? takes : 1;
		/* A line stays for the number of those that are hidden. */
		if (hidden || takes > left - !last) {
			hidden++;
			continue;
		}
		left -= takes;
		ga_str_addf(out, "\r\n%s\033[K", line);
	}
	if (hidden)
		ga_str_addf(out, "\r\n(%d more lines; the terminal is too small)\033[K", hidden);
}

static int show(struct watch *w, int (*draw)(struct ga_err *err), struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT, screen = GA_STR_INIT;
	struct winsize size = { 0 };
	char time[GA_TIME_SIZE];
	int width, gap;

	resized = 0;
	ga_form_resize();
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row < 3)
		size.ws_row = 24;
	width = size.ws_col ? size.ws_col : 80;
	w->drawn = ga_clock_mono_micros();
	if (capture(draw, &text, err) < 0)
		return -1;
	w->seconds = strstr(text.buf, "s ago") != NULL;
	ga_time_shorten(ga_time_format(ga_clock_micros(), time));
	gap = width - ga_cell_width(w->title) - (int)strlen(time);
	ga_str_addf(&screen, "%s\033[H%.*s%*s%s\033[K\r\n\033[K", w->entered ? "" : ENTER, width,
		    w->title, gap > 0 ? gap : 1, "", time);
	w->entered = true;
	add_lines(text.buf, size.ws_row - 2, width, &screen);
	ga_str_add(&screen, "\033[J");
	return ga_write_all(STDOUT_FILENO, screen.buf, screen.len) < 0 ?
		       ga_fail_sys(err, "cannot write to the terminal") :
		       0;
}

/* ---- waiting ---- */

/* 1: the state is not as it was at the last call; a file that was replaced is opened anew. */
static int has_changed(struct watch *w, struct ga_err *err)
{
	int64_t version;
	struct stat st;

	if (stat(w->path, &st) == 0 && (!w->db || st.st_dev != w->dev || st.st_ino != w->ino)) {
		ga_db_close(GA_TAKE(w->db));
		if (ga_db_open(w->path, GA_DB_STATE, GA_DB_READ, &w->db, err) < 0 ||
		    ga_db_version(w->db, &w->version, err) < 0)
			return -1;
		w->dev = st.st_dev;
		w->ino = st.st_ino;
		return 1;
	}
	if (!w->db)
		return 1;
	if (ga_db_version(w->db, &version, err) < 0)
		return -1;
	if (version == w->version)
		return 0;
	w->version = version;
	return 1;
}

/* Waits for the deadline, an event or a signal. 1: look again; 0: the end. */
static int wait_until(struct watch *w, int64_t deadline, bool events)
{
	struct pollfd fds[] = { { .fd = STDOUT_FILENO },
				{ .fd = w->keys ? STDIN_FILENO : -1, .events = POLLIN },
				{ .fd = events ? w->inotify : -1, .events = POLLIN } };
	int64_t left = deadline - ga_clock_mono_micros();
	struct timespec most = ga_clock_timespec(left > 0 ? left : 0);
	char buf[4096];

	if (ppoll(fds, GA_ARRAY_SIZE(fds), &most, &w->open) < 0) {
		if (errno != EINTR || quit || ga_stop_asked())
			return 0;
		if (stopped)
			stop(w);
		if (continued)
			take_again(w);
		return 1;
	}
	if (fds[2].revents)
		while (read(w->inotify, buf, sizeof(buf)) > 0)
			;
	if (fds[1].revents && (read(STDIN_FILENO, buf, 1) != 1 || *buf == 'q'))
		return 0;
	return !ga_stop_asked() && !(fds[0].revents & (POLLERR | POLLHUP | POLLNVAL));
}

/* Waits until the screen has to be drawn anew: 1; 0: the end; -1. */
static int wait_for_change(struct watch *w, struct ga_err *err)
{
	int64_t due = w->drawn + (w->seconds ? 10 : 60) * GA_SECOND;
	int r = 0;

	while (!r && !resized && ga_clock_mono_micros() < due) {
		if (!wait_until(w, due, true))
			return 0;
		r = has_changed(w, err);
	}
	if (r < 0)
		return -1;
	while (!resized && ga_clock_mono_micros() < w->drawn + NEXT_MICROS)
		if (!wait_until(w, w->drawn + NEXT_MICROS, false))
			return 0;
	return has_changed(w, err) < 0 ? -1 : 1;
}

static void set_up(struct watch *w)
{
	static const int ours[] = { SIGWINCH, SIGQUIT, SIGTSTP, SIGCONT };
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction act = { .sa_handler = on_signal }, before;
	sigset_t held;
	size_t i;

	ga_stop_install();
	sigemptyset(&held);
	for (i = 0; i < GA_ARRAY_SIZE(ends); i++)
		sigaddset(&held, ends[i]);
	for (i = 0; i < GA_ARRAY_SIZE(ours); i++) {
		sigaddset(&held, ours[i]);
		/* A shell without job control has its programs ignore Ctrl-Z. */
		if (ours[i] == SIGTSTP && sigaction(SIGTSTP, NULL, &before) == 0 &&
		    before.sa_handler == SIG_IGN)
			continue;
		sigaction(ours[i], &act, NULL);
	}
	sigprocmask(SIG_BLOCK, &held, &w->open);
	w->inotify = ga_follow_inotify(w->path);
	if (isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &w->before) == 0) {
		w->now = w->before;
		w->now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		w->keys = tcsetattr(STDIN_FILENO, TCSANOW, &w->now) == 0;
	}
}

/* "gpuaas-list attention", fit for a terminal. */
static char *make_title(void)
{
	struct ga_str title = GA_STR_INIT;
	char *const *args;
	int n, i;

	ga_str_add(&title, ga_cli_program());
	args = ga_cli_args(&n);
	for (i = 0; i < n; i++)
		ga_str_addf(&title, " %.64s", args[i]);
	return ga_printable(ga_str_take(&title));
}

int ga_watch(const char *path, int (*draw)(struct ga_err *err), struct ga_err *err)
{
	const char *term = getenv("TERM");
	ga_cleanup(cleanup_watch) struct watch w = { .path = path, .inotify = -1 };
	int r;

	sigprocmask(SIG_SETMASK, NULL, &w.open);
	if (ga_pager_end() < 0)
		return ga_fail_sys(err, "cannot write to the terminal");
	if (!ga_emit_is_table() || !isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb"))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--watch draws a table on a terminal, and standard output %s",
				  isatty(STDOUT_FILENO) ? "gets none" : "is none"),
				 ("'gpuaas-list events --follow' writes a record when something "
				  "changes"));
	w.title = make_title();
	set_up(&w);
	if (has_changed(&w, err) < 0)
		return -1;
	do {
		if (show(&w, draw, err) < 0)
			return -1;
	} while ((r = wait_for_change(&w, err)) > 0);
	return r;
}
