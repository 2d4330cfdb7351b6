/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-place --guide: asks for what a request still lacks, and gives its command line. */
#ifndef GA_CLI_PLACE_GUIDE_H
#define GA_CLI_PLACE_GUIDE_H

#include "cli/place/place.h"

/*
 * Asks on standard error for what the options do not give, and reads a line of standard input for
 * each answer: slice or baremetal, profile, type, number of GPUs, image, key. An empty line takes
 * the default; after a wrong answer the question comes again. It leaves out each choice on which
 * the app of the options cannot run. Then prints the command line that stands for words (an argv)
 * and the answers, and says on standard error what placement would answer now; nothing is claimed.
 *
 * GA_USAGE where the input ends before the last answer; GA_NOTFOUND "no_profile" or "no_app" where
 * the state does not have the one that is given; GA_NO where it has none that suits.
 */
GA_MUST_CHECK int ga_cli_guide(const struct ga_place_opts *given, char *const *words,
			       struct ga_err *err);

#endif
