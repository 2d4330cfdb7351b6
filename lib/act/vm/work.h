/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work on one order for an allocation, as provision, release, power and rebuild do it: its locks,
 * and what it reports of its phases, its results and its failure.
 *
 * Functions here return 0, or -1 with err filled, unless their comment names other results.
 */
#ifndef GA_ACT_VM_WORK_H
#define GA_ACT_VM_WORK_H

#include "base/vec.h"
#include "record/result.h"
#include "state/host/hostdb.h"

struct ga_release_order;

/* Where reports go. Only moving and in_force may be NULL. */
struct ga_work_to {
	/* Write a result or progress out. When stdout is gone, the error has reason "stdout": the
	 * work goes on and the error is returned at the end. */
	int (*result)(const struct ga_schema *schema, const void *obj, struct ga_err *err);
	int (*progress)(const struct ga_progress *p, struct ga_err *err);
	void (*say)(const char *line); /* words for people */
	/* The bytes of a long phase, of total; started is monotonic. NULL: not shown. */
	void (*moving)(const char *what, int64_t done, int64_t total, int64_t started);
	/* Asks the state before a release order is carried out. 1: it is in force; 0: there is no
	 * state here, or the allocation belongs to another; -1: it is over. NULL: nobody to ask. */
	int (*in_force)(const struct ga_release_order *order, struct ga_err *err);
};

struct ga_work {
	/* filled in by the caller */
	const struct ga_work_to *to;
	const char *program, *host_dir;
	bool dry_run; /* reports no progress */
	/* of the order, borrowed; each report of the work has them */
	char *node, *allocation, *attempt;
	int64_t generation;
	/* zero at the beginning */
	GA_LIST(int) holds; /* descriptors of the locks */
	/* the phase at work */
	const char *phase;
	int64_t started; /* monotonic microseconds */
	int64_t bytes, total_bytes; /* total_bytes is 0 in phases without bytes */
	int64_t reported; /* when the bytes were last in a record; monotonic */
	char *detail;
	struct ga_err stdout_err; /* the last failed write to stdout; GA_OK: none */
};

/* Locks an allocation or a slot until ga_work_unlock. GA_BUSY "held". */
GA_MUST_CHECK int ga_work_lock(struct ga_work *w, const char *object, struct ga_err *err);
/* Releases all locks; they may be released already. */
void ga_work_unlock(struct ga_work *w);

/* Begins a phase; its name outlives the work. GA_BUSY when a signal asks the program to stop. */
GA_MUST_CHECK int ga_work_phase(struct ga_work *w, const char *phase, struct ga_err *err);
/* Sets the detail of the phase: a fact that helps a person, or the reason why there is nothing to
 * do. */
void ga_work_note(struct ga_work *w, const char *fmt, ...) GA_PRINTF(2, 3);
/* Reports the state of the phase: "started", "running" or "finished". */
GA_MUST_CHECK int ga_work_progress(struct ga_work *w, const char *state, struct ga_err *err);
/* Reports the bytes of a long phase: a moving line at each call, a record about once a second. work
 * is the struct ga_work. Fails when a signal asks the program to stop. */
GA_MUST_CHECK int ga_work_bytes(int64_t done, int64_t total, void *work, struct ga_err *err);

/* Writes a record out. An error of stdout is kept in stdout_err and is no error here. */
GA_MUST_CHECK int ga_work_emit(struct ga_work *w, const struct ga_schema *schema, const void *obj,
			       struct ga_err *err);
/* Whether a later run may continue the work: somebody else works on it, or a signal asked us to
 * stop. Nothing has failed then, so no record is made. */
GA_MUST_CHECK bool ga_work_may_go_on(const struct ga_err *why);
/* Says why the phase failed, ends with the failure the attempt of that id in h (h NULL: none), and
 * emits it. The attempt may be another than that of the order. */
GA_MUST_CHECK int ga_work_fail(struct ga_work *w, const struct ga_err *why, struct ga_hostdb *h,
			       const char *attempt, struct ga_err *err);
/* The result of work that succeeded: 0, or the kept error of stdout. */
GA_MUST_CHECK int ga_work_stdout_error(const struct ga_work *w, struct ga_err *err);

/* Releases the locks and the detail. */
void ga_work_clear(struct ga_work *w);

#endif
