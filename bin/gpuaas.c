/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas: the front. "gpuaas place …" becomes gpuaas-place (beside this program, else in PATH);
 * "gpuaas help" lists the programs that are there.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "vec.h"

static const char *const examples[] = {
	"gpuaas help",
	"gpuaas list attention",
	"gpuaas help place",
	NULL,
};

/* The folder of this program, allocated; NULL when it cannot be told. */
static char *own_folder(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	slash = strrchr(path, '/');
	return slash ? ga_xstrndup(path, (size_t)(slash - path)) : NULL;
}

struct names {
	char **v;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_folder(const char *folder, struct names *ret)
{
	ga_autodir DIR *dir = opendir(folder);
	struct dirent *e;
	size_t i;

	while (dir && (e = readdir(dir))) {
		if (!ga_starts(e->d_name, "gpuaas-") ||
		    strspn(e->d_name, "abcdefghijklmnopqrstuvwxyz-") != strlen(e->d_name) ||
		    faccessat(dirfd(dir), e->d_name, X_OK, 0) < 0)
			continue;
		for (i = 0; i < ret->n && strcmp(ret->v[i], e->d_name); i++)
			;
		if (i == ret->n)
			*(char **)ga_list_add(ret) = ga_xstrdup(e->d_name);
	}
}

static void find_programs(const char *own, struct names *ret)
{
	const char *env = getenv("PATH");
	ga_autofree char *path = ga_xstrdup(env ? env : "/usr/local/bin:/usr/bin:/bin");
	char *save = NULL, *folder;

	if (own)
		add_folder(own, ret);
	for (folder = strtok_r(path, ":", &save); folder; folder = strtok_r(NULL, ":", &save))
		add_folder(folder, ret);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_name);
}

static void help(const char *own)
{
	struct names names = { 0 };
	size_t i;

	find_programs(own, &names);
	printf("gpuaas %s: the life of GPU capacity, one program a step\n\n"
	       "    gpuaas PROGRAM ARGUMENT…    runs gpuaas-PROGRAM\n"
	       "    gpuaas PROGRAM --help       tells its options\n\n",
	       GA_VERSION);
	for (i = 0; i < names.n; i++) {
		printf("    %s\n", names.v[i] + strlen("gpuaas-"));
		free(names.v[i]);
	}
	if (!names.n)
		printf("    (no gpuaas-PROGRAM is here or in PATH)\n");
	ga_list_release(&names);
}

/* Does not return when the program runs. */
static int run_program(const char *own, char **argv)
{
	ga_autofree char *name = ga_xprintf("gpuaas-%s", argv[1]);
	ga_autofree char *beside = own ? ga_xprintf("%s/%s", own, name) : NULL;

	if (strchr(argv[1], '/')) {
		fprintf(stderr, "gpuaas: '%s' is no program's name\n", argv[1]);
		return GA_USAGE;
	}
	argv[1] = name;
	if (beside)
		execv(beside, argv + 1);
	if (!beside || errno == ENOENT)
		execvp(name, argv + 1);
	if (errno == ENOENT) {
		fprintf(stderr, "gpuaas: there is no program '%s'\n"
				"gpuaas: hint: 'gpuaas help' lists what is there\n",
			name);
		return GA_USAGE;
	}
	fprintf(stderr, "gpuaas: cannot run '%s': %s\n", name, strerror(errno));
	return errno == EACCES ? GA_DENIED : GA_SYSTEM;
}

static const struct ga_prog prog = {
	.name = "gpuaas",
	.abstract = "the life of GPU capacity: 'gpuaas PROGRAM …' runs gpuaas-PROGRAM",
	.args = "PROGRAM ARGUMENT…",
	.args_min = 1,
	.args_max = -1,
	.examples = examples,
};

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	ga_autofree char *own = NULL;
	int r;

	own = own_folder();
	/* What follows the name of a program is that program's. */
	if (argc < 2 || (argv[1][0] == '-' && argv[1][1]) ||
	    (argc == 2 && !strcmp(argv[1], "help"))) {
		r = ga_cli_parse(&prog, argc < 2 ? argc : 2, argv, &err);
		if (r > 0)
			help(own);
		return ga_cli_finish(&prog, r > 0 ? 0 : r, &err);
	}
	if (!strcmp(argv[1], "help")) {
		char *args[] = { argv[0], argv[2], (char *)(uintptr_t) "--help", NULL };

		return run_program(own, args);
	}
	return run_program(own, argv);
}
