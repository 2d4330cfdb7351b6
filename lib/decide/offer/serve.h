/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answers of gpuaas-serve: a request and the published file in, a status and its headers out.
 * Pure; no socket, no file, no clock.
 */
#ifndef GA_DECIDE_OFFER_SERVE_H
#define GA_DECIDE_OFFER_SERVE_H

#include "base/ga.h"

#define GA_SERVE_PATH "/api/hardware-profiles"
#define GA_SERVE_TEXT_SIZE 48
#define GA_SERVE_REQUEST_BYTES (16 << 10) /* largest request, in bytes without its body */
#define GA_SERVE_FIELDS 400 /* most fields of a request, with the cookies in them */

/* The file as it is now. */
struct ga_http_file {
	bool there;		/* a regular file that opens and is not too large */
	int64_t size, inode;	/* size in bytes; inode: number of the file */
	int64_t modified_nanos; /* since 1970 UTC */
};

struct ga_http_request {
	const char *method, *target, *version; /* as received, not decoded; without the query */
	bool torn; /* the request line has a NUL or a blank too many */
	/* Values of fields, or NULL; the values of a repeated field are joined by ", ". */
	const char *host, *if_none_match, *if_modified_since;
	size_t bytes, fields; /* of the full request: bytes without its body; fields and cookies */
};

struct ga_http_answer {
	int status;	      /* 200, 304, 400, 404, 405, 431, 503 */
	const char *sentence; /* for people, when the status is not 200 or 304; constant */
	bool allow;	      /* the answer lists the allowed methods */
	int retry_seconds;    /* 0: no Retry-After */
	int64_t age_seconds;  /* of the file; -1: no Age */
	char etag[GA_SERVE_TEXT_SIZE], modified[GA_SERVE_TEXT_SIZE]; /* "": the answer has none */
};

/* now_nanos: since 1970 UTC. stale_seconds (above 0): an older file is refused. */
void ga_http_answer(const struct ga_http_request *request, const struct ga_http_file *file,
		    int64_t now_nanos, int64_t stale_seconds, struct ga_http_answer *ret);

/* Formats seconds since 1970 UTC (0 .. 253402300799) in HTTP's form: "Sun, 22 Nov 2026 06:45:04
 * GMT" (RFC 9110, 5.6.7). */
void ga_http_date(int64_t seconds, char out[GA_SERVE_TEXT_SIZE]);

/* Splits "127.0.0.1:8080", "[::1]:8080" or ":8080" (loopback). host and port are overwritten, both
 * allocated. GA_USAGE: no port from 0 to 65535, or no address before it. */
GA_MUST_CHECK int ga_http_split(const char *text, char **host, char **port, struct ga_err *err);

#endif
