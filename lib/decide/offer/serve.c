/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of gpuaas-serve. */
#include "decide/offer/serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "record/time.h"

#define RETRY_SECONDS 10
#define AHEAD_NANOS INT64_C(5000000000) /* a file dated further ahead than this: the clock was
					 * set back */

static void refuse(struct ga_http_answer *ret, int status, const char *sentence)
{
	ret->status = status;
	ret->sentence = sentence;
}

/* ---- the request ---- */

/* Whether the text is one host, from one field Host (RFC 9112, 3.2): a comma means that the server
 * joined two fields. */
static bool is_host(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789-._~%!$&'()*+;=:[]");

	return !text[len + strspn(text + len, " \t")];
}

/* The path of a target, which may be a full URL with the host (RFC 9112, 3.2.2). */
static const char *path_of(const char *target)
{
	static const char scheme[] = "http://";
	size_t len = strlen(scheme), host;

	if (strncasecmp(target, scheme, len) != 0)
		return target;
	host = strcspn(target + len, "/");
	return host ? target + len + host : "";
}

/* Whether the request is for the file; if not, ret has the answer. */
static bool wants_file(const struct ga_http_request *r, struct ga_http_answer *ret)
{
	if (r->bytes > GA_SERVE_REQUEST_BYTES || r->fields > GA_SERVE_FIELDS)
		refuse(ret, 431, "there are more than 16 KiB, or more than 400 fields and cookies");
	else if (r->torn)
		refuse(ret, 400, "the request line has a NUL, or a blank too many");
	else if (r->host ? !is_host(r->host) : strcmp(r->version, "HTTP/1.0") != 0)
		refuse(ret, 400, "one field Host is needed");
	else if (strcmp(path_of(r->target), GA_SERVE_PATH) != 0)
		refuse(ret, 404, "there is only " GA_SERVE_PATH);
	else if (strcmp(r->method, "GET") != 0 && strcmp(r->method, "HEAD") != 0)
		refuse(ret, 405, "this is for reading: GET and HEAD");
	ret->allow = ret->status == 405;
	return !ret->status;
}

/* ---- dates ---- */

void ga_http_date(int64_t seconds, char out[GA_SERVE_TEXT_SIZE])
{
	static const char weekdays[] = "ThuFriSatSunMonTueWed"; /* 1970 began on a Thursday */
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char at[GA_TIME_SIZE]; /* 2026-11-22T06:45:04.000000Z */
	ptrdiff_t month;

	if (seconds < 0)
		seconds = 0;
	if (seconds > INT64_C(253402300799))
		seconds = INT64_C(253402300799);
	ga_time_format(ga_time_after(0, seconds), at);
	month = (at[5] - '0') * 10 + at[6] - '0' - 1;
	snprintf(out, GA_SERVE_TEXT_SIZE, "%.3s, %.2s %.3s %.4s %.8s GMT",
		 weekdays + 3 * (seconds / 86400 % 7), at + 8, months + 3 * month, at, at + 11);
}

/* ---- whether the client has the file already ---- */

/* Whether a list of entity tags has ours; "*" matches any, W/ makes no difference (RFC 9110,
 * 13.1.2). */
static bool has_tag(const char *list, const char *etag)
{
	size_t len = strlen(etag);

	while (*list) {
		list += strspn(list, " \t,");
		if (!strcmp(list, "*"))
			return true;
		if (!strncmp(list, "W/", 2))
			list += 2;
		if (!strncmp(list, etag, len) && strchr(" \t,", list[len]))
			return true;
		if (*list == '"') {
			const char *end = strchr(list + 1, '"');

			if (!end)
				return false;
			list = end + 1;
		} else {
			list += strcspn(list, ",");
		}
	}
	return false;
}

static bool has_it(const struct ga_http_request *r, const struct ga_http_answer *a)
{
	if (r->if_none_match)
		return has_tag(r->if_none_match, a->etag);
	return r->if_modified_since && !strcmp(r->if_modified_since, a->modified);
}

/* Whether the file is recent enough to show what is available now; if not, ret has the answer. */
static bool is_current(const struct ga_http_file *file, int64_t now_nanos, int64_t stale_seconds,
		       struct ga_http_answer *ret)
{
	if (!file->there)
		refuse(ret, 503, "nothing is published, or it cannot be read or is too large");
	else if (file->modified_nanos - now_nanos > AHEAD_NANOS)
		refuse(ret, 503, "what was published is dated in the future: the clock was set "
		       "back");
	else if ((now_nanos - file->modified_nanos) / 1000000000 > stale_seconds)
		refuse(ret, 503, "what was published is too old to say what is available now");
	else
		return true;
	ret->retry_seconds = RETRY_SECONDS;
	return false;
}

void ga_http_answer(const struct ga_http_request *request, const struct ga_http_file *file,
		    int64_t now_nanos, int64_t stale_seconds, struct ga_http_answer *ret)
{
	int64_t modified;

	*ret = (struct ga_http_answer){ .age_seconds = -1 };
	if (!wants_file(request, ret) || !is_current(file, now_nanos, stale_seconds, ret))
		return;
	/* Last-Modified is never later than the answer's date (RFC 9110, 8.8.2.1). */
	modified = file->modified_nanos < now_nanos ? file->modified_nanos : now_nanos;
	ret->age_seconds = (now_nanos - modified) / 1000000000;
	snprintf(ret->etag, sizeof(ret->etag), "\"%" PRIx64 "-%" PRIx64 "-%" PRIx64 "\"",
		 file->modified_nanos, file->size, file->inode);
	ga_http_date(modified / 1000000000, ret->modified);
	ret->status = has_it(request, ret) ? 304 : 200;
}

int ga_http_split(const char *text, char **host, char **port, struct ga_err *err)
{
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;
	bool bracket = len > 2 && text[0] == '[' && text[len - 1] == ']';

	if (!colon || !colon[1] || strlen(colon + 1) > 5 ||
	    colon[1 + strspn(colon + 1, "0123456789")] || strtol(colon + 1, NULL, 10) > 65535 ||
	    (!bracket && (text[0] == '[' || memchr(text, ':', len))))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("'%.64s' is no address with a port", text),
				 ("127.0.0.1:8742, [::1]:8742, or :8742 on loopback"));
	*host = len ? ga_xstrndup(text + bracket, len - 2 * (size_t)bracket) :
		      ga_xstrdup("127.0.0.1");
	*port = ga_xstrdup(colon + 1);
	return 0;
}
