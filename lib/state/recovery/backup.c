/* SPDX-License-Identifier: Apache-2.0 */
/* Backups named by their time; only files with such a name are ever removed. */
#include "state/recovery/backup.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/texts.h"
#include "record/time.h"
#include "state/recovery/check.h"

/* Only "state-20261121T020000Z.db" is a name of ours. */
static bool is_ours(const char *name)
{
	const char *time = name + strlen("state-");

	return ga_starts(name, "state-") && strlen(name) == strlen("state-20261121T020000Z.db") &&
	       strspn(time, "0123456789") == 8 && time[8] == 'T' &&
	       strspn(time + 9, "0123456789") == 6 && !strcmp(time + 15, "Z.db");
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int prune(const char *dir, int64_t keep, struct ga_err *err)
{
	ga_autotexts struct ga_texts list = { 0 };
	DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return ga_fail_sys(err, "opening '%s' failed", dir);
	while ((e = readdir(d)))
		if (is_ours(e->d_name))
			*(char **)ga_list_add(&list) = ga_xstrdup(e->d_name);
	if (list.v)
		qsort(list.v, list.n, sizeof(*list.v), by_name);
	for (size_t i = 0; list.v && (int64_t)(list.n - i) > keep; i++) {
		if (unlinkat(dirfd(d), list.v[i], 0) < 0 && errno != ENOENT) {
			closedir(d);
			return ga_fail_sys(err, "removing '%s/%s' failed", dir, list.v[i]);
		}
	}
	closedir(d);
	return 0;
}

/* "2026-11-21T02:00:00" as 20261121T020000Z, because other tools have trouble with colons. */
static char *name_of_now(void)
{
	ga_autofree char *now = ga_time_now();
	char *name = ga_xprintf("state-%.19sZ.db", now), *to = name + strlen("state-"), *p;

	for (p = to; *p; p++)
		if (*p != '-' && *p != ':')
			*to++ = *p;
	*to = '\0';
	return name;
}

int ga_state_backup(struct ga_db *db, const char *dir, int64_t keep,
		    int (*each)(const struct ga_finding *finding, void *arg, struct ga_err *err),
		    void *arg, char **made, struct ga_err *err)
{
	ga_autofree char *name = name_of_now(), *fresh = NULL, *path = NULL;
	struct ga_db *copy = NULL;
	int found;

	if (ga_file_mkdirs(dir, 0700, err) < 0)
		return -1;
	fresh = ga_xprintf("%s/.%s.new", dir, name);
	if (ga_db_backup(db, fresh, err) < 0)
		return -1;
	found = ga_db_open(fresh, GA_DB_STATE, GA_DB_READ, &copy, err) < 0 ?
			-1 : ga_state_check(copy, each, arg, err);
	ga_db_close(copy);
	path = ga_xprintf("%s/%s%s", dir, name, found > 0 ? ".findings" : "");
	if (found < 0 || rename(fresh, path) < 0) {
		if (found >= 0)
			ga_err_set_sys(err, "putting '%s' in place failed", path);
		unlink(fresh);
		return -1;
	}
	*made = GA_TAKE(path);
	if (found == 0 && prune(dir, keep, err) < 0)
		return -1;
	return found;
}

int ga_state_backups(const char *dir, struct ga_backups *ret, struct ga_err *err)
{
	static const char end[] = ".findings";
	ga_autodir DIR *d = opendir(dir);
	struct dirent *e;

	*ret = (struct ga_backups){ 0 };
	if (!d)
		return errno == ENOENT ? 0 : ga_fail_sys(err, "opening '%s' failed", dir);
	while ((e = readdir(d))) {
		size_t n = strlen(e->d_name), m = sizeof(end) - 1;

		if (is_ours(e->d_name)) {
			/* The time in "state-20261121T020000Z.db"; 0 when the digits are no
			 * time. */
			const char *t = e->d_name + strlen("state-");
			ga_autofree char *text =
				ga_xprintf("%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", t, t + 4, t + 6, t + 9,
					   t + 11, t + 13);
			int64_t made;

			ret->good++;
			if (ga_time_read(text, &made) && made > ret->newest_micros)
				ret->newest_micros = made;
		} else if (n > m && !strcmp(e->d_name + n - m, end)) {
			ga_autofree char *plain = ga_xstrndup(e->d_name, n - m);

			ret->findings += is_ours(plain);
		}
	}
	return 0;
}
