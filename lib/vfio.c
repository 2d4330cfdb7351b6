/* SPDX-License-Identifier: Apache-2.0 */
/* vfio-pci: bind, read back, reset. */
#include "vfio.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "pci.h"

static void write_in_child(const char *path, const char *text) __attribute__((noreturn));

/* O_TRUNC does nothing to sysfs and makes a recorded host's file hold what was written. */
static void write_in_child(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		_exit(errno & 0x7f);
	if (write(fd, text, strlen(text)) < 0)
		_exit(errno & 0x7f);
	_exit(0);
}

int ga_sysfs_write(const char *path, const char *text, int64_t timeout_micros,
		   struct ga_err *err)
{
	int64_t deadline = ga_clock_mono_micros() + (timeout_micros ? timeout_micros : 15000000);
	int64_t nap = 100;
	int status;
	pid_t pid = fork(), got;

	if (pid < 0)
		return ga_fail_sys(err, "cannot start a child to write '%s'", path);
	if (!pid)
		write_in_child(path, text);
	while ((got = waitpid(pid, &status, WNOHANG)) == 0) {
		if (!ga_clock_wait(deadline, nap)) {
			kill(pid, SIGKILL); /* it ends when the kernel lets go */
			ga_err_set(err, GA_BUSY, "the kernel did not return from writing '%s'",
				   path);
			ga_err_reason(err, "device_busy");
			return ga_hint(err,
				       "something holds the device: see 'fuser -v /dev/vfio/*'");
		}
		nap = nap < 20000 ? nap * 2 : 20000;
	}
	if (got < 0)
		return ga_fail_sys(err, "nobody can tell whether '%s' was written", path);
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
	if (!vendor) {
		ga_err_set(err, GA_NOTFOUND, "there is no PCI function '%s'", address);
		ga_err_reason(err, "gpu_missing");
		ga_err_object(err, address);
		return ga_hint(err, "look for it with 'lspci -s %s'; after a change of hardware "
				    "discover and approve again", address);
	}
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
	if (!ga_streq(after, driver)) {
		ga_err_set(err, GA_HOST, "'%s' is bound to '%s' instead of '%s'", address,
			   after ? after : "no driver", driver ? driver : "no driver");
		ga_err_reason(err, "bind_failed");
		ga_err_object(err, address);
		return ga_hint(err,
			       "is the module loaded ('modprobe vfio-pci')? see 'dmesg | tail'");
	}
	return 0;
}

static bool config_answers(const char *path)
{
	ga_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char id[2];

	return fd >= 0 && pread(fd, id, sizeof(id), 0) == (ssize_t)sizeof(id) &&
	       !(id[0] == 0xff && id[1] == 0xff);
}

int ga_vfio_wait_config(const char *address, int64_t timeout_micros, struct ga_err *err)
{
	ga_autofree char *path = attr_path(address, "config"),
			 *physfn = attr_path(address, "physfn");
	int64_t deadline = ga_clock_mono_micros() + timeout_micros;
	char link[8];

	if (readlink(physfn, link, sizeof(link)) >= 0)
		return 0;
	while (!config_answers(path))
		if (!ga_clock_wait(deadline, 50000)) {
			ga_err_set(err, GA_HOST, "'%s' does not answer in configuration space",
				   address);
			ga_err_reason(err, "device_lost");
			ga_err_object(err, address);
			return ga_hint(err, "the device fell off the bus; a cold start of the host "
					    "usually brings it back");
		}
	return 0;
}

int ga_vfio_reset(const char *address, struct ga_err *err)
{
	ga_autofree char *path = attr_path(address, "reset");

	if (access(path, F_OK) < 0)
		return 0;
	if (ga_sysfs_write(path, "1", INT64_C(60000000), err) < 0)
		return ga_wrap(err, "cannot reset '%s'", address);
	return ga_vfio_wait_config(address, INT64_C(60000000), err) < 0 ? -1 : 1;
}
