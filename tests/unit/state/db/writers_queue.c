/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writers' queue: one writer at a time, a deadline that names the holder, a holder that dies, a
 * signal that stops the wait, turns in the order of arrival (also when a waiting process dies or
 * the queue's file is damaged), and turns shared fairly between processes.
 */
#include "state/db/writers_queue.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"
#include "t.h"

#define WRITERS 8
#define SECONDS 1

static char dir[] = "/tmp/gpuaas-unit-XXXXXX";
static char path[64];

static struct ga_writers_queue opened(void)
{
	struct ga_writers_queue t = GA_WRITERS_QUEUE_INIT;
	struct ga_err err = GA_ERR_INIT;

	if (ga_writers_queue_open(&t, path, &err) < 0) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	return t;
}

/* A child that holds the turn until it is killed; returns when it has it. */
static pid_t holder(void)
{
	int fds[2];
	char c;
	pid_t pid;

	if (pipe(fds) < 0)
		exit(1);
	pid = fork();
	if (pid == 0) {
		struct ga_writers_queue t = opened();
		struct ga_err err = GA_ERR_INIT;

		if (ga_writers_queue_enter(&t, "the-holder", &err) < 0 ||
		    write(fds[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(fds[1]);
	if (read(fds[0], &c, 1) != 1)
		exit(1);
	close(fds[0]);
	return pid;
}

static void deadline(void)
{
	struct ga_writers_queue t = opened();
	struct ga_err err = GA_ERR_INIT;
	pid_t pid = holder();
	ga_autofree char *process = ga_xprintf("process %d", (int)pid);
	int64_t before = ga_clock_mono_micros(), took;

	ga_writers_queue_set_deadline(1);
	t_code(ga_writers_queue_enter(&t, "test", &err), &err, GA_BUSY, "the-holder",
	       "the deadline names the holder");
	took = ga_clock_mono_micros() - before;
	t_ok(took >= GA_SECOND && took < 60 * GA_SECOND, "after about the deadline");
	t_str(err.reason, "locked", "with its word");
	t_ok(strstr(err.msg, process) != NULL, "with its process id");
	t_ok(strstr(err.msg, "locked by writers_queue for the-holder (") != NULL,
	     "and its program");
	t_ok(!ga_writers_queue_try(&t, "test"), "trying does not get it either");
	ga_writers_queue_set_deadline(0);
	ga_err_clear(&err);
	t_code(ga_writers_queue_enter(&t, "test", &err), &err, GA_BUSY, "the-holder",
	       "no deadline, no waiting");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ga_writers_queue_set_deadline(10);
	ga_err_clear(&err);
	t_int(ga_writers_queue_enter(&t, "test", &err), 0,
	      "a holder that dies gives its turn back");
	ga_writers_queue_leave(&t);
	ga_writers_queue_leave(&t);
	t_ok(ga_writers_queue_try(&t, "test"), "leaving twice is harmless");
	ga_writers_queue_close(&t);
}

static void interrupted(void)
{
	pid_t pid = holder(), waiter = fork();
	int status = 0;

	if (waiter == 0) {
		struct ga_writers_queue t = opened();
		struct ga_err err = GA_ERR_INIT;

		ga_stop_install();
		raise(SIGTERM); /* before the wait: it must not be lost */
		ga_writers_queue_set_deadline(2);
		_exit(ga_writers_queue_enter(&t, "test", &err) < 0 &&
				      (ga_streq(err.reason, "interrupted") ||
				       ga_streq(err.reason, "locked"))
			      ? 0
			      : 1);
	}
	waitpid(waiter, &status, 0);
	t_int(WEXITSTATUS(status), 0, "a program that was stopped does not wait for ever");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

struct shared {
	int64_t inside, broken;
	int64_t turns[WRITERS];
};

static void write_on(struct shared *s, int me)
{
	struct ga_writers_queue t = opened();
	struct ga_err err = GA_ERR_INIT;
	int64_t until = ga_clock_mono_micros() + SECONDS * GA_SECOND;

	while (ga_clock_mono_micros() < until) {
		if (ga_writers_queue_enter(&t, "writer", &err) < 0)
			_exit(1);
		if (__atomic_add_fetch(&s->inside, 1, __ATOMIC_SEQ_CST) != 1)
			s->broken++;
		s->turns[me]++;
		usleep(200); /* the work: what a commit takes */
		__atomic_sub_fetch(&s->inside, 1, __ATOMIC_SEQ_CST);
		ga_writers_queue_leave(&t);
	}
	_exit(0);
}

static void fair(void)
{
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int64_t least, most, sum = 0;
	int i, status, failed = 0;

	if (s == MAP_FAILED)
		exit(1);
	for (i = 0; i < WRITERS; i++)
		if (fork() == 0)
			write_on(s, i);
	for (i = 0; i < WRITERS; i++) {
		wait(&status);
		failed += status != 0;
	}
	least = most = s->turns[0];
	for (i = 0; i < WRITERS; i++) {
		sum += s->turns[i];
		least = s->turns[i] < least ? s->turns[i] : least;
		most = s->turns[i] > most ? s->turns[i] : most;
	}
	printf("# turns of %d writers: %d to %d\n", WRITERS, (int)least, (int)most);
	t_int(failed, 0, "every writer got through");
	t_int(s->broken, 0, "never two at a time");
	/* Starving is next to nothing while others are served; the machine is busy with other
	 * tests, so that even shares are a figure of make bench. */
	t_ok(least > 0 && least * 4 * WRITERS >= sum, "nobody starves");
	munmap(s, sizeof(*s));
}

#define WAITING 6

/* Whether the process whose number is n stands in the queue: its byte is locked. */
static bool is_queued(int fd, int64_t n)
{
	struct flock byte = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = n, .l_len = 1 };

	return fcntl(fd, F_OFD_GETLK, &byte) == 0 && byte.l_type != F_UNLCK;
}

/* A child that queues as number n and writes its letter when its turn comes; returns when it
 * stands in the queue. */
static pid_t waiter(char letter, int to, int gate, int64_t n)
{
	int64_t until = ga_clock_mono_micros() + 30 * GA_SECOND;
	pid_t pid = fork();

	if (pid == 0) {
		struct ga_writers_queue t = opened();
		struct ga_err err = GA_ERR_INIT;

		if (ga_writers_queue_enter(&t, "waiter", &err) < 0 || write(to, &letter, 1) != 1)
			_exit(1);
		ga_writers_queue_close(&t);
		_exit(0);
	}
	while (!is_queued(gate, n) && ga_clock_mono_micros() < until)
		usleep(1000);
	return pid;
}

/* How many wait for a lock of this file that begins at this byte (proc_locks(5)); -1: anywhere. */
static int blocked(const char *kind, const char *suffix, long first)
{
	ga_autofree char *name = ga_xprintf("%s.%s", path, suffix);
	ga_autofree char *line = NULL;
	FILE *f = fopen("/proc/locks", "re");
	size_t size = 0;
	struct stat st;
	int n = 0;

	if (!f || stat(name, &st) < 0)
		exit(1);
	while (getline(&line, &size, f) > 0) {
		unsigned long inode;
		char what[16];
		long start;

		if (sscanf(line, "%*d: -> %15s %*s %*s %*d %*x:%*x:%lu %ld", what, &inode,
			   &start) == 3)
			n += ga_streq(what, kind) && inode == st.st_ino &&
			     (first < 0 || start == first);
	}
	fclose(f);
	return n;
}

/* Until so many wait, and the one who stood behind a killed one has looked at who else is before
 * it: it waits for all of them from byte 1 on, or (which is wrong) for the lock. */
static void settle(int waiting, bool killed)
{
	int64_t until = ga_clock_mono_micros() + 30 * GA_SECOND;

	while (ga_clock_mono_micros() < until) {
		int locks = blocked("FLOCK", "lock", -1);

		if (locks + blocked("OFDLCK", "gate", -1) == waiting &&
		    (!killed || locks > 1 || blocked("OFDLCK", "gate", 1)))
			break;
		usleep(1000);
	}
}

/* first: the number before the first waiter's, written to the gate. */
static void in_order(int64_t first, int kill_at, const char *expected, const char *name)
{
	ga_autofree char *file = ga_xprintf("%s.gate", path);
	pid_t pids[WAITING], pid = holder();
	int fds[2], gate = open(file, O_RDWR | O_CLOEXEC), i, failed = 0, status;
	int64_t base = first < 0 ? 0 : first;
	char order[WAITING + 1] = "";
	ssize_t n = 0, got;

	if (pipe(fds) < 0 || gate < 0 || pwrite(gate, &first, sizeof(first), 0) != sizeof(first))
		exit(1);
	for (i = 0; i < WAITING; i++)
		pids[i] = waiter((char)('a' + i), fds[1], gate, base + i + 1);
	if (kill_at >= 0) {
		kill(pids[kill_at], SIGKILL);
		waitpid(pids[kill_at], NULL, 0);
	}
	settle(kill_at < 0 ? WAITING : WAITING - 1, kill_at >= 0);
	t_int(blocked("FLOCK", "lock", -1), 1, "only the first one waits for the lock itself");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (i = 0; i < WAITING; i++)
		if (i != kill_at)
			failed += waitpid(pids[i], &status, 0) < 0 || status != 0;
	close(fds[1]);
	while ((got = read(fds[0], order + n, (size_t)(WAITING - n))) > 0)
		n += got;
	close(fds[0]);
	close(gate);
	t_int(failed, 0, "each had its turn");
	t_str(order, expected, "%s", name);
}

int main(void)
{
	static const char *const suffixes[] = { "", ".gate", ".lock" };
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/x.db", dir);
	/* Its owner gets the lock files too. */
	if (ga_file_replace(path, "", 0, 0600, &err) < 0)
		return 1;
	deadline();
	interrupted();
	in_order(0, -1, "abcdef", "in the order of coming");
	in_order(40, 2, "abdef", "one who waits dies: the others keep their order");
	in_order(-5, -1, "abcdef", "a damaged gate begins anew");
	fair();
	for (i = 0; i < GA_ARRAY_SIZE(suffixes); i++) {
		ga_autofree char *name = ga_xprintf("%s%s", path, suffixes[i]);

		unlink(name);
	}
	rmdir(dir);
	return t_done();
}
