/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-serve: serves the published view of profiles over HTTP, read-only, by socket activation.
 *
 * It never opens the state: it serves the file that gpuaas-publish.timer writes, unchanged.
 */
#include "cli/frame/cli.h"
#include "cli/serve.h"
#include "decide/offer/published.h"

static struct ga_http_opts serve = {
	.file = GA_PUBLISHED_PATH,
	.stale_seconds = 60,
	.idle_seconds = 120,
	.deadline_seconds = 10,
};

static const struct ga_opt opts[] = {
	{ .name = "file", .type = GA_O_PATH, .var = &serve.file, .arg = "FILE",
	  .help = "file to serve (default " GA_PUBLISHED_PATH ")" },
	{ .name = "listen", .type = GA_O_TEXT, .var = &serve.listen, .arg = "ADDRESS:PORT",
	  .help = "listen here, not on the socket that systemd passes; :PORT is loopback" },
	{ .name = "stale", .type = GA_O_DURATION, .var = &serve.stale_seconds, .arg = "TIME",
	  .help = "an older file is not served (default 60s)" },
	{ .name = "idle", .type = GA_O_DURATION, .var = &serve.idle_seconds, .arg = "TIME",
	  .help = "end after this time without a request; 0: never (default 2m)" },
	{ .name = "deadline", .type = GA_O_DURATION, .var = &serve.deadline_seconds, .arg = "TIME",
	  .help = "a connection ends after this time, answered or not (default 10s)" },
	GA_OPTS_END,
};

static const struct ga_prog prog = {
	.name = "gpuaas-serve",
	.abstract = "serve the published view of profiles over HTTP",
	.opts = opts,
	.examples = (const char *const[]){ "gpuaas-serve --listen 127.0.0.1:8743 --idle 0", NULL },
};

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ga_cli_serve(&serve, &err);
	return ga_cli_finish(&prog, r, &err);
}
