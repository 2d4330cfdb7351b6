/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator's executables ("hooks"): each call gets a text on stdin, a deadline, and an
 * environment of PATH, LC_ALL and what the call adds; several run at once. Stdout of a hook is
 * dropped; the caller gets the hook's last line on stderr.
 */
#ifndef GA_ACT_DEVICE_HOOKS_H
#define GA_ACT_DEVICE_HOOKS_H

#include <sys/stat.h>

#include "base/ga.h"
#include "base/str.h"
#include "base/vec.h"

/*
 * The reason not to run an executable with our rights, from its lstat; NULL: it may be run. It must
 * be a regular file that root or this user owns and nobody else may write. ga_hooks_check_folder
 * requires the same of its folder (dir is the open folder, folder its name for messages), because
 * otherwise somebody could put another file there: GA_DENIED "hook_unsafe". After both checks the
 * file that runs is the file that was checked.
 */
const char *ga_hook_why_refused(const struct stat *st);
GA_MUST_CHECK int ga_hooks_check_folder(const char *folder, int dir, struct ga_err *err);

struct ga_hook {
	char *name, *path;
	char *refused; /* the reason not to run it; NULL: it may run */
	bool is_link;  /* a symbolic link, which is always refused */
};

struct ga_hooks {
	struct ga_hook *v;
	size_t n;
	struct ga_str ignored; /* the other files and why, for a message; none: empty */
};
#define ga_autohooks ga_cleanup(ga_hooks_release)

/*
 * The executables in the folder, sorted by name; the caller releases ret. As for run-parts(8),
 * names are of letters, digits, '_' and '-', so that files which an editor or dpkg leaves behind
 * are no hooks. ga_hook_why_refused sets refused. A folder that does not exist has no hooks; a
 * folder that others could put files into is an error (ga_hooks_check_folder).
 */
GA_MUST_CHECK int ga_hooks_find(const char *folder, struct ga_hooks *ret, struct ga_err *err);
void ga_hooks_release(struct ga_hooks *hooks);

struct ga_hook_call {
	const struct ga_hook *hook;
	const char *input;
	const char *const *env; /* "KEY=value", NULL-terminated, or NULL */
};

struct ga_hook_limits {
	int64_t timeout_micros; /* of one call; then the hook is killed with all that it started */
	size_t jobs;		/* calls at once, at least 1 */
	int failures; /* a hook is given up after so many failures in a row, or one missed
			 deadline */
};

/* Called when a call has ended. failure: NULL, or the reason as a sentence that has nothing of the
 * hook's output; said: the hook's last line on stderr, or "". Returning -1 stops all calls. */
typedef int (*ga_hook_ended)(size_t call, const char *failure, const char *said, void *arg,
			     struct ga_err *err);

/* Makes the calls in their order, except calls to hooks that are refused or given up. After a
 * signal (base/stop.h) running calls go on to their end and no new call begins. Returns the number
 * of calls that were not made; -1 when ended() failed: running calls are killed then. */
GA_MUST_CHECK int ga_hooks_run(const struct ga_hook_call *calls, size_t n,
			       const struct ga_hook_limits *limits, ga_hook_ended ended, void *arg,
			       struct ga_err *err);

#endif
