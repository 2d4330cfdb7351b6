/* SPDX-License-Identifier: Apache-2.0 */
/*
 * External programs: by argv, never through a shell, with a deadline and captured output.
 *
 * A program name without a slash is looked up in one fixed path: GA_PROC_PATH, unless the host's
 * configuration sets another (ga_proc_set_path). The caller's PATH is never used: under sudo any
 * user may have set it, and under cron it lacks sbin. The child gets a clean environment (that path
 * as PATH, LC_ALL=C, and the additions of env), its own process group, default handling of the
 * signals that our programs ignore, and no descriptor above 2. When the deadline passes, the group
 * is killed and the result is GA_BUSY.
 *
 * A signal to this process, also Ctrl-C, does not reach the group. By default a child outlives this
 * process: a change of the system (nft, ovs-vsctl, qemu-img, scrubbing, deploying) must not stop
 * halfway, a hook must deliver its message, and the remote side of an ssh finishes anyway. Set
 * ends_with_us for long-running queries without side effects: the child is killed when this process
 * ends. Short queries need not set it.
 */
#ifndef GA_BASE_PROC_H
#define GA_BASE_PROC_H

#include <sys/types.h>

#include "base/ga.h"
#include "base/str.h"

#define GA_PROC_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
/* Sets the path for the process: absolute folders, separated by colons; GA_USAGE for any other
 * text. Copies the text. */
GA_MUST_CHECK int ga_proc_set_path(const char *path, struct ga_err *err);
/* The path in force, never NULL; the caller does not free it. */
const char *ga_proc_path(void);
/* Finds a program as described above and calls execve(2) with the environment env. Returns only
 * when the program cannot run, with errno. */
void ga_proc_exec(const char *const *argv, char *const *env);

struct ga_proc {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up as described above */
	const char *const *env;	 /* "KEY=value" texts to add, NULL-terminated, or NULL */
	const char *input;	 /* data for stdin, or NULL for /dev/null */
	size_t input_len;
	int64_t timeout_micros; /* 0: 30 seconds */
	size_t output_max; /* bytes to keep of each stream; 0: 1 MiB; the rest is dropped */
	bool ends_with_us; /* kill its group if this process ends first, in any way */
};

struct ga_proc_result {
	int status; /* exit status, or 128 + signal */
	struct ga_str out;
	struct ga_str err; /* without newlines at its end */
};

#define GA_PROC_RESULT_INIT { .out = GA_STR_INIT, .err = GA_STR_INIT }
#define ga_autoproc ga_cleanup(ga_proc_result_release)

/* 0 when the program ran to its end, with any exit status; GA_EXTERNAL when it cannot be started,
 * GA_BUSY at the deadline, GA_SYSTEM when its exit status is unknown. */
GA_MUST_CHECK int ga_proc_run(const struct ga_proc *p, struct ga_proc_result *ret,
			      struct ga_err *err);
/* As ga_proc_run, but a status other than 0 is GA_EXTERNAL with the last line of its stderr. */
GA_MUST_CHECK int ga_proc_check(const struct ga_proc *p, struct ga_proc_result *ret,
				struct ga_err *err);
void ga_proc_result_release(struct ga_proc_result *r);

/* Call before an exec: restores the default handling of SIGPIPE and SIGXFSZ, because an ignored
 * signal stays ignored in the new program. */
void ga_proc_default_signals(void);
/* Call at the start of a program: resets the signal settings that exec kept from the parent. If
 * SIGCHLD is ignored, the kernel reports no exit status of a child; a blocked signal ends no
 * wait. */
void ga_proc_own_signals(void);

/* A started program that the caller waits for. The caller closes the descriptors; they do not
 * block. in is -1 when p->input is NULL. The caller itself writes the text of p->input. */
struct ga_child {
	pid_t pid; /* also its process group; 0: none */
	int in, out, err;
};
#define GA_CHILD_INIT { .in = -1, .out = -1, .err = -1 }
/* Starts the program, without waiting for its end. GA_EXTERNAL when it cannot be run; ret then
 * stays empty. */
GA_MUST_CHECK int ga_proc_start(const struct ga_proc *p, struct ga_child *ret, struct ga_err *err);
/* Whether the program has ended. If so, sets status to its exit status, 128 + signal, or 255 when
 * it is unknown, and pid to 0. */
bool ga_proc_ended(struct ga_child *c, int *status);
/* Kills its process group, waits for it, and closes the descriptors; c is then empty. */
void ga_proc_kill(struct ga_child *c);

#endif
