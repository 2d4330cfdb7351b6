/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of the phases of work. */
#include "cli/frame/tell.h"

#include "base/clock.h"
#include "cli/frame/cli.h"
#include "cli/frame/result.h"
#include "record/log.h"
#include "record/result.h"
#include "record/time.h"

static void tell_record(struct ga_tell *t, const char *phase, const char *state, int64_t bytes,
			int64_t total, const char *detail)
{
	int64_t now = ga_clock_mono_micros();
	bool running = ga_streq(state, "running"), json = ga_streq(t->mode, "json");
	struct ga_err lost = GA_ERR_INIT;
	struct ga_progress p;

	if (running && (!json || now - t->reported < GA_SECOND))
		return;
	t->reported = now;
	ga_schema_init(&ga_progress_schema, &p);
	p.node = ga_xstrdup(t->node);
	p.object = ga_xstrdup(t->object);
	p.attempt = ga_xstrdup(t->attempt);
	p.generation = t->generation;
	p.phase = ga_xstrdup(phase);
	p.state = ga_xstrdup(state);
	p.at = ga_time_now();
	p.elapsed_micros = now - t->began;
	p.detail = detail ? ga_xstrdup(detail) : NULL;
	if (total) {
		p.bytes = bytes;
		p.total_bytes = total;
	}
	/* The work goes on if the timeline cannot be stored or the reader is gone: only the result
	 * at the end counts, and its output reports the problem. */
	if (t->folds && !running ? ga_result_progress(&p, json, &lost) < 0 :
				   json && ga_emit(&ga_progress_schema, &p, &lost) < 0)
		ga_info("progress of '%s': %s", t->object, lost.msg);
	ga_schema_release(&ga_progress_schema, &p);
}

void ga_tell_phase(void *tell, const char *phase, const char *state, int64_t bytes, int64_t total,
		   const char *detail)
{
	struct ga_tell *t = tell;
	ga_autofree char *what = ga_xprintf("%s %s", t->object, phase);

	if (ga_streq(state, "started"))
		t->began = ga_clock_mono_micros();
	tell_record(t, phase, state, bytes, total, detail);
	if (ga_streq(state, "running"))
		ga_cli_progress(t->mode, what, bytes, total, t->began);
	else
		ga_cli_progress_end();
}
