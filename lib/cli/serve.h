/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-serve: the published view over HTTP. */
#ifndef GA_CLI_SERVE_H
#define GA_CLI_SERVE_H

#include "base/ga.h"

struct ga_http_opts {
	const char *file;      /* the published view */
	const char *listen;    /* ADDRESS:PORT; NULL: the socket that systemd passed */
	int64_t stale_seconds; /* an older file is not served */
	int64_t idle_seconds;  /* the server ends after this time without a request; 0: never */
	int64_t deadline_seconds; /* longest time of a connection, answered or not */
};

/* Serves until a signal comes, or until it was idle for idle_seconds. */
GA_MUST_CHECK int ga_cli_serve(const struct ga_http_opts *opts, struct ga_err *err);

#endif
