/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas: the front program. "gpuaas place …" runs gpuaas-place (beside this program, else in the
 * path of base/proc.h); "gpuaas help" lists the installed programs.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/texts.h"
#include "base/vec.h"
#include "cli/frame/cli.h"
#include "cli/front.h"
#include "cli/frame/complete.h"
#include "record/closest.h"

static const char *const examples[] = {
	"gpuaas help",
	"gpuaas list attention",
	"gpuaas help place",
	NULL,
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_folder(const char *folder, struct ga_texts *ret)
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

static void find_programs(const char *own, struct ga_texts *ret)
{
	ga_autofree char *path = ga_xstrdup(ga_proc_path());
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
	ga_autotexts struct ga_texts names = { 0 };
	ga_autostr struct ga_str text = GA_STR_INIT;

	find_programs(own, &names);
	ga_front_help(&names, &text);
	ga_print_text(text.buf);
}

static int unknown_program(const char *own, const char *name, struct ga_err *err)
{
	ga_autotexts struct ga_texts names = { 0 };
	const char *meant = ga_front_meant(name);
	ga_autofree char *hint = NULL;
	struct ga_closest_names near;
	size_t i;

	find_programs(own, &names);
	ga_closest_begin(&near, name);
	ga_closest_word(&near, "launch");
	ga_closest_word(&near, "help");
	for (i = 0; i < names.n; i++)
		ga_closest_word(&near, names.v[i] + strlen("gpuaas-"));
	hint = meant ? ga_xprintf("near to it: '%s'; ", meant) : ga_closest_hint(&near);
	return ga_refuse(err, GA_USAGE, NULL, name,
			 ("there is no program 'gpuaas-%.64s'", name),
			 ("%s'gpuaas help' lists what is there", hint));
}

/* Does not return when the program runs. argv[0] is not looked at. */
static int run_program(const char *own, char **argv, struct ga_err *err)
{
	ga_autofree char *name = ga_xprintf("gpuaas-%s", argv[1]);
	ga_autofree char *beside = own ? ga_xprintf("%s/%s", own, name) : NULL;

	if (strchr(argv[1], '/'))
		return ga_fail(err, GA_USAGE, "'%s' is not the name of a program", argv[1]);
	argv[1] = name;
	if (beside)
		execv(beside, argv + 1);
	if (!beside || errno == ENOENT)
		ga_proc_exec((const char *const *)(uintptr_t)(argv + 1), environ);
	if (errno == ENOENT)
		return unknown_program(own, name + strlen("gpuaas-"), err);
	return ga_fail_sys(err, "cannot run '%s'", name);
}

/* The words of the cursor: the program, or what that program answers for its own. Words after
 * "launch" are those of gpuaas-place. */
static int complete(const char *own, char **words, int n)
{
	static const char *const more[] = { "help", "launch", NULL };
	const char *begin = n ? words[n - 1] : "";
	struct ga_texts names = { 0 };
	size_t i;

	if (n > 1 && strcmp(words[0], "help")) {
		ga_autofree char *program = ga_xprintf(
			"gpuaas-%s", ga_streq(words[0], "launch") ? "place" : words[0]);
		ga_autofree char *beside = ga_cli_beside(program);
		ga_autofree const char **argv = ga_xcalloc((size_t)n + 2, sizeof(*argv));

		argv[0] = beside;
		argv[1] = GA_COMPLETE;
		for (i = 1; i < (size_t)n; i++)
			argv[1 + i] = words[i];
		if (!strchr(words[0], '/'))
			ga_proc_exec(argv, environ);
		return 0;
	}
	find_programs(own, &names);
	for (i = 0; i < names.n; i++)
		ga_cli_offer(names.v[i] + strlen("gpuaas-"), NULL, begin);
	for (i = 0; n < 2 && more[i]; i++)
		ga_cli_offer(more[i], NULL, begin);
	ga_texts_release(&names);
	return 0;
}

static const struct ga_prog prog = {
	.name = "gpuaas",
	.abstract = "run a program of gpuaas",
	.args = "PROGRAM ARGUMENT…",
	.args_min = 1,
	.args_max = -1,
	.examples = examples,
	.looks = "*",
};

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	ga_autofree char *own = NULL;
	int r;

	own = ga_cli_own_folder();
	if (ga_cli_read_config(&err) < 0)
		return ga_cli_finish(&prog, -1, &err);
	if (argc > 1 && ga_streq(argv[1], GA_COMPLETE)) {
		if (argc != 3 || argv[2][0] != '-')
			return complete(own, argv + 2, argc - 2);
		return ga_cli_finish(&prog, ga_cli_parse(&prog, argc, argv, &err), &err);
	}
	if (argc < 2) {
		r = ga_refuse(&err, GA_USAGE, NULL, NULL,
			      ("name a program: gpuaas PROGRAM ARGUMENT…"),
			      ("'gpuaas help' lists the programs, 'gpuaas doctor' says what to do "
			       "first"));
		return ga_cli_finish(&prog, r, &err);
	}
	/* Words after the name of a program belong to that program. */
	if ((argv[1][0] == '-' && argv[1][1]) || (argc == 2 && !strcmp(argv[1], "help"))) {
		r = ga_cli_parse(&prog, 2, argv, &err);
		if (r > 0)
			help(own);
		return ga_cli_finish(&prog, r > 0 ? 0 : r, &err);
	}
	if (!strcmp(argv[1], "help")) {
		bool launch = !strcmp(argv[2], "launch");
		char *args[] = { argv[0], launch ? (char *)(uintptr_t) "place" : argv[2],
				 (char *)(uintptr_t) "--help", NULL };

		return ga_cli_finish(&prog, run_program(own, args, &err), &err);
	}
	if (!strcmp(argv[1], "launch")) {
		ga_autofree char **args = ga_xcalloc((size_t)argc + 2, sizeof(*args));

		args[1] = (char *)(uintptr_t) "place";
		args[2] = (char *)(uintptr_t) "--guide";
		memcpy(args + 3, argv + 2, (size_t)(argc - 2) * sizeof(*args));
		return ga_cli_finish(&prog, run_program(own, args, &err), &err);
	}
	return ga_cli_finish(&prog, run_program(own, argv, &err), &err);
}
