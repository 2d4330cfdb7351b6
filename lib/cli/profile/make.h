/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-profile create, show, set, retire, teams. */
#ifndef GA_CLI_PROFILE_MAKE_H
#define GA_CLI_PROFILE_MAKE_H

#include "base/texts.h"
#include "cli/frame/cli.h"
#include "state/db/db.h"

struct ga_profile;

/* The options for a profile; NULL or an empty list: not given; "": removes the member. */
struct ga_profile_opts {
	const char *shape, *image, *price, *region, *pool, *domain_type;
	const char *wipe, *wipe_verify, *wipe_gpu_memory;
	const char *vcpus, *memory, *hugepages, *hold, *graceful;
	struct ga_borrowed_texts types;
	struct ga_texts slugs; /* the slugs of types */
	struct ga_borrowed_texts counts, teams, from_nodes, allow, forbid;
	bool generic, mixed, suggest, everyone, undo, versions, dry_run;
};

extern const struct ga_opt ga_profile_create_opts[], ga_profile_show_opts[], ga_profile_set_opts[],
	ga_profile_retire_opts[], ga_profile_teams_opts[];

/* The commands read their operands with ga_cli_args. Each except show writes to the state in its
 * own transaction, prints the differences on stderr, and emits the profile as stored; --dry-run
 * changes nothing. */

/* Makes a profile from the options, and with --from-nodes from the hardware of nodes. GA_CONFLICT
 * "profile_exists". With --suggest, only emits profiles for the groups of nodes. */
GA_MUST_CHECK int ga_cli_profile_create(struct ga_err *err);
/* Emits a profile ("NAME" or "NAME@VERSION"), or all its versions. GA_NOTFOUND. */
GA_MUST_CHECK int ga_cli_profile_show(struct ga_err *err);
/* Stores a new version with the changes of the options. GA_NOTFOUND. */
GA_MUST_CHECK int ga_cli_profile_set(struct ga_err *err);
/* Retires a profile, so that it gets no new requests; --undo allows them again. */
GA_MUST_CHECK int ga_cli_profile_retire(struct ga_err *err);
/* Changes the teams that may use a profile. GA_CONFLICT "no_team_left": an empty list would open
 * the profile to every team. */
GA_MUST_CHECK int ga_cli_profile_teams(struct ga_err *err);

/* ---- private to these commands ---- */

/* Replaces members of a profile with the given options; takes the types from o->slugs. GA_USAGE for
 * a malformed option. The caller releases the profile with its schema. */
GA_MUST_CHECK int ga_profile_flags(const struct ga_profile_opts *o, struct ga_profile *p,
				   struct ga_err *err);
/* Refuses (GA_USAGE) a profile that gpuaas-state apply would refuse. */
GA_MUST_CHECK int ga_profile_check(const struct ga_profile *p, struct ga_err *err);
/* The profile before the options: a slice of no type at price 0, with the wipe policy that a state,
 * or (lab) the state of a lab, requires. Overwrites ret; the caller releases it with its schema. */
void ga_profile_blank(const char *name, bool lab, struct ga_profile *ret);
/* Splits each text at its commas and appends the words to ret. */
void ga_profile_words(const struct ga_borrowed_texts *texts, struct ga_texts *ret);

/* create --from-nodes: appends to ret the nodes (ids or names) of the option and of the n operands
 * in more. "-" reads node views from standard input; call this before a transaction begins. GA_NO
 * when none came. */
GA_MUST_CHECK int ga_profile_piped(const struct ga_profile_opts *o, char *const *more, int n,
				   struct ga_texts *ret, struct ga_err *err);
/* Fills the profile from the hardware of these nodes. GA_CONFLICT "type_open", "mixed_types",
 * "mixed_modes". Needs a transaction. */
GA_MUST_CHECK int ga_profile_from_nodes(struct ga_db *db, const struct ga_profile_opts *o,
					const struct ga_texts *nodes,
					struct ga_profile *ret, struct ga_err *err);
/* create --suggest: emits a profile for each group of nodes that no profile covers, and names the
 * nodes of each on stderr. Only reads. */
GA_MUST_CHECK int ga_profile_suggest(const struct ga_profile_opts *o, struct ga_err *err);

#endif
