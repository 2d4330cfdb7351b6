/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user who runs the program: the real user, the user that sudo names, the user who logged in,
 * and which of these counts as the person.
 *
 *   login     the login uid of the kernel (pam_loginuid): it survives sudo and su, and only
 *             CAP_AUDIT_CONTROL changes it; a login of root counts as none
 *   sudo      SUDO_UID, used only if the real user is root or a system user (uid < 1000), because
 *             nobody logs in as a system user; any other user can set the variable freely
 *   person    the login if there is one, else the user that sudo names, else the real user
 *
 * Looked up once in a process: the user does not change while a program runs.
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
	uid_t real, sudo, login; /* sudo is valid with has_sudo, login with has_login */
	bool has_sudo, has_login;
	uid_t person;
	/* Root itself: neither sudo nor a login names another user. Root owns the machine. */
	bool is_root;
	/* The account of a human: not root, not a system user, not nobody. Such a user may be one
	 * of the two people of an override. */
	bool is_human;
	GA_LIST(uid_t) humans; /* every human's account among person, real and SUDO_UID, also when
				  SUDO_UID is not used */
	char *name;	       /* of the person; NULL: no account has that uid */
	/* Unix groups by name, or by number if a group has no name; empty until ga_who_groups. */
	struct ga_texts groups;
	bool has_groups;
};

/* The functions that look up the user. ret of groups is zeroed before the call. */
struct ga_who_source {
	uid_t (*real)(void);
	const char *(*sudo)(void);    /* SUDO_UID, or NULL */
	bool (*login)(uid_t *ret);    /* false: unknown; (uid_t)-1 is "not set" */
	char *(*user)(uid_t uid);     /* account name, allocated, or NULL */
	void (*groups)(const struct ga_who *who, struct ga_who *ret); /* fills ret->groups */
};
/* Sets another source, for tests; NULL: this process and the machine's accounts. The next call of
 * ga_who looks everything up again. */
void ga_who_from(const struct ga_who_source *source);

/* Owned here; lives as long as the process. */
const struct ga_who *ga_who(void);
/* The same, with the groups of the person (getgrouplist(3)). If the person has no account and is
 * the real user, these are the groups of the process. The lookup may contact a server: never call
 * it in a write transaction. */
const struct ga_who *ga_who_groups(void);

/* "alice(1001)", or "uid(1001)" when no account has that uid. */
#define GA_WHO_SIZE 96
char *ga_who_name(uid_t uid, char out[GA_WHO_SIZE]);

#endif
