/* SPDX-License-Identifier: Apache-2.0 */
/* vfio-pci: bind, read back, reset. */
#include "act/device/vfio.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act/device/gpuuse.h"
#include "base/clock.h"
#include "base/texts.h"
#include "look/pci.h"
#include "look/sys.h"
#include "record/fault.h"
#include "record/pciaddr.h"

/* Closes every descriptor of the child. The kernel may keep a child longer than its parent lives:
 * an open pipe, lock or disk of the child would make others wait for the device. */
static void let_all_go(void)
{
	(void)close_range(0, ~0U, 0);
}

/* O_TRUNC does nothing to sysfs; in a recorded host it leaves in the file what was written. */
__attribute__((noreturn)) static void write_in_child(const char *path, const char *text)
{
	int fd;

	let_all_go();
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		_exit(errno & 0x7f);
	if (write(fd, text, strlen(text)) < 0)
		_exit(errno & 0x7f);
	_exit(0);
}

int ga_sysfs_write(const char *path, const char *text, int64_t timeout_micros,
		   struct ga_err *err)
{
	int64_t timeout = timeout_micros ? timeout_micros : 15 * GA_SECOND;
	int64_t deadline = ga_clock_mono_micros() + timeout;
	int64_t nap = 100;
	int status;
	pid_t pid = fork(), got;

	if (pid < 0)
		return ga_fail_sys(err, "cannot start a child to write '%s'", path);
	if (!pid)
		write_in_child(path, text);
	while ((got = waitpid(pid, &status, WNOHANG)) == 0) {
		if (!ga_clock_wait(deadline, nap)) {
			kill(pid, SIGKILL); /* it ends when the kernel returns */
			return ga_refuse(err, GA_BUSY, "device_busy", NULL,
					 (GA_SAID_NO_RETURN "'%s'", path),
					 ("something uses the device: see 'fuser -v /dev/vfio/*'"));
		}
		nap = nap < 20000 ? nap * 2 : 20000;
	}
	if (got < 0)
		return ga_fail_sys(err, "it is unknown whether '%s' was written", path);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	return ga_fail_sys(err, "cannot write '%s'", path);
}

void ga_vfio_before_release(struct ga_vfio_before *b)
{
	free(b->driver);
	free(b->override);
	*b = (struct ga_vfio_before){ 0 };
}

static char *attr_path(const char *address, const char *name)
{
	return ga_xprintf(GA_PCI_SYSFS "/%s/%s", address, name);
}

int ga_vfio_look(const char *address, struct ga_vfio_before *ret, struct ga_err *err)
{
	ga_autofree char *vendor = ga_pci_attr(address, "vendor");

	*ret = (struct ga_vfio_before){ 0 };
	if (!vendor)
		return ga_refuse(err, GA_NOTFOUND, GA_FAULT_MISSING_GPU, address,
				 (GA_SAID_NO_FUNCTION "'%s'", address),
				 ("look for it with 'lspci -s %s'; after a change of hardware "
				  "discover and approve again", address));
	ret->driver = ga_pci_driver(address);
	ret->override = ga_pci_attr(address, "driver_override");
	/* The kernel prints "(null)" for none. */
	if (ga_streq(ret->override, "(null)") || ga_streq(ret->override, ""))
		free(GA_TAKE(ret->override));
	return 0;
}

int ga_vfio_bind(const char *address, const char *driver, const char *override,
		 struct ga_err *err)
{
	ga_autofree char *now = ga_pci_driver(address), *after = NULL;
	ga_autofree char *over = attr_path(address, "driver_override");
	ga_autofree char *unbind = attr_path(address, "driver/unbind");
	ga_autofree char *want = ga_xprintf("%s\n", override ? override : "");

	if (ga_sysfs_write(over, want, 0, err) < 0)
		return -1;
	if (ga_streq(now, driver))
		return 0;
	if (now && ga_sysfs_write(unbind, address, 0, err) < 0)
		return ga_wrap(err, "cannot take '%s' from driver '%s'", address, now);
	if (driver && ga_sysfs_write("/sys/bus/pci/drivers_probe", address, 0, err) < 0)
		return ga_wrap(err, "cannot bind '%s' to '%s'", address, driver);
	after = ga_pci_driver(address);
	if (!ga_streq(after, driver))
		return ga_refuse(err, GA_HOST, "bind_failed", address,
				 ("'%s' is bound to '%s' instead of '%s'", address,
				  after ? after : "no driver", driver ? driver : "no driver"),
				 ("is the module loaded ('modprobe vfio-pci')? see 'dmesg | "
				  "tail'"));
	return 0;
}

static int wait_answer(const char *address, int64_t timeout_micros, const char *when,
		       struct ga_err *err)
{
	int64_t deadline = ga_clock_mono_micros() + timeout_micros;

	while (ga_pci_answers(address) != 1)
		if (!ga_clock_wait(deadline, 50000))
			return ga_refuse(err, GA_HOST, GA_FAULT_LOST, address,
					 ("'%s'" GA_SAID_NO_ANSWER "%s", address, when),
					 ("the device fell off the bus; a cold start of the host "
					  "usually brings it back"));
	return 0;
}

int ga_vfio_wait_config(const char *address, int64_t timeout_micros, struct ga_err *err)
{
	return wait_answer(address, timeout_micros, "in configuration space", err);
}

/* ---- reset ---- */

#define RESET_MICROS (60 * GA_SECOND) /* resets of GPUs take so long */
/* Linux itself waits 66 s for a function to come back (pci_dev_wait), for each method it tries. */
#define RETURN_MICROS (240 * GA_SECOND)

/* Statuses of the child beside errno, which is below 128. */
enum { METHOD_REFUSED = 200, METHOD_STAYS };

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	int r = fd < 0 || write(fd, text, strlen(text)) < 0 ? errno & 0x7f : 0;

	if (fd >= 0)
		close(fd);
	return r;
}

static bool says(const char *path, const char *word)
{
	char text[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return ga_streq(text, word);
}

struct reset_job {
	const char *reset, *methods; /* paths */
	const char *method;	     /* to choose, or NULL */
	const char *before;	     /* the content of methods */
};

/* One child does everything, and only SIGKILL ends it: so the list of methods is restored even when
 * the parent ends. */
__attribute__((noreturn)) static void reset_in_child(const struct reset_job *j)
{
	sigset_t all;
	int r;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	let_all_go();
	if (j->method && put(j->methods, j->method))
		_exit(METHOD_REFUSED);
	if (j->method && !says(j->methods, j->method))
		_exit(put(j->methods, j->before) ? METHOD_STAYS : METHOD_REFUSED);
	r = put(j->reset, "1");
	if (j->method && put(j->methods, j->before) && !r)
		r = METHOD_STAYS;
	_exit(r);
}

/* Notes why there is no bus reset. */
static void GA_PRINTF(2, 3) no_bus(struct ga_vfio_reset *ret, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ret->why_not_bus, sizeof(ret->why_not_bus), fmt, ap);
	va_end(ap);
}

/* Whether a bus reset may affect other, which is below the same bridge. Its address is written
 * without quotes, because readers of faults (record/fault.h) take a quoted address for the device
 * that failed. */
static bool may_reach(const char *address, const char *other, const char *bridge,
		      struct ga_vfio_reset *ret)
{
	ga_autofree char *driver = ga_pci_driver(other);
	struct ga_openers who;

	if (!ga_pci_is_part(address, other)) {
		no_bus(ret, "%s is also below %s", other, bridge);
		return false;
	}
	if (driver && !ga_streq(driver, "vfio-pci")) {
		no_bus(ret, "driver '%s' uses %s", driver, other);
		return false;
	}
	ga_gpu_use_find(other, &who);
	if (who.pid || !who.complete)
		no_bus(ret, "%s may be in use", other);
	return !who.pid && who.complete;
}

/* Whether a bus reset would affect only this device. */
static bool is_alone(const char *address, struct ga_vfio_reset *ret)
{
	ga_autotexts struct ga_texts beside = { 0 };
	ga_autofree char *bridge = ga_pci_beside(address, &beside);
	ga_autofree char *physfn = ga_pci_attr(address, "physfn/vendor");
	size_t i;

	if (!bridge) {
		no_bus(ret, physfn ? "it is a virtual function" : "there is no bridge above it");
		return false;
	}
	for (i = 0; i < beside.n; i++)
		if (!may_reach(address, beside.v[i], bridge, ret))
			return false;
	return true;
}

/* The first method that resets only the function, or NULL. */
static const char *own_method(const struct ga_texts *methods)
{
	size_t i;

	for (i = 0; i < methods->n; i++)
		if (!ga_pci_is_bus_reset(methods->v[i]))
			return methods->v[i];
	return NULL;
}

/* Runs the child; its status, or -1. */
static int run_reset(const struct reset_job *j, struct ga_err *err)
{
	int64_t deadline = ga_clock_mono_micros() + RETURN_MICROS;
	int64_t nap = 100;
	int status;
	pid_t pid = fork(), got;

	if (pid < 0)
		return ga_fail_sys(err, "cannot start a child to write '%s'", j->reset);
	if (!pid)
		reset_in_child(j);
	while ((got = waitpid(pid, &status, WNOHANG)) == 0) {
		/* Leave the child behind: it restores the methods when the kernel returns. */
		if (!ga_clock_wait(deadline, nap))
			return ga_refuse(err, GA_BUSY, "device_busy", NULL,
					 (GA_SAID_NO_RETURN "'%s'", j->reset),
					 ("something uses the device: see 'dmesg | tail'"));
		nap = nap < 20000 ? nap * 2 : 20000;
	}
	if (got < 0)
		return ga_fail_sys(err, "it is unknown whether '%s' was written", j->reset);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* Somebody killed the child: restore the list of methods here. */
	return j->method && put(j->methods, j->before) ? METHOD_STAYS : EINTR;
}

/* 0: reset; ENOTTY, METHOD_REFUSED: not possible by this method; -1: it failed. */
static int try_reset(const char *address, const char *text, const char *method,
		     struct ga_err *err)
{
	ga_autofree char *reset = attr_path(address, "reset");
	ga_autofree char *methods = attr_path(address, "reset_method");
	const struct reset_job job = { reset, methods, method, text };
	int r = run_reset(&job, err);

	/* Linux also returns ENOTTY when the function did not come back within 66 s. Without this
	 * check another method would be tried on a device that is gone, and "no method"
	 * reported. */
	if (r == ENOTTY && wait_answer(address, 0, "after its reset", err) < 0)
		return -1;
	if (r <= 0 || r == METHOD_REFUSED || r == ENOTTY)
		return r;
	if (r == METHOD_STAYS)
		return ga_fail_for(err, GA_HOST, GA_FAULT_RESET_FAILED,
				   "'%s' cannot be put back to '%s' after a reset", methods, text);
	errno = r;
	ga_err_set_sys(err, GA_SAID_CANNOT_RESET "'%s'%s%s", address, method ? " by " : "",
		       method ? method : "");
	/* GA_DENIED: it was not tried. */
	return ga_err_about(err, err->code == GA_SYSTEM ? GA_FAULT_RESET_FAILED : NULL, address);
}

/* Tries one method after another by name: the bus where it resets only this device, then the
 * function's own, then the kernel's choice unless that could affect other devices. 1 reset, 0 no
 * method did it. text: the list of methods, to be restored. */
static int reset_by(const char *address, const struct ga_texts *methods, const char *text,
		    struct ga_vfio_reset *ret, struct ga_err *err)
{
	bool offered = ga_texts_has(methods, "bus"), bus = offered && is_alone(address, ret);
	bool reaches = (offered || ga_texts_has(methods, "cxl_bus")) && !bus;
	const char *tries[] = { bus ? "bus" : NULL, own_method(methods), NULL };
	int r = ENOTTY;
	size_t i;

	if (!offered)
		no_bus(ret, "the kernel offers none");
	for (i = 0; i < GA_ARRAY_SIZE(tries) && r > 0; i++) {
		bool last = i + 1 == GA_ARRAY_SIZE(tries);
		const char *method = last ? methods->v[0] : tries[i];

		if (!method || (last && reaches))
			continue;
		r = try_reset(address, text, last ? NULL : method, err);
		if (r > 0 && ga_pci_is_bus_reset(method))
			no_bus(ret, "the kernel did not accept it");
		/* The kernel does not show which of several methods it took. */
		if (r == 0 && (!last || methods->n == 1))
			snprintf(ret->method, sizeof(ret->method), "%s", method);
	}
	if (r == 0 && ga_pci_is_bus_reset(ret->method))
		ret->why_not_bus[0] = '\0';
	return r < 0 ? -1 : r == 0;
}

char *ga_vfio_reset_words(const char *address)
{
	ga_autofree char *reset = attr_path(address, "reset");
	ga_autotexts struct ga_texts methods = { 0 };
	struct ga_vfio_reset how = { 0 };
	const char *method;

	ga_pci_reset_methods(address, &methods);
	method = ga_texts_has(&methods, "bus") && is_alone(address, &how) ? "bus" :
									     own_method(&methods);
	return method ? ga_xprintf("write %s to %s_method, 1 to %s, and the methods back", method,
				   reset, reset) :
			ga_xprintf("write 1 to %s", reset);
}

int ga_vfio_reset(const char *address, struct ga_vfio_reset *ret, struct ga_err *err)
{
	ga_autofree char *text = ga_pci_attr(address, "reset_method");
	ga_autotexts struct ga_texts methods = { 0 };
	int64_t began = ga_clock_mono_micros();
	int r;

	*ret = (struct ga_vfio_reset){ 0 };
	ga_pci_reset_methods(address, &methods);
	if (!methods.n && !ga_pci_can_reset(address))
		return 0;
	if (methods.n) {
		r = reset_by(address, &methods, text, ret, err);
	} else {
		no_bus(ret, "this kernel does not let it be chosen");
		r = try_reset(address, NULL, NULL, err);
		r = r < 0 ? -1 : r == 0;
	}
	if (r <= 0)
		return r;
	if (wait_answer(address, RESET_MICROS, "60 s after its reset", err) < 0)
		return -1;
	ret->micros = ga_clock_mono_micros() - began;
	return 1;
}

int ga_vfio_no_reset(const char *address, const struct ga_vfio_reset *how, struct ga_err *err)
{
	const char *why = how ? how->why_not_bus : "";

	return ga_refuse(err, GA_HOST, GA_FAULT_NO_RESET, address,
			 (GA_SAID_NO_RESET "'%s'%s%s", address,
			  *why ? " alone: no bus reset, because " : "", why),
			 ("see 'cat /sys/bus/pci/devices/%s/reset_method'; a GPU that keeps the "
			  "state of its last tenant is not given to the next", address));
}
