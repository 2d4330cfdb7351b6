/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-serve: the published view over HTTP. */
#ifndef GA_CLI_SERVE_H
#define GA_CLI_SERVE_H

#include "base/ga.h"

struct ga_http_opts {
	const char *file;      /* that is published */
	const char *listen;    /* ADDRESS:PORT; NULL: the socket systemd passed */
	int64_t stale_seconds; /* an older file is not given */
	int64_t idle_seconds;  /* ends when nobody asked for so long; 0: never */
	int64_t deadline_seconds; /* a connection ends after so long, answered or not */
};

/* Serves until a signal, or until it is idle. */
GA_MUST_CHECK int ga_cli_serve(const struct ga_http_opts *opts, struct ga_err *err);

#endif
