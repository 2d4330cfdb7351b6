/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that request a stop. */
#include "base/stop.h"

#include <signal.h>

static volatile sig_atomic_t asked;

static void on_signal(int sig)
{
	asked = sig;
}

void ga_stop_install(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &sa, NULL);
}

bool ga_stop_asked(void)
{
	return asked != 0;
}

int ga_stop_check(const char *what, struct ga_err *err)
{
	if (!asked)
		return 0;
	return ga_fail_for(err, GA_BUSY, "interrupted", "%s was interrupted by signal %d", what,
			   (int)asked);
}
