/* SPDX-License-Identifier: Apache-2.0 */
/* The operator's executables for bare metal. */
#include "act/vm/metal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/device/hooks.h"
#include "base/proc.h"
#include "base/texts.h"
#include "base/vec.h"
#include "record/rec.h"

#define HOOK_MICROS INT64_C(7200000000) /* a deploy with its reboots */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* 1 an executable to run, 0 none; refuses a link, and an executable that others may write. */
static int check_hook(const char *folder, int dir, const char *name, struct ga_err *err)
{
	const char *why;
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return ga_fail_sys(err, "cannot look at '%s/%s'", folder, name);
	if (!S_ISLNK(st.st_mode) && (!S_ISREG(st.st_mode) || !(st.st_mode & 0111)))
		return 0;
	why = ga_hook_why_refused(&st);
	if (!why)
		return 1;
	(void)ga_fail_for(err, GA_DENIED, "hook_unsafe", "'%s/%s' is not run: %s", folder, name,
			  why);
	if (S_ISLNK(st.st_mode))
		return -1;
	return ga_hint(err, "chown root '%s/%s' && chmod go-w '%s/%s'", folder, name, folder, name);
}

/* The executables of a folder, sorted by name, without hidden files and files that are not
 * executable. */
static int find_hooks(const char *folder, struct ga_any_list *list, struct ga_err *err)
{
	ga_autodir DIR *d = opendir(folder);
	struct dirent *e;

	if (!d)
		return errno == ENOENT ? 0 : ga_fail_sys(err, "cannot open '%s'", folder);
	if (ga_hooks_check_folder(folder, dirfd(d), err) < 0)
		return -1;
	while ((e = readdir(d))) {
		ga_autofree char *path = ga_xprintf("%s/%s", folder, e->d_name);
		int r = e->d_name[0] == '.' ? 0 : check_hook(folder, dirfd(d), e->d_name, err);

		if (r < 0)
			return -1;
		if (r)
			*(char **)ga_list_grow(list, sizeof(char *)) = GA_TAKE(path);
	}
	if (list->n)
		qsort(list->v, list->n, sizeof(char *), by_name);
	return 0;
}

/* Merges the last line of the output, if it is a JSON object. */
static void merge_answer(const char *out, json_t *into)
{
	json_t *json = NULL;
	json_error_t why;
	size_t n = strlen(out), from;

	while (n && out[n - 1] == '\n')
		n--;
	for (from = n; from && out[from - 1] != '\n'; from--)
		;
	json = json_loadb(out + from, n - from, JSON_REJECT_DUPLICATES, &why);
	if (json_is_object(json))
		json_object_update(into, json);
	json_decref(json);
}

static int need_hooks(const char *dir, const char *stage, struct ga_any_list *list,
		      struct ga_err *err)
{
	ga_autofree char *folder = ga_xprintf("%s/%s", dir, stage);

	if (find_hooks(folder, list, err) < 0)
		return -1;
	if (list->n)
		return 0;
	return ga_refuse(err, GA_HOST, "no_hooks", NULL,
			 ("there is no executable in '%s'", folder),
			 ("bare metal is deployed and released by the operator's own "
			  "executables, see gpuaas-provision(1)"));
}

int ga_metal_check(const char *dir, const char *stage, struct ga_err *err)
{
	struct ga_texts hooks = { 0 };
	int r = need_hooks(dir, stage, (struct ga_any_list *)(void *)&hooks, err);

	ga_texts_release(&hooks);
	return r;
}

int ga_metal_run(const char *dir, const char *stage, const char *order, json_t **ret,
		 struct ga_err *err)
{
	ga_autotexts struct ga_texts hooks = { 0 };
	ga_autojson json_t *answer = json_object();

	if (need_hooks(dir, stage, (struct ga_any_list *)(void *)&hooks, err) < 0)
		return -1;
	for (size_t i = 0; i < hooks.n; i++) {
		const char *argv[] = { hooks.v[i], NULL };
		const struct ga_proc p = { .argv = argv, .input = order, .input_len = strlen(order),
					   .timeout_micros = HOOK_MICROS };
		ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

		if (ga_proc_check(&p, &out, err) < 0) {
			ga_err_reason(err, "hook_failed");
			return -1;
		}
		merge_answer(out.out.buf, answer);
	}
	*ret = GA_TAKE(answer);
	return 0;
}
