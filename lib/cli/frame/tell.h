/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phases of long work, shown as a progress line, as progress records (--progress), and as rows
 * of the timeline.
 */
#ifndef GA_CLI_FRAME_TELL_H
#define GA_CLI_FRAME_TELL_H

#include "base/ga.h"

struct ga_tell {
	const char *mode;	     /* of ga_progress_words */
	const char *node;	     /* borrowed, as are the others */
	const char *object, *attempt; /* ids */
	int64_t generation;
	bool folds; /* also commit phases to the local state (result.h) */
	int64_t began, reported; /* monotonic microseconds: start of the phase, last record */
};

/* Reports a phase. tell is a struct ga_tell; the parameter has the type void *, because lib/act
 * uses the function as a callback for phases. state: started, running, finished, failed. bytes of
 * total are done; total 0: unknown. detail: why it failed, or NULL. Writes records of "running" at
 * most once a second. */
void ga_tell_phase(void *tell, const char *phase, const char *state, int64_t bytes, int64_t total,
		   const char *detail);

#endif
