/* SPDX-License-Identifier: Apache-2.0 */
/* The user who runs the program, and the user's Unix groups. */
#include "record/who.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"

#define GROUPS_MAX 65536 /* NGROUPS_MAX of Linux */

/* Reads a decimal user id; false for any other text. "Not set" is (uid_t)-1. */
static bool parse_uid(const char *text, uid_t *ret)
{
	char *end;
	unsigned long v;

	if (!text || text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno || (*end && *end != '\n') || v > UINT32_MAX)
		return false;
	*ret = (uid_t)v;
	return true;
}

/* ---- this machine ---- */

static const char *machine_sudo(void)
{
	return getenv("SUDO_UID");
}

static bool machine_login(uid_t *ret)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;

	return ga_file_read("/proc/self/loginuid", 32, &text, &ignored) == 0 &&
	       parse_uid(text.buf, ret);
}

/* The buffer grows: the entry of an account or group may be long (a group lists its members). */
static char *machine_user(uid_t uid)
{
	ga_autofree char *buf = NULL;
	struct passwd pw, *found = NULL;
	size_t size = 4096;
	int r;

	do {
		size *= 2;
		free(buf);
		buf = ga_xcalloc(size, 1);
		r = getpwuid_r(uid, &pw, buf, size, &found);
	} while (r == ERANGE && size < (1U << 24));
	return r == 0 && found ? ga_xstrdup(found->pw_name) : NULL;
}

static char *group_name(gid_t gid)
{
	ga_autofree char *buf = NULL;
	struct group gr, *found = NULL;
	size_t size = 4096;
	int r;

	do {
		size *= 2;
		free(buf);
		buf = ga_xcalloc(size, 1);
		r = getgrgid_r(gid, &gr, buf, size, &found);
	} while (r == ERANGE && size < (1U << 24));
	return r == 0 && found ? ga_xstrdup(found->gr_name) : ga_xprintf("%u", (unsigned int)gid);
}

static gid_t *groups_of_account(const char *name, int *n)
{
	ga_autofree char *buf = ga_xcalloc(65536, 1);
	struct passwd pw, *found = NULL;
	gid_t *list = NULL;
	int size = 64;

	*n = 0;
	if (getpwnam_r(name, &pw, buf, 65536, &found) || !found)
		return NULL;
	do {
		size *= 2;
		list = ga_xrealloc(list, (size_t)size, sizeof(*list));
		*n = size;
	} while (getgrouplist(name, pw.pw_gid, list, n) < 0 && size < GROUPS_MAX);
	if (*n > size)
		*n = size;
	return list;
}

static gid_t *groups_of_process(int *n)
{
	gid_t *list = ga_xcalloc(GROUPS_MAX + 1, sizeof(*list));

	*n = getgroups(GROUPS_MAX, list);
	if (*n < 0)
		*n = 0;
	list[(*n)++] = getgid();
	return list;
}

static void machine_groups(const struct ga_who *who, struct ga_who *ret)
{
	ga_autofree gid_t *list = NULL;
	int n = 0, i, j;

	if (who->name)
		list = groups_of_account(who->name, &n);
	else if (who->person == who->real)
		list = groups_of_process(&n);
	for (i = 0; i < n; i++) {
		for (j = 0; j < i && list[j] != list[i]; j++)
			;
		if (j == i)
			*ga_list_add(&ret->groups) = group_name(list[i]);
	}
}

static const struct ga_who_source machine = { getuid, machine_sudo, machine_login, machine_user,
					      machine_groups };

/* ---- looked up once ---- */

static const struct ga_who_source *source = &machine;
static struct ga_who who;
static bool known;

void ga_who_from(const struct ga_who_source *s)
{
	source = s ? s : &machine;
	ga_texts_release(&who.groups);
	ga_list_release(&who.humans);
	free(who.name);
	who = (struct ga_who){ 0 };
	known = false;
}

static bool is_human(uid_t uid)
{
	return uid >= GA_FIRST_USER && uid != GA_NO_USER && uid != (uid_t)-1;
}

static void add_human(uid_t uid)
{
	size_t i;

	for (i = 0; i < who.humans.n; i++)
		if (who.humans.v[i] == uid)
			return;
	if (is_human(uid))
		*ga_list_add(&who.humans) = uid;
}

const struct ga_who *ga_who(void)
{
	uid_t said = 0, login = (uid_t)-1;
	bool says;

	if (known)
		return &who;
	known = true;
	who.real = source->real();
	says = parse_uid(source->sudo(), &said) && said != (uid_t)-1;
	who.has_sudo = says && who.real < GA_FIRST_USER;
	who.sudo = who.has_sudo ? said : 0;
	who.has_login = source->login(&login) && login != (uid_t)-1;
	who.login = who.has_login ? login : 0;
	who.person = who.login ? who.login : who.has_sudo ? who.sudo : who.real;
	who.is_root = !who.real && !who.person;
	who.is_human = is_human(who.person);
	add_human(who.person);
	add_human(who.real);
	if (says)
		add_human(said);
	if (!who.is_root)
		who.name = source->user(who.person);
	return &who;
}

const struct ga_who *ga_who_groups(void)
{
	ga_who();
	if (!who.has_groups) {
		who.has_groups = true;
		source->groups(&who, &who);
	}
	return &who;
}

char *ga_who_name(uid_t uid, char out[GA_WHO_SIZE])
{
	ga_autofree char *name = source->user(uid);

	if (name)
		snprintf(out, GA_WHO_SIZE, "%.64s(%u)", name, (unsigned int)uid);
	else
		snprintf(out, GA_WHO_SIZE, "uid(%u)", (unsigned int)uid);
	return out;
}
