/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that have a device node open: an unreadable process never counts as "none". */
#include "t.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act/device/openers.h"

/* The end of the name of the folder whose list breaks off with an error, or NULL. */
static const char *breaks_off;

struct dirent *readdir(DIR *dir)
{
	struct dirent *(*real)(DIR *) = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
	ga_autofree char *link = ga_xprintf("/proc/self/fd/%d", dirfd(dir));
	char name[256] = "";
	size_t n, end = breaks_off ? strlen(breaks_off) : 0;

	if (end && readlink(link, name, sizeof(name) - 1) > 0) {
		n = strlen(name);
		if (n >= end && !strcmp(name + n - end, breaks_off))
			return errno = EIO, NULL;
	}
	return real(dir);
}

static void look(const char *path, const char *list, bool complete, const char *what)
{
	struct ga_openers who;

	breaks_off = list;
	ga_openers_of_node(path, &who);
	breaks_off = NULL;
	t_int(who.pid, 0, "%s: nobody was seen", what);
	t_int(who.complete, complete, "%s: all was looked at", what);
}

int main(void)
{
	char dir[] = "/dev/shm/ga-openers-XXXXXX";
	ga_autofree char *node = NULL, *gone = NULL, *below = NULL, *circle = NULL;
	struct ga_openers who;
	int fd;
	pid_t pid;

	if (!mkdtemp(dir))
		return 99;
	node = ga_xprintf("%s/node", dir);
	gone = ga_xprintf("%s/gone", dir);
	below = ga_xprintf("%s/node/below", dir);
	circle = ga_xprintf("%s/circle", dir);
	fd = open(node, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0 || close(fd) || symlink("circle", circle))
		return 99;
	pid = fork(); /* another process of this user, to be looked at */
	if (!pid) {
		pause();
		_exit(0);
	}
	look(gone, NULL, true, "a node that is not there");
	look(below, NULL, true, "a node below what is no folder");
	look(circle, NULL, false, "a node that cannot be looked at");
	ga_openers_of_node(node, &who);
	if (who.complete) {
		look(node, "/proc", false, "a list of processes that breaks off");
		look(node, "/task", false, "a list of threads that breaks off");
	} else {
		printf("# only root sees all processes\n");
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(node);
	unlink(circle);
	rmdir(dir);
	return t_done();
}
