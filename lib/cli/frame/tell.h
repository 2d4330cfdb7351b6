/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Glue: phases of long work, told as a moving line, as progress records
 * (--progress), and as rows of the timeline.
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
	int64_t began, told; /* monotonic; of the phase, of the last record */
};

/* tell is a struct ga_tell; fits where a function for phases is asked for. state: started, running,
 * finished, failed. Records of "running" come once a second at most. */
void ga_tell_phase(void *tell, const char *phase, const char *state, int64_t bytes,
		   int64_t total);

#endif
