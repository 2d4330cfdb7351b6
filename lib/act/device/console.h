/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A serial console between a terminal and a wire (any descriptor that carries the guest's bytes
 * both ways). The guest's output is shown and recorded; typed input goes to the guest and is never
 * recorded.
 */
#ifndef GA_ACT_DEVICE_CONSOLE_H
#define GA_ACT_DEVICE_CONSOLE_H

#include "base/ga.h"
#include "record/digest.h"

#define GA_CONSOLE_ESCAPE 0x1d /* ^], as virsh console and telnet have it */

struct ga_console_io {
	int in, out;   /* the terminal, or pipes; out -1: nothing is shown */
	int wire;      /* made non-blocking */
	int recording; /* output is written here before it is shown */
};

struct ga_console_end {
	bool escaped;	  /* the user typed the escape; else the guest's side ended */
	int64_t bytes;	  /* recorded */
	char digest[GA_DIGEST_SIZE];
};

/*
 * Runs until the user types the escape, the wire ends, or a signal asks to stop (which counts as an
 * escape). The end of in does not end the run: output is still shown. A terminal at in is raw
 * during the run and always restored. ret is always filled. -1: recording or showing failed;
 * nothing was shown that was not recorded.
 */
GA_MUST_CHECK int ga_console_run(const struct ga_console_io *io, struct ga_console_end *ret,
				 struct ga_err *err);

#endif
