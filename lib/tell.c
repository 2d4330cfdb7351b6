/* SPDX-License-Identifier: Apache-2.0 */
/* Phases told to whoever asked. */
#include "tell.h"

#include "cli.h"
#include "clock.h"
#include "kind_result.h"
#include "time.h"

#define RUNNING_EVERY INT64_C(1000000)

static void tell_record(struct ga_tell *t, const char *phase, const char *state, int64_t bytes,
			int64_t total)
{
	int64_t now = ga_clock_mono_micros();
	struct ga_err lost = GA_ERR_INIT; /* stdout is gone: the work goes on, the end says so */
	struct ga_progress p;

	if (ga_streq(state, "running") && now - t->told < RUNNING_EVERY)
		return;
	t->told = now;
	ga_shape_init(&ga_progress_shape, &p);
	p.node = ga_xstrdup(t->node);
	p.object = ga_xstrdup(t->object);
	p.attempt = ga_xstrdup(t->attempt);
	p.generation = t->generation;
	p.phase = ga_xstrdup(phase);
	p.state = ga_xstrdup(state);
	p.at = ga_time_now();
	p.elapsed_micros = now - t->began;
	if (total) {
		p.bytes = bytes;
		p.total_bytes = total;
	}
	ga_emit(&ga_progress_shape, &p, &lost);
	ga_shape_release(&ga_progress_shape, &p);
}

void ga_tell_phase(struct ga_tell *t, const char *phase, const char *state, int64_t bytes,
		   int64_t total)
{
	ga_autofree char *what = ga_xprintf("%s %s", t->object, phase);

	if (ga_streq(state, "started"))
		t->began = ga_clock_mono_micros();
	if (ga_streq(t->mode, "json"))
		tell_record(t, phase, state, bytes, total);
	else if (ga_streq(state, "running"))
		ga_cli_progress(t->mode, what, bytes, total, t->began);
	else
		ga_cli_progress_end();
}
