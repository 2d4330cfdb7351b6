/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer of gpuaas-serve to a request: method, target, If-None-Match, If-Modified-Since, Host
 * and version, a line each, where an empty line is a field that is missing; without the last two
 * lines it is a plain request of HTTP/1.1. Nothing else of a request is read: the HTTP library
 * parts the query from the target. The target is read as an address to listen on, too.
 */
#include "fuzz.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "decide/offer/serve.h"

#define SECOND INT64_C(1000000000)
#define MADE (INT64_C(1795000000) * SECOND) /* as in the corpus */
#define STALE_SECONDS 60
#define AHEAD_SECONDS 5

static const struct ga_http_file there = { true, 948, 42, MADE }, gone = { 0 };

static bool is_one_host(const struct ga_http_request *r)
{
	const char *c;

	if (!r->host)
		return !strcmp(r->version, "HTTP/1.0");
	for (c = r->host; *c && *c != ' ' && *c != '\t'; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-._~%!$&'()*+;=:[]", *c))
			return false;
	for (; *c; c++)
		if (*c != ' ' && *c != '\t')
			return false;
	return true;
}

static int expected(const struct ga_http_request *r, bool given)
{
	const char *end = strstr(r->target, GA_SERVE_PATH);
	size_t before = end ? (size_t)(end - r->target) : 0;

	if (!is_one_host(r))
		return 400;
	if (!end || end[strlen(GA_SERVE_PATH)] ||
	    (before && (before < 8 || strncasecmp(r->target, "http://", 7) != 0 ||
			memchr(r->target + 7, '/', before - 7))))
		return 404;
	if (strcmp(r->method, "GET") != 0 && strcmp(r->method, "HEAD") != 0)
		return 405;
	return given ? 200 : 503;
}

/* Only a client that names this version gets "not changed". */
static void check_unchanged(const struct ga_http_request *r, const struct ga_http_answer *a)
{
	if (r->if_none_match)
		fuzz_check(strstr(r->if_none_match, a->etag) || strchr(r->if_none_match, '*'));
	else
		fuzz_check(r->if_modified_since && !strcmp(r->if_modified_since, a->modified));
}

static void check_given(const struct ga_http_answer *a, int64_t age)
{
	size_t len = strlen(a->etag);

	fuzz_check(!a->sentence && !a->allow && !a->retry_seconds);
	fuzz_check(a->age_seconds == (age > 0 ? age : 0));
	fuzz_check(len > 2 && a->etag[0] == '"' && strchr(a->etag + 1, '"') == a->etag + len - 1);
	fuzz_check(strlen(a->modified) == 29);
}

/* Its sentence goes into JSON as it is. */
static void check_refused(const struct ga_http_answer *a)
{
	fuzz_check(a->sentence && a->sentence[0] && !strpbrk(a->sentence, "\"\\\n"));
	fuzz_check(!a->etag[0] && !a->modified[0] && a->age_seconds == -1);
	fuzz_check(a->allow == (a->status == 405) && (a->retry_seconds > 0) == (a->status == 503));
}

static void ask(const struct ga_http_request *r, const struct ga_http_file *file, int64_t age,
		struct ga_http_answer *a)
{
	int want = expected(r, file->there && age <= STALE_SECONDS && age >= -AHEAD_SECONDS);

	ga_http_answer(r, file, MADE + age * SECOND, STALE_SECONDS, a);
	fuzz_check(a->status == want || (a->status == 304 && want == 200));
	if (a->status == 304)
		check_unchanged(r, a);
	if (want == 200)
		check_given(a, age);
	else
		check_refused(a);
}

/* A client that names its version gets "not changed", whatever stands before it: a tag without a
 * quotation mark ends at a comma. */
static void ask_again(const struct ga_http_request *r, const char *etag, const char *modified)
{
	const char *before = r->if_none_match && !strchr(r->if_none_match, '"') ?
				     r->if_none_match :
				     "\"a,b\"";
	ga_autofree char *strong = ga_xprintf("%s, %s", before, etag);
	ga_autofree char *weak = ga_xprintf("%s,\tW/%s ,x", before, etag);
	struct ga_http_request again = *r;
	struct ga_http_answer a;

	again.if_none_match = strong;
	ask(&again, &there, 5, &a);
	fuzz_check(a.status == 304);
	again.if_none_match = weak;
	ask(&again, &there, 5, &a);
	fuzz_check(a.status == 304);
	again.if_none_match = NULL;
	again.if_modified_since = modified;
	ask(&again, &there, 5, &a);
	fuzz_check(a.status == 304);
}

static void check_address(const char *text)
{
	ga_autofree char *host = NULL, *port = NULL;
	struct ga_err err = GA_ERR_INIT;

	if (ga_http_split(text, &host, &port, &err) < 0) {
		fuzz_check(err.code == GA_USAGE && err.msg[0] && err.hint[0] && !host && !port);
		return;
	}
	fuzz_check(host[0] && isdigit((unsigned char)port[0]) &&
		   port[strspn(port, "0123456789")] == '\0' && strtol(port, NULL, 10) <= 65535);
}

static const char *or_none(const char *line)
{
	return line && *line ? line : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofree char *text = fuzz_text(data, size);
	char *rest = text;
	const char *method = strsep(&rest, "\n"), *target = strsep(&rest, "\n");
	const char *tags = strsep(&rest, "\n"), *since = strsep(&rest, "\n");
	const char *host = strsep(&rest, "\n"), *version = strsep(&rest, "\n");
	const struct ga_http_request r = { .method = method, .target = target ? target : "/",
					    .version = version ? version : "HTTP/1.1",
					    .host = host ? or_none(host) : "x",
					    .if_none_match = or_none(tags),
					    .if_modified_since = or_none(since) };
	struct ga_http_answer a, given;

	ask(&r, &gone, 5, &a);
	ask(&r, &there, STALE_SECONDS + 1, &a);
	ask(&r, &there, -AHEAD_SECONDS - 1, &a);
	ask(&r, &there, -AHEAD_SECONDS, &a);
	ask(&r, &there, 5, &given);
	if (given.etag[0])
		ask_again(&r, given.etag, given.modified);
	check_address(r.target);
	return 0;
}
