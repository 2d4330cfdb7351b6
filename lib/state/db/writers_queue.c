/* SPDX-License-Identifier: Apache-2.0 */
/* The writers' queue: a lock, a queue of locked bytes, a deadline, and the holder's name. */
#include "state/db/writers_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "record/time.h"

/* Larger numbers are not ours: a byte's number stays a valid offset, whatever the file contains. */
#define NUMBER_MAX ((int64_t)1 << 60)
#define HOLDER_SIZE 128 /* one write of fixed size, so that a reader never sees a mixture */

static int64_t deadline_seconds = 10;

void ga_writers_queue_set_deadline(int64_t seconds)
{
	deadline_seconds = seconds < 0 ? 0 : seconds;
}

static int open_one(const char *path, const char *suffix, struct ga_err *err)
{
	ga_autofree char *name = ga_xprintf("%s.%s", path, suffix);

	return ga_file_open_like(name, path, err);
}

int ga_writers_queue_open(struct ga_writers_queue *t, const char *path, struct ga_err *err)
{
	snprintf(t->path, sizeof(t->path), "%s", path);
	t->held = false;
	t->number = 0;
	t->lock = -1;
	t->gate = open_one(path, "gate", err);
	if (t->gate < 0)
		return -1;
	t->lock = open_one(path, "lock", err);
	if (t->lock < 0) {
		ga_cleanup_fd(&t->gate);
		return -1;
	}
	return 0;
}

void ga_writers_queue_close(struct ga_writers_queue *t)
{
	ga_writers_queue_leave(t);
	ga_cleanup_fd(&t->gate);
	ga_cleanup_fd(&t->lock);
	t->gate = -1;
	t->lock = -1;
}

/* Does nothing: the signal only ends flock(2) with EINTR. */
static void on_timer(int sig)
{
	(void)sig;
}

/*
 * Starts a timer that interrupts this thread at the deadline, and every 20 ms from then on, because
 * the first signal may arrive between the look at the clock and flock(2).
 */
static int start_timer(int64_t micros, timer_t *timer, struct ga_err *err)
{
	struct sigaction sa = { .sa_handler = on_timer };
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM };
	struct itimerspec when = { .it_value = ga_clock_timespec(micros),
				   .it_interval = { 0, 20 * 1000000 } };

	sigaction(SIGALRM, &sa, NULL);
	ev._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &ev, timer) < 0)
		return ga_fail_sys(err, "making a timer failed");
	if (timer_settime(*timer, 0, &when, NULL) < 0) {
		timer_delete(*timer);
		return ga_fail_sys(err, "setting a timer failed");
	}
	return 0;
}

/* The name of the last holder is in the file until the next one writes its own: it is shown
 * only while that process lives. */
static bool is_alive(const char *holder)
{
	const char *at = strstr(holder, "(process ");
	long pid = at ? strtol(at + 9, NULL, 10) : 0;

	return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

static int too_late(const struct ga_writers_queue *t, struct ga_err *err)
{
	char holder[HOLDER_SIZE + 1] = "";
	ssize_t n = pread(t->lock, holder, HOLDER_SIZE, 0);

	if (n > 0)
		holder[strcspn(holder, "\n")] = '\0';
	return ga_refuse(err, GA_BUSY, "locked", NULL,
			 ("'%s' is locked by %s; gave up after %lld s", t->path,
			  n > 0 && is_alive(holder) ? holder : "an unknown program",
			  (long long)deadline_seconds),
			 ("try again, or wait longer with GPUAAS_DEADLINE=SECONDS; a holder that "
			  "hangs can be ended by its process id: nothing is left half written"));
}

/* 1 when a wait that a signal ended goes on, until the monotonic time. */
static int after_signal(const struct ga_writers_queue *t, int64_t until, struct ga_err *err)
{
	if (errno != EINTR)
		return ga_fail_sys(err, "locking '%s' failed", t->path);
	if (ga_stop_check("waiting for the database", err) < 0)
		return -1;
	return ga_clock_mono_micros() < until ? 1 : too_late(t, err);
}

/* Locks or unlocks bytes of the gate: F_RDLCK, F_WRLCK or F_UNLCK of count bytes (0: to the
 * end). */
static int lock_bytes(const struct ga_writers_queue *t, int how, short type, int64_t first,
		      int64_t count)
{
	struct flock bytes = { .l_type = type, .l_whence = SEEK_SET, .l_start = first,
			       .l_len = count };

	return fcntl(t->gate, how, &bytes);
}

static int wait_bytes(const struct ga_writers_queue *t, short type, int64_t first, int64_t count,
		      int64_t until, struct ga_err *err)
{
	while (lock_bytes(t, F_OFD_SETLKW, type, first, count) < 0)
		if (after_signal(t, until, err) < 0)
			return -1;
	return 0;
}

static void leave_queue(struct ga_writers_queue *t)
{
	if (t->number)
		lock_bytes(t, F_OFD_SETLK, F_UNLCK, 0, 0); /* all our bytes of it */
	t->number = 0;
}

/* Draws the next number, with byte 0 locked meanwhile. A number in use (the file was damaged) is
 * skipped. */
static int draw(struct ga_writers_queue *t, int64_t until, struct ga_err *err)
{
	int64_t last = 0;
	int r = 0;

	if (wait_bytes(t, F_WRLCK, 0, 1, until, err) < 0)
		return -1;
	if (pread(t->gate, &last, sizeof(last), 0) != sizeof(last) || last < 0 ||
	    last >= NUMBER_MAX)
		last = 0;
	do
		last++;
	while (lock_bytes(t, F_OFD_SETLK, F_WRLCK, last, 1) < 0 && errno == EAGAIN);
	t->number = last;
	if (pwrite(t->gate, &last, sizeof(last), 0) != sizeof(last))
		r = ga_fail_sys(err, "writing '%s.gate' failed", t->path);
	lock_bytes(t, F_OFD_SETLK, F_UNLCK, 0, 1);
	return r;
}

/* Waits until all earlier writers have had their turn. It waits for the writer just before alone,
 * so that no other writer's end wakes this process. The others only matter when that writer gave up
 * or died. */
static int wait_queue(struct ga_writers_queue *t, int64_t until, struct ga_err *err)
{
	int64_t before = t->number - 1;

	if (before == 0)
		return 0;
	if (wait_bytes(t, F_RDLCK, before, 1, until, err) < 0 ||
	    wait_bytes(t, F_RDLCK, 1, before, until, err) < 0)
		return -1;
	lock_bytes(t, F_OFD_SETLK, F_UNLCK, 1, before);
	return 0;
}

static int wait_turn(struct ga_writers_queue *t, struct ga_err *err)
{
	int64_t micros = deadline_seconds * GA_SECOND;
	int64_t until = ga_clock_mono_micros() + micros;
	timer_t timer;
	int r;

	if (micros == 0)
		return too_late(t, err);
	if (start_timer(micros, &timer, err) < 0)
		return -1;
	r = draw(t, until, err);
	if (r == 0)
		r = wait_queue(t, until, err);
	while (r == 0 && flock(t->lock, LOCK_EX) < 0)
		r = after_signal(t, until, err) < 0 ? -1 : 0;
	timer_delete(timer);
	if (r < 0)
		leave_queue(t);
	return r;
}

static void name_holder(const struct ga_writers_queue *t, const char *what)
{
	const char *program = program_invocation_short_name;
	char line[HOLDER_SIZE], now[GA_TIME_SIZE];
	bool named = strncmp(what, program, strlen(program)) == 0;
	int n = snprintf(line, sizeof(line), "%.32s%s%.32s (process %d) since %s",
			 named ? "" : program, named ? "" : " for ", what, (int)getpid(),
			 ga_time_format(ga_clock_micros(), now));

	memset(line + n, '\n', sizeof(line) - (size_t)n);
	/* Only for messages: a failure here must not stop the work. */
	if (pwrite(t->lock, line, sizeof(line), 0) < 0)
		return;
}

bool ga_writers_queue_try(struct ga_writers_queue *t, const char *what)
{
	struct flock queue = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	/* The whole file: a locked byte of any writer is in the way. */
	if (fcntl(t->gate, F_OFD_GETLK, &queue) < 0 || queue.l_type != F_UNLCK)
		return false;
	t->held = flock(t->lock, LOCK_EX | LOCK_NB) == 0;
	if (t->held)
		name_holder(t, what);
	return t->held;
}

int ga_writers_queue_enter(struct ga_writers_queue *t, const char *what, struct ga_err *err)
{
	if (ga_writers_queue_try(t, what))
		return 0;
	if (wait_turn(t, err) < 0)
		return -1;
	t->held = true;
	name_holder(t, what);
	return 0;
}

void ga_writers_queue_leave(struct ga_writers_queue *t)
{
	if (!t->held)
		return;
	t->held = false;
	flock(t->lock, LOCK_UN);
	leave_queue(t); /* wakes the next writer, which finds the lock free */
}
