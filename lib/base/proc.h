/* SPDX-License-Identifier: Apache-2.0 */
/*
 * External programs: by argv, never through a shell, with a deadline and captured output.
 *
 * A program without a slash in its name is looked for in one fixed path, GA_PROC_PATH unless the
 * host's configuration names another (ga_proc_set_path): never in the caller's PATH, which may be
 * anybody's under sudo, and lacks sbin under cron. The child gets a clean environment (that path as
 * PATH, LC_ALL=C, and what env adds), its own process group, the signals that programs here ignore,
 * and no descriptor above 2. When the deadline passes the group is killed and the result is
 * GA_BUSY.
 *
 * A signal to this process, also Ctrl-C, does not reach the group, and by default a program that
 * was started outlives this process: a change of the world (nft, ovs-vsctl, qemu-img, scrubbing,
 * deploying) must not be cut in half, a hook must deliver its message, and the other end of an ssh
 * finishes in any case. Set ends_with_us for long-running queries without side effects: the child
 * is then killed when this process ends. Short queries need not set it.
 */
#ifndef GA_BASE_PROC_H
#define GA_BASE_PROC_H

#include <sys/types.h>

#include "base/ga.h"
#include "base/str.h"

#define GA_PROC_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
/* Replaces the path, for the whole process: folders from the root, between colons. GA_USAGE where
 * it is not. The text is copied. */
GA_MUST_CHECK int ga_proc_set_path(const char *path, struct ga_err *err);
const char *ga_proc_path(void);
/* execve(2) of a program that is found as above, with the environment given; returns only when it
 * cannot be run, with errno. */
void ga_proc_exec(const char *const *argv, char *const *env);

struct ga_proc {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up as said above */
	const char *const *env;	 /* "KEY=value" to add, NULL-terminated, or NULL */
	const char *input;	 /* given on stdin, or NULL for /dev/null */
	size_t input_len;
	int64_t timeout_micros; /* 0: 30 seconds */
	size_t output_max; /* bytes kept of each stream; 0: 1 MiB; the rest is read and dropped */
	bool ends_with_us; /* its group is killed when this process ends first, however it ends */
};

struct ga_proc_result {
	int status; /* exit status, or 128 + signal */
	struct ga_str out;
	struct ga_str err;
};

#define GA_PROC_RESULT_INIT { .out = GA_STR_INIT, .err = GA_STR_INIT }
#define ga_autoproc ga_cleanup(ga_proc_result_release)

/* 0 when the program ran to its end, whatever its status; GA_EXTERNAL when it cannot be started,
 * GA_BUSY at the deadline, GA_SYSTEM when its exit status is unknown. */
GA_MUST_CHECK int ga_proc_run(const struct ga_proc *p, struct ga_proc_result *ret,
			      struct ga_err *err);
/* As ga_proc_run, and a status other than 0 is GA_EXTERNAL with the last line of its stderr. */
GA_MUST_CHECK int ga_proc_check(const struct ga_proc *p, struct ga_proc_result *ret,
				struct ga_err *err);
void ga_proc_result_release(struct ga_proc_result *r);

/* Call before an exec: handles SIGPIPE and SIGXFSZ by default again, because an ignored signal
 * stays ignored in the new program. */
void ga_proc_default_signals(void);
/* Call at the start of a program: undoes what exec kept of the parent's signals. With SIGCHLD
 * ignored the kernel reports no exit status of a child, and a blocked signal ends no wait. */
void ga_proc_own_signals(void);

/* A program that was started and that the caller waits for. The descriptors are the caller's to
 * close and do not block; in is -1 when p->input is NULL. The text of p->input is not written. */
struct ga_child {
	pid_t pid; /* also its process group; 0: none */
	int in, out, err;
};
#define GA_CHILD_INIT { .in = -1, .out = -1, .err = -1 }
GA_MUST_CHECK int ga_proc_start(const struct ga_proc *p, struct ga_child *ret, struct ga_err *err);
/* Whether it has ended; then status is its exit status, 128 + signal, or 255 when that is unknown,
 * and pid becomes 0. */
bool ga_proc_ended(struct ga_child *c, int *status);
/* Kills its process group, waits for it, and closes the descriptors; c is then empty. */
void ga_proc_kill(struct ga_child *c);

#endif
