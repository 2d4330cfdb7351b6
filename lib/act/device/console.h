/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A serial console between a terminal and a wire (any descriptor that carries the guest's bytes
 * both ways): what the guest prints is shown and recorded, what is typed goes to the guest and is
 * never recorded.
 */
#ifndef GA_ACT_DEVICE_CONSOLE_H
#define GA_ACT_DEVICE_CONSOLE_H

#include "base/ga.h"
#include "record/digest.h"

#define GA_CONSOLE_ESCAPE 0x1d /* ^], as virsh console and telnet have it */

struct ga_console_io {
	int in, out;   /* the terminal, or pipes; out -1: nothing is shown */
	int wire;      /* made non-blocking */
	int recording; /* everything that is shown is written here first */
};

struct ga_console_end {
	bool escaped;	  /* the escape was typed; else the guest's side ended */
	int64_t bytes;	  /* recorded */
	char digest[GA_DIGEST_SIZE];
};

/*
 * Runs until the escape is typed, the wire ends, or a signal asks to stop (that is an end like the
 * escape). The end of in alone is none: what comes is still shown. A terminal at in is raw
 * meanwhile and put back in any case. ret is filled in any case; -1: recording or showing failed,
 * and then nothing more was shown than was recorded.
 */
GA_MUST_CHECK int ga_console_run(const struct ga_console_io *io, struct ga_console_end *ret,
				 struct ga_err *err);

#endif
