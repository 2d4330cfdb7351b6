/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT, SIGTERM and SIGHUP set a flag; long work checks the flag between its steps. */
#ifndef GA_BASE_STOP_H
#define GA_BASE_STOP_H

#include "base/ga.h"

void ga_stop_install(void); /* handlers without SA_RESTART */
/* Whether one of the signals came. */
bool ga_stop_asked(void);
/* GA_BUSY "interrupted …" when a signal came, 0 otherwise. */
GA_MUST_CHECK int ga_stop_check(const char *what, struct ga_err *err);

#endif
