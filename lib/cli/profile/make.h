/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-profile create, show, set, retire, teams. */
#ifndef GA_CLI_PROFILE_MAKE_H
#define GA_CLI_PROFILE_MAKE_H

#include "base/texts.h"
#include "cli/frame/cli.h"
#include "record/state.h"
#include "state/db/db.h"

/* What the options say of a profile; NULL and no element: not given; "": takes a member away. */
struct ga_profile_opts {
	const char *shape, *image, *price, *region, *pool, *domain_type;
	const char *wipe, *wipe_verify, *wipe_gpu_memory;
	const char *vcpus, *memory, *hugepages, *hold, *graceful;
	GA_LIST(const char *) types;
	struct ga_texts slugs; /* of these types */
	GA_LIST(const char *) counts;
	GA_LIST(const char *) teams;
	GA_LIST(const char *) from_nodes;
	GA_LIST(const char *) allow;
	GA_LIST(const char *) forbid;
	bool generic, mixed, suggest, everyone, undo, versions, dry_run;
};

extern const struct ga_opt ga_profile_create_opts[], ga_profile_show_opts[], ga_profile_set_opts[],
	ga_profile_retire_opts[], ga_profile_teams_opts[];

/* The commands, which read their operands by ga_cli_args. Each but show writes to the state in a
 * transaction of its own, says on stderr what differs, and emits the profile as it is stored then;
 * with --dry-run nothing is changed. */

/* Makes a profile from the options, and with --from-nodes from what nodes have. GA_CONFLICT
 * "profile_exists". With --suggest it only emits profiles for the groups of nodes. */
GA_MUST_CHECK int ga_cli_profile_create(struct ga_err *err);
/* Emits a profile, "NAME" or "NAME@VERSION", or all its versions. GA_NOTFOUND. */
GA_MUST_CHECK int ga_cli_profile_show(struct ga_err *err);
/* Stores a new version with what the options change. GA_NOTFOUND. */
GA_MUST_CHECK int ga_cli_profile_set(struct ga_err *err);
/* Takes no new work for a profile, or with --undo takes some again. */
GA_MUST_CHECK int ga_cli_profile_retire(struct ga_err *err);
/* Changes which teams may use a profile. GA_CONFLICT "no_team_left": an empty list would open it to
 * every team. */
GA_MUST_CHECK int ga_cli_profile_teams(struct ga_err *err);

/* ---- of these commands alone ---- */

/* Puts the options over a profile (released with its shape by the caller): what was given replaces
 * what it has. GA_USAGE for what is malformed. The types are taken from o->slugs. */
GA_MUST_CHECK int ga_profile_flags(const struct ga_profile_opts *o, struct ga_profile *p,
				   struct ga_err *err);
/* Refuses (GA_USAGE) a profile that gpuaas-state apply would refuse. */
GA_MUST_CHECK int ga_profile_check(const struct ga_profile *p, struct ga_err *err);
/* A profile as it is before the options: a slice of no type at the price 0, wiped as strictly as a
 * state, or a lab's state (lab), needs. ret is overwritten; released with its shape. */
void ga_profile_blank(const char *name, bool lab, struct ga_profile *ret);
/* Splits each text of a GA_LIST(const char *) at its commas; the words are appended to ret. */
void ga_profile_words(const void *texts, struct ga_texts *ret);

/* create --from-nodes: the nodes (ids or names) of the option and of the n operands in more,
 * appended to ret; "-" reads node views from standard input, which must happen before a transaction
 * is begun. GA_NO when none came. */
GA_MUST_CHECK int ga_profile_piped(const struct ga_profile_opts *o, char *const *more, int n,
				   struct ga_texts *ret, struct ga_err *err);
/* Fills the profile from what these nodes have. GA_CONFLICT "type_open", "mixed_types",
 * "mixed_modes". Needs a transaction. */
GA_MUST_CHECK int ga_profile_from_nodes(struct ga_db *db, const struct ga_profile_opts *o,
					const struct ga_texts *nodes,
					struct ga_profile *ret, struct ga_err *err);
/* create --suggest: emits a profile for each group of nodes that no profile covers, and says on
 * stderr for which nodes each is. Reads only. */
GA_MUST_CHECK int ga_profile_suggest(const struct ga_profile_opts *o, struct ga_err *err);

#endif
