/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error object: one for each call chain, always the last argument; main prints it once (after
 * crun's libcrun_error_t).
 *
 * A function that can fail takes "struct ga_err *err" last. On failure it returns -1 and fills err;
 * otherwise it returns >= 0 and does not change err. The code is the exit status of the program;
 * gpuaas(7) lists them. A sentence is in lower case, names the failure first, quotes the subject in
 * single quotes and has no full stop. Callers add context in front with ga_wrap:
 * "context: sentence".
 */
#ifndef GA_BASE_ERR_H
#define GA_BASE_ERR_H

/* The exit statuses: part of the interface, never renumbered. */
enum ga_code {
	GA_OK = 0,
	GA_NO = 1,	 /* the answer is "no" */
	GA_USAGE = 2,	 /* wrong command line */
	GA_BADREC = 3,	 /* a bad record on input */
	GA_CONFLICT = 4, /* conflict or wrong state */
	GA_NOTFOUND = 5,
	GA_DENIED = 6,
	GA_HOST = 7,	 /* the host lacks something */
	GA_BUSY = 8,	 /* busy, or a deadline passed */
	GA_EXTERNAL = 9, /* libvirt or another program failed */
	GA_SYSTEM = 10,	 /* a system call failed */
};

struct ga_err {
	enum ga_code code;
	char reason[48];  /* stable machine word such as "concurrent_update"; "" when none */
	char object[160]; /* id of the object concerned; "" when none */
	char msg[1024];
	char hint[1024]; /* what to do; "" when the sentence says it */
};

#define GA_ERR_INIT { .code = GA_OK }

/*
 * Which to take: ga_fail for a sentence alone; ga_fail_for where a program asks for the reason;
 * ga_fail_about where the error is of an object; ga_refuse where a person can do something, so that
 * there is a hint.
 */
/* Fills err; the value is -1. Use: return ga_fail(err, GA_CONFLICT, "slot '%s' is …", id); */
#define ga_fail(err, code, ...) (ga_err_set((err), (code), __VA_ARGS__), -1)
/* The same with ": strerror(errno)" added, code GA_SYSTEM (GA_DENIED for EACCES and EPERM). */
#define ga_fail_sys(err, ...) (ga_err_set_sys((err), __VA_ARGS__), -1)
/* As ga_fail, with the stable reason word first. */
#define ga_fail_for(err, code, reason, ...) \
	(ga_err_set((err), (code), __VA_ARGS__), ga_err_about((err), (reason), NULL), -1)
/* As ga_fail_for, with the id of the object too; reason and object may be NULL. The value is -1. */
#define ga_fail_about(err, code, reason, object, ...) \
	(ga_err_set((err), (code), __VA_ARGS__), ga_err_about((err), (reason), (object)))
/* A complete refusal in one statement. reason (a stable word) and object (an id) may be NULL;
 * sentence and hint are printf's arguments in parentheses; a hint of "" is none. The value is -1.
 * Use:
 *   return ga_refuse(err, GA_CONFLICT, "held", id, ("allocation '%s' is held", id),
 *                    ("'gpuaas-release %s --undo' starts it again", id)); */
#define ga_refuse(err, code, reason, object, sentence, hint) \
	(ga_err_set((err), (code), GA_WITHOUT_BRACKETS sentence), \
	 ga_err_about((err), (reason), (object)), ga_hint((err), GA_WITHOUT_BRACKETS hint))
#define GA_WITHOUT_BRACKETS(...) __VA_ARGS__

/* Fills err with the code and the sentence; reason, object and hint become empty. */
void ga_err_set(struct ga_err *err, enum ga_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same from errno, whose text it adds: GA_DENIED for EACCES and EPERM, else GA_SYSTEM. */
void ga_err_set_sys(struct ga_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Sets the reason and the object of an error that is there, in place of earlier ones; NULL: that
 * one stays. A text that does not fit is cut. Returns -1. */
int ga_err_about(struct ga_err *err, const char *reason, const char *object);
/* Sets the hint, but keeps an earlier one. Returns -1, so that "return ga_hint(err, …)" works. */
int ga_hint(struct ga_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts "context: " in front of the message. Returns -1. */
int ga_wrap(struct ga_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ga_err_clear(struct ga_err *err);
/* Prints the sentence and the hint on stderr and ends the process at once; the code is its status.
 * For errors that no caller could handle, such as being out of memory. Flushes nothing. */
void ga_die(const struct ga_err *err) __attribute__((noreturn));

#endif
