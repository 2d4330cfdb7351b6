/* SPDX-License-Identifier: Apache-2.0 */
/* The locks and the reports of work on one order. */
#include "act/vm/work.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "record/time.h"

/* ---- locks ---- */

int ga_work_lock(struct ga_work *w, const char *object, struct ga_err *err)
{
	int fd;

	if (ga_object_lock(w->host_dir, object, w->program, &fd, err) < 0)
		return -1;
	*ga_list_add(&w->holds) = fd;
	return 0;
}

void ga_work_unlock(struct ga_work *w)
{
	for (size_t i = 0; i < w->holds.n; i++)
		close(w->holds.v[i]);
	ga_list_release(&w->holds);
}

void ga_work_clear(struct ga_work *w)
{
	free(w->detail);
	ga_work_unlock(w);
}

/* ---- one phase ---- */

int ga_work_phase(struct ga_work *w, const char *phase, struct ga_err *err)
{
	w->phase = phase;
	w->started = ga_clock_mono_micros();
	w->bytes = w->total_bytes = 0;
	free(GA_TAKE(w->detail));
	return ga_stop_check(phase, err);
}

void ga_work_note(struct ga_work *w, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	free(w->detail);
	w->detail = ga_xstrdup(text);
}

/* A stdout that is gone must not leave a half-made VM: its error waits until the end. */
static int settle_stdout(struct ga_work *w, int r, struct ga_err *err)
{
	if (r >= 0 || !ga_streq(err->reason, "stdout"))
		return r;
	w->stdout_err = *err;
	ga_err_clear(err);
	return 0;
}

int ga_work_progress(struct ga_work *w, const char *state, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	const struct ga_progress rec = {
		.node = w->node,
		.object = w->allocation,
		.attempt = w->attempt,
		.generation = w->generation,
		.phase = (char *)(uintptr_t)w->phase,
		.state = (char *)(uintptr_t)state,
		.at = now,
		.elapsed_micros = ga_clock_mono_micros() - w->started,
		.bytes = w->total_bytes ? w->bytes : GA_UNKNOWN,
		.total_bytes = w->total_bytes ? w->total_bytes : GA_UNKNOWN,
		.detail = w->detail,
	};

	if (w->dry_run)
		return 0;
	return settle_stdout(w, w->to->progress(&rec, err), err);
}

int ga_work_bytes(int64_t done, int64_t total, void *work, struct ga_err *err)
{
	struct ga_work *w = work;
	int64_t now = ga_clock_mono_micros();

	w->bytes = done;
	w->total_bytes = total;
	if (w->to->moving)
		w->to->moving(w->phase, done, total, w->started);
	if (ga_stop_check(w->phase, err) < 0)
		return -1;
	if (now - w->reported < GA_SECOND)
		return 0;
	w->reported = now;
	return ga_work_progress(w, "running", err);
}

/* ---- the end ---- */

int ga_work_emit(struct ga_work *w, const struct ga_schema *schema, const void *obj,
		 struct ga_err *err)
{
	return settle_stdout(w, w->to->result(schema, obj, err), err);
}

bool ga_work_may_go_on(const struct ga_err *why)
{
	return ga_streq(why->reason, "held") || ga_streq(why->reason, "interrupted");
}

int ga_work_fail(struct ga_work *w, const struct ga_err *why, struct ga_hostdb *h,
		 const char *attempt, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	const struct ga_failure f = {
		.node = w->node,
		.object = w->allocation,
		.attempt = w->attempt,
		.generation = w->generation,
		.program = (char *)(uintptr_t)w->program,
		.phase = (char *)(uintptr_t)w->phase,
		.code = (char *)(uintptr_t)(why->reason[0] ? why->reason : "failed"),
		.sentence = (char *)(uintptr_t)why->msg,
		.hint = why->hint[0] ? (char *)(uintptr_t)why->hint : NULL,
		.status = (int64_t)why->code,
		.at = now,
		.dry_run = w->dry_run,
	};
	ga_autofree char *words = ga_xprintf("%s: %s%s%s", w->allocation, why->msg,
					     why->hint[0] ? "\n  " : "", why->hint);
	ga_autofree char *text = ga_rec_format_text(&ga_failure_schema, &f);

	w->to->say(words);
	if (h && ga_attempt_end(h, attempt, "failed", text, err) < 0)
		return -1;
	return ga_work_emit(w, &ga_failure_schema, &f, err);
}

int ga_work_stdout_error(const struct ga_work *w, struct ga_err *err)
{
	if (w->stdout_err.code == GA_OK)
		return 0;
	*err = w->stdout_err;
	return -1;
}
