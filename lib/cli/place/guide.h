/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-place --guide: asks for what a request still lacks, and gives its command line. */
#ifndef GA_CLI_PLACE_GUIDE_H
#define GA_CLI_PLACE_GUIDE_H

#include "base/ga.h"
#include "base/texts.h"

/* The choices of one request. Those that are set are not asked. */
struct ga_guide {
	const char *profile, *type, *image, *key; /* borrowed; NULL: not chosen */
	bool baremetal; /* only baremetal profiles */
	bool any_type;	/* types are chosen already */
	int64_t gpus;	/* GA_UNKNOWN: not chosen */
	struct ga_texts typed; /* owns the texts of the answers; empty in what is given */
};

/*
 * Asks on standard error for what is not given, and reads a line of standard input for each answer:
 * slice or baremetal, profile, type, number of GPUs, image, key. An empty line takes the default;
 * after a wrong answer the question comes again. Then prints the command line that stands for words
 * (an argv) and the answers; nothing is claimed. GA_USAGE where the input ends before the last
 * answer; "no_profile" where the state has no such profile (GA_NOTFOUND) or none of the shape
 * (GA_NO).
 */
GA_MUST_CHECK int ga_cli_guide(const struct ga_guide *given, char *const *words,
			       struct ga_err *err);

#endif
