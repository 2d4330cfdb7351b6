/* SPDX-License-Identifier: Apache-2.0 */
/* The invariants as queries, for check.c: each row is a violation; its first column is the
 * object. */
#ifndef GA_STATE_RECOVERY_CHECK_RULES_H
#define GA_STATE_RECOVERY_CHECK_RULES_H

struct ga_check_rule {
	const char *check;    /* stable word of the finding */
	const char *sql;
	const char *sentence; /* about the object */
	const char *hint;     /* or NULL */
};

extern const struct ga_check_rule ga_check_rules[]; /* ends with a rule without check */

#endif
