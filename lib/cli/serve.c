/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP server: libmicrohttpd reads requests and writes answers in its own thread; the main
 * thread waits for signals and for deadlines. Every connection ends with its answer or at its
 * deadline, so that no client can keep one open.
 */
#include "cli/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "cli/frame/cli.h"
#include "decide/offer/serve.h"

#define FIRST_FD 3 /* of socket activation, sd_listen_fds(3) */
#define CLIENTS_MAX 500 /* two descriptors each: the default limit of a process is enough */
#define CLIENT_BYTES (64 << 10) /* request, cookies twice, 64 bytes a field, answer's header */
#define FILE_MAX_BYTES (16 << 20)
#define FINISH_SECONDS 5 /* time for open answers when the server ends */
#define LOOK_MICROS GA_SECOND /* longest time between two checks for idleness and deadlines */

static const struct ga_http_opts *opts;
static _Atomic int64_t asked_micros; /* monotonic: time of the last request */

/* ---- the file ---- */

/* Nanoseconds since 1970 UTC, limited to the range of 64 bits. */
static int64_t nanos(const struct timespec *ts)
{
	const int64_t most = INT64_MAX / 1000000000 - 1;
	int64_t seconds = ts->tv_sec < 0 ? 0 : ts->tv_sec > most ? most : ts->tv_sec;

	return seconds * 1000000000 + ts->tv_nsec;
}

/* The clock that also gives the times of files and answers. */
static int64_t now_nanos(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME_COARSE, &ts);
	return nanos(&ts);
}

static char *unfit(const struct stat *st)
{
	if (!S_ISREG(st->st_mode) || !st->st_size)
		return ga_xprintf("'%s' is %s", opts->file, S_ISREG(st->st_mode) ? "empty" :
				  "no regular file");
	return st->st_size <= FILE_MAX_BYTES ? NULL :
	       ga_xprintf("'%s' is too large to be served: %lld bytes, %d at most", opts->file,
			  (long long)st->st_size, FILE_MAX_BYTES);
}

/* Opens the current file. The descriptor keeps this version of the file, even when a new one is
 * published. */
static int look(struct ga_http_file *ret)
{
	int fd = open(opts->file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	char *why;
	static char *shown;

	*ret = (struct ga_http_file){ 0 };
	if (fd < 0 && errno == ENOENT)
		why = ga_xprintf("nothing is published: there is no '%s'; gpuaas-publish.timer "
				 "writes it", opts->file);
	else if (fd < 0 || fstat(fd, &st) < 0)
		why = ga_xprintf("cannot read '%s': %s", opts->file,
				 errno == ELOOP ? "it is a link" : strerror(errno));
	else
		why = unfit(&st);
	/* why is the reason why the file is not served; NULL: it is served. Shows a new reason
	 * once, not for each request, and only to the operator: clients must not see paths. Only
	 * the library's thread uses the static variable. */
	if (why && !ga_streq(why, shown))
		ga_say("%s: %s", ga_cli_program(), why);
	free(shown);
	shown = why;
	if (why) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	ret->there = true;
	ret->size = st.st_size;
	ret->inode = (int64_t)st.st_ino;
	ret->modified_nanos = nanos(&st.st_mtim);
	return fd;
}

/* ---- answers ---- */

static void add_header(struct MHD_Response *r, const char *name, const char *value)
{
	if (value[0])
		(void)MHD_add_response_header(r, name, value);
}

static void add_number(struct MHD_Response *r, const char *name, int64_t n)
{
	ga_autofree char *text = ga_xprintf("%lld", (long long)n);

	add_header(r, name, text);
}

/* ---- requests ---- */

/* The library calls this before it splits the query into arguments. We need no query, so this cuts
 * it off: each argument takes memory, and when memory runs out, libmicrohttpd 0.9.75 silently loses
 * the connection (it continues as if it had read the line). Returns the text after the target. */
static void *line_came(void *arg, const char *target, struct MHD_Connection *connection)
{
	char *query = strchr(target, '?'), *next = strchr(target, '\0') + 1;

	(void)arg, (void)connection;
	if (query)
		query[1] = '\0';
	return next;
}

/* The header fields of a request that we read. */
struct fields {
	char *host, *tags, *since;
};

static void fields_release(struct fields *f)
{
	free(f->host);
	free(f->tags);
	free(f->since);
}

static enum MHD_Result take_field(void *arg, enum MHD_ValueKind kind, const char *name,
				  const char *value)
{
	struct fields *f = arg;
	char **at = !strcasecmp(name, "Host")		   ? &f->host :
		    !strcasecmp(name, "If-None-Match")	   ? &f->tags :
		    !strcasecmp(name, "If-Modified-Since") ? &f->since :
							     NULL;

	(void)kind;
	if (at) {
		char *joined = ga_xprintf("%s%s%s", *at ? *at : "", *at ? ", " : "", value);

		free(*at);
		*at = joined;
	}
	return MHD_YES;
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *connection, const char *target,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **context)
{
	ga_cleanup(fields_release) struct fields fields = { 0 };
	ga_autofree char *text = NULL;
	struct ga_http_request request = {
		.method = method,
		.target = target,
		.version = version,
		/* method, target and version must follow each other in the line as received. */
		.torn = target != method + strlen(method) + 1 || version != *context,
	};
	struct ga_http_answer a;
	struct ga_http_file file;
	struct MHD_Response *r;
	enum MHD_Result queued;
	int fd;

	(void)arg, (void)upload, (void)upload_size;
	atomic_store(&asked_micros, ga_clock_mono_micros());
	(void)MHD_get_connection_values(connection, MHD_HEADER_KIND, take_field, &fields);
	request.bytes =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)
			->header_size;
	request.host = fields.host;
	request.if_none_match = fields.tags;
	request.if_modified_since = fields.since;
	request.fields = (size_t)MHD_get_connection_values(
		connection, MHD_HEADER_KIND | MHD_COOKIE_KIND, NULL, NULL);
	fd = look(&file);
	ga_http_answer(&request, &file, now_nanos(), opts->stale_seconds, &a);
	/* For a 304 the library sends only the length of the file; the response closes fd. */
	if (a.status == 200 || a.status == 304) {
		r = MHD_create_response_from_fd((size_t)file.size, fd);
	} else {
		if (fd >= 0)
			close(fd);
		text = ga_xprintf("{\"error\":\"%s\"}\n", a.sentence);
		r = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_COPY);
	}
	if (!r)
		return MHD_NO;
	if (a.status != 304)
		add_header(r, "Content-Type", "application/json");
	add_header(r, "Cache-Control", a.status < 400 ? "no-cache" : "no-store");
	add_header(r, "X-Content-Type-Options", "nosniff");
	add_header(r, "ETag", a.etag);
	add_header(r, "Last-Modified", a.modified);
	if (a.age_seconds >= 0)
		add_number(r, "Age", a.age_seconds);
	if (a.retry_seconds)
		add_number(r, "Retry-After", a.retry_seconds);
	if (a.allow)
		add_header(r, "Allow", "GET, HEAD");
	add_header(r, "Connection", "close");
	queued = MHD_queue_response(connection, (unsigned int)a.status, r);
	MHD_destroy_response(r);
	return queued;
}

/* Compares paths as received: nothing in them is decoded. */
static size_t leave_encoded(void *arg, struct MHD_Connection *connection, char *text)
{
	(void)arg, (void)connection;
	return strlen(text);
}

/* ---- deadlines ---- */

/* An open connection. */
struct client {
	struct client *before, *after;
	int fd;
	int64_t until_micros; /* monotonic */
};

/* All connections in the order of arrival, which is the order of their deadlines. The library's own
 * timeout counts from the last byte: a client that sends a byte now and then would never reach
 * it. */
static struct {
	pthread_mutex_t lock;
	struct client *first, *last;
} held = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The library calls this after it accepts a connection, and before it closes the descriptor. */
static void noted(void *arg, struct MHD_Connection *connection, void **context,
		  enum MHD_ConnectionNotificationCode code)
{
	struct client *c = *context;

	(void)arg;
	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		*context = NULL;
		pthread_mutex_lock(&held.lock);
		*(c->before ? &c->before->after : &held.first) = c->after;
		*(c->after ? &c->after->before : &held.last) = c->before;
		pthread_mutex_unlock(&held.lock);
		free(c);
		return;
	}
	c = ga_xcalloc(1, sizeof(*c));
	c->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	c->until_micros = ga_clock_mono_micros() + opts->deadline_seconds * GA_SECOND;
	*context = c;
	pthread_mutex_lock(&held.lock);
	c->before = held.last;
	*(held.last ? &held.last->after : &held.first) = c;
	held.last = c;
	pthread_mutex_unlock(&held.lock);
}

/* Ends connections past their deadline; the library sees the end and closes them. Returns the time
 * until the next deadline, at most LOOK_MICROS. */
static int64_t end_overdue(void)
{
	int64_t now = ga_clock_mono_micros(), wait = LOOK_MICROS;
	const struct client *c;

	pthread_mutex_lock(&held.lock);
	for (c = held.first; c && c->until_micros <= now; c = c->after)
		(void)shutdown(c->fd, SHUT_RDWR); /* fails only if the client closed first */
	if (c && c->until_micros - now < wait)
		wait = c->until_micros - now;
	pthread_mutex_unlock(&held.lock);
	return wait;
}

/* ---- the socket ---- */

/* The descriptor of the single listening socket that systemd passed. */
static int passed_socket(struct ga_err *err)
{
	const char *pid = secure_getenv("LISTEN_PID"), *fds = secure_getenv("LISTEN_FDS");
	int listens = 0, type = 0, fd = FIRST_FD;
	socklen_t len = sizeof(listens);

	if (!pid || !fds || strtoll(pid, NULL, 10) != getpid())
		return ga_refuse(err, GA_USAGE, NULL, NULL, ("there is no socket to serve on"),
				 ("systemctl start gpuaas-serve.socket, or give --listen "
				  "127.0.0.1:8742"));
	if (strcmp(fds, "1") != 0)
		return ga_fail(err, GA_USAGE, "%.16s sockets were passed, and one is served", fds);
	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) < 0 || !listens ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0 || type != SOCK_STREAM)
		return ga_fail(err, GA_USAGE, "descriptor %d is no stream socket that listens", fd);
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return ga_fail_sys(err, "cannot set up the socket that was passed");
	return fd;
}

/* Binds to the first address that works. */
static int bind_one(const struct addrinfo *list, const char *where, struct ga_err *err)
{
	const int yes = 1;
	ga_autofd int fd = -1;

	fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
	    bind(fd, list->ai_addr, list->ai_addrlen) < 0 || listen(fd, CLIENTS_MAX) < 0)
		return ga_fail_sys(err, "cannot listen on '%s'", where);
	return GA_TAKE_FD(fd);
}

static int own_socket(const char *where, struct ga_err *err)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
					.ai_socktype = SOCK_STREAM };
	ga_autofree char *host = NULL, *port = NULL;
	struct addrinfo *list = NULL;
	int r;

	if (ga_http_split(where, &host, &port, err) < 0)
		return -1;
	r = getaddrinfo(host, port, &hints, &list);
	if (r)
		return ga_fail(err, GA_USAGE, "'%.64s' is no address: %s", where, gai_strerror(r));
	r = bind_one(list, where, err);
	freeaddrinfo(list);
	return r;
}

/* The address it listens on, with the port that the system chose for port 0. */
static void say_where(int fd)
{
	char host[NI_MAXHOST], port[NI_MAXSERV];
	struct sockaddr_storage at;
	socklen_t len = sizeof(at);

	if (getsockname(fd, (struct sockaddr *)&at, &len) == 0 &&
	    !getnameinfo((struct sockaddr *)&at, len, host, sizeof(host), port, sizeof(port),
			 NI_NUMERICHOST | NI_NUMERICSERV))
		ga_say("serving http://%s%s%s:%s" GA_SERVE_PATH, strchr(host, ':') ? "[" : "", host,
		       strchr(host, ':') ? "]" : "", port);
}

/* ---- start and stop ---- */

static int64_t clients(struct MHD_Daemon *d)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(d, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);

	return info ? (int64_t)info->num_connections : 0;
}

static bool is_idle(struct MHD_Daemon *d)
{
	return opts->idle_seconds && !clients(d) &&
	       ga_clock_mono_micros() - atomic_load(&asked_micros) > opts->idle_seconds * GA_SECOND;
}

int ga_cli_serve(const struct ga_http_opts *o, struct ga_err *err)
{
	int fd, listening;
	struct MHD_Daemon *d;
	sigset_t ours, before;
	int64_t until;

	if (o->deadline_seconds < 1)
		return ga_fail(err, GA_USAGE, "--deadline is too short: a client needs 1s or more");
	opts = o;
	fd = o->listen ? own_socket(o->listen, err) : passed_socket(err);
	if (fd < 0)
		return -1;
	atomic_store(&asked_micros, ga_clock_mono_micros());
	ga_stop_install();
	if (o->listen)
		say_where(fd);
	/* Only this thread gets signals, and only while it waits. */
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ours, &before);
	d = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, 0, NULL, NULL, answer,
			     NULL, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
			     (unsigned int)CLIENTS_MAX, MHD_OPTION_NOTIFY_CONNECTION, noted, NULL,
			     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CLIENT_BYTES,
			     MHD_OPTION_URI_LOG_CALLBACK, line_came, NULL,
			     MHD_OPTION_UNESCAPE_CALLBACK, leave_encoded, NULL, MHD_OPTION_END);
	if (!d) {
		close(fd);
		return ga_fail(err, GA_SYSTEM, "the HTTP server cannot be started on its socket");
	}
	/* Runs until a signal comes, or until it is idle. */
	while (!ga_stop_asked() && !is_idle(d)) {
		const struct timespec ts = ga_clock_timespec(end_overdue());

		(void)ppoll(NULL, 0, &ts, &before);
	}
	/* Accepts no new connection, and finishes the answers of open ones. A new client waits in
	 * the queue of systemd's socket for the next process. */
	until = ga_clock_mono_micros() + FINISH_SECONDS * GA_SECOND;
	listening = MHD_quiesce_daemon(d);
	while (clients(d) && ga_clock_mono_micros() < until)
		(void)poll(NULL, 0, 10);
	MHD_stop_daemon(d);
	if (listening >= 0)
		close(listening);
	return 0;
}
