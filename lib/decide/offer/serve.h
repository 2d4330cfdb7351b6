/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What gpuaas-serve answers: a request and the published file in, a status and its headers out.
 * Pure; no socket, no file, no clock.
 */
#ifndef GA_DECIDE_OFFER_SERVE_H
#define GA_DECIDE_OFFER_SERVE_H

#include "base/ga.h"

#define GA_SERVE_PATH "/api/hardware-profiles"
#define GA_SERVE_TEXT_SIZE 48
#define GA_SERVE_REQUEST_BYTES (16 << 10) /* of a request without its body, at most */
#define GA_SERVE_FIELDS 400 /* of it and cookies in them, at most */

/* The file as it is now. */
struct ga_http_file {
	bool there;		/* a regular file that could be opened, and is not too large */
	int64_t size, inode;	/* bytes; number of the file */
	int64_t modified_nanos; /* since 1970 UTC */
};

struct ga_http_request {
	const char *method, *target, *version; /* as they came, not decoded; without the query */
	bool torn; /* a NUL, or a blank too many, is in the line of these */
	/* Values of fields, or NULL; of repeated ones all, with ", " between them. */
	const char *host, *if_none_match, *if_modified_since;
	size_t bytes, fields; /* of all of it: bytes without a body; fields and cookies */
};

struct ga_http_answer {
	int status;	      /* 200, 304, 400, 404, 405, 431, 503 */
	const char *sentence; /* for people, of what is no 200 or 304; constant */
	bool allow;	      /* says which methods there are */
	int retry_seconds;    /* 0: not said */
	int64_t age_seconds;  /* of the file; -1: not said */
	char etag[GA_SERVE_TEXT_SIZE], modified[GA_SERVE_TEXT_SIZE]; /* "" where not said */
};

/* now_nanos: since 1970 UTC. stale_seconds: an older file is not given (above 0). */
void ga_http_answer(const struct ga_http_request *request, const struct ga_http_file *file,
		    int64_t now_nanos, int64_t stale_seconds, struct ga_http_answer *ret);

/* Writes seconds since 1970 UTC (0 .. 253402300799) as HTTP has it: "Sun, 22 Nov 2026 06:45:04
 * GMT" (RFC 9110, 5.6.7). */
void ga_http_date(int64_t seconds, char out[GA_SERVE_TEXT_SIZE]);

/* "127.0.0.1:8080", "[::1]:8080", ":8080" (loopback) parted: host and port are overwritten, both
 * allocated. GA_USAGE: it has no port from 0 to 65535, or no address before it. */
GA_MUST_CHECK int ga_http_split(const char *text, char **host, char **port, struct ga_err *err);

#endif
