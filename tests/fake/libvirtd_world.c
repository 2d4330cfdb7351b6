/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preload for libvirtd in a recorded host (tests/cloud). The kernel's device events are
 * umockdev's there, on a socket that libnl does not understand, and libvirtd would not start
 * without them. The limit of locked memory, which only VFIO needs, cannot be raised where
 * CAP_SYS_RESOURCE is missing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/types.h>

int virNetlinkEventServiceStart(unsigned int protocol, unsigned int groups);
typedef int (*setter)(int what, const struct rlimit64 *limit);
typedef int (*process_setter)(pid_t pid, int what, const struct rlimit64 *limit,
			      struct rlimit64 *old);

int virNetlinkEventServiceStart(unsigned int protocol, unsigned int groups)
{
	(void)protocol;
	(void)groups;
	return 0;
}

int setrlimit64(__rlimit_resource_t what, const struct rlimit64 *limit)
{
	if (what == RLIMIT_MEMLOCK)
		return 0;
	return ((setter)dlsym(RTLD_NEXT, "setrlimit64"))((int)what, limit);
}

int setrlimit(__rlimit_resource_t what, const struct rlimit *limit)
{
	const void *same = limit; /* one layout on x86-64 */

	return setrlimit64(what, same);
}

int prlimit64(pid_t pid, enum __rlimit_resource what, const struct rlimit64 *limit,
	      struct rlimit64 *old)
{
	if (what == RLIMIT_MEMLOCK && limit && !old)
		return 0;
	return ((process_setter)dlsym(RTLD_NEXT, "prlimit64"))(pid, (int)what, limit, old);
}

int prlimit(pid_t pid, enum __rlimit_resource what, const struct rlimit *limit, struct rlimit *old)
{
	const void *same = limit;
	void *same_old = old;

	return prlimit64(pid, what, same, same_old);
}
