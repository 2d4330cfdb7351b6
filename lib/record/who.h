/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who acts: the real user, whom sudo names, who logged in, and what of that counts as the person.
 *
 *   login     the login uid of the kernel (pam_loginuid): it survives sudo and su, and only
 *             CAP_AUDIT_CONTROL changes it; root's is taken for none
 *   sudo      SUDO_UID, believed of root and system users only (uid < 1000), whom nobody logs in
 *             as: anybody else can set a variable
 *   person    the login where there is one, else whom sudo names, else the real user
 *
 * Asked once a process: nobody becomes somebody else while a program runs.
 */
#ifndef GA_RECORD_WHO_H
#define GA_RECORD_WHO_H

#include <sys/types.h>

#include "base/ga.h"
#include "base/texts.h"
#include "base/vec.h"

#define GA_FIRST_USER 1000 /* login.defs: UID_MIN; below it are root and system users */
#define GA_NO_USER 65534   /* nobody */

struct ga_who {
	uid_t real, sudo, login; /* sudo and login only where they are known */
	bool has_sudo, has_login;
	uid_t person;
	/* Root's own doing: neither sudo nor a login names anybody else. It owns the machine. */
	bool is_root;
	/* A user of people, neither root, nor of the system, nor nobody: one of two for an
	 * override. */
	bool is_human;
	GA_LIST(uid_t) humans; /* every user of people who had a hand in it, also a SUDO_UID
				  that is not believed */
	char *name;	       /* of the person; NULL: no account has that number */
	/* Unix groups by name, a number where a group has none; empty until ga_who_groups. */
	struct ga_texts groups;
	bool has_groups;
};

/* Where it is asked; every function but login gets what it fills zeroed. */
struct ga_who_source {
	uid_t (*real)(void);
	const char *(*sudo)(void);    /* SUDO_UID, or NULL */
	bool (*login)(uid_t *ret);    /* false: unknown; (uid_t)-1 is "not set" */
	char *(*user)(uid_t uid);     /* account name, allocated, or NULL */
	void (*groups)(const struct ga_who *who, struct ga_who *ret); /* fills ret->groups */
};
/* Another source, for tests; NULL: this process and the machine's accounts. Forgets what was
 * asked. */
void ga_who_from(const struct ga_who_source *source);

/* Owned here; lives as long as the process. */
const struct ga_who *ga_who(void);
/* The same with the groups of the person looked up (getgrouplist(3); of a number without account
 * those of the process, if it is its own). That may ask a server: never in a write transaction. */
const struct ga_who *ga_who_groups(void);

/* "alice(1001)", "uid(1001)" when the account has no name. */
#define GA_WHO_SIZE 96
char *ga_who_name(uid_t uid, char out[GA_WHO_SIZE]);

#endif
