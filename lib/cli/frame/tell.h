/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phases of long work, shown as a moving line, as progress records (--progress), and as rows of
 * the timeline.
 */
#ifndef GA_CLI_FRAME_TELL_H
#define GA_CLI_FRAME_TELL_H

#include "base/ga.h"

struct ga_tell {
	const char *mode;	     /* of ga_progress_words */
	const char *node;	     /* borrowed, as are the others */
	const char *object, *attempt; /* ids */
	int64_t generation;
	bool folds; /* phases go into the local state, too (result.h) */
	int64_t began, told; /* monotonic microseconds: of the phase, of the last record */
};

/* Reports a phase; tell is a struct ga_tell, so that the function fits where lib/act wants one for
 * phases. state: started, running, finished, failed. bytes of total are done; total 0: unknown.
 * Records of "running" are written once a second at most. */
void ga_tell_phase(void *tell, const char *phase, const char *state, int64_t bytes,
		   int64_t total);

#endif
