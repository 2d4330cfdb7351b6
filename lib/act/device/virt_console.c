/* SPDX-License-Identifier: Apache-2.0 */
/* A domain's console stream as a descriptor. */
#include "act/device/virt_console.h"

#include <errno.h>
#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHUNK 16384

struct buffer {
	char data[CHUNK];
	size_t n;
};

struct ga_virt_console {
	int ours, theirs; /* the caller's end of the pair, and the thread's */
	virConnectPtr conn;
	virDomainPtr dom;
	virStreamPtr stream;
	int watch; /* of theirs */
	struct buffer to_guest, from_guest;
	pthread_t thread;
	bool running; /* the thread runs */
	bool over;    /* the thread's own: its loop ends */
};

static void quiet(void *arg, virErrorPtr error)
{
	(void)arg;
	(void)error;
}

static int refused(const char *what, const char *domain, struct ga_err *err)
{
	return ga_fail_for(err, GA_EXTERNAL, "libvirt", "libvirt cannot %s '%s': %s", what, domain,
			   virGetLastErrorMessage());
}

static void drop(struct buffer *b, size_t n)
{
	b->n -= n;
	memmove(b->data, b->data + n, b->n);
}

/* Chooses the events to wait for: reading where the buffer has room, writing where data waits. */
static void set_events(struct ga_virt_console *c)
{
	int stream = 0, fd = 0;

	if (c->from_guest.n < CHUNK)
		stream |= VIR_STREAM_EVENT_READABLE;
	if (c->to_guest.n)
		stream |= VIR_STREAM_EVENT_WRITABLE;
	if (c->to_guest.n < CHUNK)
		fd |= VIR_EVENT_HANDLE_READABLE;
	if (c->from_guest.n)
		fd |= VIR_EVENT_HANDLE_WRITABLE;
	virStreamEventUpdateCallback(c->stream, stream);
	virEventUpdateHandle(c->watch, fd);
}

static void on_stream(virStreamPtr stream, int events, void *arg)
{
	struct ga_virt_console *c = arg;
	struct buffer *from = &c->from_guest, *to = &c->to_guest;
	int n;

	(void)stream;
	if (c->over)
		return;
	if ((events & VIR_STREAM_EVENT_READABLE) && from->n < CHUNK) {
		n = virStreamRecv(c->stream, from->data + from->n, CHUNK - from->n);
		if (n > 0)
			from->n += (size_t)n;
		else if (n != -2) /* 0 is the end, -1 an error: both end the loop; -2: no data */
			c->over = true;
	}
	if (!c->over && (events & VIR_STREAM_EVENT_WRITABLE) && to->n) {
		n = virStreamSend(c->stream, to->data, to->n);
		if (n >= 0)
			drop(to, (size_t)n);
		else if (n != -2)
			c->over = true;
	}
	if (events & (VIR_STREAM_EVENT_ERROR | VIR_STREAM_EVENT_HANGUP))
		c->over = true;
	if (!c->over)
		set_events(c);
}

static void on_fd(int watch, int fd, int events, void *arg)
{
	struct ga_virt_console *c = arg;
	struct buffer *from = &c->from_guest, *to = &c->to_guest;
	ssize_t n;

	(void)watch;
	(void)fd;
	if (c->over)
		return;
	if ((events & VIR_EVENT_HANDLE_WRITABLE) && from->n) {
		n = send(c->theirs, from->data, from->n, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0)
			drop(from, (size_t)n);
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			c->over = true;
	}
	if ((events & (VIR_EVENT_HANDLE_READABLE | VIR_EVENT_HANDLE_HANGUP)) && to->n < CHUNK) {
		n = recv(c->theirs, to->data + to->n, CHUNK - to->n, MSG_DONTWAIT);
		if (n > 0)
			to->n += (size_t)n;
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			c->over = true; /* the caller has closed its end */
	}
	if (events & VIR_EVENT_HANDLE_ERROR)
		c->over = true;
	if (!c->over)
		set_events(c);
}

static void *carry(void *arg)
{
	struct ga_virt_console *c = arg;

	while (!c->over)
		if (virEventRunDefaultImpl() < 0)
			break;
	/* Pass the guest's last output on; then the caller sees the end. */
	while (c->from_guest.n) {
		ssize_t n = send(c->theirs, c->from_guest.data, c->from_guest.n, MSG_NOSIGNAL);

		if (n <= 0 && errno != EINTR)
			break;
		if (n > 0)
			drop(&c->from_guest, (size_t)n);
	}
	shutdown(c->theirs, SHUT_RDWR);
	return NULL;
}

static int attach(struct ga_virt_console *c, const char *domain, struct ga_err *err)
{
	c->dom = virDomainLookupByName(c->conn, domain);
	if (!c->dom)
		return refused("look up", domain, err);
	c->stream = virStreamNew(c->conn, VIR_STREAM_NONBLOCK);
	if (!c->stream)
		return refused("make a stream for", domain, err);
	if (virDomainOpenConsole(c->dom, NULL, c->stream, 0) < 0)
		return refused("open the console of", domain, err);
	if (virStreamEventAddCallback(c->stream, VIR_STREAM_EVENT_READABLE, on_stream, c, NULL) <
	    0)
		return refused("listen to the console of", domain, err);
	c->watch = virEventAddHandle(c->theirs, VIR_EVENT_HANDLE_READABLE, on_fd, c, NULL);
	return c->watch < 0 ? refused("listen to the console of", domain, err) : 0;
}

static int begin(struct ga_virt_console *c, const char *uri, const char *domain,
		 struct ga_err *err)
{
	int pair[2], why;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return ga_fail_sys(err, "cannot make a socket pair");
	c->ours = pair[0];
	c->theirs = pair[1];
	virSetErrorFunc(NULL, quiet);
	if (virEventRegisterDefaultImpl() < 0)
		return refused("begin its event loop for", domain, err);
	c->conn = virConnectOpen(uri);
	if (!c->conn)
		return refused("be reached for", domain, err);
	if (attach(c, domain, err) < 0)
		return -1;
	why = pthread_create(&c->thread, NULL, carry, c);
	if (why) {
		errno = why;
		return ga_fail_sys(err, "cannot start a thread");
	}
	c->running = true;
	return 0;
}

int ga_virt_console_open(const char *uri, const char *domain, struct ga_virt_console **ret,
			 struct ga_err *err)
{
	struct ga_virt_console *c = ga_xcalloc(1, sizeof(*c));

	*c = (struct ga_virt_console){ .ours = -1, .theirs = -1, .watch = -1 };
	if (begin(c, uri, domain, err) < 0) {
		ga_virt_console_close(c);
		return -1;
	}
	*ret = c;
	return 0;
}

int ga_virt_console_fd(const struct ga_virt_console *c)
{
	return c->ours;
}

void ga_virt_console_close(struct ga_virt_console *c)
{
	if (!c)
		return;
	if (c->ours >= 0)
		close(c->ours); /* the thread notices it and ends */
	if (c->running)
		pthread_join(c->thread, NULL);
	if (c->watch >= 0)
		virEventRemoveHandle(c->watch);
	if (c->stream) {
		virStreamEventRemoveCallback(c->stream);
		virStreamAbort(c->stream);
		virStreamFree(c->stream);
	}
	if (c->dom)
		virDomainFree(c->dom);
	if (c->conn)
		virConnectClose(c->conn);
	if (c->theirs >= 0)
		close(c->theirs);
	free(c);
}

void ga_cleanup_virt_console(struct ga_virt_console **c)
{
	ga_virt_console_close(*c);
}
