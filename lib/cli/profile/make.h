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

GA_MUST_CHECK int ga_cli_profile_create(struct ga_err *err);
GA_MUST_CHECK int ga_cli_profile_show(struct ga_err *err);
GA_MUST_CHECK int ga_cli_profile_set(struct ga_err *err);
GA_MUST_CHECK int ga_cli_profile_retire(struct ga_err *err);
GA_MUST_CHECK int ga_cli_profile_teams(struct ga_err *err);

/* ---- of these commands alone ---- */

/* The options over a profile (released with its shape by the caller): what was given replaces what
 * it has. GA_USAGE for what is malformed. Of the types it takes the slugs. */
GA_MUST_CHECK int ga_profile_flags(const struct ga_profile_opts *o, struct ga_profile *p,
				   struct ga_err *err);
/* Whether gpuaas-state apply would take what the options made: GA_USAGE. */
GA_MUST_CHECK int ga_profile_check(const struct ga_profile *p, struct ga_err *err);
/* A profile as it is before the options: of no type, wiped as the state's kind asks for. */
void ga_profile_blank(const char *name, bool lab, struct ga_profile *ret);
/* What each of a GA_LIST(const char *) says, at its commas; appended to ret (GA_LIST(char *)). */
void ga_profile_words(const void *texts, void *ret);

/* create --from-nodes: fills the profile from nodes (ids or names; "-": node views on standard
 * input, which ga_profile_piped reads before a transaction is begun). */
GA_MUST_CHECK int ga_profile_piped(const struct ga_profile_opts *o, char *const *more, int n,
				   struct ga_texts *ret, struct ga_err *err);
GA_MUST_CHECK int ga_profile_from_nodes(struct ga_db *db, const struct ga_profile_opts *o,
					const struct ga_texts *nodes,
					struct ga_profile *ret, struct ga_err *err);
/* create --suggest */
GA_MUST_CHECK int ga_profile_suggest(const struct ga_profile_opts *o, struct ga_err *err);

#endif
