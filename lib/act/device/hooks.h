/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator's executables that are told something: each call gets a text on stdin, a deadline,
 * and an environment of nothing but PATH, LC_ALL and what the call adds; several run at once. What
 * a hook prints on stdout is dropped, its last line on stderr is given to whoever asked.
 */
#ifndef GA_ACT_DEVICE_HOOKS_H
#define GA_ACT_DEVICE_HOOKS_H

#include <sys/stat.h>

#include "base/ga.h"
#include "base/vec.h"

/*
 * What stands against running an operator's executable with our rights, of what lstat says of it;
 * NULL: nothing. It is a regular file that root or this user owns and nobody else may write. Of its
 * folder the same is asked (dir is open, folder its name for people), else somebody could put
 * another file there: GA_DENIED "hook_unsafe". What is run behind both is what was looked at.
 */
const char *ga_hook_why_refused(const struct stat *st);
GA_MUST_CHECK int ga_hooks_check_folder(const char *folder, int dir, struct ga_err *err);

struct ga_hook {
	char *name, *path;
	char *refused; /* why it may not be run; NULL: it may */
};

struct ga_hooks {
	struct ga_hook *v;
	size_t n;
};
#define ga_autohooks ga_cleanup(ga_hooks_release)

/*
 * What is executable in the folder, by name. As run-parts(8) has it, names are of letters, digits,
 * '_' and '-', so that what an editor or dpkg leaves behind is no hook. It is refused
 * as ga_hook_why_refused has it. A folder that is not there has none; one that others could put
 * files into is refused as ga_hooks_check_folder has it.
 */
GA_MUST_CHECK int ga_hooks_find(const char *folder, struct ga_hooks *ret, struct ga_err *err);
void ga_hooks_release(struct ga_hooks *hooks);

struct ga_hook_call {
	const struct ga_hook *hook;
	const char *input;
	const char *const *env; /* "KEY=value", NULL-terminated, or NULL */
};

struct ga_hook_limits {
	int64_t timeout_micros; /* of one call; then it is killed with all it started */
	size_t jobs;		/* calls at once, at least 1 */
	int failures;		/* so many in a row, or one deadline, and the hook is given up */
};

/* Told of each call that was made, when it has ended: failure NULL, or why in a sentence that says
 * nothing of what the hook printed; said is its last line on stderr, or "". -1 stops all. */
typedef int (*ga_hook_ended)(size_t call, const char *failure, const char *said, void *arg,
			     struct ga_err *err);

/* Makes the calls in their order, but for those to hooks that are refused or were given up. A
 * signal (base/stop.h) lets those that run come to their end, and begins no other. The number of
 * calls that were not made; -1 when ended() failed, after those that ran were killed. */
GA_MUST_CHECK int ga_hooks_run(const struct ga_hook_call *calls, size_t n,
			       const struct ga_hook_limits *limits, ga_hook_ended ended, void *arg,
			       struct ga_err *err);

#endif
