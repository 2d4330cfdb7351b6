/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the guard's steps. */
#include "decide/wipe/guard_steps.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct ga_guard_rule ga_guard_rules[] = {
	{ "exclusive_open", GA_GUARD_NEVER },
	{ "medium", GA_GUARD_NEVER },
	{ "identity", GA_GUARD_NEVER },
	{ "other_names", GA_GUARD_NEVER },
	{ "mounts", GA_GUARD_NEVER },
	{ "holders", GA_GUARD_NEVER },
	{ "loops", GA_GUARD_ON_FILES },
	{ "slaves", GA_GUARD_NEVER },
	{ "swap", GA_GUARD_NEVER },
	{ "md", GA_GUARD_NEVER },
	{ "exports", GA_GUARD_ON_FILES },
	{ "signatures", GA_GUARD_IF_ALLOWED },
	{ "content", GA_GUARD_IF_ALLOWED },
	/* A running domain has the disk open, and the step open_files finds that. */
	{ "domains", GA_GUARD_ALWAYS },
	{ "open_files", GA_GUARD_ON_FILES },
	{ "identity_before", GA_GUARD_NEVER },
	{ "identity_before_uses", GA_GUARD_ON_FILES },
	{ "identity_before_open_files", GA_GUARD_ON_FILES },
	{ "identity_after", GA_GUARD_NEVER },
	{ "identity_after_uses", GA_GUARD_ON_FILES },
	{ "identity_after_open_files", GA_GUARD_ON_FILES },
	{ NULL, GA_GUARD_NEVER },
};

const struct ga_guard_rule *ga_guard_rule(const char *step)
{
	const struct ga_guard_rule *r;

	for (r = ga_guard_rules; r->step; r++)
		if (ga_streq(r->step, step))
			return r;
	return NULL;
}

/* ---- signatures ---- */

/* One signature: its partition (0: the disk itself) and its type. */
struct signature {
	long partition;
	char *type;
};

/* The partition number in the kernel's name of a disk or partition: 2 for "sda2" and "nvme0n1p2", 0
 * for "nvme0n1". */
static long partition_of(const char *name)
{
	static const char *const letters[] = { "sd", "hd", "vd", "xvd" };
	size_t n = strlen(name), i;

	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	if (!name[n] || strchr(name, '/'))
		return 0;
	/* If the disk's own name ends in a digit, a 'p' separates the partition number. */
	if (n > 1 && name[n - 1] == 'p' && isdigit((unsigned char)name[n - 2]))
		return strtol(name + n, NULL, 10);
	for (i = 0; i < GA_ARRAY_SIZE(letters); i++)
		if (ga_starts(name, letters[i]))
			return strtol(name + n, NULL, 10);
	return 0;
}

/* Splits "name: type" in place; false when the text has another form. */
static bool read_signature(char *text, struct signature *ret)
{
	char *colon = NULL, *p;

	for (p = text; (p = strstr(p, ": ")); p++)
		colon = p;
	if (!colon)
		return false;
	*colon = '\0';
	ret->type = colon + 2;
	ret->type[strcspn(ret->type, " ")] = '\0'; /* cuts a suffix such as " (expected)" */
	ret->partition = partition_of(text);
	return true;
}

bool ga_guard_saw(const char *detail, const char *signature)
{
	ga_autofree char *list = ga_xstrdup(detail), *one = ga_xstrdup(signature);
	struct signature wanted, found;
	char *item, *next;

	if (!read_signature(one, &wanted))
		return false;
	for (item = list; item; item = next) {
		next = strstr(item, ", ");
		if (next) {
			*next = '\0';
			next += 2;
		}
		if (read_signature(item, &found) && found.partition == wanted.partition &&
		    !strcmp(found.type, wanted.type))
			return true;
	}
	return false;
}
