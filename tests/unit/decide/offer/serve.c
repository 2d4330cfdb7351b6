/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of gpuaas-serve to requests for the published file. */
#include "decide/offer/serve.h"

#include <stdlib.h>

#include "t.h"

#define SECOND INT64_C(1000000000)
#define MADE (INT64_C(1795000000) * SECOND)
#define TAG "\"18e91efd5bd38000-3b4-2a\""
#define DATE "Wed, 18 Nov 2026 11:06:40 GMT"
#define DATE_BEFORE "Wed, 18 Nov 2026 11:06:35 GMT" /* five seconds */

static const struct ga_http_file made = { .there = true, .size = 948, .inode = 42,
					   .modified_nanos = MADE };

static void answers(void)
{
	static const struct {
		const char *name, *method, *path, *tag, *since;
		bool gone;
		int64_t age; /* seconds */
		int status;
	} rows[] = {
		{ "the file", "GET", GA_SERVE_PATH, NULL, NULL, false, 5, 200 },
		{ "its headers", "HEAD", GA_SERVE_PATH, NULL, NULL, false, 5, 200 },
		{ "the root", "GET", "/", NULL, NULL, false, 5, 404 },
		{ "a path below", "GET", GA_SERVE_PATH "/", NULL, NULL, false, 5, 404 },
		{ "a way up", "GET", GA_SERVE_PATH "/../x", NULL, NULL, false, 5, 404 },
		{ "no path", "OPTIONS", "*", NULL, NULL, false, 5, 404 },
		{ "writing", "POST", GA_SERVE_PATH, NULL, NULL, false, 5, 405 },
		{ "a method in small letters", "get", GA_SERVE_PATH, NULL, NULL, false, 5, 405 },
		{ "no file", "GET", GA_SERVE_PATH, NULL, NULL, true, 5, 503 },
		{ "a file just young enough", "GET", GA_SERVE_PATH, NULL, NULL, false, 60, 200 },
		{ "a file too old", "GET", GA_SERVE_PATH, NULL, NULL, false, 61, 503 },
		{ "a file of a moment ahead", "GET", GA_SERVE_PATH, NULL, NULL, false, -5, 200 },
		{ "its date, which is that of now", "GET", GA_SERVE_PATH, NULL, DATE_BEFORE, false,
		  -5, 304 },
		{ "a file ahead of the clock", "GET", GA_SERVE_PATH, NULL, NULL, false, -6, 503 },
		{ "a file of tomorrow", "GET", GA_SERVE_PATH, TAG, NULL, false, -86400, 503 },
		{ "its tag", "GET", GA_SERVE_PATH, TAG, NULL, false, 5, 304 },
		{ "its weak tag", "GET", GA_SERVE_PATH, "W/" TAG, NULL, false, 5, 304 },
		{ "one of several", "GET", GA_SERVE_PATH, "\"a,b\" , " TAG ", \"c\"", NULL, false,
		  5, 304 },
		{ "any tag", "GET", GA_SERVE_PATH, "*", NULL, false, 5, 304 },
		{ "another tag", "GET", GA_SERVE_PATH, "\"x\"", NULL, false, 5, 200 },
		{ "a tag without its end", "GET", GA_SERVE_PATH, "\"x, " TAG, NULL, false, 5, 200 },
		{ "the beginning of the tag", "GET", GA_SERVE_PATH, "\"18e9\"", NULL, false, 5,
		  200 },
		{ "the tag and more", "GET", GA_SERVE_PATH, TAG "x", NULL, false, 5, 200 },
		{ "no tag at all", "GET", GA_SERVE_PATH, "", NULL, false, 5, 200 },
		{ "its date", "GET", GA_SERVE_PATH, NULL, DATE, false, 5, 304 },
		{ "another date", "GET", GA_SERVE_PATH, NULL, "Thu, 01 Jan 1970 00:00:00 GMT",
		  false, 5, 200 },
		{ "its date with another tag: the tag decides", "GET", GA_SERVE_PATH, "\"x\"", DATE,
		  false, 5, 200 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		const struct ga_http_request r = { .method = rows[i].method,
						    .target = rows[i].path,
						    .version = "HTTP/1.1",
						    .host = "x",
						    .if_none_match = rows[i].tag,
						    .if_modified_since = rows[i].since };
		const struct ga_http_file gone = { 0 }, *f = rows[i].gone ? &gone : &made;
		bool given = rows[i].status == 200 || rows[i].status == 304;
		struct ga_http_answer a;

		ga_http_answer(&r, f, MADE + rows[i].age * SECOND, 60, &a);
		t_int(a.status, rows[i].status, "%s: %s %s", rows[i].name, rows[i].method,
		      rows[i].path);
		t_str(a.etag, given ? TAG : "", "%s: the tag", rows[i].name);
		t_str(a.modified, !given ? "" : rows[i].age < 0 ? DATE_BEFORE : DATE,
		      "%s: the date", rows[i].name);
		t_ok(given ? !a.sentence : a.sentence && *a.sentence, "%s: a sentence",
		     rows[i].name);
		t_ok(a.allow == (a.status == 405), "%s: which methods there are", rows[i].name);
		t_ok((a.retry_seconds > 0) == (a.status == 503), "%s: when to come again",
		     rows[i].name);
		t_int(a.age_seconds, !given ? -1 : rows[i].age < 0 ? 0 : rows[i].age,
		      "%s: its age", rows[i].name);
	}
}

/* The request alone, before a look at the file. */
static void requests(void)
{
	static const struct {
		const char *name, *target, *version, *host;
		int status;
		bool torn;
		size_t bytes, fields;
	} rows[] = {
		{ "a host", GA_SERVE_PATH, "HTTP/1.1", "localhost:8742", .status = 200 },
		{ "a host and blanks", GA_SERVE_PATH, "HTTP/1.1", "x \t", .status = 200 },
		{ "a host by its address", GA_SERVE_PATH, "HTTP/1.1", "[::1]:8742", .status = 200 },
		{ "a host without a name", GA_SERVE_PATH, "HTTP/1.1", "", .status = 200 },
		{ "no host", GA_SERVE_PATH, "HTTP/1.1", NULL, .status = 400 },
		{ "no host in what is newer", GA_SERVE_PATH, "HTTP/1.2", NULL, .status = 400 },
		{ "no host in what is older", GA_SERVE_PATH, "HTTP/1.0", NULL, .status = 200 },
		{ "two hosts, joined", GA_SERVE_PATH, "HTTP/1.1", "x, x", .status = 400 },
		{ "two hosts in what is older", GA_SERVE_PATH, "HTTP/1.0", "x, x",
		  .status = 400 },
		{ "two hosts without a name", GA_SERVE_PATH, "HTTP/1.1", ", ", .status = 400 },
		{ "a path as a host", GA_SERVE_PATH, "HTTP/1.1", "x/y", .status = 400 },
		{ "no host, another path", "/", "HTTP/1.1", NULL, .status = 400 },
		{ "a torn line", GA_SERVE_PATH, "HTTP/1.1", "x", .status = 400, .torn = true },
		{ "as a proxy asks", "http://x" GA_SERVE_PATH, "HTTP/1.1", "x", .status = 200 },
		{ "as a proxy asks, with a port", "HTTP://[::1]:8742" GA_SERVE_PATH, "HTTP/1.1",
		  "y", .status = 200 },
		{ "a proxy asks without a host", "http://x" GA_SERVE_PATH, "HTTP/1.1", NULL,
		  .status = 400 },
		{ "a proxy asks for nobody", "http://" GA_SERVE_PATH, "HTTP/1.1", "x",
		  .status = 404 },
		{ "a proxy asks for the root", "http://x", "HTTP/1.1", "x", .status = 404 },
		{ "a proxy asks for what is below", "http://x/y" GA_SERVE_PATH, "HTTP/1.1", "x",
		  .status = 404 },
		{ "a scheme it has not", "ftp://x" GA_SERVE_PATH, "HTTP/1.1", "x", .status = 404 },
		{ "as much as it may be", GA_SERVE_PATH, "HTTP/1.1", "x", .status = 200,
		  .bytes = GA_SERVE_REQUEST_BYTES, .fields = GA_SERVE_FIELDS },
		{ "a byte too many", GA_SERVE_PATH, "HTTP/1.1", "x", .status = 431,
		  .bytes = GA_SERVE_REQUEST_BYTES + 1 },
		{ "a field too many", GA_SERVE_PATH, "HTTP/1.1", "x", .status = 431,
		  .fields = GA_SERVE_FIELDS + 1 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		const struct ga_http_request r = { .method = "GET", .target = rows[i].target,
						    .version = rows[i].version,
						    .host = rows[i].host, .torn = rows[i].torn,
						    .bytes = rows[i].bytes,
						    .fields = rows[i].fields };
		struct ga_http_answer a;

		ga_http_answer(&r, &made, MADE, 60, &a);
		t_int(a.status, rows[i].status, "%s: %s", rows[i].name, rows[i].target);
		t_ok((a.status == 200) != (a.sentence && *a.sentence), "%s: a sentence",
		     rows[i].name);
		t_ok(!a.allow && !a.retry_seconds, "%s: no other header", rows[i].name);
	}
}

static void dates(void)
{
	static const struct {
		int64_t seconds;
		const char *text;
	} rows[] = {
		{ 0, "Thu, 01 Jan 1970 00:00:00 GMT" },
		{ 784111777, "Sun, 06 Nov 1994 08:49:37 GMT" }, /* RFC 9110, 5.6.7 */
		{ 951782400, "Tue, 29 Feb 2000 00:00:00 GMT" },
		{ INT64_C(253402300799), "Fri, 31 Dec 9999 23:59:59 GMT" },
		{ INT64_C(253402300800), "Fri, 31 Dec 9999 23:59:59 GMT" },
		{ -1, "Thu, 01 Jan 1970 00:00:00 GMT" },
	};
	char text[GA_SERVE_TEXT_SIZE];
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_http_date(rows[i].seconds, text);
		t_str(text, rows[i].text, "%lld seconds", (long long)rows[i].seconds);
	}
}

static void addresses(void)
{
	static const struct {
		const char *text, *host, *port; /* host NULL: refused */
	} rows[] = {
		{ "127.0.0.1:8080", "127.0.0.1", "8080" },
		{ "[::1]:8080", "::1", "8080" },
		{ ":8080", "127.0.0.1", "8080" },
		{ "host.example:0", "host.example", "0" },
		{ "h:65535", "h", "65535" },
		{ "h:65536", NULL, NULL },
		{ "h:", NULL, NULL },
		{ "8080", NULL, NULL },
		{ "", NULL, NULL },
		{ "::1:8080", NULL, NULL },
		{ "[]:80", NULL, NULL },
		{ "h:80x", NULL, NULL },
		{ "h:-1", NULL, NULL },
		{ "h: 80", NULL, NULL },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *host = NULL, *port = NULL;
		struct ga_err err = GA_ERR_INIT;
		int r = ga_http_split(rows[i].text, &host, &port, &err);

		t_int(r, rows[i].host ? 0 : -1, "'%s'", rows[i].text);
		t_str(host, rows[i].host, "'%s': the address", rows[i].text);
		t_str(port, rows[i].port, "'%s': the port", rows[i].text);
		t_ok(r == 0 || (err.code == GA_USAGE && *err.hint), "'%s': a refusal says more",
		     rows[i].text);
	}
}

int main(void)
{
	answers();
	requests();
	dates();
	addresses();
	return t_done();
}
